#!/bin/sh
# Prints what the program makes of some sixty small settings, as SHA-256: every kind of trainer, precision, position,
# separate part and batch, stopped and resumed runs, static vectors, maps, vocabularies, worlds, one experiment. A change
# that is meant to change no bit leaves the list as it is; see README.md in this folder.
#   record.sh PROGRAM [KERNELS]     KERNELS: ref, portable, avx2, avx512 or neon (ISOGLOT_CPU); none: the best
# Of neon, which runs under an emulator, only trainings of a few kinds.
set -eu
isoglot=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
few=
[ "${2:-}" != neon ] || few=" plain threads-1 threads-2 rotary separate-all dropout-0 bfloat16 bfloat16-pre "
[ $# -lt 2 ] || export ISOGLOT_CPU="$2"
# One kind of CPU has one list: BLAS would otherwise choose its kernels by the machine.
export OPENBLAS_NUM_THREADS=1 OPENBLAS_CORETYPE=Haswell LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export XDG_CACHE_HOME="$work/.cache"

sha() { # NAME FILE
    printf '%s  %s\n' "$(sha256sum <"$2" | cut -c 1-32)" "$1"
}

# The rows of a measuring, one a line, so that a new key beside them changes nothing.
numbers() { # FILE
    tr -d '\n ' <"$1" | tr '{' '\n' |
        sed -n 's/"step":[0-9]*,//; s/"last":false,//; s/^\("measure":[^}]*\)}.*/\1/p'
}

# Their values with 17 digits, as they were recorded.
in_full() {
    awk '{ n = index($0, "\"value\":") + 7; v = sprintf("%.17g", substr($0, n + 1))
           print substr($0, 1, n) v (v ~ /[.e]/ ? "" : ".0") }'
}

quiet() {
    "$isoglot" "$@" >.out 2>.err || { echo "record.sh: failed: isoglot $*" >&2; cat .err >&2; exit 1; }
}

base="train --quiet --world demo --world-sentences 500 --vocab-size 250 --layers 2 --dev-take 120 --max-positions 256"
small="--hidden 32 --ffn 64 --heads 2 --updates 24 --batch 24"
large="--hidden 256 --heads 4 --ffn 1024 --updates 4 --batch 8" # its ops run over the team

trained() { # NAME ARGUMENTS: a run; its weights and its values
    name=$1
    shift
    case ${few:-" $name "} in *" $name "*) ;; *) return 0 ;; esac
    # shellcheck disable=SC2086
    quiet $base $shape --out run "$@"
    sha "train.$name.model" run/model/model.safetensors
    if [ -f run/eval.json ]; then
        numbers run/eval.json >values
        sha "train.$name.numbers" values
    fi
    rm -rf run
}

shape=$small
trained plain
trained threads-1 --threads 1
trained threads-2 --threads 2
trained seed-7 --seed 7
trained lang-pos --lang-pos
trained all-three --lang-pos --shift-special --no-random paper-code
trained inverted --inv-order
trained no-parallel --no-parallel
trained pad-attend --pad-attend
trained paper-code --pad-attend --shift-special --shift-special-detect paper-code --perplexity-average paper-code \
    --translation-words paper-code --accum 2 --accum-carry paper-code \
    --accum-mean paper-code --no-eval
trained accum --accum 3 --clip .1
trained accum-mean --accum 3 --clip .1 --accum-mean paper-code
trained pre-norm --pre-norm --gelu-tanh
trained untied --no-tied --no-transform
trained sinusoidal --position-type sinusoidal
trained relative-key --position-type relative-key
trained relative-key-query --position-type relative-key-query
trained rotary --position-type rotary
trained no-positions --position-type none
trained modernbert --architecture modernbert --local-attention 8
trained separate-words --separate words
trained separate-layers --separate 'layers=1-1;norm'
trained separate-all --separate all
trained stream --instances stream --block 32
trained pairs-nsp --instances pairs --document 20 --nsp --next-from own
trained pairs-nsp-any --instances pairs --document 20 --nsp --next-from any --whole-words --static-masks --dupe 2
trained tlm --tlm all --block 96
trained markers --language-markers --language-embeddings
trained single --batch-languages single --language-alpha .5 --epoch-size 300
trained permuted --languages 'en; fake = shift | permute:0.5'
trained three --languages 'en; a = shift; b = shift | invert'
trained xlm --init xlm --adam-eps-rule xlm --schedule inverse-sqrt --random-vocab own
trained dropout-0 --hidden-dropout 0 --attention-dropout 0 --schedule constant --adam-eps-rule pytorch
shape=$large
trained team
trained team-separate --separate 'words;layers=1-1' --position-type relative-key --no-eval
shape=$small
trained lowercase-bpe --lowercase --vocab-model bpe
trained unigram --vocab-model unigram --no-eval
trained knn --knn-replace 3 --knn-dim 16 --knn-epochs 2 --knn-min-count 2 --no-eval
trained bfloat16 --precision bfloat16
trained bfloat16-pre --precision bfloat16 --pre-norm --position-type rotary
trained bfloat16-nsp --precision bfloat16 --instances pairs --document 20 --nsp
trained modernbert-bfloat16 --architecture modernbert --local-attention 8 --precision bfloat16
shape=$large
trained bfloat16-team --precision bfloat16
shape=$small

[ -z "$few" ] || exit 0

# Stopped and gone on with.
# shellcheck disable=SC2086
"$isoglot" $base $small --out run --max-time 0.0000001 >.out 2>.err || [ $? -eq 8 ]
# shellcheck disable=SC2086
quiet $base $small --out run
sha resumed.model run/model/model.safetensors
for how in --spaces --words --distinct; do
    quiet eval run --json $how
    numbers .out >values
    sha "eval$how" values
done
cp run/data/world-train.txt text.txt

quiet align words --model run text.txt text.txt --take 60
sha align-words .out
quiet embed contextual --model run --language en --out c.vec text.txt
sha embed.contextual c.vec
rm -rf run

# Vocabularies and tokens.
for kind in wordpiece bpe unigram chars words; do
    quiet vocab --vocab-model $kind --size 300 --out vocab.json text.txt
    sha "vocab.$kind" vocab.json
    quiet tokenize --vocab vocab.json text.txt
    sha "tokenize.$kind" .out
done

# Static vectors, and maps between them.
awk '{ for (i = 1; i <= NF; i++) printf "x%s%s", $i, i < NF ? " " : "\n" }' text.txt >other.txt
for kind in word2vec fasttext glove; do
    more=
    case $kind in word2vec | fasttext) more="--epochs 3" ;; glove) more="--iterations 3" ;; esac
    # shellcheck disable=SC2086
    quiet embed $kind --seed 1 --split words --dim 24 --min-count 1 $more --out a.vec text.txt
    # shellcheck disable=SC2086
    quiet embed $kind --seed 1 --split words --dim 24 --min-count 1 $more --out b.vec other.txt
    sha "embed.$kind" a.vec
done
quiet embed word2vec --seed 1 --embed-model skipgram --split words --dim 24 --min-count 1 --epochs 3 --out c.vec text.txt
sha embed.skipgram c.vec
awk 'NR > 1 && NR < 60 { print $1, "x" $1 }' a.vec >dict
for mode in unsupervised supervised semi-supervised; do
    dictionary=--dictionary=dict
    [ $mode != unsupervised ] || dictionary=--patience=3
    quiet map a.vec b.vec --seed 1 --mode $mode $dictionary --out-source am.vec --out-target bm.vec
    sha "map.$mode.source" am.vec
    sha "map.$mode.target" bm.vec
done
quiet map a.vec b.vec --seed 1 --mode supervised --method procrustes --dictionary dict --out-source am.vec --out-target bm.vec
sha map.procrustes.source am.vec
quiet bli am.vec bm.vec --dictionary dict --json
grep -oE '"(p@1|p@5|p@10|mrr)": [-0-9.e+]+' .out >values
sha bli values

# Worlds and transforms.
for preset in bible demo; do
    quiet corpus world --preset $preset --languages 'eng; x:SOV,post,case; y:like-tur,prefix' --sentences 300 --out w
    cat w/*.txt w/*.conllu w/*.align w/*.dict >all
    sha "world.$preset" all
    rm -rf w
done
for words in codepoints 'split:0.3' cipher affix:3 homographs:.2; do
    quiet corpus transform text.txt --words "$words" --take 200 --out w
    cat w/*.txt w/*.align w/*.dict >all
    sha "transform.$words" all
    rm -rf w
done

# An experiment: its addresses, its models, its measures.
cat >e.yaml <<'YAML'
title: bits
base: {world: demo, world_sentences: 400, vocab_size: 250, layers: 2, hidden: 32, ffn: 64, heads: 2, updates: 12, batch: 24,
       dev_take: 60}
axes: {lang_pos: [false, true], position_type: [learned, sinusoidal]}
seeds: 2
measure: {checkpoints: log}
YAML
quiet run e.yaml --store store --jobs 1
for d in store/runs/*/; do
    address=$(basename "$d")
    sha "experiment.$address.model" "$d/model/model.safetensors"
    numbers "$d/measures.jsonl" | in_full | sort >values
    sha "experiment.$address.numbers" values
done
