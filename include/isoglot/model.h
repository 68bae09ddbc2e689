/* SPDX-License-Identifier: Apache-2.0
 *
 * A trained model and its states of sentences; a run from its file of settings to its measures, as
 * in `isoglot train` and `isoglot eval`.
 */
#ifndef ISOGLOT_MODEL_H
#define ISOGLOT_MODEL_H

#include "isoglot/error.h"
#include "isoglot/tokenizer.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ig_model ig_model;

typedef struct {
    bool lowercase; /* overrides tokenizer_config.json */
    int n_thread;   /* 0: as many as this process may use; the numbers are the same for any */
    const volatile sig_atomic_t *stop; /* non-zero stops work with IG_ERR_STOPPED; NULL: never */
    bool bfloat16; /* products in bfloat16: faster, states differ in the third digit; a CPU without
                    * them is IG_ERR_USAGE */
    const char *device; /* of this model and those opened after it: "cpu", "cuda", "cuda:1"; NULL:
                         * as before; IG_ERR_DEVICE: there is none */
} ig_model_options;

/* Opens a run's folder (its newest checkpoint), one of its checkpoints, or a BERT's folder as
 * Hugging Face writes it. Closed with ig_model_close. One thread at a time. */
ig_code ig_model_open(ig_model **out, const char *path, const ig_model_options *o, ig_err *err);
void ig_model_close(ig_model *m);

int32_t ig_model_size(const ig_model *m);       /* D */
int32_t ig_model_depth(const ig_model *m);      /* L; layers are 0 (embeddings) to L */
int32_t ig_model_n_language(const ig_model *m); /* at least 1 */
/* "" where the folder does not name it. */
const char *ig_model_language_name(const ig_model *m, int32_t language);
/* Borrowed. */
const ig_tokenizer *ig_model_tokenizer(const ig_model *m);

/* One vector of a sentence's states. */
typedef enum {
    IG_POOL_MEAN,    /* their mean over its pieces, without [CLS] and [SEP] (Dufter & Schütze 2020,
                      * §2.2); of a sentence without pieces the mean over [CLS] and [SEP] */
    IG_POOL_CLS,     /* that of [CLS] */
    IG_POOL_LAST,    /* that of its last piece; without pieces of [SEP] */
    IG_POOL_WEIGHTED /* the mean weighted by position, piece t by t (Muennighoff 2022) */
} ig_pooling;

typedef struct {
    const char *language; /* the language of the sentences; NULL: the first; another name is
                           * IG_ERR_USAGE */
    const int *layer;     /* [n_layer] ascending */
    int n_layer;
    ig_pooling pool;
} ig_encode_options;

/* n sentences, NUL-terminated UTF-8, into out [n_layer, n, D]. *n_cut (may be NULL): how many were
 * cut at the model's last position. */
ig_code ig_model_encode(ig_model *m, float *out, const char *const *text, int64_t n,
                        const ig_encode_options *o, int64_t *n_cut, ig_err *err);

/* The states of every piece, without [CLS] and [SEP]: *out [first[n], n_layer, D], freed with
 * ig_free; sentence i has pieces first[i] to first[i + 1] − 1. first[n + 1]; o->pool is not read.
 */
ig_code ig_model_encode_tokens(float **out, int64_t *first, ig_model *m, const char *const *text,
                               int64_t n, const ig_encode_options *o, ig_err *err);

/* Gives the parallel sentences of two languages of a run's own development text, as the run reads
 * them: *out [n_layer, 2, n, D], freed with ig_free. o->language: "en,de"; NULL: the first two.
 * most: the first `most` pairs; 0: all. A model that is no run is IG_ERR_INPUT or IG_ERR_IO, and so
 * are texts that are not parallel. */
ig_code ig_model_encode_pairs(float **out, int64_t *n, ig_model *m, const ig_encode_options *o,
                              int64_t most, ig_err *err);

/* Trains the run that a file of settings describes (YAML or JSON; the options of `isoglot train`)
 * in the folder `out`, or resumes it. stop (may be NULL) as above; a stopped run is saved. */
ig_code ig_model_train(const char *settings, const char *out, const volatile sig_atomic_t *stop,
                       ig_err *err);
/* Does so for settings as text, whose relative paths are relative to the working folder. */
ig_code ig_model_train_text(const char *settings, const char *out,
                            const volatile sig_atomic_t *stop, ig_err *err);
/* Measures a run's folder or checkpoint: JSON text, that of `isoglot eval --json`; freed with
 * ig_free. */
ig_code ig_model_measure(char **json, const char *dir, ig_err *err);

#ifdef __cplusplus
}
#endif

#endif
