#!/bin/sh
# tools/wheel.sh of this build: a wheel of at most 15 MB, whose program and library pass the package's tests and break
# sentences as the build's do with all of ICU's data.
set -eu
python=$1 source=$2 build=$3
PATH=$(dirname "$python"):$PATH:/usr/sbin
for tool in auditwheel patchelf icupkg; do
    command -v "$tool" >/dev/null 2>&1 || { echo "skipped: no $tool"; exit 77; }
done
"$python" -c 'import scikit_build_core, wheel, pip, numpy' 2>/dev/null ||
    { echo "skipped: no numpy, pip, wheel or scikit-build-core in $python"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "$*"
    exit 1
}

PYTHON=$python sh "$source/tools/wheel.sh" "$work" "$build" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
size=$(wc -c <"$(echo "$work"/isoglot-*.whl)")
[ "$size" -le 15000000 ] || fail "found a wheel of $size bytes, expected at most 15000000"
"$python" -m zipfile -e "$work"/isoglot-*.whl "$work/root"
ISOGLOT_PROGRAM=$work/root/isoglot/bin/isoglot
ISOGLOT_LIBRARY=$(echo "$work"/root/isoglot/lib/libisoglot.so*)
export ISOGLOT_PROGRAM ISOGLOT_LIBRARY
chmod +x "$ISOGLOT_PROGRAM"

printf '%s\n' 'He met Dr. No. "Why?" she said. It was 3.5 m.' 'Τι κάνεις; Καλά. Ναι!' '他来了。你好吗？好！' 'ﬁne № ①. ｶﾞ!' >"$work/text"
for locale in en de el fr ru zh th; do
    "$build/isoglot" corpus sentences --locale "$locale" --abbreviations "$work/text" >"$work/all"
    "$ISOGLOT_PROGRAM" corpus sentences --locale "$locale" --abbreviations "$work/text" >"$work/kept"
    cmp "$work/all" "$work/kept" || fail "$locale: other sentences"
done
"$python" "$source/tests/python/test_isoglot.py" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
