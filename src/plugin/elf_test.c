// Probing files without running them: what is no plugin, what is for another machine, what is cut off or
// garbled.
#include "kernel/kernel_test_util.h"

#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include "plugin/elf.h"

#define PLUGIN(name) DVT_BUILD_DIR "/tests/plugins/" name ".so"

static char file_path[] = DVT_BUILD_DIR "/tests/elf_XXXXXX";
static dvt_buf good;  // the bytes of a real plugin

static int setup(void **state) {
  int fd = mkstemp(file_path);
  assert_true(fd >= 0);
  close(fd);
  dvt_mapped_file file;
  assert_ok(dvt_file_map(PLUGIN("plug_missing"), &file));
  dvt_buf_append_str(&good, file.bytes);
  dvt_file_unmap(&file);
  return test_setup(state);
}

static int teardown(void **state) {
  (void)state;
  unlink(file_path);
  dvt_buf_deinit(&good);
  return 0;
}

static dvt_status open_bytes(const void *bytes, size_t len) {
  dvt_elf elf;
  assert_ok(dvt_file_write(file_path, dvt_str_make(bytes, len)));
  dvt_status status = dvt_elf_open(file_path, &elf);
  if (!status) dvt_elf_close(&elf);
  return status;
}

static void test_good_library(void **state) {
  (void)state;
  dvt_elf elf;
  size_t cursor = 0;
  dvt_str name;
  bool has_tomorrow = false;
  assert_ok(dvt_elf_open(PLUGIN("plug_missing"), &elf));
  assert_true(dvt_elf_defines(&elf, "use"));
  assert_false(dvt_elf_defines(&elf, "TF_FunctionOfTomorrow"));
  assert_false(dvt_elf_defines(&elf, "compute"));  // static
  while (dvt_elf_next_undefined(&elf, &cursor, &name))
    if (dvt_str_is(name, "TF_FunctionOfTomorrow")) has_tomorrow = true;
  assert_true(has_tomorrow);
  dvt_elf_close(&elf);

  bool needs_framework = false;
  cursor = 0;
  assert_ok(dvt_elf_open(PLUGIN("plug_fwcc"), &elf));
  while (dvt_elf_next_needed(&elf, &cursor, &name))
    if (dvt_str_is(name, "libtensorflow_framework.so.2")) needs_framework = true;
  assert_true(needs_framework);
  dvt_elf_close(&elf);
}

// ---- the level of the CPU ----

// clang-format off
#define NOTE_HEADER "\4\0\0\0" "\x10\0\0\0" "\5\0\0\0" "GNU\0"
#define ISA_NEEDED "\x02\x80\0\xc0" "\4\0\0\0"
static const struct {
  dvt_str notes;
  int level;
} notes[] = {
    {{"", 0}, 0},
#define NOTES(text) {text, sizeof(text) - 1}
    {NOTES(NOTE_HEADER ISA_NEEDED "\1\0\0\0\0\0\0\0"), 1},
    {NOTES(NOTE_HEADER ISA_NEEDED "\3\0\0\0\0\0\0\0"), 2},
    {NOTES(NOTE_HEADER ISA_NEEDED "\x0f\0\0\0\0\0\0\0"), 4},
    // Another property, another owner, a note before it.
    {NOTES(NOTE_HEADER "\1\x80\0\xc0" "\4\0\0\0" "\x0f\0\0\0\0\0\0\0"), 0},
    {NOTES("\4\0\0\0" "\x10\0\0\0" "\5\0\0\0" "XYZ\0" ISA_NEEDED "\x0f\0\0\0\0\0\0\0"), 0},
    {NOTES("\4\0\0\0" "\0\0\0\0" "\1\0\0\0" "XYZ\0" NOTE_HEADER ISA_NEEDED "\4\0\0\0\0\0\0\0"), 3},
    // Sizes that lead out of it.
    {NOTES("\xff\xff\xff\xff" "\xff\xff\xff\xff" "\5\0\0\0" "GNU\0"), 0},
    {NOTES(NOTE_HEADER "\x02\x80\0\xc0" "\xff\xff\xff\xff" "\4\0\0\0\0\0\0\0"), 0},
};
// clang-format on

static void test_isa_level_of_notes(void **state) {
  (void)state;
  for (size_t i = 0; i < DVT_COUNT_OF(notes); i++)
    assert_int_equal(dvt_elf_isa_of_notes(notes[i].notes), notes[i].level);
  for (size_t len = 0; len < notes[3].notes.len; len++)
    assert_int_equal(dvt_elf_isa_of_notes(dvt_str_make(notes[3].notes.data, len)), 0);
}

static void test_file_for_a_later_cpu(void **state) {
  (void)state;
  dvt_elf elf;
  assert_ok(dvt_elf_open(PLUGIN("plug_good"), &elf));
  assert_ok(dvt_elf_check_isa("plug", &elf, 1));
  elf.isa_level = 3;
  assert_ok(dvt_elf_check_isa("plug", &elf, 3));
  assert_status(dvt_elf_check_isa("plug", &elf, 2), TF_FAILED_PRECONDITION,
                "plug was built for CPUs of level x86-64-v3; this one has level 2");
  dvt_elf_close(&elf);
  assert_in_range(dvt_elf_isa_of_cpu(), 1, 4);
#if defined(__x86_64__)
  assert_ok(dvt_elf_open(PLUGIN("plug_isa"), &elf));
  assert_int_equal(elf.isa_level, 4);
  dvt_elf_close(&elf);
#endif
}

static void test_not_a_library(void **state) {
  (void)state;
  assert_status(open_bytes("", 0), TF_INVALID_ARGUMENT, "the file is empty");
  assert_status(open_bytes("hello, world", 12), TF_INVALID_ARGUMENT, "is not a shared library");
  assert_status(open_bytes("MZ\x90", 3), TF_INVALID_ARGUMENT, "Windows");
  assert_status(open_bytes("\xcf\xfa\xed\xfe....", 8), TF_INVALID_ARGUMENT, "macOS");
  assert_status(open_bytes("!<arch>\n", 8), TF_INVALID_ARGUMENT, "static archive");
  assert_status(open_bytes("hello, world", 12), TF_INVALID_ARGUMENT, file_path);
  dvt_elf elf;
  assert_status(dvt_elf_open("/nonexistent.so", &elf), TF_NOT_FOUND, "/nonexistent.so");
  assert_status(dvt_elf_open(DVT_BUILD_DIR, &elf), TF_FAILED_PRECONDITION, "directory");
}

// The good file with one byte or half-word replaced.
static dvt_status patched(size_t offset, unsigned value, size_t bytes) {
  dvt_buf copy = {0};
  dvt_buf_append_str(&copy, dvt_buf_str(&good));
  memcpy(copy.data + offset, &value, bytes);  // little-endian hosts only: the low bytes come first
  dvt_status status = open_bytes(copy.data, copy.len);
  dvt_buf_deinit(&copy);
  return status;
}

static void test_other_machines(void **state) {
  (void)state;
  assert_status(patched(EI_CLASS, ELFCLASS32, 1), TF_INVALID_ARGUMENT,
                "is a 32-bit library, this process is 64-bit");
  assert_status(patched(EI_DATA, ELFDATA2MSB, 1), TF_INVALID_ARGUMENT, "other byte order (big-endian)");
  assert_status(patched(offsetof(Elf64_Ehdr, e_machine), EM_S390, 2), TF_INVALID_ARGUMENT,
                "was built for s390x");
  assert_status(patched(offsetof(Elf64_Ehdr, e_machine), 4242, 2), TF_INVALID_ARGUMENT,
                "machine number 4242");
  assert_status(patched(offsetof(Elf64_Ehdr, e_type), ET_REL, 2), TF_INVALID_ARGUMENT, "but an object file");
  assert_status(patched(offsetof(Elf64_Ehdr, e_type), ET_EXEC, 2), TF_INVALID_ARGUMENT, "but a program");
  assert_status(patched(offsetof(Elf64_Ehdr, e_phnum), 0, 2), TF_INVALID_ARGUMENT, "no program headers");
}

static void test_truncated(void **state) {
  (void)state;
  const size_t lengths[] = {4, 15, 16, 63, 64, 100, 400};
  for (size_t i = 0; i < DVT_COUNT_OF(lengths); i++)
    assert_status(open_bytes(good.data, lengths[i]), TF_INVALID_ARGUMENT, "truncated");
  assert_status(open_bytes(good.data, good.len / 2), TF_INVALID_ARGUMENT, "truncated");
  // Only the section table is gone: loadable, but nothing is known about its symbols.
  dvt_elf elf;
  size_t cursor = 0;
  dvt_str name;
  Elf64_Ehdr header;
  memcpy(&header, good.data, sizeof header);
  assert_ok(dvt_file_write(file_path, dvt_str_make(good.data, (size_t)header.e_shoff)));
  assert_ok(dvt_elf_open(file_path, &elf));
  assert_false(dvt_elf_defines(&elf, "use"));
  assert_false(dvt_elf_next_undefined(&elf, &cursor, &name));
  dvt_elf_close(&elf);
}

// Garbled files: any answer, no wild access (the sanitizers watch).
static void test_garbled(void **state) {
  (void)state;
  dvt_buf copy = {0};
  uint64_t random = 1;
  for (int round = 0; round < 300; round++) {
    dvt_buf_clear(&copy);
    dvt_buf_append_str(&copy, dvt_buf_str(&good));
    for (int k = 0; k < 40; k++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      size_t at = (random >> 33) % (round % 2 ? 200 : copy.len);
      copy.data[at < 20 ? at + 20 : at] = (char)(random >> 20);  // keep the identity: it is tested above
    }
    assert_ok(dvt_file_write(file_path, dvt_buf_str(&copy)));
    dvt_elf elf;
    dvt_status status = dvt_elf_open(file_path, &elf);
    if (!status) {
      size_t cursor = 0;
      dvt_str name;
      while (dvt_elf_next_undefined(&elf, &cursor, &name)) assert_true(name.len > 0);
      cursor = 0;
      while (dvt_elf_next_needed(&elf, &cursor, &name)) assert_true(name.len > 0);
      dvt_elf_defines(&elf, "use");
      dvt_elf_close(&elf);
    }
    dvt_status_free(status);
  }
  dvt_buf_deinit(&copy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_good_library),
      cmocka_unit_test(test_isa_level_of_notes),
      cmocka_unit_test(test_file_for_a_later_cpu),
      cmocka_unit_test(test_not_a_library),
      cmocka_unit_test(test_other_machines),
      cmocka_unit_test(test_truncated),
      cmocka_unit_test(test_garbled),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
