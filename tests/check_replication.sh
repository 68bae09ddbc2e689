#!/bin/sh
# docs/replication is the page that the experiments and the results beside them give: check_replication.sh ISOGLOT FOLDER
rm -rf "$2"
"$1" report experiments --html "$2" -q || exit 1
cmp "$2/index.html" docs/replication/index.html && exit 0
echo "docs/replication is another page than the results give: isoglot report experiments --html docs/replication" >&2
exit 1
