// RUN: tilec verify %s --world 3
// RUN: tilec run %s --world 3 --race --memory weak --skewed --launches 3 --extents-from 5,40,70
// RUN: tilec run %s --world 1 --target gfx950 --input n=-7
// RUN: tilec run %s --world 2 --target sm_90a --extent M=70 --input alpha=0.5 --input n=3 --input wide=4000000000 --input beta=-1e-3 --save alpha=%t-{rank}.npy
// RUN: tilec run %s --world 2 --target sm_90a --extent M=70 --input alpha=%t-{rank}.npy --input n=1000
// RUN: tilec %s --world 2 --emit=hip | FileCheck %s
// RUN: tilec %s --world 2 -o %t && FileCheck %s --check-prefix=HEADER --input-file %t/numbers.h
// RUN: FileCheck %s --check-prefix=MANIFEST --input-file %t/numbers.json
// RUN: not tilec run %s --world 1 --input n=5000000000 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not tilec run %s --world 1 --input alpha=x 2>&1 | FileCheck %s --check-prefix=WORD

// CHECK: void numbers_{{.*}}kernel({{.*}}const float alpha
// CHECK: tilec::clamp(n, M)
// CHECK: const float alpha = *static_cast<const float *>(arguments->pointers[0]);
// CHECK: tilec::bf16 *const x = static_cast<tilec::bf16 *>(arguments->pointers[2]);
// HEADER: alpha: f32, a number, which the launch reads in host memory
// HEADER-NEXT: n: i32, a number
// HEADER-NEXT: x: bf16 [M, 40]
// MANIFEST: "name": "alpha",
// MANIFEST-NEXT: "dtype": "f32",
// MANIFEST-NEXT: "shape": [],
// MANIFEST-NEXT: "symmetric": false,
// WIDE: argument 'n' is '5000000000', expected a number of 'i32' or FILE.npy
// WORD: argument 'alpha' is 'x', expected a number of 'f32' or FILE.npy

// Numbers of all types as factors and limits, computed with before tasks and in them, another one on each rank: rows below
// the limit are scaled and added up over the ranks, a loop goes to it, a row is found by it, a branch asks for it.
tile.program @numbers<%M>(%alpha: f32, %n: i32, %x: memref<?x40xbf16>, %beta: f64, %wide: i64, %y: memref<?x40xf32>, %z: memref<?x40xf64>, %k: memref<?x40xi64>, %r: memref<40xf32>)
    extents [%x: %M, 40] [%y: %M, 40] [%z: %M, 40] [%k: %M, 40] {
  %half = arith.constant 0.5 : f32
  %least = arith.mulf %alpha, %half : f32
  %limit = tile.clamp %n upto %M : i32
  %scaled = tile.alloc [%M, 40] : memref<?x40xf32>
  tile.forall (%m) in [%M ceildiv 16] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %t = tile.load %x[%m, %c0] tile [16, 64] : memref<?x40xbf16> -> tensor<16x64xbf16>
    %f = arith.extf %t : tensor<16x64xbf16> to tensor<16x64xf32>
    %factor = tile.splat %alpha [16, 64] : tensor<16x64xf32>
    %bottom = tile.splat %least [16, 64] : tensor<16x64xf32>
    %product = arith.mulf %f, %factor : tensor<16x64xf32>
    %sum = arith.addf %product, %bottom : tensor<16x64xf32>
    %first = arith.muli %m, %c16 : index
    %within = arith.cmpi slt, %first, %limit : index
    scf.if %within {
      tile.store %sum, %scaled[%m, %c0] : tensor<16x64xf32>, memref<?x40xf32>
    } else {
      tile.store %f, %scaled[%m, %c0] : tensor<16x64xf32>, memref<?x40xf32>
    }
  }
  tile.all_reduce %scaled into %y : memref<?x40xf32>, memref<?x40xf32>
  tile.forall (%m) in [%M ceildiv 16] {
    %c0 = arith.constant 0 : index
    %t = tile.load %y[%m, %c0] tile [16, 64] : memref<?x40xf32> -> tensor<16x64xf32>
    %d = arith.extf %t : tensor<16x64xf32> to tensor<16x64xf64>
    %b = tile.splat %beta [16, 64] : tensor<16x64xf64>
    %e = arith.addf %d, %b : tensor<16x64xf64>
    tile.store %e, %z[%m, %c0] : tensor<16x64xf64>, memref<?x40xf64>
    %w = tile.splat %wide [16, 64] : tensor<16x64xi64>
    %c = tile.splat %n [16, 64] : tensor<16x64xi32>
    %long = arith.extsi %c : tensor<16x64xi32> to tensor<16x64xi64>
    %difference = arith.subi %w, %long : tensor<16x64xi64>
    tile.store %difference, %k[%m, %c0] : tensor<16x64xi64>, memref<?x40xi64>
  }
  tile.forall () in [] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %twice = arith.addi %n, %n : i32
    %rows = tile.clamp %twice upto %M : i32
    %place = arith.divui %limit, %c2 : index
    %zero = tile.load %x at (%place, %c0) tile [64] : memref<?x40xbf16> -> tensor<64xbf16>
    %begin = arith.extf %zero : tensor<64xbf16> to tensor<64xf32>
    %total = scf.for %i = %c0 to %rows step %c1 iter_args(%sum = %begin) -> tensor<64xf32> {
      %row = tile.load %y at (%i, %c0) tile [64] : memref<?x40xf32> -> tensor<64xf32>
      %next = arith.addf %sum, %row : tensor<64xf32>
      scf.yield %next : tensor<64xf32>
    }
    tile.store %total, %r[%c0] : tensor<64xf32>, memref<40xf32>
  }
}
