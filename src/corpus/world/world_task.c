/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes examples of a world's tasks. Tags, names and trees come from sentences of the world far
 * after those of any text. For entailment a hypothesis is drawn first, then for each relation a
 * premise: a strengthening of the hypothesis entails it, one of its negation contradicts it, a
 * proper weakening of either, or a statement with another verb or noun, does neither. So the
 * hypothesis alone says nothing of the relation.
 */
#include "corpus/world/world_task.h"

#include "base/assert.h"
#include "base/memory.h"
#include "base/rng.h"
#include "corpus/world/world_statement.h"

const char *const ig_world_task_names[] = {"tags",       "entities", "trees",
                                           "entailment", "minimal",  NULL};
const char *const ig_world_relation_names[] = {"entailment", "neutral", "contradiction", NULL};
const char *const ig_world_split_names[] = {"train", "dev", "test", NULL};

/* Gives up after this many candidates without an example: the world has none. */
enum { PATIENCE = 100000 };

struct ig_world_examples {
    const ig_world *w;
    ig_world_task_kind kind;
    int split;
    int64_t next; /* number of the next candidate */
    ig_statement hypothesis, premise[IG_N_RELATION];
    int32_t order[IG_N_RELATION];
    int given; /* premises of the hypothesis that were returned */
    ig_world_example example;
};

ig_code ig_world_examples_new(ig_world_examples **out, const ig_world *w, ig_world_task_kind kind,
                              int split, int64_t seed, ig_err *err)
{
    IG_ASSERT(split >= 0 && split < IG_WORLD_SPLITS && seed >= 0 && seed < IG_WORLD_TASK_SEEDS);
    IG_TRY(ig_alloc(out, 1, sizeof **out, "examples", err));
    **out = (ig_world_examples){.w = w, .kind = kind, .split = split, .given = IG_N_RELATION};
    /* Sentences of texts have numbers below 2⁵⁵. */
    (*out)->next = INT64_C(1) << 55 | seed << 40;
    return IG_ERR_OK;
}

void ig_world_examples_free(ig_world_examples *x)
{
    ig_free(x);
}

/* Eight parts of ten for training, one each for development and test. */
static int split_of(uint64_t h)
{
    const int part = (int)((h >> 32) % 10);
    return part < 8 ? 0 : part - 7;
}

/* The split depends on the lemmas that every language has a word for, in any order: sentences that
 * look alike in any language are in one split, and so are "all dogs", "no dogs" and sentences that
 * differ in voice or tense. */
static int split_of_tree(const ig_world *w, const ig_world_tree *t)
{
    uint64_t h = 0;
    for (int i = 0; i < t->n; i++) {
        const int32_t lemma = t->node[i].lemma;
        uint64_t v = (uint64_t)lemma * 0x9e3779b97f4a7c15u;
        v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;
        if (lemma >= IG_WORLD_CLOSED && lemma != ig_world_later_lemma(w, IG_LATER_SOME) &&
            lemma != ig_world_later_lemma(w, IG_LATER_NO) &&
            lemma != ig_world_later_lemma(w, IG_LATER_PASSIVE))
            h += v ^ v >> 27;
    }
    return split_of((h ^ h >> 29) * 0x94d049bb133111ebu);
}

/* ---- pairs ---- */

/* Draws a statement that follows neither from the hypothesis nor from its negation. */
static bool neutral_draw(const ig_world *w, ig_rng *r, const ig_statement *h, ig_statement *p)
{
    const uint32_t how = ig_rng_below(r, 4);
    if (ig_rng_below(r, 2) != 0)
        ig_statement_negate(p);
    if (how == 0 && ig_statement_change(w, r, 1 + (int)ig_rng_below(r, 2), false, h, p) > 0)
        return true;
    if (how == 1 && ig_statement_other_noun(w, r, p))
        return true;
    ig_statement_change(w, r, 1 + (int)ig_rng_below(r, 3), true, h, p);
    return ig_statement_other_verb(w, r, p);
}

static bool premise_draw(const ig_world *w, ig_rng *r, ig_world_relation relation,
                         const ig_statement *h, ig_statement *p)
{
    bool drawn = true;
    *p = *h;
    if (relation == IG_ENTAILMENT)
        drawn = ig_statement_change(w, r, 1 + (int)ig_rng_below(r, 3), true, h, p) > 0;
    else if (relation == IG_NEUTRAL)
        drawn = neutral_draw(w, r, h, p);
    else {
        ig_statement_negate(p);
        ig_statement_change(w, r, 1 + (int)ig_rng_below(r, 3), true, h, p);
    }
    ig_statement_reword(r, p);
    return drawn;
}

/* Makes a hypothesis and a premise of each relation, if candidate i is one for this split. */
static bool pairs_draw(ig_world_examples *x, int64_t i)
{
    const ig_world *w = x->w;
    ig_statement *const h = &x->hypothesis;
    ig_rng r = ig_rng_make(w->o.seed, IG_STREAM_WORLD,
                           0x06000000u | (uint32_t)((uint64_t)i >> 32 & 0xffffff), (uint32_t)i);
    ig_statement_draw(w, &r, (int)ig_rng_below(&r, (uint32_t)w->o.n_topic), h);
    ig_statement_reword(&r, h);
    ig_statement_tree(w, h, &x->example.tree[1]);
    if (split_of_tree(w, &x->example.tree[1]) != x->split || !ig_statement_can_strengthen(w, h))
        return false;
    h->tense = ig_world_tense(w, &r);
    for (int k = 0; k < IG_N_RELATION; k++)
        if (!premise_draw(w, &r, (ig_world_relation)k, h, &x->premise[k]))
            return false;
    ig_rng_permutation(&r, x->order, IG_N_RELATION);
    return true;
}

static bool sentence_draw(ig_world_examples *x, int64_t i)
{
    ig_world_tree *const t = &x->example.tree[0];
    ig_world_sentence(x->w, i, t);
    bool named = x->kind != IG_WORLD_ENTITIES;
    for (int k = 0; k < t->n && !named; k++)
        named = t->node[k].entity != 0;
    return named && split_of_tree(x->w, t) == x->split;
}

ig_code ig_world_examples_next(ig_world_examples *x, const ig_world_example **out, ig_err *err)
{
    *out = &x->example;
    const bool pairs = x->kind == IG_WORLD_ENTAILMENT;
    if (!pairs || x->given == IG_N_RELATION) {
        const int64_t end = x->next + PATIENCE;
        bool found = false;
        while (!found && x->next < end)
            found = pairs ? pairs_draw(x, x->next++) : sentence_draw(x, x->next++);
        if (!found)
            return ig_fail(err, IG_ERR_USAGE, ig_world_task_names[x->kind], 0,
                           "none of %d candidates of this world is one for %s", PATIENCE,
                           ig_world_split_names[x->split]);
        x->given = 0;
    }
    if (!pairs)
        return IG_ERR_OK;
    x->example.relation = (ig_world_relation)x->order[x->given++];
    ig_statement_tree(x->w, &x->premise[x->example.relation], &x->example.tree[0]);
    ig_statement_tree(x->w, &x->hypothesis, &x->example.tree[1]);
    return IG_ERR_OK;
}

void ig_world_entity_tags(const ig_world_tree *t, const ig_world_words *s, uint8_t *tag)
{
    int last = -1; /* the name that the word before belongs to */
    for (int i = 0; i < s->n; i++) {
        const ig_world_node *n = &t->node[s->node[i]];
        const int name = n->entity == 0 ? -1 : n->rel == IG_REL_FLAT ? n->head : s->node[i];
        tag[i] = (uint8_t)(name < 0 ? 0 : name == last ? 2 * n->entity : 2 * n->entity - 1);
        last = name;
    }
}
