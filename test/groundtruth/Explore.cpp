// Reads descriptions and prints one line each: name, findings of the exploration, states, verdict on the claimed
// progress. Usage: explore [STATES] < descriptions
#include "Interleavings.h"
#include "Workgroups.h"

#include <algorithm>
#include <iostream>

using namespace truth;

/// Whether launches hang though all their workgroups are resident, however many there are.
static std::string judgeHang(const Program &program, size_t limit) {
  int tasks = 0;
  for (const Kernel &kernel : program.kernels)
    for (const Role &role : kernel.roles)
      tasks += role.grid + role.workgroups;
  for (int workgroups = 1; workgroups < tasks + 3; ++workgroups) {
    std::vector<int> resident(program.kernels.size(), workgroups);
    if (exploreWorkgroups(program, workgroups, resident, limit) == Outcome::Ends)
      return "ends with " + std::to_string(workgroups) + " workgroups";
  }
  return "hangs";
}

/// Whether the claims hold (`sound`) and no smaller ones would (`exact`).
static std::string judgeProgress(const Program &program, size_t limit) {
  std::vector<int> claimed;
  int most = 1, own = 0;
  bool unknown = false;
  for (const Kernel &kernel : program.kernels) {
    claimed.push_back(kernel.resident);
    most = std::max(most, kernel.resident);
    for (const Role &role : kernel.roles)
      own += role.workgroups;
  }
  // A launch has at least as many workgroups as must be resident. More than the groups' own and these join the pool and
  // add nothing.
  int end = std::max(most, own) + 3;
  auto residentOf = [&](int workgroups, int change) {
    std::vector<int> resident = claimed;
    for (size_t i = 0; i < resident.size(); ++i)
      resident[i] = program.kernels[i].all ? workgroups : std::min(resident[i] + change, workgroups);
    return resident;
  };
  for (int workgroups = most; workgroups < end; ++workgroups)
    for (int more = 0; more < 3; ++more) {
      Outcome outcome = exploreWorkgroups(program, workgroups, residentOf(workgroups, more), limit);
      if (outcome == Outcome::Hangs)
        return "unsound with " + std::to_string(workgroups) + " workgroups and " + std::to_string(more) +
               " more resident";
      unknown |= outcome == Outcome::Unknown;
    }
  for (size_t kernel = 0; kernel < claimed.size(); ++kernel) {
    if (claimed[kernel] == 1 && !program.kernels[kernel].all)
      continue;
    bool hangs = false;
    for (int workgroups = std::max(1, most - 1); workgroups < end && !hangs; ++workgroups) {
      std::vector<int> resident = residentOf(workgroups, 0);
      resident[kernel] = program.kernels[kernel].all ? workgroups - 1 : std::min(workgroups, claimed[kernel] - 1);
      Outcome outcome = resident[kernel] < 1 ? Outcome::Ends : exploreWorkgroups(program, workgroups, resident, limit);
      hangs = outcome == Outcome::Hangs;
      unknown |= outcome == Outcome::Unknown;
    }
    if (!hangs)
      return "inexact for kernel " + std::to_string(kernel);
  }
  return unknown ? "unknown" : "holds";
}

int main(int argc, char **argv) {
  size_t limit = argc > 1 ? std::stoul(argv[1]) : 2000000;
  Program program;
  while (read(std::cin, program)) {
    Verdict verdict;
    checkStatically(program, verdict);
    if (!verdict.findings.count("bounds") && !verdict.findings.count("rank") && !verdict.findings.count("order"))
      exploreInterleavings(program, limit, verdict);
    std::cout << program.name << "|";
    for (const std::string &finding : verdict.findings)
      std::cout << finding << " ";
    std::cout << "|" << (verdict.complete ? "complete" : "incomplete") << "|" << verdict.states << "|";
    bool hangs = std::all_of(program.kernels.begin(), program.kernels.end(), [](auto &k) { return k.resident < 0; });
    bool claims = std::all_of(program.kernels.begin(), program.kernels.end(), [](auto &k) { return k.resident > 0; });
    std::cout << (!verdict.findings.empty() ? ""
                  : hangs                   ? judgeHang(program, limit / 4)
                  : claims                  ? judgeProgress(program, limit / 4)
                                            : "")
              << std::endl;
  }
}
