#!/bin/sh
# Processor time (user + system) of `tilec`, verification included, in milliseconds:
#   - every program of examples, test/run and test/run/workloads, for each target;
#   - the examples beside what clang takes for their text (-O3, device code alone);
#   - a chain of 50, 100, 200 and 400 statements, each with a buffer of its own, and all between two;
#   - a chain of 50, 100, 200 and 400 whose statements read what other ranks have written, on 4 ranks;
#   - a stack of 5, 10, 20 and 40 products with an all-reduce each, on 4 ranks;
#   - 10, 20, 40 and 80 sums over the ranks in one buffer, on 4 ranks.
# Programs without a world of their own get 4 ranks, examples 8. Exits 1 when a program takes a second or more, one of examples 00
# to 07 more than a tenth of clang's time, or twice the statements more than three times as long, and when an example, a workload or
# one of these chains does not compile. Of test/run/coverage templates are refused, and of test/run/symptoms what is to be.
#   bench/compile_time.sh [path of tilec] [program.mlir ...]
# TIMES=n: the best of n runs (3). TARGETS: the targets (gfx942 gfx950). CLANG: clang++ (clang++-22).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
tilec=${1:-$root/build/bin/tilec}
[ $# -eq 0 ] || shift
clang=${CLANG:-clang++-22}
targets=${TARGETS:-gfx942 gfx950}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=$work/failed

# Milliseconds of a command, the best of some runs; nothing when it fails.
milliseconds() {
  bash -c 'TIMEFORMAT="%U %S"; for ((i = 0; i < $1; ++i)); do { time "${@:2}" >/dev/null 2>&1; } 2>&1 || echo refused; done' \
    time "${TIMES:-3}" "$@" |
    awk 'BEGIN { best = 1e9 } /refused/ { exit } { ms = 1000 * ($1 + $2); if (ms < best) best = ms }
      END { if (!/refused/) printf "%.0f", best }'
}

# Milliseconds of tilec: of a program for a target, with options. A program that says its world gets no other.
compile() {
  program=$1 target=$2 world=$3
  shift 3
  grep -qE '^[^/]*\) world [0-9]' "$program" || set -- --world "$world" "$@"
  milliseconds "$tilec" "$program" --target "$target" -o "$work" "$@"
}

report() {
  name=$1 ms=$2 limit=$3
  printf '%-64s %8s' "$name" "${ms:-refused}"
  case $ms$name in
  run/coverage/* | run/symptoms/*) ;;
  [0-9]*) ;;
  *)
    printf '  expected to compile'
    touch "$failed"
    ;;
  esac
  if [ -n "$ms" ] && [ "$ms" -ge "$limit" ]; then
    printf '  expected less than %s' "$limit"
    touch "$failed"
  fi
  printf '\n'
}

# Each program of a file that holds several, for `split-file`, in a file of its own.
split() {
  # What a whole file uses lies beside it.
  grep -q '^//---' "$1" || { echo "$1" && return; }
  folder=$work/$(basename "$1" .mlir)
  mkdir -p "$folder"
  awk -v folder="$folder" '/^\/\/---/ { file = folder "/" $2; next } file { print > file }' "$1"
  for part in "$folder"/*.mlir; do echo "$part"; done
}

# A chain: each statement reads what the one before has written, to one of so many buffers.
chain() {
  awk -v n="$1" -v buffers="${2:-$1}" 'BEGIN {
    type = "memref<?x64xf32>"
    print "tile.program @chain<%M>(%a: " type ", %c: " type ") extents [%a: %M, 64] [%c: %M, 64] {"
    for (i = 0; i < buffers; ++i) print "  %t" i " = tile.alloc [%M, 64] : " type
    for (i = 1; i <= n; ++i) {
      from = i == 1 ? "%a" : "%t" (i - 1) % buffers; to = i == n ? "%c" : "%t" i % buffers
      print "  tile.forall (%m, %n) over " to " tiles [16, 64] : " type " {"
      print "    %x = tile.load " from "[%m, %n] tile [16, 64] : " type " -> tensor<16x64xf32>"
      print "    %y = arith.addf %x, %x : tensor<16x64xf32>"
      print "    tile.store %y, " to "[%m, %n] : tensor<16x64xf32>, " type
      print "  }"
    }
    print "}" }'
}

# A chain in which each statement reads from the next rank what that has written with the one before, between two buffers.
exchanges() {
  awk -v n="$1" 'BEGIN {
    type = "memref<?xf32, #tile.symmetric>"
    print "tile.program @exchanges<%M>(%a: " type ", %b: " type ") extents [%a: %M] [%b: %M] {"
    print "  %rank = tile.rank\n  %world = tile.world_size\n  %one = arith.constant 1 : index"
    print "  %following = arith.addi %rank, %one : index\n  %next = arith.remui %following, %world : index"
    for (i = 1; i <= n; ++i) {
      from = i % 2 ? "%a" : "%b"; to = i % 2 ? "%b" : "%a"
      print "  tile.forall (%i) in [%M ceildiv 64] {"
      print "    %x = tile.load " from "[%i] tile [64] from %next : " type " -> tensor<64xf32>"
      print "    %y = arith.addf %x, %x : tensor<64xf32>"
      print "    tile.store %y, " to "[%i] : tensor<64xf32>, " type
      print "  }"
    }
    print "}" }'
}

# Products whose results are added up over the ranks, one behind the other.
stack() {
  awk -v n="$1" 'BEGIN {
    type = "memref<?x?xbf16>"
    print "tile.program @stack<%M, %N>(%a: " type ", %w: " type ", %c: " type ") extents [%a: %M, %N] [%w: %N, %N] [%c: %M, %N] {"
    for (i = 1; i <= n; ++i) print "  %p" i " = tile.alloc [%M, %N] : " type "\n  %t" i " = tile.alloc [%M, %N] : " type
    for (i = 1; i <= n; ++i) {
      from = i == 1 ? "%a" : "%t" (i - 1); to = i == n ? "%c" : "%t" i
      print "  tile.matmul " from ", transpose %w into %p" i " : " type ", " type ", " type
      print "  tile.all_reduce %p" i " into " to " : " type ", " type
    }
    print "}" }'
}

# Sums over the ranks, all in one buffer.
sums() {
  awk -v n="$1" 'BEGIN {
    type = "memref<?x64xf32, #tile.symmetric>"
    print "tile.program @sums<%M>(%x: " type ") extents [%x: %M, 64] {"
    for (i = 1; i <= n; ++i) print "  tile.all_reduce %x into %x : " type ", " type
    print "}" }'
}

# growth NAME WORLD COUNT... -- COMMAND...: the program that the command prints for each count, each twice the one before, compiled with $options.
growth() {
  growing=$1 world=$2 before=
  shift 2
  counts=
  while [ "$1" != -- ]; do counts="$counts $1"; shift; done
  shift
  for count in $counts; do
    "$1" "$count" ${2:+"$2"} >"$work/growing.mlir"
    # shellcheck disable=SC2086
    ms=$(compile "$work/growing.mlir" gfx942 "$world" ${options:-})
    report "$growing of $count" "$ms" $((3 * ${before:-1000}))
    before=$ms
  done
}

for file in "$@"; do
  for target in $targets; do report "$(basename "$file") $target" "$(compile "$file" "$target" 4)" 1000; done
done
[ $# -eq 0 ] || { [ ! -e "$failed" ]; exit; }

printf '%-64s %8s\n' "program" "ms"
for target in $targets; do
  for program in "$root"/examples/[0-9]*/*.mlir; do
    name=$(basename "$program" .mlir)
    own=$(milliseconds "$clang" -std=c++20 -O3 -x hip --cuda-device-only "--offload-arch=$target" -nogpulib -nogpuinc \
      -I"$root/test/isa/include" -I"$root/runtime/include" -c "$(dirname "$program")/$name.hip" -o "$work/device.o")
    case $program in
    */examples/0[0-7]*) limit=$((${own:-10000} / 10 + 1)) ;;
    *) limit=1000 ;;
    esac
    report "examples/$name $target (clang ${own:-failed})" "$(compile "$program" "$target" 8)" "$limit"
  done
  for program in "$root"/test/run/workloads/*.mlir "$root"/test/run/coverage/*.mlir "$root"/test/run/symptoms/*.mlir; do
    [ -e "$program" ] || continue
    for part in $(split "$program"); do
      report "${program#"$root"/test/} $(basename "$part" .mlir) $target" "$(compile "$part" "$target" 4)" 1000
    done
  done
done
for pattern in bulk sequential-pull sequential-push sequential-staged specialized-push; do
  for example in 04_all_gather_matmul 05_matmul_all_scatter 06_matmul_reduce_scatter 07_matmul_all_reduce; do
    report "${example#*_} $pattern" \
      "$(compile "$root/examples/$example/${example#*_}.mlir" gfx942 8 --pattern $pattern)" 1000
  done
done
growth "chain of statements" 2 50 100 200 400 -- chain
growth "chain of statements between two buffers" 2 50 100 200 400 -- chain 2
growth "chain of statements that exchange two buffers" 4 50 100 200 400 -- exchanges
growth "stack of products and all-reduces" 4 5 10 20 40 -- stack
growth "sums in one buffer" 4 10 20 40 80 -- sums
for pattern in sequential-pull sequential-push sequential-push-two-shot; do
  options="--pattern $pattern" growth "sums in one buffer, $pattern" 4 10 20 40 80 -- sums
done
[ ! -e "$failed" ]
