/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact search over rows of length one. Each row of the table is a task of its own and its products
 * are added up in a fixed order, so the table is the same for any number of threads.
 */
#include "embed/search/cross_neighbours.h"

#include "base/memory.h"
#include "base/numeric/sums.h"
#include "corpus/language/transform.h"
#include "embed/search/neighbours.h"

#include <math.h>
#include <string.h>

enum { LANES = 8, ROWS = 64 };

/* The words of one language that have a vector. */
typedef struct {
    float *x;        /* [n, ld] of length one */
    int32_t *id, *i; /* [n] id in the whole vocabulary, ascending; number within the block */
    int32_t n;
} side;

typedef struct {
    side *side; /* [n_language] */
    int n_language, k, ld;
    bool pooled;
    int of;                   /* the language whose words are looked up */
    ig_neighbour *best;       /* [words of a language, lists, k] */
    int *n_best;              /* [words of a language, lists] */
    int n_list;               /* lists of a word: one, or one for each language */
    const int *language_list; /* [n_language] where a language's candidates go; −1: nowhere */
} search;

static void unit(float *to, const float *x, int d)
{
    const double square = ig_dot_floats(x, x, d);
    for (int i = 0; i < d; i++)
        to[i] = (float)((double)x[i] / sqrt(square));
}

static bool is_zero(const float *x, int d)
{
    for (int i = 0; i < d; i++)
        if (x[i] != 0)
            return false;
    return true;
}

static ig_code gather(side *s, const ig_cross_search *of, int language, int ld, ig_err *err)
{
    const ig_language *l = ig_corpus_language(of->corpus, language);
    const ig_corpus_options *o = ig_corpus_get_options(of->corpus);
    const ig_vectors *v = of->space[language];
    IG_TRY(ig_alloc(&s->x, (int64_t)l->n_id * ld, sizeof *s->x, "vectors", err));
    IG_TRY(ig_alloc(&s->id, l->n_id, sizeof *s->id, "vectors", err));
    IG_TRY(ig_alloc(&s->i, l->n_id, sizeof *s->i, "vectors", err));
    for (int32_t i = 0; i < l->n_id; i++) {
        const char *piece = of->pieces[l->first_id + i];
        const int32_t row = ig_is_special_piece(o, i)
                                ? -1
                                : ig_lexicon_find(&v->words, piece, (int64_t)strlen(piece));
        if (row < 0 || is_zero(ig_vectors_row(v, row), v->d))
            continue;
        unit(s->x + (int64_t)s->n * ld, ig_vectors_row(v, row), v->d);
        s->i[s->n] = i;
        s->id[s->n++] = l->first_id + i;
    }
    return IG_ERR_OK;
}

static double product(const float *a, const float *b, int ld)
{
    double lane[LANES] = {0}, sum = 0;
    for (int i = 0; i < ld; i += LANES)
        for (int j = 0; j < LANES; j++)
            lane[j] += (double)a[i + j] * (double)b[i + j];
    for (int j = 0; j < LANES; j++)
        sum += lane[j];
    return sum;
}

static void rows_task(void *arg, int64_t task, int i_thread)
{
    const search *s = arg;
    const side *from = &s->side[s->of];
    const int64_t first = task * ROWS, end = first + ROWS < from->n ? first + ROWS : from->n;
    (void)i_thread;
    for (int l = 0; l < s->n_language; l++) {
        const side *to = &s->side[l];
        if (s->language_list[l] < 0)
            continue;
        /* A candidate's row is used for all rows of the task while it is in the cache. */
        for (int32_t j = 0; j < to->n; j++)
            for (int64_t i = first; i < end; i++) {
                const int64_t list = i * s->n_list + s->language_list[l];
                ig_neighbour_offer(
                    s->best + list * s->k, &s->n_best[list], s->k,
                    (ig_neighbour){to->id[j], product(from->x + i * s->ld,
                                                      to->x + (int64_t)j * s->ld, s->ld)});
            }
    }
}

/* Writes the rows of one language; the table already has *n_id ids. */
static void put_rows(ig_neighbour_table *t, const search *s, int64_t *n_id)
{
    const side *from = &s->side[s->of];
    int32_t at = 0;
    for (int64_t row = t->first[s->of]; row < t->first[s->of + 1]; row++) {
        if (at < from->n && from->i[at] == row - t->first[s->of]) {
            for (int64_t list = (int64_t)at * s->n_list; list < (int64_t)(at + 1) * s->n_list;
                 list++)
                for (int32_t k = 0; k < s->n_best[list]; k++)
                    t->id[(*n_id)++] = s->best[list * s->k + k].word;
            at++;
        }
        t->start[row + 1] = *n_id;
    }
}

static ig_code find(ig_neighbour_table *t, search *s, int *language_list, ig_team *team,
                    ig_err *err)
{
    int64_t n_id = 0;
    s->n_list = s->pooled ? 1 : s->n_language;
    s->language_list = language_list;
    for (s->of = 0; s->of < s->n_language; s->of++) {
        const int64_t n_list = (int64_t)s->side[s->of].n * s->n_list;
        for (int l = 0; l < s->n_language; l++)
            language_list[l] = l == s->of ? -1 : s->pooled ? 0 : l;
        ig_code code = ig_alloc(&s->best, n_list * s->k, sizeof *s->best, "neighbours", err);
        IG_THEN(code, ig_alloc(&s->n_best, n_list, sizeof *s->n_best, "neighbours", err));
        if (code == IG_ERR_OK) {
            ig_team_for(team, (s->side[s->of].n + ROWS - 1) / ROWS, rows_task, s);
            put_rows(t, s, &n_id);
        }
        IG_FREE(s->best, s->n_best);
        s->best = NULL;
        s->n_best = NULL;
        IG_TRY(code);
    }
    return IG_ERR_OK;
}

static ig_code check(const ig_corpus *c, const ig_vectors *const *space, ig_err *err)
{
    if (ig_corpus_n_language(c) < 2)
        return ig_fail(err, IG_ERR_USAGE, "knn-replace", 0,
                       "neighbours in other languages, but there is only one");
    for (int l = 1; l < ig_corpus_n_language(c); l++)
        if (space[l]->d != space[0]->d)
            return ig_fail(err, IG_ERR_INPUT, ig_corpus_language(c, l)->name, 0,
                           "vectors of %d dimensions, those of '%s' have %d", space[l]->d,
                           ig_corpus_language(c, 0)->name, space[0]->d);
    return IG_ERR_OK;
}

ig_code ig_cross_neighbours(ig_neighbour_table *out, double *covered, const ig_cross_search *of,
                            ig_team *team, ig_err *err)
{
    const ig_corpus *c = of->corpus;
    search s = {.n_language = ig_corpus_n_language(c), .k = of->k, .pooled = of->pooled};
    int *language_list = NULL;
    int64_t most = 0;
    *out = (ig_neighbour_table){0};
    *covered = 1;
    IG_TRY(check(c, of->space, err));
    s.ld = (of->space[0]->d + LANES - 1) / LANES * LANES;
    ig_code code = ig_alloc(&s.side, s.n_language, sizeof *s.side, "vectors", err);
    IG_THEN(code, ig_alloc(&language_list, s.n_language, sizeof *language_list, "languages", err));
    for (int l = 0; l < s.n_language && code == IG_ERR_OK; l++) {
        code = gather(&s.side[l], of, l, s.ld, err);
        const double share = (double)s.side[l].n / (double)ig_corpus_language(c, l)->n_id;
        *covered = share < *covered ? share : *covered;
        most += (int64_t)s.side[l].n * s.k * (s.pooled ? 1 : s.n_language - 1);
        if (code == IG_ERR_OK && s.side[l].n == 0)
            code = ig_fail(err, IG_ERR_INPUT, ig_corpus_language(c, l)->name, 0,
                           "none of its pieces has a vector");
    }
    IG_THEN(code, ig_neighbour_table_new(out, c, most, err));
    IG_THEN(code, find(out, &s, language_list, team, err));
    for (int l = 0; l < s.n_language && s.side != NULL; l++)
        IG_FREE(s.side[l].x, s.side[l].id, s.side[l].i);
    IG_FREE(s.side, language_list);
    if (code != IG_ERR_OK)
        ig_neighbour_table_free(out);
    return code;
}
