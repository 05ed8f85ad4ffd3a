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
};

struct PreparedLaunch {
  std::vector<std::int64_t> extents;
  std::vector<Argument> arguments;
  std::vector<Expected> expected; ///< per argument; empty where the folder holds sizes alone
};

/// A program in a folder, with its text and manifest.
struct PreparedProgram {
  std::string name, label; ///< of the program; of the folder
  std::string manifest, code;
  bool keepsScratch = false; ///< launches depend on those before
  std::vector<PreparedLaunch> launches;

  /// Throws std::runtime_error.
  static PreparedProgram read(const std::string &folder);

  /// The greatest value of each extent in any launch.
  std::vector<std::int64_t> greatest() const;
  /// The greatest number of bytes of each argument.
  std::vector<size_t> capacity() const;
};

} // namespace tilec::runner

#endif // TILEC_RUNNER_LAUNCHES_H
