#!/bin/sh
# isoglot-bench, a program of its own: the argument of this test is that one. train: the heads of fine-tuning beside masked
# words, and below the heads the encoder is frozen; ops; spaces.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# Share of the time of an op in the profile that was printed, as a percentage.
share() { sed -n "s/^ *\"$1\": \([0-9.e-]*\),*$/\1/p" "$work/.out" | awk '{printf "%d\n", $1 * 10000}'; }
# The loss is between the two.
want_loss() { # LEAST MOST
    sed -n 's/^ *"loss": \(.*\),$/\1/p' "$work/.out" | awk -v a="$1" -v b="$2" '{ ok = $1 > a && $1 < b } END { exit !ok }' ||
        fail "the loss is not between $1 and $2"
}

# In float32 the products are compared with those of every kernel and every BLAS, which takes most of the time: once is enough.
precision=float32
for head in masked-words next-words tokens bilstm-crf parser pairs; do
    try train --head $head --precision $precision --layers 1 --vocab-size 100 --updates 2 --batch 8 --length 12 --threads 1 --busy-time --profile --json
    want_code 0
    want_err ""
    want_out_has "\"head\": \"$head\""
    for key in tokens_per_second model_gflops gemm_gflops efficiency seconds_per_update loss peak_memory; do
        want_out_has "\"$key\": "
    done
    case $head in
    masked-words | next-words | pairs) [ "$(share attention_grad)" -gt 0 ] || fail "no backward pass through the encoder" ;;
    *) [ "$(share attention_grad)" -eq 0 ] || fail "a backward pass through a frozen encoder" ;;
    esac
    # Efficiency is below what it would be with the fastest products; its parts are all of the time.
    tr -d '\n ' <"$work/.out" | sed 's/.*"bound":{//; s/}.*//; s/"[a-z]*"://g' |
        awk -F, '{ s = $1 + $2 + $3 + $4 + $5; exit !(NF == 6 && s > .999 && s < 1.001 && $1 > 0 && $6 > 0) }' ||
        fail "no bound"
    # From 17 random labels nothing can be learned in a few updates: log 17 = 2.83.
    case $head in
    tokens | bilstm-crf) want_loss 2.5 3.2 ;;
    pairs) want_loss .5 2.5 ;; # log 3 = 1.1
    parser) want_loss 0 100 ;;
    *) want_loss 4 5 ;; # log 100 = 4.6
    esac
    precision=bfloat16
done

try train --preset gpt2 --precision bfloat16 --layers 1 --vocab-size 100 --updates 1 --batch 2 --length 8 --threads 1 --busy-time --json
want_code 0
want_out_has '"head": "next-words"'
want_loss 3 6
try train --preset gpt2 --head pairs
want_error 2 "isoglot-bench train: error: --head: found pairs, expected next-words with gpt2"
try train --head crf
want_error 2 "isoglot-bench train: error: --head: found 'crf', expected one of masked-words, next-words, tokens, bilstm-crf, parser, pairs"

try
want_code 0
try --help
want_code 0
want_out_has "Usage: isoglot-bench COMMAND"
for name in gemm ops spaces train; do
    want_out_has "  $name "
    try $name --help
    want_code 0
    want_out_has "Usage: isoglot-bench $name [OPTIONS]"
    try --help
done

# The rate of every op, by the kernels that are asked for.
ISOGLOT_CPU=portable
export ISOGLOT_CPU
try ops --busy-time --json
want_code 0
for key in kernels threads clock gemm_gflops gemm_kernel ops op shape unit rate ceiling share microseconds; do
    want_out_has "\"$key\": "
done
want_out_has '"kernels": "portable"'
want_out_has '"op": "attention_grad"'

# The time of comparing two spaces.
try spaces --rows 40 --dim 8 --rounds 1 --json
want_code 0
for key in rows dim threads seconds cka retrieval procrustes; do
    want_out_has "\"$key\": "
done
