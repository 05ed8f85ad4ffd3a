// RUN: tilec-opt %s --split-input-file --verify-diagnostics

tile.program @handshake() world 2 {
  // expected-error @below {{is 'by_chiplet' and a 'handshake', expected one of these: all tasks of a statement of this rank are waited for}}
  %done = tile.signals [W] handshake done by_chiplet : !tile.signals<1>
}

// -----

tile.program @counted() world 2 {
  // expected-error @below {{is 'by_chiplet' and 'counted', expected one of these: all tasks of a statement of this rank are waited for}}
  %done = tile.signals [W] counted by_chiplet : !tile.signals<1>
}

// -----

tile.program @wide() world 2 {
  %rank = tile.rank
  %done = tile.signals [2] by_chiplet : !tile.signals<1>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [2] {
        // expected-error @below {{counts by chiplet, expected a signal at scope 'agent' of each task to its own rank, 'tile.rank', in no loop or branch}}
        tile.signal system %done[%i] to %rank : !tile.signals<1>
      }
    }
  }
}

// -----

tile.program @in_a_branch() world 2 {
  %rank = tile.rank
  %zero = arith.constant 0 : index
  %done = tile.signals [2] by_chiplet : !tile.signals<1>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [2] {
        %first = arith.cmpi eq, %i, %zero : index
        scf.if %first {
          // expected-error @below {{counts by chiplet, expected a signal at scope 'agent' of each task to its own rank, 'tile.rank', in no loop or branch}}
          tile.signal agent %done[%i] to %rank : !tile.signals<1>
        }
      }
    }
  }
}

// -----

tile.program @late() world 2 {
  %zero = arith.constant 0 : index
  %done = tile.signals [2] by_chiplet : !tile.signals<1>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [2] {
        // expected-error @below {{is for tasks that count by chiplet, expected scope 'agent' and no 'lag'}}
        %t = tile.wait agent %done[%zero] lag 1 : !tile.signals<1>
      }
    }
  }
}
