/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a sentence of a world as lines of a file: its text, its tags, its tree. Internal to
 * corpus/world.
 */
#pragma once

#include "corpus/world/world.h"

#include <stdio.h>

/* Writes words with a space between, then the byte `end`. */
void ig_world_text_put(FILE *f, const ig_world_words *s, char end);
/* Writes a universal tag a word, then a new line. */
void ig_world_tags_put(FILE *f, const ig_world_tree *t, const ig_world_words *s);
/* Writes CoNLL-U with its comments and the final empty line. */
void ig_world_conllu_put(FILE *f, const ig_world *w, int language, const ig_world_tree *t,
                         const ig_world_words *s);
