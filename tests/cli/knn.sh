#!/bin/sh
# Replacement by neighbours in other languages: from a file of mapped vectors, the switches, stopping and going on.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

tiny="train --quiet --world-sentences 60 --dev-take 10 --vocab-size 50 --preset bert-tiny --batch 16 --no-eval --updates 12"

run() { # ARGUMENTS: a tiny run with these
    # shellcheck disable=SC2086
    try $tiny "$@"
}
model() { cksum <"$1/model/model.safetensors"; }
same() { [ "$(model "$1")" = "$(model "$2")" ] || fail "$1 and $2 differ"; }
differ() { [ "$(model "$1")" != "$(model "$2")" ] || fail "$1 and $2 are the same"; }

# A word and its copy have the same vector: pieces i and base + i.
run --out plain
want_code 0
base=$(wc -l <plain/data/vocab.txt)
awk -v base="$base" '
    { i = (NR - 1) % base; x = sin(i * 7 + 1); y = cos(i * 3 + 2); z = sin(i * i + 5)
      printf "%s %.6f %.6f %.6f\n", $0, x, y, z }' plain/model/vocab.txt >near.txt
near="--knn-replace 1 --mask-share .5 --knn-share .4 --knn-vectors near.txt"

# Runs that differ only in the share have all other draws in common; the table is made once.
# shellcheck disable=SC2086
run --out a $near --threads 1
want_code 0
[ -L a/neighbours ] || fail "no link to the neighbours"
[ "$(find a/data/embed -name 'neighbours-*.near' | wc -l)" -eq 1 ] || fail "no table of neighbours"
# shellcheck disable=SC2086
run --out b $near --threads 2
want_code 0
same a b
run --out none --mask-share .5
want_code 0
differ a none

# Each switch does something.
usual="--mask-share .5 --knn-vectors near.txt"
for switches in "--knn-replace 2 --knn-share .4" "--knn-replace 1 --knn-share .3" \
    "--knn-replace 1 --knn-share .4 --knn-growth .01" "--knn-replace 1 --knn-share .4 --knn-context .5" \
    "--knn-replace 1 --knn-share .4 --knn-languages first"; do
    # shellcheck disable=SC2086
    run --out other $usual $switches
    want_code 0
    differ a other
    rm -rf other
done
# Two languages: each other language is all of them.
# shellcheck disable=SC2086
run --out other $near --knn-candidates pooled
want_code 0
same a other

# The table that a run was trained with is in its folder: resuming needs no file, and another one is refused.
# shellcheck disable=SC2086
run --out c $near --max-time 0.000001
want_code 8
mv near.txt kept.txt
awk '{ $2 = -$2; print }' kept.txt >near.txt
# shellcheck disable=SC2086
run --out c $near
want_code 2
grep -q "near.txt has changed since the run was begun" .err || fail "the change is not told"
rm near.txt
# shellcheck disable=SC2086
run --out c $near
want_code 0
same a c
mv kept.txt near.txt

# Vectors trained and mapped inside the run: the same bits for any number of threads; the table says what it is like.
own="--knn-replace 1 --mask-share .5 --knn-share .4 --knn-dim 8 --knn-epochs 2 --knn-min-count 2"
# shellcheck disable=SC2086
run --out e $own --threads 1
want_code 0
# shellcheck disable=SC2086
run --out f $own --threads 2
want_code 0
same e f
for file in e/data/embed/*.*; do
    cmp "$file" "f/data/embed/${file##*/}" || fail "$file depends on the threads"
done
[ "$(find e/data/embed -name 'vectors-*.bin' | wc -l)" -eq 2 ] || fail "not two files of vectors"
grep -q '"gold"' e/data/embed/neighbours-*.json || fail "nothing about the neighbours"
# More than two languages are mapped onto the first.
# shellcheck disable=SC2086
run --out g $own --threads 1 --languages 'a; b = shift; c = shift'
want_code 0
[ "$(find g/data/embed -name 'mapped-*.bin' | wc -l)" -eq 3 ] || fail "not three mapped languages"

# In an experiment, too, it is told that a space is none: after so little training all vectors are nearly parallel.
cat >e.yaml <<'END'
base: {world_sentences: 60, dev_take: 10, vocab_size: 50, preset: bert-tiny, batch: 16, updates: 2}
measure: {what: [perplexity]}
cells:
  "0": {}
  "30": {knn_replace: 1, mask_share: 0.5, knn_share: 0.3, knn_dim: 8, knn_epochs: 1}
END
try run e.yaml --store s --jobs 1 --threads 1
want_code 0
grep -q '^30:0 done.*: neighbours: this mapping is degenerate, because ' .err || fail "nothing about the mapping"
! grep -q '^0:0 done.*neighbours' .err || fail "a run without neighbours has a mapping"

# Mistakes.
run --out bad --knn-replace 1 --knn-share .3 --knn-vectors near.txt
want_error 2 \
    "isoglot train: error: knn-share: mask-share 0.8, random-share 0.1 and knn-share 0.3 add up to 1.2, expected at most 1" \
    "the paper has mask-share 0.5, random-share 0.1, knn-share 0.3"
run --out bad --knn-replace 1 --knn-vectors near.txt --languages en
want_error 2 "isoglot train: error: knn-replace: neighbours in other languages, but there is only one"
run --out bad --knn-replace 1 --knn-vectors nowhere.vec
want_error 4 "isoglot train: error: nowhere.vec: cannot open: No such file or directory"
[ ! -e bad ] || fail "left behind: $(ls -aR bad)"
head -n "$base" near.txt >half.txt
run --out bad --knn-replace 1 --knn-vectors half.txt
want_error 3 "isoglot train: error: fake: none of its pieces has a vector"
[ ! -e bad ] || fail "left behind: $(ls -aR bad)"
