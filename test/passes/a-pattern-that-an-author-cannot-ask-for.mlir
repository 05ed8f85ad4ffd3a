// Tasks whose number is given at launch, in an author's kernel that reads what they write: the message asked for pattern
// 'bulk', which a program in kernel form is not given, and which has no barrier within a kernel.
// RUN: split-file %s %t
// RUN: not tilec %t/number.mlir --world 2 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: number.mlir:5:7: error: 'tile.forall' op has a bound that is no expression over the extents, for whose tasks this pattern has no waits; expected extents, or a kernel for each of the two accesses
// NUMBER: number.mlir:12:14: note: this access has to wait for them
// RUN: not tilec %t/step.mlir --world 2 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: step.mlir:15:14: error: accesses a view whose step is no literal, for which this pattern has no waits; expected a literal, or a kernel for each of the two accesses
// STEP: step.mlir:7:9: note: the same buffer is accessed here
// In two kernels nothing waits for tasks.
// RUN: sed 's/^    tile.role @fetch/  } tile.kernel @two { tile.role @fetch/' %t/number.mlir | tilec - --world 2 --until=order --no-verify | FileCheck %s --check-prefix=BARRIER
// RUN: sed 's/^    tile.role @fetch/  } tile.kernel @two { tile.role @fetch/' %t/step.mlir | tilec - --world 2 --until=order --no-verify | FileCheck %s --check-prefix=BARRIER
// BARRIER: tile.kernel @two

//--- number.mlir
tile.program @part<%M, %N>(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %sums: memref<?x?xf32, #tile.symmetric>) extents [%a: %M, %N] [%b: %M, %N] [%sums: %M, %N] {
  tile.kernel @one {
    tile.role @fill {
      %rank = tile.rank
      tile.forall (%m, %n) in [%rank ceildiv 64, %N ceildiv 64] {
        %t = tile.load %a[%m, %n] tile [16, 64] : memref<?x?xf32> -> tensor<16x64xf32>
        tile.store %t, %sums[%m, %n] : tensor<16x64xf32>, memref<?x?xf32, #tile.symmetric>
      }
    }
    tile.role @fetch {
      tile.forall (%m, %n) in [%M ceildiv 16, %N ceildiv 64] {
        %t = tile.load %sums[%m, %n] tile [16, 64] : memref<?x?xf32, #tile.symmetric> -> tensor<16x64xf32>
        tile.store %t, %b[%m, %n] : tensor<16x64xf32>, memref<?x?xf32>
      }
    }
  }
}

//--- step.mlir
tile.program @part<%M>(%a: memref<?xf32>, %c: memref<16xf32>) extents [%a: %M * 16] [%c: 16] {
  %s = tile.alloc [%M * 16] : memref<?xf32, #tile.symmetric>
  tile.kernel @one {
    tile.role @fill {
      tile.forall (%m) in [%M] {
        %t = tile.load %a[%m] tile [16] : memref<?xf32> -> tensor<16xf32>
        tile.store %t, %s[%m] : tensor<16xf32>, memref<?xf32, #tile.symmetric>
      }
    }
    tile.role @fetch {
      %c0 = arith.constant 0 : index
      %st = tile.extent [%M]
      tile.forall (%m) in [1] {
        %v = memref.subview %s[0] [16] [%st] : memref<?xf32, #tile.symmetric> to memref<16xf32, strided<[?]>, #tile.symmetric>
        %t = tile.load %v[%c0] tile [16] : memref<16xf32, strided<[?]>, #tile.symmetric> -> tensor<16xf32>
        tile.store %t, %c[%c0] : tensor<16xf32>, memref<16xf32>
      }
    }
  }
}
