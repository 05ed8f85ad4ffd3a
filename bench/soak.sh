#!/bin/bash
# Runs examples 04 to 07 against the oracle on many worlds, seeds and every pattern that has a text of its own.
# Usage: bench/soak.sh fixed | relaunched | adversarial
#   fixed        extents that are no multiple of any tile; 10 seeds, the second five on weak memory
#   relaunched   100 launches with extents drawn at random from 1, 40, 128 and 200
#   adversarial  weak memory, race check and skewed ranks; 20 seeds of 50 launches with random extents, tiles of 16
# WORLDS, EXAMPLES (04 05 ...), SEEDS and LAUNCHES narrow it; TILEC is the compiler. Prints one line per world and
# example, every failure with the command that repeats it, and the sums last. LEDGER names a file that remembers what
# passed by its text, the device headers and the numbers of seeds and launches: a run that is in it is not repeated.
cd "$(dirname "$0")/.." || exit 1
tilec=${TILEC:-build/bin/tilec}
failures=0 runs=0 launches=0 known=0
ledger=${LEDGER:-/dev/null}
[[ -e $ledger ]] || : >"$ledger"
headers=$(find runtime/include/tilec -name "*.h" ! -name host.h | sort | xargs cat | md5sum | cut -c 1-8)

# The options of a run in mode $1 but for its seeds.
options() {
  case $1 in
  fixed) echo --extent M=200,N=136,K=72 ;;
  relaunched) echo --extents-from 1,40,128,200 ;;
  adversarial)
    echo --extents-from 1,7,20 --param BM=16 --param BN=16 --param BK=16 --memory weak --race --skewed
    ;;
  *) echo "usage: bench/soak.sh fixed | relaunched | adversarial" >&2; exit 1 ;;
  esac
}

# Prints the patterns of program $1 for world $2 that differ in text, and the text's hash.
patterns() {
  local walk move shot credits pattern text seen=" " tiles=()
  [[ $3 == adversarial ]] && tiles=(--param BM=16 --param BN=16 --param BK=16)
  for walk in bulk sequential specialized; do
    for move in pull push staged; do
      for shot in "" -one-shot -two-shot; do
        for credits in "" -credits; do
          pattern=$walk-$move$shot$credits
          text=$("$tilec" "$1" --world "$2" --pattern "$pattern" "${tiles[@]}" --no-verify --emit=hip | grep -v '^// Compile' | md5sum | cut -c 1-32)
          [[ $seen == *" $text "* ]] || echo "$pattern:$text"
          seen="$seen$text "
        done
      done
    done
  done
}

# Runs $2 seeds from seed $1 of $3 launches each; the rest are options of tilec.
try() {
  local first=$1 count=$2 each=$3 output key
  key="$mode $text $headers world $world seeds $1 + $2 of $3"
  shift 3
  runs=$((runs + count))
  launches=$((launches + count * each))
  if grep -qxF "$key" "$ledger"; then
    known=$((known + count))
  elif output=$("$tilec" run "$@" --shuffle --seed "$first" --seeds "$count" --launches "$each" 2>&1); then
    echo "$key" >>"$ledger"
  else
    failures=$((failures + 1))
    echo "FAIL $* --shuffle --seed $first --seeds $count --launches $each"
    grep -v '^rank\|^seed' <<<"$output" | head -n 20
  fi
}

mode=$1
read -ra shared < <(options "$mode")
[[ ${#shared[@]} -gt 0 ]] || exit 1
for world in ${WORLDS:-1 2 3 4 5 8}; do
  for example in ${EXAMPLES:-04 05 06 07}; do
    program=$(echo examples/"$example"_*/*.mlir)
    list=$(patterns "$program" "$world" "$mode")
    SECONDS=0
    for entry in $list; do
      text=${entry#*:}
      common=("$program" --world "$world" --pattern "${entry%:*}" "${shared[@]}")
      case $mode in
      fixed)
        half=$((${SEEDS:-10} / 2))
        try 1 $half "${LAUNCHES:-1}" "${common[@]}" --memory strong
        try $((half + 1)) $half "${LAUNCHES:-1}" "${common[@]}" --memory weak
        ;;
      relaunched) try 11 "${SEEDS:-1}" "${LAUNCHES:-100}" "${common[@]}" ;;
      adversarial) try 1 "${SEEDS:-20}" "${LAUNCHES:-50}" "${common[@]}" ;;
      esac
    done
    echo "world $world, example $example: $(wc -w <<<"$list") patterns, ${SECONDS} s"
  done
done
echo "$mode: $runs runs, $launches launches, $failures failures; $known of the runs were known from the ledger"
[ "$failures" = 0 ]
