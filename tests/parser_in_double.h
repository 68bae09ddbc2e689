/* SPDX-License-Identifier: Apache-2.0
 *
 * The parser head a second time, in double, word by word; part of bert_in_double.h.
 */
#pragma once

/* One side of a word: a layer with ELU, its dropout. */
static inline void twin_side(const twin *t, int place, const char *name, const double *x, int row,
                             int origin, int m, double *out)
{
    char weight[48], bias[48];
    snprintf(weight, sizeof weight, "parser.%s.weight", name);
    snprintf(bias, sizeof bias, "parser.%s.bias", name);
    twin_linear(out, x, twin_at(t, -1, weight), twin_at(t, -1, bias), m,
                ig_bert_get_config(t->model)->hidden_size);
    for (int e = 0; e < m; e++)
        out[e] = twin_head_drop(t, IG_HEAD_PARSER, place, row, origin, e,
                                out[e] < 0 ? expm1(out[e]) : out[e]);
}

/* Score of label r; head, word [n]. */
static inline double twin_label(const twin *t, int r, const double *head, const double *word, int n)
{
    const double *u = twin_at(t, -1, "parser.label.weight") + r * n * n;
    double sum = twin_at(t, -1, "parser.label.bias")[r];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += head[i] * u[i * n + j] * word[j];
    for (int i = 0; i < n && ig_bert_get_config(t->model)->head[IG_HEAD_PARSER].linear_labels; i++)
        sum += twin_at(t, -1, "parser.label.by_head.weight")[r * n + i] * head[i] +
               twin_at(t, -1, "parser.label.by_word.weight")[r * n + i] * word[i];
    return sum;
}

/* The four sides of one sentence's words [words, size]. */
typedef struct {
    int n, arc, label;
    double *side[4];
} twin_words;

static inline double twin_arc(const twin *t, const twin_words *w, int word, int head)
{
    const double *weight = twin_at(t, -1, "parser.arc.weight"),
                 *bias = twin_at(t, -1, "parser.arc.bias"), *h = w->side[0] + head * w->arc,
                 *d = w->side[1] + word * w->arc;
    double sum = 0;
    for (int i = 0; i < w->arc; i++) {
        sum += h[i] * bias[i];
        for (int j = 0; j < w->arc; j++)
            sum += h[i] * weight[i * w->arc + j] * d[j];
    }
    return sum;
}

/* −log p of the head of one word, and of the label under it. */
static inline double twin_word_loss(const twin *t, const twin_words *w, int word, int32_t head,
                                    int32_t label)
{
    const ig_bert_config *c = ig_bert_get_config(t->model);
    const bool free_root = c->head[IG_HEAD_PARSER].free_root;
    double arcs = 0, labels = 0;
    if (free_root && head == 0)
        return 0;
    for (int h = free_root ? 1 : 0; h < w->n; h++)
        arcs += exp(twin_arc(t, w, word, h));
    const double *of_head = w->side[2] + head * w->label, *of_word = w->side[3] + word * w->label;
    for (int r = 0; r < c->head[IG_HEAD_PARSER].n_label; r++)
        labels += exp(twin_label(t, r, of_head, of_word, w->label));
    return log(arcs) - twin_arc(t, w, word, head) + log(labels) -
           twin_label(t, label, of_head, of_word, w->label);
}

static inline void twin_words_free(twin_words *w)
{
    free(w->side[0]);
}

/* Targets from .. of sequence s, as many as it has. x: what the head reads. */
static inline twin_words twin_words_of(const twin *t, const ig_batch *b, const double *x, int s,
                                       int from)
{
    static const char *const name[] = {"arc_head", "arc_word", "label_head", "label_word"};
    const ig_bert_config *c = ig_bert_get_config(t->model);
    const ig_targets *of = &b->target[IG_HEAD_PARSER];
    const int d = c->hidden_size;
    twin_words w = {.arc = c->head[IG_HEAD_PARSER].arc_size,
                    .label = c->head[IG_HEAD_PARSER].label_size};
    while (from + w.n < of->n && of->row[from + w.n] < b->seq_start[s + 1])
        w.n++;
    double *row;
    w.side[0] = calloc((size_t)(w.n * 2 * (w.arc + w.label) + d), sizeof *row);
    assert_non_null(w.side[0]);
    w.side[1] = w.side[0] + w.n * w.arc;
    w.side[2] = w.side[1] + w.n * w.arc;
    w.side[3] = w.side[2] + w.n * w.label;
    row = w.side[3] + w.n * w.label;
    for (int i = 0; i < w.n; i++) {
        const int at = of->row[from + i], origin = b->seq_start[s];
        for (int e = 0; e < d; e++)
            row[e] = twin_head_drop(t, IG_HEAD_PARSER, 0, at, origin, e, x[at * d + e]);
        for (int k = 0; k < 4; k++) {
            const int m = k < 2 ? w.arc : w.label;
            twin_side(t, 1 + k, name[k], row, at, origin, m, w.side[k] + i * m);
        }
    }
    return w;
}

/* Over all words, in units of a masked token's loss. */
static inline double twin_parser_loss(const twin *t, const ig_batch *b)
{
    const ig_bert_config *c = ig_bert_get_config(t->model);
    const ig_targets *of = &b->target[IG_HEAD_PARSER];
    double loss = 0;
    if (ig_bert_config_n_label(c, IG_HEAD_PARSER) == 0)
        return 0;
    double *x = calloc((size_t)(b->n_tok * c->hidden_size), sizeof *x);
    assert_non_null(x);
    twin_read(t, b, IG_HEAD_PARSER, x);
    for (int s = 0, k = 0; s < b->n_seq; s++) {
        twin_words w = twin_words_of(t, b, x, s, k);
        for (int i = 1; i < w.n; i++)
            loss += twin_word_loss(t, &w, i, of->head[k + i], of->label[k + i]);
        k += w.n;
        twin_words_free(&w);
    }
    free(x);
    return loss * (double)t->pass->scale[IG_HEAD_PARSER] / (double)t->pass->scale[IG_HEAD_MASKED];
}
