// RUN: split-file %s %t
// RUN: for t in $(%some sm_90a gfx942 gfx950); do for p in single side_by_side two_sides integers two_numbers; do tilec run %t/$p.mlir --world 1 --target $t --extents-from 1,8,70,200 --launches 2 --race || exit 1; done; done
// RUN: for t in $(%some sm_90a gfx942); do for p in single "side_by_side E=3" "two_sides E=3"; do set -- $p; tilec run %t/$1.mlir --world 1 --target $t --extent M=300,N=136,K=128${2+,$2} || exit 1; done; done
// RUN: for p in $(%some bulk-push sequential-push sequential-pull specialized-push); do tilec run %t/gathered.mlir --world 3 --pattern $p --extents-from 3,70 --launches 3 --memory weak --race || exit 1; done
// Products of so many rows as data says: numbers below 0 and above the rows among them. The destination keeps what it holds behind them.

//--- single.mlir
tile.program @single<%M, %N, %K>(%rows: memref<1xi32>, %a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] indices [%rows: %M + 9] {
  tile.matmul %a, transpose %b into %c rows %rows : memref<1xi32> : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xf32>
}

// A matrix that all products share, and one for each.
//--- side_by_side.mlir
tile.program @side_by_side<%E, %M, %N, %K>(%rows: memref<?xi32>, %a: memref<?x?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?x?xbf16>)
    extents [%rows: %E] [%a: %E, %M, %K] [%b: %K, %N] [%c: %E, %M, %N] indices [%rows: %M + 9] {
  tile.matmul %a, %b into %c rows %rows : memref<?xi32> tiles [64, 64, 32] : memref<?x?x?xbf16>, memref<?x?xbf16>, memref<?x?x?xbf16>
}

//--- two_sides.mlir
tile.program @two_sides<%E, %M, %N, %K>(%rows: memref<?xi32>, %a: memref<?x?x?xbf16>, %b: memref<?x?x?xbf16>, %g: memref<?x?x?xbf16>, %c: memref<?x?x?xbf16>)
    extents [%rows: %E] [%a: %E, %M, %K] [%b: %E, %N, %K] [%g: %E, %N, %K] [%c: %E, %M, %N] indices [%rows: %M + 9] {
  tile.matmul %a, transpose %b, transpose %g into %c rows %rows : memref<?xi32> tiles [96, 64, 32] swapped
      : memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<?x?x?xbf16>
      epilogue (%e, %row, %col, %x: tensor<96x64xf32>, %y: tensor<96x64xf32>) {
    %sum = arith.addf %x, %y : tensor<96x64xf32>
    %out = arith.truncf %sum : tensor<96x64xf32> to tensor<96x64xbf16>
    tile.yield %out : tensor<96x64xbf16>
  }
}

//--- integers.mlir
tile.program @integers<%M, %N, %K>(%rows: memref<1xi32>, %a: memref<?x?xi8>, %b: memref<?x?xi8>, %c: memref<?x?xi32>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] indices [%rows: %M + 9] {
  tile.matmul %a, transpose %b into %c rows %rows : memref<1xi32> : memref<?x?xi8>, memref<?x?xi8>, memref<?x?xi32>
}

// Products that two numbers name.
//--- two_numbers.mlir
tile.program @two_numbers<%B, %H, %M, %N, %K>(%rows: memref<?x?xi32>, %a: memref<?x?x?x?xf32>, %b: memref<?x?x?x?xf32>, %c: memref<?x?x?x?xf32>)
    extents [%rows: %B, %H] [%a: %B, %H, %M, %K] [%b: %B, %H, %N, %K] [%c: %B, %H, %M, %N] indices [%rows: %M + 9]
    where %B <= 3, %H <= 2 {
  tile.matmul %a, transpose %b into %c rows %rows : memref<?x?xi32> tiles [16, 16, 16] : memref<?x?x?x?xf32>, memref<?x?x?x?xf32>, memref<?x?x?x?xf32>
}

// Numbers that a statement before has made, of rows that come from all ranks.
//--- gathered.mlir
tile.program @gathered<%M, %N, %K>(%some: memref<1xi32>, %a: memref<?x?xbf16, #tile.symmetric>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: W * %M, %N] indices [%some: W * %M + 9] {
  %all = tile.alloc [W * %M, %K] : memref<?x?xbf16, #tile.symmetric>
  %rows = tile.alloc [1] : memref<1xi32>
  tile.all_gather %a into %all dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.forall (%i) in [1] {
    %t = tile.load %some[%i] tile [1] : memref<1xi32> -> tensor<1xi32>
    %half = arith.constant dense<1> : tensor<1xi32>
    %fewer = arith.shrsi %t, %half : tensor<1xi32>
    tile.store %fewer, %rows[%i] : tensor<1xi32>, memref<1xi32>
  }
  tile.matmul %all, transpose %b into %c rows %rows : memref<1xi32> : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xf32>
}
