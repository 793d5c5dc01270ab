// Reading, checking, merging and writing the versions of a GraphDef.
#include "graph/versions.h"

enum { VERSION_PRODUCER = 1, VERSION_MIN_CONSUMER = 2, VERSION_BAD_CONSUMERS = 3 };

static dvt_status add_bad(dvt_versions *v, dvt_arena *arena, int32_t version) {
  // Doubles at powers of two.
  if ((v->bad_consumer_count & (v->bad_consumer_count - 1)) == 0) {
    size_t room = v->bad_consumer_count ? (size_t)v->bad_consumer_count * 2 : 1;
    int32_t *grown = dvt_arena_alloc(arena, room * sizeof *grown);
    if (!grown) return dvt_error_out_of_memory(room * sizeof *grown);
    if (v->bad_consumer_count) memcpy(grown, v->bad_consumers, (size_t)v->bad_consumer_count * sizeof *grown);
    v->bad_consumers = grown;
  }
  v->bad_consumers[v->bad_consumer_count++] = version;
  return NULL;
}

dvt_status dvt_versions_parse(dvt_str proto, dvt_arena *arena, dvt_versions *out) {
  dvt_wire wire = dvt_wire_open(proto);
  dvt_field field;
  bool bad = false;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number == VERSION_PRODUCER && field.type == DVT_WIRE_VARINT)
      out->producer = (int32_t)field.value;
    if (field.number == VERSION_MIN_CONSUMER && field.type == DVT_WIRE_VARINT)
      out->min_consumer = (int32_t)field.value;
    if (field.number != VERSION_BAD_CONSUMERS) continue;
    dvt_wire_packed packed = {0};
    uint64_t bits;
    while (dvt_wire_packed_next(&packed, &field, DVT_WIRE_VARINT, &bits, &bad))
      DVT_RETURN_IF_ERROR(add_bad(out, arena, (int32_t)bits));
  }
  if (!wire.bad && !bad) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT, "Invalid GraphDef: its versions are malformed");
}

dvt_status dvt_versions_check(const dvt_versions *v) {
  if (v->min_consumer > DVT_GRAPH_DEF_VERSION)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "GraphDef min consumer version %d above current version %d. The GraphDef needs a newer "
                     "library than this one",
                     v->min_consumer, DVT_GRAPH_DEF_VERSION);
  if (v->producer < 0)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "GraphDef producer version %d below min producer 0. Please regenerate your graph",
                     v->producer);
  for (int32_t i = 0; i < v->bad_consumer_count; i++)
    if (v->bad_consumers[i] == DVT_GRAPH_DEF_VERSION)
      return dvt_error(TF_INVALID_ARGUMENT,
                       "GraphDef disallows consumer version %d: its producer marks this version as one that "
                       "reads it wrongly",
                       DVT_GRAPH_DEF_VERSION);
  return NULL;
}

dvt_versions dvt_graph_versions(const TF_Graph *graph) {
  return (dvt_versions){graph->producer_version, graph->min_consumer_version, graph->bad_consumers,
                        graph->bad_consumer_count};
}

void dvt_graph_set_versions(TF_Graph *graph, const dvt_versions *v) {
  graph->producer_version = v->producer;
  graph->min_consumer_version = v->min_consumer;
  graph->bad_consumers = v->bad_consumers;
  graph->bad_consumer_count = v->bad_consumer_count;
}

static bool is_listed(const int32_t *versions, int32_t count, int32_t version) {
  for (int32_t i = 0; i < count; i++)
    if (versions[i] == version) return true;
  return false;
}

static void sort(int32_t *versions, int32_t count) {
  for (int32_t i = 1; i < count; i++)
    for (int32_t k = i; k > 0 && versions[k - 1] > versions[k]; k--) {
      int32_t lesser = versions[k];
      versions[k] = versions[k - 1];
      versions[k - 1] = lesser;
    }
}

enum { MAX_BAD_CONSUMERS = 1024 };  // a handful exist; more is an attack on the quadratic merge

dvt_status dvt_graph_merge_versions(TF_Graph *graph, const dvt_versions *other) {
  if (other->bad_consumer_count > MAX_BAD_CONSUMERS - graph->bad_consumer_count)
    return dvt_error(TF_INVALID_ARGUMENT, "GraphDef lists %d bad consumer versions; at most %d are accepted",
                     other->bad_consumer_count, MAX_BAD_CONSUMERS);
  if (other->bad_consumer_count) {
    size_t room = (size_t)graph->bad_consumer_count + (size_t)other->bad_consumer_count;
    int32_t *all = dvt_arena_alloc(&graph->arena, room * sizeof *all), count = graph->bad_consumer_count;
    if (!all) return dvt_error_out_of_memory(room * sizeof *all);
    if (count) memcpy(all, graph->bad_consumers, (size_t)count * sizeof *all);
    for (int32_t i = 0; i < other->bad_consumer_count; i++)
      if (!is_listed(all, count, other->bad_consumers[i])) all[count++] = other->bad_consumers[i];
    sort(all, count);
    graph->bad_consumers = all;
    graph->bad_consumer_count = count;
  }
  graph->producer_version = DVT_MIN(graph->producer_version, other->producer);
  graph->min_consumer_version = DVT_MAX(graph->min_consumer_version, other->min_consumer);
  return NULL;
}

void dvt_graph_note_functions(TF_Graph *graph) {
  enum { FUNCTIONS_SINCE = 12 };
  graph->min_consumer_version = DVT_MAX(graph->min_consumer_version, FUNCTIONS_SINCE);
}

void dvt_graph_versions_to_proto(const TF_Graph *graph, dvt_buf *out) {
  if (graph->producer_version)
    dvt_wire_put_varint(out, VERSION_PRODUCER, (uint64_t)(int64_t)graph->producer_version);
  if (graph->min_consumer_version)
    dvt_wire_put_varint(out, VERSION_MIN_CONSUMER, (uint64_t)(int64_t)graph->min_consumer_version);
  if (graph->bad_consumer_count == 0) return;
  size_t begin = dvt_wire_begin(out, VERSION_BAD_CONSUMERS);
  for (int32_t i = 0; i < graph->bad_consumer_count; i++)
    dvt_wire_put_raw_varint(out, (uint64_t)(int64_t)graph->bad_consumers[i]);
  dvt_wire_end(out, begin);
}
