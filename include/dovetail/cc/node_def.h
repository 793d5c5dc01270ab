// def() of a kernel and of its construction: the node as a NodeDef, parsed when it is first asked for.
#ifndef DOVETAIL_CC_NODE_DEF_H_
#define DOVETAIL_CC_NODE_DEF_H_

#include <memory>
#include <mutex>

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

}  // namespace dvt

inline const NodeDef &OpKernel::def() const { return dvt::ParsedDef(serialized_def(), &parsed_def_); }
inline const NodeDef &OpKernelConstruction::def() const {
  return dvt::ParsedDef(serialized_def(), &parsed_def_);
}

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_NODE_DEF_H_
