// Kernels in plain TensorFlow C++: attributes of every kind, strings, shapes from values, state, resources, variants,
// asynchronous kernels. The file is compiled with Dovetail's headers and with TensorFlow's own.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/resource_op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/variant.h"
#include "tensorflow/core/framework/variant_op_registry.h"
#include "tensorflow/core/framework/variant_tensor_data.h"
#include "tensorflow/core/lib/core/errors.h"
#include "tensorflow/core/lib/core/threadpool.h"
#include "tensorflow/core/lib/strings/str_util.h"
#include "tensorflow/core/lib/strings/strcat.h"
#include "tensorflow/core/platform/mutex.h"

namespace tensorflow {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// ---- attributes ----

REGISTER_OP("OwnAttrs")
    .Output("text: string")
    .Attr("i: int = -7")
    .Attr("f: float = 0.25")
    .Attr("b: bool = true")
    .Attr("s: string = 'hello'")
    .Attr("t: type = DT_INT64")
    .Attr("shape: shape = { dim { size: 2 } dim { size: -1 } }")
    .Attr("ints: list(int) = [3, -1]")
    .Attr("floats: list(float) = [0.5]")
    .Attr("bools: list(bool) = [true, false]")
    .Attr("strings: list(string) = ['a', '', 'bcd']")
    .Attr("types: list(type) = [DT_FLOAT, DT_STRING]")
    .SetShapeFn(shape_inference::ScalarShape);

class OwnAttrsOp : public OpKernel {
 public:
  explicit OwnAttrsOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    int i;
    int64_t wide;
    float f;
    bool b;
    std::string s;
    DataType t;
    PartialTensorShape shape;
    std::vector<int> ints;
    std::vector<int64_t> wides;
    std::vector<float> floats;
    std::vector<bool> bools;
    std::vector<std::string> strings;
    std::vector<DataType> types;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("i", &i));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("i", &wide));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("f", &f));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("b", &b));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("s", &s));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("t", &t));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("shape", &shape));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("ints", &ints));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("ints", &wides));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("floats", &floats));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("bools", &bools));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("strings", &strings));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("types", &types));
    OP_REQUIRES(ctx, ctx->HasAttr("i") && !ctx->HasAttr("missing"), errors::Internal("HasAttr"));
    OP_REQUIRES(ctx, !ctx->GetAttr("missing", &i).ok(), errors::Internal("an attribute that is not there"));
    OP_REQUIRES(ctx, !ctx->GetAttr("s", &f).ok(), errors::Internal("an attribute of another kind"));
    std::string from_node;
    OP_REQUIRES_OK(ctx, GetNodeAttr(ctx->def(), "s", &from_node));
    text_ = strings::StrCat(i, " ", wide, " ", f, " ", b, " ", s, " ", DataTypeString(t), " ", shape.DebugString());
    for (size_t k = 0; k < ints.size(); ++k) strings::StrAppend(&text_, " ", ints[k], "/", wides[k]);
    for (float v : floats) strings::StrAppend(&text_, " ", v);
    for (bool v : bools) strings::StrAppend(&text_, v ? " yes" : " no");
    for (const std::string& v : strings) strings::StrAppend(&text_, " <", v, ">");
    for (DataType v : types) strings::StrAppend(&text_, " ", DataTypeString(v));
    strings::StrAppend(&text_, " ", from_node, " ", ctx->def().op(), " ", type_string());
  }
  void Compute(OpKernelContext* ctx) override {
    Tensor* text = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &text));
    text->scalar<tstring>()() = text_;
  }

 private:
  std::string text_;
};
REGISTER_KERNEL_BUILDER(Name("OwnAttrs").Device(DEVICE_CPU), OwnAttrsOp);

REGISTER_OP("OwnRefused")
    .Output("y: float")
    .Attr("limit: int")
    .SetShapeFn(shape_inference::UnknownShape);

class OwnRefusedOp : public OpKernel {
 public:
  explicit OwnRefusedOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    int limit;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("limit", &limit));
    OP_REQUIRES(ctx, limit < 10, errors::FailedPrecondition("limit ", limit, " is above 9"));
  }
  void Compute(OpKernelContext* ctx) override { ctx->SetStatus(errors::DataLoss("nothing to read")); }
};
REGISTER_KERNEL_BUILDER(Name("OwnRefused").Device(DEVICE_CPU), OwnRefusedOp);

// ---- strings ----

REGISTER_OP("OwnJoin")
    .Input("parts: N * string")
    .Output("joined: string")
    .Attr("N: int >= 1")
    .Attr("separator: string = '-'")
    .SetShapeFn(shape_inference::UnchangedShape);

class OwnJoinOp : public OpKernel {
 public:
  explicit OwnJoinOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("separator", &separator_));
  }
  void Compute(OpKernelContext* ctx) override {
    OpInputList parts;
    OP_REQUIRES_OK(ctx, ctx->input_list("parts", &parts));
    Tensor* joined = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output("joined", parts[0].shape(), &joined));
    auto out = joined->flat<tstring>();
    for (int64_t i = 0; i < out.size(); ++i) {
      for (int k = 0; k < parts.size(); ++k) {
        if (k > 0) out(i).append(separator_);
        const tstring& part = parts[k].flat<tstring>()(i);
        out(i).append(part.data(), part.size());
      }
    }
  }

 private:
  std::string separator_;
};
REGISTER_KERNEL_BUILDER(Name("OwnJoin").Device(DEVICE_CPU), OwnJoinOp);

REGISTER_OP("OwnWords")
    .Input("text: string")
    .Output("words: string")
    .Output("lengths: int32")
    .SetShapeFn([](InferenceContext* c) {
      ShapeHandle scalar;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &scalar));
      const DimensionHandle count = c->UnknownDim();
      c->set_output(0, c->Vector(count));
      c->set_output(1, c->Vector(count));
      return OkStatus();
    });

class OwnWordsOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const Tensor* text = nullptr;
    OP_REQUIRES_OK(ctx, ctx->input("text", &text));
    const std::string all = text->scalar<tstring>()();
    std::vector<std::string> words = str_util::Split(all, ' ', str_util::SkipEmpty());
    const int64_t n = words.size();
    Tensor* out = nullptr;
    Tensor* lengths = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({n}), &out));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({n}), &lengths));
    for (int64_t i = 0; i < n; ++i) {
      out->vec<tstring>()(i) = str_util::Uppercase(words[i]);
      lengths->vec<int32>()(i) = words[i].size();
    }
  }
};
REGISTER_KERNEL_BUILDER(Name("OwnWords").Device(DEVICE_CPU), OwnWordsOp);

// ---- shapes from values ----

REGISTER_OP("OwnFill")
    .Input("dims: Index")
    .Input("value: T")
    .Output("filled: T")
    .Attr("T: {float, int32, string}")
    .Attr("Index: {int32, int64} = DT_INT32")
    .SetShapeFn([](InferenceContext* c) {
      ShapeHandle out;
      TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
      c->set_output(0, out);
      return OkStatus();
    });

template <typename T>
class OwnFillOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    TensorShape shape;
    const Tensor& dims = ctx->input(0);
    if (dims.dtype() == DT_INT32) {
      auto sizes = dims.vec<int32>();
      OP_REQUIRES_OK(ctx, TensorShapeUtils::MakeShape(sizes.data(), sizes.size(), &shape));
    } else {
      auto sizes = dims.vec<int64_t>();
      OP_REQUIRES_OK(ctx, TensorShapeUtils::MakeShape(sizes.data(), sizes.size(), &shape));
    }
    Tensor* filled = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &filled));
    auto out = filled->flat<T>();
    for (int64_t i = 0; i < out.size(); ++i) out(i) = ctx->input(1).scalar<T>()();
  }
};
REGISTER_KERNEL_BUILDER(Name("OwnFill").Device(DEVICE_CPU).HostMemory("dims").TypeConstraint<float>("T"), OwnFillOp<float>);
REGISTER_KERNEL_BUILDER(Name("OwnFill").Device(DEVICE_CPU).HostMemory("dims").TypeConstraint<int32>("T"), OwnFillOp<int32>);
REGISTER_KERNEL_BUILDER(Name("OwnFill").Device(DEVICE_CPU).TypeConstraint("T", DT_STRING), OwnFillOp<tstring>);

REGISTER_OP("OwnGrow")
    .Input("x: float")
    .Input("axis: int32")
    .Output("y: float")
    .SetShapeFn([](InferenceContext* c) {
      const Tensor* axis = c->input_tensor(1);
      if (axis == nullptr || !c->RankKnown(c->input(0))) {
        c->set_output(0, c->RankKnown(c->input(0)) ? c->UnknownShapeOfRank(c->Rank(c->input(0))) : c->UnknownShape());
        return OkStatus();
      }
      int64_t at;
      TF_RETURN_IF_ERROR(c->GetScalarFromTensor(axis, &at));
      DimensionHandle grown;
      TF_RETURN_IF_ERROR(c->Multiply(c->Dim(c->input(0), at), 2, &grown));
      TF_RETURN_IF_ERROR(c->Add(grown, 1, &grown));
      ShapeHandle out;
      TF_RETURN_IF_ERROR(c->ReplaceDim(c->input(0), at, grown, &out));
      c->set_output(0, out);
      return OkStatus();
    });

class OwnGrowOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    TensorShape shape = ctx->input(0).shape();
    const int axis = ctx->input(1).scalar<int32>()();
    OP_REQUIRES(ctx, axis >= 0 && axis < shape.dims(), errors::InvalidArgument("axis ", axis));
    shape.set_dim(axis, shape.dim_size(axis) * 2 + 1);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &y));
    auto out = y->flat<float>();
    auto in = ctx->input(0).flat<float>();
    for (int64_t i = 0; i < out.size(); ++i) out(i) = in.size() ? in(i % in.size()) : 0.0f;
  }
};
REGISTER_KERNEL_BUILDER(Name("OwnGrow").Device(DEVICE_CPU), OwnGrowOp);

// ---- state ----

REGISTER_OP("OwnCounter").Output("count: int64").SetIsStateful().SetShapeFn(shape_inference::ScalarShape);

class OwnCounterOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Tensor* count = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &count));
    mutex_lock lock(mu_);
    count->scalar<int64_t>()() = ++count_;
  }
  bool IsExpensive() override { return false; }

 private:
  mutex mu_;
  int64_t count_ TF_GUARDED_BY(mu_) = 0;
};
REGISTER_KERNEL_BUILDER(Name("OwnCounter").Device(DEVICE_CPU), OwnCounterOp);

REGISTER_OP("OwnSlowDouble").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);

class OwnSlowDoubleOp : public AsyncOpKernel {
 public:
  explicit OwnSlowDoubleOp(OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {}
  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    OP_REQUIRES_ASYNC(ctx, ctx->input(0).dims() < 3, errors::InvalidArgument("too many dimensions"), done);
    ctx->device()->tensorflow_cpu_worker_threads()->workers->Schedule([ctx, done] {
      Tensor* y = nullptr;
      OP_REQUIRES_OK_ASYNC(ctx, ctx->allocate_output(0, ctx->input(0).shape(), &y), done);
      auto in = ctx->input(0).flat<float>();
      for (int64_t i = 0; i < in.size(); ++i) y->flat<float>()(i) = 2 * in(i);
      done();
    });
  }
};
REGISTER_KERNEL_BUILDER(Name("OwnSlowDouble").Device(DEVICE_CPU), OwnSlowDoubleOp);

// ---- resources ----

class OwnTable : public ResourceBase {
 public:
  std::string DebugString() const override { return "OwnTable"; }
  void Put(int64_t key, float value) {
    mutex_lock lock(mu_);
    values_[key] = value;
  }
  float Get(int64_t key, float otherwise) {
    mutex_lock lock(mu_);
    auto found = values_.find(key);
    return found == values_.end() ? otherwise : found->second;
  }
  int64_t Size() {
    mutex_lock lock(mu_);
    return values_.size();
  }

 private:
  mutex mu_;
  std::map<int64_t, float> values_ TF_GUARDED_BY(mu_);
};

REGISTER_OP("OwnTable")
    .Output("table: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);

class OwnTableOp : public ResourceOpKernel<OwnTable> {
 public:
  explicit OwnTableOp(OpKernelConstruction* ctx) : ResourceOpKernel(ctx) {}

 private:
  Status CreateResource(OwnTable** table) override {
    *table = new OwnTable();
    return OkStatus();
  }
};
REGISTER_KERNEL_BUILDER(Name("OwnTable").Device(DEVICE_CPU), OwnTableOp);

REGISTER_OP("OwnTablePut")
    .Input("table: resource")
    .Input("keys: int64")
    .Input("values: float")
    .Output("size: int64")
    .SetShapeFn(shape_inference::ScalarShape);

class OwnTablePutOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<OwnTable> table;
    OP_REQUIRES_OK(ctx, LookupResource(ctx, HandleFromInput(ctx, 0), &table));
    auto keys = ctx->input(1).flat<int64_t>();
    auto values = ctx->input(2).flat<float>();
    OP_REQUIRES(ctx, keys.size() == values.size(), errors::InvalidArgument("keys and values differ in number"));
    for (int64_t i = 0; i < keys.size(); ++i) table->Put(keys(i), values(i));
    Tensor* size = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &size));
    size->scalar<int64_t>()() = table->Size();
  }
};
REGISTER_KERNEL_BUILDER(Name("OwnTablePut").Device(DEVICE_CPU), OwnTablePutOp);

REGISTER_OP("OwnTableGet")
    .Input("table: resource")
    .Input("keys: int64")
    .Output("values: float")
    .SetShapeFn([](InferenceContext* c) {
      c->set_output(0, c->input(1));
      return OkStatus();
    });

class OwnTableGetOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    OwnTable* table = nullptr;
    ResourceHandle handle;
    OP_REQUIRES_OK(ctx, HandleFromInput(ctx, "table", &handle));
    OP_REQUIRES_OK(ctx, LookupResource(ctx, handle, &table));
    core::ScopedUnref unref(table);
    Tensor* values = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, ctx->input(1).shape(), &values));
    auto keys = ctx->input(1).flat<int64_t>();
    for (int64_t i = 0; i < keys.size(); ++i) values->flat<float>()(i) = table->Get(keys(i), -1);
  }
};
REGISTER_KERNEL_BUILDER(Name("OwnTableGet").Device(DEVICE_CPU), OwnTableGetOp);

// A handle that is made by hand, to what another kernel created.
REGISTER_OP("OwnTableNamed")
    .Output("table: resource")
    .Attr("table_name: string")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);

class OwnTableNamedOp : public OpKernel {
 public:
  explicit OwnTableNamedOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("table_name", &name_));
  }
  void Compute(OpKernelContext* ctx) override {
    ResourceMgr* manager = ctx->resource_manager();
    OwnTable* table = nullptr;
    OP_REQUIRES_OK(ctx, manager->LookupOrCreate<OwnTable>(manager->default_container(), name_, &table,
                                                          [](OwnTable** made) {
                                                            *made = new OwnTable();
                                                            (*made)->Put(1, 100);
                                                            return OkStatus();
                                                          }));
    core::ScopedUnref unref(table);
    Tensor handle(DT_RESOURCE, TensorShape({}));
    handle.scalar<ResourceHandle>()() = MakeResourceHandle<OwnTable>(ctx, manager->default_container(), name_);
    ctx->set_output(0, handle);
  }

 private:
  std::string name_;
};
REGISTER_KERNEL_BUILDER(Name("OwnTableNamed").Device(DEVICE_CPU), OwnTableNamedOp);

// ---- variants ----

struct OwnPair {
  Tensor first;
  int64_t second = 0;
  std::string TypeName() const { return "OwnPair"; }
  std::string DebugString() const { return strings::StrCat("OwnPair ", second); }
  void Encode(VariantTensorData* data) const {
    data->set_metadata(second);
    *data->add_tensors() = first;
  }
  bool Decode(const VariantTensorData& data) {
    first = data.tensors(0);
    return data.get_metadata(&second);
  }
};
REGISTER_UNARY_VARIANT_DECODE_FUNCTION(OwnPair, "OwnPair");

REGISTER_OP("OwnPairMake")
    .Input("first: float")
    .Input("second: int64")
    .Output("pair: variant")
    .SetShapeFn(shape_inference::ScalarShape);

class OwnPairMakeOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Tensor* pair = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &pair));
    OwnPair made;
    made.first = ctx->input(0);
    made.second = ctx->input(1).scalar<int64_t>()();
    pair->scalar<Variant>()() = std::move(made);
  }
};
REGISTER_KERNEL_BUILDER(Name("OwnPairMake").Device(DEVICE_CPU), OwnPairMakeOp);

REGISTER_OP("OwnPairTake")
    .Input("pair: variant")
    .Output("first: float")
    .Output("second: int64")
    .SetShapeFn([](InferenceContext* c) {
      c->set_output(0, c->UnknownShape());
      c->set_output(1, c->Scalar());
      return OkStatus();
    });

class OwnPairTakeOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const Variant& variant = ctx->input(0).scalar<Variant>()();
    const OwnPair* pair = variant.get<OwnPair>();
    OP_REQUIRES(ctx, pair != nullptr, errors::InvalidArgument("no OwnPair: ", variant.DebugString()));
    VariantTensorData data;
    variant.Encode(&data);
    OwnPair again;
    OP_REQUIRES(ctx, data.type_name() == "OwnPair" && again.Decode(data), errors::Internal("Decode"));
    ctx->set_output(0, again.first);
    Tensor* second = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({}), &second));
    second->scalar<int64_t>()() = pair->second;
  }
};
REGISTER_KERNEL_BUILDER(Name("OwnPairTake").Device(DEVICE_CPU), OwnPairTakeOp);

}  // namespace
}  // namespace tensorflow
