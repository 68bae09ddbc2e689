#!/bin/sh
# isoglot tokenize and isoglot vocab: lines in, lines out, files and standard input, errors.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
data=$(cd "$(dirname "$0")/../data/tokenizer" && pwd)

printf 'unaffable, the\n\n[MASK]ing\nno newline' >text.txt
for threads in 1 2 3; do
    try tokenize --vocab "$data/vocab.txt" --threads $threads text.txt
    want_code 0
    want_out "unaff ##able , the

[MASK] in ##g
n ##o n ##e ##w ##l ##i ##n ##e"
done
try tokenize --vocab "$data/vocab.txt" --special --ids text.txt
want_code 0
[ "$(sed -n 2p .out)" = "2 3" ] || fail "[CLS] [SEP] expected on the second line"
cp .out ids.txt
"$isoglot" tokenize --vocab "$data/vocab.txt" --special --ids <text.txt >.out
cmp -s .out ids.txt || fail "standard input and file differ"
# --json: the same tokens, a line an object.
for threads in 1 3; do
    try tokenize --vocab "$data/vocab.txt" --threads $threads --json text.txt
    want_code 0
    want_out '{"pieces": ["unaff", "##able", ",", "the"]}
{"pieces": []}
{"pieces": ["[MASK]", "in", "##g"]}
{"pieces": ["n", "##o", "n", "##e", "##w", "##l", "##i", "##n", "##e"]}'
done
try tokenize --vocab "$data/vocab.txt" --special --ids --json text.txt
want_code 0
sed 's/^{"ids": \[\(.*\)\]}$/\1/; s/,//g' .out >from.json
cmp -s from.json ids.txt || fail "--json has other ids: $(cat from.json)"
printf '[UNK]\n"\n\\\n' >quotes.txt
printf '" \\\n' >quoted.txt
try tokenize --vocab quotes.txt --json quoted.txt
want_code 0
want_out '{"pieces": ["\"", "\\"]}'
if command -v gzip >/dev/null; then
    gzip -c text.txt >text.gz
    try tokenize --vocab "$data/vocab.txt" --special --ids text.gz
    cmp -s .out ids.txt || fail "compressed file and file differ"
fi
try tokenize --vocab "$data/vocab.txt" --lowercase text.txt text.txt
[ "$(wc -l <.out)" -eq 8 ] || fail "two files of four lines make eight"
: >empty.txt
try tokenize --vocab "$data/vocab.txt" --special empty.txt
want_code 0
want_out ""

try tokenize text.txt
want_error 2 "isoglot tokenize: error: --vocab: not given, expected the path of a vocab.txt or tokenizer.json"
try tokenize --vocab "$data/vocab.txt" --ids --pieces
want_error 2 "isoglot tokenize: error: --pieces: found beside --ids, expected one of the two"
try tokenize --vocab missing.txt text.txt
want_error 4 "isoglot tokenize: error: missing.txt: cannot open: No such file or directory"
printf '[UNK]\na\na\rb\n' >bad.txt
try tokenize --vocab bad.txt text.txt
want_error 3 "isoglot tokenize: error: bad.txt:3: found a carriage return at column 2, expected one piece a line"
printf 'a\nb\n' >bad.txt
try tokenize --vocab bad.txt text.txt
want_error 3 "isoglot tokenize: error: bad.txt: no [UNK] among its 2 pieces" \
    "a vocabulary has one piece a line, one of them [UNK]"
printf '[UNK]\na\n' >small.txt
try tokenize --vocab small.txt --special text.txt
want_error 3 "isoglot tokenize: error: vocabulary: no [CLS], which --special writes"

printf 'the the, the\nthe. the a\n' >text.txt
try vocab --size 100 text.txt
want_code 0
want_out "[PAD]
[UNK]
[CLS]
[SEP]
[MASK]
,
.
a
e
h
t
##e
##h
th
the"
cp .out want.txt
try vocab --size 100 --out vocab.txt --threads 2 --json text.txt
want_code 0
want_out_has '"pieces": 15'
want_out_has '"last_count": 5'
cmp -s vocab.txt want.txt || fail "--out and standard output differ"
try vocab --size 9 --out small.vocab text.txt
want_error 3 "isoglot vocab: error: text.txt: a vocabulary of 9 pieces is too small: special tokens and characters alone are 13" \
    "--limit-alphabet leaves the rarest characters out"
[ ! -e small.vocab ] || fail "a file was left behind"
try vocab --json text.txt
want_error 2 "isoglot vocab: error: --json: found without --out, which says where the vocabulary goes"
try vocab empty.txt
want_error 3 "isoglot vocab: error: empty.txt: no word in 0 lines, expected text to train a vocabulary on"
printf '%070000d\n' 0 >long.txt
try vocab long.txt
want_error 3 "isoglot vocab: error: long.txt: no word in 1 lines but 1 of more than 65536 characters, expected text to train a vocabulary on"

# Exactly a line a line: empty for nothing that is a word, no space at an end, CR LF as LF.
printf '   \n\t\n\302\240\r\n\r\nthe \r\n the' >text.txt
try tokenize --vocab "$data/vocab.txt" text.txt
want_code 0
[ "$(tr '\n' '|' <.out)" = "||||the|the|" ] || fail "other lines: $(tr '\n' '|' <.out)"
printf 'the\nth\377e\n' >bad.txt
try tokenize --vocab "$data/vocab.txt" bad.txt
want_error 3 "isoglot tokenize: error: bad.txt:2: byte 3 of the line is ff, expected UTF-8" \
    "if it is Latin-1: iconv -f LATIN1 -t UTF-8 FILE >NEW"
printf 'the\n\342\202' >bad.txt
try tokenize --vocab "$data/vocab.txt" bad.txt
want_error 3 "isoglot tokenize: error: bad.txt:2: byte 1 of the line is e2, expected UTF-8" \
    "if it is Latin-1: iconv -f LATIN1 -t UTF-8 FILE >NEW"
try tokenize --vocab "$data/vocab.txt" .
want_error 4 "isoglot tokenize: error: .: found a directory, expected a file"
# Compressed texts, also of several parts; one that is cut off.
printf 'the\n' >one.txt
for program in gzip bzip2 xz zstd; do
    command -v $program >/dev/null || {
        skip_here "no $program"
        continue
    }
    $program -c <one.txt >part
    cat part part part >parts
    try tokenize --vocab "$data/vocab.txt" parts
    want_out "the
the
the"
    "$isoglot" tokenize --vocab "$data/vocab.txt" <parts >.out
    want_out "the
the
the"
    head -c "$(($(wc -c <part) - 3))" part >cutoff
    try tokenize --vocab "$data/vocab.txt" cutoff
    want_code 3
    grep -q "^isoglot tokenize: error: cutoff:[12]: cannot read on: " .err || fail "no word of what is missing"
done

# Kinds of vocabularies.
try vocab --vocab-model bpe --size 60 "$data/../tokenizer/vocab.txt"
want_error 2 "isoglot vocab: error: --out: not given, expected NAME.json: a vocab.txt does not say how bpe cuts words"
try vocab --vocab-model words --size 8 --out words.json text.txt
want_code 0
try tokenize --vocab words.json text.txt
want_code 0
try vocab --vocab-model unigram --size 60 --out uni.txt text.txt
want_error 2 "isoglot vocab: error: --out: uni.txt, expected NAME.json: a vocab.txt does not say how unigram cuts words"
try vocab --vocab-model unigram --size 40 --out uni.json text.txt
want_code 0
try tokenize --vocab uni.json text.txt
want_code 0
try vocab --vocab-model unigram-wordpiece --size 40 text.txt
want_code 0

# A model's folder as AutoTokenizer reads it; two texts with the special tokens of its template.
foreign=$(cd "$(dirname "$0")/../data/foreign" && pwd)
printf 'the house\ta\n' >pairs.tsv
try tokenize --vocab "$foreign/xlmr" --special --pair --ids pairs.tsv
want_code 0
grep -qE "^0 [0-9 ]* 2 2 [0-9 ]* 2$" .out || fail "another template: $(cat .out)"
try tokenize --vocab "$foreign/labse" --special --pair pairs.tsv
want_code 0
grep -qE "^\[CLS\] .* \[SEP\] a \[SEP\]$" .out || fail "another template: $(cat .out)"
printf 'the house\n' >one.tsv
try tokenize --vocab "$foreign/xlmr" --special --pair one.tsv
want_error 3 "isoglot tokenize: error: one.tsv:1: found no tab, expected two texts with a tab between them"
printf 'a\tb\na\tb\tc\n' >three.tsv
try tokenize --vocab "$foreign/xlmr" --special --pair three.tsv
want_error 3 "isoglot tokenize: error: three.tsv:2: found more than one tab, expected two texts with a tab between them"
try tokenize --vocab "$foreign/xlmr" --pair pairs.tsv
want_error 2 "isoglot tokenize: error: --pair: found alone, expected --special with it"
try tokenize --vocab "$foreign/xlmr" --lowercase pairs.tsv
want_code 2
try tokenize --vocab uni.json --lowercase pairs.tsv
want_error 2 "isoglot tokenize: error: uni.json: a tokenizer.json that keeps case, expected no lowercase with it"

# Accents that stay, in a vocab.txt folder and in what is trained with such a tokenizer.
mkdir kept
printf '[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nschon\nsch\303\266n\n' >kept/vocab.txt
echo '{"model_type": "bert", "vocab_size": 9}' >kept/config.json
echo '{"do_lower_case": true, "strip_accents": false}' >kept/tokenizer_config.json
printf 'Sch\303\266n schon\n' >accents.txt
try tokenize --vocab kept --ids accents.txt
want_out "6 5"
echo '{"do_lower_case": true}' >kept/tokenizer_config.json
try tokenize --vocab kept --ids accents.txt
want_out "5 5"
echo '{"do_lower_case": true, "tokenizer_class": "BertJapaneseTokenizer"}' >kept/tokenizer_config.json
try tokenize --vocab kept --ids accents.txt
want_error 3 "isoglot tokenize: error: kept/tokenizer_config.json: tokenizer_class is \"BertJapaneseTokenizer\", which is not read \
here; expected BertTokenizer, RobertaTokenizer, XLMRobertaTokenizer, CamembertTokenizer, MPNetTokenizer, GPT2Tokenizer, Qwen2Tokenizer, LlamaTokenizer, GemmaTokenizer or PreTrainedTokenizerFast" \
    "with the class PreTrainedTokenizerFast in tokenizer_config.json, tokenizer.json is read as it is"
try vocab --size 40 --lowercase --out lower.json text.txt
want_code 0
sed 's/"strip_accents": true/"strip_accents": false/' lower.json >keep.json
try vocab --size 40 --keep-controls --out controls.json text.txt
want_code 0
for i in $(seq 60); do echo "the the $i"; done >train.txt
for name in lower keep controls; do
    try train --quiet --text train.txt --languages en --vocab $name.json --preset bert-tiny --updates 1 --batch 4 --no-eval \
        --threads 1 --out run-$name
    want_code 0
    printf 'TH\303\211 e\001e\n' >both.txt
    "$isoglot" tokenize --vocab $name.json --special both.txt >one 2>err
    "$isoglot" tokenize --vocab run-$name/model --special both.txt >two 2>err
    cmp -s one two || fail "$name: the model's tokenizer is another: $(cat one two)"
done
grep -q '"strip_accents": false' run-keep/model/tokenizer_config.json || fail "accents are stripped"
[ -e run-controls/model/tokenizer.json ] || fail "no BertTokenizer keeps controls"

# A model of SentencePiece is named, with the command that converts it.
printf '\012\016\012\005<unk>\025\000\000\000\000\030\002' >spiece.model
try tokenize --vocab spiece.model text.txt
want_error 3 "isoglot tokenize: error: spiece.model: found a model of SentencePiece, expected vocab.txt or tokenizer.json" \
    "python -c \"from transformers import AutoTokenizer as A; A.from_pretrained('DIR').save_pretrained('DIR')\" makes a tokenizer.json in DIR, the folder of the model that it belongs to"
mkdir sp
cp spiece.model sp/
echo '{"model_type": "bert"}' >sp/config.json
try tokenize --vocab sp text.txt
want_error 4 "isoglot tokenize: error: sp: found neither vocab.txt nor tokenizer.json, either of which holds the pieces" \
    "python -c \"from transformers import AutoTokenizer as A; A.from_pretrained('sp').save_pretrained('sp')\" makes a tokenizer.json of spiece.model"
mkdir -p runs/a/model && echo '[UNK]' >runs/a/model/vocab.txt
try tokenize --vocab runs/a
want_error 4 "isoglot tokenize: error: runs/a: found neither vocab.txt nor tokenizer.json, either of which holds the pieces" \
    "a run: its model is in runs/a/model"
