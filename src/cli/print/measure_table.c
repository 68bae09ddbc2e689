/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables that train and eval print: a line per layer of one model, or a line per model,
 * with the numbers of candidates that a precision needs to mean anything.
 */
#include "cli/print/measure_table.h"

#include "cli/print/print.h"
#include "measure/measure_list.h"
#include "measure/missing.h"
#include "measure/position_cosines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A line of a table: its head first, then a row for each model or layer. */
typedef struct {
    ig_table *t;
    const ig_measure_result *r;
    int64_t row; /* −1: the head, to which columns are added */
    int column;  /* of the row, the next one */
    ig_measure_set also;
} line;

/* Where no word is one piece, τ and μ are of words of two. */
static double value_of(const ig_measure_result *r, const char *key, int layer)
{
    if (strcmp(key, "train") == 0 || strcmp(key, "dev") == 0)
        return ig_measure_perplexity(r, key);
    if (strcmp(key, "identical_share") == 0)
        return ig_measure_identical(r);
    if (strcmp(key, "tau_distinct") == 0 && !ig_measure_has_distinct(r))
        key = "tau";
    if (strcmp(key, "mu_distinct") == 0 && !ig_measure_has_distinct(r))
        key = "mu";
    return ig_measure_value(r, key, layer);
}

/* Adds a number to a line: its column, or its value. */
static void add(line *l, const char *key, const char *title, const char *group, int layer)
{
    if (l->row < 0) {
        ig_table_add_column(l->t, key, title, group, IG_TABLE_NUMBER);
        return;
    }
    const double x = value_of(l->r, key, layer);
    const bool perplexity = strcmp(key, "train") == 0 || strcmp(key, "dev") == 0;
    ig_table_number(l->t, l->row, l->column++, isfinite(x) ? x : (double)NAN, perplexity ? 2 : 3);
}

/* The numbers of a layer; those after τ only where they were requested. */
static void add_layer(line *l, const char *const title[3], const char *group, int layer)
{
    static const char *const key[] = {"f1", "rho", "tau"};
    for (int i = 0; i < 3; i++)
        add(l, key[i], title[i], group, layer);
    if (ig_measure_requested(l->also, IG_MEASURE_distinct))
        add(l, "tau_distinct", "τ distinct", group, layer);
    for (int k = 0; k < IG_MEASURE_N; k++)
        for (int i = 0; i < ig_measure_kinds[k]->n_shown; i++)
            if (k != IG_MEASURE_distinct && ig_measure_requested(l->also, k))
                add(l, ig_measure_kinds[k]->number[i].name, ig_measure_kinds[k]->number[i].symbol,
                    group, layer);
}

/* The measures that have columns. */
static ig_measure_set shown(const ig_measure_result *r)
{
    return ig_measure_has_distinct(r) ? r->options.what | IG_MEASURE_BIT(distinct)
                                      : r->options.what;
}

static void note_perplexity(ig_table *t, const ig_measure_result *r)
{
    const double train = ig_measure_perplexity(r, "train"), dev = ig_measure_perplexity(r, "dev");
    if (isfinite(train))
        ig_table_add_note(t, "perplexity: training %.1f, development %.1f", train, dev);
    else if (isfinite(dev))
        ig_table_add_note(t, "perplexity: development %.1f", dev);
}

/* Notes τ and μ of the other words where some words are one piece in both languages, and says why μ
 * is missing. */
static void note_pair(ig_table *t, const ig_measure_result *r)
{
    ig_measure_missing missing;
    ig_measure_missing_of(&missing, r);
    if (r->n_same > 0 && ig_measure_requested(r->options.what, IG_MEASURE_translation))
        ig_table_add_note(t,
                          "identical: %.1f %% of the dictionary's %lld pairs are one piece in both "
                          "languages, with one vector in the table of words; τ distinct is without "
                          "them",
                          100 * ig_measure_identical(r), (long long)r->n_word);
    if (missing.mu[0] != '\0')
        ig_table_add_note(t, "no μ: %s", missing.mu);
    if (missing.positions[0] != '\0')
        ig_table_add_note(t, "no positions: %s", missing.positions);
    if (missing.perplexity[0] != '\0')
        ig_table_add_note(t, "no perplexity: %s", missing.perplexity);
    if (missing.gradients[0] != '\0')
        ig_table_add_note(t, "no gradients: %s", missing.gradients);
    if (missing.shift[0] != '\0')
        ig_table_add_note(t, "no shift: %s", missing.shift);
}

static double position(const ig_measure_result *r, int i)
{
    return ig_measure_value(r, ig_numbers_positions[i].name, -1);
}

ig_code ig_measure_table(const ig_measure_result *r, ig_err *err)
{
    static const char *const titles[] = {"F1 alignment", "ρ sentences", "τ words"};
    ig_table *t;
    if (r->n_language < 2) { /* nothing to compare: no layers */
        printf("perplexity: training %.1f, development %.1f\n", ig_measure_perplexity(r, "train"),
               ig_measure_perplexity(r, "dev"));
        return IG_ERR_OK;
    }
    IG_TRY(ig_table_new(&t, "measures", NULL, NULL, err));
    ig_table_add_row_head(t, "layer", "layer");
    const ig_measure_options *o = &r->options;
    for (int i = -1; i < o->n_layer; i++) {
        line l = {t, r, i < 0 ? -1 : ig_table_add_row(t, IG_ROW_BODY, NULL), 1, shown(r)};
        if (i >= 0)
            ig_table_at(t, l.row, 0)->text = ig_table_keep(t, "%d", o->layer[i]);
        add_layer(&l, titles, NULL, i < 0 ? 0 : o->layer[i]);
    }
    ig_table_add_note(t, "%s - %s, %lld sentences, %lld words", r->language[o->a],
                      r->language[o->b], (long long)r->n_sentence, (long long)r->n_word);
    const double mu = ig_measure_value(r, "mu", -1);
    if (isfinite(mu))
        ig_table_add_note(t, "μ %.3f (mean of ρ and τ at layers %d and %d)", mu, r->mu_layer[0],
                          r->mu_layer[1]);
    if (isfinite(mu) && ig_measure_has_distinct(r))
        ig_table_add_note(t, "μ distinct %.3f (the same of ρ and τ distinct)",
                          ig_measure_value(r, "mu_distinct", -1));
    if (isfinite(position(r, 0)))
        ig_table_add_note(t,
                          "positions: nearest %.3f, diagonal %.3f, order %.3f; rare ones: nearest "
                          "%.3f, diagonal %.3f",
                          position(r, 0), position(r, 1), position(r, 2), position(r, 3),
                          position(r, 4));
    note_pair(t, r);
    note_perplexity(t, r);
    return ig_table_print(t, err);
}

static bool same_layers(const ig_measure_result *a, const ig_measure_result *b)
{
    const int n = a->options.n_layer;
    return n == b->options.n_layer &&
           memcmp(a->options.layer, b->options.layer, (size_t)n * sizeof *a->options.layer) == 0;
}

/* A line of a model: update, μ, three numbers for each layer and the other requested measures, two
 * perplexities. */
static void add_model(line *l, const ig_measure_row *x, bool steps)
{
    static const char *const titles[] = {"F1", "ρ", "τ"};
    const ig_measure_result *r = x->measure;
    char group[32];
    if (steps && l->row < 0)
        ig_table_add_column(l->t, "step", "update", NULL, IG_TABLE_RIGHT);
    else if (steps)
        ig_table_number(l->t, l->row, l->column++, x->step >= 0 ? (double)x->step : (double)NAN, 0);
    add(l, "mu", "μ", NULL, -1);
    if (ig_measure_requested(l->also, IG_MEASURE_distinct)) {
        add(l, "mu_distinct", "μ distinct", NULL, -1);
        add(l, "identical_share", "identical", NULL, -1);
    }
    for (int i = 0; i < r->options.n_layer; i++) {
        snprintf(group, sizeof group, "layer %d", r->options.layer[i]);
        add_layer(l, titles, group, r->options.layer[i]);
        if (ig_measure_requested(l->also, IG_MEASURE_words))
            add(l, "mrr", "MRR", group, r->options.layer[i]);
    }
    if (ig_measure_requested(l->also, IG_MEASURE_positions))
        for (int i = 0; i < IG_POSITION_NUMBERS; i++)
            add(l, ig_numbers_positions[i].name, ig_numbers_positions[i].symbol, "positions", -1);
    add(l, "train", "train", "perplexity", -1);
    add(l, "dev", "dev", "perplexity", -1);
}

static void explain(ig_table *t, const ig_measure_row *x)
{
    const ig_measure_result *r = x->measure;
    const double ties = ig_measure_value(r, "rho_ties", r->options.layer[0]);
    ig_table_add_note(
        t,
        "F1 of word alignment, ρ sentence retrieval and τ word translation (P@1, mean "
        "of both ways), μ their mean at layers %d and %d; %lld sentences, %lld words; "
        "%.0f ties of retrieval at layer %d.%s",
        r->mu_layer[0], r->mu_layer[1], (long long)r->n_sentence, (long long)r->n_word,
        isfinite(ties) ? ties : 0, r->options.layer[0],
        ig_measure_requested(r->options.what, IG_MEASURE_words)
            ? " MRR of word retrieval in the training text."
            : "");
    note_pair(t, r);
}

ig_code ig_measure_rows(const ig_measure_row *row, int n, const char *what, ig_err *err)
{
    bool steps = false;
    ig_measure_set also = 0;
    for (int i = 0; i < n; i++) {
        steps = steps || row[i].step >= 0;
        also |= shown(row[i].measure);
    }
    for (int i = 0, k; i < n; i = k) {
        ig_table *t;
        IG_TRY(ig_table_new(&t, "measures", NULL, NULL, err));
        ig_table_add_row_head(t, "name", what);
        add_model(&(line){t, row[i].measure, -1, 1, also}, &row[i], steps);
        for (k = i; k < n && same_layers(row[i].measure, row[k].measure); k++) {
            line l = {t, row[k].measure, ig_table_add_row(t, IG_ROW_BODY, NULL), 1, also};
            ig_table_text(t, l.row, 0, row[k].name);
            add_model(&l, &row[k], steps);
        }
        if (k == n && row[0].measure->options.n_layer > 0)
            explain(t, &row[0]);
        IG_TRY(ig_table_print(t, err));
    }
    return IG_ERR_OK;
}

static void list_number(FILE *fp, const ig_store_task *t)
{
    fprintf(fp, "    %-22s %s", t->name, t->what);
    if (t->version > 1 || t->version_listed > 1)
        fprintf(fp, " (version %d%s)", t->version_listed > 1 ? t->version_listed : t->version,
                t->version_listed > 1 ? " by a dictionary that is a file" : "");
    fputc('\n', fp);
}

void ig_measure_list(FILE *fp)
{
    fputs(
        "Measures (measure: {what: [NAME, …]} in experiment files; isoglot eval takes those by "
        "default and, with --NAME,\nothers) and the numbers that they give, which tables, figures "
        "and the store know by these names:\n",
        fp);
    for (int k = 0; k < IG_MEASURE_N; k++) {
        fprintf(fp, "\n%s%s\n  %s\n", ig_measure_names[k],
                ig_measure_requested(ig_measure_by_default(), k) ? " (by default)" : "",
                ig_measure_helps[k]);
        for (const ig_store_task *t = ig_measure_kinds[k]->number; t->name != NULL; t++)
            list_number(fp, t);
    }
    fputs("\nof several of them\n", fp);
    for (const ig_store_task *t = ig_store_task_lists[0]; t->name != NULL; t++)
        list_number(fp, t);
}
