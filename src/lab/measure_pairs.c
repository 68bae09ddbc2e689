/* SPDX-License-Identifier: Apache-2.0
 *
 * See measure_pairs.h. Names of languages may have hyphens themselves, so a pair's name is looked
 * for among the names that pairs have, never taken apart.
 */
#include "lab/measure_pairs.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

bool ig_measure_pair_find(int *a, int *b, const char *name, const char *const *language, int n)
{
    for (*a = 0; *a < n; ++*a)
        for (*b = *a + 1; *b < n; ++*b) {
            const size_t first = strlen(language[*a]);
            if (strncmp(name, language[*a], first) == 0 && name[first] == '-' &&
                strcmp(name + first + 1, language[*b]) == 0)
                return true;
        }
    return false;
}

/* The names of the languages; how many there are. */
static int names(const char *language[IG_MEASURE_MAX_LANGUAGE], const ig_corpus *c)
{
    int n = ig_corpus_n_language(c);
    n = n < IG_MEASURE_MAX_LANGUAGE ? n : IG_MEASURE_MAX_LANGUAGE;
    for (int i = 0; i < n; i++)
        language[i] = ig_corpus_language(c, i)->name;
    return n;
}

static bool wanted(const ig_measure_plan *p, int a, int b, const char *const *language)
{
    char name[IG_MEASURE_PAIR];
    snprintf(name, sizeof name, "%.70s-%.70s", language[a], language[b]);
    for (int i = 0; i < p->n_pair; i++)
        if (strcmp(p->pair[i], name) == 0)
            return true;
    return p->all_pairs;
}

int ig_measure_pairs_count(const ig_measure_plan *p, const ig_corpus *dev)
{
    const char *language[IG_MEASURE_MAX_LANGUAGE];
    const int n = names(language, dev);
    int count = 0;
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++)
            count += b > 1 && wanted(p, a, b, language);
    return count;
}

/* The part of a result that is a pair's. */
static json_t *part_of(const ig_measure_result *r)
{
    static const char *const keys[] = {"layers",      "mu",      "mu_layers",
                                       "n_sentences", "n_words", "n_special_words"};
    json_t *all = ig_measure_json(r), *part = json_object();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_object_set(part, keys[i], json_object_get(all, keys[i])) != 0) {
            json_decref(part);
            part = NULL;
        }
    json_decref(all);
    return part;
}

static ig_code one(json_t *pairs, const char *const *language, const ig_measure_with *with,
                   const ig_corpus *dev, const ig_measure_options *o, ig_err *err)
{
    ig_measure_result *r;
    char name[IG_MEASURE_PAIR];
    snprintf(name, sizeof name, "%.70s-%.70s", language[o->a], language[o->b]);
    IG_TRY(ig_alloc(&r, 1, sizeof *r, "measures", err));
    ig_code code = ig_measure_run(r, with, NULL, dev, o, err);
    if (code == IG_ERR_OK && json_object_set_new(pairs, name, part_of(r)) != 0)
        code = ig_fail(err, IG_ERR_MEMORY, name, 0, "not enough memory for measures");
    ig_free(r);
    return code;
}

ig_code ig_measure_pairs(json_t *measures, const ig_measure_plan *p, const ig_measure_with *with,
                         const ig_corpus *dev, const ig_measure_options *o, ig_err *err)
{
    const char *language[IG_MEASURE_MAX_LANGUAGE];
    const int n = names(language, dev);
    ig_measure_options each = *o;
    each.skip_perplexity = true;
    for (int i = 0; i < p->n_pair; i++) {
        int a, b;
        if (!ig_measure_pair_find(&a, &b, p->pair[i], language, n))
            return ig_fail(err, IG_ERR_USAGE, "pairs", 0, "no pair of languages '%.70s'",
                           p->pair[i]);
    }
    if (ig_measure_pairs_count(p, dev) == 0)
        return IG_ERR_OK;
    json_t *pairs = json_object();
    ig_code code = IG_ERR_OK;
    for (each.a = 0; each.a < n; each.a++)
        for (each.b = each.a < 1 ? 2 : each.a + 1; each.b < n && code == IG_ERR_OK; each.b++)
            if (wanted(p, each.a, each.b, language))
                code = one(pairs, language, with, dev, &each, err);
    if (code == IG_ERR_OK && json_object_set(measures, "pairs", pairs) != 0)
        code = ig_fail(err, IG_ERR_MEMORY, "pairs", 0, "not enough memory for measures");
    json_decref(pairs);
    return code;
}
