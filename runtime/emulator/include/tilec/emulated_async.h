// What emulated device code asks of the engines that run beside its lanes: words of slots (mbarriers), bulk copies and
// asynchronous products. What they may do and when is in docs/emulator.md.
#ifndef TILEC_EMULATED_ASYNC_H
#define TILEC_EMULATED_ASYNC_H

#include "tilec/emulated.h"

namespace tilec::emulator {

/// A row of matrices in global memory, and the boxes in which they are copied.
struct Mapped {
  const char *from;
  long long groups, group_pitch;    ///< rows of matrices, and bytes from row to row
  long long planes, plane_pitch;    ///< bytes from matrix to matrix
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
/// The box of a matrix that begins at a row and so many bytes into it, to LDS; a word counts its bytes. It reads and
/// writes at any time between now and the end of the word's phase, as Options::landing says.
void copyBox(int lds, const Mapped &map, int group, int plane, int row, long long byte, int word);
/// Number of the running workgroup in its pair.
int halfOfPair();
/// By one lane of each workgroup of a pair: both have come here when it returns.
void meetPair();
/// The running lane arrives at the word of one workgroup of its pair.
void arriveInPair(int word, int half);
/// A box of a matrix, to the same place in both workgroups of the pair and for a word of each.
void copyBoxToPair(int lds, const Mapped &map, int row, long long byte, int word);
/// The box at a place in LDS, to a matrix: part of the running lane's next group of stores. It reads LDS at any time
/// until its group is awaited, and writes until it is awaited as complete.
void storeBox(const Mapped &map, int row, long long byte, int lds);
void commitStores();
/// Returns when at most `left` of the groups that the running lane committed have not read LDS, or are not complete.
void awaitStores(int left, bool complete);
/// The running lane's wave goes on with so many registers for each lane.
void setRegisters(int count);
/// What the running lane has acquired is there for its copies.
void fenceAsyncGlobal();
/// What the running lane stored to LDS is there for copies and products.
void fenceAsync();

struct LdsRange {
  int first, bytes;
};
/// A group of products of one wave. It reads LDS at any time between its issue and its wait, as Options::landing says.
struct Products {
  const void *sums;                        ///< the first lane's
  std::function<void()> perform;           ///< reads LDS
  std::function<void(void *const *)> give; ///< what is held, to the registers of lanes
  std::vector<LdsRange> reads;
  std::uint64_t kind; ///< the same in the waves of a warpgroup
};
// By one lane for its wave, in a collective of it.
void issueProducts(Products products);
void awaitProducts(int left);
/// Sums, by lane, return to their registers; a fault while a group of theirs is not complete.
void giveBack(void *const *sums);
/// Memory that takes the place of sums while they belong to the machine; null: they do not.
void *heldSums(const void *sums);
void *holdSums(const void *sums, std::size_t bytes);

// Not in the headers, as text that is compiled for the race check would have each access of theirs looked at.
/// Copies what a product reads out of LDS.
void readSlot(void *to, int offset, std::size_t bytes);
/// sums (16 x columns) += a (16 x depth) * b (columns x depth), in the order of k: `step` of them are added up first.
/// Without `accumulate` sums = a * b.
void addProducts(float *sums, const float *a, const float *b, int columns, int depth, int step, bool accumulate);
void addProducts(int *sums, const int *a, const int *b, int columns, int depth, int step, bool accumulate);

} // namespace tilec::emulator

#endif // TILEC_EMULATED_ASYNC_H
