// @Op@: y = factor * x, for tensors of any shape. Plain TensorFlow C++: the headers are Dovetail's, found at TensorFlow's
// paths.
#include "dovetail/sdk.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace tensorflow {

REGISTER_OP("@Op@")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {float, double}")
    .Attr("factor: float = 2.0")
    .SetShapeFn([](shape_inference::InferenceContext *c) {
      c->set_output(0, c->input(0));
      return OkStatus();
    });

template <typename T>
class @Op@Op : public OpKernel {
 public:
  explicit @Op@Op(OpKernelConstruction *ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("factor", &factor_));
  }

  void Compute(OpKernelContext *ctx) override {
    const Tensor &x = ctx->input(0);
    Tensor *y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    auto from = x.flat<T>();
    auto to = y->flat<T>();
    for (int64_t i = 0; i < from.size(); ++i) to(i) = factor_ * from(i);
  }

 private:
  float factor_;
};

REGISTER_KERNEL_BUILDER(Name("@Op@").Device(DEVICE_CPU).TypeConstraint<float>("T"), @Op@Op<float>);
REGISTER_KERNEL_BUILDER(Name("@Op@").Device(DEVICE_CPU).TypeConstraint<double>("T"), @Op@Op<double>);

}  // namespace tensorflow

// REGISTER_OP and REGISTER_KERNEL_BUILDER register by themselves: there is no function to call.
DVT_PLUGIN("@name@", "0.1.0", "", "", NULL)
