// A maximum kept the error of an operand that it never takes: the log-sum-exp of an empty split is -1e30 with an error of 6e22.
// RUN: tilec run %s --world 2 --extent Hk=1,T=5 | FileCheck %s
// RUN: tilec run %s --world 2 --extent Hk=2,T=200 > %t.txt && python3 %S/../coverage/Inputs/bound_ratio.py %t.txt 100 150
// All splits empty.
// RUN: tilec run %s --world 1 --extent Hk=1,T=0
// CHECK: rank 0: largest error {{[0-9.]+(e-[01][0-9])?}}, bound {{[0-9.]+}}e-0{{[5-8]}} at %m
// CHECK: rank 1: largest error {{[0-9.]+(e-[01][0-9])?}}, bound {{[0-9.]+}}e-0{{[5-8]}} at %m

// Flash decode, one token, KV sharded over ranks: split-KV, combine on the rank, all-gather of (O, LSE), merge.
// 8 query heads share a KV head (rows of one tile); T tokens on each rank.
tile.program @flashdecode<%Hk, %T>(%q: memref<?x8x128xbf16>, %k: memref<?x?x128xbf16>, %v: memref<?x?x128xbf16>, %mo: memref<?x8x128xf32, #tile.symmetric>, %ml: memref<?x8xf32, #tile.symmetric>)
    extents [%q: %Hk, 8, 128] [%k: %Hk, %T, 128] [%v: %Hk, %T, 128] [%mo: %Hk, 8, 128] [%ml: %Hk, 8] {
  %po = tile.alloc [4, %Hk, 8, 128] : memref<4x?x8x128xf32>
  %pl = tile.alloc [4, %Hk, 8] : memref<4x?x8xf32>
  %go = tile.alloc [W * %Hk, 8, 128] : memref<?x8x128xf32, #tile.symmetric>
  %gl = tile.alloc [W * %Hk, 8] : memref<?x8xf32, #tile.symmetric>
  %len = tile.extent [%T]
  %per = tile.extent [(%T ceildiv 32) ceildiv 4]
  %blocks = tile.extent [%T ceildiv 32]
  %hks = tile.extent [%Hk]
  %w = tile.world_size
  tile.forall (%s, %h) in [4, %Hk] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %b0 = arith.muli %s, %per : index
    %b1 = arith.addi %b0, %per : index
    %b2 = arith.minsi %b1, %blocks : index
    %qt = tile.load %q[%h, %c0, %c0] tile [8, 128] : memref<?x8x128xbf16> -> tensor<8x128xbf16>
    %m0 = tile.splat -1.0e30 [8] : tensor<8xf32>
    %l0 = tile.splat 0.0 [8] : tensor<8xf32>
    %o0 = tile.splat 0.0 [8, 128] : tensor<8x128xf32>
    %zero = tile.splat 0.0 [8, 32] : tensor<8x32xf32>
    %scale = tile.splat 0.08838834764 [8, 32] : tensor<8x32xf32>
    %neg = tile.splat -1.0e30 [8, 32] : tensor<8x32xf32>
    %ci = tile.iota dim 1 tile [8, 32] : tensor<8x32xi32>
    %len32 = arith.index_cast %len : index to i32
    %lens = tile.splat %len32 [8, 32] : tensor<8x32xi32>
    %mx, %l, %acc = scf.for %n = %b0 to %b2 step %c1 iter_args(%mi = %m0, %li = %l0, %oi = %o0) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>) {
      %kt = tile.load %k[%h, %n, %c0] tile [32, 128] : memref<?x?x128xbf16> -> tensor<32x128xbf16>
      %vt = tile.load %v[%h, %n, %c0] tile [32, 128] : memref<?x?x128xbf16> -> tensor<32x128xbf16>
      %s0 = tile.dot %qt, transpose %kt, %zero : tensor<8x128xbf16>, tensor<32x128xbf16>, tensor<8x32xf32>
      %s1 = arith.mulf %s0, %scale : tensor<8x32xf32>
      %col = arith.muli %n, %c32 : index
      %col32 = arith.index_cast %col : index to i32
      %cb = tile.splat %col32 [8, 32] : tensor<8x32xi32>
      %cols = arith.addi %ci, %cb : tensor<8x32xi32>
      %ok = arith.cmpi slt, %cols, %lens : tensor<8x32xi32>
      %sc = arith.select %ok, %s1, %neg : tensor<8x32xi1>, tensor<8x32xf32>
      %bmx = tile.reduce maximum %sc dim 1 : tensor<8x32xf32> -> tensor<8xf32>
      %mn = arith.maximumf %mi, %bmx : tensor<8xf32>
      %mb = tile.broadcast %mn dims [0] tile [8, 32] : tensor<8xf32> -> tensor<8x32xf32>
      %d = arith.subf %sc, %mb : tensor<8x32xf32>
      %p = math.exp %d : tensor<8x32xf32>
      %ps = tile.reduce add %p dim 1 : tensor<8x32xf32> -> tensor<8xf32>
      %dm = arith.subf %mi, %mn : tensor<8xf32>
      %al = math.exp %dm : tensor<8xf32>
      %la = arith.mulf %li, %al : tensor<8xf32>
      %ln = arith.addf %la, %ps : tensor<8xf32>
      %alb = tile.broadcast %al dims [0] tile [8, 128] : tensor<8xf32> -> tensor<8x128xf32>
      %oa = arith.mulf %oi, %alb : tensor<8x128xf32>
      %pb = arith.truncf %p : tensor<8x32xf32> to tensor<8x32xbf16>
      %on = tile.dot %pb, %vt, %oa : tensor<8x32xbf16>, tensor<32x128xbf16>, tensor<8x128xf32>
      scf.yield %mn, %ln, %on : tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>
    }
    // an empty split leaves m = -1e30, l = 0, o = 0: its weight is 0 below
    %tiny = tile.splat 1.0e-30 [8] : tensor<8xf32>
    %lp = arith.maximumf %l, %tiny : tensor<8xf32>
    %lb = tile.broadcast %lp dims [0] tile [8, 128] : tensor<8xf32> -> tensor<8x128xf32>
    %r = arith.divf %acc, %lb : tensor<8x128xf32>
    tile.store %r, %po[%s, %h, %c0, %c0] : tensor<8x128xf32>, memref<4x?x8x128xf32>
    %lg = math.log %lp : tensor<8xf32>
    %ls = arith.addf %lg, %mx : tensor<8xf32>
    tile.store %ls, %pl[%s, %h, %c0] : tensor<8xf32>, memref<4x?x8xf32>
  }
  tile.forall (%h) in [%Hk] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %m0 = tile.splat -3.0e38 [8] : tensor<8xf32>
    %l0 = tile.splat 0.0 [8] : tensor<8xf32>
    %o0 = tile.splat 0.0 [8, 128] : tensor<8x128xf32>
    %mx, %l, %acc = scf.for %s = %c0 to %c4 step %c1 iter_args(%mi = %m0, %li = %l0, %oi = %o0) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>) {
      %ot = tile.load %po[%s, %h, %c0, %c0] tile [8, 128] : memref<4x?x8x128xf32> -> tensor<8x128xf32>
      %lt = tile.load %pl[%s, %h, %c0] tile [8] : memref<4x?x8xf32> -> tensor<8xf32>
      %mn = arith.maximumf %mi, %lt : tensor<8xf32>
      %d0 = arith.subf %mi, %mn : tensor<8xf32>
      %d1 = arith.subf %lt, %mn : tensor<8xf32>
      %a = math.exp %d0 : tensor<8xf32>
      %b = math.exp %d1 : tensor<8xf32>
      %la = arith.mulf %li, %a : tensor<8xf32>
      %ln = arith.addf %la, %b : tensor<8xf32>
      %ab = tile.broadcast %a dims [0] tile [8, 128] : tensor<8xf32> -> tensor<8x128xf32>
      %bb = tile.broadcast %b dims [0] tile [8, 128] : tensor<8xf32> -> tensor<8x128xf32>
      %o1 = arith.mulf %oi, %ab : tensor<8x128xf32>
      %o2 = math.fma %ot, %bb, %o1 : tensor<8x128xf32>
      scf.yield %mn, %ln, %o2 : tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>
    }
    %lb = tile.broadcast %l dims [0] tile [8, 128] : tensor<8xf32> -> tensor<8x128xf32>
    %r = arith.divf %acc, %lb : tensor<8x128xf32>
    tile.store %r, %mo[%h, %c0, %c0] : tensor<8x128xf32>, memref<?x8x128xf32, #tile.symmetric>
    %lg = math.log %l : tensor<8xf32>
    %ls = arith.addf %lg, %mx : tensor<8xf32>
    tile.store %ls, %ml[%h, %c0] : tensor<8xf32>, memref<?x8xf32, #tile.symmetric>
  }
}
