#!/bin/sh
# --states of diagnose, similarity and eval: the numbers are those of the model that the states come from; damaged files.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
data=$(cd "$(dirname "$0")/../data/foreign" && pwd)
for l in en de; do
    cp "$data/$l.txt" .
    "$isoglot" encode --quiet "$data/roberta" $l.txt --out $l.safetensors
done
numbers() { sed '/"languages"/,/"layers"/d' "$1" | grep -v '"\(model\|seconds\|untrained\|untrained_sentences\|checked\)":'; }

try diagnose "$data/roberta" --text en=en.txt --text de=de.txt --json
sed '/"findings"/,$d' .out >native
try diagnose --states en=en.safetensors --states de=de.safetensors --json
want_code 0
want_out_has '"perplexity": null'
want_out_has '"words": null'
want_err_has 'states from files have no pieces and words'
sed '/"findings"/,$d' .out >ours
numbers native >a
numbers ours >b
cmp -s a b || fail "other numbers than the model's: $(diff a b)"
grep -q retrieval_cosine b || fail "no numbers"
try diagnose --states en=en.safetensors --states de=de.safetensors --html card
want_code 0
grep -q '<svg' card/index.html || fail "no figure"

# Texts tell the number of words, and must be as many.
try diagnose --states en=en.safetensors --states de=de.safetensors --text en=en.txt --json
want_code 0
want_out_has "\"words\": $(wc -w <en.txt | tr -d ' ')"
sed 1d en.txt >short.txt
try diagnose --quiet --states en=en.safetensors --states de=de.safetensors --text en=short.txt
want_error 3 "isoglot diagnose: error: short.txt: found 23 sentences, expected 24, the texts of en.safetensors"

# Files are joined by ids: a line that is blank in one text is left out of both.
{ sed 3q en.txt; echo; sed 1,3d en.txt; } >blank-en.txt
{ sed 3q de.txt; echo x; sed 1,3d de.txt; } >more-de.txt
"$isoglot" encode --quiet "$data/roberta" blank-en.txt --out blank-en.safetensors
"$isoglot" encode --quiet "$data/roberta" more-de.txt --out more-de.safetensors
try diagnose --states en=blank-en.safetensors --states de=more-de.safetensors --json
want_code 0
want_out_has '"sentences": 24'
sed '/"findings"/,$d' .out >joined
numbers joined >b
cmp -s a b || fail "other numbers after the join: $(diff a b)"

try similarity "$data/roberta" --text en=en.txt --text de=de.txt --all-pairs --json
cp .out native
try similarity --states en=en.safetensors --states de=de.safetensors --all-pairs --json
want_code 0
cmp -s native .out || fail "similarity: other numbers"
try similarity --states en=en.safetensors --states en=en.safetensors --json
want_code 0
want_out_has '"en-en"'

try eval "$data/roberta" --text en=en.txt --text de=de.txt --layers 0,1,2 --similarity --mexa --spaces --json
rows_of .out | grep -v '"measure":"\(perplexity[a-z_]*\|mu_[a-z]*\|[a-z]*_shift\)"' >native
try eval --states en=en.safetensors --states de=de.safetensors --layers 0,1,2 --similarity --mexa --spaces --json
want_code 0
rows_of .out >ours
cmp -s native ours || fail "eval: other rows: $(diff native ours)"
grep -q '"rho"' ours || fail "no rho"
want_err_has 'neither word translation, word alignment nor perplexity'
try eval --states en=en.safetensors --states de=de.safetensors
want_code 0
# Of more than two files each pair is measured.
try eval --states en=en.safetensors --states de=de.safetensors --states x=en.safetensors --layers 0,1,2 --similarity --mexa --spaces --json
want_code 0
want_out_has '"en-x": {'
want_out_has '"de-x": {'
sed -n '/^    "en-de": {/,/^    }/p' .out >pair
rows_of pair >ours
cmp -s native ours || fail "eval of three files: other rows: $(diff native ours)"

# The states of an untrained model beside: here the same ones, so that its column repeats the values.
try diagnose --states en=en.safetensors --states de=de.safetensors --untrained en=en.safetensors --untrained de=de.safetensors --json
want_code 0
want_out_has '"untrained_sentences": 24'
awk '$1 == "\"value\":" { v = $2 } $1 == "\"untrained\":" && $2 != "null," { n++; if ($2 != v) print v, $2 } END { if (n < 40) print n }' .out >other
[ ! -s other ] || fail "not beside: $(cat other)"
sed '/"findings"/,$d' .out >ours
numbers ours >b
cmp -s a b || fail "other numbers beside an untrained model: $(diff a b)"
try diagnose --quiet --states en=en.safetensors --states de=de.safetensors --untrained de=de.safetensors --untrained en=en.safetensors
want_error 2 "isoglot diagnose: error: --untrained: found 'de', expected 'en', in the order of --states"
try diagnose --quiet --states en=en.safetensors --states de=de.safetensors --untrained en=en.safetensors
want_error 2 "isoglot diagnose: error: --untrained: found 1 of them, expected one for each of 2 --states"
try diagnose --quiet "$data/roberta" --text en=en.txt --text de=de.txt --untrained en=en.safetensors
want_error 2 "isoglot diagnose: error: --untrained: is of --states; an untrained model is drawn where there is a model"

try diagnose "$data/roberta" --states en=en.safetensors --states de=de.safetensors
want_error 2 "isoglot diagnose: error: --states: found beside the model $data/roberta, expected one of them"
try diagnose --quiet --states en=en.safetensors --states de=de.safetensors --dictionary en.txt
want_error 2 "isoglot diagnose: error: --dictionary: needs words in a model, expected MODEL in place of --states"
try diagnose --quiet --states en=en.safetensors
want_error 2 "isoglot diagnose: error: --states: found 1, expected 2 to 16 languages"
try diagnose --quiet --states en=en.safetensors --states en=de.safetensors
want_error 2 "isoglot diagnose: error: --states: found two files of en"
try similarity --states en=en.safetensors --states de=de.safetensors --states de=en.safetensors --json
want_error 2 "isoglot similarity: error: --states: found two files of de"
try similarity --states en=en.safetensors --states en=en.safetensors --json
want_code 0
want_out_has '"en-en"'
try diagnose --quiet --states en=en.safetensors --states de=en.txt
want_code 3
try eval --quiet --states en=en.safetensors
want_error 2 "isoglot eval: error: --states: found 1 of them, expected at least 2"
for option in "--pooling last" "--step 3" "--translation fixed" "--perplexity fixed" --lowercase --allow-unknown; do
    # shellcheck disable=SC2086  # an option and its value
    try eval --quiet --states en=en.safetensors --states de=de.safetensors $option
    want_error 2 "isoglot eval: error: --states: has no model, which --text, --parallel, --dictionary, --pair, --edit, --pooling, --step, --translation, --perplexity, --lowercase and --allow-unknown need"
done
try eval
want_error 2 "isoglot eval: error: DIR: not given, expected a run or a model's folder"
try encode "$data/roberta" en.txt --out x.safetensors --layer 1
want_error 2 "isoglot encode: error: --layer: found 1, but safetensors has all layers"

# Files of another program: half precision, strings as ids; and what is wrong with them.
if ! command -v python3 >/dev/null; then
    skip_here "no python3, which writes the files of another program"
    exit 0
fi
cat >make.py <<'EOF'
import json, random, struct, sys
name, dtype, shape, meta, bad = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), json.loads(sys.argv[4]), sys.argv[5:]
random.seed(name)
n = 1
for k in shape: n *= k
x = [random.uniform(-1, 1) for _ in range(n)]
if bad: x[n // 2] = float(bad[0])
raw = struct.pack(f"<{n}e", *x) if dtype == "F16" else struct.pack(f"<{n}f", *x)
if dtype == "BF16": raw = b"".join(raw[i + 2 : i + 4] for i in range(0, len(raw), 4))
head = json.dumps({"states": {"dtype": dtype, "shape": shape, "data_offsets": [0, len(raw)]}, "__metadata__": meta}).encode()
open(name, "wb").write(struct.pack("<Q", len(head)) + head + raw)
EOF
ids=$(seq -s '\n' 1 12)
for t in F16 BF16 F32; do
    python3 make.py a.$t $t '[12, 3, 8]' "{\"ids\": \"$ids\", \"model\": \"a model\"}"
    python3 make.py b.$t $t '[12, 3, 8]' "{\"ids\": \"$ids\"}"
    try diagnose --states a=a.$t --states b=b.$t --json
    want_code 0
    want_out_has '"model": "a model"'
done
python3 make.py none F32 '[12, 3, 8]' '{}'
try diagnose --quiet --states a=a.F32 --states b=none
want_error 3 "isoglot diagnose: error: none: found no ids, unlike a.F32: expected ids in all files or in none"
python3 make.py twice F32 '[2, 3, 8]' '{"ids": "x\nx"}'
try diagnose --quiet --states a=twice --states b=none
want_error 3 "isoglot diagnose: error: twice: found the id 'x' twice, of texts 1 and 2"
python3 make.py nan F32 '[12, 3, 8]' '{}' nan
try diagnose --quiet --states a=nan --states b=none
want_error 6 "isoglot diagnose: error: nan: a state of text 7, layer 0 is not finite"
python3 make.py inf F16 '[12, 3, 8]' '{}' -inf
try similarity --quiet --states a=none --states b=inf
want_error 6 "isoglot similarity: error: inf: a state of text 7, layer 0 is not finite"
python3 make.py flat F32 '[12, 24]' '{}'
try diagnose --quiet --states a=flat --states b=none
want_error 3 "isoglot diagnose: error: flat: tensor \"states\" has 2 dimensions, expected 3: texts, layers, hidden"
python3 make.py deep F32 '[12, 4, 8]' '{}'
try diagnose --quiet --states a=none --states b=deep
want_error 3 "isoglot diagnose: error: deep: found 4 layers, expected 3 as in none"
python3 make.py wide F32 '[12, 3, 9]' '{}'
try diagnose --quiet --states a=none --states b=wide
want_error 3 "isoglot diagnose: error: wide: found 9 numbers, expected 8 as in none"
python3 make.py few F32 '[11, 3, 8]' '{}'
try similarity --quiet --states a=none --states b=few
want_error 3 "isoglot similarity: error: none: 12 texts, expected as many in each file, or ids"
