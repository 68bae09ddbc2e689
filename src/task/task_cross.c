/* SPDX-License-Identifier: Apache-2.0
 *
 * Crossed pairs: the premise of one language and the hypothesis of another, from test data that
 * are translations of each other, row by row (K et al. 2020, Table 11).
 */
#include "task/task_internal.h"

#include <stdio.h>
#include <string.h>

/* Splits "A+B" into its parts; false: it has another form. */
static bool parts_of(char part[2][128], const char *text)
{
    const char *plus = strchr(text, '+');
    if (plus == NULL || plus == text || plus[1] == '\0' || strchr(plus + 1, '+') != NULL ||
        strlen(text) >= 128)
        return false;
    snprintf(part[0], 128, "%.*s", (int)(plus - text), text);
    snprintf(part[1], 128, "%s", plus + 1);
    return true;
}

ig_code ig_task_read_crossed(const ig_yaml *list, const ig_task_form *form, ig_err *err)
{
    char part[2][128];
    IG_TRY(ig_yaml_is(list, IG_YAML_LIST, "crossed", err));
    if (form->kind != IG_TASK_PAIR)
        return ig_yaml_fail(list, err,
                            "found 'crossed' in a task of kind %s, expected it for %s only",
                            ig_task_kind_names[form->kind], ig_task_kind_names[IG_TASK_PAIR]);
    for (int i = 0; i < list->n; i++)
        if (list->item[i]->kind != IG_YAML_SCALAR || !parts_of(part, list->item[i]->text))
            return ig_yaml_wrong(list->item[i], "crossed",
                                 "PREMISE+HYPOTHESIS, two languages as in en+de", err);
    return IG_ERR_OK;
}

bool ig_task_can_cross(const ig_task *t, const char *name)
{
    char part[2][128];
    return parts_of(part, name) && ig_task_find(t, part[0], IG_SPLIT_TEST) != NULL &&
           ig_task_find(t, part[1], IG_SPLIT_TEST) != NULL;
}

/* Checks that the examples are the same row by row. */
static ig_code check_parallel(const ig_task *t, const ig_task_set *a, const ig_task_set *b,
                              ig_err *err)
{
    if (a->n != b->n)
        return ig_fail(err, IG_ERR_INPUT, b->path, 0,
                       "found %lld pairs, expected %lld as in %s, which it is crossed with",
                       (long long)b->n, (long long)a->n, a->path);
    for (int64_t i = 0; i < a->n; i++)
        if (a->label[i] != b->label[i])
            return ig_fail(
                err, IG_ERR_INPUT, ig_task_file(b, i), (uint64_t)b->line[i],
                "found label '%.60s', expected '%.60s' as in %s, which it is crossed with",
                ig_task_label_name(t, b->label[i]), ig_task_label_name(t, a->label[i]), a->path);
    return IG_ERR_OK;
}

static ig_code cross(ig_task *t, const char *name, ig_err *err)
{
    char part[2][128];
    const ig_task_set *a, *b;
    parts_of(part, name);
    IG_TRY(ig_task_need(t, part[0], IG_SPLIT_TEST, &a, err));
    IG_TRY(ig_task_need(t, part[1], IG_SPLIT_TEST, &b, err));
    IG_TRY(check_parallel(t, a, b, err));
    ig_task_set *s = &t->set[t->n_set];
    *s = *a;
    s->language = name;
    s->second = b->language;
    s->count = (ig_task_counts){.read = a->n};
    IG_TRY(ig_pool_alloc(&t->pool, &s->text, 2 * a->n, sizeof *s->text, err));
    for (int64_t i = 0; i < a->n; i++) {
        s->text[2 * i] = a->text[2 * i];
        s->text[2 * i + 1] = b->text[2 * i + 1];
    }
    t->n_set++;
    return IG_ERR_OK;
}

ig_code ig_task_cross(ig_task *t, ig_err *err)
{
    for (int i = 0; i < t->n_crossed; i++)
        IG_TRY(cross(t, t->crossed[i], err));
    return IG_ERR_OK;
}
