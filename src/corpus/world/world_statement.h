/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements: sentences of a fragment whose meaning is known, and the changes that make one
 * stronger or weaker. Internal to corpus/world; docs/worlds.md has the meaning.
 */
#pragma once

#include "base/rng.h"
#include "corpus/world/world_language.h"

typedef enum { IG_QUANT_SOME, IG_QUANT_ALL, IG_QUANT_NO, IG_QUANT_NAMED } ig_quantifier;

/* Lemmas, −1: none. A name has neither adjective nor relative clause. */
typedef struct {
    ig_quantifier quantifier; /* for an object: some, named */
    int32_t noun;             /* a noun, a class's noun, a name */
    int32_t adjective;
    int32_t verb, object; /* "that VERB", "that VERB OBJECT": OBJECT a name */
} ig_statement_phrase;

/* A statement: subject, verb, object, perhaps negated. The subject's quantifier has scope over
 * negation, negation over the object: "all dogs do not chase a cat" means that no dog chases
 * any. */
typedef struct {
    ig_statement_phrase subject, object; /* object.noun −1: there is none */
    int32_t verb, adverb, tense;         /* tense: IG_LEM_PAST, IG_LEM_FUTURE */
    bool negated;                        /* never with "no" */
    bool passive;                        /* passive voice; the meaning is the same */
} ig_statement;

/* Draws a statement of a topic, active, in the present. */
void ig_statement_draw(const ig_world *w, ig_rng *r, int topic, ig_statement *s);
/* Replaces s by its negation. */
void ig_statement_negate(ig_statement *s);
/* Replaces s by a statement that entails it (`strengthen`) or that it entails: `steps` changes,
 * fewer where no more are possible; returns how many were made. A word of `other` (may be NULL) is
 * not used as the verb of a relative clause. */
int ig_statement_change(const ig_world *w, ig_rng *r, int steps, bool strengthen,
                        const ig_statement *other, ig_statement *s);
/* Returns whether it can be strengthened. */
bool ig_statement_can_strengthen(const ig_world *w, const ig_statement *s);
/* Replaces the verb, or a noun or name by another of the same class, so that the new meaning is
 * independent of the old one. False: there is none. */
bool ig_statement_other_verb(const ig_world *w, ig_rng *r, ig_statement *s);
bool ig_statement_other_noun(const ig_world *w, ig_rng *r, ig_statement *s);
/* Rewords s with the same meaning: "no x does" or "all x do not"; active or passive, where that
 * moves no quantifier or negation across another. */
void ig_statement_reword(ig_rng *r, ig_statement *s);
/* Makes its tree; t->index and t->topic stay. */
void ig_statement_tree(const ig_world *w, const ig_statement *s, ig_world_tree *t);

/* Makes a statement of the text: mostly as above, one in five defines a class ("all dogs are
 * animals"). Fills the tree, whose topic is set. */
void ig_world_statement_say(const ig_world *w, ig_rng *r, ig_world_tree *t);
