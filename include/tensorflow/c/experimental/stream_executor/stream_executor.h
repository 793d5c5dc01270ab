// How a plugin offers a device: tables of functions that the host fills through SE_InitPlugin.
//
// Each struct begins with `struct_size`, the size that the side which fills it was compiled with; the reader
// looks at a field only if it ends within that size. The plugin fills SP_ structs, the host fills SE_
// structs; `ext` is reserved and NULL. Work given to a stream runs in order; functions whose names begin with
// `sync_` or `block_` return when the work is done.
#ifndef TENSORFLOW_C_EXPERIMENTAL_STREAM_EXECUTOR_STREAM_EXECUTOR_H_
#define TENSORFLOW_C_EXPERIMENTAL_STREAM_EXECUTOR_STREAM_EXECUTOR_H_

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_status.h"

// Version of the layout below.
#define SE_MAJOR 0
#define SE_MINOR 0
#define SE_PATCH 1

#ifdef __cplusplus
extern "C" {
#endif

// Handles whose content only the plugin knows.
typedef struct SP_Stream_st *SP_Stream;
typedef struct SP_Event_st *SP_Event;
typedef struct SP_Timer_st *SP_Timer;

// A host function to run in a stream, with its argument and where it reports.
typedef void (*SE_StatusCallbackFn)(void *const callback_arg, TF_Status *const status);

typedef struct SP_TimerFns {
  size_t struct_size;
  void *ext;
  uint64_t (*nanoseconds)(SP_Timer timer);  // between start and stop
} SP_TimerFns;

#define SP_TIMER_FNS_STRUCT_SIZE TF_OFFSET_OF_END(SP_TimerFns, nanoseconds)

// Sizes in bytes.
typedef struct SP_AllocatorStats {
  size_t struct_size;
  int64_t num_allocs;
  int64_t bytes_in_use;
  int64_t peak_bytes_in_use;
  int64_t largest_alloc_size;
  int8_t has_bytes_limit;  // 1: bytes_limit is set
  int64_t bytes_limit;
  int64_t bytes_reserved;
  int64_t peak_bytes_reserved;
  int8_t has_bytes_reservable_limit;  // 1: bytes_reservable_limit is set
  int64_t bytes_reservable_limit;
  int64_t largest_free_block_bytes;
} SP_AllocatorStats;

#define SP_ALLOCATORSTATS_STRUCT_SIZE TF_OFFSET_OF_END(SP_AllocatorStats, largest_free_block_bytes)

typedef enum SE_EventStatus {
  SE_EVENT_UNKNOWN = 0,
  SE_EVENT_ERROR = 1,
  SE_EVENT_PENDING = 2,
  SE_EVENT_COMPLETE = 3
} SE_EventStatus;

// A block of device memory.
typedef struct SP_DeviceMemoryBase {
  size_t struct_size;
  void *ext;
  void *opaque;      // the plugin's address of the block
  uint64_t size;     // bytes
  uint64_t payload;  // free for the plugin
} SP_DeviceMemoryBase;

#define SP_DEVICE_MEMORY_BASE_STRUCT_SIZE TF_OFFSET_OF_END(SP_DeviceMemoryBase, payload)

typedef struct SP_Device {
  size_t struct_size;
  void *ext;
  int32_t ordinal;            // number of the device on this platform
  void *device_handle;        // free for the plugin
  const char *hardware_name;  // names stay valid as long as the device; NULL: unknown
  const char *device_vendor;
  const char *pci_bus_id;  // domain:bus:device.function
} SP_Device;

#define SP_DEVICE_STRUCT_SIZE TF_OFFSET_OF_END(SP_Device, pci_bus_id)

typedef struct SE_CreateDeviceParams {
  size_t struct_size;
  void *ext;
  int32_t ordinal;
  SP_Device *device;  // for the plugin to fill
} SE_CreateDeviceParams;

#define SE_CREATE_DEVICE_PARAMS_STRUCT_SIZE TF_OFFSET_OF_END(SE_CreateDeviceParams, device)

// Facts about a device; each function may be NULL.
typedef struct SP_DeviceFns {
  size_t struct_size;
  void *ext;
  int32_t (*get_numa_node)(const SP_Device *device);         // -1: unknown
  int64_t (*get_memory_bandwidth)(const SP_Device *device);  // bytes per second; -1: unknown
  double (*get_gflops)(const SP_Device *device);             // -1: unknown
} SP_DeviceFns;

#define SP_DEVICE_FNS_STRUCT_SIZE TF_OFFSET_OF_END(SP_DeviceFns, get_gflops)

typedef struct SE_CreateDeviceFnsParams {
  size_t struct_size;
  void *ext;
  SP_DeviceFns *device_fns;  // for the plugin to fill
} SE_CreateDeviceFnsParams;

#define SE_CREATE_DEVICE_FNS_PARAMS_STRUCT_SIZE TF_OFFSET_OF_END(SE_CreateDeviceFnsParams, device_fns)

// What the host calls on a device.
typedef struct SP_StreamExecutor {
  size_t struct_size;
  void *ext;

  // Memory. `allocate` leaves opaque NULL when it fails.
  void (*allocate)(const SP_Device *device, uint64_t size, int64_t memory_space, SP_DeviceMemoryBase *mem);
  void (*deallocate)(const SP_Device *device, SP_DeviceMemoryBase *memory);
  void *(*host_memory_allocate)(const SP_Device *device, uint64_t size);
  void (*host_memory_deallocate)(const SP_Device *device, void *mem);
  void *(*unified_memory_allocate)(const SP_Device *device, uint64_t bytes);
  void (*unified_memory_deallocate)(const SP_Device *device, void *location);
  TF_Bool (*get_allocator_stats)(const SP_Device *device, SP_AllocatorStats *stats);
  TF_Bool (*device_memory_usage)(const SP_Device *device, int64_t *free, int64_t *total);

  // Streams.
  void (*create_stream)(const SP_Device *device, SP_Stream *stream, TF_Status *status);
  void (*destroy_stream)(const SP_Device *device, SP_Stream stream);
  void (*create_stream_dependency)(const SP_Device *device, SP_Stream dependent, SP_Stream other,
                                   TF_Status *status);
  void (*get_stream_status)(const SP_Device *device, SP_Stream stream, TF_Status *status);

  // Events.
  void (*create_event)(const SP_Device *device, SP_Event *event, TF_Status *status);
  void (*destroy_event)(const SP_Device *device, SP_Event event);
  SE_EventStatus (*get_event_status)(const SP_Device *device, SP_Event event);
  void (*record_event)(const SP_Device *device, SP_Stream stream, SP_Event event, TF_Status *status);
  void (*wait_for_event)(const SP_Device *const device, SP_Stream stream, SP_Event event,
                         TF_Status *const status);

  // Timers; NULL where the platform has none.
  void (*create_timer)(const SP_Device *device, SP_Timer *timer, TF_Status *status);
  void (*destroy_timer)(const SP_Device *device, SP_Timer timer);
  void (*start_timer)(const SP_Device *device, SP_Stream stream, SP_Timer timer, TF_Status *status);
  void (*stop_timer)(const SP_Device *device, SP_Stream stream, SP_Timer timer, TF_Status *status);

  // Copies: to the host, to the device, on the device; sizes in bytes.
  void (*memcpy_dtoh)(const SP_Device *device, SP_Stream stream, void *host_dst,
                      const SP_DeviceMemoryBase *device_src, uint64_t size, TF_Status *status);
  void (*memcpy_htod)(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *device_dst,
                      const void *host_src, uint64_t size, TF_Status *status);
  void (*memcpy_dtod)(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *device_dst,
                      const SP_DeviceMemoryBase *device_src, uint64_t size, TF_Status *status);
  void (*sync_memcpy_dtoh)(const SP_Device *device, void *host_dst, const SP_DeviceMemoryBase *device_src,
                           uint64_t size, TF_Status *status);
  void (*sync_memcpy_htod)(const SP_Device *device, SP_DeviceMemoryBase *device_dst, const void *host_src,
                           uint64_t size, TF_Status *status);
  void (*sync_memcpy_dtod)(const SP_Device *device, SP_DeviceMemoryBase *device_dst,
                           const SP_DeviceMemoryBase *device_src, uint64_t size, TF_Status *status);

  // Waiting.
  void (*block_host_for_event)(const SP_Device *device, SP_Event event, TF_Status *status);
  void (*block_host_until_done)(const SP_Device *device, SP_Stream stream, TF_Status *status);
  void (*synchronize_all_activity)(const SP_Device *device, TF_Status *status);

  // Filling memory.
  void (*mem_zero)(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *location, uint64_t size,
                   TF_Status *status);
  void (*memset)(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *location, uint8_t pattern,
                 uint64_t size, TF_Status *status);
  void (*memset32)(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *location, uint32_t pattern,
                   uint64_t size, TF_Status *status);

  // Queues a host function in the stream; returns 0 when it could not.
  TF_Bool (*host_callback)(const SP_Device *device, SP_Stream stream, SE_StatusCallbackFn callback_fn,
                           void *callback_arg);
} SP_StreamExecutor;

#define SP_STREAMEXECUTOR_STRUCT_SIZE TF_OFFSET_OF_END(SP_StreamExecutor, host_callback)

typedef struct SE_CreateStreamExecutorParams {
  size_t struct_size;
  void *ext;
  SP_StreamExecutor *stream_executor;  // for the plugin to fill
} SE_CreateStreamExecutorParams;

#define SE_CREATE_STREAM_EXECUTOR_PARAMS_STRUCT_SIZE \
  TF_OFFSET_OF_END(SE_CreateStreamExecutorParams, stream_executor)

typedef struct SP_Platform {
  size_t struct_size;
  void *ext;
  const char *name;  // [A-Z][A-Z_]*, of the maker
  const char *type;  // [A-Z][A-Z_]*, the device type that kernels name
  TF_Bool supports_unified_memory;
  TF_Bool use_bfc_allocator;    // 1: the host takes large blocks from `allocate` and divides them itself
  TF_Bool force_memory_growth;  // 1: those blocks grow with need
} SP_Platform;

#define SP_PLATFORM_STRUCT_SIZE TF_OFFSET_OF_END(SP_Platform, force_memory_growth)

typedef struct SP_PlatformFns {
  size_t struct_size;
  void *ext;
  void (*get_device_count)(const SP_Platform *platform, int *device_count, TF_Status *status);
  void (*create_device)(const SP_Platform *platform, SE_CreateDeviceParams *params, TF_Status *status);
  void (*destroy_device)(const SP_Platform *platform, SP_Device *device);
  void (*create_device_fns)(const SP_Platform *platform, SE_CreateDeviceFnsParams *params, TF_Status *status);
  void (*destroy_device_fns)(const SP_Platform *platform, SP_DeviceFns *device_fns);
  void (*create_stream_executor)(const SP_Platform *platform, SE_CreateStreamExecutorParams *params,
                                 TF_Status *status);
  void (*destroy_stream_executor)(const SP_Platform *platform, SP_StreamExecutor *stream_executor);
  void (*create_timer_fns)(const SP_Platform *platform, SP_TimerFns *timer, TF_Status *status);
  void (*destroy_timer_fns)(const SP_Platform *platform, SP_TimerFns *timer_fns);
} SP_PlatformFns;

#define SP_PLATFORM_FNS_STRUCT_SIZE TF_OFFSET_OF_END(SP_PlatformFns, destroy_timer_fns)

typedef struct SE_PlatformRegistrationParams {
  size_t struct_size;
  void *ext;
  int32_t major_version;  // of the host: SE_MAJOR, SE_MINOR, SE_PATCH
  int32_t minor_version;
  int32_t patch_version;
  SP_Platform *platform;                                       // for the plugin to fill
  SP_PlatformFns *platform_fns;                                // for the plugin to fill
  void (*destroy_platform)(SP_Platform *platform);             // for the plugin to set
  void (*destroy_platform_fns)(SP_PlatformFns *platform_fns);  // for the plugin to set
} SE_PlatformRegistrationParams;

#define SE_PLATFORM_REGISTRATION_PARAMS_STRUCT_SIZE \
  TF_OFFSET_OF_END(SE_PlatformRegistrationParams, destroy_platform_fns)

// The entry point of a plugin with devices: defined by the plugin, called once by the host, to fill
// `params`.
// Owner: what the plugin puts into `params` is destroyed through its destroy functions.
// Threads: the host calls it from one thread.
// Since: 2.15
TF_CAPI_PLUGIN_ENTRY void SE_InitPlugin(SE_PlatformRegistrationParams *params, TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif
