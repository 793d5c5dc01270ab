// Kernels that go wrong in every way that a kernel can: each must fail its op and nothing else. Stock
// TensorFlow would end the process, so these are compiled against this layer only.
#include <stdexcept>

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/util/work_sharder.h"

namespace tensorflow {
namespace {

REGISTER_OP("CoreFail")
    .Attr("how: string")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn(shape_inference::UnknownShape);
class FailOp : public OpKernel {
 public:
  explicit FailOp(OpKernelConstruction *ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("how", &how_));
    CHECK_NE(how_, "construct") << "in the constructor";
    if (how_ == "throw in construct") throw std::runtime_error("thrown in the constructor");
  }
  void Compute(OpKernelContext *ctx) override {
    const Tensor &x = ctx->input(0);
    if (how_ == "check") CHECK_EQ(x.dims(), 7) << "rank";
    if (how_ == "fatal") LOG(FATAL) << "the end";
    if (how_ == "throw") throw std::runtime_error("thrown");
    if (how_ == "throw int") throw 42;
    if (how_ == "memory") throw std::bad_alloc();
    if (how_ == "type") x.flat<int64_t>();
    if (how_ == "rank") x.matrix<float>();
    if (how_ == "scalar") x.scalar<float>();
    if (how_ == "dim") x.dim_size(9);
    if (how_ == "input") ctx->input(5);
    if (how_ == "shape") TensorShape bad({-3});
    if (how_ == "huge") Tensor huge(DT_FLOAT, TensorShape({1LL << 40, 1LL << 20}));
    if (how_ == "output") {
      Tensor *y = nullptr;
      OP_REQUIRES_OK(ctx, ctx->allocate_output(3, x.shape(), &y));
    }
    if (how_ == "shard") {
      auto workers = ctx->device()->tensorflow_cpu_worker_threads();
      Shard(workers->num_threads, workers->workers, 1000, 100000,
            [](int64_t begin, int64_t) { CHECK_GT(begin, 100000) << "in a loop"; });
    }
    if (how_ == "two") {
      ctx->CtxFailure(errors::NotFound("the first"));
      throw std::runtime_error("the second");
    }
    ctx->set_output(0, x);
  }

 private:
  string how_;
};
REGISTER_KERNEL_BUILDER(Name("CoreFail").Device(DEVICE_CPU), FailOp);

}  // namespace
}  // namespace tensorflow
