/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot corpus sentences, corpus stats, tokenize: the sentences of texts, one a line; types,
 * tokens, lengths, Zipf exponent and entropies of texts, side by side; lines of text to lines of
 * word pieces or their ids.
 */
#include "base/file.h"
#include "base/settings/options.h"
#include "cli/commands.h"
#include "cli/corpus/corpus_options.h"
#include "cli/print/print.h"
#include "corpus/read/sentences.h"
#include "corpus/read/token_lines.h"
#include "text/tokenizer/unknown_pieces.h"

#include <string.h>

/* --- sentences -------------------------------------------------------------------------------- */

typedef struct {
    ig_text_config text;
    char *out;
    bool json;
} sentences_config;

static const ig_option sentences_options[] = {
    IG_TEXT_OPTIONS(sentences_config, text),
    {IG_PATH(sentences_config, "out", out, "FILE", "write there instead of to standard output")},
    {IG_FLAG(sentences_config, "json", json, NULL,
             "write each sentence as a JSON object with its text")},
};

static ig_code run_corpus_sentences(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const sentences_config *c = settings;
    ig_sentence_options o;
    IG_TRY(ig_text_config_resolve(&o, &c->text, err));
    ig_sentences *s = NULL;
    ig_out out = {0};
    const char *text;
    int64_t n;
    ig_code code = ig_sentences_open(&s, (const char *const *)arg, n_arg, &o, err);
    IG_THEN(code, ig_out_new(&out, c->out, err));
    while (code == IG_ERR_OK && (code = ig_sentences_next(s, &text, &n, err)) == IG_ERR_OK &&
           text != NULL) {
        if (c->json)
            code =
                ig_json_line(json_pack("{s:s%}", "text", text, (size_t)n), out.fp, out.path, err);
        else
            code = ig_out_write(&out, text, n, err);
        if (!c->json)
            IG_THEN(code, ig_out_write(&out, "\n", 1, err));
    }
    ig_sentences_close(s);
    return ig_out_close(&out, code, err);
}

const ig_command ig_cmd_corpus_sentences = {
    .name = "corpus sentences",
    .summary = "print the sentences of texts, one a line",
    .args = "FILE…",
    .details =
        "Reads plain text or verses, plain or compressed (gzip, bzip2, xz, zstd), and - for "
        "standard input. With --json each line is an object: {\"text\": \"In the beginning.\"}. "
        "Example, the New Testament as Dufter & Schütze 2020 prepared theirs:\n"
        "  isoglot corpus sentences eng-bbe.tsv.zst --ids NT --strip-quotes",
    IG_COMMAND_OPTIONS(sentences_options, sentences_config),
    .run = run_corpus_sentences,
};

/* --- stats ------------------------------------------------------------------------------------ */

enum { MOST = 32 };

typedef struct {
    bool json, reference;
} stats_config;

static const ig_option stats_options[] = {
    {.group = "Output", IG_FLAG(stats_config, "json", json, NULL, "print the result as JSON")},
    {IG_FLAG(stats_config, "reference", reference, NULL,
             "one more column: the New Testament of the Bible in Basic English")},
};

static ig_code file_measure(const char *path, ig_text_stats *out, ig_err *err)
{
    const ig_sentence_options whole = {.whole_lines = true};
    const char *line;
    int64_t n;
    ig_sentences *s = NULL;
    ig_text_counter *c = NULL;
    ig_code code = ig_sentences_open(&s, &path, 1, &whole, err);
    IG_THEN(code, ig_text_counter_new(&c, err));
    while (code == IG_ERR_OK && (code = ig_sentences_next(s, &line, &n, err)) == IG_ERR_OK &&
           line != NULL)
        code = ig_text_counter_add(c, line, n, err);
    IG_THEN(code, ig_text_counter_finish(c, out, err));
    ig_text_counter_free(c);
    ig_sentences_close(s);
    return code;
}

static ig_code run_corpus_stats(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const stats_config *c = settings;
    const char *name[MOST + 1];
    ig_text_stats stats[MOST + 1];
    for (int i = 0; i < n_arg; i++) {
        const char *slash = strrchr(arg[i], '/');
        name[i] = slash != NULL && !c->json ? slash + 1 : arg[i];
        IG_TRY(file_measure(arg[i], &stats[i], err));
    }
    int n = n_arg;
    if (c->reference) {
        name[n] = "BBE-NT";
        stats[n++] = ig_text_stats_bbe_nt;
    }
    if (!c->json)
        return ig_stats_print(name, stats, n, err);
    json_t *j = ig_stats_json(name, stats, n);
    return ig_json_print(j, err);
}

const ig_command ig_cmd_corpus_stats = {
    .name = "corpus stats",
    .summary = "types, tokens, sentence lengths, Zipf exponent and entropies of texts",
    .args = "FILE …",
    .min_arg = 1,
    .max_arg = MOST,
    .details =
        "A file is text, a sentence a line, or verses; it may be compressed; - is standard "
        "input. Tokens are words and single punctuation\n"
        "characters, case folded; the exponent is the maximum-likelihood one over all ranks; the "
        "bigram entropy is H(next | token) within the sentence, its first token given the start, "
        "estimated by plain counts.",
    IG_COMMAND_OPTIONS(stats_options, stats_config),
    .run = run_corpus_stats,
};

/* --- tokenize --------------------------------------------------------------------------------- */

typedef struct {
    char *vocab;
    ig_token_format format;
    bool lowercase, pieces;
    int threads;
} tokenize_config;

static const ig_option tokenize_options[] = {
    {IG_PATH(tokenize_config, "vocab", vocab, "FILE",
             "vocab.txt, a piece a line, or tokenizer.json; a folder: the model's tokenizer")},
    {IG_FLAG(tokenize_config, "lowercase", lowercase, NULL,
             "for an uncased vocabulary: lower case, accents off")},
    {IG_FLAG(tokenize_config, "ids", format.ids, NULL, "write ids")},
    {IG_FLAG(tokenize_config, "pieces", pieces, NULL, "write pieces (default)")},
    {IG_FLAG(tokenize_config, "special", format.special, NULL,
             "write the special tokens around each line, [CLS] and [SEP] or the tokenizer's own")},
    {IG_FLAG(tokenize_config, "pair", format.pair, NULL,
             "with --special: each line is two texts with a tab between them")},
    {IG_FLAG(tokenize_config, "json", format.json, NULL,
             "write each line as a JSON object with its pieces or ids")},
    {IG_UNKNOWN_OPTION(tokenize_config, format.allow_unknown)},
    {IG_INT(tokenize_config, "threads", threads, "0", 0, 1024, "threads; 0: all processors")},
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
    const tokenize_config *c = settings;
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
    .details =
        "Reads standard input or files, plain or compressed, and writes a line for each line: "
        "pieces or ids, separated by one space; with --json an object, {\"pieces\": [\"the\", "
        "\"##m\"]} or {\"ids\": [12, 40]}. The output is that of Hugging Face's BertTokenizer, "
        "or of the tokenizer.json, which brings its own --lowercase, or of a model folder as "
        "AutoTokenizer opens it.\nExamples:\n"
        "  isoglot tokenize --vocab xlm-roberta-base --special --pair < pairs.tsv\n"
        "  isoglot tokenize --vocab vocab.txt --lowercase --ids < text.txt > ids.txt",
    IG_COMMAND_OPTIONS(tokenize_options, tokenize_config),
    .run = run_tokenize,
};
