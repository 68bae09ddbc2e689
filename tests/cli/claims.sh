#!/bin/sh
# isoglot claims, and the claims below a report: verdicts from a store and from results, and mistakes in statements.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cat >e.yaml <<'END'
base: {preset: bert-tiny, world: demo, world_sentences: 60, dev_take: 20, vocab_size: 120, updates: 2, batch: 16}
cells:
  "0": {}
  "1": {lang_pos: true}
  "2": {inv_order: true}
seeds: 8
claims:
  fits:
    text: A model of two updates is perplexed
    source: here
    statement: "perplexity[dev](0) > 10"
  learned:
    text: It is not
    statement: "perplexity[dev](0) < 10 and mu(0) > mu(2)"
  alike:
    text: Cells 0 and 1 are far apart
    statement: "perplexity[dev](0) > 2 * perplexity[dev](1) or perplexity[dev](1) > 2 * perplexity[dev](0)"
  later:
    text: Nothing is known of cell 2
    statement: "mu(0) > mu(2)"
    proxy: XNLI
  elsewhere:
    text: Another program is slower
    needs: another program
variants:
  fewer: {claims: {later: null, fits: {statement: "1 < perplexity[dev](0) < 1000"}}}
report:
  tables:
    - {name: one, columns: [mu]}
END
mkdir one two
try claims one two
want_error 2 "isoglot claims: error: one: found a folder among 2 arguments, expected it alone, or files"
rmdir one two
try claims e.yaml --store st
want_error 4 "isoglot claims: error: st/store.sqlite: no store of results here" "isoglot run makes one; --store names another folder"
try run e.yaml --store st --only '0,1' --quiet
want_code 0
try export e.yaml --store st -o e.jsonl
grep -q '"measure":"perplexity","split":"dev",' e.jsonl || fail "what claims rest on is not exported"
try claims e.yaml --store st
want_code 0
cp .out of_store
for line in 'fits .*A model of two updates is perplexed (here)  *supported' \
    'perplexity\[dev\](0) > 10  *supported  *+.* 8  *[0-9.e-]* ' 'learned .*contradicted' 'alike .*contradicted' \
    'perplexity\[dev\](0) > 2 \* perplexity\[dev\](1)  *contradicted' 'later .*not measured' \
    'mu(0) > mu(2)  *cell 2: 0 of 8 seeds done' 'cell 2; here a proxy for XNLI  *not measured' 'elsewhere .*not measured' 'needs another program' \
    '1 claim: 1 supported' '4 claims of no paper: 2 contradicted, 2 not measured'; do
    grep -q "$line" .out || fail "standard output lacks '$line'"
done
try claims e.yaml --results e.jsonl
want_code 0
cmp -s .out of_store || fail "other verdicts from results than from the store"
try report e.yaml --results e.jsonl
want_code 0
sed -n '/^Claims/,$p' .out >below
tail -n +2 of_store >a
cmp -s below a || fail "other claims below the report"
try report e.yaml --results e.jsonl --table one
if grep -q Claims .out; then fail "claims below one table that was asked for"; fi
try report e.yaml --results e.jsonl --only 1 --as markdown
want_out_has "| fits "
want_out_has "| supported "
try report e.yaml --results e.jsonl --json
for key in '"claims": [' '"id": "fits"' '"verdict": "supported"' '"seeds_needed": null'; do want_out_has "$key"; done
try report e.yaml --results e.jsonl --html page
want_code 0
for text in '<p class="answer">Of 5 claims 1 is supported, 2 contradicted, 2 not measured; “A model of two updates is perplexed” holds (+' 'n 8); “It is not” does not (' \
    'id="table-claims"' 'href="#table-claims"' 'perplexity[dev](0) &gt; 10' '>contradicted<' 'cell 2: 0 of 8 seeds done'; do
    grep -qF "$text" page/index.html || fail "no '$text' on the page"
done
if command -v xmllint >/dev/null; then xmllint --noout page/index.html || fail "the page is not well-formed"; fi
try claims e.yaml e.yaml --results e.jsonl --json
want_code 0
[ "$(grep -c '"verdict": "not measured"' .out)" -eq 8 ] || fail "expected two claims, a comparison and that of another, twice"
want_keys_in claims.md
try claims e.yaml --store st --variant fewer
want_code 0
want_out_has "perplexity[dev](0) < 1000"
if grep -q 'later' .out; then fail "a claim that the variant takes out"; fi

mistake() { # STATEMENT MESSAGE [HINT]
    awk -v s="$1" '/perplexity\[dev\]\(0\) > 10/ { print "    statement: \"" s "\""; next } { print }' e.yaml >bad.yaml
    try claims bad.yaml --store st
    if [ $# -gt 2 ]; then
        want_error 2 "isoglot claims: error: bad.yaml:$line: $2" "$3"
    else
        want_error 2 "isoglot claims: error: bad.yaml:$line: $2"
    fi
}
line=$(grep -n 'perplexity\[dev\](0) > 10"' e.yaml | cut -d: -f1)
mistake "mu(0) > mu(3)" "statement: found cell '3', expected one of the file" "cells are 0, 1, 2"
mistake "mu(0)" "statement: found its end, expected < or >"
for cancels in "mu(0) > mu(0)" "mu(0) - mu(0) > .1" "mu(1) > mu(0) - mu(0)" "2 * mu(0) > mu(0) + mu(0)" "rho[low](0) > rho[0](0)" \
    "0 * mu(0) > .1" "perplexity(0) > perplexity[dev](0)" "mu(0) - .1 > mu(0)"; do
    mistake "$cancels" "statement: found '$cancels', whose quantities cancel out, expected a comparison that runs decide"
done
for never in "mu(0) > 1" "mu(0) < 0" "spearman(mu, perplexity[dev]) > 2" "mu(0) - mu(1) > 1.5" "perplexity(0) < -1" "mu(0) > 2 * mu(1) + 1" \
    "kendall(mu, perplexity[dev]) < -1"; do
    mistake "$never" "statement: found '$never', which never holds by the range of its quantities, expected a comparison that runs decide"
done
for always in "mu(0) < 1.5" "mu(0) > -.1" "mu(0) + 1.1 > mu(1)" "perplexity(0) + perplexity(1) > -1"; do
    mistake "$always" "statement: found '$always', which always holds by the range of its quantities, expected a comparison that runs decide"
done
sed '/perplexity\[dev\](0) > 10/a\    premise: "mu(0) > 1"' e.yaml >bad.yaml
try claims bad.yaml --store st
want_error 2 "isoglot claims: error: bad.yaml:$((line + 1)): premise: found 'mu(0) > 1', which never holds by the range of its quantities, expected a comparison that runs decide"
mistake "my(0) > 1" "unknown quantity 'my'" "quantities are mu, f1[low], rho[8], tau[high], perplexity[dev], … (docs/results.md)"
mistake "rho[low] > 1" "statement: found cell 'low', expected one of the file" "cells are 0, 1, 2"
mistake "rho(0) > 1" "statement: 'rho' has no layer, expected one in brackets" "rho[low] and rho[high] are the layers of μ, rho[8] is the eighth"
mistake "spearman(mu, perplexity[dev]; 0 1) > 0" "statement: found 2 cells to correlate over, expected 3"
mistake "spearman(mu, perplexity[dev]; 0 1 4) > 0" "statement: found no cell 4, expected one of the file"
mistake "kendall(mu, axis=window) > 0" "statement: found 0 cells to correlate over, expected 3"
mistake "kendall(mu, paper=two) > 0" "statement: found paper=two, expected a table of the file with a reference"
mistake "kendall(mu, paper=one) > 0" "statement: found paper=one, expected a table of the file with a reference"
mistake "onset(mu(0)) > 1" "statement: onset, best or reach, but only the finished models are measured" "measure: {checkpoints: log}"
# Over training and over cells, against what a paper prints.
cat >paper.yaml <<'END'
source: "A & B 2020"
verified: true
rows: {"0": {mu: 0.5}, "1": {mu: 0.4}, "2": {mu: 0.1}}
END
sed 's/later: null/order: {text: as the paper, statement: "kendall(mu, paper=one) > 0 and onset(perplexity[dev](0)) > 0 and best(perplexity[dev](1)) > 1"}/
     s/columns: \[mu\]/columns: [mu], reference: paper.yaml/
     s/^seeds: 8/seeds: 2/; /^claims:/i measure: {what: [alignment, retrieval, translation, perplexity], checkpoints: log}' e.yaml >f.yaml
try run f.yaml --store st2 --variant fewer --quiet
try claims f.yaml --store st2 --variant fewer --json
[ "$(grep -c '"missing": null' .out)" -ge 3 ] || fail "over training and over cells: something is missing"
grep '"difference"' .out >differences
try export f.yaml --store st2 --variant fewer -o f.jsonl
try claims f.yaml --variant fewer --results f.jsonl --json
grep '"difference"' .out | cmp -s - differences || fail "other claims by the results as a file"
line=$((line - 3))
sed 's/source: here/sauce: here/' e.yaml >bad.yaml
try claims bad.yaml --store st
want_code 2
grep -q "bad.yaml:[0-9]*: .*sauce" .err || fail "an unknown key"
try claims e.yaml e.yaml --results e.jsonl --variant fewer
want_error 3 "isoglot claims: error: e.yaml: found no results of e:fewer in the files of --results, expected some"

# The runs that would decide claims: only the cells of open ones, all their seeds, then none.
try run e.yaml --store st --claims undecided --dry-run
want_code 0
want_out_has "e: 1 cell, 8 runs: 0 done, 0 failed, 8 to do"
want_out_has "among 1 claim of the paper 8 seeds decide differences of two cells from 1.6 standard deviations of a cell on (power .8)"
try run e.yaml --store st --claims undecided --quiet
want_code 0
want_out_has "e: 8 of 8 runs done"
try claims e.yaml --store st
grep -q 'later .*not measured' .out && fail "a claim whose cells were run is not measured"
try run e.yaml --store st --claims undecided
want_code 0
want_out_has "later: undecided with all seeds of the file"
sed 's/    text: Nothing is known of cell 2/&\n    caveat: the design decides nothing/' e.yaml >caveat.yaml
try run caveat.yaml --store st3 --only '0,1' --quiet
try run caveat.yaml --store st3 --claims undecided --dry-run
want_code 0
grep -q "8 to do" .out && fail "runs of a claim that no run decides"
try claims caveat.yaml --store st3
grep -q "later: about .* would decide it" .out && fail "a cost of deciding what no run decides"
try run e.yaml --store st --claims decided
want_error 2 "isoglot run: error: --claims: found 'decided', expected undecided"
try run e.yaml --store st --claims undecided --only 0
want_error 2 "isoglot run: error: --claims: found with --only, --worker or --launcher, expected without"
sed '/^claims:/,/^variants:/{/^variants:/!d;}' e.yaml | sed '/fewer/d; /^variants:/d' >none.yaml
try run none.yaml --store st --claims undecided
want_error 2 "isoglot run: error: none.yaml: found no claims, expected some for --claims"

# All claims of a folder of experiments, by the results beside them.
mkdir -p all/one/results all/two
cp e.yaml all/one/e.yaml
cp e.jsonl all/one/results/e.jsonl
sed 's/Nothing is known of cell 2/Nothing is known of <this>/' e.yaml >all/two/other.yaml
printf 'kind: tagging\n' >all/two/task.yaml
printf 'One\n' >all/one/README.md
# The picture of a folder, with names that are its own; experiments of natural text go first.
mkdir gallery
printf '<svg><title id="figure-title">What was &lt;found&gt;</title><g id="figure-a"/><use href="#figure-a"/></svg>' >gallery/one.svg
try report all --html replication
want_code 0
for text in 'A model of two updates is perplexed' '>supported<' '>contradicted<' 'cell 2: 0 of 8 seeds done' 'It needs another program' \
    'isoglot run all/two/other.yaml' 'Nothing is known of &lt;this&gt;' 'href="../all/one/README.md"'; do
    grep -qF "$text" replication/index.html || fail "no '$text' on the page of the replication"
done
for text in '<article class="card"><h2><a href="#one">one</a></h2>' 'Of 1 claim that papers make, tested on small models, 1 is supported.' \
    '<a href="#one-1">A model of two updates is perplexed</a> <span class="k">+' '<g id="one-a"/><use href="#one-a"/>' \
    '<figcaption>What was &lt;found&gt;. <a href="#one">one</a>' 'on world demo; ' ' 2 updates of 16 sequences (0.267 epochs), masks of 0.15'; do
    grep -qF "$text" replication/index.html || fail "no '$text' on the first screen"
done
grep -q 'all/two/README' replication/index.html && fail "a link to a README that is not there"
grep -q 'figure-a' replication/index.html && fail "names of a drawing that another may have"
[ "$(grep -c '<h3>.*A model of two updates is perplexed' replication/index.html)" -eq 1 ] || fail "a claim of two files twice"
if command -v xmllint >/dev/null; then xmllint --noout replication/index.html || fail "the page of the replication is not well-formed"; fi
try report all
want_error 2 "isoglot report: error: all: found a folder, expected a file, or --html for the claims of all its experiments"
try report all/one/results --html none
want_error 3 "isoglot report: error: all/one/results: found no experiment with claims in it or its folders, expected some"
[ ! -e none ] || fail "a page of nothing"
sed '2s/"seed":/"seed/' e.jsonl >all/one/results/e.jsonl
try report all --html replication
want_code 3
grep -q 'all/one/results/e.jsonl:2: ' .err || fail "a damaged line is not named"

# Statements on the paper's own numbers: one that is false there, one that has no numbers, one that holds of models that know nothing.
cat >theirs.yaml <<'END2'
source: "A & B 2020"
verified: true
as: {"1": ["one", "other"]}
only: [one, other, large]
proxies:
  "score es": {what: "score in per cent, Spanish", of: ["tau[high]"], chance: 20}
  "score hi": {what: "score in per cent, Hindi", of: ["tau[high]"], chance: 20}
  "gap": {what: "what is lost", better: lower, of: ["f1[high]"]}
  "NER es": {what: "F1, Spanish", of: ["rho[high]"], set: NER}
  "NER hi": {what: "F1, Hindi", of: ["rho[low]"], set: NER}
  "tags": {what: "F1 of tags", of: ["rho[high]"]}
  "their loss": {what: "their loss", better: lower, of: ["perplexity[dev]"]}
rows:
  "0": {mu: 0.5, "score es": 60, "score hi": 50, gap: 3, "their loss": 2, "NER es": 60, "NER hi": 50, tags: 80}
  "one": {mu: 0.4, "score es": 55, "score hi": 45, gap: 4}
  "other": {mu: 0.2, "score es": 50, "score hi": 51, gap: 5}
  "2": {mu: 0.1, "their loss": 3, "score es": 30, "score hi": 30, "NER es": 50, tags: 90, gap: 9}
  "large": {mu: 0.9}
END2
sed '/^claims:/,/^variants:/{/^variants:/!d;}; s/columns: \[mu\]/columns: [mu], reference: theirs.yaml/; /fewer/d; /^variants:/d' e.yaml >g.yaml
cat >>g.yaml <<'END2'
claims:
  order: {text: holds in all rows that 1 stands for, source: A, statement: "mu(0) > mu(1) > mu(2)"}
  margin: {text: holds as a share of what is above chance, source: A, statement: "tau[high](1) - chance(.1) > .7 * (tau[high](0) - chance(.1))"}
  lower: {text: the less the better, source: A, statement: "f1[high](0) > f1[high](1)"}
  spanish: {text: Spanish alone, source: A, proxy: score es, statement: "tau[high](0) > tau[high](1)"}
  none: {text: a constant is not in the unit of a proxy, source: A, statement: "tau[high](0) > .07"}
  named: {text: by the name of a proxy that is of a set, source: A, proxy: NER hi, statement: "rho[high](0) > rho[high](2)"}
  share: {text: of a loss there is no share, source: A, statement: "f1[high](2) < .1 * f1[high](0)"}
  ours: {text: in no paper, statement: "mu(2) > mu(0)"}
  loss: {text: the less of both the better, source: A, statement: "perplexity[dev](0) < perplexity[dev](2)"}
END2
try claims --on-paper g.yaml --json
want_code 0
for of in 'order holds' 'margin holds' 'lower holds' 'spanish holds' 'none no.numbers' 'named holds' 'share no.numbers' 'ours not.in.a.paper' 'loss holds'; do
    tr '\n' ' ' <.out | grep -q "\"id\": \"${of%% *}\",[^{]*\"on_paper\": \"${of#* }\"" || fail "on the paper's numbers: $of"
done
want_keys_in claims.md
plant() { # STATEMENT VERDICT [KEY: VALUE]
    sed "s/  order: .*/  order: {text: planted, source: A, ${3:+$3, }statement: \"$1\"}/" g.yaml >planted.yaml
    try claims --on-paper planted.yaml
    want_code 3
    grep -q "found 1 claim false on the paper's own numbers, or vacuous, expected none" .err || fail "'$1' is not counted"
    grep -q "planted  *$2" .out || fail "'$1' is not said to be $2"
}
plant "mu(0) < mu(2)" fails
plant "mu(1) > .8 * mu(0)" fails                 # in the other row that 1 stands for
plant "tau[high](0) > tau[high](1)" fails        # in Hindi
plant "perplexity[dev](0) > perplexity[dev](2)" fails
plant "tau[high](1) - chance(.1) > .8 * (tau[high](0) - chance(.1))" fails # at the proxy's own chance, 20
plant "mu(2) > mu(1) - .5" vacuous
plant "mu(2) < .2" vacuous
plant "mu(0) > mu(1)" fails 'premise: "mu(0) > .6"'
plant "mu(1) > .8 * (mu(0) - chance(.1))" vacuous # at chance .1 is more than nothing
plant "mu(1) - chance(.1) > .8 * (mu(0) - chance(.1)) - .01" vacuous
sed 's/  order: .*/  order: {text: planted, source: A, premise: "mu(0) > .3", statement: "mu(2) < .2"}/' g.yaml >planted.yaml
try claims --on-paper planted.yaml
want_code 0
sed 's/"experiment":"e"/"experiment":"g"/' e.jsonl >g.jsonl
try report g.yaml --results g.jsonl
grep -q "the paper's large  *.*90" .out || grep -q "the paper's large  *.*0\.9" .out || fail "a row that is the paper's alone is not shown"
# A folder of folders: the same as its files.
mkdir -p dirs/paper
cp g.yaml theirs.yaml dirs/paper
sed '/^claims:/,$d' g.yaml >dirs/paper/none.yaml
for form in text json; do
    try claims --on-paper dirs/paper/g.yaml --as $form
    cp .out want
    try claims --on-paper dirs --as $form
    want_code 0
    cmp -s .out want || fail "a folder: $(diff .out want)"
done
cp planted.yaml dirs/paper/
sed -i 's/premise: "mu(0) > .3", //' dirs/paper/planted.yaml
try claims --on-paper dirs
want_code 3
# A folder whose name is a pattern has the same claims, adjusted for as many.
mkdir -p plain/paper/results
{ echo 'paper: "A 2020"' && sed 's/source: here/source: A/' e.yaml; } >plain/paper/e.yaml
sed 's/is perplexed/is not/' plain/paper/e.yaml >plain/paper/more.yaml
cp e.jsonl plain/paper/results
cp -r plain '[p]?*'
try claims plain
want_code 0
want_out_has "adjusted for 2 claims of the paper"
cp .out want
# Seeds that were added after a look: an interval for two; it is said in words, too.
mkdir looks
sed 's/source: A/&\n    after: two more seeds\n    looks: 2/' plain/paper/e.yaml >looks/e.yaml
try claims looks/e.yaml --results e.jsonl --json
want_code 0
want_out_has '"looks": 2'
want_out_has '"looks": 1'
level=$(grep -m 1 '"level"' .out | tr -cd '0-9.')
claims=$(grep -m 1 '"family"' .out | tr -cd '0-9')
[ "$(awk "BEGIN { print $claims * (1 - $level) }")" = 0.025 ] || fail "two looks: level $level of $claims claims"
sed -i '/after:/d' looks/e.yaml
try claims looks/e.yaml --results e.jsonl
want_code 2
want_err_has "looks: found '2' without 'after'"
try claims '[p]?*'
cmp -s .out want || fail "a folder whose name is a pattern: $(diff .out want)"
try report '[p]?*/paper/e.yaml' --store none
want_err_has "(there are results without a store: --results '[p]?*/paper/results/e.jsonl')"
try claims plain/paper
want_code 0
cmp -s .out want || fail "the folder of one paper: $(diff .out want)"
mkdir plain/paper/within
sed 's/is perplexed/is perplexed within/' e.yaml >plain/paper/within/e.yaml
try claims plain/paper
want_out_has "is perplexed within"
want_out_has "is not"
rm -r plain/paper/within
try claims --on-paper plain/paper/results
want_error 3 "isoglot claims: error: plain/paper/results: found no experiment with claims in it or its folders, expected some"
try claims dirs --variant fewer
want_error 2 "isoglot claims: error: dirs: found a folder and --variant, expected a file, or the folder alone, whose results lie beside its files"
try claims --on-paper g.yaml --results g.jsonl
want_error 2 "isoglot claims: error: found --on-paper and --results, expected one"
try claims e.yaml --results e.jsonl
want_out_has "on the paper's numbers: no numbers"

# Means within the spread that the paper prints, where the base cell has the settings of its size.
sed 's/^rows:/at: {preset: bert-tiny, updates: 2}\nrows:/; s/mu: 0.5/mu: 0.5, "perplexity[dev]": [240, 50]/' theirs.yaml >spread.yaml
sed 's/theirs.yaml/spread.yaml/; s/  order: .*/  order: {text: fits, source: A, statement: "perplexity[dev](0) > 10"}/' g.yaml >s.yaml
sed 's/"experiment":"e"/"experiment":"s"/' e.jsonl >s.jsonl
try claims s.yaml --results s.jsonl
want_out_has "within the paper's spread: 1 of 1 means"
sed 's/ > 10"/ > 10 and 1000 > perplexity[dev](0) > 5"/' s.yaml >chain.yaml
sed 's/"experiment":"e"/"experiment":"chain"/' e.jsonl >chain.jsonl
try claims chain.yaml --results chain.jsonl
want_out_has "within the paper's spread: 1 of 1 means"
sed -i 's/240, 50/400, 5/' spread.yaml
try claims s.yaml --results s.jsonl
want_out_has "within the paper's spread: 0 of 1 means"
sed -i 's/updates: 2}/updates: 3}/' spread.yaml
try claims s.yaml --results s.jsonl
if grep -q "paper.s spread" .out; then fail "models of another size are compared with the paper's spread"; fi

# A folder of folders of experiments: each by the results beside it, then the count over all.
mkdir -p all/one/results all/two
cp e.yaml all/one/e.yaml
cp e.jsonl all/one/results/e.jsonl
sed '/^variants:/,$d' e.yaml >all/two/unmeasured.yaml
try claims all
want_code 0
want_out_has "unmeasured"
want_out_has "1 claim of papers, each over all its experiments: 1 supported"
try claims all --json
want_code 0
grep -c '"experiment"' .out | grep -qx 3 || fail "the JSON of a folder lacks an experiment or a variant of one"
try claims all --results e.jsonl
want_error 2 "isoglot claims: error: all: found a folder and --results, expected a file, or the folder alone, whose results lie beside its files"

# Of several tests of a claim: one that leaves a part open and one that contradicts another part contradict it; it is mixed
# where one contradicts what another supports.
parts() { # FOLDER STATEMENT
    mkdir -p "parts/$1/results"
    sed '/^claims:/,$d' e.yaml >"parts/$1/e.yaml"
    printf 'claims:\n  parts: {text: of two parts, source: here, statement: "perplexity[dev](0) > 10 and %s"}\n' "$2" >>"parts/$1/e.yaml"
    cp e.jsonl "parts/$1/results/e.jsonl"
}
parts one "perplexity[dev](0) > perplexity[dev](1)"
try claims parts
want_out_has "1 claim of papers, each over all its experiments: 1 partly"
parts two "perplexity[dev](1) < 10"
try claims parts
want_out_has "1 claim of papers, each over all its experiments: 1 contradicted"
parts three "perplexity[dev](0) > perplexity[dev](1)"
sed -i '/"measure":"perplexity","split":"dev"/s/"value":[0-9.]*/"value":5/' parts/three/results/e.jsonl
try claims parts
want_out_has "1 claim of papers, each over all its experiments: 1 mixed"

# The claims of a paper are those of its files, also where a variant takes one out.
mkdir paper
sed '1i paper: A \& B 2020' e.yaml | sed 's/    text: It is not/&\n    source: here/; s/text: Nothing is known of cell 2/&\n    source: here/
    s/text: Another program is slower/&\n    source: here/' >paper/e.yaml
for variant in '' '--variant fewer'; do
    # shellcheck disable=SC2086
    try claims paper/e.yaml --store st $variant
    want_out_has "adjusted for 4 claims of the paper"
done
grep -v 'source: here' e.yaml >none.yaml
try claims none.yaml --store st
want_out_has "claims (Bonferroni)"
# A claim without a statement is not said to be one that the paper prints no numbers for.
try claims paper/e.yaml --store st
[ "$(grep -c "on the paper's numbers: no numbers" .out)" -eq 3 ] || fail "a claim that needs another program has no statement"

# Where no token is masked, the models are said to be causal.
sed 's/^base: {/base: {causal_share: 1, /' e.yaml >c.yaml
try claims c.yaml --store st
want_code 0
want_out_has "2 updates of 16 sequences (0.267 epochs), causal"

# Epochs are those of the text that the runs recorded.
grep -q '"sequences":120,' e.jsonl || fail "the results do not say how long the text is"
sed 's/"sequences":120,/"sequences":16,/' e.jsonl >short.jsonl
try claims e.yaml --results short.jsonl
want_code 0
want_out_has "2 updates of 16 sequences (2 epochs), masks of 0.15"

# A quantity that is one number in all cells has no order.
cat >tied.yaml <<'Y'
base: {preset: bert-tiny, world: demo, world_sentences: 60, dev_take: 20, vocab_size: 120, updates: 2, batch: 16}
cells: {a: {}, b: {lang_pos: true}, c: {inv_order: true}}
seeds: 2
claims: {order: {text: t, statement: "spearman(updates, mu) > 0"}}
Y
try run tied.yaml --store st --quiet
want_code 0
try claims tied.yaml --store st
want_out_has "updates, or what it is correlated with, is the same in all cells"

# A report of some cells has the claims of all.
sed -e 's/updates, mu/mu, perplexity[dev]/' -e 's/c: {inv/c: {lang_pos: true, inv/' tied.yaml >some.yaml
echo 'cells: {d: {inv_order: true}}' >d.yaml
sed -i 's/^cells:/extends: d.yaml\ncells:/' some.yaml
try run some.yaml --store st --quiet
want_code 0
try report some.yaml --store st --json
python3 -c 'import json; print(json.load(open(".out"))["claims"])' >all_cells
try report some.yaml --store st --json --only a,b,d
python3 -c 'import json; print(json.load(open(".out"))["claims"])' | cmp -s - all_cells || fail "--only changes a claim over all cells"

# What is of a checkpoint, or one side of a difference that is correlated, and stands in no figure: from a store and from
# its results, in tables, claims and comparisons.
cat >step.yaml <<'Y'
base: {preset: bert-tiny, world: demo, world_sentences: 60, dev_take: 20, vocab_size: 120, updates: 20, batch: 16, lr: 1e-2}
cells: {a: {}, b: {lang_pos: true}, c: {inv_order: true}}
seeds: 2
measure: {checkpoints: [1]}
report: {tables: [{name: one, columns: [mu, "tau[low,step=1]"]}]}
claims:
  grows: {text: t, statement: "perplexity[dev,step=1](a) > perplexity[dev](a)"}
  order: {text: t, statement: "spearman(f1[2] - f1[1], mu[step=1]) > -.9"}
Y
try run step.yaml --store st --quiet
want_code 0
try report step.yaml --store st
if grep -q 'not measured\| – ' .out; then fail "what is measured at a checkpoint is not reported"; fi
cp .out of_store
try export step.yaml --store st -o step.jsonl
try report step.yaml --results step.jsonl
cmp -s .out of_store || fail "other results from a file than from the store"
sed '/^report:/d; /^claims:/,$d' step.yaml >plain.yaml
try run plain.yaml --store st --quiet
for pair in 'step.yaml plain.yaml' 'plain.yaml step.yaml' 'st#plain st#step'; do
    # shellcheck disable=SC2086
    try compare $pair --store st --measure 'tau[low,step=1]'
    grep -q '^a     tau\[low,step=1\]  *[0-9]' .out || fail "a measure of a checkpoint is not compared"
done

# The order of a proxy is that of what it stands for: the better first, also where less is better of both.
cat >theirs2.yaml <<'Y'
source: A
verified: true
proxies: {cost: {what: l, better: lower, of: ["perplexity[dev]"]}, score: {what: s, of: ["perplexity[dev]"]}}
rows:
  a: {"perplexity[dev]": 1, cost: 10, score: 9}
  b: {"perplexity[dev]": 2, cost: 20, score: 8}
  c: {"perplexity[dev]": 3, cost: 30, score: 7}
Y
sed 's/columns: \[mu, "tau.low,step=1."\]/columns: ["perplexity[dev]"], reference: theirs2.yaml/; /^  grows/,$d' step.yaml >order.yaml
for paper in one one:cost one:score; do
    echo "  ${paper#one:}: {text: t, statement: \"kendall(perplexity[dev], paper=$paper) > .5\"}" >>order.yaml
done
try run order.yaml --store st --quiet
try claims order.yaml --store st --json
[ "$(grep '"difference"' .out | sort | uniq -c | awk '{ print $1 }')" = 3 ] || fail "another order by a proxy"
