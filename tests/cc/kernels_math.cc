// Kernels in plain TensorFlow C++: arithmetic over the types, Eigen maps and expressions, threads, lists, layouts. The file is
// compiled with Dovetail's headers and with TensorFlow's own; both must give the same values.
#define EIGEN_USE_THREADS

#include <algorithm>
#include <cmath>
#include <vector>

#include "tensorflow/core/framework/bounds_check.h"
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/lib/core/errors.h"
#include "tensorflow/core/util/tensor_format.h"
#include "tensorflow/core/util/work_sharder.h"

namespace tensorflow {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;
typedef Eigen::ThreadPoolDevice CPUDevice;

// ---- one type after another ----

REGISTER_OP("OwnAddOne")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: numbertype")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("Adds one.");

template <typename T>
class OwnAddOneOp : public OpKernel {
 public:
  explicit OwnAddOneOp(OpKernelConstruction* ctx) : OpKernel(ctx) {}
  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    auto in = x.flat<T>();
    auto out = y->template flat<T>();
    for (int64_t i = 0; i < in.size(); ++i) out(i) = in(i) + T(1);
  }
};
#define REGISTER_ADD_ONE(type) \
  REGISTER_KERNEL_BUILDER(Name("OwnAddOne").Device(DEVICE_CPU).TypeConstraint<type>("T"), OwnAddOneOp<type>);
TF_CALL_REAL_NUMBER_TYPES(REGISTER_ADD_ONE);
TF_CALL_complex64(REGISTER_ADD_ONE);
#undef REGISTER_ADD_ONE

REGISTER_OP("OwnCast")
    .Input("x: SrcT")
    .Output("y: DstT")
    .Attr("SrcT: {float, double, int32, int64, half, bfloat16, uint8}")
    .Attr("DstT: {float, double, int32, int64, half, bfloat16, uint8}")
    .SetShapeFn(shape_inference::UnchangedShape);

template <typename Src, typename Dst>
class OwnCastOp : public OpKernel {
 public:
  explicit OwnCastOp(OpKernelConstruction* ctx) : OpKernel(ctx) {}
  void Compute(OpKernelContext* ctx) override {
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, ctx->input(0).shape(), &y));
    y->flat<Dst>() = ctx->input(0).flat<Src>().template cast<Dst>();
  }
};
#define REGISTER_CAST(src, dst)                                                                            \
  REGISTER_KERNEL_BUILDER(                                                                                 \
      Name("OwnCast").Device(DEVICE_CPU).TypeConstraint<src>("SrcT").TypeConstraint<dst>("DstT"), OwnCastOp<src, dst>)
REGISTER_CAST(float, int32);
REGISTER_CAST(int32, float);
REGISTER_CAST(float, Eigen::half);
REGISTER_CAST(Eigen::half, float);
REGISTER_CAST(float, bfloat16);
REGISTER_CAST(bfloat16, double);
REGISTER_CAST(uint8, int64_t);

// ---- Eigen ----

REGISTER_OP("OwnScale")
    .Input("x: float")
    .Input("factor: float")
    .Output("y: float")
    .SetShapeFn([](InferenceContext* c) {
      ShapeHandle scalar;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &scalar));
      c->set_output(0, c->input(0));
      return OkStatus();
    });

template <typename Device>
class OwnScaleOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES(ctx, TensorShapeUtils::IsScalar(ctx->input(1).shape()),
                errors::InvalidArgument("factor must be a scalar: ", ctx->input(1).shape().DebugString()));
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0}, 0, ctx->input(0).shape(), &y));
    y->flat<float>().device(ctx->eigen_device<Device>()) = ctx->input(0).flat<float>() * ctx->input(1).scalar<float>()();
  }
};
REGISTER_KERNEL_BUILDER(Name("OwnScale").Device(DEVICE_CPU), OwnScaleOp<CPUDevice>);

REGISTER_OP("OwnMatMul")
    .Input("a: T")
    .Input("b: T")
    .Output("c: T")
    .Attr("T: {float, double, int32}")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .SetShapeFn(shape_inference::MatMulShape);

template <typename T>
class OwnMatMulOp : public OpKernel {
 public:
  explicit OwnMatMulOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_a", &transpose_a_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_b", &transpose_b_));
  }
  void Compute(OpKernelContext* ctx) override {
    const Tensor& a = ctx->input(0);
    const Tensor& b = ctx->input(1);
    OP_REQUIRES(ctx, TensorShapeUtils::IsMatrix(a.shape()), errors::InvalidArgument("a is no matrix"));
    OP_REQUIRES(ctx, TensorShapeUtils::IsMatrix(b.shape()), errors::InvalidArgument("b is no matrix"));
    const int64_t rows = a.dim_size(transpose_a_ ? 1 : 0), inner = a.dim_size(transpose_a_ ? 0 : 1);
    const int64_t cols = b.dim_size(transpose_b_ ? 0 : 1);
    OP_REQUIRES(ctx, inner == b.dim_size(transpose_b_ ? 1 : 0),
                errors::InvalidArgument("Matrix size-incompatible: ", a.shape().DebugString(), " and ",
                                        b.shape().DebugString()));
    Tensor* c = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({rows, cols}), &c));
    auto am = a.matrix<T>();
    auto bm = b.matrix<T>();
    auto cm = c->matrix<T>();
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < cols; ++j) {
        T sum(0);
        for (int64_t k = 0; k < inner; ++k) {
          sum += (transpose_a_ ? am(k, i) : am(i, k)) * (transpose_b_ ? bm(j, k) : bm(k, j));
        }
        cm(i, j) = sum;
      }
    }
  }

 private:
  bool transpose_a_ = false;
  bool transpose_b_ = false;
};
REGISTER_KERNEL_BUILDER(Name("OwnMatMul").Device(DEVICE_CPU).TypeConstraint<float>("T"), OwnMatMulOp<float>);
REGISTER_KERNEL_BUILDER(Name("OwnMatMul").Device(DEVICE_CPU).TypeConstraint<double>("T"), OwnMatMulOp<double>);
REGISTER_KERNEL_BUILDER(Name("OwnMatMul").Device(DEVICE_CPU).TypeConstraint<int32>("T"), OwnMatMulOp<int32>);

REGISTER_OP("OwnSoftplusSum")
    .Input("x: float")
    .Output("rows: float")
    .Output("all: float")
    .SetShapeFn([](InferenceContext* c) {
      ShapeHandle x;
      TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &x));
      ShapeHandle rows;
      TF_RETURN_IF_ERROR(c->Subshape(x, 0, -1, &rows));
      c->set_output(0, rows);
      c->set_output(1, c->Scalar());
      return OkStatus();
    });

class OwnSoftplusSumOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    TensorShape rows = x.shape();
    rows.RemoveLastDims(1);
    Tensor* sums = nullptr;
    Tensor* all = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output("rows", rows, &sums));
    OP_REQUIRES_OK(ctx, ctx->allocate_output("all", TensorShape(), &all));
    auto in = x.flat_inner_dims<float>();
    auto out = sums->flat<float>();
    auto work = [&](int64_t start, int64_t limit) {
      for (int64_t i = start; i < limit; ++i) {
        float sum = 0;
        for (int64_t j = 0; j < in.dimension(1); ++j) sum += std::max(in(i, j), 0.0f) + 0.25f * in(i, j);
        out(i) = sum;
      }
    };
    auto workers = *ctx->device()->tensorflow_cpu_worker_threads();
    Shard(workers.num_threads, workers.workers, out.size(), 50 * in.dimension(1), work);
    float total = 0;
    for (int64_t i = 0; i < out.size(); ++i) total += out(i);
    all->scalar<float>()() = total;
  }
};
REGISTER_KERNEL_BUILDER(Name("OwnSoftplusSum").Device(DEVICE_CPU), OwnSoftplusSumOp);

REGISTER_OP("OwnSquares")
    .Input("n: int64")
    .Output("y: int64")
    .SetShapeFn([](InferenceContext* c) {
      DimensionHandle n;
      TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(0, &n));
      c->set_output(0, c->Vector(n));
      return OkStatus();
    });

class OwnSquaresOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const int64_t n = internal::SubtleMustCopy(ctx->input(0).scalar<int64_t>()());
    OP_REQUIRES(ctx, n >= 0 && n < (1 << 20), errors::OutOfRange("n is ", n));
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {n}, &y));
    auto out = y->vec<int64_t>();
    thread::ThreadPool* pool = ctx->device()->tensorflow_cpu_worker_threads()->workers;
    pool->ParallelFor(n, 1000, [&out](int64_t start, int64_t limit) {
      for (int64_t i = start; i < limit; ++i) out(i) = i * i;
    });
  }
};
REGISTER_KERNEL_BUILDER(Name("OwnSquares").Device(DEVICE_CPU), OwnSquaresOp);

REGISTER_OP("OwnBroadcastMul")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {float, int32}")
    .SetIsCommutative()
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);

template <typename T>
class OwnBroadcastMulOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& y = ctx->input(1);
    OP_REQUIRES(ctx, x.dims() == 2 && y.dims() == 2, errors::Unimplemented("only matrices"));
    TensorShape shape;
    Eigen::array<Eigen::DenseIndex, 2> bx, by;
    for (int d = 0; d < 2; ++d) {
      const int64_t size = std::max(x.dim_size(d), y.dim_size(d));
      OP_REQUIRES(ctx, x.dim_size(d) == size || x.dim_size(d) == 1, errors::InvalidArgument("Incompatible shapes"));
      OP_REQUIRES(ctx, y.dim_size(d) == size || y.dim_size(d) == 1, errors::InvalidArgument("Incompatible shapes"));
      shape.AddDim(size);
      bx[d] = size / x.dim_size(d);
      by[d] = size / y.dim_size(d);
    }
    Tensor* z = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &z));
    z->matrix<T>().device(ctx->eigen_cpu_device()) =
        x.matrix<T>().broadcast(bx) * y.matrix<T>().broadcast(by);
  }
};
REGISTER_KERNEL_BUILDER(Name("OwnBroadcastMul").Device(DEVICE_CPU).TypeConstraint<float>("T"), OwnBroadcastMulOp<float>);
REGISTER_KERNEL_BUILDER(Name("OwnBroadcastMul").Device(DEVICE_CPU).TypeConstraint<int32>("T"), OwnBroadcastMulOp<int32>);

REGISTER_OP("OwnBits")
    .Input("x: float")
    .Output("bits: int32")
    .Output("bytes: uint8")
    .SetShapeFn([](InferenceContext* c) {
      c->set_output(0, c->input(0));
      ShapeHandle bytes;
      TF_RETURN_IF_ERROR(c->Concatenate(c->input(0), c->Vector(4), &bytes));
      c->set_output(1, bytes);
      return OkStatus();
    });

class OwnBitsOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Tensor bits;
    OP_REQUIRES_OK(ctx, bits.BitcastFrom(x, DT_INT32, x.shape()));
    ctx->set_output(0, bits);
    TensorShape shape = x.shape();
    shape.AddDim(4);
    Tensor* bytes = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, shape, &bytes));
    const int64_t size = x.NumElements() * 4;
    bytes->flat<uint8>() = x.bit_casted_shaped<uint8, 1>({size});
  }
};
REGISTER_KERNEL_BUILDER(Name("OwnBits").Device(DEVICE_CPU), OwnBitsOp);

// ---- indices from data ----

REGISTER_OP("OwnHistogram")
    .Input("values: int32")
    .Output("counts: int64")
    .Attr("bins: int >= 1")
    .SetShapeFn([](InferenceContext* c) {
      int bins;
      TF_RETURN_IF_ERROR(c->GetAttr("bins", &bins));
      c->set_output(0, c->Vector(bins));
      return OkStatus();
    });

class OwnHistogramOp : public OpKernel {
 public:
  explicit OwnHistogramOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("bins", &bins_));
  }
  void Compute(OpKernelContext* ctx) override {
    Tensor* counts = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({bins_}), &counts));
    auto out = counts->vec<int64_t>();
    out.setZero();
    auto values = ctx->input(0).flat<int32>();
    for (int64_t i = 0; i < values.size(); ++i) {
      const int32 at = internal::SubtleMustCopy(values(i));
      OP_REQUIRES(ctx, FastBoundsCheck(at, bins_),
                  errors::InvalidArgument("value ", at, " at ", i, " is not in [0, ", bins_, ")"));
      ++out(at);
    }
  }

 private:
  int bins_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("OwnHistogram").Device(DEVICE_CPU), OwnHistogramOp);

REGISTER_OP("OwnPositive")
    .Input("x: float")
    .Output("values: float")
    .Output("where: int64")
    .SetShapeFn([](InferenceContext* c) {
      ShapeHandle x;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &x));
      DimensionHandle found = c->UnknownDim();
      c->set_output(0, c->Vector(found));
      c->set_output(1, c->Matrix(found, 1));
      return OkStatus();
    });

class OwnPositiveOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    auto x = ctx->input(0).vec<float>();
    Tensor mask;
    OP_REQUIRES_OK(ctx, ctx->allocate_temp(DT_BOOL, ctx->input(0).shape(), &mask));
    auto keep = mask.vec<bool>();
    int64_t count = 0;
    for (int64_t i = 0; i < x.size(); ++i) count += keep(i) = x(i) > 0;
    Tensor* values = nullptr;
    Tensor* where = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {count}, &values));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, {count, 1}, &where));
    for (int64_t i = 0, at = 0; i < x.size(); ++i) {
      if (!keep(i)) continue;
      values->vec<float>()(at) = x(i);
      where->matrix<int64_t>()(at++, 0) = i;
    }
  }
};
REGISTER_KERNEL_BUILDER(Name("OwnPositive").Device(DEVICE_CPU), OwnPositiveOp);

// ---- lists ----

REGISTER_OP("OwnStack")
    .Input("values: N * T")
    .Output("stacked: T")
    .Attr("N: int >= 1")
    .Attr("T: {float, int32}")
    .SetShapeFn([](InferenceContext* c) {
      ShapeHandle each = c->input(0);
      for (int i = 1; i < c->num_inputs(); ++i) TF_RETURN_IF_ERROR(c->Merge(each, c->input(i), &each));
      ShapeHandle stacked;
      TF_RETURN_IF_ERROR(c->Concatenate(c->Vector(c->num_inputs()), each, &stacked));
      c->set_output(0, stacked);
      return OkStatus();
    });

template <typename T>
class OwnStackOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    OpInputList values;
    OP_REQUIRES_OK(ctx, ctx->input_list("values", &values));
    TensorShape shape = values[0].shape();
    for (const Tensor& value : values) {
      OP_REQUIRES(ctx, value.shape() == shape, errors::InvalidArgument("shapes differ: ", value.shape().DebugString()));
    }
    shape.InsertDim(0, values.size());
    Tensor* stacked = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &stacked));
    auto out = stacked->flat_outer_dims<T>();
    const int64_t each = values[0].NumElements();
    T* to = stacked->flat<T>().data();
    for (int i = 0; i < values.size(); ++i) std::copy_n(values[i].flat<T>().data(), each, to + i * each);
    OP_REQUIRES(ctx, out.dimension(0) == values.size(), errors::Internal("rows"));
  }
};
REGISTER_KERNEL_BUILDER(Name("OwnStack").Device(DEVICE_CPU).TypeConstraint<float>("T"), OwnStackOp<float>);
REGISTER_KERNEL_BUILDER(Name("OwnStack").Device(DEVICE_CPU).TypeConstraint<int32>("T"), OwnStackOp<int32>);

REGISTER_OP("OwnRows")
    .Input("x: float")
    .Output("rows: N * float")
    .Attr("N: int >= 1")
    .SetShapeFn([](InferenceContext* c) {
      ShapeHandle x, row;
      TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &x));
      TF_RETURN_IF_ERROR(c->Subshape(x, 1, &row));
      for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, row);
      return OkStatus();
    });

class OwnRowsOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    OpOutputList rows;
    OP_REQUIRES_OK(ctx, ctx->output_list("rows", &rows));
    OP_REQUIRES(ctx, x.dims() >= 1 && x.dim_size(0) == rows.size(),
                errors::InvalidArgument("x has shape ", x.shape().DebugString(), ", but N is ", rows.size()));
    for (int i = 0; i < rows.size(); ++i) {
      const Tensor slice = x.Slice(i, i + 1);
      TensorShape shape = x.shape();
      shape.RemoveDim(0);
      Tensor* row = nullptr;
      OP_REQUIRES_OK(ctx, rows.allocate(i, shape, &row));
      row->flat<float>() = slice.unaligned_flat<float>();
    }
  }
};
REGISTER_KERNEL_BUILDER(Name("OwnRows").Device(DEVICE_CPU), OwnRowsOp);

REGISTER_OP("OwnIdentityList")
    .Input("values: T")
    .Output("same: T")
    .Attr("T: list(type)")
    .SetShapeFn([](InferenceContext* c) {
      std::vector<ShapeHandle> shapes;
      TF_RETURN_IF_ERROR(c->input("values", &shapes));
      return c->set_output("same", shapes);
    });

class OwnIdentityListOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    for (int i = 0; i < ctx->num_inputs(); ++i) ctx->set_output(i, ctx->input(i));
  }
};
REGISTER_KERNEL_BUILDER(Name("OwnIdentityList").Device(DEVICE_CPU), OwnIdentityListOp);

// ---- layouts and windows ----

REGISTER_OP("OwnChannelSum")
    .Input("images: float")
    .Output("sums: float")
    .Attr(GetConvnetDataFormatAttrString())
    .SetShapeFn([](InferenceContext* c) {
      ShapeHandle images;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &images));
      std::string text;
      TF_RETURN_IF_ERROR(c->GetAttr("data_format", &text));
      TensorFormat format;
      if (!FormatFromString(text, &format)) return errors::InvalidArgument("Invalid data format: ", text);
      c->set_output(0, c->Matrix(c->Dim(images, GetTensorBatchDimIndex(4, format)),
                                 c->Dim(images, GetTensorFeatureDimIndex(4, format))));
      return OkStatus();
    });

class OwnChannelSumOp : public OpKernel {
 public:
  explicit OwnChannelSumOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string text;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("data_format", &text));
    OP_REQUIRES(ctx, FormatFromString(text, &format_), errors::InvalidArgument("Invalid data format"));
  }
  void Compute(OpKernelContext* ctx) override {
    const Tensor& images = ctx->input(0);
    const int64_t n = GetTensorDim(images, format_, 'N'), c = GetTensorDim(images, format_, 'C');
    const int64_t h = GetTensorDim(images, format_, 'H'), w = GetTensorDim(images, format_, 'W');
    Tensor* sums = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({n, c}), &sums));
    auto in = images.tensor<float, 4>();
    auto out = sums->matrix<float>();
    out.setZero();
    for (int64_t b = 0; b < n; ++b) {
      for (int64_t k = 0; k < c; ++k) {
        for (int64_t i = 0; i < h; ++i) {
          for (int64_t j = 0; j < w; ++j) out(b, k) += format_ == FORMAT_NHWC ? in(b, i, j, k) : in(b, k, i, j);
        }
      }
    }
  }

 private:
  TensorFormat format_ = FORMAT_NHWC;
};
REGISTER_KERNEL_BUILDER(Name("OwnChannelSum").Device(DEVICE_CPU), OwnChannelSumOp);

REGISTER_OP("OwnWindowMax")
    .Input("x: float")
    .Output("y: float")
    .Attr("size: int >= 1")
    .Attr("stride: int >= 1 = 1")
    .Attr(GetPaddingAttrString())
    .SetShapeFn([](InferenceContext* c) {
      ShapeHandle x;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &x));
      int64_t size, stride;
      TF_RETURN_IF_ERROR(c->GetAttr("size", &size));
      TF_RETURN_IF_ERROR(c->GetAttr("stride", &stride));
      Padding padding;
      TF_RETURN_IF_ERROR(c->GetAttr("padding", &padding));
      DimensionHandle out;
      TF_RETURN_IF_ERROR(shape_inference::GetWindowedOutputSizeFromDims(c, c->Dim(x, 0), size, stride, padding, &out));
      c->set_output(0, c->Vector(out));
      return OkStatus();
    });

class OwnWindowMaxOp : public OpKernel {
 public:
  explicit OwnWindowMaxOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("size", &size_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("stride", &stride_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("padding", &padding_));
  }
  void Compute(OpKernelContext* ctx) override {
    auto x = ctx->input(0).vec<float>();
    const int64_t n = x.size();
    const int64_t count = padding_ == SAME ? (n + stride_ - 1) / stride_ : (n - size_ + stride_) / stride_;
    OP_REQUIRES(ctx, count >= 0, errors::InvalidArgument("the window does not fit"));
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({count}), &y));
    for (int64_t i = 0; i < count; ++i) {
      float best = x(i * stride_);
      for (int64_t j = 1; j < size_ && i * stride_ + j < n; ++j) best = std::max(best, x(i * stride_ + j));
      y->vec<float>()(i) = best;
    }
  }

 private:
  int64_t size_ = 0;
  int64_t stride_ = 0;
  Padding padding_;
};
REGISTER_KERNEL_BUILDER(Name("OwnWindowMax").Device(DEVICE_CPU), OwnWindowMaxOp);

}  // namespace tensorflow
