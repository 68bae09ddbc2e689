#!/bin/sh
# Phases through the program: the bits after a stop within and beyond a border, lists in experiment files, their
# addresses, mistakes.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

hash() { sha256sum "$1/model/model.safetensors" | cut -d' ' -f1; }
train() { # OUT OPTIONS
    out=$1
    shift
    try train --quiet --out "$out" --world demo --world-sentences 120 --dev-take 40 --vocab-size 120 --preset bert-tiny \
        --batch 16 --no-eval --updates 24 --languages "en; fake = shift" "$@"
}
phases='[{until: 12, languages: [en]}, {share: {en: 1, fake: 3}, mask_prob: 0.4, lr: 1e-3, freeze: words}]'

train whole --phases "$phases" --save-every 6 --keep 9
want_code 0
for last in 6 12 18; do
    cp -r whole again
    for step in 12 18 24; do
        [ "$step" -le "$last" ] || rm -r "again/checkpoints/step-000000$step"
    done
    rm -r again/model
    train again --phases "$phases" --save-every 6 --keep 9
    want_code 0
    [ "$(hash whole)" = "$(hash again)" ] || fail "another result after a stop at update $last"
    rm -r again
done
train plain
want_code 0
train one --phases '[{}]'
want_code 0
[ "$(hash plain)" = "$(hash one)" ] || fail "a phase that changes nothing changes something"
[ "$(hash plain)" != "$(hash whole)" ] || fail "phases change nothing"

train whole --phases '[{}]' --save-every 6 --keep 9
want_code 2
want_err_has "the folder holds another run: phases is"
train none --phases '[{until: 30}, {}]'
want_error 2 "isoglot train: error: phases: until 30, expected above 0 and below the run's 24 updates"

train none --causal-share 1 --phases '[{until: 12}, {mask_prob: 0.3}]'
want_error 2 "isoglot train: error: phases: mask_prob has no effect: no token is masked (causal-share 1)"

# The log has the rate of the phase; a rate is a factor of the run's, which must have one; what a phase leaves out comes nowhere.
train rates --phases '[{until: 12}, {lr: 1e-3}]' --warmup 0 --schedule constant --lr 2e-3 --log-every 12
want_code 0
[ "$(sed 's/.*"lr":\([^,]*\),.*/\1/' rates/log.jsonl | tr '\n' ' ')" = "0.002 0.001 " ] || fail "rates: $(cat rates/log.jsonl)"
train none --lr 0 --phases '[{until: 12}, {lr: 1e-3}]'
want_error 2 "isoglot train: error: phases: lr is 0.001, a factor of the run's, which is 0, expected one above"
train none --instances stream --mix-documents 0.5 --phases '[{until: 12, languages: [en]}, {}]'
want_error 2 "isoglot train: error: phases: 'fake' has no share, but with mix-documents it comes with the other languages"
train none --accum 2 --accum-carry paper-code --phases '[{until: 12}, {lr: 1e-3}]'
want_error 2 "isoglot train: error: phases: with accum-carry paper-code updates have no number of micro-batches, that says where one ends"

# In a file, as a list.
cat >phases.yaml <<'END'
base: {world: demo, world_sentences: 120, dev_take: 40, vocab_size: 120, preset: bert-tiny, batch: 16, updates: 24}
cells:
  plain: {}
  first:
    phases:
      - until: 12
        languages: [en]
      - mask_prob: 0.4
measure: {what: [retrieval]}
END
try run --quiet phases.yaml
want_code 0
try status phases.yaml
want_out_has "first  phases=[{until: 12, languages: [en]}, {mask_prob: 0.4}]  1 done"
sed -i 's/mask_prob: 0.4/mask_prob: 0.3/' phases.yaml
try status phases.yaml
want_out_has "2 runs: 1 done"
