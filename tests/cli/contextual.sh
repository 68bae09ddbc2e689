#!/bin/sh
# isoglot embed contextual: words of a text from a run's states, against facts about them.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

try train --quiet --world-sentences 60 --dev-take 10 --vocab-size 100 --preset bert-tiny --batch 16 --no-eval --updates 30 \
    --out r --threads 1
want_code 0
for text in r/data/*.txt; do
    [ "$text" = r/data/vocab.txt ] || break
done

# Any number of threads gives the same bits; another layer, window or language gives others.
try embed contextual --model r --threads 1 --out a.vec "$text"
want_code 0
try embed contextual --model r --threads 3 --out b.vec "$text"
want_code 0
cmp a.vec b.vec || fail "the threads decide"
for switch in "--layer 1" "--window 6" "--language fake"; do
    # shellcheck disable=SC2086
    try embed contextual --model r $switch --out b.vec "$text"
    want_code 0
    ! cmp -s a.vec b.vec || fail "$switch changes nothing"
done

# The words are those of the text.
sed 1d a.vec | cut -d' ' -f1 | sort >words
tr -s ' ' '\n' <"$text" | sort -u >types
[ "$(comm -23 words types)" = "" ] || fail "words that are not in the text: $(comm -23 words types)"

try embed contextual --model r --out s.vec --json "$text"
want_code 0
want_keys_in embeddings.md
sed -n 2p .out | grep -qx '  "settings": {' || fail "settings are not the first key"
want_out_has '"min_count": 1'

# A string longer than any word is left out and reported.
{
    cat "$text"
    head -c 1001 /dev/zero | tr '\0' x
    echo
} >long.txt
try embed contextual --model r --out l.vec long.txt
want_code 0
want_err "warning: 1 word of the text is too long to be a word and was left out"
cmp s.vec l.vec || fail "it is not left out"

# A model whose vocabulary is a tokenizer.json.
try train --quiet --world-sentences 60 --dev-take 10 --vocab-size 100 --vocab-model bpe --preset bert-tiny --batch 16 --no-eval \
    --updates 2 --out bpe --threads 1
want_code 0
try embed contextual --model bpe --out bpe.vec "$text"
want_code 0

# A vocabulary whose pieces have the blank before a word: words are cut as in the line.
roberta=$docs/../tests/data/foreign/roberta
echo "the the, the (the) the" >line.txt
try embed contextual --model "$roberta" --layer 1 --whole-lines --out the.vec --json line.txt
want_code 0
share=$(sed -n 's/^ *"pieces_per_word": \([0-9.]*\).*/\1/p' .out)
"$isoglot" tokenize --vocab "$roberta/tokenizer.json" line.txt | wc -w | awk -v share="$share" '
    { n = share * 8; exit n - $1 > .001 || $1 - n > .001 }' || fail "other pieces than the line's"
echo "the the the the" >line.txt
try embed contextual --model "$roberta" --layer 1 --out the.vec line.txt
want_code 0
"$isoglot" encode --quiet "$roberta" line.txt --layer 1 --pooling mean | tr -s ' \t' '\n' >wanted
tail -1 the.vec | tr ' ' '\n' | sed 1d | paste - wanted | awk '
    { d = $1 - $2; if (d > 1e-5 || d < -1e-5) exit 1 } END { if (NR < 16) exit 1 }' || fail "other states than the line's"

# Mistakes.
try embed contextual --out x.vec "$text"
want_error 2 "isoglot embed contextual: error: --model: not given, expected a BERT"
try embed contextual --model r --layer 3 --out x.vec "$text"
want_error 2 "isoglot embed contextual: error: --layer: no layer 3: the model has 0 (embeddings) to 2"
try embed contextual --model r --language fale --out x.vec "$text"
want_code 2
grep -q "did you mean 'fake'?" "$work/.err" || fail "no nearest name"
try embed contextual --model r --min-count 100000 --out x.vec "$text"
want_code 3
[ ! -e x.vec ] || fail "something was written"

# A tokenizer_config.json that cannot be read says nothing of case: no guess.
mkdir broken
cp -L r/model/* broken/
try embed contextual --model broken --out x.vec "$text"
want_code 0
rm x.vec
echo '{"do_lower_case": true' >broken/tokenizer_config.json
try embed contextual --model broken --out x.vec "$text"
want_code 3
grep -q "^isoglot embed contextual: error: broken/tokenizer_config.json:[12]: " "$work/.err" || fail "another error"
echo '{"do_lower_case": "yes"}' >broken/tokenizer_config.json
try embed contextual --model broken --out x.vec "$text"
want_error 3 "isoglot embed contextual: error: broken/tokenizer_config.json: do_lower_case is \"yes\", expected true or false"
: >broken/tokenizer_config.json
try embed contextual --model broken --out x.vec "$text"
want_code 3
rm broken/tokenizer_config.json
mkdir broken/tokenizer_config.json
try embed contextual --model broken --out x.vec "$text"
want_error 4 "isoglot embed contextual: error: broken/tokenizer_config.json: found a directory, expected a file"
rmdir broken/tokenizer_config.json
# Without the file text is lower-cased, as transformers does, and this is said.
try embed contextual --model broken --out x.vec "$text"
want_code 0
want_err_has "warning: broken: there is no tokenizer_config.json, so text is lower-cased without accents"
rm x.vec
cp -L r/model/tokenizer_config.json broken/

# A vocabulary with a piece less than the embedding has rows: ids that mean nothing where the model was trained here;
# published models have rows that no piece uses. A piece without a row is an error in both.
sed '$d' r/model/vocab.txt >broken/vocab.txt
try embed contextual --model broken --out x.vec "$text"
want_error 3 "isoglot embed contextual: error: broken/vocab.txt: 199 pieces, expected 200: the model has a row each"
[ ! -e x.vec ] || fail "something was written"
sed '/"isoglot": {/,$d; s/},$/}/' r/model/config.json | sed '$s/,$//' >broken/config.json
echo "}" >>broken/config.json
try embed contextual --model broken --out x.vec "$text"
want_code 0
rm x.vec
{ cat r/model/vocab.txt && echo more; } >broken/vocab.txt
try embed contextual --model broken --out x.vec "$text"
want_error 3 "isoglot embed contextual: error: broken/vocab.txt: 201 pieces, expected at most 200: the model has a row each"
