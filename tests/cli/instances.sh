#!/bin/sh
# isoglot train: what sequences are made of, its switches alone and together.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

tiny="train --quiet --world-sentences 60 --dev-take 12 --vocab-size 100 --preset bert-tiny --batch 16"

refused() { # LINE ARGUMENTS
    line=$1
    shift
    # shellcheck disable=SC2086
    try $tiny --updates 2 --out bad "$@"
    want_error 2 "isoglot train: error: $line"
    [ ! -e bad ] || fail "left behind: $(ls -aR bad)"
}

refused "nsp: next sentences without pairs, expected instances pairs" --nsp
refused "next-from: next sentences without pairs, expected instances pairs" --next-from any
refused "block: found 4, expected at least 5: a pair has three special tokens" --instances pairs --block 4
refused "tlm: found 'en-fr', expected two of the languages, as in en-fake" --tlm en-fr
refused "tlm: 'en-en' is one language, expected two" --tlm en-en
refused "tlm: 'en-fake' is given twice" --tlm 'en-fake; en-fake'
# shellcheck disable=SC2086
try $tiny --updates 2 --out bad --tlm all --no-parallel
want_error 2 "isoglot train: error: tlm: languages 'en' and 'fake' have no parallel sentence" \
    "verses are parallel by their ids, plain files line by line where they have as many lines"
refused "separate: with tlm a sequence has two languages, but takes the separate parts of one" --tlm all --separate words
refused "tlm: all pairs of one language, expected two" --tlm all --languages en
refused "pad-attend: with tlm the padding would follow the last position" --tlm all --pad-attend
refused "shift-special-detect: paper-code looks for one language in each sequence, but with tlm a sequence has two" \
    --tlm all --shift-special --shift-special-detect paper-code
refused "segments: found 1, but language 'en' has segment 1 (the first is 0)" --instances pairs --segments 1

# Everything at once: the same bits on any number of threads, and after a stop.
all="--block 24 --instances pairs --nsp --next-from any --document 10 --whole-words --static-masks --dupe 2 --tlm all
    --language-markers --language-embeddings --eval=false --updates 12 --log-every 3"
# shellcheck disable=SC2086
{
    try $tiny $all --threads 1 --out one
    want_code 0
    try $tiny $all --threads 3 --out three
    want_code 0
    try $tiny $all --threads 2 --max-time 1e-9 --out part
    want_code 8
    try $tiny $all --threads 2 --out part
    want_code 0
}
cmp one/model/model.safetensors three/model/model.safetensors || fail "another number of threads, other bits"
cmp one/model/model.safetensors part/model/model.safetensors || fail "after a stop, other bits"
grep -q '"next_loss":0\.[67]' one/log.jsonl || fail "no loss of next sentences: $(cat one/log.jsonl)"
grep -q '"BertForPreTraining"' one/model/config.json || fail "no head for next sentences in config.json"
tail -n 2 one/model/vocab.txt >markers.txt
printf '[SEP-en]\n[SEP-fake]\n' | cmp - markers.txt || fail "no markers at the end of vocab.txt"

# Too few documents for pairs are told; enough are not.
# shellcheck disable=SC2086
{
    talk=$(echo "$tiny" | sed 's/--quiet//')
    try $talk --block 24 --instances pairs --document 4096 --updates 1 --eval=false --out few
    want_code 0
    grep -q "^warning: language 'en' is one document of [0-9]* sentences, so its random second parts are of that document too" .err ||
        fail "one document is not told: $(cat .err)"
    try $talk --block 24 --instances pairs --document 4096 --next-from any --updates 1 --eval=false --out any
    grep -q "^warning: every language is one document, so with next-from any" .err || fail "not told: $(cat .err)"
    try $talk --block 24 --instances pairs --updates 1 --eval=false --out nine
    grep -q "^warning: language 'en' has [2-9] documents; one in ten has shorter pairs" .err || fail "not told: $(cat .err)"
    try $talk --block 24 --instances pairs --document 4 --updates 1 --eval=false --out enough
    if grep -q document .err; then fail "told of $(cat .err)"; fi
}

# Measures of sentences follow the stream; perplexity is of what was trained on.
# shellcheck disable=SC2086
try $tiny --block 24 --instances stream --updates 2 --out stream
want_code 0
grep -q '"perplexity' stream/eval.json || fail "no perplexity: $(cat stream/eval.json)"

# A vocabulary that is more than its pieces goes with the run and with the model.
# shellcheck disable=SC2086
try $tiny --block 24 --vocab-model unigram --whole-words --updates 2 --eval=false --out merges
want_code 0
if [ ! -f merges/model/tokenizer.json ] || [ -f merges/model/vocab.txt ]; then fail "$(ls merges/model)"; fi
head -n 1 merges/data/world-train.txt >line.txt
try tokenize --vocab merges/model/tokenizer.json --ids --special line.txt
want_code 0
cp .out ids.txt
try tokenize --vocab merges/data/vocab.txt --ids --special line.txt
cmp .out ids.txt || fail "the model's tokenizer is another than the run's"

# A line of 5 000 words is cut into sentences that fit: windows have every token, in training and in static vectors; what
# other instances lose is counted.
awk 'BEGIN { for (i = 0; i < 5000; i++) printf "%s%c", (i % 7) (i % 11), i < 4999 ? 32 : 10
             for (i = 0; i < 9; i++) print "1 2 3 4 5 6 7 8 9 10" }' >long.txt
awk '{ print "x " $0 }' long.txt >other.txt
long="train --no-sentences --layers 1 --hidden 16 --heads 2 --ffn 16 --max-positions 64 --block 32 --eval=false
    --batch 8 --epochs 1 --threads 1 --json"
shard_counts() { # FILE: sentences and tokens, as its header has them (docs/formats.md)
    od -A n -t u8 -j 24 -N 16 "$1"
}
whole() { # ARGUMENTS: every token of the shards is in an epoch, beside a [SEP] for each sentence
    rm -rf whole
    # shellcheck disable=SC2086
    try $long --instances stream --out whole "$@"
    want_code 0
    [ "$(cat .err)" = "" ] || fail "something is said"
    trained=$(sed -n 's/^ *"tokens": \([0-9]*\),*$/\1/p' .out)
    for shard in whole/data/train*.shard; do
        shard_counts "$shard"
    done >counts
    all=$(awk '{ n += $2 } END { print n }' counts)
    sentences=$(awk '{ n += $1 } END { print n }' counts)
    [ "$trained" -eq $((all + sentences)) ] || fail "$trained tokens of $all in $sentences sentences"
}
whole --text long.txt --languages en --vocab-size 60
[ "$sentences" -ge 12 ] || fail "$sentences sentences"
# Texts of their own, with traces: the words' positions are those of the part.
whole --languages 'a(text=a); b(text=b)' --files 'a=long.txt; b=other.txt' --vocab-size 60
# shellcheck disable=SC2086
try $long --instances lines --text long.txt --languages en --vocab-size 60 --out lines
want_code 0
trained=$(sed -n 's/^ *"tokens": \([0-9]*\),*$/\1/p' .out)
all=$(shard_counts lines/data/train.shard | awk '{ print $2 }')
sentences=$(shard_counts lines/data/train.shard | awk '{ print $1 }')
grep -qE "^warning: $((all - trained + 2 * sentences)) of $all tokens of en are not trained on: [0-9]+ of $sentences sentences have more than 30 tokens; with --instances stream none is lost$" .err ||
    fail "not said"
