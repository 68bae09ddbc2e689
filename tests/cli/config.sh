#!/bin/sh
# Configuration files as a command reads them: each mistake is one line with file, line, found, expected.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

mistake() { # CONTENT LINE-AND-MESSAGE [HINT]
    printf '%b' "$1" >run.yaml
    try train --config run.yaml --out run
    if [ $# -gt 2 ]; then
        want_error 2 "isoglot train: error: run.yaml:$2" "$3"
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
    "1: found bytes that are not UTF-8 text (invalid leading UTF-8 octet)" \
    "if it is Latin-1: iconv -f LATIN1 -t UTF-8 FILE >NEW"

try train --config nowhere.yaml --out run
want_error 4 "isoglot train: error: nowhere.yaml: cannot open: No such file or directory"
mkdir folder
try train --config folder --out run
want_error 4 "isoglot train: error: folder: found a directory, expected a file"

# Tabs, line ends, lists, empty values, documents.
mistake '\tlayers: 2\n' "1: not valid YAML: found character that cannot start any token (column 1)" \
    "the line begins with a tab; YAML is indented with spaces"
mistake 'layers: 2\r\nhidden: 32\r\nfoo: 3\r\n' "3: unknown key 'foo'"
mistake 'layers: [1]\n' "1: layers: found a list, expected an integer from 0 to 1000"
mistake 'eval_layers: [0, x]\n' "1: eval-layers: found 'x', expected at most 256 integers from 0 to 1000, such as 0,8"
mistake 'layers: 99999999999999999999\n' "1: layers: found '99999999999999999999', expected an integer from 0 to 1000"
mistake 'lr: .nan\n' "1: lr: found '.nan', expected a number from 0 to 100"
mistake 'layers: null\n' "1: layers: found null, expected an integer from 0 to 1000"
mistake 'pad_attend: true\npad-attend: true\n' "2: pad-attend: found twice, expected once (first in line 1)"
mistake 'a: &x 1\n' "1: found an anchor or a tag, expected one value"
mistake 'layers: !!int 2\n' "1: found an anchor or a tag, expected one value"
mistake '{"layers": 2\n' "2: not valid YAML: did not find expected ',' or '}' (column 1)"
mistake '[]\n' "1: found a list, expected lines of 'key: value'"
mistake 'world: bibel\n' "1: world: found 'bibel', expected one of bible, demo, tasks" "did you mean 'bible'?"

# Twice on the command line, a file that is none, and one that is too long.
printf 'layers: 2\n' >run.yaml
try train --config run.yaml --config run.yaml
want_error 2 "isoglot train: error: --config: found twice, expected once"
try train --layers 2 --hidden 3 --layers 2
want_error 2 "isoglot train: error: --layers: found twice, expected once"
try train --layers=
want_error 2 "isoglot train: error: --layers: found '', expected an integer from 0 to 1000"
try train --config /dev/zero
want_error 4 "isoglot train: error: /dev/zero: found a pipe or a device, expected a file"
head -c 1048577 /dev/zero | tr '\0' '#' >long.yaml
try train --config long.yaml
want_error 3 "isoglot train: error: long.yaml: 1048577 bytes, expected at most 1048576"

# An empty file, or one of comments, says nothing and is no mistake; the command line wins over a file.
for content in '' '# nothing\n'; do
    printf '%b' "$content" >run.yaml
    try train --config run.yaml --dry-run --preset bert-tiny --world-sentences 20 --dev-take 5 --updates 1 --vocab-size 80
    want_code 0
done
printf '\357\273\277preset: bert-tiny\r\nworld_sentences: 20\r\ndev_take: 5\r\nupdates: 1\r\nvocab_size: 80\r\nseed: 3\r\n' >run.yaml
try train --config run.yaml --dry-run --seed 4 --json
want_code 0
want_out_has '"world_sentences": 20'
want_out_has '"seed": 4'
