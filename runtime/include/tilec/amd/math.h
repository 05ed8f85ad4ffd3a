//===- math.h - AMD: scalar functions without a device library ------------------------------------------*- C++ -*-===//
// f32 functions as LLVM expands them inline (errors in the table of tilec/math.h), and the conversion to bf16.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_AMD_MATH_H
#define TILEC_AMD_MATH_H

#include "tilec/types.h"

namespace tilec::target {

TILEC_DEVICE float exp(float x) { return __builtin_elementwise_exp(x); }
TILEC_DEVICE float exp2(float x) { return __builtin_elementwise_exp2(x); }
TILEC_DEVICE float log(float x) { return __builtin_elementwise_log(x); }
TILEC_DEVICE float log2(float x) { return __builtin_elementwise_log2(x); }
TILEC_DEVICE float sqrt(float x) { return __builtin_elementwise_sqrt(x); }
TILEC_DEVICE float rsqrt(float x) { return __builtin_amdgcn_rsqf(x); }
TILEC_DEVICE float reciprocal(float x) { return __builtin_amdgcn_rcpf(x); }

/// One instruction on gfx950, five elsewhere.
TILEC_DEVICE bf16 to_bf16(float x) { return __builtin_bit_cast(bf16, static_cast<__bf16>(x)); }

TILEC_DEVICE float roundeven(float x) { return __builtin_roundevenf(x); }
TILEC_DEVICE double roundeven(double x) { return __builtin_roundeven(x); }

} // namespace tilec::target

#endif // TILEC_AMD_MATH_H
