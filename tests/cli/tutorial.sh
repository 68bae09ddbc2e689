#!/bin/sh
# Every command of docs/tutorial.md, in the order of the page, with less text and fewer updates.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

mkdir bin
ln -s "$isoglot" bin/isoglot
awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' "$docs/tutorial.md" |
    sed 's/updates: 3000/updates: 3/; s/world_sentences: 10000, dev_take: 1000/world_sentences: 300, dev_take: 60/; s/batch: 128/batch: 16/' >all.sh
tried="the commands of docs/tutorial.md"
code=0
PATH="$PWD/bin:$PATH" sh -eu all.sh >.out 2>.err || code=$?
want_code 0
[ "$(grep -c '^isoglot' all.sh)" -ge 9 ] || fail "expected the page's commands"
want_out_has "4 done"
want_out_has "B − A"
for f in figures/rise.svg page/index.html mine.csv world/eng-jap.align; do [ -s $f ] || fail "no $f"; done
