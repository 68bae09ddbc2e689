#!/bin/sh
# isoglot corpus sentences, shard, show.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

printf '40001001\tThe book; of (two) “words.” And\n01001001\tIn the beginning.\n40001002\t\n40001003\tWho? he.\n' >v.tsv
printf '[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nThe\nbook\nof\ntwo\n.\n;\nIn\nthe\n' >vocab.txt

try corpus sentences v.tsv
want_code 0
want_out 'The book; of (two) “words.”
And
In the beginning.
Who?
he.'
try corpus sentences v.tsv --ids NT --strip-quotes --clauses --take 3
want_out 'The book;
of two words.
And'
try corpus sentences v.tsv --whole-lines --ids 01 --out out.txt
want_out ""
[ "$(cat out.txt)" = "In the beginning." ] || fail "out.txt differs"
try corpus sentences v.tsv v.tsv --whole-lines --ids OT,40001003
want_out 'In the beginning.
Who? he.
In the beginning.
Who? he.'
try corpus sentences v.tsv --ids NT --take 2 --json
want_code 0
want_out '{"text": "The book; of (two) “words.”"}
{"text": "And"}'
printf 'a "b" \\ c\n' >quoted.txt
try corpus sentences quoted.txt --json --out out.json
want_code 0
want_out ""
[ "$(cat out.json)" = '{"text": "a \"b\" \\ c"}' ] || fail "out.json: $(cat out.json)"
gzip -c v.tsv >v.gz
"$isoglot" corpus sentences - --ids OT <v.gz >.out
want_out 'In the beginning.'

try corpus sentences none.txt
want_error 4 "isoglot corpus sentences: error: none.txt: cannot open: No such file or directory"
try corpus sentences .
want_error 4 "isoglot corpus sentences: error: .: found a directory, expected a file"
printf 'good\nbad \377\n' >bad.txt
try corpus sentences bad.txt --out out.txt
want_error 3 "isoglot corpus sentences: error: bad.txt:2: byte 5 of the line is ff, expected UTF-8"
[ "$(cat out.txt)" = "In the beginning." ] || fail "a failed run has changed out.txt"
try corpus sentences vocab.txt --ids NT
want_error 3 "isoglot corpus sentences: error: vocab.txt: verses are to be selected, but this is plain text without ids"
try corpus sentences v.tsv --ids 66-40
want_code 2
try corpus sentences v.tsv --whole-lines --clauses
want_code 2

try corpus shard v.tsv --vocab vocab.txt --out s.shard --strip-quotes --json
want_code 0
want_out_has '"shard": "s.shard"'
want_out_has '"tokens": '
try corpus shard v.tsv --vocab vocab.txt --out s.shard --strip-quotes
want_code 0
want_out "s.shard: 5 sentences, 16 tokens"
try corpus show s.shard
want_out_has "sentences  5"
try corpus show s.shard --json
want_out_has '{"sentences": 5, "tokens": 16, "longest": 7, "vocab_size": 13, "vocab_hash": "'
try corpus show s.shard --vocab vocab.txt --count 1
want_out "[CLS] The book ; of two [UNK] . [SEP]"
try corpus show s.shard --vocab vocab.txt --count 1 --pipeline "shift | invert | specials"
want_out "::[CLS] ::. ::[UNK] ::two ::of ::; ::book ::The ::[SEP]"
try corpus show s.shard --vocab vocab.txt --from 3 --count 1 --pipeline "shift | invert:paper-code"
want_out "[CLS] ::. ::the [UNK] ::In [SEP]"
try corpus show s.shard --vocab vocab.txt --pipeline "shift | invret"
want_error 2 "isoglot corpus show: error: text: unknown transform 'invret', expected one of shift, specials, positions, invert, swap, permute, window, unigram, half, take, segment, marker" \
    "did you mean 'invert'?"
try corpus show s.shard --pipeline shift
want_code 2
grep -v MASK vocab.txt >other.txt
try corpus show s.shard --vocab other.txt
want_error 3 "isoglot corpus show: error: s.shard: was made with another vocabulary than other.txt"

head -c 100 s.shard >cut.shard
try corpus show cut.shard
want_error 3 "isoglot corpus show: error: cut.shard: byte 24: 5 sentences and 16 tokens do not fit a file of 100 bytes"
try corpus show vocab.txt
want_error 3 'isoglot corpus show: error: vocab.txt: byte 0: no token shard (found 5b 50 41 44, expected "IGSHARD")'
: >empty.txt
try corpus shard empty.txt --vocab vocab.txt --out e.shard
want_error 3 "isoglot corpus shard: error: empty.txt: found no sentence, expected at least 1"
try corpus shard v.tsv --out e.shard
want_error 2 "isoglot corpus shard: error: vocab: no vocabulary is given"
try corpus shard v.tsv --vocab vocab.txt --out /dev/null
want_error 4 "isoglot corpus shard: error: /dev/null: found a device or a pipe, expected a file name"
for f in e.shard*; do
    [ ! -e "$f" ] || fail "left behind: $f"
done

# Line ends of every kind, a byte order mark, a text without a last line end; detection looks past comments.
printf '\357\273\277# about\r\n\r\n40001001\tOne.\r\n40001002\tTwo.' >crlf.tsv
try corpus sentences crlf.tsv --ids NT
want_out 'One.
Two.'
try corpus sentences v.tsv --locale xx
want_error 2 "isoglot corpus sentences: error: locale: found 'xx', expected a language that ICU knows, such as en or pt-BR"
try corpus sentences empty.txt
want_code 0
want_out ""
head -c 3000000 /dev/zero | tr '\0' x >long.txt
try corpus sentences long.txt
want_code 0
[ "$(wc -c <.out)" -eq 3000001 ] || fail "a line of 3 MB came out as $(wc -c <.out) bytes"

try corpus show s.shard --vocab vocab.txt --from 6
want_error 2 "isoglot corpus show: error: --from: found 6, expected 1 to 5 sentences"
try corpus show empty.txt
want_error 3 "isoglot corpus show: error: empty.txt: byte 0: file ends, expected a token shard (\"IGSHARD\")"
try corpus show s.shard --pipeline shift
want_error 2 "isoglot corpus show: error: --pipeline: needs --vocab to print what it makes"

# Statistics read what the other commands read, and name each file in full.
mkdir -p a b
printf 'One two.\r\n\r\nOne' >a/t.txt
gzip -c a/t.txt >b/t.txt
try corpus stats a/t.txt b/t.txt v.tsv --json
want_code 0
[ "$(grep -c '"sentences": 2' .out)" -eq 2 ] || fail "two files of the same name and text have two sentences each"
for key in '"a/t.txt": {' '"b/t.txt": {' '"v.tsv": {' '"sentences": 3,' '"types": 3,'; do
    want_out_has "$key"
done
try corpus stats bad.txt
want_error 3 "isoglot corpus stats: error: bad.txt:2: byte 5 of the line is ff, expected UTF-8"
try corpus stats .
want_error 4 "isoglot corpus stats: error: .: found a directory, expected a file"
