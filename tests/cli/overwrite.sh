#!/bin/sh
# No command replaces a file that isoglot did not write, or that was changed since; its own it does. "-" is standard output.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
foreign=$(cd "$docs/../tests/data/foreign" && pwd)
head -12 "$foreign/en.txt" >a.txt
head -12 "$foreign/de.txt" >b.txt
paste a.txt b.txt >both.tsv
awk 'BEGIN { srand(3); print 30, 8; for (i = 0; i < 30; i++) { printf "w%d", i; for (k = 0; k < 8; k++) printf " %.4f", rand() - .5; print "" } }' >v.vec
awk 'BEGIN { for (i = 0; i < 20; i++) print "w" i "\tw" i }' >d.txt
kept="found a file that isoglot did not write, or that was changed"
hint="another name keeps it; --overwrite replaces it"

# Each line: a file that the command writes, and the command; OUT is where the user asks it to write.
commands() {
    cat <<'END'
o vocab a.txt --size 60 --out OUT/o
o.json vocab a.txt --size 60 --out OUT/o.json
o corpus sentences a.txt --out OUT/o
fake.txt corpus transform a.txt --words codepoints --out OUT --name fake
text-fake.dict corpus transform a.txt --words codepoints --out OUT --name fake
eng.txt corpus world --languages eng;x:SOV --sentences 5 --out OUT
tags/TASK.yaml corpus world --languages eng;x:SOV --sentences 5 --tasks tags --task-train 10 --task-dev 5 --task-test 5 --out OUT
o align ibm2 both.tsv --out OUT/o
o align words --model LABSE both.tsv --out OUT/o
o bli v.vec v.vec --dictionary d.txt --answers OUT/o
o map v.vec v.vec --mode identical --out-source OUT/o
o map v.vec v.vec --mode identical --out-target OUT/o
o map v.vec v.vec --mode identical --save-map OUT/o
o embed word2vec a.txt --dim 4 --min-count 1 --epochs 1 --out OUT/o
o embed glove a.txt --dim 4 --min-count 1 --out OUT/o
o embed fasttext a.txt --dim 4 --min-count 1 --epochs 1 --bucket 10 --out OUT/o
s embed fasttext a.txt --dim 4 --min-count 1 --epochs 1 --bucket 10 --out OUT/o --save OUT/s
o embed contextual --model LABSE a.txt --out OUT/o
o means --model LABSE --text en=a.txt --out OUT/o
o.svg similarity LABSE --text en=a.txt --text de=b.txt --figure OUT/o.svg
index.html diagnose LABSE --text en=a.txt --text de=b.txt --html OUT
o.svg figure vectors v.vec v.vec --dictionary d.txt --out OUT/o.svg
END
}
try vocab a.txt --size 60 --quiet
cp .out vocab.txt
commands >list
while read -r file words; do
    command=$(echo "$words" | sed "s|LABSE|$foreign/labse|g; s|OUT|out|g")
    rm -rf out && mkdir -p "out/$(dirname "$file")"
    echo "somebody's" >"out/$file"
    # shellcheck disable=SC2086
    try $command --threads 1
    if [ "$code" -eq 2 ] && grep -q "unknown option '--threads'" .err; then
        threads=
        # shellcheck disable=SC2086
        try $command
    else
        threads="--threads 1"
    fi
    want_error 4 "isoglot $(sed 's/^isoglot \(.*\): error:.*/\1/' .err): error: out/$file: $kept" "$hint"
    [ "$(cat "out/$file")" = "somebody's" ] || fail "out/$file was replaced"
    # shellcheck disable=SC2086
    try $command $threads --overwrite
    want_code 0
    [ "$(cat "out/$file")" != "somebody's" ] || fail "out/$file was not replaced"
    # shellcheck disable=SC2086
    try $command $threads
    want_code 0
    echo >>"out/$file"
    # shellcheck disable=SC2086
    try $command $threads
    want_code 4
done <list
# shellcheck disable=SC2010  # names of our own
ls -A out | grep -q tmp && fail "something is left: $(ls -A out)"

mkdir other && echo "somebody's" >other/x.txt
try corpus world --languages 'eng;x:SOV' --sentences 5 --out other
want_error 4 "isoglot corpus world: error: other/x.txt: $kept" "$hint"
[ "$(ls other)" = x.txt ] || fail "a part of a world: $(ls other)"

# Without a mark nothing is known of a file but that a page says who made it.
cp out/o.svg copy.svg
try figure vectors v.vec v.vec --dictionary d.txt --out copy.svg
want_error 4 "isoglot figure: error: copy.svg: $kept" "$hint"
: >empty.svg
try figure vectors v.vec v.vec --dictionary d.txt --out empty.svg
want_code 0
try figure vectors v.vec v.vec --dictionary d.txt --out empty.svg
want_code 0
ln -s a.txt link.svg
try figure vectors v.vec v.vec --dictionary d.txt --out link.svg
want_error 4 "isoglot figure: error: link.svg: $kept" "$hint"
try diagnose "$foreign/labse" --text en=a.txt --text de=b.txt --html page
want_code 0
mkdir copied && cp page/index.html copied/
try diagnose "$foreign/labse" --text en=a.txt --text de=b.txt --html copied
want_code 0

# "-": the same bytes on standard output, and nothing else.
grep -v 'transform\|world\|--html\|--save \|o.json' list | sed 's/^[^ ]* //' >list.file
while read -r words; do
    command=$(echo "$words" | sed "s|LABSE|$foreign/labse|g")
    suffix=$(echo "$command" | sed -n 's/.*OUT\/o\(\.[a-z]*\)$/\1/p')
    rm -rf out && mkdir out
    # shellcheck disable=SC2086
    # shellcheck disable=SC2046  # a command of words
    "$isoglot" $(echo "$command" | sed "s|OUT/o[.a-z]*|-|") >printed 2>.err || fail "$command: $?"
    # shellcheck disable=SC2086
    # shellcheck disable=SC2046
    try $(echo "$command" | sed "s|OUT|out|g")
    want_code 0
    cmp printed "out/o$suffix" || fail "$command: standard output is not the file"
done <list.file
