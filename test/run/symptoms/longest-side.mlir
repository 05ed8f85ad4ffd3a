// A side of 65536, which the text of the language allows, was refused where layouts are chosen: the two had limits of their own.
// RUN: tilec run %s --world 1 --extent M=2
// RUN: tilec %s --world 1 --target gfx942 --emit=hip > %t.hip && %generate --offload-arch=gfx942 %t.hip
tile.program @long<%M>(%a: memref<?x65536xf16>, %b: memref<?x65536xf16>) extents [%a: %M, 65536] [%b: %M, 65536] {
  tile.forall (%m) in [%M] {
    %z = arith.constant 0 : index
    %t = tile.load %a[%m, %z] tile [1, 65536] : memref<?x65536xf16> -> tensor<1x65536xf16>
    %u = arith.addf %t, %t : tensor<1x65536xf16>
    tile.store %u, %b[%m, %z] : tensor<1x65536xf16>, memref<?x65536xf16>
  }
}
