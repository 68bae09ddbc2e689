/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the whole measurement: checks which measures are requested, runs the passes, combines them
 * into μ and the perplexities. Definitions: Dufter & Schütze 2020, §2.2; the options' variants
 * select what their program does differently from their text (docs/measures.md).
 */
#include "measure/measure.h"

#include "apply/states.h"
#include "base/order.h"
#include "isoglot/batch.h"
#include "measure/measure_list.h"
#include "measure/perplexity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ig_measure_pooling_names[] = {"mean", "last", "weighted", NULL};
const ig_pooling ig_measure_poolings[] = {IG_POOL_MEAN, IG_POOL_LAST, IG_POOL_WEIGHTED};

ig_measure_options ig_measure_defaults(const ig_batch_options *batching, uint64_t seed)
{
    ig_measure_options o = {
        .a = 0, .b = 1, .batching = *batching, .seed = seed, .what = ig_measure_by_default()};
    o.batching.near = NULL;     /* what is measured is masked, not replaced */
    o.batching.sampled = false; /* every sentence, once */
    return o;
}

ig_batch_options ig_measure_batching(const ig_measure_options *o, const ig_measure_with *with,
                                     bool causal)
{
    const ig_bert_config *c = ig_bert_get_config(with->model);
    ig_batch_options bo = o->batching;
    bo.copies = bo.n_tlm = 0;
    bo.mix_documents = 0;
    bo.mask_share = 1;
    bo.random_share = 0;
    bo.causal_share = causal || c->causal ? 1 : c->shifted ? .5 : 0;
    bo.drop_last = false;
    return bo;
}

/* The batches of a corpus in order. Without a limit they run over the border between languages, as
 * the paper's program has it, which matters for the mean over batches; with one, each language's
 * part has its own. */
static ig_code measure_perplexity(ig_perplexity *pooled, ig_perplexity *by_language,
                                  const ig_measure_options *o, const ig_measure_with *with,
                                  const ig_corpus *corpus, bool causal, ig_err *err)
{
    int n_language = ig_corpus_n_language(corpus);
    int64_t end[IG_MEASURE_MAX_LANGUAGE]; /* number of the first sequence after a language's */
    const ig_batch_options bo = ig_measure_batching(o, with, causal);
    ig_batcher *batcher;
    ig_states *states = NULL;
    IG_TRY(ig_batcher_new(&batcher, corpus, &bo, o->seed, err));
    ig_code code = ig_states_over(
        &states, &(ig_states_options){.stop = with->stop},
        &(ig_states_parts){.engine = with->engine, .model = with->model, .team = with->team}, err);
    for (int l = 0; l < n_language; l++)
        end[l] = ig_batcher_first(batcher, l + 1);

    int n_span = o->max_sentence > 0 ? n_language : 1;
    for (int span = 0; span < n_span && code == IG_ERR_OK; span++) {
        int64_t from = span ? end[span - 1] : 0, last = end[n_language - 1];
        if (o->max_sentence > 0)
            last = end[span] - from < o->max_sentence ? end[span] : from + o->max_sentence;
        for (; from < last && code == IG_ERR_OK; from += bo.batch) {
            int64_t to = last - from < bo.batch ? last : from + bo.batch;
            ig_batch b;
            code = ig_batcher_get_range(batcher, from, to, true, &b, err);
            if (code != IG_ERR_OK || b.target[IG_HEAD_MASKED].n == 0)
                continue;
            ig_head_result masked;
            code = ig_states_predict(&masked, states, &b, IG_HEAD_MASKED, err);
            if (code != IG_ERR_OK)
                continue;
            ig_perplexity_add(pooled, masked.nll, masked.n);
            /* Predictions are in the order of rows, so a language's are together. */
            int32_t k = 0;
            for (int l = 0; l < n_language; l++) {
                int64_t seq = end[l] - from;
                if (seq <= 0)
                    continue;
                int32_t row = b.seq_start[seq < b.n_seq ? seq : b.n_seq], k0 = k;
                while (k < masked.n && b.target[IG_HEAD_MASKED].row[k] < row)
                    k++;
                ig_perplexity_add(&by_language[l], masked.nll + k0, k - k0);
            }
        }
    }
    if (code == IG_ERR_OK && pooled->n_token > 0 && !isfinite(pooled->sum))
        code = ig_fail(err, IG_ERR_NUMERIC, "perplexity", 0,
                       "the loss of the predicted tokens is not finite");
    ig_states_close(states);
    ig_batcher_free(batcher);
    return code;
}

ig_code ig_measure_take_layers(ig_measure_options *o, int depth, ig_err *err)
{
    if (o->n_layer == 0) {
        ig_measure_mu_layers(depth, o->layer);
        o->n_layer = 2;
    }
    for (int i = 0; i < o->n_layer; i++)
        if (o->layer[i] < 0 || o->layer[i] > depth)
            return ig_fail(err, IG_ERR_USAGE, "layers", 0,
                           "no layer %d: the model has 0 (embeddings) to %d", o->layer[i], depth);
    qsort(o->layer, (size_t)o->n_layer, sizeof *o->layer, ig_by_int32);
    int kept = 0;
    for (int i = 0; i < o->n_layer; i++)
        if (kept == 0 || o->layer[i] != o->layer[kept - 1])
            o->layer[kept++] = o->layer[i];
    o->n_layer = kept;
    return IG_ERR_OK;
}

/* Layers within the model, languages within the corpus. */
static ig_code check(ig_measure_options *o, const ig_measure_with *with, const ig_corpus *dev,
                     ig_err *err)
{
    const int n = ig_corpus_n_language(dev);
    IG_TRY(ig_measure_take_layers(o, ig_bert_get_config(with->model)->num_hidden_layers, err));
    if (n > IG_MEASURE_MAX_LANGUAGE)
        return ig_fail(err, IG_ERR_USAGE, "languages", 0, "%d languages, at most %d are measured",
                       n, IG_MEASURE_MAX_LANGUAGE);
    int32_t rows = ig_bert_get_config(with->model)->vocab_size;
    if (rows != ig_corpus_vocab_size(dev))
        return ig_fail(err, IG_ERR_INPUT, "vocabulary", 0,
                       "the model has %d rows, the languages need %d", rows,
                       ig_corpus_vocab_size(dev));
    if (o->batching.batch < 1)
        return ig_fail(err, IG_ERR_USAGE, "batch", 0, "%d sequences, at least 1 is expected",
                       o->batching.batch);
    return IG_ERR_OK;
}

/* Appends three rows: the mean of the options, under the plain name, and both means. */
static ig_code put_perplexity(ig_measure_result *out, const ig_perplexity *p, const char *split,
                              const char *language, ig_err *err)
{
    const double token = ig_perplexity_by_token(p), batch = ig_perplexity_by_batch(p);
    const bool by_batch = out->options.perplexity == IG_VARIANT_PAPER_CODE;
    const ig_measure_out to = {
        .rows = &out->rows, .split = split, .languages = language, .layer = -1};
    IG_TRY(ig_measure_put(&to, "perplexity", p->n_token, by_batch ? batch : token, err));
    IG_TRY(ig_measure_put(&to, "perplexity_by_token", p->n_token, token, err));
    return ig_measure_put(&to, "perplexity_by_batch", p->n_token, batch, err);
}

static ig_code put_causal(ig_measure_result *out, const ig_perplexity *p, const char *split,
                          const char *language, ig_err *err)
{
    const ig_measure_out to = {
        .rows = &out->rows, .split = split, .languages = language, .layer = -1};
    return ig_measure_put(&to, "perplexity_causal", p->n_token, ig_perplexity_by_token(p), err);
}

/* The perplexity of a text, pooled and of each language: of masked tokens, or of next ones where
 * the model is causal; of next ones, too, where some of its batches were. */
static ig_code perplexity_of(ig_measure_result *out, const ig_measure_with *with,
                             const ig_corpus *text, const char *split, ig_err *err)
{
    const ig_bert_config *c = ig_bert_get_config(with->model);
    for (int causal = 0; causal <= (c->causal || c->shifted); causal++) {
        ig_perplexity pooled = {0}, by_language[IG_MEASURE_MAX_LANGUAGE] = {{0}};
        IG_TRY(
            measure_perplexity(&pooled, by_language, &out->options, with, text, causal == 1, err));
        IG_TRY((causal ? put_causal : put_perplexity)(out, &pooled, split, "", err));
        for (int l = 0; l < out->n_language; l++)
            IG_TRY((causal ? put_causal : put_perplexity)(out, &by_language[l], split,
                                                          out->language[l], err));
    }
    return IG_ERR_OK;
}

/* A function that gives the numbers of two measures is called once. */
static ig_code measure_text(ig_measure_result *out, const ig_measure_with *with,
                            const ig_corpus *dev, ig_err *err)
{
    for (int k = 0; k < IG_MEASURE_N; k++) {
        ig_measure_text_fn *of = ig_measure_kinds[k]->text;
        bool due = of != NULL && ig_measure_requested(out->options.what, k);
        for (int i = 0; i < k && due; i++)
            due = ig_measure_kinds[i]->text != of || !ig_measure_requested(out->options.what, i);
        if (due)
            IG_TRY(of(out, with, dev, err));
    }
    return IG_ERR_OK;
}

/* Multilinguality, of two layers, and their numbers: NaN where not both are measured. */
static ig_code put_mu(ig_measure_result *out, ig_err *err)
{
    const ig_measure_out to = ig_measure_out_of(out, -1);
    const int *layer = out->mu_layer;
    double mu = 0, distinct = 0;
    for (int i = 0; i < 2; i++) {
        const double rho = ig_measure_value(out, "rho", layer[i]);
        mu += rho + ig_measure_value(out, "tau", layer[i]);
        distinct += rho + ig_measure_value(out, "tau_distinct", layer[i]);
    }
    IG_TRY(ig_measure_put(&to, "mu", out->n_sentence, mu / 4, err));
    if (ig_measure_has_distinct(out)) {
        IG_TRY(ig_measure_put(&to, "mu_distinct", out->n_sentence, distinct / 4, err));
        IG_TRY(ig_measure_put(&to, "identical_share", out->n_word, ig_measure_identical(out), err));
    }
    IG_TRY(ig_measure_put(&to, "mu_low", 0, layer[0], err));
    return ig_measure_put(&to, "mu_high", 0, layer[1], err);
}

/* The languages of a text, and the pair of them that is compared. */
static bool name_languages(ig_measure_result *out, const ig_corpus *text)
{
    const ig_measure_options *o = &out->options;
    out->n_language = ig_corpus_n_language(text);
    for (int l = 0; l < out->n_language; l++)
        memcpy(out->language[l], ig_corpus_language(text, l)->name, sizeof out->language[l]);
    const bool pair = o->a >= 0 && o->a < out->n_language && o->b >= 0 && o->b < out->n_language;
    if (pair)
        snprintf(out->pair, sizeof out->pair, "%.31s-%.31s", out->language[o->a],
                 out->language[o->b]);
    return pair;
}

static ig_code measure_pair(ig_measure_result *out, const ig_measure_with *with,
                            const ig_corpus *dev, const ig_corpus *any, ig_err *err)
{
    const ig_measure_options *o = &out->options;
    bool sentences = false, words = false;
    for (int k = 0; k < IG_MEASURE_N; k++) {
        const ig_measure_kind *kind = ig_measure_kinds[k];
        const bool requested = ig_measure_requested(o->what, k);
        sentences = sentences || (requested && (kind->counts || kind->sentence_means != NULL ||
                                                kind->sentences != NULL || kind->mapped != NULL));
        words = words || (requested && (kind->words != NULL || kind->words_apart != NULL));
    }
    if (dev != NULL && sentences)
        IG_TRY(ig_measure_sentences(out, with, dev, err));
    if (words)
        IG_TRY(ig_measure_words(out, with, any, err));
    if (dev != NULL)
        IG_TRY(measure_text(out, with, dev, err));
    for (int k = 0; k < IG_MEASURE_N; k++)
        if (ig_measure_requested(o->what, k) && ig_measure_kinds[k]->weights != NULL)
            IG_TRY(ig_measure_kinds[k]->weights(out, with, any, err));
    return IG_ERR_OK;
}

ig_code ig_measure_run(ig_measure_result *out, const ig_measure_with *with, const ig_corpus *train,
                       const ig_corpus *dev, const ig_measure_options *options, ig_err *err)
{
    memset(out, 0, sizeof *out);
    out->options = *options;
    ig_measure_options *o = &out->options;
    const ig_corpus *any = dev != NULL ? dev : train;
    if (any == NULL)
        return ig_fail(err, IG_ERR_USAGE, "text", 0, "nothing to measure on: no text was given");
    IG_TRY(check(o, with, any, err));
    ig_measure_mu_layers(ig_bert_get_config(with->model)->num_hidden_layers, out->mu_layer);
    if (name_languages(out, any))
        IG_TRY(measure_pair(out, with, dev, any, err));
    const bool perplexity = ig_measure_requested(o->what, IG_MEASURE_perplexity);
    if (perplexity && train != NULL)
        IG_TRY(perplexity_of(out, with, train, "train", err));
    if (perplexity && dev != NULL)
        IG_TRY(perplexity_of(out, with, dev, ig_measure_split(o), err));
    return put_mu(out, err);
}
