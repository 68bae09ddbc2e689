/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements: sentences of a fragment whose meaning is known, and what makes one of them say more
 * or less. Internal to corpus/world; docs/world-tasks.md has the meaning.
 */
#pragma once

#include "base/rng.h"
#include "corpus/world/world_language.h"

typedef enum { IG_QUANT_SOME, IG_QUANT_ALL, IG_QUANT_NO, IG_QUANT_NAMED } ig_quantifier;

/* Lemmas, −1: none. A name has neither adjective nor relative clause. */
typedef struct {
    ig_quantifier quantifier; /* of an object: some, named */
    int32_t noun;             /* a noun, a class's noun, a name */
    int32_t adjective;
    int32_t verb, object; /* "that VERB", "that VERB OBJECT": OBJECT a name */
} ig_statement_phrase;

/* Who does (not) what to whom. The subject's quantifier stands above negation, negation above the
 * object: "all dogs do not chase a cat" says that no dog chases any. */
typedef struct {
    ig_statement_phrase subject, object; /* object.noun −1: there is none */
    int32_t verb, adverb, tense;         /* tense: IG_LEM_PAST, IG_LEM_FUTURE */
    bool negated;                        /* never with "no" */
    bool passive;                        /* said in the passive; no change of meaning */
} ig_statement;

/* A statement of a topic, active, in the present. */
void ig_statement_draw(const ig_world *w, ig_rng *r, int topic, ig_statement *s);
/* Replaces s by its negation. */
void ig_statement_negate(ig_statement *s);
/* Replaces s by a statement that it follows from (strengthen) or that follows from it: `steps`
 * changes, fewer where no more can be made; returns how many were. A word of `other` (may be NULL)
 * does not come in as the verb of a relative clause. */
int ig_statement_strengthen(const ig_world *w, ig_rng *r, int steps, const ig_statement *other,
                            ig_statement *s);
int ig_statement_weaken(const ig_world *w, ig_rng *r, int steps, const ig_statement *other,
                        ig_statement *s);
/* Can it be strengthened at all? */
bool ig_statement_can_strengthen(const ig_world *w, const ig_statement *s);
/* Another verb, or another noun or name of the same class: what it says then is independent of what
 * it said. False: there is none. */
bool ig_statement_other_verb(const ig_world *w, ig_rng *r, ig_statement *s);
bool ig_statement_other_noun(const ig_world *w, ig_rng *r, ig_statement *s);
/* The same meaning in other words: "no x does" or "all x do not"; active or passive, where that
 * moves no quantifier or negation across another. */
void ig_statement_reword(ig_rng *r, ig_statement *s);
/* Its tree; t->index and t->topic stay. */
void ig_statement_tree(const ig_world *w, const ig_statement *s, ig_world_tree *t);

/* A statement of the text: mostly as above, one in five says what a class is ("all dogs are
 * animals"). Fills the tree, whose topic is set. */
void ig_world_statement_say(const ig_world *w, ig_rng *r, ig_world_tree *t);
