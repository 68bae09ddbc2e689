#!/bin/sh
# isoglot fetch: the list, entries of one's own from files of this machine, what it says to mistakes.
# (Servers: tests/fetch/test_download.c, tests/fetch/test_fetch.c.)
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
unset ISOGLOT_DATA XDG_DATA_HOME
export HOME="$work/home"

try fetch
want_error 2 "isoglot fetch: error: found no name, expected at least one" \
    "isoglot fetch --list shows what there is"
try fetch bible-eng-kvj
want_error 2 "isoglot fetch: error: the catalogue has no 'bible-eng-kvj'" \
    "did you mean 'bible-eng-kjv'? isoglot fetch --list shows what there is"
try fetch 'nothing*' --list
want_code 2
try fetch --list 'muse-en-d*'
want_out "  muse-en-de                   ~317 kB  MUSE dictionary en-de, training and test part (CC BY-NC 4.0)

* is there, in $work/home/.local/share/isoglot. Sizes are of the downloads"
try fetch --list
want_code 0
! grep -q 'not known' .out || fail "an entry without a size: $(grep 'not known' .out)"
try fetch --list xnli
want_out_has "  17.9 MB  "
try fetch --list --json
want_code 0
for part in '"name": "xnli"' '"sha256": null' '"size": null' '"there": false' '"licence": "public domain"' \
    '"url": "https://ebible.org/Scriptures/engBBE_vpl.zip"' '"bible/eng-bbe.tsv.zst"'; do
    want_out_has "$part"
done
[ ! -e home ] || fail "a list made folders"

printf 'GEN 1:1 In the beginning\nJOH 3:16 For\n' >source.txt
cat >own.yaml <<END
entries:
  - name: own
    about: a Bible of mine
    licence: CC0
    url: file://$work/source.txt
    convert: vpl
    to: bible/own.tsv
  - {name: gone, about: not there, licence: CC0, url: "file://$work/gone", convert: copy, to: gone}
END
try fetch own --catalogue own.yaml --data d
want_code 0
want_out "d/bible/own.tsv  2 lines"
want_err "own: the SHA-256 of 1 file is not in the catalogue; taken as it came, recorded in d/fetched/own.json and expected from now on"
[ "$(cat d/bible/own.tsv)" = "01001001	In the beginning
43003016	For" ] || fail "other verses"
gzip -n <source.txt >source.gz
cat >copies.yaml <<END
entries:
  - {name: packed, about: a, licence: CC0, url: "file://$work/source.gz", convert: copy, to: copies/source.gz}
END
try fetch packed --catalogue copies.yaml --data d -q
want_code 0
want_out "d/copies/source.gz"
cmp -s source.gz d/copies/source.gz || fail "a copy that differs"
try fetch packed --catalogue copies.yaml --data d -q --json
! grep -q '"lines"' .out || fail "lines of a copy"
ISOGLOT_DATA=d
export ISOGLOT_DATA
try fetch own --catalogue own.yaml --quiet
want_code 0
want_out "d/bible/own.tsv  2 lines  (was there)"
try fetch --list own --catalogue own.yaml
want_out_has "* own                        not known  a Bible of mine (CC0)"
printf 'changed\n' >source.txt
try fetch own --catalogue own.yaml --force -q
want_code 3
want_out ""
grep -q 'has SHA-256 [0-9a-f]\{64\}, expected [0-9a-f]\{64\} (' .err || fail "no word on the two SHA-256"
grep -q '(it is not the file of the first fetch; if that is right, remove d/fetched/own.json' .err || fail "no hint"
[ "$(wc -l <d/bible/own.tsv)" -eq 2 ] || fail "what was there is gone"
try fetch gone --catalogue own.yaml
want_code 4
[ ! -e d/gone ] || fail "something came of nothing"
try fetch own --catalogue nothere.yaml
want_code 4
sed 's/convert: vpl/convert: vlp/' own.yaml >bad.yaml
try fetch own --catalogue bad.yaml
want_error 2 "isoglot fetch: error: bad.yaml:6: convert: found 'vlp', expected copy, text, vpl, vref, paste or nli" \
    "did you mean 'vpl'?"
try fetch own --catalogue own.yaml --data ''
want_code 2
try fetch own --limit 0
want_code 2
