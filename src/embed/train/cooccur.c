/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts cooccurrences by an inverted index: the positions of each word are looked up and its row
 * is added up by itself. The counts are those of GloVe's cooccur (Pennington, Socher, Manning,
 * "GloVe: global vectors for word representation", EMNLP 2014, section 4.2), except for the order
 * of rounding.
 */
#include "embed/train/cooccur.h"

#include "base/memory.h"

static ig_code index_places(ig_cooccur *c, ig_err *err)
{
    const ig_text_ids *t = c->text;
    IG_OWNED int64_t *at = NULL;
    IG_TRY(ig_alloc(&at, t->words.n, sizeof *at, "places of words", err));
    for (int64_t i = 0; i < t->n_token; i++)
        c->start[t->id[i] + 1]++;
    for (int32_t w = 0; w < t->words.n; w++) {
        c->start[w + 1] += c->start[w];
        at[w] = c->start[w];
    }
    for (int64_t i = 0; i < t->n_token; i++)
        c->place[at[t->id[i]]++] = i;
    for (int64_t l = 0; l < t->n_line; l++)
        for (int64_t i = t->line[l]; i < t->line[l + 1]; i++)
            c->line[i] = l;
    return IG_ERR_OK;
}

static void cut_runs(ig_cooccur *c)
{
    const int64_t all = c->text->n_token;
    int32_t w = 0;
    for (int i = 0; i <= IG_COOCCUR_RUNS; i++) {
        while (w < c->text->words.n && c->start[w] < all * i / IG_COOCCUR_RUNS)
            w++;
        c->first[i] = w;
    }
    c->first[IG_COOCCUR_RUNS] = c->text->words.n;
}

static ig_code make_rows(ig_cooccur *c, ig_err *err)
{
    const int n_thread = ig_team_size(c->team);
    IG_TRY(ig_alloc(&c->row, n_thread, sizeof *c->row, "row of cooccurrences", err));
    for (int i = 0; i < n_thread; i++) {
        ig_cooccur_row *r = &c->row[i];
        const int32_t n = c->text->words.n;
        IG_TRY(ig_alloc(&r->sum, n, sizeof *r->sum, "row of cooccurrences", err));
        IG_TRY(ig_alloc(&r->word, n, sizeof *r->word, "row of cooccurrences", err));
    }
    return IG_ERR_OK;
}

ig_code ig_cooccur_new(ig_cooccur *out, const ig_text_ids *text, const ig_cooccur_options *o,
                       ig_team *team, ig_err *err)
{
    const char *what = "places of words";
    *out = (ig_cooccur){.text = text, .o = *o, .team = team};
    ig_code code = ig_alloc(&out->start, (int64_t)text->words.n + 1, sizeof *out->start, what, err);
    IG_THEN(code, ig_alloc(&out->place, text->n_token, sizeof *out->place, what, err));
    IG_THEN(code, ig_alloc(&out->line, text->n_token, sizeof *out->line, what, err));
    IG_THEN(code, index_places(out, err));
    IG_THEN(code, make_rows(out, err));
    if (code != IG_ERR_OK) {
        ig_cooccur_free(out);
        return code;
    }
    cut_runs(out);
    return IG_ERR_OK;
}

void ig_cooccur_free(ig_cooccur *c)
{
    for (int i = 0; c->row != NULL && i < ig_team_size(c->team); i++)
        IG_FREE(c->row[i].sum, c->row[i].word);
    IG_FREE(c->start, c->place, c->line, c->row);
    *c = (ig_cooccur){0};
}

static void add(ig_cooccur_row *r, int32_t word, double by)
{
    if (r->sum[word] <= 0)
        r->word[r->n++] = word;
    r->sum[word] += by;
}

/* Fills r with the row of a word, after clearing it. */
static void take(const ig_cooccur *c, int32_t word, ig_cooccur_row *r)
{
    const int32_t *id = c->text->id;
    double weight[1001];
    for (int32_t i = 0; i < r->n; i++)
        r->sum[r->word[i]] = 0;
    r->n = 0;
    for (int k = 1; k <= c->o.window; k++)
        weight[k] = c->o.weighted ? 1.0 / k : 1.0;
    for (int64_t p = c->start[word]; p < c->start[word + 1]; p++) {
        int64_t at = c->place[p];
        if (p + 4 < c->start[word + 1])
            __builtin_prefetch(id + c->place[p + 4]);
        const int64_t *line = c->text->line + c->line[at];
        for (int k = 1; k <= c->o.window && at - k >= line[0]; k++)
            add(r, id[at - k], weight[k]);
        for (int k = 1; k <= c->o.window && at + k < line[1] && !c->o.left_only; k++)
            add(r, id[at + k], weight[k]);
    }
}

typedef struct {
    const ig_cooccur *c;
    ig_cooccur_fn *fn;
    void *arg;
} each_job;

static void run_task(void *arg, int64_t run, int i_thread)
{
    const each_job *j = arg;
    ig_cooccur_row *r = &j->c->row[i_thread];
    for (int32_t w = j->c->first[run]; w < j->c->first[run + 1]; w++) {
        take(j->c, w, r);
        j->fn(j->arg, w, r);
    }
}

void ig_cooccur_each(const ig_cooccur *c, ig_cooccur_fn *fn, void *arg)
{
    each_job j = {c, fn, arg};
    ig_team_for(c->team, IG_COOCCUR_RUNS, run_task, &j);
}
