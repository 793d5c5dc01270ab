// `dovetail kernels why MODEL NODE`: the candidates for a node's kernel and how each fared, and what the plan
// makes of the node.
#include <stdlib.h>
#include <string.h>

#include "list.h"

// What plans make of the node: entries of dvt_model_plan whose name is the node's, or ends with it in the
// body of a function that a call brought in.
typedef struct fates {
  dvt_planned_node *nodes;
  int count;
  const char *signature;
  char *failure;  // why there is no plan; NULL if there is one
} fates;

static bool is_node(const char *planned, const char *node) {
  size_t planned_len = strlen(planned), len = strlen(node);
  if (planned_len == len) return strcmp(planned, node) == 0;
  return planned_len > len && planned[planned_len - len - 1] == '/' &&
         strcmp(planned + planned_len - len, node) == 0;
}

// A model that cannot be planned, because a kernel is missing, say, is explained all the same.
static void get_fates(const cli_options *options, fates *out, dvt_model **out_model) {
  TF_Status *status = TF_NewStatus();
  if (options->optimize) setenv("DOVETAIL_OPTIMIZE", options->optimize, 1);
  dvt_model_options how = {.struct_size = sizeof how, .tags = options->tags, .tag_count = options->tag_count};
  dvt_model_open(options->positional[1], &how, out_model, status);
  if (*out_model) {
    out->signature = options->signature ? options->signature : dvt_model_default_signature(*out_model);
    out->count = dvt_model_plan(*out_model, options->signature, &out->nodes, status);
  }
  if (TF_GetCode(status) != TF_OK) out->failure = strdup(TF_Message(status));
  TF_DeleteStatus(status);
}

static void print_fates(const fates *f, const char *node) {
  int found = 0;
  if (f->failure) {
    printf("\nThere is no plan to tell what becomes of it: %s\n", f->failure);
    return;
  }
  printf("\nIn the plan of signature '%s':\n", f->signature ? f->signature : "");
  for (int i = 0; i < f->count; ++i) {
    const dvt_planned_node *p = &f->nodes[i];
    if (!is_node(p->node, node)) continue;
    found++;
    printf("  %s (%s): %s", p->node, p->op, p->fate);
    if (p->into) printf(", another node does its work: %s", p->into);
    if (p->made_of) printf(", it stands for %s", p->made_of);
    puts("");
  }
  if (!found) puts("  no output needs it");
}

static int longest(const dvt_kernel_choice *choice, const char *(*text)(const dvt_kernel_candidate *),
                   int least) {
  size_t most = (size_t)least;
  for (int i = 0; i < choice->candidate_count; ++i) {
    size_t len = strlen(text(&choice->candidates[i]));
    most = DVT_MIN(DVT_MAX(most, len), (size_t)60);
  }
  return (int)most;
}

static const char *constraints_of(const dvt_kernel_candidate *c) { return c->constraints; }
static const char *plugin_of(const dvt_kernel_candidate *c) { return c->plugin[0] ? c->plugin : "(runtime)"; }

static void print_choice(const dvt_kernel_choice *choice) {
  printf("%s (%s) of ", choice->node, choice->op);
  printf(choice->function[0] ? "function %s" : "the graph%s", choice->function);
  if (choice->device[0]) printf(", for a %s", choice->device);
  if (choice->label[0]) printf(", label '%s'", choice->label);
  if (choice->attrs[0]) printf("; %s", choice->attrs);
  printf("\n  %s%s\n", choice->can_run ? "" : "no kernel: ", choice->outcome);
  if (choice->candidate_count == 0) return;
  int dtypes = longest(choice, constraints_of, 6), plugin = longest(choice, plugin_of, 6);
  printf("  %-8s %-*s %-*s %8s  %-10s why\n", "device", dtypes, "dtypes", plugin, "plugin", "priority",
         "label");
  for (int i = 0; i < choice->candidate_count; ++i) {
    const dvt_kernel_candidate *c = &choice->candidates[i];
    printf("%s %-8s %-*s %-*s %8d  %-10s %s\n", c->is_taken ? ">" : " ", c->device, dtypes, c->constraints,
           plugin, plugin_of(c), c->priority, c->label, c->why);
  }
}

static void print_json(const fates *f, const char *node, const dvt_kernel_choice *choices, int count) {
  json j = {.file = stdout};
  json_open(&j, NULL, '{');
  json_open(&j, "nodes", '[');
  for (int i = 0; i < count; ++i) {
    const dvt_kernel_choice *choice = &choices[i];
    json_open(&j, NULL, '{');
    json_string(&j, "function", choice->function);
    json_string(&j, "node", choice->node);
    json_string(&j, "op", choice->op);
    json_string(&j, "device", choice->device);
    json_string(&j, "label", choice->label);
    json_string(&j, "attrs", choice->attrs);
    json_bool(&j, "can_run", choice->can_run);
    json_string(&j, "outcome", choice->outcome);
    json_open(&j, "candidates", '[');
    for (int k = 0; k < choice->candidate_count; ++k) {
      const dvt_kernel_candidate *c = &choice->candidates[k];
      json_open(&j, NULL, '{');
      json_string(&j, "device", c->device);
      json_string(&j, "constraints", c->constraints);
      json_string(&j, "label", c->label);
      json_string(&j, "plugin", c->plugin);
      json_int(&j, "priority", c->priority);
      json_bool(&j, "taken", c->is_taken);
      json_string(&j, "why", c->why);
      json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
  }
  json_close(&j, ']');
  json_string(&j, "signature", f->signature);
  json_string(&j, "no_plan", f->failure);
  json_open(&j, "plan", '[');
  for (int i = 0; i < f->count; ++i) {
    if (!is_node(f->nodes[i].node, node)) continue;
    json_open(&j, NULL, '{');
    json_string(&j, "node", f->nodes[i].node);
    json_string(&j, "op", f->nodes[i].op);
    json_string(&j, "fate", f->nodes[i].fate);
    json_string(&j, "into", f->nodes[i].into);
    json_string(&j, "made_of", f->nodes[i].made_of);
    json_close(&j, '}');
  }
  json_close(&j, ']');
  json_close(&j, '}');
}

static int show(const cli_options *options, dvt_model *model) {
  const char *node = options->positional[2];
  dvt_kernel_choice *choices = NULL;
  TF_Status *status = TF_NewStatus();
  int count = dvt_model_explain_kernel(model, node, &choices, status), exit_code = CLI_OK;
  if (TF_GetCode(status) != TF_OK) exit_code = cli_error(CLI_USAGE, "%s", TF_Message(status));
  TF_DeleteStatus(status);
  if (exit_code != CLI_OK) return exit_code;
  fates f = {0};
  dvt_model *planned = NULL;
  get_fates(options, &f, &planned);
  if (options->json) {
    print_json(&f, node, choices, count);
  } else {
    for (int i = 0; i < count; ++i) {
      if (i) puts("");
      print_choice(&choices[i]);
    }
    print_fates(&f, node);
  }
  dvt_planned_nodes_free(f.nodes);
  free(f.failure);
  dvt_model_close(planned);
  dvt_kernel_choices_free(choices);
  return CLI_OK;
}

int list_why(const cli_options *options) {
  int exit_code = CLI_OK;
  if (options->positional_count != 3)
    return cli_error(CLI_USAGE, "kernels why wants MODEL NODE. See dovetail kernels --help.");
  dvt_model *model = cli_open_model(options, options->positional[1], true, &exit_code);
  if (!model) return exit_code;
  exit_code = show(options, model);
  dvt_model_close(model);
  return exit_code;
}
