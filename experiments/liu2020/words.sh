#!/bin/sh
# Word retrieval of Liu et al. 2020 ("What makes multilingual BERT multilingual?", section 3): BERT, word2vec and GloVe on
# the same word pieces of the same text of two languages, by size of the text and length of the window; one line of a
# table for each. Usage:
#
#   ISOGLOT=build/isoglot sh experiments/liu2020/words.sh world OUT
#   ISOGLOT=build/isoglot sh experiments/liu2020/words.sh bible OUT DATA     # DATA: the data root (isoglot fetch)
#
# What is in OUT already is not made again. SIZES, WINDOWS, UPDATES, DIM, LAYERS, SEED and METHODS may be set in the
# environment. Columns: sentences of each language, window in pieces, method, layer, pairs that both know, MRR, P@1 (both
# English to the other language, candidates are the dictionary's words), and MRR by part of speech.
set -eu
kind=$1 out=$2 data=${3:-}
isoglot=${ISOGLOT:-isoglot}
sizes=${SIZES:-2000 10000} windows=${WINDOWS:-128 20} updates=${UPDATES:-3000} seed=${SEED:-0}
dim=${DIM:-64} layers=${LAYERS:-4} methods=${METHODS:-bert word2vec glove} vocab=${VOCAB:-2000} threads=${THREADS:-1}
groups="closed open noun verb adverb adjective"
mkdir -p "$out"

# The part of speech of a source word, as groups of the paper's table: word, tab, group.
closed="ADP AUX CCONJ DET NUM PART PRON SCONJ"
open="ADJ ADV INTJ NOUN PROPN VERB"
# shellcheck disable=SC2016
by_group='function put(w, g) { print $1 "\t" $2 > (dir "/dict." g) }
    BEGIN { n = split(closed, c, " "); for (i = 1; i <= n; i++) group[c[i]] = "closed"
            n = split(open, o, " "); for (i = 1; i <= n; i++) group[o[i]] = "open" }
    NF < 2 { next }
    { put($1, "all") } !($3 in group) { next } { put($1, group[$3]) }
    $3 == "NOUN" { put($1, "noun") } $3 == "VERB" { put($1, "verb") } $3 == "ADV" { put($1, "adverb") } $3 == "ADJ" { put($1, "adjective") }'

prepare() { # texts a.txt and b.txt, and dictionaries by group
    [ ! -e "$out/dict.all" ] || return 0
    if [ "$kind" = world ]; then
        largest=0
        for n in $sizes; do [ "$n" -le "$largest" ] || largest=$n; done
        "$isoglot" corpus world --quiet --out "$out/world" --languages 'eng; spa' --sentences "$largest" \
            --preset "${PRESET:-bible}" >/dev/null
        cp "$out/world/eng.txt" "$out/a.txt"
        cp "$out/world/spa.txt" "$out/b.txt"
        cut -f 1,2,4 "$out/world/eng-spa.dict" >"$out/tagged"
    else
        "$isoglot" corpus sentences --whole-lines "$data/bible/eng-kjv.tsv.zst" >"$out/a.txt"
        "$isoglot" corpus sentences --whole-lines "$data/bible/spa-rv1909.tsv.zst" >"$out/b.txt"
        # Each English word has the tag that it has most often in UD.
        zstdcat "$data/ud/en_ewt-ud-train.conllu.zst" |
            awk -F '\t' '$1 ~ /^[0-9]+$/ { n[tolower($2) "\t" $4]++ } END { for (k in n) print k "\t" n[k] }' |
            LC_ALL=C sort -t "$(printf '\t')" -k 1,1 -k 3,3nr -k 2,2 | awk -F '\t' '$1 != last { print; last = $1 }' >"$out/tags"
        zstdcat "$data/dict/muse/en-es.0-5000.txt.zst" "$data/dict/muse/en-es.5000-6500.txt.zst" |
            awk 'NR == FNR { tag[$1] = $2; next } NF == 2 { print $1 "\t" $2 "\t" ($1 in tag ? tag[$1] : "-") }' "$out/tags" - >"$out/tagged"
    fi
    # Only words that stand at least twice in the smallest texts, so that all sizes are asked the same.
    smallest=
    for n in $sizes; do [ -n "$smallest" ] && [ "$smallest" -le "$n" ] || smallest=$n; done
    for side in a b; do
        head -n "$smallest" "$out/$side.txt" | tr '[:upper:]' '[:lower:]' | LC_ALL=C tr -s '[:space:][:punct:]' '\n' | LC_ALL=C sort | uniq -d \
            >"$out/known.$side"
    done
    awk -F '\t' -v OFS='\t' 'FILENAME ~ /known.a$/ { a[$1]; next } FILENAME ~ /known.b$/ { b[$1]; next }
        (tolower($1) in a) && (tolower($2) in b) { print tolower($1), tolower($2), $3 }' "$out/known.a" "$out/known.b" \
        "$out/tagged" >"$out/asked"
    awk -F '\t' -v dir="$out" -v closed="$closed" -v open="$open" "$by_group" "$out/asked"
}

# The vectors of both languages' words, from a BERT or from vectors of pieces; the last argument is their common name.
words() { # NAME OPTIONS…
    to=$1
    shift
    for side in a b; do
        "$isoglot" embed contextual --quiet --threads "$threads" --min-count 2 --whole-lines "$@" --out "$to.$side.bin" \
            "$text/$side.txt" >/dev/null
    done
}

value() { sed -n "s/^ *\"$1\": \([0-9.e-]*\),*\$/\1/p" "$2" | head -n 1; }

tell() { # SIZE WINDOW METHOD LAYER NAME
    for g in all $groups; do
        [ -e "$5.$g.json" ] || "$isoglot" bli --quiet --threads "$threads" --lowercase --retrieval nn --candidates dictionary \
            --dictionary "$out/dict.$g" --json "$5.a.bin" "$5.b.bin" >"$5.$g.json" 2>/dev/null || rm -f "$5.$g.json"
    done
    printf '%s\t%s\t%s\t%s\t%s\t%.3f\t%.3f' "$1" "$2" "$3" "$4" "$(value pairs "$5.all.json")" "$(value mrr "$5.all.json")" \
        "$(value 'p@1' "$5.all.json")"
    for g in $groups; do
        if [ -e "$5.$g.json" ]; then printf '\t%.3f' "$(value mrr "$5.$g.json")"; else printf '\t-'; fi
    done
    printf '\n'
}

prepare
printf 'sentences\twindow\tmethod\tlayer\tpairs\tMRR\tP@1'
for g in $groups; do printf '\t%s' "$g"; done
printf '\n'
for size in $sizes; do
    text=$out/$size
    mkdir -p "$text"
    for side in a b; do
        [ -e "$text/$side.txt" ] || head -n "$size" "$out/$side.txt" >"$text/$side.txt"
    done
    [ -e "$text/both.txt" ] || cat "$text/a.txt" "$text/b.txt" >"$text/both.txt"
    [ -e "$text/vocab.txt" ] || "$isoglot" vocab --quiet --lowercase --size "$vocab" --out "$text/vocab.txt" "$text/both.txt" >/dev/null
    for method in $methods; do
        case $method in
        bert)
            for window in $windows; do
                name=$text/bert-$window
                [ -e "$name/model" ] || "$isoglot" train --quiet --text "$text/both.txt" --no-sentences --lowercase \
                    --vocab "$text/vocab.txt" --languages all --instances stream --block $((window + 2)) --layers "$layers" \
                    --hidden "$dim" --heads 2 --ffn $((4 * dim)) --updates "$updates" --batch $((4096 / window)) --no-eval \
                    --seed "$seed" --threads "$threads" --out "$name" >/dev/null
                for layer in $(printf "%s\n" 0 $((2 * layers / 3)) "$layers" | uniq); do
                    [ -e "$name-$layer.b.bin" ] || words "$name-$layer" --model "$name" --layer "$layer" --window "$window"
                    tell "$size" "$window" bert "$layer" "$name-$layer"
                done
            done
            ;;
        *)
            # Cooccurrence windows of word2vec and GloVe in words on each side.
            for window in 5 15; do
                name=$text/$method-$window
                if [ ! -e "$name.b.bin" ]; then
                    more="--epochs 20"
                    [ "$method" = word2vec ] || more="--iterations 25"
                    # shellcheck disable=SC2086
                    "$isoglot" embed "$method" --quiet --vocab "$text/vocab.txt" --lowercase --dim "$dim" --window "$window" $more \
                        --min-count 1 --seed $((seed + 1)) --threads "$threads" --whole-lines --out "$name.pieces.bin" \
                        "$text/both.txt" >/dev/null
                    words "$name" --pieces "$name.pieces.bin" --vocab "$text/vocab.txt" --lowercase
                fi
                tell "$size" "$window" "$method" - "$name"
            done
            ;;
        esac
    done
done
