#!/bin/sh
# A ModernBERT through the program: bits for any threads and after a stop, what goes on from it, what it is refused for.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

hash() { sha256sum "$1/model/model.safetensors" | cut -d' ' -f1; }
train() { # OUT OPTIONS
    out=$1
    shift
    try train --quiet --out "$out" --world demo --world-sentences 120 --dev-take 40 --vocab-size 120 --preset bert-tiny \
        --batch 16 --updates 24 "$@"
}

train whole --architecture modernbert --local-attention 4 --global-every 2 --threads 2 --save-every 9 --keep 9
want_code 0
cp -r whole again
rm -r again/checkpoints/step-00000018 again/checkpoints/step-00000024 again/model
train again --architecture modernbert --local-attention 4 --global-every 2 --threads 1 --save-every 9 --keep 9
want_code 0
[ "$(hash whole)" = "$(hash again)" ] || fail "other bits after a stop, with one thread"
try model whole
want_code 0
grep -q "^opens as *ModernBertForMaskedLM of transformers" .out || fail "$(cat .out)"
grep -q '"sliding_attention"' whole/model/config.json || fail "no layer is local"
grep -q '"tokenizer_class": "PreTrainedTokenizerFast"' whole/model/tokenizer_config.json || fail "a class that transformers lacks"
echo "a b [MASK] 12, c!" >text.txt
for file in tokenizer.json vocab.txt; do
    try tokenize --vocab whole/model/$file --ids text.txt
    want_code 0
    cp .out $file.ids
done
cmp tokenizer.json.ids vocab.txt.ids || fail "tokenizer.json has other pieces than vocab.txt"

# A language's view has its rows and its pieces.
try model whole --language fake --out view
want_code 0
try tokenize --vocab view --ids text.txt
want_code 0
cmp .out vocab.txt.ids || fail "the view has other pieces"
[ "$(wc -l <view/vocab.txt)" -lt "$(wc -l <whole/model/vocab.txt)" ] || fail "the view has all rows"
try encode view text.txt -o view.npy
want_code 0

# It goes on from there, and fine-tunes; the folders are its own.
try train --quiet --out child --world demo --world-sentences 120 --dev-take 40 --batch 16 --updates 9 --from whole --freeze embeddings
want_code 0
grep -q '"model_type": "modernbert"' child/model/config.json || fail "the child is another kind of model"
[ "$(hash whole)" != "$(hash child)" ] || fail "nothing was trained"
for n in 1 2 3 4 5 6 7 8 9; do
    printf 'a b %s\tyes\nc d %s\tno\n' $n $n
done >train.tsv
printf 'kind: single\ntrain: {en: train.tsv}\ntest: {en: train.tsv}\n' >task.yaml
try finetune --quiet --model whole --task task.yaml --out tuned --epochs 1
want_code 0
try model tuned
grep -q "^opens as *ModernBertModel of transformers" .out || fail "$(cat .out)"

# Its heads and neurons are edited in measuring and tuning; a mean that no bias of the model can keep is for measuring alone.
try eval whole --json --lens --edit '[{kind: heads, list: "1:0", fill: mean}, {kind: neurons, rule: lape, count: 1}]'
want_code 0
grep -q '"measure": "lens_own"' .out || fail "no logit lens"
try finetune --quiet --model whole --task task.yaml --out edited --updates 2 --edit '{kind: heads, list: "1:0"}'
want_code 0
try finetune --quiet --model whole --task task.yaml --out never --updates 2 \
    --edit '{kind: heads, list: "1:0", fill: mean, text: {en: train.tsv}}'
want_code 2
grep -q "edit: fill: mean at layer 1: found no bias in the model's blocks that could keep it, expected fill: zero" .err || fail "$(cat .err)"
[ ! -e never ] || fail "a folder was made"

mistake() { # MESSAGE OPTIONS
    message=$1
    shift
    train wrong --architecture modernbert "$@"
    want_code 2
    grep -q "$message" .err || fail "expected '$message', found $(cat .err)"
}
mistake "a ModernBERT has no head for next sentences" --nsp --instances pairs --segments 1
mistake "a ModernBERT has no segments" --segments 2
mistake "a ModernBERT has no attention that is causal alone" --causal-share 1
mistake "a ModernBERT has no decoder without a transform before it" --transform=false

# A family that is read and not trained is refused before anything is written.
cp -r "$docs/../tests/data/families/llama" llama
cp whole/model/vocab.txt whole/model/tokenizer_config.json llama
try train --quiet --out never --from llama --world demo --updates 2
want_code 2
grep -q "llama: blocks with RMSNorm are read, not trained" .err || fail "$(cat .err)"
[ ! -e never ] || fail "a folder was made"

# `block` is a number of tokens, or names the architecture.
cat >block.yaml <<'Y'
title: blocks
base: {world: demo, world_sentences: 300, vocab_size: 250, layers: 2, hidden: 32, ffn: 64, heads: 2, updates: 2, batch: 8, block: 64,
       dev_take: 50}
cells: {bert: {}, modern: {block: modernbert}}
measure: {what: [perplexity]}
seeds: 1
Y
try run block.yaml --quiet --store blocks
want_code 0
grep -h '"model_type"' blocks/runs/*/model/config.json | tr -d ' ,\n' >types
for type in bert modernbert; do
    grep -q "\"model_type\":\"$type\"" types || fail "$(cat types)"
done
try train --quiet --out never --world demo --block modrnbert
want_code 2
grep -q "architecture: found 'modrnbert', expected one of bert, modernbert" .err || fail "$(cat .err)"
