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
