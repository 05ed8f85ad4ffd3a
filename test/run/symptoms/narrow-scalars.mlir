// RUN: tilec verify %s --world 2
// RUN: tilec run %s --world 2

// Scalars narrower than an int, in which C++ computes, and an i1, which is -1 as a signed number: each condition is one bit of
// the number that is stored.
tile.program @narrow(%out: memref<512xi32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %true = arith.constant true
  %near = arith.constant 126 : i8
  %zero8 = arith.constant 0 : i8
  %near16 = arith.constant 32766 : i16
  %zero16 = arith.constant 0 : i16
  %large64 = arith.constant 4294967296 : i64
  %rank = tile.rank
  tile.forall (%i) over %out tiles [64] : memref<512xi32> {
    %r = arith.addi %rank, %i : index
    %p = arith.cmpi eq, %r, %one : index
    %left = arith.remsi %i, %two : index
    %q = arith.cmpi eq, %left, %zero : index
    %not = arith.xori %p, %true : i1
    %less = arith.cmpi slt, %p, %q : i1
    %most = arith.cmpi sge, %p, %q : i1
    %below = arith.cmpi ult, %p, %q : i1
    %sum = arith.addi %p, %q : i1
    %difference = arith.subi %p, %q : i1
    %product = arith.muli %p, %q : i1
    %maximum = arith.maxsi %p, %q : i1
    %minimum = arith.minsi %p, %q : i1
    %r8 = arith.index_cast %r : index to i8
    %x8 = arith.addi %r8, %near : i8
    %negative = arith.cmpi slt, %x8, %zero8 : i8
    %r16 = arith.index_cast %r : index to i16
    %x16 = arith.addi %r16, %near16 : i16
    %negative16 = arith.cmpi slt, %x16, %zero16 : i16
    %unsigned = arith.index_castui %x8 : i8 to index
    %large = arith.cmpi sgt, %unsigned, %one : index
    %signed = arith.index_cast %p : i1 to index
    %minus = arith.cmpi slt, %signed, %zero : index
    %bit = arith.index_cast %r : index to i1
    %r64 = arith.index_cast %r : index to i64
    %below64 = arith.cmpi ult, %r64, %large64 : i64
    %n0 = arith.extui %not : i1 to i32
    %n1 = arith.extui %less : i1 to i32
    %n2 = arith.extui %most : i1 to i32
    %n3 = arith.extui %below : i1 to i32
    %n4 = arith.extui %sum : i1 to i32
    %n5 = arith.extui %difference : i1 to i32
    %n6 = arith.extui %product : i1 to i32
    %n7 = arith.extui %maximum : i1 to i32
    %n8 = arith.extui %minimum : i1 to i32
    %n9 = arith.extui %negative : i1 to i32
    %n10 = arith.extui %negative16 : i1 to i32
    %n11 = arith.extui %large : i1 to i32
    %n12 = arith.extui %minus : i1 to i32
    %n13 = arith.extui %bit : i1 to i32
    %n14 = arith.extui %below64 : i1 to i32
    %base = arith.constant 2 : i32
    %m1 = arith.muli %n0, %base : i32
    %s1 = arith.addi %m1, %n1 : i32
    %m2 = arith.muli %s1, %base : i32
    %s2 = arith.addi %m2, %n2 : i32
    %m3 = arith.muli %s2, %base : i32
    %s3 = arith.addi %m3, %n3 : i32
    %m4 = arith.muli %s3, %base : i32
    %s4 = arith.addi %m4, %n4 : i32
    %m5 = arith.muli %s4, %base : i32
    %s5 = arith.addi %m5, %n5 : i32
    %m6 = arith.muli %s5, %base : i32
    %s6 = arith.addi %m6, %n6 : i32
    %m7 = arith.muli %s6, %base : i32
    %s7 = arith.addi %m7, %n7 : i32
    %m8 = arith.muli %s7, %base : i32
    %s8 = arith.addi %m8, %n8 : i32
    %m9 = arith.muli %s8, %base : i32
    %s9 = arith.addi %m9, %n9 : i32
    %m10 = arith.muli %s9, %base : i32
    %s10 = arith.addi %m10, %n10 : i32
    %m11 = arith.muli %s10, %base : i32
    %s11 = arith.addi %m11, %n11 : i32
    %m12 = arith.muli %s11, %base : i32
    %s12 = arith.addi %m12, %n12 : i32
    %m13 = arith.muli %s12, %base : i32
    %s13 = arith.addi %m13, %n13 : i32
    %m14 = arith.muli %s13, %base : i32
    %s14 = arith.addi %m14, %n14 : i32
    %t = tile.splat %s14 [64] : tensor<64xi32>
    tile.store %t, %out[%i] : tensor<64xi32>, memref<512xi32>
  }
}
