#!/bin/sh
# A program without fetching and dumps: it builds, and says in one line what it lacks. Usage: check_parts.sh CMAKE
# SOURCE FOLDER; the folder is kept, so that a second run builds little.
set -eu
cmake=$1 source=$2 folder=$3
fail() {
    echo "$*"
    exit 1
}
if [ -z "${ISOGLOT_CHECK_PARTS:-}" ] && [ ! -d "$folder" ]; then
    echo "skipped: builds the program once more; ISOGLOT_CHECK_PARTS=1 or the folder $folder asks for it"
    exit 77
fi
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" -S "$source" -B "$folder" -G Ninja -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_FLAGS_RELEASE=-O3 -g1" -DIG_WITH_FETCH=OFF \
    -DIG_WITH_DUMPS=OFF >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
ninja -C "$folder" isoglot >"$work/log" 2>&1 || { tail -40 "$work/log"; exit 1; }
slim=$folder/isoglot
if ldd "$slim" | grep -E 'libcurl|libexpat'; then fail "the libraries of what was left out"; fi

want() { # LINE ARGUMENTS: the one line of an error with exit code 4
    line=$1
    shift
    code=0
    "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
    [ "$code" -eq 4 ] || fail "$*: exit code $code, expected 4: $(cat "$work/err")"
    [ "$(cat "$work/err")" = "$line" ] || fail "$*: '$(cat "$work/err")', expected '$line'"
}
printf '<mediawiki>\n<page>\n</page>\n</mediawiki>\n' >"$work/dump.xml"
want "isoglot corpus stats: error: $work/dump.xml: dumps of MediaWiki are not in this program (build it with -DIG_WITH_DUMPS=ON, which needs expat)" \
    "$slim" corpus stats "$work/dump.xml"
"$slim" --version >/dev/null

# As after ./dev demo, which builds only the program: what is installed is built first.
rm -f "$folder/isoglot.1" "$folder/doc/isoglot.1" "$folder"/libisoglot.*
"$cmake" --install "$folder" --prefix "$work/usr" >"$work/log" 2>&1 || { tail -40 "$work/log"; exit 1; }
for f in bin/isoglot share/man/man1/isoglot.1 share/bash-completion/completions/isoglot; do
    [ -s "$work/usr/$f" ] || fail "no $f after cmake --install"
done
[ -n "$(find "$work/usr" -name 'libisoglot.so.*')" ] || fail "no library after cmake --install"
