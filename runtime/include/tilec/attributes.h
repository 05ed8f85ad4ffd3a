//===- attributes.h - how device functions are declared -------------------------------------------------*- C++ -*-===//
// Attributes of device functions and lambdas. No types and no target constructs.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_ATTRIBUTES_H
#define TILEC_ATTRIBUTES_H

#if !defined(TILEC_EMULATED) && !defined(__HIP__) && !defined(__CUDACC__)
#error "tilec device headers need HIP or the emulator's stand-in <hip/hip_runtime.h>, included first"
#endif

#if __cplusplus < 202002L
#error "tilec device headers need C++20: layouts are template arguments of class type"
#endif

#if defined(TILEC_EMULATED)
#define TILEC_DEVICE inline
#define TILEC_HOST_DEVICE inline
#define TILEC_LAMBDA
#define TILEC_CONSTANT inline constexpr
#define TILEC_KNOWN const
#elif defined(__CUDACC__)
#define TILEC_DEVICE __device__ __forceinline__
#define TILEC_HOST_DEVICE __host__ __device__ __forceinline__
#define TILEC_LAMBDA __attribute__((always_inline))
// A member function of a constant needs its address, which device code has of its own variables alone.
#define TILEC_CONSTANT static __device__ constexpr
#else
/// A device function that is always inlined: tiles are arrays and live in registers only after inlining.
#define TILEC_DEVICE __device__ inline __attribute__((always_inline))
/// The same of one that the functions of a copy engine call, too, which the host runs.
#define TILEC_HOST_DEVICE __host__ __device__ inline __attribute__((always_inline))
/// Stands between the parameters and the body of a lambda, for the same reason.
#define TILEC_LAMBDA __attribute__((always_inline))
/// An object of a header that device functions call.
#define TILEC_CONSTANT inline constexpr
#endif

#if !defined(TILEC_EMULATED)
/// What follows from the argument of a body of `for_each`.
#define TILEC_KNOWN constexpr
#endif

#endif // TILEC_ATTRIBUTES_H
