#!/bin/sh
# tools/check_layers.sh must fail on each kind of offence; a check that never fails checks nothing.
set -eu
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/src/base" "$work/src/text" "$work/src/model" "$work/include/isoglot"

expect() { # WANTED-TEXT: the check fails and says so
    if out=$(sh "$root/tools/check_layers.sh" "$work"); then
        echo "not caught: $1"
        exit 1
    fi
    case $out in
    *"$1"*) ;;
    *)
        echo "found '$out', expected '$1'"
        exit 1
        ;;
    esac
}

printf '#include "base/a.h"\n#include <stdio.h>\n' >"$work/src/base/a.c"
printf '\n' >"$work/src/base/a.h"
printf '\n' >"$work/src/text/t.h"
# shellcheck disable=SC2016  # backticks as they stand in a README
printf 'May include: base.\n* `high`: a room\n* `low`: a room\n' >"$work/src/base/README.md"
printf 'May include: text, base.\n' >"$work/src/text/README.md"
sh "$root/tools/check_layers.sh" "$work" || { echo "a clean tree fails"; exit 1; }

yes 'May include: text, base.' | head -n 15 >"$work/src/text/README.md"
sh "$root/tools/check_layers.sh" "$work" || { echo "a README of 15 lines fails"; exit 1; }
echo >>"$work/src/text/README.md"
expect "src/text/README.md: found 16 lines"
printf 'May include: text.\n' >"$work/src/text/README.md"
expect 'and in them "May include: text, base."'
rm "$work/src/text/README.md"
expect "src/text/README.md: found 0 lines"
printf 'May include: text, base.\n' >"$work/src/text/README.md"
mkdir "$work/src/text/new"
expect "src/text/README.md: does not say what src/text/new is"
rmdir "$work/src/text/new"

printf '#include "text/t.h"\n' >"$work/src/base/b.c"
expect "base includes text/t.h of text"
printf '#include "t.h"\n' >"$work/src/base/b.c"
expect "which is in no known layer"
printf '#include "isoglot/tokenizer.h"\n' >"$work/src/base/b.c"
expect "base includes isoglot/tokenizer.h of text"
rm "$work/src/base/b.c"
printf '#include <stdio.h>\n#include "base/a.h"\n' >"$work/src/base/a.c"
expect "includes stdio.h first"
printf '#include "base/a.h"\nvoid f(void)\n{\n    printf("x");\n}\n' >"$work/src/base/a.c"
expect "never prints"
for call in 'json_dumps(j, 0)' 'malloc(8)' 'json_load_file(path, 0, &why)'; do
    printf '#include "base/a.h"\nvoid f(void)\n{\n    x = %s;\n}\n' "$call" >"$work/src/base/a.c"
    expect "say when memory or a file is lacking"
done
for call in 'strtod(text, &end)' 'sscanf(text, "%lf", &x)'; do
    printf '#include "base/a.h"\nvoid f(void)\n{\n    x = %s;\n}\n' "$call" >"$work/src/base/a.c"
    expect "reads numbers whatever the locale"
done
printf '#include "base/a.h"\n' >"$work/src/base/a.c"
mkdir "$work/src/elsewhere"
printf '\n' >"$work/src/elsewhere/x.h"
expect "no layer is known"
rm -r "$work/src/elsewhere"
mkdir -p "$work/src/base/high" "$work/src/base/low"
printf '#include "base/low/l.h"\n' >"$work/src/base/high/h.h"
printf '\n' >"$work/src/base/low/l.h"
sh "$root/tools/check_layers.sh" "$work" || { echo "a room above another fails"; exit 1; }
printf '#include "base/high/h.h"\n' >"$work/src/base/low/m.h"
expect "rooms that include each other"
rm "$work/src/base/low/m.h"
printf '\n' >"$work/src/text/a.h"
expect "src/text/a.h: has the name of src/base/a.h"
rm "$work/src/text/a.h"
yes '' | head -n 600 >"$work/src/text/long.h"
sh "$root/tools/check_layers.sh" "$work" || { echo "600 lines fail"; exit 1; }
echo >>"$work/src/text/long.h"
expect "src/text/long.h: more than 600 lines"
rm "$work/src/text/long.h"
for i in $(seq 24); do
    printf '\n' >"$work/src/text/t$i.h"
done
sh "$root/tools/check_layers.sh" "$work" || { echo "25 files fail"; exit 1; }
printf '\n' >"$work/src/text/t25.h"
expect "src/text: more than 25 files in one room"
rm "$work/src/text/t25.h"
mkdir -p "$work/tests/base" "$work/tests/text"
printf '\n' >"$work/tests/base/test_a.c"
printf '\n' >"$work/tests/text/test_something.c"
sh "$root/tools/check_layers.sh" "$work" || { echo "a test beside its file fails"; exit 1; }
mv "$work/tests/base/test_a.c" "$work/tests/text/test_threads_a.c"
expect "tests/text/test_threads_a.c: tests src/base/a.c, expected in tests/base"
rm "$work/tests/text/test_threads_a.c"
mkdir -p "$work/tests/data/deep" "$work/tests/text/away"
printf '\n' >"$work/tests/data/deep/x"
sh "$root/tools/check_layers.sh" "$work" || { echo "a folder of data fails"; exit 1; }
printf '\n' >"$work/tests/text/away/test_y.c"
expect "tests/text/away: there is no src/text/away"
