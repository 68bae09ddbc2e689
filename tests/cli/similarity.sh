#!/bin/sh
# isoglot similarity: one model with itself, two models, two languages, bounds, figures, mistakes.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
data=$(cd "$(dirname "$0")/../data/foreign" && pwd)
cp "$data/en.txt" "$data/de.txt" .

# A model is 1 with itself, in each layer; its layers are not one another.
try similarity "$data/roberta" --text en=en.txt --learn en=de.txt --all-pairs --json
want_code 0
cp .out self
if grep -v '"sentences"' self | sed -n '/"mean"/,/}/p' | grep ': ' | grep -v '"mean"\|: \(1\(\.0*\)\?\|0\.99999[0-9]*\|1\.00000[0-9]*\),*$'; then
    fail "not 1 with itself"
fi
sed 's/"\(en-[a-z]*\|[0-9]*\)": /"x": /' self >keys
sed -n 's/^ *"\([a-z_0-9]*\)": .*/\1/p' keys | sort -u | grep -v '^x$' | while read -r key; do
    grep -q "\`$key\(\.<\|\`\)" "$docs/similarity.md" || [ "$key" = pairs ] || [ "$key" = layers ] ||
        fail "docs/similarity.md does not tell what '$key' is"
done

# Two languages; whatever the threads; verses by id are the same as lines.
try similarity --model "$data/roberta" --text en=en.txt --text de=de.txt --random --json
want_code 0
want_out_has '"random"'
cp .out one
try similarity "$data/roberta" --text en=en.txt --text de=de.txt --random --json --threads 3
cmp -s one .out || fail "other numbers with other threads"
# What exceeds the model's positions is said, there and where measures are computed.
sed 's/.*/& & & & & & & &/' en.txt >long.txt
for command in similarity eval; do
    try $command "$data/roberta" --text en=long.txt --text de=de.txt
    want_code 0
    want_err_has 'long.txt: 24 of 24 sentences are longer than the model reads, and were cut'
done
awk '{ printf "%08d\t%s\n", 40001000 + NR, $0 }' en.txt >en.tsv
awk '{ printf "%08d\t%s\n", 40001000 + NR, $0 }' de.txt >de.tsv

# The measure of eval says the same.
numbers() { sed -n 's/^ *\("\(cka\|cka_debiased\|cka_rbf\|svcca\|pwcca\|neurons_[a-z]*\)": [-0-9.e]*\).*/\1/p' | sort; }
try eval "$data/roberta" --text en=en.txt --text de=de.txt --spaces --similarity --layers 0,1,2 --json
want_code 0
rows_of .out | sed -n 's/"measure":\("[a-z_]*"\),.*"value":\(.*\)/\1: \2/p' | numbers >measured
[ "$(wc -l <measured)" -eq 21 ] || fail "not 21 numbers"
sed '/"mean"/,$d' one | numbers >compared
cmp -s measured compared || fail "other numbers than eval"

try similarity "$data/roberta" --text en=en.tsv --text de=de.tsv --random --json
cmp -s one .out || fail "other numbers of verses"
try similarity "$data/roberta" --text en=en.txt --text de=de.txt --random --seed 1 --json
cmp -s one .out && fail "the same random encoder for another seed"
try similarity "$data/roberta" --text en=en.txt --text de=de.txt
want_code 0
want_out_has 'en-de'
want_out_has 'PWCCA'

# Two models; curves and heat maps.
try similarity "$data/roberta" "$data/xlmr" --text en=en.txt --random --figure curves.svg
want_code 0
want_out_has 'the other random'
try similarity "$data/roberta" "$data/xlmr" --text en=en.txt --text de=de.txt --all-pairs --figure map.svg
want_code 0
if [ -f curves.svg ]; then
    grep -q 'en-en, random' curves.svg || fail "no bound in the figure"
    grep -q 'en-de' map.svg || fail "no title in the figure"
fi

# A map learned from other text: whatever the threads.
sed 12q en.txt >a.en && sed 12q de.txt >a.de && sed 1,12d en.txt >b.en && sed 1,12d de.txt >b.de
map() { try similarity "$data/roberta" "$data/xlmr" --text en=a.en --text de=a.de --learn en=b.en "$@"; }
map --learn de=b.de --json
want_code 0
want_out_has '"map_csls"'
cp .out mapped
map --learn de=b.de --json --threads 3
cmp -s mapped .out || fail "another map with other threads"
map
want_error 2 "isoglot similarity: error: --learn: found 1 of them, expected one for each of 2 --text"
map --learn fr=b.de
want_error 2 "isoglot similarity: error: --learn: found 'fr', expected 'de', in the order of --text"

try similarity "$data/xlmr"
want_error 2 "isoglot similarity: error: --text: not given, expected LANGUAGE=FILE"
try similarity "$data/xlmr" --text en=en.txt --figure map.gif
want_code 2
sed 20q en.txt >short.txt
try similarity "$data/xlmr" --text en=short.txt --text de=de.txt
want_error 3 "isoglot similarity: error: de.txt: found 24 lines, expected 20, as many as short.txt has"
try similarity "$data/xlmr" missing --text en=en.txt
want_code 4
