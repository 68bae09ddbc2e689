#!/bin/sh
# The gradient of an update is that of one batch of the same sentences, in however many micro-batches: pre-training, and
# fine-tuning with each head for words; without dropout, which is another in each. Norms of sums of some 300 float32 terms, each
# of which is within 300 · 2⁻²⁴ of the sum of magnitudes, are compared to 1e-5 (tests/train/test_pretrain.c has the bound).
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { srand(1); split("water snow river field may peace oil house", w, " ")
    for (i = 0; i < 64; i++) { n = 1 + int(13 * rand()); s = ""
        for (k = 0; k < n; k++) { x = w[1 + int(8 * rand())]; s = s (k ? " " : "") x; print x "\t" (x == "may" ? "B-X" : "O") >"tag.tsv" }
        print "" >"tag.tsv"; print s >"en.txt"
        for (k = 1; k <= n; k++) {
            head = int((k - 1) * rand()) + (k != 1); label = k != 1 ? "dep" : "root"
            print k "\t" w[1 + int(8 * rand())] "\t_\tN\t_\t_\t" head "\t" label "\t_\t_" >"tree.conllu" }
        print "" >"tree.conllu" } }'
printf 'kind: tagging\ntrain: {en: tag.tsv}\ntest: {en: tag.tsv}\n' >tag.yaml
printf 'kind: parsing\ntrain: {en: tree.conllu}\ntest: {en: tree.conllu}\n' >tree.yaml
try train --quiet --text en.txt --languages en --vocab-size 60 --preset bert-tiny --updates 1 --batch 8 --no-eval --out base
want_code 0

norm() { # COMMAND…: of the first update
    rm -rf one
    try "$@" --updates 1 --clip 0 --log-every 1 --quiet --out one
    want_code 0
    sed -n '1s/.*"grad_norm":\([0-9.e-]*\).*/\1/p' one/log.jsonl
}
alike() { # A B: to 1e-5
    awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(a > 0 && d * d < 1e-10 * a * a) }'
}
parts() { # OTHER COMMAND…: in one micro-batch, in four, in 32; OTHER: whether the mean of their means is another
    other=$1
    shift
    whole=$(norm "$@" --batch 32 --accum 1 --threads 1)
    for threads in 1 3; do
        [ "$(norm "$@" --batch 8 --accum 4 --threads $threads)" = "$(norm "$@" --batch 8 --accum 4 --threads 2)" ] || fail "other bits"
    done
    alike "$whole" "$(norm "$@" --batch 8 --accum 4)" || fail "$*: not $whole in 4 micro-batches"
    alike "$whole" "$(norm "$@" --batch 1 --accum 32)" || fail "$*: not $whole in 32 micro-batches"
    if [ "$1" = train ]; then mean="--accum-mean paper-code"; else mean=--accum-mean; fi
    # shellcheck disable=SC2086
    means=$(norm "$@" --batch 8 --accum 4 $mean)
    if alike "$whole" "$means"; then [ "$other" = no ] || fail "$*: $whole also as a mean of means"; fi
}
parts yes train --text en.txt --languages en --vocab-size 60 --preset bert-tiny --no-eval --hidden-dropout 0 --attention-dropout 0
tune="finetune --model base --dropout 0 --head-dropout 0 --inner-dropout 0 --task"
# shellcheck disable=SC2086
{
    parts yes $tune tag.yaml --head linear
    parts no $tune tag.yaml --head crf # of sentences, of which each micro-batch has as many
    parts yes $tune tag.yaml --head crf --crf-sum
    parts yes $tune tree.yaml --free-root
}

# What one micro-batch an update leaves without effect, and languages without special tokens of their own.
for option in accum-mean accum-carry; do
    try train --text en.txt --preset bert-tiny --updates 1 --out none --$option paper-code
    want_error 2 "isoglot train: error: --$option: has no effect: an update has one micro-batch (accum)"
done
try train --text en.txt --preset bert-tiny --updates 1 --out none --shift-special-detect paper-code
want_error 2 "isoglot train: error: --shift-special-detect: has no effect: no language has special tokens of its own (shift-special)"
for own in --shift-special '--languages=en; x = shift | specials:pad'; do
    try train --text en.txt --preset bert-tiny --vocab-size 60 --updates 1 --out none --shift-special-detect paper-code --dry-run "$own"
    want_code 0
done
