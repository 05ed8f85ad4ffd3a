// Inputs of a launch made from a seed, and the comparison of what an implementation wrote with the oracle.
#pragma once

#include "passes/interpreter/Interpreter.h"

namespace tilec::interpreter {

/// Fills a buffer with values that depend on every argument: floats uniform in [-1, 1], rounded to the format; integers
/// uniform in [-4, 4]. The generator is splitmix64, so that inputs are the same on every machine.
void fillUniform(Buffer &buffer, uint64_t seed, int64_t launch, int64_t rank, unsigned argument);

/// Fills a buffer with numbers of elements: from -1, which is none, to `count`, which is one too many. `distinct`: no
/// number below `count` occurs twice, none is negative, and those of `count` and above stand where there are too few.
void fillIndices(Buffer &buffer, uint64_t seed, int64_t launch, int64_t rank, unsigned argument, int64_t count,
                 bool distinct);

/// Fills every argument of every rank that the program reads; the others stay poisoned. Between `begin` and `run`.
void fillInputs(Interpreter &interpreter, uint64_t seed, int64_t launch);

/// One element against the oracle's.
struct Difference {
  double error = 0, bound = 0;
  double usage = 0;    ///< error / bound; 0 for 0 / 0, infinite for a wrong exact element
  int64_t element = 0; ///< row-major position
  double expected = 0, got = 0;
};

/// How an implementation's buffer differs from the oracle's. The element with the largest error need not be the one
/// that uses most of its bound: bounds differ from element to element.
struct Comparison {
  Difference largest;       ///< the largest error; among equal ones the one that uses more of its bound
  Difference closest;       ///< the greatest usage; among equal ones the larger error
  int64_t exceeded = 0;     ///< elements beyond their bound
  int64_t undetermined = 0; ///< elements whose bound is infinite or no smaller than `scale`: anything would pass. One
                            ///< of numbers that a machine may flush to zero is as good as none
  int64_t unjudged = 0;     ///< elements that were left out

  bool isWithin() const { return exceeded == 0 && undetermined == 0; }
};

/// A NaN in the oracle must be a NaN in the implementation. `scale`: the largest magnitude that elements can be told
/// from nothing by. `unjudged`: elements to leave out; empty for none.
Comparison compare(const Buffer &oracle, const Buffer &implementation, double scale = infinity,
                   const std::vector<bool> &unjudged = {});

/// The largest finite magnitude of a buffer's floats; 0 without any.
double largestMagnitude(const Buffer &buffer);

/// The buffer with `bound` as the error of every float that is no NaN, whatever the analysis says.
Buffer withBound(Buffer oracle, double bound);

} // namespace tilec::interpreter
