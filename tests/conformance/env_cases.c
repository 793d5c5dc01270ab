// env.h: files, directories, threads, libraries: rules 203 to 208.
#include <unistd.h>

#include "conformance.h"
#include "tensorflow/c/env.h"

static char scratch[400];

static const char *at(const char *name) { return text("%s/%s", scratch, name); }

static void start(void) {
  const char *folder = getenv("CONFORMANCE_SCRATCH");
  snprintf(scratch, sizeof scratch, "%s", folder ? folder : ".");
}

static void see_children(const char *label, const char *folder) {
  TF_StringStream *stream = TF_GetChildren(folder, st);
  see(text("%s stream", label), "%s", stream ? "stream" : "NULL");
  see_status(text("%s status", label), NULL);
  const char *next = "";
  int count = 0;
  while (stream && TF_StringStreamNext(stream, &next) && count < 10)
    count++, see(text("%s child %s", label, next), "seen");
  if (stream) see(text("%s end", label), "%s", next ? "text" : "NULL");
  TF_StringStreamDone(stream);
}

static void write_file(const char *label, const char *path, const char *content) {
  TF_WritableFileHandle *file = NULL;
  TF_NewWritableFile(path, &file, st);
  see_status(text("%s new", label), NULL);
  if (!file) return;
  TF_AppendWritableFile(file, content, strlen(content), st);
  see_status(text("%s append", label), NULL);
  TF_AppendWritableFile(file, "", 0, st);
  see_status(text("%s append nothing", label), NULL);
  TF_FlushWritableFile(file, st);
  see_status(text("%s flush", label), NULL);
  TF_SyncWritableFile(file, st);
  see_status(text("%s sync", label), NULL);
  TF_CloseWritableFile(file, st);
  see_status(text("%s close", label), NULL);
}

static void see_stat(const char *label, const char *path) {
  TF_FileStatistics stats = {.length = -77, .mtime_nsec = -77};
  TF_FileStat(path, &stats, st);
  bool fine = TF_GetCode(st) == TF_OK;
  see_status(text("%s stat", label), fine ? "" : path);
  see(text("%s stats", label), "length %lld time %d directory %d",
      stats.is_directory && fine ? -1 : (long long)stats.length, stats.mtime_nsec > 1000000000000000000LL,
      stats.is_directory);
}

void case_env_files(void) {
  start();
  TF_CreateDir(at("d"), st);
  see_status("rule-203 create", NULL);
  TF_CreateDir(at("d"), st);
  see_status("rule-203 create again", NULL);
  TF_CreateDir(at("no/d"), st);
  see_status("rule-203 create without parent", NULL);
  TF_CreateDir("", st);
  see_status("rule-203 create empty name", NULL);
  write_file("file", at("d/file"), "hello");
  write_file("file without folder", at("no/file"), "hello");
  write_file("folder as file", at("d"), "hello");
  see_stat("rule-203 file", at("d/file"));
  see_stat("rule-203 folder", at("d"));
  see_stat("rule-203 missing", at("missing"));
  see_stat("rule-203 through a file", at("d/file/x"));
  see_children("rule-205 folder", at("d"));
  see_children("rule-205 missing", at("missing"));
  see_children("rule-205 file", at("d/file"));
  TF_DeleteDir(at("d"), st);
  see_status("rule-203 delete full folder", NULL);
  TF_DeleteDir(at("missing"), st);
  see_status("rule-203 delete missing folder", NULL);
  TF_DeleteDir(at("d/file"), st);
  see_status("rule-203 delete file as folder", NULL);
  TF_DeleteFile(at("d"), st);
  see_status("rule-203 delete folder as file", NULL);
  TF_DeleteFile(at("missing"), st);
  see_status("rule-203 delete missing file", "missing");
  write_file("file emptied", at("d/file"), "x");
  see_stat("rule-203 file emptied", at("d/file"));
  TF_DeleteFile(at("d/file"), st);
  see_status("rule-203 delete file", NULL);
  TF_DeleteDir(at("d"), st);
  see_status("rule-203 delete folder", NULL);

  int64_t files = -77, folders = -77;
  TF_DeleteRecursively(at("missing"), &files, &folders, st);
  see_status("rule-204 missing", NULL);
  see("rule-204 missing counts", "%lld %lld", (long long)files, (long long)folders);
  TF_CreateDir(at("e"), st);
  TF_CreateDir(at("e/f"), st);
  write_file("deep", at("e/f/file"), "x");
  TF_SetStatus(st, TF_OK, "");
  TF_DeleteRecursively(at("e"), &files, &folders, st);
  see_status("rule-204 tree", NULL);
  see("rule-204 tree counts", "%lld %lld", (long long)files, (long long)folders);
  see_stat("rule-204 tree gone", at("e"));
  write_file("lonely", at("lonely"), "x");
  TF_DeleteRecursively(at("lonely"), &files, &folders, st);
  see_status("rule-204 file", NULL);
  see("rule-204 file counts", "%lld %lld", (long long)files, (long long)folders);
}

static void work(void *argument) { *(int *)argument = 42; }

void case_env_system(void) {
  start();
  static const char *const extensions[] = {"", "txt", ".tmp"};
  for (int i = 0; i < COUNT(extensions); i++) {
    char *name = TF_GetTempFileName(extensions[i]);
    const char *dot = name ? strrchr(name, '.') : NULL;
    see(text("rule-206 extension '%s'", extensions[i]), "ends in '%s', dots %s", dot ? dot : "",
        dot && dot > name && dot[-1] == '.' ? "two" : "one");
    free(name);
  }
  TF_ThreadOptions options = {77, 77, 77};
  TF_DefaultThreadOptions(&options);
  see("rule-207 options", "%zu %zu %d", options.stack_size, options.guard_size, options.numa_node);
  int done = 0;
  TF_Thread *thread = TF_StartThread(&options, "name", work, &done);
  TF_JoinThread(thread);
  see("rule-207 thread", "%d", done);
  void *library = TF_LoadSharedLibrary("/nowhere/no.so", st);
  see("rule-208 missing", "%s", library ? "handle" : "NULL");
  see_status("rule-208 missing status", "/nowhere/no.so");
  library = TF_LoadSharedLibrary("libm.so.6", st);
  see("rule-208 library", "%s", library ? "handle" : "NULL");
  see_status("rule-208 library status", NULL);
  void *symbol = TF_GetSymbolFromLibrary(library, "cos", st);
  see("rule-208 symbol", "%s", symbol ? "address" : "NULL");
  see_status("rule-208 symbol status", NULL);
  symbol = TF_GetSymbolFromLibrary(library, "no_such_symbol", st);
  see("rule-208 missing symbol", "%s", symbol ? "address" : "NULL");
  see_status("rule-208 missing symbol status", "no_such_symbol");
  ISOLATED("rule-208 NULL handle") {
    TF_GetSymbolFromLibrary(NULL, "cos", st);
    see_status("rule-208 NULL handle", NULL);
  }
  see("clocks", "%d %d %d", TF_NowNanos() > 1000000000000000000ull,
      TF_NowMicros() / 1000000 - TF_NowSeconds() < 2, TF_NowSeconds() > 1700000000ull);
  TF_StringStream *folders = TF_GetLocalTempDirectories();
  const char *first = NULL;
  see("temp directories", "%s",
      folders && TF_StringStreamNext(folders, &first) && first[0] == '/' ? "some" : "none");
  TF_StringStreamDone(folders);
}

// ---- other small things of c_api.h and c_api_experimental.h ----

static void see_api_def(const char *label, TF_ApiDefMap *map, const char *op) {
  TF_Buffer *b = TF_ApiDefMapGet(map, op, strlen(op), st);
  see_status(text("%s %s status", label, op), NULL);
  see_buffer(text("%s %s", label, op), "ApiDef", b);
}

void case_api_defs(void) {
  static const char op_list[] =
      "\x0a\x2a\x0a\x05MyOp1\x12\x06\x0a\x01x\x18\x01\x1a\x06\x0a\x01y\x18\x01\x22\x09\x0a\x01"
      "a\x12\x04type\x2a\x06short.";
  TF_Buffer *list = TF_NewBufferFromString(op_list, sizeof op_list - 1);
  TF_ApiDefMap *map = TF_NewApiDefMap(list, st);
  see_status("new", NULL);
  if (map) {
    see_api_def("plain", map, "MyOp1");
    see_api_def("plain", map, "Nope");
    static const char *const puts[] = {
        "op: < graph_op_name: \"MyOp1\" summary: \"New summary.\" >",
        "op { graph_op_name: \"MyOp1\" description: \"Long.\" in_arg { name: \"x\" rename_to: \"xx\" } }",
        "op { graph_op_name: \"MyOp1\" endpoint { name: \"my_op\" } visibility: HIDDEN }",
        "op { graph_op_name: \"MyOp1\" in_arg { name: \"nope\" } }",
        "op { graph_op_name: \"Other\" summary: \"x\" }",
        "nonsense",
        ""};
    for (int i = 0; i < COUNT(puts); i++) {
      TF_ApiDefMapPut(map, puts[i], strlen(puts[i]), st);
      see_status(text("put %d", i), NULL);
      see_api_def(text("after put %d", i), map, "MyOp1");
    }
    TF_DeleteApiDefMap(map);
  }
  TF_DeleteBuffer(list);
  list = TF_NewBufferFromString("\xff\xff", 2);
  map = TF_NewApiDefMap(list, st);
  see_status("garbage", NULL);
  see("garbage", "%s", map ? "map" : "NULL");
  TF_DeleteBuffer(list);
}

void case_process(void) {
  see("version", "%s", TF_Version());
  TF_MakeInternalErrorStatus(st, "oops");
  see_status("internal error", "oops");
  see("lazy compilation", "%d", TF_SetXlaEnableLazyCompilation(1));
  see("lazy compilation again", "%d", TF_SetXlaEnableLazyCompilation(0));
  see("global jit", "%d", TF_SetTfXlaCpuGlobalJit(1));
  see("global jit again", "%d", TF_SetTfXlaCpuGlobalJit(0));
  see("auto jit", "%d", TF_GetXlaAutoJitEnabled());
  TF_SetXlaAutoJitMode("1");
  see("auto jit 1", "%d", TF_GetXlaAutoJitEnabled());
  TF_SetXlaAutoJitMode("-1");
  TF_SetXlaMinClusterSize(7);
  see("folding disabled", "%d", TF_GetXlaConstantFoldingDisabled());
  TF_SetXlaConstantFoldingDisabled(1);
  see("folding disabled 1", "%d", TF_GetXlaConstantFoldingDisabled());
  TF_Buffer *b = TF_CreateRunOptions(1);
  see_buffer("run options, trace", "TensorShapeProto", b);
  see_buffer("run options", "TensorShapeProto", TF_CreateRunOptions(0));
  ISOLATED("shape lists") {
    TF_ShapeAndTypeList *list = TF_NewShapeAndTypeList(3);
    see("shape list", "%d items, first rank %d type %d", list->num_items, list->items[0].num_dims,
        (int)list->items[0].dtype);
    TF_ShapeAndTypeListSetShape(list, 0, (int64_t[]){1, -1}, 2);
    TF_ShapeAndTypeListSetUnknownShape(list, 1);
    TF_ShapeAndTypeListSetDtype(list, 2, TF_INT32);
    see("shape list set", "%d %lld, %d, type %d", list->items[0].num_dims, (long long)list->items[0].dims[1],
        list->items[1].num_dims, (int)list->items[2].dtype);
    TF_DeleteShapeAndTypeList(list);
  }
  ISOLATED("servers") {
    TF_Server *server = TF_NewServer("\xff", 1, st);
    see("server from garbage", "%s", server ? "server" : "NULL");
    see_status("server from garbage status", NULL);
  }
}
