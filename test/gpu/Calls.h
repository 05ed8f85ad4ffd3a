// Calls of the C API and of HIP that must succeed. For programs that run on a real GPU.
#pragma once

#include "tilec/host.h"

#include <hip/hip_runtime.h>

#include <stdexcept>
#include <string>

namespace tilec::test {

inline void require(bool good, const std::string &words) {
  if (!good)
    throw std::runtime_error(words);
}
inline void check(tilec_result result, const char *what) {
  require(result == TILEC_OK, std::string(what) + ": " + tilec_last_error());
}
inline void check(hipError_t error, const char *what) {
  require(error == hipSuccess, std::string(what) + ": " + hipGetErrorString(error));
}

/// A program of a world of one, with its workspace.
struct LoadedProgram {
  tilec_program *program = nullptr;
  void *workspace = nullptr;
  size_t workspaceBytes = 0;

  /// From `name`.json and `name`.so.
  void load(tilec_world *world, const std::string &name, const int64_t *extents, int count) {
    check(tilec_program_load(world, (name + ".json").c_str(), (name + ".so").c_str(), extents, count, &program),
          "tilec_program_load");
    check(tilec_workspace_bytes(program, extents, count, &workspaceBytes), "tilec_workspace_bytes");
    if (workspaceBytes)
      check(tilec_heap_alloc(world, workspaceBytes, &workspace), "tilec_heap_alloc");
  }
};

} // namespace tilec::test
