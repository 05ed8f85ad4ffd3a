// A tile loop with an empty body is removed, and `check` crashed on the group that has no work.
// RUN: tilec %s --emit=hip | FileCheck %s
// CHECK: const tilec::Launch launch = tilec::enter(context);
// CHECK-NEXT: // the last workgroup to leave
// CHECK-NOT: tilec::next
tile.program @empty() world 1 {
  tile.kernel @k {
    tile.role @nothing {
      tile.forall (%i) in [4] {
      }
    }
  }
}
