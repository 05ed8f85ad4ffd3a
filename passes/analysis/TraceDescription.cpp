// What reports call the tasks and signals of a trace.
#include "passes/analysis/TaskOrder.h"
#include "passes/analysis/TaskTrace.h"

using namespace tilec;
using namespace tilec::checker;

std::string Trace::describe(const Thread &thread) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  const RoleCode &role = program->kernels[thread.kernel].roles[thread.role];
  if (thread.kind == Thread::Task) {
    out << "task (";
    llvm::interleaveComma(taskCoordinates(thread.task, roleSizes[thread.kernel][thread.role]), out);
    out << ") of ";
  }
  out << "role @" << role.name << " on rank " << thread.rank;
  return text;
}

std::string Trace::describeWord(uint32_t word) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  uint32_t local = word % wordsPerRank;
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
