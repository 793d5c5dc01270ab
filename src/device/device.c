// The list of devices, which is the CPU, and finding one by a full or partial name.
#include "device/device.h"

#include "base/buf.h"

static const dvt_device cpu = {
    .type = {"CPU", 3},
    .name = {"/job:localhost/replica:0/task:0/device:CPU:0", 44},
    .ordinal = 0,
    .memory_bytes = 256 << 20,  // the figure stock reports for its CPU device
    .incarnation = 0x6a6f696e74ull,
};
static const dvt_device *const devices[] = {&cpu};

const dvt_device *dvt_device_cpu(void) { return &cpu; }
size_t dvt_device_count(void) { return DVT_COUNT_OF(devices); }
const dvt_device *dvt_device_at(size_t index) {
  return index < DVT_COUNT_OF(devices) ? devices[index] : NULL;
}

// What a specification asks for; a part that is not given matches anything.
typedef struct wanted {
  dvt_str job, type;
  int64_t replica, task, ordinal;  // -1: any
} wanted;

static bool parse_number(dvt_str text, int64_t *out) {
  if (text.len == 1 && text.data[0] == '*') return true;
  if (text.len == 0 || text.len > 9) return false;
  int64_t n = 0;
  for (size_t i = 0; i < text.len; i++) {
    if (text.data[i] < '0' || text.data[i] > '9') return false;
    n = n * 10 + (text.data[i] - '0');
  }
  *out = n;
  return true;
}

static bool same_letters(dvt_str a, dvt_str b) {
  if (a.len != b.len) return false;
  for (size_t i = 0; i < a.len; i++)
    if ((a.data[i] | 32) != (b.data[i] | 32)) return false;
  return true;
}

static bool parse_type(dvt_str type, wanted *out) {
  for (size_t i = 0; i < type.len; i++)
    if (!((type.data[i] | 32) >= 'a' && (type.data[i] | 32) <= 'z') && type.data[i] != '_' &&
        !(i > 0 && type.data[i] >= '0' && type.data[i] <= '9'))
      return type.len == 1 && type.data[i] == '*';
  out->type = type;
  return type.len > 0;
}

// "CPU:0", "CPU" or "*".
static bool parse_device(dvt_str text, wanted *out) {
  size_t colon = dvt_str_find(text, ':');
  if (colon < text.len && !parse_number(dvt_str_drop(text, colon + 1), &out->ordinal)) return false;
  return parse_type(dvt_str_make(text.data, colon), out);
}

// One part between slashes.
static bool parse_part(dvt_str part, wanted *out) {
  size_t colon = dvt_str_find(part, ':');
  dvt_str key = dvt_str_make(part.data, colon), value = dvt_str_drop(part, DVT_MIN(colon + 1, part.len));
  if (dvt_str_is(key, "job")) {
    out->job = value;
    return value.len > 0;
  }
  if (dvt_str_is(key, "replica")) return parse_number(value, &out->replica);
  if (dvt_str_is(key, "task")) return parse_number(value, &out->task);
  if (dvt_str_is(key, "device")) return parse_device(value, out);
  return parse_device(part, out);  // the old short form "/cpu:0"
}

static bool parse(dvt_str spec, wanted *out) {
  *out = (wanted){.replica = -1, .task = -1, .ordinal = -1};
  if (spec.len && spec.data[0] == '/') spec = dvt_str_drop(spec, 1);
  while (spec.len) {
    size_t len = dvt_str_find(spec, '/');
    if (!parse_part(dvt_str_make(spec.data, len), out)) return false;
    if (len + 1 == spec.len) return false;  // a slash at the end
    spec = dvt_str_drop(spec, DVT_MIN(len + 1, spec.len));
  }
  return true;
}

// Every device here is of job localhost, replica 0, task 0.
static bool fits(const dvt_device *device, const wanted *w) {
  return (w->job.len == 0 || dvt_str_is(w->job, "localhost")) && w->replica <= 0 && w->task <= 0 &&
         (w->type.len == 0 || same_letters(w->type, device->type)) &&
         (w->ordinal < 0 || w->ordinal == device->ordinal);
}

dvt_status dvt_device_find(dvt_str spec, const dvt_device **out_device) {
  wanted w;
  if (!parse(spec, &w))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Malformed device specification '" DVT_STR_FMT
                     "'; wanted is a form like /device:CPU:0 or /job:localhost/replica:0/task:0/device:CPU:0",
                     DVT_STR_ARG(spec));
  for (size_t i = 0; i < DVT_COUNT_OF(devices); i++)
    if (fits(devices[i], &w)) {
      *out_device = devices[i];
      return NULL;
    }
  dvt_buf names = {0};
  for (size_t i = 0; i < DVT_COUNT_OF(devices); i++)
    dvt_buf_printf(&names, "%s" DVT_STR_FMT, i ? ", " : "", DVT_STR_ARG(devices[i]->name));
  dvt_status status = dvt_error(TF_NOT_FOUND, "no device matches '" DVT_STR_FMT "'; there are: " DVT_STR_FMT,
                                DVT_STR_ARG(spec), DVT_STR_ARG(dvt_buf_str(&names)));
  dvt_buf_deinit(&names);
  return status;
}
