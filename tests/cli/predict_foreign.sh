#!/bin/sh
# isoglot predict with classifiers that transformers wrote (tests/data/classifiers, tools/foreign_heads.py): the labels are
# transformers'; texts are not taken for labels; what config.json says of a head is believed or refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
data=$(cd "$docs/../tests/data/classifiers" && pwd)
families="distilbert electra mpnet modernbert"
for model in bert roberta xlmr words modern-words $families; do cp -r "$data/$model" .; done
default="no isoglot.task in config.json, defaults: kind"

want_default() { # LINE: the first on standard error; the vocabularies are small, which is reported after it
    [ "$(head -n 1 .err)" = "$1" ] || fail "standard error differs, expected '$1'"
}
same() { # FILE: the labels that were printed are its last column
    awk -F '\t' '{ print $NF }' "$1" | cmp -s - .out || fail "labels differ from transformers' in $1"
}
for model in bert roberta xlmr $families; do
    cut -f1 "$data/$model-single.tsv" >one.txt
    try predict --model "$model" one.txt
    want_code 0
    same "$data/$model-single.tsv"
    cut -f1,2 "$data/$model-pair.tsv" >two.tsv
    try predict --model "$model" two.tsv
    want_code 0
    same "$data/$model-pair.tsv"
done
try predict --model xlmr one.txt
want_default "xlmr: $default single (one column), labels of id2label, segment 0, at most 40 tokens, longer texts cut"
try predict --model words "$data/words.tsv"
want_code 0
cmp -s .out "$data/words.tsv" || fail "words differ from transformers'"
want_default "words: $default tagging (the head), labels of id2label, a word has the label of its first piece, at most 40 tokens, longer sentences in windows"

try predict --quiet --model modern-words "$data/modern-words.tsv"
want_code 0
cmp -s .out "$data/modern-words.tsv" || fail "words differ from transformers' by ModernBERT"
# Such a head is read; fine-tuning takes the encoder alone. One that reads a mean over tokens is not computed.
try model distilbert
want_out_has 'a head for labels that is not BERT'
printf 'kind: single\ntrain: {en: %s}\ntest: {en: %s}\n' "$data/distilbert-single.tsv" "$data/distilbert-single.tsv" >task.yaml
for model in distilbert modernbert; do
    try finetune --model $model --task task.yaml --updates 2 --out tuned.$model
    want_code 0
    want_err_has "$model is a fine-tuned model: its encoder is taken, its 3 labels are not; a new classifier is drawn"
    try predict --quiet --model tuned.$model one.txt
    want_code 0
    [ "$(wc -l <.out)" -eq "$(wc -l <one.txt)" ] || fail "not a label a line"
done
printf 'kind: single\ntrain: {en: %s}\n' "$data/distilbert-single.tsv" >task.yaml
try finetune --quiet --model mpnet --task task.yaml --updates 2 --out none
want_error 2 "isoglot finetune: error: mpnet: distances in buckets (MPNet) are read, not trained" \
    'it can be trained elsewhere and measured here; what is trained here: docs/model.md, "Families"'
[ ! -e none ] || fail "a folder is left"
sed 's/"classifier_pooling": "cls"/"classifier_pooling": "mean"/' modernbert/config.json >config.json
cmp -s config.json modernbert/config.json && fail "nothing changed"
cp config.json modernbert/
try predict --quiet --model modernbert one.txt
want_code 3
want_err_has '"classifier_pooling" is "mean", expected "cls": another head is not computed here'
# Nor is one with SiLU, which was computed with GELU.
sed 's/_activation": "gelu"/_activation": "silu"/; s/"classifier_pooling": "mean"/"classifier_pooling": "cls"/' config.json >modernbert/config.json
[ "$(grep -c '_activation": "silu"' modernbert/config.json)" -eq 2 ] || fail "nothing changed"
try predict --quiet --model modernbert one.txt
want_code 3
want_err_has '"classifier_activation" is "silu", expected "gelu": a head with another is not computed here'
cp config.json modernbert/

# Two columns are a pair, whatever says so; a label beside them is one.
cut -f1,2 "$data/bert-pair.tsv" >two.tsv
try predict --model bert two.tsv
want_code 0
same "$data/bert-pair.tsv"
want_default "bert: $default pair (two columns), labels of id2label, segments 0 and 1, at most 40 tokens, longer texts cut"
{ printf 'Premise\tHYPOTHESIS\n' && cat two.tsv; } >named.tsv
awk -F '\t' '{ printf "{\"premise\": \"%s\", \"hypothesis\": \"%s\"}\n", $1, $2 }' two.tsv >two.jsonl
for input in two.tsv "$data/bert-pair.tsv" named.tsv two.jsonl; do
    for kind in auto pair; do
        try predict --quiet --kind $kind --model bert "$input"
        want_code 0
        same "$data/bert-pair.tsv"
        want_default ""
    done
done
cut -f1,3 "$data/bert-pair.tsv" >label.tsv
try predict --model bert label.tsv
want_error 3 "isoglot predict: error: label.tsv: found two columns, which in 12 of 12 rows are a number or a label and a text, expected texts or pairs" \
    "--kind pair or --kind single, or a line of names says what the columns are"
# Labels of another model, before or after the text.
cut -f1 "$data/bert-pair.tsv" | awk '{print $0 "\t" (NR % 2 ? "yes" : "no")}' >other.tsv
awk -F'\t' '{print $2 "\t" $1}' other.tsv >before.tsv
for file in other before; do
    try predict --model bert $file.tsv
    want_error 3 "isoglot predict: error: $file.tsv: found two columns, which in 12 of 12 rows are a number or a label and a text, expected texts or pairs" \
        "--kind pair or --kind single, or a line of names says what the columns are"
done
awk '{ print NR "\t" $0 }' one.txt >counted.tsv
try predict --model bert counted.tsv
want_code 3
cut -f1 two.tsv >one.txt
try predict --quiet --model bert one.txt
cp .out single.out
try predict --quiet --kind single --model bert label.tsv
want_code 0
cmp -s .out single.out || fail "a label beside a single text changes the labels"
{ printf 'id\ttext\tlabel\n' && awk -F '\t' '{ print NR "\t" $1 "\t" $2 }' label.tsv; } >named.tsv
try predict --quiet --model bert named.tsv
want_code 0
cmp -s .out single.out || fail "a line of names: other labels"
try predict --kind single --model bert two.tsv
want_error 3 "isoglot predict: error: two.tsv:1: found \"die Katze schläft\" in column 2, expected a label of the model" \
    "a line of names says what the columns are"
printf 'a\tb\tc\n' >three.tsv
try predict --model bert three.tsv
want_error 3 "isoglot predict: error: three.tsv:1: found \"c\" in column 3, expected a label of the model" \
    "--kind pair or --kind single, or a line of names says what the columns are"
{ printf 'question\tsentence\n' && cat two.tsv; } >named.tsv
try predict --model bert named.tsv
want_error 3 "isoglot predict: error: named.tsv:1: found a line of names with others than those of a text and its label" \
    "--kind pair or --kind single, or a line of names says what the columns are"
{ printf 'premise\tanswer\n' && cat two.tsv; } >named.tsv
try predict --model bert named.tsv
want_error 3 "isoglot predict: error: named.tsv:1: found a line of names, but no text among them, expected sentence1 and sentence2, or text"
try predict --kind tagging --model bert two.tsv
want_error 2 "isoglot predict: error: --kind: found 'tagging', expected 'single' or 'pair' for the head that bert/config.json describes"
try predict --kind pair --model words two.tsv
want_error 2 "isoglot predict: error: --kind: found 'pair', expected 'tagging' for the head that words/config.json describes"

# First lines of other formats.
first() { # LINE MESSAGE [WHAT TO DO]
    { printf '%s\n' "$1" && echo 'the cat'; } >first.txt
    try predict --model bert first.txt
    want_error 3 "isoglot predict: error: first.txt:1: $2" ${3+"$3"}
}
tabs='csv.writer(sys.stdout, "excel-tab").writerows(csv.reader(sys.stdin, delimiter='
first 'Premise,Hypothesis,Label' "found names with ',' between them, expected tabs" \
    "python3 -c 'import csv, sys; $tabs\",\"))' <FILE >NEW"
first 'id;sentence1;sentence2' "found names with ';' between them, expected tabs" \
    "python3 -c 'import csv, sys; $tabs\";\"))' <FILE >NEW"
first '[{"premise": "a"}]' "found a JSON array, expected an object a line, without brackets"
first '[' "found a JSON array, expected an object a line, without brackets"
first 'premise' 'found a line of names, "premise" alone, expected a text'
printf 'Well, text and label\n[sic] the cat\n' >first.txt
try predict --quiet --model bert first.txt
want_code 0

# Sentences are no lines of words.
printf 'the cat sees\na dog runs fast\n' >sentences.txt
try predict --model words sentences.txt
want_error 3 "isoglot predict: error: sentences.txt: found several words between blanks in 2 lines, without a tag at the end of 2, expected a word a line" \
    "an empty line ends a sentence; tabs are between other columns"
sed 's/\t/ NN /' "$data/words.tsv" >blanks.txt
try predict --quiet --model words blanks.txt
want_code 0
cmp -s .out "$data/words.tsv" || fail "columns between blanks: other labels"

tr '\t' , <"$data/words.tsv" >commas.csv
try predict --model words commas.csv
want_error 3 "isoglot predict: error: commas.csv: found a tag after a comma or semicolon in $(grep -c . commas.csv) lines, expected tabs between columns"
echo '{"tokens": ["the"]}' >words.jsonl
try predict --model words words.jsonl
want_error 3 "isoglot predict: error: words.jsonl:1: found JSON, expected a word a line"

# A zero byte is no text.
printf 'the cat\n' >zero
printf 'a\0b\n' >>zero
for model in bert words; do
    try predict --model "$model" zero
    want_error 3 "isoglot predict: error: zero:2: found a zero byte, expected text in UTF-8 (if it is UTF-16: iconv -f UTF-16BE -t UTF-8 FILE >NEW)"
done

# config.json: what it says of the head.
says() { # SED-COMMAND MESSAGE [HINT]
    rm -rf changed && cp -r bert changed
    tr -d '\n' <bert/config.json | sed "$1" >changed/config.json
    cmp -s bert/config.json changed/config.json && fail "nothing changed: $1"
    try predict --model changed one.txt
    if [ $# -gt 2 ]; then want_error 3 "isoglot predict: error: changed/config.json: $2" "$3"; else want_error 3 "isoglot predict: error: changed/config.json: $2"; fi
}
says 's/"hidden_act"/"problem_type": "multi_label_classification", &/' \
    '"problem_type" is "multi_label_classification", expected "single_label_classification": one label for each text'
says 's/"hidden_act"/"problem_type": "regression", &/' \
    '"problem_type" is "regression", expected "single_label_classification": one label for each text'
says 's/"hidden_act"/"num_labels": 2, &/' '"num_labels" is 2, id2label has 3 labels'
says 's/"label2id": *null/"label2id": {"entailment": 2, "neutral": 1, "contradiction": 0}/' \
    'id2label has "entailment" for 0, label2id has 2 for it, expected the same'
says 's/"2": "contradiction"/"3": "contradiction"/' 'id2label has no name of label 2'
says 's/BertForSequenceClassification/BertForQuestionAnswering/' \
    '"architectures" is "BertForQuestionAnswering", whose head is not for labels of texts or words, expected one that ends in ForSequenceClassification or ForTokenClassification'
says 's/BertForSequenceClassification/BertForMultipleChoice/' \
    '"architectures" is "BertForMultipleChoice", whose head is not for labels of texts or words, expected one that ends in ForSequenceClassification or ForTokenClassification'
says 's/BertForSequenceClassification/BertModel/' \
    'model.safetensors has the tensor "classifier.bias", but "architectures" is "BertModel", expected one that ends in ForSequenceClassification or ForTokenClassification'
tr -d '\n' <bert/config.json | sed 's/"label2id": *null/"label2id": {"LABEL_0": 0, "LABEL_1": 1, "LABEL_2": 2}/; s/"0": *"entailment", *"1": *"neutral", *"2": *"contradiction"/"2": "contradiction", "1": "neutral", "0": "entailment"/' >changed/config.json
grep -q '"2": "contradiction", "1": "neutral"' changed/config.json || fail "nothing changed"
grep -q LABEL_2 changed/config.json || fail "no default name is left"
try predict --quiet --model changed two.tsv
want_code 0
same "$data/bert-pair.tsv"
try predict --model "$docs/../tests/data/foreign/roberta" one.txt
want_code 3
grep -q "the model has no head for labels (isoglot finetune trains one)" .err || fail "a model for masked words"
