// A kernel whose ranks depend on each other, for tests of the host library.
#pragma once

#include <tilec/abi.h>
#include <tilec/launch_kernel.h>
#include <tilec/signal.h>

namespace tilec {

/// One workgroup for each of up to `most` rows: sends this rank's row to the next rank and adds what the rank before
/// sends. The workspace is an inbox of 4 * `most` numbers; signals: a grid of `most` words.
template <int most>
__global__ void ringKernel(const Context context, const int *in, int *out, char *workspace, const int rows) {
  const Launch launch = enter(context);
  const Signals<1> sent{context, 0, {most}};
  const int next = (context.rank + 1) % context.world;
  // Enough copies that nobody overtakes a reader: a rank is at most world - 1 launches ahead in a ring.
  int *const inbox = reinterpret_cast<int *>(workspace) + launch.epoch % 4 * most;
  for (int i = 0, row; (row = strided(launch, i)) < rows; ++i) {
    if (target::thread() == 0)
      target::store_relaxed<tilec::system>(remote(context, inbox, next) + row, in[row]);
    signal<tilec::system>(launch, sent, {row}, next);
  }
  for (int i = 0, row; (row = strided(launch, i)) < rows; ++i) {
    wait<tilec::system>(launch, sent, {row}, {1});
    if (target::thread() == 0)
      out[row] += target::load_relaxed<tilec::system>(inbox + row);
  }
  if (last(launch))
    leave(launch, true);
}

} // namespace tilec
