// Layouts of images and filters: which axis of a tensor is batch, channels, height and width, for each format
// that an attribute like data_format names.
#ifndef DOVETAIL_CC_TENSOR_FORMAT_H_
#define DOVETAIL_CC_TENSOR_FORMAT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "dovetail/cc/logging.h"
#include "dovetail/cc/span.h"
#include "dovetail/cc/tensor.h"
#include "dovetail/cc/tensor_shape.h"

DVT_CC_BEGIN
namespace tensorflow {

enum TensorFormat {
  FORMAT_NHWC = 0,
  FORMAT_NCHW = 1,
  FORMAT_NCHW_VECT_C = 2,  // four channels in a last axis of their own
  FORMAT_NHWC_VECT_W = 3,  // four columns in a last axis of their own
  FORMAT_HWNC = 4,
  FORMAT_HWCN = 5,
};

enum FilterTensorFormat {
  FORMAT_HWIO = 0,
  FORMAT_OIHW = 1,
  FORMAT_OHWI = 2,
  FORMAT_OIHW_VECT_I = 3,  // four input channels in a last axis of their own
};

namespace dvt {

// Where a format has its axes; negative positions count from the end. For a filter, batch stands for the
// output channels and feature for the input channels.
struct AxisLayout {
  const char *name;
  int batch;
  int feature;
  int first_spatial;
  int inner;  // axes at the end that repeat one before
};

inline const AxisLayout &LayoutOf(TensorFormat format) {
  static constexpr AxisLayout layouts[] = {
      {"NHWC", 0, -1, 1, 0},        {"NCHW", 0, 1, 2, 0},   {"NCHW_VECT_C", 0, 1, 2, 1},
      {"NHWC_VECT_W", 0, -2, 1, 1}, {"HWNC", -2, -1, 0, 0}, {"HWCN", -1, -2, 0, 0},
  };
  CHECK(format >= FORMAT_NHWC && format <= FORMAT_HWCN) << "Unknown format " << static_cast<int>(format);
  return layouts[format];
}

inline const AxisLayout &LayoutOf(FilterTensorFormat format) {
  static constexpr AxisLayout layouts[] = {
      {"HWIO", -1, -2, 0, 0}, {"OIHW", 0, 1, 2, 0}, {"OHWI", 0, -1, 1, 0}, {"OIHW_VECT_I", 0, 1, 2, 1}};
  CHECK(format >= FORMAT_HWIO && format <= FORMAT_OIHW_VECT_I)
      << "Unknown format " << static_cast<int>(format);
  return layouts[format];
}

inline int FromStart(int axis, int rank) { return axis < 0 ? rank + axis : axis; }

// The axis that `letter` names, of a tensor with `rank` axes: '0', '1', '2' are the spatial ones in their
// order, H and W the last two of them.
inline int AxisOf(const AxisLayout &layout, char batch, char feature, char letter, int rank) {
  const int spatial = rank - 2 - layout.inner;
  if (letter == batch) return FromStart(layout.batch, rank);
  if (letter == feature) return FromStart(layout.feature, rank);
  if (letter == 'H') return layout.first_spatial + spatial - 2;
  if (letter == 'W') return layout.first_spatial + spatial - 1;
  CHECK(letter >= '0' && letter <= '2') << "Invalid dimension: " << letter;
  return layout.first_spatial + (letter - '0');
}

}  // namespace dvt

inline std::string ToString(TensorFormat format) { return dvt::LayoutOf(format).name; }
inline std::string ToString(FilterTensorFormat format) { return dvt::LayoutOf(format).name; }

inline bool FormatFromString(StringPiece text, TensorFormat *format) {
  for (int i = FORMAT_NHWC; i <= FORMAT_HWCN; ++i) {
    if (text != dvt::LayoutOf(static_cast<TensorFormat>(i)).name) continue;
    *format = static_cast<TensorFormat>(i);
    return true;
  }
  if (text != "NDHWC" && text != "NCDHW") return false;
  *format = text == "NDHWC" ? FORMAT_NHWC : FORMAT_NCHW;
  return true;
}

inline bool FilterFormatFromString(StringPiece text, FilterTensorFormat *format) {
  for (int i = FORMAT_HWIO; i <= FORMAT_OIHW_VECT_I; ++i) {
    if (text != dvt::LayoutOf(static_cast<FilterTensorFormat>(i)).name) continue;
    *format = static_cast<FilterTensorFormat>(i);
    return true;
  }
  if (text != "DHWIO" && text != "OIDHW") return false;
  *format = text == "DHWIO" ? FORMAT_HWIO : FORMAT_OIHW;
  return true;
}

// ---- ranks ----

inline int GetTensorSpatialDims(int num_dims, TensorFormat format) {
  return num_dims - 2 - dvt::LayoutOf(format).inner;
}
inline int GetFilterTensorSpatialDims(int num_dims, FilterTensorFormat format) {
  return num_dims - 2 - dvt::LayoutOf(format).inner;
}
inline int GetTensorDimsFromSpatialDims(int num_spatial_dims, TensorFormat format) {
  return num_spatial_dims + 2 + dvt::LayoutOf(format).inner;
}
inline int GetFilterTensorDimsFromSpatialDims(int num_spatial_dims, FilterTensorFormat format) {
  return num_spatial_dims + 2 + dvt::LayoutOf(format).inner;
}

// ---- axes ----

inline int GetTensorBatchDimIndex(int num_dims, TensorFormat format) {
  return dvt::FromStart(dvt::LayoutOf(format).batch, num_dims);
}
inline int GetTensorFeatureDimIndex(int num_dims, TensorFormat format) {
  return dvt::FromStart(dvt::LayoutOf(format).feature, num_dims);
}
inline int GetTensorInnerFeatureDimIndex(int num_dims, TensorFormat) { return num_dims - 1; }
inline int GetTensorInnerWidthDimIndex(int num_dims, TensorFormat) { return num_dims - 1; }
inline int GetTensorSpatialDimIndex(int num_dims, TensorFormat format, int spatial_dim) {
  CHECK(spatial_dim >= 0 && spatial_dim < GetTensorSpatialDims(num_dims, format))
      << spatial_dim << " " << num_dims << " " << ToString(format);
  return dvt::LayoutOf(format).first_spatial + spatial_dim;
}
inline int GetFilterTensorSpatialDimIndex(int num_dims, FilterTensorFormat format, int dim) {
  CHECK(dim >= 0 && dim < GetFilterTensorSpatialDims(num_dims, format))
      << dim << " " << num_dims << " " << ToString(format);
  return dvt::LayoutOf(format).first_spatial + dim;
}
inline int GetFilterTensorInnerInputChannelsDimIndex(int num_dims, FilterTensorFormat) {
  return num_dims - 1;
}
inline int GetFilterTensorInputChannelsDimIndex(int num_dims, FilterTensorFormat format) {
  return dvt::FromStart(dvt::LayoutOf(format).feature, num_dims);
}
inline int GetFilterTensorOutputChannelsDimIndex(int num_dims, FilterTensorFormat format) {
  return dvt::FromStart(dvt::LayoutOf(format).batch, num_dims);
}

template <int NUM_SPATIAL_DIMS>
int32 GetTensorDimIndex(TensorFormat format, char dimension) {
  return dvt::AxisOf(dvt::LayoutOf(format), 'N', 'C', dimension,
                     GetTensorDimsFromSpatialDims(NUM_SPATIAL_DIMS, format));
}
inline int32 GetTensorDimIndex(TensorFormat format, char dimension) {
  return GetTensorDimIndex<2>(format, dimension);
}
inline int32 GetTensorDimIndex(TensorFormat format, char dimension, int num_total_dims) {
  const int32 index = dvt::AxisOf(dvt::LayoutOf(format), 'N', 'C', dimension, num_total_dims);
  CHECK(index >= 0 && index < num_total_dims)
      << "Invalid index from the dimension: " << index << ", " << ToString(format) << ", " << dimension;
  return index;
}
template <int NUM_SPATIAL_DIMS>
int GetFilterDimIndex(FilterTensorFormat format, char dimension) {
  return dvt::AxisOf(dvt::LayoutOf(format), 'O', 'I', dimension,
                     GetFilterTensorDimsFromSpatialDims(NUM_SPATIAL_DIMS, format));
}

// ---- what lies along an axis ----

template <class T>
T GetTensorDim(gtl::ArraySlice<T> attributes, TensorFormat format, char dimension) {
  return attributes[static_cast<size_t>(
      GetTensorDimIndex(format, dimension, static_cast<int>(attributes.size())))];
}
template <class T>
T GetTensorDim(const std::vector<T> &attributes, TensorFormat format, char dimension) {
  return GetTensorDim(gtl::ArraySlice<T>(attributes), format, dimension);
}
inline int64_t GetTensorDim(const TensorShape &shape, TensorFormat format, char dimension) {
  return shape.dim_size(GetTensorDimIndex(format, dimension, shape.dims()));
}
inline int64_t GetTensorDim(const Tensor &tensor, TensorFormat format, char dimension) {
  return GetTensorDim(tensor.shape(), format, dimension);
}

template <class T>
T GetFilterDim(gtl::ArraySlice<T> attributes, FilterTensorFormat format, char dimension) {
  const int rank = static_cast<int>(attributes.size());
  const int index = dvt::AxisOf(dvt::LayoutOf(format), 'O', 'I', dimension, rank);
  CHECK(index >= 0 && index < rank) << "Invalid index from the dimension: " << index << ", "
                                    << ToString(format) << ", " << dimension;
  return attributes[static_cast<size_t>(index)];
}
inline int64_t GetFilterDim(const TensorShape &shape, FilterTensorFormat format, char dimension) {
  return shape.dim_size(dvt::AxisOf(dvt::LayoutOf(format), 'O', 'I', dimension, shape.dims()));
}
inline int64_t GetFilterDim(const Tensor &tensor, FilterTensorFormat format, char dimension) {
  return GetFilterDim(tensor.shape(), format, dimension);
}

inline void GetExplicitPaddingForDim(const std::vector<int64_t> &explicit_paddings, TensorFormat format,
                                     char dimension, int64_t *padding_before, int64_t *padding_after) {
  const int rank = static_cast<int>(explicit_paddings.size() / 2);
  const size_t at = static_cast<size_t>(GetTensorDimIndex(format, dimension, rank));
  *padding_before = explicit_paddings[2 * at];
  *padding_after = explicit_paddings[2 * at + 1];
}

// ---- attributes ----

inline std::string GetConvnetDataFormatAttrString() { return "data_format: { 'NHWC', 'NCHW' } = 'NHWC' "; }
inline std::string GetConvnet3dDataFormatAttrString() {
  return "data_format: { 'NDHWC', 'NCDHW' } = 'NDHWC' ";
}
inline std::string GetConvnetDataFormat2D3DAttrString() {
  return "data_format: { 'NHWC', 'NCHW', 'NDHWC', 'NCDHW' } = 'NHWC' ";
}
inline std::string GetConvnetFilterFormatAttrString() {
  return "filter_format: { 'HWIO', 'OIHW' } = 'HWIO' ";
}
inline std::string GetConvnet3dFilterFormatAttrString() {
  return "filter_format: { 'DHWIO', 'OIDHW' } = 'DHWIO' ";
}

// ---- shapes ----

inline Status ShapeFromFormatWithStatus(TensorFormat format, int64_t N, gtl::ArraySlice<int64_t> spatial,
                                        int64_t C, TensorShape *shape) {
  const int count = static_cast<int>(spatial.size()), rank = GetTensorDimsFromSpatialDims(count, format);
  std::vector<int64_t> sizes(static_cast<size_t>(rank), 4);
  const auto at = [&sizes](int i) -> int64_t & { return sizes[static_cast<size_t>(i)]; };
  at(GetTensorBatchDimIndex(rank, format)) = N;
  for (int i = 0; i < count; ++i)
    at(GetTensorSpatialDimIndex(rank, format, i)) = spatial[static_cast<size_t>(i)];
  at(GetTensorFeatureDimIndex(rank, format)) = C;
  int64_t *divided = format == FORMAT_NCHW_VECT_C   ? &at(GetTensorFeatureDimIndex(rank, format))
                     : format == FORMAT_NHWC_VECT_W ? &at(GetTensorSpatialDimIndex(rank, format, count - 1))
                                                    : nullptr;
  if (divided != nullptr) {
    CHECK_EQ(0, *divided % 4) << ToString(format) << " divides an axis by 4, but it has " << *divided;
    *divided /= 4;
  }
  return TensorShapeUtils::MakeShape(sizes, shape);
}
inline TensorShape ShapeFromFormat(TensorFormat format, int64_t N, gtl::ArraySlice<int64_t> spatial,
                                   int64_t C) {
  TensorShape shape;
  TF_CHECK_OK(ShapeFromFormatWithStatus(format, N, spatial, C, &shape));
  return shape;
}
inline Status ShapeFromFormatWithStatus(TensorFormat format, int64_t N, int64_t H, int64_t W, int64_t C,
                                        TensorShape *shape) {
  return ShapeFromFormatWithStatus(format, N, {H, W}, C, shape);
}
inline TensorShape ShapeFromFormat(TensorFormat format, int64_t N, int64_t H, int64_t W, int64_t C) {
  return ShapeFromFormat(format, N, {H, W}, C);
}

inline Status ShapeFromFormatWithStatus(TensorFormat dst_format, const TensorShape &src_shape,
                                        TensorFormat src_format, TensorShape *shape) {
  const int rank = src_shape.dims();
  std::vector<int64_t> spatial;
  for (int i = 0; i < GetTensorSpatialDims(rank, src_format); ++i) {
    spatial.push_back(src_shape.dim_size(GetTensorSpatialDimIndex(rank, src_format, i)));
  }
  if (src_format == FORMAT_NHWC_VECT_W) spatial.back() *= 4;
  const int64_t channels =
      GetTensorDim(src_shape, src_format, 'C') * (src_format == FORMAT_NCHW_VECT_C ? 4 : 1);
  return ShapeFromFormatWithStatus(dst_format, GetTensorDim(src_shape, src_format, 'N'),
                                   gtl::ArraySlice<int64_t>(spatial), channels, shape);
}
inline TensorShape ShapeFromFormat(TensorFormat dst_format, const TensorShape &src_shape,
                                   TensorFormat src_format) {
  TensorShape shape;
  TF_CHECK_OK(ShapeFromFormatWithStatus(dst_format, src_shape, src_format, &shape));
  return shape;
}

inline TensorShape ShapeFromFilterTensorFormat(FilterTensorFormat format, gtl::ArraySlice<int64_t> spatial,
                                               int64_t I, int64_t O) {
  const int count = static_cast<int>(spatial.size()),
            rank = GetFilterTensorDimsFromSpatialDims(count, format);
  std::vector<int64_t> sizes(static_cast<size_t>(rank), 4);
  const auto at = [&sizes](int i) -> int64_t & { return sizes[static_cast<size_t>(i)]; };
  at(GetFilterTensorOutputChannelsDimIndex(rank, format)) = O;
  for (int i = 0; i < count; ++i)
    at(GetFilterTensorSpatialDimIndex(rank, format, i)) = spatial[static_cast<size_t>(i)];
  const int64_t inner = format == FORMAT_OIHW_VECT_I ? 4 : 1;
  CHECK_EQ(0, I % inner) << ToString(format) << " divides the input channels by 4, but there are " << I;
  at(GetFilterTensorInputChannelsDimIndex(rank, format)) = I / inner;
  return TensorShape(gtl::ArraySlice<int64_t>(sizes));
}
inline TensorShape ShapeFromFilterTensorFormat(FilterTensorFormat format, int64_t H, int64_t W, int64_t I,
                                               int64_t O) {
  return ShapeFromFilterTensorFormat(format, {H, W}, I, O);
}

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_TENSOR_FORMAT_H_
