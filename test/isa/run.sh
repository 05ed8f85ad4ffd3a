#!/bin/bash
# Runs the RUN lines of instruction tests without lit: run.sh [file...], all files below this folder by default.
# %hip-isa compiles device code to assembly without ROCm; %s is the file. Prints a line per file, fails if any fails.
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
clang=${TILEC_CLANG:-clang-22}
filecheck=${TILEC_FILECHECK:-FileCheck-22}
compile="$clang -x hip --cuda-device-only -nogpuinc -nogpulib -O3 -std=c++20 -Wall -I$here/include -I$root/runtime/include -S -o -"
failed=0
[ $# -gt 0 ] || set -- $(find "$here" -name '*.hip' | sort)
for file in "$@"; do
  lines=$(sed -n 's,^// RUN: ,,p' "$file")
  [ -n "$lines" ] || { echo "FAIL $file: no RUN line"; failed=1; continue; }
  if printf '%s\n' "$lines" | sed "s,%hip-isa,$compile,g; s,FileCheck,$filecheck,g; s,%s,$file,g" | bash -e -o pipefail; then
    echo "ok   $file"
  else
    echo "FAIL $file"
    failed=1
  fi
done
exit $failed
