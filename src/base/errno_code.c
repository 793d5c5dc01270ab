// The errno table, one row a code; stock's mapping as measured for all numbers of Linux. Numbers outside it
// are UNKNOWN.
#include "base/errno_code.h"

#include <errno.h>
#include <string.h>

// X(TF_Code, E...)
#define ERRNO_ROWS(X)                                                                                       \
  X(TF_CANCELLED, ECANCELED)                                                                                \
  X(TF_INVALID_ARGUMENT, E2BIG, EFAULT, EINVAL, ENOTTY, ESPIPE, EDOM, ENAMETOOLONG, ENOSTR, EILSEQ,         \
    ENOTSOCK, EDESTADDRREQ, EPROTOTYPE, ENOPROTOOPT)                                                        \
  X(TF_DEADLINE_EXCEEDED, ETIME, ETIMEDOUT)                                                                 \
  X(TF_NOT_FOUND, ENOENT, ESRCH, ENXIO, ENODEV)                                                             \
  X(TF_ALREADY_EXISTS, EEXIST, EADDRNOTAVAIL, EALREADY)                                                     \
  X(TF_PERMISSION_DENIED, EPERM, EACCES, EROFS)                                                             \
  X(TF_RESOURCE_EXHAUSTED, ENOMEM, ENFILE, EMFILE, ENOSPC, EMLINK, ENODATA, ENOSR, EUSERS, ENOBUFS, EDQUOT) \
  X(TF_FAILED_PRECONDITION, EBADF, ECHILD, ENOTBLK, EBUSY, ENOTDIR, EISDIR, ETXTBSY, EPIPE, ENOTEMPTY,      \
    EADDRINUSE, EISCONN, ENOTCONN, ESHUTDOWN)                                                               \
  X(TF_ABORTED, EDEADLK, ESTALE)                                                                            \
  X(TF_OUT_OF_RANGE, EFBIG, ERANGE, EOVERFLOW)                                                              \
  X(TF_UNIMPLEMENTED, EXDEV, ENOSYS, EPROTONOSUPPORT, ESOCKTNOSUPPORT, EOPNOTSUPP, EPFNOSUPPORT,            \
    EAFNOSUPPORT)                                                                                           \
  X(TF_UNAVAILABLE, EINTR, EAGAIN, ENOLCK, ENONET, ENOLINK, ENETDOWN, ENETUNREACH, ENETRESET, ECONNABORTED, \
    ECONNRESET, ECONNREFUSED, EHOSTDOWN, EHOSTUNREACH)

TF_Code dvt_code_from_errno(int error_number) {
  if (error_number == 0) return TF_OK;
#define ROW(code, ...)                                 \
  {                                                    \
    static const int numbers[] = {__VA_ARGS__};        \
    for (size_t i = 0; i < DVT_COUNT_OF(numbers); i++) \
      if (numbers[i] == error_number) return code;     \
  }
  ERRNO_ROWS(ROW)
#undef ROW
  return TF_UNKNOWN;
}

const char *dvt_errno_text(int error_number, char *room, size_t capacity) {
  return strerror_r(error_number, room, capacity);
}
