/* SPDX-License-Identifier: Apache-2.0
 *
 * Quantities by name, "rho[8]", "perplexity[train,en]", "mu[text=kjv]": task and, in brackets and
 * any order, layer, split (train, dev, or a further text) and languages. Tasks are those of the
 * store (store/store_task.h). One quantity has one text: a split that is the task's own is left out
 * where the task has no other but further texts; layer, split and languages are in this order.
 *
 * Then the names of the parts of a report specification, and patterns of cells as the shell has
 * them (fnmatch(3)).
 */
#include "report/table/spec.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "base/strings/append.h"
#include "store/store_task.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which of a task's scores is meant, and of which checkpoint, in the order in which they are
 * written. */
enum { SELECT, BEST, OF, LENGTH, LABEL, STEP, N_CHOICE };
static const char *const choices[N_CHOICE] = {
    "select=", "best=", "of=", "length=", "label=", "step="};

typedef struct {
    const char *text, *where;
    uint64_t line;
    ig_err *err;
    char choice[N_CHOICE][40]; /* "": not said */
} source;

static ig_code unknown_task(const source *s, const char *name)
{
    ig_fail(s->err, IG_ERR_USAGE, s->where, s->line, "unknown quantity '%.60s'", s->text);
    ig_store_task_hint(s->err, name);
    return IG_ERR_USAGE;
}

static ig_code bad(const source *s, const char *why)
{
    return ig_fail(s->err, IG_ERR_USAGE, s->where, s->line, "quantity '%.60s': %s", s->text, why);
}

static bool is_one_of(const char *value, const char *const *list)
{
    while (*list != NULL && strcmp(*list, value) != 0)
        list++;
    return *list != NULL;
}

/* Reads the text after a choice. */
static ig_code read_choice(source *s, const ig_store_task *task, int choice, const char *value)
{
    static const char *const selections[] = {"last", "source-dev", "target-dev", NULL},
                             *const best[] = {"2", NULL}, *const lengths[] = {"10", "20",   "30",
                                                                              "40", "more", NULL};
    const bool of_label = strncmp(task->name, "label_", 6) == 0;
    if (!task->tuned && choice != STEP)
        return bad(s, "is no score of a task");
    if (s->choice[choice][0] != '\0')
        return bad(s, "says something twice");
    if (choice == SELECT && !is_one_of(value, selections))
        return bad(s, "expected last, source-dev or target-dev after select=");
    if (choice == BEST && !is_one_of(value, best))
        return bad(s, "expected 2 after best=");
    if (choice == LENGTH && (strcmp(task->name, "accuracy") != 0 || !is_one_of(value, lengths)))
        return bad(s, "expected accuracy and 10, 20, 30, 40 or more after length=");
    if (choice == LABEL && !of_label)
        return bad(s, "has no label, expected label_f1, label_precision or label_recall");
    if (choice == OF && strcmp(task->name, "tuning_sd") != 0)
        return bad(s, "expected tuning_sd beside of=");
    if (choice == STEP && (strspn(value, "0123456789") != strlen(value) || strlen(value) > 15))
        return bad(s, "expected an update after step=");
    if (value[0] == '\0' || strlen(value) >= sizeof s->choice[choice] ||
        strpbrk(value, " []@/;") != NULL)
        return bad(s, "expected a value after =");
    snprintf(s->choice[choice], sizeof s->choice[choice], "%s", value);
    return IG_ERR_OK;
}

/* Adds a tag; false: there are too many. */
static bool add_tag(ig_quantity *q, const char *key, const char *value)
{
    const size_t n = strlen(q->tags);
    const int more =
        snprintf(q->tags + n, sizeof q->tags - n, "%s%s%s", n > 0 ? ";" : "", key, value);
    return more >= 0 && n + (size_t)more < sizeof q->tags;
}

/* Adds what was chosen to the tags. */
static ig_code add_choices(ig_quantity *q, const ig_store_task *task, const source *s)
{
    bool any = false;
    for (int i = 0; i < STEP; i++)
        any = any || s->choice[i][0] != '\0';
    if (any && ig_quantity_text(q) == NULL)
        return bad(s, "expected task=NAME in the brackets");
    if (strncmp(task->name, "label_", 6) == 0 && s->choice[LABEL][0] == '\0')
        return bad(s, "expected label=NAME in the brackets");
    if ((s->choice[LENGTH][0] != '\0' || s->choice[LABEL][0] != '\0') &&
        (s->choice[SELECT][0] != '\0' || s->choice[BEST][0] != '\0'))
        return bad(s, "expected neither select= nor best= beside length= or label=");
    for (int i = 0; i < N_CHOICE; i++)
        if (s->choice[i][0] != '\0' && !add_tag(q, choices[i], s->choice[i]))
            return bad(s, "too long");
    return IG_ERR_OK;
}

static bool is_own(const ig_store_task *task)
{
    return strcmp(task->name, "own") == 0;
}

/* Reads the name after text=, task= or name=. The settings of fine-tuning follow it: nli/lr=1e-5.
 */
static ig_code read_named(ig_quantity *q, const ig_store_task *task, const source *s,
                          const char *part)
{
    const char *name = part + 5, *way = strchr(name, '/');
    const size_t n = way != NULL ? (size_t)(way - name) : strlen(name);
    if (q->split[0] != '\0')
        return bad(s, "two splits");
    if (part[2] == 'x' && strcmp(task->split, "dev") != 0)
        return bad(s, "is not taken on other texts");
    if (part[2] == 's' && !task->tuned)
        return bad(s, "is no score of a task");
    if (part[2] == 'm' && (!is_own(task) || way != NULL))
        return bad(s, "expected name=NAME of own alone, a name without /");
    if (n == 0 || n >= 32 || strcspn(name, " []=@") < n || strpbrk(name, " []@") != NULL ||
        (way != NULL && (part[2] == 'x' || strlen(way) >= 64 || strchr(way, ';') != NULL)) ||
        strcmp(name, "train") == 0 || strcmp(name, "dev") == 0)
        return bad(s, "expected the name of a text of measure: after text=, of a task after task=");
    snprintf(q->split, sizeof q->split, "%.*s", (int)n, name);
    snprintf(q->tags, sizeof q->tags, "%s", way != NULL ? way + 1 : "");
    for (char *p = q->tags; *p != '\0'; p++)
        *p = *p == '/' ? ';' : *p;
    return IG_ERR_OK;
}

/* Reads the text between two commas. */
static ig_code read_part(ig_quantity *q, const ig_store_task *task, source *s, const char *part)
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
    for (int i = 0; i < N_CHOICE; i++)
        if (strncmp(part, choices[i], strlen(choices[i])) == 0)
            return read_choice(s, task, i, part + strlen(choices[i]));
    if (strncmp(part, "text=", 5) == 0 || strncmp(part, "task=", 5) == 0 ||
        strncmp(part, "name=", 5) == 0)
        return read_named(q, task, s, part);
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
    source s = {.text = text, .where = where, .line = line, .err = err};
    char part[120];
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
        return bad(&s, "expected nothing after ]");
    IG_TRY(add_choices(q, task, &s));
    if (strcmp(q->split, task->split) == 0)
        q->split[0] = '\0';
    return IG_ERR_OK;
}

/* Tags of rows that no quantity has: seeds are averaged, models and ways chosen. */
static const char *const of_rows[] = {"tuning=", "by=", "on="};

static bool begins(const char *tag, const char *const *list, int n)
{
    for (int i = 0; i < n; i++)
        if (strncmp(tag, list[i], strlen(list[i])) == 0)
            return true;
    return false;
}

static bool is_of_row(const char *tag)
{
    return begins(tag, of_rows, 3);
}

static bool is_choice(const char *tag)
{
    return begins(tag, choices, N_CHOICE) || is_of_row(tag);
}

static bool is_step(const char *tag)
{
    return begins(tag, &choices[STEP], 1);
}

/* Appends the tags that are such ones, or (wanted false) those that are not, each after `before`:
 * "/lr=1e-5", ",select=last". */
static void append_tags(char *out, size_t size, const char *tags, bool (*is)(const char *tag),
                        bool wanted, const char *before)
{
    for (const char *p = tags; *p != '\0'; p += strspn(p, ";")) {
        const int n = (int)strcspn(p, ";");
        if (is(p) == wanted)
            ig_append(out, size, "%s%.*s", before, n, p);
        p += n;
    }
}

/* Those that are not such ones, with `between` them. */
static void other_tags(char *out, size_t size, const char *tags, bool (*is)(const char *tag),
                       const char *between)
{
    enum { MOST = 512 };
    char all[MOST] = "";
    append_tags(all, sizeof all, tags, is, false, between);
    out[0] = '\0';
    ig_append(out, size, "%s", all[0] != '\0' ? all + 1 : "");
}

void ig_tags_way(char *out, size_t size, const char *tags)
{
    other_tags(out, size, tags, is_choice, ";");
}

void ig_quantity_average(ig_quantity *q)
{
    other_tags(q->tags, sizeof q->tags, q->tags, is_of_row, ";");
}

int64_t ig_quantity_step(const ig_quantity *q)
{
    size_t n;
    const char *step = ig_tag_find(q->tags, "step", &n);
    return step != NULL ? strtoll(step, NULL, 10) : -1;
}

ig_quantity ig_quantity_at_any_step(const ig_quantity *q)
{
    ig_quantity out = *q;
    other_tags(out.tags, sizeof out.tags, q->tags, is_step, ";");
    return out;
}

ig_quantity ig_quantity_of(const ig_row *row)
{
    const ig_store_task *task = ig_store_task_find(row->task);
    ig_quantity q = {.layer = row->layer};
    snprintf(q.task, sizeof q.task, "%s", row->task);
    snprintf(q.split, sizeof q.split, "%s",
             task != NULL && strcmp(row->split, task->split) == 0 ? "" : row->split);
    snprintf(q.tags, sizeof q.tags, "%s", ig_row_tags(row));
    snprintf(q.languages, sizeof q.languages, "%s", row->languages);
    return q;
}

bool ig_quantity_same(const ig_quantity *a, const ig_quantity *b)
{
    return strcmp(a->task, b->task) == 0 && a->layer == b->layer &&
           strcmp(a->split, b->split) == 0 && strcmp(a->tags, b->tags) == 0 &&
           strcmp(a->languages, b->languages) == 0;
}

ig_code ig_quantity_list_add(ig_quantity_list *l, const ig_quantity *q, ig_err *err)
{
    for (int i = 0; i < l->n; i++)
        if (ig_quantity_same(&l->q[i], q))
            return IG_ERR_OK;
    IG_TRY(ig_grow(&l->q, &l->room, l->n + 1, sizeof *l->q, "quantities", err));
    l->q[l->n++] = *q;
    return IG_ERR_OK;
}

const char *ig_quantity_text(const ig_quantity *q)
{
    return q->split[0] != '\0' && strcmp(q->split, "train") != 0 && strcmp(q->split, "dev") != 0
               ? q->split
               : NULL;
}

void ig_quantity_way(char *out, size_t size, const ig_quantity *q)
{
    other_tags(out, size, q->tags, is_choice, "/");
}

void ig_quantity_format(char *out, int size, const ig_quantity *q)
{
    char layer[16] = "";
    if (q->layer >= 0)
        snprintf(layer, sizeof layer, "%d", q->layer);
    else if (q->layer != IG_LAYER_NONE)
        snprintf(layer, sizeof layer, "%s", q->layer == IG_LAYER_LOW ? "low" : "high");
    char split[2 * sizeof q->tags];
    const ig_store_task *task = ig_store_task_find(q->task);
    /* If train and dev both have it, the name includes the one that is meant. */
    const char *meant =
        q->split[0] == '\0' && task != NULL && !task->pair && strcmp(task->split, "dev") == 0
            ? task->split
            : q->split;
    snprintf(split, sizeof split, "%s%s",
             ig_quantity_text(q) == NULL    ? ""
             : task != NULL && task->tuned  ? "task="
             : task != NULL && is_own(task) ? "name="
                                            : "text=",
             meant);
    append_tags(split, sizeof split, q->tags, is_choice, false, "/");
    append_tags(split, sizeof split, q->tags, is_choice, true, ",");
    const char *part[3] = {layer, split[0] == ',' ? split + 1 : split, q->languages};
    char text[400] = "";
    for (int i = 0; i < 3; i++)
        if (part[i][0] != '\0')
            ig_append(text, sizeof text, "%s%s", text[0] != '\0' ? "," : "", part[i]);
    if (text[0] != '\0')
        snprintf(out, (size_t)size, "%s[%s]", q->task, text);
    else
        snprintf(out, (size_t)size, "%s", q->task);
}

/* --- parts of a report ------------------------------------------------------------------------ */

const char *const ig_figure_kind_names[] = {"curves", "layers", "positions", "tokens",
                                            "states", "bars",   NULL};
_Static_assert(sizeof ig_figure_kind_names / sizeof *ig_figure_kind_names == IG_N_FIG + 1,
               "a name for each kind");

bool ig_cell_matches(const char *cell, char *const *pattern, int n)
{
    for (int i = 0; i < n; i++)
        if (fnmatch(pattern[i], cell, 0) == 0)
            return true;
    return n == 0;
}

/* Where the part of the axis begins; NULL: there is none. */
static const char *find_axis(const char *cell, const char *axis)
{
    const size_t n = strlen(axis);
    for (const char *p = cell; p != NULL; p = strchr(p, '/')) {
        p += *p == '/';
        if (strncmp(p, axis, n) == 0 && p[n] == '=')
            return p;
    }
    return NULL;
}

double ig_cell_axis(const char *cell, const char *axis)
{
    static const char letter[] = "kMG";
    const char *p = find_axis(cell, axis);
    const char *end;
    double x;
    if (p == NULL || !ig_number_parse(&x, p + strlen(axis) + 1, &end))
        return (double)NAN;
    const char *unit = *end != '\0' && *end != '/' ? strchr(letter, *end) : NULL;
    if (unit != NULL) {
        x *= pow(1000, (double)(unit - letter) + 1);
        end++;
    }
    return (*end == '\0' || *end == '/') && isfinite(x) ? x : (double)NAN;
}

bool ig_cell_has_axis(const char *cell, const char *axis)
{
    return find_axis(cell, axis) != NULL;
}
