/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the abstract tree of sentence i. A small probabilistic grammar of clauses and noun phrases
 * with universal-dependencies relations; heads are made before their dependents, so a head's index
 * is always below its dependents'. All draws come from the sentence's own stream.
 */
#include "base/assert.h"

#include "base/rng.h"
#include "corpus/world/world_language.h"
#include "corpus/world/world_statement.h"

#include <math.h>

enum { CAST = 3, DEPTH = 4 };

typedef struct {
    const ig_world *w;
    ig_world_tree *t;
    ig_rng r;
    int32_t budget; /* number of nodes at which new phrases stop */
    int32_t cast[2][CAST];
} maker;

static bool chance(maker *m, double p)
{
    return ig_rng_unit(&m->r) < p;
}

/* Returns whether to add one more phrase, of share p. Never when the sentence is long enough. */
static bool more(maker *m, double p)
{
    return ig_rng_unit(&m->r) < p && m->t->n < m->budget;
}

/* The cap on nodes stops new phrases at max_node ≤ 160; phrases started before need far fewer than
 * the 96 nodes above it. */
static int add(maker *m, int32_t lemma, int head, ig_deprel rel)
{
    return ig_world_node_add(m->w, m->t, lemma, head, rel);
}

/* Draws a collocate: the first half of the time, the second a quarter, … */
static int32_t collocate(maker *m, int32_t lemma, int slot)
{
    const int n = (int)m->w->o.n_collocate;
    int k = 0;
    while (k < n - 1 && chance(m, .5))
        k++;
    return m->w->lemma[lemma].collocate[slot][k];
}

static int32_t noun_choose(maker *m, int class_of)
{
    return ig_world_draw_noun(m->w, class_of, chance(m, m->w->o.topic) ? m->t->topic : -1, &m->r);
}

static int32_t verb_choose(maker *m)
{
    return ig_world_draw_verb(m->w, chance(m, m->w->o.topic) ? m->t->topic : -1, &m->r);
}

static int32_t adjective_choose(maker *m, const ig_world_node *noun)
{
    if (noun->upos == IG_UPOS_NOUN && chance(m, m->w->o.selection))
        return collocate(m, noun->lemma, IG_SLOT_ADJECTIVE);
    return ig_word_lists_draw(&m->w->adjective, 0, ig_rng_unit(&m->r));
}

/* A name may have a second word: a surname, or the word that makes it an organisation's. */
static void name_finish(maker *m, int i, int class_of)
{
    const ig_world_options *o = &m->w->o;
    ig_world_node *const n = &m->t->node[i];
    n->entity = (uint8_t)(1 + class_of);
    int32_t second = -1;
    if (o->organisation > 0 && chance(m, o->organisation)) {
        n->entity = 3;
        second = ig_world_later_lemma(m->w, IG_LATER_HOUSE) + (int32_t)ig_rng_below(&m->r, 3);
    } else if (o->surname > 0 && class_of == IG_CLASS_PERSON && chance(m, o->surname))
        second = ig_word_lists_draw(&m->w->name, class_of, ig_rng_unit(&m->r));
    if (second >= 0)
        m->t->node[add(m, second, i, IG_REL_FLAT)].entity = n->entity;
}

static void clause_fill(maker *m, int verb, int depth, bool subject, bool object);
static int clause(maker *m, int head, ig_deprel rel, int depth, bool wh);

static int phrase(maker *m, int head, ig_deprel rel, int depth, int32_t noun, int class_of);

static int pronoun(maker *m, int head, ig_deprel rel)
{
    static const uint8_t person[] = {1, 2, 3, 1, 2, 3};
    /* Third persons are half of all; the weights of 1, 2, 3 are the same in the plural. */
    static const uint8_t kind[] = {0, 1, 2, 2, 2, 3, 4, 5, 5, 0};
    const int k = kind[ig_rng_below(&m->r, 10)];
    const int i = add(m, IG_LEM_I + k, head, rel);
    m->t->node[i].person = person[k];
    m->t->node[i].plural = k >= 3;
    return i;
}

static int name(maker *m, int head, ig_deprel rel, int class_of)
{
    const ig_world_options *o = &m->w->o;
    const int32_t lemma = chance(m, o->cast)
                              ? m->cast[class_of][ig_rng_below(&m->r, CAST)]
                              : ig_word_lists_draw(&m->w->name, class_of, ig_rng_unit(&m->r));
    const int i = add(m, lemma, head, rel);
    name_finish(m, i, class_of);
    if (more(m, o->coordinate_np))
        add(m, IG_LEM_AND, phrase(m, i, IG_REL_CONJ, DEPTH, -1, class_of), IG_REL_CC);
    return i;
}

/* Adds determiner, numeral and adjectives of noun i. */
static void noun_words(maker *m, int i)
{
    const ig_world_options *o = &m->w->o;
    ig_world_node *const n = &m->t->node[i];
    n->plural = chance(m, o->plural);
    const double u = ig_rng_unit(&m->r);
    if (u < o->definite)
        add(m, IG_LEM_DEF, i, IG_REL_DET);
    else if (u < o->definite + o->indefinite) {
        if (!n->plural)
            add(m, IG_LEM_INDEF, i, IG_REL_DET);
    } else if (u < o->definite + o->indefinite + o->demonstrative)
        add(m,
            n->plural && chance(m, .3) ? IG_LEM_ALL
            : chance(m, .6)            ? IG_LEM_THIS
                                       : IG_LEM_THAT,
            i, IG_REL_DET);
    else if (u < o->definite + o->indefinite + o->demonstrative + o->possessive)
        add(m, IG_LEM_MY + (int32_t)ig_rng_below(&m->r, 4), i, IG_REL_DET);
    if (more(m, o->numeral)) {
        add(m, ig_word_lists_draw(&m->w->number, 0, ig_rng_unit(&m->r)), i, IG_REL_NUMMOD);
        n->plural = true;
    }
    for (int k = 0; k < 2 && more(m, o->adjective); k++)
        add(m, adjective_choose(m, n), i, IG_REL_AMOD);
}

/* Adds a phrase. `noun` is its lemma if that is chosen already; −1: a noun, name or pronoun of the
 * class is drawn. */
static int phrase(maker *m, int head, ig_deprel rel, int depth, int32_t noun, int class_of)
{
    const ig_world_options *o = &m->w->o;
    const bool argument = rel == IG_REL_NSUBJ || rel == IG_REL_OBJ || rel == IG_REL_IOBJ;
    if (class_of == IG_CLASS_PERSON && argument && chance(m, o->pronoun))
        return pronoun(m, head, rel);
    if ((class_of == IG_CLASS_PERSON || class_of == IG_CLASS_PLACE) && chance(m, o->name))
        return name(m, head, rel, class_of);
    if (noun < 0)
        noun = noun_choose(m, class_of);
    const int i = add(m, noun, head, rel);
    noun_words(m, i);
    if (depth >= DEPTH)
        return i;
    if (more(m, o->genitive)) {
        int32_t g = -1;
        int c = (int)ig_rng_below(&m->r, (uint32_t)o->n_class);
        if (chance(m, o->selection)) {
            g = collocate(m, noun, IG_SLOT_GENITIVE);
            c = m->w->lemma[g].class_of[0];
        }
        const int j = phrase(m, i, IG_REL_NMOD, depth + 1, g, c);
        add(m, IG_LEM_OF, j, IG_REL_CASE);
    }
    if (more(m, o->relative)) {
        const int32_t v =
            chance(m, o->selection) ? collocate(m, noun, IG_SLOT_VERB) : verb_choose(m);
        const int j = add(m, v, i, IG_REL_RELCL);
        const bool object_gap = m->w->lemma[v].frame != IG_FRAME_INTRANSITIVE && chance(m, .4);
        const int pro = add(m, IG_LEM_WHICH, j, object_gap ? IG_REL_OBJ : IG_REL_NSUBJ);
        m->t->node[pro].plural = m->t->node[i].plural;
        clause_fill(m, j, depth + 2, object_gap, !object_gap);
    }
    if (more(m, o->coordinate_np)) {
        const int j = phrase(m, i, IG_REL_CONJ, DEPTH, -1, class_of);
        add(m, chance(m, .8) ? IG_LEM_AND : IG_LEM_OR, j, IG_REL_CC);
    }
    return i;
}

static void argument(maker *m, int verb, int slot, ig_deprel rel, int depth)
{
    const ig_lemma *v = &m->w->lemma[m->t->node[verb].lemma];
    int32_t noun = -1;
    int class_of = v->class_of[slot];
    if (chance(m, m->w->o.selection)) {
        noun = collocate(m, m->t->node[verb].lemma, slot);
        class_of = m->w->lemma[noun].class_of[0];
    }
    const int i = phrase(m, verb, rel, depth, noun, class_of);
    if (rel == IG_REL_OBL)
        add(m,
            chance(m, m->w->o.selection) ? v->adposition
                                         : IG_FIRST_ADP + (int32_t)ig_rng_below(&m->r, IG_N_ADP),
            i, IG_REL_CASE);
}

static void tense_and_negation(maker *m, int predicate)
{
    const int32_t tense = ig_world_tense(m->w, &m->r);
    if (tense >= 0)
        add(m, tense, predicate, IG_REL_AUX);
    if (chance(m, m->w->o.negation))
        add(m, IG_LEM_NOT, predicate, IG_REL_ADVMOD);
}

/* Adds the dependents of a verb in the tree: arguments by its frame, adverb, obliques. */
static void clause_fill(maker *m, int verb, int depth, bool subject, bool object)
{
    const ig_world_options *o = &m->w->o;
    const int32_t lemma = m->t->node[verb].lemma;
    const ig_frame frame = (ig_frame)m->w->lemma[lemma].frame;
    m->t->node[verb].predicate = true;
    tense_and_negation(m, verb);
    if (subject)
        argument(m, verb, IG_SLOT_SUBJECT, IG_REL_NSUBJ, depth + 1);
    const bool clausal = frame == IG_FRAME_CLAUSAL && object && depth < 2 && m->t->n < m->budget;
    if (object && !clausal && frame != IG_FRAME_INTRANSITIVE)
        argument(m, verb, IG_SLOT_OBJECT, IG_REL_OBJ, depth + 1);
    if (object && frame == IG_FRAME_DITRANSITIVE)
        phrase(m, verb, IG_REL_IOBJ, depth + 2, -1, IG_CLASS_PERSON);
    if (more(m, o->adverb))
        add(m,
            chance(m, o->selection) ? collocate(m, lemma, IG_SLOT_ADVERB)
                                    : ig_word_lists_draw(&m->w->adverb, 0, ig_rng_unit(&m->r)),
            verb, IG_REL_ADVMOD);
    for (int k = 0; k < 3 && more(m, o->oblique); k++)
        argument(m, verb, IG_SLOT_OBLIQUE, IG_REL_OBL, depth + 1);
    if (clausal) {
        const int c = clause(m, verb, IG_REL_CCOMP, depth + 1, false);
        add(m, IG_LEM_COMPL, c, IG_REL_MARK);
    }
}

/* Makes "x is y": the predicate is the head, its lemma chosen after the subject. */
static int copular(maker *m, int head, ig_deprel rel, int depth)
{
    const bool adjective = chance(m, .65);
    const int class_of = (int)ig_rng_below(&m->r, (uint32_t)m->w->o.n_class);
    const int32_t subject = noun_choose(m, class_of);
    int p;
    if (adjective) {
        const ig_world_node probe = {.lemma = subject, .upos = IG_UPOS_NOUN};
        p = add(m, adjective_choose(m, &probe), head, rel);
    } else {
        p = add(m, noun_choose(m, class_of), head, rel);
        add(m, IG_LEM_INDEF, p, IG_REL_DET);
    }
    m->t->node[p].predicate = true;
    add(m, IG_LEM_BE, p, IG_REL_COP);
    tense_and_negation(m, p);
    const int s = phrase(m, p, IG_REL_NSUBJ, depth + 1, subject, class_of);
    /* An adjective agrees with its subject. */
    m->t->node[p].plural = adjective && m->t->node[s].plural;
    return p;
}

static int clause(maker *m, int head, ig_deprel rel, int depth, bool wh)
{
    const ig_world_options *o = &m->w->o;
    int root;
    if (!wh && chance(m, o->copula))
        root = copular(m, head, rel, depth);
    else {
        root = add(m, verb_choose(m), head, rel);
        if (wh)
            add(m, IG_LEM_WHO, root, IG_REL_NSUBJ);
        clause_fill(m, root, depth, !wh, true);
    }
    if (depth < 2 && more(m, o->subordinate)) {
        const int c = clause(m, root, IG_REL_ADVCL, depth + 2, false);
        add(m, IG_LEM_BECAUSE + (int32_t)ig_rng_below(&m->r, 3), c, IG_REL_MARK);
        add(m, IG_LEM_COMMA, c, IG_REL_PUNCT);
    }
    return root;
}

void ig_world_sentence(const ig_world *w, int64_t i, ig_world_tree *t)
{
    IG_ASSERT(i >= 0);
    const ig_world_options *o = &w->o;
    const int64_t document = i / o->document;
    ig_rng d = ig_rng_make(o->seed, IG_STREAM_WORLD,
                           0x04000000u | (uint32_t)(document >> 32 & 0xffffff), (uint32_t)document);
    maker m = {.w = w, .t = t};
    m.r = ig_rng_make(o->seed, IG_STREAM_WORLD, 0x05000000u | (uint32_t)(i >> 32 & 0xffffff),
                      (uint32_t)i);
    t->index = i;
    t->n = 0;
    t->topic = (int32_t)ig_rng_below(&d, (uint32_t)o->n_topic);
    for (int c = 0; c < 2; c++)
        for (int k = 0; k < CAST; k++)
            m.cast[c][k] = ig_word_lists_draw(&w->name, c, ig_rng_unit(&d));
    const double budget = o->length * exp(o->spread * ig_rng_normal(&m.r));
    m.budget = (int32_t)(budget < (double)o->max_node ? budget : (double)o->max_node);
    if (o->statement > 0 && chance(&m, o->statement)) {
        ig_world_statement_say(w, &m.r, t);
        return;
    }
    const bool question = chance(&m, o->question), wh = question && chance(&m, .4);
    const int root = clause(&m, -1, IG_REL_ROOT, 0, wh);
    t->node[root].question = question;
    if (question && !wh)
        add(&m, IG_LEM_Q, root, IG_REL_DISCOURSE);
    while (more(&m, o->coordinate)) {
        const int c = clause(&m, root, IG_REL_CONJ, 0, false);
        static const int32_t conj[] = {IG_LEM_AND, IG_LEM_AND, IG_LEM_AND, IG_LEM_BUT, IG_LEM_OR};
        add(&m, conj[ig_rng_below(&m.r, 5)], c, IG_REL_CC);
        add(&m, IG_LEM_COMMA, c, IG_REL_PUNCT);
    }
    add(&m, question ? IG_LEM_QUESTION : IG_LEM_PERIOD, root, IG_REL_PUNCT);
}
