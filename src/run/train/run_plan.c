/* SPDX-License-Identifier: Apache-2.0
 *
 * --dry-run: the data are prepared in a temporary folder, and a few updates are timed on a model
 * that is thrown away. What a run needs is then its own first updates, multiplied. Where one of
 * them would take long, a few sequences of its first batch are timed at two sizes, and the line
 * through them is followed to the whole batch: its time is taken to be a + b · FLOP, what is done
 * once for a batch (clearing gradients, packing weights) and what every token costs. Both sizes are
 * of the same model, so that attention and head are in the FLOP and no other model of the machine
 * is needed.
 */
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "isoglot/batch.h"
#include "run/measure/measure_pairs.h"
#include "run/measure/measure_texts.h"
#include "run/measure/word_retrieval.h"
#include "run/train/run_train.h"
#include "run/data/lost_tokens.h"
#include "run/data/setup.h"

#include <math.h>

/* Updates that are timed, and the time after which no further one is begun; of quick ones more,
 * until they took long enough to tell. */
enum { TIMED_UPDATES = 6, MANY_UPDATES = 500 };
static const double timed_seconds = 5, quick_seconds = 1.5, least_seconds = 0.5;

/* In a quick dry run one layer of a model with more values than this stands for all of them. */
enum { WHOLE_VALUES = 10000000 };

typedef struct {
    bool slow;            /* a whole update takes longer than a calibration should */
    double update;        /* seconds; the rest is there when slow */
    double tokens;        /* of an update */
    double token_forward; /* seconds of a token's way forward through the model */
    double sequence;      /* mean tokens of a sequence */
    int64_t more_memory;  /* bytes that whole batches take beyond what was timed */
} pace;

/* What is timed, and what times it. */
typedef struct {
    const ig_run_config *config;
    const ig_measure_plan *measure; /* NULL: none */
    const ig_setup *setup;
    ig_bert *model;
    ig_batcher *batcher;
    ig_engine *engine;
    ig_team *team;
    ig_trainer *trainer;
    const ig_trainer_options *options;
    pace pace;
    bool part; /* the model is one layer of the one that is meant */
} bench;

static uint64_t seed_of(const bench *w)
{
    return (uint64_t)w->config->optimisation.seed;
}

/* --- the pace of updates ---------------------------------------------------------------------- */

/* An update that is expected to be quicker is made whole; of a slower one the first size is to take
 * so long, and the second so many times as much. */
static const double whole_seconds = 1.5, small_seconds = 0.4;
enum { PROBE = 4, LARGER = 3 };

typedef struct {
    double seconds, flop;
    int32_t n_tok, n_seq, longest;
} timing;

static void describe(timing *s, const bench *w, const ig_batch *b)
{
    *s = (timing){.flop = ig_engine_train_flop(ig_bert_get_config(w->model), b),
                  .n_tok = b->n_tok,
                  .n_seq = b->n_seq};
    for (int32_t i = 0; i < b->n_seq; i++)
        if (s->longest < b->seq_start[i + 1] - b->seq_start[i])
            s->longest = b->seq_start[i + 1] - b->seq_start[i];
}

/* Gradients of the first `n` sequences, the second time they are made: the first one finds buffers
 * and caches empty. */
static ig_code take(timing *s, const bench *w, int64_t n, int times, ig_err *err)
{
    ig_batch_options few = ig_run_config_batch(w->config);
    ig_batcher *batcher;
    ig_batch b;
    if (n < few.batch)
        few.batch = (int32_t)n;
    IG_TRY(ig_batcher_new(&batcher, w->setup->train, &few, seed_of(w), err));
    ig_code code = ig_batcher_get(batcher, 0, &b, err);
    if (code == IG_ERR_OK)
        describe(s, w, &b);
    for (int i = 0; i < times && code == IG_ERR_OK; i++) {
        const ig_pass pass = {
            .dropout_key = ig_rng_key_make(seed_of(w), IG_STREAM_DROPOUT),
            .scale[IG_HEAD_MASKED] =
                1.0f / (float)(b.target[IG_HEAD_MASKED].n > 0 ? b.target[IG_HEAD_MASKED].n : 1),
            .dropout = true};
        const double from = ig_clock();
        ig_engine_gradient_clear(w->engine);
        code = ig_engine_train(w->engine, &b, &pass, err);
        s->seconds = ig_clock() - from;
    }
    ig_batcher_free(batcher);
    return code;
}

static ig_code optimizer_step(double *seconds, const bench *w, ig_err *err)
{
    for (int i = 0; i < 2; i++) {
        const double from = ig_clock();
        IG_TRY(ig_optimizer_step(ig_trainer_optimizer(w->trainer), ig_engine_gradient(w->engine),
                                 w->options->set.lr, NULL, err));
        ig_engine_weights_changed(w->engine);
        *seconds = ig_clock() - from;
    }
    return IG_ERR_OK;
}

/* Trains on a few sequences; of a slow model also two steps of the optimizer. Weights and moments
 * are worth nothing afterwards. */
static ig_code find_pace(pace *out, const bench *w, ig_err *err)
{
    ig_batch b;
    timing whole, probe, few, more;
    double step;
    *out = (pace){.slow = false};
    IG_TRY(ig_batcher_get(w->batcher, 0, &b, err));
    describe(&whole, w, &b);
    const double accum = (double)w->options->set.accum;
    IG_TRY(take(&probe, w, PROBE, 1, err));
    if (!w->part && probe.seconds / probe.flop * whole.flop * accum <= whole_seconds)
        return IG_ERR_OK;
    const double sequence = probe.seconds / (double)probe.n_seq;
    int64_t n = (int64_t)(small_seconds / sequence);
    n = n < 1 ? 1 : n;
    /* The first size warms up for both. */
    IG_TRY(take(&few, w, n, 2, err));
    IG_TRY(take(&more, w, LARGER * n, 1, err));
    double b1 = more.flop > few.flop ? (more.seconds - few.seconds) / (more.flop - few.flop) : 0;
    /* On a busy machine the smaller one may have taken longer. */
    if (b1 < more.seconds / more.flop / 4)
        b1 = more.seconds / more.flop;
    const double a = fmax(0, more.seconds - b1 * more.flop);
    IG_TRY(optimizer_step(&step, w, err));
    const ig_bert_config *c = ig_bert_get_config(w->model);
    *out = (pace){.slow = true,
                  .update = accum * (a + b1 * whole.flop) + step,
                  .tokens = accum * whole.n_tok,
                  .token_forward = b1 * whole.flop / 3 / whole.n_tok,
                  .sequence = (double)whole.n_tok / whole.n_seq,
                  .more_memory =
                      ig_engine_memory(c, whole.n_tok, whole.longest, ig_team_size(w->team)) -
                      ig_engine_memory(c, more.n_tok, more.longest, ig_team_size(w->team))};
    if (out->more_memory < 0)
        out->more_memory = 0;
    return IG_ERR_OK;
}

/* --- measures --------------------------------------------------------------------------------- */

static ig_code measure_once(double *seconds, const bench *b, int64_t n_sentence, ig_err *err)
{
    ig_measure_result *m;
    ig_batch_options batching = ig_run_config_batch(b->config);
    ig_measure_options o = ig_measure_defaults(&batching, seed_of(b));
    IG_TRY(ig_measure_plan_options(&o, b->measure, ig_bert_get_config(b->model)->num_hidden_layers,
                                   true, err));
    o.max_sentence = n_sentence;
    o.translation = (ig_variant)b->config->measuring.translation_words;
    const ig_measure_with with = {
        .engine = b->engine, .model = b->model, .team = b->team, .ops = ig_ops_best()};
    IG_TRY(ig_alloc(&m, 1, sizeof *m, "measures", err));
    const double from = ig_clock();
    ig_code code = ig_measure_run(m, &with, b->setup->train, b->setup->dev, &o, err);
    *seconds = ig_clock() - from;
    ig_measure_result_free(m);
    ig_free(m);
    return code;
}

static double sentences(const bench *b, int64_t limit)
{
    double n = 0;
    const ig_corpus *const all[] = {b->setup->train, b->setup->dev};
    for (int i = 0; i < 2; i++) {
        const int64_t have = ig_corpus_n_sequence(all[i], 0);
        n += (double)(limit > 0 && limit < have ? limit : have);
    }
    return n;
}

/* A text that is made of no other file than parallel ones: their lines are counted; verses of the
 * development text, or edits on it, are taken for as many as it has. *file: it is none of these. */
static ig_code sentences_of(ig_sentence_counts *n, bool *file, const bench *b,
                            const ig_measure_text *t, ig_err *err)
{
    *file = !t->own && t->edit[0] == '\0' && t->n_file == 0;
    if (t->n_file > 0)
        return ig_measure_text_lines(n, t, b->measure, &b->config->languages, b->setup->dev, err);
    if (!*file)
        ig_sentence_counts_add(n, ig_corpus_n_sequence(b->setup->dev, 0));
    return IG_ERR_OK;
}

/* Sentences of the plan's further texts, whose tokens are thrown away again. */
static ig_code text_sentences(ig_sentence_counts *n, const bench *b, ig_err *err)
{
    ig_measure_texts texts = {0};
    ig_measure_plan *files;
    char *folder;
    ig_code code = IG_ERR_OK;
    if (b->measure->n_text == 0)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&files, 1, sizeof *files, "texts", err));
    for (int i = 0; i < b->measure->n_text && code == IG_ERR_OK; i++) {
        bool file;
        code = sentences_of(n, &file, b, &b->measure->text[i], err);
        if (file)
            files->text[files->n_text++] = b->measure->text[i];
    }
    IG_THEN(code, ig_dir_temporary(&folder, "isoglot", err));
    if (code != IG_ERR_OK) {
        ig_free(files);
        return code;
    }
    const ig_data_settings settings = ig_run_config_data(b->config);
    code = ig_measure_texts_open(&texts, files, &settings, b->setup, folder, err);
    for (int i = 0; i < texts.n && code == IG_ERR_OK; i++)
        ig_sentence_counts_add(n, ig_corpus_n_sequence(texts.text[i].corpus, 0));
    ig_measure_texts_close(&texts);
    ig_free(files);
    ig_code removed = ig_dir_remove(folder, code == IG_ERR_OK ? err : NULL);
    ig_free(folder);
    return code != IG_ERR_OK ? code : removed;
}

/* What a measurement costs: `slope` for each sentence of a language in training and development
 * text, and `fixed`, word translation. Two sizes tell it; of a slow model, what goes through it
 * does: a sentence once for perplexity, those of the development text once more for their states,
 * and the words of two languages. */
static ig_code cost_of_measures(double *slope, double *fixed, const bench *b, ig_err *err)
{
    enum { FEW = 64, MORE = 256, WORD = 3 /* [CLS] word [SEP] */ };
    double few, more;
    if (b->pace.slow) {
        const ig_measure_plan *m = b->measure;
        const double n = ig_corpus_n_language(b->setup->dev);
        bool states = false;
        for (int k = 0; k < IG_MEASURE_N; k++)
            states =
                states ||
                (ig_measure_requested(m->what, k) &&
                 (ig_measure_kinds[k]->counts || ig_measure_kinds[k]->sentence_means != NULL ||
                  ig_measure_kinds[k]->sentences != NULL || ig_measure_kinds[k]->mapped != NULL));
        *slope = b->pace.token_forward * b->pace.sequence *
                 ((ig_measure_requested(m->what, IG_MEASURE_perplexity) ? n : 0) +
                  (states ? 1 : 0)); /* two, of every other sentence */
        *fixed =
            ig_measure_requested(m->what, IG_MEASURE_translation)
                ? b->pace.token_forward * 2 * WORD * (double)ig_tokenizer_size(b->setup->tokenizer)
                : 0;
        return IG_ERR_OK;
    }
    IG_TRY(measure_once(&few, b, FEW, err));
    IG_TRY(measure_once(&more, b, MORE, err));
    const double x0 = sentences(b, FEW), x1 = sentences(b, MORE);
    *slope = x1 > x0 ? (more - few) / (x1 - x0) : 0;
    *slope = *slope < 0 ? 0 : *slope;
    *fixed = more - *slope * x1 > 0 ? more - *slope * x1 : 0;
    return IG_ERR_OK;
}

static ig_code time_measures(ig_run_plan *p, const bench *b, ig_err *err)
{
    double slope, fixed;
    IG_TRY(cost_of_measures(&slope, &fixed, b, err));
    const int64_t end = b->measure->max_sentences, curve = b->measure->curve_max_sentences > 0
                                                               ? b->measure->curve_max_sentences
                                                               : end;
    const double pairs = 1 + ig_measure_pairs_count(b->measure, b->setup->dev);
    const double n_curve = (double)(ig_measure_plan_count(b->measure, p->n_update) - 1);
    ig_sentence_counts also = {.most = {end, curve}};
    IG_TRY(text_sentences(&also, b, err));
    const double texts = 1 + b->measure->n_text;
    p->measure_seconds =
        pairs * (texts * fixed + slope * (sentences(b, end) + also.sum[0]) +
                 n_curve * (texts * fixed + slope * (sentences(b, curve) + also.sum[1])));
    /* Word retrieval takes the training text once through the model, forward: a third of an update.
     */
    if (ig_word_retrieval_in(b->measure->what) && p->n_update > 0)
        p->measure_seconds +=
            p->seconds / (double)p->n_update * (double)p->steps_per_epoch / 3 * (1 + n_curve);
    return IG_ERR_OK;
}

static ig_code make_whole_updates(ig_run_plan *p, ig_trainer *trainer, bool quick, ig_err *err)
{
    double seconds = 0, tokens = 0;
    int64_t timed = 0;
    const double enough = quick ? quick_seconds : timed_seconds;
    ig_code code = IG_ERR_OK;
    /* The first update warms caches and buffers up, and is not counted when there are others. */
    for (int64_t i = 0; code == IG_ERR_OK && i < p->n_update && seconds < enough &&
                        (i < TIMED_UPDATES || (seconds < least_seconds && i < MANY_UPDATES));
         i++) {
        ig_trainer_report u;
        double from = ig_clock();
        code = ig_trainer_step(trainer, &u, err);
        if (i == 1)
            seconds = tokens = 0, timed = 0;
        seconds += ig_clock() - from;
        tokens += (double)u.n_token;
        timed++;
    }
    if (code == IG_ERR_OK && timed > 0) {
        p->tokens_per_update = tokens / (double)timed;
        p->tokens_per_second = tokens / seconds;
        p->seconds = seconds / (double)timed * (double)p->n_update;
    }
    return code;
}

/* From the pace of a part to that of the model that is meant: by the operations of a batch. */
static ig_code follow_to_whole(const ig_run_plan *p, bench *b, ig_err *err)
{
    const ig_bert_config *part = ig_bert_get_config(b->model);
    const int64_t more = ig_bert_config_n_value(&p->model) - ig_bert_config_n_value(part);
    const int n_thread = ig_team_size(b->team);
    enum { COPIES = 4 }; /* weights, gradient, two moments */
    timing whole;
    ig_batch batch;
    IG_TRY(ig_batcher_get(b->batcher, 0, &batch, err));
    describe(&whole, b, &batch);
    const double times = ig_engine_train_flop(&p->model, &batch) / whole.flop;
    b->pace.update *= times;
    b->pace.token_forward *= times;
    b->pace.more_memory += more * COPIES * (int64_t)sizeof(float) +
                           ig_engine_memory(&p->model, batch.n_tok, whole.longest, n_thread) -
                           ig_engine_memory(part, batch.n_tok, whole.longest, n_thread);
    return IG_ERR_OK;
}

static ig_code time_updates(ig_run_plan *p, bench *b, ig_trainer_options *o, ig_err *err)
{
    const ig_run_config *c = b->config;
    b->options = o;
    IG_TRY(ig_team_new(&b->team, (int)c->threads, err));
    ig_code code = ig_engine_new(&b->engine, b->model, b->team, NULL,
                                 (ig_precision)c->optimisation.precision, err);
    o->source = ig_pretrain_source(b->batcher);
    IG_THEN(code, ig_trainer_new(&b->trainer, b->model, b->engine, o, b->team, err));
    IG_THEN(code, find_pace(&b->pace, b, err));
    if (code == IG_ERR_OK && b->part)
        code = follow_to_whole(p, b, err);
    if (code == IG_ERR_OK && b->pace.slow) {
        p->tokens_per_update = b->pace.tokens;
        p->tokens_per_second = b->pace.tokens / b->pace.update;
        p->seconds = b->pace.update * (double)p->n_update;
    } else if (code == IG_ERR_OK)
        code = make_whole_updates(p, b->trainer, c->quick, err);
    if (code == IG_ERR_OK && b->measure != NULL)
        code = time_measures(p, b, err);
    if (code == IG_ERR_OK)
        p->memory = ig_peak_memory() + b->pace.more_memory;
    ig_trainer_free(b->trainer);
    ig_engine_free(b->engine);
    ig_team_free(b->team);
    return code;
}

/* In a quick dry run: the vocabulary that the whole text would give, as far as it was asked for,
 * and whether one layer over the vocabulary that there is shall stand for the model. */
static bool take_part(ig_bert_config *timed, ig_run_plan *p, const ig_run_config *c,
                      const ig_setup *s)
{
    const int64_t sample = ig_run_config_data(c).sample, rows = ig_corpus_vocab_size(s->train),
                  pieces = ig_tokenizer_size(s->tokenizer);
    if (!c->quick)
        return false;
    const bool cut = sample > 0 && c->data.text != NULL && c->tokens.vocab == NULL &&
                     ig_corpus_n_sequence(s->train, 0) == sample && pieces < c->tokens.vocab_size;
    if (cut)
        p->model = ig_run_config_model(
            c, (int32_t)((double)rows / (double)pieces * (double)c->tokens.vocab_size),
            ig_corpus_get_options(s->train)->pad);
    *timed = p->model;
    timed->vocab_size = (int32_t)rows;
    if (ig_bert_config_n_value(&p->model) < WHOLE_VALUES)
        return cut;
    timed->num_hidden_layers = 1;
    timed->separate = (ig_bert_separate){0};
    timed->n_language = 0;
    return true;
}

static ig_code plan(const ig_run_config *c, const ig_measure_plan *measure, ig_run_plan *p,
                    const ig_setup *s, ig_err *err)
{
    ig_bert *model = NULL;
    ig_batcher *batcher = NULL;
    ig_batch_options b = ig_run_config_batch(c);
    p->model = ig_run_config_model(c, ig_corpus_vocab_size(s->train),
                                   ig_corpus_get_options(s->train)->pad);
    IG_TRY(ig_setup_fits(s, &p->model, err));
    ig_bert_config timed = p->model;
    const bool part = take_part(&timed, p, c, s);
    IG_TRY(ig_bert_new(&model, &timed, (uint64_t)c->optimisation.seed, err));
    p->n_parameter = part ? ig_bert_config_n_value(&p->model) : ig_bert_n_value(model);
    ig_code code = ig_batcher_new(&batcher, s->train, &b, (uint64_t)c->optimisation.seed, err);
    if (code == IG_ERR_OK &&
        (measure == NULL || (ig_measure_requested(measure->what, IG_MEASURE_retrieval) &&
                             ig_measure_requested(measure->what, IG_MEASURE_translation))))
        code = ig_measure_missing_in(&p->missing, s->dev, err);
    if (code == IG_ERR_OK) {
        p->n_sequence = ig_batcher_n_sequence(batcher);
        ig_run_instances_warn(&c->objective, s->train);
        ig_lost_tokens_warn(s->languages, &c->objective, measure != NULL);
        p->steps_per_epoch = ig_batcher_steps_per_epoch(batcher);
        ig_trainer_options o = ig_run_config_trainer(c, p->steps_per_epoch);
        p->n_update = o.n_update;
        bench t = {.config = c,
                   .measure = measure,
                   .setup = s,
                   .model = model,
                   .batcher = batcher,
                   .part = part};
        code = time_updates(p, &t, &o, err);
    }
    ig_batcher_free(batcher);
    ig_bert_free(model);
    return code;
}

ig_code ig_run_dry_in(const ig_run_config *c, const ig_measure_plan *measure, const char *data,
                      ig_run_plan *p, ig_err *err)
{
    const ig_data_settings settings = ig_run_config_data(c);
    ig_setup s;
    *p = (ig_run_plan){0};
    IG_TRY(ig_setup_open(&s, &settings, data, err));
    ig_code code = plan(c, measure, p, &s, err);
    ig_setup_close(&s);
    return code;
}

ig_code ig_run_dry(const ig_run_config *c, ig_run_plan *p, ig_err *err)
{
    char *folder;
    IG_TRY(ig_dir_temporary(&folder, "isoglot", err));
    ig_code code = ig_run_dry_in(c, NULL, folder, p, err);
    ig_code removed = ig_dir_remove(folder, code == IG_ERR_OK ? err : NULL);
    ig_free(folder);
    return code != IG_ERR_OK ? code : removed;
}
