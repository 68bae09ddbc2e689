#!/bin/sh
# docs/replication is the page that the experiments and the results beside them give: check_replication.sh ISOGLOT SOURCE FOLDER
old=$(grep -rl --include='*.jsonl' '"isoglot_results":1' "$2/experiments") && {
    echo "$old: results of version 1: isoglot export FILE --curves --all -o NEW" >&2
    exit 1
}
rm -rf "$3" && mkdir -p "$3/docs" && ln -s "$2/experiments" "$3/experiments" &&
    ln -s "$2/docs/gallery" "$3/docs/gallery" && cd "$3" || exit 1
"$1" report experiments --html docs/replication -q || exit 1
if grep -qE '\[nan|>[+-]?(nan|inf)<' docs/replication/index.html; then
    echo "docs/replication prints a number that is none" >&2
    exit 1
fi
cmp docs/replication/index.html "$2/docs/replication/index.html" && exit 0
echo "docs/replication is another page than the results give: isoglot report experiments --html docs/replication" >&2
exit 1
