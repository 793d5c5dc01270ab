// Status, StatusOr, errors::*, and the way from and to TF_Status.
//
// A Status converts from and to any class with ok(), code() and message(), which absl::Status has; the layer
// itself needs no Abseil.
#ifndef DOVETAIL_CC_STATUS_H_
#define DOVETAIL_CC_STATUS_H_

#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include "dovetail/cc/base.h"
#include "dovetail/cc/span.h"
#include "dovetail/cc/strings.h"
#include "tensorflow/c/tf_status.h"

DVT_CC_BEGIN
namespace tensorflow {

namespace error {
enum Code : int {
  OK = 0,
  CANCELLED = 1,
  UNKNOWN = 2,
  INVALID_ARGUMENT = 3,
  DEADLINE_EXCEEDED = 4,
  NOT_FOUND = 5,
  ALREADY_EXISTS = 6,
  PERMISSION_DENIED = 7,
  RESOURCE_EXHAUSTED = 8,
  FAILED_PRECONDITION = 9,
  ABORTED = 10,
  OUT_OF_RANGE = 11,
  UNIMPLEMENTED = 12,
  INTERNAL = 13,
  UNAVAILABLE = 14,
  DATA_LOSS = 15,
  UNAUTHENTICATED = 16
};

inline const char *Code_Name(Code code) {
  static const char *const names[] = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  return code >= OK && code <= UNAUTHENTICATED ? names[code] : "UNKNOWN";
}

// Codes of other libraries (absl::StatusCode) have the same numbers.
template <class E, class = std::enable_if_t<std::is_enum_v<E> && !std::is_convertible_v<E, int>>>
bool operator==(Code a, E b) {
  return static_cast<int>(a) == static_cast<int>(b);
}
template <class E, class = std::enable_if_t<std::is_enum_v<E> && !std::is_convertible_v<E, int>>>
bool operator!=(Code a, E b) {
  return !(a == b);
}
}  // namespace error

class Status;

namespace dvt {
// S is a status of another library. Its message may be a text view of that library.
template <class S>
using IfForeignStatus = std::enable_if_t<
    std::is_class_v<S> && !std::is_base_of_v<Status, S> &&
    std::is_same_v<decltype(std::declval<const S &>().ok()), bool> &&
    std::is_enum_v<decltype(std::declval<const S &>().code())> &&
    std::is_convertible_v<decltype(std::declval<const S &>().message().data()), const char *>>;
}  // namespace dvt

class Status {
 public:
  Status() = default;
  Status(error::Code code, StringPiece message) {
    if (code != error::OK) rep_ = std::make_unique<Rep>(Rep{code, string(message)});
  }
  // A code of another library's enumeration with the same numbers.
  template <class E, class = std::enable_if_t<std::is_enum_v<E> && !std::is_same_v<E, error::Code>>>
  Status(E code, StringPiece message) : Status(static_cast<error::Code>(static_cast<int>(code)), message) {}
  Status(const Status &other) : rep_(other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr) {}
  Status(Status &&other) noexcept = default;
  Status &operator=(const Status &other) {
    if (this != &other) rep_ = other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr;
    return *this;
  }
  Status &operator=(Status &&other) noexcept = default;

  template <class S, class = dvt::IfForeignStatus<S>>
  Status(const S &other)
      : Status(static_cast<error::Code>(static_cast<int>(other.code())),
               StringPiece(other.message().data(), other.message().size())) {}
  template <class S, class = dvt::IfForeignStatus<S>>
  operator S() const {
    using C = decltype(std::declval<const S &>().code());
    return ok() ? S() : S(static_cast<C>(static_cast<int>(rep_->code)), rep_->message);
  }

  static Status OK() { return Status(); }
  bool ok() const { return rep_ == nullptr; }
  error::Code code() const { return ok() ? error::OK : rep_->code; }
  int raw_code() const { return code(); }
  StringPiece message() const { return error_message(); }
  const string &error_message() const {
    static const string empty;
    return ok() ? empty : rep_->message;
  }
  string ToString() const {
    return ok() ? "OK" : string(error::Code_Name(rep_->code)) + ": " + rep_->message;
  }
  // The first error stays.
  void Update(const Status &other) {
    if (ok()) *this = other;
  }
  void IgnoreError() const {}
  bool operator==(const Status &other) const {
    return code() == other.code() && error_message() == other.error_message();
  }
  bool operator!=(const Status &other) const { return !(*this == other); }

 private:
  struct Rep {
    error::Code code;
    string message;
  };
  std::unique_ptr<Rep> rep_;
};

inline Status OkStatus() { return Status(); }
inline std::ostream &operator<<(std::ostream &out, const Status &s) { return out << s.ToString(); }
typedef std::function<void(const Status &)> StatusCallback;

namespace errors {

typedef ::tensorflow::error::Code Code;

#define DVT_CC_ERROR(Function, CODE)                                                  \
  template <class... Args>                                                            \
  Status Function(const Args &...args) {                                              \
    return Status(::tensorflow::error::CODE, ::tensorflow::strings::StrCat(args...)); \
  }                                                                                   \
  inline bool Is##Function(const Status &s) { return s.code() == ::tensorflow::error::CODE; }
DVT_CC_ERROR(Cancelled, CANCELLED)
DVT_CC_ERROR(Unknown, UNKNOWN)
DVT_CC_ERROR(InvalidArgument, INVALID_ARGUMENT)
DVT_CC_ERROR(DeadlineExceeded, DEADLINE_EXCEEDED)
DVT_CC_ERROR(NotFound, NOT_FOUND)
DVT_CC_ERROR(AlreadyExists, ALREADY_EXISTS)
DVT_CC_ERROR(PermissionDenied, PERMISSION_DENIED)
DVT_CC_ERROR(ResourceExhausted, RESOURCE_EXHAUSTED)
DVT_CC_ERROR(FailedPrecondition, FAILED_PRECONDITION)
DVT_CC_ERROR(Aborted, ABORTED)
DVT_CC_ERROR(OutOfRange, OUT_OF_RANGE)
DVT_CC_ERROR(Unimplemented, UNIMPLEMENTED)
DVT_CC_ERROR(Internal, INTERNAL)
DVT_CC_ERROR(Unavailable, UNAVAILABLE)
DVT_CC_ERROR(DataLoss, DATA_LOSS)
DVT_CC_ERROR(Unauthenticated, UNAUTHENTICATED)
#undef DVT_CC_ERROR

template <class... Args>
void AppendToMessage(Status *status, const Args &...args) {
  if (status->ok()) return;
  *status = Status(status->code(), strings::StrCat(status->error_message(), "\n\t", args...));
}
inline Status CreateWithUpdatedMessage(const Status &status, StringPiece message) {
  return Status(status.code(), message);
}
inline string FormatNodeNameForError(const string &name) { return "{{node " + name + "}}"; }

}  // namespace errors

namespace dvt {

// What a failed CHECK throws. The functions that the host calls catch it: the op fails, the process goes on.
struct Failure {
  Status status;
};

[[noreturn]] TF_ATTRIBUTE_NOINLINE inline void Fail(const Status &status) {
#if DVT_CC_EXCEPTIONS
  throw Failure{status};
#else
  fprintf(stderr, "%s (built without exceptions)\n", status.ToString().c_str());
  std::abort();
#endif
}

}  // namespace dvt

// A value or the error that prevented it. value() of an error throws.
template <class T>
class StatusOr {
 public:
  using value_type = T;
  StatusOr() : status_(errors::Unknown("")) {}
  StatusOr(const Status &status) : status_(status) {
    if (status_.ok())
      status_ = errors::Internal("An OK status is not a valid constructor argument to StatusOr<T>");
  }
  template <class S, class = dvt::IfForeignStatus<S>, class = void>
  StatusOr(const S &status) : StatusOr(Status(status)) {}
  StatusOr(const T &value) : value_(value) {}
  StatusOr(T &&value) : value_(std::move(value)) {}
  template <
      class U,
      class = std::enable_if_t<std::is_constructible_v<T, U &&> && !std::is_convertible_v<U &&, Status> &&
                               !std::is_same_v<std::decay_t<U>, StatusOr>>,
      class = void, class = void>
  StatusOr(U &&value) : value_(std::forward<U>(value)) {}

  bool ok() const { return status_.ok(); }
  const Status &status() const { return status_; }
  const T &value() const & { return Checked(*this); }
  T &value() & { return Checked(*this); }
  T &&value() && { return std::move(Checked(*this)); }
  const T &ValueOrDie() const & { return value(); }
  T &ValueOrDie() & { return value(); }
  T &&ValueOrDie() && { return std::move(*this).value(); }
  const T &operator*() const & { return *value_; }
  T &operator*() & { return *value_; }
  T &&operator*() && { return std::move(*value_); }
  const T *operator->() const { return &*value_; }
  T *operator->() { return &*value_; }
  template <class U>
  T value_or(U &&other) const & {
    return ok() ? *value_ : static_cast<T>(std::forward<U>(other));
  }

 private:
  template <class Self>
  static auto &Checked(Self &self) {
    if (TF_PREDICT_FALSE(!self.ok())) dvt::Fail(self.status_);
    return *self.value_;
  }
  Status status_;
  std::optional<T> value_;
};

}  // namespace tensorflow
DVT_CC_END

#define TF_RETURN_IF_ERROR(...)                          \
  do {                                                   \
    ::tensorflow::Status _status = (__VA_ARGS__);        \
    if (TF_PREDICT_FALSE(!_status.ok())) return _status; \
  } while (0)
#define TF_RETURN_WITH_CONTEXT_IF_ERROR(expr, ...)                  \
  do {                                                              \
    ::tensorflow::Status _status = (expr);                          \
    if (TF_PREDICT_FALSE(!_status.ok())) {                          \
      ::tensorflow::errors::AppendToMessage(&_status, __VA_ARGS__); \
      return _status;                                               \
    }                                                               \
  } while (0)
#define DVT_CC_ASSIGN_OR_RETURN(var, lhs, rexpr)        \
  auto var = (rexpr);                                   \
  if (TF_PREDICT_FALSE(!var.ok())) return var.status(); \
  lhs = std::move(var).value()
#define TF_ASSIGN_OR_RETURN(lhs, rexpr) \
  DVT_CC_ASSIGN_OR_RETURN(DVT_CC_JOIN(_status_or_, __COUNTER__), lhs, rexpr)

#include "dovetail/cc/thread_state.h"

#endif  // DOVETAIL_CC_STATUS_H_
