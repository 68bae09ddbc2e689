/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms of words before tokenization ("codepoints | invert | drop:20"); each step keeps track
 * of the part of the text that a word comes from. Transforms after the tokenizer are in
 * corpus/language/transform.h. docs/languages.md has the list, docs/adding.md says how to add one.
 *
 * A pipeline is parsed, started (files are read), fitted on the training text if a step counts
 * words (ig_word_pipeline_see, once for each such step), and then applied to sentences in any
 * order. Random draws come from IG_STREAM_TRANSFORM of the seed and are keyed by language, kind
 * and sentence, or by language, kind and word.
 */
#pragma once

#include "base/rng.h"
#include "corpus/phrase.h"
#include "corpus/words/pipeline_text.h"

enum { IG_WORD_STEPS = 16, IG_WORD_BYTES = 1024 };

struct ig_word_transform;

typedef struct {
    const struct ig_word_transform *kind;
    double number[IG_STEP_ARGS];
    char file[IG_FILE_NAME]; /* the name of a file; "" none */
    int nth;                 /* which of the pipeline's steps of this kind, from 0 */
    ig_rng_key key;          /* set by ig_word_pipeline_begin */
    uint32_t own;
    void *state;
} ig_word_step;

typedef struct {
    int n;
    ig_word_step step[IG_WORD_STEPS];
    bool development;  /* the text is for measuring: steps for training texts only are skipped */
    ig_phrase work[2]; /* scratch memory of ig_word_pipeline_run */
} ig_word_pipeline;

/* Receives the content of the file that a step's argument names; IG_ERR_USAGE for an unknown
 * name. */
typedef ig_code ig_pair_fn(void *arg, const char *word, const char *translation, ig_err *err);
typedef ig_code ig_tree_fn(void *arg, const ig_phrase *sentence, ig_err *err);
typedef struct {
    /* Calls `each` for every pair of a bilingual dictionary, in the order of the file. */
    ig_code (*dictionary)(void *arg, const char *name, ig_pair_fn *each, void *each_arg,
                          ig_err *err);
    /* Calls `each` for every sentence of a treebank. */
    ig_code (*treebank)(void *arg, const char *name, ig_tree_fn *each, void *each_arg, ig_err *err);
    void *arg;
} ig_file_finder;

/* A member that is NULL does nothing. */
typedef struct ig_word_transform {
    const char *name, *summary;
    ig_step_arg arg[IG_STEP_ARGS];
    bool trees;         /* reads the tree of a sentence */
    bool agreement;     /* and the number that verbs agree in */
    bool training_only; /* leaves no sentence to measure: development texts stay unchanged */
    size_t state_size;  /* bytes of `state`, zeroed before `begin`, freed after `free`; 0: NULL */
    ig_code (*begin)(ig_word_step *s, const ig_file_finder *files, ig_err *err);
    /* Receives every sentence of the training text after the preceding steps; then `ready` is
     * called. */
    ig_code (*see)(ig_word_step *s, const ig_phrase *in, ig_err *err);
    ig_code (*ready)(ig_word_step *s, ig_err *err);
    /* Appends to `out`, which has no words and the tree of `in`. */
    ig_code (*apply)(const ig_word_step *s, int64_t sentence, const ig_phrase *in, ig_phrase *out,
                     ig_err *err);
    /* Without `apply`: appends what becomes of word i. `r`: the generator of the sentence, for
     * draws in the order of its words. */
    ig_code (*word)(const ig_word_step *s, ig_rng *r, const ig_phrase *in, int32_t i,
                    ig_phrase *out, ig_err *err);
    /* Maps a word type, if every token of it becomes the same: false if not, or if it becomes
     * nothing. `piece`: a part of a word instead of a whole one. NULL: it is unchanged.
     * out[IG_WORD_BYTES]. */
    bool (*map)(const ig_word_step *s, const char *word, bool piece, char *out);
    void (*free)(ig_word_step *s);
} ig_word_transform;

extern const ig_word_transform ig_word_codepoints, ig_word_cipher, ig_word_affix,
    ig_word_homographs, ig_word_drop, ig_word_switch, ig_word_split, ig_word_merge, ig_word_unigram,
    ig_word_ngrams, ig_word_invert, ig_word_swap, ig_word_permute, ig_word_window,
    ig_word_head_final, ig_word_order_like, ig_word_hop;

/* Returns NULL after the last. */
const ig_word_transform *ig_word_transform_at(int i);

/* Parses "codepoints | invert"; "" and NULL are the empty pipeline. `where` names the language,
 * `first` is the position of the text's first character in the text that messages refer to (1: the
 * text itself). Freed in any case with ig_word_pipeline_free. */
ig_code ig_word_pipeline_parse(ig_word_pipeline *p, const char *text, const char *where, int first,
                               ig_err *err);
ig_code ig_word_pipeline_begin(ig_word_pipeline *p, uint64_t seed, const char *language,
                               const ig_file_finder *files, ig_err *err);
/* Returns the first step from `from` on that has to see the training text; p->n: none. */
int ig_word_pipeline_sees(const ig_word_pipeline *p, int from);
/* Passes a sentence of the training text to step `step`; ends its training text. */
ig_code ig_word_pipeline_see(ig_word_pipeline *p, int step, int64_t sentence, const ig_phrase *in,
                             ig_err *err);
ig_code ig_word_pipeline_ready(ig_word_pipeline *p, int step, ig_err *err);
/* Transforms the words of sentence number `sentence`; *out points into the pipeline, until the next
 * call. It has a word if `in` has one. */
ig_code ig_word_pipeline_run(ig_word_pipeline *p, int64_t sentence, const ig_phrase *in,
                             const ig_phrase **out, ig_err *err);
bool ig_word_pipeline_map(const ig_word_pipeline *p, const char *word, bool piece, char *out);
void ig_word_pipeline_free(ig_word_pipeline *p);

/* Returns the first step that reads trees, or the number that verbs agree in; NULL: none does. */
const ig_word_transform *ig_word_pipeline_trees(const ig_word_pipeline *p);
const ig_word_transform *ig_word_pipeline_agreement(const ig_word_pipeline *p);

/* For the steps: return the generator for a sentence; a number in [0, 1) for a word, the same
 * everywhere. */
ig_rng ig_word_step_rng(const ig_word_step *s, int64_t sentence);
double ig_word_step_unit(const ig_word_step *s, const char *word, uint32_t use);
