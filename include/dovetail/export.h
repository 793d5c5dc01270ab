// DVT_EXPORT marks the functions of Dovetail's own C API.
#ifndef DOVETAIL_EXPORT_H_
#define DOVETAIL_EXPORT_H_

#define DVT_EXPORT __attribute__((visibility("default")))

#endif  // DOVETAIL_EXPORT_H_
