// Launchers and the variables they set.
#include "host/Environment.h"
#include "host/Status.h"
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

using namespace tilec::host;

namespace {

struct Launcher {
  const char *rank, *size;
  const char *local, *localSize; ///< null: the launcher starts ranks on one machine alone
  std::vector<const char *> job; ///< what tells one start from another; none: the process that started the ranks
};

/// The first whose rank is set: torchrun is started by Slurm or MPI, not the other way round.
const std::vector<Launcher> &launchers() {
  static const std::vector<Launcher> all = {
      {"TILEC_RANK", "TILEC_WORLD", nullptr, nullptr, {"TILEC_JOB"}},
      {"RANK",
       "WORLD_SIZE",
       "LOCAL_RANK",
       "LOCAL_WORLD_SIZE",
       {"MASTER_PORT", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT"}},
      {"OMPI_COMM_WORLD_RANK",
       "OMPI_COMM_WORLD_SIZE",
       "OMPI_COMM_WORLD_LOCAL_RANK",
       "OMPI_COMM_WORLD_LOCAL_SIZE",
       {"PMIX_NAMESPACE"}},
      {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", {}},
      {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", nullptr, {"SLURM_JOB_ID", "SLURM_STEP_ID"}},
  };
  return all;
}

const Launcher *findLauncher() {
  for (const Launcher &one : launchers())
    if (std::getenv(one.rank))
      return &one;
  return nullptr;
}

int number(const char *name) {
  const char *text = std::getenv(name);
  require(text, TILEC_INVALID_ARGUMENT,
          std::string(name) + " is not set: start the ranks with 'tilec launch', torchrun or mpirun, or give rank, "
                              "size and job");
  int value = 0;
  const char *end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, value);
  require(read.ec == std::errc() && read.ptr == end && end != text, TILEC_INVALID_ARGUMENT,
          std::string(name) + " is '" + text + "', expected a number");
  return value;
}

int numberOr(const char *name, int otherwise) { return name && std::getenv(name) ? number(name) : otherwise; }

std::string jobOf(const Launcher &launcher) {
  std::string job;
  for (const char *name : launcher.job)
    if (const char *text = std::getenv(name))
      job += (job.empty() ? "" : " ") + std::string(text);
  // `tilec launch` and those who set its variables name the job, or have one alone.
  if (!job.empty() || launcher.rank == launchers().front().rank)
    return job;
  return std::string(launcher.rank) + " " + std::to_string(getppid());
}

} // namespace

bool tilec::host::hasLauncher() { return findLauncher() != nullptr; }

StartedAs tilec::host::readEnvironment() {
  const Launcher *found = findLauncher();
  if (!found)
    found = &launchers().front();
  StartedAs result;
  result.rank = number(found->rank);
  result.size = number(found->size);
  result.local = numberOr(found->local, result.rank);
  result.job = jobOf(*found);
  const int here = numberOr(found->localSize, result.size);
  require(here == result.size, TILEC_INVALID_ARGUMENT,
          "the ranks of a world are processes of one machine: " + std::string(found->size) + " is " +
              std::to_string(result.size) + ", " + (found->localSize ? found->localSize : "") + " is " +
              std::to_string(here));
  return result;
}
