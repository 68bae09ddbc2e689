#!/bin/sh
# Every header compiles alone: the public ones in C11 and in C++17 (and guard their functions with
# extern "C"), the internal ones in C11. One that a .c file includes before all else does when that file
# compiles. Usage: tools/check_headers.sh CC [CXX]
set -eu
cd "$(dirname "$0")/.."
cc=${1:-cc}
cxx=${2:-c++}
flags="-Iinclude -Isrc -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -Wall -Wextra -Werror -fsyntax-only"
flags="$flags $(pkg-config --cflags jansson yaml-0.1 libarchive icu-uc libcurl)"
status=0

command -v "$cxx" >/dev/null 2>&1 || {
    echo "no C++ compiler: '$cxx' not found"
    exit 1
}
for h in $(find include src -name '*.h' | LC_ALL=C sort); do
    # As in cmake/isa.cmake: the name of a file says what it may use.
    case $h in
    *_avx512bf16.h) isa="-mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512bf16 -mfma" ;;
    *_avx512.h) isa="-mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mf16c" ;;
    *_avx2.h) isa="-mavx2 -mfma -mf16c" ;;
    *_neonbf16.h) isa=-march=armv8.2-a+bf16 ;;
    *_neon.h) isa=-march=armv8-a ;;
    *) isa= ;;
    esac
    c=${h%.h}.c
    if [ -f "$c" ] && [ "$(grep -m 1 '^#include' "$c")" = "#include \"${h#src/}\"" ]; then continue; fi
    # The intrinsics of one architecture cannot compile on another.
    case "$isa $(uname -m)" in " "* | -mavx*" x86_64" | -march*" aarch64" | -march*" arm64") ;; *) continue ;; esac
    # shellcheck disable=SC2086
    printf '#include "%s"\n' "${h#*/}" | "$cc" -std=c11 $flags $isa -x c - || {
        echo "$h: does not compile alone in C"
        status=1
    }
done
for h in include/isoglot/*.h; do
    # shellcheck disable=SC2086
    printf '#include "%s"\n' "${h#*/}" | "$cxx" -std=c++17 $flags -x c++ - || {
        echo "$h: does not compile alone in C++"
        status=1
    }
    if grep -qE '^[a-z].*\(.*\)?;?$' "$h" && ! grep -q 'extern "C"' "$h"; then
        echo "$h: declares functions without an extern \"C\" guard"
        status=1
    fi
done
exit $status
