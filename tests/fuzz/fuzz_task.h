/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of a fuzz run as the training file of a task, and what must hold of it when it is read.
 */
#pragma once

#include "fuzz_file.h"
#include "task/task.h"

#include <string.h>

static inline void fuzz_task(const char *kind, const uint8_t *data, size_t size)
{
    ig_err err = {0};
    ig_task *t;
    char yaml[100];
    const char *path = fuzz_file(data, size);
    snprintf(yaml, sizeof yaml, "%s.yaml", path);
    FILE *f = fopen(yaml, "w");
    IG_ASSERT(f != NULL);
    fprintf(f, "kind: %s\ntrain: {en: %s}\n", kind, path);
    if (strstr(kind, "dev_from_test") != NULL)
        fprintf(f, "test: {en: %s}\n", path);
    IG_ASSERT(fclose(f) == 0);
    const ig_code code = ig_task_read(yaml, NULL, &t, &err);
    unlink(yaml);
    unlink(path);
    if (code != IG_ERR_OK) {
        IG_ASSERT(t == NULL && strncmp(err.where, path, strlen(path)) == 0 && err.msg[0] != '\0');
        return;
    }
    const ig_task_set *s = &t->set[0];
    if (t->n_set == 3) {
        const ig_task_set *test = &t->set[1], *dev = &t->set[2];
        IG_ASSERT(dev->n + test->n == s->n &&
                  ig_task_n_label(dev) + ig_task_n_label(test) == ig_task_n_label(s));
        IG_ASSERT(test->n > 0 && test->line[test->n - 1] == s->line[s->n - 1]);
    }
    int64_t n_none = 0;
    const int64_t n_label = s->first != NULL ? s->first[s->n] : s->n;
    for (int64_t i = 0; i < n_label; i++) {
        IG_ASSERT(s->label[i] >= IG_LABEL_NONE && s->label[i] < t->labels.n);
        n_none += s->label[i] == IG_LABEL_NONE;
    }
    IG_ASSERT(s->n > 0 && (t->labels.n > 0) == (n_none < n_label));
    for (int64_t i = 0; s->first != NULL && i < s->n; i++) {
        IG_ASSERT(s->first[i] < s->first[i + 1]);
        for (int64_t k = s->first[i]; k < s->first[i + 1] && s->head != NULL; k++)
            IG_ASSERT(s->head[k] >= 0 && s->head[k] <= s->first[i + 1] - s->first[i]);
    }
    if (t->kind == IG_TASK_TAGGING && t->scheme != IG_SCHEME_PLAIN)
        IG_ASSERT(ig_task_use_bioul(t, &err) == IG_ERR_OK);
    for (int64_t i = 0; s->text != NULL && i < s->n * (t->kind == IG_TASK_PAIR ? 2 : 1); i++)
        IG_ASSERT(s->text[i][0] != '\0');
    ig_task_free(t);
}
