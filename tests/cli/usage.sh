#!/bin/sh
# Mistakes on the command line: one line, the nearest match, exit code 2.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

try
want_error 2 "isoglot: error: found no command, expected one" \
    "'isoglot help' lists the commands"
try hlep
want_error 2 "isoglot: error: unknown command 'hlep'" "did you mean 'isoglot help'?"
try zzzzzzz
want_error 2 "isoglot: error: unknown command 'zzzzzzz'" \
    "'isoglot help' lists the commands"
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
try help --completion
want_error 2 "isoglot help: error: --completion: found nothing, expected one of none, bash, zsh, fish"
try help --man --no-man
want_error 2 "isoglot help: error: --man: found twice, expected once"
try help --man=maybe
want_error 2 "isoglot help: error: --man: found 'maybe', expected true or false"
try help -x
want_error 2 "isoglot help: error: unknown option '-x'"
try help one two three
want_error 2 "isoglot help: error: found 3 arguments, expected at most 2" \
    "usage: isoglot help [OPTIONS] [COMMAND | exit-codes | measures]"
# A message is one line, whatever it quotes.
try "he
lp"
want_error 2 "isoglot: error: unknown command 'he?lp'" "did you mean 'isoglot help'?"
