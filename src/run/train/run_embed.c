/* SPDX-License-Identifier: Apache-2.0
 *
 * Defaults are those of word2vec.c (skip-gram, CBOW), fastText 0.9 and GloVe 1.2.
 */
#include "run/train/run_embed.h"

#include "base/log.h"
#include "base/memory.h"
#include "embed/train/glove/glove.h"
#include "embed/train/word2vec.h"

enum { BUCKET = 2000000, MIN_N = 3, MAX_N = 6, MAX_LINE_WORD2VEC = 1000, MAX_LINE_FASTTEXT = 1024 };
static const double glove_memory = 2e9;

int64_t ig_run_embed_passes(ig_trainer_kind trainer, const ig_run_vectors *v)
{
    if (v->embed_epochs > 0)
        return v->embed_epochs;
    return trainer == IG_TRAINER_GLOVE ? 25 : 5;
}

static int window_of(const ig_run_embed_job *job)
{
    return job->vectors.embed_window > 0      ? (int)job->vectors.embed_window
           : job->trainer == IG_TRAINER_GLOVE ? 15
                                              : 5;
}

static double rate(const ig_run_embed_job *job, double own)
{
    return job->vectors.embed_lr > 0 ? job->vectors.embed_lr : own;
}

static ig_context_options context_options(const ig_run_embed_job *job)
{
    const bool fasttext = job->trainer == IG_TRAINER_FASTTEXT,
               cbow = job->vectors.embed_model == IG_CONTEXT_CBOW;
    return (ig_context_options){.model = (ig_context_model)job->vectors.embed_model,
                                .dim = job->dim,
                                .window = window_of(job),
                                .negative = (int)job->vectors.embed_negative,
                                .epochs = (int)ig_run_embed_passes(job->trainer, &job->vectors),
                                .lr = rate(job, fasttext || cbow ? 0.05 : 0.025),
                                .sample = fasttext ? 1e-4 : 1e-3,
                                .ns_exponent = fasttext ? 0.5 : 0.75,
                                .init = fasttext ? 1 : 0.5,
                                .seed = job->seed};
}

static ig_code train(ig_vectors *out, ig_run_embed_result *r, ig_text_ids *text,
                     const ig_run_embed_job *job, ig_err *err)
{
    const ig_context_options o = context_options(job);
    ig_context_report context = {0};
    ig_code code = IG_ERR_OK;
    switch (job->trainer) {
    case IG_TRAINER_WORD2VEC:
        code = ig_word2vec(out, text, &o, job->team, &context, err);
        r->loss = context.loss;
        break;
    case IG_TRAINER_FASTTEXT: {
        const ig_fasttext_options f = {.context = &o,
                                       .bucket = BUCKET,
                                       .minn = MIN_N,
                                       .maxn = MAX_N,
                                       .min_count = job->vectors.embed_min_count};
        code = ig_fasttext_train(out, text, &f, job->team, &context, err);
        r->loss = context.loss;
        break;
    }
    case IG_TRAINER_GLOVE: {
        const ig_glove_options g = {.cooccur = {.window = r->window, .weighted = true},
                                    .dim = r->dim,
                                    .iterations = (int)r->n_pass,
                                    .eta = rate(job, 0.05),
                                    .x_max = 100,
                                    .alpha = 0.75,
                                    .bias = IG_GLOVE_BIAS_ONE,
                                    .result = IG_GLOVE_SUM,
                                    .memory = glove_memory,
                                    .folder = job->folder,
                                    .seed = job->seed};
        ig_glove_report report = {0};
        code = ig_glove(out, text, &g, job->team, &report, err);
        r->loss = report.cost;
        break;
    }
    case IG_TRAINER_BERT:
        code = ig_fail(err, IG_ERR_USAGE, "trainer", 0, "bert, expected static vectors");
    }
    return code;
}

ig_code ig_run_embed(ig_vectors *out, ig_run_embed_result *r, const ig_run_embed_job *job,
                     ig_err *err)
{
    const bool fasttext = job->trainer == IG_TRAINER_FASTTEXT;
    const ig_text_ids_options o = {.min_count = job->vectors.embed_min_count,
                                   .line_end = fasttext ? "</s>" : NULL,
                                   .max_line = fasttext ? MAX_LINE_FASTTEXT
                                               : job->trainer == IG_TRAINER_WORD2VEC
                                                   ? MAX_LINE_WORD2VEC
                                                   : 0};
    char **pieces;
    int32_t n_piece;
    ig_text_ids text = {0};
    *out = (ig_vectors){0};
    *r = (ig_run_embed_result){.n_pass = ig_run_embed_passes(job->trainer, &job->vectors),
                               .dim = job->dim,
                               .window = window_of(job)};
    IG_TRY(ig_setup_pieces(job->setup, &pieces, &n_piece, err));
    const ig_text_ids_sequences all = {.corpus = job->setup->train,
                                       .pieces = (const char *const *)pieces,
                                       .language = -1,
                                       .most = job->most,
                                       .length = IG_SEQUENCE_MAX};
    ig_code code = ig_text_ids_corpus(&text, &all, &o, err);
    const double from = ig_clock();
    r->n_token = text.n_token;
    IG_THEN(code, train(out, r, &text, job, err));
    r->seconds = ig_clock() - from;
    r->n_piece = out->n;
    ig_text_ids_free(&text);
    ig_free_list(pieces, n_piece);
    return code;
}
