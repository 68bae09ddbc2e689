#!/bin/sh
# isoglot run --dry-run: however much there is to be timed, the answer is there within seconds. Of a long text a part is
# read, of a large model a layer is timed, and what is not timed by then is computed from the rest.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
unset ISOGLOT_STORE ISOGLOT_DATA

awk 'BEGIN { for (i = 0; i < 600000; i++) print "w" i % 977, "w" i % 1009, "w" i % 1013, "w" i % 1019, "w" i % 7 }' >long.txt
cat >many.yaml <<'END'
base: {text: long.txt, vocab_size: 80000, preset: bert-base, updates: 1000000, batch: 512}
cells: {a: {}, b: {block: 256}, c: {layers: 24}, d: {ffn: 2048}, e: {hidden: 1536}, f: {layers: 6}, g: {batch: 8}, h: {block: 512}}
END
tried="run many.yaml --dry-run --jobs 1"
code=0
timeout 60 "$isoglot" run many.yaml --data . --dry-run --jobs 1 --json >.out 2>.err </dev/null || code=$?
want_code 0
want_out_has '"shapes_untimed":'
want_out_has '"runs": 8'
# Where one update takes longer than the answer may, the operations say how much it is.
cat >huge.yaml <<'END'
base: {text: long.txt, vocab_size: 80000, preset: bert-base, layers: 100, hidden: 4096, ffn: 16384, heads: 64, updates: 1000000, batch: 512}
END
tried="run huge.yaml --dry-run --jobs 1"
code=0
timeout 60 "$isoglot" run huge.yaml --data . --dry-run --jobs 1 >.out 2>.err </dev/null || code=$?
want_code 0
grep -q '^nothing could be timed within 7 s; some .* d .* of one core, by the number of operations' .out || fail 'no estimate'
# Reports the part of a task's data that is left out, or also trained on.
head -100 long.txt | awk '{ print $1 "\t" $2 " " $3 "\t" (NR % 3 ? "yes" : NR % 2 ? "no" : "-") }' >pairs.tsv
head -150 long.txt | tail -80 | awk '{ print $1 "\t" $2 " " $3 "\t" (NR % 3 ? "yes" : "no") }' >test.tsv
printf 'kind: pair\ntrain: {l1: pairs.tsv}\ntest: {l1: test.tsv}\n' >task.yaml
cat >tasks.yaml <<'END'
base: {world: demo, world_sentences: 300, dev_take: 20, preset: bert-tiny, updates: 2, batch: 8, languages: "l1; l2 = shift"}
cells: {a: {}}
tasks: {own: {task: task.yaml, updates: 2, allow_unknown: true}}
END
try run tasks.yaml --dry-run
want_code 0
want_err "task own: l1 train: read 100, unlabelled 16
warning: task own: l1 test: 25 of 80 pairs are in train too"

# Two sizes are two shapes, and what no run can measure is one line for all of them.
cat >sizes.yaml <<'END'
base: {world: demo, world_sentences: 200, world_words: true, dev_take: 20, vocab_size: 300, preset: bert-tiny, updates: 2, batch: 8, languages: "fake = codepoints | tokenize; x(world)"}
cells: {small: {parameters: 30000}, large: {parameters: 90000}}
END
try run sizes.yaml --dry-run --jobs 1
want_code 0
want_out_has "from a few updates of 2 shapes"
want_out_has "2 runs"
if grep -q "^no μ" .out; then fail "the world knows its dictionary"; fi
try corpus world --quiet --preset demo --languages "eng; jap" --sentences 300 --out w
cat >sizes.yaml <<'END'
base: {text: w/eng.txt, files: "x=w/jap.txt", languages: "en; x(text=x)", dev_take: 20, vocab_size: 300, preset: bert-tiny, updates: 2, batch: 8}
cells: {small: {parameters: 30000}, large: {parameters: 90000}}
measure: {what: [translation, retrieval]}
END
try run sizes.yaml --dry-run --jobs 1
want_code 0
want_out_has "no μ: needs a dictionary en–x: gold=FILE; needs sentences that en and x both have: dev=FILE of verses, or dev-parallel (large, small)"
# The claims that no run decides are told before anything is trained, and of a run that goes on without as it begins.
cat >>sizes.yaml <<'END'
claims:
  size: {text: Larger models align more, statement: "mu(large) > mu(small)"}
  words: {text: Larger models know more, statement: "perplexity[dev](small) > perplexity[dev](large)"}
  people: {text: Readers find them better, needs: readers}
END
sed -i 's/retrieval]/retrieval, perplexity]/' sizes.yaml
try run sizes.yaml --dry-run --jobs 1
want_code 0
want_out_has "claim size is not decided: cell small has no μ: needs a dictionary en–x: gold=FILE"
want_out_has "claim people is not decided: needs readers"
if grep -q "claim words is not" .out; then fail "perplexity needs no dictionary"; fi
try run sizes.yaml --dry-run --json --jobs 1
[ "$(grep -c '"claim":' .out)" = 2 ] || fail "claims in JSON"
sed -i 's/perplexity]/perplexity, alignment]/' sizes.yaml
try run sizes.yaml --set seeds=2 --store no-mu --jobs 1
want_code 0
want_err_has "claim people is not decided: needs readers"
[ "$(grep -c "small:0 has no μ: needs a dictionary en–x" .err)" = 1 ] || fail "no μ is said once for a cell"
if grep -q ":1 has no μ" .err; then fail "no μ is said for each seed"; fi
try report sizes.yaml --set seeds=2 --store no-mu
want_out_has "No f1[low]: needs languages of one text, whose words are known to be aligned (cells small, large)"

# Texts, named files and further texts are looked for beside the file; the message of what is missing names both places.
mkdir dir
cp w/eng.txt w/jap.txt dir
cat >dir/beside.yaml <<'END'
base: {text: eng.txt, dev_take: 20, vocab_size: 3e2, preset: bert-tiny, updates: 2, batch: 8}
measure: {text: {other: jap.txt}}
END
try run dir/beside.yaml --dry-run
want_code 0
sed 's/other: jap/other: no/' dir/beside.yaml >dir/other.yaml
try run dir/other.yaml --dry-run --data w
want_error 4 "isoglot run: error: no.txt: no such file below the data root w" \
    "nor beside the file of the experiment that names it; --data DIR or ISOGLOT_DATA says where the data are"
sed 's/text: eng.txt,/text: eng.txt, languages: "en; x(text=x)", files: "x=no.txt",/; /^measure/d' dir/beside.yaml >dir/named.yaml
try run dir/named.yaml --dry-run --data w
want_error 4 "isoglot run: error: no.txt: no such file below the data root w" \
    "nor beside the file of the experiment that names it; --data DIR or ISOGLOT_DATA says where the data are"
