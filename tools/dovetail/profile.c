// The table of --profile, and the file of --trace.
#include "profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
  const char *op, *plugin;
  int64_t nodes, ns, total_ns;  // without and with the functions it calls
} row;

static int slowest_first(const void *a, const void *b) {
  int64_t x = ((const row *)a)->ns, y = ((const row *)b)->ns;
  return x < y ? 1 : x > y ? -1 : strcmp(((const row *)a)->op, ((const row *)b)->op);
}

// One row for each op and plugin; their text belongs to `times`.
static row *add_up(const dvt_op_time *times, int count, int *out_rows) {
  row *rows = calloc((size_t)count + 1, sizeof *rows);
  int used = 0;
  for (int i = 0; rows && i < count; ++i) {
    int at = 0;
    while (at < used &&
           (strcmp(rows[at].op, times[i].op) != 0 || strcmp(rows[at].plugin, times[i].plugin) != 0))
      ++at;
    if (at == used) rows[used++] = (row){times[i].op, times[i].plugin, 0, 0, 0};
    rows[at].nodes += times[i].count;
    rows[at].ns += times[i].own_ns;
    rows[at].total_ns += times[i].total_ns;
  }
  if (rows) qsort(rows, (size_t)used, sizeof *rows, slowest_first);
  *out_rows = used;
  return rows;
}

void profile_print(dvt_model *model) {
  dvt_op_time *times;
  int count = dvt_model_profile(model, &times), used;
  row *rows = add_up(times, count, &used);
  int64_t total = 0;
  for (int i = 0; rows && i < used; ++i) total += rows[i].ns;
  if (count == 0)
    puts("\n  no node ran: the outputs are constants, which were computed when the graph was planned");
  if (count)
    printf("\n  %-28s %-16s %8s %10s %6s %14s\n", "op", "plugin", "nodes", "ms", "%", "with calls ms");
  for (int i = 0; rows && i < used; ++i) {
    printf("  %-28s %-16s %8" PRId64 " %10.3f %6.1f", rows[i].op,
           rows[i].plugin[0] ? rows[i].plugin : "(runtime)", rows[i].nodes, (double)rows[i].ns * 1e-6,
           total ? 100.0 * (double)rows[i].ns / (double)total : 0.0);
    if (rows[i].total_ns > rows[i].ns) printf(" %14.3f", (double)rows[i].total_ns * 1e-6);
    putchar('\n');
  }
  if (count) printf("  %-28s %-16s %8d %10.3f %6.1f\n", "all", "", count, (double)total * 1e-6, 100.0);
  free(rows);
  dvt_op_times_free(times);
}

void profile_json(json *j, dvt_model *model) {
  dvt_op_time *times;
  int count = dvt_model_profile(model, &times), used;
  row *rows = add_up(times, count, &used);
  json_open(j, "profile", '[');
  for (int i = 0; rows && i < used; ++i) {
    json_open(j, NULL, '{');
    json_string(j, "op", rows[i].op);
    json_string(j, "plugin", rows[i].plugin);
    json_int(j, "nodes", rows[i].nodes);
    json_number(j, "ms", (double)rows[i].ns * 1e-6);
    json_number(j, "with_calls_ms", (double)rows[i].total_ns * 1e-6);
    json_close(j, '}');
  }
  json_close(j, ']');
  free(rows);
  dvt_op_times_free(times);
}

bool profile_write_trace(dvt_model *model, const char *path, TF_Status *status) {
  TF_Buffer *text = TF_NewBuffer();
  dvt_model_trace(model, text, status);
  if (TF_GetCode(status) == TF_OK) {
    FILE *file = fopen(path, "wb");
    bool fine = file && fwrite(text->data, 1, text->length, file) == text->length;
    if (file) fine &= fclose(file) == 0;
    if (!fine) cli_fail(status, TF_UNAVAILABLE, "the trace %s cannot be written: %s", path, strerror(errno));
  }
  TF_DeleteBuffer(text);
  return TF_GetCode(status) == TF_OK;
}
