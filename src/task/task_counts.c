/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of what was changed or left out while a task was read, as JSON and as lines for people,
 * with the names of docs/tasks.md.
 */
#include "base/log.h"

#include "base/strings/append.h"
#include "task/task.h"

#include <stddef.h>
#include <stdio.h>

/* matters: changes training or scores, so it is reported without --verbose. */
static const struct {
    const char *name;
    size_t at;
    bool matters;
} counts[] = {
    {"read", offsetof(ig_task_counts, read), false},
    {"other_language", offsetof(ig_task_counts, other_language), false},
    {"unlabelled", offsetof(ig_task_counts, unlabelled), true},
    {"without_words", offsetof(ig_task_counts, without_words), true},
    {"renamed", offsetof(ig_task_counts, renamed), false},
    {"unknown_label", offsetof(ig_task_counts, unknown_label), true},
    {"repaired", offsetof(ig_task_counts, repaired), true},
    {"odd_tags", offsetof(ig_task_counts, odd), true},
    {"prefix", offsetof(ig_task_counts, prefix), false},
    {"range", offsetof(ig_task_counts, range), false},
    {"empty_node", offsetof(ig_task_counts, empty_node), false},
    {"subtype", offsetof(ig_task_counts, subtype), false},
    {"duplicate", offsetof(ig_task_counts, duplicate), false},
};
enum { N_COUNT = sizeof counts / sizeof *counts };

static int64_t count_of(const ig_task_set *s, int k)
{
    return *(const int64_t *)(const void *)((const char *)&s->count + counts[k].at);
}

json_t *ig_task_counts_json(const ig_task_set *s)
{
    json_t *j = json_object(), *overlap = json_object();
    for (int k = 0; k < N_COUNT; k++)
        json_object_set_new(j, counts[k].name, json_integer((json_int_t)count_of(s, k)));
    for (int k = 0; k < IG_N_SPLIT; k++)
        if (k != (int)s->split)
            json_object_set_new(overlap, ig_split_names[k],
                                json_integer((json_int_t)s->count.overlap[k]));
    json_object_set_new(j, "overlap", overlap);
    return j;
}

/* Reports the counts that are not 0: "en train: read 300, unlabelled 14". */
static void report_counts(const ig_task_set *s, const char *of)
{
    char list[400] = "";
    bool any = false, matters = false;
    for (int k = 0; k < N_COUNT; k++) {
        const int64_t n = count_of(s, k);
        char one[60];
        if (n == 0)
            continue;
        snprintf(one, sizeof one, "%s %lld", counts[k].name, (long long)n);
        ig_append_name(list, sizeof list, one);
        any |= k > 0;
        matters |= counts[k].matters;
    }
    if (any)
        ig_log(matters ? IG_LOG_NORMAL : IG_LOG_VERBOSE, "%s%s %s: %s", of, s->language,
               ig_split_names[s->split], list);
}

void ig_task_counts_report(const ig_task *t, const char *name)
{
    char of[100] = "";
    if (name != NULL)
        snprintf(of, sizeof of, "task %.80s: ", name);
    static const char *const what[IG_N_TASK_KIND] = {"pairs", "texts", "sentences", "sentences",
                                                     "pairs"};
    for (int i = 0; i < t->n_set; i++) {
        const ig_task_set *s = &t->set[i];
        report_counts(s, of);
        for (int k = 0; k < (int)s->split; k++)
            if (s->count.overlap[k] > 0)
                ig_log(IG_LOG_NORMAL, "warning: %s%s %s: %lld of %lld %s are in %s too", of,
                       s->language, ig_split_names[s->split], (long long)s->count.overlap[k],
                       (long long)s->n, what[t->kind], ig_split_names[k]);
    }
    for (int i = 0; i < t->n_note; i++)
        ig_log(IG_LOG_NORMAL, "warning: %s%s", of, t->note[i]);
}
