/* SPDX-License-Identifier: Apache-2.0
 *
 * The task of a language that is another's text through transforms of words: the same examples in
 * its words, with the labels, heads and parts of speech of the words they come from.
 *
 * This is for transforms before the tokenizer (corpus/words/word_step.h: codepoints, invert, drop,
 * …). Those behind it, Fake by index ("shift") and a language's own order among them
 * (corpus/language/transform.h), work on the pieces of a sequence and leave the words of a task as
 * they are.
 */
#pragma once

#include "corpus/words/word_step.h"
#include "task/task.h"

/* Adds to a task, for every split of language `from`, one of language `to`. The pipeline is begun,
 * and fitted where a step counts words (ig_language_texts_fit); what is done to training texts only
 * is not done. Both texts of a pair go through it, each alone. Of words:
 *   - spans stay together as far as their words do: a part that is torn off begins a span;
 *   - a word that became several keeps its label on the first; the others go on with its span, or
 *     hang on the first as `goeswith` (or `flat`, or an unknown relation); other labels are none;
 *   - a word of several has the label of the one nearest to the root (of tags: of the first);
 *   - what hung on a word that is gone hangs on that one's head; the first of those that would all
 *     be roots is the root of the others.
 * IG_ERR_USAGE: no data of `from`, some of `to`, a transform that reads trees without them, spans
 * as BIOUL (call ig_task_use_bioul behind this). */
ig_code ig_task_add_words(ig_task *t, const char *from, const char *to, ig_word_pipeline *p,
                          ig_err *err);
