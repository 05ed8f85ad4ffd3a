// A small kernel as plain data: what every thread of every rank does in one launch, with all indices evaluated. Read
// from the text that kernels.py prints. Nothing here knows the compiler.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace truth {

enum class Kind { Load, Store, Atomic, Wait, Signal };

/// An operation that an access or a signal names: of its own thread or of the once-per-workgroup part before it.
struct Name {
  bool prologue = false;
  int op = 0;
};

struct Op {
  Kind kind = Kind::Load;
  // Load, Store, Atomic: elements [first, first + count) of a buffer's copy on a rank.
  int buffer = 0, owner = 0, first = 0, count = 0;
  // Wait, Signal: a box of a grid.
  int grid = 0, lag = 0, to = 0;
  bool system = true;
  std::vector<int> index, box;
  std::vector<Name> names; ///< `after` of accesses, `publishes` of signals
};

using Thread = std::vector<Op>;

enum class Turn { Each, First, Last };

struct Role {
  Turn turn = Turn::Each;
  int workgroups = 0; ///< 0: of the pool
  int grid = 0;       ///< tasks that there are to be
  struct Part {
    Thread prologue;
    std::vector<Thread> tasks; ///< in the order of tickets
    std::vector<int> numbers;  ///< of the tasks
  };
  std::vector<Part> ranks;
};

struct Kernel {
  std::vector<Role> roles;
  /// What the checker claims: `any` is 1 resident workgroup; with `all` every workgroup of the launch must be resident.
  int resident = 0;
  bool all = false;
};

struct Buffer {
  bool argument = false, persistent = false;
  int copies = 1, size = 0;
};

struct Program {
  std::string name;
  int world = 1, launches = 3;
  std::vector<Buffer> buffers;
  std::vector<std::vector<int>> grids;
  std::vector<Kernel> kernels;
  std::vector<int> gridBegin; ///< first word of each grid
  int words = 0;              ///< per rank

  /// The words of a wait or signal, numbered within a rank. Expects indices within the grid.
  std::vector<int> wordsOf(const Op &op) const;
  bool inGrid(const Op &op) const;
};

/// Reads the next program; false at the end of the input. A malformed text ends the process with a message.
bool read(std::istream &in, Program &program);

} // namespace truth
