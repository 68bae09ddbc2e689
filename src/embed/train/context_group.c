/* SPDX-License-Identifier: Apache-2.0
 *
 * With H [n, D] the hidden vectors of the group, O [c, D] its output rows, P and T [n, c] the
 * weights of label 1 and of both labels: X = H Oᵀ, G = lr (P − T σ(X)), dH = G O, dO = Gᵀ H: the
 * sums of what word2vec adds pair by pair. Skip-gram: columns are the words around the group and
 * the shared negatives; a word with m contexts has the weight K m / N for each of N negatives, less
 * K / N for each context that is that negative. CBOW: columns are the words themselves and the
 * negatives.
 */
#include "embed/train/context_group.h"

#include "base/memory.h"
#include "embed/train/exp_float.h"

#include <math.h>
#include <string.h>

enum { DRAW_WINDOW = 1, DRAW_NEGATIVE = 2, DRAW_PARTS = 1 << 20, AHEAD = 3 };

static ig_code rows_new(ig_group_rows *r, int64_t n_grad, int64_t n_row, int ld, ig_err *err)
{
    IG_TRY(ig_alloc(&r->row, n_row, sizeof *r->row, "gradients", err));
    IG_TRY(ig_alloc(&r->of, n_row, sizeof *r->of, "gradients", err));
    IG_TRY(ig_alloc(&r->sorted, n_row, sizeof *r->sorted, "gradients", err));
    return ig_alloc(&r->grad, n_grad * ld, sizeof *r->grad, "gradients", err);
}

static void rows_free(ig_group_rows *r)
{
    IG_FREE(r->grad, r->row, r->of, r->sorted);
}

static int64_t most_features(const ig_context_features *f, int32_t n_word)
{
    int64_t most = 1;
    for (int32_t i = 0; f->start != NULL && i < n_word; i++)
        if (f->start[i + 1] - f->start[i] > most)
            most = f->start[i + 1] - f->start[i];
    return most;
}

ig_code ig_group_new(ig_group *g, const ig_context_shared *s, int32_t n_word, ig_err *err)
{
    const int n = s->group, ld = s->ld;
    const int64_t most_rows = most_features(s->features, n_word);
    *g = (ig_group){0};
    g->n_span = n + 2 * s->o->window;
    g->n_column = g->n_span + s->n_negative;
    g->ld_x = (g->n_column + 15) / 16 * 16;
    IG_TRY(ig_alloc(&g->h, (int64_t)n * ld, sizeof *g->h, "group", err));
    if (s->o->model == IG_CONTEXT_CBOW) {
        IG_TRY(ig_alloc(&g->f, (int64_t)g->n_span * ld, sizeof *g->f, "group", err));
        IG_TRY(ig_alloc(&g->dh, (int64_t)n * ld, sizeof *g->dh, "group", err));
        IG_TRY(rows_new(&g->in, g->n_span, g->n_span * most_rows, ld, err));
        g->df = g->in.grad;
    } else {
        IG_TRY(rows_new(&g->in, n, n * most_rows, ld, err));
        g->dh = g->in.grad;
    }
    IG_TRY(ig_alloc(&g->o, (int64_t)g->n_column * ld, sizeof *g->o, "group", err));
    IG_TRY(rows_new(&g->out, g->n_column, g->n_column, ld, err));
    IG_TRY(ig_alloc(&g->x, (int64_t)n * g->ld_x, sizeof *g->x, "group", err));
    IG_TRY(ig_alloc(&g->positive, (int64_t)n * g->ld_x, sizeof *g->positive, "group", err));
    IG_TRY(ig_alloc(&g->total, (int64_t)n * g->ld_x, sizeof *g->total, "group", err));
    IG_TRY(ig_alloc(&g->column, g->n_column, sizeof *g->column, "group", err));
    IG_TRY(ig_alloc(&g->negative, s->n_negative, sizeof *g->negative, "group", err));
    IG_TRY(ig_alloc(&g->hit, s->n_negative, sizeof *g->hit, "group", err));
    IG_TRY(ig_alloc(&g->from, n, sizeof *g->from, "group", err));
    return ig_alloc(&g->to, n, sizeof *g->to, "group", err);
}

void ig_group_free(ig_group *g)
{
    if (g->df != NULL)
        ig_free(g->dh);
    rows_free(&g->in);
    rows_free(&g->out);
    IG_FREE(g->h, g->f, g->o, g->x, g->positive, g->total, g->column, g->negative, g->hit, g->from,
            g->to);
    ig_scratch_free(&g->scratch);
    *g = (ig_group){0};
}

static void find_windows(ig_group *g, const ig_context_shared *s, int64_t first, int n)
{
    uint32_t u[4];
    g->lo = 0;
    g->hi = n - 1;
    for (int j = 0; j < n; j++) {
        int64_t at = first + j, raw = s->raw0 + s->raw[at];
        ig_philox(s->key, (uint32_t)raw, (uint32_t)(raw >> 32), s->epoch, DRAW_WINDOW, u);
        int64_t b = 1 + (int64_t)((uint64_t)u[0] * (uint64_t)s->o->window >> 32);
        int64_t from = at, to = at;
        while (from > 0 && at - from < b && s->line[from - 1] == s->line[at])
            from--;
        while (to + 1 < s->n && to - at < b && s->line[to + 1] == s->line[at])
            to++;
        g->from[j] = (int)(from - first);
        g->to[j] = (int)(to - first);
        g->lo = g->from[j] < g->lo ? g->from[j] : g->lo;
        g->hi = g->to[j] > g->hi ? g->to[j] : g->hi;
    }
}

/* The first position from `from` on whose words are contexts in this part; the next one is parts_of
 * further. Positions are relative to the group, whose first word is word `first`. */
static int parts_of(const ig_context_shared *s)
{
    return s->parts > 1 ? s->parts : 1;
}

static int first_context(const ig_context_shared *s, int64_t first, int from)
{
    const int64_t parts = parts_of(s), past = (first + from - s->part) % parts;
    return from + (int)(past == 0 ? 0 : past > 0 ? parts - past : -past);
}

static void draw_negatives(ig_group *g, const ig_context_shared *s, int64_t first)
{
    int64_t raw = s->raw0 + s->raw[first];
    uint32_t u[4];
    for (int k = 0; k < s->n_negative; k++) {
        if (k % 2 == 0)
            ig_philox(s->key, (uint32_t)raw, (uint32_t)(raw >> 32), s->epoch,
                      DRAW_NEGATIVE + DRAW_PARTS * (uint32_t)s->part + (uint32_t)k / 2, u);
        g->negative[k] = ig_alias_draw(&s->negatives, u[k % 2 * 2], u[k % 2 * 2 + 1]);
    }
}

/* Finds the negatives that are among the first n_word columns, which are few: g->hit; returns their
 * number. */
static int find_hits(ig_group *g, int n_word, int n_neg)
{
    int n_hit = 0;
    for (int k = 0; k < n_neg; k++) {
        int32_t same = 0;
        for (int c = 0; c < n_word; c++)
            same += g->column[c] == g->negative[k];
        if (same > 0)
            g->hit[n_hit++] = k;
    }
    return n_hit;
}

/* Columns of negative sampling: the words of the span (positions lo .. hi relative to the group)
 * that are contexts in this part, then the negatives. Returns their number. */
static int weigh_negatives(ig_group *g, const ig_context_shared *s, int64_t first, int n, int lo,
                           int hi)
{
    const bool skipgram = s->o->model == IG_CONTEXT_SKIPGRAM;
    const int32_t *word = s->word + first;
    const int n_neg = s->n_negative, parts = parts_of(s), at = first_context(s, first, lo);
    const float share = (float)s->o->negative / (float)n_neg;
    int n_word = 0;
    for (int c = at; c <= hi; c += parts)
        g->column[n_word++] = word[c];
    const int n_col = n_word + n_neg;
    for (int k = 0; k < n_neg; k++)
        g->column[n_word + k] = g->negative[k];
    const int n_hit = find_hits(g, n_word, n_neg);
    for (int j = 0; j < n; j++) {
        float *p = g->positive + (int64_t)j * g->ld_x, *t = g->total + (int64_t)j * g->ld_x;
        int targets = 0;
        memset(p, 0, (size_t)n_col * sizeof *p);
        memset(t, 0, (size_t)n_col * sizeof *t);
        if (g->to[j] == g->from[j])
            continue;
        int from = skipgram ? first_context(s, first, g->from[j]) : j, to = skipgram ? g->to[j] : j;
        for (int c = from; c <= to; c += parts)
            if (!skipgram || c != j) {
                p[(c - at) / parts] = t[(c - at) / parts] = 1;
                targets++;
            }
        for (int k = 0; k < n_neg; k++)
            t[n_word + k] = share * (float)targets;
        for (int i = 0; i < n_hit; i++) {
            int others = targets, k = g->hit[i];
            for (int c = from; c <= to; c += parts)
                others -= (!skipgram || c != j) && word[c] == g->negative[k];
            t[n_word + k] = share * (float)others;
        }
    }
    return n_col;
}

/* The rows that a word is the sum of; returns their number. */
static int64_t rows_of(const ig_context_features *f, const int32_t *word, const int32_t **row)
{
    if (f->start == NULL) {
        *row = word;
        return 1;
    }
    *row = f->row + f->start[*word];
    return f->start[*word + 1] - f->start[*word];
}

static int64_t sum_of_rows(const ig_context_shared *s, const int32_t *word, float *to)
{
    const int32_t *row;
    int64_t n = rows_of(s->features, word, &row);
    if (n == 0)
        memset(to, 0, (size_t)s->ld * sizeof *to);
    else
        memcpy(to, s->in + (int64_t)row[0] * s->ld, (size_t)s->ld * sizeof *to);
    for (int64_t i = 1; i < n; i++) {
        if (i + 1 < n)
            for (int k = 0; k < s->ld; k += 16)
                __builtin_prefetch(s->in + (int64_t)row[i + 1] * s->ld + k);
        s->ops->add(to, s->in + (int64_t)row[i] * s->ld, s->ld);
    }
    return n;
}

static void scale(float *x, int n, float by)
{
    for (int i = 0; i < n; i++)
        x[i] *= by;
}

static void hidden_skipgram(ig_group *g, const ig_context_shared *s, const int32_t *word, int n)
{
    for (int j = 0; j < n; j++) {
        float *h = g->h + (int64_t)j * s->ld;
        int64_t rows = sum_of_rows(s, &word[j], h);
        if (rows > 1)
            scale(h, s->ld, 1.0f / (float)rows);
    }
}

static void hidden_cbow(ig_group *g, const ig_context_shared *s, const int32_t *word, int n)
{
    const int lo = g->lo, hi = g->hi;
    const int32_t *row;
    for (int c = lo; c <= hi; c++)
        sum_of_rows(s, &word[c], g->f + (int64_t)(c - lo) * s->ld);
    for (int j = 0; j < n; j++) {
        float *h = g->h + (int64_t)j * s->ld;
        int64_t rows = 0;
        memset(h, 0, (size_t)s->ld * sizeof *h);
        for (int c = g->from[j]; c <= g->to[j]; c++)
            if (c != j) {
                s->ops->add(h, g->f + (int64_t)(c - lo) * s->ld, s->ld);
                rows += rows_of(s->features, &word[c], &row);
            }
        if (rows > 1)
            scale(h, s->ld, 1.0f / (float)rows);
    }
}

/* Each context gets the whole gradient of the hidden vector, as in the originals. */
static void spread_cbow(ig_group *g, const ig_context_shared *s, int n)
{
    const int lo = g->lo, hi = g->hi;
    memset(g->df, 0, (size_t)((int64_t)(hi - lo + 1) * s->ld) * sizeof *g->df);
    for (int j = 0; j < n; j++)
        for (int c = g->from[j]; c <= g->to[j]; c++)
            if (c != j)
                s->ops->add(g->df + (int64_t)(c - lo) * s->ld, g->dh + (int64_t)j * s->ld, s->ld);
}

/* G = lr (P − T σ(X)) in place of X. */
static void gradients(float *restrict x, const float *restrict p, const float *restrict t, int n,
                      float lr)
{
    for (int i = 0; i < n; i++) {
        float y = x[i] > 30.0f ? 30.0f : x[i];
        y = y < -30.0f ? -30.0f : y;
        x[i] = lr * (p[i] - t[i] / (1.0f + ig_exp_float(-y)));
    }
}

static void add_loss(ig_group *g, const ig_context_shared *s, int64_t first, int n, int n_col)
{
    const int parts = parts_of(s);
    for (int j = 0; j < n; j++)
        for (int c = 0; c < n_col; c++) {
            int64_t i = (int64_t)j * g->ld_x + c;
            double x = (double)g->x[i], p = (double)g->positive[i], t = (double)g->total[i];
            /* −log σ(x) = log(1 + e^(−x)) */
            if (t > 0)
                g->loss += t * log1p(exp(-fabs(x))) + p * fmax(-x, 0) + (t - p) * fmax(x, 0);
        }
    for (int j = 0; j < n; j++)
        if (s->o->model == IG_CONTEXT_CBOW)
            g->weight += g->to[j] > g->from[j];
        else
            for (int c = first_context(s, first, g->from[j]); c <= g->to[j]; c += parts)
                g->weight += c != j;
}

/* Sorts the rows of a table by part, stably. */
static void sort_by_part(ig_group_rows *r)
{
    int64_t at[IG_GROUP_PARTS];
    memset(r->place, 0, sizeof r->place);
    for (int64_t i = 0; i < r->n; i++)
        r->place[r->row[i] % IG_GROUP_PARTS + 1]++;
    for (int p = 0; p < IG_GROUP_PARTS; p++) {
        r->place[p + 1] += r->place[p];
        at[p] = r->place[p];
    }
    for (int64_t i = 0; i < r->n; i++)
        r->sorted[at[r->row[i] % IG_GROUP_PARTS]++] = (int32_t)i;
}

static void push(ig_group_rows *r, int32_t row, int32_t of)
{
    r->row[r->n] = row;
    r->of[r->n++] = of;
}

static void collect_rows(ig_group *g, const ig_context_shared *s, const int32_t *word, int n,
                         int n_col)
{
    const bool cbow = s->o->model == IG_CONTEXT_CBOW;
    const int lo = g->lo, hi = g->hi;
    const int32_t *row;
    g->in.n = g->out.n = 0;
    for (int c = cbow ? lo : 0; c <= (cbow ? hi : n - 1); c++) {
        int64_t rows = rows_of(s->features, &word[c], &row);
        for (int64_t i = 0; i < rows; i++)
            push(&g->in, row[i], cbow ? c - lo : c);
    }
    for (int c = 0; c < n_col; c++)
        push(&g->out, g->column[c], c);
    sort_by_part(&g->in);
    sort_by_part(&g->out);
}

/* Computes, from the gradients of the products in g->x, those of both factors: dh = x O, dO = xᵀ
 * H. */
static void factor_gradients(ig_group *g, const ig_context_shared *s, int n, int n_col)
{
    const int ld = s->ld;
    ig_gemm back = {.m = n,
                    .n = ld,
                    .k = n_col,
                    .a = g->x,
                    .lda = g->ld_x,
                    .b = g->o,
                    .ldb = ld,
                    .c = g->dh,
                    .ldc = ld};
    s->ops->gemm(&back, &g->scratch);
    back.m = n_col;
    back.k = n;
    back.a_trans = true;
    back.b = g->h;
    back.c = g->out.grad;
    s->ops->gemm(&back, &g->scratch);
}

void ig_group_run(ig_group *g, const ig_context_shared *s, int64_t first, int n, bool loss)
{
    const int32_t *word = s->word + first;
    const int ld = s->ld;
    const bool cbow = s->o->model == IG_CONTEXT_CBOW;
    g->n_trained = n;
    g->loss = g->weight = 0;
    if (n == 0) {
        memset(g->in.place, 0, sizeof g->in.place);
        memset(g->out.place, 0, sizeof g->out.place);
        return;
    }
    find_windows(g, s, first, n);
    draw_negatives(g, s, first);
    const int n_col = weigh_negatives(g, s, first, n, cbow ? 0 : g->lo, cbow ? n - 1 : g->hi);
    if (cbow)
        hidden_cbow(g, s, word, n);
    else
        hidden_skipgram(g, s, word, n);
    for (int c = 0; c < n_col; c++) {
        if (c + AHEAD < n_col)
            for (int k = 0; k < ld; k += 16)
                __builtin_prefetch(s->out + (int64_t)g->column[c + AHEAD] * ld + k);
        memcpy(g->o + (int64_t)c * ld, s->out + (int64_t)g->column[c] * ld,
               (size_t)ld * sizeof(float));
    }
    s->ops->gemm(&(ig_gemm){.m = n,
                            .n = n_col,
                            .k = ld,
                            .a = g->h,
                            .lda = ld,
                            .b = g->o,
                            .ldb = ld,
                            .b_form = IG_B_COLS,
                            .c = g->x,
                            .ldc = g->ld_x},
                 &g->scratch);
    if (loss)
        add_loss(g, s, first, n, n_col);
    for (int j = 0; j < n; j++)
        gradients(g->x + (int64_t)j * g->ld_x, g->positive + (int64_t)j * g->ld_x,
                  g->total + (int64_t)j * g->ld_x, n_col, s->lr);
    factor_gradients(g, s, n, n_col);
    if (cbow)
        spread_cbow(g, s, n);
    collect_rows(g, s, word, n, n_col);
}

static void add_rows(const ig_group_rows *r, const ig_context_shared *s, float *table, int part)
{
    const int64_t ld = s->ld;
    for (int64_t i = r->place[part]; i < r->place[part + 1]; i++) {
        if (i + 1 < r->place[part + 1])
            for (int k = 0; k < s->ld; k += 16)
                __builtin_prefetch(table + r->row[r->sorted[i + 1]] * ld + k, 1);
        int32_t at = r->sorted[i];
        s->ops->add(table + r->row[at] * ld, r->grad + r->of[at] * ld, ld);
    }
}

void ig_group_add(const ig_group *g, const ig_context_shared *s, int part)
{
    add_rows(&g->in, s, s->in, part);
    add_rows(&g->out, s, s->out, part);
}
