"""Writes plugins/text/case_table.inc: upper and lower case of all characters, from Python's own tables of Unicode.

    python3 tools/text/case_table.py > plugins/text/case_table.inc"""

import unicodedata

CODE_POINTS = [c for c in range(1, 0x110000) if not 0xD800 <= c < 0xE000]


def runs(mapping):
    """[first, last, step, delta] for {code point: code point}."""
    found = []
    for c, to in sorted(mapping.items()):
        last = found[-1] if found else None
        step = c - last[1] if last else 0
        if last and last[3] == to - c and (step == last[2] or (last[0] == last[1] and step in (1, 2))):
            last[1], last[2] = c, step
        else:
            found.append([c, c, 1, to - c])
    return found


def ranges(points):
    found = []
    for c in points:
        if found and found[-1][1] == c - 1:
            found[-1][1] = c
        else:
            found.append([c, c])
    return found


def print_table(kind, name, rows):
    print('static const %s %s[] = {' % (kind, name))
    line = '   '
    for row in rows:
        item = ' {%s},' % ', '.join('%d' % v if v < 10 else '0x%X' % v for v in row)
        if len(line) + len(item) > 110:
            print(line)
            line = '   '
        line += item
    print(line + '\n};')


def print_case(name, convert):
    changed = {c: [ord(x) for x in convert(chr(c))] for c in CODE_POINTS if convert(chr(c)) != chr(c)}
    print_table('case_run', name + '_runs', runs({c: to[0] for c, to in changed.items() if len(to) == 1}))
    longer = [[c] + (to + [0, 0])[:3] for c, to in changed.items() if len(to) > 1]
    print_table('case_long', name + '_long', longer)


def after_sigma(before):
    """Whether a capital sigma after this text is a final one."""
    return (before + '\u03a3').lower().endswith('\u03c2')


print('// Letter case in Unicode %s, written by tools/text/case_table.py; case.c tells what the' % unicodedata.unidata_version)
print('// columns are.')
print('// clang-format off')
print_case('lower', str.lower)
print_case('upper', str.upper)
# A character between a letter and the sigma keeps it final when it is cased itself or ignored; a cased one makes it final
# alone.
cased = [c for c in CODE_POINTS if after_sigma(chr(c))]
ignored = [c for c in CODE_POINTS if after_sigma('A' + chr(c)) and not after_sigma(chr(c))]
print_table('code_range', 'cased', ranges(cased))
print_table('code_range', 'ignorable', ranges(ignored))
