#!/bin/sh
# docs/gallery is what the program makes of the results in this repository, byte for byte.
set -eu
program=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh "$source/tools/gallery.sh" "$program" "$work/new" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
diff -r "$work/new" "$source/docs/gallery" >"$work/log" || {
    cut -c 1-200 "$work/log" | head -20
    echo "tools/gallery.sh makes another docs/gallery"
    exit 1
}
# One of the figures of the project's README is the one that its command draws; all are of docs/gallery.
cd "$source"
# shellcheck disable=SC2016  # a backquote of Markdown
command=$(tr '\n' ' ' <README.md | sed -n 's/.*Drawn by `isoglot \([^`]*\) --figures DIR`.*/\1/p')
[ -n "$command" ] || { echo "README.md does not say what draws its figure"; exit 1; }
# shellcheck disable=SC2086  # several words
"$program" $command --figures "$work/figures" --quiet >"$work/log" || { cat "$work/log"; exit 1; }
figures=$(sed -n 's/^!\[.*\](\(.*\.svg\))$/\1/p' README.md)
for drawn in "$work"/figures/*.svg; do
    for figure in $figures; do
        if cmp -s "$drawn" "$figure"; then exit 0; fi
    done
done
echo "README.md: none of its figures ($figures) is what $command draws"
exit 1
