/* SPDX-License-Identifier: Apache-2.0
 *
 * Table 4 of Dufter & Schütze 2020 (B.2): reading the accuracies, measuring, correlating.
 */
#include "evaluate/transfer.h"

#include "base/memory.h"
#include "base/settings/json_text.h"
#include "base/settings/yaml_tree.h"
#include "base/strings/append.h"

#include <math.h>
#include <string.h>

static ig_code copy(char **out, const ig_yaml *v, const char *key, ig_err *err)
{
    const char *text;
    IG_TRY(ig_yaml_text(&text, v, key, err));
    IG_TRY(ig_alloc(out, (int64_t)strlen(text) + 1, 1, key, err));
    strcpy(*out, text);
    return IG_ERR_OK;
}

static ig_code read_rows(ig_transfer *t, const ig_yaml *rows, ig_err *err)
{
    static const char *const keys[] = {"accuracy", "word_order"};
    IG_TRY(ig_yaml_is(rows, IG_YAML_MAP, "rows", err));
    IG_TRY(ig_alloc(&t->row, rows->n, sizeof *t->row, "rows", err));
    for (int i = 0; i < rows->n; i++) {
        const ig_yaml *y = rows->item[i], *order = ig_yaml_get(y, "word_order");
        ig_transfer_row *r = &t->row[i];
        IG_TRY(ig_yaml_keys(y, keys, 2, rows->key[i]->text, err));
        t->n_row = i + 1;
        IG_TRY(copy(&r->language, rows->key[i], "language", err));
        r->word_order = (double)NAN;
        if (ig_yaml_get(y, "accuracy") == NULL)
            return ig_yaml_fail(y, err, "%.40s: found no 'accuracy', expected one", r->language);
        IG_TRY(ig_yaml_real(&r->accuracy, ig_yaml_get(y, "accuracy"), "accuracy", err));
        if (order != NULL)
            IG_TRY(ig_yaml_real(&r->word_order, order, "word_order", err));
    }
    return IG_ERR_OK;
}

static ig_code read_root(ig_transfer *t, const ig_yaml *y, const char *path, ig_err *err)
{
    static const char *const keys[] = {"source", "verified", "source_language", "rows"};
    if (y == NULL || ig_yaml_get(y, "rows") == NULL || ig_yaml_get(y, "source") == NULL)
        return ig_fail(err, IG_ERR_USAGE, path, 0, "found no '%s', expected source and rows",
                       ig_yaml_get(y, "source") == NULL ? "source" : "rows");
    IG_TRY(ig_yaml_keys(y, keys, 4, "file", err));
    IG_TRY(copy(&t->source, ig_yaml_get(y, "source"), "source", err));
    if (ig_yaml_get(y, "verified") != NULL)
        IG_TRY(ig_yaml_flag(&t->verified, ig_yaml_get(y, "verified"), "verified", err));
    if (ig_yaml_get(y, "source_language") != NULL)
        IG_TRY(
            copy(&t->source_language, ig_yaml_get(y, "source_language"), "source_language", err));
    return read_rows(t, ig_yaml_get(y, "rows"), err);
}

ig_code ig_transfer_read(ig_transfer *t, const char *path, ig_err *err)
{
    ig_yaml_pool *pool;
    ig_yaml *y;
    *t = (ig_transfer){0};
    IG_TRY(ig_alloc(&t->path, (int64_t)strlen(path) + 1, 1, "path", err));
    strcpy(t->path, path);
    IG_TRY(ig_yaml_pool_new(&pool, err));
    ig_code code = ig_yaml_read(&y, pool, path, err);
    IG_THEN(code, read_root(t, y, path, err));
    ig_yaml_pool_free(pool);
    return code;
}

void ig_transfer_free(ig_transfer *t)
{
    for (int i = 0; i < t->n_row; i++) {
        ig_free(t->row[i].language);
        ig_word_order_free(&t->row[i].order);
    }
    IG_FREE(t->row, t->path, t->source, t->source_language);
    *t = (ig_transfer){0};
}

static ig_transfer_row *find(const ig_transfer *t, const char *language)
{
    for (int i = 0; i < t->n_row; i++)
        if (strcmp(t->row[i].language, language) == 0)
            return &t->row[i];
    return NULL;
}

static ig_code unknown_language(const ig_transfer *t, const char *language, ig_err *err)
{
    char list[200] = "";
    for (int i = 0; i < t->n_row; i++)
        ig_append_name(list, sizeof list, t->row[i].language);
    ig_fail(err, IG_ERR_USAGE, t->path, 0, "the file of accuracies has no language '%.40s'",
            language);
    return t->n_row > 0 ? ig_hint(err, "its languages are %s", list) : IG_ERR_USAGE;
}

ig_code ig_word_order_read(ig_word_order *w, const ig_transfer_links *l, ig_err *err)
{
    if (w->n_sentence == 0) {
        w->variant = l->variant;
        w->possible = l->possible;
    }
    ig_word_link_reader *reader;
    IG_TRY(ig_word_links_open(&reader, l->path, l->base, err));
    ig_code code = IG_ERR_OK;
    for (bool end = false; code == IG_ERR_OK && !end;) {
        ig_word_links s;
        code = ig_word_links_next(reader, &s, &end, err);
        if (code == IG_ERR_OK && !end)
            code = ig_word_order_add(w, &s, err);
    }
    ig_word_links_close(reader);
    return code;
}

ig_code ig_transfer_add(ig_transfer *t, const char *language, const ig_transfer_links *l,
                        ig_err *err)
{
    ig_transfer_row *r = find(t, language);
    return r != NULL ? ig_word_order_read(&r->order, l, err) : unknown_language(t, language, err);
}

void ig_transfer_finish(ig_transfer *t)
{
    for (int i = 0; i < t->n_row; i++)
        if (t->row[i].order.n_sentence > 0)
            t->row[i].score = ig_word_order_get(&t->row[i].order);
}

enum { most_languages = 1000 };

static double pearson(const ig_transfer *t, bool reference, bool measured, bool source, int *n)
{
    double x[most_languages], y[most_languages];
    *n = 0;
    for (int i = 0; i < t->n_row && *n < most_languages; i++) {
        const ig_transfer_row *r = &t->row[i];
        bool itself = t->source_language != NULL && strcmp(r->language, t->source_language) == 0;
        double tau = itself ? 1 : reference ? r->word_order : (double)NAN;
        if (!itself && r->order.n_sentence > 0 && !reference)
            tau = r->score.tau.mean;
        if (!isfinite(tau) || (itself && !source) ||
            (!itself && measured && r->order.n_sentence == 0))
            continue;
        x[*n] = tau;
        y[(*n)++] = r->accuracy;
    }
    return *n < 3 ? (double)NAN : ig_pearson(x, y, *n);
}

ig_transfer_correlation ig_transfer_correlate(const ig_transfer *t, bool reference, bool measured)
{
    ig_transfer_correlation c;
    int n;
    c.with_source = pearson(t, reference, measured, true, &n);
    c.without_source = pearson(t, reference, measured, false, &c.n);
    if (t->source_language == NULL || find(t, t->source_language) == NULL)
        c.with_source = (double)NAN;
    return c;
}

json_t *ig_word_order_json(const ig_word_order *w, const ig_word_order_score *s)
{
    static const char *const name[] = {"fixed", "paper-text", "paper-code"};
    return json_pack("{s:s, s:o, s:o, s:o, s:[o, o], s:f, s:I, s:I, s:I, s:I, s:I, s:I}", "variant",
                     name[w->variant], "tau", ig_json_number(s->tau.mean), "sd",
                     ig_json_number(s->tau.sd), "median", ig_json_number(s->tau.median), "interval",
                     ig_json_number(s->interval.low), ig_json_number(s->interval.high), "level",
                     0.95, "n_sentences", (json_int_t)w->n_sentence, "n_used", (json_int_t)w->n,
                     "n_links", (json_int_t)w->n_link, "concordant", (json_int_t)w->concordant,
                     "discordant", (json_int_t)w->discordant, "tied", (json_int_t)w->tied);
}

static json_t *correlation_json(const ig_transfer *t, bool reference, bool measured)
{
    ig_transfer_correlation c = ig_transfer_correlate(t, reference, measured);
    return json_pack("{s:i, s:o, s:o}", "n_languages", c.n, "with_source",
                     ig_json_number(c.with_source), "without_source",
                     ig_json_number(c.without_source));
}

json_t *ig_transfer_json(const ig_transfer *t)
{
    json_t *rows = json_object();
    for (int i = 0; i < t->n_row; i++) {
        const ig_transfer_row *r = &t->row[i];
        json_object_set_new(rows, r->language,
                            json_pack("{s:f, s:o, s:o}", "accuracy", r->accuracy, "reference",
                                      ig_json_number(r->word_order), "word_order",
                                      r->order.n_sentence > 0
                                          ? ig_word_order_json(&r->order, &r->score)
                                          : json_null()));
    }
    return json_pack("{s:s, s:b, s:o, s:o, s:{s:o, s:o, s:o}}", "source", t->source, "verified",
                     t->verified, "source_language",
                     t->source_language != NULL ? json_string(t->source_language) : json_null(),
                     "rows", rows, "pearson", "measured", correlation_json(t, false, true),
                     "reference_same_languages", correlation_json(t, true, true), "reference_all",
                     correlation_json(t, true, false));
}
