/* SPDX-License-Identifier: Apache-2.0
 *
 * Figure 4 of Dufter & Schütze 2020 for static vectors mapped into one space instead of a model's
 * token embeddings. Before mapping, or after a failed one, the two clouds are apart and the links
 * cross the gap.
 */
#include "lab/report/run_figure_parts.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { FIRST = 1000, COUNT = 16 };

typedef struct {
    ig_figure *f;
    const ig_vectors *v;
    const ig_vector_figure_options *o;
} look;

/* The words id[s][0 .. n[s] − 1] of both spaces; names where wanted. */
typedef struct {
    const int32_t *id[2];
    int64_t n[2];
    bool names;
} shown_words;

static ig_code panel(look *l, ig_panel **out, ig_cloud *c, const shown_words *w, ig_err *err)
{
    const int d = l->v[0].d;
    const int64_t all = w->n[0] + w->n[1];
    float *x;
    const char **label = NULL;
    IG_TRY(ig_alloc(&x, all * d, sizeof *x, "vectors", err));
    ig_code code = ig_alloc(&label, all, sizeof *label, "names", err);
    for (int64_t i = 0; i < all && code == IG_ERR_OK; i++) {
        const int g = i >= w->n[0];
        const int32_t id = w->id[g][i - g * w->n[0]];
        memcpy(x + i * d, ig_vectors_row(&l->v[g], id), (size_t)d * sizeof *x);
        label[i] = ig_lexicon_get(&l->v[g].words, id);
    }
    *c = (ig_cloud){.x = x,
                    .d = d,
                    .n_group = 2,
                    .n = {w->n[0], w->n[1]},
                    .label = w->names ? label : NULL,
                    .name = {l->o->name[0], l->o->name[1]}};
    IG_THEN(code, ig_cloud_panel(l->f, out, c, err));
    IG_FREE(x, label);
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

/* Chooses queries that are words, at ranks 1, 2, 3, 5, 8, … in about equal factors, each with its
 * most frequent translation. */
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
        last = ig_sample_rank(i, wanted, n_word, last);
        id[0][*n] = r->query[word[last]];
        id[1][(*n)++] = r->answer[r->start[word[last]]];
    }
    ig_free(word);
    return IG_ERR_OK;
}

static ig_code first_panel(look *l, json_t *numbers, const ig_dictionary_rows *r, ig_err *err)
{
    int32_t *id = NULL;
    int64_t n[2], most;
    double cosine = 0;
    ig_cloud c;
    ig_panel *p;
    for (int s = 0; s < 2; s++) {
        n[s] = l->o->first > 0 ? l->o->first : FIRST;
        n[s] = n[s] < l->v[s].n ? n[s] : l->v[s].n;
    }
    most = n[0] > n[1] ? n[0] : n[1];
    IG_TRY(ig_alloc(&id, most, sizeof *id, "words", err));
    for (int64_t i = 0; i < most; i++)
        id[i] = (int32_t)i;
    ig_code code = panel(l, &p, &c, &(shown_words){{id, id}, {n[0], n[1]}, false}, err);
    IG_THEN(code, ig_pool_print(&l->f->pool, &p->title, err, "the most frequent words"));
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
                          "shares", c.share[0], c.share[1], "between_languages",
                          isfinite(c.between) ? json_real(c.between) : json_null(), "pair_cosine",
                          cosine / (double)r->n_pair);
    return json_array_append_new(numbers, j) == 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_MEMORY, "figure", 0, "not enough memory");
}

static ig_code sample_panel(look *l, const ig_dictionary_rows *r, ig_err *err)
{
    int32_t *id[2] = {NULL, NULL};
    int64_t n;
    ig_cloud c;
    ig_panel *p;
    ig_code code = choose(id, &n, l, r, err);
    IG_THEN(code, panel(l, &p, &c, &(shown_words){{id[0], id[1]}, {n, n}, true}, err));
    IG_THEN(code, ig_pool_print(&l->f->pool, &p->title, err, "a sample of translations"));
    IG_THEN(code, ig_cloud_link(l->f, p, n, err));
    IG_FREE(id[0], id[1]);
    return code;
}

ig_code ig_vector_figure_add(ig_figure *f, const ig_vectors v[2], const ig_dictionary *d,
                             const ig_vector_figure_options *o, json_t *numbers, ig_err *err)
{
    look l = {.f = f, .v = v, .o = o};
    IG_SCOPED(ig_dictionary_rows_free) ig_dictionary_rows r = {0};
    if (v[0].d != v[1].d)
        return ig_fail(err, IG_ERR_INPUT, "", 0, "vectors of %d and of %d dimensions", v[0].d,
                       v[1].d);
    if (v[0].d < 2)
        return ig_fail(err, IG_ERR_INPUT, "", 0, "vectors of one dimension have no plane");
    IG_TRY(ig_dictionary_find(&r, d, &v[0].words, &v[1].words, err));
    if (r.n_pair == 0)
        return ig_fail(err, IG_ERR_INPUT, "", 0,
                       "of %lld pairs of the dictionary none has a vector for both words",
                       (long long)r.all_pair);
    IG_TRY(first_panel(&l, numbers, &r, err));
    return sample_panel(&l, &r, err);
}
