#!/bin/sh
# The include direction of the tree (docs/architecture.md), and what goes with it:
#   * a file includes only headers of its own layer and of the layers below it;
#   * rooms, the folders of a layer, include each other in one direction only;
#   * a .c file includes its own header first;
#   * a room has at most 25 files, a file at most 600 lines, and no two files of src/ have one name;
#   * a layer has a README.md of at most 15 lines that names its rooms and says what it may include;
#   * tests mirror the tree: test_X.c or test_threads_X.c of a file X.c lies in its folder below tests/, and a folder of
#     tests/ is one of src/ (but bits, data, fuzz, mutate, python, which are of no room);
#   * only base/number_text.c calls strtod and its like;
#   * only cli/, base/log.c and base/assert.c print, exit or abort (a forked child that cannot exec may _exit).
# Prints one line per offence and fails when there is one. Usage: tools/check_layers.sh [ROOT]
set -eu
cd "${1:-$(dirname "$0")/..}"

files=$(find src include bench -name '*.[ch]' -o -name '*.inc' 2>/dev/null | LC_ALL=C sort)

# shellcheck disable=SC2086  # a list of files without spaces
awk '
BEGIN {
    allow["base"] = "base"
    allow["text"] = "text base"
    allow["corpus"] = "corpus text base"
    allow["store"] = "store base"
    allow["report"] = "report store base"
    # A backend fills the table that tensor/ops.h declares; tensor/ chooses among the tables.
    allow["backend"] = "backend tensor base"
    allow["tensor"] = "tensor backend base"
    allow["model"] = "model tensor backend base"
    allow["train"] = "train model tensor backend corpus text base"
    allow["embed"] = "embed corpus text model tensor backend base"
    allow["task"] = "task corpus text base"
    # Any model, no settings of a run.
    allow["apply"] = "apply analyse embed model tensor backend corpus text base"
    allow["measure"] = "measure apply store analyse embed model tensor backend corpus text base"
    allow["analyse"] = "analyse corpus text model tensor backend base"
    allow["fetch"] = "fetch corpus text base"
    allow["run"] = "run store train measure apply analyse embed model tensor backend corpus text base"
    allow["finetune"] = "finetune run task store train measure apply analyse embed model tensor backend corpus text base"
    allow["evaluate"] = "evaluate run report store train measure apply analyse embed model tensor backend corpus text base"
    # isoglot-bench, a program of its own: main.c of cli/ with other commands.
    allow["bench"] = "bench cli run train measure apply analyse embed model tensor backend corpus text base"
    allow["experiment"] = "experiment finetune task run fetch report store measure apply corpus text base"
    allow["lab"] = "lab experiment finetune task run fetch report store train measure apply analyse embed model tensor backend corpus text base"
    allow["cli"] = "cli finetune task lab experiment evaluate run fetch report store train measure apply analyse embed model tensor backend corpus text base"
    # Public headers belong to the layer that implements them.
    public["error"] = public["memory"] = public["batch"] = public["head_config"] = public["version"] = "base"
    public["tokenizer"] = "text"
    public["corpus"] = "corpus"
    public["bert"] = "model"
    public["model"] = "apply"
    public["vector_file"] = "embed"
    bad = 0
}
function layer_of(path,   part) {
    if (path ~ /isoglot\/[a-z_0-9]+\.h$/) {
        sub(/.*isoglot\//, "", path)
        sub(/\.h$/, "", path)
        return path in public ? public[path] : "?"
    }
    sub(/^src\//, "", path)
    split(path, part, "/")
    return part[1]
}
function offence(text) {
    print FILENAME ":" FNR ": " text
    bad = 1
}
function exists(path,   line, r) {
    r = (getline line < path)
    close(path)
    return r >= 0
}
function readme(layer,   path, line, lines, text, wanted) {
    path = "src/" layer "/README.md"
    wanted = allow[layer]
    gsub(/ /, ", ", wanted)
    wanted = "May include: " wanted "."
    while ((getline line < path) > 0) {
        lines++
        text = text line " "
    }
    close(path)
    if (lines < 1 || lines > 15 || index(text, wanted) == 0) {
        print path ": found " lines + 0 " lines, expected 1 to 15, and in them \"" wanted "\""
        bad = 1
    }
}
FNR == 1 {
    first = 1
    own = ""
    mine = layer_of(FILENAME)
    if (mine in allow && FILENAME ~ /^src\//)
        layers[mine] = 1
    if (!(mine in allow))
        offence("no layer is known for this file; see tools/check_layers.sh")
    if (FILENAME ~ /\.c$/) {
        stem = FILENAME
        sub(/\.c$/, ".h", stem)
        base = stem
        sub(/.*\//, "", base)
        if (exists(stem)) {
            own = stem
            sub(/^src\//, "", own)
        } else if (exists("include/isoglot/" base) && layer_of("isoglot/" base) == mine)
            own = "isoglot/" base
    }
}
/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
    target = $0
    sub(/^[^<"]*[<"]/, "", target)
    sub(/[>"].*/, "", target)
    if (first && own != "" && target != own)
        offence("includes " target " first, expected its own header " own)
    first = 0
    if ($0 ~ /</)
        next
    theirs = layer_of(target)
    if (!(theirs in allow))
        offence("includes " target ", which is in no known layer (write paths from src/)")
    else if (index(" " allow[mine] " ", " " theirs " ") == 0)
        offence(mine " includes " target " of " theirs ", allowed: " allow[mine])
}
END {
    for (layer in layers)
        readme(layer)
    exit bad
}
' $files || status=1

# A room is named in the README.md of its layer, as a line of its list.
for room in $(find src -mindepth 2 -type d | LC_ALL=C sort); do
    name=${room#src/*/}
    readme=${room%"/$name"}/README.md
    if ! grep -qF "* \`$name\`: " "$readme" 2>/dev/null; then
        echo "$readme: does not say what $room is"
        status=1
    fi
done

# Rooms: which folder includes which; tensor/ and backend/ know each other by design.
# shellcheck disable=SC2086
rooms=$(awk '
function room(path) {
    sub(/^src\//, "", path)
    sub(/\/[^\/]*$/, "", path)
    # tensor/ chooses among the backends, which fill its table; the engine runs the heads that are written against it,
    # and both stand on the devices, which know neither.
    return path ~ /^backend/ ? "tensor" : path ~ /^model\/device/ ? path : path ~ /^model/ ? "model" : path
}
/^[ \t]*#[ \t]*include[ \t]*"/ && FILENAME ~ /^src\// && $0 !~ /isoglot\// {
    target = $0
    sub(/^[^"]*"/, "", target)
    sub(/".*/, "", target)
    if (target ~ /\// && room(target) != room(FILENAME))
        print room(FILENAME), room(target)
}' $files | LC_ALL=C sort -u | tsort 2>&1 >/dev/null | sed -n 's/.*input contains a loop.*/rooms that include each other:/p; t; s/^tsort: /  /p')
[ -z "$rooms" ] || {
    echo "$rooms"
    status=1
}

# Sizes and names, of src/ alone: the headers of include/isoglot are named after what implements them.
# shellcheck disable=SC2086
crowded=$(awk '
function folder(path) {
    sub(/\/[^\/]*$/, "", path)
    return path
}
FILENAME !~ /^src\// { nextfile }
FNR == 1 {
    name = FILENAME
    sub(/.*\//, "", name)
    if (name in seen)
        print FILENAME ": has the name of " seen[name]
    seen[name] = FILENAME
    if (++n[folder(FILENAME)] == 26)
        print folder(FILENAME) ": more than 25 files in one room"
}
FNR == 601 { print FILENAME ": more than 600 lines" }' $files)
[ -z "$crowded" ] || {
    echo "$crowded"
    status=1
}

# shellcheck disable=SC2086
if grep -nE '(^|[^_a-z>.])(printf|puts|putchar|perror|exit|abort) *\(' $files |
    grep -vE '^(bench/|src/(cli/|base/log\.c|base/assert\.c))' | grep -vE ':[0-9]+: *(/?\*|//)'; then
    echo "the library never prints and never exits (the lines above)"
    status=1
fi
# shellcheck disable=SC2086
if grep -nE '(^|[^_a-z>.])(json_dumps|json_load_file|malloc|calloc|realloc) *\(' $files |
    grep -vE '^src/base/(settings/json_text|ranks/mpi_shim)\.c|:[0-9]+:.*json_load_file\(([a-z>-]+), 0, (NULL|&ignored)\)' | grep -vE ':[0-9]+: *(/?\*|//)'; then
    echo "ig_json_text, ig_json_read and ig_alloc say when memory or a file is lacking (the lines above do not)"
    status=1
fi
# shellcheck disable=SC2086
if grep -nE '(^|[^_a-z>.])(strtod|strtof|strtold|atof) *\(|scanf *\(.*%l?[efg]' $files |
    grep -vE '^src/base/number_text\.c' | grep -vE ':[0-9]+: *(/?\*|//)'; then
    echo "base/number_text.h reads numbers whatever the locale (the lines above do not)"
    status=1
fi
apart=$(find src tests -name '*.c' 2>/dev/null | LC_ALL=C sort | awk '
{
    name = place = $0
    sub(/.*\//, "", name)
    sub(/\.c$/, "", name)
    sub(/\/[^\/]*$/, "", place)
    top = place
    sub(/\/.*/, "", top)
    sub(/^[a-z]*\/?/, "", place)
    if (top == "src")
        home[name] = place
    else if (sub(/^test_(threads_)?/, "", name)) {
        of[$0] = name
        at[$0] = place
    }
}
END {
    for (test in of)
        if (of[test] in home && home[of[test]] != at[test])
            print test ": tests src/" home[of[test]] "/" of[test] ".c, expected in tests/" home[of[test]]
}')
[ -z "$apart" ] || {
    echo "$apart"
    status=1
}
# A folder without a file is none: git does not know it.
for room in $(find tests -mindepth 2 -type f 2>/dev/null | sed 's|^tests/||; s|/[^/]*$||' | LC_ALL=C sort -u); do
    case $room/ in
    bits/* | data/* | fuzz/* | mutate/* | python/*) continue ;;
    esac
    [ -d "src/$room" ] || [ "$room" = bench ] || {
        echo "tests/$room: there is no src/$room"
        status=1
    }
done
exit "${status:-0}"
