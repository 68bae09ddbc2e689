#!/bin/sh
# A text that the vocabulary does not fit: every command that cuts text says how much is unknown, and refuses more than half
# unless it is allowed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { srand(1); split("water snow river field may peace oil house", w, " ")
    for (i = 0; i < 200; i++) { s = ""; for (k = 0; k < 6; k++) s = s (k ? " " : "") w[1 + int(8 * rand())]; print s } }' >en.txt
sed 's/water/вода/g; s/snow/снег/g; s/river/река/g; s/field/поле/g; s/may/май/g; s/peace/мир/g; s/oil/нефть/g; s/house/дом/g' \
    en.txt >ru.txt
# One sentence of forty.
awk 'NR == FNR { ru[NR] = $0; next } { print FNR % 40 == 0 ? ru[FNR] : $0 }' ru.txt en.txt >mixed.txt
try vocab en.txt --size 60 --out vocab.txt
want_code 0
small="--preset bert-tiny --updates 2 --batch 16 --quiet"
# shellcheck disable=SC2086
try train --text en.txt --vocab vocab.txt --languages en $small --out run
want_code 0
{ paste en.txt en.txt | awk '{ print $0 "\t" (NR % 2 ? "yes" : "no") }'; } >pairs.tsv
{ paste ru.txt en.txt | awk '{ print $0 "\t" (NR % 2 ? "yes" : "no") }'; } >half.tsv
{ paste ru.txt ru.txt | awk '{ print $0 "\t" (NR % 2 ? "yes" : "no") }'; } >ru.tsv
printf 'kind: pair\ntrain: {en: pairs.tsv}\ntest: {en: pairs.tsv}\n' >good.yaml
printf 'kind: pair\ntrain: {en: pairs.tsv}\ntest: {en: pairs.tsv, ru: ru.tsv}\n' >bad.yaml
printf 'kind: pair\ntrain: {en: half.tsv}\ntest: {en: pairs.tsv}\n' >half.yaml
try finetune --model run --task good.yaml --out tuned --updates 1 --quiet
want_code 0

refused() { # FILE COMMAND…: as it is, and with --allow-unknown
    file=$1
    shift
    try "$@"
    want_code 3
    want_err_has "$file: 100.0 % of the pieces are unknown to the vocabulary, such as '"
    want_err_has "expected at most half (another vocabulary, or --allow-unknown"
    try "$@" --allow-unknown
    want_code 0
    want_err_has "$file: 100.0 % of the pieces are unknown"
}
# shellcheck disable=SC2086
refused ru.txt train --text ru.txt --vocab vocab.txt --languages ru --preset bert-tiny --updates 2 --batch 16 --no-eval --out never
[ ! -e never/run.json ] || [ -e never/model ] || fail "a refused run left something behind"
refused ru.tsv finetune --model run --task bad.yaml --updates 1 --out other
refused ru.tsv predict --model tuned ru.tsv
printf 'kind: minimal_pairs\ncolumns: {good: 1, bad: 2, phenomenon: 3}\ntest: {ru: ru.tsv}\n' >minimal.yaml
refused ru.tsv finetune --model run --task minimal.yaml --out minimal
refused ru.txt eval run/model --text en=en.txt --text ru=ru.txt
refused ru.txt eval run --text ru.txt
try diagnose run --text en=en.txt --text ru=ru.txt # a finding there
want_code 0
want_out_has "the vocabulary lacks its letters"
refused ru.txt similarity run --text ru=ru.txt --random
refused ru.txt means --model run --text en=ru.txt --out means
refused ru.txt embed word2vec ru.txt --vocab vocab.txt --dim 4 --epochs 1 --out b.vec
refused ru.txt tokenize --vocab vocab.txt ru.txt
refused ru.txt vocab overlap --vocab vocab.txt en.txt ru.txt
refused ru.txt align words en.txt ru.txt --model run
try embed contextual ru.txt --model run --out a.vec # words with unknown pieces have no vector
want_code 3
want_err_has "ru.txt: 100.0 % of the pieces are unknown to the vocabulary, such as '"
[ ! -e a.vec ] || fail "vectors were written"
try align words en.txt ru.txt --model run
[ ! -s .out ] || fail "links of unknown pieces were printed"
try tokenize --vocab vocab.txt ru.txt # its output shows what is unknown, so it is written first
want_code 3
want_out_has '[UNK] [UNK]'

# Less is reported once, and nothing of a text that fits.
try tokenize --vocab vocab.txt mixed.txt
want_code 0
grep -q "^mixed.txt: [12]\.[0-9] % of the pieces are unknown to the vocabulary, such as '" .err || fail "$(cat .err)"
[ "$(wc -l <.err)" -eq 1 ] || fail "$(cat .err)"
try tokenize --vocab vocab.txt en.txt
[ ! -s .err ] || fail "$(cat .err)"
try finetune --model run --task half.yaml --updates 1 --out third
want_code 0
grep -q "^half.tsv: [1-4][0-9]\.[0-9] % of the pieces are unknown" .err || fail "$(cat .err)"

# A cell of an experiment allows it in its file, for its tasks too; a vocabulary of whole words does so by itself.
cat >e.yaml <<'EOF'
base: {text: ru.txt, vocab: vocab.txt, languages: ru, preset: bert-tiny, updates: 2, batch: 16}
cells: {refused: {}, allowed: {allow_unknown: true}}
seeds: 1
EOF
try run e.yaml --store store --data "$work"
want_code 3
want_err_has "allowed:0 done"
want_err_has "refused:0 FAILED"
want_err_has "ru.txt: 100.0 % of the pieces are unknown to the vocabulary"
cat >tasks.yaml <<'EOF'
base: {text: en.txt, vocab_size: 60, languages: en, preset: bert-tiny, updates: 2, batch: 16}
cells: {pieces: {}, allowed: {allow_unknown: true}, words: {vocab_model: words}}
tasks: {ru: {task: foreign.yaml, updates: 1}}
seeds: 1
EOF
printf 'kind: pair\ntrain: {en: ru.tsv}\ntest: {en: ru.tsv}\n' >foreign.yaml
try run tasks.yaml --store store --data "$work"
want_code 3
want_err_has "pieces:0 FAILED"
want_err_has "allowed:0 done"
want_err_has "words:0 done"
