/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the pairs of languages that are compared besides the first. Names of languages may contain
 * hyphens, so a pair's name is looked up among the names of pairs and never split.
 */
#include "run/measure/measure_pairs.h"

#include "base/memory.h"
#include "base/strings/append.h"
#include "measure/missing.h"

#include <stdio.h>
#include <string.h>

/* Returns whether `name` is "a-b". */
static bool is_pair(const char *name, const char *a, const char *b)
{
    const size_t first = strlen(a);
    return strncmp(name, a, first) == 0 && name[first] == '-' && strcmp(name + first + 1, b) == 0;
}

bool ig_measure_columns_find(int column[2], const char *name, const ig_run_languages *l)
{
    for (int i = 0; i < l->n; i++)
        for (int k = 0; k < l->n; k++)
            if (i != k && is_pair(name, l->language[i].name, l->language[k].name)) {
                column[0] = i;
                column[1] = k;
                return true;
            }
    return false;
}

/* A language by its name or, where none is called so, by its number; −1: there is none. */
static int find_language(const char *text, size_t n, const ig_corpus *c)
{
    const int n_language = ig_corpus_n_language(c);
    int number = 0;
    for (int k = 0; k < n_language; k++) {
        const char *name = ig_corpus_language(c, k)->name;
        if (strlen(name) == n && strncmp(name, text, n) == 0)
            return k;
    }
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9' || (number = 10 * number + text[i] - '0') >= n_language)
            return -1;
    }
    return n > 0 ? number : -1;
}

ig_code ig_language_pair(int *a, int *b, const char *text, const ig_corpus *c, ig_err *err)
{
    const char *comma = strchr(text, ',');
    *a = comma == NULL ? -1 : find_language(text, (size_t)(comma - text), c);
    *b = comma == NULL ? -1 : find_language(comma + 1, strlen(comma + 1), c);
    if (*a >= 0 && *b >= 0 && *a != *b)
        return IG_ERR_OK;
    char list[200] = "";
    for (int k = 0; k < ig_corpus_n_language(c); k++)
        ig_append_name(list, sizeof list, ig_corpus_language(c, k)->name);
    return ig_fail(err, IG_ERR_USAGE, "pair", 0,
                   "found '%.80s', expected A,B: two different languages of %s, or their numbers "
                   "from 0 to %d",
                   text, list, ig_corpus_n_language(c) - 1);
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

bool ig_measure_pair_wanted(const ig_measure_plan *p, const ig_corpus *dev, int a, int b)
{
    const char *language[IG_MEASURE_MAX_LANGUAGE];
    names(language, dev);
    return b == 1 || wanted(p, a, b, language);
}

/* Why a measure of that pair is missing, below its name. */
static ig_code note_missing(ig_measure_result *to, const ig_measure_result *pair, ig_err *err)
{
    ig_measure_missing missing;
    ig_measure_missing_of(&missing, pair);
    json_t *why = ig_measure_missing_json(&missing);
    if (why == NULL)
        return IG_ERR_OK;
    if (to->of_pairs == NULL)
        to->of_pairs = json_object();
    return json_object_set_new(to->of_pairs, pair->pair, why) == 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_MEMORY, pair->pair, 0, "not enough memory for measures");
}

/* Measures without the training text, and appends the rows. */
static ig_code add(ig_measure_result *to, bool missing, const ig_measure_with *with,
                   const ig_corpus *dev, const ig_measure_options *o, ig_err *err)
{
    IG_OWNED ig_measure_result *r = NULL;
    IG_TRY(ig_alloc(&r, 1, sizeof *r, "measures", err));
    ig_code code = ig_measure_run(r, with, NULL, dev, o, err);
    IG_THEN(code, ig_row_set_append(&to->rows, &r->rows, err));
    if (missing)
        IG_THEN(code, note_missing(to, r, err));
    ig_measure_result_free(r);
    return code;
}

ig_code ig_measure_pairs(ig_measure_result *to, const ig_measure_plan *p,
                         const ig_measure_with *with, const ig_corpus *dev,
                         const ig_measure_options *o, ig_err *err)
{
    const char *language[IG_MEASURE_MAX_LANGUAGE];
    const int n = names(language, dev);
    ig_measure_options each = *o;
    each.what &= ~IG_MEASURE_BIT(perplexity);
    for (int i = 0; i < p->n_pair; i++) {
        bool found = false;
        for (int b = 1; b < n; b++)
            for (int a = 0; a < b; a++)
                found = found || is_pair(p->pair[i], language[a], language[b]);
        if (!found)
            return ig_fail(err, IG_ERR_USAGE, "pairs", 0, "no pair of languages '%.70s'",
                           p->pair[i]);
    }
    for (each.a = 0; each.a < n; each.a++)
        for (each.b = each.a < 1 ? 2 : each.a + 1; each.b < n; each.b++)
            if (wanted(p, each.a, each.b, language))
                IG_TRY(add(to, o->split == NULL, with, dev, &each, err));
    return IG_ERR_OK;
}

ig_code ig_measure_named(ig_measure_result *to, const ig_measure_corpus *c,
                         const ig_measure_with *with, const ig_measure_options *o, ig_err *err)
{
    ig_measure_options named = *o;
    named.split = c->name;
    IG_TRY(add(to, false, with, c->corpus, &named, err));
    return c->plan != NULL ? ig_measure_pairs(to, c->plan, with, c->corpus, &named, err)
                           : IG_ERR_OK;
}
