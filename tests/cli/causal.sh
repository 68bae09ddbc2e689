#!/bin/sh
# Causal batches through the program: bits after a stop and for any threads, what other programs get of the
# models, both perplexities, and what a causal model is refused for.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

hash() { sha256sum "$1/model/model.safetensors" | cut -d' ' -f1; }
train() { # OUT OPTIONS
    out=$1
    shift
    try train --quiet --out "$out" --world demo --world-sentences 120 --dev-take 40 --vocab-size 120 --preset bert-tiny \
        --batch 16 --updates 24 "$@"
}

for share in 1 0.4; do
    train "whole$share" --causal-share $share --threads 2 --save-every 9 --keep 9
    want_code 0
    cp -r "whole$share" "again$share"
    rm -r "again$share/checkpoints/step-00000018" "again$share/checkpoints/step-00000024" "again$share/model"
    train "again$share" --causal-share $share --threads 1 --save-every 9 --keep 9
    want_code 0
    [ "$(hash "whole$share")" = "$(hash "again$share")" ] || fail "$share: another result after a stop, with one thread"
    grep -q '"perplexity_causal"' "whole$share/eval.json" || fail "$share: no perplexity of next tokens"
done
train masked
want_code 0
if grep -q perplexity_causal masked/eval.json; then fail "a masked model has a perplexity of next tokens"; fi

# In transformers a causal model is a decoder with BertForMaskedLM's tensors, which `generate` runs. A
# model of both kinds of batches predicts from the token before, which nothing there does.
grep -q '"BertLMHeadModel"' whole1/model/config.json || fail "no BertLMHeadModel"
grep -q '"is_decoder": true' whole1/model/config.json || fail "no decoder"
grep -q '"BertModel"' whole0.4/model/config.json || fail "no BertModel"
grep -q '"shifted": true' whole0.4/model/config.json || fail "not shifted"
if grep -q is_decoder whole0.4/model/config.json; then fail "a decoder"; fi

# The causal model's perplexity of masked tokens is that of next ones; states are measured as ever.
try eval whole1 --json
want_code 0
want_out_has '"mu"'
value() { grep -A 6 "\"measure\": \"$1\"" .out | grep -m 1 '"value"'; }
[ -n "$(value perplexity)" ] || fail "no perplexity"
[ "$(value perplexity)" = "$(value perplexity_causal)" ] || fail "two perplexities of a causal model"
try eval whole0.4 --json
want_code 0
[ "$(value perplexity)" != "$(value perplexity_causal)" ] || fail "one perplexity of a model of masked and next tokens"

# What starts from a model has its share of causal batches unless it is given.
share() { grep -o '"causal_share": [0-9.]\{1,3\}' "$1/run.json"; }
for case in "whole1 1.0" "whole1/model 1.0" "whole0.4 0.4" "whole0.4/checkpoints/step-00000024 0.4" "masked 0.0"; do
    from=${case% *}
    rm -rf on
    try train --quiet --out on --world demo --world-sentences 120 --batch 16 --updates 2 --no-eval --from "$from"
    want_code 0
    [ "$(share on)" = "\"causal_share\": ${case#* }" ] || fail "$from: $(share on)"
    try train --quiet --out on --world demo --world-sentences 120 --batch 16 --updates 2 --no-eval --from "$from"
    want_code 0 # the same run
done
rm -rf on
try train --quiet --out on --world demo --world-sentences 120 --batch 16 --updates 2 --no-eval --from whole1 --causal-share 0
[ "$(share on)" = '"causal_share": 0.0' ] || fail "not what is given: $(share on)"
if grep -q is_decoder on/model/config.json; then fail "a decoder"; fi
try train --out x --world demo --from whole1 --mask-prob 0.3
want_error 2 "isoglot train: error: --mask-prob: has no effect: no token is masked (causal-share 1)"
cp -rL whole0.4/model alone
try train --out x --world demo --from alone --vocab masked/data/vocab.txt
want_error 2 "isoglot train: error: causal-share: is not given, and 'alone', which had masked and causal batches, is not in its run's folder, which says how many"

train pairs --causal-share 0.5 --instances pairs --nsp
want_error 2 "isoglot train: error: causal-share: found 0.5, expected 0 with nsp, which reads the first token, that sees no other in a causal batch"
train whole1.5 --causal-share 1.5
want_error 2 "isoglot train: error: --causal-share: found 1.5, expected a number from 0 to 1"
train unused --causal-share 1 --mask-prob 0.3
want_error 2 "isoglot train: error: --mask-prob: has no effect: no token is masked (causal-share 1)"

train unused --causal-share 1 --no-random fixed
want_error 2 "isoglot train: error: --no-random: has no effect: no token is masked (causal-share 1)"

train unused --causal-share 1 --knn-replace 2
want_error 2 "isoglot train: error: --knn-replace: has no effect: no token is masked (causal-share 1)"
train unused --causal-share 1 --random-vocab own
want_error 2 "isoglot train: error: --random-vocab: has no effect: no token is masked (causal-share 1)"

# A class of a text is read at its first token by every head and recipe; shifted means say why there are none.
printf 'text\tlabel\na b\tyes\nb a\tno\na a\tyes\n' >classes.tsv
printf 'kind: single\ntrain: {en: classes.tsv}\ndev: {en: classes.tsv}\n' >CLASSES.yaml
for how in "--head pooled" "--head first" "--recipe xlm" "--recipe crosslingual-nlp"; do
    # shellcheck disable=SC2086
    try finetune --model whole1 --task CLASSES.yaml --out classes $how --allow-unknown --quiet
    want_error 2 "isoglot finetune: error: task: a class of the whole sequence is read at its first token, which in a causal model sees no other: expected a model that reads both sides, or labels of words"
    [ ! -e classes ] || fail "$how left a folder"
done
try eval whole1 --shift --json
want_out_has '"shift": "needs a model that predicts the token itself, not the next one"'

# Vectors of sentences by the last piece or weighted by position: measures are those of the vectors that `encode` writes.
cp -rL whole1/model bare
sed -z 's/,\n  "isoglot": {.*/\n}/' whole1/model/config.json >bare/config.json # which languages it knows
try corpus world --quiet --preset demo --languages "eng; x" --sentences 60 --out world
for pooling in mean last weighted; do
    for l in eng x; do
        try encode bare world/$l.txt --quiet --pooling $pooling --allow-unknown --out $l.safetensors --overwrite
        want_code 0
    done
    try eval --states en=eng.safetensors --states x=x.safetensors --mexa --anc --json --layers 2 --quiet
    want_code 0
    grep -A 6 -E '"measure": "(rho|mexa|anc)"' .out | grep -m 3 '"value"' >of_vectors
    try eval bare --text en=world/eng.txt --text x=world/x.txt --allow-unknown --pooling $pooling --mexa --anc --layers 2 --json --quiet
    want_code 0
    grep -A 6 -E '"measure": "(rho|mexa|anc)"' .out | grep -m 3 '"value"' >of_model
    [ "$(wc -l <of_model)" -eq 3 ] || fail "$pooling: $(cat of_model)"
    cmp -s of_vectors of_model || fail "$pooling: $(cat of_vectors of_model)"
    mv of_model of_$pooling
done
if cmp -s of_mean of_weighted || cmp -s of_mean of_last; then fail "poolings are alike"; fi
try eval --states en=eng.safetensors --states x=x.safetensors --pooling last
want_code 2

# A run's own pooling is how it is measured at its end, and by `eval` that names no other; an experiment file says it in `base:`.
rhos() { grep -A 6 '"measure": "rho"' "$1" | grep '"value"'; }
train pooled --causal-share 1 --pooling weighted
want_code 0
[ "$(hash pooled)" = "$(hash whole1)" ] || fail "pooling changed the training"
try eval whole1 --pooling weighted --json
rhos .out >weighted
[ -s weighted ] || fail "no rho"
try eval pooled --json
rhos .out | cmp -s - weighted || fail "eval did not take the run's pooling"
rhos pooled/eval.json | cmp -s - weighted || fail "another pooling at the end of the training"
try eval pooled --pooling mean --json
rhos .out >mean
try eval whole1 --json
rhos .out | cmp -s - mean || fail "eval did not take the pooling that is given"
if cmp -s mean weighted; then fail "poolings of a run are alike"; fi

# Where transformers is installed (ISOGLOT_PEER_PYTHON, else python3), it writes on with either kind of blocks, all tensors found.
train whole-pre --causal-share 1 --pre-norm
want_code 0
grep -q '"MegatronBertForCausalLM"' whole-pre/model/config.json || fail "no MegatronBertForCausalLM"
python=${ISOGLOT_PEER_PYTHON:-python3}
if "$python" -c 'import torch, transformers' 2>/dev/null; then
    HF_HUB_OFFLINE=1 "$python" - whole1 whole-pre >said 2>&1 <<'P' || fail "$(cat said)"
import sys
import torch
import transformers as hf

for run in sys.argv[1:]:
    folder = run + "/model"
    kind = getattr(hf, hf.AutoConfig.from_pretrained(folder).architectures[0])
    model, found = kind.from_pretrained(folder, output_loading_info=True)
    missing = [k for k in found["missing_keys"] if not k.endswith("decoder.bias")]  # tied to cls.predictions.bias
    assert not missing and not found["unexpected_keys"], found
    begin = torch.tensor([[2, 7, 9, 11]])
    written = model.eval().generate(begin, max_new_tokens=6, do_sample=False, pad_token_id=0)
    assert written.shape[1] > 4 and torch.equal(written[:, :4], begin), written
    with torch.no_grad():
        short, long = model(begin).logits, model(written).logits
    assert torch.allclose(short, long[:, :4], atol=1e-5), "a token sees later ones"
    assert long[0, 3].argmax() == written[0, 4], "what is written is not the likeliest"
P
fi
