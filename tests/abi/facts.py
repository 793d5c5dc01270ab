"""Facts about the stock C ABI: prototypes, enum values, struct layouts.

signatures_facts.tsv is the table this repository tests itself with. Its rows are
  proto   header  name  prototype          const   header  name    value
  inline  header  name  prototype          enum    header  name    value
  struct  header  name  size     align     field   header  struct.field  offset  size
Where the collection it was made from lies beside the checkout (../shared/facts), read_signatures() reads that as
well, so that the test can say when the two differ.
"""

import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "signatures_facts.tsv")

# Enums are listed in the collection without the prefix of their constants, or in prose.
SHORT_ENUMS = {"TF_AttrType": ("tensorflow/c/tf_attrtype.h", "TF_ATTR_"),
               "SE_EventStatus": ("tensorflow/c/experimental/stream_executor/stream_executor.h", "SE_EVENT_"),
               "TF_LogLevel": ("tensorflow/c/logging.h", "TF_"),
               "TFE_ContextDevicePlacementPolicy": ("tensorflow/c/eager/c_api.h", "TFE_DEVICE_PLACEMENT_")}
CTSTRING = "tsl/platform/ctstring_internal.h"


def read_table():
    with open(TABLE, encoding="utf-8") as file:
        return [tuple(line.rstrip("\n").split("\t")) for line in file if line.strip() and not line.startswith("#")]


def read_headers_of(symbols_path):
    """{function: header that declares it in stock}."""
    with open(symbols_path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    return {row[0]: row[1] for row in rows[1:]}


def enum_rows(text):
    block = text[text.index("## enum TF_DataType"):text.index("## enum TF_Code")]
    listing = "\n".join(line for line in block.split("\n") if not line.startswith("#"))
    for value, name in re.findall(r"(\d+) (TF_\w+)", listing):
        yield "enum", "tensorflow/c/tf_datatype.h", name, value
    for value, name in re.findall(r"(\d+) TF_\w+ \(= (TF_\w+)\)", listing):
        yield "enum", "tensorflow/c/tf_datatype.h", name, value
    codes = text[text.index("## enum TF_Code"):text.index("## other enums")]
    for value, name in re.findall(r"(\d+) ([A-Z_]+)\b", codes.split("#", 3)[2].split("\n", 1)[1]):
        yield "enum", "xla/tsl/c/tsl_status.h", "TSL_" + name, value
        yield "enum", "tensorflow/c/tf_status.h", "TF_" + name, value
    for line in text[text.index("## other enums"):text.index("## TF_TString:")].split("\n"):
        kind = line.split(":")[0].split(" ")[0]
        if kind in SHORT_ENUMS:
            header, prefix = SHORT_ENUMS[kind]
            for value, name in re.findall(r"(\d) ([A-Z]\w*)", line.split(":", 1)[1]):
                yield "enum", header, prefix + name, value
        if kind == "TF_TString_Type":
            for value, name in re.findall(r"(\d) (TF_\w+)", line):
                yield "enum", CTSTRING, name, value


def struct_rows(text):
    header = struct = None
    for line in text[text.index("## struct layouts"):text.index("## tensor (16)")].split("\n"):
        if match := re.match(r"# ([\w/]+\.h)$", line):
            header = match.group(1)
        elif match := re.match(r"struct (\w+) size=(\d+) align=(\d+)", line):
            struct = match.group(1)
            yield "struct", header, struct, match.group(2), match.group(3)
        elif match := re.match(r" +\+(\d+) +(\w+) \((\d+)\)", line):
            yield "field", header, f"{struct}.{match.group(2)}", match.group(1), match.group(3)
        elif match := re.match(r"  (\w+) = (\d+)$", line):
            yield "const", header, match.group(1), match.group(2)


def prototype_rows(text, headers):
    for match in re.finditer(r"^(?!#)(.*?(\w+)\(.*\));  // (inline)?", text[text.index("## tensor (16)"):], re.M):
        prototype, _, inline = match.groups()
        name = re.match(r".*?(\w+)\(", prototype).group(1)
        yield "inline" if inline else "proto", CTSTRING if inline else headers.get(name, ""), name, prototype
    entry = text[text.index("## entry points"):text.index("## enum TF_DataType")]
    for prototype, name, header in re.findall(r"^(\S.*?(\w+)\(.*\)); +/\* (\w+\.h)", entry, re.M):
        full = headers.get(name, "")
        if full.endswith(header) and name != "TF_InitKernel":
            yield "proto", full, name, prototype


def read_signatures(folder):
    """The rows of ../shared/facts/signatures.txt, or None where it is not there."""
    path = os.path.join(folder, "signatures.txt")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        text = file.read()
    headers = read_headers_of(os.path.join(folder, "abi_symbols.tsv"))
    return list(enum_rows(text)) + list(struct_rows(text)) + list(prototype_rows(text, headers))
