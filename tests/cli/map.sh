#!/bin/sh
# isoglot map: two spaces into one, in each mode; the verdict; formats; threads; mistakes.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# Source: words in clusters. Target: the same, its dimensions in another order and some of them
# negated (an orthogonal map), words renamed and in another order; "other" has nothing to do with it.
# Sanitizers look at every kind of map on fewer words.
words=200
if [ -n "${ISOGLOT_SANITIZED:-}" ]; then words=100; fi
awk -v N=$words 'function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
    BEGIN { srand(5); D = 11
    for (c = 0; c < 15; c++) for (k = 0; k < D; k++) centre[c, k] = normal()
    print N, D >"s.vec"; print N, D >"t.vec"; print N, D >"o.vec"
    for (i = 0; i < N; i++) {
        c = int(15 * rand() * rand()); line = "s" i
        for (k = 0; k < D; k++) { x[i, k] = centre[c, k] + .6 * normal(); line = line " " x[i, k] }
        print line >"s.vec"
        print "s" i, "t" i >"dict"; print "s" i, "t" (i * 7 + 3) % N >"wrong"
    }
    for (r = 0; r < N; r++) {
        i = (r * 101 + 17) % N; line = "t" i; other = "t" i
        for (k = 0; k < D; k++) {
            line = line " " ((k % 3) ? x[i, (k * 5 + 1) % D] : -x[i, (k * 5 + 1) % D]) + .02 * normal()
            other = other " " normal() }
        print line >"t.vec"; print other >"o.vec" } }'

# Found without a dictionary; the same bits on any number of threads. So the other searches are done by one thread: on spaces
# this small several are five times the work, as they wait for each other. What four find is in the JSON.
for n in 1 2 4; do
    how=
    if [ $n -eq 4 ]; then how=--json; fi
    # shellcheck disable=SC2086  # an option or none
    try map s.vec t.vec --patience 5 --threads $n --out-source "s$n.vec" --out-target "t$n.vec" --save-map "w$n.json" $how
    want_code 0
    [ $n -eq 4 ] || grep -q '^no sign of a degenerate mapping' .out || fail 'the good pair is called degenerate'
done
grep -q '"degenerate": *false' .out || fail 'no verdict in JSON'
grep -q '"objective": *\[' .out || fail 'no objective over rounds in JSON'
grep -q '"cutoff": *20000' .out || fail 'no settings in JSON'
want_keys_in mapping.md
for f in s t; do
    for n in 2 4; do cmp -s "${f}1.vec" "$f$n.vec" || fail "$n threads change ${f}'s bits"; done
done
cmp -s w1.json w4.json || fail 'threads change the map'
head -1 s1.vec | grep -qx "$words 11" || fail 'the mapped source has another shape'

try map s.vec o.vec --threads 1 --patience 5
want_code 0
grep -q '^this mapping is degenerate, because ' .out || fail 'noise is not called degenerate'
try map s.vec t.vec --mode supervised --dictionary dict --json
want_code 0
want_out_has '"dictionary_refit": '
want_keys_in mapping.md

for how in "--mode supervised" "--mode semi-supervised --patience 5" "--mode supervised --method procrustes --refine 3" \
    "--mode supervised --method procrustes --normalise iterative"; do
    # shellcheck disable=SC2086  # words of the command
    try map s.vec t.vec --threads 1 --dictionary dict $how
    want_code 0
    grep -q '^no sign of a degenerate mapping' .out || fail "$how: the good pair is called degenerate"
    case $how in *semi* | *refine*) continue ;; esac # these may find the way out of a wrong dictionary
    # shellcheck disable=SC2086
    try map s.vec t.vec --threads 1 --dictionary wrong $how
    want_code 0
    grep -q '^this mapping is degenerate, because ' .out || fail "$how: a wrong dictionary is not noticed"
done

# A dictionary of fewer pairs than dimensions: a rotation is found from five of 40, and from three with noise it is not.
rotated() { # NOISE: a.vec, and the same rotated
    awk -v noise="$1" 'function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
    BEGIN {
        srand(11); n = 300; d = 40
        for (i = 0; i < d; i++) for (k = 0; k < d; k++) q[i, k] = normal()
        for (i = 0; i < d; i++) { # Gram and Schmidt
            for (j = 0; j < i; j++) {
                for (k = s = 0; k < d; k++) s += q[i, k] * q[j, k]
                for (k = 0; k < d; k++) q[i, k] -= s * q[j, k]
            }
            for (k = s = 0; k < d; k++) s += q[i, k] ^ 2
            for (k = 0; k < d; k++) q[i, k] /= sqrt(s)
        }
        print n, d >"few-s.vec"; print n, d >"few-t.vec"
        for (w = 0; w < n; w++) {
            for (k = 0; k < d; k++) x[k] = normal()
            printf "s%d", w >"few-s.vec"; printf "t%d", w >"few-t.vec"
            for (k = 0; k < d; k++) {
                for (i = s = 0; i < d; i++) s += x[i] * q[i, k]
                printf " %.6f", x[k] >"few-s.vec"; printf " %.6f", s + noise * normal() >"few-t.vec"
            }
            print "" >"few-s.vec"; print "" >"few-t.vec"
        }
    }'
}
few() { # PAIRS: share of 100 other words that are found
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "s" i "\tt" i }' >few.dict
    awk 'BEGIN { for (i = 200; i < 300; i++) print "s" i "\tt" i }' >rest.dict
    try map few-s.vec few-t.vec --mode supervised --dictionary few.dict --out-source fs.vec --out-target ft.vec --threads 1
    want_code 0
    cp .out map.out
    try bli fs.vec ft.vec --dictionary rest.dict --threads 1
    right=$(awk '/^nearest neighbour/ { print int($3) }' .out)
}
rotated 0
few 5
[ "$right" -ge 99 ] || fail "$right % are found"
grep -q '^no sign of a degenerate mapping' map.out || fail 'a rotation is called degenerate'
rotated 0.3
few 3
[ "$right" -le 30 ] || fail "$right % are found of noise"
grep -q '^this mapping is degenerate, because words that it pairs are not alike' map.out || fail 'three pairs are not noticed'

# Formats.
try map s.vec t.vec --threads 1 --patience 2 --out-source s.bin --out-target t.txt
want_code 0
try map s.bin t.txt --mode supervised --dictionary dict --dim 5 --out-source five.vec
want_code 0
head -1 five.vec | grep -qx "$words 5" || fail '--dim is not what is written'

# Rows of any length; vectors that are all the same say so at once.
for how in none center "center-dimensions"; do
    try map s.vec t.vec --mode supervised --dictionary dict --normalise $how
    want_code 0
    grep -q '^no sign of a degenerate mapping' .out || fail "$how: the good pair is called degenerate"
done
awk 'NR == 1 { print; next } { printf "%s", $1; for (k = 2; k <= NF; k++) printf " 0"; print "" }' s.vec >zero.vec
for pair in "zero.vec t.vec" "t.vec zero.vec"; do
    # shellcheck disable=SC2086  # two files
    try map $pair --threads 1
    want_code 0
    grep -q '^rounds  *0$' .out || fail "$pair: looks for pairs where there is nothing to find"
    grep -q '^this mapping is degenerate, because ' .out || fail "$pair: words without vectors are not noticed"
done

# Two words: chance leaves no pair in, most of the time.
printf '2 3\na 1 2 3\nb 2 1 0\n' >two.vec
try map two.vec two.vec --threads 1 --patience 2
want_code 0

# Mistakes.
try map s.vec t.vec --mode supervised
want_code 2
want_err 'isoglot map: error: --dictionary: not given, but --mode is supervised'
try map s.vec t.vec --dictionary dict
want_code 2
try map s.vec t.vec --normalise unit,centre
want_code 2
try map s.vec t.vec --mode identical
want_code 3
want_err 'isoglot map: error: --mode: the two vocabularies share no word'
try map s.vec five.vec
want_code 3
want_err 'isoglot map: error: five.vec: found vectors of 5 dimensions, expected 11 as in the source'
try map s.vec t.vec --mode supervised --dictionary dict --method procrustes --dim 5
want_error 2 "isoglot map: error: --dim: given, but --method procrustes keeps all dimensions" \
    "--method vecmap takes the first of its common directions"
for option in "--keep .2" "--keep-factor 3" "--patience 5" "--threshold 0" "--max-rounds 3" "--direction forward"; do
    # shellcheck disable=SC2086  # an option and its value
    try map s.vec t.vec --mode supervised --dictionary dict $option
    want_error 2 "isoglot map: error: ${option%% *}: has no effect: --mode supervised learns no pairs by itself"
    # shellcheck disable=SC2086
    try map s.vec t.vec --mode identical --refine 2 $option
    want_error 2 "isoglot map: error: ${option%% *}: has no effect: --refine is in place of self-learning"
done
for mode in supervised semi-supervised; do
    try map s.vec t.vec --mode $mode --dictionary dict --init-words 50
    want_error 2 "isoglot map: error: --init-words: has no effect: the initial pairs are not from similarities (--mode)"
done
for option in --whiten "--reweight-source 1" "--reweight-target 1" "--dewhiten-source none" "--dewhiten-target none"; do
    # shellcheck disable=SC2086
    try map s.vec t.vec --mode supervised --dictionary dict --method procrustes $option
    want_error 2 "isoglot map: error: ${option%% *}: has no effect: --method procrustes is an orthogonal map alone"
done
try map s.vec t.vec --mode supervised --dictionary dict --dim 12
want_error 2 'isoglot map: error: --dim: found 12, expected at most the 11 dimensions of s.vec'
try map s.vec t.vec --mode supervised --dictionary dict --dim 11
want_code 0
echo 'a b' >strange
try map s.vec t.vec --mode supervised --dictionary strange
want_error 3 'isoglot map: error: strange: of 1 pairs the vectors know none' 'is it the other way round, or in another case?'
try map s.vec t.vec --mode supervised --dictionary dict --out-source same --out-target same
want_code 2
[ ! -e same ] || fail 'written in spite of the mistake'
# However the name is spelled, and for each two of the three files.
for files in "--out-source same --out-target ./same" "--out-source $PWD/same --save-map same" \
    "--out-target same --save-map ./../${PWD##*/}/same"; do
    # shellcheck disable=SC2086  # two options
    try map s.vec t.vec --mode supervised --dictionary dict $files
    want_code 2
    grep -q 'is the same file as --out-' .err || fail "$files: the same file is not reported"
    [ ! -e same ] || fail "$files: written in spite of the mistake"
done
# All the files or none: no mapped source beside the target of another map, when there is room for one of them only.
head -30 s.vec | sed '1s/.*/29 11/' >few.vec
echo before >few.out
code=0
(ulimit -f 10 && exec "$isoglot" map few.vec t.vec --mode supervised --dictionary dict --out-source few.out \
    --out-target many.out --overwrite >.out 2>.err) || code=$?
want_code 4
[ "$(cat few.out)" = before ] || fail 'the source is written though there is no room for the target'
[ ! -e many.out ] || fail 'half a target is there'
[ -z "$(find . -name '*.tmp-*')" ] || fail 'a temporary file is left'
try map few.vec t.vec --mode supervised --dictionary dict --out-source few.out --out-target many.out --overwrite
want_code 0
head -1 few.out | grep -qx '29 11' || fail 'the source is not written when there is room'
# A place that nothing can be written to is reported before anything is read.
try map s.vec nowhere.vec --out-source no/where.vec
want_code 4
want_err 'isoglot map: error: no/where.vec: cannot create: No such file or directory'
