/* SPDX-License-Identifier: Apache-2.0
 *
 * Cosines of two languages' position embeddings as a measure. Dufter & Schütze 2020, §3.2 with
 * Figures 5 and 8: rows of the table as they are; with an order in common "a clear diagonal" that
 * weakens at high positions, with an inverted one none. An inverted copy has no fixed counterpart
 * of a position, since sentences differ in length (they say so themselves), so the diagonal is
 * always that of the same number, and `order` detects an anti-diagonal of any length.
 */
#include "measure/position_cosines.h"

#include "analyse/positions.h"
#include "base/memory.h"
#include "base/numeric/statistics.h"
#include "isoglot/batch.h"
#include "measure/measure_list.h"
#include "model/bert_params.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A position is rare if fewer sequences than one in so many have it. */
enum { RARE = 100 };

/* ---- of a matrix ---- */

/* The nearest of each position: nearest[0][i] in the other language's, nearest[1][j] in the one's.
 */
static void find_nearest(double *const nearest[2], const double *cosine, int n)
{
    for (int i = 0; i < n; i++) {
        int best[2] = {0, 0};
        for (int j = 1; j < n; j++) {
            if (cosine[(int64_t)i * n + j] > cosine[(int64_t)i * n + best[0]])
                best[0] = j;
            if (cosine[(int64_t)j * n + i] > cosine[(int64_t)best[1] * n + i])
                best[1] = j;
        }
        nearest[0][i] = best[0];
        nearest[1][i] = best[1];
    }
}

/* The fraction of positions from .. to − 1 whose nearest is the same position. */
static double share_of(double *const nearest[2], int from, int to)
{
    int64_t same = 0;
    for (int i = from; i < to; i++)
        same += ((int)nearest[0][i] == i) + ((int)nearest[1][i] == i);
    return to > from ? (double)same / (2. * (to - from)) : (double)NAN;
}

/* Both sides are from the same part, so that a difference between frequent and rare positions, the
 * mean of many updates that §3.2 describes, makes no diagonal. */
static double contrast_of(const double *cosine, int n, int from, int to)
{
    const double size = to - from;
    double same = 0, others = 0;
    for (int i = from; i < to; i++)
        for (int j = from; j < to; j++)
            *(i == j ? &same : &others) += cosine[(int64_t)i * n + j];
    return to - from > 1 ? same / size - others / (size * (size - 1)) : (double)NAN;
}

ig_code ig_position_cosines_of(ig_position_cosines *out, const double *cosine, int n,
                               int n_frequent, ig_err *err)
{
    double *place = NULL, *nearest[2] = {NULL, NULL};
    ig_kendall tau[2] = {{0}};
    *out = (ig_position_cosines){.n = n, .n_frequent = n_frequent, .order = (double)NAN};
    ig_code code = ig_alloc(&place, n, sizeof *place, "positions", err);
    for (int x = 0; x < 2; x++)
        IG_THEN(code, ig_alloc(&nearest[x], n, sizeof *nearest[x], "positions", err));
    if (code == IG_ERR_OK) {
        for (int i = 0; i < n; i++)
            place[i] = i;
        find_nearest(nearest, cosine, n);
    }
    for (int x = 0; x < 2; x++)
        IG_THEN(code, ig_kendall_tau(&tau[x], place, nearest[x], n_frequent, err));
    if (code == IG_ERR_OK) {
        out->nearest = share_of(nearest, 0, n_frequent);
        out->nearest_rare = share_of(nearest, n_frequent, n);
        out->diagonal = contrast_of(cosine, n, 0, n_frequent);
        out->diagonal_rare = contrast_of(cosine, n, n_frequent, n);
        out->order = (tau[0].tau_b + tau[1].tau_b) / 2;
    }
    IG_FREE(place, nearest[0], nearest[1]);
    return code;
}

/* ---- of a model ---- */

/* The table of positions as a language of the model sees it. */
static int64_t table_of(const ig_bert *m, int language)
{
    const bool own = ig_bert_n_language(ig_bert_get_config(m)) > 1;
    return ig_bert_get_offsets(m, own ? language : 0).position;
}

/* rows[n, D] from row `from` on. */
static ig_code rows_of(float *rows, const ig_bert *m, int language, int from, int n, ig_err *err)
{
    const ig_bert_param *p = ig_bert_params(m);
    IG_OWNED float *table = NULL;
    while (p->offset != table_of(m, language))
        p++;
    IG_TRY(ig_alloc(&table, (int64_t)p->rows * p->cols, sizeof *table, "positions", err));
    ig_bert_get_values(m, p, table);
    memcpy(rows, table + (int64_t)from * p->cols, (size_t)n * (size_t)p->cols * sizeof *rows);
    return IG_ERR_OK;
}

typedef struct {
    const ig_measure_options *o;
    const ig_measure_with *with;
    const ig_corpus *text;
    ig_batcher *batcher;
    int n; /* positions that are counted */
} counting;

/* Finds how many sequences of a language have each of its first n positions, and how many there
 * are. The batches are those of perplexity, so what the text is cut into in training counts. */
static ig_code count(int64_t *has, int64_t *n_sequence, const counting *c, int language,
                     ig_err *err)
{
    const ig_measure_options *o = c->o;
    const int offset = ig_corpus_language(c->text, language)->pos_offset;
    int64_t from = ig_batcher_first(c->batcher, language),
            to = ig_batcher_first(c->batcher, language + 1);
    if (o->max_sentence > 0 && to - from > o->max_sentence)
        to = from + o->max_sentence;
    *n_sequence = to - from;
    for (int64_t next; from < to; from = next) {
        ig_batch b;
        next = to - from < o->batching.batch ? to : from + o->batching.batch;
        IG_TRY(ig_stop_check(&c->with->stop, "positions", err));
        IG_TRY(ig_batcher_get_range(c->batcher, from, next, false, &b, err));
        for (int32_t t = 0; t < b.n_tok; t++) {
            const int at = b.pos[t] - offset;
            if (at >= 0 && at < c->n)
                has[at]++;
        }
    }
    return IG_ERR_OK;
}

/* The first positions, up to one that is rare in either language. */
static ig_code count_frequent(int *out, const ig_measure_options *o, const ig_measure_with *with,
                              const ig_corpus *text, int n, ig_err *err)
{
    const int language[] = {o->a, o->b};
    ig_batch_options bo = o->batching;
    bo.copies = bo.n_tlm = 0;
    bo.mix_documents = 0;
    bo.drop_last = false;
    counting c = {.o = o, .with = with, .text = text, .n = n};
    IG_OWNED int64_t *has = NULL;
    *out = n;
    ig_code code = ig_alloc(&has, 2 * (int64_t)n, sizeof *has, "positions", err);
    IG_THEN(code, ig_batcher_new(&c.batcher, text, &bo, o->seed, err));
    for (int x = 0; x < 2 && code == IG_ERR_OK; x++) {
        int64_t n_sequence = 0;
        int i = 0;
        code = count(has + (int64_t)x * n, &n_sequence, &c, language[x], err);
        while (i < *out && has[(int64_t)x * n + i] * RARE >= n_sequence)
            i++;
        *out = i;
    }
    ig_batcher_free(c.batcher);
    return code;
}

/* Positions that each of both has for itself, at most a sequence's; 0: none, and `missing` says
 * why.
 */
static int n_own(char missing[96], const ig_bert *m, const ig_corpus *text, int a, int b)
{
    const ig_bert_config *c = ig_bert_get_config(m);
    const int from[] = {ig_corpus_language(text, a)->pos_offset,
                        ig_corpus_language(text, b)->pos_offset};
    const bool one_table = c->position == IG_POSITION_LEARNED && table_of(m, a) == table_of(m, b);
    int n = ig_corpus_get_options(text)->block;
    for (int x = 0; x < 2; x++)
        n = n < c->max_position_embeddings - from[x] ? n : c->max_position_embeddings - from[x];
    if (c->position != IG_POSITION_LEARNED) {
        snprintf(missing, 96, "needs position embeddings that are learned: found position-type %s",
                 ig_position_names[c->position]);
        return 0;
    }
    if (one_table && from[0] == from[1]) {
        snprintf(missing, 96,
                 "needs positions of each language's own: lang-pos, or separate=positions");
        return 0;
    }
    return one_table && n > abs(from[1] - from[0]) ? abs(from[1] - from[0]) : n;
}

static ig_code put(ig_measure_result *r, const ig_position_cosines *p, ig_err *err)
{
    const ig_measure_out out = ig_measure_out_of(r, -1);
    const double value[] = {p->nearest, p->diagonal, p->order, p->nearest_rare, p->diagonal_rare};
    for (int i = 0; i < IG_POSITION_NUMBERS; i++)
        IG_TRY(ig_measure_put(&out, ig_numbers_positions[i].name,
                              i < 3 ? p->n_frequent : p->n - p->n_frequent, value[i], err));
    return IG_ERR_OK;
}

static ig_code positions(ig_measure_result *r, const ig_measure_with *with, const ig_corpus *text,
                         ig_err *err)
{
    const ig_bert *m = with->model;
    const ig_measure_options *o = &r->options;
    const int d = ig_bert_get_config(m)->hidden_size,
              n = n_own(r->no_positions, m, text, o->a, o->b);
    int n_frequent = 0;
    IG_OWNED float *rows = NULL;
    IG_OWNED double *cosine = NULL;
    if (n <= 0)
        return IG_ERR_OK;
    IG_TRY(count_frequent(&n_frequent, o, with, text, n, err));
    const int64_t size = (int64_t)n * d;
    IG_TRY(ig_alloc(&rows, 2 * size, sizeof *rows, "positions", err));
    IG_TRY(ig_alloc(&cosine, (int64_t)n * n, sizeof *cosine, "positions", err));
    IG_TRY(rows_of(rows, m, o->a, ig_corpus_language(text, o->a)->pos_offset, n, err));
    IG_TRY(rows_of(rows + size, m, o->b, ig_corpus_language(text, o->b)->pos_offset, n, err));
    IG_TRY(ig_cosines(cosine, (ig_row_list){rows, n}, (ig_row_list){rows + size, n}, d, err));
    ig_position_cosines found;
    IG_TRY(ig_position_cosines_of(&found, cosine, n, n_frequent, err));
    return put(r, &found, err);
}

#define OF_MODEL .version = 1, .split = "dev", .pair = true

const ig_store_task ig_numbers_positions[] = {
    {"positions_nearest", "nearest",
     "share of frequent positions whose nearest of the other language is the same one", OF_MODEL,
     .share = true},
    {"positions_diagonal", "diagonal",
     "cosine of frequent positions with the same of the other language, less with others", OF_MODEL,
     .below_zero = true},
    {"positions_order", "order",
     "Kendall's τ of frequent positions and their nearest ones; −1: an anti-diagonal", OF_MODEL,
     .below_zero = true},
    {"positions_nearest_rare", "rare nearest",
     "positions_nearest of rare positions, which fewer than 1 % of sequences have", OF_MODEL,
     .share = true},
    {"positions_diagonal_rare", "rare diagonal", "positions_diagonal of rare positions", OF_MODEL,
     .below_zero = true},
    {0}};
const ig_measure_kind ig_measure_kind_positions = {.weights = positions,
                                                   .number = ig_numbers_positions};
