// A tile loop with an empty body was removed, and `check` missed its tasks.
// RUN: tilec %s --emit=hip | FileCheck %s
// CHECK: // nothing
// CHECK-NEXT: for (int task = tilec::next(launch, 0); task < 4; task = tilec::next(launch, 0)) {
// CHECK-NEXT: }
tile.program @empty() world 1 {
  tile.kernel @k {
    tile.role @nothing {
      tile.forall (%i) in [4] {
      }
    }
  }
}
