#!/bin/sh
# isoglot train: what it leaves in its folder, what it refuses, and that a mistake leaves nothing.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

tiny="train --quiet --dev-take 10 --preset bert-tiny --batch 16 --threads 1"

run() { # ARGUMENTS: a tiny run with these
    sentences="--world-sentences 40" size="--vocab-size 100"
    for argument; do
        [ "$argument" != --text ] || sentences=
        [ "$argument" != --vocab ] || size=
    done
    # shellcheck disable=SC2086
    try $tiny $sentences $size "$@"
}

left_nothing() { [ ! -e bad ] || fail "left behind: $(ls -aR bad)"; }

mistake() { # CODE LINE HINT ARGUMENTS: of a run in a new folder, that is not there afterwards
    want=$1 line=$2 hint=$3
    shift 3
    run --updates 2 --out bad "$@"
    if [ -n "$hint" ]; then
        want_error "$want" "isoglot train: error: $line" "$hint"
    else
        want_error "$want" "isoglot train: error: $line"
    fi
    left_nothing
}

# Before the first line of the log, the loss that is shown is the mean so far.
try train --progress --world-sentences 40 --dev-take 10 --vocab-size 100 --preset bert-tiny --batch 16 --threads 1 \
    --updates 3 --log-every 100 --no-eval --out early
want_code 0
grep -q 'loss [1-9]' "$work/.err" || fail "no loss"
if grep -qF "loss 0.000" "$work/.err"; then fail "a loss of nothing"; fi

# Combinations that cannot be.
mistake 2 "hidden_size is 33, expected a multiple of num_attention_heads (2)" "" --hidden 33
mistake 2 "hidden_size is 32, expected a multiple of num_attention_heads (3)" "" --heads 3
mistake 2 "max-positions: 512, expected at least 600 (block 600)" "" --block 600
mistake 2 "--block: found 2049, expected an integer from 3 to 2048" "" --block 2049
mistake 2 "max-positions: 200, expected at least 256 (block 128, twice for lang-pos)" "" \
    --lang-pos --max-positions 200
mistake 2 "max-positions: found 512, but language 'b' has positions from 400 to 527" "" \
    --languages 'a; b = shift | positions:400'
mistake 2 "segments: found 1, but language 'fake' has segment 1 (the first is 0)" "" \
    --lang-pos --segments 1
mistake 2 "random-share: mask-share 0.9 and random-share 0.2 add up to 1.1, expected at most 1" "" \
    --mask-share .9 --random-share .2
mistake 2 "--mask-prob: found 0, expected a number from 1e-06 to 1" "" --mask-prob 0
mistake 2 "epochs: updates 2 and epochs 3 are both given, expected one of them" "" --epochs 3
mistake 2 "eval-layers: no layer 3: the model has 0 (embeddings) to 2" "" \
    --eval-layers 0,3
mistake 2 "eval-layers: 0 after 2, expected ascending" "" --eval-layers 2,0
mistake 2 "ids: ids without a text to take them from" "" --ids NT
mistake 2 "fake: character 12: unknown transform 'shfit', expected one of shift, specials, positions, invert, swap, permute, window, unigram, half, take, segment, marker, deterministic-shuffle, local-shuffle, even-odd-shuffle, reverse" \
    "did you mean 'shift'?" --languages 'en; fake = shfit'
mistake 2 "fake: transform 'specials' needs a block of its own: put 'shift' before it" "" \
    --languages 'en; fake = specials'
mistake 2 "languages: character 5: two languages are called 'en'" "" --languages 'en; en = shift'

# Texts and vocabularies.
: >empty.txt
printf '\n\r\n \n' >blank.txt
printf 'good\nbad \377\n' >latin.txt
mkdir folder
mistake 2 "--world: has no effect: a generated world is used when there is no text" "" --text text.txt --world demo
mistake 2 "--knn-share: has no effect: nothing is replaced by neighbours without knn-replace" "" --knn-share 0.1
mistake 2 "--embed-window: has no effect: a BERT is trained; static vectors need a trainer (word2vec, fasttext, glove)" "" \
    --embed-window 3
mistake 2 "--layers: has no effect: 0 is no size, expected at least 1; the preset's is what it is without the key" "" --layers 0
mistake 2 "--words-take: has no effect: words are asked in experiment files (isoglot run)" "" --words-take 3
mistake 2 "--trainer: a BERT is what this command trains" \
    "isoglot embed trains vectors of a text, isoglot run cells of an experiment file with this trainer" --trainer glove
echo "knn_share: 0.1" >moot.yaml
mistake 2 "knn-share: has no effect: nothing is replaced by neighbours without knn-replace" "" --config moot.yaml
mistake 3 "empty.txt: no word in 0 lines, expected text to train a vocabulary on" "" --text empty.txt
mistake 3 "blank.txt: no word in 0 lines, expected text to train a vocabulary on" "" --text blank.txt
mistake 3 "latin.txt:2: byte 5 of the line is ff, expected UTF-8" \
    "if it is Latin-1: iconv -f LATIN1 -t UTF-8 FILE >NEW" --text latin.txt
mistake 4 "nowhere.txt: cannot open: No such file or directory" "" --text nowhere.txt
mistake 4 "folder: found a directory, expected a file" "" --text folder
printf 'a b c\na c\n' >text.txt
mistake 3 "empty.txt: found no sentence, expected at least 1" "" --text text.txt --dev-text empty.txt
printf '[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\nc\n' >vocab.txt
mistake 3 "vocab.txt: no piece [MASK], which masked language models need" "isoglot vocab makes one that has it, --vocab names it" --vocab vocab.txt
mistake 4 "folder: found a directory, expected a file" "" --vocab folder

# A folder that was there stays, empty.
mkdir bad
run --updates 2 --out bad --text empty.txt
want_code 3
[ "$(ls -A bad 2>&1)" = "" ] || fail "the folder has changed: $(ls -A bad)"
rmdir bad

# The corrected command is not in the way of the mistake.
run --updates 2 --out run --languages 'en; fake = shfit'
want_code 2
run --updates 2 --out run
want_code 0
run --updates 2 --out run --seed 5
want_error 2 "isoglot train: error: run: the folder holds another run: seed is 0 there, 5 here" \
    "choose another --out, or give the run's own settings to go on with it"
run --updates 2 --out run --mask-prob .3
want_error 2 "isoglot train: error: run: the folder holds another run: mask-prob is 0.15 there, 0.3 here" \
    "choose another --out, or give the run's own settings to go on with it"
# A text that was edited is another run, and told by name; as it was, or gone, it is none.
printf 'a b c\na c\nb a\nc b a\n' >was.txt
cp was.txt edited.txt
run --updates 2 --out edited --text edited.txt
want_code 0
echo 'a b' >>edited.txt
run --updates 2 --out edited --text edited.txt
want_error 2 "isoglot train: error: edited: text: edited.txt has changed since the run was begun: SHA-256 $(sha256sum was.txt | cut -c1-12)… then, $(sha256sum edited.txt | cut -c1-12)… now" \
    "choose another --out, or put the file back as it was to resume"
cp was.txt edited.txt
run --updates 2 --out edited --text edited.txt
want_code 0
rm edited.txt
run --updates 2 --out edited --text edited.txt
want_code 0
for f in run.json model/model.safetensors data/train.shard; do
    [ -s run/$f ] || fail "a refused command took run/$f away"
done
run --updates 2 --out folder/../text.txt
want_error 4 "isoglot train: error: folder/../text.txt: found a file, expected a folder"
mkdir other && : >other/letter
run --updates 2 --out other
want_error 2 "isoglot train: error: other: the folder holds files, but no run.json" \
    "choose a new or empty folder"
[ "$(ls -A other)" = letter ] || fail "a folder of others was written to: $(ls -A other)"

# A text so small that nothing is masked: null in the log, not a loss of 0.
printf 'a\n' >one.txt
run --updates 1 --out one --text one.txt --mask-prob .000001 --languages 'only' --json
want_code 0
grep -q '"loss":null,"accuracy":null' one/log.jsonl || fail "no null in the log: $(cat one/log.jsonl)"
try eval one --json
want_code 0
[ -z "$(values_of mu .out)" ] || fail "a mu of one language"

# --dry-run writes nothing and says what a run would be.
run --updates 2 --out dry --dry-run --json
want_code 0
for key in config plan parameters vocab_size sequences steps_per_epoch updates tokens_per_second memory_bytes seconds; do
    want_out_has "\"$key\": "
done
[ ! -e dry ] || fail "--dry-run made the folder"
run --updates 2 --out dry --dry-run --lang-pos --segments 1
want_error 2 "isoglot train: error: segments: found 1, but language 'fake' has segment 1 (the first is 0)"

# Damaged parts of a run are told by name, by train as by eval, and left as they are.
damage() { # FILE CODE MESSAGE: the file is cut in half
    cp "run/$1" kept
    head -c "$(($(wc -c <kept) / 2))" kept >"run/$1"
    run --updates 2 --out run
    want_code "$2"
    grep -qF "isoglot train: error: run/$1$3" .err || fail "no word of run/$1$3"
    [ "$(wc -l <.err)" -eq 1 ] || fail "more than a line"
    cp kept "run/$1"
}
damage run.json 3 ":"
damage data/train.shard 3 ": byte 32: "
damage data/dev.shard 3 ": byte 32: "
damage checkpoints/step-00000002/model.safetensors 3 ": tensor "
damage checkpoints/step-00000002/config.json 3 ":"
damage checkpoints/step-00000002/trainer.state 3 ": "
damage log.jsonl 3 ": shorter than the "
run --updates 2 --out run
want_code 0

# A damaged checkpoint is put aside, and what is said of the data is said once.
again() {
    try train --world demo --world-sentences 60 --dev-take 10 --vocab-size 100 --preset bert-tiny --block 8 --updates 4 --save-every 2 \
        --keep 2 --no-eval --out damaged
    want_code 0
}
again
rm -r damaged/model
printf x | dd of=damaged/checkpoints/step-00000004/trainer.state bs=1 seek=200 conv=notrunc 2>/dev/null
again
want_err_has "the checkpoint of update 4 is damaged"
[ "$(grep -c "are not trained on" .err)" -eq 1 ] || fail "a warning is there twice, or not at all"
