/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of word retrieval (run/measure/word_retrieval.h): pairs of a word of
 * the first language and its translation, with the word's part of speech where that is known. They
 * come from
 *
 *   - the language's `gold` file (MUSE's form), spelt as the transforms of words spell them, with
 *     the tags of the first language's `tags` treebank: each word has the tag that its lower case
 *     has most often there (Liu et al. 2020, "What makes", §2.5, use OntoNotes);
 *   - else, where both languages say the same sentences (languages of one generated world, or of
 *     one text), from these: two words are a pair when they come from the same word of the text or
 *     node of the tree. Tags are the world's or the treebank's. Punctuation is no word.
 */
#pragma once

#include "embed/search/dictionary.h"
#include "run/run_config.h"

typedef char ig_word_tag[12]; /* NOUN, VERB, …: universal part-of-speech tags; "": not known */

typedef struct {
    ig_dictionary pairs; /* each once, in the order in which they were met */
    ig_word_tag *tag;    /* [pairs.word[0].n] */
} ig_word_pairs;

/* Makes pairs of language 0 with language b, from the training text (its first `take` sentences; 0:
 * all). Reads texts. IG_ERR_USAGE if a language has no dictionary. Freed with ig_word_pairs_free,
 * also after an error. */
ig_code ig_word_pairs_make(ig_word_pairs *out, const ig_data_settings *settings, int64_t take,
                           int b, ig_err *err);
void ig_word_pairs_free(ig_word_pairs *p);

/* [["word", "translation", "NOUN"], …]; null for a tag that is not known. NULL: no memory. */
json_t *ig_word_pairs_json(const ig_word_pairs *p);

/* The paper's groups, which may overlap; IG_WORD_GROUPS of them. */
enum { IG_WORD_GROUPS = 6 };
extern const char *const ig_word_group_names[]; /* open closed noun verb adverb adjective */
bool ig_word_in_group(const char *tag, int group);
