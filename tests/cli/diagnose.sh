#!/bin/sh
# isoglot diagnose: numbers, findings, page, texts with blank lines, mistakes.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
data=$(cd "$(dirname "$0")/../data/foreign" && pwd)
cp "$data/en.txt" "$data/de.txt" .

try diagnose "$data/roberta" --text en=en.txt --text de=de.txt --json
want_code 0
sed 's/"\(en\|de\|en-de\|[0-9]*\)": /"x": /' .out >keys
sed -n 's/^ *"\([a-z_0-9]*\)": .*/\1/p' keys | sort -u | grep -v '^x$' | while read -r key; do
    grep -qF "\`$key\`" "$docs/diagnose.md" || [ "$key" = layers ] || [ "$key" = pairs ] || [ "$key" = languages ] ||
        fail "docs/diagnose.md does not tell what '$key' is"
done
grep -v '"seconds"' .out >one
try diagnose --model "$data/roberta" --text en=en.txt --text de=de.txt --json --threads 3
grep -v '"seconds"' .out >three
cmp -s one three || fail "other numbers with other threads"

# A dictionary, a page; tables and findings on the standard output.
printf 'cat Katze\ndog Hund\nhouse Haus\nhouse Heim\n' >words.txt
try diagnose "$data/xlmr" --text en=en.txt --text de=de.txt --dictionary words.txt --html card
want_code 0
want_out_has 'isoglot vocab en.txt de.txt'
want_out_has 'en-de'
grep -q '<svg' card/index.html || fail "no figure"
grep -q '<summary>en-de</summary>' card/index.html || fail "no table"
if command -v xmllint >/dev/null; then
    xmllint --noout --nonet card/index.html || fail "the page is not well-formed"
fi

# A blank line leaves the pair out; another number of lines makes unrelated texts.
{ sed 3q en.txt; echo; sed 1,3d en.txt; } >blank-en.txt
{ sed 3q de.txt; echo x; sed 1,3d de.txt; } >blank-de.txt
try diagnose "$data/roberta" --text en=blank-en.txt --text de=blank-de.txt --json
sed 's/blank-//g' .out | grep -v '"seconds"' >blank
cmp -s one blank || fail "a blank line changes numbers"
sed 20q en.txt >short.txt
try diagnose "$data/xlmr" --text en=short.txt --text de=de.txt
want_code 0
want_out_has 'have different numbers of lines'

# A command has the options that the model was read by, and quotes what a shell would split.
cp -R "$data/labse" lower
cat en.txt en.txt >'-twice en'
cat de.txt de.txt >twice.txt
try diagnose lower --lowercase --text 'e n=-twice en' --text -d=twice.txt --allow-unknown
want_code 0
want_out_has 'repeat an earlier one'
sed -n '/repeat an earlier one/{n;s/^ *//p;}' .out >advice
grep -q 'lower --lowercase --text' advice || fail "the command has not the option: $(cat advice)"
{ echo "isoglot() { \"$isoglot\" \"\$@\"; }"; cat advice; } >advice.sh
sh advice.sh >again 2>&1 || fail "a command that does not run: $(cat again)"
grep -q 'repeat an earlier one' again && fail "the command leaves lines twice"

# A tokenizer.json that lowers case before pieces with capitals: its own rule goes, not a setting that nobody reads.
if command -v python3 >/dev/null; then
    cp -R "$data/xlmr" lowered
    python3 - <<'EOF'
import json
t = json.load(open("lowered/tokenizer.json"))
t["normalizer"] = {"type": "Sequence", "normalizers": [{"type": "Lowercase"}, {"type": "NFC"}]}
for piece in t["model"]["vocab"]:
    piece[0] = "\u2581" + piece[0][1:].capitalize() if piece[0][0] == "\u2581" else piece[0]
json.dump(t, open("lowered/tokenizer.json", "w"))
json.dump({"tokenizer_class": "PreTrainedTokenizerFast"}, open("lowered/tokenizer_config.json", "w"))
EOF
    try diagnose lowered --text en=en.txt --text de=de.txt
    want_code 0
    want_out_has 'the normalizer of tokenizer.json is not that of the vocabulary'
    sed -n '/^ *cp -r lowered/s/^ *//p' .out >advice
    { echo "isoglot() { \"$isoglot\" \"\$@\"; }"; cat advice; } >advice.sh
    sh advice.sh >again 2>&1 || fail "a command that does not run: $(cat again)"
    if grep -q 'writes text in lower case' again; then
        fail "the command leaves the rule"
    fi
fi

# A run is diagnosed on its own development text.
"$isoglot" train --quiet --out run --world-sentences 200 --dev-take 60 --vocab-size 150 --preset bert-tiny --updates 2 >/dev/null 2>&1
try diagnose run --json
want_code 0
want_out_has '"sentences": 60'
want_out_has '"retrieval_cosine": {'
! grep -q nan .out || fail "not a number"

# Verses are joined by id.
awk '{ printf "%08d\t%s\n", 40001000 + NR, $0 }' en.txt >en.tsv
awk '{ printf "%08d\t%s\n", 40001000 + NR, $0 }' de.txt | sed 2d >de.tsv
try diagnose "$data/xlmr" --text en=en.tsv --text de=de.tsv --json
want_code 0
want_out_has '"sentences": 23'

"$isoglot" train --quiet --out alone --world-sentences 200 --vocab-size 150 --preset bert-tiny --languages en --updates 1 --no-eval >/dev/null 2>&1
try diagnose alone
want_error 2 "isoglot diagnose: error: alone: found 1, expected 2 to 16 languages"
try diagnose "$data/xlmr" --text en=en.txt
want_error 2 "isoglot diagnose: error: --text: found 1, expected 2 to 16 languages"
try diagnose "$data/xlmr" --text en.txt --text de=de.txt
want_error 2 "isoglot diagnose: error: --text: found 'en.txt', expected LANGUAGE=FILE"
try diagnose "$data/xlmr" --text en=en.tsv --text de=de.txt
want_error 3 "isoglot diagnose: error: en.tsv: found 1 texts of verses among 2, expected verses in all or in none"
try diagnose "$data/xlmr" --text en=en.txt --text de=de.txt --take 5
want_error 3 "isoglot diagnose: error: en.txt: found 5 sentences that all texts have, expected at least 10"
try diagnose missing --text en=en.txt --text de=de.txt
want_code 4

# Sentences beyond the positions count whole where the vocabulary is asked; a folder of transformers has integers of any size.
{ tr '\n' ' ' <de.txt; echo; sed 1d de.txt; } >long.txt
cp -R "$data/labse" folder
echo '{"model_max_length": 1000000000000000019884624838656, "do_lower_case": true}' >folder/tokenizer_config.json
try diagnose folder --text en=en.txt --text de=long.txt --json --allow-unknown
want_code 0
want_out_has '"cut": 1'
sed -n '/"de": {/,/"layers"/{/"bytes_per_piece"/{n;s/.*"value": \([0-9]*\).*/\1/p;};}' .out >bytes
[ "$(cat bytes)" -lt 10 ] || fail "$(cat bytes) bytes a piece: pieces after the cut do not count"
rm folder/vocab.txt
try diagnose folder --text en=en.txt --text de=de.txt
want_error 4 "isoglot diagnose: error: folder: found neither vocab.txt nor tokenizer.json, either of which holds the pieces"
sed 's/"model_type": "bert"/"model_type": "albert"/; s/hidden_size/dim/' "$data/labse/config.json" >folder/config.json
try diagnose folder --text en=en.txt --text de=de.txt
want_error 3 "isoglot diagnose: error: folder/config.json: \"model_type\" is \"albert\", expected one of bert, megatron-bert, roformer, modernbert, roberta, xlm-roberta, camembert, distilbert, electra, mpnet, gpt2, llama, qwen3, eurobert, gemma3_text (diagnose, similarity and eval read the states of any model from a file: --states FILE)"

# Word alignments against gold: the same as those that align words writes of each layer.
paste en.txt de.txt >both.txt
awk '{ print $0 "\t0-0 1-1 2p3 3-2" }' both.txt >gold.tsv
for model in labse roberta; do # a blank before a word is part of RoBERTa's pieces
    try diagnose "$data/$model" --text en=en.txt --text de=de.txt --gold gold.tsv --json --allow-unknown
    want_code 0
    want_out_has '"gold_pairs": 24'
    sed -n '/"alignment_aer"/{n;s/.*"value": \([0-9.]\{1,9\}\).*/\1/p;}' .out >ours
    for layer in 0 1 2; do
        "$isoglot" align words --quiet --allow-unknown --model "$data/$model" --layer $layer both.txt --out links.txt
        "$isoglot" align score links.txt gold.tsv --json | sed -n 's/.*"aer": \([0-9.]\{1,9\}\).*/\1/p'
    done >theirs
    [ -s theirs ] || fail "no alignments"
    cmp -s ours theirs || fail "other alignments than align words: $(diff ours theirs)"
done
# A pair without words, the first of the file too, has no link to find.
{ printf '\t\t\n'; cat gold.tsv; } >empty.tsv
try diagnose "$data/labse" --text en=en.txt --text de=de.txt --gold empty.tsv --json --allow-unknown
want_code 0
want_out_has '"gold_pairs": 25'
echo "0-0 1-1" >gold.txt
try diagnose "$data/labse" --quiet --text en=en.txt --text de=de.txt --gold gold.txt --allow-unknown
want_error 3 "isoglot diagnose: error: gold.txt:1: found links alone, expected both sentences before them"

# Perplexity of a causal model without special tokens: of next pieces, as eval says.
cp -R "$data/../families/llama" causal
printf '{"version": "1.0", "added_tokens": [], "normalizer": null, "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null,
"model": {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "a": 1, "b": 2, "c": 3, "d": 4, "e": 5}}}\n' >causal/tokenizer.json
printf '{"tokenizer_class": "PreTrainedTokenizerFast"}\n' >causal/tokenizer_config.json
printf '%s\n' 'a b' 'b c a' 'c d e' 'd e' 'e e a' 'a b c' 'b b d' 'c a' 'd b' 'e a b c' 'c c' 'b d b' >abc.txt
sed '1!G;h;$!d' abc.txt >cba.txt
try eval causal --text en=abc.txt --text de=cba.txt --json --quiet
want_code 0
expected=$(rows_of .out | sed -n 's/^"measure":"perplexity".*"languages":"en".*"value":\(.\{1,8\}\).*/\1/p' | head -n 1)
try diagnose causal --text en=abc.txt --text de=cba.txt --json --quiet
want_code 0
got=$(sed -n '/"perplexity"/{n;s/.*"value": \(.\{1,8\}\).*/\1/p;}' .out | head -n 1)
[ "${got:-none}" = "$expected" ] || fail "perplexity '$got' of a causal model, by eval '$expected'"
grep -q '"masked": 20' .out || fail "not every piece but the first"
