/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors of a run's own pieces for each language, in one space, as Dufter & Schütze 2020 (§4) make
 * them: fastText on each language's sequences, then VecMap without supervision. Each step is kept
 * in a folder under its address, the SHA-256 of all that went into it:
 *
 *   vectors-<address>.bin    of one language (words as in the model's vocabulary: "::piece")
 *   mapped-<address>-K.bin   of language K, with the others in one space
 *   mapped-<address>.json    what the mapping was like
 *
 * Two languages are mapped by VecMap's whole pipeline; of more, each is mapped orthogonally onto
 * the first.
 */
#pragma once

#include "base/sha256.h"
#include "base/threads/team.h"
#include "embed/vectors/vectors.h"
#include "run/run_config.h"

enum { IG_KNN_ADDRESS = 17 };

/* For addresses: adds a text with its NUL; ends the digest, or gives it up where `code` is an
 * error, which is returned. */
ig_code ig_knn_hash_text(ig_sha256 *h, const char *text, ig_err *err);
ig_code ig_knn_hash_end(ig_sha256 *h, char address[IG_KNN_ADDRESS], ig_code code, ig_err *err);

typedef struct {
    const ig_corpus *corpus;
    const char *const *pieces; /* of the whole vocabulary */
    const char *folder;
    ig_team *team;
    int dim, epochs;
    int64_t min_count;
} ig_knn_space;

/* The address of the mapped space, and of each language's vectors: a pass over the sequences. */
ig_code ig_knn_space_address(char mapped[IG_KNN_ADDRESS], char (*vectors)[IG_KNN_ADDRESS],
                             const ig_knn_space *s, ig_err *err);
/* Makes what is missing of it, and reads it: v[n_language], each to be freed, also after an error.
 * Under a lock that keeps others from doing the same. */
ig_code ig_knn_space_make(ig_vectors *v, const ig_knn_space *s, const char *mapped,
                          char (*vectors)[IG_KNN_ADDRESS], ig_err *err);
