/* SPDX-License-Identifier: Apache-2.0
 *
 * word2vec and fastText: both make their options, tables and features, and train them by
 * embed/train/context.c.
 */
#include "embed/train/word2vec.h"

#include "base/memory.h"

#include <string.h>

/* Moves the words of the text into *out; row i of `x` [·, stride] becomes vector i. */
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
    const int64_t n = text->words.n;
    float *in = NULL, *output = NULL;
    *out = (ig_vectors){0};
    ig_code code = ig_alloc(&in, n * ig_context_stride(o->dim), sizeof *in, "vectors", err);
    IG_THEN(code, ig_alloc(&output, n * ig_context_stride(o->dim), sizeof *output, "vectors", err));
    if (code == IG_ERR_OK) {
        ig_context_init(in, 0, n, o->dim, o->init / o->dim, o->seed);
        code = ig_context_train(&(ig_context_tables){.in = in, .n_in = n, .out = output}, text, o,
                                team, report, err);
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
    int32_t *bucket; /* [n_bucket] the bucket of each row after the words' */
    int32_t *at;     /* [buckets] its position in `bucket` + 1, 0: no word falls into it */
    int64_t n_bucket, have_bucket;
} subwords;

static ig_code collect(subwords *s, const ig_lexicon *words, ig_fasttext_rows *found, ig_err *err)
{
    IG_TRY(ig_alloc(&s->start, (int64_t)words->n + 1, sizeof *s->start, "n-grams", err));
    IG_TRY(ig_alloc(&s->at, found->args->bucket, sizeof *s->at, "n-grams", err));
    for (int32_t i = 0; i < words->n; i++) {
        const int64_t at = s->start[i];
        IG_TRY(ig_fasttext_find_rows(found, ig_lexicon_get(words, i), ig_lexicon_size(words, i), i,
                                     err));
        IG_TRY(ig_grow(&s->row, &s->have_row, at + found->n, sizeof *s->row, "n-grams", err));
        for (int64_t k = 0; k < found->n; k++) {
            int32_t row = found->row[k], b = row - words->n;
            if (b >= 0 && s->at[b] == 0) {
                IG_TRY(ig_grow(&s->bucket, &s->have_bucket, s->n_bucket + 1, sizeof *s->bucket,
                               "n-grams", err));
                s->bucket[s->n_bucket++] = b;
                s->at[b] = (int32_t)s->n_bucket;
            }
            s->row[at + k] = b < 0 ? row : words->n + s->at[b] - 1;
        }
        s->start[i + 1] = at + found->n;
    }
    return IG_ERR_OK;
}

/* A model during training. */
typedef struct {
    const ig_context_options *o;
    const ig_fasttext_options *f;
    ig_fasttext_args args;
    ig_text_ids *text;
    subwords subwords;
    float *in, *output;
} model;

/* Writes the whole model in fastText's form. */
static ig_code write_model(const model *w, ig_err *err)
{
    const ig_context_options *o = w->o;
    const ig_fasttext_options *f = w->f;
    const ig_text_ids *text = w->text;
    const subwords *s = &w->subwords;
    const int64_t d = o->dim, ld = ig_context_stride(o->dim), n = text->words.n;
    ig_fasttext m = {.args = w->args,
                     .n_token = text->n_read,
                     .n_word = text->words.n,
                     .words = text->words,
                     .count = text->count,
                     .n_in = n + w->args.bucket,
                     .n_out = n};
    float *row = NULL;
    ig_code code = ig_alloc(&m.in, m.n_in * d, sizeof *m.in, "model", err);
    IG_THEN(code, ig_alloc(&m.out, n * d, sizeof *m.out, "model", err));
    IG_THEN(code, ig_alloc(&row, ld, sizeof *row, "model", err));
    for (int64_t i = 0; i < m.n_in && code == IG_ERR_OK; i++) {
        int64_t at = i < n ? i : s->at[i - n] > 0 ? n + s->at[i - n] - 1 : -1;
        if (at < 0)
            ig_context_init(row, i, 1, o->dim, o->init / o->dim, o->seed);
        memcpy(m.in + i * d, at < 0 ? row : w->in + at * ld, (size_t)d * sizeof *m.in);
    }
    for (int64_t i = 0; i < n && code == IG_ERR_OK; i++)
        memcpy(m.out + i * d, w->output + i * ld, (size_t)d * sizeof *m.out);
    if (f->out == NULL)
        IG_THEN(code, ig_fasttext_write(&m, f->model, err));
    else {
        IG_THEN(code, ig_out_open(f->out, f->model, err));
        IG_THEN(code, ig_fasttext_put(&m, f->out, err));
        IG_THEN(code, ig_out_flush(f->out, err));
    }
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

static ig_code train(ig_vectors *out, const model *w, ig_team *team, ig_context_report *report,
                     ig_err *err)
{
    const ig_context_options *o = w->o;
    const subwords *s = &w->subwords;
    float *in = w->in;
    const int64_t n = w->text->words.n, ld = ig_context_stride(o->dim);
    IG_OWNED float *mean = NULL;
    ig_context_init(in, 0, n, o->dim, o->init / o->dim, o->seed);
    for (int64_t i = 0; i < s->n_bucket; i++)
        ig_context_init(in + (n + i) * ld, n + s->bucket[i], 1, o->dim, o->init / o->dim, o->seed);
    const ig_context_tables tables = {in, n + s->n_bucket, w->output, {s->start, s->row}};
    IG_TRY(ig_context_train(&tables, w->text, o, team, report, err));
    if (w->f->model != NULL)
        IG_TRY(write_model(w, err));
    IG_TRY(ig_alloc(&mean, n * ld, sizeof *mean, "vectors", err));
    for (int32_t i = 0; i < n; i++)
        mean_rows(mean + i * ld, in, s, i, ld);
    return to_vectors(out, w->text, mean, o->dim, err);
}

ig_code ig_fasttext_train(ig_vectors *out, ig_text_ids *text, const ig_fasttext_options *f,
                          ig_team *team, ig_context_report *report, ig_err *err)
{
    const ig_context_options *o = f->context;
    model w = {.o = o, .f = f, .text = text};
    w.args = (ig_fasttext_args){
        .dim = o->dim,
        .ws = o->window,
        .epoch = o->epochs,
        .min_count = f->min_count < INT32_MAX ? (int32_t)f->min_count : INT32_MAX,
        .neg = o->negative,
        .word_ngrams = 1,
        .loss = IG_FASTTEXT_NS,
        .model = o->model == IG_CONTEXT_CBOW ? IG_FASTTEXT_CBOW : IG_FASTTEXT_SG,
        .bucket = f->maxn > 0 ? f->bucket : 0,
        .minn = f->minn,
        .maxn = f->maxn,
        .lr_update_rate = 100,
        .t = o->sample};
    ig_fasttext_rows found = {.args = &w.args, .n_word = text->words.n};
    const int64_t ld = ig_context_stride(o->dim);
    *out = (ig_vectors){0};
    ig_code code = collect(&w.subwords, &text->words, &found, err);
    ig_free(found.row);
    IG_THEN(code, ig_alloc(&w.in, (text->words.n + w.subwords.n_bucket) * ld, sizeof *w.in,
                           "vectors", err));
    IG_THEN(code, ig_alloc(&w.output, text->words.n * ld, sizeof *w.output, "vectors", err));
    IG_THEN(code, train(out, &w, team, report, err));
    IG_FREE(w.in, w.output);
    IG_FREE(w.subwords.start, w.subwords.row, w.subwords.bucket, w.subwords.at);
    return code;
}
