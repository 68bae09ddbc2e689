/* SPDX-License-Identifier: Apache-2.0
 *
 * The measures, one row each: its name (in `measure: {what: […]}` of experiment files, in
 * manifests, and after -- of `isoglot eval`), whether it is on by default, and one
 * line about it. The rest of a measure is in its own file as ig_measure_kind_NAME: its input,
 * its function, its numbers. Everything that lists measures follows from here:
 * experiment files, what a finished run covers, the store and the names of quantities, tables,
 * JSON, the help.
 *
 * Adding one: a row here, src/measure/NAME.c, a test. The order is that of `what` in manifests, so
 * a new row comes last.
 */
#pragma once

#include "measure/measure.h"

/* clang-format off */
#define IG_MEASURES(X) \
    X(alignment, true, "word alignment of parallel sentences: F1") \
    X(retrieval, true, "sentence retrieval: rho") \
    X(translation, true, "word translation by a dictionary: tau") \
    X(perplexity, true, "perplexity: of masked tokens, or of next ones") \
    X(words, false, "word retrieval: MRR and P@k of the first language's words by their contexts in the training text") \
    X(spaces, false, "CKA of both languages' sentences, and retrieval and translation after an orthogonal map") \
    X(distinct, false, "translation, once more, without the words that are one piece in both languages") \
    X(similarity, false, "similarity of both languages' sentences: debiased and RBF CKA, SVCCA, PWCCA, neurons") \
    X(language, false, "separation of the languages: accuracy of a linear probe, rank of its subspace, isotropy") \
    X(neighbours, false, "nearest sentences: share of the own language, hubness, retrieval by CSLS and margin") \
    X(shift, false, "translation by the difference of means: BLEU-1, convert rate, gold accuracy; three alphas") \
    X(positions, false, "cosines of position embeddings, where languages have their own: nearest, diagonal, order") \
    X(maps, false, "rows of embeddings, words, words in context found after a map; words are linked, no dictionary") \
    X(mapped, false, "sentences found after a map learned from other parallel sentences: P@1 by CSLS and cosine") \
    X(lexicon, false, "the dictionary's words, rows and means over contexts, found after a map of its other words") \
    X(away, false, "translation by means shifted away from the other language, alpha -1: convert rate, BLEU-1, gold") \
    X(mexa, false, "sentences that are strictly nearest to their translation, in row and column: MEXA") \
    X(anc, false, "mean correlation of equal columns of both languages' sentences: ANC") \
    X(xsim, false, "error of finding translations by the margin, by direction: xSIM") \
    X(lape, false, "neurons specific to a language by their activation probabilities: LAPE") \
    X(lens, false, "language of the words that each layer's states predict: logit lens") \
    X(gradients, false, "cosine of both languages' gradients, by layer")
/* clang-format on */

enum {
#define IG_MEASURE_INDEX(name, by_default, help) IG_MEASURE_##name,
    IG_MEASURES(IG_MEASURE_INDEX)
#undef IG_MEASURE_INDEX
        IG_MEASURE_N
};
_Static_assert((int)IG_MEASURE_N <= (int)IG_MEASURE_MOST,
               "a bit and a place for the values of each");

/* The set of one. */
#define IG_MEASURE_BIT(name) ((ig_measure_set)1 << IG_MEASURE_##name)

/* Appends rows computed from the vectors of one layer. */
typedef ig_code ig_measure_layer_fn(const ig_measure_out *out, const ig_vector_pair *v,
                                    const ig_retrieval_with *with, ig_err *err);

/* Appends rows computed after a map that is learned from `learn`, parallel sentences of another
 * text; NULL: learned from one half of v and evaluated on the other. */
typedef ig_code ig_measure_map_fn(const ig_measure_out *out, const ig_vector_pair *v,
                                  const ig_vector_pair *learn, const ig_retrieval_with *with,
                                  ig_err *err);

/* A function of a text, of whose states it takes what it needs, or of the weights alone, for the
 * two languages of the options. */
typedef ig_code ig_measure_text_fn(ig_measure_result *out, const ig_measure_with *with,
                                   const ig_corpus *text, ig_err *err);

/* The functions and numbers of a measure. NULL: it has no such function. Word alignment is counted
 * while sentences go through the model, perplexity while masked text does, `words` in contexts of
 * the training text (run/measure/word_retrieval.h). */
typedef struct {
    /* Reads the raw mean vectors of parallel sentences (row i with row i), … */
    ig_measure_layer_fn *sentence_means;
    ig_measure_layer_fn *sentences;   /* … and of unit length */
    ig_measure_map_fn *mapped;        /* … as they are, and of those a map is learned from */
    ig_measure_layer_fn *words;       /* of the vectors of the dictionary's words, of unit length */
    ig_measure_layer_fn *words_apart; /* the same without those that are one piece in both */
    ig_measure_text_fn *text;         /* of the development text */
    ig_measure_text_fn *weights;
    bool counts;                 /* parallel sentences are needed, though no function is */
    const ig_store_task *number; /* ends with one without name */
    /* Numbers of a layer that the tables of train and eval show, from the first; 0 of those that
     * have columns anyway. */
    int n_shown;
} ig_measure_kind;

#define IG_MEASURE_KIND(name, by_default, help)                                                    \
    extern const ig_measure_kind ig_measure_kind_##name;                                           \
    extern const ig_store_task ig_numbers_##name[];
IG_MEASURES(IG_MEASURE_KIND)
#undef IG_MEASURE_KIND

/* [IG_MEASURE_N], in the order of the table. */
extern const ig_measure_kind *const ig_measure_kinds[];
extern const char *const ig_measure_names[], *const ig_measure_helps[];

/* Fields that most numbers share: a fraction for each layer, measured on the development text of a
 * pair of languages, of which more is better. */
#define IG_LAYER_SHARE                                                                             \
    .kind = IG_STORE_TASK_LAYERED, .version = 1, .split = "dev", .pair = true, .better = 1,        \
    .share = true
static inline bool ig_measure_requested(ig_measure_set what, int kind)
{
    return (what >> kind & 1) != 0;
}

/* Runs the functions of this kind of vectors of the measures requested; `field`: offset of the
 * function in ig_measure_kind. */
ig_code ig_measure_vectors(const ig_measure_out *out, size_t field, const ig_vector_pair *v,
                           ig_measure_set what, const ig_retrieval_with *with, ig_err *err);
/* Returns how many sentences of a text are compared: the same in both languages; 0: they are not
 * parallel. */
int64_t ig_measure_parallel(const ig_measure_options *o, const ig_corpus *text);

/* The batches that perplexity is measured on: of masked tokens, or of next ones. */
ig_batch_options ig_measure_batching(const ig_measure_options *o, const ig_measure_with *with,
                                     bool causal);

/* The passes of a measurement. Over the parallel sentences of the development set: nothing when the
 * two languages' texts are not parallel. */
ig_code ig_measure_sentences(ig_measure_result *r, const ig_measure_with *with,
                             const ig_corpus *dev, ig_err *err);
/* Their rows of one layer, from the sentences' mean vectors, which get unit length; `learn` NULL:
 * no other text's. */
ig_code ig_measure_sentence_vectors(const ig_measure_out *out, const ig_vector_pair *v,
                                    const ig_vector_pair *learn, ig_measure_set what,
                                    const ig_retrieval_with *with, ig_err *err);
/* Over the words of the dictionary: nothing when there is none. */
ig_code ig_measure_words(ig_measure_result *r, const ig_measure_with *with, const ig_corpus *corpus,
                         ig_err *err);

ig_measure_set ig_measure_by_default(void);
/* −1: no measure of that name. */
int ig_measure_find(const char *name);
/* The measure that a task of the store belongs to; −1: none (μ, numbers of the training). */
int ig_measure_of_task(const char *task);
