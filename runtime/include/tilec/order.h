//===- order.h - orders of tasks ------------------------------------------------------------------------*- C++ -*-===//
// Bijections of [0, n): which task a ticket means. They know nothing of tiles or memory.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_ORDER_H
#define TILEC_ORDER_H

#include "tilec/target.h"
#include "tilec/view.h"

namespace tilec {

namespace detail {
/// A number that a device may as well compute again; the host keeps it.
TILEC_HOST_DEVICE int recomputed(int value) {
#if defined(TILEC_EMULATED) || defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return target::recompute_uniform(value);
#else
  return value;
#endif
}
} // namespace detail

/// Workgroups are dealt to chiplets round robin; consecutive results go to one chiplet. Exact for any n: the first
/// n % xcds chiplets take one task more.
TILEC_HOST_DEVICE int remap_xcd(int task, int n, int xcds) {
  const int xcd = task % xcds, share = n / xcds, more = n % xcds;
  return xcd * share + (xcd < more ? xcd : more) + task / xcds;
}

/// Chunks of `chunk` consecutive results go to one chiplet, the next chunk to the next one. The tasks behind the last
/// full round of chunks are dealt out as remap_xcd does.
TILEC_HOST_DEVICE int chunked(int task, int n, int xcds, int chunk) {
  const int round = xcds * chunk, full = n / round * round;
  if (task >= full)
    return full + remap_xcd(task - full, n - full, xcds);
  const int xcd = task % xcds, mine = task / xcds;
  return mine / chunk * round + xcd * chunk + mine % chunk;
}

/// The coordinates of a task in a grid, the last dimension fastest.
template <int Rank>
TILEC_HOST_DEVICE Coordinates<Rank> delinearize(int task, Coordinates<Rank> extents) {
  Coordinates<Rank> result;
#pragma unroll
  for (int dim = Rank - 1; dim > 0; --dim) {
    const int extent = detail::recomputed(extents.data[dim]);
    result.data[dim] = task % extent;
    task /= extent;
  }
  result.data[0] = task;
  return result;
}

/// (row, col) of a task in windows of `height` rows, each walked column by column; the last window has the rows left
/// over.
TILEC_HOST_DEVICE Coordinates<2> grouped(int task, Coordinates<2> extents, int height) {
  const int rows = extents.data[0], window = height * detail::recomputed(extents.data[1]);
  const int first = task / window * height, local = task % window;
  const int tall = rows - first < height ? rows - first : height;
  return {{first + local % tall, local / tall}};
}

/// The greatest d with d * (d + 1) / 2 <= task, bit by bit in integers: the root of a float may be off by one. For
/// every task >= 0, since d < 2^16 and d * (d + 1) < 2^32.
TILEC_HOST_DEVICE int diagonal_of(int task) {
  unsigned line = 0;
#pragma unroll
  for (unsigned bit = 1u << 15; bit != 0; bit >>= 1) {
    const unsigned next = line | bit;
    if (next * (next + 1) / 2 <= unsigned(task))
      line = next;
  }
  return int(line);
}

/// (row, col) of a task in a grid that is walked by anti-diagonals row + col = 0, 1, .., each from its first row down:
/// a tile comes behind those above it and to its left. The diagonals before the first of the longest ones are a
/// triangle, d * (d + 1) / 2 tasks before diagonal d; the last ones are that triangle turned around; those between are
/// all as long as the shorter side.
TILEC_HOST_DEVICE Coordinates<2> diagonal(int task, Coordinates<2> extents) {
  const int rows = extents.data[0], cols = detail::recomputed(extents.data[1]);
  const int longest = rows < cols ? rows : cols, corner = longest * (longest - 1) / 2;
  const int back = rows * cols - 1 - task;
  if (task >= corner && back >= corner) {
    const int line = longest - 1 + (task - corner) / longest;
    const int row = (line < cols ? 0 : line - cols + 1) + (task - corner) % longest;
    return {{row, line - row}};
  }
  const int from = task < corner ? task : back, line = diagonal_of(from);
  const int row = from - line * (line + 1) / 2, col = line - row;
  if (task < corner)
    return {{row, col}};
  return {{rows - 1 - row, cols - 1 - col}};
}

/// (index + by) % n, for `by` of any sign.
TILEC_HOST_DEVICE int rotate(int index, int n, int by) {
  n = detail::recomputed(n);
  const int moved = (index + detail::recomputed(by)) % n;
  return moved < 0 ? moved + n : moved;
}

} // namespace tilec

#endif // TILEC_ORDER_H
