#!/usr/bin/env python3
"""Splits one object file into archive members, one for each global function with the sections that it reaches.

  split_object.py --object FILE --out FOLDER

A linker takes whole members out of an archive: with one member a function, a plugin holds the trampolines of the functions
that it uses and no others, whatever options it is linked with. Compiling some 750 files would take the compiler 20
seconds; splitting takes half a second. The input is a 64-bit little-endian ELF relocatable compiled with -ffunction-sections
-fdata-sections. Every symbol it defines becomes hidden; a section `name.suffix` whose suffix is a function becomes `name`.
"""

import argparse
import os
import re
import struct
import sys

SHT_SYMTAB, SHT_STRTAB, SHT_RELA = 2, 3, 4
SHF_ALLOC, SHF_INFO_LINK = 2, 0x40
STT_FUNC, STT_SECTION, STB_LOCAL, STB_GLOBAL, STV_HIDDEN = 2, 3, 0, 1, 2
SECTION, SYMBOL, RELA = "<IIQQQQIIQQ", "<IBBHQQ", "<QQq"


class Strings:
    """A string table under construction."""

    def __init__(self):
        self.data, self.offsets = b"\0", {"": 0}

    def add(self, name):
        if name not in self.offsets:
            self.offsets[name] = len(self.data)
            self.data += name.encode() + b"\0"
        return self.offsets[name]


class Object:
    def __init__(self, data):
        if data[:6] != b"\x7fELF\x02\x01":
            raise ValueError("not a 64-bit little-endian ELF file")
        self.data = data
        self.flags = struct.unpack_from("<I", data, 48)[0]
        offset, = struct.unpack_from("<Q", data, 40)
        size, count, names = struct.unpack_from("<HHH", data, 58)
        if count == 0:  # more sections than the field holds: the first section tells
            first = struct.unpack_from(SECTION, data, offset)
            count, names = first[5], (first[6] if names == 0xFFFF else names)
        self.sections = [struct.unpack_from(SECTION, data, offset + i * size) for i in range(count)]
        table = self.content(names)
        self.names = [self.text(table, s[0]) for s in self.sections]
        symtab = next(i for i, s in enumerate(self.sections) if s[1] == SHT_SYMTAB)
        strings = self.content(self.sections[symtab][6])
        self.symbols = [(self.text(strings, s[0]),) + s[1:] for s in struct.iter_unpack(SYMBOL, self.content(symtab))]
        extended = next((i for i, s in enumerate(self.sections) if s[1] == 18), None)  # SHT_SYMTAB_SHNDX
        if extended is not None:
            real = struct.unpack(f"<{len(self.symbols)}I", self.content(extended))
            self.symbols = [s[:3] + (real[i] if s[3] == 0xFFFF else s[3],) + s[4:] for i, s in enumerate(self.symbols)]
        self.relocations = {}
        for i, s in enumerate(self.sections):
            if s[1] == SHT_RELA:
                self.relocations[s[7]] = [(o, info >> 32, info & 0xFFFFFFFF, addend)
                                          for o, info, addend in struct.iter_unpack(RELA, self.content(i))]

    def content(self, index):
        section = self.sections[index]
        return b"" if section[1] == 8 else self.data[section[4]:section[4] + section[5]]

    @staticmethod
    def text(table, offset):
        return table[offset:table.index(b"\0", offset)].decode()

    def is_defined(self, symbol):
        return 0 < symbol[3] < len(self.sections)

    def reached_from(self, start):
        """The sections that relocations lead to from section `start`, in order."""
        found, todo = [], [start]
        while todo:
            section = todo.pop()
            if section in found:
                continue
            found.append(section)
            for _, symbol, _, _ in self.relocations.get(section, []):
                if self.is_defined(self.symbols[symbol]):
                    todo.append(self.symbols[symbol][3])
        return sorted(found)


def member(obj, name, section):
    """The bytes of an object file with the function `name`, which lies in `section`."""
    kept = obj.reached_from(section)
    # What marks the whole file: a stack that is not executable, control-flow protection.
    kept += [i for i, n in enumerate(obj.names) if n.startswith(".note.") and i not in kept]
    place = {old: new for new, old in enumerate(kept, 1)}
    strings, names = Strings(), Strings()
    used = {symbol for s in kept for _, symbol, _, _ in obj.relocations.get(s, [])}
    chosen = [i for i, s in enumerate(obj.symbols) if i and (i in used or (s[3] in place and s[1] & 15 != STT_SECTION))]
    chosen.sort(key=lambda i: obj.symbols[i][1] >> 4 != STB_LOCAL)
    number = {old: new for new, old in enumerate(chosen, 1)}
    symbols = [struct.pack(SYMBOL, 0, 0, 0, 0, 0, 0)]
    for i in chosen:
        text, info, other, where, value, size = obj.symbols[i]
        if obj.is_defined(obj.symbols[i]):
            where = place[where]
        symbols.append(struct.pack(SYMBOL, strings.add(text), info, STV_HIDDEN if info >> 4 == STB_GLOBAL else other,
                                   where, value, size))
    local_count = 1 + sum(obj.symbols[i][1] >> 4 == STB_LOCAL for i in chosen)

    body, table = b"", [struct.pack(SECTION, *[0] * 10)]
    symtab_index = 1 + len(kept) + sum(bool(obj.relocations.get(s)) for s in kept)

    def add(section_name, kind, flags, content, link, info, align, entry):
        nonlocal body
        body += b"\0" * (-len(body) % max(align, 1))
        table.append(struct.pack(SECTION, names.add(section_name), kind, flags, 0, 64 + len(body), len(content), link,
                                 info, align, entry))
        body += content

    suffix = re.compile(r"^([A-Za-z_]\w*)\." + re.escape(name) + "$")
    for s in kept:
        _, kind, flags, _, _, _, _, _, align, entry = obj.sections[s]
        add(suffix.sub(r"\1", obj.names[s]), kind, flags, obj.content(s), 0, 0, align, entry)
    for s in kept:
        rows = obj.relocations.get(s)
        if rows:
            content = b"".join(struct.pack(RELA, o, number[symbol] << 32 | kind, addend) for o, symbol, kind, addend in rows)
            add(".rela" + obj.names[s], SHT_RELA, SHF_INFO_LINK, content, symtab_index, place[s], 8, 24)
    add(".symtab", SHT_SYMTAB, 0, b"".join(symbols), symtab_index + 1, local_count, 8, 24)
    add(".strtab", SHT_STRTAB, 0, strings.data, 0, 0, 1, 0)
    names.add(".shstrtab")
    add(".shstrtab", SHT_STRTAB, 0, names.data, 0, 0, 1, 0)
    body += b"\0" * (-len(body) % 8)
    header = bytearray(obj.data[:64])
    struct.pack_into("<Q", header, 40, 64 + len(body))
    struct.pack_into("<I", header, 48, obj.flags)
    struct.pack_into("<HHH", header, 58, 64, len(table), len(table) - 1)
    return bytes(header) + body + b"".join(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--object", required=True)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    with open(args.object, "rb") as file:
        obj = Object(file.read())
    os.makedirs(args.out, exist_ok=True)
    written = set()
    for name, info, _, section, _, _ in obj.symbols:
        if info >> 4 == STB_GLOBAL and info & 15 == STT_FUNC and 0 < section < len(obj.sections):
            with open(os.path.join(args.out, name + ".o"), "wb") as file:
                file.write(member(obj, name, section))
            written.add(name + ".o")
    for stale in set(os.listdir(args.out)) - written:
        os.remove(os.path.join(args.out, stale))
    return 0 if written else 1


if __name__ == "__main__":
    sys.exit(main())
