#!/usr/bin/env python3
"""Runs every hostile plugin in a process of its own: on Dovetail, on Dovetail in debug mode, and on stock TensorFlow.

FAULTS says for each what must be seen: phrases that the output (lines of faults_run.c and the log) must hold, after "-"
phrases that it must not. ALIVE stands for a process that came to its end. DIES is what stock does, where it was measured
to end the process; HANGS, where the step never ended, whatever its time limit.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import sysconfig

ALIVE = ["alive"]
FINE = ["run 0 ", "alive"]
DIES = "dies"
HANGS = "hangs"
KERNEL = ["{{node fault}}", "op 'Fault' of plugin fault_"]  # what every error of a step names


def step(code, *phrases):
    return [f"run {code} ", *phrases, *KERNEL, "alive"]


def report(call, *phrases):
    """A step that debug mode fails with INTERNAL; the report names the call."""
    return step(13, call + ": ", *phrases)


# Not run without debug mode (None): the fault corrupts memory there, which is what debug mode is for.
FAULTS = {
    # plugin: (Dovetail, Dovetail in debug mode, stock)
    "fail_create": (step(3, "this kernel cannot be made"), "same", ["run 3 ", "this kernel cannot be made", "alive"]),
    "fail_compute": (step(15, "this kernel always fails"), "same", ["run 15 ", "this kernel always fails", "alive"]),
    "struct_size": (step(3, "struct size member must be set"), "same", ["run 3 ", "alive"]),
    "null_compute": (["has no compute function", "op 'Fault'", "{{node fault}}", "alive"], "same", DIES),
    "set_twice": (step(9, "output 0 is set already"), "same", DIES),
    "wrong_type": (step(13, "Output 0 of type int32 does not match declared output type float"), "same",
                   ["run 13 ", "alive"]),
    "wrong_shape": (step(3, "-1"), "same", DIES),
    "unset": (step(13, "Missing 0-th output"), "same", ["run 13 ", "Missing 0-th output", "alive"]),
    "done_twice": (FINE + ["TF_RunAsyncOpKernelDoneCallback was called more than once", *KERNEL], "same", DIES),
    "done_never": (["run 4 ", "{{node fault}} (op 'Fault' of plugin fault_done_never) has not called its done callback",
                    "alive"], "same", HANGS),
    "register_twice": (["Multiple OpKernel registrations match", "{{node fault}}", "alive"], "same", ["run 3 ", "alive"]),
    "shape_past": (["node 3 ", "shape function is that of plugin 'fault_shape_past'", "alive"], "same", ["node 3 ", "alive"]),
    "delete_twice": (None, report("TF_DeleteTensor", "was deleted before", "made in node 'fault'") + ["TF_DeleteStatus: "], DIES),
    "delete_foreign": (None, report("TF_DeleteTensor", "is no TF_Tensor that the runtime made"), DIES),
    "use_deleted": (None, report("TF_TensorData", "was deleted before") + ["TF_NumDims: "], None),
    "out_behind": (None, report("compute", "out of bounds", "behind the end of a tensor of 16 bytes"), None),
    "out_before": (None, report("compute", "out of bounds", "before the beginning of a tensor of 16 bytes"), None),
    "out_of_temp": (None, report("TF_DeleteTensor", "out of bounds", "from 4 bytes behind the end"), None),
    "write_freed": (None, ["run 0 ", "end of a tensor: memory was written after it was freed", "from byte 240 of a tensor",
                           "allocated in node 'fault' (op 'Fault' of plugin fault_write_freed)", "alive"], None),
    "change_input": (FINE, report("compute", "input 0, float[4], was changed"), FINE),
    "keep_context": (None, report("TF_GetInput", "context of a call of node 'fault'", "used after that call"), None),
    "keep_construction": (None, report("TF_OpKernelConstruction_GetAttrType", "the kernel construction of node 'fault'",
                                       "used after its create function had returned"), None),
    "wild_tensor": (None, report("TF_SetOutput", "0x1230 is no TF_Tensor that the runtime made")
                    + ["TF_TensorData: 0x1230", "TF_DeleteTensor: 0x1230"], DIES),
    "builder_twice": (None, ["load 13 ", "fault_builder_twice.so was not loaded", "TF_DeleteKernelBuilder: ",
                             "was registered or deleted before, in the loading of plugin fault_builder_twice", "alive"], DIES),
    "leak": (FINE, FINE + ["2 TF_Tensor that kernels of op 'Fault' of plugin fault_leak made were never deleted",
                           "2 TF_Status that kernels of op 'Fault' of plugin fault_leak"], FINE),
    "race": (FINE, FINE, FINE),  # wrong only in two steps at once: see race_run.c
    "throw_create": (step(13, "the create function threw a C++ exception (std::runtime_error: the plugin is out of order)"),
                     "same", DIES),
    "throw_compute": (step(13, "the compute function threw a C++ exception (std::runtime_error: the plugin is out of order)"),
                      "same", DIES),
    "throw_async": (step(13, "the compute function threw a C++ exception (std::runtime_error: the plugin is out of order)"),
                    "same", DIES),
    "throw_destroy": (FINE + ["the delete function threw a C++ exception", "{{node fault}}"], "same", DIES),
    "throw_shape": (["node 13 ", "The shape function threw a C++ exception (int)", "plugin 'fault_throw_shape'", "alive"],
                    "same", DIES),
    "throw_init": (["load 13 ", "TF_InitKernel threw a C++ exception", "fault_throw_init.so was not loaded", "alive"], "same",
                   FINE),  # stock does not call TF_InitKernel
    "throw_loop": (step(13, "The function of a parallel loop threw a C++ exception (std::runtime_error: the plugin is"),
                   "same", None),  # stock has no such functions
    "throw_task": (["run 13 ", "A task of the thread pool threw a C++ exception (std::runtime_error: the plugin is",
                    "{{node fault}}", "op 'Fault'", "alive"], "same", None),
}
TIMEOUTS = {"done_never": "100"}  # ms
SUPPRESSED = {"leak", "done_never"}  # the fault itself is what the leak checker finds: handles, a session that a kernel keeps busy


def run(binary, plugin, plugins, environment, seconds):
    """What the process said, and its exit status: None when it was still at work after so many seconds."""
    path = pathlib.Path(plugins, f"fault_{plugin}.so")
    try:
        done = subprocess.run([binary, path, TIMEOUTS.get(plugin, "0")], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=seconds)
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode("utf-8", "replace"), None
    return done.stdout.decode("utf-8", "replace"), done.returncode


def check(what, expected, output, code):
    missing = [phrase for phrase in expected if phrase not in output]
    if not missing and code == 0:
        return True
    print(f"FAILED {what}: exit {code}, missing {missing}\n{output}")
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", required=True)
    parser.add_argument("--plugins", required=True)
    parser.add_argument("--stock")
    parser.add_argument("--sanitizer", default="")
    parser.add_argument("--only")
    parser.add_argument("--print", action="store_true")
    options = parser.parse_args()
    folders = [str(path) for path in pathlib.Path(options.plugins).glob("fault_*.so")]
    unknown = {re.sub(r".*fault_|\.so$", "", name) for name in folders} ^ set(FAULTS)
    good = not unknown
    if unknown:
        print(f"FAILED: plugins without a line in FAULTS, or lines without a plugin: {unknown}")
    for plugin, (plain, debug, stock) in FAULTS.items():
        if options.only and not re.search(options.only, plugin):
            continue
        base = dict(os.environ, ASAN_OPTIONS="detect_leaks=%d:intercept_tls_get_addr=0" % (plugin not in SUPPRESSED))
        base.pop("DOVETAIL_DEBUG", None)
        sides = [("plain", options.run, dict(base, DOVETAIL_DEBUG="0"), plain),
                 ("debug", options.run, dict(base, DOVETAIL_DEBUG="1"), plain if debug == "same" else debug)]
        if options.stock:
            tensorflow = pathlib.Path(sysconfig.get_paths()["purelib"], "tensorflow")
            sides.append(("stock", options.stock, dict(base, LD_LIBRARY_PATH=str(tensorflow), TF_CPP_MIN_LOG_LEVEL="1"), stock))
        for name, binary, environment, expected in sides:
            if expected is None:
                continue
            output, code = run(binary, plugin, options.plugins, environment, 20 if expected == HANGS else 200)
            if options.print:
                print(f"---- {plugin} {name}: exit {code}\n{output}")
            if expected in (DIES, HANGS):
                ended = "hangs" if code is None else "lives" if code == 0 else "dies"
                if ended != expected:
                    print(f"FAILED {plugin} {name}: the process {ended}, wanted: {expected}\n{output}")
                    good = False
            else:
                good = check(f"{plugin} {name}", expected, output, code) and good
    print("all as expected" if good else "some differ")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
