/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot vocab, vocab overlap: trains a vocabulary of any kind; what vocabularies, or texts cut by
 * one vocabulary, have in common.
 */
#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "cli/commands.h"
#include "cli/corpus/corpus_options.h"
#include "cli/print/print.h"
#include "corpus/language/vocab_overlap.h"
#include "corpus/read/parallel_text.h"
#include "isoglot/tokenizer.h"
#include "text/tokenizer/unknown_pieces.h"

#include <string.h>

/* --- vocab ------------------------------------------------------------------------------------ */

typedef struct {
    ig_wordpiece_options o;
    bool json;
    char *out;
    ig_text_config text;
} vocab_config;

static const ig_option vocab_options[] = {
    {.old = "model",
     IG_ENUM(vocab_config, "vocab-model", o.model, "wordpiece", ig_vocab_model_names,
             "what is trained (docs/tokenizer.md)")},
    {IG_INT(vocab_config, "size", o.size, "30000", 6, 100000000,
            "pieces, the five special tokens among them")},
    {IG_INT(vocab_config, "min-frequency", o.min_frequency, "2", 1, 9e15,
            "merge only pairs that occur so often")},
    {IG_INT(vocab_config, "limit-alphabet", o.limit_alphabet, "1000", 0, 2000000,
            "keep the N most frequent characters; 0: all")},
    {IG_INT(vocab_config, "max-words", o.max_words, "8388608", 1, 1e9,
            "distinct words that are trained on: the most frequent")},
    {IG_FLAG(vocab_config, "lowercase", o.lowercase, NULL,
             "an uncased vocabulary: lower case, accents off")},
    {IG_FLAG(vocab_config, "keep-controls", o.keep_controls, NULL,
             "do not remove control characters (clean_text=False)")},
    {IG_PATH(vocab_config, "out", out, "FILE",
             "write vocab.txt there instead of to standard output; NAME.json: a tokenizer.json")},
    {IG_INT(vocab_config, "threads", o.n_thread, "0", 0, 1024,
            "threads; 0: all processors; the result is the same for any number")},
    {IG_FLAG(vocab_config, "json", json, NULL,
             "print the summary as one JSON object (with --out)")},
    IG_TEXT_OPTIONS(vocab_config, text),
};

static ig_code next_sentence(void *source, const char **line, int64_t *n, ig_err *err)
{
    return ig_sentences_next(source, line, n, err);
}

static const char *why_fewer(const vocab_config *c, const ig_wordpiece_report *r)
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

static ig_code print_summary(const vocab_config *c, const ig_wordpiece_report *r, ig_err *err)
{
    json_t *j;
    if (!c->json) {
        printf("%d pieces: 5 special tokens, %d character%s", (int)r->n_piece, (int)r->n_char,
               ig_s(r->n_char));
        if (r->n_char_left_out > 0)
            printf(" (%d rarer one%s left out)", (int)r->n_char_left_out, ig_s(r->n_char_left_out));
        printf(", %lld merge%s", (long long)r->n_merge, ig_s(r->n_merge));
        if (r->n_merge > 0)
            printf(", the last of a pair that occurs %lld time%s", (long long)r->last_count,
                   ig_s(r->last_count));
        printf("\n%lld line%s, %lld word%s, %lld distinct", (long long)r->n_line, ig_s(r->n_line),
               (long long)r->n_word, ig_s(r->n_word), (long long)r->n_type);
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

static ig_code train(const vocab_config *c, int n_arg, char *const *arg, ig_tokenizer **out,
                     ig_wordpiece_report *report, ig_err *err)
{
    ig_sentence_options text;
    IG_TRY(ig_text_config_resolve(&text, &c->text, err));
    ig_sentences *s;
    if (text.take == 0)
        text.whole_lines = true; /* words are the same however the text is broken into sentences */
    IG_TRY(ig_sentences_open(&s, (const char *const *)arg, n_arg, &text, err));
    ig_code code = ig_vocab_train(out, next_sentence, s, &c->o, report, err);
    ig_err_at(err, ig_sentences_where(s));
    ig_sentences_close(s);
    return code;
}

/* Returns whether a tokenizer.json is written; on standard output where a vocab.txt would not do.
 */
static bool is_json(const vocab_config *c)
{
    const size_t n = c->out != NULL ? strlen(c->out) : 0;
    return (n > 5 && strcmp(c->out + n - 5, ".json") == 0) ||
           (n == 1 && c->out[0] == '-' &&
            (c->o.model == IG_VOCAB_BPE || c->o.model == IG_VOCAB_UNIGRAM));
}

static ig_code write_out(const vocab_config *c, const ig_tokenizer *t, ig_err *err)
{
    IG_OWNED char *text = NULL;
    int64_t n;
    if (is_json(c))
        return ig_tokenizer_json_write(t, c->out, err);
    IG_TRY(ig_tokenizer_vocab_text(t, &text, &n, err));
    return ig_file_write(c->out, text, n, err);
}

static ig_code run_vocab(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const vocab_config *c = settings;
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
    .details =
        "Reads standard input or files, plain or compressed. Special tokens, characters, then "
        "merges of the most frequent pairs; ties by id (docs/tokenizer.md). Example, a "
        "vocabulary as Dufter & Schütze 2020 trained theirs:\n"
        "  isoglot vocab eng-bbe.tsv.zst --ids NT --strip-quotes --size 2048 --limit-alphabet 0\n"
        "    --keep-controls --out vocab.txt",
    IG_COMMAND_OPTIONS(vocab_options, vocab_config),
    .run = run_vocab,
};

/* --- overlap ---------------------------------------------------------------------------------- */

enum { MOST = 32 };

typedef struct {
    char *vocab;
    bool lowercase, similar, allow_unknown, json;
    ig_text_config text;
} overlap_config;

static const ig_option overlap_options[] = {
    {IG_PATH(overlap_config, "vocab", vocab, "FILE",
             "the files are texts: what they use of this vocab.txt or tokenizer.json")},
    {IG_FLAG(overlap_config, "lowercase", lowercase, NULL,
             "for an uncased vocab.txt: lower case, accents off")},
    {IG_FLAG(
        overlap_config, "similar", similar, NULL,
        "two parallel texts: the pieces that both use, those used in the same sentences first")},
    {IG_UNKNOWN_OPTION(overlap_config, allow_unknown)},
    {IG_FLAG(overlap_config, "json", json, NULL, "print the result as JSON")},
    IG_TEXT_OPTIONS(overlap_config, text),
};

static ig_code read_file(ig_word_counts *out, const overlap_config *c, const ig_tokenizer *t,
                         const char *path, ig_err *err)
{
    ig_code code;
    if (t != NULL) {
        ig_sentences *s;
        ig_sentence_options o;
        IG_TRY(ig_text_config_resolve(&o, &c->text, err));
        IG_TRY(ig_sentences_open(&s, &path, 1, &o, err));
        code = ig_piece_set_of_text(out, t, s, c->allow_unknown, err);
        ig_sentences_close(s);
        return code;
    }
    ig_tokenizer *own;
    const ig_tokenizer_options how = {.lowercase = c->lowercase};
    IG_TRY(ig_tokenizer_load(&own, path, &how, err));
    code = ig_piece_set_of_vocab(out, own, err);
    ig_tokenizer_free(own);
    return code;
}

static ig_code print_json(char *const *name, const ig_word_counts *set, int n, bool texts,
                          ig_err *err)
{
    json_t *files = json_array(), *pairs = json_array();
    for (int i = 0; i < n; i++) {
        json_t *f = json_pack("{s:s, s:I}", "file", name[i], "pieces", (json_int_t)set[i].words.n);
        if (texts)
            json_object_set_new(f, "tokens", json_integer(ig_word_counts_total(&set[i])));
        json_array_append_new(files, f);
        for (int k = i + 1; k < n; k++) {
            const ig_overlap o = ig_piece_set_overlap(&set[i], &set[k]);
            json_t *p =
                json_pack("{s:s, s:s, s:I, s:o, s:o, s:o}", "a", name[i], "b", name[k], "shared",
                          (json_int_t)o.shared, "jaccard", ig_json_number(o.jaccard), "share_a",
                          ig_json_number(o.share_a), "share_b", ig_json_number(o.share_b));
            if (texts) {
                json_object_set_new(p, "tokens_a", ig_json_number(o.tokens_a));
                json_object_set_new(p, "tokens_b", ig_json_number(o.tokens_b));
            }
            json_array_append_new(pairs, p);
        }
    }
    return ig_json_print(json_pack("{s:o, s:o}", "files", files, "pairs", pairs), err);
}

static ig_code print_table(char *const *name, const ig_word_counts *set, int n, bool texts,
                           ig_err *err)
{
    ig_table *t;
    IG_TRY(ig_table_new(&t, "overlap", NULL, NULL, err));
    ig_table_add_row_head(t, "a", "a");
    ig_table_add_row_head(t, "b", "b");
    static const char *const head[] = {"pieces a", "pieces b", "shared",   "Jaccard",
                                       "of a",     "of b",     "tokens a", "tokens b"};
    const int n_column = texts ? 8 : 6;
    for (int k = 0; k < n_column; k++)
        ig_table_add_column(t, head[k], head[k], NULL, IG_TABLE_NUMBER);
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k < n; k++) {
            const ig_overlap o = ig_piece_set_overlap(&set[i], &set[k]);
            const double value[] = {(double)set[i].words.n,
                                    (double)set[k].words.n,
                                    (double)o.shared,
                                    o.jaccard,
                                    o.share_a,
                                    o.share_b,
                                    o.tokens_a,
                                    o.tokens_b};
            const char *const file[] = {name[i], name[k]};
            const int64_t row = ig_table_add_row(t, IG_ROW_BODY, NULL);
            for (int f = 0; f < 2; f++) {
                const char *slash = strrchr(file[f], '/');
                ig_table_text(t, row, f, slash != NULL ? slash + 1 : file[f]);
            }
            for (int v = 0; v < n_column; v++)
                ig_table_number(t, row, v + 2, value[v], v < 3 ? 0 : 3);
        }
    return ig_table_print(t, err);
}

/* "PIECE TAB SIMILARITY TAB sentences of a, of b, of both", a list as `anchors=` of a language
 * takes. */
static ig_code print_similar(const ig_tokenizer *t, char *const file[2], ig_err *err)
{
    ig_parallel *p = NULL;
    IG_OWNED ig_piece_use *use = NULL;
    int32_t n = 0;
    IG_TRY(ig_parallel_open(&p, file[0], file[1], NULL, err));
    const ig_code code = ig_piece_uses(&use, &n, t, p, err);
    for (int32_t i = 0; i < n && code == IG_ERR_OK; i++)
        printf("%s\t%.4f\t%lld\t%lld\t%lld\n", ig_tokenizer_piece(t, use[i].piece),
               ig_piece_similarity(&use[i]), (long long)use[i].a, (long long)use[i].b,
               (long long)use[i].both);
    ig_parallel_close(p);
    return code;
}

static ig_code run_vocab_overlap(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const overlap_config *c = settings;
    ig_word_counts set[MOST] = {0};
    ig_tokenizer *t = NULL;
    const ig_tokenizer_options how = {.lowercase = c->lowercase};
    if (c->similar && (c->vocab == NULL || n_arg != 2 || c->json))
        return ig_fail(err, IG_ERR_USAGE, "--similar", 0,
                       "found %d files%s%s, expected two texts and --vocab, without --json", n_arg,
                       c->vocab == NULL ? " and no --vocab" : "", c->json ? " and --json" : "");
    ig_code code = c->vocab != NULL ? ig_tokenizer_load(&t, c->vocab, &how, err) : IG_ERR_OK;
    if (code == IG_ERR_OK && c->similar) {
        code = print_similar(t, arg, err);
        ig_tokenizer_free(t);
        return code;
    }
    for (int i = 0; i < n_arg && code == IG_ERR_OK; i++)
        code = read_file(&set[i], c, t, arg[i], err);
    IG_THEN(code, c->json ? print_json(arg, set, n_arg, t != NULL, err)
                          : print_table(arg, set, n_arg, t != NULL, err));
    for (int i = 0; i < n_arg; i++)
        ig_word_counts_free(&set[i]);
    ig_tokenizer_free(t);
    return code;
}

const ig_command ig_cmd_vocab_overlap = {
    .name = "vocab overlap",
    .summary = "overlap of vocabularies, or of texts under one vocabulary",
    .args = "FILE FILE …",
    .min_arg = 2,
    .max_arg = MOST,
    .details =
        "Every two files: pieces of each and of both, Jaccard index, shares; with --vocab also "
        "the share of each text's tokens that are pieces of both. Special tokens do not count. "
        "With --similar, a list of pieces by how similarly two parallel texts use them, of which a "
        "language's anchors can be taken: of the sentences that have a piece on either side, 2 "
        "both "
        "/ (a + b) have it on both. "
        "Examples:\n"
        "  isoglot vocab overlap en.txt es.txt ru.txt --vocab joint.txt --json\n"
        "  isoglot vocab overlap en.txt es.txt --vocab joint.txt --similar | head -n 500 >anchors",
    IG_COMMAND_OPTIONS(overlap_options, overlap_config),
    .run = run_vocab_overlap,
};
