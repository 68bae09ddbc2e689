#!/bin/sh
# A training that starts from another model: its weights, its shape and vocabulary; parts that get new weights
# or are not trained; the bits after a stop; what is refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

hash() { sha256sum "$1/model/model.safetensors" | cut -d' ' -f1; }
train() { # OUT OPTIONS
    out=$1
    shift
    try train --quiet --out "$out" --world demo --world-sentences 120 --dev-take 40 --batch 16 --no-eval "$@"
}

train parent --vocab-size 120 --preset bert-tiny --updates 24
want_code 0

# The parent's weights, all of them: nothing is trained, and nothing changes. With warm-up the first update would be
# one of rate 0.
train copy --from parent --freeze "all, head" --updates 1 --warmup 0
want_code 0
[ "$(hash copy)" = "$(hash parent)" ] || fail "other weights than the parent's"
train new --from parent --freeze "all, head" --reinit words --updates 1 --warmup 0
want_code 0
[ "$(hash new)" != "$(hash parent)" ] || fail "no new words"

# Lower case is the parent's, of a folder as of a run; other switches are in the tokenizer.json of the run.
train upper --languages en --vocab-size 120 --preset bert-tiny --updates 1
want_code 0
cp -rL upper/model folder
sed 's/"do_lower_case": false/"do_lower_case": true/' upper/model/tokenizer_config.json >folder/tokenizer_config.json
from=folder
for run in lower lower-again; do
    train $run --languages en --from $from --updates 1
    want_code 0
    grep -q '"do_lower_case": true' $run/model/tokenizer_config.json || fail "$run is not in lower case"
    from=$run
done
grep -q '"lowercase": *true' lower/run.json || fail "lower case is not in the run's record"
train capitals --languages en --from upper --updates 1
want_code 0
grep -q '"do_lower_case": false' capitals/model/tokenizer_config.json || fail "capitals are lost"
sed 's/"strip_accents": null/"strip_accents": true/' upper/model/tokenizer_config.json >folder/tokenizer_config.json
from=folder
for run in accents accents-again; do
    train $run --languages en --from $from --updates 1
    want_code 0
    grep -q '"strip_accents": true' $run/model/tokenizer_config.json || fail "$run keeps accents"
    from=$run
done

# Another cut by the same vocabulary is another run of a store.
printf 'base: {world: demo, world_sentences: 120, dev_take: 40, batch: 16, updates: 1, from: folder, languages: en}\ncells: {a: {}}\n' >cut.yaml
for accents in true false; do
    sed "s/\"strip_accents\": null/\"strip_accents\": $accents/" upper/model/tokenizer_config.json >folder/tokenizer_config.json
    try run cut.yaml --store cut -q
    want_code 0
done
[ "$(find cut/runs -mindepth 1 -maxdepth 1 | wc -l)" = 2 ] || fail "a run of another cut is taken for this one"

# Models of other families, with their own special tokens and their own cut: at a rate of 0 the run's model is the one it
# started from, of a text of all languages as of languages with texts of their own, and so is a run that starts from it.
sed 's/ / "/; s/$/", (so)./' "$docs/../tests/data/foreign/de.txt" >marks.txt
for name in roberta xlmr; do
    other="$docs/../tests/data/foreign/$name"
    try encode "$other" "$docs/../tests/data/foreign/en.txt" --allow-unknown -o $name.npy
    want_code 0
    from=$other
    for languages in "de" "de(text=de)" "de"; do
        rm -rf next
        set -- --files de=marks.txt
        [ "$languages" != de ] || set -- --text marks.txt
        try train --out next "$@" --dev-take 5 --languages "$languages" --from "$from" --updates 2 --lr 0 --block 16 --no-eval --allow-unknown
        want_code 0
        try encode next/model "$docs/../tests/data/foreign/en.txt" --allow-unknown -o next.npy
        want_code 0
        cmp $name.npy next.npy || fail "$name, $languages: another model"
        cmp next/data/train*.shard $name.shard 2>/dev/null || [ ! -e $name.shard ] || fail "$name, $languages: other pieces"
        cp next/data/train*.shard $name.shard
        rm -rf last
        mv next last
        from=last
    done
    try train --out copies --files de=marks.txt --languages "de(text=de, dev=de); copy(text=de, dev=de) = shift" --from "$other" \
        --updates 1 --lr 0 --block 16 --allow-unknown
    want_code 0
    awk '$1 == "0" && $2 > .5 { found = 1 } END { exit !found }' .out || fail "$name: no pieces of a copy are aligned"
    rm -r copies
    grep -q '"mask_token": "<mask>"' last/model/tokenizer_config.json || fail "$name: not its own special tokens"
    grep -q '"type": *"TemplateProcessing"' last/model/tokenizer.json || fail "$name: no special tokens around a text"
done

# Permuted: the same rows, as a set, of special tokens in their places; by the seed.
train mixed --from parent --freeze "all, head" --reinit permute --updates 1 --warmup 0
want_code 0
train mixed2 --from parent --freeze "all, head" --reinit permute --updates 1 --warmup 0 --seed 7
want_code 0
python3 - parent mixed mixed2 <<'EOF' || fail "not the parent's rows in another order"
import json, struct, sys


def tensors(run):
    with open(run + "/model/model.safetensors", "rb") as f:
        (n,) = struct.unpack("<Q", f.read(8))
        head = json.loads(f.read(n))
        data = f.read()
    out = {}
    for name, t in head.items():
        if name != "__metadata__":
            first, last = t["data_offsets"]
            rows = t["shape"][0]
            size = (last - first) // rows
            out[name] = [data[first + i * size : first + (i + 1) * size] for i in range(rows)]
    return out


had, mixed, other = (tensors(run) for run in sys.argv[1:])
words, bias = "bert.embeddings.word_embeddings.weight", "cls.predictions.bias"
for now in (mixed, other):
    assert now[words][:5] == had[words][:5] and now[words] != had[words]
    assert sorted(zip(now[words], now[bias])) == sorted(zip(had[words], had[bias]))
    assert sum(a == b for a, b in zip(now[words], had[words])) < len(had[words]) / 4
    assert all(now[name] == had[name] for name in had if name not in (words, bias))
assert mixed[words] != other[words]
EOF

# It learns from there, faster than from nothing, and with the same bits after a stop.
train child --from parent/model --updates 12 --save-every 5 --keep 9 --languages "en; fake = shift" --vocab parent/data/vocab.txt
want_code 0
cp -r child again
rm -r again/checkpoints/step-00000010 again/checkpoints/step-00000012 again/model
train again --from parent/model --updates 12 --save-every 5 --keep 9 --languages "en; fake = shift" --vocab parent/data/vocab.txt
want_code 0
[ "$(hash child)" = "$(hash again)" ] || fail "another result after a stop"
train fresh --updates 12 --vocab-size 120 --preset bert-tiny --languages "en; fake = shift"
want_code 0
loss() { head -1 "$1/log.jsonl" | sed 's/.*"loss"://; s/,.*//'; }
awk -v a="$(loss child)" -v b="$(loss fresh)" 'BEGIN { exit !(a + .2 < b) }' ||
    fail "a loss of $(loss child) where a new model has $(loss fresh)"

# A run that has begun, and one that is finished, needs neither the model that it started from nor the vocabulary's file.
cp parent/data/vocab.txt pieces.txt
train begun --from parent --updates 12 --save-every 5 --keep 9
want_code 0
train named --vocab pieces.txt --preset bert-tiny --updates 2
want_code 0
sum=$(hash begun)
rm -r begun/checkpoints/step-00000010 begun/checkpoints/step-00000012 begun/model pieces.txt
mv parent away
train begun --from parent --updates 12 --save-every 5 --keep 9
want_code 0
[ "$(hash begun)" = "$sum" ] || fail "another result without the model that it started from"
train begun --from elsewhere --updates 12 --save-every 5 --keep 9
want_code 2
want_err_has 'the folder holds another run: from is "parent" there, "elsewhere" here'
train none --from parent --updates 12
want_error 4 "isoglot train: error: parent: no such folder"
for run in begun named; do
    try eval $run --take 20
    want_code 0
done
mv away parent

# Another vocabulary keeps the encoder and the pieces that both have, and says how many are new.
try train --out other --world demo --world-sentences 120 --dev-take 40 --batch 16 --no-eval --from parent --updates 2 \
    --vocab-size 90 --world-seed 2 --languages en --vocab parent/data/vocab.txt
want_error 2 "isoglot train: error: --vocab-size: has no effect: the vocabulary is given, none is trained"
head -100 parent/data/vocab.txt >vocab.txt
printf 'qqq\nzzz\n' >>vocab.txt
try train --out other --world demo --world-sentences 120 --dev-take 40 --batch 16 --no-eval --from parent --updates 2 \
    --vocab vocab.txt --languages en
want_code 0
want_err_has "parent: 2 of 102 pieces are not in its vocabulary: their rows are new"

# A model whose tokenizer puts no tokens around a text, as GPT-2's, under a vocabulary of the run's own.
cp -R "$docs/../tests/data/foreign/roberta" bare
sed 's/"post_processor":{[^}]*}/"post_processor":null/' "$docs/../tests/data/foreign/roberta/tokenizer.json" >bare/tokenizer.json
printf '{"tokenizer_class": "PreTrainedTokenizerFast"}\n' >bare/tokenizer_config.json
try train --out of_bare --world demo --world-sentences 120 --dev-take 40 --batch 16 --no-eval --from bare --updates 2 \
    --vocab vocab.txt --languages en --block 20
want_code 0
want_err_has "pieces are not in its vocabulary: their rows are new"

# A checkpoint has the vocabulary of its run. Outside of it the copies of languages cannot be told from it.
for model in parent/model parent/checkpoints/step-00000024; do
    train of_model --from $model --freeze "all, head" --updates 1 --warmup 0
    want_code 0
    [ "$(hash of_model)" = "$(hash parent)" ] || fail "$model: other weights than the parent's"
    rm -r of_model
done
cp -rL parent/model alone
train none --from alone --updates 2
want_error 2 "isoglot train: error: from: 'alone' has the copies of languages in its vocabulary and is not in its run's folder, expected a vocab"
[ ! -e none ] || fail "a folder is left"

# A head without one of its tensors is a mistake; where there is none, it is new.
python3 - alone <<'EOF'
import json, struct, sys

path = sys.argv[1] + "/model.safetensors"
with open(path, "rb") as f:
    (n,) = struct.unpack("<Q", f.read(8))
    head = json.loads(f.read(n))
    data = f.read()
old = "cls.predictions.transform.dense.weight"
head["cls.other"] = head.pop(old)
text = json.dumps(head).encode()
with open(path, "wb") as f:
    f.write(struct.pack("<Q", len(text)) + text + data)
EOF
train none --from alone --vocab parent/data/vocab.txt --updates 2
want_err_has "isoglot train: error: alone: the model has no cls.predictions.transform.dense.weight"
train drawn --from alone --vocab parent/data/vocab.txt --updates 2 --reinit head
want_code 0
LC_ALL=C sed -i 's/"cls\.predictions/"cls.predictable/g' alone/model.safetensors
try train --out new_head --world demo --world-sentences 120 --dev-take 40 --batch 16 --no-eval --from alone --vocab parent/data/vocab.txt --updates 2
want_code 0
want_err_has "alone: no head that predicts words is found: it is new"

# More layers than the parent has, a language's own layers, both objectives.
train deeper --from parent --layers 3 --reinit "layers 3" --updates 2
want_code 0
if grep -q "layers" .err; then fail "layers are said to be left out"; fi
try train --out shallower --world demo --world-sentences 120 --dev-take 40 --batch 16 --no-eval --from parent --layers 1 --updates 2
want_code 0
want_err_has "parent: the first 1 of its 2 layers; those above are left out"
train apart --from parent --separate "layers=1" --updates 2
want_code 0
train causal --from parent --causal-share 1 --updates 2
want_code 0

# A language that has its own vocabulary in the run is not cut by the first one's.
printf 'a small house stands here .\nthe house is old .\n' >en.txt
printf 'ein kleines haus steht hier .\ndas haus ist alt .\n' >de.txt
try train --quiet --out own --text en.txt --files 'd=de.txt' --languages 'en; de(text=d, vocab=own)' --vocab-size 60 \
    --preset bert-tiny --updates 1 --no-eval
want_code 0
for from in own own/model; do
    try train --quiet --out none --from $from --text de.txt --languages de --updates 1
    want_error 2 "isoglot train: error: from: language 'de' has a vocabulary of its own in '$from', expected a model of it alone" \
        "isoglot model $from --language de --out DIR writes one; --vocab FILE takes another"
done
[ ! -e none ] || fail "a folder is left"
try model own --language de --out own-de
try train --quiet --out on --from own-de --text de.txt --languages de --updates 1 --no-eval
want_code 0
want_err ""

train none --from nowhere --updates 2
want_error 4 "isoglot train: error: nowhere: no such folder"
train none --from parent --layers 3 --updates 2
want_err_has "the model has no bert.encoder.layer.2.attention.self.query.weight (--reinit gives parts new weights"
train none --from parent --hidden 16 --updates 2
want_err_has "bert.embeddings.word_embeddings.weight is [240, 32], expected [240, 16]"
train none --from parent --reinit nothing --updates 2
want_err_has "reinit: found 'nothing', expected words, embeddings, layers,"
want_err_has "permute: the pieces get each other's rows"
train none --from parent --reinit "words, permute" --updates 2
want_error 2 "isoglot train: error: reinit: found permute beside new words, expected one of them"
train none --reinit words --updates 2
want_error 2 "isoglot train: error: --reinit: has no effect: there is no model to start from (from)"
train none --from parent --pre-norm --updates 2
want_error 2 "isoglot train: error: --pre-norm: has no effect: the model that it starts from has its own (from)"
train none --from parent --heads 4 --updates 2
want_error 2 "isoglot train: error: --heads: has no effect: the model that it starts from has its own (from)"
train none --freeze separate --updates 2
want_error 2 "isoglot train: error: freeze: found separate, but languages have no parts of their own (separate)"
