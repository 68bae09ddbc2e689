#!/bin/sh
# Files of a run made to harm: sizes that overflow, tensors that overlap, keys written twice. Each is one line with the
# file, exit code 3, nothing on standard output.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

try train --quiet --out run --world-sentences 40 --dev-take 10 --vocab-size 100 --preset bert-tiny --updates 1 \
    --batch 16 --no-eval --threads 1
want_code 0
checkpoint=run/checkpoints/step-00000001

refused() { # FILE MESSAGE: what eval says
    try eval run --json --no-train
    want_error 3 "isoglot eval: error: $1: $2"
}

# A file of a header and as many bytes of data.
tensors() { # HEADER BYTES
    [ ${#1} -lt 256 ] || fail "a header of ${#1} bytes"
    # shellcheck disable=SC2059  # the length as an octal escape
    printf "\\$(printf %o ${#1})\\0\\0\\0\\0\\0\\0\\0" >$checkpoint/model.safetensors
    printf '%s' "$1" >>$checkpoint/model.safetensors
    head -c "$2" /dev/zero >>$checkpoint/model.safetensors
}

f=$checkpoint/model.safetensors
cp $f whole.safetensors
: >$f
refused $f "0 bytes, expected a safetensors header"
printf '\377\377\377\377\377\377\377\377{}' >$f
refused $f "header of 18446744073709551615 bytes, expected at most 2 (not a safetensors file, or cut off)"
tensors '{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,16]}}' 16
refused $f 'tensor "a": its size overflows'
tensors '{"a":{"dtype":"F32","shape":[-1,4],"data_offsets":[0,16]}}' 16
refused $f 'tensor "a": dimension 0 is not a count'
tensors '{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,4611686018427387904]}}' 16
refused $f 'tensor "a": bytes 0 to 4611686018427387904, expected within 0 to 16'
tensors '{"a":{"dtype":"F32","shape":[4],"data_offsets":[16,0]}}' 16
refused $f 'tensor "a": bytes 16 to 0, expected within 0 to 16'
tensors '{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,16]}}' 16
refused $f 'tensor "a": 16 bytes, expected 3 values of F32'
tensors '{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},"b":{"dtype":"F32","shape":[4],"data_offsets":[8,24]}}' 24
refused $f 'tensor "b" begins at byte 8, expected 16: tensors overlap'
tensors '{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}' 8
try eval run --json --no-train
want_code 3
grep -q "^isoglot eval: error: $f: header: duplicate object key" .err || fail "no word of the key"
tensors '{"a":{"dtype":"F7","shape":[1],"data_offsets":[0,4]}}' 4
refused $f 'tensor "a": unknown type "F7"'
cp whole.safetensors $f

f=$checkpoint/config.json
cp $f whole.json
changed() { # SED SCRIPT, MESSAGE
    sed "$1" whole.json >$f
    cmp -s whole.json $f && fail "'$1' changed nothing"
    refused $f "$2"
}
changed 's/"hidden_size": [0-9]*/"hidden_size": 33/' "hidden_size is 33, expected a multiple of num_attention_heads (2)"
changed 's/"hidden_size": [0-9]*/"hidden_size": 0/' "hidden_size is 0, expected 1 to 32768"
changed 's/"num_attention_heads": [0-9]*/"num_attention_heads": 0/' "num_attention_heads is 0, expected 1 to 32"
changed 's/"vocab_size": [0-9]*/"vocab_size": 2147483648/' '"vocab_size" is 2147483648, expected 0 to 2147483647'
changed 's/"hidden_size": [0-9]*/"hidden_size": "32"/' '"hidden_size" is not an integer'
changed 's/"hidden_act": "gelu"/"hidden_act": "relu"/' '"hidden_act" is "relu", expected "gelu", "gelu_new" or "gelu_pytorch_tanh"'
printf '{"hidden_size": 32,\n "hidden_size": 32}' >$f
refused $f:2 "duplicate object key near '\"hidden_size\"'"
cp whole.json $f

# Shards: the checks of a header come one after another, so a forged length needs no forged checksum to be seen.
f=run/data/dev.shard
cp $f whole.shard
{ head -c 8 whole.shard && printf '\2' && tail -c +10 whole.shard; } >$f
refused $f "byte 8: version 2, expected 1"
{ head -c 70 whole.shard && printf '\377' && tail -c +72 whole.shard; } >$f
try eval run --json --no-train
want_code 3
grep -q "^isoglot eval: error: $f: byte 64 to the end: checksum is .* damaged file$" .err || fail "no word of the checksum"
{ cat whole.shard && printf x; } >$f
try eval run --json --no-train
want_code 3
grep -q "^isoglot eval: error: $f: byte [0-9]*: file ends, expected [0-9]* bytes in all$" .err || fail "no word of the length"
cp whole.shard $f
try eval run --json --no-train
want_code 0
