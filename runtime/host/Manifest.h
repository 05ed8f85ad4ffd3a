// What a program's manifest says. Reads the JSON that the code generator writes (docs/manifest.schema.json) and answers
// sizes. Deciding whether a launch is allowed is Launch's.
#ifndef TILEC_HOST_MANIFEST_H
#define TILEC_HOST_MANIFEST_H

#include "host/Expression.h"
#include <optional>

namespace tilec::host {

/// An argument or scratch buffer. An argument without dimensions is a number.
struct Buffer {
  std::string name;
  std::int64_t elementBytes = 0;
  std::vector<Expression> shape;
  std::vector<Expression> strides; ///< elements; empty: row-major, without gaps
  bool symmetric = false;

  bool isNumber() const { return shape.empty(); }
};

struct Scratch : Buffer {
  std::int64_t copies = 1;                     ///< one behind the other
  Expression offset = Expression::constant(0); ///< bytes from the workspace's start
  bool persistent = false;                     ///< zero before the first launch, and kept from launch to launch
};

/// A grid of words, `signal_stride` bytes apart, last index fastest.
struct Signal {
  std::string name;
  std::vector<Expression> shape;
  Expression offset = Expression::constant(0); ///< bytes from the start of the program's signal area
};

struct Role {
  std::string name;
  std::optional<Expression> workgroups; ///< a fixed number; else what the other roles leave
  std::optional<Expression> tasks;
};

struct Kernel {
  std::string name;
  int threads = 0, ldsBytes = 0;
  int resident = 0;         ///< workgroups that must be resident at once; 0: progress class `any` or `all`
  bool allResident = false; ///< progress class `all` or `unproven`: every workgroup of the launch must be resident
  bool proven = true;       ///< any class but `unproven`
  int beside = 0;           ///< workgroups of this and the next one that must be resident, where the two run at once
  std::vector<Role> roles;
};

/// What the extents of a launch must be: `left == right` or `left <= right`.
struct Condition {
  Expression left, right;
  bool isEquality = true;
};

struct Manifest {
  std::string program, target;
  int world = 1;
  /// Names an expression may use: each extent E, then max_E, its greatest value in any launch.
  std::vector<std::string> extents, names;
  std::vector<Condition> conditions;
  std::vector<Buffer> arguments;
  std::vector<Scratch> scratch;
  std::vector<Signal> signals;
  std::vector<Kernel> kernels;
  std::vector<std::string> engines; ///< what the copy engine does beside kernels
  /// Extents for which the progress classes were proven, in the order of `extents`; none where nothing depends on it.
  using Sample = std::vector<std::optional<std::int64_t>>;
  std::vector<Sample> verified;
  Sample limits; ///< the greatest extents of a program that is proven for samples alone; empty for any other
  std::vector<Expression> least, greatest; ///< what indices of tasks may be: numbers that 32 bits must hold
  std::vector<std::vector<int>> nonzero;   ///< positions of extents that must not be 0 all at once
  bool worksWithoutTasks = false;          ///< memory is touched outside of tasks
  bool traced = false;                     ///< kernels record what they do
  std::uint64_t hash = 0;                  ///< of the text
  std::string facts;                       ///< what the code must say of itself; empty in manifests that do not tell

  /// Throws Error(TILEC_BAD_MANIFEST) that names the place, as in "signals[1].shape[0]: ...".
  static Manifest parse(const std::string &text);

  /// The values of `names`. Throws Error(TILEC_BAD_EXTENTS) unless 0 <= extents <= most.
  std::vector<std::int64_t> values(const std::int64_t *extents, int count, const std::vector<std::int64_t> &most) const;
  /// Throws Error(TILEC_BAD_EXTENTS) where extents break a condition. It names the condition and their values.
  void requireConditions(const std::vector<std::int64_t> &values) const;
  /// Whether the progress classes were proven for these extents, one for each of `extents`.
  bool isVerifiedFor(const std::int64_t *extents) const;
  /// Throws Error(TILEC_BAD_EXTENTS) where extents are 0 that must not be, and the launch is not empty.
  void requireNonzero(const std::int64_t *values) const;
  /// Whether a launch does nothing: no role has a task, as far as the manifest tells, and all work is that of tasks.
  bool isEmpty(const std::int64_t *values) const;
  /// From the first element to behind the last.
  std::int64_t bytes(const Buffer &buffer, const std::int64_t *values) const;
  /// Throws Error(TILEC_BAD_EXTENTS) where the strides of an argument let two of its elements share memory.
  void requireElementsApart(const Buffer &argument, const std::int64_t *values) const;
  std::int64_t words(const Signal &signal, const std::int64_t *values) const;
  std::int64_t workspaceBytes(const std::int64_t *values) const;
  /// The buffer, copy and element at a byte of the workspace, as in "full, copy 1, element 17"; empty when none is.
  std::string scratchAt(std::int64_t offset, const std::int64_t *values) const;
  /// The byte of the workspace where a buffer begins, in the copy that the launch with this epoch uses; nothing when no
  /// buffer has that name.
  std::optional<std::int64_t> scratchOffset(const std::string &name, unsigned epoch, const std::int64_t *values) const;
  bool needsSymmetricWorkspace() const;
  /// Throws Error(TILEC_BAD_EXTENTS) where a launch needs more of a scratch buffer or grid than their greatest extents,
  /// for which both are laid out.
  void requireLaidOut(const std::vector<std::int64_t> &values) const;
  /// Throws Error(TILEC_BAD_EXTENTS) where dimensions, numbers of tasks or their indices leave the 32 bits of the text.
  void requireNarrow(const std::vector<std::int64_t> &values) const;
  /// Of all grids together; throws Error(TILEC_BAD_MANIFEST) when two share flags or one is not aligned.
  std::int64_t signalBytes(const std::int64_t *values) const;
  /// The grid at a byte offset; null when there is none.
  const Signal *signalAt(std::uint64_t offset, const std::int64_t *values) const;
};

/// FNV-1a, continued from `hash`.
std::uint64_t hashBytes(const void *bytes, size_t count, std::uint64_t hash = 0xcbf29ce484222325ull);

} // namespace tilec::host

#endif // TILEC_HOST_MANIFEST_H
