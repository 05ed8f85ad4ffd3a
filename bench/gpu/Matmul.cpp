// c = a * b^T in bf16 on a GPU: generated programs beside cuBLASLt, interleaved in one process. Arguments are folders
// of `tilec bench/gpu/matmul.mlir --extent M=..,N=..,K=.. -o FOLDER` with the text compiled as FOLDER/matmul.so
// (bench/gpu/matmul.sh). Normal data, three inputs in turn, so that none is in the L2 from the launch before.
#include "../../test/gpu/Calls.h"

#include <cublasLt.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace {

using tilec::test::check, tilec::test::require;

constexpr int inputs = 3, heuristics = 8, rounds = 5, launches = 6;
constexpr size_t cublasBytes = size_t(32) << 20;

void check(cublasStatus_t status, const char *what) {
  require(status == CUBLAS_STATUS_SUCCESS, std::string(what) + ": " + cublasLtGetStatusString(status));
}

using Bits = unsigned short;
Bits toBits(float x) {
  unsigned bits;
  std::memcpy(&bits, &x, sizeof(x));
  return Bits((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
float toFloat(Bits half) {
  const unsigned bits = unsigned(half) << 16;
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}
std::vector<Bits> normal(size_t count, unsigned seed) {
  // Blocks of one sample repeat, at a prime distance: drawing all of them would take longer than the measurement.
  std::mt19937 generator(seed);
  std::normal_distribution<float> distribution;
  std::vector<Bits> block(1000003), result(count);
  for (Bits &bits : block)
    bits = toBits(distribution(generator));
  for (size_t i = 0; i < count; ++i)
    result[i] = block[i % block.size()];
  return result;
}

struct Shape {
  int64_t m, n, k;
};

/// Memory of one problem.
struct Problem {
  Shape shape;
  std::vector<Bits> hostA[inputs], hostB[inputs];
  void *a[inputs], *b[inputs], *c[inputs];

  Problem(tilec_world *world, const Shape &shape) : shape(shape) {
    for (int i = 0; i < inputs; ++i) {
      hostA[i] = normal(shape.m * shape.k, 2 * i + 1);
      hostB[i] = normal(shape.n * shape.k, 2 * i + 2);
      a[i] = upload(world, hostA[i]);
      b[i] = upload(world, hostB[i]);
      check(tilec_heap_alloc(world, shape.m * shape.n * sizeof(Bits), &c[i]), "tilec_heap_alloc");
    }
  }
  void poison() const {
    for (void *memory : c)
      check(hipMemset(memory, 0xff, shape.m * shape.n * sizeof(Bits)), "hipMemset");
  }
  /// The largest error of a sample against sums in double, as a part of the root of K; NaN counts as infinite.
  double error() const {
    double worst = 0;
    for (int i = 0; i < inputs; ++i) {
      std::vector<Bits> got(shape.m * shape.n);
      check(hipMemcpy(got.data(), c[i], got.size() * sizeof(Bits), hipMemcpyDeviceToHost), "hipMemcpy");
      std::mt19937_64 generator(7 + i);
      for (int sample = 0; sample < 400; ++sample) {
        const int64_t row = generator() % shape.m, column = generator() % shape.n;
        double sum = 0;
        for (int64_t k = 0; k < shape.k; ++k)
          sum += double(toFloat(hostA[i][row * shape.k + k])) * double(toFloat(hostB[i][column * shape.k + k]));
        const double difference = std::fabs(double(toFloat(got[row * shape.n + column])) - sum);
        worst = std::max(worst, std::isnan(difference) ? INFINITY : difference);
      }
    }
    return worst / std::sqrt(double(shape.k));
  }

private:
  static void *upload(tilec_world *world, const std::vector<Bits> &values) {
    void *memory = nullptr;
    check(tilec_heap_alloc(world, values.size() * sizeof(Bits), &memory), "tilec_heap_alloc");
    check(hipMemcpy(memory, values.data(), values.size() * sizeof(Bits), hipMemcpyHostToDevice), "hipMemcpy");
    return memory;
  }
};

/// Row-major c = a * b^T is column-major c^T = b * a^T.
class Cublas {
public:
  Cublas(const Problem &problem, hipStream_t stream) : problem(problem), stream(stream) {
    const auto [m, n, k] = problem.shape;
    check(cublasLtCreate(&handle), "cublasLtCreate");
    check(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
    const cublasOperation_t transpose = CUBLAS_OP_T;
    check(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &transpose, sizeof(transpose)),
          "desc");
    check(cublasLtMatrixLayoutCreate(&left, CUDA_R_16BF, k, n, k), "cublasLtMatrixLayoutCreate");
    check(cublasLtMatrixLayoutCreate(&right, CUDA_R_16BF, k, m, k), "cublasLtMatrixLayoutCreate");
    check(cublasLtMatrixLayoutCreate(&result, CUDA_R_16BF, n, m, n), "cublasLtMatrixLayoutCreate");
    check(hipMalloc(&workspace, cublasBytes), "hipMalloc");
    cublasLtMatmulPreference_t preference;
    check(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &cublasBytes,
                                               sizeof(cublasBytes)),
          "preference");
    found.resize(heuristics);
    int count = 0;
    check(cublasLtMatmulAlgoGetHeuristic(handle, operation, left, right, result, result, preference, heuristics,
                                         found.data(), &count),
          "cublasLtMatmulAlgoGetHeuristic");
    found.resize(count);
    require(count > 0, "cuBLASLt has no algorithm");
  }
  size_t algorithms() const { return found.size(); }
  void use(size_t algorithm) { chosen = algorithm; }
  void launch(int i) {
    const float one = 1, zero = 0;
    check(cublasLtMatmul(handle, operation, &one, problem.b[i], left, problem.a[i], right, &zero, problem.c[i], result,
                         problem.c[i], result, &found[chosen].algo, workspace, cublasBytes, stream),
          "cublasLtMatmul");
  }

private:
  const Problem &problem;
  hipStream_t stream;
  cublasLtHandle_t handle;
  cublasLtMatmulDesc_t operation;
  cublasLtMatrixLayout_t left, right, result;
  void *workspace;
  std::vector<cublasLtMatmulHeuristicResult_t> found;
  size_t chosen = 0;
};

/// One generated program.
struct Generated : tilec::test::LoadedProgram {
  Generated(tilec_world *world, const std::string &folder, const Shape &shape) {
    const int64_t extents[] = {shape.m, shape.n, shape.k};
    load(world, folder + "/matmul", extents, 3);
  }
  void launch(const Problem &problem, int i, hipStream_t stream) const {
    const int64_t extents[] = {problem.shape.m, problem.shape.n, problem.shape.k};
    void *pointers[] = {problem.a[i], problem.b[i], problem.c[i]};
    check(tilec_launch(program, stream, pointers, 3, extents, 3, workspace, 0), "tilec_launch");
  }
};

/// Milliseconds of one of `launches` launches in a row, over the inputs in turn.
template <class Launch>
double timeOf(hipStream_t stream, Launch launch) {
  hipEvent_t begin, end;
  check(hipEventCreate(&begin), "hipEventCreate");
  check(hipEventCreate(&end), "hipEventCreate");
  check(hipEventRecord(begin, stream), "hipEventRecord");
  for (int i = 0; i < launches; ++i)
    launch(i % inputs);
  check(hipEventRecord(end, stream), "hipEventRecord");
  check(hipEventSynchronize(end), "hipEventSynchronize");
  float milliseconds = 0;
  check(hipEventElapsedTime(&milliseconds, begin, end), "hipEventElapsedTime");
  return milliseconds / launches;
}
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure(const std::string &folder) {
  const std::string label = folder.substr(folder.find_last_of('/') + 1);
  Shape shape{};
  require(std::sscanf(label.c_str(), "%ldx%ldx%ld", &shape.m, &shape.n, &shape.k) == 3,
          "a folder's name begins with MxNxK");
  tilec_world_options options{};
  options.size = 1;
  options.heap_bytes = inputs * 2 * size_t(shape.m * shape.k + shape.n * shape.k + shape.m * shape.n) + (1 << 24);
  options.signal_bytes = size_t(16) << 20;
  options.device = TILEC_DEVICE_HIP;
  tilec_world *world = nullptr;
  check(tilec_world_create(&options, &world), "tilec_world_create");
  hipStream_t stream;
  check(hipStreamCreate(&stream), "hipStreamCreate");
  const Problem problem(world, shape);
  const Generated generated(world, folder, shape);
  Cublas cublas(problem, stream);
  size_t best = 0;
  double least = INFINITY;
  for (size_t i = 0; i < cublas.algorithms(); ++i) {
    cublas.use(i);
    timeOf(stream, [&](int input) { cublas.launch(input); });
    if (const double time = timeOf(stream, [&](int input) { cublas.launch(input); }); time < least) {
      least = time;
      best = i;
    }
  }
  cublas.use(best);
  problem.poison();
  for (int i = 0; i < inputs; ++i)
    cublas.launch(i);
  check(hipStreamSynchronize(stream), "hipStreamSynchronize");
  const double cublasError = problem.error();
  problem.poison();
  for (int i = 0; i < inputs; ++i)
    generated.launch(problem, i, stream);
  check(tilec_synchronize(world, stream), "tilec_synchronize");
  const double error = problem.error();
  std::vector<double> ours, theirs;
  for (int round = 0; round < rounds; ++round) {
    theirs.push_back(timeOf(stream, [&](int input) { cublas.launch(input); }));
    ours.push_back(timeOf(stream, [&](int input) { generated.launch(problem, input, stream); }));
  }
  check(tilec_synchronize(world, stream), "tilec_synchronize");
  const double flops = 2.0 * double(shape.m) * double(shape.n) * double(shape.k);
  std::printf("%-32s tilec %8.3f ms %6.1f TFLOP/s  cuBLASLt %8.3f ms %6.1f TFLOP/s  ratio %.3f  errors %.2g %.2g\n",
              label.c_str(), median(ours), flops / median(ours) * 1e-9, median(theirs), flops / median(theirs) * 1e-9,
              median(theirs) / median(ours), error, cublasError);
  std::fflush(stdout);
  tilec_world_destroy(world);
}

} // namespace

int main(int count, char **folders) {
  int failed = 0;
  for (int i = 1; i < count; ++i)
    try {
      measure(folders[i]);
    } catch (const std::exception &error) {
      std::printf("%s FAILED %s\n", folders[i], error.what());
      ++failed;
    }
  return failed != 0;
}
