#!/bin/sh
# tools/check_names.py finds a file that is named and not there, in a comment and in a page, and nothing else:
# check_names_catches.sh SOURCE PYTHON
# shellcheck disable=SC2016  # backquotes of Markdown
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git init -q "$work"
mkdir "$work/src" "$work/docs"
cat >"$work/src/a.c" <<'END'
/* Follows b.c and src/a.c; heads are in x_NAME.c, cmd_NAME.c. */
#include "GONE.h" /* an include is the compiler's */
END
printf '/* empty */\n' >"$work/src/b.c"
printf 'Read `src/b.c`.\n\n```c src/new.c\n/* gone.c */\n```\n' >"$work/docs/page.md"
check() { "$2" "$1/tools/check_names.py" "$work"; }
check "$@" || { echo "a tree without faults is refused"; exit 1; }
for fault in src/c.h:'/* See gone.c. */' src/d.c:'int x; // as other/b.c' docs/q.md:'`gone.py` does it.' e.sh:'# as gone.sh'; do
    file=${fault%%:*}
    printf '%s\n' "${fault#*:}" >"$work/$file"
    if check "$@" >"$work/out"; then echo "$file: not found: ${fault#*:}"; exit 1; fi
    grep -q "^$file:1: " "$work/out" || { cat "$work/out"; exit 1; }
    rm "$work/$file"
done
