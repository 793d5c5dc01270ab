// Padding of windows: the enumeration, its texts, and the specs of attributes that hold it.
#ifndef DOVETAIL_CC_PADDING_H_
#define DOVETAIL_CC_PADDING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "dovetail/cc/base.h"
#include "dovetail/cc/status.h"

DVT_CC_BEGIN
namespace tensorflow {

enum Padding {
  VALID = 1,     // windows lie inside
  SAME = 2,      // as many windows as elements, divided by the stride
  EXPLICIT = 3,  // an attribute tells how much
};

inline Status GetPaddingFromString(StringPiece text, Padding *value) {
  if (text == "SAME") {
    *value = SAME;
  } else if (text == "VALID") {
    *value = VALID;
  } else if (text == "EXPLICIT") {
    *value = EXPLICIT;
  } else {
    return errors::NotFound(text, " is not an allowed padding type");
  }
  return Status();
}

inline std::string GetPaddingAttrString() { return "padding: {'SAME', 'VALID'}"; }
inline std::string GetPaddingAttrStringWithExplicit() { return "padding: {'SAME', 'VALID', 'EXPLICIT'}"; }
inline std::string GetExplicitPaddingsAttrString() { return "explicit_paddings: list(int) = []"; }

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_PADDING_H_
