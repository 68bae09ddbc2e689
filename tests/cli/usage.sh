#!/bin/sh
# Mistakes on the command line: one line, the nearest match, exit code 2.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

try
want_code 0
want_out_has "Usage: isoglot COMMAND"
hint() { # HINT WORDS
    hint=$1
    shift
    try "$@"
    want_code 2
    want_err_has "($hint)"
}
hint "did you mean 'isoglot train'?" trane
hint "did you mean 'isoglot train'?" help trane
hint "did you mean 'isoglot help measures'?" help measure
hint "isoglot --version, isoglot info" version
try hlep
want_error 2 "isoglot: error: unknown command 'hlep'" "did you mean 'isoglot help'?"
try zzzzzzz
want_error 2 "isoglot: error: unknown command 'zzzzzzz'" \
    "'isoglot --help' lists the commands"
for line in "bench train" "help bench"; do
    # shellcheck disable=SC2086  # words of a command line
    try $line
    want_code 2
    grep -q "unknown command 'bench.*' (benchmarks are a program of their own: build/isoglot-bench)" .err || fail "no hint"
done
try help align words alll
want_error 2 "isoglot help: error: found 'alll' after 'align words', expected nothing or 'all'" \
    "'isoglot help align words all' describes every option"
try help hlep
want_error 2 "isoglot help: error: unknown command 'hlep'" \
    "did you mean 'isoglot help'?"
try --versoin
want_code 2
try help --completoin bash
want_error 2 "isoglot help: error: unknown option '--completoin'" \
    "did you mean '--completion'?"
try help --completion bsh
want_error 2 "isoglot help: error: --completion: found 'bsh', expected one of none, bash, zsh, fish" \
    "did you mean 'bash'?"
# The letters, too: offered, and followed by the names or files of their long form. The scripts ask
# the program that is called isoglot.
mkdir bin
ln -s "$isoglot" bin/isoglot
PATH=$PWD/bin:$PATH
if command -v bash >/dev/null; then
    "$isoglot" help --completion bash >completion
    # shellcheck disable=SC2016 # what bash reads
    bash -c '
        . ./completion
        complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _isoglot; echo "${COMPREPLY[*]}"; }
        complete_words isoglot corpus sentences -o
        complete_words isoglot corpus sentences v.tsv -o comple
        complete_words isoglot corpus world -q
        complete_words isoglot run x.yaml -j ""
        complete_words isoglot vocab ov
        complete_words isoglot corpus ""
        complete_words isoglot train --precision=f
        ' >offered 2>&1
    [ "$(cat offered)" = "-o
completion
-q

overlap
sentences stats transform world
--precision=float32 --precision=f32" ] || fail "bash offers: $(cat offered)"
else
    skip_here "no bash for its completions"
fi
try __complete corpus sentences -o
want_out "-o	write there instead of to standard output"
try __complete corpus sentences -o x
want_out ":file"
printf 'variants: {short: {}, longer: {}}\n' >v.yaml
try __complete run v.yaml --variant "lo"
want_out "longer	"
try __complete run -V "short,l"
want_out ""
try __complete run v.yaml -V "short,l"
want_out "short,longer	"
try __complete fetch bible-eng-b
want_out_has "bible-eng-bbe	"
try __complete help fine
want_out_has "finetune	"
try __complete help --completion "fi"
want_out "fish	"
try help --completion zsh
if command -v zsh >/dev/null 2>&1; then
    zsh -n .out || fail "zsh does not read its completions"
else
    skip_here "no zsh for its completions"
fi
try help --completion fish
if command -v fish >/dev/null 2>&1; then
    fish -c 'source .out; complete -C "isoglot ru"; complete -C "isoglot run --jo"; complete -C "isoglot train --precision f"' |
        cut -f 1 | sort >offered
    [ "$(cat offered)" = "--jobs
f32
float32
run" ] || fail "fish offers: $(cat offered)"
else
    skip_here "no fish for its completions"
fi
try help --completion
want_error 2 "isoglot help: error: --completion: found nothing, expected one of none, bash, zsh, fish"
try help --man --no-man
want_error 2 "isoglot help: error: --man: found twice, expected once"
try help --man=maybe
want_error 2 "isoglot help: error: --man: found 'maybe', expected true or false"
try help -x
want_error 2 "isoglot help: error: unknown option '-x'"
try help one two three four
want_error 2 "isoglot help: error: found 4 arguments, expected at most 3" \
    "usage: isoglot help [OPTIONS] [COMMAND [all] | exit-codes | measures]"
# A message is one line, whatever it quotes.
try "he
lp"
want_error 2 "isoglot: error: unknown command 'he?lp'" "did you mean 'isoglot help'?"

# "-" is standard input or output, and no folder.
try train --text a.txt --languages en --out -
want_error 2 "isoglot train: error: --out: found '-', expected a folder"
try corpus world --out -
want_error 2 "isoglot corpus world: error: --out: found '-', expected a folder"
try report e.yaml --html -
want_error 2 "isoglot report: error: --html: found '-', expected a folder"

# The name of an option in the version before is understood, with a notice.
printf 'a b\nc d\n' >two.txt
try corpus transform two.txt --words invert --count 1
want_code 0
want_err_has "--count is called --take now; the old name goes in the next version"
cp .out old.out
try corpus transform two.txt --words invert --take 1
want_code 0
cmp -s .out old.out || fail "another output by the new name"
for both in 'align order l.txt --variant paper-code/align order l.txt --definition paper-code' \
    'vocab --model words --size 8 two.txt/vocab --vocab-model words --size 8 two.txt' \
    'corpus transform two.txt --words invert --from 2 --take 1/corpus transform two.txt --words invert --start 2 --take 1'; do
    echo "0-0 1-1" >l.txt
    # shellcheck disable=SC2086
    try ${both%%/*}
    want_code 0
    want_err_has "; the old name goes in the next version"
    cp .out old.out
    # shellcheck disable=SC2086
    try ${both#*/}
    want_code 0
    want_err ""
    cmp -s .out old.out || fail "another output by the new name of $both"
done
# So are keys of files, which may extend one with the new names.
cat >new.yaml <<'END'
base: {world: demo, world_sentences: 40, dev_take: 20, vocab_size: 80, preset: bert-tiny, updates: 2}
measure: {take: 20, curve_take: 10}
tasks: {pos: {world: tags, definition: paper-code}}
report: {figures: [{name: tokens, kind: tokens, take: 5}]}
END
sed 's/curve_take/curve_max_sentences/; s/{take/{max_sentences/; s/definition/as/; s/, take: 5/, count: 5/' new.yaml >old.yaml
printf 'extends: new.yaml\nmeasure: {max_sentences: 20}\n' >child.yaml
try run new.yaml --dry-run --json --store none
want_code 0
settings() { grep -vE '"(name|file|memory_bytes|shapes_untimed|[a-z_]*seconds)":' .out; }
settings >new.out
grep -q '"curve_take\|"curve_max_sentences": 10' new.out || fail "no settings"
for old in old child; do
    try run $old.yaml --dry-run --json --store none
    want_code 0
    want_err_has "$old.yaml:2: max_sentences is called take now; the old name goes in the next version"
    settings | cmp -s - new.out || fail "$old.yaml is another experiment"
done
printf 'extends: new.yaml\nmeasure: {max_sentences: 20, take: 10}\n' >both.yaml
try run both.yaml --dry-run --store none
want_error 2 "isoglot run: error: both.yaml:2: max_sentences: is the old name of take, which is there, too (line 2)"
cat >keys.yaml <<'END'
as: paper-text
task: nowhere.yaml
model: nowhere
END
try finetune --config keys.yaml --out tuned
want_err_has "keys.yaml:1: as is called definition now; the old name goes in the next version"
