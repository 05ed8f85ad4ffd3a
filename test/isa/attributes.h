//===- attributes.h - what HIP's and CUDA's headers spell alike -------------------------------------------*- C++
//-*-===//
// For the headers of tests that compile device code without ROCm or CUDA.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_TEST_ATTRIBUTES_H
#define TILEC_TEST_ATTRIBUTES_H

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))

struct dim3 {
  unsigned x, y, z;
  constexpr __host__ __device__ dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

// Indices of threads and workgroups; `tilec_test` says how they are read.
#define TILEC_TEST_INDICES                                                                                             \
  static constexpr tilec_test::threadIndex threadIdx{};                                                                \
  static constexpr tilec_test::blockIndex blockIdx{};                                                                  \
  static constexpr tilec_test::threadsIndex blockDim{};                                                                \
  static constexpr tilec_test::gridIndex gridDim{};

#endif // TILEC_TEST_ATTRIBUTES_H
