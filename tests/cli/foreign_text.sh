#!/bin/sh
# Text of other people: one answer of all readers to white space, to other encodings and to zero bytes.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
foreign=$(cd "$docs/../tests/data/foreign" && pwd)

# White space is that of Python's str.split(): a no-break space and an ideographic one are.
i=0
while [ $i -lt 12 ]; do
    printf 'one\302\240two\343\200\200three four\n'
    i=$((i + 1))
done >nb.txt
try corpus stats nb.txt --json
want_out_has '"tokens": 48'
try embed glove nb.txt --min-count 1 --dim 2 --iterations 1 --out g.vec --json
want_out_has '"words_read": 48'
try vocab nb.txt --vocab-model words --out words.txt
want_code 0
[ "$(sed 1,5d words.txt | sort | tr '\n' ' ')" = "four one three two " ] || fail "$(cat words.txt)"
try diagnose --model "$foreign/xlmr" --text a=nb.txt --text b=nb.txt --json
want_out_has '"words": 48'
printf 'a\302\240b\tc\343\200\200d\na\tc\nb\td\n' >nb.tsv
try align ibm2 nb.tsv --quiet
want_out "0-0 1-1
0-0
0-0"
printf 'a\302\240b\tc d\t0-0 1-1\n' >nb.links
try align order nb.links --json
want_out_has '"n_links": 2'
try align words --model "$foreign/xlmr" nb.tsv --tsv
want_code 0
# A line of nothing else is blank.
printf 'one\n\302\240\342\200\250\ntwo\n' >blank.txt
try corpus sentences blank.txt
want_out "one
two"

# UTF-16 with its mark, without it, and zero bytes: refused in the same words, with what to do.
cp "$foreign/xlmr/config.json" config.json
printf 'ein Haus\na house\n' >a
printf 'ein Haus\t1\n' >a.tsv
printf 'a b\n' >a.dict
printf 'a 1 2\nb 3 4\n' >a.vec
printf '[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n' >a.vocab
printf 'kind: single\n' >a.yaml
printf '1\ta\ta\tNOUN\t_\t_\t0\troot\t_\t_\n\n' >a.conllu
printf '{"model": {"type": "WordPiece"}}\n' >a.json
refused() { # FILE COMMAND…: with FILE as its argument, in each form
    file=$1
    shift
    for form in UTF-16 UTF-16LE UTF-16BE UTF-32 zero pointer; do
        case $form in
        pointer) printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n' >"x.$file" ;;
        zero) sed "1s/^./&@/" "$file" | tr '@' '\000' >"x.$file" ;;
        *) iconv -f UTF-8 -t $form "$file" >"x.$file" ;;
        esac
        try "$@"
        want_code 3
        case $form in
        UTF-16 | UTF-32) want_err_has "x.$file:1: found $form, expected UTF-8 (iconv -f $form -t UTF-8 FILE >NEW)" ;;
        pointer) want_err_has "x.$file:1: found a pointer of Git LFS, expected the file itself (git lfs pull)" ;;
        *) want_err_has "x.$file:1: found a zero byte, expected text in UTF-8 (if it is UTF-16: iconv -f UTF-16" ;;
        esac
        case $form in UTF-16?E) want_err_has "iconv -f $form -t UTF-8 FILE >NEW)" ;; esac
        [ "$(wc -l <.err)" -eq 1 ] || fail "more than a line"
    done
}
refused a corpus sentences x.a
refused a corpus stats x.a
refused a embed word2vec x.a --out o.vec
refused a vocab x.a --out o.txt
refused a tokenize --vocab "$foreign/xlmr/tokenizer.json" x.a
refused a train --text x.a --languages en --out run
refused a align ibm2 x.a a
refused a align ibm2 a x.a
refused a diagnose --model "$foreign/xlmr" --text a=x.a --text b=a
refused a.tsv align ibm2 x.a.tsv
refused a.tsv align order x.a.tsv
refused a.vec embed neighbours x.a.vec a
refused a.dict bli a.vec a.vec --dictionary x.a.dict
refused a.vocab tokenize --vocab x.a.vocab a
refused a.json tokenize --vocab x.a.json a
refused a.conllu corpus transform --words invert x.a.conllu
refused a.yaml run x.a.yaml
printf '{"isoglot_results": 2}\n' >a.jsonl
refused a.jsonl export x.a.jsonl --as csv
gzip -c a.jsonl >x.gz
try export x.gz --as csv
want_code 3
want_err "isoglot export: error: x.gz:1: found a file compressed with gzip, expected text (gzip -dc <FILE >NEW)"
printf 'PAR1\025\004\025' >x.parquet
try corpus sentences x.parquet
want_code 3
want_err "isoglot corpus sentences: error: x.parquet:1: found a file of Parquet, expected text"
mkdir wide
cp "$foreign/xlmr"/* wide
iconv -f UTF-8 -t UTF-16 "$foreign/xlmr/tokenizer.json" >wide/tokenizer.json
try tokenize --vocab wide a
want_code 3
want_err_has "wide/tokenizer.json:1: found UTF-16, expected UTF-8 (iconv"
refused a.yaml finetune --model "$foreign/xlmr" --task x.a.yaml --out ft
# Latin-1, in text and in JSON.
mkdir latin
cp "$foreign/labse"/* latin
printf '{"a": "Gr\366\337e"}\n' >latin/tokenizer_config.json
try tokenize --vocab latin a
want_code 3
want_err_has "latin/tokenizer_config.json:1: unable to decode byte"
want_err_has "(if it is Latin-1: iconv -f LATIN1 -t UTF-8 FILE >NEW)"
# In text of ideographs only the line ends have zero bytes.
printf '\344\270\255\n\346\226\207\n' | iconv -f UTF-8 -t UTF-16LE >han.le
try corpus sentences han.le
want_code 3
want_err "isoglot corpus sentences: error: han.le:2: found a zero byte, expected text in UTF-8 (if it is UTF-16: iconv -f UTF-16LE -t UTF-8 FILE >NEW)"

# Columns given as plain text are named, once, unless it is said that they are text.
printf 'ein Haus\ta house\nzwei\ttwo\nthree\n' >pairs.tsv
columns="warning: pairs.tsv: 2 of its first 3 lines have a tab: columns are read as one text ('cut -f1' takes the first; --format plain says that it is text)"
try corpus sentences pairs.tsv
want_err "$columns"
printf '# text = a b\n1\ta\ta\tNOUN\t_\t_\t2\tdep\t_\t_\n2\tb\tb\tNOUN\t_\t_\t0\troot\t_\t_\n\n' >tree.conllu
try corpus sentences tree.conllu
want_err_has "('sed -n \"s/^# text = //p\"' takes CoNLL-U's texts; --format plain says that it is text)"
try corpus sentences --format plain pairs.tsv
want_err ""
try vocab pairs.tsv --out o.txt --quiet
want_err ""
try train --text pairs.tsv --languages en --layers 1 --hidden 16 --heads 2 --ffn 16 --block 16 --updates 1 --vocab-size 60 \
    --eval=false --out columns
want_code 0
[ "$(grep -cF "$columns" .err)" -eq 1 ] || fail "not said once"

# One file for two languages.
cp "$foreign/en.txt" "$foreign/de.txt" .
try diagnose --model "$foreign/xlmr" --text a=en.txt --text b=./en.txt
want_err_has "warning: a and b have one text, ./en.txt: a language is compared with itself"
cp en.txt copy.txt
try diagnose --model "$foreign/xlmr" --text a=en.txt --text b=copy.txt
want_err_has "warning: a and b have one text, copy.txt: a language is compared with itself"
try align ibm2 a a
want_err_has "warning: a and a have one text, so every sentence is its own translation"
tiny="train --layers 1 --hidden 16 --heads 2 --ffn 16 --block 16 --updates 1 --vocab-size 60 --eval=false --out two"
# shellcheck disable=SC2086
try $tiny --languages 'x(text=a); y(text=b)' --files 'a=en.txt; b=en.txt'
want_err_has "warning: languages 'x' and 'y' have one text, en.txt, and it is transformed in neither or alike"
rm -r two
# shellcheck disable=SC2086
try $tiny --text en.txt --languages 'x; y(text=b)' --files 'b=copy.txt'
want_err_has "warning: languages 'x' and 'y' have one text, en.txt, and it is transformed in neither or alike"
try diagnose two --text x=en.txt --text y=copy.txt --json
want_err_has "warning: x and y have one text, copy.txt: a language is compared with itself"
grep -q '"identical"' .out || fail "languages that are alike have one text: no finding"
rm -r two
# shellcheck disable=SC2086
try $tiny --languages 'x(text=a); y(text=b) = tokenize | shift' --files 'a=en.txt; b=en.txt'
want_code 0
! grep -q 'one text' .err || fail "a transform makes two of one text"
try diagnose two --text x=en.txt --text y=copy.txt --json
! grep -qe 'one text' -e '"identical"' .err .out || fail "the model tells them apart"
rm -r two

# Texts that must be parallel and have other numbers of lines: both numbers, before anything is computed.
sed 20q de.txt >short.txt
try align ibm2 en.txt short.txt
want_error 3 "isoglot align ibm2: error: short.txt: found 20 lines, expected 24, as many as en.txt has"
try align ibm2 short.txt en.txt
want_error 3 "isoglot align ibm2: error: en.txt: found 24 lines, expected 20, as many as short.txt has"
# shellcheck disable=SC2086
try $tiny --languages 'x(text=a); y(text=b)' --files 'a=en.txt; b=short.txt' --tlm x-y
want_error 3 "isoglot train: error: short.txt: found 20 lines, expected 24, as many as en.txt has"
# shellcheck disable=SC2086
try $tiny --text en.txt --languages 'x; y(text=b)' --files 'b=short.txt' --tlm x-y
want_error 3 "isoglot train: error: short.txt: found 20 lines, expected 24, as many as en.txt has"
try diagnose --model "$foreign/xlmr" --text a=en.txt --text b=short.txt
want_err_has "warning: en.txt has 24 lines, short.txt 20: they are not taken for translations of each other"
try diagnose --model "$foreign/xlmr" --text a=en.txt --text b=short.txt --unrelated
want_code 0
! grep -q warning .err || fail "said where it was asked for"

# A dump may begin with blanks or comments; a piece of one, other XML and lines of JSON are not text.
dump='<mediawiki xml:lang="en"><page><title>A</title><ns>0</ns><revision><text>A wheel.</text></revision></page></mediawiki>'
printf ' \n<!-- of 2024,\n made here -->\n  %s\n' "$dump" >dump.xml
try corpus sentences dump.xml
want_out "A wheel."
printf '<page><title>A</title></page>\n' >piece.xml
try corpus sentences piece.xml
want_error 3 "isoglot corpus sentences: error: piece.xml:1: found the element 'page', expected 'mediawiki'"
printf '<!-- a -->\n<!DOCTYPE html>\n' >page.html
try corpus sentences page.html
want_error 3 "isoglot corpus sentences: error: page.html:2: declares a document type, which no MediaWiki dump does"
printf '{"text": "a"}\n' >a.jsonl
try corpus sentences a.jsonl
want_err "warning: a.jsonl: its first line is JSON, and is read as a sentence (--format plain says that it is text)"
for names in 'id,text' '"Text";"label"' text,label; do
    printf '%s\r\n1,"a b"\r\n' "$names" >table.csv
    try corpus sentences table.csv
    want_err "warning: table.csv: its first line is names of columns of CSV, and is read as a sentence (--format plain says that it is text)"
done
for line in text 'Text, please.' context,texts ','; do
    printf '%s\n' "$line" >table.csv
    try corpus sentences table.csv
    want_err ""
done
printf '<doc id="1">\nText.\n</doc>\n' >a.wiki
printf '<p>Text.</p>\r\n' >b.wiki
printf '<s> a b\n<3\n' >c.wiki
printf '# a Bible\n01001001 In the beginning\n' >d.wiki
printf '20240101\n' >e.wiki
for file in a b c d e; do
    try corpus sentences $file.wiki
    want_code 0
    case $file in
    c | e) want_err "" ;;
    d) want_err "warning: $file.wiki: its first line is a verse without a tab, and is read as a sentence (--format plain says that it is text)" ;;
    *) want_err "warning: $file.wiki: its first line is markup, and is read as a sentence (--format plain says that it is text)" ;;
    esac
done
printf '<!-- never closed\na\n' >comment.txt
try corpus sentences comment.txt
want_code 0
want_err ""

# Ends of lines of old Macs are refused; a lone one among others is white space.
printf 'one.\rtwo.\r' >mac.txt
try corpus stats mac.txt
want_error 3 "isoglot corpus stats: error: mac.txt:1: found lines that end with a carriage return, expected line feeds (tr '\\r' '\\n' <FILE >NEW)"
printf 'one\rtwo\nthree\r\n' >lone.txt
try corpus sentences lone.txt --whole-lines
want_out "one two
three"

# Input that can be read only once is not read twice: an error instead of an endless wait.
mkfifo pipe
(cat en.txt >pipe &)
try embed glove pipe --min-count 1 --dim 2 --iterations 1 --out pipe.vec --json
want_out_has '"words_read": 1'
(cat en.txt >pipe &)
try align ibm2 pipe en.txt
want_error 2 "isoglot align ibm2: error: pipe: can be read only once, expected a file: it is read twice"
(cat en.txt >pipe &)
# shellcheck disable=SC2086
try $tiny --text pipe --languages x
want_error 2 "isoglot train: error: pipe: can be read only once, expected a file: it is read twice"
code=0
# shellcheck disable=SC2034,SC2094  # code is of lib.sh; .out and .err are other files
"$isoglot" align ibm2 - en.txt <en.txt >.out 2>.err || code=$?
want_error 2 "isoglot align ibm2: error: standard input: can be read only once, expected a file: it is read twice"
