/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations shared by the files of instances: the parts of sequences.
 */
#pragma once

#include "corpus/batch/instances.h"
#include "corpus/read/sentences.h"

/* The position of a token in a stream of sentences. */
typedef struct {
    int32_t sentence, skip; /* tokens of it before */
} ig_window_place;

/* The windows of one language. */
typedef struct {
    ig_window_place *start; /* [n] */
    int64_t n;
} ig_windows;

/* A range of tokens that begins in a sentence and continues with the next ones. */
typedef struct {
    int32_t sentence, skip, n;
} ig_stretch;

typedef struct {
    ig_stretch part[2];
    int16_t second_language;
    bool random; /* the second part does not follow the first */
} ig_pair;

/* The pairs of one language, of copy 0, 1, … */
typedef struct {
    ig_pair *pair;
    int64_t n, have;
    int64_t *first; /* [copies + 1] */
} ig_pairs;

/* Names what is read in place of a sentence: sequence `sentence` of a language. */
typedef struct {
    int32_t language, sentence;
} ig_said;

struct ig_instances {
    const ig_corpus *corpus;
    ig_batch_options options;
    uint64_t seed;
    int32_t block, copies;
    int n_language;
    ig_windows *stream; /* [n_language] or NULL */
    ig_pairs *pairs;    /* [n_language] or NULL */
    struct {
        int32_t *pair; /* [n, 2] the parallel sequences of both languages */
        int64_t n;
    } tlm[IG_TLM_MAX];
    ig_said **said; /* [n_language] each [sequences], of documents that mix languages; NULL: none */
};

/* Marks uses of a sentence with other draws than the sentence by itself. */
enum { IG_USE_RANDOM_NEXT = 1u << 31 }; /* in ig_token_key.sequence */

/* The position in a sequence where the next token is written. */
typedef struct {
    const ig_instance_room *room;
    int32_t n;       /* tokens so far */
    int32_t pos0;    /* position in the sequence that counts as position 0 */
    int32_t segment; /* added to the language's */
    int32_t keep;    /* tokens of a sentence that transforms see */
    uint32_t use;    /* for the keys' sequence */
    uint32_t group;  /* for the keys' language: 0, or the number of a pair of languages */
} ig_writer;

/* Writes [CLS], [SEP] and other tokens without draws. */
void ig_write_special(const ig_instances *x, ig_writer *w, int language, int32_t id);
/* Writes tokens `skip` .. `skip` + most − 1 of the content of a sentence, up to its end; returns
 * their number. */
int32_t ig_write_content(const ig_instances *x, ig_writer *w, int language, int64_t sentence,
                         int32_t skip, int32_t most);
/* Returns the number of tokens of the content of a sentence that was not truncated. */
int32_t ig_sentence_length(const ig_instances *x, int language, int64_t sentence);

ig_code ig_windows_make(ig_windows *s, const ig_instances *x, int language, ig_err *err);
void ig_windows_write(const ig_instances *x, ig_writer *w, int language, int64_t window);

/* Returns what a stream of a language reads in place of its sentence i. */
static inline ig_said ig_said_of(const ig_instances *x, int language, int64_t i)
{
    return x->said != NULL ? x->said[language][i] : (ig_said){language, (int32_t)i};
}
/* Chooses it. */
ig_code ig_mixed_make(ig_instances *x, ig_err *err);

/* Makes the pairs of all languages and copies. */
ig_code ig_pairs_make(ig_instances *x, ig_err *err);
void ig_pairs_write(const ig_instances *x, ig_writer *w, int language, int64_t i);
