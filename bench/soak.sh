#!/bin/bash
# Runs examples 04 to 07 on many worlds, patterns and seeds against the oracle; prints failures and their number.
# Usage: bench/soak.sh [tilec]. WORLDS, PATTERNS and SEEDS narrow it; ARGS goes to every run.
cd "$(dirname "$0")/.." || exit 1
tilec=${1:-build/bin/tilec}
failures=0 runs=0
for world in ${WORLDS:-1 2 3 4 5 8}; do
  for example in examples/0[4567]*/*.mlir; do
    for pattern in ${PATTERNS:-bulk-pull bulk-push sequential-pull sequential-push sequential-staged specialized-push \
                   specialized-staged specialized-pull sequential-push-two-shot sequential-pull-two-shot bulk-push-two-shot}; do
      case $example$pattern in examples/0[456]*two-shot) continue ;; esac
      for seed in ${SEEDS:-1 2 3 4 5 6 7 8 9 10}; do
        memory=strong
        [ $((seed % 2)) = 0 ] && memory=weak
        runs=$((runs + 1))
        if ! output=$("$tilec" run "$example" --world "$world" --pattern "$pattern" --shuffle --seed "$seed" --memory "$memory" \
             ${ARGS:---extent M=200,N=136,K=72} 2>&1); then
          failures=$((failures + 1))
          echo "FAIL $example --world $world --pattern $pattern --seed $seed --memory $memory: $(head -n 1 <<<"$output")"
        fi
      done
    done
  done
done
echo "$runs runs, $failures failures"
[ "$failures" = 0 ]
