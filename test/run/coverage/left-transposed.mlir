// A left-hand side that is stored K x M: of every type, on the vector units too, of matrices side by side, split and gathered from other ranks along the depth
// or along the rows, with every way to move it.
// RUN: split-file %s %t
// RUN: for types in $(%some f16:f32 i8:i32 i32:i32 f32:f32 f64:f64 bf16:f32 f8E4M3FNUZ:bf16); do sed "s/xT>/x${types%%:*}>/g;s/xS>/x${types##*:}>/g" %t/product.mlir > %t/typed.mlir; \
// RUN:   for target in $(%some sm_90a gfx942); do tilec run %t/typed.mlir --world 1 --target $target --extent M=72,N=40,K=104 || exit 1; done; done
// RUN: for t in gfx950:f8E4M3FN sm_90a:f8E5M2; do sed "s/xT>/x${t##*:}>/g;s/xS>/xf32>/g" %t/product.mlir > %t/typed.mlir; \
// RUN:   tilec run %t/typed.mlir --world 1 --target ${t%%:*} --extent M=72,N=40,K=104 || exit 1; done
// RUN: tilec run %t/batched.mlir --world 1 --extent B=3,M=72,N=40,K=104 && tilec run %t/batched.mlir --target sm_90a --world 1 --extent B=2,M=136,N=72,K=104
// RUN: sed 's/xT>/xbf16>/g;s/xS>/xf32>/g;s/into %%c/into %%c tiles [32, 32, 16] split 3/' %t/product.mlir > %t/split.mlir && tilec run %t/split.mlir --world 1 --extent M=72,N=40,K=104
// RUN: for pattern in bulk $(%some sequential-pull specialized-push specialized-pull sequential-push specialized-copy-engine); do for side in rows depth; do \
// RUN:   tilec run %t/$side.mlir --world 3 --pattern=$pattern --extent M=40,N=24,K=56 && tilec verify %t/$side.mlir --world 3 --pattern=$pattern || exit 1; done; done

#--- product.mlir
tile.program @product<%M, %N, %K>(%a: memref<?x?xT>, %b: memref<?x?xT>, %c: memref<?x?xS>) extents [%a: %K, %M] [%b: %K, %N] [%c: %M, %N] {
  tile.matmul transpose %a, %b into %c : memref<?x?xT>, memref<?x?xT>, memref<?x?xS>
}

#--- batched.mlir
tile.program @batched<%B, %M, %N, %K>(%a: memref<?x?x?xbf16>, %b: memref<?x?x?xbf16>, %c: memref<?x?x?xbf16>)
    extents [%a: %B, %K, %M] [%b: %B, %K, %N] [%c: %B, %M, %N] {
  tile.matmul transpose %a, %b into %c : memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<?x?x?xbf16>
}

#--- rows.mlir
tile.program @rows<%M, %N, %K>(%a: memref<?x?xbf16, #tile.symmetric>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %K, %M] [%b: %K, %N] [%c: W * %M, %N] {
  %full = tile.alloc [%K, W * %M] : memref<?x?xbf16, #tile.symmetric>
  tile.all_gather %a into %full dim 1 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul transpose %full, %b into %c : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xbf16>
}

#--- depth.mlir
tile.program @depth<%M, %N, %K>(%a: memref<?x?xbf16, #tile.symmetric>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %K, %M] [%b: W * %K, %N] [%c: %M, %N] {
  %full = tile.alloc [W * %K, %M] : memref<?x?xbf16, #tile.symmetric>
  tile.all_gather %a into %full dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul transpose %full, %b into %c : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xbf16>
}
