#!/bin/sh
# Damage in a store: a finished run's model and vectors are compared with its manifest whenever they are opened, and
# isoglot status --verify finds every changed file.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
unset ISOGLOT_STORE ISOGLOT_DATA

cat >e.yaml <<'END'
base: {preset: bert-tiny, world: demo, world_words: true, world_sentences: 300, dev_take: 20, batch: 32, block: 32,
       instances: stream, updates: 4, warmup: 2, languages: 'en; x(world=SOV+post)'}
cells:
  bert: {}
  static: {trainer: word2vec}
seeds: 1
measure: {what: [words]}
END
try run e.yaml --jobs 1 --quiet
want_code 0

flip() { # FILE: one bit of its last byte but nine
    python3 - "$1" <<'END'
import os, sys
path = os.path.realpath(sys.argv[1])
data = bytearray(open(path, "rb").read())
data[-10] ^= 1
open(path, "wb").write(data)
END
}

try status --verify
want_code 0
want_err ""
grep -qx "isoglot-store: 2 finished runs and 1 data folder, [0-9]* files compared: 0 damaged" .out || fail "another line"
try status e.yaml --verify --json
want_code 0
want_out_has '"unfinished": 0'
want_out_has '"damaged": []'
try status --verify --json
want_code 0
want_keys_in results.md
try status
want_error 2 "isoglot status: error: found 0 arguments, expected 1" "usage: isoglot status [OPTIONS] FILE"
try status --verify --store nowhere
want_error 4 "isoglot status: error: nowhere: no such folder, expected a store of results"

model=$(dirname "$(find isoglot-store/runs -name model.safetensors | tail -n 1)")
vectors=$(find isoglot-store/runs -name vectors.bin)
run=${model%/checkpoints/*}
text=$(find isoglot-store/data/ -name '*.txt' ! -name 'vocab*' | head -n 1)
word=$(sed -n 20p isoglot-store/data/*/vocab.txt)
try model "$run"
want_code 0
try embed neighbours "$vectors" "$word"
want_code 0

# Every way in: exit code 3, the file, what is wrong.
flip "$model/model.safetensors"
flip "$vectors"
refused() { # FILE ARGUMENTS
    file=$1
    shift
    try "$@"
    want_code 3
    grep -qF "error: $file: SHA-256 is " .err || fail "no word of $file"
    [ ! -s .out ] || fail "an error, but something on standard output"
}
refused "$model/model.safetensors" model "$run"
refused "$model/model.safetensors" model "$model"
refused "$run/model/model.safetensors" model "$run/model"
refused "$model/model.safetensors" model "$run" --language x --out view
refused "$model/model.safetensors" eval "$run"
refused "$model/model.safetensors" embed contextual --model "$run" --out x.vec "$text"
refused "$vectors" embed neighbours "$vectors" "$word"
echo "a b" >pairs.txt
refused "$vectors" bli "$vectors" "$vectors" --dictionary pairs.txt
refused "$vectors" map "$vectors" "$vectors" --out-source x.vec
for file in view x.vec; do
    [ ! -e $file ] || fail "$file was written"
done
# A copy elsewhere is no run's.
cp "$vectors" copy.bin
try embed neighbours copy.bin "$word"
want_code 0

# Data that runs share, a manifest, measures.
flip "$(find isoglot-store/data/ -name 'train*.shard' | head -n 1)"
try status e.yaml --verify
want_code 3
want_out_has "e in isoglot-store: 2 runs: 2 done"
want_out_has "files compared: 3 damaged"
for file in "${model#isoglot-store/}/model.safetensors" "${vectors#isoglot-store/}" 'train[^:]*.shard'; do
    grep -q "^  .*$file: SHA-256 is [0-9a-f]*, expected [0-9a-f]*: damaged or changed" .out || fail "no word of $file"
done
want_err "isoglot status: error: isoglot-store: 3 things are damaged in the store (isoglot run repeats a run whose folder is removed)"
echo '{' >"$run/measures.jsonl"
echo '{' >"${vectors%/*}/manifest.json"
rm "$run/log.jsonl"
try status --verify --json
want_code 3
want_out_has 'measures.jsonl",'
want_out_has 'manifest.json",'
want_out_has 'log.jsonl",'
want_out_has '"runs": 2,'

# --- all that a report reads: measures, log, settings, scores, manifest, rows of the index; and a marker that is no file
cat >t.yaml <<'END'
base: {preset: bert-tiny, world: demo, world_sentences: 60, dev_take: 20, vocab_size: 120, updates: 4, batch: 16}
cells: {a: {}}
seeds: 1
tasks: {tags: {world: tags, train: 20, dev: 10, test: 10, epochs: 1}}
END
try run t.yaml --store st --quiet
want_code 0
try report t.yaml --store st
want_code 0
try status --verify --store st
want_code 0
run=$(echo st/runs/*)
change() { # FILE: a digit, which leaves it what it is
    python3 - "$1" <<'END'
import re, sys
text = open(sys.argv[1]).read()
at = max(m.start() for m in re.finditer(r"[0-8]", text[: len(text) * 2 // 3]))
open(sys.argv[1], "w").write(text[:at] + str(int(text[at]) + 1) + text[at + 1 :])
END
}
for file in "$run"/measures.jsonl "$run"/log.jsonl "$run"/run.json "$run"/tasks.json "$run"/manifest.json \
    "$run"/tasks/*/seed-0.json; do
    cp "$file" kept
    change "$file"
    try status --verify --store st
    want_code 3
    want_out_has ": 1 damaged"
    grep -q "^  ${file#st/}: SHA-256 is [0-9a-f]*, expected [0-9a-f]*: damaged or changed" .out || fail "no word of $file"
    cp kept "$file"
done
try status --verify --store st
want_code 0
python3 - <<'END'
import sqlite3
store = sqlite3.connect("st/store.sqlite")
store.execute("UPDATE metric SET value = value + 1 WHERE quantity = (SELECT id FROM quantity WHERE task = 'mu')")
store.commit()
END
try status --verify --store st
want_code 3
want_out_has "  store.sqlite: a:0: 1 values are not those of ${run#st/}; without this file the next report makes it again"
rm st/store.sqlite
try report t.yaml --store st
try status --verify --store st
want_code 0
mv "$run/DONE" kept
for bad in folder link text; do
    case $bad in
    folder) mkdir "$run/DONE" ;;
    link) ln -s nowhere "$run/DONE" ;;
    text) echo yes >"$run/DONE" ;;
    esac
    try status --verify --store st
    want_code 3
    want_out_has "  ${run#st/}/DONE: "
    rm -rf "$run/DONE"
done
# In a folder of an earlier version it is empty.
: >"$run/DONE"
touch -r kept "$run/DONE"
try status --verify --store st
want_code 0

# The data of a run are gone: they are what is said, not the run's folder, which is there.
mv st/data kept-data
try status --verify --store st
want_code 3
want_out_has "  ${run#st/}: data/"
want_out_has ", its data, cannot be read"
mv kept-data st/data
try status --verify --store st
want_code 0
