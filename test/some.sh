#!/bin/sh
# some.sh ARGUMENT...: prints the first and every fifth after it; with TILEC_FULL=1 all. Tests that do the same for many patterns or worlds
# do it for these alone, each for others.
n=0
for argument; do
  [ $((n % 5)) -ne 0 ] && [ "${TILEC_FULL:-}" != 1 ] || echo "$argument"
  n=$((n + 1))
done
