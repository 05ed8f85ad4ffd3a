// What the examples' main.cpp share: ranks with a program loaded, buffers, and the comparison with a plain loop.
// Everything goes through tilec/host.h and HIP's copies, so that the same lines run on the emulator and on GPUs.
#pragma once

#include <hip/hip_runtime.h>
#include <tilec/host.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace example {

/// The upper half of a float.
struct bf16 {
  uint16_t bits = 0xffff; // NaN: what a kernel fails to write shows
  bf16() = default;
  /// Rounds to nearest even.
  explicit bf16(float x) {
    uint32_t word;
    std::memcpy(&word, &x, sizeof(word));
    bits = uint16_t((word + 0x7fff + ((word >> 16) & 1)) >> 16);
  }
  operator float() const {
    const uint32_t word = uint32_t(bits) << 16;
    float x;
    std::memcpy(&x, &word, sizeof(x));
    return x;
  }
};

inline void check(bool good, const char *what, const char *why) {
  if (good)
    return;
  std::fprintf(stderr, "%s: %s\n", what, why);
  std::exit(2);
}
inline void check(tilec_result result, const char *what) { check(result == TILEC_OK, what, tilec_last_error()); }
inline void check(hipError_t result, const char *what) { check(result == hipSuccess, what, hipGetErrorString(result)); }

/// The ranks of one world with one program loaded: all of them in this process, each on its own device; or, when
/// `tilec launch` started this process, the one rank that it is. Every rank has its place in the vectors; those of
/// other processes are null.
class World {
public:
  /// `greatest`: the greatest value of every extent in any launch. A heap of 64 MiB and 4 MiB of signals per rank hold
  /// what the examples need.
  World(int size, const char *manifestPath, tilec_launch_function launch, const std::vector<int64_t> &greatest)
      : worlds(size), programs(size), workspaces(size) {
    tilec_world_options options{};
    options.heap_bytes = size_t(64) << 20;
    options.signal_bytes = size_t(4) << 20;
#ifndef TILEC_EMULATED
    options.device = TILEC_DEVICE_HIP;
#endif
    options.device_index = -1;
    if (std::getenv("TILEC_RANK"))
      join(options);
    else
      create(options);
    std::ifstream file(manifestPath);
    const std::string manifest{std::istreambuf_iterator<char>(file), {}};
    for (int rank : here()) {
      const int count = int(greatest.size());
      size_t bytes = 0;
      check(tilec_program_link(worlds[rank], manifest.c_str(), launch, greatest.data(), count, &programs[rank]),
            "tilec_program_link");
      check(tilec_workspace_bytes(programs[rank], greatest.data(), count, &bytes), "tilec_workspace_bytes");
      if (bytes)
        check(tilec_heap_alloc(worlds[rank], bytes, &workspaces[rank]), "tilec_heap_alloc");
    }
  }
  ~World() {
    for (tilec_world *world : worlds)
      tilec_world_destroy(world);
  }
  World(const World &) = delete;

  int size() const { return int(worlds.size()); }
  /// The ranks of this process.
  std::vector<int> here() const {
    std::vector<int> ranks;
    for (int rank = 0; rank < size(); ++rank)
      if (worlds[rank])
        ranks.push_back(rank);
    return ranks;
  }
  tilec_world *operator[](int rank) const { return worlds[rank]; }

  /// Enqueues the program on every rank and waits for all of them. `arguments(rank)`: its pointers, in the program's
  /// order.
  template <typename Arguments>
  void launch(const std::vector<int64_t> &extents, Arguments arguments) {
    for (int rank : here()) {
      const std::vector<void *> pointers = arguments(rank);
      check(tilec_launch(programs[rank], nullptr, pointers.data(), int(pointers.size()), extents.data(),
                         int(extents.size()), workspaces[rank], /*workgroups=*/0),
            "tilec_launch");
    }
    for (int rank : here())
      check(tilec_synchronize(worlds[rank], nullptr), "tilec_synchronize");
  }

private:
  void create(tilec_world_options options) {
    options.size = size();
    for (options.rank = 0; options.rank < size(); ++options.rank)
      check(tilec_world_create(&options, &worlds[options.rank]), "tilec_world_create");
  }
  /// Rank and size come from the environment.
  void join(const tilec_world_options &options) {
    tilec_world *world = nullptr;
    check(tilec_world_join(&options, &world), "tilec_world_join");
    check(tilec_world_size(world) == size(), "tilec launch -n",
          ("expected " + std::to_string(size()) + " ranks, as the program was compiled for").c_str());
    worlds[tilec_world_rank(world)] = world;
  }

  std::vector<tilec_world *> worlds;
  std::vector<tilec_program *> programs;
  std::vector<void *> workspaces;
};

/// One buffer per rank, at the same place of every rank's heap.
template <typename T>
class Buffer {
public:
  Buffer(const World &world, size_t elements) : here(world.here()), pointers(world.size()) {
    for (int rank : here)
      check(tilec_heap_alloc(world[rank], elements * sizeof(T), &pointers[rank]), "tilec_heap_alloc");
  }
  void *operator[](int rank) const { return pointers[rank]; }

  /// Element (row, column) of rank r becomes value(r, row, column).
  template <typename Value>
  void fill(int64_t rows, int64_t columns, Value value) {
    std::vector<T> host(rows * columns);
    for (int rank : here) {
      for (int64_t i = 0; i < rows * columns; ++i)
        host[i] = T(value(rank, int(i / columns), int(i % columns)));
      check(hipMemcpy(pointers[rank], host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice), "hipMemcpy");
    }
  }
  /// NaN everywhere: what a launch fails to write is then found.
  void poison(int64_t rows, int64_t columns) {
    fill(rows, columns, [](int, int, int) { return NAN; });
  }

  /// Compares each rank's elements with expected(r, row, column), a double, and prints a line per rank. An element is
  /// wrong when |got - expected| > tolerance * (|expected| + 1), or when it is NaN. True when none is.
  template <typename Expected>
  bool matches(int64_t rows, int64_t columns, double tolerance, Expected expected) const {
    bool good = true;
    std::vector<T> host(rows * columns);
    for (int rank : here) {
      check(hipMemcpy(host.data(), pointers[rank], host.size() * sizeof(T), hipMemcpyDeviceToHost), "hipMemcpy");
      int64_t wrong = 0;
      double worst = 0;
      for (int64_t i = 0; i < rows * columns; ++i) {
        const double want = expected(rank, int(i / columns), int(i % columns));
        const double error = std::fabs(double(host[i]) - want) / (std::fabs(want) + 1);
        wrong += !(error <= tolerance);
        worst = std::fmax(worst, std::isnan(error) ? INFINITY : error);
      }
      std::printf("rank %d: %lld x %lld elements, largest relative error %.2g (tolerance %.2g), %lld wrong\n", rank,
                  (long long)rows, (long long)columns, worst, tolerance, (long long)wrong);
      good &= wrong == 0;
    }
    return good;
  }

private:
  std::vector<int> here;
  std::vector<void *> pointers;
};

/// An input that differs from rank to rank and launch to launch: eighths in [-1, 1], exact in bf16, with products and
/// sums of a few hundred of them exact in f32, so that only the last rounding of a result may differ.
inline float input(int rank, int row, int column, int salt) {
  const unsigned mixed = (row * 2654435761u + column * 40503u + rank * 9176u + salt * 77003u) ^ (row * 31u + column);
  return (int((mixed >> 7) % 17) - 8) / 8.0f;
}

/// The most that rounding to bf16, which has 8 significant bits, changes a value relative to it.
inline constexpr double bf16Rounding = 1.0 / 256;

} // namespace example
