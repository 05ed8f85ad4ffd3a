// What reports call the tasks and signals of a trace.
#include "passes/checker/TaskOrder.h"
#include "passes/checker/TaskTrace.h"

using namespace tilec;
using namespace tilec::checker;

std::string Trace::describe(const Thread &thread) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  const RoleCode &role = program->kernels[thread.kernel % program->kernels.size()].roles[thread.role];
  if (thread.isOfLast)
    out << "what the last does of those that arrive with ";
  if (thread.kind == Thread::Task) {
    out << "task (";
    llvm::interleaveComma(taskCoordinates(thread.task, roleSizes[thread.kernel][thread.role]), out);
    out << ") of ";
  }
  out << "role @" << role.name << " on rank " << thread.rank;
  if (!partTexts.empty())
    out << " in a launch with " << partTexts[partOf(thread)];
  return text;
}

int64_t Trace::stepOf(const Thread &thread) const {
  const RoleCode &role = program->kernels[thread.kernel % program->kernels.size()].roles[thread.role];
  bool isOfStep = thread.kind == Thread::Task && role.hasSteps;
  return isOfStep ? taskCoordinates(thread.task, roleSizes[thread.kernel][thread.role]).front() : 0;
}

std::string Trace::describeWord(uint32_t word) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  uint32_t local = word % wordsPerRank;
  if (auto known = missingWords.find(local); known != missingWords.end())
    return known->second + " of rank " + std::to_string(word / wordsPerRank);
  for (const auto &sizes : gridSizes) {
    uint32_t count = 1;
    for (int64_t size : sizes)
      count *= std::max<int64_t>(size, 0);
    if (local < count) {
      out << "[";
      llvm::interleaveComma(taskCoordinates(local, sizes), out);
      out << "] of rank " << word / wordsPerRank;
      break;
    }
    local -= count;
  }
  return text;
}

uint32_t Trace::systemCover(uint32_t number, uint32_t cover) const {
  const Thread &thread = threads[number];
  for (uint32_t i = thread.firstSync; i < thread.endSync && cover != Access::never; ++i)
    if (syncs[i].signal && syncs[i].number >= cover && program->syncs[syncs[i].site].system)
      return syncs[i].number;
  return Access::never;
}
