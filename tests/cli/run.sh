#!/bin/sh
# isoglot run and status as a user meets them: what they print, the exit codes, Ctrl-C, kill -9, the job script.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
unset ISOGLOT_STORE ISOGLOT_DATA

cat >e.yaml <<'END'
base: {preset: bert-tiny, updates: 20, batch: 16, block: 48, vocab_size: 200, world_sentences: 60, dev_take: 20}
cells:
  original: {}
  apart: {lang_pos: true, shift_special: true, no_random: fixed}
seeds: 2
variants:
  longer: {base: {updates: 400}}
  broken: {cells: {far: {languages: "en; fake = shift | positions:500"}}}
END

# Nothing is there yet, and asking changes nothing.
try status e.yaml
want_code 0
want_out_has "e in isoglot-store (new): 4 runs: 4 missing"
try run e.yaml --dry-run --jobs 1
want_code 0
want_out_has "e: 2 cells, 4 runs: 0 done, 0 failed, 4 to do"
want_out_has "from a few updates of 1 shape on this machine"
want_out_has "results go to isoglot-store (new)"
[ ! -e isoglot-store ] || fail "a dry run made the store"
try run e.yaml --dry-run --only 'apart:0' --jobs 1
want_out_has "e: 1 cell, 1 run: 0 done, 0 failed, 1 to do"
want_out_has "  apart "
! grep -q '^  original' .out || fail "a cell outside of the selection"

try run e.yaml --only 'apart:0' --jobs 1
want_code 0
grep -qxF 'store isoglot-store (new)' .err || fail "no word of the new store"
grep -q '^apart:0 done after .* (1 of 1)$' .err || fail "no word of the run that is done"
want_out_has "e: 1 of 1 run done; "
want_out_has "isoglot report e.yaml"
try run e.yaml
want_code 0
grep -qxF 'store isoglot-store' .err || fail "no word of the store"
want_out_has "e: 4 of 4 runs done; "
[ "$(grep -c ' done after ' .err)" -eq 3 ] || fail "expected three runs to be done here"
try run e.yaml --json --quiet
want_code 0
want_err ""
want_out_has '"done": 4'
want_out_has '"failures": []'
try status e.yaml
want_out_has "e in isoglot-store: 4 runs: 4 done"
try status e.yaml --json
want_out_has '"status": "done"'
want_out_has '"missing": 0'
[ "$(find isoglot-store/data -name data.json | wc -l)" -eq 1 ] || fail "the data are there more than once"

# Somewhere else, by option and by environment.
try run e.yaml --store a/b --only original:1
want_code 0
[ -s a/b/store.sqlite ] || fail "no store in a/b"
ISOGLOT_STORE=c
export ISOGLOT_STORE
try run e.yaml --worker --only original:1
want_code 0
[ ! -e c/store.sqlite ] || fail "a worker wrote the store's index"
unset ISOGLOT_STORE

# Keys of the command line, over the file's; a command that is to be typed has them too.
try status e.yaml --set updates=4 -s batch=8 --store set
want_code 0
want_out_has "e;updates=4;batch=8 in set (new): 4 runs: 4 missing"
try run e.yaml --set updates=4 -s batch=8 --store set -j1 -q
want_code 0
want_out_has "isoglot report e.yaml --set updates=4 --set batch=8 --store set  prints its tables"
try status e.yaml --store set
want_out_has "4 missing"
try status e.yaml --set updates=4 -s batch=8 --store set --json
want_out_has '"done": 4'
try report e.yaml --set updates=4 -s batch=8 --store set
want_code 0
try run e.yaml --set updats=4
want_error 2 "isoglot run: error: --set: unknown key 'updats'" "did you mean 'updates'?"
printf 'extends: e.yaml\nbase: {updates: 10}\n' >over.yaml
try status over.yaml --variant longer
want_err "variant 'longer' of e.yaml overrides over.yaml: updates 400, not 10"

# From standard input; what it extends lies below the working directory.
tried="run - <over.yaml"
code=0
"$isoglot" status - --set updates=20 --store set <over.yaml >.out 2>.err || code=$?
want_code 0
want_out_has "stdin;updates=20 in set: 4 runs: 4 missing"
sed 's/10/20/' over.yaml | "$isoglot" status - --store set >.out 2>.err || fail "from a pipe"
want_out_has "stdin in set: 4 runs: 4 missing"
try run - --launcher slurm
want_error 2 "isoglot run: error: --launcher: the experiment is read from standard input, expected a file: every task reads it"
try run e.yaml --set dev_take=0
want_error 2 "isoglot run: error: --set: cell 'original': dev-take: 0 stands for all sentences, but a generated world has no end, expected at least 1"

# A cell that cannot be: the others are not in its way, the code and message are its own.
try run e.yaml --variant broken
want_code 2
want_out_has "e:broken: 4 of 6 runs done, 2 failed"
want_out_has "failed  far:0  max-positions: found 512, but language 'fake' has positions from 500 to 547"
tail -1 .err | grep -q '^isoglot run: error: e.yaml: 2 of 6 runs failed (.*--retry.*)$' || fail "no error line"
try run e.yaml --variant broken --dry-run
want_code 0
want_out_has "4 done, 2 failed, 0 to do (--retry tries failed runs again)"
try run e.yaml --variant broken --dry-run --retry
want_code 3
want_out_has "2 runs will fail: far: max-positions: found 512"
want_err "isoglot run: error: e.yaml:8: 2 runs will fail: cell 'far': max-positions: found 512, but language 'fake' has positions from 500 to 547"
try run e.yaml --variant broken --dry-run --retry --json
want_code 3
want_out_has '"impossible": 2'

# An update that takes minutes is not made to tell how long it takes; on a busy machine nothing may be timed (null).
cat >slow.yaml <<'END'
base: {preset: bert-tiny, updates: 1000, batch: 64, accum: 100000, block: 48, vocab_size: 200, world_sentences: 60, dev_take: 20}
variants:
  large: {base: {world_sentences: 5000000}}
END
tried="run slow.yaml --dry-run"
code=0
timeout 300 "$isoglot" run slow.yaml --dry-run --jobs 1 --json >.out 2>.err </dev/null || code=$?
want_code 0
awk '/"core_seconds"/ { found = $2 ~ /null/ || $2 + 0 > 100000 } END { exit !found }' .out || fail "1000 such updates are told to be quick"

# Asked to stop it stops at once, whatever it does, and leaves nothing.
mkdir tmp
TMPDIR=$PWD/tmp "$isoglot" run slow.yaml --variant large --dry-run --jobs 2 >.out 2>.err </dev/null &
pid=$!
i=0
while [ -z "$(ls tmp)" ] && [ $i -lt 900 ]; do
    sleep .1
    i=$((i + 1))
done
kill -TERM $pid
i=0
while kill -0 $pid 2>/dev/null && [ $i -lt 600 ]; do
    sleep .1
    i=$((i + 1))
done
[ $i -lt 600 ] || fail "goes on for a minute after SIGTERM"
code=0
wait $pid || code=$?
want_code 8
[ -z "$(ls tmp)" ] || fail "left behind: $(ls tmp)"

# More than two languages: every pair, and their mean.
cat >three.yaml <<'END'
extends: e.yaml
base: {languages: "en; a = shift; b = shift", updates: 4}
cells: {apart: null}
seeds: 1
measure: {pairs: all}
report: {tables: [{name: t, columns: ["rho[low]", "rho[low,en-a]", "rho[low,en-b]", "rho[low,a-b]"]}]}
END
try run three.yaml --jobs 1
want_code 0
try report three.yaml --csv
want_code 0
sed 's/"[^"]*"/q/' .out | awk -F, 'NR > 1 { v[NR - 1] = $7; n++ }
    END { mean = (v[2] + v[3] + v[4]) / 3; d = v[1] - mean
          exit !(n == 4 && mean > 0 && d < 1e-9 && d > -1e-9) }' || fail "not the mean of three pairs: $(cat .out)"
sed 's/all}/[en-a]}/' three.yaml >some.yaml
try status some.yaml
want_error 2 "isoglot status: error: some.yaml:6: columns: the pair 'en-b' of cell 'original' is not measured" \
    "measure: {pairs: all} compares them all, each in the order of the languages"
sed 's/all}/[b-a]}/' three.yaml >some.yaml
try status some.yaml
want_error 2 "isoglot status: error: some.yaml:5: pairs: cell 'original' has no pair of languages 'b-a' in this order" \
    "its languages are: en; a = shift; b = shift"

# Mistakes.
try run
want_error 2 "isoglot run: error: found 0 arguments, expected 1" "usage: isoglot run [OPTIONS] FILE|-"
try run nowhere.yaml
want_error 4 "isoglot run: error: nowhere.yaml: cannot open: No such file or directory"
try run e.yaml --only 'apart:7'
want_error 2 "isoglot run: error: selector: 'apart' has no seed 7" "its seeds are 0, 1"
for bad in 1x -3 h 2h2h 5m1h inf 0x10 ''; do
    try train --out t --max-time="$bad"
    want_error 2 "isoglot train: error: --max-time: found '$bad', expected a time: seconds, or 90m, 2h, 1h30m, 1d"
    try run e.yaml --max-time="$bad"
    want_error 2 "isoglot run: error: --max-time: found '$bad', expected a time: seconds, or 90m, 2h, 1h30m, 1d"
done
try help run
want_out_has "1h30m; 0: no"
try run e.yaml --variant longer,,broken
want_error 2 "isoglot run: error: --variant: found 'longer,,broken', expected names with a comma between them"
try run e.yaml --only nothing
want_code 2
: >file
try run e.yaml --store file
want_error 4 "isoglot run: error: file: found a file, expected a folder"

# A text that is edited while the command works is not trained on under the address of what it was.
awk 'BEGIN { for (i = 0; i < 200; i++) print "w" i % 7, "w" i % 11, "w" i % 13, "w" i % 5 }' >text.txt
cat >text.yaml <<'END'
base: {preset: bert-tiny, updates: 200, batch: 16, block: 48, vocab_size: 60, text: text.txt, dev_text: text.txt, dev_take: 20}
seeds: 4
END
tried="run text.yaml &"
"$isoglot" run text.yaml --data . --jobs 1 --store t >.out 2>.err </dev/null &
pid=$!
i=0
until grep -q 'done after' .err || [ $i -ge 600 ]; do
    sleep .05
    i=$((i + 1))
done
echo "w1 w2" >>text.txt
code=0
wait $pid || code=$?
[ $code -ne 0 ] || fail "trained on the edited text"
grep "^base:3 FAILED after " .err | grep -qF ": $(pwd -P)/text.txt: a text or vocabulary of this run was changed after the command began" ||
    fail "no word of the edited text"
try run text.yaml --data . --store t --jobs 2
want_code 0
want_out_has "4 of 4 runs done"

# Options that only Slurm reads are checked, too.
try run e.yaml --submit
want_error 2 "isoglot run: error: --submit: found without --launcher slurm, expected with it" \
    "it says how a job array is handed to Slurm; here runs are processes of this machine"

# Columns, and a command to be given to a shell, with names of other scripts and quotes.
mkdir "it's"
cat >"it's/日.yaml" <<'END'
base: {preset: bert-tiny, updates: 2, batch: 8, vocab_size: 60, world_sentences: 30, dev_take: 10}
cells: {日本: {}, b: {lang_pos: true, shift_special: true, no_random: fixed, mask_prob: 0.25}}
END
try run "it's/日.yaml" --store "a store" --quiet
want_code 0
want_out_has "isoglot report 'it'\\''s/日.yaml' --store 'a store'  prints its tables"
try status "it's/日.yaml" --store "a store"
want_out_has "  日本  original                                            1 done"
want_out_has "  b     lang-pos; shift-special; no-random; mask-prob=0.25  1 done"

# A store that may not be written is told before any run is begun, and where all are done nothing is to be written; root is
# let through, so it asks as another user where it can.
chmod 755 .
chmod -R a+rX,a-w "a store"
as=
[ "$(id -u)" -ne 0 ] || as="setpriv --reuid 65534 --clear-groups"
if $as test ! -w "a store" && $as test -x "$isoglot" && $as test -r e.yaml; then
    tried="run in a store that may only be read"
    # shellcheck disable=SC2086  # a command and its options
    { code=0; $as "$isoglot" run e.yaml --store "a store" --quiet >.out 2>.err </dev/null || code=$?; }
    want_error 4 "isoglot run: error: a store: the store may be read here, not written"
    # shellcheck disable=SC2086
    { code=0; $as "$isoglot" run "it's/日.yaml" --store "a store" --quiet >.out 2>.err </dev/null || code=$?; }
    want_code 0
fi
chmod -R u+w "a store"

# Ctrl-C: saved and stopped; then kill -9 in the middle; the same command ends with the same models.
begin() {
    "$isoglot" run e.yaml --variant longer --store "$1" --save-every 0.05s --jobs 2 >.out 2>.err </dev/null &
    pid=$!
}
until_saved() { # STORE: until some run has a checkpoint
    i=0
    while [ -z "$(find "$1" -name trainer.state 2>/dev/null)" ] && [ $i -lt 1500 ]; do
        sleep .02
        i=$((i + 1))
    done
}
try run e.yaml --variant longer --store whole --jobs 2
want_code 0
begin stopped
until_saved stopped
kill -INT $pid
code=0
wait $pid || code=$?
tried="run e.yaml --variant longer &"
want_code 8
want_out_has "missing"
tail -1 .err | grep -q "(the same command resumes from there)$" || fail "no hint"
try status e.yaml --variant longer --store stopped
grep -q "stopped at [0-9]* of 400" .out || fail "no word of where it stopped"
begin stopped
until_saved stopped
sleep .1
kill -KILL $pid
wait $pid 2>.wait || :
try run e.yaml --variant longer --store stopped
want_code 0
for dir in whole/runs/*; do
    for f in measures.jsonl model/model.safetensors; do
        cmp -s "$dir/$f" "stopped/runs/${dir##*/}/$f" || fail "${dir##*/}/$f differs"
    done
done

# A job script for Slurm, and that its tasks do the work when they are run one after another.
try run e.yaml --store cluster --launcher slurm --sbatch-args '--mem=4G'
want_error 2 "isoglot run: error: --sbatch-args: found nothing, expected a text" \
    "a value that begins so is given as --sbatch-args='--mem=4G'"
try run e.yaml --store cluster --launcher slurm --set seeds=1 --set languages='en; fake = shift'
want_code 0
grep -qF -e "--set seeds=1" "$(ls cluster/jobs/*.sh)" || fail "the script lacks --set"
grep -qF -e "--set 'languages=en; fake = shift'" "$(ls cluster/jobs/*.sh)" || fail "the script lacks --set"
rm -r cluster
try run e.yaml --store cluster --launcher slurm --sbatch-args='--partition=cpu --mem 4G' --array 2
want_code 0
script=$PWD/cluster/jobs/e.sh
want_out_has "$script  has 2 tasks"
for line in '#SBATCH --array=0-1' '#SBATCH --partition=cpu' '#SBATCH --mem 4G' '#SBATCH --cpus-per-task=1' \
    '#SBATCH --signal=B:TERM@120'; do
    grep -qxF -e "$line" "$script" || fail "the script lacks '$line': $(cat "$script")"
done
! grep -q -e --time= "$script" || fail "a time limit that nobody gave"
sh -n "$script" || fail "the script is none"
[ -x "$script" ] || fail "the script cannot be executed"
for task in 0 1; do
    SLURM_ARRAY_TASK_ID=$task "$script" >.out 2>.err || fail "task $task failed"
done
[ ! -e cluster/store.sqlite ] || fail "a task wrote the store's index"
try status e.yaml --store cluster
want_out_has "4 runs: 4 done"
try run e.yaml --store cluster --launcher slurm
want_out "e: nothing is missing"

# A task has five minutes more than it may take, to save and stop.
try run e.yaml --variant longer --store cluster3 --launcher slurm --max-time 2h
want_code 0
grep -qxF '#SBATCH --time=125' cluster3/jobs/*.sh || fail "no time limit of 125 minutes"

# sbatch, as far as its manual page says: the script is its argument, the number of the job its answer.
mkdir bin
cat >bin/sbatch <<'END'
#!/bin/sh
[ -x "$1" ] && echo "Submitted batch job 7"
END
chmod +x bin/sbatch
PATH=$PWD/bin:$PATH
try run e.yaml --store cluster2 --launcher slurm --submit
want_code 0
want_out_has "Submitted batch job 7"
printf '#!/bin/sh\necho "sbatch: error: invalid partition specified: cpu" >&2\nexit 1\n' >bin/sbatch
try run e.yaml --store cluster2 --launcher slurm --submit
want_error 4 "isoglot run: error: sbatch: invalid partition specified: cpu"

# Nothing that ends a line, or that a terminal obeys, gets into a job script.
line=$(printf 'a\nb')
escape=$(printf 'a\033b')
no_script() { # OPTION PLACE
    want_code 2
    grep -q "^isoglot run: error: $1: found the control character 0x[01][0-9A-F] at place $2, expected none in what a job script has$" .err ||
        fail "another error"
    [ "$(find . -name '*.sh' -path '*jobs*' -newer marker)" = "" ] || fail "a script was written"
}
: >marker
sleep 1
try run e.yaml --store "$line" --launcher slurm
no_script --store 2
[ ! -e "$line" ] || fail "the store was made"
try run e.yaml --store cluster4 --launcher slurm --sbatch-args="--mem=4G$line--wrap=x"
no_script --sbatch-args 10
try run e.yaml --store cluster4 --launcher slurm --data "$escape"
no_script --data 2
mkdir "$line"
cp e.yaml "$line/e.yaml"
try run "$line/e.yaml" --store cluster4 --launcher slurm
no_script FILE 2
ln -s "$line" straight
try run straight/e.yaml --store cluster4 --launcher slurm
want_code 2
grep -q "error: FILE: found the control character 0x0A" .err || fail "the file's true name is not looked at"

# No HOME: no error where no text is to be found.
for variable in HOME XDG_DATA_HOME XDG_CACHE_HOME ISOGLOT_DATA; do
    unset $variable
done
try status e.yaml --store nohome
want_code 0
try run e.yaml --store nohome --only 'apart:0' --jobs 1
want_code 0
try report e.yaml --store nohome
want_code 0
try run e.yaml --store nohome --launcher slurm
want_code 0
sed 's/{preset/{text: bible\/eng-kjv.tsv.zst, preset/; s/, world_sentences: 60//' e.yaml >text.yaml
try run text.yaml --store nohome
want_code 2
grep -q "neither --data nor ISOGLOT_DATA nor HOME says one" .err || fail "no word of the data root"
try fetch --list --json
want_code 0
want_out_has '"data": null'
try fetch bible-eng-kjv
want_error 2 "isoglot fetch: error: --data: found no folder for data: neither --data nor ISOGLOT_DATA nor HOME says one" \
    "give --data DIR"
