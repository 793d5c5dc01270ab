// Status, payloads, errno values, buffers: rules 1 to 14.
#include "conformance.h"

static int visits;

static void visit(const char *key, const char *value, void *capture) {
  visits++;
  see(text("rule-007 payload %s", key), "%s, capture %s", value,
      capture == &visits ? "unchanged" : "changed");
}

static void see_payloads(const char *label, const TF_Status *status) {
  visits = 0;
  TF_ForEachPayload(status, visit, &visits);
  see(label, "%d", visits);
}

void case_status(void) {
  TF_Status *s = TF_NewStatus();
  see("rule-001 new status", "%s '%s'", code_name(TF_GetCode(s)), TF_Message(s));
  TF_SetStatus(s, TF_OK, "text");
  see("rule-002 OK with text", "%s '%s'", code_name(TF_GetCode(s)), TF_Message(s));
  TF_SetStatus(s, TF_ABORTED, NULL);
  see("rule-003 NULL message", "%s '%s'", code_name(TF_GetCode(s)), TF_Message(s));
  TF_SetStatus(s, TF_ABORTED, "");
  see("rule-004 empty message", "%s '%s'", code_name(TF_GetCode(s)), TF_Message(s));
  for (int code = -2; code <= 18; code++) {
    TF_SetStatus(s, (TF_Code)code, "kept");
    see(text("rule-005 code %d", code), "%d '%s'", (int)TF_GetCode(s), TF_Message(s));
  }
  TF_SetStatus(s, (TF_Code)99, "kept");
  see("rule-005 code 99", "%d '%s'", (int)TF_GetCode(s), TF_Message(s));
  TF_SetStatus(s, TF_INTERNAL, "kept\nwith line");
  see("rule-005 message", "%s", TF_Message(s));

  TF_SetStatus(s, TF_OK, "");
  TF_SetPayload(s, "key", "on ok");
  see_payloads("rule-007 on OK", s);
  TF_SetStatus(s, TF_ABORTED, "m");
  see_payloads("rule-007 none", s);
  TF_SetPayload(s, "key", "first");
  TF_SetPayload(s, "key", "second");
  see_payloads("rule-007 same key", s);
  TF_SetPayload(s, "other", "");
  TF_SetPayload(s, "", "empty key");
  see_payloads("rule-007 three", s);
  TF_SetStatus(s, TF_ABORTED, "m");
  see_payloads("rule-006 after TF_SetStatus", s);
  TF_DeleteStatus(s);
}

void case_status_errno(void) {
  for (int error = 0; error <= 134; error++) {
    TF_SetStatusFromIOError(st, error, "the context");
    see(text("rule-009 errno %d", error), "%s '%s'", code_name(TF_GetCode(st)), TF_Message(st));
  }
  TF_SetStatusFromIOError(st, 9999, "c");
  see("rule-009 errno 9999", "%s '%s'", code_name(TF_GetCode(st)), TF_Message(st));
  TF_SetStatusFromIOError(st, -1, "c");
  see("rule-009 errno -1", "%s '%s'", code_name(TF_GetCode(st)), TF_Message(st));
  TF_SetStatusFromIOError(st, 2, "");
  see("rule-009 empty context", "%s '%s'", code_name(TF_GetCode(st)), TF_Message(st));
}

static int freed;
static void *freed_data;
static size_t freed_length;

static void free_buffer(void *data, size_t length) {
  freed++;
  freed_data = data;
  freed_length = length;
}

void case_buffer(void) {
  TF_Buffer *b = TF_NewBuffer();
  see("rule-011 new buffer", "%d %zu %d", b->data != NULL, b->length, b->data_deallocator != NULL);
  TF_DeleteBuffer(b);

  char bytes[] = "ab\0cd";
  b = TF_NewBufferFromString(bytes, 5);
  see("rule-011 from string", "length %zu copy %d same %d deallocator %d", b->length, b->data != bytes,
      !memcmp(b->data, bytes, 5), b->data_deallocator != NULL);
  TF_Buffer copy = TF_GetBuffer(b);
  see("rule-013 by value", "%d %d %d", copy.data == b->data, copy.length == b->length,
      copy.data_deallocator == b->data_deallocator);
  TF_DeleteBuffer(b);
  b = TF_NewBufferFromString("", 0);
  see("rule-011 from empty", "length %zu deallocator %d", b->length, b->data_deallocator != NULL);
  TF_DeleteBuffer(b);

  b = TF_NewBuffer();
  b->data = bytes;
  b->length = 3;
  b->data_deallocator = free_buffer;
  TF_DeleteBuffer(b);
  see("rule-012 deallocator", "%d calls, data %d, length %zu", freed, freed_data == (void *)bytes,
      freed_length);
  b = TF_NewBuffer();
  b->data_deallocator = free_buffer;
  TF_DeleteBuffer(b);
  see("rule-012 deallocator with NULL data", "%d calls, data %d, length %zu", freed, freed_data != NULL,
      freed_length);

  // An "out" buffer that already holds something (rule 14).
  ISOLATED("rule-014 full out buffer") {
    TF_Graph *graph = TF_NewGraph();
    b = TF_NewBufferFromString("x", 1);
    TF_GraphToGraphDef(graph, b, st);
    see_status("rule-014 full out buffer", "");
  }
}

void case_null_release(void) {
  ISOLATED("rule-010 TF_DeleteStatus") TF_DeleteStatus(NULL);
  ISOLATED("rule-010 TF_DeleteBuffer") TF_DeleteBuffer(NULL);
  ISOLATED("rule-010 TF_DeleteTensor") TF_DeleteTensor(NULL);
  ISOLATED("rule-010 TF_DeleteKernelBuilder") TF_DeleteKernelBuilder(NULL);
  ISOLATED("rule-010 TF_DeleteOpDefinitionBuilder") TF_DeleteOpDefinitionBuilder(NULL);
  ISOLATED("rule-010 TF_DeleteShapeHandle") TF_DeleteShapeHandle(NULL);
  ISOLATED("rule-010 TF_DeleteDimensionHandle") TF_DeleteDimensionHandle(NULL);
  ISOLATED("null TF_DeleteGraph") TF_DeleteGraph(NULL);
  ISOLATED("null TF_DeleteSessionOptions") TF_DeleteSessionOptions(NULL);
  ISOLATED("null TF_DeleteSession") TF_DeleteSession(NULL, st);
  ISOLATED("null TF_DeleteImportGraphDefOptions") TF_DeleteImportGraphDefOptions(NULL);
  ISOLATED("null TF_DeleteImportGraphDefResults") TF_DeleteImportGraphDefResults(NULL);
  ISOLATED("null TF_DeleteFunction") TF_DeleteFunction(NULL);
  ISOLATED("null TF_DeleteDeviceList") TF_DeleteDeviceList(NULL);
  ISOLATED("null TF_DeletePRunHandle") TF_DeletePRunHandle(NULL);
  ISOLATED("null TF_DeleteLibraryHandle") TF_DeleteLibraryHandle(NULL);
  ISOLATED("null TF_DeleteApiDefMap") TF_DeleteApiDefMap(NULL);
  ISOLATED("null TF_DeleteDeprecatedSession") TF_DeleteDeprecatedSession(NULL, st);
}
