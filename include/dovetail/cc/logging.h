// LOG, VLOG and CHECK. Lines go to the host's log (TF_Log). A CHECK that does not hold, and LOG(FATAL), throw
// dvt::Failure, so the op fails and the process goes on; built without exceptions they end the process.
#ifndef DOVETAIL_CC_LOGGING_H_
#define DOVETAIL_CC_LOGGING_H_

#include <atomic>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "dovetail/cc/base.h"
#include "dovetail/cc/status.h"
#include "tensorflow/c/logging.h"

DVT_CC_BEGIN
namespace tensorflow {

constexpr int INFO = 0;
constexpr int WARNING = 1;
constexpr int ERROR = 2;
constexpr int FATAL = 3;
constexpr int NUM_SEVERITIES = 4;

namespace internal {

class LogMessage : public std::basic_ostringstream<char> {
 public:
  LogMessage(const char *file, int line, int severity) : file_(file), line_(line), severity_(severity) {}
  LogMessage(const LogMessage &) = delete;
  ~LogMessage() override {
    TF_Log(static_cast<TF_LogLevel>(severity_), "%s:%d] %s", file_, line_, str().c_str());
  }

 private:
  const char *file_;
  int line_;
  int severity_;
};

// Throws when the statement ends. It is not derived from a stream, whose destructor may not throw.
class LogMessageFatal {
 public:
  LogMessageFatal(const char *file, int line) : file_(file), line_(line) {}
  LogMessageFatal(const LogMessageFatal &) = delete;
  TF_ATTRIBUTE_NORETURN ~LogMessageFatal() noexcept(false) {
    dvt::Fail(errors::Internal(text_.str(), " (", file_, ":", line_, ")"));
  }
  std::ostream &stream() { return text_; }
  template <class T>
  LogMessageFatal &operator<<(const T &value) {
    text_ << value;
    return *this;
  }

 private:
  const char *file_;
  int line_;
  std::ostringstream text_;
};

struct LogNothing {
  template <class T>
  LogNothing &operator<<(const T &) {
    return *this;
  }
};

// Makes both branches of a conditional void; binds less tightly than << and more than ?:.
struct Voidifier {
  template <class T>
  void operator&(const T &) const {}
};

inline int MaxVlogLevel() {
  static const int level = [] {
    const char *text = std::getenv("TF_CPP_MAX_VLOG_LEVEL");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  return level;
}

// How a compared value looks in a message: characters as numbers.
template <class T>
void ShowValue(std::ostream &out, const T &v) {
  if constexpr (std::is_same_v<T, char> || std::is_same_v<T, signed char> ||
                std::is_same_v<T, unsigned char>) {
    out << static_cast<int>(v);
  } else if constexpr (std::is_same_v<T, std::nullptr_t>) {
    out << "nullptr";
  } else if constexpr (std::is_enum_v<T> && !std::is_convertible_v<T, int>) {
    out << static_cast<long long>(v);
  } else {
    out << v;
  }
}

template <class A, class B>
TF_ATTRIBUTE_NOINLINE std::unique_ptr<string> CheckText(const A &a, const B &b, const char *expression) {
  std::ostringstream out;
  out << "Check failed: " << expression << " (";
  ShowValue(out, a);
  out << " vs. ";
  ShowValue(out, b);
  out << ") ";
  return std::make_unique<string>(out.str());
}

__extension__ typedef __int128 Int128;

// Integers of different signedness compare by value, as their literals in sources mean it.
#define DVT_CC_CHECK_OP(name, op)                                                       \
  template <class A, class B>                                                           \
  std::unique_ptr<string> Check##name(const A &a, const B &b, const char *expression) { \
    bool holds;                                                                         \
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B> &&                     \
                  std::is_signed_v<A> != std::is_signed_v<B>) {                         \
      holds = static_cast<Int128>(a) op static_cast<Int128>(b);                         \
    } else {                                                                            \
      holds = static_cast<bool>(a op b);                                                \
    }                                                                                   \
    if (TF_PREDICT_TRUE(holds)) return nullptr;                                         \
    return CheckText(a, b, expression);                                                 \
  }
DVT_CC_CHECK_OP(EQ, ==)
DVT_CC_CHECK_OP(NE, !=)
DVT_CC_CHECK_OP(LE, <=)
DVT_CC_CHECK_OP(LT, <)
DVT_CC_CHECK_OP(GE, >=)
DVT_CC_CHECK_OP(GT, >)
#undef DVT_CC_CHECK_OP

template <class T>
T &&CheckNotNull(const char *file, int line, const char *text, T &&p) {
  if (p == nullptr) LogMessageFatal(file, line) << text;
  return std::forward<T>(p);
}

inline std::unique_ptr<string> CheckOk(const Status &status, const char *expression) {
  if (TF_PREDICT_TRUE(status.ok())) return nullptr;
  return std::make_unique<string>(
      strings::StrCat("Non-OK-status: ", expression, " status: ", status.ToString(), " "));
}

// For LOG_EVERY_N and LOG_FIRST_N: how often this place was passed before.
inline int64 Passed(std::atomic<int64> *count) { return count->fetch_add(1, std::memory_order_relaxed); }

}  // namespace internal
}  // namespace tensorflow
DVT_CC_END

#define DVT_CC_LOG_INFO ::tensorflow::internal::LogMessage(__FILE__, __LINE__, ::tensorflow::INFO)
#define DVT_CC_LOG_WARNING ::tensorflow::internal::LogMessage(__FILE__, __LINE__, ::tensorflow::WARNING)
#define DVT_CC_LOG_ERROR ::tensorflow::internal::LogMessage(__FILE__, __LINE__, ::tensorflow::ERROR)
#define DVT_CC_LOG_FATAL ::tensorflow::internal::LogMessageFatal(__FILE__, __LINE__).stream()
#define DVT_CC_LOG_QFATAL DVT_CC_LOG_FATAL
#ifdef NDEBUG
#define DVT_CC_LOG_DFATAL DVT_CC_LOG_ERROR
#else
#define DVT_CC_LOG_DFATAL DVT_CC_LOG_FATAL
#endif

#ifndef LOG
#define LOG(severity) DVT_CC_LOG_##severity
#define VLOG_IS_ON(level) ((level) <= ::tensorflow::internal::MaxVlogLevel())
#define VLOG(level) \
  TF_PREDICT_TRUE(!VLOG_IS_ON(level)) ? (void)0 : ::tensorflow::internal::Voidifier() & DVT_CC_LOG_INFO
#define LOG_IF(severity, condition) \
  !(condition) ? (void)0 : ::tensorflow::internal::Voidifier() & LOG(severity)
#define DVT_CC_LOG_WHEN(severity, counter, condition)                \
  if (static ::std::atomic<::tensorflow::int64> counter{0}; [] {     \
        return [](::tensorflow::int64 passed) { return condition; }; \
      }()(::tensorflow::internal::Passed(&counter)))                 \
  LOG(severity)
#define LOG_EVERY_N(severity, n) DVT_CC_LOG_WHEN(severity, _dvt_passed, passed % (n) == 0)
#define LOG_FIRST_N(severity, n) DVT_CC_LOG_WHEN(severity, _dvt_passed, passed < (n))
#define LOG_EVERY_POW_2(severity) DVT_CC_LOG_WHEN(severity, _dvt_passed, ((passed + 1) & passed) == 0)
#endif

#ifndef CHECK
#define CHECK(condition)                 \
  while (TF_PREDICT_FALSE(!(condition))) \
  ::tensorflow::internal::LogMessageFatal(__FILE__, __LINE__).stream() << "Check failed: " #condition " "
#define DVT_CC_CHECK(name, a, b, op)                                                      \
  while (auto _dvt_result = ::tensorflow::internal::Check##name(a, b, #a " " #op " " #b)) \
  ::tensorflow::internal::LogMessageFatal(__FILE__, __LINE__).stream() << *_dvt_result
#define CHECK_EQ(a, b) DVT_CC_CHECK(EQ, a, b, ==)
#define CHECK_NE(a, b) DVT_CC_CHECK(NE, a, b, !=)
#define CHECK_LE(a, b) DVT_CC_CHECK(LE, a, b, <=)
#define CHECK_LT(a, b) DVT_CC_CHECK(LT, a, b, <)
#define CHECK_GE(a, b) DVT_CC_CHECK(GE, a, b, >=)
#define CHECK_GT(a, b) DVT_CC_CHECK(GT, a, b, >)
#define CHECK_NOTNULL(p) \
  ::tensorflow::internal::CheckNotNull(__FILE__, __LINE__, "'" #p "' must not be null", (p))
#define QCHECK(condition) CHECK(condition)
#define QCHECK_EQ(a, b) CHECK_EQ(a, b)
#define QCHECK_NE(a, b) CHECK_NE(a, b)
#define QCHECK_LE(a, b) CHECK_LE(a, b)
#define QCHECK_LT(a, b) CHECK_LT(a, b)
#define QCHECK_GE(a, b) CHECK_GE(a, b)
#define QCHECK_GT(a, b) CHECK_GT(a, b)
#endif

#ifndef DCHECK
#ifndef NDEBUG
#define DCHECK(condition) CHECK(condition)
#define DCHECK_EQ(a, b) CHECK_EQ(a, b)
#define DCHECK_NE(a, b) CHECK_NE(a, b)
#define DCHECK_LE(a, b) CHECK_LE(a, b)
#define DCHECK_LT(a, b) CHECK_LT(a, b)
#define DCHECK_GE(a, b) CHECK_GE(a, b)
#define DCHECK_GT(a, b) CHECK_GT(a, b)
#else
#define DCHECK(condition) \
  while (false && (condition)) ::tensorflow::internal::LogNothing()
#define DCHECK_EQ(a, b) DCHECK(((void)(a), (void)(b), true))
#define DCHECK_NE(a, b) DCHECK_EQ(a, b)
#define DCHECK_LE(a, b) DCHECK_EQ(a, b)
#define DCHECK_LT(a, b) DCHECK_EQ(a, b)
#define DCHECK_GE(a, b) DCHECK_EQ(a, b)
#define DCHECK_GT(a, b) DCHECK_EQ(a, b)
#endif
#ifndef NDEBUG
#define DVLOG VLOG
#else
#define DVLOG(level) \
  while (false) ::tensorflow::internal::LogNothing()
#endif
#endif

#define TF_CHECK_OK(expression)                                                         \
  while (auto _dvt_result = ::tensorflow::internal::CheckOk((expression), #expression)) \
  ::tensorflow::internal::LogMessageFatal(__FILE__, __LINE__).stream() << *_dvt_result
#define TF_QCHECK_OK(expression) TF_CHECK_OK(expression)
#ifndef NDEBUG
#define TF_DCHECK_OK(expression) TF_CHECK_OK(expression)
#else
#define TF_DCHECK_OK(expression) \
  while (false && ::tensorflow::Status(expression).ok()) ::tensorflow::internal::LogNothing()
#endif

#endif  // DOVETAIL_CC_LOGGING_H_
