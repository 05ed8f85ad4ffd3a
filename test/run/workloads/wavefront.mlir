// The most that a path gathers which goes right and down through the tiles of x, element by element: y(m, n) = x(m, n) + max(y(m-1, n), y(m, n-1)).
// Each task waits for the tiles above it and to its left, which tasks of the same loop store. By anti-diagonals these tasks were drawn
// longest ago; in rows, each waits for the one just before it.
// RUN: tilec %s --world 1 --until=order | FileCheck %s --check-prefix=AUTO
// RUN: tilec %s --world 1 --order grouped-2 --until=order | FileCheck %s --check-prefix=GROUPED
// RUN: tilec %s --world 1 --order remap+diagonal --until=order | FileCheck %s --check-prefix=AUTO
// RUN: tilec explain %s --world 1 | FileCheck %s --check-prefix=EXPLAINED
// RUN: tilec %s --world 1 --emit=hip | FileCheck %s --check-prefix=TEXT
// RUN: tilec verify %s --world 1 | FileCheck %s --check-prefix=VERIFIED
// RUN: tilec run %s --world 1 --extents-from 1,100 --launches 3 --race --memory weak --shuffle
// RUN: tilec run %s --world 2 --extents-from 1,100 --launches 3 --units 1

// AUTO: tile.forall (%m, %n) in {{.*}} order [#tile.diagonal]
// GROUPED: tile.forall (%m, %n) in {{.*}} order []
// EXPLAINED: order of paths: [#tile.diagonal]
// TEXT: const auto tile = tilec::diagonal(task, {m_tiles, n_tiles});
// VERIFIED: any
tile.program @wavefront<%M, %N>(%x: memref<?x?xi32>, %y: memref<?x?xi32>) extents [%x: %M, %N] [%y: %M, %N] {
  %done = tile.signals [%M ceildiv 16, %N ceildiv 16] : !tile.signals<2>
  %rank = tile.rank
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel @wavefront {
    tile.role @paths {
      tile.forall (%m, %n) in [%M ceildiv 16, %N ceildiv 16] {
        // the first row has nothing above it: it waits for no flag, and what it loads there is 0
        %m_above = arith.subi %m, %c1 : index
        %n_left = arith.subi %n, %c1 : index
        %m_flag = arith.maxsi %m_above, %c0 : index
        %n_flag = arith.maxsi %n_left, %c0 : index
        %m_count = arith.minsi %m, %c1 : index
        %n_count = arith.minsi %n, %c1 : index
        %is_above = tile.wait agent %done[%m_flag, %n] count [%m_count, %c1] : !tile.signals<2>
        %is_left = tile.wait agent %done[%m, %n_flag] count [%c1, %n_count] : !tile.signals<2>
        %above = tile.load %y[%m_above, %n] tile [16, 16] after %is_above : memref<?x?xi32> -> tensor<16x16xi32>
        %left = tile.load %y[%m, %n_left] tile [16, 16] after %is_left : memref<?x?xi32> -> tensor<16x16xi32>
        %t = tile.load %x[%m, %n] tile [16, 16] : memref<?x?xi32> -> tensor<16x16xi32>
        %most = arith.maxsi %above, %left : tensor<16x16xi32>
        %sum = arith.addi %t, %most : tensor<16x16xi32>
        %stored = tile.store %sum, %y[%m, %n] : tensor<16x16xi32>, memref<?x?xi32> -> !tile.token
        tile.signal agent %done[%m, %n] to %rank publishes %stored : !tile.signals<2>
      }
    }
  }
}
