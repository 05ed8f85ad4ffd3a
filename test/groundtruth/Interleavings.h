// Every state that the signals of a program can be in, whatever the ranks and workgroups do first, and in each state
// the accesses that could happen next. Defines races without clocks: two conflicting accesses could both happen next.
#pragma once

#include "Description.h"

#include <set>

namespace truth {

struct Verdict {
  std::set<std::string> findings; ///< race, stuck, lowered, bounds, rank, scope, unwritten, order
  size_t states = 0;
  bool complete = true; ///< false: too many states
};

/// What needs no exploration: indices, ranks, scopes, orders, scratch that nothing writes.
void checkStatically(const Program &program, Verdict &verdict);

/// Explores at most `limit` states. Expects a program without findings of the kinds bounds and rank.
void exploreInterleavings(const Program &program, size_t limit, Verdict &verdict);

} // namespace truth
