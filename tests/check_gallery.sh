#!/bin/sh
# docs/gallery is what the program makes of the results in this repository: the page byte for byte; of the figures all
# numbers, as places and where names are cut depend on the fonts of the machine.
set -eu
program=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
numbers() {
    grep -oE '>[-−+.0-9 %]+</text>' "$1" || true
}
sh "$source/tools/gallery.sh" "$program" "$work/new" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
[ "$(ls "$work/new")" = "$(ls "$source/docs/gallery")" ] || { echo "other files than docs/gallery has"; exit 1; }
cmp "$work/new/README.md" "$source/docs/gallery/README.md"
for f in "$work"/new/*.svg; do
    numbers "$f" >"$work/a"
    numbers "$source/docs/gallery/$(basename "$f")" >"$work/b"
    [ -s "$work/a" ] || { echo "$f has no numbers"; exit 1; }
    cmp "$work/a" "$work/b" || { echo "$(basename "$f"): tools/gallery.sh makes another"; exit 1; }
done
