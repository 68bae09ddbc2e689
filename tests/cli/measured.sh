#!/bin/sh
# Numbers in a store that were measured otherwise than a file requests: no command shows them as the file's.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

experiment() { # FILE SENTENCES LR
    cat >"$1" <<END
base: {preset: bert-tiny, world: demo, world_sentences: 80, dev_take: 40, vocab_size: 120, updates: 10, batch: 16}
cells: {a: {}, b: {inv_order: true}}
seeds: 2
measure: {take: $2}
tasks: {tags: {world: tags, train: 20, dev: 10, test: 10, epochs: 1, lr: $3}}
report: {tables: [{name: t, rows: ["*"], columns: [mu, "accuracy[task=tags,en]"]}]}
claims: {x: {text: order, statement: "mu(a) > mu(b)"}}
END
}
experiment ten.yaml 10 1e-3
experiment forty.yaml 40 1e-3
experiment lr.yaml 10 2e-3
sed -e '/^tasks:/d' -e 's/, "accuracy[^]]*]"//' ten.yaml >plain.yaml
sed 's/^tasks: {/tasks: {more: {world: tags, train: 20, dev: 10, test: 10, epochs: 1}, /' ten.yaml >more.yaml

try run ten.yaml --store st --quiet
want_code 0
try report ten.yaml --store st --json
want_code 0
cp .out as_asked.json
if grep -q 'left out' .err; then fail "left out what was asked for"; fi
try export ten.yaml --store st
want_code 0
cp .out ten.jsonl

# --- another number of sentences, other settings of a task, one more task: no number is shown, and all commands say why
for other in forty lr more; do
    case $other in
    forty) why="take: 10, asked for: 40" ;;
    lr) why="tags: the task, its data or its settings are others" ;;
    more) why="not fine-tuned for more" ;;
    esac
    line="$other.yaml: left out: 4 runs: 4 "
    try report $other.yaml --store st --json
    want_code 0
    want_err_has "$line"
    want_err_has "($why); mended by: isoglot run $other.yaml --store st"
    want_out_has '"mean": null'
    want_out_has '"status": "missing"'
    if grep -q '"mean": [0-9-]' .out; then fail "a number that $other.yaml does not ask for"; fi
    want_out_has '"verdict": "not measured"'
    try status $other.yaml --store st
    want_out_has "($why)"
    try claims $other.yaml --store st
    want_code 0
    want_out_has "1 claim of no paper: 1 not measured"
    want_err_has "$why"
    try report $other.yaml --store st --metrics
    if grep -q ',mu,' .out; then fail "a value that $other.yaml does not ask for"; fi
    try export $other.yaml --store st
    want_code 0
    want_err_has "$why"
    if grep -q '"split":' .out; then fail "exported what $other.yaml does not ask for"; fi
    try compare ten.yaml $other.yaml --store st
    want_out_has "not measured in B"
    want_err_has "$why"
    # Likewise for a file of results.
    sed "s/\"experiment\":\"ten\"/\"experiment\":\"$other\"/" ten.jsonl >$other.jsonl
    try report $other.yaml --results $other.jsonl --json
    want_code 0
    want_err_has "$line"
    want_err_has "($why); mended by: isoglot run $other.yaml, then isoglot export"
    if grep -q '"mean": [0-9-]' .out; then fail "a number of a file that $other.yaml does not ask for"; fi
done

# --- fewer tasks are no other ones
try report plain.yaml --store st --json
want_code 0
if grep -q 'left out' .err; then fail "a task that is not asked for"; fi
want_out_has '"n": 2'

# --- what results do not tell is not held against them
sed -e 's/"max_sentences":10,//; s/,"curve_max_sentences":10//' ten.jsonl >untold.jsonl
try report ten.yaml --results untold.jsonl --json
want_code 0
if grep -q 'left out' .err; then fail "left out what is not told"; fi
sed -e 's/"measure":{[^}]*}[^}]*},//' ten.jsonl >untold.jsonl
if grep -q max_sentences untold.jsonl; then fail "the measures are still told"; fi
try report ten.yaml --results untold.jsonl --json
want_code 0
if grep -q 'left out' .err; then fail "left out what is not told"; fi

# --- data of a task that were changed
mkdir own
printf 'the dog sees\tgood\na cat runs\tbad\nthe fish swims\tgood\na bird sings\tbad\n' >own/train.tsv
cp own/train.tsv own/dev.tsv
cp own/train.tsv own/test.tsv
printf 'kind: single\ntrain: {en: train.tsv}\ndev: {en: dev.tsv}\ntest: {en: test.tsv}\n' >own/TASK.yaml
sed 's/tags: {world: tags, train: 20, dev: 10, test: 10, /tags: {task: own\/TASK.yaml, /' ten.yaml >own.yaml
try run own.yaml --store own-store --quiet
want_code 0
try report own.yaml --store own-store
if grep -q 'left out' .err; then fail "left out what was asked for"; fi
printf 'a dog runs\tbad\n' >>own/test.tsv
try report own.yaml --store own-store
want_err_has "4 fine-tuned otherwise than the experiment asks (tags: the task, its data or its settings are others)"

# --- measured twice within a second: the index of the first is not taken for that of the second
moment() { touch -d @1700000000 again/runs/*/DONE; }
try run ten.yaml --store again --quiet
moment
try report ten.yaml --store again
mkdir index
cp again/store.sqlite* index/
try run forty.yaml --store again --quiet
moment
rm again/store.sqlite*
cp index/* again/
try report forty.yaml --store again --json
want_code 0
if grep -q 'left out' .err; then fail "left out what was measured within the same second"; fi
want_out_has '"n": 2'

# --- two files that ask for other measures of the same runs share a store: each keeps its own, in any order and at once
sed 's/take: 10/take: 10, checkpoints: log/' plain.yaml >curve10.yaml
sed 's/take: 10/take: 40, checkpoints: log/' plain.yaml >curve40.yaml
values() { # FILE STORE: what the store has of the file's runs, without addresses, whose hash has the measures
    try report "$1" --store "$2" --metrics
    want_code 0
    if grep -q 'left out' .err; then fail "left out what was asked for"; fi
    cut -d, -f2-4,6-15 .out | grep -E "^[ab],[^,]*,[01],(mu|rho|tau|accuracy|perplexity)," || fail "no values"
}
for name in ten forty lr curve10 curve40; do
    try run "$name.yaml" --store fresh-$name --quiet
    want_code 0
    values $name.yaml fresh-$name >want-$name
done
# Further measures requested by others do not matter: all of its own values are there, none over other sentences.
keeps() { # NAME
    values "$1.yaml" both >got
    grep -vxF -f got "want-$1" >lost || true
    [ ! -s lost ] || fail "lost or changed for $1 in '$order': $(head -3 lost)"
    if [ "$1" = forty ] && awk -F, '$4 == "mu" && $11 != 40 { bad = 1 } END { exit !bad }' got; then fail "a curve over 10 sentences in forty.yaml"; fi
}
for order in "curve10 forty lr ten curve40" "curve40 curve10 ten forty lr"; do
    rm -rf both
    for name in $order; do
        try run "$name.yaml" --store both --quiet
        want_code 0
        keeps "$name"
    done
    # All of them, by the index as the last one left it: comparisons of a store read no file.
    try compare both#ten both#forty --measure mu --json
    want_code 0
    want_out_has '"difference"'
    if grep -q '"difference": 0.0,' .out; then fail "the same numbers for 10 and for 40 sentences"; fi
    for name in $order; do
        keeps "$name"
        try run "$name.yaml" --store both
        want_out_has "4 of 4 runs done"
        try status "$name.yaml" --store both
        want_out_has "4 done"
    done
    try status --verify --store both
    want_code 0
done
rm -rf both
"$isoglot" run ten.yaml --store both --quiet >/dev/null 2>ten.err &
first=$!
"$isoglot" run forty.yaml --store both --quiet >/dev/null 2>forty.err &
second=$!
wait $first || fail "the first of two schedulers: $(cat ten.err)"
wait $second || fail "the second of two schedulers: $(cat forty.err)"
for name in ten forty; do
    values $name.yaml both >got
    cmp -s got want-$name || fail "two schedulers at once: the values of $name are others"
done

# --- what the new measures include is not set aside
sed -e 's/take: 10/take: 10, what: [retrieval]/; s/columns: .mu./columns: ["rho[low]"]/; /^claims:/d' plain.yaml >few.yaml
sed 's/what: .retrieval/&, perplexity/' few.yaml >further.yaml
for name in few further; do
    try run $name.yaml --store further --quiet
    want_code 0
    [ "$(find further/runs -mindepth 1 -maxdepth 1 | wc -l)" = 4 ] || fail "set aside what is among the measures"
done

# --- files that share a run: none loses its measures when another is stopped, shows the other's pairs or steps, or takes
# the end's measures for those of a checkpoint
base='{preset: bert-tiny, world: demo, world_sentences: 80, dev_take: 40, vocab_size: 120, updates: 10, batch: 16'
shared() { # FILE MEASURE COLUMNS
    printf 'base: %s, languages: "en; two = shift; three = shift | invert"}\nmeasure: {%s}\n' "$base" "$2" >"$1"
    echo "report: {tables: [{name: t, columns: [$3]}]}" >>"$1"
}
shared one.yaml 'what: [alignment, retrieval]' '"f1[low]"'
shared all.yaml 'what: [alignment, retrieval], pairs: all' '"f1[low]"'
shared curve.yaml 'what: [alignment], checkpoints: [2, 5]' '"f1[low,step=2]"'
shared layers.yaml 'what: [alignment, retrieval], layers: all' '"rho[1]"'
shared whole.yaml 'what: [alignment, retrieval], layers: all, checkpoints: [2, 5]' '"rho[1,step=2]", "rho[low,step=5]"'
try run one.yaml --store pairs --quiet
try report one.yaml --store pairs
cp .out before
try run all.yaml --store pairs --quiet
want_code 0
try report one.yaml --store pairs
cmp -s before .out || fail "a file shows the means over another file's pairs"
try run curve.yaml --store steps --quiet
try export curve.yaml --store steps
sed 1,2d .out >before
cp -r steps stopped
try run layers.yaml --store steps --quiet
want_code 0
try status curve.yaml --store steps
want_out_has '1 done'
try status whole.yaml --store steps
want_out_has 'measured otherwise than the experiment asks (before the last update without retrieval)'
try run whole.yaml --store steps --quiet
want_code 0
try report whole.yaml --store steps --json
if grep -q '"mean": null' .out; then fail "a checkpoint lacks what was measured at the end"; fi
rm stopped/runs/*/DONE # as a process leaves it that is killed while it measures the run again
try run layers.yaml --store stopped --quiet
want_code 0
try status curve.yaml --store stopped
want_out_has '1 done'

# --- of what was set aside, damage is mended by measuring the run again, which keeps what it has
sed 's/what/take: 20, what/' one.yaml >twenty.yaml
sed 's/what/take: 30, what/' one.yaml >thirty.yaml
try run twenty.yaml --store aside --quiet
try run thirty.yaml --store aside --quiet
address=$(find aside/runs/*/measured -type f | sed 's|.*/||')
echo garbage >"aside/runs/$address/measures.jsonl"
try run twenty.yaml --store aside --quiet --retry
want_code 0
for name in twenty thirty; do
    try status $name.yaml --store aside
    want_out_has '1 done'
done

# --- what was set aside is a run like others: its model opens, and stays when the others are made again
address=$(find both/runs/*/measured -type f | head -1 | sed 's|.*/||')
try model "both/runs/$address"
want_code 0

# --- values at the ends of doubles are values: what they give is infinite, or none, and nothing breaks
awk '/"measure":"mu"/ {n++; sub(/"value":[^}]*/, "\"value\":" (n % 2 ? "1e308" : "-1e308"))} {print}' ten.jsonl >ends.jsonl
grep -q '"value":-1e308' ends.jsonl || fail "no values to read"
for how in "report ten.yaml" "claims ten.yaml" "report ten.yaml --json" "report ten.yaml --html page"; do
    # shellcheck disable=SC2086
    try $how --results ends.jsonl
    want_code 0
done

# --- what a job script passes on: every option of the command that changes what a task does
try run ten.yaml --store fresh --launcher slurm --array 2 --threads 3 --only a --max-time 90 --save-every 2.5 --retry --set updates=12
want_code 0
for option in "--worker" "--jobs 1" "--threads 3" "--only a" "--max-time 90" "--save-every 2.5" "--retry" "--set updates=12"; do
    grep -qF -e "$option" fresh/jobs/*.sh || fail "the job script lacks $option"
done
