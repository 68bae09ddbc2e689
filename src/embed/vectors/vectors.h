/* SPDX-License-Identifier: Apache-2.0
 *
 * Word vectors: words with a row of float32 each, in memory, and the files that other programs
 * exchange them in. A word that is repeated, empty, too long, not UTF-8 or has control characters
 * is left out with its row, and a warning counts and names such words. A wrong count, a row of
 * another length, a value that is not a finite number, a file that ends within a row are errors
 * that name file and line (binary files: the number of the word), unless these are left out,
 * too. docs/embeddings.md has the formats.
 */
#pragma once

#include "base/file.h"
#include "base/strings/lexicon.h"
#include "base/threads/team.h"
#include "isoglot/error.h"

#include <stdint.h>

enum { IG_VECTORS_DIM_MAX = 1 << 16 };

typedef enum {
    IG_VEC_AUTO,     /* reading: detected from the file's first bytes; writing: from its name */
    IG_VEC_TEXT,     /* "N D", then N rows of text: fastText .vec, word2vec text */
    IG_VEC_PLAIN,    /* rows of text without a header: GloVe */
    IG_VEC_BINARY,   /* "N D", then a word, a space, D little-endian float32: word2vec binary */
    IG_VEC_FASTTEXT, /* a fastText model; its words' vectors. Read only:
                      * embed/vectors/fasttext_model.h writes */
    IG_VEC_N
} ig_vec_format;
extern const char *const ig_vec_format_names[]; /* auto text plain binary fasttext, NULL */

/* Zeroed: empty. Freed with ig_vectors_free. Words are in the file's order (all programs write the
 * most frequent first). */
typedef struct {
    ig_lexicon words;
    int32_t n; /* words.n */
    int d;
    float *x; /* [n, d], 64-byte aligned */
} ig_vectors;

/* Moves w into *out, leaving it empty, and allocates n·d floats for the caller to fill. */
ig_code ig_vectors_new(ig_vectors *out, ig_lexicon *w, int d, ig_err *err);
void ig_vectors_free(ig_vectors *v);

typedef struct {
    ig_vec_format format;
    /* Words to keep at most (0: all; the count of a file that is not read to its end is not
     * checked). */
    int64_t max_word;
    bool skip_bad; /* damaged rows are left out and counted, as are bad words */
} ig_vec_how;
/* The file may be compressed (corpus/read/whole_file.h). A NULL team: one thread; the result is the
 * same. */
ig_code ig_vectors_read(ig_vectors *out, const char *path, ig_vec_how how, ig_team *team,
                        ig_err *err);
typedef struct {
    const uint8_t *data;
    int64_t size;
    const char *where; /* names it in messages */
} ig_vec_memory;
/* Reads vectors from memory. */
ig_code ig_vectors_parse(ig_vectors *out, const ig_vec_memory *file, ig_vec_how how, ig_team *team,
                         ig_err *err);
/* IG_ERR_NUMERIC when a value is not a finite number: every writer checks before its first byte. */
ig_code ig_vectors_check(const ig_vectors *v, const char *where, ig_err *err);
/* Checks whether the format, or the one that AUTO derives from the name, can hold the words: none
 * of the binary format has a blank. */
ig_code ig_vectors_fit(const ig_vectors *v, const char *path, ig_vec_format format, ig_err *err);
/* AUTO: .bin is IG_VEC_BINARY, .txt is IG_VEC_PLAIN, everything else IG_VEC_TEXT. Text values are
 * the shortest decimals that read back as the same float. */
ig_code ig_vectors_write(const ig_vectors *v, const char *path, ig_vec_format format, ig_err *err);
/* Writes into a file that is already open and stays open. */
ig_code ig_vectors_put(const ig_vectors *v, ig_out *out, ig_vec_format format, ig_err *err);

/* Detects a format, never AUTO itself. An empty file is IG_VEC_TEXT. */
ig_vec_format ig_vectors_detect(const uint8_t *data, int64_t size);

static inline float *ig_vectors_row(const ig_vectors *v, int32_t i)
{
    return v->x + (int64_t)i * v->d;
}
