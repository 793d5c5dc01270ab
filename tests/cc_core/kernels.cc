// Kernels as authors of TensorFlow ops write them, one for each corner of op_kernel.h that core_test.py looks
// at. The same source compiles against TensorFlow's own headers.
#define EIGEN_USE_THREADS
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "third_party/eigen3/unsupported/Eigen/CXX11/Tensor"

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/lib/core/errors.h"
#include "tensorflow/core/platform/logging.h"
#include "tensorflow/core/platform/mutex.h"
#include "tensorflow/core/util/work_sharder.h"

namespace tensorflow {
namespace {

typedef Eigen::ThreadPoolDevice CPUDevice;

REGISTER_OP("CoreZeroOut")
    .Input("x: int32")
    .Output("y: int32")
    .SetShapeFn([](shape_inference::InferenceContext *c) {
      c->set_output(0, c->input(0));
      return Status();
    });
class ZeroOutOp : public OpKernel {
 public:
  explicit ZeroOutOp(OpKernelConstruction *ctx) : OpKernel(ctx) {}
  void Compute(OpKernelContext *ctx) override {
    const Tensor &x = ctx->input(0);
    OP_REQUIRES(ctx, TensorShapeUtils::IsVectorOrHigher(x.shape()),
                errors::InvalidArgument("ZeroOut wants a vector or more, got ", x.shape().DebugString()));
    auto in = x.flat<int32>();
    Tensor *y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    auto out = y->flat<int32>();
    for (int i = 0; i < in.size(); ++i) out(i) = i == 0 ? in(0) : 0;
  }
};
REGISTER_KERNEL_BUILDER(Name("CoreZeroOut").Device(DEVICE_CPU), ZeroOutOp);

// Typed, on the device's threads: y = a * x + b * mean(x).
REGISTER_OP("CoreMix")
    .Attr("T: {float, double, half, bfloat16}")
    .Attr("a: float = 2.0")
    .Input("x: T")
    .Output("y: T")
    .SetShapeFn(shape_inference::UnknownShape);
template <typename Device, typename T>
class MixOp : public OpKernel {
 public:
  explicit MixOp(OpKernelConstruction *ctx) : OpKernel(ctx) { OP_REQUIRES_OK(ctx, ctx->GetAttr("a", &a_)); }
  void Compute(OpKernelContext *ctx) override {
    const Tensor &x = ctx->input(0);
    Tensor *y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0}, 0, x.shape(), &y));
    Tensor least;
    OP_REQUIRES_OK(ctx, ctx->allocate_temp(DataTypeToEnum<T>::value, TensorShape({}), &least));
    const Device &device = ctx->eigen_device<Device>();
    least.scalar<T>().device(device) = x.flat<T>().minimum();
    T low = least.scalar<T>()();
    y->flat<T>().device(device) = x.flat<T>() * static_cast<T>(a_) + x.flat<T>().constant(low);
  }

 private:
  float a_;
};
#define REGISTER_MIX(type)                                                              \
  REGISTER_KERNEL_BUILDER(Name("CoreMix").Device(DEVICE_CPU).TypeConstraint<type>("T"), \
                          MixOp<CPUDevice, type>);
TF_CALL_half(REGISTER_MIX) TF_CALL_bfloat16(REGISTER_MIX) TF_CALL_float(REGISTER_MIX)
    TF_CALL_double(REGISTER_MIX)
#undef REGISTER_MIX

    // Strings: joined row by row, short and long ones.
    REGISTER_OP("CoreJoin")
        .Attr("separator: string = '-'")
        .Input("rows: string")
        .Output("joined: string")
        .SetShapeFn(shape_inference::UnknownShape);
class JoinOp : public OpKernel {
 public:
  explicit JoinOp(OpKernelConstruction *ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("separator", &separator_));
  }
  void Compute(OpKernelContext *ctx) override {
    const Tensor *rows;
    OP_REQUIRES_OK(ctx, ctx->input("rows", &rows));
    OP_REQUIRES(ctx, TensorShapeUtils::IsMatrix(rows->shape()),
                errors::InvalidArgument("rows must be a matrix"));
    auto in = rows->matrix<tstring>();
    Tensor joined(DT_STRING, TensorShape({rows->dim_size(0)}));
    auto out = joined.vec<tstring>();
    for (int64_t r = 0; r < rows->dim_size(0); ++r) {
      string text;
      for (int64_t c = 0; c < rows->dim_size(1); ++c) {
        if (c > 0) text += separator_;
        text.append(in(r, c).data(), in(r, c).size());
      }
      out(r) = text;
    }
    ctx->set_output(0, joined);
  }

 private:
  string separator_;
};
REGISTER_KERNEL_BUILDER(Name("CoreJoin").Device(DEVICE_CPU), JoinOp);

// Lists in and out: each input times its position.
REGISTER_OP("CoreScaleAll")
    .Attr("N: int >= 1")
    .Attr("T: {float, int64}")
    .Input("xs: N * T")
    .Output("ys: N * T")
    .SetShapeFn(shape_inference::UnknownShape);
template <typename T>
class ScaleAllOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext *ctx) override {
    OpInputList xs;
    OP_REQUIRES_OK(ctx, ctx->input_list("xs", &xs));
    for (int i = 0; i < xs.size(); ++i) {
      Tensor *y = nullptr;
      OP_REQUIRES_OK(ctx, ctx->allocate_output(i, xs[i].shape(), &y));
      y->flat<T>() = xs[i].flat<T>() * static_cast<T>(i + 1);
    }
  }
};
REGISTER_KERNEL_BUILDER(Name("CoreScaleAll").Device(DEVICE_CPU).TypeConstraint("T", DT_FLOAT),
                        ScaleAllOp<float>);
REGISTER_KERNEL_BUILDER(Name("CoreScaleAll").Device(DEVICE_CPU).TypeConstraint<int64_t>("T"),
                        ScaleAllOp<int64_t>);

// One registration for several types, and one chosen by an attribute's value.
REGISTER_OP("CoreBytes")
    .Attr("T: type")
    .Attr("mode: string = 'size'")
    .Input("x: T")
    .Output("bytes: int64")
    .SetShapeFn(shape_inference::UnknownShape);
class BytesOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext *ctx) override {
    Tensor *y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &y));
    y->scalar<int64_t>()() = static_cast<int64_t>(ctx->input(0).tensor_data().size());
  }
};
REGISTER_KERNEL_BUILDER(
    Name("CoreBytes").Device(DEVICE_CPU).TypeConstraint("T", {DT_FLOAT, DT_INT16, DT_COMPLEX128}).Priority(3),
    BytesOp);

// Every kind of attribute, told in one string.
REGISTER_OP("CoreAttrs")
    .Attr("i: int")
    .Attr("f: float")
    .Attr("b: bool")
    .Attr("s: string")
    .Attr("t: type")
    .Attr("is: list(int)")
    .Attr("fs: list(float)")
    .Attr("bs: list(bool)")
    .Attr("ss: list(string)")
    .Attr("ts: list(type)")
    .Output("text: string")
    .SetIsStateful()
    .SetShapeFn(shape_inference::UnknownShape);
class AttrsOp : public OpKernel {
 public:
  explicit AttrsOp(OpKernelConstruction *ctx) : OpKernel(ctx) {
    int32 i;
    int64_t wide;
    float f;
    bool b;
    string s;
    DataType t;
    std::vector<int32> is;
    std::vector<float> fs;
    std::vector<bool> bs;
    std::vector<string> ss;
    DataTypeVector ts;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("i", &i));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("i", &wide));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("f", &f));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("b", &b));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("s", &s));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("t", &t));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("is", &is));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("fs", &fs));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("bs", &bs));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("ss", &ss));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("ts", &ts));
    OP_REQUIRES(ctx, !ctx->GetAttr("absent", &i).ok(),
                errors::Internal("an attribute that is not there was read"));
    OP_REQUIRES(ctx, !ctx->GetAttr("s", &f).ok(), errors::Internal("a string was read as a float"));
    strings::StrAppend(&text_, i + wide, " ", f, " ", b, " ", s, " ", DataTypeString(t));
    for (int32 v : is) strings::StrAppend(&text_, " ", v);
    for (float v : fs) strings::StrAppend(&text_, " ", v);
    for (bool v : bs) strings::StrAppend(&text_, " ", v ? "yes" : "no");
    for (const string &v : ss) strings::StrAppend(&text_, " <", v, ">");
    for (DataType v : ts) strings::StrAppend(&text_, " ", DataTypeString(v));
    strings::StrAppend(&text_, " ", name(), " ", type_string(), " ", ctx->HasAttr("i"), ctx->HasAttr("j"));
  }
  void Compute(OpKernelContext *ctx) override {
    Tensor *y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &y));
    y->scalar<tstring>()() = text_;
  }

 private:
  string text_;
};
REGISTER_KERNEL_BUILDER(Name("CoreAttrs").Device(DEVICE_CPU), AttrsOp);

// Asynchronous: finishes in a thread of its own.
REGISTER_OP("CoreLater").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnknownShape);
class LaterOp : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;
  void ComputeAsync(OpKernelContext *ctx, DoneCallback done) override {
    OP_REQUIRES_ASYNC(ctx, ctx->input(0).NumElements() > 0,
                      errors::InvalidArgument("CoreLater wants elements"), done);
    std::thread([ctx, done] {
      Tensor *y = nullptr;
      OP_REQUIRES_OK_ASYNC(ctx, ctx->allocate_output(0, ctx->input(0).shape(), &y), done);
      y->flat<float>() = ctx->input(0).flat<float>() + 1.0f;
      done();
    }).detach();
  }
};
REGISTER_KERNEL_BUILDER(Name("CoreLater").Device(DEVICE_CPU), LaterOp);

// Loops on the device's worker threads: squares, and the sum of them.
REGISTER_OP("CoreSquares")
    .Input("x: int64")
    .Output("y: int64")
    .Output("sum: int64")
    .SetShapeFn(shape_inference::UnknownShape);
class SquaresOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext *ctx) override {
    Tensor *y = nullptr, *sum = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output("y", ctx->input(0).shape(), &y));
    OP_REQUIRES_OK(ctx, ctx->allocate_output("sum", TensorShape({}), &sum));
    auto workers = ctx->device()->tensorflow_cpu_worker_threads();
    mutex mu;
    int64_t total = 0;
    auto work = [&](int64_t begin, int64_t end) {
      auto in = ctx->input(0).flat<int64_t>();
      auto out = y->flat<int64_t>();
      int64_t part = 0;
      for (int64_t i = begin; i < end; ++i) part += out(i) = in(i)*in(i);
      mutex_lock lock(mu);
      total += part;
    };
    Shard(workers->num_threads, workers->workers, y->NumElements(), 1000, work);
    sum->scalar<int64_t>()() = total;
  }
};
REGISTER_KERNEL_BUILDER(Name("CoreSquares").Device(DEVICE_CPU), SquaresOp);

// Views: rows [1, 3) of the input, its last row bit-cast, and all of it in another shape, as outputs.
REGISTER_OP("CoreViews")
    .Input("x: float")
    .Output("rows: float")
    .Output("bits: int32")
    .Output("flat: float")
    .SetShapeFn(shape_inference::UnknownShape);
class ViewsOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext *ctx) override {
    const Tensor &x = ctx->input(0);
    ctx->set_output(0, x.Slice(1, 3));
    Tensor bits;
    OP_REQUIRES_OK(ctx, bits.BitcastFrom(x, DT_INT32, x.shape()));
    ctx->set_output(1, bits);
    Tensor flat;
    OP_REQUIRES(ctx, flat.CopyFrom(x, TensorShape({x.NumElements()})), errors::Internal("CopyFrom refused"));
    OP_REQUIRES(ctx, !bits.CopyFrom(x, TensorShape({x.NumElements() + 1})),
                errors::Internal("CopyFrom took too much"));
    OP_REQUIRES(ctx, flat.SharesBufferWith(x), errors::Internal("CopyFrom copied"));
    ctx->set_output(2, flat);
  }
};
REGISTER_KERNEL_BUILDER(Name("CoreViews").Device(DEVICE_CPU), ViewsOp);

}  // namespace
}  // namespace tensorflow
