/* SPDX-License-Identifier: Apache-2.0
 *
 * Headings, units and digits of the columns of a table of results: shares with two digits, other
 * numbers with two digits of their sd, alike in a column; columns of one layer under one heading,
 * as in Table 1 of Dufter & Schütze 2020.
 */
#include "base/strings/append.h"
#include "report/shown/table_parts.h"
#include "store/store_task.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bytes are shown in MiB. */
double ig_result_unit(const ig_column *c)
{
    return strcmp(c->q.task, "peak_memory") == 0 ? 1. / (1 << 20) : 1;
}

static bool share(const ig_column *c)
{
    const ig_store_task *task = ig_store_task_find(c->q.task);
    return task != NULL && task->share;
}

int ig_result_digits(const ig_column *c, const ig_result_number *n)
{
    if (c->digits >= 0)
        return c->digits;
    if (share(c))
        return 2;
    if (n->summary.n > 0 && n->summary.min == floor(n->summary.min) &&
        n->summary.mean == floor(n->summary.mean) && !(n->summary.sd > 0))
        return 0; /* a count that is the same for all */
    double x = fabs(n->summary.mean * ig_result_unit(c)), sd = n->summary.sd * ig_result_unit(c);
    if (!isfinite(x))
        x = fabs(n->reference);
    if (sd > 0 && isfinite(sd)) {
        int digits = 1 - (int)floor(log10(sd));
        return digits < 0 ? 0 : digits > 3 ? 3 : digits;
    }
    return x >= 1000 ? 0 : x >= 10 ? 1 : 2;
}

int ig_result_column_digits(const ig_result_table *t, int column)
{
    enum { MOST = 16 };
    const ig_column *c = &t->spec->column[column];
    int count[MOST] = {0}, n = 0, seen = 0;
    if (c->digits >= 0)
        return c->digits;
    for (int pass = 0; pass < 2 && n == 0; pass++) /* the paper's where we have none */
        for (int r = 0; r < t->n_row; r++) {
            const ig_result_number *x = &t->number[r * t->n_column + column];
            if (pass == 0 ? x->summary.n == 0 : !isfinite(x->reference))
                continue;
            count[ig_result_digits(c, x)]++;
            n++;
        }
    /* The median, of two the one with more. */
    for (int d = 0; d < MOST; d++) {
        seen += count[d];
        if (n > 0 && seen > n / 2)
            return d;
    }
    return ig_result_digits(c, &t->number[column]);
}

static void subscript(char *out, size_t size, int layer)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%d", layer);
    size_t used = strlen(out);
    for (const char *p = digits; *p != '\0' && used + 4 < size; p++, used += 3)
        snprintf(out + used, size - used, "\xE2\x82%c", (char)(0x80 + (*p - '0')));
}

/* The layer all rows of the column were measured at; −1: none, or different ones. */
static int layer_of(const ig_result_table *t, int column)
{
    int layer = -1;
    for (int r = 0; r < t->n_row; r++) {
        int l = t->number[r * t->n_column + column].layer;
        if (l >= 0 && layer >= 0 && l != layer)
            return -1;
        layer = l >= 0 ? l : layer;
    }
    const ig_quantity *q = &t->spec->column[column].q;
    return layer < 0 && q->layer >= 0 ? q->layer : layer;
}

/* The heading that neighbouring columns share: their layer, or perplexity. "" for none. */
void ig_result_group(char out[IG_RESULT_NAME], const ig_result_table *t, int column)
{
    const ig_column *c = &t->spec->column[column];
    int layer = layer_of(t, column);
    out[0] = '\0';
    if (c->title != NULL)
        return;
    if (layer >= 0)
        snprintf(out, IG_RESULT_NAME, "layer %d", layer);
    else if (c->q.layer == IG_LAYER_LOW || c->q.layer == IG_LAYER_HIGH)
        snprintf(out, IG_RESULT_NAME, "%s layer", c->q.layer == IG_LAYER_LOW ? "low" : "high");
    else if (strcmp(c->q.task, "perplexity") == 0)
        snprintf(out, IG_RESULT_NAME, "perplexity");
}

bool ig_result_in_group(const ig_result_table *t, int column)
{
    char mine[IG_RESULT_NAME], other[IG_RESULT_NAME];
    ig_result_group(mine, t, column);
    for (int c = column - 1; c <= column + 1 && mine[0] != '\0'; c += 2) {
        if (c < 0 || c >= t->n_column)
            continue;
        ig_result_group(other, t, c);
        if (strcmp(mine, other) == 0)
            return true;
    }
    return false;
}

/* The split as it is read: "nli target-dev", "nli/lr=1e-5", "nli best=2". */
static void add_split(char *out, size_t size, const char *split, const ig_quantity *q)
{
    char way[sizeof q->tags];
    ig_quantity_way(way, sizeof way, q);
    ig_append(out, size, " %s%s%s", split, way[0] != '\0' ? "/" : "", way);
    for (const char *p = q->tags + strlen(way); *p != '\0'; p += strspn(p, ";")) {
        const int n = (int)strcspn(p, ";"), key = (int)strcspn(p, "=") + 1;
        const bool plain = strncmp(p, "select=", 7) == 0 || strncmp(p, "label=", 6) == 0 ||
                           strncmp(p, "of=", 3) == 0;
        if (n > 0 && strncmp(p, "step=", 5) != 0)
            ig_append(out, size, " %.*s", plain ? n - key : n, plain ? p + key : p);
        p += n;
    }
}

/* `inside`: below its group's heading, which says the rest. */
void ig_result_title_in(char *out, size_t size, const ig_result_table *t, int column, bool inside)
{
    const ig_column *c = &t->spec->column[column];
    if (c->title != NULL) {
        snprintf(out, size, "%s", c->title);
        return;
    }
    const ig_store_task *task = ig_store_task_find(c->q.task);
    bool perplexity = strcmp(c->q.task, "perplexity") == 0;
    const char *split = c->q.split[0] != '\0' ? c->q.split : task != NULL ? task->split : "";
    snprintf(out, size, "%s", task != NULL ? task->symbol : c->q.task);
    if (perplexity && inside)
        snprintf(out, size, "%s", split);
    else if (perplexity ||
             (c->q.split[0] != '\0' && task != NULL && strcmp(c->q.split, task->split) != 0))
        add_split(out, size, split, &c->q);
    if (!inside) {
        int layer = layer_of(t, column);
        if (layer >= 0)
            subscript(out, size, layer);
        else if (c->q.layer == IG_LAYER_LOW || c->q.layer == IG_LAYER_HIGH)
            strncat(out, c->q.layer == IG_LAYER_LOW ? " low" : " high", size - strlen(out) - 1);
    }
    if (c->q.languages[0] != '\0')
        ig_append(out, size, " %s", c->q.languages);
    else if (strcmp(c->q.task, "peak_memory") == 0)
        ig_append(out, size, ", MiB");
    if (ig_quantity_step(&c->q) >= 0)
        ig_append(out, size, ", update %lld", (long long)ig_quantity_step(&c->q));
}

void ig_result_title(char *out, size_t size, const ig_result_table *t, int column)
{
    ig_result_title_in(out, size, t, column, false);
}
