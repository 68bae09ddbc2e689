/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes the initial weights of a run from another model, tensor by tensor by name. Rows of the
 * vocabulary are found by their pieces, so that another vocabulary keeps the encoder and what both
 * have (Artetxe et al. 2020, §2, start with all rows new: --reinit words; Wu et al. 2023 also give
 * the pieces each other's rows: --reinit permute).
 */
#include "run/train/start_from.h"

#include "apply/encoder.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/rng.h"
#include "model/bert_params.h"
#include "train/named_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const ig_run_config *config;
    ig_encoder parent;
    ig_parts reinit;
    ig_bert *model;
    int32_t *row; /* [V] of the model: the parent's row of the same piece; −1: none */
    int32_t n_row;
} start;

typedef struct {
    const char *text;
    int32_t row;
} piece;

static int by_text(const void *a, const void *b)
{
    return strcmp(((const piece *)a)->text, ((const piece *)b)->text);
}

/* Returns whether the row of a piece, or of a language's copy of it ("::[CLS]"), is that of a
 * special token. */
static bool is_special(const ig_tokenizer *t, const char *name)
{
    const char *own = strncmp(name, "::", 2) == 0 ? name + strspn(name, ":") : name;
    for (int role = 0; role < IG_N_TOKENIZER_ROLE; role++) {
        const char *text = ig_tokenizer_piece(t, ig_tokenizer_special(t, (ig_tokenizer_role)role));
        if (text != NULL && strcmp(text, own) == 0)
            return true;
    }
    return false;
}

/* Gives the pieces each other's rows, special tokens excepted. */
static ig_code permute_rows(start *s, char *const *name, ig_err *err)
{
    int32_t *at, *order, n = 0;
    ig_rng rng = ig_rng_make((uint64_t)s->config->optimisation.seed, IG_STREAM_SAMPLE, 0, 0);
    IG_TRY(ig_alloc(&at, 3 * (int64_t)s->n_row, sizeof *at, "vocabulary", err));
    order = at + s->n_row;
    for (int32_t i = 0; i < s->n_row; i++)
        if (s->row[i] >= 0 && !is_special(s->parent.tokenizer, name[i])) {
            order[s->n_row + n] = s->row[i];
            at[n++] = i;
        }
    ig_rng_permutation(&rng, order, n);
    for (int32_t i = 0; i < n; i++)
        s->row[at[i]] = order[s->n_row + order[i]];
    ig_free(at);
    return IG_ERR_OK;
}

/* Finds the parent's row of each piece. Rows beyond its tokenizer's pieces are those of copied
 * vocabularies: they count where both models have as many rows. */
static ig_code match_rows(start *s, const ig_setup *setup, bool permute, ig_err *err)
{
    const ig_tokenizer *t = s->parent.tokenizer;
    const int32_t n_parent = ig_bert_get_config(s->parent.model)->vocab_size,
                  n_known = ig_tokenizer_size(t);
    char **name = NULL;
    piece *known = NULL;
    int32_t n = 0;
    ig_code code = ig_setup_pieces(setup, &name, &n, err);
    IG_THEN(code, ig_alloc(&known, n_known, sizeof *known, "vocabulary", err));
    IG_THEN(code, ig_alloc(&s->row, n, sizeof *s->row, "vocabulary", err));
    for (int32_t i = 0; i < n_known && code == IG_ERR_OK; i++)
        known[i] = (piece){ig_tokenizer_piece(t, i), i};
    if (code == IG_ERR_OK) {
        s->n_row = n;
        qsort(known, (size_t)n_known, sizeof *known, by_text);
    }
    for (int32_t i = 0; i < s->n_row; i++) {
        const piece key = {name[i], 0},
                    *found = bsearch(&key, known, (size_t)n_known, sizeof *known, by_text);
        s->row[i] = found != NULL ? found->row : i >= n_known && n == n_parent ? i : -1;
    }
    if (code == IG_ERR_OK && permute)
        code = permute_rows(s, name, err);
    ig_free(known);
    ig_free_list(name, n);
    return code;
}

/* The parent's tensor of that name; of a language's own, the one of all languages. */
static const ig_bert_param *find(const start *s, const char *name)
{
    const ig_bert_param *p = ig_bert_param_find(s->parent.model, name);
    const char *dot = strncmp(name, "language.", 9) == 0 ? strchr(name + 9, '.') : NULL;
    return p == NULL && dot != NULL ? ig_bert_param_find(s->parent.model, dot + 1) : p;
}

static ig_code wrong(const start *s, const ig_bert_param *p, const ig_bert_param *from, ig_err *err)
{
    const char *dir = s->parent.dir;
    if (from == NULL)
        ig_fail(err, IG_ERR_INPUT, dir, 0, "the model has no %s", p->name);
    else
        ig_fail(err, IG_ERR_INPUT, dir, 0, "%s is [%d, %d], expected [%d, %d]", p->name, from->rows,
                from->cols, p->rows, p->cols);
    return ig_hint(err,
                   "--reinit gives parts new weights: words, embeddings, layers A-B, head, all");
}

/* Copies the rows that the parent has into the new values of a tensor. */
static ig_code take(const start *s, const ig_bert_param *to, const ig_bert_param *from, ig_err *err)
{
    const int64_t d = to->cols > 0 ? to->cols : 1, n = to->rows * d, n_from = from->rows * d;
    const bool words = ig_bert_is_of_words(to->name);
    IG_OWNED float *value = NULL, *had = NULL;
    if (to->cols != from->cols || (!words && to->rows != from->rows))
        return wrong(s, to, from, err);
    IG_TRY(ig_alloc(&value, n, sizeof *value, "weights", err));
    IG_TRY(ig_alloc(&had, n_from, sizeof *had, "weights", err));
    ig_bert_get_values(s->model, to, value);
    ig_bert_get_values(s->parent.model, from, had);
    for (int32_t i = 0; i < to->rows; i++) {
        const int32_t row = words ? s->row[i] : i;
        if (row >= 0)
            memcpy(value + i * d, had + row * d, (size_t)d * sizeof *value);
    }
    ig_bert_set_values(s->model, to, value);
    return IG_ERR_OK;
}

static ig_code take_all(start *s, ig_err *err)
{
    if (s->parent.no_head[0] != '\0' && isnan(s->reinit.head))
        return wrong(s, &(ig_bert_param){.name = s->parent.no_head}, NULL, err);
    for (int i = 0; i < ig_bert_n_param(s->model); i++) {
        const ig_bert_param *p = &ig_bert_params(s->model)[i], *from = find(s, p->name);
        const bool encoder =
            strstr(p->name, "bert.embeddings.") != NULL || strstr(p->name, "bert.encoder.") != NULL;
        if (p->frozen || !isnan(ig_parts_value(&s->reinit, p)))
            continue;
        if (from == NULL && encoder)
            return wrong(s, p, from, err);
        if (from != NULL)
            IG_TRY(take(s, p, from, err));
    }
    return IG_ERR_OK;
}

/* Says which layers are left out, how much of the vocabulary is new, and whether the head is, where
 * that was not asked for. */
static void report_new(const start *s)
{
    int32_t n_new = 0;
    const int had = ig_bert_get_config(s->parent.model)->num_hidden_layers,
              has = ig_bert_get_config(s->model)->num_hidden_layers;
    if (has < had)
        ig_log(IG_LOG_NORMAL, "%s: the first %d of its %d layers; those above are left out",
               s->config->model.from, has, had);
    if (!s->parent.masked && isnan(s->reinit.head))
        ig_log(IG_LOG_NORMAL, "%s: no head that predicts words is found: it is new",
               s->config->model.from);
    for (int32_t i = 0; i < s->n_row; i++)
        n_new += s->row[i] < 0;
    if (n_new > 0 && isnan(s->reinit.words) && isnan(s->reinit.embeddings))
        ig_log(IG_LOG_NORMAL, "%s: %d of %d pieces are not in its vocabulary: their rows are new",
               s->config->model.from, n_new, s->n_row);
}

ig_code ig_start_from(ig_bert **out, const ig_run_config *c, const ig_bert_config *shape,
                      const ig_setup *setup, ig_err *err)
{
    start s = {.config = c};
    char cell[IG_FROM_CELL];
    *out = NULL;
    if (ig_run_from_cell(cell, c->model.from))
        return ig_fail(err, IG_ERR_USAGE, "from", 0,
                       "found cell '%.60s', expected a folder outside an experiment file", cell);
    bool permute;
    ig_code code = ig_parts_parse_new(&s.reinit, &permute, c->model.reinit,
                                      shape->num_hidden_layers, "reinit", err);
    IG_THEN(code, ig_encoder_open_any(&s.parent, c->model.from, false, true, err));
    IG_THEN(code, match_rows(&s, setup, permute, err));
    IG_THEN(code, ig_bert_new(&s.model, shape, (uint64_t)c->optimisation.seed, err));
    IG_THEN(code, take_all(&s, err));
    if (code == IG_ERR_OK) {
        report_new(&s);
        *out = s.model;
        s.model = NULL;
    }
    ig_bert_free(s.model);
    ig_encoder_close(&s.parent);
    ig_free(s.row);
    return code;
}

ig_code ig_start_freeze(ig_optimizer *o, const ig_bert *m, const ig_run_config *c, ig_err *err)
{
    ig_parts freeze;
    IG_TRY(ig_parts_parse(&freeze, c->model.freeze, false, ig_bert_get_config(m)->num_hidden_layers,
                          "freeze", err));
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *p = &ig_bert_params(m)[i];
        ig_param_group g = ig_optimizer_get_group(o, p);
        g.frozen = g.frozen || !isnan(ig_parts_value(&freeze, p));
        ig_optimizer_set_group(o, p, &g);
    }
    return IG_ERR_OK;
}
