#!/bin/bash
# Compiles every pattern that has a text of its own and counts the registers that spill. On sm_90a a product that ptxas
# could not keep asynchronous counts too.
# WORLDS (8), EXAMPLES (00 to 07) and TARGETS (gfx942 gfx950; sm_90a takes nvcc) narrow it; TILEC, TILEC_CLANG and
# TILEC_NVCC are the compilers. Prints each text that spills, and the sums last; fails when one does.
cd "$(dirname "$0")/.." || exit 1
tilec=${TILEC:-build/bin/tilec} clang=${TILEC_CLANG:-clang-22}
nvcc=${TILEC_NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
texts=0 spilling=0 seen=" "
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# What spills in the text, in words of the compiler for target $1.
spills_of() {
  if [[ $1 == sm_* ]]; then
    "$nvcc" -x cu -std=c++20 -O3 --expt-relaxed-constexpr -prec-div=false -gencode="arch=compute_${1#sm_},code=$1" -Iruntime/include \
      -Iruntime/include/tilec-nvidia -Xptxas -v -c -o "$folder/text.o" "$folder/text.hip" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; return 1; }
    grep -oE '[1-9][0-9]* bytes spill (stores|loads)|\(C75[0-9][0-9]\)[^.]*' "$folder/log" | tr '\n' ' '
    return 0
  fi
  "$clang" -x hip --cuda-device-only -nogpuinc -nogpulib -O3 -std=c++20 --offload-arch="$1" -Itest/isa/include \
    -Iruntime/include -S -o "$folder/text.s" "$folder/text.hip" || return 1
  grep -E '\.(sgpr_spill_count|vgpr_spill_count|private_segment_fixed_size): *[1-9]' "$folder/text.s" | tr -s ' \n' ' '
}

# Counts the spills of pattern $4 of program $1 for world $2 on target $3.
count() {
  local hash spills
  "$tilec" "$1" --world "$2" --target "$3" ${4:+--pattern "$4"} --no-verify --emit=hip >"$folder/text.hip" || exit 1
  hash=$3-$(grep -v '^// Compile' "$folder/text.hip" | md5sum | cut -c 1-32)
  [[ $seen == *" $hash "* ]] && return
  seen="$seen$hash "
  spills=$(spills_of "$3") || exit 1
  texts=$((texts + 1))
  if [[ -n $spills ]]; then
    spilling=$((spilling + 1))
    echo "$1 world $2 $3 ${4:-default}:$spills"
  fi
}

for target in ${TARGETS:-gfx942 gfx950}; do
  for world in ${WORLDS:-8}; do
    for example in ${EXAMPLES:-00 01 02 03 04 05 06 07}; do
      program=$(echo examples/"$example"_*/*.mlir)
      count "$program" "$world" "$target" ""
      [[ $example < 04 ]] && continue
      for walk in bulk sequential specialized; do
        for move in pull push staged; do
          for shot in "" -one-shot -two-shot; do
            for credits in "" -credits; do
              count "$program" "$world" "$target" "$walk-$move$shot$credits"
            done
          done
        done
      done
    done
  done
done
echo "$texts texts, $spilling spill"
[ "$spilling" = 0 ]
