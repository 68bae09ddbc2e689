/* SPDX-License-Identifier: Apache-2.0
 *
 * Cooccurrence by an inverted index: see cooccur.h. The counts are those of GloVe's cooccur
 * (Pennington, Socher, Manning, "GloVe: global vectors for word representation", EMNLP 2014,
 * section 4.2), but for the order in which they are rounded.
 */
#include "embed/train/cooccur.h"

#include "base/memory.h"

static ig_code index_places(ig_cooccur *c, ig_err *err)
{
    const ig_text_ids *t = c->text;
    int64_t *at;
    IG_TRY(ig_alloc(&at, t->words.n, sizeof *at, "places of words", err));
    for (int64_t i = 0; i < t->n_token; i++)
        c->start[t->id[i] + 1]++;
    for (int32_t w = 0; w < t->words.n; w++) {
        c->start[w + 1] += c->start[w];
        at[w] = c->start[w];
    }
    for (int64_t i = 0; i < t->n_token; i++)
        c->place[at[t->id[i]]++] = i;
    ig_free(at);
    return IG_ERR_OK;
}

static void measure_lines(ig_cooccur *c)
{
    const ig_text_ids *t = c->text;
    for (int64_t l = 0; l < t->n_line; l++)
        for (int64_t i = t->line[l]; i < t->line[l + 1]; i++) {
            int64_t before = i - t->line[l], behind = t->line[l + 1] - 1 - i;
            c->line[i] = (int32_t)(before < c->o.window ? before : c->o.window);
            c->rest[i] = (int32_t)(behind < c->o.window ? behind : c->o.window);
        }
}

ig_code ig_cooccur_new(ig_cooccur *out, const ig_text_ids *text, const ig_cooccur_options *o,
                       ig_err *err)
{
    const char *what = "places of words";
    *out = (ig_cooccur){.text = text, .o = *o};
    ig_code code = ig_alloc(&out->start, (int64_t)text->words.n + 1, sizeof *out->start, what, err);
    IG_THEN(code, ig_alloc(&out->place, text->n_token, sizeof *out->place, what, err));
    IG_THEN(code, ig_alloc(&out->line, text->n_token, sizeof *out->line, what, err));
    IG_THEN(code, ig_alloc(&out->rest, text->n_token, sizeof *out->rest, what, err));
    IG_THEN(code, index_places(out, err));
    if (code == IG_ERR_OK)
        measure_lines(out);
    else
        ig_cooccur_free(out);
    return code;
}

void ig_cooccur_free(ig_cooccur *c)
{
    IG_FREE(c->start, c->place, c->line, c->rest);
    *c = (ig_cooccur){0};
}

ig_code ig_cooccur_row_new(ig_cooccur_row *r, int32_t n_word, ig_err *err)
{
    *r = (ig_cooccur_row){0};
    ig_code code = ig_alloc(&r->sum, n_word, sizeof *r->sum, "row of cooccurrences", err);
    IG_THEN(code, ig_alloc(&r->word, n_word, sizeof *r->word, "row of cooccurrences", err));
    if (code != IG_ERR_OK)
        ig_cooccur_row_free(r);
    return code;
}

void ig_cooccur_row_free(ig_cooccur_row *r)
{
    IG_FREE(r->sum, r->word);
    *r = (ig_cooccur_row){0};
}

static void add(ig_cooccur_row *r, int32_t word, double by)
{
    if (r->sum[word] <= 0)
        r->word[r->n++] = word;
    r->sum[word] += by;
}

void ig_cooccur_take(const ig_cooccur *c, int32_t word, ig_cooccur_row *r)
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
        for (int k = 1; k <= c->line[at]; k++)
            add(r, id[at - k], weight[k]);
        for (int k = 1; k <= c->rest[at] && !c->o.left_only; k++)
            add(r, id[at + k], weight[k]);
    }
}

void ig_cooccur_runs(const ig_cooccur *c, int32_t *first)
{
    const int64_t all = c->text->n_token;
    int32_t w = 0;
    for (int i = 0; i <= IG_COOCCUR_RUNS; i++) {
        while (w < c->text->words.n && c->start[w] < all * i / IG_COOCCUR_RUNS)
            w++;
        first[i] = w;
    }
    first[IG_COOCCUR_RUNS] = c->text->words.n;
}
