/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot tokenize: lines of text to lines of word pieces or their ids.
 */
#include "base/file.h"

#include "cli/commands.h"
#include "corpus/read/token_lines.h"
#include "text/tokenizer/unknown_pieces.h"

typedef struct {
    char *vocab;
    ig_token_format format;
    bool lowercase, pieces;
    int threads;
} config;

static const ig_option options[] = {
    {IG_PATH(config, "vocab", vocab, "FILE",
             "vocab.txt, a piece a line, or tokenizer.json; a folder: the model's tokenizer")},
    {IG_FLAG(config, "lowercase", lowercase, NULL,
             "for an uncased vocabulary: lower case, accents off")},
    {IG_FLAG(config, "ids", format.ids, NULL, "write ids")},
    {IG_FLAG(config, "pieces", pieces, NULL, "write pieces (default)")},
    {IG_FLAG(config, "special", format.special, NULL,
             "write the special tokens around each line, [CLS] and [SEP] or the tokenizer's own")},
    {IG_FLAG(config, "pair", format.pair, NULL,
             "with --special: each line is two texts with a tab between them")},
    {IG_FLAG(config, "json", format.json, NULL,
             "write each line as a JSON object with its pieces or ids")},
    {IG_UNKNOWN_OPTION(config, format.allow_unknown)},
    {IG_INT(config, "threads", threads, "1", 0, 1024, "threads; 0: all processors")},
};

static ig_code one_file(const char *path, const ig_tokenizer *t, const ig_token_format *format,
                        ig_team *team, ig_err *err)
{
    ig_line_reader *in;
    IG_TRY(ig_line_open(&in, path, err));
    ig_code code = ig_token_lines(in, t, format, team, err);
    ig_line_close(in);
    return code;
}

static ig_code run_tokenize(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    ig_tokenizer_options o = {.lowercase = c->lowercase};
    ig_tokenizer *t = NULL;
    ig_team *team = NULL;
    if (c->format.ids && c->pieces)
        return ig_fail(err, IG_ERR_USAGE, "--pieces", 0,
                       "found beside --ids, expected one of the two");
    if (c->vocab == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--vocab", 0,
                       "not given, expected the path of a vocab.txt or tokenizer.json");
    if (c->format.pair && !c->format.special)
        return ig_fail(err, IG_ERR_USAGE, "--pair", 0, "found alone, expected --special with it");
    ig_code code = ig_dir_exists(c->vocab) ? ig_tokenizer_open(&t, c->vocab, &o, err)
                                           : ig_tokenizer_load(&t, c->vocab, &o, err);
    IG_THEN(code, ig_team_new(&team, c->threads, err));
    if (code == IG_ERR_OK && n_arg == 0)
        code = one_file("-", t, &c->format, team, err);
    for (int i = 0; i < n_arg && code == IG_ERR_OK; i++)
        code = one_file(arg[i], t, &c->format, team, err);
    ig_team_free(team);
    ig_tokenizer_free(t);
    return code;
}

const ig_command ig_cmd_tokenize = {
    .name = "tokenize",
    .summary = "cut lines of text into word pieces, as BERT does",
    .args = "[FILE…]",
    .max_arg = -1,
    .details =
        "Reads standard input or files, plain or compressed, and writes a line for each line: "
        "pieces or ids, separated by one space; with --json an object, {\"pieces\": [\"the\", "
        "\"##m\"]} or {\"ids\": [12, 40]}. The output is that of Hugging Face's BertTokenizer, "
        "or of the tokenizer.json, which brings its own --lowercase, or of a model folder as "
        "AutoTokenizer opens it.\nExamples:\n"
        "  isoglot tokenize --vocab xlm-roberta-base --special --pair < pairs.tsv\n"
        "  isoglot tokenize --vocab vocab.txt --lowercase --ids < text.txt > ids.txt",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_tokenize,
};
