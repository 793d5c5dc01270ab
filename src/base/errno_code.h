// From the operating system's errno to status codes, as the errors of file functions carry them.
#ifndef DVT_BASE_ERRNO_CODE_H_
#define DVT_BASE_ERRNO_CODE_H_

#include "base/status.h"

TF_Code dvt_code_from_errno(int error_number);  // TF_OK for 0, UNKNOWN for what the table lacks
// strerror without its data race; returns the text, which lies in `room` or is static.
const char *dvt_errno_text(int error_number, char *room, size_t capacity);

#endif  // DVT_BASE_ERRNO_CODE_H_
