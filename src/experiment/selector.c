/* SPDX-License-Identifier: Apache-2.0
 *
 * Selectors of cells and seeds, as `--only` takes them: PATTERN[:SEEDS], several joined by commas.
 * A pattern (shell style) is held against whole names of cells; if none fits, against the parts of
 * the names ("batch=64" of "8/batch=64"); if none fits, against the parts of the labels
 * ("lang-pos" of "lang-pos; shift-special"). SEEDS is a seed or a range, by value. A range alone
 * that fits no cell is more seeds of the pattern before: "1:0-2,11-13".
 *
 * *on is [n_cell, stride], stride the largest number of seeds of a cell; on[cell * stride + i] is
 * of cell.seed[i].
 */
#include "experiment/experiment.h"

#include "base/memory.h"
#include "base/strings/append.h"
#include "experiment/experiment_parts.h"

#include <fnmatch.h>
#include <string.h>

/* Returns whether one of the parts between separators fits; the last separator's character is its
 * end. */
static bool part_fits(const char *pattern, const char *text, const char *separator)
{
    size_t n_separator = strlen(separator);
    char part[256];
    for (const char *p = text;;) {
        const char *end = strstr(p, separator);
        size_t n = end != NULL ? (size_t)(end - p) : strlen(p);
        if (n < sizeof part) {
            memcpy(part, p, n);
            part[n] = '\0';
            if (fnmatch(pattern, part, 0) == 0)
                return true;
        }
        if (end == NULL)
            return false;
        p = end + n_separator;
    }
}

static bool fits(const ig_cell *c, const char *pattern, int level)
{
    if (level == 0)
        return fnmatch(pattern, c->name, 0) == 0;
    return level == 1 ? part_fits(pattern, c->name, "/") : part_fits(pattern, c->label, "; ");
}

typedef struct {
    char pattern[200];
    int64_t first, last; /* of the seeds */
    bool seeds;          /* they were given */
} item;

static ig_code bad_seeds(const char *text, ig_err *err)
{
    ig_fail(err, IG_ERR_USAGE, "selector", 0, "'%.80s': expected seeds after the colon", text);
    return ig_hint(err, "CELL:0 is one seed, CELL:0-2 are three");
}

static ig_code parse(item *it, const char *text, size_t n, ig_err *err)
{
    char whole[200], *colon;
    *it = (item){.first = 0, .last = INT64_MAX};
    if (n >= sizeof whole)
        return ig_fail(err, IG_ERR_USAGE, "selector", 0, "'%.80s…': too long", text);
    memcpy(whole, text, n);
    whole[n] = '\0';
    if (n == 0)
        return ig_fail(err, IG_ERR_USAGE, "selector", 0,
                       "found nothing, expected the name of a cell");
    strcpy(it->pattern, whole);
    if ((colon = strrchr(it->pattern, ':')) == NULL)
        return IG_ERR_OK;
    *colon = '\0';
    it->seeds = true;
    return ig_experiment_seed_range(&it->first, &it->last, colon + 1) ? IG_ERR_OK
                                                                      : bad_seeds(whole, err);
}

/* "0, 1, 2, …" of the cells that fit, each seed once. */
static ig_code hint_seeds(const ig_experiment *e, const item *it, int level, ig_err *err)
{
    enum { MOST = 24 };
    int64_t seen[MOST];
    char list[200] = "";
    int n = 0;
    for (int i = 0; i < e->n_cell; i++)
        for (int k = 0; k < e->cell[i].n_seed && fits(&e->cell[i], it->pattern, level); k++) {
            bool new = true;
            for (int j = 0; j < n && j < MOST; j++)
                new = new &&seen[j] != e->cell[i].seed[k];
            if (new &&n < MOST) {
                seen[n] = e->cell[i].seed[k];
                ig_append(list, sizeof list, "%s%lld", n > 0 ? ", " : "", (long long)seen[n]);
            } else if (new &&n == MOST)
                ig_append(list, sizeof list, ", …");
            n += new;
        }
    return ig_hint(err, n == 1 ? "its seed is %s" : "its seeds are %s", list);
}

/* level: at which the cells fit; 3: none does. */
static ig_code nothing(const ig_experiment *e, const item *it, int level, ig_err *err)
{
    if (level < 3) {
        if (it->first == it->last)
            ig_fail(err, IG_ERR_USAGE, "selector", 0, "'%.80s' has no seed %lld", it->pattern,
                    (long long)it->first);
        else
            ig_fail(err, IG_ERR_USAGE, "selector", 0, "'%.80s' has none of the seeds %lld-%lld",
                    it->pattern, (long long)it->first, (long long)it->last);
        return hint_seeds(e, it, level, err);
    }
    ig_fail(err, IG_ERR_USAGE, "selector", 0, "'%.80s' fits no cell of %.80s", it->pattern,
            e->name);
    return ig_experiment_hint_cell(err, e, it->pattern);
}

static bool fits_any(const ig_experiment *e, const char *pattern)
{
    for (int i = 0; i < 3 * e->n_cell; i++)
        if (fits(&e->cell[i / 3], pattern, i % 3))
            return true;
    return false;
}

/* A range alone that fits no cell, after an item with seeds: more seeds of that item's cells. */
static void take_more_seeds(item *it, const item *before, const ig_experiment *e)
{
    item more = *before;
    if (!it->seeds && before->seeds && !fits_any(e, it->pattern) &&
        ig_experiment_seed_range(&more.first, &more.last, it->pattern))
        *it = more;
}

static ig_code select_item(bool *on, int64_t stride, const ig_experiment *e, const item *it,
                           ig_err *err)
{
    bool any = false, cell_fits = false;
    int level = 0;
    for (; level < 3 && !cell_fits; level += !cell_fits)
        for (int i = 0; i < e->n_cell; i++) {
            const ig_cell *c = &e->cell[i];
            if (!fits(c, it->pattern, level))
                continue;
            cell_fits = true;
            for (int k = 0; k < c->n_seed; k++)
                if (c->seed[k] >= it->first && c->seed[k] <= it->last) {
                    on[i * stride + k] = true;
                    any = true;
                }
        }
    return any ? IG_ERR_OK : nothing(e, it, level, err);
}

ig_code ig_experiment_select(bool **on, int64_t *stride, const ig_experiment *e,
                             const char *selector, ig_err *err)
{
    *stride = 1;
    for (int i = 0; i < e->n_cell; i++)
        if (*stride < e->cell[i].n_seed)
            *stride = e->cell[i].n_seed;
    IG_TRY(ig_alloc(on, e->n_cell * *stride, sizeof **on, "selector", err));
    ig_code code = IG_ERR_OK;
    item it, before = {.seeds = false};
    for (const char *p = selector; code == IG_ERR_OK; before = it) {
        size_t n = strcspn(p, ",");
        code = parse(&it, p, n, err);
        if (code != IG_ERR_OK)
            break;
        take_more_seeds(&it, &before, e);
        code = select_item(*on, *stride, e, &it, err);
        if (p[n] == '\0')
            break;
        p += n + 1;
    }
    if (code != IG_ERR_OK) {
        ig_free(*on);
        *on = NULL;
    }
    return code;
}
