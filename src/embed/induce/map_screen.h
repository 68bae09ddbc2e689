/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside induction: walks over all products in 8 bits, and in float32 only over pairs that can
 * matter.
 */
#ifndef IG_EMBED_INDUCE_MAP_SCREEN_H
#define IG_EMBED_INDUCE_MAP_SCREEN_H

#include "embed/induce/map_induce.h"
#include "embed/search/retrieve.h"

/* Whether this CPU has the kernel and d numbers fit it. */
bool ig_screen_here(int d);

/* ig_induce_run's near, mean, penalty, objective, forward and backward, bit for bit; near_at with
 * other ties. near_at of the round before are guesses: any are right, good ones save time. A word
 * whose choice is not certain gets n_again counted and its number in again[side]. */
ig_code ig_screen_run(ig_induce *s, const float *x, const float *z, const ig_retrieve_dropout *drop,
                      ig_err *err);

#endif
