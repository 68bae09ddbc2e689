/* SPDX-License-Identifier: Apache-2.0
 *
 * Hidden states of sentences in a safetensors file, by whatever program computed them: the tensor
 * "states" [text, layer, hidden], layer 0 the embeddings, a vector a text and layer; and ids of the
 * texts, which need not be there: a tensor "ids" [text] of integers, or "ids" in the metadata, a
 * line each. docs/formats.md.
 */
#pragma once

#include "apply/named_texts.h"
#include "apply/text_vectors.h"
#include "base/file.h"

typedef struct {
    const ig_named_text *file; /* [n] at most IG_NAMED_TEXTS_MAX */
    int n;
    const ig_named_text *text; /* [n_text] of languages of the files: their sentences; 0: none */
    int n_text;
    int64_t take;   /* the first so many; 0: all */
    int64_t least;  /* that are needed */
    bool unrelated; /* they are no translations */
    bool parallel;  /* they must be */
    bool models;    /* the files may be of different models, the first of another's language */
} ig_states_files;

/* Zeroed: nothing. */
typedef struct {
    int n;
    ig_text_vectors of[IG_NAMED_TEXTS_MAX];
    ig_texts texts;  /* as many sentences as vectors; none where no text was given */
    bool parallel;   /* row i of each is a translation of the others' … */
    bool in_order;   /* … and so is text i of each file */
    char model[128]; /* "model" in the metadata of the first, or its path */
} ig_file_states;

/* Files with ids are joined by them, in the order of the first; others are parallel by row where
 * all have as many. IG_ERR_INPUT: no such tensor, another shape or number of layers, ids in some
 * files only, an id twice, a text with another number of sentences; IG_ERR_NUMERIC: a state that is
 * not finite. Freed with ig_file_states_free, also after an error. */
ig_code ig_file_states_read(ig_file_states *out, const ig_states_files *o, ig_err *err);
void ig_file_states_free(ig_file_states *f);

/* A file that is written text by text. */
typedef struct {
    const char *model; /* of the metadata */
    int n_layer, d;
    int64_t n;       /* texts so far */
    int64_t *id;     /* [n] */
    int64_t have_id; /* the caller frees id */
} ig_states_writer;
/* Begins at the beginning of the file; after the last text once more, with the numbers then known;
 */
ig_code ig_states_file_header(const ig_states_writer *w, ig_out *out, ig_err *err);
/* a text's states in between, layer[n_layer] each [d]; and the ids before the header is completed.
 */
ig_code ig_states_file_put(ig_states_writer *w, ig_out *out, const float *const *layer, int64_t id,
                           ig_err *err);
ig_code ig_states_file_end(const ig_states_writer *w, ig_out *out, ig_err *err);
