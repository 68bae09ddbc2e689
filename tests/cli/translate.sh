#!/bin/sh
# isoglot translate: scores, translations, the sweep, a run's own text, what it refuses.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

awk 'BEGIN {
    srand(5)
    n = split("ba be bi bo da de di do", w)
    for (i = 0; i < 200; i++) {
        a = ""
        for (k = 0; k < 4; k++) a = a " " w[1 + int(rand() * n)]
        print substr(a, 2)
    }
}' >text.txt
head -30 text.txt >dev.txt
try train --quiet --text text.txt --dev-text dev.txt --vocab-size 60 --preset bert-tiny --batch 32 --updates 5 --no-eval --threads 1 --out pre
want_code 0
try means --model pre --out m.safetensors
want_code 0
try translate --model pre --means m.safetensors --source en --target fake --layer 1 --alpha 0 dev.txt
want_code 0
[ "$(wc -l <.out)" -eq 30 ] || fail "lines"
# One word a sentence: its output is one row's name.
printf 'ba\n' >one
try translate --model pre --means m.safetensors --source en --target fake --layer 2 --alpha -3 one
want_code 0
[ "$(wc -w <.out)" -eq 1 ] || fail "words"

try translate --model pre --means m.safetensors --source en --target fake --reference dev.txt dev.txt --json
want_code 0
want_keys_in edits.md
cp .out file.json
[ "$(tr -d ' \n' <.out | grep -o '"pieces":{[^}]*}')" = '"pieces":{"from":8,"to":8,"shared":0}' ] || fail "sizes of the sets"
try translate --model pre --means m.safetensors --source en --target fake --json --threads 2
want_code 0
sed '/"means"\|"model"/d' file.json >a && sed '/"means"\|"model"/d' .out >b
cmp -s a b || fail "the run's development text gives other scores than its file"
try translate --model pre --means m.safetensors --source en --target fake --layer 0,2 --alpha 0,1.5 --unit word --reference dev.txt dev.txt
want_code 0
[ "$(wc -l <.out)" -eq 5 ] || fail "rows"
want_out_has "layer  alpha  bleu1  convert rate  gold accuracy"
want_out_has "    2    1.5  "
echo >none # no piece, and none to be right of
try translate --model pre --means m.safetensors --source en --target fake --layer 2 --alpha 1 --reference none none
want_code 0
if grep -q nan .out; then fail "a number that is none"; fi
grep -q '  *–$' .out || fail "no dash in place of a number"

try translate --model pre --source en --target fake
want_error 2 "isoglot translate: error: --means: not given"
try translate --model pre --means m.safetensors --source en --target fake one
want_error 2 "isoglot translate: error: --layer: translations are by one --layer and one --alpha; several are for scores, which want --reference"
try translate --model pre --means m.safetensors --source en --target fake --layer 2 --alpha 1,2 one
want_error 2 "isoglot translate: error: --alpha: translations are by one --layer and one --alpha; several are for scores, which want --reference"
try translate --model pre --means m.safetensors --source en --target fake --reference one
want_error 2 "isoglot translate: error: --reference: is of a FILE, which is not given"
try translate --model pre --means m.safetensors --source en --target fake --json one
want_error 2 "isoglot translate: error: --reference: not given, expected it for scores"
try translate --model pre --means m.safetensors --source en --target xx --reference one one
want_error 2 "isoglot translate: error: --target: found 'xx', expected one of: en, fake"
try translate --model pre --means m.safetensors --source en --target fake --layer 3 --reference one one
want_error 2 "isoglot translate: error: --layer: no layer 3: the model has 0 (embeddings) to 2"
try translate --model pre --means m.safetensors --source en --target fake --alpha 1,1e7 --reference one one
want_error 2 "isoglot translate: error: --alpha: found 1e+07, expected -1e+06 to 1e+06"
try translate --model pre --means m.safetensors --source en --target fake --alpha 1,x --reference one one
want_error 2 "isoglot translate: error: --alpha: found 'x', expected at most 64 numbers with commas between"
try translate --model pre --means m.safetensors --source en --target fake --reference dev.txt one
want_error 3 "isoglot translate: error: dev.txt: found 30 lines, expected 1, as many as one has"
try means --model pre --text en=one --out en.safetensors
want_code 0
try translate --model pre --means en.safetensors --source en --target fake --reference one one
want_error 2 "isoglot translate: error: --target: found language 'fake', expected one with a mean: en"
