/* SPDX-License-Identifier: Apache-2.0
 *
 * What was counted while a split was read, as JSON.
 */
#include "task/task.h"

json_t *ig_task_counts_json(const ig_task_counts *c)
{
    const struct {
        const char *name;
        int64_t n;
    } list[] = {{"read", c->read},
                {"other_language", c->other_language},
                {"unlabelled", c->unlabelled},
                {"without_words", c->without_words},
                {"renamed", c->renamed},
                {"unknown_label", c->unknown_label},
                {"repaired", c->repaired},
                {"prefix", c->prefix},
                {"range", c->range},
                {"empty_node", c->empty_node},
                {"subtype", c->subtype},
                {"duplicate", c->duplicate}};
    json_t *j = json_object(), *overlap = json_object();
    int bad = 0;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        bad |= json_object_set_new(j, list[i].name, json_integer(list[i].n));
    for (int s = 0; s < IG_N_SPLIT; s++)
        bad |= json_object_set_new(overlap, ig_split_names[s], json_integer(c->overlap[s]));
    bad |= json_object_set_new(j, "overlap", overlap);
    if (bad != 0) {
        json_decref(j);
        return NULL;
    }
    return j;
}
