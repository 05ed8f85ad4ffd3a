// RUN: for p in bulk sequential-push sequential-pull sequential-pull-two-shot specialized-push-two-shot specialized-staged; do for w in 1 2 3; do \
// RUN:   tilec run %s --world $w --pattern $p --launches 3 --extents-from 1,40,130 --shuffle --memory weak --race --skewed || exit 1; done; done

// 'source and destination are one buffer': a sum may take the place of its terms.
tile.program @in_place<%M>(%a: memref<?x64xf32, #tile.symmetric>) extents [%a: %M, 64] {
  tile.all_reduce %a into %a tiles [32, 32] : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}
