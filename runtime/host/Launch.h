// One instance of a program. Checks what a launch was given and enqueues it. Nothing here allocates device memory or
// waits.
#ifndef TILEC_HOST_LAUNCH_H
#define TILEC_HOST_LAUNCH_H

#include "host/Program.h"

namespace tilec::host {

struct Launch {
  tilec_program &program;
  void *stream;
  void *const *arguments;
  int argumentCount;
  const std::int64_t *extents;
  int extentCount;
  void *workspace;
  int workgroups;

  /// Throws Error.
  void run();

private:
  void checkBuffers(const std::vector<std::int64_t> &values) const;
  void checkProof() const;
  void checkCopies(LaunchArguments launch) const;
  void requireBeside(std::int64_t chosen) const;
  int chooseWorkgroups(const std::vector<std::int64_t> &values) const;
  Context context(const std::vector<std::int64_t> &values) const;
  template <typename Callback>
  void forEachSymmetric(const std::vector<std::int64_t> &values, Callback &&callback) const;
  std::vector<std::string> given(const std::vector<std::int64_t> &values) const;
};

} // namespace tilec::host

#endif // TILEC_HOST_LAUNCH_H
