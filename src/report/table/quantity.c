/* SPDX-License-Identifier: Apache-2.0
 *
 * Quantities by name, "rho[8]", "perplexity[train,en]", "mu[text=kjv]": task and, in brackets and
 * any order, layer, split (train, dev, or a further text) and languages. Tasks are those of the
 * store (store/store_task.h). One quantity has one text: a split that is the task's own is left out
 * where the task has no other but further texts; layer, split and languages stand in this order.
 */
#include "report/table/spec.h"
#include "base/settings/options.h"
#include "store/store_task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *text, *where;
    uint64_t line;
    ig_err *err;
} source;

static ig_code unknown_task(const source *s, const char *name)
{
    const char *known[128];
    int n = 0;
    for (; n < 128 && ig_store_task_at(n) != NULL; n++)
        known[n] = ig_store_task_at(n)->name;
    const char *near = ig_nearest(name, known, n);
    ig_fail(s->err, IG_ERR_USAGE, s->where, s->line, "unknown quantity '%.60s'", s->text);
    if (near != NULL)
        return ig_hint(s->err, "did you mean '%s'?", near);
    return ig_hint(s->err, "quantities are mu, f1[low], rho[8], tau[high], perplexity[dev], … "
                           "(docs/store.md)");
}

static ig_code bad(const source *s, const char *why)
{
    return ig_fail(s->err, IG_ERR_USAGE, s->where, s->line, "quantity '%.60s': %s", s->text, why);
}

/* What stands between two commas. */
static ig_code read_part(ig_quantity *q, const ig_store_task *task, const source *s,
                         const char *part)
{
    bool number = part[0] != '\0' && part[strspn(part, "0123456789")] == '\0';
    bool low = strcmp(part, "low") == 0, high = strcmp(part, "high") == 0;
    if (part[0] == '\0')
        return bad(s, "nothing between brackets or commas");
    if (number || low || high) {
        if (task->kind != IG_STORE_TASK_LAYERED)
            return bad(s, "has no layers");
        if (q->layer != IG_LAYER_NONE)
            return bad(s, "two layers");
        if (number && strlen(part) > 3)
            return bad(s, "expected a layer of at most 999");
        q->layer = low ? IG_LAYER_LOW : high ? IG_LAYER_HIGH : atoi(part);
        return IG_ERR_OK;
    }
    if (task->kind == IG_STORE_TASK_RUN)
        return bad(s, "is of the training, expected no brackets");
    if (strncmp(part, "text=", 5) == 0 || strncmp(part, "task=", 5) == 0) {
        if (q->split[0] != '\0')
            return bad(s, "two splits");
        if (part[2] == 'x' && strcmp(task->split, "dev") != 0)
            return bad(s, "is not taken on other texts");
        if (part[2] == 's' && !task->tuned)
            return bad(s, "is no score of a task");
        part += 5;
        if (part[0] == '\0' || strlen(part) >= sizeof q->split || strpbrk(part, " []=") != NULL ||
            strcmp(part, "train") == 0 || strcmp(part, "dev") == 0)
            return bad(
                s, "expected the name of a text of measure: behind text=, of a task behind task=");
        snprintf(q->split, sizeof q->split, "%s", part);
        return IG_ERR_OK;
    }
    if (strcmp(part, "train") == 0 || strcmp(part, "dev") == 0) {
        if (q->split[0] != '\0')
            return bad(s, "two splits");
        if (task->pair && strcmp(part, "dev") != 0)
            return bad(s, "is taken on the development text only");
        snprintf(q->split, sizeof q->split, "%s", part);
        return IG_ERR_OK;
    }
    if (q->languages[0] != '\0')
        return bad(s, "two languages; a pair is written en-fake");
    if (strlen(part) >= sizeof q->languages)
        return bad(s, "the name of the language is too long");
    for (const char *p = part; *p != '\0'; p++)
        if ((unsigned char)*p <= ' ' || *p == '[' || *p == ']')
            return bad(s, "expected a layer, train, dev or the name of a language in the brackets");
    snprintf(q->languages, sizeof q->languages, "%s", part);
    return IG_ERR_OK;
}

ig_code ig_quantity_parse(ig_quantity *q, const char *text, const char *where, uint64_t line,
                          ig_err *err)
{
    const source s = {text, where, line, err};
    char part[80];
    size_t n = strcspn(text, "[");
    *q = (ig_quantity){.layer = IG_LAYER_NONE};
    if (n == 0 || n >= sizeof q->task)
        return unknown_task(&s, text);
    memcpy(q->task, text, n);
    const ig_store_task *task = ig_store_task_find(q->task);
    if (task == NULL)
        return unknown_task(&s, q->task);
    const char *p = text + n;
    if (*p == '\0')
        return IG_ERR_OK;
    do {
        p++;
        size_t len = strcspn(p, ",]");
        const char *end = p + len;
        while (len > 0 && *p == ' ')
            p++, len--;
        while (len > 0 && p[len - 1] == ' ')
            len--;
        if (*end == '\0')
            return bad(&s, "expected ] at its end");
        if (len >= sizeof part)
            return bad(&s, "too long");
        memcpy(part, p, len);
        part[len] = '\0';
        IG_TRY(read_part(q, task, &s, part));
        p = end;
    } while (*p == ',');
    if (p[1] != '\0')
        return bad(&s, "expected nothing behind ]");
    if (strcmp(q->split, task->split) == 0)
        q->split[0] = '\0';
    return IG_ERR_OK;
}

bool ig_quantity_same(const ig_quantity *a, const ig_quantity *b)
{
    return strcmp(a->task, b->task) == 0 && a->layer == b->layer &&
           strcmp(a->split, b->split) == 0 && strcmp(a->languages, b->languages) == 0;
}

const char *ig_quantity_text(const ig_quantity *q)
{
    return q->split[0] != '\0' && strcmp(q->split, "train") != 0 && strcmp(q->split, "dev") != 0
               ? q->split
               : NULL;
}

void ig_quantity_format(char *out, int size, const ig_quantity *q)
{
    char layer[16] = "";
    if (q->layer >= 0)
        snprintf(layer, sizeof layer, "%d", q->layer);
    else if (q->layer != IG_LAYER_NONE)
        snprintf(layer, sizeof layer, "%s", q->layer == IG_LAYER_LOW ? "low" : "high");
    char split[40];
    const ig_store_task *task = ig_store_task_find(q->task);
    /* What train and dev both have is never without the one that is meant. */
    const char *meant =
        q->split[0] == '\0' && task != NULL && !task->pair && strcmp(task->split, "dev") == 0
            ? task->split
            : q->split;
    snprintf(split, sizeof split, "%s%s",
             ig_quantity_text(q) == NULL   ? ""
             : task != NULL && task->tuned ? "task="
                                           : "text=",
             meant);
    const char *part[3] = {layer, split, q->languages};
    char text[128] = "";
    for (int i = 0; i < 3; i++) {
        size_t used = strlen(text);
        if (part[i][0] != '\0')
            snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? "," : "", part[i]);
    }
    if (text[0] != '\0')
        snprintf(out, (size_t)size, "%s[%s]", q->task, text);
    else
        snprintf(out, (size_t)size, "%s", q->task);
}
