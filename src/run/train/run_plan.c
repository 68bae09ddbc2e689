/* SPDX-License-Identifier: Apache-2.0
 *
 * --dry-run: the data are prepared in a temporary folder, and a few passes are timed on a model
 * that is thrown away. All else is operations at the measured rate: an update takes a + b · FLOP,
 * where a is done once for a batch (clearing gradients, packing weights) and b is what an operation
 * costs. Where a whole batch would take long, a few sequences of it are timed at two sizes, and the
 * line through them is followed. Both sizes are of the same model, so that attention and head are
 * in the FLOP and no other model of the machine is needed.
 */
#include "base/file.h"

#include "base/memory.h"
#include "isoglot/batch.h"
#include "model/device/cuda/device_cuda.h"
#include "model/engine/state.h"
#include "model/engine/shards.h"
#include "model/ranks/lane_tree.h"
#include "run/data/setup.h"
#include "run/measure/measure_pairs.h"
#include "run/measure/measure_texts.h"
#include "run/measure/word_retrieval.h"
#include "run/train/run_train.h"

#include <math.h>
#include <time.h>

/* In a quick dry run one layer of a model with more values than this stands for all of them. */
enum { WHOLE_VALUES = 10000000 };

/* The model that is timed, and its timing. */
typedef struct {
    const ig_run_config *config;
    const ig_measure_plan *measure; /* NULL: none */
    const ig_setup *setup;
    ig_bert *model;
    ig_batcher *batcher;
    ig_engine *engine;
    ig_team *team;
    ig_trainer *trainer;
    double token_forward; /* seconds of a token's way forward through the model */
    double sequence;      /* mean tokens of a sequence */
} bench;

/* --- updates ---------------------------------------------------------------------------------- */

/* A batch that is expected to be quicker is timed whole; of a slower one the first size is to take
 * so long, and the second so many times as much. */
static const double whole_seconds = 1.5, small_seconds = 0.4;
enum { PROBE = 4, LARGER = 3, MANY_PASSES = 500 };

/* Means over batches. */
typedef struct {
    double seconds, flop, n_tok, n_seq;
    int32_t longest;
} timing;

static void add(timing *s, const bench *w, const ig_batch *b)
{
    s->flop += ig_engine_train_flop(ig_bert_get_config(w->model), b);
    s->n_tok += b->n_tok;
    s->n_seq += b->n_seq;
    for (int32_t i = 0; i < b->n_seq; i++)
        if (s->longest < b->seq_start[i + 1] - b->seq_start[i])
            s->longest = b->seq_start[i + 1] - b->seq_start[i];
}

/* Seconds of the processor that each thread of this process had: other programs, which make those
 * of the clock longer today, need not be there tomorrow. */
static double thread_seconds(const bench *w)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return ((double)t.tv_sec + 1e-9 * (double)t.tv_nsec) / ig_team_size(w->team);
}

/* Batch i and its gradients. */
static ig_code pass_once(timing *s, const bench *w, ig_batcher *batcher, int64_t i, ig_err *err)
{
    ig_batch b;
    const double from = thread_seconds(w);
    IG_TRY(ig_batcher_get(batcher, i, &b, err));
    const int32_t n_target = b.target[IG_HEAD_MASKED].n;
    const ig_pass pass = {
        .dropout_key = ig_rng_key_make((uint64_t)w->config->optimisation.seed, IG_STREAM_DROPOUT),
        .scale[IG_HEAD_MASKED] = 1.0f / (float)(n_target > 0 ? n_target : 1),
        .dropout = true};
    ig_engine_gradient_clear(w->engine);
    IG_TRY(ig_engine_train(w->engine, &b, &pass, err));
    s->seconds += thread_seconds(w) - from;
    add(s, w, &b);
    return IG_ERR_OK;
}

/* Batches of `n` sequences, until they took `enough`. The first one, which finds buffers and caches
 * empty, counts only where it alone took long. */
static ig_code take(timing *s, const bench *w, int64_t n, double enough, ig_err *err)
{
    ig_batch_options few = ig_run_config_batch(w->config);
    ig_batcher *batcher;
    if (n < few.batch)
        few.batch = (int32_t)n;
    IG_TRY(ig_batcher_new(&batcher, w->setup->train, &few, (uint64_t)w->config->optimisation.seed,
                          err));
    int timed = 1;
    *s = (timing){.seconds = 0};
    ig_code code = pass_once(s, w, batcher, 0, err);
    if (code == IG_ERR_OK && s->seconds < whole_seconds) {
        *s = (timing){.seconds = 0};
        for (timed = 0;
             code == IG_ERR_OK && (timed == 0 || s->seconds < enough) && timed < MANY_PASSES;
             timed++)
            code = pass_once(s, w, batcher, timed + 1, err);
    }
    *s = (timing){s->seconds / timed, s->flop / timed, s->n_tok / timed, s->n_seq / timed,
                  s->longest};
    ig_batcher_free(batcher);
    return code;
}

/* The second of two steps. Weights and moments are worth nothing afterwards. */
static ig_code optimizer_step(double *seconds, const bench *w, ig_err *err)
{
    for (int i = 0; i < 2; i++) {
        const double from = thread_seconds(w);
        IG_TRY(ig_optimizer_step(ig_trainer_optimizer(w->trainer), ig_engine_gradient(w->engine),
                                 w->config->optimisation.lr, NULL, err));
        ig_engine_weights_changed(w->engine);
        *seconds = thread_seconds(w) - from;
    }
    return IG_ERR_OK;
}

/* An operation's seconds; *a: what a batch takes beside them. Fills in `whole`, a whole batch of
 * the model that is timed, and `timed`, the largest one that was. */
static ig_code find_rate(double *a, double *rate, timing *whole, timing *timed, const bench *w,
                         ig_err *err)
{
    timing few;
    ig_batch b;
    *a = 0;
    *whole = (timing){.seconds = 0};
    IG_TRY(ig_batcher_get(w->batcher, 0, &b, err));
    add(whole, w, &b);
    IG_TRY(take(&few, w, PROBE, 0, err));
    if (few.seconds / few.flop * whole->flop <= whole_seconds) {
        IG_TRY(take(whole, w, INT32_MAX, small_seconds, err));
        *timed = *whole;
        *rate = whole->seconds / whole->flop;
        return IG_ERR_OK;
    }
    const int64_t n = (int64_t)fmax(1, small_seconds / (few.seconds / few.n_seq));
    IG_TRY(take(&few, w, n, small_seconds, err));
    IG_TRY(take(timed, w, LARGER * n, 0, err));
    *rate = timed->flop > few.flop ? (timed->seconds - few.seconds) / (timed->flop - few.flop) : 0;
    /* On a busy machine the smaller one may have taken longer. */
    if (*rate < timed->seconds / timed->flop / 4)
        *rate = timed->seconds / timed->flop;
    *a = fmax(0, timed->seconds - *rate * timed->flop);
    return IG_ERR_OK;
}

/* Turns the plan of one process into that of several: lanes are divided, and so are moments and
 * their update; sums of lanes and new weights are sent (model/ranks/spread.h, train/optimizer.c).
 */
static double over_ranks(ig_run_plan *p, const ig_run_config *c, double batches, double step,
                         double n_tok)
{
    static const double rate = 10e9 / 8; /* bytes a second */
    const ig_plan plan = ig_device_default()->plan(&p->model);
    const int n = (int)c->ranks, lanes = ig_shards_lanes(&plan, (int64_t)n_tok);
    const double bytes = (double)ig_bert_config_n_value(&p->model) * sizeof(float);
    int most = 0, sums = 0;
    p->ranks = n;
    p->lanes = lanes;
    if (n < 2)
        return batches + step;
    for (int r = 0; r < n; r++) {
        ig_lane_sum sum[IG_LANES_MAX];
        const int from = (int)(((int64_t)lanes * r + n - 1) / n),
                  to = (int)(((int64_t)lanes * (r + 1) + n - 1) / n),
                  have = ig_lane_tree_sums(sum, from, to, lanes, NULL);
        most = to - from > most ? to - from : most;
        sums = have > sums ? have : sums;
    }
    p->sent = bytes * (n - 1) / n * ((double)c->optimisation.accum * sums + 1);
    p->memory -= (int64_t)(2 * bytes * (n - 1) / n);
    return batches * most / lanes + step / n + p->sent / rate;
}

/* From the model that is timed to the one that is meant: by operations, and by parameters. */
static ig_code estimate_updates(ig_run_plan *p, bench *w, ig_err *err)
{
    enum { COPIES = 4 }; /* weights, gradient, two moments */
    const ig_bert_config *part = ig_bert_get_config(w->model);
    const int n_thread = ig_team_size(w->team);
    const int64_t values = ig_bert_config_n_value(&p->model), had = ig_bert_config_n_value(part);
    const double accum = (double)w->config->optimisation.accum;
    double a, rate, step;
    timing whole, timed;
    ig_batch b;
    IG_TRY(find_rate(&a, &rate, &whole, &timed, w, err));
    IG_TRY(optimizer_step(&step, w, err));
    IG_TRY(ig_batcher_get(w->batcher, 0, &b, err));
    const double times = ig_engine_train_flop(&p->model, &b) / ig_engine_train_flop(part, &b),
                 batch = rate * whole.flop * times, alone = step * (double)values / (double)had;
    w->token_forward = batch / 3 / whole.n_tok;
    w->sequence = whole.n_tok / whole.n_seq;
    p->tokens_per_update = accum * whole.n_tok;
    const int64_t more =
        (values - had) * COPIES * (int64_t)sizeof(float) +
        ig_engine_memory(&p->model, (int32_t)whole.n_tok, whole.longest, n_thread) -
        ig_engine_memory(part, (int32_t)timed.n_tok, timed.longest, n_thread);
    p->memory = ig_peak_memory() + (more > 0 ? more : 0);
    const double update = over_ranks(p, w->config, accum * (a + batch), alone, whole.n_tok);
    p->tokens_per_second = p->tokens_per_update / update;
    p->seconds = update * (double)p->n_update;
    return IG_ERR_OK;
}

/* --- measures --------------------------------------------------------------------------------- */

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

/* Computes the cost of a measurement, by the tokens that pass through the model: `slope` for each
 * sentence of a language in training and development text, once for perplexity, those of the
 * development text again for their states, and `fixed`, the words of two languages. */
static void cost_of_measures(double *slope, double *fixed, const bench *b)
{
    enum { WORD = 3 /* [CLS] word [SEP] */ };
    const ig_measure_plan *m = b->measure;
    const double n = ig_corpus_n_language(b->setup->dev);
    bool states = false;
    for (int k = 0; k < IG_MEASURE_N; k++)
        states = states ||
                 (ig_measure_requested(m->what, k) &&
                  (ig_measure_kinds[k]->counts || ig_measure_kinds[k]->sentence_means != NULL ||
                   ig_measure_kinds[k]->sentences != NULL || ig_measure_kinds[k]->mapped != NULL));
    *slope = b->token_forward * b->sequence *
             ((ig_measure_requested(m->what, IG_MEASURE_perplexity) ? n : 0) +
              (states ? 1 : 0)); /* two, of every other sentence */
    *fixed = ig_measure_requested(m->what, IG_MEASURE_translation)
                 ? b->token_forward * 2 * WORD * (double)ig_tokenizer_size(b->setup->tokenizer)
                 : 0;
}

static ig_code time_measures(ig_run_plan *p, const bench *b, ig_err *err)
{
    double slope, fixed;
    cost_of_measures(&slope, &fixed, b);
    const int64_t end = b->measure->max_sentences, curve = b->measure->curve_max_sentences > 0
                                                               ? b->measure->curve_max_sentences
                                                               : end;
    const double pairs = 1 + ig_measure_pairs_count(b->measure, b->setup->dev);
    const double n_curve = (double)(ig_checkpoints_count(&b->measure->at, p->n_update) - 1);
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

static ig_code time_all(ig_run_plan *p, bench *b, ig_trainer_options *o, ig_err *err)
{
    IG_TRY(ig_team_new(&b->team, (int)b->config->threads, err));
    ig_code code = ig_engine_new(&b->engine, b->model, b->team, NULL,
                                 (ig_precision)b->config->optimisation.precision, err);
    o->source = ig_pretrain_source(b->batcher);
    IG_THEN(code, ig_trainer_new(&b->trainer, b->model, b->engine, o, b->team, err));
    IG_THEN(code, estimate_updates(p, b, err));
    if (code == IG_ERR_OK && b->measure != NULL)
        code = time_measures(p, b, err);
    ig_trainer_free(b->trainer);
    ig_engine_free(b->engine);
    ig_team_free(b->team);
    return code;
}

/* In a quick dry run: the vocabulary that the whole text would give, up to the requested size, and
 * whether one layer over the existing vocabulary represents the model. */
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
    if (code == IG_ERR_OK && (measure == NULL || ig_run_measures_mu(measure)))
        code = ig_measure_missing_in(&p->missing, s->dev, err);
    if (code == IG_ERR_OK) {
        p->n_sequence = ig_batcher_n_sequence(batcher);
        ig_run_instances_warn(&c->objective, s->train);
        ig_setup_warn_lost(s, &c->objective, measure != NULL);
        p->steps_per_epoch = ig_batcher_steps_per_epoch(batcher);
        ig_trainer_options o = ig_run_config_trainer(c, p->steps_per_epoch);
        p->n_update = o.n_update;
        int card = -1;
        if (c->device != NULL)
            code = ig_device_card(&card, c->device, err);
        if (code == IG_ERR_OK && card >= 0)
            code = ig_run_device_memory(&p->device_memory, ig_cuda_device_unopened(), &p->model,
                                        batcher, err);
        bench t = {.config = c, .measure = measure, .setup = s, .model = model, .batcher = batcher};
        IG_THEN(code, time_all(p, &t, &o, err));
    }
    ig_batcher_free(batcher);
    ig_bert_free(model);
    return code;
}

ig_code ig_run_device_memory(int64_t *bytes, const ig_device *device, const ig_bert_config *shape,
                             ig_batcher *batcher, ig_err *err)
{
    enum { BATCHES = 8 };
    int32_t n_tok = 0, longest = 0;
    for (int i = 0; i < BATCHES; i++) {
        ig_batch b;
        IG_TRY(ig_batcher_get(batcher, i, &b, err));
        n_tok = b.n_tok > n_tok ? b.n_tok : n_tok;
        for (int32_t s = 0; s < b.n_seq; s++)
            if (b.seq_start[s + 1] - b.seq_start[s] > longest)
                longest = b.seq_start[s + 1] - b.seq_start[s];
    }
    *bytes = ig_engine_device_memory(device, shape, n_tok, longest);
    return IG_ERR_OK;
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
    IG_OWNED char *folder = NULL;
    IG_TRY(ig_dir_temporary(&folder, "isoglot", err));
    ig_code code = ig_run_dry_in(c, NULL, folder, p, err);
    ig_code removed = ig_dir_remove(folder, code == IG_ERR_OK ? err : NULL);
    return code != IG_ERR_OK ? code : removed;
}
