/* SPDX-License-Identifier: Apache-2.0
 *
 * Reordering by rule from dependency trees: "head-final" moves every dependent before its head,
 * "order-like" orders dependents as in another language's treebank (after the idea of Wang &
 * Eisner 2016, Galactic Dependencies, with counts in place of their log-linear model): a dependent
 * is before its head as often as its kind is there, and on one side kinds are as far from the head
 * as they are there on average. Punctuation keeps its side; words outside the tree stay.
 */
#include "corpus/words/word_step.h"

#include "base/memory.h"
#include "base/strings/lexicon.h"

#include <stdio.h>
#include <string.h>

/* Statistics of a kind of dependent: its relation, its tag and its head's. */
typedef struct {
    double before, all;      /* how often it is before its head, and in all */
    double far[2], n_far[2]; /* Σ of its distance from the head (1: next to it) before, after */
} habit;

typedef struct {
    ig_lexicon kind;
    habit *habit; /* [kind.n] */
    int64_t have;
} habits;

enum { KIND_BYTES = 64 };

/* Kinds from the most to the least specific; the last has only the relation without subtype. */
enum { N_LEVEL = 3 };
static void name_kind(char out[KIND_BYTES], int level, const ig_tree_node *node,
                      const ig_tree_node *head)
{
    const int plain = (int)strcspn(node->rel, ":");
    if (level == 0)
        snprintf(out, KIND_BYTES, "%s %s %s", node->rel, node->upos, head->upos);
    else if (level == 1)
        snprintf(out, KIND_BYTES, "%s", node->rel);
    else
        snprintf(out, KIND_BYTES, "%.*s *", plain, node->rel);
}

/* Words of one node of the tree. */
typedef struct {
    int32_t node; /* −1: not in the tree */
    int32_t head; /* unit; −1: a root */
    double key;
    int side; /* 0 before the head, 1 after */
} unit;

/* The words of a sentence as a tree: words of one node are one unit; if a node has no word, its
 * dependents belong to its head. */
typedef struct {
    int32_t n;
    unit *unit;    /* [n] in the order of their first words */
    int32_t *of;   /* [words] unit of each word */
    int32_t *with; /* [n_node] unit of each node, −1: none */
    int32_t *out;  /* [n] the new order */
    int32_t n_out;
} units;

static ig_code units_make(units *u, const ig_phrase *in, ig_err *err)
{
    *u = (units){0};
    IG_TRY(ig_alloc(&u->unit, in->n, sizeof *u->unit, "tree", err));
    IG_TRY(ig_alloc(&u->of, in->n, sizeof *u->of, "tree", err));
    IG_TRY(ig_alloc(&u->with, in->n_node, sizeof *u->with, "tree", err));
    IG_TRY(ig_alloc(&u->out, in->n, sizeof *u->out, "tree", err));
    for (int32_t i = 0; i < in->n_node; i++)
        u->with[i] = -1;
    for (int32_t i = 0; i < in->n; i++) {
        const int32_t node = in->node[i] < in->n_node ? in->node[i] : -1;
        if (node >= 0 && u->with[node] >= 0) {
            u->of[i] = u->with[node];
            continue;
        }
        if (node >= 0)
            u->with[node] = u->n;
        u->of[i] = u->n;
        u->unit[u->n++].node = node;
    }
    for (int32_t k = 0; k < u->n; k++) {
        unit *x = &u->unit[k];
        x->head = -1;
        if (x->node < 0)
            continue;
        /* Up to the next node with a word; in a tree of n nodes there are at most n steps. */
        int32_t h = in->tree[x->node].head;
        for (int32_t step = 0; h >= 0 && u->with[h] < 0 && step <= in->n_node; step++)
            h = in->tree[h].head;
        x->head = h >= 0 && u->with[h] >= 0 ? u->with[h] : -1;
    }
    /* A unit in a cycle becomes a root: trees from files are checked, others may be truncated. */
    for (int32_t k = 0; k < u->n; k++) {
        int32_t h = u->unit[k].head, step = 0;
        while (h >= 0 && h != k && step++ <= u->n)
            h = u->unit[h].head;
        if (h == k || step > u->n)
            u->unit[k].head = -1;
    }
    return IG_ERR_OK;
}

/* Writes the dependents of `head` on a side in the order of their keys, then of their positions,
 * each with its subtree; the head is between the sides. Recursion as deep as the tree. */
static void put_unit(units *u, int32_t head)
{
    for (int side = 0; side < 2; side++) {
        /* Selection sort by (key, position): dependents are few. */
        double key = 0;
        int32_t last = -1;
        for (;;) {
            int32_t best = -1;
            for (int32_t k = 0; k < u->n; k++) {
                if (u->unit[k].head != head || u->unit[k].side != side || k == head)
                    continue;
                if (last >= 0 && (u->unit[k].key < key || (u->unit[k].key == key && k <= last)))
                    continue;
                if (best < 0 || u->unit[k].key < u->unit[best].key)
                    best = k;
            }
            if (best < 0)
                break;
            key = u->unit[best].key;
            last = best;
            put_unit(u, best);
        }
        if (side == 0)
            u->out[u->n_out++] = head;
    }
}

static ig_code put_all(units *u, const ig_phrase *in, ig_phrase *out, ig_err *err)
{
    for (int32_t k = 0; k < u->n; k++)
        if (u->unit[k].head < 0)
            put_unit(u, k);
    for (int32_t k = 0; k < u->n_out; k++)
        for (int32_t i = 0; i < in->n; i++)
            if (u->of[i] == u->out[k])
                IG_TRY(ig_phrase_keep(out, in, i, err));
    return IG_ERR_OK;
}

static bool is_punctuation(const ig_phrase *in, const units *u, int32_t k)
{
    return strcmp(in->tree[u->unit[k].node].upos, "PUNCT") == 0;
}

static ig_code head_final_apply(const ig_word_step *s, int64_t sentence, const ig_phrase *in,
                                ig_phrase *out, ig_err *err)
{
    units u;
    (void)s;
    (void)sentence;
    ig_code code = units_make(&u, in, err);
    for (int32_t k = 0; k < u.n && code == IG_ERR_OK; k++) {
        u.unit[k].side = u.unit[k].head >= 0 && k > u.unit[k].head && is_punctuation(in, &u, k);
        u.unit[k].key = k;
    }
    IG_THEN(code, put_all(&u, in, out, err));
    IG_FREE(u.unit, u.of, u.with, u.out);
    return code;
}

const ig_word_transform ig_word_head_final = {
    .name = "head-final",
    .summary = "every word follows its dependents (texts with trees)",
    .trees = true,
    .apply = head_final_apply,
};

/* ---- order-like ---- */

static ig_code count_kind(habits *h, const ig_tree_node *node, const ig_tree_node *head,
                          bool before, int far, ig_err *err)
{
    char name[KIND_BYTES];
    for (int level = 0; level < N_LEVEL; level++) {
        int32_t id;
        name_kind(name, level, node, head);
        IG_TRY(ig_lexicon_add(&h->kind, name, (int64_t)strlen(name), &id, err));
        IG_TRY(ig_grow(&h->habit, &h->have, h->kind.n, sizeof *h->habit, "treebank", err));
        habit *b = &h->habit[id];
        b->all++;
        b->before += before;
        b->far[!before] += far;
        b->n_far[!before]++;
    }
    return IG_ERR_OK;
}

/* A treebank's sentence has a word for each node, in order. */
static ig_code see_tree(void *arg, const ig_phrase *p, ig_err *err)
{
    habits *h = arg;
    for (int32_t i = 0; i < p->n_node; i++) {
        const int32_t head = p->tree[i].head;
        if (head < 0 || strcmp(p->tree[i].upos, "PUNCT") == 0)
            continue;
        int far = 1;
        for (int32_t k = i < head ? i + 1 : head + 1; k < (i < head ? head : i); k++)
            far += p->tree[k].head == head && strcmp(p->tree[k].upos, "PUNCT") != 0;
        IG_TRY(count_kind(h, &p->tree[i], &p->tree[head], i < head, far, err));
    }
    return IG_ERR_OK;
}

static ig_code order_begin(ig_word_step *s, const ig_file_finder *files, ig_err *err)
{
    return files->treebank(files->arg, s->file, see_tree, s->state, err);
}

/* Returns the most specific kind that was seen five times; NULL: none. */
static const habit *find_habit(const habits *h, const ig_tree_node *node, const ig_tree_node *head)
{
    char name[KIND_BYTES];
    for (int level = 0; level < N_LEVEL; level++) {
        name_kind(name, level, node, head);
        const int32_t id = ig_lexicon_find(&h->kind, name, (int64_t)strlen(name));
        if (id >= 0 && h->habit[id].all >= (level < N_LEVEL - 1 ? 5 : 1))
            return &h->habit[id];
    }
    return NULL;
}

static ig_code order_apply(const ig_word_step *s, int64_t sentence, const ig_phrase *in,
                           ig_phrase *out, ig_err *err)
{
    units u;
    ig_rng r = ig_word_step_rng(s, sentence);
    ig_code code = units_make(&u, in, err);
    for (int32_t k = 0; k < u.n && code == IG_ERR_OK; k++) {
        const double chosen = ig_rng_unit(&r);
        unit *x = &u.unit[k];
        x->side = x->head >= 0 && k > x->head;
        /* Punctuation and unknown kinds are outside of the others on their side. */
        x->key = x->side == 0 ? -1e9 + k : 1e9 + k;
        if (x->head < 0 || is_punctuation(in, &u, k))
            continue;
        const habit *b = find_habit(s->state, &in->tree[x->node], &in->tree[u.unit[x->head].node]);
        if (b == NULL)
            continue;
        x->side = chosen * b->all >= b->before;
        const double far = b->n_far[x->side] > 0 ? b->far[x->side] / b->n_far[x->side] : 1;
        x->key = x->side == 0 ? -far : far;
    }
    IG_THEN(code, put_all(&u, in, out, err));
    IG_FREE(u.unit, u.of, u.with, u.out);
    return code;
}

static void order_free(ig_word_step *s)
{
    habits *h = s->state;
    ig_lexicon_free(&h->kind);
    ig_free(h->habit);
}

const ig_word_transform ig_word_order_like = {
    .name = "order-like",
    .summary =
        "words stand to their heads as those of their kind do in the treebank FILE (texts with "
        "trees)",
    .arg = {{IG_ARG_FILE, "FILE", IG_REQUIRED, 0, 0}},
    .trees = true,
    .state_size = sizeof(habits),
    .begin = order_begin,
    .apply = order_apply,
    .free = order_free,
};
