#!/bin/sh
# isoglot bli: tables, JSON, answers, errors.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
data=$(cd "$(dirname "$0")/../data/bli" && pwd)
cp "$data"/* .

try bli source.vec target.vec --dictionary dictionary.txt
want_code 0
grep -qE '^ *nearest neighbour +57\.33 +88\.00 +96\.00 +0\.7141' .out || fail "$(cat .out)"
grep -qE '^ *inverted softmax +56\.00 +89\.33 +97\.33 +0\.7127' .out || fail "$(cat .out)"
grep -qE '^ *CSLS +53\.33 +88\.00 +97\.33 +0\.6974' .out || fail "$(cat .out)"
want_out_has '75 of 77 source words'

# Any number of threads gives the same result.
try bli source.vec target.vec --dictionary dictionary.txt --json --threads 1
want_code 0
want_out_has '"source_words": 75'
want_out_has '"p@1": 0.57333'
cp .out one
try bli source.vec target.vec --dictionary dictionary.txt --json --threads 3
cmp -s one .out || fail "one and three threads differ"

try bli source.vec target.vec --dictionary dictionary.txt --retrieval nn --candidates dictionary --answers a.tsv --top 2
want_code 0
grep -qE '^ *nearest neighbour +72\.00' .out || fail "$(cat .out)"
[ "$(wc -l <a.tsv)" -eq 75 ] || fail "a line a word expected"
awk -F '\t' 'NF != 5 || $1 != "nn" || split($5, x, " ") != 2 { bad = 1 } END { exit bad }' a.tsv || fail "$(head -3 a.tsv)"

try bli source.vec target.vec
want_error 2 "isoglot bli: error: --dictionary: not given, expected a file of word pairs"
try bli target.vec source.vec --dictionary dictionary.txt
want_error 3 "isoglot bli: error: dictionary.txt: of 113 pairs of the dictionary none has a vector for both words" \
    "is it the other way round, or in another case (--lowercase)?"
printf 'a b c\n' >bad.txt
try bli source.vec target.vec --dictionary bad.txt
want_error 3 "isoglot bli: error: bad.txt:1: found 'a b c', expected a word and its translation, with a blank or a tab between them"
printf '1 2\nt1 1 0\n' >flat.vec
try bli source.vec flat.vec --dictionary dictionary.txt
want_error 3 "isoglot bli: error: flat.vec: found vectors of 2 dimensions, expected 10 as in source.vec" \
    "both files must be in one space: 'isoglot map' puts them there"

# Both spaces in a picture: the same bytes on any threads.
try figure vectors Here=source.vec target.vec --dictionary dictionary.txt --out one.svg --json --threads 1
want_code 0
want_out_has '"n_pairs": 95'
want_out_has '"panels": 2'
grep -q '>Here</text>' one.svg || fail "the name of the first space expected"
grep -q '>target</text>' one.svg || fail "a file names its space"
cp .out one
try figure vectors Here=source.vec target.vec --dictionary dictionary.txt --out three.svg --json --threads 3
want_code 0
cmp -s one.svg three.svg || fail "other bytes on three threads"
sed 's/three.svg/one.svg/' .out | cmp -s - one || fail "other numbers on three threads"
try figure vectors source.vec target.vec --dictionary dictionary.txt --out f.pdf --points 20 --take 5
want_out "f.pdf: vectors, 2 panels"
try figure vectors source.vec target.vec --out f.svg
want_error 2 "isoglot figure: error: --dictionary: not given, expected a file of word pairs"
try figure vectors source.vec --dictionary dictionary.txt --out f.svg
want_error 2 "isoglot figure: error: vectors: found 1 files of vectors, expected SOURCE and TARGET"
try figure vectors target.vec source.vec --dictionary dictionary.txt --out f.svg
want_error 3 "isoglot figure: error: dictionary.txt: of 113 pairs of the dictionary none has a vector for both words"
try figure vector source.vec target.vec --dictionary dictionary.txt --out f.svg
want_code 2
grep -q "did you mean 'vectors'" .err || fail "a hint expected"
[ ! -e f.svg ] || fail "nothing should be written"

# The dictionaries that isoglot writes: a world's, with counts and tags, and a transform's, with counts.
try corpus world --out w --preset demo --languages 'eng; x:SOV,post' --sentences 200 --quiet
want_code 0
n=$(cut -f1 w/eng-x.dict | sort -u | wc -l)
columns() { # DICTIONARY: vectors of the words of each side
    for side in 1 2; do cut -f$side "$1" | awk '!seen[$0]++ { print $0, NR, 1 / NR, 1 }' >w/$side.txt; done
}
columns w/eng-x.dict
{ printf '# a comment\n'; cat w/eng-x.dict; } >w/commented.dict
for file in w/eng-x.dict w/commented.dict; do
    try bli w/1.txt w/2.txt --dictionary $file --json
    want_code 0
    want_out_has "\"all_source_words\": $n,"
    want_out_has "\"pairs\": $(wc -l <w/eng-x.dict),"
    try corpus transform w/eng.txt --words 'switch:d,1' --files d=$file --no-sentences --out switched
    want_code 0
done
grep -q "$(sed -n 1p w/eng-x.dict | cut -f2)" switched/fake.txt || fail "words should be switched"
columns switched/text-fake.dict
try bli w/1.txt w/2.txt --dictionary switched/text-fake.dict --json
want_code 0
want_out_has "\"share\": 1.0"
