/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot vocab: trains a vocabulary of any kind.
 */
#include "base/file.h"

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/corpus/corpus_options.h"
#include "cli/print/print.h"
#include "isoglot/tokenizer.h"

#include <string.h>

typedef struct {
    ig_wordpiece_options o;
    bool json;
    char *out;
    ig_text_config text;
} config;

static const ig_option options[] = {
    {IG_ENUM(config, "model", o.model, "wordpiece", ig_vocab_model_names,
             "what is trained (docs/tokenizer.md)")},
    {IG_INT(config, "size", o.size, "30000", 6, 100000000,
            "pieces, the five special tokens among them")},
    {IG_INT(config, "min-frequency", o.min_frequency, "2", 1, 9e15,
            "merge only pairs that occur so often")},
    {IG_INT(config, "limit-alphabet", o.limit_alphabet, "1000", 0, 2000000,
            "keep the N most frequent characters; 0: all")},
    {IG_INT(config, "max-words", o.max_words, "8388608", 1, 1e9,
            "distinct words that are trained on: the most frequent")},
    {IG_FLAG(config, "lowercase", o.lowercase, NULL,
             "an uncased vocabulary: lower case, accents off")},
    {IG_FLAG(config, "keep-controls", o.keep_controls, NULL,
             "do not remove control characters (clean_text=False)")},
    {IG_PATH(config, "out", out, "FILE",
             "write vocab.txt there instead of to standard output; NAME.json: a tokenizer.json")},
    {IG_INT(config, "threads", o.n_thread, "1", 0, 1024,
            "threads; 0: all processors; the result is the same for any number")},
    {IG_FLAG(config, "json", json, NULL, "print the summary as one JSON object (with --out)")},
    IG_TEXT_OPTIONS(config, text),
};

static ig_code next_sentence(void *source, const char **line, int64_t *n, ig_err *err)
{
    return ig_sentences_next(source, line, n, err);
}

static const char *why_fewer(const config *c, const ig_wordpiece_report *r)
{
    switch (c->o.model) {
    case IG_VOCAB_CHARS:
        return r->n_char_left_out > 0 ? "--limit-alphabet leaves out the other characters"
                                      : "the text has no more characters";
    case IG_VOCAB_WORDS:
        return "the text has no more words";
    case IG_VOCAB_UNIGRAM:
        return "the text gives no more";
    case IG_VOCAB_UNIGRAM_WORDPIECE:
        return r->n_piece == c->o.size - 1 ? "the mark of a word's beginning, alone, is none of "
                                             "WordPiece's"
                                           : "the text gives no more";
    case IG_VOCAB_WORDPIECE:
    case IG_VOCAB_BPE:
        break;
    }
    return "no pair is frequent enough any more";
}

static ig_code print_summary(const config *c, const ig_wordpiece_report *r, ig_err *err)
{
    json_t *j;
    if (!c->json) {
        printf("%d pieces: 5 special tokens, %d character%s", (int)r->n_piece, (int)r->n_char,
               r->n_char == 1 ? "" : "s");
        if (r->n_char_left_out > 0)
            printf(" (%d rarer one%s left out)", (int)r->n_char_left_out,
                   r->n_char_left_out == 1 ? "" : "s");
        printf(", %lld merge%s", (long long)r->n_merge, r->n_merge == 1 ? "" : "s");
        if (r->n_merge > 0)
            printf(", the last of a pair that occurs %lld time%s", (long long)r->last_count,
                   r->last_count == 1 ? "" : "s");
        printf("\n%lld line%s, %lld word%s, %lld distinct", (long long)r->n_line,
               r->n_line == 1 ? "" : "s", (long long)r->n_word, r->n_word == 1 ? "" : "s",
               (long long)r->n_type);
        if (r->n_rare > 0)
            printf(", the rarest %lld left out", (long long)r->n_rare);
        printf("\n");
        if (r->n_piece < c->o.size)
            printf("fewer than %d pieces: %s\n", c->o.size, why_fewer(c, r));
        return IG_ERR_OK;
    }
    j = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "pieces",
                  (json_int_t)r->n_piece, "characters", (json_int_t)r->n_char,
                  "characters_left_out", (json_int_t)r->n_char_left_out, "merges",
                  (json_int_t)r->n_merge, "last_count", (json_int_t)r->last_count, "lines",
                  (json_int_t)r->n_line, "bytes", (json_int_t)r->n_byte, "words",
                  (json_int_t)r->n_word, "types", (json_int_t)r->n_type, "types_left_out",
                  (json_int_t)r->n_rare, "words_too_long", (json_int_t)r->n_long);
    return ig_json_print(j, err);
}

static ig_code train(const config *c, int n_arg, char *const *arg, ig_tokenizer **out,
                     ig_wordpiece_report *report, ig_err *err)
{
    static const char *const standard_input[] = {"-"};
    ig_sentence_options text;
    IG_TRY(ig_text_config_resolve(&text, &c->text, err));
    ig_sentences *s;
    if (text.take == 0)
        text.whole_lines = true; /* words are the same however the text is broken into sentences */
    IG_TRY(ig_sentences_open(&s, n_arg > 0 ? (const char *const *)arg : standard_input,
                             n_arg > 0 ? n_arg : 1, &text, err));
    ig_code code = ig_vocab_train(out, next_sentence, s, &c->o, report, err);
    ig_err_at(err, ig_sentences_where(s));
    ig_sentences_close(s);
    return code;
}

/* Whether a tokenizer.json is written; on standard output where a vocab.txt would not do. */
static bool is_json(const config *c)
{
    const size_t n = c->out != NULL ? strlen(c->out) : 0;
    return (n > 5 && strcmp(c->out + n - 5, ".json") == 0) ||
           (n == 1 && c->out[0] == '-' &&
            (c->o.model == IG_VOCAB_BPE || c->o.model == IG_VOCAB_UNIGRAM));
}

static ig_code write_out(const config *c, const ig_tokenizer *t, ig_err *err)
{
    char *text;
    int64_t n;
    if (is_json(c))
        return ig_tokenizer_json_write(t, c->out, err);
    IG_TRY(ig_tokenizer_vocab_text(t, &text, &n, err));
    const ig_code code = ig_file_write(c->out, text, n, err);
    ig_free(text);
    return code;
}

static ig_code run_vocab(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    ig_wordpiece_report report = {0};
    ig_tokenizer *t = NULL;
    if (c->json && c->out == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--json", 0,
                       "found without --out, which says where the vocabulary goes");
    if ((c->o.model == IG_VOCAB_BPE || c->o.model == IG_VOCAB_UNIGRAM) && !is_json(c))
        return ig_fail(err, IG_ERR_USAGE, "--out", 0,
                       "%s, expected NAME.json: a vocab.txt does not say how %s cuts words",
                       c->out != NULL ? c->out : "not given", ig_vocab_model_names[c->o.model]);
    IG_TRY(ig_out_try(c->out, err));
    ig_code code = train(c, n_arg, arg, &t, &report, err);
    IG_THEN(code, write_out(c, t, err));
    if (code == IG_ERR_OK && c->out != NULL)
        code = print_summary(c, &report, err);
    ig_tokenizer_free(t);
    return code;
}

const ig_command ig_cmd_vocab = {
    .name = "vocab",
    .summary = "train a vocabulary on text",
    .args = "[FILE…]",
    .max_arg = -1,
    .details =
        "Reads standard input or files, plain or compressed. Special tokens, characters, then "
        "merges of the most frequent pairs; ties by id (docs/tokenizer.md). Example, a "
        "vocabulary as Dufter & Schütze 2020 trained theirs:\n"
        "  isoglot vocab eng-bbe.tsv.zst --ids NT --strip-quotes --size 2048 --limit-alphabet 0\n"
        "    --keep-controls --out vocab.txt",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_vocab,
};
