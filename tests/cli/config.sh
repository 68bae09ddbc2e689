#!/bin/sh
# Configuration files as a command reads them: each mistake is one line with file, line, found, expected.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

mistake() { # CONTENT LINE-AND-MESSAGE [HINT]
    printf '%b' "$1" >run.yaml
    try train --config run.yaml --out run
    if [ $# -gt 2 ]; then
        want_error 2 "isoglot train: error: run.yaml:$2" "isoglot train: hint: $3"
    else
        want_error 2 "isoglot train: error: run.yaml:$2"
    fi
    [ ! -e run ] || fail "a run folder was made for a bad configuration"
}

mistake 'layers: 2\nhidden: 64\nlayers: 4\n' "3: layers: found twice, expected once (first in line 1)"
mistake '{"layers": 2,\n "hiden": 64}\n' "2: unknown key 'hiden'" "did you mean 'hidden'?"
mistake 'pad_attend: 1\n' "1: pad-attend: found '1', expected true or false"
mistake 'layers: "2"\n' "1: layers: found the text \"2\", expected an integer from 0 to 1000"
mistake '# a run\n\nmask_prob: 2\n' "3: mask-prob: found 2, expected a number from 1e-06 to 1"
mistake 'random_vocab: al\n' \
    "1: random-vocab: found 'al', expected one of all, nonspecial, own" "did you mean 'all'?"
mistake 'config: other.yaml\n' \
    "1: config: found a further configuration file, expected a file name"
mistake 'vocab: a: b\n' "1: not valid YAML: mapping values are not allowed in this context (column 9)"
mistake 'layers: \0377\n' \
    "1: found bytes that are not UTF-8 text (invalid leading UTF-8 octet)"

try train --config nowhere.yaml --out run
want_error 4 "isoglot train: error: nowhere.yaml: cannot open: No such file or directory"
mkdir folder
try train --config folder --out run
want_error 4 "isoglot train: error: folder: found a directory, expected a file"
