#!/bin/sh
# The blocks of docs/adding.md, taken into a copy of the sources: files, patches, commands. What
# they change is compiled, without optimization, and linked with the rest of the build's library: check_adding.sh SOURCE BUILD.
set -eu
source=$1 build=$2
for tool in ninja patch; do
    command -v "$tool" >/dev/null 2>&1 || { echo "skipped: no $tool"; exit 77; }
done
[ -f "$build/build.ninja" ] || { echo "skipped: no build by ninja"; exit 77; }
# Always the same folder, with the times of the sources: a compiler cache knows the objects of the last time.
work=$build/adding
rm -rf "$work"
mkdir "$work"
trap 'rm -rf "$work"' EXIT
fail() {
    echo "$*"
    exit 1
}

cp -rp "$source/src" "$source/include" "$work/"
mkdir "$work/tests" "$work/new" "$work/bin" "$work/run"
cp "$source"/tests/*.h "$work/tests/"

# Blocks: "c FILE" becomes the file, "diff" and "sh" are numbered in their order.
awk -v work="$work" '
/^```/ && on { on = 0; close(file); next }
/^```c / { on = 1; file = work "/" $2; list = $2; print list >(work "/added") }
/^```diff$/ { on = 1; file = work "/new/" sprintf("%02d", ++n) ".diff" }
/^```sh$/ { on = 1; file = work "/new/commands.sh" }
/^```/ { if (!on) exit 1; folder = file; sub(/[^\/]*$/, "", folder); system("mkdir -p " folder); next }
on { print >>file }' "$source/docs/adding.md" || fail "a block of another kind"
for patch in "$work"/new/*.diff; do
    (cd "$work" && patch -s -p1 --fuzz=0 <"$patch") || fail "$(cat "$patch")
does not fit the sources any more: mend the page"
done

# Objects that read what was changed, by the build's own records.
sed -n 's/^+++ b\/\(.*\)/\1/p' "$work"/new/*.diff | grep -v '^tests/' | sort -u >"$work/changed"
ninja -C "$build" -t deps | awk '
NR == FNR { changed["/" $0] = 1; next }
/^[^ ].*: #deps/ { object = $1; sub(/:$/, "", object); own = object ~ /^CMakeFiles\/isoglot(_lib)?\.dir\// }
/^ / && own { for (c in changed) if (index($1, c) && substr($1, length($1) - length(c) + 1) == c) print object }' \
    "$work/changed" - | sort -u >"$work/objects"
[ -s "$work/objects" ] || fail "no object reads what the page changes"

# Their commands, in the copy.
compile() { # reads commands of the build, prints those of the copy
    sed -e "s|-I$source/|-I$work/|g" -e "s|-c $source/|-c $work/|" -e 's| -o CMakeFiles/[a-z_]*\.dir/| -o '"$work"'/objects.of/|' \
        -e 's| -M[DTF]\( [^ ]*\.o\(\.d\)*\)*||g' -e 's| -O[0-3] | -O0 |; s| -g1 | |; s| -D_FORTIFY_SOURCE=[0-9]||'
}
# shellcheck disable=SC2046  # names of objects
ninja -C "$build" -t commands $(cat "$work/objects") | grep -F " -c $source/" | compile >"$work/commands"
any=$(ninja -C "$build" -t commands CMakeFiles/isoglot_lib.dir/src/measure/apart.c.o | tail -n 1 | compile)
test=$(ninja -C "$build" -t commands tests/CMakeFiles/tests_model.dir/model/head/test_head.c.o | tail -n 1)
while read -r file; do
    case $file in
    src/*) echo "$any" | sed "s|src/measure/apart\.c|$file|g" >>"$work/commands" ;;
    esac
done <"$work/added"
sed -n 's|.* -o \([^ ]*\)/[^/ ]*\.o .*|\1|p' "$work/commands" | sort -u | xargs mkdir -p
tr '\n' '\0' <"$work/commands" | (cd "$build" && xargs -0 -n 1 -P 2 sh -c) >"$work/log" 2>&1 || fail "$(cat "$work/log")"

# The program, and the test of the head.
find "$work/objects.of" -name '*.o' ! -path '*/src/cli/main.c.o' | sort >"$work/made"
objects=$(tr '\n' ' ' <"$work/made")
link=$(ninja -C "$build" -t commands isoglot | tail -n 1 | sed "s| -o isoglot | -o $work/bin/isoglot $objects |")
[ ! -f "$work/objects.of/src/cli/main.c.o" ] || # main.c reads what was changed
    link=$(echo "$link" | sed "s| [^ ]*/src/cli/main\.c\.o | $work/objects.of/src/cli/main.c.o |")
(cd "$build" && sh -c "$link") >"$work/log" 2>&1 || fail "$(cat "$work/log")"
file=$(grep '^tests/' "$work/added")
own=$(echo "$test" | compile | sed -e "s|$work/tests/model/head/test_head\.c|$work/$file|" -e 's| -o [^ ]*| -o '"$work"'/test.o|' \
    -e 's| -Dmain=[a-z_]*||')
link=$(ninja -C "$build" -t commands tests/tests_model | tail -n 1 |
    sed -e 's| tests/CMakeFiles/[^ ]*\.o||g' -e "s| -o tests/tests_model | $work/test.o $objects -o $work/bin/test |" -e 's| && cd .*||')
(cd "$build" && sh -c "$own" && sh -c "$link") >"$work/log" 2>&1 || fail "$(cat "$work/log")"

cd "$work/run"
PATH=$work/bin:$PATH sh -eu "$work/new/commands.sh" >out 2>err || fail "$(cat out err)"
tr -d ' \n' <out | grep -q '"transformed":\["a","a","cat","cat","sat","sat"\]' || fail "words are not said twice: $(cat out)"
tr -d ' \n' <out | grep -q '"measure":"offset",[^}]*"value":0\.[0-9]*[1-9]' || fail "no number of the measure: $(cat out)"
"$work/bin/test" >log 2>&1 || fail "$(cat log)"
