/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot vocab overlap: what vocabularies, or texts cut by one vocabulary, have in common.
 */
#include "base/settings/json_text.h"

#include "cli/commands.h"
#include "cli/corpus/corpus_options.h"
#include "cli/print/print.h"
#include "corpus/language/vocab_overlap.h"
#include "text/tokenizer/unknown_pieces.h"

#include <string.h>

enum { MOST = 32 };

typedef struct {
    char *vocab;
    bool lowercase, allow_unknown, json;
    ig_text_config text;
} config;

static const ig_option options[] = {
    {IG_PATH(config, "vocab", vocab, "FILE",
             "the files are texts: what they use of this vocab.txt or tokenizer.json")},
    {IG_FLAG(config, "lowercase", lowercase, NULL,
             "for an uncased vocab.txt: lower case, accents off")},
    {IG_UNKNOWN_OPTION(config, allow_unknown)},
    {IG_FLAG(config, "json", json, NULL, "print the result as JSON")},
    IG_TEXT_OPTIONS(config, text),
};

static ig_code read_file(ig_word_counts *out, const config *c, const ig_tokenizer *t,
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

static ig_code run_vocab_overlap(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    ig_word_counts set[MOST] = {0};
    ig_tokenizer *t = NULL;
    const ig_tokenizer_options how = {.lowercase = c->lowercase};
    ig_code code = c->vocab != NULL ? ig_tokenizer_load(&t, c->vocab, &how, err) : IG_ERR_OK;
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
        "Example:\n"
        "  isoglot vocab overlap en.txt es.txt ru.txt --vocab joint.txt --json",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_vocab_overlap,
};
