// Protocol buffers' wire format, as far as messages about nodes need it: a reader that walks the fields of
// one message and a writer that appends fields to a string. The messages themselves are in proto.h.
#ifndef DOVETAIL_CC_WIRE_H_
#define DOVETAIL_CC_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "dovetail/cc/base.h"

DVT_CC_BEGIN

namespace tensorflow {
namespace dvt {

// Walks one message: Next() steps to a field, then field() tells its number and one of the values is asked
// for. What is malformed ends the walk, and ok() is then false.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes)
      : at_(reinterpret_cast<const unsigned char *>(bytes.data())), end_(at_ + bytes.size()) {}

  bool Next() {
    if (at_ == end_ || !ok_) return false;
    const uint64_t key = ReadVarint();
    field_ = static_cast<int>(key >> 3);
    switch (key & 7) {
      case 0:
        number_ = ReadVarint();
        break;
      case 1:
        number_ = ReadFixed(8);
        break;
      case 2:
        ReadBytes();
        break;
      case 5:
        number_ = ReadFixed(4);
        break;
      default:
        ok_ = false;
    }
    packed_ = (key & 7) == 2;
    return ok_;
  }

  bool ok() const { return ok_; }
  int field() const { return field_; }
  // Whether the field has a length: a string, a message, or many numbers in one.
  bool packed() const { return packed_; }
  std::string_view bytes() const { return bytes_; }
  std::string str() const { return std::string(bytes_); }
  uint64_t number() const { return number_; }
  float float32() const {
    const uint32_t bits = static_cast<uint32_t>(number_);
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  double float64() const {
    double value;
    std::memcpy(&value, &number_, sizeof value);
    return value;
  }

  // Calls `take` for each number of the field, which may be packed or not; `width` is 0 for varints, else 4
  // or 8.
  template <typename Take>
  void Numbers(int width, Take take) {
    if (!packed_) {
      take(*this);
      return;
    }
    WireReader inner(bytes_);
    while (inner.ok_ && inner.at_ != inner.end_) {
      inner.number_ = width ? inner.ReadFixed(width) : inner.ReadVarint();
      if (inner.ok_) take(inner);
    }
    ok_ = ok_ && inner.ok_;
  }

 private:
  uint64_t ReadVarint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) break;
      const unsigned char byte = *at_++;
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (!(byte & 0x80)) return value;
    }
    ok_ = false;
    return 0;
  }

  uint64_t ReadFixed(int width) {
    if (end_ - at_ < width) {
      ok_ = false;
      at_ = end_;
      return 0;
    }
    uint64_t value = 0;
    for (int i = 0; i < width; ++i) value |= static_cast<uint64_t>(at_[i]) << (8 * i);
    at_ += width;
    return value;
  }

  void ReadBytes() {
    const uint64_t size = ReadVarint();
    if (!ok_ || size > static_cast<uint64_t>(end_ - at_)) {
      ok_ = false;
      return;
    }
    bytes_ = std::string_view(reinterpret_cast<const char *>(at_), static_cast<size_t>(size));
    at_ += size;
  }

  const unsigned char *at_;
  const unsigned char *end_;
  bool ok_ = true;
  bool packed_ = false;
  int field_ = 0;
  uint64_t number_ = 0;
  std::string_view bytes_;
};

// Appends fields to a message.
class WireWriter {
 public:
  void Varint(int field, uint64_t value) {
    Raw(static_cast<uint64_t>(field) << 3);
    Raw(value);
  }
  void Bytes(int field, std::string_view bytes) {
    Raw(static_cast<uint64_t>(field) << 3 | 2);
    Raw(bytes.size());
    out_.append(bytes.data(), bytes.size());
  }
  void Float(int field, float value) {
    Raw(static_cast<uint64_t>(field) << 3 | 5);
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 4; ++i) out_.push_back(static_cast<char>(bits >> (8 * i)));
  }
  std::string Take() { return std::move(out_); }

 private:
  void Raw(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<char>(value | 0x80));
    out_.push_back(static_cast<char>(value));
  }

  std::string out_;
};

}  // namespace dvt
}  // namespace tensorflow

DVT_CC_END

#endif  // DOVETAIL_CC_WIRE_H_
