#!/bin/sh
# A result that cannot be written is an error.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

[ -c /dev/full ] || { skip_here "no /dev/full"; exit 0; }
for arguments in "help" "--version" "help --man" "help --completion bash"; do
    tried="$arguments > /dev/full"
    code=0
    # shellcheck disable=SC2086
    "$isoglot" $arguments >/dev/full 2>.err || code=$?
    : >.out
    want_code 4
    grep -qF "error: standard output: cannot write: " .err || fail "no such message"
    [ "$(wc -l <.err)" -eq 1 ] || fail "more than a line"
done
