/* SPDX-License-Identifier: Apache-2.0
 *
 * The hidden states of sentences in any model: sentences go in one after another, each in one of
 * the model's languages, and come out in the same order with their states. They are computed many
 * at a time, without padding, in memory that does not grow with the text.
 */
#pragma once

#include "base/threads/stop.h"
#include "model/engine/engine.h"
#include "apply/encoder.h"
#include "apply/model_languages.h"
#include "text/tokenizer/unknown_pieces.h"

typedef struct ig_states ig_states;

typedef struct {
    const char *model; /* a run, one of its checkpoints, or a Hugging Face BERT's folder */
    bool lowercase;    /* overrides tokenizer_config.json */
    bool bare;         /* also a model whose tokenizer has no [CLS] or no [SEP] (encoder.h) */
    bool fresh;        /* all weights random, by `seed` */
    uint64_t seed;
    const int *layer; /* [n_layer] ascending, 0 (embeddings) to L */
    int n_layer;      /* 0: no states */
    ig_inner inner;   /* in place of states, of blocks `layer` (model/engine/engine.h): rows are of
                       * that width */
    bool all_layers;  /* instead of layer: 0 to L */
    bool likeliest;   /* the likeliest piece at each token, which is not masked */
    int n_thread;     /* 0: all processors; the same numbers for any */
    const char *device;     /* of all models from now on, as ig_device_choose; NULL: as it is */
    ig_precision precision; /* of operands of matrix products */
    int32_t most_token;     /* of a sentence, with [CLS] and [SEP]; 0: as many as positions */
    bool allow_unknown;     /* else a file with too many unknown pieces is an error */
    ig_stop stop;           /* polled between batches */
} ig_states_options;

/* One sentence: [CLS], its pieces, [SEP], of which a model may have one or neither. Valid during
 * the call. */
typedef struct {
    int64_t number; /* of the sentence, from 0 */
    int language;   /* of the model */
    bool cut;       /* it had more pieces than the model has positions */
    int32_t n_token;
    int32_t first, n_own;       /* the text's own tokens: first .. first + n_own − 1 */
    const int32_t *id;          /* [n_token] of the model's vocabulary */
    const bool *special;        /* [n_token] [CLS] and [SEP], which the text does not have */
    const float *const *states; /* [n_layer] each [n_token, D] of a requested layer, row by row */
    const int32_t *likeliest;   /* [n_token] of the model's vocabulary; NULL: not requested */
} ig_sentence_states;
typedef ig_code ig_states_fn(void *arg, const ig_sentence_states *s, ig_err *err);

/* A layer that the model does not have is IG_ERR_USAGE; `likeliest` of a model without the head of
 * masked words IG_ERR_INPUT. Closed with ig_states_close. */
ig_code ig_states_open(ig_states **out, const ig_states_options *o, ig_err *err);
/* Objects that are open already, all borrowed; o->model and threads are not read. Languages NULL:
 * those of the corpus; both NULL: batches alone. Tokenizer NULL: sentences come as tokens alone. */
typedef struct {
    ig_engine *engine;
    ig_bert *model;
    ig_team *team;
    ig_tokenizer *tokenizer;
    const ig_model_languages *languages;
    const ig_corpus *corpus;
} ig_states_parts;
ig_code ig_states_over(ig_states **out, const ig_states_options *o, const ig_states_parts *parts,
                       ig_err *err);
void ig_states_close(ig_states *s);
/* All weights are random from now on, by the seed; no sentence is waiting. */
ig_code ig_states_draw(ig_states *s, uint64_t seed, ig_err *err);

/* The model with its tokenizer, its languages, the team of threads; the requested layers. */
const ig_encoder *ig_states_encoder(const ig_states *s);
const ig_model_languages *ig_states_languages(const ig_states *s);
ig_team *ig_states_team(ig_states *s);
int ig_states_layers(const ig_states *s, const int **layer);
/* Others from now on, as in ig_states_options, NULL: all; no sentence is waiting. */
ig_code ig_states_set_layers(ig_states *s, const int *layer, int n_layer, ig_err *err);
void ig_states_set_most(ig_states *s, int32_t most_token);

/* A batch as it is, in the place of sentences: its states at the layers, each [n_tok, D], until the
 * next call; */
ig_code ig_states_encode(const float *const **out, ig_states *s, const ig_batch *b, ig_err *err);
/* the results of a head for its targets. One that is not a number is IG_ERR_NUMERIC. */
ig_code ig_states_predict(ig_head_result *out, ig_states *s, const ig_batch *b, ig_head_kind head,
                          ig_err *err);

/* Changes of the states from now on, as ig_engine_set_edits has them; no sentence is waiting. */
ig_code ig_states_set_edits(ig_states *s, const ig_edit *edit, int n, ig_err *err);

/* A text of n bytes as a sentence of a language. */
typedef struct {
    int language;
    int64_t number;
    const char *text;
    int64_t n;
} ig_states_sentence;
/* Tokens of a text in the language, without [CLS] and [SEP]: linked with the text's pieces, and
 * *cut where it had more than there are positions. Valid until the next call. */
ig_code ig_states_tokens(const ig_tokens **out, bool *cut, ig_states *s,
                         const ig_states_sentence *of, ig_err *err);

/* The unknown pieces of texts from now on are counted there (NULL: not); what was counted of one is
 * checked as o->allow_unknown says. */
void ig_states_watch(ig_states *s, ig_unknown_pieces *u);
ig_code ig_states_watched(const ig_states *s, const ig_unknown_pieces *u, const char *path,
                          ig_err *err);

/* Where sentences go from now on; numbers begin at 0. */
void ig_states_begin(ig_states *s, ig_states_fn *fn, void *arg);
/* Where the next sentence stands, for messages, until sentences end. */
void ig_states_at(ig_states *s, const char *path, uint64_t line);
/* One sentence, `text` of n bytes. A batch that is full runs: fn is called for its sentences. */
ig_code ig_states_put(ig_states *s, int language, const char *text, int64_t n, ig_err *err);
/* Adds n pieces between [CLS] and [SEP] of the language, where it has them; a sentence without any
 * token is IG_ERR_INPUT. At most ig_states_room pieces fit. */
ig_code ig_states_put_pieces(ig_states *s, int language, const int32_t *id, int32_t n, ig_err *err);
int32_t ig_states_room(const ig_states *s, int language);
/* Adds n tokens as a corpus has them: [CLS] … [SEP] of the language. */
ig_code ig_states_put_tokens(ig_states *s, int language, const int32_t *id, int32_t n, ig_err *err);
/* Adds sequence i of a corpus's language. */
ig_code ig_states_put_sequence(ig_states *s, const ig_corpus *c, int language, int64_t i,
                               ig_err *err);
/* Runs what is waiting. */
ig_code ig_states_end(ig_states *s, ig_err *err);

/* Where the sentences of a language come from: a file, a line each (corpus/read/text_source.h;
 * blank lines are none), or (path NULL) a corpus, its sequences. */
typedef struct {
    const char *name; /* of the language, for messages */
    const char *path;
    const ig_corpus *corpus;
    int language; /* of the model, and of the corpus */
    int64_t take; /* the first so many; 0: all */
} ig_states_source;
static inline ig_states_source ig_states_of_corpus(const ig_corpus *c, int language, int64_t take)
{
    return (ig_states_source){ig_corpus_language(c, language)->name, NULL, c, language, take};
}
/* All of them, begin to end. A file without a sentence is IG_ERR_INPUT. */
ig_code ig_states_read(ig_states *s, const ig_states_source *from, ig_states_fn *fn, void *arg,
                       ig_err *err);
