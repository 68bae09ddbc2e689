/* SPDX-License-Identifier: Apache-2.0
 *
 * The two programs around embed/train/context.c.
 */
#include "embed/train/word2vec.h"

#include "base/memory.h"

#include <string.h>

/* Takes the words of the text; row i of `x` [·, stride] becomes vector i. */
static ig_code to_vectors(ig_vectors *out, ig_text_ids *text, const float *x, int d, ig_err *err)
{
    IG_TRY(ig_vectors_new(out, &text->words, d, err));
    for (int32_t i = 0; i < out->n; i++)
        memcpy(ig_vectors_row(out, i), x + (int64_t)i * ig_context_stride(d),
               (size_t)d * sizeof *x);
    return IG_ERR_OK;
}

ig_code ig_word2vec(ig_vectors *out, ig_text_ids *text, const ig_context_options *o, ig_team *team,
                    ig_context_report *report, ig_err *err)
{
    const ig_context_features each_itself = {0};
    const int64_t n = text->words.n;
    float *in = NULL, *output = NULL;
    *out = (ig_vectors){0};
    ig_code code = ig_alloc(&in, n * ig_context_stride(o->dim), sizeof *in, "vectors", err);
    IG_THEN(code, ig_alloc(&output, n * ig_context_stride(o->dim), sizeof *output, "vectors", err));
    if (code == IG_ERR_OK) {
        ig_context_init(in, 0, n, o->dim, o->init / o->dim, o->seed);
        code = ig_context_train(in, n, output, text, &each_itself, o, team, report, err);
    }
    IG_THEN(code, to_vectors(out, text, in, o->dim, err));
    IG_FREE(in, output);
    return code;
}

/* The rows of all words, with buckets renumbered in the order in which words meet them. */
typedef struct {
    int64_t *start;
    int32_t *row;
    int64_t have_row;
    int32_t *bucket; /* [n_bucket] the bucket that a row behind the words stands for */
    int32_t *at;     /* [buckets] its place in `bucket` + 1, 0: no word falls into it */
    int64_t n_bucket, have_bucket;
} subwords;

static void subwords_free(subwords *s)
{
    IG_FREE(s->start, s->row, s->bucket, s->at);
}

static ig_code collect(subwords *s, const ig_lexicon *words, const ig_fasttext_args *a,
                       int32_t **found, int64_t *have, ig_err *err)
{
    IG_TRY(ig_alloc(&s->start, (int64_t)words->n + 1, sizeof *s->start, "n-grams", err));
    IG_TRY(ig_alloc(&s->at, a->bucket, sizeof *s->at, "n-grams", err));
    for (int32_t i = 0; i < words->n; i++) {
        int64_t n, at = s->start[i];
        IG_TRY(ig_fasttext_rows(ig_lexicon_get(words, i), ig_lexicon_size(words, i), i, words->n, a,
                                found, have, &n, err));
        IG_TRY(ig_grow(&s->row, &s->have_row, at + n, sizeof *s->row, "n-grams", err));
        for (int64_t k = 0; k < n; k++) {
            int32_t row = (*found)[k], b = row - words->n;
            if (b >= 0 && s->at[b] == 0) {
                IG_TRY(ig_grow(&s->bucket, &s->have_bucket, s->n_bucket + 1, sizeof *s->bucket,
                               "n-grams", err));
                s->bucket[s->n_bucket++] = b;
                s->at[b] = (int32_t)s->n_bucket;
            }
            s->row[at + k] = b < 0 ? row : words->n + s->at[b] - 1;
        }
        s->start[i + 1] = at + n;
    }
    return IG_ERR_OK;
}

/* The whole model as fastText has it. */
static ig_code write_model(const ig_fasttext_options *f, const ig_text_ids *text,
                           const ig_context_options *o, const ig_fasttext_args *args,
                           const subwords *s, const float *in, const float *output, ig_err *err)
{
    const int64_t d = o->dim, ld = ig_context_stride(o->dim), n = text->words.n;
    ig_fasttext m = {.args = *args,
                     .n_token = text->n_read,
                     .n_word = text->words.n,
                     .words = text->words,
                     .count = text->count,
                     .n_in = n + args->bucket,
                     .n_out = n};
    float *row = NULL;
    ig_code code = ig_alloc(&m.in, m.n_in * d, sizeof *m.in, "model", err);
    IG_THEN(code, ig_alloc(&m.out, n * d, sizeof *m.out, "model", err));
    IG_THEN(code, ig_alloc(&row, ld, sizeof *row, "model", err));
    for (int64_t i = 0; i < m.n_in && code == IG_ERR_OK; i++) {
        int64_t at = i < n ? i : s->at[i - n] > 0 ? n + s->at[i - n] - 1 : -1;
        if (at < 0)
            ig_context_init(row, i, 1, o->dim, o->init / o->dim, o->seed);
        memcpy(m.in + i * d, at < 0 ? row : in + at * ld, (size_t)d * sizeof *m.in);
    }
    for (int64_t i = 0; i < n && code == IG_ERR_OK; i++)
        memcpy(m.out + i * d, output + i * ld, (size_t)d * sizeof *m.out);
    if (code == IG_ERR_OK && f->out == NULL)
        code = ig_fasttext_write(&m, f->model, err);
    else if (code == IG_ERR_OK)
        code = ig_out_open(f->out, f->model, err);
    if (code == IG_ERR_OK && f->out != NULL)
        code = ig_fasttext_put(&m, f->out, err);
    if (code == IG_ERR_OK && f->out != NULL)
        code = ig_out_flush(f->out, err);
    IG_FREE(m.in, m.out, row);
    return code;
}

static void mean_rows(float *to, const float *in, const subwords *s, int32_t word, int64_t ld)
{
    const int64_t n = s->start[word + 1] - s->start[word];
    memset(to, 0, (size_t)ld * sizeof *to);
    for (int64_t i = s->start[word]; i < s->start[word + 1]; i++)
        for (int64_t k = 0; k < ld; k++)
            to[k] += in[s->row[i] * ld + k];
    for (int64_t k = 0; k < ld; k++)
        to[k] *= 1.0f / (float)n;
}

static ig_code train(ig_vectors *out, ig_text_ids *text, const ig_context_options *o,
                     const ig_fasttext_options *f, const ig_fasttext_args *args, const subwords *s,
                     float *in, float *output, ig_team *team, ig_context_report *report,
                     ig_err *err)
{
    const ig_context_features features = {s->start, s->row};
    const int64_t n = text->words.n, ld = ig_context_stride(o->dim);
    float *mean;
    ig_context_init(in, 0, n, o->dim, o->init / o->dim, o->seed);
    for (int64_t i = 0; i < s->n_bucket; i++)
        ig_context_init(in + (n + i) * ld, n + s->bucket[i], 1, o->dim, o->init / o->dim, o->seed);
    IG_TRY(ig_context_train(in, n + s->n_bucket, output, text, &features, o, team, report, err));
    if (f->model != NULL)
        IG_TRY(write_model(f, text, o, args, s, in, output, err));
    IG_TRY(ig_alloc(&mean, n * ld, sizeof *mean, "vectors", err));
    for (int32_t i = 0; i < n; i++)
        mean_rows(mean + i * ld, in, s, i, ld);
    ig_code code = to_vectors(out, text, mean, o->dim, err);
    ig_free(mean);
    return code;
}

ig_code ig_fasttext_train(ig_vectors *out, ig_text_ids *text, const ig_context_options *o,
                          const ig_fasttext_options *f, ig_team *team, ig_context_report *report,
                          ig_err *err)
{
    const ig_fasttext_args args = {
        .dim = o->dim,
        .ws = o->window,
        .epoch = o->epochs,
        .min_count = f->min_count < INT32_MAX ? (int32_t)f->min_count : INT32_MAX,
        .neg = o->negative,
        .word_ngrams = 1,
        .loss = o->loss == IG_CONTEXT_HIERARCHICAL ? IG_FASTTEXT_HS : IG_FASTTEXT_NS,
        .model = o->model == IG_CONTEXT_CBOW ? IG_FASTTEXT_CBOW : IG_FASTTEXT_SG,
        .bucket = f->maxn > 0 ? f->bucket : 0,
        .minn = f->minn,
        .maxn = f->maxn,
        .lr_update_rate = 100,
        .t = o->sample};
    subwords s = {0};
    int32_t *found = NULL;
    int64_t have = 0, ld = ig_context_stride(o->dim);
    float *in = NULL, *output = NULL;
    *out = (ig_vectors){0};
    ig_code code = collect(&s, &text->words, &args, &found, &have, err);
    ig_free(found);
    IG_THEN(code, ig_alloc(&in, (text->words.n + s.n_bucket) * ld, sizeof *in, "vectors", err));
    IG_THEN(code, ig_alloc(&output, text->words.n * ld, sizeof *output, "vectors", err));
    IG_THEN(code, train(out, text, o, f, &args, &s, in, output, team, report, err));
    IG_FREE(in, output);
    subwords_free(&s);
    return code;
}
