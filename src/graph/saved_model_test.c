// SavedModels: tags, signatures, init ops, assets, text form, damage. Messages are spelled out field by field
// from the public meta_graph.proto.
#include "graph/saved_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/wire.h"

static void assert_ok(dvt_status status) {
  if (status) fail_msg("%s", dvt_status_message(status));
}

static void assert_fails(dvt_status status, TF_Code code, const char *part) {
  assert_non_null(status);
  if (dvt_status_code(status) != code || !strstr(dvt_status_message(status), part))
    fail_msg("got code %d: %s", dvt_status_code(status), dvt_status_message(status));
  dvt_status_free(status);
}

static void put(dvt_buf *out, uint32_t number, const char *text) {
  dvt_wire_put_bytes(out, number, dvt_str_from(text));
}

// A map entry `key` -> TensorInfo of dtype and a shape of the given dims.
static void put_tensor(dvt_buf *out, uint32_t number, const char *key, const char *tensor, int dtype,
                       int64_t dim) {
  size_t entry = dvt_wire_begin(out, number);
  put(out, 1, key);
  size_t info = dvt_wire_begin(out, 2);
  put(out, 1, tensor);
  dvt_wire_put_varint(out, 2, (uint64_t)dtype);
  size_t shape = dvt_wire_begin(out, 3);
  size_t d = dvt_wire_begin(out, 2);
  dvt_wire_put_varint(out, 1, (uint64_t)dim);
  dvt_wire_end(out, d);
  dvt_wire_end(out, shape);
  dvt_wire_end(out, info);
  dvt_wire_end(out, entry);
}

static void put_tags(dvt_buf *out, const char *a, const char *b) {
  size_t info = dvt_wire_begin(out, 1);
  put(out, 4, a);
  if (b) put(out, 4, b);
  put(out, 5, "2.21.0");
  dvt_wire_end(out, info);
}

// A MetaGraphDef with one node, a saver, a signature with two inputs, an init op and an asset.
static void put_full(dvt_buf *out) {
  size_t meta = dvt_wire_begin(out, 2);
  put_tags(out, "serve", NULL);
  size_t graph = dvt_wire_begin(out, 2), node = dvt_wire_begin(out, 1);
  put(out, 1, "x");
  put(out, 2, "Placeholder");
  dvt_wire_end(out, node);
  dvt_wire_end(out, graph);
  size_t saver = dvt_wire_begin(out, 3);
  put(out, 1, "saver_filename:0");
  put(out, 3, "restore_all");
  dvt_wire_end(out, saver);
  size_t entry = dvt_wire_begin(out, 5);
  put(out, 1, "serving_default");
  size_t signature = dvt_wire_begin(out, 2);
  put_tensor(out, 1, "z", "z_in:0", TF_FLOAT, -1);
  put_tensor(out, 1, "a", "a_in:0", TF_STRING, 4);
  put_tensor(out, 2, "y", "call:1", TF_INT64, 2);
  put(out, 3, "tensorflow/serving/predict");
  dvt_wire_end(out, signature);
  dvt_wire_end(out, entry);
  entry = dvt_wire_begin(out, 5);
  put(out, 1, "__saved_model_init_op");
  signature = dvt_wire_begin(out, 2);
  put_tensor(out, 2, "__saved_model_init_op", "init/NoOp", 0, 0);
  dvt_wire_end(out, signature);
  dvt_wire_end(out, entry);
  size_t asset = dvt_wire_begin(out, 6), info = dvt_wire_begin(out, 1);
  put(out, 1, "asset_path:0");
  dvt_wire_end(out, info);
  put(out, 2, "vocab.txt");
  dvt_wire_end(out, asset);
  dvt_wire_end(out, meta);
}

static void test_parts(void **state) {
  (void)state;
  static const char *const serve[] = {"serve"};
  dvt_buf bytes = {0};
  put_full(&bytes);
  dvt_saved_model *model = NULL;
  assert_ok(dvt_saved_model_parse("dir", dvt_buf_str(&bytes), serve, 1, &model));
  assert_int_equal(model->signature_count, 1);
  const dvt_signature *s = &model->signatures[0];
  assert_true(dvt_str_is(s->key, "serving_default") && dvt_str_is(s->method, "tensorflow/serving/predict"));
  assert_int_equal(s->input_count, 2);
  assert_true(dvt_str_is(s->inputs[0].name, "a") && dvt_str_is(s->inputs[1].name, "z"));
  assert_true(s->inputs[0].dtype == TF_STRING && s->inputs[0].rank == 1 && s->inputs[0].dims[0] == 4);
  assert_true(dvt_str_is(s->inputs[1].tensor_name, "z_in:0") && s->inputs[1].dims[0] == -1);
  assert_true(s->output_count == 1 && dvt_str_is(s->outputs[0].tensor_name, "call:1"));
  assert_true(dvt_str_is(model->restore_op, "restore_all"));
  assert_true(dvt_str_is(model->restore_filename_tensor, "saver_filename:0"));
  assert_true(dvt_str_is(model->init_op, "init/NoOp"));
  assert_true(model->asset_count == 1 && dvt_str_is(model->assets[0].file, "vocab.txt"));
  assert_true(model->tag_count == 1 && dvt_str_is(model->writer_version, "2.21.0"));
  assert_true(model->graph_def.len > 0);
  dvt_saved_model_close(model);
  dvt_buf_deinit(&bytes);
}

static void test_tags(void **state) {
  (void)state;
  static const char *const serve[] = {"serve"}, *const both[] = {"gpu", "serve"}, *const train[] = {"train"};
  dvt_buf bytes = {0};
  dvt_saved_model *model = NULL;
  assert_fails(dvt_saved_model_parse("dir", DVT_STR(""), serve, 1, &model), TF_NOT_FOUND, "holds no graph");
  size_t meta = dvt_wire_begin(&bytes, 2);
  put_tags(&bytes, "serve", NULL);
  dvt_wire_end(&bytes, meta);
  assert_ok(dvt_saved_model_parse("dir", dvt_buf_str(&bytes), NULL, 0, &model));
  assert_true(model->tag_count == 1 && dvt_str_is(model->tags[0], "serve"));
  dvt_saved_model_close(model);
  meta = dvt_wire_begin(&bytes, 2);
  put_tags(&bytes, "serve", "gpu");
  dvt_wire_end(&bytes, meta);
  assert_ok(dvt_saved_model_parse("dir", dvt_buf_str(&bytes), both, 2, &model));  // any order, all of them
  assert_int_equal(model->tag_count, 2);
  dvt_saved_model_close(model);
  assert_ok(dvt_saved_model_parse("dir", dvt_buf_str(&bytes), serve, 1, &model));
  assert_int_equal(model->tag_count, 1);
  dvt_saved_model_close(model);
  assert_fails(dvt_saved_model_parse("dir", dvt_buf_str(&bytes), train, 1, &model), TF_NOT_FOUND,
               "tag sets {serve}, {serve, gpu}");
  assert_fails(dvt_saved_model_parse("dir", dvt_buf_str(&bytes), NULL, 0, &model), TF_INVALID_ARGUMENT,
               "choose one");
  dvt_buf_deinit(&bytes);
}

// The collections that models of TensorFlow 1 use for the init op and the assets.
static void test_legacy_collections(void **state) {
  (void)state;
  dvt_buf bytes = {0};
  size_t meta = dvt_wire_begin(&bytes, 2);
  size_t entry = dvt_wire_begin(&bytes, 4);
  put(&bytes, 1, "legacy_init_op");
  size_t collection = dvt_wire_begin(&bytes, 2), list = dvt_wire_begin(&bytes, 1);
  put(&bytes, 1, "group_deps");
  dvt_wire_end(&bytes, list);
  dvt_wire_end(&bytes, collection);
  dvt_wire_end(&bytes, entry);
  entry = dvt_wire_begin(&bytes, 4);
  put(&bytes, 1, "saved_model_assets");
  collection = dvt_wire_begin(&bytes, 2);
  list = dvt_wire_begin(&bytes, 5);
  size_t any = dvt_wire_begin(&bytes, 1);
  put(&bytes, 1, "type.googleapis.com/tensorflow.AssetFileDef");
  size_t asset = dvt_wire_begin(&bytes, 2), info = dvt_wire_begin(&bytes, 1);
  put(&bytes, 1, "file:0");
  dvt_wire_end(&bytes, info);
  put(&bytes, 2, "words.txt");
  dvt_wire_end(&bytes, asset);
  dvt_wire_end(&bytes, any);
  dvt_wire_end(&bytes, list);
  dvt_wire_end(&bytes, collection);
  dvt_wire_end(&bytes, entry);
  dvt_wire_end(&bytes, meta);
  dvt_saved_model *model = NULL;
  assert_ok(dvt_saved_model_parse("dir", dvt_buf_str(&bytes), NULL, 0, &model));
  assert_true(dvt_str_is(model->init_op, "group_deps"));
  assert_true(model->asset_count == 1 && dvt_str_is(model->assets[0].tensor_name, "file:0"));
  assert_true(dvt_str_is(model->assets[0].file, "words.txt"));
  dvt_saved_model_close(model);
  dvt_buf_deinit(&bytes);
}

static void test_damage(void **state) {
  (void)state;
  static const char *const serve[] = {"serve"};
  dvt_buf bytes = {0};
  put_full(&bytes);
  for (size_t cut = 1; cut < bytes.len; ++cut) {
    dvt_saved_model *model = NULL;
    dvt_status status = dvt_saved_model_parse("dir", dvt_str_make(bytes.data, cut), serve, 1, &model);
    assert_non_null(status);
    dvt_status_free(status);
  }
  for (size_t i = 0; i < bytes.len; ++i)
    for (int value = 0; value < 256; value += 5) {
      char kept = bytes.data[i];
      bytes.data[i] = (char)value;
      dvt_saved_model *model = NULL;
      dvt_status_free(dvt_saved_model_parse("dir", dvt_buf_str(&bytes), serve, 1, &model));
      dvt_saved_model_close(model);
      bytes.data[i] = kept;
    }
  dvt_buf_deinit(&bytes);
}

static void write_file(const char *folder, const char *name, const char *text) {
  char path[300];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  assert_ok(dvt_file_write(path, dvt_str_from(text)));
}

static void test_files(void **state) {
  (void)state;
  char folder[] = "/tmp/dvt_saved_model_XXXXXX", path[300], command[100];
  assert_non_null(mkdtemp(folder));
  dvt_saved_model *model = NULL;
  assert_fails(dvt_saved_model_open(folder, NULL, 0, &model), TF_NOT_FOUND, "Could not find SavedModel");
  snprintf(path, sizeof path, "%s/absent", folder);
  assert_fails(dvt_saved_model_open(path, NULL, 0, &model), TF_NOT_FOUND, "does not exist");
  write_file(folder, "saved_model.cpb", "x");
  assert_fails(dvt_saved_model_open(folder, NULL, 0, &model), TF_UNIMPLEMENTED, "chunks");
  write_file(folder, "saved_model.pbtxt",
             "saved_model_schema_version: 1\n"
             "meta_graphs {\n"
             "  meta_info_def { tags: \"serve\" }\n"
             "  graph_def { node { name: \"x\" op: \"Placeholder\" } }\n"
             "  signature_def { key: \"f\" value {\n"
             "    inputs { key: \"x\" value { name: \"x:0\" dtype: DT_FLOAT tensor_shape { dim { size: 3 } } "
             "} } } }\n"
             "}\n");
  assert_ok(dvt_saved_model_open(folder, NULL, 0, &model));
  assert_int_equal(model->signature_count, 1);
  assert_true(model->signatures[0].inputs[0].dtype == TF_FLOAT &&
              model->signatures[0].inputs[0].dims[0] == 3);
  dvt_saved_model_close(model);
  snprintf(path, sizeof path, "%s/saved_model.pbtxt", folder);
  assert_fails(dvt_saved_model_open(path, NULL, 0, &model), TF_INVALID_ARGUMENT, "is a file");
  write_file(folder, "saved_model.pbtxt", "meta_graphs { no_such_field: 1 }");
  dvt_status status = dvt_saved_model_open(folder, NULL, 0, &model);
  assert_non_null(strstr(dvt_status_message(status), "no_such_field"));
  dvt_status_free(status);
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

// NAME.meta: the MetaGraphDef by itself, the variables in the checkpoint NAME.
static void test_meta_graph_files(void **state) {
  (void)state;
  char folder[] = "/tmp/dvt_meta_graph_XXXXXX", path[300], checkpoint[300], command[100];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/model.ckpt-7.meta", folder);
  snprintf(checkpoint, sizeof checkpoint, "%s/model.ckpt-7", folder);
  dvt_saved_model *model = NULL;
  assert_fails(dvt_meta_graph_open(path, &model), TF_NOT_FOUND, "model.ckpt-7.meta");
  dvt_buf bytes = {0};
  put_full(&bytes);
  dvt_field meta;
  assert_true(dvt_wire_find(dvt_buf_str(&bytes), 2, DVT_WIRE_BYTES, &meta));
  assert_ok(dvt_file_write(path, meta.bytes));
  assert_ok(dvt_meta_graph_open(path, &model));
  assert_string_equal(model->checkpoint, checkpoint);
  assert_true(dvt_str_is(model->restore_op, "restore_all") && model->graph_def.len > 0);
  assert_true(dvt_str_is(model->writer_version, "2.21.0"));
  dvt_saved_model_close(model);
  for (size_t cut = 0; cut < meta.bytes.len; ++cut) {
    assert_ok(dvt_file_write(path, dvt_str_make(meta.bytes.data, cut)));
    model = NULL;
    dvt_status_free(dvt_meta_graph_open(path, &model));
    dvt_saved_model_close(model);
  }
  assert_ok(dvt_file_write(path, DVT_STR("no message at all")));
  assert_fails(dvt_meta_graph_open(path, &model), TF_INVALID_ARGUMENT, "is no meta graph");
  dvt_buf_deinit(&bytes);
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

static void test_paths_of_meta_graphs(void **state) {
  (void)state;
  assert_true(dvt_is_meta_graph_path("a.meta") && dvt_is_meta_graph_path("b/model.ckpt-7.meta"));
  assert_false(dvt_is_meta_graph_path(".meta") || dvt_is_meta_graph_path("meta") ||
               dvt_is_meta_graph_path("a.meta.pb") || dvt_is_meta_graph_path(""));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parts),
      cmocka_unit_test(test_tags),
      cmocka_unit_test(test_legacy_collections),
      cmocka_unit_test(test_damage),
      cmocka_unit_test(test_files),
      cmocka_unit_test(test_meta_graph_files),
      cmocka_unit_test(test_paths_of_meta_graphs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
