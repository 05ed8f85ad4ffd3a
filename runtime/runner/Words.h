// How the parts of the runner say that something is wrong.
#ifndef TILEC_RUNNER_WORDS_H
#define TILEC_RUNNER_WORDS_H

#include "tilec/host.h"
#include <hip/hip_runtime.h>
#include <stdexcept>
#include <string>

namespace tilec::runner {

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

} // namespace tilec::runner

#endif // TILEC_RUNNER_WORDS_H
