/* SPDX-License-Identifier: Apache-2.0
 *
 * A split that is being read: arrays that grow, then lie in the task's pool.
 */
#include "task/task_internal.h"

#include "base/memory.h"

#include <string.h>

ig_code ig_task_part_label(ig_task_part *p, const char *name, int64_t n, uint64_t line, ig_err *err)
{
    const int64_t need = p->n_label + 1;
    IG_TRY(ig_grow(&p->label, &p->have_label, need, sizeof *p->label, "labels", err));
    IG_TRY(
        ig_grow(&p->label_line, &p->have_label_line, need, sizeof *p->label_line, "labels", err));
    IG_TRY(ig_lexicon_add(p->name, name, n, &p->label[p->n_label], err));
    p->label_line[p->n_label++] = (int64_t)line;
    return IG_ERR_OK;
}

ig_code ig_task_part_row(ig_task_part *p, const char *const *text, int n, const char *label,
                         uint64_t line, ig_err *err)
{
    IG_TRY(ig_grow(&p->text, &p->have_text, (p->n + 1) * n, sizeof *p->text, "texts", err));
    IG_TRY(ig_grow(&p->line, &p->have_line, p->n + 1, sizeof *p->line, "texts", err));
    for (int k = 0; k < n; k++)
        IG_TRY(ig_pool_text(p->pool, &p->text[p->n * n + k], text[k], strlen(text[k]), err));
    IG_TRY(ig_task_part_label(p, label, (int64_t)strlen(label), line, err));
    p->line[p->n++] = (int64_t)line;
    return IG_ERR_OK;
}

/* *out = a copy of n items in the pool. */
static ig_code keep(ig_pool *pool, void *out, const void *from, int64_t n, size_t size, ig_err *err)
{
    void *copy;
    IG_TRY(ig_pool_alloc(pool, &copy, n, size, err));
    if (n > 0)
        memcpy(copy, from, (size_t)n * size);
    memcpy(out, &copy, sizeof copy);
    return IG_ERR_OK;
}

ig_code ig_task_part_finish(ig_task_part *p, ig_task_set *set, ig_err *err)
{
    const int n_text = p->form->kind == IG_TASK_PAIR ? 2 : 1;
    set->n = p->n;
    set->count = p->count;
    IG_TRY(keep(p->pool, &set->line, p->line, p->n, sizeof *p->line, err));
    IG_TRY(keep(p->pool, &set->label, p->label, p->n_label, sizeof *p->label, err));
    return keep(p->pool, &set->text, p->text, p->n * n_text, sizeof *p->text, err);
}

void ig_task_part_free(ig_task_part *p)
{
    ig_free(p->text);
    ig_free(p->label);
    ig_free(p->label_line);
    ig_free(p->line);
}
