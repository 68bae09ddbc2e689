/* SPDX-License-Identifier: Apache-2.0
 *
 * Vocabularies as files of a run's data: see run_vocabulary.h.
 */
#include "run/data/run_vocabulary.h"

#include "base/file.h"
#include "base/memory.h"
#include "text/train/word_counts.h"

enum { VOCAB_MAX = 1 << 30 };

static ig_code special_token(const ig_tokenizer *t, const char *piece, int32_t *id,
                             const char *where, ig_err *err)
{
    *id = ig_tokenizer_id(t, piece);
    if (*id < 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "no piece %s, which masked language models need", piece);
    return IG_ERR_OK;
}

ig_code ig_run_vocabulary_load(ig_tokenizer **out, const ig_run_tokens *k, const char *path,
                               ig_err *err)
{
    const ig_tokenizer_options how = {.lowercase = k->lowercase};
    return ig_tokenizer_load(out, path, &how, err);
}

ig_code ig_run_vocabulary_check(const ig_run_tokens *k, ig_err *err)
{
    ig_tokenizer *t;
    int32_t id;
    if (k->vocab == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_run_vocabulary_load(&t, k, k->vocab, err));
    ig_code code = special_token(t, "[MASK]", &id, k->vocab, err);
    ig_tokenizer_free(t);
    return code;
}

/* Writes a text and frees it. */
static ig_code put(const char *path, char *text, int64_t n, ig_err *err)
{
    ig_code code = ig_file_write(path, text, n, err);
    ig_free(text);
    return code;
}

ig_code ig_run_vocabulary_copy(const ig_run_tokens *k, const char *path, ig_err *err)
{
    char *text;
    int64_t n;
    IG_TRY(ig_file_read(&text, &n, k->vocab, VOCAB_MAX, err));
    return put(path, text, n, err);
}

static ig_code write_pieces(const ig_tokenizer *t, const char *path, ig_err *err)
{
    char *text;
    int64_t n;
    if (ig_tokenizer_get_kind(t) != IG_TOKENIZER_WORDPIECE)
        return ig_tokenizer_json_write(t, path, err);
    IG_TRY(ig_tokenizer_vocab_text(t, &text, &n, err));
    return put(path, text, n, err);
}

ig_code ig_run_vocabulary_make(const ig_data_settings *d, const char *path, ig_text_source_fn *next,
                               void *source, ig_err *err)
{
    const ig_run_tokens *k = d->tokens;
    ig_tokenizer *t = NULL;
    const ig_wordpiece_options o = {.size = (int32_t)k->vocab_size,
                                    .min_frequency = 2,
                                    .lowercase = k->lowercase,
                                    .model = (ig_vocab_model)k->vocab_model,
                                    .max_words = k->max_words,
                                    .limit_alphabet = (int32_t)k->limit_alphabet,
                                    .n_thread = d->n_thread};
    if (k->world_words) {
        char *text;
        int64_t n;
        IG_TRY(ig_word_list(&text, &n, next, source, err));
        return put(path, text, n, err);
    }
    ig_code code = ig_vocab_train(&t, next, source, &o, NULL, err);
    IG_THEN(code, write_pieces(t, path, err));
    ig_tokenizer_free(t);
    return code;
}

ig_code ig_run_vocabulary_special(ig_corpus_options *o, const ig_tokenizer *t, const char *path,
                                  ig_err *err)
{
    const struct {
        const char *piece;
        int32_t *id;
    } special[] = {{"[PAD]", &o->pad},
                   {"[UNK]", &o->unk},
                   {"[CLS]", &o->cls},
                   {"[SEP]", &o->sep},
                   {"[MASK]", &o->mask}};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        IG_TRY(special_token(t, special[i].piece, special[i].id, path, err));
    o->base_vocab = ig_tokenizer_size(t);
    return IG_ERR_OK;
}
