/* SPDX-License-Identifier: Apache-2.0
 *
 * Access to a task that has been read: labels, splits, counts.
 */
#include "task/task.h"

#include "base/memory.h"
#include "base/strings/append.h"

#include <string.h>

void ig_task_free(ig_task *t)
{
    if (t == NULL)
        return;
    ig_pool_free(&t->pool);
    ig_free(t);
}

int32_t ig_labels_find(const ig_labels *l, const char *name)
{
    for (int32_t i = 0; i < l->n; i++)
        if (strcmp(l->name[i], name) == 0)
            return i;
    return -1;
}

const char *ig_task_label_name(const ig_task *t, int32_t label)
{
    return label >= 0                ? t->labels.name[label]
           : label <= IG_LABEL_OTHER ? t->other.name[IG_LABEL_OTHER - label]
                                     : NULL;
}

int32_t ig_task_label_find(const ig_task *t, const char *name)
{
    const int32_t label = ig_labels_find(&t->labels, name),
                  other = label < 0 ? ig_labels_find(&t->other, name) : -1;
    return other >= 0 ? IG_LABEL_OTHER - other : label;
}

const char *ig_task_file(const ig_task_set *s, int64_t i)
{
    int f = 0;
    while (f + 1 < s->n_file && s->file_first[f + 1] <= i)
        f++;
    return s->file[f];
}

const ig_task_set *ig_task_find(const ig_task *t, const char *language, ig_split split)
{
    for (int i = 0; i < t->n_set; i++)
        if (t->set[i].split == split && strcmp(t->set[i].language, language) == 0)
            return &t->set[i];
    return NULL;
}

ig_code ig_task_need(const ig_task *t, const char *language, ig_split split,
                     const ig_task_set **out, ig_err *err)
{
    char have[160] = "";
    *out = ig_task_find(t, language, split);
    if (*out != NULL)
        return IG_ERR_OK;
    for (int i = 0; i < t->n_set; i++)
        if (t->set[i].split == split)
            ig_append_name(have, sizeof have, t->set[i].language);
    return ig_fail(err, IG_ERR_USAGE, t->path, 0,
                   "language '%.40s' has no '%s' data, expected %s%.150s", language,
                   ig_split_names[split], have[0] != '\0' ? "one of: " : "some in the task", have);
}

int64_t ig_task_n_label(const ig_task_set *s)
{
    return s->first != NULL ? s->first[s->n] : s->n;
}
