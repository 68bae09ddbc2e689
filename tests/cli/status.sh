#!/bin/sh
# isoglot status: what is done, of which cells, how long the rest will take, and looking again.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cat >e.yaml <<'END'
base: {preset: bert-tiny, world: demo, world_sentences: 60, dev_take: 20, vocab_size: 120, updates: 20, batch: 16}
axes: {batch: [8, 16]}
cells:
  "0": {}
  "1": {lang_pos: true, title: positions apart}
seeds: 2
END
sed -i 's/, batch: 16}/}/' e.yaml

# --- nothing known yet
try status e.yaml --store st
want_code 0
want_out_has "e in st (new): 8 runs: 8 missing"
if grep -q left .out; then fail "time left where nothing is known"; fi
try status e.yaml --store st --json
want_out_has '"seconds_left": null'
try run e.yaml --store st --only 0,1/batch=8 --quiet
want_code 0

# --- the rest takes as long as what is done did
try status e.yaml --store st
want_code 0
want_out_has "8 runs: 6 done, 2 missing, about "
want_out_has "left, one run at a time"
want_out_has "1/batch=16  positions apart"
try status e.yaml --store st --json
want_code 0
if grep -q '"seconds_left": null' .out; then fail "no time left"; fi

# --- of some
try status e.yaml --store st --only 1
want_code 0
want_out_has "e in st: 4 runs: 2 done, 2 missing"
if grep -q '^  0/' .out; then fail "a cell that was not asked for"; fi
try status e.yaml --store st --only batch=16 --done
want_code 0
want_out_has "e in st: 2 runs: 2 done"
if grep -q '1/batch' .out; then fail "a cell without a finished run"; fi
try status e.yaml --store st --only '*:1' --json
[ "$(grep -c '"address"' .out)" -eq 4 ] || fail "expected the four runs of seed 1"

# --- again and again, until nothing is left
try run e.yaml --store st --quiet
want_code 0
try status e.yaml --store st --watch
want_code 0
want_out_has "e in st: 8 runs: 8 done"
if grep -q left .out; then fail "time left where nothing is"; fi

# --- fine-tunings of a run that is not finished
cat >t.yaml <<'END'
base: {preset: bert-tiny, world: tasks, world_sentences: 60, dev_take: 20, vocab_size: 120, updates: 4, batch: 16}
cells: {"0": {}}
seeds: 2
tasks: {tags: {world: tags, train: 40, dev: 20, test: 20, epochs: 1}, names: {world: entities, train: 40, dev: 20, test: 20, epochs: 1}}
END
try run t.yaml --store st --quiet
want_code 0
try status t.yaml --store st --json
want_out_has '"fine_tuned": null'
# For trained runs only the fine-tunings count, by operations at the rate of the trainings.
sed 's/epochs: 1/epochs: 2/g' t.yaml >more.yaml
try run more.yaml --store st --dry-run
want_code 0
want_out_has ", by the seconds of "
try status t.yaml --store st --json
run=st/runs/$(sed -n 's/.*"address": "\([^"]*\)".*/\1/p' .out | head -1)
rm "$run/DONE"
try status t.yaml --store st
want_code 0
want_out_has "seed 0 stopped at 4 of 4, 2 fine-tunings done"
# One that goes on is trained: what is left is what the other seed took, less the time since it began.
sed -i '/"finished_unix"/,$s/"seconds": [0-9.e-]*/"seconds": 600/; s/"fine_tuning_seconds": [0-9.e-]*/"fine_tuning_seconds": 400/' \
    "$run/../"*/manifest.json
touch "$run/run.json"
if command -v flock >/dev/null; then
    exec 9>"$run/lock"
    flock 9
    try status t.yaml --store st
    exec 9>&-
    want_out_has "1 done, 1 running, about 16 min "
    want_out_has "seed 0 running at 4 of 4, 2 fine-tunings done"
fi

# --- the page of what runs: with the loss of each run; it loads itself again until nothing is left to do
cat >live.yaml <<'END'
base: {world: demo, world_sentences: 300, dev_take: 20, preset: bert-tiny, block: 64, batch: 16, updates: 400}
END
"$isoglot" run live.yaml --store live --only base --quiet >run.log 2>&1 &
while [ ! -d live/runs ]; do sleep 0.1; done
try report live.yaml --store live --html page --live
want_code 0
wait
grep -q 'id="figure-loss-of-runs"' page/index.html || fail "no losses"
if grep -q 'http-equiv="refresh"' page/index.html; then fail "the page of a finished experiment loads itself again"; fi
try report live.yaml --store live --live
want_code 0
cmp page/index.html live/live/index.html || fail "another page"
try status live.yaml --store live --verify
want_code 0
try report live.yaml --live --results page/index.html
want_error 2 "isoglot report: error: --live: is of a store's runs, not of --results"

# --- mistakes
try status e.yaml --store st --watch --json
want_error 2 "isoglot status: error: --watch: found with --json, expected one of them"
try status e.yaml --store st --only 7
want_error 2 "isoglot status: error: selector: '7' fits no cell of e" "cells are 0/batch=8, 0/batch=16, 1/batch=8, 1/batch=16"
