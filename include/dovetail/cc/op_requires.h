// OP_REQUIRES and its kin: report an error to the kernel's context and return.
#ifndef DOVETAIL_CC_OP_REQUIRES_H_
#define DOVETAIL_CC_OP_REQUIRES_H_

#include "dovetail/cc/status.h"

#define OP_REQUIRES(CTX, EXP, STATUS)                  \
  do {                                                 \
    if (!TF_PREDICT_TRUE(EXP)) {                       \
      (CTX)->CtxFailure(__FILE__, __LINE__, (STATUS)); \
      return;                                          \
    }                                                  \
  } while (0)

#define OP_REQUIRES_OK(CTX, ...)                                     \
  do {                                                               \
    ::tensorflow::Status _dvt_status(__VA_ARGS__);                   \
    if (!TF_PREDICT_TRUE(_dvt_status.ok())) {                        \
      (CTX)->CtxFailureWithWarning(__FILE__, __LINE__, _dvt_status); \
      return;                                                        \
    }                                                                \
  } while (0)

#define OP_REQUIRES_OK_OR_SET_PAYLOAD(CTX, PAYLOAD_KEY, PAYLOAD_VALUE, STATUS) OP_REQUIRES_OK(CTX, STATUS)

#define OP_REQUIRES_ASYNC(CTX, EXP, STATUS, CALLBACK)  \
  do {                                                 \
    if (!TF_PREDICT_TRUE(EXP)) {                       \
      (CTX)->CtxFailure(__FILE__, __LINE__, (STATUS)); \
      (CALLBACK)();                                    \
      return;                                          \
    }                                                  \
  } while (0)

#define OP_REQUIRES_OK_ASYNC(CTX, STATUS, CALLBACK)                  \
  do {                                                               \
    ::tensorflow::Status _dvt_status(STATUS);                        \
    if (!TF_PREDICT_TRUE(_dvt_status.ok())) {                        \
      (CTX)->CtxFailureWithWarning(__FILE__, __LINE__, _dvt_status); \
      (CALLBACK)();                                                  \
      return;                                                        \
    }                                                                \
  } while (0)

#define DVT_CC_REQUIRES_VALUE(var, lhs, ctx, rexpr) \
  auto var = (rexpr);                               \
  OP_REQUIRES_OK(ctx, var.status());                \
  lhs = std::move(var.value())
#define OP_REQUIRES_VALUE(lhs, ctx, rexpr) \
  DVT_CC_REQUIRES_VALUE(DVT_CC_JOIN(_dvt_value_or_, __COUNTER__), lhs, ctx, rexpr)

#endif  // DOVETAIL_CC_OP_REQUIRES_H_
