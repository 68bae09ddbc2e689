/* SPDX-License-Identifier: Apache-2.0
 *
 * The task of a language that is another's text through transforms of words: the same examples in
 * its words, with the labels, heads and parts of speech of the words they come from.
 *
 * This is for transforms before the tokenizer (corpus/words/word_step.h: codepoints, invert, drop,
 * …). Those after it, Fake by index ("shift") and a language's own order among them
 * (corpus/language/transform.h), work on the pieces of a sequence and leave the words of a task
 * unchanged.
 */
#pragma once

#include "corpus/words/word_step.h"
#include "task/task.h"

/* Adds to a task, for every split of language `from`, one of language `to`. The pipeline is
 * started, and fitted if a step counts words (ig_language_texts_fit); steps for training texts only
 * are skipped. Both texts of a pair are transformed, each alone. Of words:
 *  - spans stay together as far as their words do: a part that is separated begins a span;
 *  - a word that became several keeps its label on the first; the others continue its span, or
 *    depend on the first as `goeswith` (or `flat`, or an unknown relation); other labels are none;
 *  - a word of several has the label of the one nearest to the root (of tags: of the first);
 *  - dependents of a removed word depend on its head; if several would be roots, the first is
 *    the root of the others.
 * IG_ERR_USAGE: no data of `from`, some of `to`, a transform that reads trees without them or
 * the number of verbs, which a task does not have, spans as BIOUL (ig_task_use_bioul is called
 * after this). */
ig_code ig_task_add_words(ig_task *t, const char *from, const char *to, ig_word_pipeline *p,
                          ig_err *err);
