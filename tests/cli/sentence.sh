#!/bin/sh
# encode of a folder of sentence-transformers: pooling, dense layer, unit length, prompt and length are applied (the numbers are
# those of sentence-transformers; tools/sentence_models.py), or refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
data=$(cd "$(dirname "$0")/../data" && pwd)
mkdir m
cp "$data/foreign/roberta/"* m/
cp -R "$data/sentence/"* m/
sed 8q "$data/foreign/en.txt" >en.txt
near() { # FILE FILE: numbers that differ by 1e-5 at most
    [ "$(wc -w <"$1")" -eq "$(wc -w <"$2")" ] || fail "other numbers of numbers"
    tr ' ' '\n' <"$1" >one
    tr ' ' '\n' <"$2" >other
    paste one other | awk '{ d = $1 - $2; if (d > 1e-5 || d < -1e-5) bad = 1 } END { exit bad }' || fail "other numbers"
}

try encode m en.txt
want_code 0
near .out "$data/sentence/expected.txt"
want_err_has "m: mean pooling, Dense 16→10 (Tanh), unit length, at most 16 tokens, after 'query: '"
cp .out usual
sed 's/^/query: /' en.txt >asked.txt
try encode m asked.txt --prompt document
want_code 0
cmp -s usual .out || fail "the prompt is not before the text"
try encode m en.txt --pooling mean
want_code 0
[ "$(sed 1q .out | wc -w)" -eq 16 ] || fail "not the encoder's vector"
try encode m en.txt --prompt nowhere
want_error 2 "isoglot encode: error: --prompt: found 'nowhere', expected a prompt of config_sentence_transformers.json"
try encode "$data/foreign/roberta" en.txt --prompt query
want_error 2 "isoglot encode: error: --prompt: needs the modules of a folder of sentence-transformers (modules.json)"

try encode m en.txt --prompt query --out x.safetensors
want_error 2 "isoglot encode: error: --prompt: is of sentence vectors, but safetensors has the states of all layers"

# The same vectors are a row of the report card beside the layers, and of similarity: CKA of what encode writes.
cp "$data/foreign/en.txt" "$data/foreign/de.txt" .
try diagnose m --text en=en.txt --text de=de.txt --json
want_code 0
want_err_has "m: sentence vectors by mean pooling, Dense 16→10 (Tanh), unit length, at most 16 tokens, after 'query: '"
want_out_has '"width": 10'
sed -n '/^  "sentence": {/,/^  }/p' .out | sed -n '/"cka"/,/}/s/.*"value": \([0-9.]*\).*/\1/p' >card
try similarity m --text en=en.txt --text de=de.txt --random --json
want_code 0
sed -n '/^      "sentence": {/,/}/s/.*"cka": \([0-9.]*\).*/\1/p' .out >pair
for l in en de; do "$isoglot" encode --quiet m $l.txt --out $l.vectors; done
paste -d' ' en.vectors de.vectors | awk '
    { for (i = 1; i <= 20; i++) { x[NR, i] = $i; m[i] += $i } }
    function cross(a, b, s, i, j, k, t) { # squared norm of the product of two sides
        for (i = 1; i <= 10; i++) for (j = 1; j <= 10; j++) {
            t = 0
            for (k = 1; k <= NR; k++) t += (x[k, a + i] - m[a + i] / NR) * (x[k, b + j] - m[b + j] / NR)
            s += t * t
        }
        return s
    }
    END { print cross(0, 10) / sqrt(cross(0, 0) * cross(10, 10)) }' >wanted
paste card pair wanted | awk '{ for (i = 1; i < 3; i++) if ($i - $3 > 1e-4 || $3 - $i > 1e-4) bad = 1 } END { exit bad || NF != 3 }' ||
    fail "another CKA than that of encode: $(paste card pair wanted)"
try diagnose m --text en=en.txt --text de=de.txt --html card.html
want_code 0
want_out_has 'Sentence vectors of 10 numbers: mean pooling'
want_out_has 'sent.'
grep -q 'en-de, sentence: cosine' card.html/index.html || fail "no sentence row on the page"
sed 8q "$data/foreign/en.txt" >en.txt

# Without a token before a text, as GPT-2, a pooling without the prompt begins with the sentence's first piece: of a sentence
# of one piece it is the last one too.
cp -R m bare
sed -i 's/"post_processor":{[^}]*}/"post_processor":null/' bare/tokenizer.json
sed -i 's/"RobertaTokenizer"/"PreTrainedTokenizerFast"/' bare/tokenizer_config.json
sed -i 's/"query: "/"query:"/' bare/config_sentence_transformers.json # a blank at its end would join the sentence's piece
echo a >a.txt
echo '{"pooling_mode": "lasttoken"}' >bare/1_Pooling/config.json
try encode bare a.txt --quiet
want_code 0
cp .out last
echo '{"pooling_mode": "cls", "include_prompt": false}' >bare/1_Pooling/config.json
try encode bare a.txt
want_code 0
want_err_has 'cls without the prompt pooling'
cmp -s last .out || fail "the sentence's first piece is left out with the prompt"
# Of a sentence without a piece after the prompt nothing is left: the prompt is pooled, and that is said.
printf 'a\n\n' >empty.txt
try encode bare empty.txt
want_code 0
want_err_has 'empty.txt: of 1 of 2 sentences no token is left without the prompt: it is pooled with them'
sed 1d .out >blank
echo '{"pooling_mode": "cls"}' >bare/1_Pooling/config.json
try encode bare empty.txt
want_code 0
sed 1d .out | cmp -s blank - || fail "not the vector of the prompt"
if grep -q 'no token is left' .err; then fail "the prompt is pooled of all sentences"; fi

# Switches of older folders, and what is not applied.
echo '{"word_embedding_dimension": 16, "pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true}' >m/1_Pooling/config.json
try encode m en.txt --quiet
want_code 0
cmp -s usual .out || fail "other vectors by the older switches"
echo '{"pooling_mode": "attention"}' >m/1_Pooling/config.json
try diagnose m --quiet --text en=en.txt --text de=en.txt
want_code 3
try encode m en.txt --quiet
want_error 3 "isoglot encode: error: m: 1_Pooling: pooling_mode is \"attention\", expected cls, max, mean, mean_sqrt_len_tokens, weightedmean or lasttoken" \
    "--layer and --pooling give vectors of the encoder alone"
echo '{"pooling_mode_mean_tokens": true, "pooling_mode_median": true}' >m/1_Pooling/config.json
try encode m en.txt --quiet
want_code 3
want_err_has 'm: 1_Pooling: pooling_mode_median is true, expected false'
cp "$data/sentence/1_Pooling/config.json" m/1_Pooling/
echo '{"in_features": 16, "out_features": 10, "activation_function": "torch.nn.modules.activation.GELU"}' >m/2_Dense/config.json
try encode m en.txt --quiet
want_code 3
want_err_has 'activation_function is "torch.nn.modules.activation.GELU", expected Identity, Tanh or ReLU'
cp "$data/sentence/2_Dense/config.json" m/2_Dense/
echo '{"max_seq_length": 16, "do_lower_case": true}' >m/sentence_bert_config.json
try encode m en.txt --quiet
want_code 3
want_err_has 'do_lower_case is true, expected false'
echo '{"max_seq_length": 16, "do_lower_case": false}' >m/sentence_bert_config.json
try encode m en.txt --quiet
want_code 0
cmp -s usual .out || fail "other vectors by max_seq_length"
mv m/sentence_bert_config.json m/sentence_xlm-roberta_config.json
sed -i 's/16/4/' m/sentence_xlm-roberta_config.json
try encode m en.txt
want_err_has 'at most 4 tokens'
mv m/sentence_xlm-roberta_config.json m/sentence_bert_config.json
echo '[{"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"}, {"idx": 1, "path": "1_CNN", "type": "x.CNN"}]' >m/modules.json
try encode m en.txt --quiet
want_code 3
want_err_has 'expected Transformer, Pooling, then Dense and Normalize'
echo '[{"idx": 0, "path": "", "type": "custom_st.Transformer"}]' >m/modules.json
try encode m en.txt --quiet
want_code 3
want_err_has "expected sentence_transformers' Transformer, in the folder itself"
echo '[{"idx": 0, "path": "../x", "type": "x.Transformer"}]' >m/modules.json
try encode m en.txt --quiet
want_code 3
mkdir old
cp m/modules.json old
try encode old en.txt --quiet
want_code 4
want_err_has 'expected the folder of its Transformer, as 0_Transformer'
echo '{' >m/modules.json
try encode m en.txt --quiet
want_code 3

# Every pooling against sentence-transformers itself, where it is installed.
python=${ISOGLOT_PEER_PYTHON:-python3}
if "$python" -c 'import sentence_transformers' 2>/dev/null; then
    HF_HUB_OFFLINE=1 "$python" "$docs/../tools/sentence_models.py" check "$isoglot" >said 2>&1 || fail "$(cat said)"
else
    skip_here "no sentence-transformers in $python (ISOGLOT_PEER_PYTHON names another)"
fi
