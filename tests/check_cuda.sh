#!/bin/sh
# The module for NVIDIA's cards: nvcc compiles it for sm_80 and sm_90, it can be loaded, and says what it finds; where there
# is no nvcc, that. Usage: tests/check_cuda.sh CMAKE BUILD PROGRAM NVCC
set -eu
build=$2
program=$3
[ -n "${4:-}" ] || {
    echo "skipped: no nvcc: the module for NVIDIA's cards is not compiled"
    exit 77
}
"$1" --build "$build" --target isoglot_cuda >"$build/check_cuda.log" 2>&1 || {
    cat "$build/check_cuda.log"
    exit 1
}
module=$build/libisoglot-cuda.so
dump=$(dirname "$4")/cuobjdump
if [ -x "$dump" ]; then
    for arch in 80 90; do
        "$dump" --list-elf "$module" | grep -q "sm_$arch" || {
            echo "$module has no code for sm_$arch"
            exit 1
        }
    done
fi
found=$(ISOGLOT_CUDA_MODULE=$module "$program" info | sed -n 's/^gpu *//p')
case $found in
"none: no module"* | "none: the module"* | "")
    echo "the module cannot be loaded: $found"
    exit 1
    ;;
"none: card 0: "*) echo "compiled; no card: $found" ;;
*) echo "compiled; $found" ;;
esac
