#!/bin/sh
# A kit of examples 01, 02 and 04 to 07 for several GPUs, the latter as chosen and in every pattern with a text of its own: ranks.sh FOLDER [WORLD].
# There, `sh FOLDER/run --relaunches 1000 --late 200` builds and runs all of them, a process for each rank (docs/device.md). TILEC names the command.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:?a folder} world=${2:-2}
tilec=${TILEC:-$root/build/bin/tilec}

# The patterns of a program whose texts differ.
patterns() {
  seen=" "
  for walk in bulk sequential specialized; do
    for move in pull push staged; do
      for shot in "" -one-shot -two-shot; do
        for credits in "" -credits; do
          pattern=$walk-$move$shot$credits
          text=$("$tilec" "$1" --target sm_90a --world "$world" --pattern "$pattern" --no-verify --emit=hip | grep -v '^// Compile' | cksum)
          case $seen in
          *" $text "*) ;;
          *) echo "$pattern" ;;
          esac
          seen="$seen$text "
        done
      done
    done
  done
}

prepare() {
  "$tilec" run "$@" --world "$world" --prepare "$folder" >"$folder.log" 2>&1 || {
    cat "$folder.log"
    echo "ranks.sh: $* is not prepared" >&2
    exit 1
  }
}

for program in "$root"/examples/01_*/*.mlir "$root"/examples/02_*/*.mlir; do
  prepare "$program"
done
for program in "$root"/examples/04_*/*.mlir "$root"/examples/05_*/*.mlir "$root"/examples/06_*/*.mlir "$root"/examples/07_*/*.mlir; do
  prepare "$program" --launches 6 --extents-from 1,7,40,200,333
  for pattern in $(patterns "$program"); do
    prepare "$program" --launches 6 --extents-from 1,7,40,200,333 --pattern "$pattern"
  done
done
rm -f "$folder.log"
ls "$folder/programs"
