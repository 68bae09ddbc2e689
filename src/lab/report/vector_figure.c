/* SPDX-License-Identifier: Apache-2.0
 *
 * What Figure 4 of Dufter & Schütze 2020 shows of a model's token embeddings, of static vectors
 * that have been mapped into one space. Before mapping, or after one that failed, the two clouds
 * lie apart and the links run across.
 */
#include "lab/report/run_figure.h"

#include "analyse/components.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { FIRST = 1000, COUNT = 16 };

typedef struct {
    ig_figure *f;
    const ig_vectors *v;
    const ig_vector_figure_options *o;
    double share[2];
} look;

/* A panel of the words id[s][0 .. n[s] − 1] of both spaces; names where wanted. */
static ig_code panel(look *l, ig_panel **out, const int32_t *const id[2], const int64_t n[2],
                     bool names, double *between, const char *title, ig_err *err)
{
    const int d = l->v[0].d;
    const int64_t all = n[0] + n[1];
    ig_components c = {0};
    float *x = NULL;
    int32_t *group = NULL;
    IG_TRY(ig_figure_panels(l->f, IG_PLOT_SCATTER, 1, out, err));
    ig_plot_scatter *s = &(*out)->as.scatter;
    IG_TRY(ig_pool_print(&l->f->pool, &(*out)->title, err, "%s", title));
    IG_TRY(ig_pool_alloc(&l->f->pool, &s->group, 2, sizeof *s->group, err));
    s->n_group = 2;
    IG_TRY(ig_alloc(&x, all * d, sizeof *x, "vectors", err));
    ig_code code = ig_alloc(&group, all, sizeof *group, "vectors", err);
    for (int64_t i = 0; i < all && code == IG_ERR_OK; i++) {
        const int g = i >= n[0];
        group[i] = g;
        memcpy(x + i * d, ig_vectors_row(&l->v[g], id[g][i - g * n[0]]), (size_t)d * sizeof *x);
    }
    IG_THEN(code, ig_components_fit(&c, x, all, d, err));
    IG_THEN(code, ig_between_share(between, &(ig_grouped_rows){x, all, d, group, 2}, err));
    for (int g = 0; g < 2 && code == IG_ERR_OK; g++) {
        double *xy = NULL;
        const char **label = NULL;
        code = ig_pool_alloc(&l->f->pool, &xy, 2 * n[g], sizeof *xy, err);
        if (code == IG_ERR_OK && names)
            code = ig_pool_alloc(&l->f->pool, &label, n[g], sizeof *label, err);
        for (int64_t i = 0; i < n[g] && names && code == IG_ERR_OK; i++)
            code = ig_pool_print(&l->f->pool, &label[i], err, "%s",
                                 ig_lexicon_get(&l->v[g].words, id[g][i]));
        if (code == IG_ERR_OK)
            ig_components_project(&c, xy, 2, x + g * n[0] * d, n[g]);
        s->group[g] = (ig_plot_group){.n = n[g], .xy = xy, .label = label, .style = g};
        IG_THEN(code, ig_pool_print(&l->f->pool, &s->group[g].name, err, "%s", l->o->name[g]));
    }
    for (int a = 0; a < 2 && code == IG_ERR_OK; a++) {
        l->share[a] = c.share[a];
        code = ig_pool_print(&l->f->pool, a == 0 ? &s->x_label : &s->y_label, err,
                             "PC %d (%.0f %%)", a + 1, 100 * l->share[a]);
    }
    ig_components_free(&c);
    IG_FREE(x, group);
    return code;
}

/* Letters alone, three bytes at least: what a reader recognises. */
static bool is_word(const char *word)
{
    for (const char *p = word; *p != '\0'; p++)
        if ((uint8_t)*p < 0x80 && !((*p | 32) >= 'a' && (*p | 32) <= 'z'))
            return false;
    return strlen(word) >= 3;
}

/* Of the queries that are words, ranks 1, 2, 3, 5, 8, … in about equal factors, each with its
 * translation that is the most frequent. */
static ig_code choose(int32_t *id[2], int64_t *n, const look *l, const ig_dictionary_rows *r,
                      ig_err *err)
{
    const int64_t wanted = l->o->count > 0 ? l->o->count : COUNT;
    int64_t n_word = 0, last = -1, *word;
    *n = 0;
    IG_TRY(ig_alloc(&id[0], wanted, sizeof **id, "words", err));
    IG_TRY(ig_alloc(&id[1], wanted, sizeof **id, "words", err));
    IG_TRY(ig_alloc(&word, r->n_query, sizeof *word, "words", err));
    for (int64_t i = 0; i < r->n_query; i++)
        if (is_word(ig_lexicon_get(&l->v[0].words, r->query[i])))
            word[n_word++] = i;
    if (n_word == 0) /* of a script where this says nothing, or pieces */
        for (int64_t i = 0; i < r->n_query; i++)
            word[n_word++] = i;
    for (int64_t i = 0; i < wanted && last + 1 < n_word; i++) {
        double share = wanted > 1 ? (double)i / (double)(wanted - 1) : 0;
        int64_t rank = (int64_t)floor(pow((double)n_word, share)) - 1;
        rank = rank > last ? rank : last + 1;
        rank = rank < n_word ? rank : n_word - 1;
        id[0][*n] = r->query[word[rank]];
        id[1][(*n)++] = r->answer[r->start[word[rank]]];
        last = rank;
    }
    ig_free(word);
    return IG_ERR_OK;
}

static ig_code first_panel(look *l, json_t *numbers, const ig_dictionary_rows *r, ig_err *err)
{
    int32_t *id = NULL;
    int64_t n[2], most;
    double between, cosine = 0;
    ig_panel *p;
    for (int s = 0; s < 2; s++) {
        n[s] = l->o->first > 0 ? l->o->first : FIRST;
        n[s] = n[s] < l->v[s].n ? n[s] : l->v[s].n;
    }
    most = n[0] > n[1] ? n[0] : n[1];
    IG_TRY(ig_alloc(&id, most, sizeof *id, "words", err));
    for (int64_t i = 0; i < most; i++)
        id[i] = (int32_t)i;
    const int32_t *const ids[2] = {id, id};
    ig_code code = panel(l, &p, ids, n, false, &between, "the most frequent words", err);
    ig_free(id);
    if (code != IG_ERR_OK || numbers == NULL)
        return code;
    for (int64_t i = 0; i < r->n_pair; i++) {
        const float *a = ig_vectors_row(&l->v[0], r->pair[2 * i]);
        const float *b = ig_vectors_row(&l->v[1], r->pair[2 * i + 1]);
        for (int k = 0; k < l->v[0].d; k++)
            cosine += (double)a[k] * (double)b[k];
    }
    json_t *j = json_pack("{s:s, s:[I,I], s:I, s:[f,f], s:o, s:f}", "kind", "vectors", "n_words",
                          (json_int_t)n[0], (json_int_t)n[1], "n_pairs", (json_int_t)r->n_pair,
                          "shares", l->share[0], l->share[1], "between_languages",
                          isfinite(between) ? json_real(between) : json_null(), "pair_cosine",
                          cosine / (double)r->n_pair);
    return json_array_append_new(numbers, j) == 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_MEMORY, "figure", 0, "not enough memory");
}

static ig_code sample_panel(look *l, const ig_dictionary_rows *r, ig_err *err)
{
    int32_t *id[2] = {NULL, NULL};
    int64_t n;
    double between;
    ig_panel *p;
    ig_plot_link *link = NULL;
    ig_code code = choose(id, &n, l, r, err);
    IG_THEN(code, ig_pool_alloc(&l->f->pool, &link, n, sizeof *link, err));
    if (code == IG_ERR_OK) {
        const int64_t both[2] = {n, n};
        const int32_t *const ids[2] = {id[0], id[1]};
        code = panel(l, &p, ids, both, true, &between, "a sample of translations", err);
    }
    if (code == IG_ERR_OK) {
        for (int64_t i = 0; i < n; i++)
            link[i] = (ig_plot_link){0, (int32_t)i, 1, (int32_t)i};
        p->as.scatter.link = link;
        p->as.scatter.n_link = n;
        p->as.scatter.link_name = "translation";
    }
    IG_FREE(id[0], id[1]);
    return code;
}

ig_code ig_vector_figure_add(ig_figure *f, const ig_vectors v[2], const ig_dictionary *d,
                             const ig_vector_figure_options *o, json_t *numbers, ig_err *err)
{
    look l = {.f = f, .v = v, .o = o};
    ig_dictionary_rows r = {0};
    if (v[0].d != v[1].d)
        return ig_fail(err, IG_ERR_INPUT, "", 0, "vectors of %d and of %d dimensions", v[0].d,
                       v[1].d);
    if (v[0].d < 2)
        return ig_fail(err, IG_ERR_INPUT, "", 0, "vectors of one dimension have no plane");
    IG_TRY(ig_dictionary_find(&r, d, &v[0].words, &v[1].words, err));
    ig_code code = IG_ERR_OK;
    if (r.n_pair == 0)
        code = ig_fail(err, IG_ERR_INPUT, "", 0,
                       "of %lld pairs of the dictionary none has a vector for both words",
                       (long long)r.all_pair);
    IG_THEN(code, first_panel(&l, numbers, &r, err));
    IG_THEN(code, sample_panel(&l, &r, err));
    ig_dictionary_rows_free(&r);
    return code;
}
