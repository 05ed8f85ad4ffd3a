// The rules that hold or not whatever is executed first.
#include "Interleavings.h"

#include <algorithm>
#include <functional>

namespace truth {

namespace {

using Visit = std::function<void(int rank, const Op &op)>;

void forEachOp(const Program &program, const Visit &visit) {
  for (const Kernel &kernel : program.kernels)
    for (const Role &role : kernel.roles)
      for (int rank = 0; rank < program.world; ++rank) {
        const Role::Part &part = role.ranks[rank];
        for (const Op &op : part.prologue)
          visit(rank, op);
        for (const Thread &task : part.tasks)
          for (const Op &op : task)
            visit(rank, op);
      }
}

bool isSync(const Op &op) { return op.kind == Kind::Wait || op.kind == Kind::Signal; }

void checkBounds(const Program &program, Verdict &verdict) {
  auto inWorld = [&](int rank) { return rank >= 0 && rank < program.world; };
  forEachOp(program, [&](int, const Op &op) {
    if (isSync(op) && !program.inGrid(op))
      verdict.findings.insert("bounds");
    if ((op.kind == Kind::Signal && !inWorld(op.to)) || (!isSync(op) && !inWorld(op.owner)))
      verdict.findings.insert("rank");
  });
}

/// A word that one rank raises on another needs the scope `system` at both ends.
void checkScopes(const Program &program, Verdict &verdict) {
  std::set<std::pair<int, int>> foreign; // rank, word
  forEachOp(program, [&](int rank, const Op &op) {
    if (op.kind != Kind::Signal || op.to == rank)
      return;
    foreign.insert({op.to, program.wordsOf(op).front()});
    if (!op.system)
      verdict.findings.insert("scope");
  });
  forEachOp(program, [&](int rank, const Op &op) {
    if (op.kind != Kind::Wait || op.system)
      return;
    for (int word : program.wordsOf(op))
      if (foreign.count({rank, word}))
        verdict.findings.insert("scope");
  });
}

void checkScratch(const Program &program, Verdict &verdict) {
  std::set<std::vector<int>> written; // buffer, owner, element
  auto forEachElement = [&](bool stores, const std::function<void(std::vector<int>)> &visit) {
    forEachOp(program, [&](int, const Op &op) {
      if (isSync(op) || (op.kind == Kind::Store) != stores)
        return;
      for (int element = op.first; element < op.first + op.count; ++element)
        visit({op.buffer, op.owner, element});
    });
  };
  forEachElement(true, [&](std::vector<int> place) { written.insert(place); });
  forEachElement(false, [&](std::vector<int> place) {
    const Buffer &buffer = program.buffers[place[0]];
    if (!buffer.argument && !buffer.persistent && !written.count(place))
      verdict.findings.insert("unwritten");
  });
}

} // namespace

void checkStatically(const Program &program, Verdict &verdict) {
  for (const Kernel &kernel : program.kernels)
    for (const Role &role : kernel.roles)
      for (const Role::Part &part : role.ranks) {
        std::vector<int> numbers = part.numbers;
        std::sort(numbers.begin(), numbers.end());
        bool whole = int(numbers.size()) == role.grid;
        for (size_t i = 0; i < numbers.size(); ++i)
          whole = whole && numbers[i] == int(i);
        if (!whole)
          verdict.findings.insert("order");
      }
  checkBounds(program, verdict);
  if (verdict.findings.count("bounds") || verdict.findings.count("rank"))
    return;
  checkScopes(program, verdict);
  checkScratch(program, verdict);
}

} // namespace truth
