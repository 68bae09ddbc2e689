#!/bin/sh
# Whether the program still makes the bits of the list that was recorded for these kernels (README.md in this folder).
#   check.sh PROGRAM [KERNELS]      exit 77: no list holds on this machine
set -eu
here=$(cd "$(dirname "$0")" && pwd)
kernels=${2:-}
if [ -z "$kernels" ]; then
    case $("$1" info | grep '^isa') in
    *avx512bf16*) kernels=avx512 ;;
    *avx2*) kernels=avx2 ;;
    *neon*bf16*) kernels=neon ;;
    *)
        echo "skipped: this CPU has neither AVX2 nor AVX512-BF16 nor NEON with bfloat16"
        exit 77
        ;;
    esac
fi
libc=$(ldd --version 2>/dev/null | sed -n '1s/.* //p')
recorded=$(sed -n 's/^# libc //p' "$here/$kernels.txt")
if [ "$libc" != "$recorded" ]; then
    echo "skipped: the list is of libc $recorded, whose exp and log may differ from those of $libc"
    exit 77
fi
new=$(mktemp)
trap 'rm -f "$new"' EXIT
sh "$here/record.sh" "$1" "$kernels" >"$new"
if grep -v '^#' "$here/$kernels.txt" | diff - "$new" >"$new.diff"; then
    rm -f "$new.diff"
    echo "$(wc -l <"$new") values are as recorded ($kernels)"
else
    sed -n 's/^> [0-9a-f]*/other bits:/p; s/^< [0-9a-f]*/recorded:  /p' "$new.diff"
    rm -f "$new.diff"
    exit 1
fi
