// The process-wide XLA switches of c_api_experimental.h and the entry points that only concern the process.
// Dovetail plans every graph ahead of time, so the switches steer nothing; they keep what they are set to, as
// clients that save and restore them expect.
#include <arpa/inet.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/status.h"
#include "tensorflow/c/c_api_experimental.h"

static atomic_uchar lazy_compilation = 1, cpu_global_jit, auto_jit, constant_folding_disabled;

unsigned char TF_SetXlaEnableLazyCompilation(unsigned char enable) {
  return atomic_exchange(&lazy_compilation, enable != 0);
}

unsigned char TF_SetTfXlaCpuGlobalJit(unsigned char enable) {
  return atomic_exchange(&cpu_global_jit, enable != 0);
}

// The flag's text is a level ("0", "1", "2", "fusible") or a device list ("single-gpu(2),general(1)"): off
// only for a level 0.
void TF_SetXlaAutoJitMode(const char *mode) {
  dvt_str text = dvt_str_from(mode);
  atomic_store(&auto_jit, text.len > 0 && !dvt_str_is(text, "0"));
}

unsigned char TF_GetXlaAutoJitEnabled(void) { return atomic_load(&auto_jit); }

void TF_SetXlaMinClusterSize(int size) { (void)size; }

unsigned char TF_GetXlaConstantFoldingDisabled(void) { return atomic_load(&constant_folding_disabled); }

void TF_SetXlaConstantFoldingDisabled(unsigned char should_enable) {
  atomic_store(&constant_folding_disabled, should_enable != 0);
}

void TF_InitMain(const char *usage, int *argc, char ***argv) { (void)usage, (void)argc, (void)argv; }

int TF_PickUnusedPortOrDie(void) {
  int fd = socket(AF_INET, SOCK_STREAM, 0), port = 0;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (fd >= 0 && bind(fd, (struct sockaddr *)&address, size) == 0 &&
      getsockname(fd, (struct sockaddr *)&address, &size) == 0)
    port = ntohs(address.sin_port);
  if (fd >= 0) close(fd);
  if (port == 0)
    dvt_log(DVT_ERROR, "TF_PickUnusedPortOrDie: no TCP port could be bound on the loopback address");
  return port;
}

void TF_MakeInternalErrorStatus(TF_Status *status, const char *errMsg) {
  TF_SetStatus(status, TF_INTERNAL, errMsg);
}
