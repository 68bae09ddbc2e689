#!/bin/sh
# A new user's hour: what is installed, alone, in an empty home and a bare environment. The README's commands, its steps
# of "You want to …", every recipe, and what a beginner mistypes with the message that helps. Usage: check_hour.sh CMAKE
# BUILD SOURCE; or, as in a clean Debian where ./dev demo and cmake --install were typed, check_hour.sh '' PREFIX SOURCE.
set -eu
cmake=$1 build=$2 source=$3
work=$(mktemp -d)
not_run=
leave() {
    status=$?
    rm -rf "$work"
    if [ "$status" -eq 0 ] && [ -n "$not_run" ]; then status=77; fi
    exit "$status"
}
trap leave EXIT
fail() {
    echo "after: $typed"
    echo "$*"
    for f in out err; do tail -n 5 "$work/$f"; done
    exit 1
}

# --- install ------------------------------------------------------------------------------------------------------------
mkdir "$work/home"
prefix=$build
if [ -n "$cmake" ]; then
    prefix=$work/home/.local
    "$cmake" --install "$build" --prefix "$prefix" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
fi
cp -r "$source/experiments" "$work/home/experiments"
cd "$work/home"
n=0
# A line typed into a terminal: the README's `export PATH` and nothing else is set.
types() { # LINE
    typed=$1
    n=$((n + 1))
    code=0
    env -i HOME="$work/home" LANG=C.UTF-8 PATH="$prefix/bin:/usr/bin:/bin" OPENBLAS_NUM_THREADS=1 sh -c "$1" \
        >"$work/out" 2>"$work/err" </dev/null || code=$?
}
works() { # LINE [TEXT: what it prints]
    types "$1"
    [ "$code" -eq 0 ] || fail "exit code $code"
    [ $# -eq 1 ] || cat "$work/out" "$work/err" | grep -qF -e "$2" || fail "expected '$2'"
}
helps() { # LINE CODE TEXT: a mistake, its exit code and what the message says
    types "$1"
    [ "$code" -eq "$2" ] || fail "exit code $code, expected $2"
    grep -qF -e "$3" "$work/err" || fail "expected '$3'"
    [ ! -s "$work/out" ] || fail "a mistake that prints a result"
}

# --- first steps --------------------------------------------------------------------------------------------------------
works 'command -v isoglot' "$prefix/bin/isoglot"
works isoglot 'Usage: isoglot COMMAND'
works 'isoglot help train' "'isoglot help train all'"
printf 'extends: experiments/demo.yaml\nbase: {updates: 3}\n' >short.yaml
works 'isoglot run short.yaml --quiet' '4 of 4 runs done'
works 'isoglot report short.yaml' 'the two languages in one model'
works 'isoglot report experiments/demo.yaml --results experiments/results/demo.jsonl' '0.74'
works 'isoglot run experiments/demo.yaml --dry-run' 'results go to'

# --- you want to … ------------------------------------------------------------------------------------------------------
works 'isoglot run experiments/dufter2020/table1-mini.yaml --variant world,tiny --only 0,8 --set seeds=2 --quiet'
works 'isoglot report experiments/dufter2020/table1-mini.yaml --variant world,tiny --set seeds=2 --html page' page/index.html
works 'isoglot corpus world --preset demo --languages "eng; jap" --sentences 300 --out world'
works 'isoglot train --text world/eng.txt --languages en --preset bert-tiny --vocab-size 200 --updates 3 --batch 16 --out run'
works 'isoglot train --from run --text world/jap.txt --languages jap --updates 2 --batch 16 --allow-unknown --out more'
works 'cp -rL run/model bert && isoglot diagnose bert --text en=world/eng.txt --text de=world/jap.txt --allow-unknown --html card && ls card' index.html
works 'isoglot encode run world/eng.txt --out vectors.npy'
works 'isoglot embed fasttext --split words --min-count 1 --dim 16 --epochs 1 --out en.vec world/eng.txt'
works 'isoglot embed fasttext --split words --min-count 1 --dim 16 --epochs 1 --out es.vec world/jap.txt'
works 'isoglot map en.vec es.vec --mode supervised --dictionary world/eng-jap.dict --out-source m.vec --out-target t.vec'
works 'isoglot export isoglot-store --as tensorboard -o events'
[ -n "$(find events -name 'events.out.tfevents.*')" ] || fail "no events"

# --- recipes ------------------------------------------------------------------------------------------------------------
typed="the commands of docs/recipes.md"
code=0
(cd / && env -i HOME="$work/home" LANG=C.UTF-8 PATH="$prefix/bin:/usr/bin:/bin" sh "$source/tests/cli/recipes.sh" \
    "$prefix/bin/isoglot") >"$work/out" 2>"$work/err" || code=$?
grep '^skipped: ' "$work/out" || true
[ "$code" -eq 0 ] || [ "$code" -eq 77 ] || fail "$(cat "$work/out")"
[ "$code" -eq 0 ] || not_run=yes

# --- what is mistyped ---------------------------------------------------------------------------------------------------
helps 'isoglot trane' 2 train
helps 'isoglot help measure' 2 measures
helps 'isoglot version' 2 --version
helps 'isoglot train --updtes 3' 2 "did you mean '--updates'?"
helps 'isoglot run experiments/k2020/mini.yaml' 4 'isoglot fetch bible-eng-bbe'
helps 'isoglot run experiments/demo.yaml --variant world' 2 'its text is a generated world without a variant'
helps 'isoglot run none.yaml' 4 none.yaml
helps 'isoglot report experiments/k2020/mini.yaml --store nowhere' 4 'isoglot run'
printf 'base: {text: nothere.txt, vocab_size: 2e2}\n' >lost.yaml
helps 'isoglot run lost.yaml' 4 nothere.txt
printf 'base: {updates: 1e1}\ncells: {"a:b": {}}\n' >name.yaml
helps 'isoglot run name.yaml' 2 'a:b'
printf 'base: {updtes: 10}\n' >key.yaml
helps 'isoglot run key.yaml' 2 "did you mean 'updates'?"
helps 'isoglot predict --model run world/eng.txt' 3 'isoglot finetune trains one'
helps 'isoglot encode nowhere world/eng.txt' 4 nowhere
helps 'isoglot report short.yaml --as pdf' 2 latex
works 'isoglot report short.yaml --format latex' 'is called --as now'
echo "$n lines typed, and the recipes"
