// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-partition{target=gfx942},tile-layout,tile-stage,tile-schedule))' | FileCheck %s --check-prefixes=CHECK,RING,TWO
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-partition{target=gfx942},tile-layout,tile-stage,tile-schedule{slots=4}))' | FileCheck %s --check-prefixes=CHECK,RING,FOUR
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-partition{target=gfx942},tile-layout,tile-stage,tile-schedule{slots=0}))' | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-partition{target=gfx950},tile-layout,tile-stage,tile-schedule))' | FileCheck %s --check-prefix=DIRECT

// The copies of a product run ahead: the slots are filled, then each step multiplies what the step before has read.
// CHECK-LABEL: tile.program @product
// NONE-NOT: tile.{{steps|fetch|rest}}
// TWO: %[[A:.*]] = tile.shared_buffer : memref<2x64x32xbf16
// FOUR: %[[A:.*]] = tile.shared_buffer : memref<4x64x32xbf16
// RING: tile.shared_buffer : memref<64x32xbf16
// TWO: %[[B:.*]] = tile.shared_buffer : memref<2x64x32xbf16
// FOUR: %[[B:.*]] = tile.shared_buffer : memref<4x64x32xbf16
// RING: tile.regular %{{.*}}[%{{.*}}, %{{.*}}] tile [64, 32] vector 8
// RING: tile.regular
// RING: %[[WHOLE:.*]] = arith.select
// RING: %[[ANY:.*]] = arith.cmpi sgt, %[[WHOLE]]
// RING: %[[SUMS:.*]] = scf.if %[[ANY]]
// RING-NEXT: tile.barrier
// RING: %[[LAST:.*]] = arith.subi %[[WHOLE]]
// RING-COUNT-2: tile.fetch
// TWO-COUNT-4: tile.shared_store
// FOUR-COUNT-8: tile.shared_store
// RING: %[[BEHIND:.*]] = arith.minsi %[[LAST]]
// RING: %[[FETCHED_A:.*]] = tile.fetch %{{.*}}[%{{.*}}, %[[BEHIND]]]
// RING-NEXT: %[[FETCHED_B:.*]] = tile.fetch
// RING-NEXT: tile.barrier
// RING: %[[LHS:.*]] = tile.shared_load %[[A]][
// RING-NEXT: %[[RHS:.*]] = tile.shared_load %[[B]][
// TWO: tile.steps %[[WHOLE]] slots 2 carries(%{{.*}}, %[[LHS]], %[[RHS]], %[[FETCHED_A]], %[[FETCHED_B]] :
// FOUR: tile.steps %[[WHOLE]] slots 4 carries(%{{.*}}, %[[LHS]], %[[RHS]], %[[FETCHED_A]], %[[FETCHED_B]] :
// RING: ^bb0(%[[K:.*]]: index, %[[SLOT:.*]]: index, %[[ACC:.*]]: tensor<64x64xf32, {{.*}}>, %[[PART_A:.*]]: tensor<64x32xbf16, {{.*}}>, %[[PART_B:.*]]: tensor<64x32xbf16, {{.*}}>, %[[NEXT_A:.*]]: tensor<64x32xbf16, {{.*}}>, %[[NEXT_B:.*]]: tensor
// RING-NEXT: tile.barrier
// RING: %[[NEXT:.*]] = arith.remsi
// RING: %[[AHEAD:.*]] = arith.minsi %{{.*}}, %[[LAST]]
// RING-NEXT: tile.places
// RING-NEXT: tile.dot %[[PART_A]], transpose %[[PART_B]], %[[ACC]]
// RING-NEXT: tile.shared_load %[[A]][%[[NEXT]]]
// RING-NEXT: tile.shared_load %[[B]][%[[NEXT]]]
// RING-NEXT: tile.shared_store %[[NEXT_A]], %[[A]][%[[SLOT]]]
// RING-NEXT: tile.fetch %{{.*}}[%{{.*}}, %[[AHEAD]]]
// RING-NEXT: tile.shared_store %[[NEXT_B]], %[[B]][%[[SLOT]]]
// RING-NEXT: tile.fetch %{{.*}}[%{{.*}}, %[[AHEAD]]]
// RING-NEXT: tile.placed
// RING: tile.next
// RING: } else {
// Past the registers four slots are filled; each step awaits the copies of the next one, and those of two more may be on their way.
// DIRECT-LABEL: tile.program @product
// DIRECT: %[[A:.*]] = tile.shared_buffer : memref<4x64x32xbf16
// DIRECT: %[[B:.*]] = tile.shared_buffer : memref<4x64x32xbf16
// DIRECT: tile.barrier
// DIRECT: %[[LAST:.*]] = arith.subi
// DIRECT: tile.copy_async %{{.*}}[%{{.*}}, %[[C0:.*]]] -> %[[A]][%[[C0]]]
// DIRECT-NEXT: tile.copy_async %{{.*}}[%{{.*}}, %[[C0]]] -> %[[B]][%[[C0]]]
// DIRECT-COUNT-4: tile.copy_async
// DIRECT: %[[THIRD:.*]] = arith.minsi %[[LAST]], %[[C3:.*]] : index
// DIRECT-NEXT: tile.copy_async %{{.*}}[%{{.*}}, %[[THIRD]]] -> %[[A]][%[[C3]]]
// DIRECT-NEXT: tile.copy_async %{{.*}}[%{{.*}}, %[[THIRD]]] -> %[[B]][%[[C3]]]
// DIRECT-NEXT: tile.await{{$}}
// DIRECT-NEXT: tile.meet
// DIRECT: tile.steps %{{.*}} slots 4
// DIRECT-NEXT: ^bb0(%[[K:.*]]: index, %[[SLOT:.*]]: index,
// DIRECT-NEXT: tile.await{{$}}
// DIRECT-NEXT: tile.meet
// DIRECT: %[[NEXT:.*]] = arith.remsi
// DIRECT: %[[BEHIND:.*]] = arith.addi %[[K]],
// DIRECT-NEXT: %[[AHEAD:.*]] = arith.minsi %[[BEHIND]], %[[LAST]]
// DIRECT: tile.shared_load %[[A]][%[[NEXT]]]
// DIRECT-NEXT: tile.shared_load %[[B]][%[[NEXT]]]
// DIRECT-NEXT: tile.copy_async %{{.*}}[%{{.*}}, %[[AHEAD]]] -> %[[A]][%[[SLOT]]]
// DIRECT-NEXT: tile.copy_async %{{.*}}[%{{.*}}, %[[AHEAD]]] -> %[[B]][%[[SLOT]]]
// DIRECT-NEXT: tile.placed
// DIRECT: tile.next
// DIRECT: tile.await left 0
// DIRECT: {tile.rest}
// The loop that was there runs the rest.
// RING: scf.for %{{.*}} = %[[WHOLE]] to
// RING: } {tile.rest}
tile.program @product<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.kernel @product {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 64] {
        %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 32]
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
          %ta = tile.load %a[%m, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %tb = tile.load %b[%n, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %next = tile.dot %ta, transpose %tb, %sum : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
          scf.yield %next : tensor<64x64xf32>
        }
        tile.store %acc, %c[%m, %n] : tensor<64x64xf32>, memref<?x?xf32>
      }
    }
  }
}

// A right operand that lies K x N: the ring holds its transpose, and each fetch takes other rows.
// CHECK-LABEL: tile.program @untransposed
// TWO: %[[A:.*]] = tile.shared_buffer : memref<2x64x64xbf16
// TWO: %[[B:.*]] = tile.shared_buffer : memref<2x64x64xbf16
// TWO: tile.regular %{{.*}}[%{{.*}}, %{{.*}}] tile [64, 64] vector {{[48]}} : memref
// TWO: tile.regular %{{.*}}[%{{.*}}, %{{.*}}] tile [64, 64] vector {{[48]}} across : memref
// TWO: %[[LAST:.*]] = arith.subi
// TWO: %[[BEHIND:.*]] = arith.minsi %[[LAST]]
// TWO: tile.fetch %{{.*}}[%{{.*}}, %[[BEHIND]]] : memref
// TWO: tile.fetch %{{.*}}[%[[BEHIND]], %{{.*}}] across : memref<?x?xbf16> -> tensor<64x64xbf16
// TWO: tile.places
// TWO-NEXT: tile.dot %{{.*}}, transpose %{{.*}}, %
// Where lanes turn rows as they read them, the ring holds them as they lie.
// DIRECT-LABEL: tile.program @untransposed
// DIRECT: %[[B:.*]] = tile.shared_buffer : memref<4x64x64xbf16, #tile.shared<32, 2, 2>>
// DIRECT: tile.regular %{{.*}}[%{{.*}}, %{{.*}}] tile [64, 64] vector 8 across : memref
// DIRECT-NOT: tile.fetch
// DIRECT: tile.copy_async %{{.*}} by_rows -> %[[B]][
// DIRECT: tile.steps %{{.*}} slots 4
// DIRECT: tile.dot %{{.*}}, %{{.*}}, %
// DIRECT: tile.shared_load %[[B]][
// DIRECT: tile.copy_async %{{.*}}[%[[AHEAD:.*]], %{{.*}}] by_rows -> %[[B]][
tile.program @untransposed<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>)
    world 1 extents [%a: %M, %K] [%b: %K, %N] [%c: %M, %N] {
  tile.kernel @untransposed {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 64] {
        %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 64]
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
          %ta = tile.load %a[%m, %k] tile [64, 64] : memref<?x?xbf16> -> tensor<64x64xbf16>
          %tb = tile.load %b[%k, %n] tile [64, 64] : memref<?x?xbf16> -> tensor<64x64xbf16>
          %next = tile.dot %ta, %tb, %sum : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
          scf.yield %next : tensor<64x64xf32>
        }
        tile.store %acc, %c[%m, %n] : tensor<64x64xf32>, memref<?x?xf32>
      }
    }
  }
}

// Steps that do not count from 0.
// CHECK-LABEL: tile.program @from_one
// CHECK-NOT: tile.{{steps|fetch|rest}}
// CHECK: tile.dot
tile.program @from_one<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.kernel @from_one {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 64] {
        %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 32]
        %acc = scf.for %k = %step to %ub step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
          %ta = tile.load %a[%m, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %tb = tile.load %b[%n, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %next = tile.dot %ta, transpose %tb, %sum : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
          scf.yield %next : tensor<64x64xf32>
        }
        tile.store %acc, %c[%m, %n] : tensor<64x64xf32>, memref<?x?xf32>
      }
    }
  }
}

// A loop that waits.
// CHECK-LABEL: tile.program @waiting
// CHECK-NOT: tile.{{steps|fetch|rest}}
// CHECK: tile.dot
tile.program @waiting<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  %sent = tile.signals [%K ceildiv 32] : !tile.signals<1>
  tile.kernel @waiting {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 64] {
        %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 32]
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
          %token = tile.wait agent %sent[%k] : !tile.signals<1>
          %ta = tile.load %a[%m, %k] tile [64, 32] after %token : memref<?x?xbf16> -> tensor<64x32xbf16>
          %tb = tile.load %b[%n, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %next = tile.dot %ta, transpose %tb, %sum : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
          scf.yield %next : tensor<64x64xf32>
        }
        tile.store %acc, %c[%m, %n] : tensor<64x64xf32>, memref<?x?xf32>
      }
    }
  }
}

// A loop that writes.
// CHECK-LABEL: tile.program @writing
// CHECK-NOT: tile.{{steps|fetch|rest}}
// CHECK: tile.dot
tile.program @writing<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.kernel @writing {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 64] {
        %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 32]
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
          %ta = tile.load %a[%m, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %tb = tile.load %b[%n, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %next = tile.dot %ta, transpose %tb, %sum : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
          tile.store %sum, %c[%m, %n] : tensor<64x64xf32>, memref<?x?xf32>
          scf.yield %next : tensor<64x64xf32>
        }
        tile.store %acc, %c[%m, %n] : tensor<64x64xf32>, memref<?x?xf32>
      }
    }
  }
}

// Columns that are not those of the step.
// CHECK-LABEL: tile.program @same_columns
// CHECK-NOT: tile.{{steps|fetch|rest}}
// CHECK: tile.dot
tile.program @same_columns<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.kernel @same_columns {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 64] {
        %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 32]
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
          %ta = tile.load %a[%m, %lb] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %tb = tile.load %b[%n, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %next = tile.dot %ta, transpose %tb, %sum : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
          scf.yield %next : tensor<64x64xf32>
        }
        tile.store %acc, %c[%m, %n] : tensor<64x64xf32>, memref<?x?xf32>
      }
    }
  }
}

// Rows that depend on the step.
// CHECK-LABEL: tile.program @moving_rows
// CHECK-NOT: tile.{{steps|fetch|rest}}
// CHECK: tile.dot
tile.program @moving_rows<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.kernel @moving_rows {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 64] {
        %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 32]
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
          %ta = tile.load %a[%k, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %tb = tile.load %b[%n, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %next = tile.dot %ta, transpose %tb, %sum : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
          scf.yield %next : tensor<64x64xf32>
        }
        tile.store %acc, %c[%m, %n] : tensor<64x64xf32>, memref<?x?xf32>
      }
    }
  }
}

// A tile that is used otherwise too.
// CHECK-LABEL: tile.program @used_twice
// CHECK-NOT: tile.{{steps|fetch|rest}}
// CHECK: tile.dot
tile.program @used_twice<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.kernel @used_twice {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 64] {
        %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 32]
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
          %ta = tile.load %a[%m, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %tb = tile.load %b[%n, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %next = tile.dot %ta, transpose %tb, %sum : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
          tile.store %ta, %a[%m, %k] : tensor<64x32xbf16>, memref<?x?xbf16>
          scf.yield %next : tensor<64x64xf32>
        }
        tile.store %acc, %c[%m, %n] : tensor<64x64xf32>, memref<?x?xf32>
      }
    }
  }
}

// Tiles that begin at any element.
// CHECK-LABEL: tile.program @at_elements
// CHECK-NOT: tile.{{steps|fetch|rest}}
// CHECK: tile.dot
tile.program @at_elements<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.kernel @at_elements {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 64] {
        %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 32]
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
          %ta = tile.load %a at (%m, %k) tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %tb = tile.load %b[%n, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %next = tile.dot %ta, transpose %tb, %sum : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
          scf.yield %next : tensor<64x64xf32>
        }
        tile.store %acc, %c[%m, %n] : tensor<64x64xf32>, memref<?x?xf32>
      }
    }
  }
}

// An operand that is computed between the load and the product.
// CHECK-LABEL: tile.program @changed_between
// CHECK-NOT: tile.{{steps|fetch|rest}}
// CHECK: tile.dot
tile.program @changed_between<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.kernel @changed_between {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 64] {
        %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 32]
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
          %ta = tile.load %a[%m, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %tb = tile.load %b[%n, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %twice = arith.addf %ta, %ta : tensor<64x32xbf16>
          %next = tile.dot %twice, transpose %tb, %sum : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
          scf.yield %next : tensor<64x64xf32>
        }
        tile.store %acc, %c[%m, %n] : tensor<64x64xf32>, memref<?x?xf32>
      }
    }
  }
}

// A sum that is changed in the loop: the step computes with values, and its product has the accesses in its places.
// CHECK-LABEL: tile.program @scaled_sum
// RING: tile.steps
// RING: %[[HALF:.*]] = arith.addf
// RING: tile.barrier
// RING: tile.places
// RING-NEXT: tile.dot %{{.*}}, transpose %{{.*}}, %[[HALF]] {
tile.program @scaled_sum<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.kernel @scaled_sum {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 64] {
        %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 32]
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
          %ta = tile.load %a[%m, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %tb = tile.load %b[%n, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %half = arith.addf %sum, %sum : tensor<64x64xf32>
          %next = tile.dot %ta, transpose %tb, %half : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
          scf.yield %next : tensor<64x64xf32>
        }
        tile.store %acc, %c[%m, %n] : tensor<64x64xf32>, memref<?x?xf32>
      }
    }
  }
}

// Rings that do not fit in LDS.
// CHECK-LABEL: tile.program @too_large
// CHECK-NOT: tile.{{steps|fetch|rest}}
// CHECK: tile.dot
tile.program @too_large<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.kernel @too_large {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 256, %N ceildiv 256] {
        %zero = tile.splat 0.0 [256, 256] : tensor<256x256xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 64]
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<256x256xf32>) {
          %ta = tile.load %a[%m, %k] tile [256, 64] : memref<?x?xbf16> -> tensor<256x64xbf16>
          %tb = tile.load %b[%n, %k] tile [256, 64] : memref<?x?xbf16> -> tensor<256x64xbf16>
          %next = tile.dot %ta, transpose %tb, %sum : tensor<256x64xbf16>, tensor<256x64xbf16>, tensor<256x256xf32>
          scf.yield %next : tensor<256x256xf32>
        }
        tile.store %acc, %c[%m, %n] : tensor<256x256xf32>, memref<?x?xf32>
      }
    }
  }
}
