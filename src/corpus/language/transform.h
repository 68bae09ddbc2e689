/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms and pipelines. A transform turns a sequence of tokens into a sequence of tokens and
 * says which token of the one belongs to which of the other (links); running a pipeline composes
 * the links, so that the gold alignment of any two languages over one text is a composition through
 * that text. Lengths may differ, and a token may have no link or several. docs/adding.md tells
 * how to add one.
 */
#pragma once

#include "base/rng.h"
#include "isoglot/corpus.h"

#include <stddef.h>

enum { IG_PIPELINE_MAX = 16, IG_LINK_MAX = 2 * IG_SEQUENCE_MAX };

/* The content of one sequence (no [CLS], no [SEP]) and its links to what it was made from. */
typedef struct {
    int32_t n, n_link;
    int32_t id[IG_SEQUENCE_MAX];
    int32_t link[IG_LINK_MAX][2]; /* (place in the input, place here), sorted */
} ig_tokens;

struct ig_transform;
typedef struct {
    const struct ig_transform *kind;
    int64_t arg[2]; /* as the transform's parse left them; −1: to be chosen by attach */
    double share;   /* of transforms that take one */
    int nth;        /* which of the pipeline's transforms of this kind, from 0 */
} ig_step;

typedef struct {
    int n;
    ig_step step[IG_PIPELINE_MAX];
} ig_pipeline;

/* What a language may take from its corpus while its pipeline is attached. */
typedef struct {
    const ig_corpus_options *options;
    int32_t n_id;         /* pieces of the language's own vocabulary */
    int32_t next_id;      /* first id of the next free block of the model's vocabulary */
    int32_t shared_id;    /* first id of the block that this language shares, 0: none */
    int32_t n_positioned; /* languages with positions of their own so far */
} ig_attach;

/* What a step may look at while it runs. Random transforms draw from IG_STREAM_TRANSFORM of
 * options->seed with the sequence's number in the counter (ig_step_rng). */
typedef struct {
    const ig_corpus_options *options;
    const ig_language *language;   /* complete */
    int64_t sequence;              /* number of the sentence in the shard */
    const struct ig_shard *source; /* the shard */
    const int32_t *same;           /* ig_language_origin.same */
} ig_step_context;

/* NULL members do nothing. */
typedef struct ig_transform {
    const char *name;
    const char *args;    /* "" or the arguments as the documentation writes them */
    const char *summary; /* one line */
    bool once;           /* may stand in a pipeline once only */
    bool first;          /* works on the text's own ids: nothing that changes ids before it */
    /* Reads the text behind the colon (NULL: no colon). NULL member: takes no argument. */
    ig_code (*parse)(ig_step *s, const char *text, ig_err *err);
    /* Writes the argument in its normal form; nothing for the default. */
    void (*print)(const ig_step *s, char *out, size_t size);
    /* Changes the language as a whole. */
    ig_code (*attach)(const ig_step *s, ig_attach *a, ig_language *l, ig_err *err);
    /* Selects: how many sequences are left of n, and which of them i was (0 ≤ i < count). */
    int64_t (*count)(const ig_step *s, int64_t n);
    int64_t (*select)(const ig_step *s, int64_t n, int64_t i);
    /* What becomes of an id: −1 when it has no counterpart. Gives the dictionary and, where there
     * is no apply, the text. */
    int32_t (*map)(const ig_step *s, const ig_step_context *c, int32_t id);
    /* Fills out (tokens and links to `in`) with ig_tokens_push and ig_tokens_link. */
    void (*apply)(const ig_step *s, const ig_step_context *c, const ig_tokens *in, ig_tokens *out);
} ig_transform;

extern const ig_transform ig_transform_shift, ig_transform_specials, ig_transform_positions,
    ig_transform_invert, ig_transform_swap, ig_transform_permute, ig_transform_window,
    ig_transform_unigram, ig_transform_half, ig_transform_take;

extern const ig_transform ig_transform_segment, ig_transform_marker;

/* A [SEP] whose row the corpus gives it, behind all blocks. */
enum { IG_SEP_BEHIND = -2 };

/* NULL behind the last. */
const ig_transform *ig_transform_at(int i);

/* "shift | invert:paper-code | positions"; "" and NULL are the empty pipeline. `where` names the
 * language in messages. Where the text is part of another these begin with the place in that one,
 * of which `first` (from 1) is the text's first character. 0: no places. */
ig_code ig_pipeline_parse(ig_pipeline *out, const char *text, const char *where, int first,
                          ig_err *err);
/* The normal form: parsing it again gives the same pipeline. */
void ig_pipeline_print(const ig_pipeline *p, char *out, size_t size);

/* Number of sequences that are left of n, and the sentence that sequence i comes from. */
int64_t ig_pipeline_count(const ig_pipeline *p, int64_t n);
int64_t ig_pipeline_select(const ig_pipeline *p, int64_t n, int64_t i);
/* Turns the text's tokens into the language's; t->link then links the text with the result. */
void ig_pipeline_run(const ig_pipeline *p, const ig_step_context *c, ig_tokens *t);
int32_t ig_pipeline_map(const ig_pipeline *p, const ig_step_context *c, int32_t id);

/* Appends a token, false when there is no place left. */
bool ig_tokens_push(ig_tokens *t, int32_t id);
/* Appends a link; the order of calls does not matter. Links beyond the capacity are left out. */
void ig_tokens_link(ig_tokens *t, int32_t from, int32_t to);
/* A text's tokens: each linked with itself. Keeps the first `most` of n. */
void ig_tokens_set(ig_tokens *t, const int32_t *id, int32_t n, int32_t most);

/* A whole number alone, digits and nothing else, into arg[0]; false: it is none. And as `print`. */
bool ig_step_read_number(ig_step *s, const char *text);
void ig_step_print_number(const ig_step *s, char *out, size_t size);

/* The draws of a step for one sentence: its own for each language, kind and place among the
 * pipeline's steps of that kind, so no other step changes them. */
ig_rng ig_step_rng(const ig_step *s, const ig_step_context *c, int64_t sentence);
/* Uniform in [0, 1) for an id: the same in all sentences. */
double ig_step_id_unit(const ig_step *s, const ig_step_context *c, int32_t id);

/* One of the five special tokens, shared or the language's own? */
bool ig_is_special(const ig_step_context *c, int32_t id);
/* The same for an id of the text's own vocabulary, before any shift. */
bool ig_is_special_piece(const ig_corpus_options *o, int32_t id);
