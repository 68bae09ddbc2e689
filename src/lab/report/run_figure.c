/* SPDX-License-Identifier: Apache-2.0
 *
 * Figures of a model: the cosines of its position embeddings (Dufter & Schütze 2020, Figures 5 and
 * 8), the principal components of its word embeddings with links between translations, and those
 * of a layer's states by language (Figure 4). Pieces and states are those of the measures
 * (apply/sentence_blocks.h).
 */
#include "lab/report/run_figure.h"

#include "analyse/positions.h"
#include "apply/sentence_blocks.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "lab/report/run_figure_parts.h"
#include "model/bert_params.h"
#include "run/measure/measure_pairs.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ig_run_figure_options ig_run_figure_defaults(void)
{
    return (ig_run_figure_options){.b = 1, .step = -1};
}

/* Where a table of the model lies as language a (x = 0) or b sees it. */
typedef enum { TABLE_WORDS, TABLE_POSITIONS } table_kind;
static int64_t place_of(const ig_look *l, int x, table_kind kind)
{
    const bool own = ig_bert_n_language(ig_bert_get_config(l->run.model)) > 1;
    const ig_bert_offsets o = ig_bert_get_offsets(l->run.model, !own     ? 0
                                                                : x == 0 ? l->o->a
                                                                         : l->o->b);
    return kind == TABLE_WORDS ? o.word : o.position;
}

static bool one_table(const ig_look *l, table_kind kind)
{
    return place_of(l, 0, kind) == place_of(l, 1, kind);
}

/* A copy of it; ig_free. */
static ig_code table_of(float **out, const ig_look *l, int x, table_kind kind, ig_err *err)
{
    const ig_bert *m = l->run.model;
    const ig_bert_param *p = ig_bert_params(m);
    while (p->offset != place_of(l, x, kind))
        p++;
    IG_TRY(ig_alloc(out, (int64_t)p->rows * p->cols, sizeof **out, "embeddings", err));
    ig_bert_get_values(m, p, *out);
    return IG_ERR_OK;
}

/* Rows id[0 … n − 1] of the table of words of x. */
static ig_code word_rows(float *rows, const ig_look *l, int x, const int32_t *id, int64_t n,
                         ig_err *err)
{
    const int64_t d = ig_bert_get_config(l->run.model)->hidden_size;
    IG_OWNED float *table = NULL;
    IG_TRY(table_of(&table, l, x, TABLE_WORDS, err));
    for (int64_t i = 0; i < n; i++)
        memcpy(rows + i * d, table + id[i] * d, (size_t)d * sizeof *rows);
    return IG_ERR_OK;
}

/* --- positions ------------------------------------------------------------------------------- */

/* Cosines of both languages' positions; of one range when they share it. */
static ig_code position_matrix(ig_look *l, ig_plot_matrix *m, int d, int n, bool shared,
                               ig_err *err)
{
    const int size = shared ? n : 2 * n;
    float *rows;
    double *value;
    const char **label;
    ig_plot_block *block;
    IG_TRY(ig_pool_alloc(&l->f->pool, &value, (int64_t)size * size, sizeof *value, err));
    IG_TRY(ig_pool_alloc(&l->f->pool, &label, size, sizeof *label, err));
    IG_TRY(ig_pool_alloc(&l->f->pool, &block, 2, sizeof *block, err));
    for (int i = 0; i < size; i++)
        IG_TRY(ig_pool_print(&l->f->pool, &label[i], err, "%d",
                             l->language[i / n]->pos_offset + i % n));
    IG_TRY(ig_alloc(&rows, (int64_t)size * d, sizeof *rows, "positions", err));
    ig_code code = IG_ERR_OK;
    for (int x = 0; x < (shared ? 1 : 2) && code == IG_ERR_OK; x++) {
        float *table = NULL;
        code = table_of(&table, l, x, TABLE_POSITIONS, err);
        if (code == IG_ERR_OK)
            memcpy(rows + (int64_t)x * n * d, table + (int64_t)l->language[x]->pos_offset * d,
                   (size_t)n * (size_t)d * sizeof *rows);
        ig_free(table);
    }
    IG_THEN(code, ig_cosines(value, (ig_row_list){rows, size}, (ig_row_list){rows, size}, d, err));
    ig_free(rows);
    IG_TRY(code);
    for (int i = 0; i < 2; i++) {
        block[i].from = i * n;
        IG_TRY(ig_pool_print(&l->f->pool, &block[i].name, err, shared ? "%s, %s" : "%s",
                             l->language[i]->name, l->language[1]->name));
    }
    *m = (ig_plot_matrix){.rows = size,
                          .cols = size,
                          .value = value,
                          .row_label = label,
                          .col_label = label,
                          .row_block = block,
                          .col_block = block,
                          .n_row_block = shared ? 1 : 2,
                          .n_col_block = shared ? 1 : 2,
                          .map = IG_MAP_DIVERGING,
                          .low = -1,
                          .high = 1,
                          .bar_label = "cosine similarity of position embeddings",
                          .digits = -1,
                          .thin_labels = true};
    return IG_ERR_OK;
}

static ig_code look_positions(ig_look *l, ig_err *err)
{
    const ig_bert_config *c = ig_bert_get_config(l->run.model);
    int from[2] = {l->language[0]->pos_offset, l->language[1]->pos_offset};
    if (c->position != IG_POSITION_LEARNED && c->position != IG_POSITION_SINUSOIDAL)
        return ig_fail(err, IG_ERR_USAGE, "positions", 0,
                       "the model has no position embeddings: its position-type is %s",
                       ig_position_names[c->position]);
    const bool same = one_table(l, TABLE_POSITIONS);
    bool shared = same && from[0] == from[1];
    int64_t n = l->o->count > 0 ? l->o->count : ig_corpus_get_options(l->corpus)->block;
    for (int i = 0; i < 2; i++)
        n = n < c->max_position_embeddings - from[i] ? n : c->max_position_embeddings - from[i];
    if (same && !shared && n > abs(from[1] - from[0]))
        n = abs(from[1] - from[0]);
    ig_panel *p;
    IG_TRY(ig_figure_panels(l->f, IG_PLOT_MATRIX, 1, &p, err));
    IG_TRY(ig_look_title(l, &p->title, err, NULL));
    IG_TRY(position_matrix(l, &p->as.matrix, c->hidden_size, (int)n, shared, err));
    double within = 0;
    ig_position_summary s = {.same = (double)NAN, .between = (double)NAN, .nearest = (double)NAN};
    if (!shared)
        s = ig_position_summarise(p->as.matrix.value, (int)n);
    for (int64_t i = 0; i < n && shared; i++)
        for (int64_t j = 0; j < n; j++)
            within += i != j ? p->as.matrix.value[i * n + j] : 0;
    if (shared)
        s.within = n > 1 ? within / (double)(n * (n - 1)) : (double)NAN;
    return ig_look_numbers(l,
                           json_pack("{s:s, s:b, s:I, s:o, s:o, s:o, s:o}", "kind", "positions",
                                     "shared", (int)shared, "n", (json_int_t)n, "same",
                                     ig_json_number(s.same), "between", ig_json_number(s.between),
                                     "within", ig_json_number(s.within), "nearest",
                                     ig_json_number(s.nearest)),
                           err);
}

/* --- tokens ---------------------------------------------------------------------------------- */

typedef struct {
    int32_t id[2];
    int64_t count; /* how often the first occurs in the development text */
} entry;

static int by_count(const void *x, const void *y)
{
    const entry *p = x, *q = y;
    if (p->count != q->count)
        return p->count > q->count ? -1 : 1;
    return p->id[0] != q->id[0] ? p->id[0] < q->id[0] ? -1 : 1
                                : (p->id[1] > q->id[1]) - (p->id[1] < q->id[1]);
}

typedef struct {
    entry *pair; /* [n_pair] the dictionary without special tokens, frequent words first */
    int64_t n_pair;
    int32_t *id[2]; /* content ids of each language, ascending */
    int64_t n_id[2];
    char **piece;
    int32_t n_piece;
} words;

static void words_free(words *w)
{
    IG_FREE(w->pair, w->id[0], w->id[1]);
    ig_free_list(w->piece, w->n_piece);
}

static ig_code count_pieces(int64_t **count, const ig_look *l, ig_err *err)
{
    int32_t id[IG_SEQUENCE_MAX];
    IG_TRY(ig_alloc(count, ig_corpus_vocab_size(l->corpus), sizeof **count, "counts", err));
    int64_t n = ig_corpus_n_sequence(l->corpus, l->o->a);
    for (int64_t i = 0; i < n; i++) {
        int32_t m = ig_corpus_sequence(l->corpus, l->o->a, i, id);
        for (int32_t k = 0; k < m; k++)
            (*count)[id[k]]++;
    }
    return IG_ERR_OK;
}

static ig_code find_words(words *w, const ig_look *l, ig_err *err)
{
    int32_t *found = NULL;
    int64_t n = 0, *count = NULL;
    ig_code code = count_pieces(&count, l, err);
    for (int x = 0; x < 2 && code == IG_ERR_OK; x++) {
        const ig_language *g = l->language[x];
        code = ig_alloc(&w->id[x], g->n_id, sizeof(int32_t), "words", err);
        for (int32_t i = g->first_id; i < g->first_id + g->n_id && code == IG_ERR_OK; i++)
            if (ig_look_is_content(l, x, i))
                w->id[x][w->n_id[x]++] = i;
    }
    IG_THEN(code, ig_corpus_gold_dictionary(l->corpus, l->o->a, l->o->b, &found, &n, err));
    IG_THEN(code, ig_alloc(&w->pair, n, sizeof *w->pair, "words", err));
    /* One of several translations is drawn. */
    for (int64_t i = 0; i < n && code == IG_ERR_OK; i++)
        if (ig_look_is_content(l, 0, found[2 * i]) && ig_look_is_content(l, 1, found[2 * i + 1]) &&
            (w->n_pair == 0 || w->pair[w->n_pair - 1].id[0] != found[2 * i]))
            w->pair[w->n_pair++] = (entry){{found[2 * i], found[2 * i + 1]}, count[found[2 * i]]};
    IG_THEN(code, ig_setup_pieces(&l->run.setup, &w->piece, &w->n_piece, err));
    if (code == IG_ERR_OK && w->n_pair > 0)
        qsort(w->pair, (size_t)w->n_pair, sizeof *w->pair, by_count);
    IG_FREE(found, count);
    return code;
}

/* A word that a reader recognises: at least three letters, not the rest of a word ("##"). */
static bool is_word(const char *piece)
{
    int n = 0;
    while (*piece == ':')
        piece++;
    for (const char *p = piece; *p != '\0'; p++) {
        unsigned char c = (unsigned char)*p;
        if (!isalpha(c) && c < 0x80)
            return false;
        n += (c & 0xc0) != 0x80;
        /* A sign of a script without an alphabet is a word, or nearly. */
        n += c >= 0xe3 && c < 0xf8 ? 2 : 0;
    }
    return n >= 3;
}

/* The pairs that are named: ranks 1, 2, 3, 5, 8, … of the words that occur, from the most frequent
 * to the rarest in equal factors. */
static ig_code choose(entry **out, int64_t *n, const words *w, int64_t wanted, ig_err *err)
{
    int64_t n_word = 0, last = -1;
    entry *word;
    *n = 0;
    IG_TRY(ig_alloc(&word, w->n_pair, sizeof *word, "words", err));
    for (int64_t i = 0; i < w->n_pair; i++)
        if (w->pair[i].count > 0 && is_word(w->piece[w->pair[i].id[0]]))
            word[n_word++] = w->pair[i];
    for (int64_t i = 0; i < wanted && last + 1 < n_word; i++) {
        last = ig_sample_rank(i, wanted, n_word, last);
        word[(*n)++] = word[last];
    }
    *out = word;
    return IG_ERR_OK;
}

/* The words of both lists of ids; of the first alone where both languages have these. */
typedef struct {
    const int32_t *id[2];
    int64_t n[2];
    bool one, named;
} shown_words;

static ig_code token_panel(ig_look *l, ig_panel **p, ig_cloud *c, const shown_words *s,
                           char *const *piece, ig_err *err)
{
    const int n_group = s->one ? 1 : 2, d = ig_bert_get_config(l->run.model)->hidden_size;
    const int64_t all = s->n[0] + (s->one ? 0 : s->n[1]);
    float *rows;
    const char **label = NULL;
    char both[2 * sizeof l->language[0]->name + 2];
    snprintf(both, sizeof both, "%s, %s", l->language[0]->name, l->language[1]->name);
    IG_TRY(ig_alloc(&rows, all * d, sizeof *rows, "embeddings", err));
    ig_code code = ig_alloc(&label, all, sizeof *label, "names", err);
    for (int64_t x = 0, at = 0; x < n_group && code == IG_ERR_OK; at += s->n[x++]) {
        code = word_rows(rows + at * d, l, (int)x, s->id[x], s->n[x], err);
        for (int64_t i = 0; i < s->n[x]; i++)
            label[at + i] = piece[s->id[x][i]];
    }
    *c = (ig_cloud){.x = rows,
                    .d = d,
                    .n_group = n_group,
                    .n = {s->n[0], all - s->n[0]},
                    .label = s->named ? label : NULL,
                    .name = {s->one ? both : l->language[0]->name, l->language[1]->name}};
    IG_THEN(code, ig_cloud_panel(l->f, p, c, err));
    IG_FREE(rows, label);
    return code;
}

/* The sample: few pairs, named and linked. Its components are its own, as in the paper. */
static ig_code sample_panel(ig_look *l, const words *w, ig_err *err)
{
    IG_OWNED entry *pair = NULL;
    ig_cloud c;
    ig_panel *p;
    int32_t *id[2] = {NULL, NULL};
    int64_t n;
    IG_TRY(choose(&pair, &n, w, l->o->count > 0 ? l->o->count : 16, err));
    ig_code code = IG_ERR_OK;
    if (n < 2)
        return IG_ERR_OK;
    for (int x = 0; x < 2 && code == IG_ERR_OK; x++)
        code = ig_alloc(&id[x], n, sizeof(int32_t), "words", err);
    for (int64_t i = 0; i < n && code == IG_ERR_OK; i++)
        for (int x = 0; x < 2; x++)
            id[x][i] = pair[i].id[x];
    const shown_words s = {.id = {id[0], id[1]}, .n = {n, n}, .named = true};
    IG_THEN(code, token_panel(l, &p, &c, &s, w->piece, err));
    IG_THEN(code, ig_look_title(l, &p->title, err, "a sample"));
    IG_THEN(code, ig_cloud_link(l->f, p, n, err));
    IG_FREE(id[0], id[1]);
    return code;
}

static ig_code look_tokens(ig_look *l, ig_err *err)
{
    words w = {0};
    ig_cloud c;
    ig_panel *p;
    bool one = l->language[0]->first_id == l->language[1]->first_id && one_table(l, TABLE_WORDS);
    ig_code code = find_words(&w, l, err);
    const shown_words s = {.id = {w.id[0], w.id[1]}, .n = {w.n_id[0], w.n_id[1]}, .one = one};
    IG_THEN(code, token_panel(l, &p, &c, &s, w.piece, err));
    IG_THEN(code, ig_look_title(l, &p->title, err, "all word embeddings"));
    if (code == IG_ERR_OK)
        code = ig_look_numbers(l,
                               json_pack("{s:s, s:I, s:I, s:[f,f]}", "kind", "tokens", "n_words",
                                         (json_int_t)(w.n_id[0] + (one ? 0 : w.n_id[1])), "n_pairs",
                                         (json_int_t)w.n_pair, "shares", c.share[0], c.share[1]),
                               err);
    if (code == IG_ERR_OK && !one)
        code = sample_panel(l, &w, err);
    words_free(&w);
    return code;
}

/* --- states ---------------------------------------------------------------------------------- */

/* Layers ascending, each once, and their states of the content pieces of some sentences: those of
 * the first language, then those of the second. */
typedef struct {
    int layer[IG_RUN_FIGURE_MAX_LAYER], n_layer;
    float *x[IG_RUN_FIGURE_MAX_LAYER];
    int64_t have[IG_RUN_FIGURE_MAX_LAYER], n[2];
} state_layers;

static ig_code find_layers(state_layers *r, const ig_look *l, ig_err *err)
{
    const ig_run_figure_options *o = l->o;
    const int high = IG_LAYER_HIGH, *ask = o->n_layer > 0 ? o->layer : &high;
    int n = o->n_layer > 0 ? o->n_layer : 1, mu[2], resolved[IG_RUN_FIGURE_MAX_LAYER],
        last = ig_bert_get_config(l->run.model)->num_hidden_layers;
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

static ig_code read_states(state_layers *r, const ig_look *l, ig_sentence_blocks *blocks, int side,
                           ig_err *err)
{
    const int d = ig_bert_get_config(l->run.model)->hidden_size;
    const int64_t have = ig_corpus_n_sequence(l->corpus, side == 0 ? l->o->a : l->o->b),
                  wanted = l->o->count > 0 ? l->o->count : 100, n = wanted < have ? wanted : have;
    const ig_sentence_block *b = &blocks->side[side];
    for (int64_t c = 0; c < n; c += blocks->chunk) {
        const int64_t end = c + blocks->chunk < have ? c + blocks->chunk : have,
                      last = (n < end ? n : end) - c, at = r->n[0] + r->n[1];
        IG_TRY(ig_sentence_blocks_get(blocks, side, c, end, err));
        const int32_t n_piece = b->first[last];
        for (int i = 0; i < r->n_layer; i++) {
            IG_TRY(
                ig_grow(&r->x[i], &r->have[i], (at + n_piece) * d, sizeof(float), "states", err));
            for (int32_t t = 0; t < n_piece; t++)
                memcpy(r->x[i] + (at + t) * d, b->state[i] + (int64_t)b->row[t] * d,
                       (size_t)d * sizeof(float));
        }
        r->n[side] += n_piece;
    }
    return IG_ERR_OK;
}

static ig_code state_panel(ig_look *l, const state_layers *r, int i, ig_err *err)
{
    ig_panel *panel;
    char text[32];
    ig_cloud c = {.x = r->x[i],
                  .d = ig_bert_get_config(l->run.model)->hidden_size,
                  .n_group = 2,
                  .n = {r->n[0], r->n[1]},
                  .name = {l->language[0]->name, l->language[1]->name}};
    snprintf(text, sizeof text, "layer %d", r->layer[i]);
    IG_TRY(ig_cloud_panel(l->f, &panel, &c, err));
    IG_TRY(ig_look_title(l, &panel->title, err, text));
    return ig_look_numbers(l,
                           json_pack("{s:s, s:i, s:I, s:[f,f], s:o}", "kind", "states", "layer",
                                     r->layer[i], "n_states", (json_int_t)(r->n[0] + r->n[1]),
                                     "shares", c.share[0], c.share[1], "between_languages",
                                     c.between >= 0 ? json_real(c.between) : json_null()),
                           err);
}

static ig_code look_states(ig_look *l, ig_err *err)
{
    enum { CHUNK = 32 };
    state_layers r = {.n_layer = 0};
    ig_sentence_blocks blocks = {0};
    ig_team *team = NULL;
    ig_engine *engine = NULL;
    IG_TRY(find_layers(&r, l, err));
    ig_code code = ig_team_new(&team, l->o->n_thread, err);
    IG_THEN(code, ig_engine_new(&engine, l->run.model, team, NULL, IG_PRECISION_F32, err));
    const ig_sentence_block_options o = {
        .states = {.layer = r.layer, .n_layer = r.n_layer},
        .parts = {.engine = engine, .model = l->run.model, .team = team, .corpus = l->corpus},
        .language = {l->o->a, l->o->b},
        .batching = ig_run_config_batch(&l->run.config),
        .seed = (uint64_t)l->run.config.optimisation.seed,
        .chunk = CHUNK};
    IG_THEN(code, ig_sentence_blocks_open(&blocks, &o, err));
    for (int s = 0; s < 2; s++)
        IG_THEN(code, read_states(&r, l, &blocks, s, err));
    if (code == IG_ERR_OK && r.n[0] + r.n[1] == 0)
        code = ig_fail(err, IG_ERR_INPUT, l->run.run, 0, "its sentences have no pieces");
    for (int i = 0; i < r.n_layer; i++) {
        IG_THEN(code, state_panel(l, &r, i, err));
        ig_free(r.x[i]);
    }
    ig_sentence_blocks_close(&blocks);
    ig_engine_free(engine);
    ig_team_free(team);
    return code;
}

/* --------------------------------------------------------------------------------------------- */

ig_code ig_run_figure_add(ig_figure *f, ig_figure_kind kind, const char *dir,
                          const ig_run_figure_options *o, ig_err *err)
{
    ig_run_figure_options own = *o;
    ig_look l = {.f = f, .o = &own, .name = o->name, .numbers = o->numbers};
    if (kind != IG_FIG_POSITIONS && kind != IG_FIG_TOKENS && kind != IG_FIG_STATES)
        return ig_fail(err, IG_ERR_USAGE, "kind", 0,
                       "found %s, which does not show the model of one run",
                       ig_figure_kind_names[kind]);
    ig_code code = ig_open_run_open(&l.run, dir, o->step, err);
    if (code == IG_ERR_OK) {
        l.corpus = l.run.setup.dev;
        int n = ig_corpus_n_language(l.corpus);
        if (n < 2)
            code = ig_fail(err, IG_ERR_USAGE, dir, 0,
                           "the run has one language; the figure compares two");
        else if (o->pair != NULL)
            code = ig_language_pair(&own.a, &own.b, o->pair, l.corpus, err);
        else if (o->a < 0 || o->a >= n || o->b < 0 || o->b >= n || o->a == o->b)
            code = ig_fail(err, IG_ERR_USAGE, "pair", 0,
                           "languages %d and %d, two different ones from 0 to %d are expected",
                           o->a, o->b, n - 1);
    }
    if (code == IG_ERR_OK) {
        l.language[0] = ig_corpus_language(l.corpus, own.a);
        l.language[1] = ig_corpus_language(l.corpus, own.b);
        code = kind == IG_FIG_POSITIONS ? look_positions(&l, err)
               : kind == IG_FIG_TOKENS  ? look_tokens(&l, err)
                                        : look_states(&l, err);
    }
    ig_open_run_close(&l.run);
    return code;
}
