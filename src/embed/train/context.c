/* SPDX-License-Identifier: Apache-2.0
 *
 * The text is read in pieces of whole lines; of each, the words that subsampling keeps are divided
 * into as many stretches as a block has groups, and block b takes the b-th group of every stretch.
 * Groups of a block are computed by the team (context_group.c), then rows are added, one part of
 * the tables a task, in the order of the groups.
 */
#include "embed/train/context.h"

#include "base/log.h"
#include "base/memory.h"
#include "embed/train/context_group.h"

#include <math.h>
#include <stdio.h>

enum {
    PIECE = 1 << 20, /* tokens of a piece of text, at least, except for the last */
    GROUP = 32,      /* words of a group, at most */
    GROUP_LEAST = 8,
    GROUPS = 8,
    SHARED_SKIPGRAM = 64, /* negatives: measured, see SPEED.md */
    SHARED_CBOW = 32,
    LOSS_EVERY = 32, /* blocks of the last epoch */
    MOST_OF_A_WORD = 5,
    DRAW_KEEP = 0,
    DRAW_INIT = 1
};

typedef struct {
    ig_context_shared s;
    const ig_text_ids *text;
    uint64_t *keep;  /* [words] */
    ig_group *group; /* [groups] */
    int groups;
    int64_t have_word, have_line, have_raw;
    /* The current block. */
    int64_t *first; /* [groups] */
    int *n;         /* [groups] */
    bool loss;
    double sum, weight;
    int64_t n_trained;
} trainer;

int ig_context_stride(int dim)
{
    return (dim + 15) / 16 * 16;
}

void ig_context_init(float *x, int64_t first, int64_t n, int dim, double range, uint64_t seed)
{
    const ig_rng_key key = ig_rng_key_make(seed, IG_STREAM_EMBED);
    const int ld = ig_context_stride(dim);
    uint32_t u[4];
    for (int64_t r = first; r < first + n; r++, x += ld)
        for (int k = 0; k < dim; k++) {
            if (k % 4 == 0)
                ig_philox(key, (uint32_t)r, (uint32_t)(r >> 32), UINT32_MAX,
                          DRAW_INIT + (uint32_t)k / 4, u);
            x[k] = (float)(((double)u[k % 4] * 0x1p-31 - 1) * range);
        }
}

/* Collects the words of lines l.. that are kept, until the piece is long enough; returns the next
 * line. */
static ig_code take_piece(trainer *t, int64_t *l, ig_err *err)
{
    ig_context_shared *s = &t->s;
    const ig_text_ids *x = t->text;
    uint32_t u[4];
    int64_t at = x->line[*l], first = *l;
    s->n = 0;
    s->raw0 = at;
    while (*l < x->n_line && x->line[*l + 1] - s->raw0 < INT32_MAX && at - s->raw0 < PIECE)
        at = x->line[++*l];
    if (*l == first) /* one line of 2^31 words */
        return ig_fail(err, IG_ERR_INPUT, "", 0, "line of %lld words, expected at most %d",
                       (long long)(x->line[*l + 1] - at), INT32_MAX - 1);
    IG_TRY(ig_grow(&s->word, &t->have_word, at - s->raw0, sizeof *s->word, "words", err));
    IG_TRY(ig_grow(&s->line, &t->have_line, at - s->raw0, sizeof *s->line, "words", err));
    IG_TRY(ig_grow(&s->raw, &t->have_raw, at - s->raw0, sizeof *s->raw, "words", err));
    for (int64_t k = first; k < *l; k++)
        for (int64_t i = x->line[k]; i < x->line[k + 1]; i++) {
            if (i == s->raw0 || i % 4 == 0)
                ig_philox(s->key, (uint32_t)(i / 4), (uint32_t)(i / 4 >> 32), s->epoch, DRAW_KEEP,
                          u);
            if (u[i % 4] >= t->keep[x->id[i]])
                continue;
            s->word[s->n] = x->id[i];
            s->line[s->n] = (int32_t)(k - first);
            s->raw[s->n++] = (int32_t)(i - s->raw0);
        }
    return IG_ERR_OK;
}

static void group_task(void *arg, int64_t i, int i_thread)
{
    trainer *t = arg;
    (void)i_thread;
    ig_group_run(&t->group[i], &t->s, t->first[i], t->n[i], t->loss);
}

static void add_task(void *arg, int64_t part, int i_thread)
{
    const trainer *t = arg;
    (void)i_thread;
    for (int i = 0; i < t->groups; i++)
        ig_group_add(&t->group[i], &t->s, (int)part);
}

static double rate(const ig_context_options *o, double progress)
{
    double lr = o->lr * (1 - progress);
    return lr > o->min_lr ? lr : o->min_lr;
}

/* Trains one piece; `done` words of `all` were read before it, `size` are in it. */
static ig_code train_piece(trainer *t, ig_team *team, double done, double size, double all,
                           ig_err *err)
{
    ig_context_shared *s = &t->s;
    const int groups = t->groups;
    char note[64];
    int64_t most = 0, stretch[257];
    for (int i = 0; i <= groups; i++)
        stretch[i] = s->n * i / groups;
    for (int i = 0; i < groups; i++)
        most = stretch[i + 1] - stretch[i] > most ? stretch[i + 1] - stretch[i] : most;
    int64_t blocks = (most + s->group - 1) / s->group;
    for (int64_t b = 0; b < blocks; b++) {
        double at = done + size * (double)b / (double)blocks;
        s->lr = (float)rate(s->o, at / all);
        t->loss = (int)s->epoch == s->o->epochs - 1 && b % LOSS_EVERY == 0;
        for (int i = 0; i < groups; i++) {
            int64_t first = stretch[i] + b * s->group, left = stretch[i + 1] - first;
            t->first[i] = first;
            t->n[i] = left < 0 ? 0 : left < s->group ? (int)left : s->group;
        }
        for (s->part = 0; s->part < s->parts; s->part++) {
            ig_team_for(team, groups, group_task, t);
            for (int i = 0; i < groups; i++)
                IG_TRY(ig_scratches_check(&t->group[i].scratch, 1, err));
            ig_team_for(team, IG_GROUP_PARTS, add_task, t);
            for (int i = 0; i < groups; i++) {
                t->sum += t->group[i].loss;
                t->weight += t->group[i].weight;
            }
        }
        for (int i = 0; i < groups; i++)
            t->n_trained += t->n[i];
        snprintf(note, sizeof note, "lr %.5f", (double)s->lr);
        ig_progress((int64_t)at, note);
    }
    return IG_ERR_OK;
}

static ig_code check_finite(const float *x, int64_t n, int ld, const char *what, ig_err *err)
{
    for (int64_t i = 0; i < n * ld; i++)
        if (!isfinite(x[i]))
            return ig_fail(err, IG_ERR_NUMERIC, "", 0, "row %lld of the %s vectors is not finite",
                           (long long)(i / ld), what);
    return IG_ERR_OK;
}

/* Number of gradients that a pair gives to its word's row. */
static double targets_of(const trainer *t)
{
    return 1 + t->s.o->negative;
}

/* Finds how many gradients of a pair reach one row of a table, expected for each word of a block;
 * the most for any row. All words of a block start from the same tables, so a row reached n times
 * moves n times as far as it should where the loss curves: n · lr must stay small. Rows that words
 * share (n-grams) count as far as they move the mean of a word's rows. */
static ig_code load_of_a_word(double *load, const trainer *t, int64_t n_in, ig_err *err)
{
    const ig_context_options *o = t->s.o;
    const ig_context_features *f = t->s.features;
    const ig_text_ids *x = t->text;
    double *share, all = 0, powers = 0, most_in = 0, most_out = 0;
    IG_TRY(ig_alloc(&share, n_in, sizeof *share, "rows", err));
    for (int32_t w = 0; w < x->words.n; w++) {
        all += (double)x->count[w] * (double)t->keep[w];
        powers += pow((double)x->count[w], o->ns_exponent);
    }
    for (int32_t w = 0; w < x->words.n; w++) {
        double p = (double)x->count[w] * (double)t->keep[w] / all;
        double q = pow((double)x->count[w], o->ns_exponent) / powers;
        most_out = fmax(most_out, p + o->negative * q);
        for (int64_t i = f->start == NULL ? w : f->start[w];
             i < (f->start == NULL ? w + 1 : f->start[w + 1]); i++)
            share[f->start == NULL ? w : f->row[i]] += p;
    }
    for (int32_t w = 0; w < x->words.n; w++) {
        double sum = 0;
        int64_t from = f->start == NULL ? w : f->start[w];
        int64_t to = f->start == NULL ? w + 1 : f->start[w + 1];
        for (int64_t i = from; i < to; i++)
            sum += share[f->start == NULL ? w : f->row[i]];
        most_in = fmax(most_in, sum / (double)(to - from));
    }
    ig_free(share);
    /* CBOW: a row is a context of window + 1 words, a part of the mean that is one's hidden vector.
     * Measured: it diverges at more than three times the words that half of them allow. */
    if (o->model == IG_CONTEXT_CBOW)
        most_in *= (o->window + 1) / 2.;
    *load = fmax(targets_of(t) * most_in, most_out);
    if (o->model == IG_CONTEXT_SKIPGRAM)
        *load *= (double)o->window / t->s.parts + 1;
    return IG_ERR_OK;
}

/* A word's own vector is reached by all its pairs at once: lr · pairs of a word must be at most
 * MOST_OF_A_WORD, else the window is divided. With window 128 and rate 0.025 it is 19 and diverges,
 * 14 does not (SPEED.md). */
static int choose_parts(const trainer *t)
{
    const ig_context_options *o = t->s.o;
    if (o->model != IG_CONTEXT_SKIPGRAM)
        return 1;
    const double pairs = o->lr * targets_of(t) * (o->window + 1),
                 parts = ceil(pairs / MOST_OF_A_WORD);
    return parts < 1 ? 1 : parts > o->window ? o->window : (int)parts;
}

/* Words of a block so that lr · load · words is at most 4: measured, see SPEED.md. */
static ig_code choose_block(trainer *t, int64_t n_in, ig_err *err)
{
    const ig_context_options *o = t->s.o;
    double load;
    t->s.parts = choose_parts(t);
    IG_TRY(load_of_a_word(&load, t, n_in, err));
    double words = o->lr * load > 0 ? 4 / (o->lr * load) : GROUP * GROUPS;
    int n = words > GROUP * GROUPS ? GROUP * GROUPS : words < 1 ? 1 : (int)words;
    if (n >= GROUP_LEAST * GROUPS) {
        t->s.group = n / GROUPS;
        t->groups = GROUPS;
    } else {
        t->s.group = n < GROUP_LEAST ? n : GROUP_LEAST;
        t->groups = n / t->s.group;
    }
    /* With CBOW a context is reached by all words of its group whose windows hold it. */
    const double most = MOST_OF_A_WORD / fmax(o->lr * targets_of(t), 1e-9);
    if (o->model == IG_CONTEXT_CBOW && o->window + 1 > most && t->s.group > most)
        t->s.group = most < 1 ? 1 : (int)most;
    if (o->group > 0)
        t->s.group = o->group;
    if (o->groups > 0)
        t->groups = o->groups;
    return IG_ERR_OK;
}

static ig_code prepare(trainer *t, const ig_context_options *o, int64_t n_in, ig_err *err)
{
    const ig_text_ids *x = t->text;
    int32_t n = x->words.n;
    ig_context_shared *s = &t->s;
    IG_TRY(ig_alloc(&t->keep, n, sizeof *t->keep, "words", err));
    ig_keep_shares(t->keep, x->count, n, o->sample);
    IG_TRY(choose_block(t, n_in, err));
    IG_TRY(ig_alias_new(&s->negatives, x->count, n, o->ns_exponent, err));
    IG_TRY(ig_alloc(&t->group, t->groups, sizeof *t->group, "groups", err));
    IG_TRY(ig_alloc(&t->first, t->groups, sizeof *t->first, "groups", err));
    IG_TRY(ig_alloc(&t->n, t->groups, sizeof *t->n, "groups", err));
    for (int i = 0; i < t->groups; i++)
        IG_TRY(ig_group_new(&t->group[i], s, n, err));
    return IG_ERR_OK;
}

static void clear(trainer *t)
{
    for (int i = 0; t->group != NULL && i < t->groups; i++)
        ig_group_free(&t->group[i]);
    IG_FREE(t->group, t->first, t->n, t->keep, t->s.word, t->s.line, t->s.raw);
    ig_alias_free(&t->s.negatives);
}

static ig_code train(trainer *t, ig_team *team, ig_err *err)
{
    const ig_text_ids *x = t->text;
    double all = (double)x->n_token * t->s.o->epochs, done = 0;
    for (int e = 0; e < t->s.o->epochs; e++) {
        t->s.epoch = (uint32_t)e;
        for (int64_t l = 0; l < x->n_line;) {
            int64_t from = x->line[l];
            IG_TRY(take_piece(t, &l, err));
            IG_TRY(train_piece(t, team, done, (double)(x->line[l] - from), all, err));
            done += (double)(x->line[l] - from);
        }
    }
    return IG_ERR_OK;
}

ig_code ig_context_train(const ig_context_tables *tables, const ig_text_ids *text,
                         const ig_context_options *o, ig_team *team, ig_context_report *report,
                         ig_err *err)
{
    trainer t = {.text = text};
    ig_context_shared *s = &t.s;
    s->o = o;
    s->ops = ig_ops_best();
    s->features = &tables->features;
    s->ld = ig_context_stride(o->dim);
    s->in = tables->in;
    s->out = tables->out;
    s->key = ig_rng_key_make(o->seed, IG_STREAM_EMBED);
    s->n_negative = o->shared > 0                     ? o->shared
                    : o->model == IG_CONTEXT_SKIPGRAM ? SHARED_SKIPGRAM
                                                      : SHARED_CBOW;
    ig_code code = prepare(&t, o, tables->n_in, err);
    if (code == IG_ERR_OK) {
        ig_progress_begin("training", text->n_token * o->epochs);
        code = train(&t, team, err);
        ig_progress_end();
    }
    IG_THEN(code, check_finite(s->in, tables->n_in, s->ld, "input", err));
    IG_THEN(code, check_finite(s->out, text->words.n, s->ld, "output", err));
    *report = (ig_context_report){.n_word = text->n_token * o->epochs,
                                  .n_trained = t.n_trained,
                                  .loss = t.weight > 0 ? t.sum / t.weight : 0,
                                  .shared = s->n_negative,
                                  .group = s->group,
                                  .groups = t.groups,
                                  .parts = s->parts};
    clear(&t);
    return code;
}
