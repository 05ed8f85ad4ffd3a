//===- DeviceTest.hip - the device headers on a real GPU ----------------------------------------------------===//
// A program of its own: hipcc or nvcc builds it, a machine with a GPU runs it (test/gpu/run.sh). Each check compares with
// what the host computes; the line at the end says how many passed. The emulator's tests of the same headers are in
// test/device.
#include <hip/hip_runtime.h>
#include <tilec/device.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

// What the runtime library has, of which only the headers are tested here.
extern "C" void tilec_note_occupancy(int) {}

namespace gpu {

using tilec::at;
using tilec::bf16;
using tilec::Context;
using tilec::Lanes;
using tilec::Layout;
using tilec::Registers;
using tilec::Shape;
using tilec::Shared;
using tilec::Swizzle;
using tilec::Tile;
using tilec::Waves;

// Lanes of the wave that the compiler of this file has; both halves of a layout below follow it.
#if defined(__CUDACC__)
using RowLanes = Lanes<at(0, 8), at(0, 16), at(1), at(2), at(4)>;
using RowWaves = Waves<at(8), at(16)>;
using RowRegisters = Registers<at(0, 1), at(0, 2), at(0, 4), at(32)>;
using KeptRows = Layout<Shape<64>, Registers<at(32)>, Lanes<at(0), at(0), at(1), at(2), at(4)>, Waves<at(8), at(16)>>;
using KeptColumns = Layout<Shape<32>, Registers<at(1), at(2), at(4)>, Lanes<at(8), at(16), at(0), at(0), at(0)>,
                           Waves<at(0), at(0)>>;
constexpr int lanes = 32;
#else
using RowLanes = Lanes<at(0, 8), at(0, 16), at(1), at(2), at(4), at(8)>;
using RowWaves = Waves<at(16), at(32)>;
using RowRegisters = Registers<at(0, 1), at(0, 2), at(0, 4)>;
using KeptRows =
    Layout<Shape<64>, Registers<>, Lanes<at(0), at(0), at(1), at(2), at(4), at(8)>, Waves<at(16), at(32)>>;
using KeptColumns = Layout<Shape<32>, Registers<at(1), at(2), at(4)>, Lanes<at(8), at(16), at(0), at(0), at(0), at(0)>,
                           Waves<at(0), at(0)>>;
constexpr int lanes = 64;
#endif
using Rows = Layout<Shape<64, 32>, RowRegisters, RowLanes, RowWaves>;
constexpr int threads = 4 * lanes;

int failed = 0, passed = 0;

void expect(bool right, const std::string &what) {
  (right ? passed : failed) += 1;
  if (!right)
    std::printf("FAILED %s\n", what.c_str());
}
void require(int error, const char *what) {
  if (error) {
    std::printf("%s: %s\n", what, hipGetErrorString(hipError_t(error)));
    std::exit(2);
  }
}

/// Device memory that the host fills and reads.
template <class T>
struct Memory {
  explicit Memory(std::size_t count, int byte = 0xff) : count(count) {
    require(hipMalloc(reinterpret_cast<void **>(&data), count * sizeof(T)), "allocate");
    require(hipMemset(data, byte, count * sizeof(T)), "fill");
  }
  explicit Memory(const std::vector<T> &values) : Memory(values.size()) {
    require(hipMemcpy(data, values.data(), count * sizeof(T), hipMemcpyHostToDevice), "copy to the device");
  }
  Memory(const Memory &) = delete;
  ~Memory() { (void)hipFree(data); }
  std::vector<T> read() const {
    std::vector<T> values(count);
    require(hipMemcpy(values.data(), data, count * sizeof(T), hipMemcpyDeviceToHost), "copy from the device");
    return values;
  }
  T *data = nullptr;
  std::size_t count;
};

float value_at(long long i) { return float((i * 7 + i / 5 * 3 + i / 64 * 11) % 17 - 8); }
bf16 rounded(float x) { return {static_cast<unsigned short>(__builtin_bit_cast(unsigned, x) >> 16)}; }
std::vector<bf16> values(long long count) {
  std::vector<bf16> result(count);
  for (long long i = 0; i < count; ++i)
    result[i] = rounded(value_at(i));
  return result;
}

// Tiles through registers and LDS, masked at the edges of the view.

template <int Vector>
__global__ void move(const bf16 *from, bf16 *to, int M, int N) {
  using S = Shared<bf16, Shape<64, 32>, Swizzle<8, 2, 4>>;
  const int m = int(blockIdx.x) % ((M + 63) / 64), n = int(blockIdx.x) / ((M + 63) / 64);
  const auto tile = tilec::load<Rows, Vector>(tilec::view(from, {M, N}, {N, 1}), {m * 64, n * 32});
  tilec::store(tilec::shared<S>(128), tile);
  tilec::barrier();
  const auto back = tilec::load<Rows>(tilec::shared<S>(128));
  tilec::store<Vector>(back, tilec::view(to, {M, N}, {N, 1}), {m * 64, n * 32});
}

template <int Vector>
void moves(int M, int N) {
  const auto source = values((long long)M * N);
  const Memory<bf16> from(source);
  const Memory<bf16> to(std::size_t(M) * N + 64);
  require(tilec::launch_kernel(move<Vector>, ((M + 63) / 64) * ((N + 31) / 32), threads, 8192, nullptr,
                               static_cast<const bf16 *>(from.data), to.data, M, N),
          "launch");
  const auto got = to.read();
  int wrong = 0;
  for (std::size_t i = 0; i < source.size(); ++i)
    wrong += got[i].bits != source[i].bits;
  for (std::size_t i = source.size(); i < got.size(); ++i)
    wrong += got[i].bits != 0xffff;
  expect(wrong == 0, "tiles of " + std::to_string(M) + " x " + std::to_string(N) + ", vectors of " +
                         std::to_string(Vector) + ": " + std::to_string(wrong) + " wrong");
}

// Reductions over registers, lanes and waves; products without matrix instructions.

__global__ void reduce_both(const float *from, float *rows, float *columns) {
  const auto tile = tilec::load<Rows, 4>(tilec::view(from, {64, 32}, {32, 1}), {0, 0});
  constexpr int scratch = tilec::reduce_scratch<0, KeptColumns, Rows>();
  const auto place = tilec::shared<Shared<float, Shape<1 << tilec::detail::log2_of(scratch)>>>(128);
  tilec::store<1>(tilec::reduce<1, tilec::add, KeptRows>(tile), tilec::view(rows, {64}, {1}), {0});
  tilec::store<1>(tilec::reduce<0, tilec::maximum, KeptColumns>(tile, place), tilec::view(columns, {32}, {1}), {0});
}

void reductions() {
  std::vector<float> source(64 * 32);
  for (int i = 0; i < 64 * 32; ++i)
    source[i] = value_at(i);
  const Memory<float> from(source), rows(64), columns(32);
  require(tilec::launch_kernel(reduce_both, 1, threads, 8192, nullptr, static_cast<const float *>(from.data), rows.data,
                               columns.data),
          "launch");
  const auto sums = rows.read(), largest = columns.read();
  int wrong = 0;
  for (int i = 0; i < 64; ++i) {
    float sum = 0;
    for (int j = 0; j < 32; ++j)
      sum += source[i * 32 + j];
    wrong += sums[i] != sum;
  }
  for (int j = 0; j < 32; ++j) {
    float most = -100;
    for (int i = 0; i < 64; ++i)
      most = std::max(most, source[i * 32 + j]);
    wrong += largest[j] != most;
  }
  expect(wrong == 0, "reductions: " + std::to_string(wrong) + " wrong");
}

// Launches: tickets, workers, epochs.

__global__ void draw(const Context context, int *done, int *workers, int tasks) {
  const tilec::Launch launch = tilec::enter(context);
  if (threadIdx.x == 0)
    atomicAdd(&workers[launch.worker], 1);
  for (int task = tilec::next(launch, 0); task < tasks; task = tilec::next(launch, 0))
    if (threadIdx.x == 0)
      atomicAdd(&done[task], int(launch.epoch));
  if (tilec::last<tilec::agent>(launch))
    tilec::leave(launch, /*advance=*/true);
}

/// A rank that is alone: its memory is on one device.
struct World {
  World()
      : state(1, 0), failure(1, 0), area(1 << 20, 0), heap(1 << 20, 0), bases(std::vector<char *>{heap.data}),
        areas(std::vector<char *>{area.data}) {}
  Context context() const {
    return {0, 1, bases.data, areas.data, state.data, failure.data, 2000000000ull, 1, 0};
  }
  const Memory<tilec::LaunchState> state;
  const Memory<tilec::Failure> failure;
  const Memory<char> area, heap;
  const Memory<char *> bases, areas;
};

void launches() {
  const World world;
  unsigned epochs = 0;
  int wrong = 0;
  for (int round = 0; round < 1000; ++round) {
    const int tasks = round * 37 % 700, workgroups = 1 + round * 13 % 300;
    const Memory<int> done(std::max(tasks, 1), 0), workers(workgroups, 0);
    require(tilec::launch_kernel(draw, workgroups, threads, 256, nullptr, world.context(), done.data, workers.data, tasks),
            "launch");
    ++epochs;
    const auto counts = done.read(), came = workers.read();
    for (int i = 0; i < tasks; ++i)
      wrong += counts[i] != int(epochs);
    for (int count : came)
      wrong += count != 1;
  }
  const tilec::LaunchState state = world.state.read()[0];
  expect(wrong == 0, "1000 launches: " + std::to_string(wrong) + " tasks or workers wrong");
  expect(state.entered == (unsigned long long)epochs << 32 && state.left == 0, "the state between launches");
}

// Signals between workgroups of one launch: producers scale a tile into scratch, consumers read another's.

template <tilec::Scope Scope>
__global__ void exchange(const Context context, const float *from, float *scratch, float *to, int tiles) {
  const tilec::Launch launch = tilec::enter(context);
  const auto sent = tilec::Signals<1>{context, 0, {tiles}};
  for (int task = tilec::next(launch, 0); task < 2 * tiles; task = tilec::next(launch, 0)) {
    if (task < tiles) {
      auto tile = tilec::load<Rows, 4>(tilec::view(from, {tiles * 64, 32}, {32, 1}), {task * 64, 0});
#pragma unroll
      for (int i = 0; i < Rows::registers; ++i)
        tile[i] = tile[i] * float(launch.epoch);
      tilec::store<4>(tile, tilec::view(scratch, {tiles * 64, 32}, {32, 1}), {task * 64, 0});
      tilec::signal<Scope>(launch, sent, {task}, 0);
    } else {
      const int wanted = (task * 7 + 3) % tiles;
      tilec::wait<Scope>(launch, sent, {wanted}, {1});
      const auto tile = tilec::load_live<Rows, 4>(tilec::view(scratch, {tiles * 64, 32}, {32, 1}), {wanted * 64, 0});
      tilec::store<4>(tile, tilec::view(to, {tiles * 64, 32}, {32, 1}), {(task - tiles) * 64, 0});
    }
  }
  if (tilec::last<tilec::agent>(launch))
    tilec::leave(launch, /*advance=*/true);
}

/// Elements of the last launch that are wrong; `scale` is its epoch.
int compare(const std::vector<float> &source, const std::vector<float> &got, int tiles, unsigned scale) {
  int wrong = 0;
  for (int tile = 0; tile < tiles; ++tile)
    for (int i = 0; i < 64 * 32; ++i)
      wrong += got[tile * 2048 + i] != source[((tile + tiles) * 7 + 3) % tiles * 2048 + i] * float(scale);
  return wrong;
}

template <tilec::Scope Scope>
void signals(const char *name) {
  const World world;
  constexpr int most = 400;
  std::vector<float> source(most * 2048);
  for (std::size_t i = 0; i < source.size(); ++i)
    source[i] = value_at((long long)i);
  const Memory<float> from(source), scratch(source.size()), to(source.size());
  unsigned epoch = 0;
  int wrong = 0;
  for (int round = 0; round < 1000; ++round) {
    const int tiles = 1 + round * 61 % most, workgroups = 1 + round * 29 % 256;
    require(tilec::launch_kernel(exchange<Scope>, workgroups, threads, 256, nullptr, world.context(),
                                 static_cast<const float *>(from.data), scratch.data, to.data, tiles),
            "launch");
    ++epoch;
    if (round % 10 == 0)
      wrong += compare(source, to.read(), tiles, epoch);
  }
  expect(wrong == 0, std::string("1000 launches with signals of scope ") + name + ": " + std::to_string(wrong) + " wrong");

  // A captured launch takes its epoch from device memory: it may be replayed and mixed with others.
  hipStream_t stream;
  hipGraph_t graph;
  hipGraphExec_t replay;
  require(hipStreamCreate(&stream), "create a stream");
  require(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), "capture");
  require(tilec::launch_kernel(exchange<Scope>, 200, threads, 256, stream, world.context(),
                               static_cast<const float *>(from.data), scratch.data, to.data, most),
          "launch");
  require(hipStreamEndCapture(stream, &graph), "capture");
  require(hipGraphInstantiate(&replay, graph, nullptr, nullptr, 0), "instantiate");
  wrong = 0;
  for (int round = 0; round < 1000; ++round) {
    require(hipGraphLaunch(replay, stream), "replay");
    ++epoch;
    if (round % 3 == 0) {
      require(tilec::launch_kernel(exchange<Scope>, 64, threads, 256, stream, world.context(),
                                   static_cast<const float *>(from.data), scratch.data, to.data, 1 + round % most),
              "launch");
      ++epoch;
      continue;
    }
    if (round % 50 == 1) {
      require(hipStreamSynchronize(stream), "synchronise");
      wrong += compare(source, to.read(), most, epoch);
    }
  }
  require(hipStreamSynchronize(stream), "synchronise");
  expect(wrong == 0, std::string("1000 replays, scope ") + name + ": " + std::to_string(wrong) + " wrong");
  expect(world.failure.read()[0].set == 0, "no wait failed");
}

// Tiles pushed to every rank's inbox, of which there are two copies: all ranks hear from each other in every launch, so that
// no credit is needed.

__global__ void gather(const Context context, const float *from, float *inboxes, float *to, int tiles, int most) {
  const tilec::Launch launch = tilec::enter(context);
  const auto arrived = tilec::Signals<2>{context, 0, {context.world, most}};
  float *const inbox = inboxes + launch.epoch % 2 * (long long)context.world * most * 2048;
  for (int task = tilec::next(launch, 0); task < tiles * (1 + context.world); task = tilec::next(launch, 0)) {
    if (task < tiles) {
      auto tile = tilec::load<Rows, 4>(tilec::view(from, {tiles * 64, 32}, {32, 1}), {task * 64, 0});
#pragma unroll
      for (int i = 0; i < Rows::registers; ++i)
        tile[i] = tile[i] * float(launch.epoch) + float(context.rank);
      for (int peer = 0; peer < context.world; ++peer)
        tilec::store<4>(tile, tilec::view(tilec::remote(context, inbox, peer), {context.world * most * 64, 32}, {32, 1}),
                        {(context.rank * most + task) * 64, 0});
      tilec::publish<tilec::system>();
      for (int peer = 0; peer < context.world; ++peer)
        tilec::set<tilec::system>(launch, arrived, {context.rank, task}, peer);
    } else {
      const int of = (task - tiles) / tiles, wanted = (task - tiles) % tiles;
      tilec::wait<tilec::system>(launch, arrived, {of, wanted}, {1, 1});
      const auto tile = tilec::load_live<Rows, 4>(tilec::view(inbox, {context.world * most * 64, 32}, {32, 1}),
                                                  {(of * most + wanted) * 64, 0});
      tilec::store<4>(tile, tilec::view(to, {context.world * tiles * 64, 32}, {32, 1}), {(of * tiles + wanted) * 64, 0});
    }
  }
  if (tilec::last<tilec::agent>(launch))
    tilec::leave(launch, /*advance=*/true);
}

/// One rank's memory, on the device that was current when it was made.
struct Rank {
  Rank(const std::vector<float> &source, int world, int most)
      : state(1, 0), failure(1, 0), area(std::size_t(world) * most * tilec::signal_stride, 0),
        inbox(std::size_t(2) * world * most * 2048), from(source), to(std::size_t(world) * most * 2048),
        bases(std::vector<char *>(world)), areas(std::vector<char *>(world)) {
    require(hipStreamCreate(&stream), "create a stream");
  }
  const Memory<tilec::LaunchState> state;
  const Memory<tilec::Failure> failure;
  const Memory<char> area;
  const Memory<float> inbox, from, to;
  Memory<char *> bases, areas;
  hipStream_t stream;
};

void gathers(int world) {
  constexpr int most = 96;
  std::vector<float> source(most * 2048);
  for (std::size_t i = 0; i < source.size(); ++i)
    source[i] = value_at((long long)i);
  std::vector<std::unique_ptr<Rank>> ranks;
  std::vector<char *> bases, areas;
  for (int rank = 0; rank < world; ++rank) {
    require(hipSetDevice(rank), "set the device");
    for (int peer = 0; peer < world; ++peer)
      if (peer != rank)
        if (hipError_t error = hipDeviceEnablePeerAccess(peer, 0); error != hipErrorPeerAccessAlreadyEnabled)
          require(error, "enable peer access");
    ranks.push_back(std::make_unique<Rank>(source, world, most));
    bases.push_back(reinterpret_cast<char *>(ranks[rank]->inbox.data));
    areas.push_back(ranks[rank]->area.data);
  }
  std::vector<Context> contexts;
  for (int rank = 0; rank < world; ++rank) {
    require(hipSetDevice(rank), "set the device");
    const Rank &mine = *ranks[rank];
    require(hipMemcpy(mine.bases.data, bases.data(), world * sizeof(char *), hipMemcpyHostToDevice), "copy");
    require(hipMemcpy(mine.areas.data, areas.data(), world * sizeof(char *), hipMemcpyHostToDevice), "copy");
    contexts.push_back({rank, world, mine.bases.data, mine.areas.data, mine.state.data, mine.failure.data, 5000000000ull, 1, 0});
    require(hipDeviceSynchronize(), "synchronise");
  }
  int wrong = 0;
  for (int round = 0; round < 1000; ++round) {
    const int tiles = 1 + round * 37 % most;
    // The ranks begin in turn, and every launch in another order.
    for (int i = 0; i < world; ++i) {
      const int rank = (i * 3 + round) % world;
      require(hipSetDevice(rank), "set the device");
      const Rank &mine = *ranks[rank];
      require(tilec::launch_kernel(gather, 1 + (round * 29 + rank * 7) % 132, threads, 256, mine.stream, contexts[rank],
                                   static_cast<const float *>(mine.from.data), mine.inbox.data, mine.to.data, tiles, most),
              "launch");
    }
    if (round % 20 != 0)
      continue;
    for (int rank = 0; rank < world; ++rank) {
      require(hipSetDevice(rank), "set the device");
      require(hipStreamSynchronize(ranks[rank]->stream), "synchronise");
      const auto got = ranks[rank]->to.read();
      for (int of = 0; of < world; ++of)
        for (int i = 0; i < tiles * 2048; ++i)
          wrong += got[of * tiles * 2048 + i] != source[i] * float(round + 1) + float(of);
    }
  }
  bool fails = false;
  for (int rank = 0; rank < world; ++rank) {
    require(hipSetDevice(rank), "set the device");
    require(hipDeviceSynchronize(), "synchronise");
    fails |= ranks[rank]->failure.read()[0].set != 0;
  }
  require(hipSetDevice(0), "set the device");
  expect(wrong == 0 && !fails, "1000 launches on " + std::to_string(world) + " devices: " + std::to_string(wrong) + " wrong");
}

// A wait that nothing satisfies ends by its deadline and says which signal.

__global__ void hopeless(const Context context) {
  const tilec::Launch launch = tilec::enter(context);
  const auto never = tilec::Signals<2>{context, 4096, {3, 5}};
  tilec::wait<tilec::agent>(launch, never, {2, 4}, {1, 1});
  if (tilec::last<tilec::agent>(launch))
    tilec::leave(launch, /*advance=*/true);
}

void deadlines() {
  const World world;
  Context context = world.context();
  context.deadline_ns = 20000000;
  require(tilec::launch_kernel(hopeless, 2, threads, 256, nullptr, context), "launch");
  require(hipDeviceSynchronize(), "synchronise");
  const tilec::Failure failure = world.failure.read()[0];
  expect(failure.set == tilec::failure_complete && failure.reason == tilec::failure_deadline &&
             failure.signal == 4096 && failure.index[0] == 2 && failure.index[1] == 4,
         "a wait past its deadline is recorded");
}

} // namespace gpu

int main() {
  for (auto [M, N] : {std::pair{64, 32}, {128, 256}, {200, 136}, {1, 8}, {77, 40}, {1000, 1144}}) {
    gpu::moves<8>(M, N);
    gpu::moves<4>(M, N);
    gpu::moves<1>(M, N);
  }
  gpu::moves<8>(77, 37);
  gpu::moves<4>(3, 1);
  gpu::reductions();
  gpu::launches();
  gpu::signals<tilec::agent>("agent");
  gpu::signals<tilec::system>("system");
  gpu::deadlines();
  int devices = 0;
  gpu::require(hipGetDeviceCount(&devices), "count the devices");
  for (int world = 1; world <= devices; world *= 2)
    gpu::gathers(world);
  std::printf("%d passed, %d failed\n", gpu::passed, gpu::failed);
  return gpu::failed != 0;
}
