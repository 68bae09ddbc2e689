#!/bin/sh
# Help, version, exit codes.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

try --version
want_code 0
want_err ""
grep -qE '^isoglot [0-9]+\.[0-9]+\.[0-9]+$' .out || fail "no version"

try help
want_code 0
want_out_has "Usage: isoglot COMMAND"
cp .out overview
try --help
want_code 0
cmp -s .out overview || fail "--help is not help"
try -h
cmp -s .out overview || fail "-h is not help"

# Every command of the overview has a help of its own, twice the same.
sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\( [a-z]*\)\{0,1\}\)  .*/\1/p' overview >commands
[ -s commands ] || fail "no commands in the overview"
while read -r command; do
    # shellcheck disable=SC2086  # a command may be two words
    try help $command
    want_code 0
    want_out_has "Usage: isoglot $command"
    want_out_has "Common options:"
    want_err ""
    cp .out first
    # shellcheck disable=SC2086
    try $command --help
    want_code 0
    cmp -s .out first || fail "--help differs from help"
done <commands

# Help of train has the options that are used most; all of them are there for who asks.
try help train
n=$(grep -c '^  \(-., \)\{0,1\}--' .out)
[ "$n" -le 30 ] || fail "$n options"
want_out_has "'isoglot help train all' lists all"
try help train all
want_code 0
[ "$(grep -c '^  \(-., \)\{0,1\}--' .out)" -gt 100 ] || fail "not all options"
cp .out first
try train --help all
want_code 0
cmp -s .out first || fail "--help all differs from help train all"

# The first word of several commands alone lists these.
try help embed
want_code 0
want_out_has "  embed word2vec "
grep -q 'corpus world' .out && fail "help of embed lists another group"
cp .out group
try embed --help
want_code 0
cmp -s .out group || fail "embed --help is not help embed"
try embed
want_code 2
want_out ""

try help measures
want_code 0
for word in alignment retrieval translation perplexity words spaces distinct rho_at_5 tau_mapped mu_distinct; do
    want_out_has "$word"
done

try help exit-codes
want_code 0
want_out "0  OK        success
2  USAGE     bad command line or configuration
3  INPUT     malformed or inconsistent input data
4  IO        file or system error
5  MEMORY    not enough memory
6  NUMERIC   non-finite value or divergence
7  DEVICE    accelerator error
8  STOPPED   stopped early, can be resumed"
