/* SPDX-License-Identifier: Apache-2.0
 *
 * Figures of hidden states: principal components of a layer's states by language (Dufter & Schütze
 * 2020, Figure 4), and the similarities of a sentence pair's pieces, from which word alignment is
 * read (§2.2.1). Pieces, vectors and edges are those of the measures (apply/sentence_blocks.h).
 */
#include "lab/report/run_figure_parts.h"

#include "apply/sentence_blocks.h"
#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "base/order.h"
#include "isoglot/batch.h"
#include "measure/alignment.h"
#include "measure/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { plain_chunk = 32 };

/* The content pieces of some sentences of one language, and their states. */
typedef struct {
    int64_t n, have;
    int32_t *id, *place; /* place: in the sequence, [CLS] is 0 */
    float *x[IG_RUN_FIGURE_MAX_LAYER];
    int64_t have_x[IG_RUN_FIGURE_MAX_LAYER], have_place;
} pieces;

typedef struct {
    ig_look *look;
    int layer[IG_RUN_FIGURE_MAX_LAYER];
    int n_layer, d; /* layers ascending, each once */
    ig_sentence_blocks blocks;
    ig_team *team;
    ig_engine *engine;
} reader;

static void pieces_free(pieces *p)
{
    IG_FREE(p->id, p->place);
    for (int i = 0; i < IG_RUN_FIGURE_MAX_LAYER; i++)
        ig_free(p->x[i]);
    *p = (pieces){0};
}

static void reader_close(reader *r)
{
    ig_sentence_blocks_close(&r->blocks);
    ig_engine_free(r->engine);
    ig_team_free(r->team);
}

static ig_code find_layers(reader *r, ig_err *err)
{
    const ig_run_figure_options *o = r->look->o;
    const int high = IG_LAYER_HIGH, *ask = o->n_layer > 0 ? o->layer : &high;
    int n = o->n_layer > 0 ? o->n_layer : 1, mu[2], resolved[IG_RUN_FIGURE_MAX_LAYER],
        last = ig_bert_get_config(r->look->run.model)->num_hidden_layers;
    ig_measure_mu_layers(last, mu);
    for (int i = 0; i < n; i++) {
        resolved[i] = ask[i] == IG_LAYER_LOW ? mu[0] : ask[i] == IG_LAYER_HIGH ? mu[1] : ask[i];
        if (resolved[i] < 0 || resolved[i] > last)
            return ig_fail(err, IG_ERR_USAGE, "layers", 0,
                           "no layer %d: the model has 0 (embeddings) to %d", resolved[i], last);
        int at = 0;
        while (at < r->n_layer && r->layer[at] < resolved[i])
            at++;
        if (at < r->n_layer && r->layer[at] == resolved[i])
            continue;
        memmove(r->layer + at + 1, r->layer + at, (size_t)(r->n_layer - at) * sizeof *r->layer);
        r->layer[at] = resolved[i];
        r->n_layer++;
    }
    return IG_ERR_OK;
}

static ig_code reader_open(reader *r, ig_look *l, ig_err *err)
{
    *r = (reader){.look = l, .d = ig_bert_get_config(l->run.model)->hidden_size};
    IG_TRY(find_layers(r, err));
    IG_TRY(ig_team_new(&r->team, l->o->n_thread, err));
    IG_TRY(ig_engine_new(&r->engine, l->run.model, r->team, NULL, IG_PRECISION_F32, err));
    const ig_sentence_block_options o = {
        .states = {.layer = r->layer, .n_layer = r->n_layer},
        .parts = {.engine = r->engine, .model = l->run.model, .team = r->team, .corpus = l->corpus},
        .language = {l->o->a, l->o->b},
        .batching = ig_run_config_batch(&l->run.config),
        .seed = (uint64_t)l->run.config.optimisation.seed,
        .chunk = plain_chunk};
    return ig_sentence_blocks_open(&r->blocks, &o, err);
}

static ig_code take_row(pieces *p, const reader *r, const ig_sentence_block *b, int32_t t,
                        ig_err *err)
{
    IG_TRY(ig_grow(&p->id, &p->have, p->n + 1, sizeof *p->id, "pieces", err));
    IG_TRY(ig_grow(&p->place, &p->have_place, p->n + 1, sizeof *p->place, "pieces", err));
    p->id[p->n] = b->id[t];
    p->place[p->n] = b->place[t];
    for (int i = 0; i < r->n_layer; i++) {
        IG_TRY(ig_grow(&p->x[i], &p->have_x[i], (p->n + 1) * r->d, sizeof(float), "states", err));
        memcpy(p->x[i] + p->n * r->d, b->state[i] + (int64_t)b->row[t] * r->d,
               (size_t)r->d * sizeof(float));
    }
    p->n++;
    return IG_ERR_OK;
}

/* Sentences from … to − 1 of one side. */
static ig_code read_pieces(pieces *p, reader *r, int side, int64_t from, int64_t to, ig_err *err)
{
    const int64_t chunk = r->blocks.chunk,
                  n = ig_corpus_n_sequence(r->look->corpus, r->blocks.language[side]);
    const ig_sentence_block *b = &r->blocks.side[side];
    for (int64_t c = from - from % chunk; c < to; c += chunk) {
        const int64_t end = c + chunk < n ? c + chunk : n;
        IG_TRY(ig_sentence_blocks_get(&r->blocks, side, c, end, err));
        for (int64_t q = from > c ? from : c; q < to && q < end; q++)
            for (int32_t t = b->first[q - c]; t < b->first[q - c + 1]; t++)
                IG_TRY(take_row(p, r, b, t, err));
    }
    return IG_ERR_OK;
}

static ig_code layer_title(ig_look *l, const char **out, int layer, const char *more, ig_err *err)
{
    char text[96];
    snprintf(text, sizeof text, "layer %d%s", layer, more);
    return ig_look_title(l, out, err, text);
}

/* --- states ---------------------------------------------------------------------------------- */

static ig_code state_panel(ig_look *l, const reader *r, const pieces p[2], int i, ig_err *err)
{
    const int64_t n = p[0].n + p[1].n;
    float *x;
    ig_panel *panel;
    IG_TRY(ig_alloc(&x, n * r->d, sizeof *x, "states", err));
    for (int s = 0; s < 2; s++)
        if (p[s].n > 0)
            memcpy(x + s * p[0].n * r->d, p[s].x[i], (size_t)p[s].n * (size_t)r->d * sizeof *x);
    ig_cloud c = {.x = x,
                  .d = r->d,
                  .n_group = 2,
                  .n = {p[0].n, p[1].n},
                  .name = {l->language[0]->name, l->language[1]->name}};
    ig_code code = ig_cloud_panel(l->f, &panel, &c, err);
    IG_THEN(code, layer_title(l, &panel->title, r->layer[i], "", err));
    if (code == IG_ERR_OK)
        code = ig_look_numbers(l,
                               json_pack("{s:s, s:i, s:I, s:[f,f], s:o}", "kind", "states", "layer",
                                         r->layer[i], "n_states", (json_int_t)n, "shares",
                                         c.share[0], c.share[1], "between_languages",
                                         c.between >= 0 ? json_real(c.between) : json_null()),
                               err);
    ig_free(x);
    return code;
}

ig_code ig_look_states(ig_look *l, ig_err *err)
{
    reader r;
    pieces p[2] = {{0}, {0}};
    int64_t n = l->o->count > 0 ? l->o->count : 100;
    ig_code code = reader_open(&r, l, err);
    for (int s = 0; s < 2 && code == IG_ERR_OK; s++) {
        int64_t have = ig_corpus_n_sequence(l->corpus, s ? l->o->b : l->o->a);
        code = read_pieces(&p[s], &r, s, 0, n < have ? n : have, err);
    }
    if (code == IG_ERR_OK && p[0].n + p[1].n == 0)
        code = ig_fail(err, IG_ERR_INPUT, l->run.run, 0, "its sentences have no pieces");
    for (int i = 0; i < r.n_layer && code == IG_ERR_OK; i++)
        code = state_panel(l, &r, p, i, err);
    pieces_free(&p[0]);
    pieces_free(&p[1]);
    reader_close(&r);
    return code;
}

/* --- alignment ------------------------------------------------------------------------------- */

typedef struct {
    int32_t *pair; /* gold places, then rows and columns */
    int32_t n;
} edges;

/* Row of a place among the pieces; −1: it is no piece of content. */
static int32_t row_of(const pieces *p, int32_t place)
{
    for (int64_t i = 0; i < p->n; i++)
        if (p->place[i] == place)
            return (int32_t)i;
    return -1;
}

/* Cosine similarities [pieces, pieces] of a layer's states, which are made of unit length, and the
 * edges that they predict. */
static ig_code predict(double *value, edges *out, pieces p[2], int d, int i, ig_err *err)
{
    const int na = (int)p[0].n, nb = (int)p[1].n;
    ig_scratch scratch = {0};
    float *sim = NULL;
    int32_t *work = NULL;
    for (int s = 0; s < 2; s++)
        IG_TRY(ig_unit_rows(p[s].x[i], p[s].n, d, "hidden states", err));
    ig_code code = ig_alloc(&sim, (int64_t)na * nb, sizeof *sim, "similarities", err);
    IG_THEN(code, ig_alloc(&work, nb, sizeof *work, "argmax", err));
    if (code == IG_ERR_OK && na > 0 && nb > 0) {
        const ig_gemm product = ig_gemm_of_rows(p[0].x[i], na, p[1].x[i], nb, d, sim);
        ig_ops_best()->gemm(&product, &scratch);
        code = ig_scratches_check(&scratch, 1, err);
        out->n = ig_alignment_argmax(sim, nb, na, nb, out->pair, work);
        for (int64_t k = 0; k < (int64_t)na * nb; k++)
            value[k] = (double)sim[k];
    }
    ig_scratch_free(&scratch);
    IG_FREE(sim, work);
    return code;
}

/* A sentence in both languages. */
typedef struct {
    int64_t number;
    pieces p[2];
    edges gold;
} sentence_pair;

/* `piece`: the names of the model's pieces. */
static ig_code alignment_panel(ig_look *l, const reader *r, sentence_pair *of, int i,
                               char *const *piece, ig_err *err)
{
    pieces *p = of->p;
    const edges *gold = &of->gold;
    const int na = (int)p[0].n, nb = (int)p[1].n;
    ig_panel *panel;
    double *value;
    const char **label[2];
    int32_t *cell;
    edges dot = {0};
    IG_TRY(ig_pool_alloc(&l->f->pool, &value, (int64_t)na * nb, sizeof *value, err));
    IG_TRY(ig_pool_alloc(&l->f->pool, &dot.pair, 2 * (int64_t)(na < nb ? na : nb), sizeof *dot.pair,
                         err));
    IG_TRY(ig_pool_alloc(&l->f->pool, &cell, 2 * (int64_t)gold->n, sizeof *cell, err));
    for (int s = 0; s < 2; s++) {
        IG_TRY(ig_pool_alloc(&l->f->pool, &label[s], p[s].n, sizeof *label[s], err));
        for (int64_t k = 0; k < p[s].n; k++)
            IG_TRY(ig_pool_print(&l->f->pool, &label[s][k], err, "%s", piece[p[s].id[k]]));
    }
    IG_TRY(predict(value, &dot, p, r->d, i, err));
    memcpy(cell, gold->pair, 2 * (size_t)gold->n * sizeof *cell);
    ig_alignment_count count = {0};
    ig_alignment_add(&count, dot.pair, dot.n, cell, gold->n);
    IG_TRY(ig_figure_panels(l->f, IG_PLOT_MATRIX, 1, &panel, err));
    ig_plot_matrix *m = &panel->as.matrix;
    *m = (ig_plot_matrix){.rows = na,
                          .cols = nb,
                          .value = value,
                          .row_label = label[0],
                          .col_label = label[1],
                          .low = panel->as.matrix.low,
                          .high = panel->as.matrix.high,
                          .bar_label = "cosine similarity",
                          .digits = -1,
                          .gold = cell,
                          .n_gold = gold->n,
                          .dot = dot.pair,
                          .n_dot = dot.n,
                          .gold_name = "gold",
                          .dot_name = "predicted"};
    IG_TRY(ig_pool_print(&l->f->pool, &m->row_title, err, "%s", l->language[0]->name));
    IG_TRY(ig_pool_print(&l->f->pool, &m->col_title, err, "%s", l->language[1]->name));
    ig_alignment_score score = ig_alignment_get(&count);
    char more[40];
    snprintf(more, sizeof more, ", F1 %.2f", score.f1 >= 0 ? score.f1 : 0);
    IG_TRY(layer_title(l, &panel->title, r->layer[i], score.f1 >= 0 ? more : "", err));
    return ig_look_numbers(l,
                           json_pack("{s:s, s:i, s:I, s:i, s:i, s:i, s:o}", "kind", "alignment",
                                     "layer", r->layer[i], "sentence", (json_int_t)of->number,
                                     "n_predicted", (int)count.n_predicted, "n_gold",
                                     (int)count.n_gold, "n_right", (int)count.n_right, "f1",
                                     score.f1 >= 0 ? json_real(score.f1) : json_null()),
                           err);
}

/* The gold edges between pieces of content; n −1: the texts are not parallel. */
static ig_code find_gold(sentence_pair *of, ig_look *l, ig_err *err)
{
    edges *g = &of->gold;
    IG_TRY(ig_alloc(&g->pair, 4 * (int64_t)ig_corpus_get_options(l->corpus)->block, sizeof *g->pair,
                    "gold edges", err));
    int32_t n = ig_corpus_gold_alignment(l->corpus, l->o->a, l->o->b, of->number, g->pair);
    if (n < 0)
        return ig_fail(err, IG_ERR_USAGE, l->run.run, 0,
                       "sentence %lld of the two languages is not the same sentence: their texts "
                       "are not parallel",
                       (long long)of->number);
    for (int32_t i = 0; i < n; i++) {
        int32_t a = row_of(&of->p[0], g->pair[2 * i]), b = row_of(&of->p[1], g->pair[2 * i + 1]);
        if (a >= 0 && b >= 0) {
            g->pair[2 * g->n] = a;
            g->pair[2 * g->n++ + 1] = b;
        }
    }
    if (g->n > 0)
        qsort(g->pair, (size_t)g->n, 2 * sizeof *g->pair, ig_by_int32_pair);
    return IG_ERR_OK;
}

/* The next sentence from `from` on that a figure has room for; any where there is none. */
static int64_t find_sentence(const ig_look *l, int64_t from, int64_t n)
{
    int32_t id[IG_SEQUENCE_MAX];
    for (int64_t i = from; i < n; i++) {
        int32_t a = ig_corpus_sequence(l->corpus, l->o->a, i, id) - 2,
                b = ig_corpus_sequence(l->corpus, l->o->b, i, id) - 2;
        if (a >= 6 && a <= 14 && b >= 6 && b <= 14)
            return i;
    }
    return from;
}

static ig_code one_sentence(ig_look *l, reader *r, int64_t sentence, char *const *piece,
                            ig_err *err)
{
    sentence_pair of = {.number = sentence};
    ig_code code = IG_ERR_OK;
    for (int s = 0; s < 2 && code == IG_ERR_OK; s++)
        code = read_pieces(&of.p[s], r, s, sentence, sentence + 1, err);
    IG_THEN(code, find_gold(&of, l, err));
    for (int i = 0; i < r->n_layer && code == IG_ERR_OK; i++)
        code = alignment_panel(l, r, &of, i, piece, err);
    pieces_free(&of.p[0]);
    pieces_free(&of.p[1]);
    ig_free(of.gold.pair);
    return code;
}

ig_code ig_look_alignment(ig_look *l, ig_err *err)
{
    reader r;
    char **piece = NULL;
    int32_t n_piece = 0;
    int64_t na = ig_corpus_n_sequence(l->corpus, l->o->a),
            nb = ig_corpus_n_sequence(l->corpus, l->o->b), n = na < nb ? na : nb;
    int64_t at = l->o->sentence, wanted = l->o->count > 0 ? l->o->count : 1;
    if (at >= n)
        return ig_fail(err, IG_ERR_USAGE, "sentence", 0, "found %lld, there are 0 to %lld",
                       (long long)at, (long long)n - 1);
    ig_code code = reader_open(&r, l, err);
    IG_THEN(code, ig_setup_pieces(&l->run.setup, &piece, &n_piece, err));
    for (int64_t k = 0; k < wanted && code == IG_ERR_OK; k++) {
        if (l->o->sentence < 0)
            at = find_sentence(l, k == 0 ? 0 : at + 1, n);
        else
            at = l->o->sentence + k;
        if (at >= n)
            break;
        code = one_sentence(l, &r, at, piece, err);
    }
    ig_free_list(piece, n_piece);
    reader_close(&r);
    return code;
}
