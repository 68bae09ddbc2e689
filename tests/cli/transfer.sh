#!/bin/sh
# experiments/transfer: on its world a model that shares everything transfers, one that shares nothing does not; and
# the table says how what is measured before fine-tuning goes with what comes of it.
# shellcheck source=tests/cli/lib.sh
files=$(cd "$(dirname "$0")/../../experiments/transfer" && pwd)
. "$(dirname "$0")/lib.sh"

# Effects need thousands of updates: a build with sanitizers takes the same way with a few, and asserts none.
small=few
if [ -n "${ISOGLOT_SANITIZED:-}" ]; then
    small=$small,least
    for name in transfer/world conneau2020/world; do
        mkdir -p "here/${name%/*}"
        cat >"here/$name.yaml" <<END
extends: $files/../$name.yaml
variants:
  least:
    base: {updates: 20, world_sentences: 600, dev_take: 60}
    tasks:
      entities: {train: 60, dev: 20, test: 60, epochs: 1}
      trees: {train: 60, dev: 20, test: 60, epochs: 1}
FIRST least
END
    done
    sed -i 's/^FIRST least/      tags: {train: 60, dev: 20, test: 60, epochs: 1}/' here/transfer/world.yaml
    sed -i '/^FIRST least/d' here/conneau2020/world.yaml
    files=$PWD/here/transfer
fi

only=0,apart,18
half=--set=batch=64 # half of the files': enough for this
try run "$files/world.yaml" --variant $small "$half" --only $only --store s --jobs 2 --threads 1 -q
want_code 0
try report "$files/world.yaml" --variant $small "$half" --only $only --store s --csv
want_code 0
mean() { # TABLE CELL QUANTITY
    sed -n "s/^$1,$2,[^,]*,\"*$3\"*,[^,]*,[^,]*,\([^,]*\),.*/\1/p" .out
}
want() { # LEFT OPERATOR RIGHT
    [ -z "${ISOGLOT_SANITIZED:-}" ] || return 0
    awk -v a="$1" -v b="$3" "BEGIN { exit !(a != \"\" && a $2 b) }" || fail "found $1, expected $2 $3"
}
en=$(mean scores 0 'accuracy\[task=tags,en\]')
want "$(mean predictors 0 mu)" '>' .1
want "$en" '>' .98
want "$(mean predictors 0 'accuracy\[task=tags,fake\]')" '> .9 *' "$en"
want "$(mean predictors 0 'las\[task=trees,fake\]')" '>' .7
want "$(mean scores apart 'accuracy\[task=tags,en\]')" '>' .98

# Its Fake words fall to tags by chance, which a few frequent words decide: one seed may be above the majority, not three.
# A quarter of the updates is enough to learn English by.
cat >chance.yaml <<END
extends: $files/world.yaml
variants:
  chance:
    base: {updates: 250, batch: 64}
    seeds: 3
    tasks: {entities: {train: 20, dev: 20, test: 20, epochs: 1}}
END
try run chance.yaml --variant $small,chance --only apart --store s --jobs 2 --threads 1 -q
want_code 0
try report chance.yaml --variant $small,chance --only apart --store s --csv
want_code 0
want "$(mean scores apart 'accuracy\[task=tags,en\]')" '>' .98
want "$(mean predictors apart 'accuracy\[task=tags,fake\]')" '<' "$(mean scores apart 'majority\[task=tags,fake\]')"
want "$(mean predictors apart 'las\[task=trees,fake\]')" '<' "$(mean scores apart 'majority\[task=trees,fake\]')"

# experiments/conneau2020: with its own parts frozen a model whose lower layers are separate learns English and
# does not transfer.
conneau=$files/../conneau2020/world.yaml
try run "$conneau" --variant $small "$half" --only default,sep-emb-l1-6 --store s --jobs 2 --threads 1 -q
want_code 0
try report "$conneau" --variant $small "$half" --only default,sep-emb-l1-6 --store s --csv
want_code 0
want "$(mean table1-world default 'las\[task=trees,fake\]')" '>' .5
want "$(mean table1-world sep-emb-l1-6 'las\[task=trees,en\]')" '>' .8
want "$(mean table1-world sep-emb-l1-6 'las\[task=trees,fake\]')" '<' "$(mean table1-world default 'majority\[task=trees,fake\]')"

try report "$files/world.yaml" --variant $small "$half" --only $only --store s --table predictors --as markdown
want_code 0
want_out_has 'Spearman ρ with tags*'
# Over these three rows tags follow the perplexity exactly: only trees have something left once it is given.
[ -n "${ISOGLOT_SANITIZED:-}" ] || want_out_has 'Spearman ρ with trees, given perplexity dev*'

# Results as data have the scores of fine-tuning too.
try report "$files/world.yaml" --variant $small "$half" --only $only --store s --as markdown
cp .out of_store
try export "$files/world.yaml" --variant $small "$half" --only $only --store s -o few.jsonl
want_code 0
grep -q '"measure":"las","split":"trees","languages":"fake",' few.jsonl || fail "no score of a task in the results"
try report "$files/world.yaml" --variant $small "$half" --only $only --results few.jsonl --as markdown
want_code 0
cmp -s .out of_store || fail "another table from the results than from the store"

try report "$files/world.yaml" --variant $small "$half" --only $only --store s --json
want_code 0
want_json() { # FILTER
    jq -e "$1" .out >/dev/null || fail "not so: $1"
}
if command -v jq >/dev/null; then
    mu='.tables[] | select(.name == "predictors") | .columns[0].correlations["accuracy[task=tags,fake]"]'
    want_json "$mu | .n == 3 and .low == null"
    [ -n "${ISOGLOT_SANITIZED:-}" ] || want_json "$mu | .rho > 0"
else
    skip_here "no jq"
fi
