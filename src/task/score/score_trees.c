/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes UAS and LAS. Over all words: D. Zeman et al., "CoNLL 2018 shared task", section 5, with
 * gold words. Without punctuation: the list that AllenNLP's parser leaves out.
 */
#include "task/score/score_trees.h"

#include <string.h>

bool ig_is_punctuation(const char *pos)
{
    static const char *const list[] = {"``", "''", ":", ",", ".", "PU", "PUNCT", "SYM"};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (strcmp(pos, list[i]) == 0)
            return true;
    return false;
}

bool ig_same_relation(const ig_labels *l, int32_t a, int32_t b, bool subtypes)
{
    if (a < 0 || b < 0)
        return false;
    if (a == b || subtypes)
        return a == b;
    const size_t n = strcspn(l->name[a], ":");
    return n == strcspn(l->name[b], ":") && strncmp(l->name[a], l->name[b], n) == 0;
}

ig_score_trees ig_score_parse(const ig_task_set *gold, const ig_labels *labels, const int32_t *head,
                              const int32_t *label, bool subtypes)
{
    int64_t n[2] = {0}, heads[2] = {0}, arcs[2] = {0}; /* words; punctuation */
    for (int64_t i = 0; i < gold->first[gold->n]; i++) {
        const int k = ig_is_punctuation(gold->pos[i]);
        n[k]++;
        if (head[i] != gold->head[i])
            continue;
        heads[k]++;
        arcs[k] += ig_same_relation(labels, gold->label[i], label[i], subtypes);
    }
    return (ig_score_trees){.uas = ig_score_share_of(heads[0] + heads[1], n[0] + n[1]),
                            .las = ig_score_share_of(arcs[0] + arcs[1], n[0] + n[1]),
                            .uas_nopunct = ig_score_share_of(heads[0], n[0]),
                            .las_nopunct = ig_score_share_of(arcs[0], n[0])};
}
