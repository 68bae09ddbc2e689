#!/bin/sh
# isoglot vocab overlap: vocabularies and texts, counted by hand.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

special='[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n'
# shellcheck disable=SC2059
{
    printf "${special}a\nb\nc\n##x\n" >one.txt
    printf "${special}b\nc\nd\nx\n##x\nc\n" >two.txt
    printf "${special}a\nb\nc\nd\n" >joint.txt
}
# {a b c ##x} and {b c d x ##x}: three of six.
try vocab overlap one.txt two.txt --json
want_code 0
want_out_has '"shared": 3'
want_out_has '"jaccard": 0.5'
want_out_has '"share_a": 0.75'
want_out_has '"share_b": 0.6'
grep -q tokens .out && fail "tokens of a vocabulary"

# a a b ? and b b b d: of three and four tokens that are no [UNK], one and three are b.
printf 'a a b z\n' >en.txt
printf 'b b b d\n' >es.txt
try vocab overlap en.txt es.txt --vocab joint.txt --json
want_code 0
want_out_has '"shared": 1'
want_out_has '"tokens_a": 0.33333333'
want_out_has '"tokens_b": 0.75'
want_out_has '"tokens": 3'
try vocab overlap en.txt es.txt en.txt --vocab joint.txt
want_code 0
[ "$(grep -c 'en\.txt' .out)" -eq 3 ] || fail "three pairs of three files"
printf 'z\n' >none.txt
try vocab overlap en.txt none.txt --vocab joint.txt --json
want_code 0
want_out_has '"share_b": null'

try vocab overlap one.txt
want_code 2
try vocab overlap one.txt missing.txt
want_error 4 "isoglot vocab overlap: error: missing.txt: cannot open: No such file or directory"
try vocab en.txt --size 20 --out v.txt
want_code 0
