// Results of the C API and their words.
#include "host/Status.h"
#include <cstdio>

namespace {
// A plain array: keeping the words of an out-of-memory error must not allocate.
thread_local char last[1024] = "";
} // namespace

tilec_result tilec::host::report(tilec_result result, const char *words) noexcept {
  std::snprintf(last, sizeof(last), "%s", words);
  return result;
}

const char *tilec_last_error(void) { return last; }

const char *tilec_result_name(tilec_result result) {
  switch (result) {
  case TILEC_OK:
    return "ok";
  case TILEC_INVALID_ARGUMENT:
    return "invalid argument";
  case TILEC_OUT_OF_MEMORY:
    return "out of memory";
  case TILEC_NOT_FOUND:
    return "not found";
  case TILEC_BAD_MANIFEST:
    return "bad manifest";
  case TILEC_BAD_EXTENTS:
    return "bad extents";
  case TILEC_OVERLAP:
    return "overlap";
  case TILEC_NOT_SYMMETRIC:
    return "not symmetric";
  case TILEC_NOT_RESIDENT:
    return "not resident";
  case TILEC_LAUNCH_FAILED:
    return "launch failed";
  case TILEC_REFUSED:
    return "refused";
  case TILEC_DEVICE_ERROR:
    return "device error";
  case TILEC_PEER_LOST:
    return "peer lost";
  case TILEC_NOT_PROVEN:
    return "not proven";
  }
  return "unknown result";
}
