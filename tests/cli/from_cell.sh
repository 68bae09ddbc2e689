#!/bin/sh
# Cells that start from another cell: the order of work, the weights, addresses that follow the other's, a cell that is
# run alone, mistakes.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

file() { # CELLS: the experiment
    cat >e.yaml <<END
base: {world: demo, world_sentences: 120, dev_take: 40, vocab_size: 120, preset: bert-tiny, batch: 16, updates: 12}
cells:
$1
seeds: [1, 2]
measure: {what: [retrieval]}
END
}
weights() { # ADDRESS
    sha256sum "isoglot-store/runs/$1/model/model.safetensors" | cut -d' ' -f1
}
address() { # CELL SEED
    "$isoglot" export e.yaml -o - 2>/dev/null | grep "\"cell\":\"$1\"" | grep "\"seed\":$2," | sed 's/.*"run":"\([0-9a-f]*\)".*/\1/' | head -1
}

file '  copy: {from: {cell: child}, freeze: "all, head", updates: 1}
  child: {from: {cell: parent}, lr: 1e-3, updates: 6}
  parent: {}'
try run e.yaml --only child:1
want_code 4
want_err_has "the run that it starts from is not done, expected its cell in --only, too"
try run --quiet e.yaml --only parent:1
want_code 0
try run --quiet e.yaml --only child:1
want_code 0
try run --quiet e.yaml --jobs 2
want_code 0
try status e.yaml
want_out_has "6 runs: 6 done"
want_out_has "from={cell: parent}; updates=6; lr=0.001"
[ "$(weights "$(address copy 1)")" = "$(weights "$(address child 1)")" ] || fail "other weights than the cell's that it starts from"
[ "$(weights "$(address copy 2)")" = "$(weights "$(address child 2)")" ] || fail "seed 2: other weights"
[ "$(weights "$(address copy 1)")" != "$(weights "$(address copy 2)")" ] || fail "one model for two seeds"

# Another parent is another run of what starts from it.
file '  copy: {from: {cell: child}, freeze: "all, head", updates: 1}
  child: {from: {cell: parent}, lr: 1e-3, updates: 6}
  parent: {batch: 8}'
try status e.yaml
want_out_has "6 runs: 6 missing"

# With axes: the parent of the same values, or the one that is named in full.
file '  a: {from: {cell: parent}, freeze: "all, head"}
  b: {from: {cell: parent/batch=8}, freeze: "all, head"}
  parent: {}
axes: {batch: [8, 16]}'
try run --quiet e.yaml
want_code 0
for of in a/batch=8:8 a/batch=16:16 b/batch=8:8 b/batch=16:8; do
    [ "$(weights "$(address "${of%:*}" 1)")" = "$(weights "$(address "parent/batch=${of#*:}" 1)")" ] || fail "${of%:*} starts from another cell"
done
[ "$(weights "$(address a/batch=8 1)")" != "$(weights "$(address a/batch=16 1)")" ] || fail "one model for two batches"
# What is not given, the share of causal batches, is the other cell's, also over two steps.
file '  copy: {from: {cell: child}, updates: 1}
  child: {from: {cell: parent}, updates: 6}
  masked: {from: {cell: parent}, updates: 6, causal_share: 0}
  parent: {causal_share: 1}'
try run --quiet e.yaml --only '*:1'
want_code 0
for of in copy:1.0 child:1.0 masked:0.0; do
    grep -q "\"causal_share\": ${of#*:}," "isoglot-store/runs/$(address "${of%:*}" 1)/run.json" || fail "$of: another share"
done
file '  a: {from: {cell: parent}, nsp: true, instances: pairs}
  parent: {causal_share: 1}'
try run e.yaml
want_error 2 "isoglot run: error: e.yaml:3: cell 'a': causal-share: found 1, expected 0 with nsp, which reads the first token, that sees no other in a causal batch"

file '  a: {from: {cell: parrent}}
  parent: {}'
try run e.yaml
want_error 2 "isoglot run: error: e.yaml:3: cell 'a': from: unknown cell 'parrent'" "did you mean 'parent'?"
file '  a: {from: {cell: b}}
  b: {from: {cell: a}}'
try run e.yaml
want_code 2
want_err_has "from: the cells start from each other in a circle"
file '  a: {from: {cell: parent}}
  parent: {seeds: [1]}'
try run e.yaml
want_error 2 "isoglot run: error: e.yaml:3: cell 'a': from: cell 'parent' has no seed 2"
file '  a: {from: {cel: b}}'
try run e.yaml
want_error 2 "isoglot run: error: e.yaml:3: cell 'a': from: found '{cel: b}', expected a folder or {cell: NAME}"
file '  a: {from: {cell: parent}, hidden: 64}
  parent: {}'
try run e.yaml
want_error 2 "isoglot run: error: e.yaml:3: cell 'a': from: cell 'parent' has hidden 32, expected 64" "reinit gives parts new weights"
file '  a: {from: {cell: parent}, layers: 3}
  parent: {}'
try run e.yaml
want_error 2 "isoglot run: error: e.yaml:3: cell 'a': from: cell 'parent' has layers 2, expected 3" "reinit gives parts new weights"
for other in 'heads: 4' 'pre_norm: true' 'position_type: rotary' 'tied: false' 'transform: false' 'gelu_tanh: true' \
    'layer_norm_eps: 1e-5' 'architecture: modernbert'; do
    file "  a: {from: {cell: parent}, $other}
  parent: {}"
    try run e.yaml
    want_error 2 "isoglot run: error: e.yaml:3: cell 'a': from: cell 'parent' has another $(printf '%s' "${other%%:*}" | tr _ -), expected the same"
done
for other in 'segments: 4' 'max_positions: 600'; do
    file "  a: {from: {cell: parent}, $other}
  parent: {}"
    try run e.yaml
    want_code 2
    want_err_has "cell 'a': from: cell 'parent' has $(printf '%s' "${other%%:*}" | tr _ -) "
done
file '  a: {from: {cell: parent}, reinit: nothing}
  parent: {}'
try run e.yaml --dry-run
want_code 2
want_err_has "cell 'a': reinit: found 'nothing', expected words, embeddings, layers, layers A-B (1 to 2)"
file '  a: {freeze: "layers 3"}'
try run e.yaml --dry-run
want_code 2
want_err_has "cell 'a': freeze: found 'layers 3', expected words, embeddings, layers, layers A-B (1 to 2)"
for edit in 'neurons, rule: random, count: 129|count: found 129, expected at most 128' 'heads, list: ", "|heads: expected list:' \
    'neurons, layer: 2, rule: lape, count: 65|count: found 65, expected at most 64'; do
    file '  a: {}'
    sed -i "s/^measure.*/measure: {what: [retrieval], text: {x: {edit: [{kind: ${edit%%|*}}]}}}/" e.yaml
    try run e.yaml --dry-run
    want_code 2
    want_err_has "${edit#*|}"
done
file '  a: {languages: "en; x(world=SOV) = hop:4 | tokenize"}'
try run e.yaml
want_error 2 "isoglot run: error: e.yaml:3: cell 'a': x: transform 'hop' reads the number of verbs, but those of this world's language have none, expected world=agree, or a profile that agrees"
try train --world demo --out t --languages "en; x(world=SOV) = hop:4 | tokenize"
want_error 2 "isoglot train: error: x: transform 'hop' reads the number of verbs, but those of this world's language have none, expected world=agree, or a profile that agrees"
[ ! -e t ] || fail "a folder is left"
file '  a: {from: nofolder}
  b: {}'
try run e.yaml
want_code 2
want_err_has "no such folder (a relative path is looked for beside the file that names it, then below the data root)"
file '  a: {from: b}
  b: {}'
try run e.yaml
want_code 2
want_err_has "no such folder (from: {cell: b} starts from that cell)"
try train --world demo --world-sentences 120 --from '{cell: a}' --out t --updates 2 --preset bert-tiny --vocab-size 120
want_code 2
want_err_has "from: found cell 'a', expected a folder outside an experiment file"

# The shape of a model that is started from a folder is the folder's: a layer that it has beyond the preset's twelve is measured.
try train --quiet --world demo --world-sentences 120 --dev-take 20 --layers 14 --preset bert-tiny --vocab-size 120 --updates 1 \
    --no-eval --out deep
want_code 0
cat >deep.yaml <<'Y'
base: {world: demo, world_sentences: 120, dev_take: 20, updates: 1, batch: 16, from: deep/model}
seeds: 1
measure: {what: [retrieval], layers: [13], text: {cut: {edit: [{kind: heads, list: "13:0"}]}}}
Y
try run deep.yaml --quiet --store deep-store
want_code 0

# Reports need the folder no longer, from a store or from results; what it alone says is not claimed.
cat >deep.yaml <<'Y'
base: {world: demo, world_sentences: 120, dev_take: 20, updates: 1, batch: 16, from: deep}
cells: {a: {freeze: layers 13}, b: {lr: 1e-3}}
seeds: 2
measure: {what: [retrieval, translation], layers: all}
claims: {same: {text: alike, statement: "mu(a) > mu(b)"}}
Y
try run deep.yaml --quiet --store deep-store
want_code 0
try export deep.yaml --store deep-store -o deep.jsonl
want_code 0
try report deep.yaml --store deep-store --csv
want_code 0
cp .out there.csv
try claims deep.yaml --store deep-store
want_out_has "; 14 layers of 32, 1 updates of"
mv deep away
for from in '--store deep-store' '--results deep.jsonl'; do
    # shellcheck disable=SC2086
    try report deep.yaml $from --csv
    want_code 0
    cmp .out there.csv || fail "another table without the folder"
    # shellcheck disable=SC2086
    try claims deep.yaml $from
    want_out_has "; a model that is not here, 1 updates of"
done
try run deep.yaml --store deep-store
want_code 2
want_err_has "deep.yaml:2: cell 'a': "
want_err_has "no such folder"
