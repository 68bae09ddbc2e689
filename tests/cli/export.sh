#!/bin/sh
# isoglot export, report --results, report --readme: results as data without a store give the tables of the store, byte for
# byte; a file that is damaged, or of another experiment, is refused; tables of a Markdown file are those of its results.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

mkdir project
cat >project/ref.yaml <<'END'
source: "A & B 2020, Table_1"
verified: true
rows:
  "0": {mu: 0.70, "rho[low]": [0.16, 0.02]}
  "1": {mu: 0.30, "rho[low]": [0.33, 0.13]}
END
cat >project/e.yaml <<'END'
title: What makes a tiny BERT multilingual
base: {preset: bert-tiny, world: demo, world_sentences: 60, dev_take: 20, vocab_size: 120, updates: 2, batch: 16}
cells:
  "0": {}
  "1": {lang_pos: true}
  "one": {languages: en}
  "2": {inv_order: true, needs: gpu}
seeds: 2
measure: {checkpoints: log}
variants:
  longer: {base: {updates: 3}}
report:
  tables:
    - name: table1
      title: Table 1
      columns: [mu, "rho[low]", "rho[high]", "rho[2]", "perplexity[dev]", "perplexity[train]"]
      reference: ref.yaml
    - {name: cost, title: What it costs, columns: [updates, tokens]}
  figures:
    - {name: figure1, kind: bars, values: [mu, "tau[low]"], title: Multilinguality}
    - {name: figure7, kind: curves, values: [mu, "perplexity[dev]"], onset: true}
    - {name: figure2, kind: layers, values: [rho]}
    - {name: figure5, kind: positions}
END
e=project/e.yaml

# --- what there is without a store
try report $e --store st
want_error 4 "isoglot report: error: st/store.sqlite: no store of results here" "isoglot run makes one; --store names another folder"
try run $e --store st --only '0,1,one' --quiet
want_code 0
mkdir project/results
try export $e --store st -o project/results/e.jsonl --curves
want_code 0
want_err_has "e: 6 runs
e: not finished, and not exported: 2 runs"
r=project/results/e.jsonl
[ "$(head -n 1 $r)" = '{"isoglot_results":2,"experiment":"e","runs":6}' ] || fail "another first line: $(head -n 1 $r)"
[ "$(grep -c '"settings":' $r)" -eq 6 ] || fail "expected the lines of 6 runs"
for q in 'mu","split":"dev","languages":"en-fake"' 'rho","split":"dev","languages":"en-fake","layer":0' \
    'rho","split":"dev","languages":"en-fake","layer":2' 'tau","split":"dev","languages":"en-fake","layer":0' \
    'perplexity","split":"dev","languages":""' 'perplexity","split":"train","languages":""'; do
    [ "$(grep -c "^{\"measure\":\"$q,\"step\":2,.*\"value\":" $r)" -ge 4 ] || fail "no $q"
done
grep -q '"measure":"mu",.*"step":1,"last":false,' $r || fail "no curve"
cp $r whole
try export $e --store st -o $r --curves
cmp -s $r whole || fail "another export of the same store"

# --- the same tables, byte for byte, without a store (the name of the store apart)
same() { # OPTIONS
    try report $e --store st "$@"
    want_code 0
    sed '/^  "store":/d' .out >of_store
    try report $e --results $r "$@"
    want_code 0
    want_err ""
    sed '/^  "store":/d; s/"address": ""/"address": "none"/' .out >of_file
    if [ "$1" = --json ]; then # of a run that is not there only the store says which it would be
        awk '/"address"/ { kept = $0; next } kept != "" { if ($0 !~ /"missing"/) print kept; kept = "" } { print }' of_store >a
        awk '/"address"/ { kept = $0; next } kept != "" { if ($0 !~ /"missing"/) print kept; kept = "" } { print }' of_file >b
        mv a of_store
        mv b of_file
    fi
    cmp of_store of_file || fail "other bytes with $*: $(diff of_store of_file | head -n 8)"
    [ -s of_file ] || fail "nothing with $*"
}
same --as text
same --compare --interval
same --as markdown
same --as latex --no-paper
same --csv
same --json
same --only '0,1:1' --csv
same --done --table table1
try report $e --results $r --html page --figures figures
want_code 0
for f in page/index.html figures/figure1.svg figures/figure2.svg figures/figure7.svg; do [ -s $f ] || fail "no $f"; done
grep -qF "isoglot report project/e.yaml --results $r" page/index.html || fail "the page does not tell what it was made of"
if grep -q '/runs/' page/index.html; then fail "the page tells of folders that are not there"; fi
[ ! -e figures/figure5.svg ] || fail "a figure of a model that is not there"
grep -q "figure5 is not drawn: found results without models, expected a store" .err || fail "nothing said of figure5"

# --- without curves nothing is said of when they set in
try export $e --store st
want_code 0
cp .out final.jsonl
if grep -q '"last":false' final.jsonl; then fail "curves that were not asked for"; fi
try report $e --results final.jsonl
want_code 0
if grep -q "sets in" .out; then fail "an onset of a curve that is not there"; fi
try export $e --store st --all
want_code 0
[ "$(wc -l <.out)" -gt "$(wc -l <final.jsonl)" ] || fail "no more with --all"
grep -q '"measure":"rho_at_10",.*"layer":2,' .out || fail "no rho_at_10 with --all"
if grep -q '"last":false' .out; then fail "curves that were not asked for"; fi
try export $e --store st --all --curves
want_code 0
grep -q '"measure":"rho_at_10",.*"layer":2,.*"step":1,.*"last":false' .out || fail "no rho_at_10 at a checkpoint with --all --curves"
try export $e --store st --only 1:1 --as csv
want_code 0
[ "$(head -n 1 .out | tr -d '\r')" = "experiment,cell,label,seed,address,measure,split,languages,tags,layer,step,last,n,value,version,date,program,commit" ] ||
    fail "another head of the CSV"
grep -q '^e,1,lang-pos,1,[0-9a-f]*,mu,dev,en-fake,,,2,1,' .out || fail "no mu in the CSV"
if grep -q '^e,0,' .out; then fail "a cell that was not asked for"; fi

# --- results of two files, and of two experiments in one
try export $e --store st --only '*:0' -o 0.jsonl
try export $e --store st --only '*:1' -o 1.jsonl
try report $e --results 1.jsonl --results 0.jsonl --csv
cp .out two
try report $e --results final.jsonl --csv
cmp -s .out two || fail "another table of two files"
sed 's/"experiment":"e"/"experiment":"other"/' final.jsonl | cat - final.jsonl >both.jsonl
try report $e --results both.jsonl --csv
want_code 0
cmp -s .out two || fail "another table of a file of two experiments"

# --- hints where there is no store
try report $e --store none
want_error 4 "isoglot report: error: none/store.sqlite: no store of results here" \
    "there are results without a store: --results project/results/e.jsonl"
try report $e --store none --variant longer
want_error 4 "isoglot report: error: none/store.sqlite: no store of results here" "isoglot run makes one; --store names another folder"

# --- cells and settings that are no longer those of the file
sed 's/^  "1": {lang_pos: true}/  "3": {lang_pos: true}/; /reference:/d' $e >project/f.yaml
sed 's/"experiment":"e"/"experiment":"f"/' final.jsonl >f.jsonl
try report project/f.yaml --results f.jsonl --table table1
want_code 0
want_err "f.jsonl: ignored: 2 runs of cells or seeds that project/f.yaml does not have"
want_out_has "3, 2: 0 of 2 seeds done"
sed 's/vocab_size: 120/vocab_size: 121/' $e >project/f.yaml
try report project/f.yaml --results f.jsonl --table table1
want_code 0
want_err "f.jsonl: ignored: 6 runs with other settings than project/f.yaml has now"
try report $e --results f.jsonl
want_error 3 "isoglot report: error: f.jsonl: found results of f, expected of e" \
    "variants and settings are those that it was exported with: --variant after the first ':', --set after ';'"
# Settings of a command line are the same experiment in any order.
sed 's/"experiment":"e"/"experiment":"e;updates=2;dev_take=20"/' final.jsonl >set.jsonl
for how in '--set updates=2 --set dev_take=20' '--set dev_take=20 --set updates=2'; do
    # shellcheck disable=SC2086
    try report $e $how --results set.jsonl --table table1
    want_code 0
done
try report $e --set updates=2 --results set.jsonl
want_error 3 "isoglot report: error: set.jsonl: found results of e;updates=2;dev_take=20, expected of e;updates=2" \
    "variants and settings are those that it was exported with: --variant after the first ':', --set after ';'"
try report $e --results 0.jsonl --results 0.jsonl
want_error 3 "isoglot report: error: 0.jsonl:2: found cell 0, seed 0 again, expected it once (0.jsonl has it in line 2)"

# --- damage
damage() { # LINE SED-SCRIPT MESSAGE
    sed "$2" final.jsonl >damaged.jsonl
    try report $e --results damaged.jsonl
    want_error 3 "isoglot report: error: damaged.jsonl:$1: $3"
}
n=$(grep -n '"measure":"mu",' final.jsonl | head -n 1 | cut -d: -f1)
damage "$n" "${n}s/.\$//" "found a damaged line ('}' expected near end of file), expected a JSON object"
damage "$n" "${n}s/\"mu\"/\"taw\"/" "found measure 'taw', which is unknown (did you mean 'tau'?)"
damage "$n" "${n}s/\"value\":.*}/\"value\":\"1\"}/" 'value: found "1", expected a number'
damage "$n" "${n}s/,\"value\":.*}/}/" 'found no "value", expected a number'
damage "$n" "${n}s/\"step\"/\"stop\"/" 'found the key "stop", expected those of docs/formats.md'
damage 2 '2s/"settings":"/"settings":"x/' "$(sed -n '2s/.*"settings":"\([0-9a-f]*\)".*/settings: found "x\1", expected 16 hexadecimal digits/p' final.jsonl)"
damage 1 1d "found a run, expected the line {\"isoglot_results\": 2, …} before it"
damage $((n + 1)) "${n}p" "mu (split 'dev', languages 'en-fake', layer -1) is given twice at step 2"
# Cut at a line's end, and a line taken out; files without the number of rows are read as before.
last=$(grep -n '"cell"' final.jsonl | tail -n 1 | cut -d: -f1)
run=$(sed -n "${last}s/.*\"run\":\"\([0-9a-f]*\)\".*/\1/p" final.jsonl)
rows=$(($(wc -l <final.jsonl) - last))
for lost in "$(wc -l <final.jsonl)d" "$((last + 1))d"; do
    sed "$lost" final.jsonl >damaged.jsonl
    try report $e --results damaged.jsonl
    want_error 3 "isoglot report: error: damaged.jsonl:$last: found $((rows - 1)) rows of run $run, expected $rows, as its line says" \
        "the file is cut, or lines were taken out or added"
done
runs=$(grep -c '"cell"' final.jsonl)
head -n $((last - 1)) final.jsonl >damaged.jsonl
try report $e --results damaged.jsonl
want_error 3 "isoglot report: error: damaged.jsonl:1: found $((runs - 1)) runs of e, expected $runs, as its line says" \
    "the file is cut, or runs were taken out or added"
sed 's/,"runs":[0-9]*}/}/' damaged.jsonl >older.jsonl
try report $e --results older.jsonl
want_code 0
sed 's/,"rows":[0-9]*}/}/; $d' final.jsonl >damaged.jsonl
try report $e --results damaged.jsonl
want_code 0
head -c -1 final.jsonl >damaged.jsonl
try report $e --results damaged.jsonl
want_error 3 "isoglot report: error: damaged.jsonl:$(wc -l <final.jsonl | tr -d ' '): found the end of the file within a line, expected a line end"
try report $e --results nowhere.jsonl
want_code 4

# --- tables of a Markdown file
cat >project/README.md <<'END'
# A question
Words before --> that <!-- end --> stay.

<!-- isoglot report e.yaml --results results/e.jsonl --table table1 --no-paper --as markdown -->
<!-- end -->
Between.
<!-- isoglot report e.yaml --results 'results/e.jsonl' --table cost --only 0,1 --as markdown -->
by hand
<!-- end -->
END
printf 'no end of the last line' >>project/README.md
cp project/README.md before
try report --readme --check project/README.md
want_error 3 "isoglot report: error: project/README.md:4: found another table than its results give, expected the same" \
    "isoglot report --readme project/README.md remakes it"
cmp -s before project/README.md || fail "--check changed the file"
try report --readme project/README.md
want_code 0
want_err "project/README.md: 2 tables, remade"
grep -v '^|' project/README.md | grep -q '^Between.$' || fail "a line between was lost"
head -n 4 before >a
head -n 4 project/README.md >b
cmp -s a b || fail "what stands before a table was changed"
[ "$(tail -n 1 project/README.md)" = "no end of the last line" ] || fail "what stands after a table was changed"
try report $e --results $r --table table1 --no-paper --as markdown
cp .out printed
sed -n '/--table table1/,/<!-- end -->/p' project/README.md | sed '1,2d; $d' | sed '$d' >a
cmp -s a printed || fail "another table than the command prints"
cp project/README.md before
try report --readme project/README.md
want_err "project/README.md: 2 tables"
cmp -s before project/README.md || fail "tables made twice are not the same"
try report --readme --check project/README.md
want_code 0
(cd project && "$isoglot" report --readme --check README.md 2>../.err) || fail "another table from within the folder"

# lines of a file from Windows stay so
cr=$(printf '\r')
sed "s/\$/$cr/" before >project/README.md
cp project/README.md before.crlf
try report --readme project/README.md
want_err "project/README.md: 2 tables"
sed '/^|/d' before.crlf >project/README.md
try report --readme project/README.md
want_err "project/README.md: 2 tables, remade"
cmp -s before.crlf project/README.md || fail "other line ends"
cp before project/README.md

# few columns, the paper's beside ours
try report $e --results $r --table table1 --beside --columns 'rho[high], mu,perplexity[dev,en]' --as markdown
want_code 0
sed 's/  *|/ |/g; s/|  */| /g' .out >columns
grep -q '| n | ρ₂ | μ | μ, paper | .*perplexity dev en |' columns || fail "other columns"
grep -q '^| 1 | lang-pos | 2 | 0.04 ± .* | 0.30 | ' columns || fail "not the paper's number beside ours"
grep -q '\*the paper\*' .out && fail "lines below a row"
try report $e --results $r --table table1 --ids --bare --as markdown
grep -q '^| 1 *| *2 |' .out || fail "labels beside names"
grep -q "^Mean\|^\*\*" .out && fail "more than the table"
try report $e --results $r --columns mew
want_error 2 "isoglot report: error: --columns: unknown quantity 'mew'" \
    "quantities are mu, f1[low], rho[8], tau[high], perplexity[dev], … (docs/results.md)"

# a number that is not measured, and marks that are none
line=$(grep -n '^| 1 ' project/README.md | head -n 1 | cut -d: -f1)
sed "${line}s/0\\.[0-9]/9.9/" before >project/README.md
try report --readme --check project/README.md
want_error 3 "isoglot report: error: project/README.md:4: found another table than its results give, expected the same" \
    "isoglot report --readme project/README.md remakes it"
mark() { # LINE MESSAGE [HINT]
    try report --readme project/README.md
    if [ $# -gt 2 ]; then
        want_error "$code" "isoglot report: error: project/README.md:$1: $2" "$3"
    else
        want_error "$code" "isoglot report: error: project/README.md:$1: $2"
    fi
}
command='isoglot report e.yaml --results results/e.jsonl --as markdown'
printf 'a\n<!-- %s -->\nb\n' "$command" >project/README.md
mark 2 "found no line <!-- end -->, expected it after the table"
printf 'a\n<!-- %s\n-->\n<!-- end -->\n' "$command" >project/README.md
mark 2 "found a mark without -->, expected it at the end of its line"
printf '<!-- %s --store st -->\n<!-- end -->\n' "isoglot report e.yaml --as markdown" >project/README.md
mark 1 "expected isoglot report FILE --results FILE --as markdown, and which table"
printf '<!-- %s --tible table1 -->\n<!-- end -->\n' "$command" >project/README.md
mark 1 "unknown option '--tible'" "did you mean '--table'?"
printf '<!-- %s --table table2 -->\n<!-- end -->\n' "$command" >project/README.md
mark 1 "--table: project/e.yaml has no table 'table2'" "did you mean 'table1'?"
try report --check $e
want_error 2 "isoglot report: error: --check: is of --readme, which is not given"

# --- commits that nobody can build again
sed 's/"commit":"[^"]*"/"commit":"0123456789ab+"/' $r >changed.jsonl
try export changed.jsonl -o again.jsonl
want_code 0
want_err_has "e: 6 runs were made by a program with changes that were not committed (0123456789ab+): nobody can build it again"
sed 's/"commit":"[^"]*"/"commit":"0123456789ab"/' $r >other.jsonl
try export other.jsonl -o again.jsonl --overwrite
want_code 0
grep -q "were made by" .err && fail "the history of no repository"
own=$(sed -n 's/.*"commit":"\([0-9a-f]\{12\}\)+*".*/\1/p' $r | head -n 1)
if command -v git >/dev/null && [ -n "$own" ]; then
    mkdir bin # a history with the program's own commit
    printf '#!/bin/sh\n[ "$*" = "-C . rev-list HEAD" ] && echo %s0000\n' "$own" >bin/git
    chmod +x bin/git
    PATH=$PWD/bin:$PATH "$isoglot" export other.jsonl -o again.jsonl --overwrite 2>.err || fail "export fails"
    grep -q "^e: 6 runs were made by a commit that the history of this repository does not have (0123456789ab)$" .err || fail "no warning of another history"
fi

# --- seeds in whatever order the experiment has them, and whichever a cell lacks
sed 's/^seeds: 2/seeds: [7, 1, 4]/' $e >project/seeds.yaml
try run project/seeds.yaml --store other --only '0:1,0:4,1:7,1:4' --quiet
want_code 0
try export project/seeds.yaml --store other -o project/seeds.jsonl
want_code 0
try report project/seeds.yaml --store other --csv --done
want_code 0
cp .out of-store
[ "$(awk -F, '$2 == "1" && $4 == "mu" { print $15 }' of-store)" = 2 ] || fail "not two seeds of each cell"
try report project/seeds.yaml --results project/seeds.jsonl --csv --done
want_code 0
cmp -s .out of-store || fail "another table of the results than of the store"

# --- seeds of several machines become one file: the same as of one store
for k in 1 4 7; do
    try export project/seeds.yaml --store other --only "*:$k" -o "part-$k.jsonl"
    want_code 0
done
try export project/seeds.yaml --results part-4.jsonl --results part-7.jsonl --results part-1.jsonl -o merged.jsonl
want_code 0
cmp -s merged.jsonl project/seeds.jsonl || fail "the parts of a store's results are another file than its own"
# Seeds of a program that did not yet say how many examples were read are seeds of the same cell.
sed 's/"program":/"examples":{"tags":{"":{"en train":20}}},"program":/' part-7.jsonl >told-7.jsonl
cmp -s told-7.jsonl part-7.jsonl && fail "nothing to compare"
try export project/seeds.yaml --results part-4.jsonl --results told-7.jsonl --results part-1.jsonl -o merged.jsonl
want_code 0
try export project/seeds.yaml --results part-4.jsonl --results part-4.jsonl
want_error 3 "isoglot export: error: part-4.jsonl:2: found cell 0, seed 4 again, expected it once (part-4.jsonl has it in line 2)"
