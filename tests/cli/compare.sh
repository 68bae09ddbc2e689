#!/bin/sh
# isoglot compare: two variants, the same of a store's folder and of files of results; what is said where they cannot be compared.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cat >e.yaml <<'END'
title: What makes a tiny BERT multilingual
base: {preset: bert-tiny, world: demo, world_sentences: 60, dev_take: 20, vocab_size: 120, updates: 2, batch: 16}
cells:
  "0": {}
  "1": {lang_pos: true}
seeds: 2
variants:
  longer: {base: {updates: 3}}
END
for v in "" longer; do
    try run e.yaml --store st --quiet ${v:+--variant $v}
    want_code 0
done

# --- the same of an experiment file, a store and files
numbers() { sed -n '/cell/,/^$/p' .out | grep -E '^(0|1) ' >"$1"; }
try compare e.yaml 'e.yaml#longer' --store st
want_code 0
want_out_has "config.updates: 2 → 3 (all cells)"
numbers of_files
[ "$(grep -c '^[01]  *mu ' of_files)" -eq 2 ] || fail "expected μ of two cells"
try compare 'st#e' 'st#e:longer'
want_code 0
want_out_has "config.updates: 2 → 3 (all cells)"
numbers of_store
cmp of_files of_store || fail "another comparison of the store"
try export e.yaml --store st --all -o a.jsonl
try export e.yaml --store st --all --variant longer -o b.jsonl
try compare a.jsonl b.jsonl
want_code 0
want_out_has "The settings in which 2 cells differ are not known: files of results do not have them"
numbers of_results
cmp of_files of_results || fail "another comparison of results"
try compare a.jsonl b.jsonl --json --cell 0=1 --measure mu
want_code 0
want_keys_in report.md
want_out_has '"cell_b": "1"'
try compare a.jsonl a.jsonl --as csv --measure mu
want_out_has "0,mu,"

try run e.yaml --store warm --quiet --only 0:0
try run e.yaml --store warm --quiet --only 0:0 --set hidden-dropout=.2
try compare 'warm#e' 'warm#e;hidden-dropout=.2' --measure mu
want_code 0
want_out_has "config.hidden_dropout: 0.1 → 0.2 (0)"

# --- what cannot be compared
try compare 'e.yaml#longer' e.yaml --store warm
want_error 4 "isoglot compare: error: e.yaml#longer: no run is finished, expected some to compare" \
    "--store names another folder of results than the default"
try compare e.yaml 'e.yaml#longer' --store warm
want_code 0
want_out_has "mu of 0: not measured in B"
if grep -q "settings are the same" .out; then fail "settings of runs that are not there"; fi
try compare st a.jsonl
want_error 2 "isoglot compare: error: st: found 2 experiments, expected the name of one after '#'" "st#e, for one"
try compare 'st#longer' a.jsonl
want_error 2 "isoglot compare: error: st: found no results of 'longer'" "did you mean 'e:longer'?"
try compare a.jsonl b.jsonl --cell 2
want_error 2 "isoglot compare: error: --cell: the first has no cell '2'"
try compare a.jsonl b.jsonl --measure taw
want_error 2 "isoglot compare: error: --measure: unknown quantity 'taw'" "did you mean 'tau'?"
sed 's/"cell":"0"/"cell":"x"/; s/"cell":"1"/"cell":"y"/' b.jsonl >c.jsonl
try compare a.jsonl c.jsonl
want_error 3 "isoglot compare: error: c.jsonl: found no cell that a.jsonl has, expected one" \
    "--cell NAME=NAME compares cells of other names"
cat a.jsonl a.jsonl >twice.jsonl
try compare twice.jsonl a.jsonl
want_code 2
sed 1d a.jsonl | cat a.jsonl - | sed '1s/,"runs":[0-9]*}/}/' >twice.jsonl
try compare twice.jsonl a.jsonl
want_error 3 "isoglot compare: error: twice.jsonl: found cell 0, seed 0 twice, expected it once"

# --- isoglot export of the store's folder: all of its experiments, the same values as of their files
try export e.yaml --store st --all --as csv
sort .out >of_files
try export e.yaml --store st --all --variant longer --as csv
sort .out >>of_files
try export st --as csv -o both.csv
want_code 0
sort -u both.csv >a
sort -u of_files >b
cmp a b || fail "other values of the store: $(diff a b | head -n 4)"
try export st -o both.jsonl
try compare 'both.jsonl#e' 'both.jsonl#e:longer'
numbers of_results
cmp of_store of_results || fail "another comparison of the exported store"
try report e.yaml --results both.jsonl
want_error 3 "isoglot report: error: both.jsonl:2: found a run without settings, expected results of the experiment's file" \
    "isoglot export FILE writes them; of a store's folder it cannot"
try export st --as tensorboard -o events
want_code 0
[ "$(find events -path 'events/e:longer/1/seed-0/events.out.tfevents.*.isoglot' | wc -l)" -eq 1 ] || fail "no events: $(find events)"
# Every line of the log is a point of the loss, and the settings are hyperparameters.
events=$(find events -path 'events/e:longer/1/seed-0/*')
n=$(strings -n 4 "$events" | grep -c '^loss' || true)
lines=$(for log in st/runs/*/log.jsonl; do grep -c '"loss"' "$log"; done | sort -n | tail -1)
command -v strings >/dev/null 2>&1 || n=$lines
[ "$n" -eq "$lines" ] || fail "$n losses of $lines lines"
grep -qa '_hparams_/session_start_info' "$events" || fail "no hyperparameters"
try export st --as tensorboard
want_error 2 "isoglot export: error: --out: tensorboard needs a folder to write into"
try export st --only 0
want_error 2 "isoglot export: error: st: --only, --variant, --set and --results are of an experiment file, found results"
