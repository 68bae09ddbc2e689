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
for form in pytorch_model.bin pytorch_model.bin.index.json model.safetensors.index.json; do
    : >elsewhere/$form
    try model elsewhere
    want_code 4
    grep -qF "$form is a " "$work/.err" || fail "no hint at $form"
done

# A layer more than the file has, and one less.
cp run/model/model.safetensors .
sed 's/"num_hidden_layers": 2/"num_hidden_layers": 3/' run/model/config.json >config.json
try model .
want_code 0
want_out_has "missing     16"
want_out_has "  bert.encoder.layer.2.attention.self.query.weight"
sed 's/"num_hidden_layers": 2/"num_hidden_layers": 1/' run/model/config.json >config.json
try model .
want_code 0
want_out_has "missing     0"
want_out_has "unexpected  16"
want_out_has "  bert.encoder.layer.1.output.LayerNorm.bias"

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
