#!/bin/sh
# Files whose functions call each other in a circle: none can be understood, tested or moved without the others. Reads the
# symbols of the built library. A table that lists its members (transforms, commands) is data and makes no circle.
# Prints the files of each circle and fails when there is one. Usage: tools/check_cycles.sh LIBRARY.a
set -eu
nm -A "$1" 2>/dev/null | awk '
{
    split($1, part, ":")
    file = part[2]
    sub(/\.o$/, "", file)
    kind = $(NF - 1)
    name = $NF
}
kind == "T" { home[name] = file }
kind == "U" { needs[file, name] = 1 }
END {
    for (key in needs) {
        split(key, part, SUBSEP)
        if (part[2] in home && home[part[2]] != part[1])
            print part[1], home[part[2]]
    }
}' | LC_ALL=C sort -u | tsort 2>&1 >/dev/null | sed -n 's/.*input contains a loop.*/functions that call each other in a circle:/p; t; s/^tsort: /  /p' | {
    found=$(cat)
    [ -z "$found" ] || { echo "$found"; exit 1; }
}
