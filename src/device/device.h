// dvt_device: where kernels run: type ("CPU"), full name, ordinal. The CPU device is always there; devices of
// pluggable-device libraries join with the device C API.
#ifndef DVT_DEVICE_DEVICE_H_
#define DVT_DEVICE_DEVICE_H_

#include "device/pool.h"

typedef struct dvt_device {
  dvt_str type;  // "CPU"
  dvt_str name;  // "/job:localhost/replica:0/task:0/device:CPU:0"
  int ordinal;
  int64_t memory_bytes;  // what TF_DeviceListMemoryBytes reports
  uint64_t incarnation;
} dvt_device;

const dvt_device *dvt_device_cpu(void);
size_t dvt_device_count(void);
const dvt_device *dvt_device_at(size_t index);  // NULL when out of range
// Parses "/job:../device:CPU:0", "/device:CPU:0", "/cpu:0", "CPU:0", "" (any): the matching device, or
// INVALID_ARGUMENT (malformed) / NOT_FOUND-style text listing the devices that exist.
dvt_status dvt_device_find(dvt_str spec, const dvt_device **out_device) DVT_NODISCARD;

#endif  // DVT_DEVICE_DEVICE_H_
