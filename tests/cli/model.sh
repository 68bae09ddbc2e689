#!/bin/sh
# isoglot model: folders of ours and from elsewhere, and what is none.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
shared=${ISOGLOT_TEST_SHARED:-$(dirname "$0")/../../../shared}

try train --quiet --out run --world-sentences 40 --dev-take 10 --vocab-size 100 --preset bert-tiny --updates 1 \
    --batch 16 --no-eval
want_code 0
try model run
want_code 0
want_out_has "model       run/checkpoints/step-00000001"
want_out_has "shape       2 layers, hidden 32, heads 2, ffn 64, vocabulary 200, positions 512, segments 2"
want_out_has "missing     0"
try model run/model --json
want_code 0
want_out_has '"layers": 2,'
want_out_has '"missing": [],'
want_out_has '"unexpected": []'

# A model without a head, from elsewhere.
if [ -f "$shared/data/bert/tiny_bert_2l/model.safetensors" ]; then
    try model "$shared/data/bert/tiny_bert_2l"
    want_code 0
    want_out_has "missing     5"
    want_out_has "  cls.predictions.transform.dense.weight"
    want_out_has "unexpected  0"
else
    skip_here "no data/bert/tiny_bert_2l"
fi

# Parameters are those of the file: GPT-2 has no segments, RoBERTa one, and two rows of positions that no token reads.
try model "$docs/../tests/data/families/gpt2"
want_out_has "parameters  4320"
try model "$docs/../tests/data/families/roberta"
want_out_has "parameters  2608"

try model
want_code 2
try model nowhere
want_error 4 "isoglot model: error: nowhere: no such folder"
try model run/run.json
want_error 4 "isoglot model: error: run/run.json: found a file, expected a folder"
try model .
want_error 4 "isoglot model: error: .: found neither a model (config.json) nor a run with checkpoints"

# The folder is told as it was given, and weights in another form are named.
try model run/model
want_code 0
grep -qx "model       run/model" "$work/.out" || fail "another name of the folder"
mkdir elsewhere
cp run/model/config.json elsewhere/
try model elsewhere
want_error 4 "isoglot model: error: elsewhere/model.safetensors: cannot open: No such file or directory"
for form in pytorch_model.bin.index.json pytorch_model.bin model.safetensors.index.json; do
    : >elsewhere/$form
    try model elsewhere
    want_code 3
    want_err_has "elsewhere/$form"
done

# A layer more than the file has, and one less.
cp run/model/model.safetensors .
sed 's/"num_hidden_layers": 2/"num_hidden_layers": 3/' run/model/config.json >config.json
try model .
want_code 0
want_out_has "missing     16"
want_out_has "  bert.encoder.layer.2.attention.self.query.weight"
sed 's/"num_hidden_layers": 2/"num_hidden_layers": 1/' run/model/config.json >config.json
extra='16 tensors of the encoder that config.json does not describe, "bert.encoder.layer.1.attention.output.LayerNorm.bias" and others; without them the model is another'
try model .
want_code 3
want_err "isoglot model: error: .: found $extra (--ignore-extra reads the rest; isoglot model lists them)"
want_out_has "missing     0"
want_out_has "unexpected  16"
want_out_has "  bert.encoder.layer.1.output.LayerNorm.bias"
try model . --ignore-extra
want_code 0
want_out_has "unexpected  16"
cp run/model/vocab.txt .
awk 'BEGIN { for (i = 0; i < 12; i++) print "a b c d e f" }' >text
sed 's|a|z|' text >text.de
paste text text >both
for command in "eval . --text en=text --text de=text.de" "means --model . --text en=text --out m" "diagnose . --text en=text --text de=text.de" "embed contextual --model . text --out v" \
    "align words --model . both" "predict --model . text" "similarity . --text en=text --text de=text.de"; do
    # shellcheck disable=SC2086
    try $command
    want_error 3 "isoglot $(sed 's/^isoglot \(.*\): error:.*/\1/' .err): error: .: found $extra" \
        "--ignore-extra reads the rest; isoglot model lists them"
done
printf 'kind: single\ntrain: {en: labels}\ntest: {en: labels}\n' >task.yaml
printf 'a b\tx\nc d\ty\n' >labels
try finetune --model . --task task.yaml --out tuned
want_code 3
grep -qF "found $extra" .err || fail "finetune reads a part of the encoder"
head -3 text >few
try means --model . --text en=few --out m.safetensors --ignore-extra
want_code 0
mkdir adapted && cp run/model/* adapted && echo '{}' >adapted/adapter_config.json
try means --model adapted --text en=few --out m.safetensors
want_error 3 "isoglot means: error: adapted: found an adapter (adapter_config.json), which is not read; with it the model is another" \
    "peft's merge_and_unload makes one model; --ignore-extra reads the rest"

# A run that has not finished is its newest checkpoint, which is said.
cp -r run unfinished && rm unfinished/model
for command in "model unfinished" "means --model unfinished --text en=few --out m.safetensors" "finetune --model unfinished --task task.yaml --updates 1 --out tuned" \
    "eval unfinished"; do
    # shellcheck disable=SC2086
    try $command
    grep -qx "unfinished: the run has not finished; this is its checkpoint after update [0-9]*" .err || fail "nothing said of the run"
done
rm -r unfinished/checkpoints
try model unfinished
want_error 4 "isoglot model: error: unfinished: the run has not finished, and has no checkpoint yet"
try finetune --model run --task task.yaml --updates 4000000 --max-time 1 --out stopped
want_code 8
for command in "predict --model stopped few" "finetune --model stopped --task task.yaml --updates 1 --out again"; do
    # shellcheck disable=SC2086
    try $command
    want_code 4
    [ "$(grep -v ^warning: .err)" = "isoglot ${command%% *}: error: stopped: the fine-tuning has not finished, expected a model with its tokenizer (the command that began it resumes from its last checkpoint)" ] ||
        fail "not this alone of the fine-tuning"
done
try finetune --model run --task task.yaml --updates 1 --length 4000 --out long
want_code 0
want_err_has "run has 512 positions: length 4000 counts as 512"
grep -q '"length": 512,' long/run.json || fail "the length is not recorded as used"
try finetune --model run --task task.yaml --updates 1 --length 4000 --out long
want_code 0
try finetune --model tuned --task task.yaml --updates 1 --out again
want_code 0
grep -qx "tuned is a fine-tuned model: its encoder is taken, its 2 labels are not; a new classifier is drawn" .err || fail "nothing said of the classifier"

# Models of RoBERTa's kind open as what they are.
for name in xlmr:XLMRobertaModel roberta:RobertaForMaskedLM labse:BertModel; do
    try model "$docs/../tests/data/foreign/${name%:*}"
    want_out_has "opens as    ${name#*:} of transformers"
done
try model "$docs/../tests/data/classifiers/xlmr" --json
want_out_has '"opens_as": "XLMRobertaForSequenceClassification"'

# Who else opens it: a class of transformers, none, or one that shows the first language alone.
try model run
want_code 0
want_out_has "opens as    BertForMaskedLM of transformers"
! grep -q "first language" .out || fail "a model without separate parts has no first language"
opens() { # OPTIONS OF TRAIN, CLASS OR null, true OR false: what train and model say
    # shellcheck disable=SC2086
    try train --quiet --out other --world-sentences 40 --dev-take 10 --vocab-size 100 --preset bert-tiny --updates 1 --batch 16 --no-eval \
        --json $1
    want_code 0
    want_out_has "\"opens_as\": $2"
    want_out_has "\"opens_first_language\": $3"
    try model other --json
    want_out_has "\"opens_as\": $2"
    want_out_has "\"opens_first_language\": $3"
    rm -r other
}
opens "--position-type relative-key" null false
opens "--position-type relative-key-query" null false
opens "--position-type rotary" '"RoFormerForMaskedLM"' false
opens "--transform=false" null false
opens "--separate words" '"BertForMaskedLM"' true
try train --quiet --out other --world-sentences 40 --dev-take 10 --vocab-size 100 --preset bert-tiny --updates 1 --batch 16 --no-eval \
    --position-type relative-key
want_out_has "model  other/model   (a Hugging Face folder; no class of transformers opens it, isoglot alone)"
try model other
want_out_has "opens as    no class of transformers, isoglot alone"
