// The attr _output_shapes of a NodeDef: shapes that whoever wrote the graph knew, merged with what was
// inferred.
#include "graph/loader.h"
#include "tensor/tensor_proto.h"

static dvt_status claim_shape(TF_Operation *op, int32_t output, dvt_str proto) {
  enum { CAPACITY = DVT_MAX_RANK };
  TF_Graph *graph = op->graph;
  int64_t dims[CAPACITY];
  int rank;
  dvt_shape given = NULL;
  dvt_status status = dvt_shape_from_proto(proto, dims, CAPACITY, &rank);
  if (!status && rank > CAPACITY)
    status = dvt_error(TF_INVALID_ARGUMENT, "rank %d is above %d", rank, CAPACITY);
  if (!status && rank >= 0) status = dvt_shape_make(&graph->shapes, dims, rank, true, &given);
  if (status) {
    dvt_status error =
        dvt_error(TF_INVALID_ARGUMENT,
                  "Node '" DVT_STR_FMT "' has an invalid _output_shapes attribute (shape #%d error:'%s')",
                  DVT_STR_ARG(op->def.name), output, dvt_status_message(status));
    dvt_status_free(status);
    return error;
  }
  status = dvt_shape_merge(&graph->shapes, op->output_shapes[output], given, &op->output_shapes[output]);
  if (!status) return NULL;
  dvt_status error =
      dvt_error(TF_INVALID_ARGUMENT,
                "Node '" DVT_STR_FMT
                "' has an _output_shapes attribute inconsistent with the GraphDef for output #%d: %s",
                DVT_STR_ARG(op->def.name), output, dvt_status_message(status));
  dvt_status_free(status);
  return error;
}

dvt_status dvt_loader_claim_shapes(TF_Operation *op, dvt_str value) {
  dvt_attr_info info;
  dvt_attr_list list;
  dvt_str proto;
  DVT_RETURN_IF_ERROR(dvt_attr_inspect(value, &info));
  DVT_RETURN_IF_ERROR(dvt_attr_list_open(value, TF_ATTR_SHAPE, &list));
  if (info.list_size < op->def.output_count)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Node '" DVT_STR_FMT
                     "' has %d outputs but the _output_shapes attribute specifies shapes for %lld outputs",
                     DVT_STR_ARG(op->def.name), op->def.output_count, (long long)info.list_size);
  for (int32_t i = 0; i < op->def.output_count && dvt_attr_list_next(&list, NULL, &proto); i++)
    DVT_RETURN_IF_ERROR(claim_shape(op, i, proto));
  return NULL;
}
