#!/bin/sh
# Every command of docs/recipes.md, in the order of the page, with less text and fewer updates; its Python where numpy is.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

mkdir bin
ln -s "$isoglot" bin/isoglot
PATH="$PWD/bin:$PATH"
export PATH
try corpus world --quiet --preset demo --languages "en: SVO" --sentences 300 --out w
want_code 0
# What stands for a published model.
try train --quiet --text w/en.txt --vocab-model bpe --vocab-size 300 --languages en --preset bert-tiny --updates 2 --batch 16 --no-eval --out hf
want_code 0
cp -rL hf/model bert

# Blocks of code as numbered files of shell and Python
awk '/^```(sh|python)$/ { on = 1; n++; file = sprintf("%02d.%s", n, $0 ~ /python/ ? "py" : "sh"); next }
    /^```$/ { on = 0 } on { print >file }' "$docs/recipes.md"
small='s/updates: 3000/updates: 3, preset: bert-tiny/
    s/world_sentences: 10000, dev_take: 1000/world_sentences: 300, dev_take: 60/; s/batch: 128/batch: 16/; s/layers: 4, //
    s/--sentences 10000/--sentences 300/; s/head -n -500/head -n -50/; s/tail -n 500/tail -n 50/
    s/--size 2000/--size 300/; s/--updates 3000/--updates 3 --batch 16 --preset bert-tiny --no-eval/
    s/--updates 6000/--updates 6 --batch 16 --preset bert-tiny --no-eval/; /--from/s/--preset bert-tiny//
    /--out tuned/s/$/ --updates 3/'
n=0
for file in ??.sh; do
    sed "$small" "$file" >run.sh
    tried="$file: $(cat run.sh)"
    code=0
    sh -eu run.sh >.out 2>.err || code=$?
    want_code 0
    if [ "$file" = 02.sh ]; then
        want_out_has "4 done"
        want_out_has "lang-pos"
    fi
    n=$((n + 1))
done
[ "$n" -ge 13 ] || fail "expected the page's commands, found $n blocks"
for f in world/en-de.align page/index.html figures/rise.svg answer.tex card/index.html tuned/config.json; do [ -s $f ] || fail "no $f"; done

# Python: the package that is installed with the program, else that of the source with the library beside it, or below ../lib.
library=
for f in "${isoglot%/*}" "${isoglot%/*}/../lib"; do [ -n "$library" ] || [ ! -e "$f/libisoglot.so" ] || library=$f/libisoglot.so; done
own=${isoglot%/*}/python3
if [ -x "$own" ] && (cd / && "$own" -I -c 'import isoglot, numpy') 2>/dev/null; then
    python="$own -I"
elif [ -n "$library" ] && python3 -c 'import numpy' 2>/dev/null; then
    python="env ISOGLOT_LIBRARY=$library ISOGLOT_PROGRAM=$isoglot PYTHONPATH=$docs/../python python3"
else
    skip_here "no numpy, or no libisoglot.so, for the page's Python"
    exit 0
fi
$python -c 'import pandas' 2>/dev/null || sed -i 's/e\.results()/e.rows()/; /groupby/d' ./*.py
code=0
cat ./*.py >all.py
tried="the Python of docs/recipes.md"
# shellcheck disable=SC2086  # a command and its options
$python all.py >.out 2>.err || code=$?
want_code 0
