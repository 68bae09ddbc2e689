#!/bin/sh
# Vectors of lines: the poolings by their definitions, text and NumPy's array with the same numbers, what is refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

try train --quiet --out m --world demo --world-sentences 120 --dev-take 40 --vocab-size 120 --preset bert-tiny --batch 16 \
    --updates 12 --no-eval
want_code 0
sed -n 1,3p m/data/world-dev.txt >three
printf '%s\n\n' "$(sed -n 1p three)" >two # the second line is blank, and has a vector

try encode m three
want_code 0
[ "$(wc -l <.out)" -eq 3 ] || fail "not a line each"
[ "$(head -1 .out | wc -w)" -eq 32 ] || fail "not 32 numbers"
cp .out mean
try encode m two
want_code 0
[ "$(wc -l <.out)" -eq 2 ] || fail "no vector of a blank line"
[ "$(sed -n 1p .out)" = "$(sed -n 1p mean)" ] || fail "another vector beside other lines"

# A line of one piece: its state, its mean and its weighted mean are one.
grep -m 1 '^[a-z]$' m/data/vocab.txt >one
for pooling in mean last weighted; do
    try encode m one --pooling $pooling
    want_code 0
    cp .out "one-$pooling"
done
cmp -s one-mean one-last || fail "the last piece is not the only one"
awk '{ split($0, a); getline < "one-mean"; for (i in a) if ((a[i] - $i) ^ 2 > 1e-10) exit 1 }' one-weighted || fail "weighted"
try encode m three --pooling weighted
want_code 0
if cmp -s .out mean; then fail "weighted is the mean"; fi
try encode m three --pooling cls
want_code 0
if cmp -s .out mean; then fail "[CLS] is the mean"; fi

# Verses have no words for numbers; their vectors are of the texts, and their ids those of the verses.
awk '{ printf "4000100%d\t%s\n", NR, $0 }' three >verses
try encode m verses
want_code 0
cmp -s .out mean || fail "a verse is not its text"
try encode m verses --out v.safetensors
want_code 0
grep -aq '"ids"' v.safetensors || fail "no ids"
od -A n -t d8 -v v.safetensors | grep -q '40001003' || od -A n -t d4 -v v.safetensors | grep -q '40001003' || fail "ids of verses"
rm v.safetensors

# [CLS] of a causal model sees nothing.
try train --quiet --out causal --world demo --world-sentences 120 --dev-take 40 --vocab-size 120 --preset bert-tiny --batch 16 \
    --updates 2 --causal-share 1 --no-eval
want_code 0
try encode causal three --pooling cls
want_error 2 "isoglot encode: error: --pooling: found cls, but in a causal model [CLS] sees no other token, expected mean, last or weighted"
rm -r causal

# Length 1.
try encode m three --normalize
want_code 0
awk '{ s = 0; for (i = 1; i <= NF; i++) s += $i ^ 2; if ((s - 1) ^ 2 > 1e-10) exit 1 }' .out || fail "lengths"

# NumPy's file: magic, header of 128 bytes, rows.
try encode m three --out v.npy
want_code 0
want_out ""
[ "$(wc -c <v.npy)" -eq $((128 + 3 * 32 * 4)) ] || fail "size of the array"
head -c 128 v.npy | tr -d '\0' | grep -aqF "'descr': '<f4', 'fortran_order': False, 'shape': (3, 32), }" || fail "header"
first=$(od -A n -t f4 -j 128 -N 4 v.npy | tr -d ' ')
awk -v a="$first" 'NR == 1 { exit !(($1 - a) ^ 2 < 1e-10) }' mean || fail "other numbers in the array: $first"

try encode m three --as npy -o -
want_code 0
cmp -s .out v.npy || fail "another array on standard output"
try encode m three --as npy
want_error 2 "isoglot encode: error: --out: not given, expected a file for an array"
try encode m three --layer 7
want_error 2 "isoglot encode: error: --layer: no layer 7: the model has 0 (embeddings) to 2"
try encode m three --language de
want_code 2
printf 'mine\n' >there.npy
try encode m three --out there.npy
want_code 4
[ "$(cat there.npy)" = mine ] || fail "a file of the user's was replaced"

# Stopped half-way: nothing is left, not even half a file.
mkfifo pipe
"$isoglot" encode m pipe --out long.npy 2>stopped &
pid=$!
exec 3>pipe
cat m/data/world-train.txt >&3
sleep 0.5
kill -TERM $pid
code=0
wait $pid || code=$?
exec 3>&-
[ $code -ne 0 ] || fail "it was not stopped: exit code $code"
grep -q "^isoglot encode: error: .*stopped" stopped || fail "$(cat stopped)"
for f in long.npy*; do
    [ ! -e "$f" ] || fail "$f is left"
done

# A model without special tokens around a text: its sentences are encoded, an empty one has nothing; predict wants them.
cp -R "$docs/../tests/data/foreign/roberta" "$work/bare"
sed 's/"post_processor":{[^}]*}/"post_processor":null/' "$docs/../tests/data/foreign/roberta/tokenizer.json" >bare/tokenizer.json
echo '{"tokenizer_class": "PreTrainedTokenizerFast"}' >bare/tokenizer_config.json
printf 'the cat\n' >cat.txt
try encode bare cat.txt --layer 0 --quiet
want_code 0
cp .out mean
try encode bare cat.txt --layer 0 --quiet --pooling cls
want_code 0
cmp -s mean .out && fail "the first of several tokens is their mean"
printf 'the cat\n\n' >empty.txt
try encode bare empty.txt --quiet
want_code 3
want_error 3 "isoglot encode: error: empty.txt:2: sentence 2 has no token, expected text: the model has no special tokens"
try predict --model bare cat.txt --quiet
want_code 3
want_err_has 'its template puts 0 and 0 special tokens around a text, expected one on either side'
