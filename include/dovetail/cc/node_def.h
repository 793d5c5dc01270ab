// def() of a kernel and of its construction: the node as a NodeDef, parsed when it is first asked for; and
// what follows from it on a host that does not tell a kernel the types of its arguments.
#ifndef DOVETAIL_CC_NODE_DEF_H_
#define DOVETAIL_CC_NODE_DEF_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dovetail/cc/node_def_util.h"
#include "dovetail/cc/op_args.h"
#include "dovetail/cc/op_kernel.h"
#include "dovetail/cc/proto.h"

DVT_CC_BEGIN
namespace tensorflow {
namespace dvt {

inline const NodeDef &ParsedDef(StringPiece bytes, std::shared_ptr<void> *parsed) {
  static std::mutex mu;
  std::lock_guard<std::mutex> lock(mu);
  if (!*parsed) {
    auto node = std::make_shared<NodeDef>();
    node->ParseFromString(bytes);
    *parsed = node;
  }
  return *static_cast<const NodeDef *>(parsed->get());
}

// The dtypes of a node's arguments as its op and its attributes settle them, for hosts that do not tell a
// kernel of them. Known for the ops that the plugin itself registers.
inline bool ResolveArg(const AttrSlice &attrs, const OpArg &arg, std::vector<DataType> *types) {
  std::string type_name = arg.type;
  const bool ref = type_name.compare(0, 4, "Ref(") == 0;
  if (ref) type_name = type_name.substr(4, type_name.size() - 5);
  DataType type = DT_INVALID;
  int count = 1;
  if (TryGetNodeAttr(attrs, type_name, types)) return arg.length.empty();
  if (!TryGetNodeAttr(attrs, type_name, &type) && !DataTypeFromString(type_name, &type)) return false;
  if (!arg.length.empty() && !TryGetNodeAttr(attrs, arg.length, &count)) return false;
  types->assign(static_cast<size_t>(count), ref ? MakeRefType(type) : type);
  return true;
}

inline bool ResolveArgs(const NodeDef &node, bool outputs, std::vector<DataType> *types) {
  const auto op = OwnOps()->find(node.op());
  if (op == OwnOps()->end()) return false;
  for (const OpArg &arg : outputs ? op->second->outputs() : op->second->inputs()) {
    std::vector<DataType> each;
    if (!ResolveArg(AttrSlice(node), arg, &each)) return false;
    types->insert(types->end(), each.begin(), each.end());
  }
  return true;
}

}  // namespace dvt

inline DataType OpKernelConstruction::TypeOf(bool output, int i) const {
  TF_Status *s = dvt::ScratchStatus();
  const auto type = static_cast<DataType>(
      (output ? TF_OpKernelConstruction_OutputType : TF_OpKernelConstruction_InputType)(ctx_, i, s));
  const Status status = dvt::TakeStatus(s);
  if (status.ok()) return type;
  std::vector<DataType> types;
  const bool known = status.code() == error::UNIMPLEMENTED && dvt::ResolveArgs(def(), output, &types) &&
                     i >= 0 && static_cast<size_t>(i) < types.size();
  if (!known) dvt::Fail(status);
  return types[static_cast<size_t>(i)];
}

inline const NodeDef &OpKernel::def() const { return dvt::ParsedDef(serialized_def(), &parsed_def_); }
inline const NodeDef &OpKernelConstruction::def() const {
  return dvt::ParsedDef(serialized_def(), &parsed_def_);
}

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_NODE_DEF_H_
