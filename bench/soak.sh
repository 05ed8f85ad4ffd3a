#!/bin/bash
# Runs examples 04 to 07 against the oracle on many worlds, seeds and every pattern that has a text of its own.
# Usage: bench/soak.sh fixed | relaunched | adversarial
#   fixed        extents that are no multiple of any tile; 10 seeds, the second five on weak memory
#   relaunched   100 launches with extents drawn at random from 1, 40, 128 and 200
#   adversarial  weak memory, race check and skewed ranks; 20 seeds of 50 launches with random extents, tiles of 16
# WORLDS, EXAMPLES (04 05 ...), SEEDS and LAUNCHES narrow it; TILEC is the compiler. Prints one line per world and
# example, every failure with the command that repeats it, and the sums last.
cd "$(dirname "$0")/.." || exit 1
tilec=${TILEC:-build/bin/tilec}
failures=0 runs=0 launches=0

# Prints the patterns of program $1 for world $2 that differ in text.
patterns() {
  local walk move shot credits pattern text seen=" "
  for walk in bulk sequential specialized; do
    for move in pull push staged; do
      for shot in "" -one-shot -two-shot; do
        for credits in "" -credits; do
          pattern=$walk-$move$shot$credits
          text=$("$tilec" "$1" --world "$2" --pattern "$pattern" --emit=hip | grep -v '^// Compile' | md5sum)
          [[ $seen == *" $text "* ]] || echo "$pattern"
          seen="$seen$text "
        done
      done
    done
  done
}

# Runs $2 seeds from seed $1 of $3 launches each; the rest are options of tilec.
try() {
  local first=$1 count=$2 each=$3 output
  shift 3
  if ! output=$("$tilec" run "$@" --shuffle --seed "$first" --seeds "$count" --launches "$each" 2>&1); then
    failures=$((failures + 1))
    echo "FAIL $*"
    grep -v '^rank\|^seed' <<<"$output" | head -n 20
  fi
  runs=$((runs + count))
  launches=$((launches + count * each))
}

for world in ${WORLDS:-1 2 3 4 5 8}; do
  for example in ${EXAMPLES:-04 05 06 07}; do
    program=$(echo examples/"$example"_*/*.mlir)
    list=$(patterns "$program" "$world")
    SECONDS=0
    for pattern in $list; do
      common=("$program" --world "$world" --pattern "$pattern")
      case $1 in
      fixed)
        half=$((${SEEDS:-10} / 2))
        try 1 $half "${LAUNCHES:-1}" "${common[@]}" --extent M=200,N=136,K=72 --memory strong
        try $((half + 1)) $half "${LAUNCHES:-1}" "${common[@]}" --extent M=200,N=136,K=72 --memory weak
        ;;
      relaunched) try 11 "${SEEDS:-1}" "${LAUNCHES:-100}" "${common[@]}" --extents-from 1,40,128,200 ;;
      adversarial)
        try 1 "${SEEDS:-20}" "${LAUNCHES:-50}" "${common[@]}" --extents-from 1,7,20 --param BM=16 --param BN=16 --param BK=16 \
          --memory weak --race --skewed
        ;;
      *) echo "usage: bench/soak.sh fixed | relaunched | adversarial" >&2; exit 1 ;;
      esac
    done
    echo "world $world, example $example: $(wc -w <<<"$list") patterns, ${SECONDS} s"
  done
done
echo "$1: $runs runs, $launches launches, $failures failures"
[ "$failures" = 0 ]
