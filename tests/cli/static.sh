#!/bin/sh
# finetune --vectors: static vectors below new layers, alone and as cells of an experiment with tasks; what is refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

awk 'BEGIN {
    srand(5)
    n = split("ba be bi bo da de di do", w)
    for (i = 0; i < 200; i++) {
        a = ""
        for (k = 0; k < 4; k++) a = a " " w[1 + int(rand() * n)]
        a = substr(a, 2)
        print a >"text.txt"
        print a "\t" (a ~ /ba|be/ ? "yes" : "no") >"texts.tsv"
    }
}'
printf 'kind: single\ntrain: {en: texts.tsv}\ntest: {en: texts.tsv}\n' >task.yaml
for seed in 1 2; do
    try train --quiet --text text.txt --dev-take 10 --vocab-size 60 --preset bert-tiny --batch 32 --updates 2 --no-eval --threads 1 --seed "$seed" --out "pre$seed"
    want_code 0
done
vocab=$(find pre1/ -name vocab.txt | head -1)
hidden=$(sed -n 's/.*"hidden_size": \([0-9]*\).*/\1/p' "$(dirname "$vocab")/config.json")
# Vectors of all words; "da" and "de" have the same. The second file is eight times the first.
for times in 1 8; do
    awk -v d="$hidden" -v times=$times 'BEGIN { srand(7) } /^[a-z#]/ {
        if ($1 == "de") { print "de" da; next }
        x = ""
        for (k = 0; k < d; k++) x = x " " times * (int(rand() * 16) - 7.5) / 8
        if ($1 == "da") da = x
        print $1 x
    }' "$vocab" >"v$times.txt"
done
tune() { # UPDATES, more arguments
    updates=$1
    shift
    try finetune --quiet --task task.yaml --lr 2e-3 --batch 16 --threads 1 --new-layers 2 --updates "$updates" "$@"
}

# Nothing of the model's weights and of the vectors' length counts; their directions do.
tune 150 --model pre1 --vectors v1.txt --out a
want_code 0
grep -q '"num_hidden_layers": 2' a/config.json || fail "not two new layers"
awk '/"accuracy"/ { gsub(/[^0-9.]/, ""); exit !($0 > .9) }' a/scores.json || fail "is not learned"
tune 150 --model pre2 --vectors v8.txt --out b
want_code 0
cmp -s a/model.safetensors b/model.safetensors || fail "other bits of another model's weights, or of longer vectors"
sed 's/ 0\./ -0./' v1.txt >other.txt
tune 5 --model pre1 --vectors other.txt --out c
want_code 0
tune 5 --model pre1 --vectors v1.txt --out d
want_code 0
cmp -s c/model.safetensors d/model.safetensors && fail "other vectors give the same model"
# The vectors are not trained: words that have the same one remain the same.
try predict --model a text.txt
want_code 0
cp .out labels
sed 's/da/DA/g; s/de/da/g; s/DA/de/g' text.txt >swapped.txt
try predict --model a swapped.txt
want_code 0
cmp -s .out labels || fail "words of the same vector are told apart"
# Stopped by its time limit as often as it takes, it gives the same model.
n=0
code=8
while [ "$code" -eq 8 ] && [ "$n" -lt 60 ]; do
    tune 150 --model pre1 --vectors v1.txt --out parts --max-time 0.05
    n=$((n + 1))
done
want_code 0
cmp -s a/model.safetensors parts/model.safetensors || fail "other bits when it goes on"
# Every head.
awk '{ for (i = 1; i <= NF; i++) print $i "\t" ($i ~ /^b/ ? "B" : "D"); print "" }' text.txt >words.conll
printf 'kind: tagging\ntrain: {en: words.conll}\ntest: {en: words.conll}\n' >words.yaml
try finetune --quiet --task words.yaml --model pre1 --vectors v1.txt --recipe k2020 --freeze embeddings --new-layers 1 --updates 5 --out crf --threads 1
want_code 0

tune 5 --model pre1 --vectors other.txt --out d
want_code 2
grep -qF -e 'd: the folder holds a fine-tuning with another file (vectors)' .err || fail "another message"
tune 5 --model pre1 --out d
want_code 2
grep -qF -e 'd: the folder holds a fine-tuning with' .err || fail "another message"
tune 5 --model pre1 --vectors v1.txt --keep-layers 1 --out none
want_code 2
grep -qF -e 'keep-layers: found 1, expected 0: below static vectors there is no layer' .err || fail "another message"
cut -d ' ' -f 1-9 v1.txt >short.txt
tune 5 --model pre1 --vectors short.txt --out none
want_code 2
grep -qF -e "short.txt: found vectors of 8 numbers, expected $hidden, the model's hidden size" .err || fail "another message"
sed 's/^/no/' v1.txt >none.txt
tune 5 --model pre1 --vectors none.txt --out none
want_code 2
grep -qF -e 'none of which is a piece of the vocabulary' .err || fail "another message"
[ ! -e none ] || fail "what is refused leaves a folder"
try train --quiet --text text.txt --dev-take 10 --vocab-size 60 --preset bert-tiny --batch 32 --updates 2 --no-eval --threads 1 --separate embeddings --out apart
want_code 0
tune 5 --model apart --vectors v1.txt --out none
want_code 2
grep -qF -e 'found languages with word embeddings of their own' .err || fail "another message"

# A cell of an experiment: trained, measured, fine-tuned, once.
cat >static.yaml <<'Y'
base: {world: tasks, world_words: true, world_sentences: 300, vocab_size: 300, layers: 1, hidden: 16, heads: 1, ffn: 16,
       languages: "en; x(world=SOV+post)", dev_take: 20, words_take: 100, trainer: glove}
seeds: 1
cells: {glove: {}}
measure: {what: [words]}
tasks: {tags: {world: tags, train: 200, dev: 50, test: 50, epochs: 2, lr: 2e-3, new_layers: 1}}
report: {tables: [{name: t, columns: ["accuracy[task=tags,en]", "accuracy[task=tags,x]"]}]}
Y
try run static.yaml --store s --jobs 1 --threads 1 --quiet
want_code 0
try report static.yaml --store s --csv
want_code 0
[ "$(grep -c '^t,glove,.*accuracy.*,1,0\.[0-9]' .out)" -eq 2 ] || fail "no scores"
# A language that is not made of the first one's text and has no data is not tested, and the report says so.
sed 's/^tasks:.*/tasks: {other: {task: task.yaml, epochs: 1, new_layers: 1, allow_unknown: true}}/; s/task=tags/task=other/g' static.yaml >without.yaml
try run without.yaml --store s --data . --jobs 1 --threads 1 --quiet
want_code 0
try report without.yaml --store s --data . --csv
want_out_has "the task has no data of 'x' to test on"
try status static.yaml --store s
want_out_has '1 run: 1 done'
