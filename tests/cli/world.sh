#!/bin/sh
# isoglot corpus world: the same seed gives the same bytes; what it refuses; a world is not written into another.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

try corpus world --out one --sentences 30 --languages 'eng; jap; x:VSO,post' --seed 7 --json
want_code 0
want_out_has '"sentences": 30'
try corpus world --out two --sentences 30 --languages 'eng; jap; x:VSO,post' --seed 7
want_code 0
diff -r one two >/dev/null || fail "the same seed gives other bytes: $(diff -rq one two)"
for suffix in txt vocab tags conllu; do
    for language in eng jap x; do
        [ -s one/$language.$suffix ] || fail "no $language.$suffix"
    done
done
for pair in eng-jap eng-x jap-x; do
    [ "$(wc -l <one/$pair.align)" -eq 30 ] || fail "$pair.align has not a line a sentence"
    [ -s one/$pair.dict ] || fail "no $pair.dict"
done
try corpus world --out other --sentences 30 --languages 'eng; jap; x:VSO,post' --seed 8
want_code 0
! cmp -s one/eng.txt other/eng.txt || fail "another seed, the same text"

# Writing it once more is no mistake; another world into the same folder is.
try corpus world --out one --sentences 30 --languages 'eng; jap; x:VSO,post' --seed 7
want_code 0
for change in "--sentences 31 --seed 7" "--sentences 30 --seed 9"; do
    # shellcheck disable=SC2086
    try corpus world --out one --languages 'eng; jap; x:VSO,post' $change
    want_error 2 "isoglot corpus world: error: one: the folder holds another world" \
        "choose another --out; one/world.json has the settings of that one"
    diff -r one two >/dev/null || fail "a refused command changed the folder"
done

# Tasks: the same examples in every language, and the same bytes beside any other.
tasks='tags,entities,trees,entailment'
sizes='--task-train 60 --task-dev 12 --task-test 15'
# shellcheck disable=SC2086
try corpus world --out t1 --preset tasks --sentences 5 --languages 'eng; tur; zho' --tasks $tasks $sizes
want_code 0
# shellcheck disable=SC2086
try corpus world --out t2 --preset tasks --sentences 5 --languages 'zho; eng' --tasks $tasks $sizes
want_code 0
for task in tags entities trees entailment; do
    for file in t2/"$task"/*.con* t2/"$task"/*.tsv; do
        [ ! -e "$file" ] || cmp -s "$file" "t1/${file#t2/}" || fail "$file is another beside another language"
    done
done
for split in train dev test; do
    cut -f3 t1/entailment/eng.$split.tsv >labels
    cut -f3 t1/entailment/tur.$split.tsv | cmp -s - labels || fail "other labels in another language"
    [ "$(sort labels | uniq -c | awk '{print $1}' | sort -u | wc -l)" -eq 1 ] || fail "labels are not balanced in $split"
done
[ "$(wc -l <t1/entailment/eng.test.tsv)" -eq 15 ] || fail "not 15 pairs"
grep -q '"zho": zho.test.tsv' t1/entailment/TASK.yaml || fail "TASK.yaml does not name zho's test file"
! grep -q 'zho.train' t1/entailment/TASK.yaml || fail "TASK.yaml trains on more than the first language"
try corpus world --out new --tasks tags,tag
want_error 2 "isoglot corpus world: error: --tasks: found 'tag', expected some of tags, entities, trees, entailment, minimal"
try corpus world --out new --tasks tags,tags
want_error 2 "isoglot corpus world: error: --tasks: found 'tags' twice, expected some of tags, entities, trees, entailment, minimal"
try corpus world --out new --tasks tags --task-seed 32768
want_error 2 "isoglot corpus world: error: --task-seed: found 32768, expected an integer from 0 to 32767"

try corpus world --out new --languages 'eng; eng'
want_error 2 "isoglot corpus world: error: languages: 'eng' is there twice"
try corpus world --out new --languages 'eng:SOVV'
want_error 2 "isoglot corpus world: error: languages: found 'SOVV', expected an option of a language such as SOV, noun-adj, post or case" \
    "did you mean 'SOV'?"
try corpus world --out new --languages '../x'
want_error 2 "isoglot corpus world: error: languages: the name '../x' is also a file's, expected letters, digits and _"
try corpus world --out new --preset bibel
want_error 2 "isoglot corpus world: error: --preset: found 'bibel', expected one of bible, demo, tasks" \
    "did you mean 'bible'?"
try corpus world --out new --adjective nan
want_error 2 "isoglot corpus world: error: --adjective: found 'nan', expected a number from -1 to 1"
try corpus world --out new --lexicon 5
want_error 2 "isoglot corpus world: error: lexicon: found 5, expected 40 to 200000"
[ ! -e new ] || fail "a folder was made"
: >file
try corpus world --out file
want_error 4 "isoglot corpus world: error: file: found a file, expected a folder"

# A run knows the dictionary of its world's languages: that of `corpus world`, as far as both words are pieces.
try train --quiet --out run --world demo --world-sentences 300 --world-words --dev-take 20 --languages "en; x(world)" \
    --preset bert-tiny --updates 1 --no-eval
want_code 0
try corpus world --quiet --preset demo --languages "x; eng" --seed 1 --sentences 300 --out same
awk -F '\t' '{ print tolower($2) " " tolower($1) }' same/x-eng.dict | LC_ALL=C sort -u >want
tr -d '\n ' <run/data/gold-x.json | grep -o '\[[0-9]*,[0-9]*\]' | tr -d '[]' | tr ',' ' ' |
    awk 'NR == FNR { piece[NR - 1] = $0; next } { print piece[$1] " " piece[$2] }' run/data/vocab.txt - | LC_ALL=C sort -u >have
[ "$(wc -l <want)" -gt 100 ] || fail "few pairs: $(wc -l <want)"
cmp -s want have || fail "another dictionary: $(diff want have | head -3)"

# Words that are held out of a language: its training text has only the other sentences. Whole words of a world are pieces
# all the same; of pieces that are learned none is such a word.
cat >less.yaml <<'Y'
title: less
base: {world: demo, world_sentences: 300, world_words: true, dev_take: 20, preset: bert-tiny, updates: 1,
       languages: "en; x(world=held-out-20)"}
measure: {what: [perplexity]}
seeds: 1
Y
try run less.yaml --quiet --store less
want_code 0
try corpus world --quiet --preset demo --languages "eng; x:held-out-20" --seed 1 --sentences 300 --out lacks
want_code 0
[ "$(wc -l <lacks/x.held-out)" -eq 300 ] || fail "not a line a sentence"
grep -q "\"sequences\": $((300 + $(grep -c 0 lacks/x.held-out)))\$" less/runs/*/size.json || fail "$(cat less/runs/*/size.json)"
cut -f2 lacks/eng-x.held-out.dict | tr '[:upper:]' '[:lower:]' | LC_ALL=C sort -u >gone
paste lacks/x.held-out lacks/x.txt | sed -n 's/^0\t//p' | tr ' ' '\n' | tr '[:upper:]' '[:lower:]' | LC_ALL=C sort -u >left
LC_ALL=C sort less/data/*/vocab.txt >pieces
sed 's/world_words: true/vocab_size: 700/' less.yaml >learned.yaml
try run learned.yaml --quiet --store learned
want_code 0
LC_ALL=C sort learned/data/*/vocab.txt >learned_pieces
[ "$(wc -l <gone)" -gt 9 ] || fail "few words are held out: $(wc -l <gone)"
[ -z "$(LC_ALL=C comm -12 gone left)" ] || fail "a word that is held out is there: $(LC_ALL=C comm -12 gone left | head -3)"
[ -z "$(LC_ALL=C comm -23 gone pieces)" ] || fail "a word that no piece is: $(LC_ALL=C comm -23 gone pieces | head -3)"
[ -z "$(LC_ALL=C comm -12 gone learned_pieces)" ] || fail "it is a piece: $(LC_ALL=C comm -12 gone learned_pieces | head -3)"
