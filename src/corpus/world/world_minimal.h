/* SPDX-License-Identifier: Apache-2.0
 *
 * Minimal pairs of a world: a sentence, and the same with one mistake in the language's grammar.
 */
#pragma once

#include "corpus/world/world.h"

typedef enum {
    IG_WORLD_AGREEMENT, /* a verb in the other number than its subject's */
    IG_WORLD_ORDER,     /* a word of a noun phrase on the other side of its noun */
    IG_WORLD_NEGATION,  /* a negation on the other side of its verb */
    IG_N_WORLD_MISTAKE
} ig_world_mistake;
extern const char *const ig_world_mistake_names[]; /* agreement order negation, NULL */

/* Makes the sentence with a mistake, in the first place where the language allows one; false: it
 * has none, as the language does not mark what would be wrong. */
bool ig_world_mistaken(ig_world_words *bad, const ig_world *w, int language, const ig_world_tree *t,
                       const ig_world_words *good, ig_world_mistake m);
