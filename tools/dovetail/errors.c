// How errors are told: printed at the end of the command, or carried in a status until then.
#include <stdarg.h>

#include "cli.h"

int cli_error(int exit_code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fflush(stdout);
  fputs("dovetail: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return exit_code;
}

bool cli_fail(TF_Status *status, TF_Code code, const char *format, ...) {
  char message[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  TF_SetStatus(status, code, message);
  return false;
}
