#!/bin/sh
# tools/check_cycles.sh must pass a chain of calls and a table, and fail on a circle.
set -eu
root=$1 cc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

library() { # SOURCE…: an archive of these
    rm -f ./*.o lib.a
    for f in "$@"; do "$cc" -c "$f.c" -o "$f.c.o"; done
    ar rc lib.a ./*.o
}

echo 'int low(void); int low(void) { return 1; }' >low.c
echo 'int low(void); int middle(void); int middle(void) { return low(); }' >middle.c
echo 'extern int (*const table[1])(void); int member(void); int (*const table[1])(void) = {member};' >table.c
echo 'extern int (*const table[1])(void); int member(void); int member(void) { return table[0] != 0; }' >member.c
library low middle table member
sh "$root/tools/check_cycles.sh" lib.a || { echo "a chain and a table are called a circle"; exit 1; }

echo 'int middle(void); int low(void); int low(void) { return middle(); }' >low.c
library low middle
if out=$(sh "$root/tools/check_cycles.sh" lib.a); then
    echo "a circle is not caught"
    exit 1
fi
case $out in
*low*middle* | *middle*low*) ;;
*)
    echo "found '$out', expected both files of the circle"
    exit 1
    ;;
esac
