/* SPDX-License-Identifier: Apache-2.0
 *
 * A sentence of a world as lines of a file: its text, its tags, its tree. Internal to corpus/world.
 */
#pragma once

#include "corpus/world/world.h"

#include <stdio.h>

/* Words with a space between, then `behind`. */
void ig_world_text_put(FILE *f, const ig_world_words *s, char behind);
/* A universal tag a word, then a new line. */
void ig_world_tags_put(FILE *f, const ig_world_tree *t, const ig_world_words *s);
/* CoNLL-U with its comments and the empty line behind. */
void ig_world_conllu_put(FILE *f, const ig_world *w, int language, const ig_world_tree *t,
                         const ig_world_words *s);
