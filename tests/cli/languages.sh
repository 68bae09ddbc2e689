#!/bin/sh
# Languages with texts, transforms of words and vocabularies of their own, through the program: what
# is made, that it is the same again, gold, and mistakes.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

train() { # OUT LANGUAGES OPTIONS
    out=$1
    spec=$2
    shift 2
    try train --quiet --out "$out" --world demo --world-sentences 200 --dev-take 40 --vocab-size 200 --preset bert-tiny \
        --batch 16 --threads 2 --updates 6 --languages "$spec" "$@"
}

# Words that come back to where they were are the text's: the same shard as without transforms.
train plain 'en; fake = shift' --world-words
want_code 0
train words 'en; fake = invert | invert | tokenize | shift' --world-words
want_code 0
cmp plain/data/vocab.txt words/data/vocab.txt || fail "another vocabulary"
cmp plain/data/train.shard words/data/train-en.shard || fail "another shard"
cmp words/data/train-en.shard words/data/train-fake.shard || fail "other pieces"

# Equal seeds give equal bytes, different ones different bytes; folders may be written again.
all='en; fake(vocab=own, share=2) = cipher | split:0.3 | drop:3 | invert | tokenize | swap:0.5; x(world=SOV+post, vocab=own) = merge:0.2 | tokenize'
train a "$all"
want_code 0
train b "$all"
want_code 0
for f in a/data/*; do cmp "$f" "b/data/$(basename "$f")" || fail "$f differs"; done
train c "$all" --transform-seed 1
want_code 0
cmp a/data/train-en.shard c/data/train-en.shard || fail "an untouched language changed"
cmp -s a/data/train-fake.shard c/data/train-fake.shard && fail "the seed of the transforms does nothing"
rm -r a/checkpoints a/model a/data/dev-x.shard
train a "$all"
want_code 0
cmp a/data/dev-x.shard b/data/dev-x.shard || fail "a shard that was made anew differs"
[ "$(sha256sum <a/model/model.safetensors)" = "$(sha256sum <b/model/model.safetensors)" ] || fail "another model"

# Gold shows, alignment and dictionary are measured.
try corpus transform --words 'invert | split:0.5' --take 1
want_code 0
want_out_has "gold     0-"
[ -n "$(values_of f1 b/eval.json)" ] || fail "no gold alignment"

# Languages as files, of any text: parallel lines.
printf '40001001\tthe cat sat . The dog ran .\n40001002\ta cat .\n01001001\tnothing of this\n' >verses.tsv
try corpus transform verses.tsv --ids NT --words 'codepoints | invert' --name far --out out
want_code 0
want_out ""
[ "$(cat out/text.txt)" = "$(printf 'the cat sat .\nThe dog ran .\na cat .')" ] || fail "text.txt"
[ "$(head -1 out/text-far.align)" = "0-3 1-2 2-1 3-0" ] || fail "alignment"
[ "$(cut -f 1,3 out/text-far.dict | tr '\t\n' '= ')" = "the=1 cat=2 sat=1 .=3 The=1 dog=1 ran=1 a=1 " ] || fail "dictionary"
[ "$(awk 'NR == 1 { print $4 }' out/far.txt)" = "$(sed -n 's/^the.\(.*\).1$/\1/p' out/text-far.dict)" ] || fail "not the dictionary's word"
try corpus transform verses.tsv --ids NT --words invert --name far --take 2 --json
want_code 0
want_out '{"name": "far", "text": ["the", "cat", "sat", "."], "transformed": [".", "sat", "cat", "the"], "gold": [[0, 3], [1, 2], [2, 1], [3, 0]]}
{"name": "far", "text": ["The", "dog", "ran", "."], "transformed": [".", "ran", "dog", "The"], "gold": [[0, 3], [1, 2], [2, 1], [3, 0]]}'
try corpus transform verses.tsv --ids NT --words 'codepoints | invert' --name far --out again --json
want_code 0
want_out '{
  "out": "again",
  "name": "far",
  "sentences": 3,
  "dictionary": 8
}'
for file in text.txt far.txt text-far.align text-far.dict; do
    cmp "out/$file" "again/$file" || fail "--json writes another $file"
done
try corpus transform
names=$(sed -n 's/^  \([a-z-]*\).*/\1/p' .out)
try corpus transform --json
want_code 0
[ "$(sed -n 's/^ *"name": "\(.*\)",$/\1/p' .out)" = "$names" ] || fail "another list"
try corpus transform verses.tsv --words invert --name text --out out
want_error 2 "isoglot corpus transform: error: --name: found 'text', expected another name than that of the text's file, without '/'"

try corpus transform verses.tsv --words 'invert | shift'
want_code 2
grep -qF -- "--words: character 10: unknown transform of words 'shift'" .err || fail "place of a mistake: $(cat .err)"

# Two texts of verses: development verses that both have are parallel, alignment is not known.
printf '40001001\tthe cat sat .\n40001002\tthe dog ran .\n40001003\ta cat .\n' >en.tsv
printf '40001001\tdie katze sass .\n40001003\teine katze .\n40001004\tder hund .\n' >de.tsv
try train --quiet --out two --text en.tsv --dev-text en.tsv --files 'de=de.tsv' --vocab-size 60 --preset bert-tiny --batch 2 \
    --updates 2 --languages 'en; de(text=de, dev=de, vocab=own)' --json
want_code 0
want_out_has '"n_sentences": 2'

# Measures of the text that was trained on are said to be.
for case in "en:en" "en; de(text=de):en, de" "en; de(text=de, dev=de):en"; do
    rm -rf itself
    try train --quiet --out itself --text en.tsv --files 'de=de.tsv' --vocab-size 60 --preset bert-tiny --batch 2 --updates 1 \
        --languages "${case%:*}"
    want_out_has "development: the training text of ${case#*:}, as there is no other (--dev-text, dev=FILE)"
done
try train --quiet --out others --text en.tsv --dev-text de.tsv --vocab-size 60 --preset bert-tiny --batch 2 --updates 1 --languages en
if grep -q '^development:' .out; then fail "there is another text"; fi

# Ids that do not ascend have no parallel verses: said as by diagnose, not measured as none.
{ head -n 2 de.tsv; sed -n 2p de.tsv; } >twice.tsv
printf '40001003\teine katze .\n40001001\tdie katze sass .\n' >turned.tsv
for case in "twice.tsv:3 40001003" "turned.tsv:2 40001001"; do
    try train --quiet --out torn --text en.tsv --dev-text en.tsv --files "de=${case%%:*}" --vocab-size 60 --preset bert-tiny \
        --updates 2 --languages 'en; de(text=de, dev=de, vocab=own)'
    want_error 3 "isoglot train: error: ${case% *}: verse ${case#* } follows 40001003, expected ascending ids"
    rm -rf torn
done

# A run of several texts is measured again as it was, and its folder is only read.
ls -lR two >before
try eval two --json
want_code 0
want_out_has '"n_sentences": 2'
[ "$(values_of mu .out)" = "$(values_of mu two/eval.json)" ] || fail "mu is not that of the training's end"
try eval two --text en.tsv
want_error 2 "isoglot eval: error: text: languages have texts of their own; one further text cannot be all of theirs"
ls -lR two >after
cmp -s before after || fail "measuring changed the run's folder: $(diff before after)"
mv two/data/dev-de.shard kept
try eval two
want_error 3 "isoglot eval: error: two/data/dev-de.shard: is missing: the run's data are not complete"

# Special tokens as a separate part: rows of the language's own, the model's tensors as they were.
train specials 'en; fake = shift' --separate specials --batch-languages single
want_code 0
train switch 'en; fake = shift' --shift-special --batch-languages single
want_code 0
[ "$(sha256sum <specials/model/model.safetensors)" = "$(sha256sum <switch/model/model.safetensors)" ] || fail "another model"
grep -q '"pipeline": "shift | specials"' specials/model/config.json || fail "no special tokens of its own"
try train --out none --world demo --separate specials --languages 'en; fake = invert'
want_error 2 "isoglot train: error: fake: transform 'specials' needs a block of its own: put 'shift' before it"

# Mistakes: one line, with the place.
mistake() { # LINE HINT LANGUAGES
    train none "$3"
    if [ -n "$2" ]; then
        want_error 2 "isoglot train: error: $1" "$2"
    else
        want_error 2 "isoglot train: error: $1"
    fi
    [ ! -e none ] || fail "a mistake left a folder"
}
mistake "languages: character 10: 'shar' is not a property of a language, expected text, dev, vocab, gold, tags, anchors, world, share or take" \
    "did you mean 'share'?" 'en; fake(shar=2)'
mistake "files: no file is called 'de', expected --files 'de=FILE'" "" 'en; de(text=de)'
mistake "fake: character 12: transform 'swap': SHARE is '2', expected a number from 0 to 1" "" 'en; fake = swap:2 | tokenize'
try train --out none --text en.tsv --languages 'en; x = head-final | tokenize'
want_error 2 "isoglot train: error: x: transform 'head-final' reads trees, expected a text in CoNLL-U (*.conllu) or a generated world"

# Development files of plain text: lines of one number are parallel, an empty one has no partner.
printf 'the cat sat .\nthe dog ran .\n\na cat .\n' >en.dev
printf 'die katze sass .\n\nein hund .\neine katze .\n' >de.dev
printf 'die katze .\nder hund .\ndie katze sass .\n' >de.txt
printf 'the cat .\nthe dog .\nthe cat sat .\n' >en.txt
two() { # OUT LANGUAGES OPTIONS
    out=$1
    spec=$2
    shift 2
    try train --quiet --out "$out" --text en.txt --dev-text en.dev --files 'de=de.txt; dev=de.dev; three=three.txt' --vocab-size 60 \
        --preset bert-tiny --batch 2 --updates 2 --json --languages "$spec" "$@"
}
two lines 'en; de(text=de, dev=dev)' --dev-parallel
want_code 0
want_out_has '"n_sentences": 2'
two apart 'en; de(text=de, dev=dev)'
want_code 0
want_out_has '"n_sentences": 0'
# One development text under two names is one text.
try train --quiet --out same --text en.txt --dev-text en.dev --files 'de=de.txt; again=en.dev' --vocab-size 60 --preset bert-tiny \
    --batch 2 --updates 2 --json --languages 'en; de(text=de, dev=again) = shift'
want_code 0
want_out_has '"n_sentences": 3'
printf 'eins\nzwei\n' >three.txt
two short 'en; de(text=de, dev=three)' --dev-parallel
want_error 3 "isoglot train: error: three.txt: 2 lines, en.dev has 4: they are not parallel"
two none 'en; de(text=de)' --dev-parallel
want_error 2 "isoglot train: error: dev-parallel: language 'de' has no development text, expected one of each"
try train --quiet --out one --world demo --dev-parallel --updates 2 --preset bert-tiny
want_error 2 "isoglot train: error: dev-parallel: no language has a text of its own, and of one text all languages are parallel"

# Languages that name one vocabulary have one block, unless they say shift.
first() { # RUN LANGUAGE
    tr -d ' \n' <"$1/model/config.json" | sed 's/.*"name":"'"$2"'"[^{]*"first_id":\([0-9]*\),.*/\1/'
}
two shared 'en; de(text=de, dev=dev, vocab=ger); at(text=de, dev=dev, vocab=ger); own(text=de, dev=dev, vocab=ger) = shift'
want_code 0
[ "$(first shared en)" = 0 ] || fail "en begins at $(first shared en)"
[ "$(first shared de)" -gt 0 ] || fail "de shares the first block"
[ "$(first shared de)" = "$(first shared at)" ] || fail "at has another block than de"
[ "$(first shared own)" -gt "$(first shared de)" ] || fail "own shares de's block"

# A vocabulary of the most frequent characters alone.
two letters 'en; de(text=de, dev=dev)' --vocab-model chars
want_code 0
two fewer 'en; de(text=de, dev=dev)' --vocab-model chars --limit-alphabet 4
want_code 0
[ "$(sed 's/^##//' fewer/data/vocab.txt | tail -n +6 | sort -u | wc -l)" = 4 ] || fail "not four characters: $(cat fewer/data/vocab.txt)"
[ "$(wc -l <letters/data/vocab.txt)" -gt "$(wc -l <fewer/data/vocab.txt)" ] || fail "as many pieces of four characters as of all"

# A vocabulary of the most frequent words alone.
two few 'en; de(text=de, dev=dev)' --max-words 3 --vocab-model words
want_code 0
[ "$(wc -l <few/data/vocab.txt)" = 8 ] || fail "$(wc -l <few/data/vocab.txt) pieces of three words"
