// TTypes: the Eigen maps that Tensor hands out.
#ifndef DOVETAIL_CC_TENSOR_TYPES_H_
#define DOVETAIL_CC_TENSOR_TYPES_H_

#include "dovetail/cc/eigen.h"

DVT_CC_BEGIN
namespace tensorflow {

template <class T, int NDIMS = 1, class IndexType = Eigen::DenseIndex>
struct TTypes {
  template <class U, int N, class I, int Alignment>
  using Map = Eigen::TensorMap<Eigen::Tensor<U, N, Eigen::RowMajor, I>, Alignment>;
  template <class U, int Alignment>
  using ScalarMap =
      Eigen::TensorMap<Eigen::TensorFixedSize<U, Eigen::Sizes<>, Eigen::RowMajor, IndexType>, Alignment>;

  typedef Map<T, NDIMS, IndexType, Eigen::Aligned> Tensor;
  typedef Map<const T, NDIMS, IndexType, Eigen::Aligned> ConstTensor;
  typedef Map<T, NDIMS, IndexType, Eigen::Unaligned> UnalignedTensor;
  typedef Map<const T, NDIMS, IndexType, Eigen::Unaligned> UnalignedConstTensor;
  typedef Map<T, NDIMS, int, Eigen::Aligned> Tensor32Bit;

  typedef ScalarMap<T, Eigen::Aligned> Scalar;
  typedef ScalarMap<const T, Eigen::Aligned> ConstScalar;
  typedef ScalarMap<T, Eigen::Unaligned> UnalignedScalar;
  typedef ScalarMap<const T, Eigen::Unaligned> UnalignedConstScalar;

  typedef Map<T, 1, IndexType, Eigen::Aligned> Flat;
  typedef Map<const T, 1, IndexType, Eigen::Aligned> ConstFlat;
  typedef Map<T, 1, IndexType, Eigen::Unaligned> UnalignedFlat;
  typedef Map<const T, 1, IndexType, Eigen::Unaligned> UnalignedConstFlat;
  typedef Flat Vec;
  typedef ConstFlat ConstVec;
  typedef UnalignedFlat UnalignedVec;
  typedef UnalignedConstFlat UnalignedConstVec;

  typedef Map<T, 2, IndexType, Eigen::Aligned> Matrix;
  typedef Map<const T, 2, IndexType, Eigen::Aligned> ConstMatrix;
  typedef Map<T, 2, IndexType, Eigen::Unaligned> UnalignedMatrix;
  typedef Map<const T, 2, IndexType, Eigen::Unaligned> UnalignedConstMatrix;
};

// The same map with 32-bit positions, which some devices compute faster with; the tensor must be small
// enough.
template <class Map>
Eigen::TensorMap<Eigen::Tensor<typename Map::Scalar, Map::NumIndices, Eigen::RowMajor, int>, Eigen::Aligned>
To32Bit(Map in) {
  Eigen::DSizes<int, Map::NumIndices> sizes;
  for (int d = 0; d < Map::NumIndices; ++d) sizes[d] = static_cast<int>(in.dimension(d));
  return {in.data(), sizes};
}

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_TENSOR_TYPES_H_
