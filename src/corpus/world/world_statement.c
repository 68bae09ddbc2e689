/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements and what follows from them, by monotonicity (van Benthem, "Essays in Logical
 * Semantics", 1986; MacCartney & Manning, "An extended model of natural logic", 2009): a quantifier
 * lets its noun phrase and its verb phrase be widened (upward) or narrowed (downward), and a
 * negation reverses that. "Some" is upward in both, "no" downward in both, "all" downward in its
 * noun and upward in its verb. A noun phrase becomes narrower by a hyponym, an adjective, a
 * relative clause, a verb phrase by an adverb or a narrower object. Quantified nouns are about
 * something ("all dogs" says that there are dogs), so that "all" is stronger than "some".
 */
#include "corpus/world/world_statement.h"

#include <stddef.h>

static bool chance(ig_rng *r, double p)
{
    return ig_rng_unit(r) < p;
}

static bool is_class_noun(const ig_world *w, int32_t lemma)
{
    return lemma >= ig_world_class_noun(w, 0);
}

/* The class of a phrase's noun if that has names, −1: it has none. */
static int named_class(const ig_world *w, const ig_statement_phrase *p)
{
    const int c = ig_world_lemma_class(w, p->noun);
    return c == IG_CLASS_PERSON || c == IG_CLASS_PLACE ? c : -1;
}

static int32_t name_draw(const ig_world *w, ig_rng *r, int class_of)
{
    return ig_word_lists_draw(&w->name, class_of, ig_rng_unit(r));
}

static bool is_transitive(const ig_world *w, int32_t verb)
{
    return w->lemma[verb].frame != IG_FRAME_INTRANSITIVE;
}

static int32_t verb_draw(const ig_world *w, ig_rng *r, int topic)
{
    int32_t v = -1;
    for (int tries = 0; tries < 8; tries++) {
        if (topic >= 0 && chance(r, w->o.topic))
            v = ig_word_lists_draw(&w->verb_topic, topic, ig_rng_unit(r));
        if (v < 0 || tries > 0)
            v = ig_word_lists_draw(&w->verb, 0, ig_rng_unit(r));
        if (w->lemma[v].frame <= IG_FRAME_TRANSITIVE)
            break;
    }
    return v;
}

/* ---- parts of phrases ---- */

static void adjective_add(const ig_world *w, ig_rng *r, ig_statement_phrase *p)
{
    p->adjective = chance(r, w->o.selection) ? w->lemma[p->noun].collocate[IG_SLOT_ADJECTIVE][0]
                                             : ig_word_lists_draw(&w->adjective, 0, ig_rng_unit(r));
}

/* A relative clause with another verb than those of the sentences. False: none was found. */
static bool relative_add(const ig_world *w, ig_rng *r, const ig_statement *s,
                         const ig_statement *other, ig_statement_phrase *p)
{
    for (int tries = 0; tries < 16; tries++) {
        const int32_t v = tries == 0 && chance(r, w->o.selection)
                              ? w->lemma[p->noun].collocate[IG_SLOT_VERB][0]
                              : verb_draw(w, r, -1);
        if (v == s->verb || (other != NULL && v == other->verb))
            continue;
        const int32_t object = is_transitive(w, v) ? name_draw(w, r, (int)ig_rng_below(r, 2)) : -1;
        if (is_transitive(w, v) && object < 0)
            continue;
        p->verb = v;
        p->object = object;
        return true;
    }
    return false;
}

static ig_statement_phrase phrase_draw(const ig_world *w, ig_rng *r, const ig_statement *s,
                                       int slot)
{
    const ig_lemma *v = &w->lemma[s->verb];
    ig_statement_phrase p = {IG_QUANT_SOME, -1, -1, -1, -1};
    int class_of = v->class_of[slot];
    if (chance(r, w->o.selection)) {
        p.noun = v->collocate[slot][chance(r, .5) ? 0 : w->o.n_collocate - 1];
        class_of = w->lemma[p.noun].class_of[0];
    } else
        p.noun = ig_word_lists_draw(&w->noun, class_of, ig_rng_unit(r));
    if (class_of <= IG_CLASS_PLACE && chance(r, slot == IG_SLOT_SUBJECT ? .4 : .5)) {
        const int32_t name = name_draw(w, r, class_of);
        if (name >= 0) {
            p.quantifier = IG_QUANT_NAMED;
            p.noun = name;
            return p;
        }
    }
    if (chance(r, .35))
        p.noun = ig_world_class_noun(w, class_of);
    if (chance(r, .35))
        adjective_add(w, r, &p);
    if (chance(r, .25))
        relative_add(w, r, s, NULL, &p);
    return p;
}

void ig_statement_draw(const ig_world *w, ig_rng *r, int topic, ig_statement *s)
{
    *s = (ig_statement){.adverb = -1, .tense = -1, .object = {IG_QUANT_SOME, -1, -1, -1, -1}};
    s->verb = verb_draw(w, r, topic);
    s->subject = phrase_draw(w, r, s, IG_SLOT_SUBJECT);
    if (s->subject.quantifier != IG_QUANT_NAMED) {
        static const ig_quantifier quantifier[] = {IG_QUANT_SOME, IG_QUANT_SOME, IG_QUANT_ALL,
                                                   IG_QUANT_ALL, IG_QUANT_NO};
        s->subject.quantifier = quantifier[ig_rng_below(r, 5)];
    }
    if (is_transitive(w, s->verb))
        s->object = phrase_draw(w, r, s, IG_SLOT_OBJECT);
    if (s->subject.quantifier != IG_QUANT_NO)
        s->negated = chance(r, .35);
    if (chance(r, .3))
        s->adverb = ig_word_lists_draw(&w->adverb, 0, ig_rng_unit(r));
}

void ig_statement_negate(ig_statement *s)
{
    ig_quantifier *const q = &s->subject.quantifier;
    switch (*q) {
    case IG_QUANT_NAMED:
        s->negated = !s->negated;
        break;
    case IG_QUANT_NO:
        *q = IG_QUANT_SOME;
        break;
    case IG_QUANT_ALL:
        *q = IG_QUANT_SOME;
        s->negated = !s->negated;
        break;
    case IG_QUANT_SOME:
        *q = s->negated ? IG_QUANT_ALL : IG_QUANT_NO;
        s->negated = false;
        break;
    }
}

/* ---- stronger and weaker ---- */

typedef enum {
    NO_EDIT,
    QUANTIFIER,
    HYPONYM,
    HYPERNYM,
    ADJECTIVE,
    NO_ADJECTIVE,
    RELATIVE,
    NO_RELATIVE,
    NAME,
    NO_NAME,
    ADVERB,
    NO_ADVERB
} edit_kind;

typedef struct {
    edit_kind kind;
    bool object; /* of the object, else of the subject */
} edit;

enum { MOST_EDITS = 16 };

typedef struct {
    const ig_world *w;
    const ig_statement *s;
    bool strengthen, first; /* first: nothing was changed yet */
    edit list[MOST_EDITS];
    int n;
} edits;

static void edit_push(edits *e, edit_kind kind, bool object, bool possible)
{
    if (possible && e->n < MOST_EDITS)
        e->list[e->n++] = (edit){kind, object};
}

static bool is_bare(const ig_statement_phrase *p)
{
    return p->adjective < 0 && p->verb < 0;
}

/* Lists how a noun phrase under some or no, or an object, can be narrowed or widened. */
static void phrase_edits(edits *e, const ig_statement_phrase *p, bool object, bool narrow)
{
    if (p->noun < 0 || p->quantifier == IG_QUANT_NAMED)
        return;
    const bool class_noun = is_class_noun(e->w, p->noun);
    edit_push(e, HYPONYM, object, narrow && class_noun);
    edit_push(e, ADJECTIVE, object, narrow && p->adjective < 0);
    edit_push(e, RELATIVE, object, narrow && p->verb < 0);
    edit_push(e, HYPERNYM, object, !narrow && !class_noun);
    edit_push(e, NO_ADJECTIVE, object, !narrow && p->adjective >= 0);
    edit_push(e, NO_RELATIVE, object, !narrow && p->verb >= 0);
}

static void edits_find(edits *e)
{
    const ig_statement *s = e->s;
    const ig_statement_phrase *const a = &s->subject, *const b = &s->object;
    const ig_quantifier q = a->quantifier;
    e->n = 0;
    /* Goes from "some" to "all" as the first step only: a narrowed phrase need not refer to
     * anything. */
    edit_push(e, QUANTIFIER, false,
              e->strengthen ? q == IG_QUANT_SOME && e->first : q == IG_QUANT_ALL);
    const bool names = named_class(e->w, a) >= 0;
    const bool all_of_class = names && is_bare(a) && is_class_noun(e->w, a->noun);
    /* Some person ⇐ Ann ⇐ all persons. */
    edit_push(e, NAME, false, all_of_class && q == (e->strengthen ? IG_QUANT_SOME : IG_QUANT_ALL));
    edit_push(e, NO_NAME, false, q == IG_QUANT_NAMED);
    phrase_edits(e, a, false, e->strengthen == (q == IG_QUANT_SOME));
    const bool upward = (q != IG_QUANT_NO) != s->negated, narrow = upward == e->strengthen;
    edit_push(e, narrow ? ADVERB : NO_ADVERB, false, narrow == (s->adverb < 0));
    if (b->noun < 0)
        return;
    phrase_edits(e, b, true, narrow);
    edit_push(e, NAME, true,
              narrow && b->quantifier != IG_QUANT_NAMED && named_class(e->w, b) >= 0 &&
                  is_bare(b) && is_class_noun(e->w, b->noun));
    edit_push(e, NO_NAME, true, !narrow && b->quantifier == IG_QUANT_NAMED);
}

static bool edit_make(const ig_world *w, ig_rng *r, edit what, bool strengthen,
                      const ig_statement *other, ig_statement *s)
{
    ig_statement_phrase *const p = what.object ? &s->object : &s->subject;
    const int class_of = ig_world_lemma_class(w, p->noun);
    switch (what.kind) {
    case QUANTIFIER:
        p->quantifier = strengthen ? IG_QUANT_ALL : IG_QUANT_SOME;
        return true;
    case HYPONYM:
        p->noun = ig_word_lists_draw(&w->noun, class_of, ig_rng_unit(r));
        return true;
    case HYPERNYM:
        p->noun = ig_world_class_noun(w, class_of);
        return true;
    case ADJECTIVE:
        adjective_add(w, r, p);
        return true;
    case NO_ADJECTIVE:
        p->adjective = -1;
        return true;
    case RELATIVE:
        return relative_add(w, r, s, other, p);
    case NO_RELATIVE:
        p->verb = p->object = -1;
        return true;
    case NAME: {
        const int32_t name = name_draw(w, r, class_of);
        if (name < 0)
            return false;
        p->quantifier = IG_QUANT_NAMED;
        p->noun = name;
        return true;
    }
    case NO_NAME:
        p->quantifier = strengthen && !what.object ? IG_QUANT_ALL : IG_QUANT_SOME;
        p->noun = ig_world_class_noun(w, class_of);
        return true;
    case ADVERB:
        s->adverb = ig_word_lists_draw(&w->adverb, 0, ig_rng_unit(r));
        return true;
    case NO_ADVERB:
        s->adverb = -1;
        return true;
    case NO_EDIT:
        break;
    }
    return false;
}

int ig_statement_change(const ig_world *w, ig_rng *r, int steps, bool strengthen,
                        const ig_statement *other, ig_statement *s)
{
    int made = 0;
    for (int tries = 0; made < steps && tries < 8; tries++) {
        edits e = {.w = w, .s = s, .strengthen = strengthen, .first = made == 0};
        edits_find(&e);
        if (e.n == 0)
            break;
        made += edit_make(w, r, e.list[ig_rng_below(r, (uint32_t)e.n)], strengthen, other, s);
    }
    return made;
}

bool ig_statement_can_strengthen(const ig_world *w, const ig_statement *s)
{
    edits e = {.w = w, .s = s, .strengthen = true, .first = true};
    edits_find(&e);
    return e.n > 0;
}

/* ---- something else ---- */

bool ig_statement_other_verb(const ig_world *w, ig_rng *r, ig_statement *s)
{
    for (int tries = 0; tries < 32; tries++) {
        const int32_t v = verb_draw(w, r, -1);
        if (v == s->verb || v == s->subject.verb || v == s->object.verb ||
            is_transitive(w, v) != is_transitive(w, s->verb))
            continue;
        s->verb = v;
        return true;
    }
    return false;
}

bool ig_statement_other_noun(const ig_world *w, ig_rng *r, ig_statement *s)
{
    ig_statement_phrase *const p = s->object.noun >= 0 && chance(r, .5) ? &s->object : &s->subject;
    const int class_of = ig_world_lemma_class(w, p->noun);
    for (int tries = 0; tries < 16; tries++) {
        int32_t n;
        if (p->quantifier == IG_QUANT_NAMED)
            n = name_draw(w, r, class_of);
        else if (is_class_noun(w, p->noun))
            n = ig_world_class_noun(w, (int)ig_rng_below(r, (uint32_t)w->o.n_class));
        else
            n = ig_word_lists_draw(&w->noun, class_of, ig_rng_unit(r));
        if (n < 0 || n == p->noun)
            continue;
        p->noun = n;
        return true;
    }
    return false;
}

void ig_statement_reword(ig_rng *r, ig_statement *s)
{
    const bool swap = chance(r, .5), passive = chance(r, .35);
    ig_quantifier *const q = &s->subject.quantifier;
    if (swap && *q == IG_QUANT_NO) {
        *q = IG_QUANT_ALL;
        s->negated = true;
    } else if (swap && *q == IG_QUANT_ALL && s->negated) {
        *q = IG_QUANT_NO;
        s->negated = false;
    }
    const bool named = *q == IG_QUANT_NAMED;
    s->passive =
        passive && s->object.noun >= 0 &&
        (s->object.quantifier == IG_QUANT_NAMED ? named || !s->negated
                                                : !s->negated && (named || *q == IG_QUANT_SOME));
}

/* ---- trees ---- */

static int named_add(const ig_world *w, ig_world_tree *t, int32_t name, int head, ig_deprel rel)
{
    const int i = ig_world_node_add(w, t, name, head, rel);
    t->node[i].entity = (uint8_t)(1 + ig_world_lemma_class(w, name));
    return i;
}

static int phrase_add(const ig_world *w, ig_world_tree *t, const ig_statement_phrase *p, int head,
                      ig_deprel rel, int32_t determiner)
{
    if (p->quantifier == IG_QUANT_NAMED)
        return named_add(w, t, p->noun, head, rel);
    const int i = ig_world_node_add(w, t, p->noun, head, rel);
    const bool plural = p->quantifier == IG_QUANT_ALL;
    t->node[i].plural = plural;
    ig_world_node_add(w, t, determiner, i, IG_REL_DET);
    if (p->adjective >= 0)
        ig_world_node_add(w, t, p->adjective, i, IG_REL_AMOD);
    if (p->verb >= 0) {
        const int v = ig_world_node_add(w, t, p->verb, i, IG_REL_RELCL);
        t->node[v].predicate = true;
        t->node[ig_world_node_add(w, t, IG_LEM_WHICH, v, IG_REL_NSUBJ)].plural = plural;
        if (p->object >= 0)
            named_add(w, t, p->object, v, IG_REL_OBJ);
    }
    return i;
}

static int32_t determiner_of(const ig_world *w, ig_quantifier q)
{
    return q == IG_QUANT_ALL  ? IG_LEM_ALL
           : q == IG_QUANT_NO ? ig_world_later_lemma(w, IG_LATER_NO)
                              : ig_world_later_lemma(w, IG_LATER_SOME);
}

void ig_statement_tree(const ig_world *w, const ig_statement *s, ig_world_tree *t)
{
    t->n = 0;
    const int v = ig_world_node_add(w, t, s->verb, -1, IG_REL_ROOT);
    t->node[v].predicate = true;
    if (s->tense >= 0)
        ig_world_node_add(w, t, s->tense, v, IG_REL_AUX);
    if (s->negated)
        ig_world_node_add(w, t, IG_LEM_NOT, v, IG_REL_ADVMOD);
    if (s->passive)
        ig_world_node_add(w, t, ig_world_later_lemma(w, IG_LATER_PASSIVE), v, IG_REL_AUX_PASS);
    const int a = phrase_add(w, t, &s->subject, v, s->passive ? IG_REL_OBL_AGENT : IG_REL_NSUBJ,
                             determiner_of(w, s->subject.quantifier));
    if (s->passive)
        ig_world_node_add(w, t, IG_LEM_BY, a, IG_REL_CASE);
    if (s->object.noun >= 0)
        phrase_add(w, t, &s->object, v, s->passive ? IG_REL_NSUBJ_PASS : IG_REL_OBJ, IG_LEM_INDEF);
    if (s->adverb >= 0)
        ig_world_node_add(w, t, s->adverb, v, IG_REL_ADVMOD);
    ig_world_node_add(w, t, IG_LEM_PERIOD, v, IG_REL_PUNCT);
}

/* "All dogs are animals", "Ann is a person". */
static void class_statement_say(const ig_world *w, ig_rng *r, ig_world_tree *t)
{
    const bool name = chance(r, .3);
    const int class_of = (int)ig_rng_below(r, name ? 2 : (uint32_t)w->o.n_class);
    ig_statement_phrase p = {name ? IG_QUANT_NAMED : IG_QUANT_ALL, -1, -1, -1, -1};
    p.noun = name ? name_draw(w, r, class_of) : -1;
    if (p.noun < 0) {
        p.quantifier = IG_QUANT_ALL;
        p.noun = ig_word_lists_draw(&w->noun, class_of, ig_rng_unit(r));
    }
    t->n = 0;
    const int c = ig_world_node_add(w, t, ig_world_class_noun(w, class_of), -1, IG_REL_ROOT);
    t->node[c].predicate = true;
    if (p.quantifier == IG_QUANT_NAMED)
        ig_world_node_add(w, t, IG_LEM_INDEF, c, IG_REL_DET);
    else
        t->node[c].plural = true;
    ig_world_node_add(w, t, IG_LEM_BE, c, IG_REL_COP);
    phrase_add(w, t, &p, c, IG_REL_NSUBJ, IG_LEM_ALL);
    ig_world_node_add(w, t, IG_LEM_PERIOD, c, IG_REL_PUNCT);
}

void ig_world_statement_say(const ig_world *w, ig_rng *r, ig_world_tree *t)
{
    if (chance(r, .2)) {
        class_statement_say(w, r, t);
        return;
    }
    ig_statement s;
    ig_statement_draw(w, r, t->topic, &s);
    s.tense = ig_world_tense(w, r);
    ig_statement_reword(r, &s);
    ig_statement_tree(w, &s, t);
}
