// The flat positions of an op's outputs by argument name, for hosts that have no function for it: from the
// op's definition (TF_GetAllOpList) and the node's attributes, worked out once for each kernel.
#ifndef DOVETAIL_CC_OUTPUT_RANGE_H_
#define DOVETAIL_CC_OUTPUT_RANGE_H_

#include <map>
#include <string>
#include <utility>

#include "dovetail/cc/base.h"
#include "dovetail/cc/status.h"
#include "dovetail/cc/wire.h"
#include "tensorflow/c/c_api.h"

DVT_CC_BEGIN
namespace tensorflow {
namespace dvt {

// The length of attribute `name` of a serialised NodeDef: its value if it is an int, the number of its types
// if it is a list; -1 if it is neither.
inline int64 AttrLength(StringPiece node, StringPiece name) {
  for (WireReader fields(node); fields.Next();) {
    if (fields.field() != 5) continue;
    StringPiece key, value;
    for (WireReader entry(fields.bytes()); entry.Next();) {
      (entry.field() == 1 ? key : value) = entry.bytes();
    }
    if (key != name) continue;
    for (WireReader attr(value); attr.Next();) {
      if (attr.field() == 3) return static_cast<int64>(attr.number());
      if (attr.field() != 1) continue;
      int64 count = 0;
      for (WireReader list(attr.bytes()); list.Next();) {
        if (list.field() != 6) continue;
        if (!list.packed()) {
          ++count;
          continue;
        }
        // A packed run has one byte with a clear top bit for each number.
        for (char c : list.bytes()) count += (static_cast<unsigned char>(c) & 128) == 0;
      }
      return count;
    }
    return 0;
  }
  return -1;
}

typedef std::map<string, std::pair<int, int>, std::less<>> NameRanges;

// Ranges of all outputs of a node; empty when its op is not to be found.
inline NameRanges OutputRanges(StringPiece op, StringPiece node) {
  NameRanges ranges;
  TF_Buffer *all = TF_GetAllOpList();
  if (all == nullptr) return ranges;
  for (WireReader ops(StringPiece(static_cast<const char *>(all->data), all->length)); ops.Next();) {
    if (ops.field() != 1) continue;
    StringPiece def = ops.bytes(), name;
    WireReader first(def);
    if (first.Next() && first.field() == 1) name = first.bytes();
    if (name != op) continue;
    int at = 0;
    for (WireReader fields(def); fields.Next();) {
      if (fields.field() != 3) continue;
      string arg, length_attr;
      for (WireReader output(fields.bytes()); output.Next();) {
        if (output.field() == 1) arg = string(output.bytes());
        if (output.field() == 5 || output.field() == 6) length_attr = string(output.bytes());
      }
      int64 count = length_attr.empty() ? 1 : AttrLength(node, length_attr);
      int start = at;
      at += static_cast<int>(count < 0 ? 0 : count);
      ranges[arg] = {start, at};
    }
    break;
  }
  TF_DeleteBuffer(all);
  return ranges;
}

}  // namespace dvt
}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_OUTPUT_RANGE_H_
