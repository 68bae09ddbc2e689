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
want_error 3 "isoglot corpus sentences: error: bad.txt:2: byte 5 of the line is ff, expected UTF-8" \
    "if it is Latin-1: iconv -f LATIN1 -t UTF-8 FILE >NEW"
[ "$(cat out.txt)" = "In the beginning." ] || fail "a failed run has changed out.txt"
try corpus sentences vocab.txt --ids NT
want_error 3 "isoglot corpus sentences: error: vocab.txt: verses are to be selected, but this is plain text without ids"
try corpus sentences v.tsv --ids 66-40
want_code 2
try corpus sentences v.tsv --whole-lines --clauses
want_code 2

: >empty.txt
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
want_error 3 "isoglot corpus stats: error: bad.txt:2: byte 5 of the line is ff, expected UTF-8" \
    "if it is Latin-1: iconv -f LATIN1 -t UTF-8 FILE >NEW"
try corpus stats .
want_error 4 "isoglot corpus stats: error: .: found a directory, expected a file"
