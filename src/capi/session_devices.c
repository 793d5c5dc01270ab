// TF_DeviceList: the devices a session can use.
#include "exec/session.h"
#include "tensorflow/c/c_api.h"

// Names are copied: a list outlives what it lists.
struct TF_DeviceList {
  dvt_arena arena;
  int count;
  dvt_device *devices;
};

static dvt_status list_devices(TF_DeviceList **out_list) {
  size_t count = dvt_device_count();
  TF_DeviceList *list = dvt_calloc(1, sizeof *list);
  if (!list) return dvt_error_out_of_memory(sizeof *list);
  list->devices = dvt_arena_calloc(&list->arena, count, sizeof *list->devices);
  bool ok = list->devices != NULL;
  for (size_t i = 0; ok && i < count; i++) {
    dvt_device *device = &list->devices[list->count++];
    *device = *dvt_device_at(i);
    ok = dvt_arena_copy_str(&list->arena, device->name, &device->name) &&
         dvt_arena_copy_str(&list->arena, device->type, &device->type);
  }
  if (!ok) {
    TF_DeleteDeviceList(list);
    return dvt_error_out_of_memory(count * sizeof *list->devices);
  }
  *out_list = list;
  return NULL;
}

TF_DeviceList *TF_SessionListDevices(TF_Session *session, TF_Status *status) {
  TF_DeviceList *list = NULL;
  dvt_status_to_tf(session ? list_devices(&list)
                           : dvt_error(TF_INVALID_ARGUMENT, "TF_SessionListDevices: the session is NULL"),
                   status);
  return list;
}

TF_DeviceList *TF_DeprecatedSessionListDevices(TF_DeprecatedSession *session, TF_Status *status) {
  TF_DeviceList *list = NULL;
  dvt_status_to_tf(
      session ? list_devices(&list)
              : dvt_error(TF_INVALID_ARGUMENT, "TF_DeprecatedSessionListDevices: the session is NULL"),
      status);
  return list;
}

void TF_DeleteDeviceList(TF_DeviceList *list) {
  if (!list) return;
  dvt_arena_deinit(&list->arena);
  dvt_free(list);
}

int TF_DeviceListCount(const TF_DeviceList *list) { return list ? list->count : 0; }

static const dvt_device *device_at(const TF_DeviceList *list, int index, TF_Status *status) {
  bool ok = list && index >= 0 && index < list->count;
  dvt_status_to_tf(
      ok ? NULL
         : dvt_error(TF_INVALID_ARGUMENT, "device index %d out of range, the list has %d devices", index,
                     TF_DeviceListCount(list)),
      status);
  return ok ? &list->devices[index] : NULL;
}

const char *TF_DeviceListName(const TF_DeviceList *list, int index, TF_Status *status) {
  const dvt_device *device = device_at(list, index, status);
  return device ? device->name.data : NULL;
}

const char *TF_DeviceListType(const TF_DeviceList *list, int index, TF_Status *status) {
  const dvt_device *device = device_at(list, index, status);
  return device ? device->type.data : NULL;
}

int64_t TF_DeviceListMemoryBytes(const TF_DeviceList *list, int index, TF_Status *status) {
  const dvt_device *device = device_at(list, index, status);
  return device ? device->memory_bytes : -1;
}

uint64_t TF_DeviceListIncarnation(const TF_DeviceList *list, int index, TF_Status *status) {
  const dvt_device *device = device_at(list, index, status);
  return device ? device->incarnation : 0;
}
