#!/bin/sh
# isoglot align: order, score, ibm2, words and transfer: what they print, and what they say to mistakes.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# --- order and score, from files
printf '0-0 1-1 2-2\n0-1 1-0\n0-0\n' >a.pharaoh
printf '1-1 2-2 3-3\n1-2 2-1\n1-1\n' >b.pharaoh
try align order a.pharaoh
want_code 0
want_out "    τ   95 % interval      sd  sentences    used    links
0.000   $(sed -n '2s/^0.000   \(.*\)   1.414.*/\1/p' .out)   1.414          3       2        6  a.pharaoh"
try align order a.pharaoh --json
want_code 0
cp .out one
for part in '"tau": 0.0' '"n_sentences": 3' '"n_used": 2' '"n_links": 6' '"concordant": 3' '"discordant": 1' '"variant": "fixed"'; do
    want_out_has "$part"
done
try align order b.pharaoh --base 1 --json
sed 's/b.pharaoh/a.pharaoh/' .out | cmp -s - one || fail "another base, other numbers"
try align order a.pharaoh --definition paper-code --json
want_out_has '"tau": 0.5'
try align order b.pharaoh a.pharaoh --base 1
want_error 3 "isoglot align order: error: a.pharaoh:1: found link 0-0, expected places from 1, 100000 at most" \
    "do the places count from 0? --base 0"
printf '0-0\n1-\n' >bad
try align order bad
want_error 3 "isoglot align order: error: bad:2: found '1-', expected links such as 0-1, or 0p1 for a possible one"
printf '0-0\n\n' >few
# One sentence has no interval and no standard deviation.
echo '0-0 1-1' >one
try align order one
want_code 0
want_out_has '1.000       - …     -       -          1       1        2  one'
try align order few
want_error 3 "isoglot align order: error: few: found no sentence with two links, expected at least one"
try align order nothere
want_code 4
try align order
want_code 2
try align score a.pharaoh b.pharaoh --gold-base 1
want_code 0
want_out "precision 1.000   recall 1.000   F1 1.000   AER 0.000
3 sentences, 6 links predicted, 6 sure and 0 possible in gold"
printf '0-0 1p1 2-1\n\n0-0\n' >gold
try align score a.pharaoh gold --json
want_code 0
for part in '"precision": 0.5' '"recall": 0.666666666667' '"aer": 0.444444444444' '"n_sure": 3' '"n_possible": 4'; do
    want_out_has "$part"
done
printf '0-0\n' >short
try align score short gold
want_error 3 "isoglot align score: error: short: found 1 line, expected $(grep -c "" gold), as many as gold has"
# Links alone have places of the other file's sentences.
printf 'a b\tc d\t0-0 1-1\n' >text
printf '1-1 2-2\n' >ones
try align score ones text
want_error 3 "isoglot align score: error: ones:1: found link 2-2, but the sentences have 2 and 2 words" \
    "do the places count from 1? --base 1"
try align score text ones
want_error 3 "isoglot align score: error: ones:1: found link 2-2, but the sentences have 2 and 2 words" \
    "do the places count from 1? --gold-base 1"
try align score ones text --base 1
want_out_has "AER 0.000"

# --- worlds: gold alignments of languages whose order is known
try corpus world --out w --sentences 200 --languages 'eng; spa; jap' --seed 3
want_code 0
try align order w/eng-spa.align w/eng-jap.align
want_code 0
awk 'NR > 1 {print $1}' .out >taus
[ "$(awk 'NR == 1 {a = $1} NR == 2 {print (a > $1 + .2)}' taus)" = 1 ] || fail "Spanish order is not nearer than Japanese"

# --- ibm2: from the text alone, near the gold; any number of threads; more text that is not written
paste w/eng.txt w/spa.txt >pairs
try align ibm2 w/eng.txt w/spa.txt --out ibm2.pharaoh --threads 1
want_code 0
want_out ""
try align score ibm2.pharaoh w/eng-spa.align --json
want_code 0
[ "$(sed -n 's/.*"aer": 0\.\([0-9]\).*/\1/p' .out)" -lt 3 ] || fail "error rate of ibm2: $(cat .out)"
try align ibm2 pairs --threads 3 --quiet
want_code 0
cmp -s .out ibm2.pharaoh || fail "other links with three threads"
try align ibm2 pairs --take 2 --more pairs --symmetrise intersection --lowercase --alpha 0 --quiet
want_code 0
[ "$(wc -l <.out)" = 2 ] || fail "links of more text were written"
: >nothing
try align ibm2 nothing
want_error 3 "isoglot align ibm2: error: nothing: found no sentence pair, expected at least one"

# --- words, by a model: a text with itself is aligned in order
try train --quiet --out run --text w/eng.txt --dev-take 40 --vocab-size 150 --preset bert-tiny --updates 1 --batch 32
want_code 0
head -5 w/eng.txt >text
head -3 text | awk '{for (i = 1; i <= NF; i++) printf "%s%d-%d", (i > 1 ? " " : ""), i - 1, i - 1; print ""}' >want
cp text twin
for how in "" "--method match" "--threads 1" "--threads 3" "--layer 0"; do
    # shellcheck disable=SC2086
    try align words text twin --model run --take 3 --quiet $how
    want_code 0
    [ "$(cat .out)" = "$(cat want)" ] || fail "with $how not the identity: $(cat .out)"
done
paste text text >both
try align words both --model run/model --take 3 --tsv --out aligned
want_code 0
want_out ""
try align order aligned --json
want_code 0
try align score aligned want
want_out_has "AER 0.000"
printf 'a "b" c\n' >quoted
try align words quoted quoted --model run --out links
grep -q '^1 pair, 3 links at layer ' .err || fail "not one pair: $(cat .err)"
try align score links links
want_out_has "1 sentence, 3 links predicted"
try align words quoted quoted --model run --quiet --json
want_code 0
want_out '{"a": "a \"b\" c", "b": "a \"b\" c", "links": [[0, 0], [1, 1], [2, 2]]}'
try align words text twin --model run --take 3 --quiet --json --out aligned.json
want_code 0
want_out ""
grep -o '\[[0-9]*, [0-9]*\]' aligned.json | tr -d '[]' >links
tr ' ' '\n' <want | sed 's/-/, /' >links.want
cmp links links.want || fail "--json has other links"
[ "$(wc -l <aligned.json)" -eq 3 ] || fail "not an object a line"
try align words both --model run --tsv --json
want_error 2 "isoglot align words: error: --json: found beside --tsv, expected one of the two"
# Verses are joined by their ids.
printf '01001001\t%s\n01001003\t%s\n' "$(sed -n 1p text)" "$(sed -n 2p text)" >v1
printf '01001001\t%s\n01001002\tx\n01001003\t%s\n' "$(sed -n 1p text)" "$(sed -n 2p text)" >v2
try align words v1 v2 --model run
want_code 0
[ "$(cat .out)" = "$(sed -n 1,2p want)" ] || fail "verses are not joined"
try align words v1 --model run
want_error 3 "isoglot align words: error: v1:1: found a verse, expected two sentences with a tab between, or a second file of verses"
try align words v1 v2 --model run --ids NT
want_error 3 "isoglot align words: error: v1: found no pair of sentences, expected at least one"
try align words v1 text --model run
want_error 3 "isoglot align words: error: text: found text without verse ids beside the verses of v1"
head -2 text >two
try align words text two --model run
want_code 3
want_err_has "two: found 2 lines, expected $(wc -l <text), as many as text has"
[ ! -s .out ] || fail "said too late"
try align words text twin --model run --layer 9
want_err_has "isoglot align words: error: --layer: no layer 9: the model has 0 (embeddings) to 2"
try align words text twin
want_error 2 "isoglot align words: error: --model: not given, expected a model folder"
try align words text --model run
want_error 3 "isoglot align words: error: text:1: found one column, expected two sentences with a tab between"
printf '1\ta b\tc d\n' >numbered.tsv
try align ibm2 numbered.tsv
want_error 3 "isoglot align ibm2: error: numbered.tsv:1: found 'c d' in the third column, expected two sentences and perhaps their links" \
    "'cut -f2,3' takes the second and the third column"
printf 'a b\tc d\t0-0 1p1\n' >linked.tsv
# Signs that the columns are not two texts alone: a line of names, fields of CSV.
printf 'en\tde\n"the ""big"" cat"\tdie Katze\nthe dog\tder Hund\n' >signs.tsv
try align ibm2 signs.tsv
want_code 0
want_err_has "warning: signs.tsv:1: 'en' and 'de' are read as a pair: is it a line of names?"
want_err_has "warning: signs.tsv: texts in quotation marks, with doubled ones within (1) are read as they stand: fields of CSV are not known here"
printf '"a b"\t"c d"\n"e"\t"f"\n' >signs.tsv
try align ibm2 signs.tsv
want_err_has "warning: signs.tsv: texts in quotation marks (4) are read as they stand: fields of CSV are not known here"
printf '"so"\t"aber"\nGo\tVa\nno\tnon\n"a" "b"\tc ""d""\n' >signs.tsv
try align ibm2 signs.tsv
if grep -q warning .err; then fail "a warning of text"; fi
try align ibm2 linked.tsv --quiet
want_code 0
try align words text two --model run --out left
want_code 3
[ ! -e left ] || fail "an error left a file"

# --- transfer
cat >table.yaml <<END
source: made up
source_language: en
rows:
  en: {accuracy: 80}
  de: {accuracy: 70, word_order: 0.5}
  fr: {accuracy: 60, word_order: 0.25}
  ru: {accuracy: 50, word_order: 0}
END
printf '0-0 1-1 2-2\n' >up
printf '0-0 1-2 2-1\n' >mid
printf '0-2 1-1 2-0\n' >down
try align transfer --reference table.yaml de=up fr=mid ru=down --json
want_code 0
for part in '"without_source": 0.981980506062' '"reference": 0.25' '"n_languages": 3' '"with_source": 0.912870929175' '"verified": false'; do
    want_out_has "$part"
done
try align transfer --reference table.yaml de=up,mid fr=mid ru=down
want_code 0
want_out_has "reference: made up (unverified)"
try align transfer --reference table.yaml xx=up
want_error 2 "isoglot align transfer: error: table.yaml: the file of accuracies has no language 'xx'" \
    "its languages are en, de, fr, ru"
try align transfer --reference table.yaml up
want_error 2 "isoglot align transfer: error: found 'up', expected LANGUAGE=FILE[,FILE]"
try align transfer --reference table.yaml de=up,,mid
want_error 2 "isoglot align transfer: error: found 'de=up,,mid', expected LANGUAGE=FILE[,FILE]"
try align transfer de=up
want_error 2 "isoglot align transfer: error: --reference: not given, expected a file of accuracies by language"
sed 's/accuracy: 70/acuracy: 70/' table.yaml >bad.yaml
try align transfer --reference bad.yaml de=up
want_error 2 "isoglot align transfer: error: bad.yaml:5: de: unknown key 'acuracy'" \
    "did you mean 'accuracy'?"

# Without links there is nothing to divide by.
echo >none
try align score none none
want_code 0
want_out_has 'precision –   recall –   F1 –   AER –'
: >empty
try align score empty empty
want_error 3 "isoglot align score: error: empty: found no sentence, expected at least one"
try align ibm2 none.tsv --alpha 1e-320
want_error 2 "isoglot align ibm2: error: --alpha: found 9.99988867183e-321, expected a number from 0 to 100" \
    "0, or at least float32's smallest number, 1.18e-38"

# --- units of a model whose pieces mark the beginning of words: the text is shown as it stood
data=$(cd "$(dirname "$0")/../data/foreign" && pwd)
printf 'the cat saw the dog\tdie Katze schläft\n' >ab
for model in roberta xlmr; do
    try align words ab --model "$data/$model" --unit token --quiet --json --allow-unknown
    want_code 0
    want_out_has '"a": "the cat saw the dog"'
    want_out_has 'die Katze schläft'
    for method in argmax match itermax; do
        try align words ab --model "$data/$model" --unit piece --method $method --quiet --allow-unknown
        want_code 0
        tr ' ' '\n' <.out | sort >$method.links
    done
    [ -z "$(comm -23 argmax.links itermax.links)" ] || fail "itermax lacks links of argmax"
done
# An unknown character within a word of Unigram is a part of it.
printf 'the cat sleeps\tdie Katze\n' >unknown
try align words unknown --model "$data/xlmr" --unit token --quiet --json --allow-unknown
want_out_has '"a": "the cat slee<unk>s"'
# What diagnose takes for words is what the links are of: by the model's own links as gold the card has no error.
paste "$data/en.txt" "$data/de.txt" >texts
for model in roberta labse minilm xlmr; do
    "$isoglot" align words texts --model "$data/$model" --layer 1 --allow-unknown --quiet >links 2>.err || fail "$(cat .err)"
    paste texts links >gold.tsv
    try diagnose "$data/$model" --text en="$data/en.txt" --text de="$data/de.txt" --gold gold.tsv --allow-unknown --json --quiet
    want_code 0
    awk '/"1": \{/ { on = 1 } on && /"alignment_f1"/ { getline; print $2; exit }' .out >.f1
    [ "$(cat .f1)" = "1.0," ] || fail "$model: other words, F1 $(cat .f1)"
done
