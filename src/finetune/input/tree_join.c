/* SPDX-License-Identifier: Apache-2.0
 *
 * Trees of overlapping sequences as one (tree_join.h): the maximum spanning tree over votes for
 * arcs (Sagae & Lavie 2006, "Parser combination by reparsing"), each sequence being a parser of its
 * words. An arc without a vote, which a root needs that gives way to another one, goes best to a
 * word that is a root somewhere, then to a near one; the first of roots that are equal stays. All
 * that counts less than any vote.
 */
#include "finetune/input/tree_join.h"

#include "base/memory.h"
#include "model/device/tree.h"

#include <stdlib.h>

enum { OWN = 3, OTHER = 2 }; /* weights of votes: two others outweigh an own one */

typedef struct {
    int32_t *node; /* [n_word + 1] of a word; 0: it has no vote */
    int32_t *word; /* [n] of a node; 0: ROOT */
    int32_t *head; /* [n] */
    double *score;
    int32_t *room;
    int n; /* nodes with ROOT */
} join;

static void join_free(join *j)
{
    IG_FREE(j->node, j->word, j->head, j->score, j->room);
}

static ig_code join_open(join *j, int32_t n_word, const ig_tree_vote *vote, int64_t n_vote,
                         ig_err *err)
{
    j->n = 1;
    IG_TRY(ig_alloc(&j->node, n_word + 1, sizeof *j->node, "tree", err));
    IG_TRY(ig_alloc(&j->word, n_word + 1, sizeof *j->word, "tree", err));
    IG_TRY(ig_alloc(&j->head, n_word + 1, sizeof *j->head, "tree", err));
    for (int64_t v = 0; v < n_vote; v++)
        j->node[vote[v].word] = 1;
    for (int32_t w = 1; w <= n_word; w++)
        if (j->node[w] != 0) {
            j->word[j->n] = w;
            j->node[w] = j->n++;
        }
    IG_TRY(ig_alloc(&j->score, (int64_t)j->n * j->n, sizeof *j->score, "tree", err));
    return ig_alloc(&j->room, ig_tree_room(j->n), sizeof *j->room, "tree", err);
}

static double *arc(const join *j, int d, int h)
{
    return &j->score[(int64_t)d * j->n + h];
}

static void add_scores(const join *j, const ig_tree_vote *vote, int64_t n_vote)
{
    const double n = j->n;
    for (int64_t v = 0; v < n_vote; v++)
        *arc(j, j->node[vote[v].word], j->node[vote[v].head]) += vote[v].own ? OWN : OTHER;
    for (int h = 1; h < j->n; h++) {
        const double far = *arc(j, h, 0) > 0 ? 0 : 1 / (2 * n);
        for (int d = 1; d < j->n; d++)
            *arc(j, d, h) -= far + abs(d - h) / (2 * n * n);
    }
    for (int d = 1; d < j->n; d++)
        *arc(j, d, 0) -= d / (4 * n * n * n);
}

/* Adds the label of the vote for this head, an own one first; otherwise the word's own label. */
static void add_labels(const join *j, int32_t *head, int32_t *label, const ig_tree_vote *vote,
                       int64_t n_vote)
{
    for (int d = 1; d < j->n; d++)
        head[j->word[d] - 1] = j->word[j->head[d]];
    for (int pass = 0; pass < 3; pass++)
        for (int64_t v = n_vote - 1; v >= 0; v--) {
            const bool same = vote[v].head == head[vote[v].word - 1];
            if (pass == 0 ? vote[v].own : pass == 1 ? same : same && vote[v].own)
                label[vote[v].word - 1] = vote[v].label;
        }
}

ig_code ig_tree_join(int32_t *head, int32_t *label, int32_t n_word, const ig_tree_vote *vote,
                     int64_t n_vote, ig_err *err)
{
    IG_SCOPED(join_free) join j = {.node = NULL};
    for (int32_t w = 0; w < n_word; w++)
        head[w] = label[w] = -1;
    IG_TRY(join_open(&j, n_word, vote, n_vote, err));
    if (n_vote > 0) {
        add_scores(&j, vote, n_vote);
        ig_tree_single_root(j.score, j.n, j.head, j.room);
        add_labels(&j, head, label, vote, n_vote);
    }
    return IG_ERR_OK;
}
