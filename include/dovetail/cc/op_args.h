// The arguments of an op as its registration spells them, and which inputs and outputs of a node each stands
// for. Hosts that do not tell (stock) are answered from the spelling, as far as the number of inputs settles
// it.
#ifndef DOVETAIL_CC_OP_ARGS_H_
#define DOVETAIL_CC_OP_ARGS_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dovetail/cc/base.h"

DVT_CC_BEGIN
namespace tensorflow {
namespace dvt {

// One input or output: "values: N * T" has the name "values", the type "T" and the length "N".
struct OpArg {
  std::string name;
  std::string type;
  std::string length;
};

class OpArgs {
 public:
  void AddAttr(StringPiece spec) {
    const size_t colon = spec.find(':');
    if (colon == StringPiece::npos) return;
    const std::string type = Trim(spec.substr(colon + 1));
    if (type.compare(0, 10, "list(type)") == 0 || type.compare(0, 6, "list({") == 0) {
      type_lists_.push_back(Trim(spec.substr(0, colon)));
    }
  }
  void AddInput(StringPiece spec) { inputs_.push_back(Parse(spec)); }
  void AddOutput(StringPiece spec) { outputs_.push_back(Parse(spec)); }

  // The positions [start, stop) of argument `name` of a node with `num_inputs` inputs; false when they cannot
  // be told.
  bool InputRange(StringPiece name, int num_inputs, int *start, int *stop) const {
    return Range(inputs_, name, num_inputs, start, stop);
  }
  bool OutputRange(StringPiece name, int num_inputs, int *start, int *stop) const {
    return Range(outputs_, name, num_inputs, start, stop);
  }
  const std::vector<OpArg> &inputs() const { return inputs_; }
  const std::vector<OpArg> &outputs() const { return outputs_; }
  std::vector<std::string> output_names() const {
    std::vector<std::string> names;
    for (const OpArg &arg : outputs_) names.push_back(arg.name);
    return names;
  }
  // -1 when it cannot be told.
  int NumOutputs(int num_inputs) const {
    int total = 0;
    for (const OpArg &arg : outputs_) {
      const int count = Count(arg, num_inputs);
      if (count < 0) return -1;
      total += count;
    }
    return total;
  }

 private:
  static std::string Trim(StringPiece text) {
    const size_t start = text.find_first_not_of(" \t\n");
    if (start == StringPiece::npos) return "";
    return std::string(text.substr(start, text.find_last_not_of(" \t\n") - start + 1));
  }

  OpArg Parse(StringPiece spec) const {
    const size_t colon = spec.find(':');
    OpArg arg;
    arg.name = Trim(spec.substr(0, colon));
    if (colon == StringPiece::npos) return arg;
    const std::string type = Trim(spec.substr(colon + 1));
    const size_t star = type.find('*');
    if (star != std::string::npos) arg.length = Trim(StringPiece(type).substr(0, star));
    arg.type = star == std::string::npos ? type : Trim(StringPiece(type).substr(star + 1));
    return arg;
  }

  // The attribute that tells the length of a list; empty for a single value. Attributes may follow the
  // arguments.
  std::string Length(const OpArg &arg) const {
    if (!arg.length.empty()) return arg.length;
    for (const std::string &list : type_lists_) {
      if (list == arg.type) return list;
    }
    return arg.length;
  }

  // Elements of `arg`: the inputs that are not single all go to one attribute, or it cannot be told.
  int Count(const OpArg &arg, int num_inputs) const {
    const std::string length = Length(arg);
    if (length.empty()) return 1;
    int single = 0, lists = 0;
    for (const OpArg &input : inputs_) {
      const std::string other = Length(input);
      if (other.empty()) {
        ++single;
      } else if (other == length) {
        ++lists;
      } else {
        return -1;
      }
    }
    const int rest = num_inputs - single;
    return lists && rest >= 0 && rest % lists == 0 ? rest / lists : -1;
  }

  bool Range(const std::vector<OpArg> &args, StringPiece name, int num_inputs, int *start, int *stop) const {
    int at = 0;
    for (const OpArg &arg : args) {
      const int count = Count(arg, num_inputs);
      if (count < 0) return false;
      if (StringPiece(arg.name) == name) {
        *start = at;
        *stop = at + count;
        return true;
      }
      at += count;
    }
    return false;
  }

  std::vector<OpArg> inputs_;
  std::vector<OpArg> outputs_;
  std::vector<std::string> type_lists_;
};

// The arguments of the ops that this plugin registers, by name. Filled while the plugin is loaded.
inline std::map<std::string, const OpArgs *> *OwnOps() {
  static auto *const ops = new std::map<std::string, const OpArgs *>();
  return ops;
}

}  // namespace dvt
}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_OP_ARGS_H_
