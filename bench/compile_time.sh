#!/bin/sh
# Process time of `tilec`, verification included: every example, and the patterns of the collective ones. Best of 5,
# user + system, in milliseconds; exits 1 when one takes 150 ms or more.
#   bench/compile_time.sh [path of tilec]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
tilec=${1:-$root/build/bin/tilec}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export TIMEFORMAT='%U %S'
slow=0
measure() {
  name=$1
  shift
  best=$(bash -c 'for i in 1 2 3 4 5; do { time "$@" >/dev/null 2>"$0"; } 2>&1 || exit 1; done' "$out/said" "$tilec" "$@" \
    -o "$out" | awk 'BEGIN { best = 1e9 } { ms = 1000 * ($1 + $2); if (ms < best) best = ms } END { printf "%.0f", best }')
  "$tilec" "$@" -o "$out" >/dev/null 2>"$out/said" || best="not accepted: $(head -1 "$out/said" | sed 's/.*error: //')"
  printf '%-58s %s\n' "$name" "$best"
  case $best in [0-9]*) [ "$best" -lt 150 ] || slow=1 ;; esac
}
printf '%-58s %s\n' "program" "ms"
for program in "$root"/examples/*/*.mlir; do
  measure "$(basename "$program" .mlir)" "$program" --world 8
done
for example in 04_all_gather_matmul 05_matmul_all_scatter 06_matmul_reduce_scatter 07_matmul_all_reduce; do
  for pattern in bulk sequential-pull sequential-push sequential-staged specialized-push; do
    measure "${example#*_} $pattern" "$root/examples/$example/${example#*_}.mlir" --world 8 --pattern $pattern
  done
done
exit $slow
