#!/bin/sh
# Every claim of the experiments holds on the numbers that its paper prints, in the file as it is and in each variant that has
# results beside it, and none is vacuous: check_claims.sh ISOGLOT SOURCE
cd "$2" || exit 1
bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check() { # FILE VARIANTS
    "$1" claims --on-paper "$2" ${3:+--variant "$3"} --quiet >/dev/null || bad=1
}
for file in experiments/*/*.yaml experiments/*/*/*.yaml; do
    grep -qE '^(claims|extends):' "$file" || continue
    check "$1" "$file" ""
    name=$(basename "$file" .yaml)
    cat "$(dirname "$file")"/results/*.jsonl 2>/dev/null |
        sed -n "s/.*\"experiment\":\"$name:\([^;\"]*\).*/\1/p" | sort -u >"$work/variants"
    while read -r variants; do
        check "$1" "$file" "$variants"
    done <"$work/variants"
done
exit $bad
