#!/usr/bin/env python3
"""Checks that binaries linked to any of the stock libraries run on lib/compat, all on one registry.

Builds empty stand-ins for the stock libraries with their sonames and symbol versions, links programs and plugins to
them, and runs the programs with LD_LIBRARY_PATH set to the compat folder. Each program registers an op itself, loads
plugins of every linking with dlopen(RTLD_NOW) and with TF_LoadLibrary, and expects to find the op of each in
TF_GetAllOpList: that holds only if all of them reached the same library. One more host links to nothing and opens a
stock name with RTLD_LOCAL, as ctypes and language bindings do.
"""

import argparse
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# soname -> version node that the stock file gives its symbols
STAND_INS = {"libtensorflow.so.2": "VERS_1.0", "libtensorflow_cc.so.2": "tensorflow",
             "libtensorflow_framework.so.2": None, "_pywrap_tensorflow_internal.so": None}
PROGRAM_LINKS = [["libtensorflow.so.2"], ["libtensorflow_cc.so.2"], ["libtensorflow_framework.so.2"],
                 ["_pywrap_tensorflow_internal.so"], ["libtensorflow_cc.so.2", "libtensorflow_framework.so.2"]]
PLUGIN_LINKS = {"None": [], "Framework": ["libtensorflow_framework.so.2"], "Cc": ["libtensorflow_cc.so.2"],
                "FrameworkCc": ["libtensorflow_framework.so.2", "libtensorflow_cc.so.2"],
                "Official": ["libtensorflow.so.2"], "Python": ["_pywrap_tensorflow_internal.so"]}

SHARED = r"""
#include <string.h>
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"
static void register_op(const char *name) {
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder(name);
  TF_OpDefinitionBuilderSetShapeInferenceFunction(builder, TF_ShapeInferenceContextSetUnknownShape);
  TF_RegisterOpDefinition(builder, status);
  TF_DeleteStatus(status);
}
"""
PLUGIN = SHARED + r"""
__attribute__((constructor)) static void init(void) { register_op(OP_NAME); }
void TF_InitKernel(void) {}
"""
PROGRAM = SHARED + r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
static int knows(const char *name) {
  TF_Buffer *list = TF_GetAllOpList();
  int found = memmem(list->data, list->length, name, strlen(name)) != NULL;
  TF_DeleteBuffer(list);
  return found;
}
int main(int argc, char **argv) {
  int failed = 0;
  if (strchr(TF_Version(), '.') == NULL) return 1;
  register_op("CompatProgram");
  for (int i = 2; i + 1 < argc; i += 2) {
    int loaded;
    if (strcmp(argv[1], "dlopen") == 0) {
      loaded = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL) != NULL;
      if (!loaded) fprintf(stderr, "%s\n", dlerror());
    } else {
      TF_Status *status = TF_NewStatus();
      TF_Library *library = TF_LoadLibrary(argv[i], status);
      loaded = library != NULL;
      if (!loaded) fprintf(stderr, "%s\n", TF_Message(status));
      TF_DeleteLibraryHandle(library);
      TF_DeleteStatus(status);
    }
    if (!loaded || !knows(argv[i + 1]) || !knows("CompatProgram")) {
      fprintf(stderr, "%s of %s: %s\n", argv[1], argv[i], loaded ? "its op is not in the list" : "not loaded");
      failed = 1;
    }
  }
  return failed;
}
"""

# Opens argv[1] privately; the rest are pairs of plugin and op, as above.
BINDING = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "tensorflow/c/c_api.h"
int main(int argc, char **argv) {
  void *host = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (host == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
  TF_Status *status = ((TF_Status * (*)(void)) dlsym(host, "TF_NewStatus"))();
  int failed = 0;
  for (int i = 2; i + 1 < argc; i += 2) {
    TF_Library *library =
        ((TF_Library * (*)(const char *, TF_Status *)) dlsym(host, "TF_LoadLibrary"))(argv[i], status);
    TF_Buffer *list = ((TF_Buffer * (*)(void)) dlsym(host, "TF_GetAllOpList"))();
    if (memmem(list->data, list->length, argv[i + 1], strlen(argv[i + 1])) == NULL) {
      fprintf(stderr, "%s in %s: its op is not in the list\n", argv[i], argv[1]);
      failed = 1;
    }
    ((void (*)(TF_Buffer *))dlsym(host, "TF_DeleteBuffer"))(list);
    ((void (*)(TF_Library *))dlsym(host, "TF_DeleteLibraryHandle"))(library);
  }
  ((void (*)(TF_Status *))dlsym(host, "TF_DeleteStatus"))(status);
  return failed;
}
"""


class Workshop:
    def __init__(self, folder, cc, flags):
        self.folder, self.cc, self.flags = folder, cc, flags
        os.mkdir(self.path("stub"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_cc(self, *args):
        subprocess.run([self.cc, *args], check=True)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def build_stand_ins(self):
        names = [line.split("\t")[0] for line in open(os.path.join(ROOT, "abi", "exports.txt"), encoding="utf-8")
                 if not line.startswith("#")]
        # The linker needs the names and the versions only.
        source = self.write("stub.c", "".join(f"void {name}(void);\nvoid {name}(void) {{}}\n" for name in names))
        for soname, node in STAND_INS.items():
            options = ["-shared", "-fPIC", source, "-o", self.path(f"stub/{soname}"), f"-Wl,-soname,{soname}"]
            if node:
                script = self.write(f"{node}.map", f"{node} {{ global: *; }};\n")
                options.append(f"-Wl,--version-script={script}")
            self.run_cc(*options)

    def link(self, source, out, links, *options):
        libraries = [self.path(f"stub/{soname}") for soname in links]
        self.run_cc("-D_GNU_SOURCE", "-std=c11", "-isystem", os.path.join(ROOT, "include"), *self.flags, *options,
                    source, "-o", self.path(out), "-Wl,--no-as-needed", *libraries)
        return self.path(out)

    def build_plugins(self):
        source = self.write("plugin.c", PLUGIN)
        return {f"Compat{name}": self.link(source, f"plugin_{name}.so", links, "-shared", "-fPIC",
                                           "-fvisibility=hidden", f'-DOP_NAME="Compat{name}"')
                for name, links in PLUGIN_LINKS.items()}


def private_hosts_work(shop, plugins, env):
    problems = []
    binding = shop.link(shop.write("binding.c", BINDING), "binding", [], "-Wno-pedantic")
    # A plugin that names no library finds its symbols only where they are global, in stock as here.
    pairs = [word for op, path in plugins.items() if op != "CompatNone" for word in (path, op)]
    for soname in STAND_INS:
        run = subprocess.run([binding, soname, *pairs], env=env, capture_output=True, text=True)
        if run.returncode:
            problems.append(f"host that opens {soname}: exit {run.returncode}\n{run.stderr}")
    return problems


def dev_links_work(shop, compat):
    """The names without a number serve the linker: -ltensorflow and the others."""
    problems = []
    source = shop.write("dev.c", SHARED + "int main(void) { register_op(\"DevLink\"); return 0; }\n")
    for name in ("tensorflow", "tensorflow_cc", "tensorflow_framework"):
        program = shop.link(source, f"dev_{name}", [], "-L" + compat, "-Wl,--no-as-needed", "-l" + name)
        run = subprocess.run([program], env={**os.environ, "LD_LIBRARY_PATH": compat}, capture_output=True, text=True)
        if run.returncode:
            problems.append(f"program linked with -l{name}: exit {run.returncode}\n{run.stderr}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compat", required=True, help="the compat folder to test")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--flags", default="", help="more compiler flags, such as -fsanitize=address")
    args = parser.parse_args()

    problems = []
    with tempfile.TemporaryDirectory() as folder:
        shop = Workshop(folder, args.cc, args.flags.split())
        shop.build_stand_ins()
        plugins = shop.build_plugins()
        source = shop.write("program.c", PROGRAM)
        # lazy binding would hide a symbol that cannot be found until it is called
        env = {**os.environ, "LD_LIBRARY_PATH": args.compat, "LD_BIND_NOW": "1"}
        for number, links in enumerate(PROGRAM_LINKS):
            program = shop.link(source, f"program{number}", links)
            for way in ("dlopen", "TF_LoadLibrary"):
                pairs = [word for op, path in plugins.items() for word in (path, op)]
                run = subprocess.run([program, way, *pairs], env=env, capture_output=True, text=True)
                # the loader says on standard error when a version is missing, and goes on
                if run.returncode or "version information" in run.stderr:
                    problems.append(f"program linked to {', '.join(links)}, {way}: exit {run.returncode}\n{run.stderr}")
        problems += private_hosts_work(shop, plugins, env)
        problems += dev_links_work(shop, os.path.abspath(args.compat))
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"compat: {len(PROGRAM_LINKS)} kinds of program x {len(PLUGIN_LINKS)} kinds of plugin x 2 ways to load, "
          f"{len(problems)} failures")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
