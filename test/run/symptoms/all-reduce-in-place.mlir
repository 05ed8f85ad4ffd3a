// RUN: for p in $(%some sequential-push bulk sequential-pull specialized-push-two-shot sequential-pull-two-shot specialized-staged); do for w in $(%some 3 1 2); do \
// RUN:   tilec run %s --world $w --pattern $p --launches 3 --extents-from 1,40,130 --shuffle --memory weak --race --skewed || exit 1; done; done

// 'source and destination are one buffer': a sum may take the place of its terms.
tile.program @in_place<%M>(%a: memref<?x64xf32, #tile.symmetric>) extents [%a: %M, 64] {
  tile.all_reduce %a into %a tiles [32, 32] : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}
