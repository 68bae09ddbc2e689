#!/bin/sh
# isoglot means: files, both readings of the paper, any number of threads, what it refuses.
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
try train --quiet --text text.txt --dev-take 10 --vocab-size 60 --preset bert-tiny --batch 32 --updates 5 --no-eval --threads 1 --out pre
want_code 0
try means --model pre --text en=text.txt --text fake=text.txt --out m.safetensors --threads 1
want_code 0
want_out "en: 200 sentences, 800 tokens, 0 cut
fake: 200 sentences, 800 tokens, 0 cut"
try means --model pre --text en=text.txt --text fake=text.txt --out again.safetensors --threads 2 --json
want_code 0
want_out_has '"hidden": 32'
sed -i '/"en"\|"fake"/d' .out
want_keys_in edits.md
cmp -s m.safetensors again.safetensors || fail "other bits with two threads"
try means --model pre --text en=text.txt --text fake=text.txt --out code.safetensors --definition paper-code --take 20
want_code 0
want_out "en: 20 sentences, 120 tokens, 0 cut
fake: 20 sentences, 120 tokens, 0 cut"

try means --text en=text.txt --out x
want_error 2 "isoglot means: error: --model: not given, expected a run or a BERT's folder"
# A run's own training text, in all its languages.
try means --model pre --out own.safetensors
want_code 0
cmp -s own.safetensors m.safetensors || fail "another mean of the same text"
cp -r pre/model folder
try means --model folder --out x
want_code 4
try means --model pre --text en=text.txt
want_error 2 "isoglot means: error: --out: not given, expected a file for the means"
try means --model pre --text text.txt --out x
want_error 2 "isoglot means: error: --text: found 'text.txt', expected LANGUAGE=FILE"
try means --model pre --text xx=text.txt --out x
want_error 2 "isoglot means: error: --text: found 'xx', expected one of: en, fake"
try means --model pre --text en=text.txt --text en=text.txt --out x
want_error 2 "isoglot means: error: en: the language is given twice"
printf '\n\n' >empty
try means --model pre --text en=empty --out x
want_error 3 "isoglot means: error: empty: found no sentence"
[ ! -e x ] || fail "a file that is not whole"
