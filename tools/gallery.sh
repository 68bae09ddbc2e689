#!/bin/sh
# Figures of the measured experiments, from the results in this repository: tools/gallery.sh PROGRAM [DIR] writes
# DIR/README.md (docs/gallery/README.md) and the figures beside it.
set -eu
program=$(realpath "$1") out=${2:-docs/gallery}
mkdir -p "$out"
out=$(realpath "$out")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

page() {
    printf '%s\n' "$@" >>"$out/README.md"
}

as= # the file's name, instead of FOLDER-RESULTS
figure() { # EXPERIMENT RESULTS FIGURE CAPTION [OPTIONS]
    experiment=experiments/$1.yaml folder=experiments/$(dirname "$1") name=${as:-$(dirname "$1")-$2}
    results=$folder/results/$2.jsonl figure=$3 caption=$4
    shift 4
    rm -rf "$work/figures"
    "$program" report "$experiment" "$@" --results "$results" --figures "$work/figures" --quiet >"$work/log"
    cp "$work/figures/$figure.svg" "$out/$name.svg"
    page '' "## $caption" "![$caption]($name.svg)" '' "Figure \`$figure\` of" \
        "[$experiment](../../$experiment);" "[numbers](../../$folder/README.md):" \
        '```sh' "isoglot report $experiment $*${*:+ }\\" "  --results $results --figures DIR" '```'
}

: >"$out/README.md"
page '# Gallery' '' "Figures of the measured experiments, drawn from the results in this repository by [gallery.sh](../../tools/gallery.sh)."
figure k2020/mini mini words 'Word translation in seven conditions (K et al. 2020)' --set precision=bfloat16
figure conneau2020/align align-world sentences 'Sentence retrieval after an orthogonal map (Conneau et al. 2020)' --variant world
figure conneau2020/transfer transfer sentences 'Sentence retrieval by what the languages share (Conneau et al. 2020)'
# The picture of the folder on the first screen of docs/replication; of others it is the first figure of their results.
as=dufter2020
figure transfer/text text mu 'Multilinguality of the rows of Table 1 on a Bible, and the paper'"'"'s (Dufter & Schütze 2020)'
as=
figure dufter2020/table1-mini table1-mini-copies mu 'Multilinguality of the rows of Table 1 on a world, and the paper'"'"'s (Dufter & Schütze 2020)' --variant copies
figure dufter2020/figures figures-copies figure7 'Multilinguality over training, with and without neighbour replacement (Dufter & Schütze 2020)' --variant copies --done
figure dufter2020/figures figures-1-copies figure1 'Multilinguality of the original and of what harms it (Dufter & Schütze 2020)' --variant copies --done
figure dufter2020/pad pad-quarter f1 'Alignment with and without attention to padding, on a Bible' --variant mini,quarter,bfloat16 --done
figure dufter2020/pad pad-copies f1 'Alignment with and without attention to padding, on a world' --variant copies --done
figure liu2020/size size-world size 'Word retrieval by size of the text (Liu et al. 2020)' --variant world
figure liu2020/window window-world figure5 'Word retrieval by window size of BERT (Liu et al. 2020)' --variant world
figure liu2020/word2vec-window word2vec-window-world window 'Word retrieval by window size of word2vec (Liu et al. 2020)' --variant world
figure liu2020/shift shift-world bleu 'Translation by the difference of means (Liu et al. 2020)' --variant world
figure surgery/world world surgery 'Effect of edits of hidden states'
figure transfer/world world-small transfer 'Sentence retrieval and zero-shot transfer, generated world' --variant small
figure later/causal causal share 'Multilinguality and transfer by the share of causal batches'
figure later/dynamics dynamics course 'Tags and alignment over the training, masked and causal'
figure transfer/text text transfer 'Sentence retrieval and zero-shot transfer, natural text'
