#!/bin/sh
# isoglot report: an experiment's tables in every format, its figures, its page (in a browser, where
# there is one), and its mistakes.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cat >ref.yaml <<'END'
source: "A & B 2020, Table_1"
verified: false
rows:
  "0": {mu: 0.70, "rho[low]": [0.16, 0.02]}
  "1": {mu: 0.30, "rho[low]": [0.33, 0.13]}
END
cat >e.yaml <<'END'
title: What makes a <tiny> BERT multilingual
question: "Which parts & switches does multilinguality need?"
paper: "A & B 2020, Table_1"
base: {preset: bert-tiny, world: demo, world_sentences: 60, dev_take: 20, vocab_size: 120, updates: 2, batch: 16}
cells:
  "0": {}
  "1": {lang_pos: true, title: "</td><script>alert(1)</script>"}
  "2": {inv_order: true, needs: gpu}
seeds: 2
measure: {checkpoints: log}
report:
  tables:
    - name: table1
      title: Table 1
      columns: [mu, "rho[low]", "rho[high]", "perplexity[dev]"]
      reference: ref.yaml
    - {name: cost, title: What it costs, columns: [seconds, updates]}
  figures:
    - {name: figure1, kind: bars, values: [mu], title: Multilinguality}
    - {name: figure7, kind: curves, values: [mu, "perplexity[dev]"], onset: true}
    - {name: figure5, kind: positions, cells: ["2"], title: Positions}
END

# --- nothing there yet
try report e.yaml --store st
want_code 4
try run e.yaml --store st --only '0,1' --quiet
want_code 0

# --- the terminal
try report e.yaml --store st
want_code 0
want_out_has "Table 1"
want_out_has "0   original"
want_out_has "    the paper"
want_out_has "    ours − the paper"
want_out_has "1   </td><script>"
want_out_has "2: 0 of 2 seeds done: seeds 0, 1 not run"
want_out_has "2 takes a CPU weeks: --only names it"
want_out_has "The paper: A & B 2020, Table_1 (unverified)"
want_out_has "t test of unequal spreads"
want_out_has "What it costs"
want_out_has "figure7: μ sets in nowhere in 0 (2 seeds), nowhere in 1 (2 seeds). perplexity[dev] sets in nowhere in 0 (2 seeds), "
if grep -q "$(printf '\033')" .out; then fail "escape sequences where there is no terminal"; fi
try report e.yaml --store st --table cost
want_code 0
if grep -q "Table 1" .out; then fail "another table than the one that was asked for"; fi

# In one file with the messages its lines are whole.
"$isoglot" report e.yaml --store st --interval --compare >both 2>&1
[ "$(wc -c <both)" -gt 4096 ] || fail "too short a report to tell"
grep -qx "store st" both || fail "a message inside a line of a table"

# --- some cells, and what is finished
try report e.yaml --store st --only 1 --table table1
want_code 0
want_out_has "1   </td><script>"
if grep -q '^0 ' .out; then fail "a cell that was not asked for"; fi
if grep -q "2: 0 of 2" .out; then fail "what lacks of a cell that was not asked for"; fi
want_out_has "t test of unequal spreads" # it is compared with cell 0 all the same
try report e.yaml --store st --only 1:1 --json
want_code 0
[ "$(grep -c '"address"' .out)" -ge 1 ] || fail "no run"
if grep -q '"seed": 0' .out; then fail "a seed that was not asked for"; fi
try report e.yaml --store st --done
want_code 0
want_out_has "1   </td><script>"
if grep -q '^2   .\|not run' .out; then fail "something of what is not finished"; fi
sed '/name: cost/i\    - {name: later, columns: [mu], rows: ["2"]}' e.yaml >rows.yaml
try report rows.yaml --store st --done
want_code 0
want_out_has "What it costs"
if grep -q "^later" .out; then fail "a table none of whose rows has a finished run"; fi
sed -i 's/rows: \["2"\]/rows: ["22"]/' rows.yaml
try report rows.yaml --store st --done
want_error 2 "isoglot report: error: rows.yaml:17: rows: '22' fits no cell" "cells are 0, 1, 2"
try report e.yaml --store st --only 2 --done
want_code 0
want_err "e: no run is finished yet
store st"
try report e.yaml --store st --only 9
want_error 2 "isoglot report: error: selector: '9' fits no cell of e" "cells are 0, 1, 2"
try report e.yaml --store st --pivot batch
want_error 2 "isoglot report: error: table1: pivot: its rows have no axis 'batch'" "choose from: seed"
try report e.yaml --store st --pivot seed --done
want_code 0
want_out_has "seed 1"
sed 's/columns: \[seconds, updates\]/&, correlate: [updates]/' e.yaml >correlated.yaml
try report correlated.yaml --store st --table cost --pivot seed --done
want_out_has "No correlations: columns are side by side"
try report correlated.yaml --store st --table cost --done
want_out_has "Spearman's ρ: over the rows' means; of fewer than four rows without an interval"

# --- where it may not be written; root is let through, so it asks as another user where it can
chmod 755 .
cp -R st read-only
chmod -R a+rX,a-w read-only
as=
[ "$(id -u)" -ne 0 ] || as="setpriv --reuid 65534 --clear-groups"
if $as test ! -w read-only && $as test -x "$isoglot" && $as test -r e.yaml; then
    code=0
    # shellcheck disable=SC2086  # a command and its options
    $as "$isoglot" report e.yaml --store read-only >.out 2>.err </dev/null || code=$?
    want_code 0
    want_out_has "1   </td><script>"
    grep -q "read-only may not be written" .err || fail "the store may not be written, and that is not told"
    cp e.yaml of-another-name.yaml
    # shellcheck disable=SC2086
    $as "$isoglot" report of-another-name.yaml --store read-only >.out 2>.err </dev/null
    grep -q "its index knows no experiment 'of-another-name'" .err || fail "a copy of the file on it has no runs, and why is not told"
fi
chmod -R u+w read-only

# --- for programs
try report e.yaml --store st --csv
want_code 0
[ "$(head -n 1 .out | tr -d '\r')" = "table,cell,label,quantity,layer,n,mean,sd,min,max,median,low,high,base,base_n,difference,difference_low,difference_high,p,p_adjusted,seeds_needed,paper,paper_sd,minus_paper,missing" ] ||
    fail "another head of the CSV"
[ "$(wc -l <.out)" -eq 19 ] || fail "expected a head and 3 cells of 4 and 2 quantities"
grep -q '^table1,1,lang-pos,perplexity\[dev\],' .out || fail "perplexity without its text in the CSV"
grep -q '^table1,1,lang-pos,mu,.*,0\.3,,' .out || fail "no paper's number in the CSV"
try report e.yaml --store st --metrics
want_code 0
[ "$(head -n 1 .out | tr -d '\r')" = "experiment,cell,label,seed,address,measure,split,languages,tags,layer,step,last,n,value,version,date,program,commit" ] ||
    fail "another head of the metrics"
[ "$(grep -c '^e,1,lang-pos,1,.*,mu,dev,en-fake,,,2,1,' .out)" -ge 1 ] || fail "no value of cell 1, seed 1"
try report e.yaml --store st --json
want_code 0
for key in '"quantity": "perplexity[dev]"' '"perplexity[dev]": {' '"onsets": [' '"figure": "figure7"' '"isoglot_report": 1' '"experiment": "e"' '"p_adjusted":' '"seeds_needed":' '"tau_b":' '"verified": false'; do
    want_out_has "$key"
done

# --- for papers
try report e.yaml --store st --as markdown --table table1
want_code 0
want_out_has "| ID  | difference from the base  "
try report e.yaml --store st --as latex
want_code 0
want_out_has "\\toprule"
want_out_has "A \\& B 2020, Table\\_1"
if command -v pdflatex >/dev/null; then
    { printf '\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n'
      cat .out
      printf '\\end{document}\n'; } >t.tex
    pdflatex -halt-on-error t.tex >t.log 2>&1 || fail "pdflatex does not take the table: $(grep -A 3 '^!' t.log)"
else
    skip_here "no pdflatex for the table in LaTeX"
fi

# --- run folders without an index (workers on other machines leave none)
cp .out with_index
rm st/store.sqlite*
try report e.yaml --store st --as latex
want_code 0
cmp -s .out with_index || fail "another table from the run folders alone"

# --- figures and page
try report e.yaml --store st --figures figs --html page
want_code 0
[ ! -s .out ] || fail "tables beside files"
for f in figs/figure1.svg figs/figure1.pdf figs/figure1.png page/index.html; do
    [ -s "$f" ] || fail "no $f"
done
mkdir none
echo "not a library" >none/librsvg-2.so.2
LD_LIBRARY_PATH=$PWD/none "$isoglot" report e.yaml --store st --figures figs2 2>said >/dev/null || fail "no figures without librsvg"
[ "$(ls figs2)" = "$(cd figs && printf '%s\n' *.svg)" ] || fail "other figures without librsvg: $(ls figs2)"
grep -q "^figures as SVG alone: librsvg-2.so.2: found no such library, .* (install librsvg" said || fail "nothing said of PDF and PNG"
cmp -s figs/figure1.svg figs2/figure1.svg || fail "another figure without librsvg"
[ ! -e figs/figure5.svg ] || fail "a figure of a cell that was not run"
grep -q "figure5 is not drawn: cell 2 has no finished run" .err || fail "nothing said of figure5"
page=page/index.html
[ "$(wc -c <"$page")" -lt 2000000 ] || fail "the page is larger than 2 MB"
if grep -q '<script>alert' "$page"; then fail "a title became a script"; fi
grep -qF '&lt;/td&gt;&lt;script&gt;alert(1)' "$page" || fail "the title is not on the page"
grep -qF 'What makes a &lt;tiny&gt; BERT' "$page" || fail "no title"
grep -q '<span class="onset">μ sets in ' "$page" || fail "no word of when curves set in"
grep -q 'id="missing"' "$page" || fail "nothing said of what is missing"
grep -qF 'isoglot run e.yaml --store st --only 1' "$page" || fail "no command that repeats a cell"
if grep -qE '(src|href)="(https?:)?//' "$page"; then fail "the page asks for something"; fi
if command -v xmllint >/dev/null; then
    xmllint --noout "$page" || fail "the page is not well-formed"
else
    skip_here "no xmllint for the page"
fi
seen_by=
for browser in chromium chromium-browser google-chrome; do
    command -v "$browser" >/dev/null || continue
    # In a browser its script runs under its policy, and no other does.
    timeout 50 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" \
        --virtual-time-budget=2000 --dump-dom "file://$PWD/$page" >dom.html 2>browser.log || {
        echo "$browser does not run"
        break
    }
    seen_by=$browser
    grep -q '<button type="button">' dom.html || fail "the script of the page did not run"
    grep -q "<h1>What makes a &lt;tiny&gt; BERT multilingual</h1>" dom.html || fail "the browser shows another title"
    if grep -qi 'refused\|violates' browser.log; then fail "$(cat browser.log)"; fi
    # Clicking a head sorts by that column, falling, rising and as it was; rows without a value come last, and what
    # belongs to a row (the paper's line) goes with it.
    cat >click.js <<'END'
const said = [];
for (const table of document.querySelectorAll(".result table")) {
  const units = () => (table.classList.contains("lines") ? [...table.tBodies] : [...table.tBodies[0].rows]);
  const first = (unit) => (unit.rows ? unit.rows[0] : unit);
  const texts = () => units().map((unit) => unit.textContent);
  const before = texts();
  for (const head of table.querySelectorAll("th[data-c]")) {
    const values = () => units().map((unit) => first(unit).cells[head.dataset.c].dataset.v);
    const button = head.querySelector("button");
    if (values().every((v) => v === undefined)) continue;
    for (const [order, sign] of [["descending", 1], ["ascending", -1]]) {
      button.click();
      const v = values(), n = v.filter((x) => x !== undefined).length;
      let good = head.getAttribute("aria-sort") === order;
      for (let i = 0; i !== v.length; i++) {
        if ((v[i] === undefined) !== (i >= n)) good = false;
        if (i > 0 && i !== n && n > i && sign * (Number(v[i - 1]) - Number(v[i])) !== Math.abs(v[i - 1] - v[i])) good = false;
      }
      if ([...texts()].sort().join() !== [...before].sort().join()) good = false;
      said.push(good ? order : "wrong");
    }
    button.click();
    said.push(texts().join() === before.join() ? "back" : "not back");
  }
}
document.body.dataset.clicked = said.join(" ");
END
    { sed -e 's/<meta http-equiv="Content-Security-Policy"[^>]*>//' -e '/<\/body>/,$d' "$page"
      echo '<script>'
      cat click.js
      echo '</script></body></html>'; } >clicked.html
    timeout 50 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" \
        --virtual-time-budget=2000 --dump-dom "file://$PWD/clicked.html" >dom.html 2>browser.log || break
    clicked=$(sed -n 's/.*data-clicked="\([^"]*\)".*/\1/p' dom.html)
    case $clicked in
    *wrong* | *not*) fail "sorting by a column's head: $clicked" ;;
    *"descending ascending back"*) ;;
    *) fail "no head could be clicked" ;;
    esac
    break
done
[ -n "$seen_by" ] || skip_here "no browser that runs, for the page"

# --- the page replaces none but its own
try report e.yaml --store st --html page --quiet # again, over its own
want_code 0
mkdir theirs && echo mine >theirs/index.html
try report e.yaml --store st --html theirs
want_error 4 "isoglot report: error: theirs/index.html: found a file that isoglot did not write, or that was changed" \
    "another name keeps it; --overwrite replaces it"
[ "$(cat theirs/index.html)" = mine ] || fail "somebody's file was written over"
rm theirs/index.html && echo mine >theirs/notes
try report e.yaml --store st --html theirs --quiet
want_code 0
[ "$(cat theirs/notes)" = mine ] || fail "somebody's file was written over"
try report e.yaml --store st --html theirs --quiet
want_code 0

# --- a file without tables: results on texts and scores after fine-tuning have their own
cat >all.yaml <<'END'
base: {preset: bert-tiny, world: demo, world_sentences: 60, dev_take: 20, vocab_size: 120, updates: 2, batch: 16}
measure: {what: [retrieval, translation], text: {more: {take: 20}, one: {take: 10, what: [retrieval]}}}
tasks: {tags: {world: tags, train: 20, dev: 10, test: 10, epochs: 1}}
END
try run all.yaml --store all --quiet
want_code 0
try report all.yaml --store all --csv
want_code 0
[ "$(tr -d '"\r' <.out | sed -n 's/^\([a-z]*\),base,[^,]*,\([^[,]*\(\[[^]]*\]\)\{0,1\}\),.*/\1 \2/p')" = "results mu
results rho[low]
results tau[low]
results rho[high]
results tau[high]
texts mu[text=more]
texts rho[low,text=more]
texts tau[low,text=more]
texts rho[high,text=more]
texts tau[high,text=more]
texts rho[low,text=one]
texts rho[high,text=one]
tasks accuracy[task=tags,en]
tasks accuracy[task=tags,fake]" ] || fail "other columns without report:"
try report all.yaml --store all --html allpage
want_code 0
grep -q "Scores after fine-tuning" allpage/index.html || fail "no scores of tasks on the page"

# The spread of one fine-tuning is none, and the table says why.
try report all.yaml --store all --columns 'tuning_sd[task=tags,fake]'
want_code 0
want_out_has "No tuning_sd[task=tags,fake]: needs two seeds of fine-tuning: seeds of the task (cell base)"

# --- without the texts: what the store knows, and as the folders say
mkdir texts
i=0
while [ $i -lt 60 ]; do
    echo "the $i king saw $((i * 7 % 13)) men and $((i * 5 % 11)) ships in the $((i % 9)) th year ."
    i=$((i + 1))
done >texts/t.txt
cat >t.yaml <<'END'
base: {preset: bert-tiny, text: t.txt, dev_text: t.txt, format: plain, dev_take: 20, vocab_size: 80, updates: 2, batch: 8}
cells: {a: {}, b: {lang_pos: true}, c: {updates: 3}}
seeds: 1
report: {tables: [{name: t, columns: [mu, updates]}]}
END
try run t.yaml --data texts --store stt --only a,b --quiet
want_code 0
try report t.yaml --data texts --store stt
want_code 0
cp .out with_texts
mv texts away
try report t.yaml --data texts --store stt
want_code 0
cmp -s .out with_texts || fail "another table without the texts"
grep -q "reported is what the store knows" .err || fail "nothing said of the texts"
try status t.yaml --data texts --store stt
want_code 0
want_out_has "t in stt: 3 runs: 2 done, 1 missing"
want_err_has "shown is what the store knows"
rm stt/runs/*/DONE # a folder's word counts
try report t.yaml --data texts --store stt
want_code 0
want_out_has "stopped"
try report t.yaml --data texts --store empty
want_code 4

# A copy of the file, another name or --set, the same runs: by the settings in their folders.
cat >from.yaml <<'END'
base: {preset: bert-tiny, text: t.txt, dev_text: t.txt, format: plain, dev_take: 20, vocab_size: 80, updates: 2, batch: 8}
cells: {a: {}, child: {from: {cell: a}, updates: 1}, other: {updates: 4}}
report: {tables: [{name: t, columns: [updates]}]}
END
cp -r away texts
try run from.yaml --data texts --store stf --only a,child --quiet
want_code 0
rm -r texts
cp from.yaml copy.yaml
try report copy.yaml --data texts --store stf --csv
want_code 0
[ "$(cut -d, -f2,4,6,7 .out | tr -d '\r')" = "cell,quantity,n,mean
a,updates,1,2
child,updates,1,1" ] || fail "other runs of a copy"
want_err_has "reported is what the store knows"
try report from.yaml --set batch=8 --data texts --store stf --csv
want_code 0
[ "$(wc -l <.out)" -eq 3 ] || fail "other runs by --set"
try export copy.yaml --data texts --store stf
want_code 0
try compare from.yaml copy.yaml --data texts --store stf --measure updates
want_code 0
try report from.yaml --set batch=9 --data texts --store stf
want_error 4 "isoglot report: error: t.txt: no such file below the data root texts" \
    "nor beside the file of the experiment that names it; --data DIR or ISOGLOT_DATA says where the data are"
sed 's/other: {/other: {text: other.txt, /; s/\(.* dev_text: \)t.txt/\1here.txt/; s/text: t.txt/text: here.txt/' from.yaml >below.yaml
cp away/t.txt here.txt
printf '# a line\n# more\nextends: below.yaml\n' >above.yaml
try report above.yaml --data texts --store stf
want_error 4 "isoglot report: error: below.yaml:2: cell 'other': other.txt: no such file below the data root texts" \
    "nor beside the file of the experiment that names it; --data DIR or ISOGLOT_DATA says where the data are"
rm stf/store.sqlite*
try report copy.yaml --data texts --store stf
want_code 0

# --- a mean over pairs of languages says which pairs it is without
cat >pairs.yaml <<'END'
base: {preset: bert-tiny, text: here.txt, dev_text: here.txt, format: plain, dev_take: 20, vocab_size: 80, updates: 2,
       batch: 8, files: "de=here.txt", languages: "en; fake = shift; de(text=de, dev=de)"}
measure: {pairs: all}
report: {tables: [{name: t, columns: [mu, "rho[low]"]}]}
END
try run pairs.yaml --store pairs --quiet
want_code 0
try report pairs.yaml --store pairs
want_code 0
want_out_has "mu: mean over the pairs of languages without en-de, fake-de, of which it cannot be computed (cell base)"
try report pairs.yaml --store pairs --json
want_out_has "of which it cannot be computed (cell base)"

# --- a training that diverged is finished: its perplexity has no number
cat >hot.yaml <<'END'
base: {preset: bert-tiny, world: demo, world_sentences: 60, dev_take: 20, vocab_size: 120, updates: 20, batch: 16, lr: 100, clip: 0,
  warmup: 0}
measure: {what: [alignment, perplexity], checkpoints: [10, 20]}
END
try run hot.yaml --store hot --quiet
want_code 0
try report hot.yaml --store hot
want_code 0
want_out_has "too large for a number, and in no mean: perplexity[train] (1 of 1 seed), perplexity[dev] (1 of 1 seed)"
try eval hot/runs/* --json
want_code 0

# --- mistakes
try report e.yaml --store st --table tabel1
want_error 2 "isoglot report: error: --table: e.yaml has no table 'tabel1'" "did you mean 'table1'?"
try report e.yaml --store st --json --csv
want_error 2 "isoglot report: error: found several of --as, --json, --csv, --metrics, expected one"
try report e.yaml --store nothere
want_code 4
try report nothere.yaml --store st
want_code 4
