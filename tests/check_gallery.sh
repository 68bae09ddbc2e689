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
