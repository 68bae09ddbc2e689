# Sourced by the tests of the program: `try` runs it in an empty folder, `want_*` compare. The first
# argument of a test is the program.
# shellcheck shell=sh
set -eu
isoglot=$1
docs=$(cd "$(dirname "$0")/../../docs" && pwd)
work=$(mktemp -d)
not_run=
leave() {
    status=$?
    rm -rf "$work"
    if [ "$status" -eq 0 ] && [ -n "$not_run" ]; then status=77; fi
    exit "$status"
}
trap leave EXIT
cd "$work"
export XDG_CACHE_HOME="$work/.cache"

# Says why a check, or a part of one, cannot run on this machine; the test goes on, and ends with 77 when nothing fails, which
# CTest reports as skipped.
skip_here() { # WHY
    echo "skipped: $*"
    not_run=yes
}

fail() {
    echo "after: isoglot $tried"
    echo "$*"
    echo "--- stdout"
    cat "$work/.out"
    echo "--- stderr"
    cat "$work/.err"
    exit 1
}

try() { # ARGUMENTS: runs the program; its exit code is in $code
    tried=$*
    code=0
    "$isoglot" "$@" >"$work/.out" 2>"$work/.err" </dev/null || code=$?
}

want_code() { [ "$code" -eq "$1" ] || fail "exit code $code, expected $1"; }

want_out() { # TEXT: all of standard output
    [ "$(cat "$work/.out")" = "$1" ] || fail "standard output differs, expected '$1'"
}

want_err() { # TEXT: all of standard error
    [ "$(cat "$work/.err")" = "$1" ] || fail "standard error differs, expected '$1'"
}

want_out_has() { grep -qF -e "$1" "$work/.out" || fail "standard output lacks '$1'"; }

want_err_has() { grep -qF -e "$1" "$work/.err" || fail "standard error lacks '$1'"; }

# The rows of measures as JSON, one a line: "measure":"rho","split":"dev",…,"value":0.5
rows_of() { # FILE
    { tr -d '\n ' <"$1"; echo; } | tr '{' '\n' | sed -n 's/^\("measure":[^}]*\)}.*/\1/p'
}

# The values of a measure in them, to 8 digits.
values_of() { # MEASURE FILE
    rows_of "$2" | grep "^\"measure\":\"$1\"," | sed 's/.*"value":\(.\{1,10\}\).*/\1/'
}

# Each key of the JSON object that was printed stands in the document as `key`; of its settings, which
# are the options, none.
want_keys_in() { # DOCUMENT of docs/
    keys=$(sed '/^  "settings": {/,/^  }/{/^    /d;}' "$work/.out" | sed -n 's/^ *"\([^"]*\)": .*/\1/p' | sort -u)
    [ -n "$keys" ] || fail "no keys"
    for key in $keys; do
        grep -qF "\`$key\`" "$docs/$1" || fail "docs/$1 does not tell what '$key' is"
    done
}

# An error is one line on stderr (the hint in it, where given), an exit code, and no result.
want_error() { # CODE LINE [HINT]
    want_code "$1"
    if [ $# -gt 2 ]; then
        want_err "$2 ($3)"
    else
        want_err "$2"
    fi
    [ ! -s "$work/.out" ] || fail "an error, but something on standard output"
}
