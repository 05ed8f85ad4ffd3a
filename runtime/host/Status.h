// Results of the C API and their words. How the runtime's parts say that something is wrong, and how that leaves the C
// API. Failures of kernels are Failure's.
#ifndef TILEC_HOST_STATUS_H
#define TILEC_HOST_STATUS_H

#include "tilec/host.h"
#include <exception>
#include <new>
#include <string>
#include <utility>

namespace tilec::host {

/// Thrown inside the runtime, caught by `guarded`: no exception crosses the C API.
struct Error : std::exception {
  Error(tilec_result result, std::string words) : result(result), words(std::move(words)) {}
  const char *what() const noexcept override { return words.c_str(); }
  tilec_result result;
  std::string words;
};

/// Keeps the words for tilec_last_error on this thread.
tilec_result report(tilec_result result, const char *words) noexcept;

/// Runs the body of an API call.
template <typename Body>
tilec_result guarded(Body &&body) noexcept {
  try {
    body();
    return TILEC_OK;
  } catch (const Error &error) {
    return report(error.result, error.what());
  } catch (const std::bad_alloc &) {
    return report(TILEC_OUT_OF_MEMORY, "out of host memory");
  } catch (const std::exception &error) {
    return report(TILEC_INVALID_ARGUMENT, error.what());
  }
}

inline void require(bool condition, tilec_result result, const std::string &words) {
  if (!condition)
    throw Error(result, words);
}

} // namespace tilec::host

#endif // TILEC_HOST_STATUS_H
