// Scalars that decide who waits and signals have the values that the text gives them: those of their types' widths.
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize,tile-verify))' --split-input-file --verify-diagnostics

// Not a false condition: a set i1 is 1 in a constant as in a comparison.
tile.program @negated() world 2 {
  // expected-note @below {{the grid is declared here}}
  %sent = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %true = arith.constant true
  %rank = tile.rank
  %first = arith.cmpi eq, %rank, %zero : index
  %other = arith.xori %first, %true : i1
  tile.kernel @k {
    tile.role @send {
      tile.forall (%i) in [1] {
        scf.if %other {
          tile.signal system %sent[%i] to %rank : !tile.signals<1>
        }
      }
    }
    tile.role @receive {
      tile.forall (%i) in [1] {
        // expected-error @below {{waits for [0] of rank 0, which nothing raises}}
        %arrived = tile.wait system %sent[%i] : !tile.signals<1>
      }
    }
  }
}

// -----

// A rank that skips the wait reads what has not arrived.
tile.program @skipped(%a: memref<64xf32>, %b: memref<64xf32>) world 2 {
  %inbox = tile.alloc [64] {copies = 2} : memref<64xf32, #tile.symmetric>
  %sent = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %true = arith.constant true
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  %first = arith.cmpi eq, %rank, %zero : index
  %other = arith.xori %first, %true : i1
  tile.kernel @k {
    tile.role @send {
      tile.forall (%i) in [1] {
        %t = tile.load %a[%i] tile [64] : memref<64xf32> -> tensor<64xf32>
        // expected-note @below {{the write is here}}
        // expected-error @below {{data race: write of element [0] of a buffer on rank 1}}
        %stored = tile.store %t, %inbox[%i] to %peer : tensor<64xf32>, memref<64xf32, #tile.symmetric> -> !tile.token
        // expected-note @below {{the signal is here}}
        tile.signal system %sent[%i] to %peer publishes %stored : !tile.signals<1>
      }
    }
    tile.role @receive {
      tile.forall (%i) in [1] {
        %none = tile.join()
        %arrived = scf.if %other -> !tile.token {
          %w = tile.wait system %sent[%i] : !tile.signals<1>
          scf.yield %w : !tile.token
        } else {
          scf.yield %none : !tile.token
        }
        // expected-note @below {{the read is here}}
        // expected-error @below {{data race: read of element [0] of a buffer on rank 0, by task (0) of role @receive on rank 0}}
        %t = tile.load %inbox[%i] tile [64] after %arrived : memref<64xf32, #tile.symmetric> -> tensor<64xf32>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<64xf32>
      }
    }
  }
}

// -----

// The rank before the first is none, but nobody asks it.
tile.program @guarded() world 3 {
  %sent = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %true = arith.constant true
  %rank = tile.rank
  %previous = arith.subi %rank, %one : index
  %first = arith.cmpi eq, %rank, %zero : index
  %other = arith.xori %first, %true : i1
  tile.kernel @k {
    tile.role @send {
      tile.forall (%i) in [1] {
        scf.if %other {
          tile.signal system %sent[%i] to %previous : !tile.signals<1>
        }
      }
    }
  }
}

// -----

// Each line of %wrong compares a value with one that needs no narrow type; signal 1 does not exist.
tile.program @widths() world 4 {
  %sent = tile.signals [1] : !tile.signals<1>
  %rank = tile.rank
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %minus = arith.constant -1 : index
  %true = arith.constant true
  %false = arith.constant false
  %first = arith.cmpi eq, %rank, %zero : index
  %high = arith.cmpi sge, %rank, %two : index
  %odd_index = arith.remsi %rank, %two : index
  %odd = arith.cmpi ne, %odd_index, %zero : index
  // 126, 127, -128, -127.
  %near = arith.constant 126 : i8
  %zero8 = arith.constant 0 : i8
  %rank8 = arith.index_cast %rank : index to i8
  %x = arith.addi %rank8, %near : i8
  %negative = arith.cmpi slt, %x, %zero8 : i8
  %wrong0 = arith.xori %negative, %high : i1
  %above = arith.cmpi ugt, %x, %near : i8
  %any = arith.cmpi ne, %rank, %zero : index
  %wrong1 = arith.xori %above, %any : i1
  %seven = arith.constant 7 : i8
  %top = arith.shrui %x, %seven : i8
  %isTop = arith.trunci %top : i8 to i1
  %wrong2 = arith.xori %isTop, %high : i1
  %half = arith.constant 64 : i8
  %quotient = arith.divui %x, %half : i8
  %isTwo = arith.cmpi sgt, %quotient, %top : i8
  %wrong3 = arith.xori %isTwo, %true : i1
  %wide = arith.extui %x : i8 to i32
  %zero32 = arith.constant 0 : i32
  %wrong4 = arith.cmpi slt, %wide, %zero32 : i32
  %wideIndex = arith.index_castui %x : i8 to index
  %wrong5 = arith.cmpi slt, %wideIndex, %zero : index
  // A set i1 is -1 as a signed number.
  %extended = arith.extsi %first : i1 to i32
  %below = arith.cmpi slt, %extended, %zero32 : i32
  %wrong6 = arith.xori %below, %first : i1
  %asIndex = arith.index_cast %first : i1 to index
  %isMinus = arith.cmpi eq, %asIndex, %minus : index
  %wrong7 = arith.xori %isMinus, %first : i1
  %less = arith.cmpi sgt, %odd, %first : i1
  %wrong8 = arith.cmpi ne, %less, %first : i1
  %sum = arith.addi %first, %true : i1
  %wrong9 = arith.xori %sum, %any : i1
  %r32 = arith.index_cast %rank : index to i32
  %two32 = arith.constant 2 : i32
  %more = arith.addi %r32, %two32 : i32
  %bit = arith.trunci %more : i32 to i1
  %wrong10 = arith.xori %bit, %odd : i1
  %less2 = arith.subi %r32, %two32 : i32
  %long = arith.extui %less2 : i32 to i64
  %zero64 = arith.constant 0 : i64
  %wrong11 = arith.cmpi slt, %long, %zero64 : i64
  %same = arith.cmpi eq, %any, %false : i1
  %wrong12 = arith.xori %same, %first : i1
  tile.kernel @k {
    tile.role @send {
      tile.forall (%i) in [1] {
        %one = arith.index_castui %wrong0 : i1 to index
        tile.signal system %sent[%one] to %rank : !tile.signals<1>
      }
    }
    tile.role @each {
      tile.forall (%i) in [1] {
        %o1 = arith.ori %wrong1, %wrong2 : i1
        %o2 = arith.ori %wrong3, %wrong4 : i1
        %o3 = arith.ori %wrong5, %wrong6 : i1
        %o4 = arith.ori %wrong7, %wrong8 : i1
        %o5 = arith.ori %wrong9, %wrong10 : i1
        %o6 = arith.ori %wrong11, %wrong12 : i1
        %o7 = arith.ori %o1, %o2 : i1
        %o8 = arith.ori %o3, %o4 : i1
        %o9 = arith.ori %o5, %o6 : i1
        %o10 = arith.ori %o7, %o8 : i1
        %o11 = arith.ori %o9, %o10 : i1
        %one = arith.index_castui %o11 : i1 to index
        %w = tile.wait system %sent[%one] : !tile.signals<1>
      }
    }
  }
}

// -----

// An index is an int of the text.
tile.program @index_beyond_int(%a: memref<64xf32>) world 2 {
  %million = arith.constant 1000000 : index
  %rank = tile.rank
  tile.kernel @k {
    tile.role @read {
      tile.forall (%i) in [1] {
        %far = arith.addi %rank, %million : index
        // expected-error @below {{computes 1000000000000, in task (0) of role @read on rank 0: expected a value of 32 bits, in which the text computes it}}
        %product = arith.muli %far, %far : index
        %zero = arith.constant 0 : index
        %holds = arith.cmpi sgt, %product, %zero : index
        scf.if %holds {
          %t = tile.load %a[%i] tile [64] : memref<64xf32> -> tensor<64xf32>
        }
      }
    }
  }
}

// -----

// An i32 wraps, in the text as well: rank 1 waits for what it has signalled.
tile.program @i32_wraps() world 2 {
  %s = tile.signals [1] : !tile.signals<1>
  %z = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %rank = tile.rank
  %r = arith.index_cast %rank : index to i32
  %large = arith.constant 2147483647 : i32
  %sum = arith.addi %r, %large : i32
  %wrapped = arith.cmpi slt, %sum, %zero : i32
  tile.kernel @k {
    tile.role @first first {
      scf.if %wrapped {
        tile.signal agent %s[%z] to %rank : !tile.signals<1>
      }
    }
    tile.role @wait {
      scf.if %wrapped {
        %w = tile.wait agent %s[%z] : !tile.signals<1>
      }
    }
    tile.role @nothing {
    }
  }
}

// -----

tile.program @constant_beyond_int() world 1 {
  // expected-error @below {{computes 3000000000: expected a value of 32 bits, in which the text computes it}}
  %large = arith.constant 3000000000 : index
  tile.kernel @k {
    tile.role @nothing {
    }
  }
}

// -----

tile.program @extent_beyond_int_on_the_way<%M>(%a: memref<?xf32>) world 1 extents [%a: %M] {
  // expected-error @below {{computes 20000000200: expected a value of 32 bits, in which the text computes it}}
  %small = tile.extent [(%M * 100000000 + %M mod 7) floordiv 200000000]
  tile.kernel @k {
    tile.role @nothing {
    }
  }
}

// -----

tile.program @extent_beyond_int<%M>(%a: memref<?xf32>) world 1 extents [%a: %M] {
  // expected-error @below {{computes 20000000000: expected a value of 32 bits, in which the text computes it}}
  %large = tile.extent [%M * 100000000]
  tile.kernel @k {
    tile.role @nothing {
    }
  }
}

// -----

// The text would take what is zero-extended for a negative number.
tile.program @cast_beyond_int() world 2 {
  %rank = tile.rank
  %r = arith.index_cast %rank : index to i32
  %one = arith.constant 1 : i32
  %before = arith.subi %r, %one : i32
  // expected-error @below {{computes 4294967295: expected a value of 32 bits, in which the text computes it}}
  %index = arith.index_castui %before : i32 to index
  tile.kernel @k {
    tile.role @nothing {
    }
  }
}

// -----

// The text's loop would not end.
tile.program @loop_beyond_int() world 1 {
  %zero = arith.constant 0 : index
  %end = arith.constant 2147483647 : index
  %step = arith.constant 1073741824 : index
  tile.kernel @k {
    tile.role @loop {
      // expected-error @below {{computes 2147483648, in role @loop on rank 0: expected a value of 32 bits, in which the text computes it}}
      scf.for %i = %zero to %end step %step {
      }
    }
  }
}

// -----

// 64 bits are an index's only where they are cast to one; narrower integers wrap, as in the text.
tile.program @wide_enough() world 2 {
  %rank = tile.rank
  %long = arith.index_cast %rank : index to i64
  %large = arith.constant 3000000000 : i64
  %product = arith.muli %long, %large : i64
  %c = arith.constant 100 : i8
  %r = arith.index_cast %rank : index to i8
  %product8 = arith.muli %r, %c : i8
  %sum8 = arith.addi %product8, %c : i8
  tile.kernel @k {
    tile.role @nothing {
    }
  }
}
