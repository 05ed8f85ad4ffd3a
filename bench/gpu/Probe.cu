// Kernels that measure a GPU for bench/gpu/bench.py: its clock, the rate of plain reads and copies, and a read of much
// memory to empty the L2. Arguments are device pointers; every function enqueues on a stream and returns CUDA's error.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

namespace {

constexpr int threads = 512, groupsPerUnit = 4;

/// What a multiprocessor's clock and the global timer say, by the number of the multiprocessor.
struct Clock {
  unsigned long long cycles, nanoseconds;
};

__global__ void readClock(Clock *clocks, int units) {
  unsigned unit;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(unit));
  Clock now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now.cycles));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now.nanoseconds));
  if (unit < unsigned(units))
    clocks[unit] = now;
}

/// Calls use(index, value) for every 16 bytes, a part of them in each thread: four loads are under way before a use.
template <class Use>
__device__ void eachLoaded(const uint4 *from, size_t count, Use &&use) {
  const size_t step = size_t(gridDim.x) * threads;
  size_t i = size_t(blockIdx.x) * threads + threadIdx.x;
  for (; i + 3 * step < count; i += 4 * step) {
    uint4 parts[4];
#pragma unroll
    for (int p = 0; p < 4; ++p)
      parts[p] = __ldg(from + i + p * step);
#pragma unroll
    for (int p = 0; p < 4; ++p)
      use(i + p * step, parts[p]);
  }
  for (; i < count; i += step)
    use(i, __ldg(from + i));
}

/// `sink` is written where all bits were ones, which keeps the reads.
__global__ void __launch_bounds__(threads) readAll(const uint4 *from, size_t count, unsigned *sink) {
  unsigned all = ~0u;
  eachLoaded(from, count, [&](size_t, uint4 value) { all &= value.x & value.y & value.z & value.w; });
  if (all == ~0u)
    *sink = all;
}

__global__ void __launch_bounds__(threads) copyAll(uint4 *to, const uint4 *from, size_t count) {
  eachLoaded(from, count, [&](size_t i, uint4 value) { to[i] = value; });
}

/// Merges what ranks have attended to, a workgroup for each query of a head and a thread for each of its numbers, as
/// torch leaves it: means are ranks x queries x heads x depth, natural logarithms of the sums of weights ranks x heads
/// x queries; the result is heads x queries x depth.
__global__ void mergeParts(const __nv_bfloat16 *means, const float *logs, __nv_bfloat16 *out, int ranks) {
  const int query = blockIdx.x, head = blockIdx.y, queries = gridDim.x, heads = gridDim.y, depth = blockDim.x;
  const int row = head * queries + query;
  float highest = -INFINITY, sum = 0, total = 0;
  for (int rank = 0; rank < ranks; ++rank)
    highest = fmaxf(highest, logs[rank * heads * queries + row]);
  for (int rank = 0; rank < ranks; ++rank) {
    const float weight = __expf(logs[rank * heads * queries + row] - highest);
    sum += weight;
    total += weight * __bfloat162float(means[((size_t(rank) * queries + query) * heads + head) * depth + threadIdx.x]);
  }
  out[size_t(row) * depth + threadIdx.x] = __float2bfloat16(total / sum);
}

int units() {
  int device = 0, count = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return count;
}

} // namespace

/// One workgroup for each multiprocessor; not every one need get one.
extern "C" int probe_clock(void *clocks, int count, cudaStream_t stream) {
  readClock<<<units(), 32, 0, stream>>>(static_cast<Clock *>(clocks), count);
  return cudaGetLastError();
}
extern "C" int probe_read(const void *from, size_t bytes, void *sink, cudaStream_t stream) {
  readAll<<<units() * groupsPerUnit, threads, 0, stream>>>(static_cast<const uint4 *>(from), bytes / sizeof(uint4),
                                                           static_cast<unsigned *>(sink));
  return cudaGetLastError();
}
extern "C" int probe_copy(void *to, const void *from, size_t bytes, cudaStream_t stream) {
  copyAll<<<units() * groupsPerUnit, threads, 0, stream>>>(static_cast<uint4 *>(to), static_cast<const uint4 *>(from),
                                                           bytes / sizeof(uint4));
  return cudaGetLastError();
}
extern "C" int probe_merge(const void *means, const void *logs, void *out, int ranks, int queries, int heads, int depth,
                           cudaStream_t stream) {
  mergeParts<<<dim3(queries, heads), depth, 0, stream>>>(static_cast<const __nv_bfloat16 *>(means),
                                                         static_cast<const float *>(logs),
                                                         static_cast<__nv_bfloat16 *>(out), ranks);
  return cudaGetLastError();
}

// Events that a graph records: torch's own capture refuses timing events.
extern "C" int probe_event(void **event) { return cudaEventCreate(reinterpret_cast<cudaEvent_t *>(event)); }
extern "C" int probe_record(void *event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(static_cast<cudaEvent_t>(event), stream, cudaEventRecordExternal);
}
extern "C" int probe_elapsed(void *from, void *to, float *milliseconds) {
  return cudaEventElapsedTime(milliseconds, static_cast<cudaEvent_t>(from), static_cast<cudaEvent_t>(to));
}
