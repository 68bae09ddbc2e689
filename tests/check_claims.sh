#!/bin/sh
# Every claim of the experiments holds on the numbers that its paper prints, in the file as it is and in each variant that has
# results beside it, and none is vacuous; looks are counted: check_claims.sh ISOGLOT SOURCE
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
# A claim that says that seeds were added to it counts its looks.
"$1" claims experiments --json --quiet >"$work/claims.json" || bad=1
awk '/"after":/ { after = $0 } /"looks": 1,/ && after ~ /seeds.* after .*(had left|has left|after those|seen)|left it undecided/ {
    print "found seeds added after a look, expected looks: " after; bad = 1 } END { exit bad }' "$work/claims.json" || bad=1
exit $bad
