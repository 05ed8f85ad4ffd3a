// Which rank this process is, as whoever started it says: `tilec launch`, torchrun, MPI or Slurm. Reads the environment
// and nothing else.
#ifndef TILEC_HOST_ENVIRONMENT_H
#define TILEC_HOST_ENVIRONMENT_H

#include <string>

namespace tilec::host {

struct StartedAs {
  int rank = 0, size = 1;
  int local = 0;   ///< number of the rank among those of this machine
  std::string job; ///< the same on all ranks, another one at the next start
};

/// Throws Error(TILEC_INVALID_ARGUMENT) where nobody says it, where it is no number, and where the ranks are not all on
/// this machine.
StartedAs readEnvironment();

/// Whether a launcher has set this process's rank.
bool hasLauncher();

} // namespace tilec::host

#endif // TILEC_HOST_ENVIRONMENT_H
