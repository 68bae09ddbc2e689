#!/bin/sh
# isoglot figure: every kind of real runs of a few updates, in every format; the same bytes again and
# on any threads; what it says to mistakes.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

for seed in 1 2; do
    try train --quiet --out run$seed --world-sentences 300 --dev-take 60 --vocab-size 150 --preset bert-tiny \
        --updates 4 --batch 32 --eval-every 1 --log-every 1 --save-every 2 --keep 5 --seed $seed
    want_code 0
done
try train --quiet --out apart --world-sentences 300 --dev-take 60 --vocab-size 150 --preset bert-tiny --updates 2 \
    --batch 32 --lang-pos --shift-special --log-every 1
want_code 0
ls -lR run1 >before

for kind in curves layers bars positions tokens states; do
    try figure $kind mean=run1 mean=run2 other=apart --out $kind.svg --threads 1 --json --quiet
    [ $kind = curves ] || [ $kind = layers ] || [ $kind = bars ] || {
        try figure $kind run1 other=apart --out $kind.svg --threads 1 --json
    }
    want_code 0
    want_err ""
    want_out_has "\"kind\": \"$kind\""
    want_out_has '"panels": '
    cp .out one
    grep -q '^<svg ' $kind.svg || fail "no SVG"
    grep -q '</svg>$' $kind.svg || fail "an SVG without an end"
    ! sed 's/base64,[^"]*//' $kind.svg | grep -qE '[="(, ]-?(nan|inf)[", )]' || fail "a coordinate that is no number"
    mv $kind.svg first.svg
    # shellcheck disable=SC2046
    try figure $kind $(if grep -q '"run"' one; then echo run1; else echo mean=run1 mean=run2; fi) other=apart \
        --out $kind.svg --threads 3 --json --quiet
    want_code 0
    cmp -s first.svg $kind.svg || fail "other bytes on three threads"
    cmp -s one .out || fail "other numbers on three threads"
    for format in pdf png; do
        try figure $kind run1 --out f.$format --dpi 100
        want_code 0
        want_out_has "f.$format: $kind, "
        [ -s f.$format ] || fail "an empty file"
    done
done
ls -lR run1 >after
cmp -s before after || fail "a figure changed the run's folder"

for label in updates mean; do
    grep -q ">$label</text>" curves.svg || fail "no label '$label'"
done
grep -q 'fill-opacity' curves.svg || fail "no band over the two seeds"
grep -q '>other</text>' bars.svg || fail "no row of the other run"
try figure curves run1 --values 'loss, perplexity[train],rho[2]' --no-log-x --onset --width 120 --columns 1 --out c.svg
want_code 0
want_out_has 'c.svg: curves, 3 panels'
grep -q 'width="340.16pt"' c.svg || fail "not 120 mm wide"

# Positions apart: two ranges; shared: one, and nothing to compare.
try figure positions run1 apart --take 20 --out p.svg --json
want_out_has '"shared": true'
want_out_has '"shared": false'
want_out_has '"n": 20'

# An older checkpoint is another model.
try figure states run1/checkpoints/step-00000002 --layers 0,1,2 --take 10 --out s.svg --json
want_code 0
want_out_has '"step": 2'
want_out_has '"panels": 3'
cp .out two
try figure states run1 --step 2 --layers 2,1,0 --take 10 --out s2.svg --json
want_out_has '"step": 2'
try figure states run1 --layers 0,1,2 --take 10 --out s4.svg
! cmp -s s.svg s4.svg || fail "updates 2 and 4 look the same"

E="isoglot figure: error:"
try figure curve run1 --out x.svg
want_error 2 "$E curve: not a kind of figure, expected curves, layers, bars, positions, tokens, states or vectors" \
    "did you mean 'curves'?"
try figure curves
want_code 2
try figure curves run1
want_error 2 "$E --out: is missing, expected the figure's file"
try figure curves run1 --out x.gif
want_error 2 "$E x.gif: the format of the figure is not known, expected a name in .svg, .pdf or .png"
# Where librsvg cannot be loaded: a line that names the package, and SVG all the same.
mkdir none
echo "not a library" >none/librsvg-2.so.2
LD_LIBRARY_PATH=$PWD/none
export LD_LIBRARY_PATH
for suffix in pdf png; do
    try figure curves run1 --out x.$suffix
    want_error 4 "$E librsvg-2.so.2: found no such library, expected it for figures in PDF or PNG" \
        "install librsvg (Debian: librsvg2-2)"
    [ ! -e x.$suffix ] || fail "a file that could not be drawn"
done
try figure curves run1 --out x.svg
want_code 0
unset LD_LIBRARY_PATH
try figure curves nothere --out x.svg
want_error 4 "$E nothere: no such folder"
try figure curves run1 run1/ --out x.svg
want_error 2 "$E run1/: is given twice"
try figure curves run1 --values rhoo --out x.svg
want_error 2 "$E --values: unknown quantity 'rhoo'" "did you mean 'rho'?"
try figure curves a=run1 a=apart --out x.svg
want_code 3
try figure states run1 --layers 0,9 --out x.svg
want_error 2 "$E layers: no layer 9: the model has 0 (embeddings) to 2"
i=0
set --
while [ $i -lt 65 ]; do
    set -- "$@" n$i=run1
    i=$((i + 1))
done
try figure positions "$@" --out x.svg
want_error 2 "$E figure: more than 64 panels"
try figure tokens run1 --pair 0,2 --out x.svg
want_error 2 "$E pair: found '0,2', expected A,B: two different languages of en, fake, or their numbers from 0 to 1"
try figure tokens run1 --pair 0 --out x.svg
want_code 2
try figure tokens run1 --pair fake,en --out x.svg
want_code 0
rm x.svg
try figure positions run1 --step 77 --out x.svg
want_code 2
try figure positions run1 --out nowhere/x.svg
want_code 4
[ ! -e x.svg ] || fail "an error left a figure"
# A model that knows distances alone.
try train --quiet --out rotary --world-sentences 60 --dev-take 20 --vocab-size 100 --preset bert-tiny --updates 1 \
    --batch 32 --position-type rotary
want_code 0
try figure positions rotary --out x.svg
want_error 2 "$E positions: the model has no position embeddings: its position-type is rotary"
[ ! -e x.svg ] || fail "an error left a figure"

# A long log is reduced to means of neighbours: 2 500 lines become 834 points, the first of lines 1 to 3.
cp -r rotary long
awk 'BEGIN { for (i = 1; i <= 2500; i++) printf "{\"step\":%d,\"loss\":%d}\n", i, 10 * i }' >long/log.jsonl
try figure curves long --values loss --out long.svg --json
want_code 0
[ "$(tr -d ' ,\n' <.out | sed 's/.*"x":\[\([^]]*\)\].*/\1/; s/\.0/\n/g' | grep -c .)" -eq 834 ] || fail "not 834 points"
grep -A 1 '"y": \[' .out | grep -q '20\.0' || fail "the first point is not the mean of three lines"
printf '{"step":1,"loss":' >>run2/log.jsonl
try figure curves run2 --values loss --out half.svg
want_code 0
printf 'x}\n' >>run2/log.jsonl
try figure curves run2 --values loss --out x.svg
want_code 3
