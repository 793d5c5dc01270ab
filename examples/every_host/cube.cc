// The same op as a TensorFlow source has it; nothing in it knows of Dovetail.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

using namespace tensorflow;

REGISTER_OP("Cube").Input("x: float").Output("y: float").SetShapeFn([](shape_inference::InferenceContext *c) {
  c->set_output(0, c->input(0));
  return OkStatus();
});

class CubeOp : public OpKernel {
 public:
  explicit CubeOp(OpKernelConstruction *context) : OpKernel(context) {}

  void Compute(OpKernelContext *context) override {
    const Tensor &x = context->input(0);
    Tensor *y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
    auto in = x.flat<float>();
    auto out = y->flat<float>();
    for (int64_t i = 0; i < in.size(); ++i) out(i) = in(i)*in(i)*in(i);
  }
};

REGISTER_KERNEL_BUILDER(Name("Cube").Device(DEVICE_CPU), CubeOp);
