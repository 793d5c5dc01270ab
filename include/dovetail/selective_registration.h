// Selective registration: a program that is linked statically keeps only the ops and kernels that its models need. With
// SELECTIVE_REGISTRATION defined, "ops_to_register.h" on the include path says which those are; `dovetail select` writes
// that file. Without it everything is kept.
//
// SHOULD_REGISTER_OP("Relu"), SHOULD_REGISTER_OP_KERNEL("relu_f32") and SHOULD_REGISTER_OP_GRADIENT mean what they do in
// stock's tensorflow/core/framework/selective_registration.h: compile-time conditions in C++, conditions that the
// compiler folds in C. A kernel goes by its class, the name that TF_RegisterKernelBuilder was given. A kernel that is built
// for the op "_no_register" is passed over when it is registered.
//
// For tables: DVT_IF_OP(Relu, ROW) and DVT_IF_KERNEL(relu_f32, ROW) are ROW, which may have commas in it, or nothing. What
// is not mentioned anywhere, the linker leaves out (-ffunction-sections, -Wl,--gc-sections).
#ifndef DOVETAIL_SELECTIVE_REGISTRATION_H_
#define DOVETAIL_SELECTIVE_REGISTRATION_H_

#ifdef SELECTIVE_REGISTRATION
#include "ops_to_register.h"

// DVT_OP_Relu is defined as 1 when the op is selected. DVT_IS_1_(x) is 1 for what expands to 1, else 0.
#define DVT_IF_OP(name, ...) DVT_CAT_(DVT_IF_, DVT_IS_1_(DVT_OP_##name))(__VA_ARGS__)
#define DVT_IF_KERNEL(name, ...) DVT_CAT_(DVT_IF_, DVT_IS_1_(DVT_KERNEL_##name))(__VA_ARGS__)
#define DVT_IF_1(...) __VA_ARGS__
#define DVT_IF_0(...)
#define DVT_CAT_(a, b) DVT_CAT__(a, b)
#define DVT_CAT__(a, b) a##b
#define DVT_COMMA_1 ,
#define DVT_IS_1_(x) DVT_IS_1__(x)
#define DVT_IS_1__(x) DVT_SECOND_(DVT_COMMA_##x 1, 0, )
#define DVT_SECOND_(...) DVT_SECOND__(__VA_ARGS__)
#define DVT_SECOND__(a, b, ...) b
#else
#define SHOULD_REGISTER_OP(op) true
#define SHOULD_REGISTER_OP_KERNEL(kernel_class) true
#define SHOULD_REGISTER_OP_GRADIENT true
#define DVT_IF_OP(name, ...) __VA_ARGS__
#define DVT_IF_KERNEL(name, ...) __VA_ARGS__
#endif

#endif  // DOVETAIL_SELECTIVE_REGISTRATION_H_
