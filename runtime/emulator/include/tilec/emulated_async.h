// What emulated device code asks of the engines that run beside its lanes: words of slots (mbarriers), bulk copies and
// asynchronous products. What they may do and when is in docs/emulator.md.
#ifndef TILEC_EMULATED_ASYNC_H
#define TILEC_EMULATED_ASYNC_H

#include "tilec/emulated.h"
#include <memory>

namespace tilec::emulator {

/// A matrix in global memory, and the boxes in which it is copied.
struct Mapped {
  const char *from;
  long long rows, row_bytes, pitch; ///< bytes of a row, and from row to row
  int box_rows, box_bytes;          ///< bytes of a row
  int swizzle;                      ///< of rows of so many bytes; 0: none
  int element;                      ///< bytes
};

/// Makes a word of 8 bytes in LDS whose phases end when so many lanes have arrived and all bytes that they expect.
void makeWord(int word, int arrivals);
/// The running lane arrives, and adds to the bytes that the running phase expects.
void arrive(int word, int bytes);
/// Returns when the last phase of that parity is over. `name` and `slot`: for the report of a deadlock.
void awaitPhase(int word, unsigned parity, const char *name, int slot);
/// The box that begins at a row and so many bytes into it, to LDS; a word counts its bytes. It reads and writes at any
/// time between now and the end of the word's phase, as Options::landing says.
void copyBox(int lds, const Mapped &map, int row, long long byte, int word);
/// What the running lane stored to LDS is there for copies and products.
void fenceAsync();

struct LdsRange {
  int first, bytes;
};
/// A group of products of one wave. It reads LDS at any time between its issue and its wait, as Options::landing says.
struct Products {
  const void *sums;              ///< the first lane's
  std::function<void()> perform; ///< reads LDS
  std::vector<LdsRange> reads;
  std::uint64_t kind; ///< the same in the waves of a warpgroup
};
// By one lane for its wave, in a collective of it.
void issueProducts(Products products);
void awaitProducts(int left);
/// Whether a group of these sums is not complete.
bool inFlight(const void *sums);
/// What takes the place of sums while they belong to the machine; null: they do not.
std::shared_ptr<void> &sumsOf(const void *sums);

} // namespace tilec::emulator

#endif // TILEC_EMULATED_ASYNC_H
