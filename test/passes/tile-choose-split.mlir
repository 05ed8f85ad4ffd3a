// Parts of the depth, where tiles are few: how many, and of which tiles.
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --extent M=256,N=1024,K=8192 --until=choose | FileCheck %s --check-prefix=FEW
// FEW: parameters = {BK = 64 : i64, BM = 64 : i64, BN = 128 : i64}
// FEW: tile.matmul {{.*}} split 4 attributes {schedule = {{.*}}, split = 4>
// Where half of the units had a task, all have one.
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --extent M=128,N=2048,K=8192 --until=choose | FileCheck %s --check-prefix=HALF
// HALF: parameters = {BK = 64 : i64, BM = 64 : i64, BN = 64 : i64}
// HALF: tile.matmul {{.*}} split 2 attributes {schedule = {{.*}}, split = 2>
// More tiles than units have no parts; nor a product that takes as long as memory gives its operands, or whose loop is short.
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --extent M=512,N=4096,K=4096 --until=choose | FileCheck %s --check-prefix=NONE
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --extent M=16,N=4096,K=8192 --until=choose | FileCheck %s --check-prefix=NONE
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --extent M=64,N=2048,K=2048 --until=choose | FileCheck %s --check-prefix=NONE
// Nor is a depth split that does not fall into whole steps, or that a launch gives.
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --extent M=256,N=1024,K=8200 --until=choose | FileCheck %s --check-prefix=NONE
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --extent M=256,N=1024 --until=choose | FileCheck %s --check-prefix=NONE
// NONE: tile.matmul
// NONE-NOT: split
// NONE: schedule = #tile.schedule<
// NONE-NOT: split
// NONE: : memref
// Rows of a pitch that a launch gives have no map of their parts.
// RUN: sed 's/%%K\] \[%%b/%%K strides %%lda, 1] [%%b/; s/<%%M, %%N, %%K>/<%%M, %%N, %%K, %%lda>/; s/%%a: memref<?x?xbf16>,/%%a: memref<?x?xbf16, strided<[?, 1]>>,/; s/into %%c : memref<?x?xbf16>,/into %%c : memref<?x?xbf16, strided<[?, 1]>>,/' %source/bench/gpu/matmul.mlir | tilec - --world 1 --target sm_90a --extent M=256,N=1024,K=8192,lda=8192 --until=choose | FileCheck %s --check-prefix=NONE

// Behind whole rounds of the units the last tiles alone are shared, where no width of tiles fills the rounds. Not where little is gained, nor beside other statements.
// RUN: tilec %source/bench/gpu/matmul_across.mlir --world 1 --target sm_90a --extent M=3072,N=3072,K=8192 --param BN=256 --until=choose | FileCheck %s --check-prefix=LAST
// LAST: parameters = {BK = 64 : i64, BM = 128 : i64, BN = 256 : i64}
// LAST: split 5 behind 264 attributes {schedule = {{.*}}, split = 5, behind = 264>}
// What lies across has widths of whole panels, of which 192 columns fill more of the rounds.
// RUN: tilec %source/bench/gpu/matmul_across.mlir --world 1 --target sm_90a --extent M=3072,N=3072,K=8192 --until=choose | FileCheck %s --check-prefix=PANELS --implicit-check-not=behind
// PANELS: parameters = {BK = 64 : i64, BM = 128 : i64, BN = 192 : i64}
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target gfx942 --extent M=1500,N=4096,K=4096 --until=choose | FileCheck %s --check-prefix=LAST-OF-304
// LAST-OF-304: split = 3, behind = 304
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --extent M=3072,N=3072,K=8192 --until=choose | FileCheck %s --check-prefix=NONE
// RUN: tilec %source/bench/gpu/matmul_across.mlir --world 1 --target sm_90a --extent M=2048,N=7168,K=8192 --until=choose | FileCheck %s --check-prefix=NONE
// RUN: sed 's/^}/  tile.matmul %%c, transpose %%b into %%d : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>\n}/; s/%%c: memref<?x?xbf16>)/%%c: memref<?x?xbf16>, %%d: memref<?x?xbf16>)/; s/ \[%%c: %%M, %%N\]/& [%%d: %%M, %%K]/' %source/bench/gpu/matmul_across.mlir > %t.used.mlir
// RUN: tilec %t.used.mlir --world 1 --target sm_90a --extent M=3072,N=3072,K=8192 --until=choose | FileCheck %s --check-prefix=USED
// USED: tile.matmul %a, %b into %c tiles [{{[0-9, ]+}}] attributes
// USED-NEXT: tile.matmul %c, transpose %b into %d tiles [{{[0-9, ]+}}] attributes
// RUN: tilec %t.used.mlir --world 1 --target sm_90a --extent M=3072,N=3072,K=8192 --emit=hip | FileCheck %s --check-prefix=BESIDE --implicit-check-not=is_part
// BESIDE: _kernel(const tilec::Context context

// A copy engine is told of the parts, one beside the other, and counts the launch as nobody waits.
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --extent M=256,N=1024,K=8192 --emit=hip | FileCheck %s --check-prefix=TEXT
// TEXT: tilec::count_launch(context, /*advance=*/true)
// TEXT: const int [[FIRST:.*]] = outer * 2048;
// TEXT: tilec::mapped_feed<ARingShared>(tilec::view_at(a, {0, [[FIRST]]}, {256, 2048}, {8192, 1}), {m * 64, 0}, a_map, outer)
// TEXT: tilec::arrive<tilec::agent, tilec::first_waves<8>>(launch, multiply_arrivals, {m, n}, 4)
// TEXT-NEXT: if (is_last) {
// TEXT: parts_tile[i] + parts_tile_2[i] + parts_tile_3[i] + parts_tile_4[i]
// TEXT: a_map = tilec::tensor_map<ARingShared>(a, {4, 256, 2048}, {2048ll, 8192, 1})
