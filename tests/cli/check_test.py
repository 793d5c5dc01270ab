"""`dovetail check` on plugins that are compiled here, one defect each; what it says of versions against what readelf and the
host's own libraries say.

  check_test.py DOVETAIL SOURCE_FOLDER SDK_ARCHIVE
"""

import importlib.util
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

DOVETAIL, SOURCE, SDK = sys.argv[1:4]
FINE, FINDINGS, UNREADABLE = range(3)

PLUGIN = """
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"
static void compute(void *kernel, TF_OpKernelContext *ctx) { (void)kernel, (void)ctx; }
static void add(void) {
  TF_Status *status = TF_NewStatus();
  TF_RegisterKernelBuilder("Plain", TF_NewKernelBuilder("Plain", "CPU", NULL, compute, NULL), status);
  TF_DeleteStatus(status);
}
"""
CONSTRUCTOR = "__attribute__((constructor)) static void load(void) { add(); }\n"
ENTRY = "void TF_InitKernel(void) { add(); }\n"
STOCK = ["tensorflow-2.15", "tensorflow-2.17", "tensorflow-2.18", "tensorflow-2.19", "tensorflow-2.20", "tensorflow-2.21"]
HOSTS = ["dovetail"] + STOCK


class CheckTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        cls.folder = cls.holder.name
        cls.good = cls.build("good", PLUGIN + CONSTRUCTOR + ENTRY)

    @classmethod
    def build(cls, name, text, *options, language="c"):
        path = os.path.join(cls.folder, name + ".so")
        compiler = ["c++", "-std=c++17"] if language == "c++" else ["cc", "-std=gnu11"]
        subprocess.run([*compiler, "-x", language, "-", "-fPIC", "-shared", "-I", os.path.join(SOURCE, "include"), "-w", "-o",
                        path, "-x", "none", *options], input=text, text=True, check=True)
        return path

    def call(self, *arguments):
        done = subprocess.run([DOVETAIL, "check", *arguments], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def check(self, path, *arguments, code=FINDINGS):
        got, out, err = self.call(path, "--json", *arguments)
        self.assertEqual(got, code, out + err)
        found = json.loads(out)
        self.assertEqual(found["fine"], code == FINE)
        return found

    def finding(self, found, code, level="error"):
        matching = [f for f in found["findings"] if f["code"] == code]
        self.assertEqual(len(matching), 1, found["findings"])
        self.assertEqual(matching[0]["level"], level)
        return matching[0]

    # ---- good files ----

    def test_good(self):
        found = self.check(self.good, code=FINE)
        self.assertEqual(found["hosts"], {host: "loads" for host in HOSTS})
        self.assertTrue(found["entry_point"])
        self.assertEqual(found["static_initialisers"], 1)
        self.assertEqual([f["level"] for f in found["findings"] if f["level"] != "note"], [])
        self.finding(found, "no-host-library", "note")
        got, out, err = self.call(self.good)
        self.assertEqual((got, err), (FINE, ""))
        self.assertRegex(out, r"tensorflow-2.19 +loads")
        self.assertIn("Nothing found", out)

    def test_system_versions(self):
        """The versions that the file needs, as readelf lists them."""
        path = self.build("cxx", PLUGIN + CONSTRUCTOR + """
            #include <math.h>
            #include <pthread.h>
            #include <string>
            double (*volatile power)(double, double) = pow;
            std::string text(int n) { return std::to_string(n) + std::string(100, 'x'); }
            int start(pthread_t *t) { return pthread_create(t, nullptr, nullptr, nullptr); }
            """, "-lm", language="c++")
        text = subprocess.run(["readelf", "-VW", path], capture_output=True, text=True, check=True).stdout
        glibc = max(tuple(map(int, v)) for v in re.findall(r"\bGLIBC_(\d+)\.(\d+)", text))
        glibcxx = max(int(v) for v in re.findall(r"\bGLIBCXX_3\.4\.(\d+)", text))
        found = self.check(path, code=FINE)
        self.assertEqual(found["glibc"], "%d.%d" % glibc)
        self.assertEqual(found["libstdcxx"], "GLIBCXX_3.4.%d" % glibcxx)
        if glibc == (2, 34):  # what Debian 12 compiles against
            self.assertNotIn("Debian 11", found["distributions"])
            self.assertIn("RHEL 9", found["distributions"])
            self.assertIn("Debian 12", found["distributions"])

    def test_releases_match_the_library(self):
        """abi/symbols.def beside the TensorFlow that is installed here, if it is one of the table's."""
        spec = importlib.util.find_spec("tensorflow")
        if not spec:
            self.skipTest("no TensorFlow here")
        folder = os.path.dirname(spec.origin)
        with open(os.path.join(folder, "..", [n for n in os.listdir(os.path.join(folder, "..")) if re.match(
                r"tensorflow.*\.dist-info$", n)][0], "METADATA"), encoding="utf-8") as file:
            release = re.search(r"^Version: (\d+\.\d+)", file.read(), flags=re.M).group(1)
        with open(os.path.join(SOURCE, "abi", "symbols.def"), encoding="utf-8") as file:
            text = file.read()
        releases = re.search(r"Bit 0 on: ([\d., ]+)\. In", text).group(1).split(", ")
        if release not in releases:
            self.skipTest("the table has no column for " + release)
        bit = 1 << releases.index(release)
        rows = re.findall(r"^S\((\w+), (\w+), (\w+), \d\)", text, flags=re.M)
        for column, library in ((1, "libtensorflow_framework.so.2"), (2, "libtensorflow_cc.so.2")):
            listed = subprocess.run(["nm", "-D", "--defined-only", os.path.join(folder, library)], capture_output=True,
                                    text=True, check=True).stdout
            exported = set(re.findall(r" [TtiV] ((?:TF|TFE|TSL)_\w+)", listed))
            # Functions that TensorFlow exports beside its C headers are none of ours.
            self.assertEqual({row[0] for row in rows if int(row[column], 16) & bit}, exported & {row[0] for row in rows})

    # ---- undefined symbols ----

    def test_function_lost_in_a_release(self):
        path = self.build("lost", '#include "tensorflow/c/kernels_experimental.h"\n' + PLUGIN + CONSTRUCTOR + """
            bool use(TF_OpKernelContext *ctx, TF_Status *s) { return TF_IsRefInput(ctx, 0, s); }""")
        found = self.check(path)
        lost = self.finding(found, "undefined-symbols")
        self.assertIn("TF_IsRefInput", lost["text"])
        self.assertEqual(lost["hosts"], ["tensorflow-2.19", "tensorflow-2.20", "tensorflow-2.21"])
        self.assertEqual(found["hosts"]["tensorflow-2.19"], "does not load")
        self.assertEqual(found["hosts"]["tensorflow-2.18"], "loads")
        self.assertEqual(found["hosts"]["dovetail"], "loads")
        self.assertEqual(list(self.check(path, "--host", "tensorflow-2.17", "--host", "dovetail", code=FINE)["hosts"]),
                         ["dovetail", "tensorflow-2.17"])
        got, out, _ = self.call(path)
        self.assertEqual(got, FINDINGS)
        self.assertRegex(out, r"(?s)error .*TF_IsRefInput.*\[tensorflow-2.19, tensorflow-2.20, tensorflow-2.21\]")

    def test_functions_of_dovetail_and_of_stock(self):
        path = self.build("own", '#include "dovetail/plugin.h"\n' + PLUGIN + CONSTRUCTOR + """
            int use(TF_OpKernelContext *ctx) { return dvt_num_threads(ctx); }""")
        self.assertEqual(self.finding(self.check(path), "undefined-symbols")["hosts"], STOCK)
        path = self.build("stock", PLUGIN + CONSTRUCTOR + """
            void TFE_AllocateHostTensor(void); void use(void) { TFE_AllocateHostTensor(); }""")
        self.assertEqual(self.finding(self.check(path), "undefined-symbols")["hosts"], ["dovetail"])

    def test_function_of_cc_alone(self):
        path = self.build("cc", '#include "tensorflow/c/tf_tstring.h"\n' + PLUGIN + CONSTRUCTOR +
                          "void use(TF_TString *s) { TF_StringInit(s); }")
        note = self.finding(self.check(path, code=FINE), "needs-cc", "note")
        self.assertEqual(note["hosts"], STOCK)
        self.assertIn("TF_StringInit", note["text"])

    def test_unknown_functions(self):
        found = self.check(self.build("tomorrow", PLUGIN + CONSTRUCTOR + """
            void TF_Tomorrow(void); void helper(void); void use(void) { TF_Tomorrow(); helper(); }"""))
        self.assertIn("TF_Tomorrow", self.finding(found, "unknown-symbols")["text"])
        self.assertIn("helper", self.finding(found, "undefined-symbols")["text"])
        self.assertEqual(set(found["hosts"].values()), {"does not load"})
        weak = self.build("weak", PLUGIN + CONSTRUCTOR + """
            void TF_Tomorrow(void) __attribute__((weak)); void use(void) { if (TF_Tomorrow) TF_Tomorrow(); }""")
        self.check(weak, code=FINE)

    def test_leaked_cxx(self):
        path = self.build("leaked", PLUGIN + CONSTRUCTOR + """
            namespace tensorflow { class OpKernel { public: OpKernel(int); virtual ~OpKernel(); void Run() const; }; }
            void use() { tensorflow::OpKernel kernel(1); kernel.Run(); }""", language="c++")
        found = self.check(path)
        leaked = self.finding(found, "cxx-symbols")
        self.assertIn("tensorflow::OpKernel::OpKernel", leaked["text"])
        self.assertIn("tensorflow::OpKernel::~OpKernel", leaked["text"])
        self.assertIn("tensorflow::OpKernel::Run", leaked["text"])
        self.assertEqual(found["hosts"]["dovetail"], "does not load")
        self.assertEqual(found["hosts"]["tensorflow-2.21"], "only if built with this very release")

    # ---- what it exports ----

    def test_exports(self):
        text = """
            namespace tensorflow { int Helper(int x) { return x; } }
            template <class T> struct Once { static int count; };
            template <class T> int Once<T>::count = 1;
            int *use() { return &Once<int>::count; }"""
        found = self.check(self.build("exports", PLUGIN + CONSTRUCTOR + text, language="c++"))
        self.assertIn("tensorflow::Helper", self.finding(found, "exports-cxx", "warning")["text"])
        self.assertIn("Once", self.finding(found, "unique-symbols", "note")["text"])
        self.check(self.build("hides", PLUGIN + CONSTRUCTOR + text, "-fvisibility=hidden", language="c++"), code=FINE)
        found = self.check(self.build("takes", PLUGIN + CONSTRUCTOR + "const char *TF_Version(void) { return 0; }"))
        self.assertIn("TF_Version", self.finding(found, "exports-host-functions")["text"])

    def test_entry_points(self):
        self.finding(self.check(self.build("none", PLUGIN)), "no-entry-point")
        script = os.path.join(self.folder, "local.map")
        with open(script, "w", encoding="utf-8") as file:
            file.write("{ local: *; };")
        hidden = self.check(self.build("hidden", PLUGIN + ENTRY, "-Wl,--version-script=" + script))
        self.assertIn("TF_InitKernel", self.finding(hidden, "hidden-entry-point")["text"])
        mangled = self.check(self.build("mangled", "void TF_InitKernel() {}", language="c++"))
        self.assertIn('extern "C"', self.finding(mangled, "hidden-entry-point")["text"])
        alone = self.check(self.build("alone", PLUGIN + ENTRY))
        self.assertEqual(self.finding(alone, "entry-point-alone", "warning")["hosts"], STOCK)
        self.check(self.build("alone", PLUGIN + ENTRY), "--host", "dovetail", code=FINE)
        device = self.check(self.build("device", "void TF_InitKernel(void) {} void SE_InitPlugin(void) {}"))
        self.assertEqual(self.finding(device, "device-plugin")["hosts"], ["dovetail"])
        many = self.build("many", PLUGIN + "".join(CONSTRUCTOR.replace("load", f"load{i}") for i in range(3)))
        self.assertEqual(self.check(many, code=FINE)["static_initialisers"], 3)

    # ---- the SDK ----

    def with_sdk(self, name, needs, body=""):
        text = PLUGIN + """
            #include "dovetail/plugin.h"
            #include "dovetail/sdk.h"
            #include "tensorflow/c/kernels_experimental.h"
            #include "tensorflow/c/logging.h"
            void use(TF_OpKernelContext *ctx, TF_Status *s) { %s }
            void *volatile keep = use;
            DVT_PLUGIN("my_ops", "1.2.3", "Apache-2.0", "%s", add)""" % (body, needs)
        return self.build(name, text, "-fvisibility=hidden", SDK, "-ldl", "-lpthread")

    def test_plugin_of_the_sdk(self):
        got, out, err = self.call(self.with_sdk("sdk", "", "TF_Log(1, 0); dvt_variable_value(ctx, 0, s);"),
                                  "--json")
        found = json.loads(out)
        self.assertEqual((found["name"], found["version"], found["licence"]), ("my_ops", "1.2.3", "Apache-2.0"))
        self.assertTrue(found["entry_point"])
        # The archive of a sanitizer's build has the sanitizer in it.
        codes = {f["code"] for f in found["findings"] if f["level"] != "note"} - {"sanitizer"}
        self.assertEqual(codes, set())
        notes = {tuple(f["hosts"]): f["text"] for f in found["findings"] if f["code"] == "not-on-every-host"}
        self.assertEqual(list(notes), [tuple(STOCK)], notes)  # TF_Log is brought by the SDK
        self.assertIn("dvt_variable_value", notes[tuple(STOCK)])

    def test_needed_features(self):
        found = json.loads(self.call(self.with_sdk("needs", "variables logging TF_GetInput"), "--json")[1])
        self.assertEqual(self.finding(found, "needs-feature")["hosts"], STOCK[3:])
        found = json.loads(self.call(self.with_sdk("odd", "odd"), "--json")[1])
        self.assertIn("'odd'", self.finding(found, "unknown-feature", "warning")["text"])

    # ---- how it is built ----

    def test_build(self):
        text = PLUGIN + CONSTRUCTOR
        cases = [("stack", "executable-stack", "warning", ["-Wl,-z,execstack"]),
                 ("rpath", "rpath", "warning", ["-Wl,-rpath,/home/author/build"]),
                 ("origin", "rpath", "note", ["-Wl,-rpath,$ORIGIN/libs:$ORIGIN"]),
                 ("old", "rpath", "warning", ["-Wl,--disable-new-dtags,-rpath,/opt/x"]),
                 ("nodelete", "nodelete", "note", ["-Wl,-z,nodelete"]),
                 ("ubsan", "sanitizer", "warning", ["-fsanitize=undefined"]),
                 ("asan", "sanitizer", "error", ["-fsanitize=address"])]
        for name, code, level, options in cases:
            with self.subTest(name):
                self.finding(self.check(self.build(name, text, *options), code=FINE if level == "note" else FINDINGS), code,
                             level)
        if os.uname().machine == "x86_64":
            self.finding(self.check(self.build("v4", text, "-Wl,-z,x86-64-v4")), "isa-level", "warning")
            found = self.check(self.build("text", text + 'asm(".text\\n.quad load_me\\n.data\\nload_me: .quad 1\\n.text");',
                                          "-Wl,-z,notext"))
            self.finding(found, "text-relocations", "warning")

    def test_libraries(self):
        text = PLUGIN + CONSTRUCTOR
        cases = [("libtensorflow_framework.so.2", None, None, HOSTS),
                 ("libdovetail.so.0", "needs-dovetail", "error", STOCK),
                 ("libtensorflow.so.2", "host-library", "warning", STOCK),
                 ("libtensorflow_framework.so.1", "host-library", "error", HOSTS),
                 ("libother.so.3", "needs-library", "note", HOSTS),
                 ("/opt/libpath.so", "absolute-library", "error", HOSTS)]
        for soname, code, level, hosts in cases:
            with self.subTest(soname):
                library = self.build("stand_in", "int stand_in;", "-Wl,-soname," + soname)
                path = self.build("linked", text, "-Wl,--no-as-needed", library)
                found = self.check(path, code=FINDINGS if level in ("error", "warning") else FINE)
                self.assertIn(soname, found["needed"])
                if code:
                    self.assertEqual(self.finding(found, code, level)["hosts"], hosts)

    # ---- bad files and command lines ----

    def test_bad_files(self):
        with open(self.good, "rb") as file:
            good = file.read()

        def patched(at, form, value):
            return good[:at] + struct.pack(form, value) + good[at + struct.calcsize(form):]

        cases = [(b"", "empty"), (b"hello", "ELF header"), (b"MZ\x90\0", "Windows"), (b"\xcf\xfa\xed\xfe....", "macOS"),
                 (b"\xca\xfe\xba\xbe....", "several machines"), (b"!<arch>\n", "static archive"), (b"PK\x03\x04", "wheel"),
                 (patched(4, "B", 1), "32-bit"), (patched(5, "B", 2), "big-endian"), (patched(18, "<H", 22), "s390x"),
                 (patched(18, "<H", 4242), "4242"), (patched(16, "<H", 1), "object file"), (patched(16, "<H", 2), "a program"),
                 (patched(56, "<H", 0), "no program headers")]
        cases += [(good[:n], "truncated") for n in (4, 15, 16, 63, 64, 100, 400, len(good) // 2)]
        for content, words in cases:
            path = os.path.join(self.folder, "bad.so")
            with open(path, "wb") as file:
                file.write(content)
            got, out, err = self.call(path)
            self.assertEqual((got, out), (UNREADABLE, ""), words)
            self.assertTrue(err.startswith("dovetail: "), err)
            self.assertIn(words, err)
        for path in (os.path.join(self.folder, "absent.so"), self.folder):
            self.assertEqual(self.call(path)[0], UNREADABLE)

    def test_command_line(self):
        self.assertEqual(self.call()[0], UNREADABLE)
        self.assertEqual(self.call(self.good, self.good)[0], UNREADABLE)
        got, _, err = self.call(self.good, "--host", "tensorflow-1.15")
        self.assertEqual(got, UNREADABLE)
        self.assertIn("tensorflow-2.19", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
