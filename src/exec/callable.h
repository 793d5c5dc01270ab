// dvt_callable: a function of the graph's library as kernels call it while they run
// (include/dovetail/function.h). Its body is a graph of its own with plans of its own, shared by all kernels
// that name the function with the same attrs, so that a recursive function needs no more than one. Calls by
// PartitionedCall are inlined instead.
#ifndef DVT_EXEC_CALLABLE_H_
#define DVT_EXEC_CALLABLE_H_

#include "dovetail/function.h"
#include "exec/plan.h"

struct dvt_callable {
  TF_Session *session;
  dvt_str func;       // serialised NameAttrList; in the session's arena
  dvt_instance body;  // made when first called
  bool has_body;
  _Atomic(dvt_plan *) plans[2];  // by dvt_callable_args
  dvt_callable *next;            // all of the session
};

// The session's callable for the NameAttrList `func`; whether the library has the function is looked at when
// it is first called. The caller holds the build lock.
dvt_status dvt_session_callable(TF_Session *session, dvt_str func, dvt_callable **out_callable) DVT_NODISCARD;
// Runs it as part of the step `caller`. Contract as dvt_callable_run's.
dvt_status dvt_callable_call(dvt_callable *callable, dvt_callable_args mode, dvt_step *caller,
                             TF_Tensor **args, int arg_count, TF_Tensor **results,
                             int result_count) DVT_NODISCARD;
void dvt_callables_cancel(TF_Session *session);
void dvt_callables_deinit(TF_Session *session);

#endif  // DVT_EXEC_CALLABLE_H_
