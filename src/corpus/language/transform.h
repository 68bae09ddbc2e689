/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms and pipelines. A transform maps a sequence of tokens to another one and records which
 * tokens correspond (links); running a pipeline composes the links, so that the gold alignment of
 * any two languages over one text is a composition through that text. Lengths may differ, and a
 * token may have no link or several. docs/adding.md says how to add one.
 */
#pragma once

#include "base/rng.h"
#include "corpus/words/pipeline_text.h"
#include "isoglot/corpus.h"

#include <stddef.h>

enum { IG_PIPELINE_MAX = 16, IG_LINK_MAX = 2 * IG_SEQUENCE_MAX };

/* The content of one sequence (no [CLS], no [SEP]) and its links to the sequence it was made
 * from. */
typedef struct {
    int32_t n, n_link;
    int32_t id[IG_SEQUENCE_MAX];
    int32_t link[IG_LINK_MAX][2]; /* (position in the input, position here), sorted */
} ig_tokens;

struct ig_transform;
typedef struct {
    const struct ig_transform *kind;
    double number[IG_STEP_ARGS];
    int nth; /* which of the pipeline's transforms of this kind, from 0 */
} ig_step;

typedef struct {
    int n;
    ig_step step[IG_PIPELINE_MAX];
} ig_pipeline;

/* Resources of a corpus for a language while its pipeline is attached. */
typedef struct {
    const ig_corpus_options *options;
    int32_t n_id;         /* pieces of the language's own vocabulary */
    int32_t next_id;      /* first id of the next free block of the model's vocabulary */
    int32_t shared_id;    /* first id of the block that this language shares, 0: none */
    int32_t n_positioned; /* languages with positions of their own so far */
} ig_attach;

/* The inputs of a running step. Random transforms draw from IG_STREAM_TRANSFORM of options->seed
 * with the sequence's number in the counter (ig_step_rng). */
typedef struct {
    const ig_corpus_options *options;
    const ig_language *language;   /* complete */
    int64_t sequence;              /* number of the sentence in the shard */
    const struct ig_shard *source; /* the shard */
    const int32_t *same;           /* ig_language_spec.same */
} ig_step_context;

/* A member that is NULL does nothing. */
typedef struct ig_transform {
    const char *name;
    const char *summary;           /* one line */
    ig_step_arg arg[IG_STEP_ARGS]; /* numbers and choices */
    bool once;                     /* may occur in a pipeline only once */
    bool first; /* works on the text's own ids: no step that changes ids may precede it */
    /* Changes the language as a whole. */
    ig_code (*attach)(const ig_step *s, ig_attach *a, ig_language *l, ig_err *err);
    /* Selects sequences: how many of n are left, and which of them is i (0 ≤ i < count). */
    int64_t (*count)(const ig_step *s, int64_t n);
    int64_t (*select)(const ig_step *s, int64_t n, int64_t i);
    /* Maps an id: −1 if it has no counterpart. Defines the dictionary and, without apply, the
     * text. */
    int32_t (*map)(const ig_step *s, const ig_step_context *c, int32_t id);
    /* Fills out (tokens and links to `in`) with ig_tokens_push and ig_tokens_link. */
    void (*apply)(const ig_step *s, const ig_step_context *c, const ig_tokens *in, ig_tokens *out);
} ig_transform;

extern const ig_transform ig_transform_shift, ig_transform_specials, ig_transform_positions,
    ig_transform_invert, ig_transform_swap, ig_transform_permute, ig_transform_window,
    ig_transform_unigram, ig_transform_half, ig_transform_take;

extern const ig_transform ig_transform_segment, ig_transform_marker,
    ig_transform_deterministic_shuffle, ig_transform_local_shuffle, ig_transform_even_odd_shuffle,
    ig_transform_reverse;

/* Marks a token to which the corpus assigns a row after all blocks. */
enum { IG_ROW_LAST = -2 };

/* Returns NULL after the last. */
const ig_transform *ig_transform_at(int i);

/* Parses "shift | invert:paper-code | positions"; "" and NULL are the empty pipeline. `where` names
 * the language in messages. If the text is part of another, messages begin with the position in
 * that one, of which `first` (from 1) is the text's first character. 0: no positions. */
ig_code ig_pipeline_parse(ig_pipeline *out, const char *text, const char *where, int first,
                          ig_err *err);
/* Writes the normal form: parsing it again gives the same pipeline. */
void ig_pipeline_print(const ig_pipeline *p, char *out, size_t size);

/* Return the number of sequences that are left of n, and the sentence that sequence i comes
 * from. */
int64_t ig_pipeline_count(const ig_pipeline *p, int64_t n);
int64_t ig_pipeline_select(const ig_pipeline *p, int64_t n, int64_t i);
/* Turns the text's tokens into the language's; t->link then links the text with the result. */
void ig_pipeline_run(const ig_pipeline *p, const ig_step_context *c, ig_tokens *t);
int32_t ig_pipeline_map(const ig_pipeline *p, const ig_step_context *c, int32_t id);

/* Appends a token; false if it does not fit. */
bool ig_tokens_push(ig_tokens *t, int32_t id);
/* Appends a link, in any order. Links beyond the capacity are dropped. */
void ig_tokens_link(ig_tokens *t, int32_t from, int32_t to);
/* Sets a text's tokens, each linked with itself. Keeps the first `most` of n. */
void ig_tokens_set(ig_tokens *t, const int32_t *id, int32_t n, int32_t most);

/* Returns the generator of a step for one sentence, which is independent for each language, kind
 * and index among the pipeline's steps of that kind, so no other step changes its draws. */
ig_rng ig_step_rng(const ig_step *s, const ig_step_context *c, int64_t sentence);
/* Returns a number uniform in [0, 1) for an id: the same in all sentences. */
double ig_step_id_unit(const ig_step *s, const ig_step_context *c, int32_t id);

/* Returns whether an id is one of the five special tokens, shared or the language's own. */
bool ig_is_special(const ig_step_context *c, int32_t id);
/* Returns whether an id of the text's own vocabulary, before any shift, is one. */
bool ig_is_special_piece(const ig_corpus_options *o, int32_t id);
