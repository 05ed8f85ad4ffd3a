// What a folder of `tilec run --prepare` holds (docs/oracle.md): a program's launches, their arguments and what the
// oracle expects of them. Reads files; runs nothing.
#ifndef TILEC_RUNNER_LAUNCHES_H
#define TILEC_RUNNER_LAUNCHES_H

#include "runner/Element.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilec::runner {

/// One argument of one launch.
struct Argument {
  std::string name;
  Element element;
  std::vector<std::int64_t> sizes, strides;

  /// What a launch takes by value.
  bool isNumber() const { return sizes.empty(); }
  std::int64_t elements() const;
  /// From the first element to behind the last.
  size_t bytes() const;
  /// The byte of the element with a row-major number.
  size_t offset(std::int64_t element) const;
  /// `[3, 17]`
  std::string place(std::int64_t element) const;
};

/// What the oracle says of an argument.
struct Expected {
  std::vector<char> before;         ///< elements without gaps
  std::vector<double> after, bound; ///< the values, and how far a result may be from them
  std::vector<std::int64_t> whole;  ///< of integers the values with all of their bits; empty of floats
};

/// A scratch buffer that the oracle may follow: what a launch leaves there is kept for it.
struct Scratch {
  std::string name;
  size_t bytes = 0;
};

struct PreparedLaunch {
  std::vector<std::int64_t> extents;
  std::vector<Argument> arguments;
  std::vector<Expected> expected; ///< per argument; empty where the folder holds sizes alone
  std::vector<Scratch> scratch;   ///< empty where the bounds are those that following would give
};

/// A program in a folder, with its text and manifest.
struct PreparedProgram {
  std::string name, label; ///< of the program; of the folder
  std::string folder;
  std::string manifest, code;
  int world = 1, rank = 0;   ///< whose arguments these are
  bool keepsScratch = false; ///< launches depend on those before
  std::vector<PreparedLaunch> launches;

  /// What one rank needs of it. Throws std::runtime_error.
  static PreparedProgram read(const std::string &folder, int rank);
  /// The world of the program in a folder. Throws std::runtime_error.
  static int worldOf(const std::string &folder);
  /// The last part of its path.
  static std::string labelOf(const std::string &folder);

  /// The greatest value of each extent in any launch.
  std::vector<std::int64_t> greatest() const;
  /// The greatest number of bytes of each argument.
  std::vector<size_t> capacity() const;
};

} // namespace tilec::runner

#endif // TILEC_RUNNER_LAUNCHES_H
