#!/bin/sh
# Every relative link of a Markdown file leads to a file; text in backquotes and escaped brackets are none. A line of a page of
# docs/ has at most 120 characters, a README of an experiment 1 500 words, tables included. Usage: tools/check_links.sh [ROOT]
set -eu
cd "${1:-$(dirname "$0")/..}"
status=0
for file in *.md docs/*.md tests/*/*.md experiments/*.md experiments/*/*.md bench/*.md; do
    [ -f "$file" ] || continue
    # shellcheck disable=SC2013  # the pattern lets no blank through
    for target in $(awk '/^ *```/ { code = !code; next } !code { gsub(/`[^`]*`/, ""); gsub(/\\./, ""); print }' "$file" |
        grep -oE '\]\([^)#: ]+[)#]' | sed 's/^](//; s/[)#]$//'); do
        [ -e "$(dirname "$file")/$target" ] || {
            echo "$file: link to $target, which is not there"
            status=1
        }
    done
done
for file in docs/*.md; do
    [ -f "$file" ] || continue
    # In characters, whatever the locale: bytes that continue one are left out.
    LC_ALL=C awk -v file="$file" '
{ line = $0; gsub(/[\200-\277]/, "", line) }
length(line) > 120 { print file ":" FNR ": found " length(line) " characters, expected at most 120"; long = 1 }
END { exit long }' "$file" || status=1
done
for file in experiments/*/README.md experiments/*/*/README.md; do
    [ -f "$file" ] || continue
    words=$(wc -w <"$file")
    [ "$words" -le 1500 ] || {
        echo "$file: found $words words, expected at most 1500"
        status=1
    }
done
exit $status
