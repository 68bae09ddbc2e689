/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations of runs, and the seconds that they take at the rate of those that are known. Forward,
 * a token takes a multiplication and an addition by each weight, backward twice as many.
 * Operations are compared with each other, so what all runs of an experiment have in common
 * (attention over short sequences, optimizer, measures) is in the rate.
 */
#include "lab/estimate/cost.h"

#include "base/memory.h"
#include "base/settings/json_text.h"
#include "lab/work/lab_tuning.h"
#include "model/bert_params.h"
#include "run/train/run_embed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- operations ------------------------------------------------------------------------------- */

enum {
    WORLD_TOKENS = 8,  /* of a sentence with [CLS] and [SEP]: of generated worlds, … */
    TEXT_TOKENS = 22,  /* … of the Bibles and of tasks */
    LINE_BYTES = 100,  /* of a sentence or an example in a file */
    TEXT_LINES = 10000 /* of a text that is not here */
};

static double lines_of(const char *path)
{
    struct stat st;
    return path != NULL && stat(path, &st) == 0 ? (double)st.st_size / LINE_BYTES : TEXT_LINES;
}

static double sentence_tokens(const ig_run_config *c)
{
    return ig_run_config_has_world(c) ? WORLD_TOKENS : TEXT_TOKENS;
}

/* Sentences of all languages. */
static double sentences_of(const ig_run_config *c)
{
    const double n = ig_run_config_has_world(c) ? (double)c->data.world_sentences
                     : c->data.take > 0         ? (double)c->data.take
                                                : lines_of(c->data.text);
    return n * (c->languages.n > 1 ? c->languages.n : 1);
}

/* Static vectors: each pair of a word and a context, with its negative samples. Such updates
 * reach a seventh of the speed of products of matrices, as recorded runs say; GloVe's, once for a
 * cell of the table, are fewer. */
static double static_operations(const ig_run_config *c)
{
    const double slower = c->trainer == IG_TRAINER_GLOVE ? .6 : 7, n = sentence_tokens(c),
                 window = c->vectors.embed_window > 0 ? (double)c->vectors.embed_window : 5,
                 tokens = sentences_of(c) * n *
                          (double)ig_run_embed_passes((ig_trainer_kind)c->trainer, &c->vectors);
    return slower * 6 * tokens * fmin(window + 1, n) * ig_run_config_dim(c) *
           (double)(c->vectors.embed_negative + 1);
}

static ig_bert_config model_of(const ig_run_config *c)
{
    return ig_run_config_model(c, (int32_t)fmax(6, (double)c->tokens.vocab_size), 0);
}

/* Pairs of parallel sentences beside each sentence of a text, as tlm adds them. */
static double pairs_of(const ig_run_config *c)
{
    const char *tlm = c->objective.tlm;
    const double share = c->objective.batching.tlm_share, n_language = c->languages.n;
    if (tlm == NULL || n_language < 2)
        return 0;
    double n = 1;
    for (const char *p = tlm; (p = strchr(p, ';')) != NULL; p++)
        n++;
    return share * (strcmp(tlm, "all") == 0 ? n_language - 1 : n) / n_language;
}

static double train_operations(const ig_run_config *c)
{
    const ig_batch_options *b = &c->objective.batching;
    const ig_training_settings *o = &c->optimisation;
    if (c->trainer != IG_TRAINER_BERT)
        return static_operations(c);
    if (ig_run_config_no_shape(c))
        return 0;
    const ig_bert_config m = model_of(c);
    const bool lines = b->instances == IG_INSTANCES_LINES;
    const double predicted = b->causal_share + (1 - b->causal_share) * b->mask_prob,
                 pairs = lines ? pairs_of(c) : 0,
                 weights = m.num_hidden_layers * ig_param_products(&m, IG_OF_BLOCK) +
                           predicted * 2 * m.vocab_size * m.hidden_size,
                 epoch = b->epoch_size > 0 ? (double)b->epoch_size : sentences_of(c) * (1 + pairs),
                 block = (double)c->objective.block, one = fmin(sentence_tokens(c), block),
                 length = lines ? one * (1 + 2 * pairs) / (1 + pairs) : block,
                 sequences = o->updates > 0 ? (double)(o->updates * b->batch * o->accum)
                                            : (double)o->epochs * epoch;
    return 6 * weights * sequences * length;
}

/* Kind and examples of a task; of one in files by their size. */
static double size_of(ig_task_kind *kind, const ig_experiment_task *t)
{
    ig_task *task;
    double n = 0;
    *kind = t->world.kind == IG_WORLD_TREES        ? IG_TASK_PARSING
            : t->world.kind == IG_WORLD_ENTAILMENT ? IG_TASK_PAIR
            : t->world.kind == IG_WORLD_MINIMAL    ? IG_TASK_MINIMAL
                                                   : IG_TASK_TAGGING;
    if (t->file == NULL || ig_task_read_names(t->file, t->root, &task, NULL) != IG_ERR_OK)
        return *kind == IG_TASK_MINIMAL ? 0 : (double)t->world.n[0];
    *kind = task->kind;
    for (int i = 0; i < task->n_set; i++)
        for (int k = 0; k < task->set[i].n_file && task->set[i].split == IG_SPLIT_TRAIN; k++)
            n += lines_of(task->set[i].file[k]);
    ig_task_free(task);
    return n;
}

/* Weights of a biaffine parser, whose layers may be larger than the model; other heads are small.
 * Compared with those of a narrow model, as wide matrices are multiplied faster. */
static double parser_weights(const ig_finetune_config *f, double d)
{
    enum { WIDE = 128 };
    const double all = 2 * d * (double)(f->arc_size + f->label_size) +
                       (double)(f->arc_size * f->arc_size) +
                       (double)(f->label_size * f->label_size);
    return all * fmin(1, d / WIDE);
}

/* One fine-tuning of a model of these settings. Evaluations, and batches that are smaller than
 * those of the training, take as long again, as timed fine-tunings say. */
static double tune_operations(const ig_run_config *c, const ig_experiment_task *t,
                              const ig_experiment_tuning *way)
{
    const ig_bert_config m = model_of(c);
    ig_finetune_config f;
    ig_task_kind kind;
    const double n = size_of(&kind, t);
    double sequences = 0, weights = m.num_hidden_layers * ig_param_products(&m, IG_OF_BLOCK);
    if (ig_lab_tuning_config(&f, way, NULL) != IG_ERR_OK)
        return 0;
    if (ig_recipe_apply(&f, kind, way->given, NULL) == IG_ERR_OK)
        sequences = f.training.updates > 0
                        ? (double)(f.training.updates * f.batch * f.training.accum)
                        : (double)f.training.epochs * (f.epoch_size > 0 ? (double)f.epoch_size : n);
    weights += kind == IG_TASK_PARSING ? parser_weights(&f, m.hidden_size) : 0;
    ig_lab_tuning_config_free(&f);
    return 2 * 6 * weights * sequences * (t->file == NULL ? WORLD_TOKENS : TEXT_TOKENS);
}

static double all_tunings(const ig_experiment *e, const ig_run_config *c)
{
    double sum = 0;
    for (int i = 0; i < e->n_task; i++)
        for (int k = 0; k < e->task[i].n_tuning; k++)
            sum += e->task[i].n_seed * tune_operations(c, &e->task[i], &e->task[i].tuning[k]) *
                   (double)ig_checkpoints_count(&e->measure.task[i].at, c->optimisation.updates);
    return sum;
}

/* --- shapes ----------------------------------------------------------------------------------- */

/* The settings that decide how long an update takes, how many there are, and how large the model
 * is. Switches that cost nothing are not among them (lang_pos, shift_special, rates, …). */
static char *shape_text(const ig_run_config *c, bool trained)
{
    static const char *const keys[] = {
        "trainer",
        /* texts and vocabulary */
        "text", "ids", "format", "sentences", "clauses", "take", "dev_text", "dev_ids", "dev_take",
        "files", "world", "world_sentences", "world_words", "no_parallel", "languages", "vocab",
        "vocab_size", "vocab_model", "max_words", "lowercase",
        /* what is trained on */
        "block", "instances", "nsp", "tlm", "tlm_share", "mix_documents", "mix_sentences", "dupe",
        "mask_prob", "causal_share", "pad_attend", "knn_replace",
        /* the model */
        "preset", "layers", "hidden", "heads", "ffn", "parameters", "max_positions", "architecture",
        "position_type", "tied", "transform", "separate", "hidden_dropout", "attention_dropout",
        /* updates */
        "updates", "epochs", "epoch_size", "batch", "accum", "precision",
        /* static vectors */
        "embed_dim", "embed_window", "embed_epochs", "embed_model", "embed_negative"};
    json_auto_t *all = ig_options_json(&ig_run_options, c), *of = json_object();
    for (size_t i = 0; i < sizeof keys / sizeof *keys && all != NULL; i++)
        json_object_set(of, keys[i], json_object_get(all, keys[i]));
    json_object_set_new(of, "trained", json_boolean(trained));
    return all != NULL ? ig_json_text(of, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
}

static ig_code number_shapes(ig_costs *c, const ig_lab_list *l, const ig_experiment *e, ig_err *err)
{
    json_auto_t *known = json_object();
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < l->n && code == IG_ERR_OK; i++) {
        const ig_run_config *config = &e->cell[l->item[i].cell].config;
        char *text = shape_text(config, c->trained[i]);
        if (text == NULL) {
            code = ig_fail(err, IG_ERR_MEMORY, "", 0, "not enough memory for an estimate");
            break;
        }
        const bool again = i > 0 && l->item[i].cell == l->item[i - 1].cell;
        c->train[i] = train_operations(config);
        c->tune[i] = again ? c->tune[i - 1] : all_tunings(e, config);
        const json_t *number = json_object_get(known, text);
        c->shape[i] = number != NULL ? (int)json_integer_value(number) : c->n_shape;
        if (number == NULL) {
            json_object_set_new(known, text, json_integer(c->n_shape));
            c->of[c->n_shape++] = (ig_cost_shape){
                .first = i, .operations = (c->trained[i] ? 0 : c->train[i]) + c->tune[i]};
        }
        free(text);
    }
    return code;
}

ig_code ig_costs_new(ig_costs *c, const ig_lab_list *l, const ig_experiment *e, const bool *trained,
                     ig_err *err)
{
    *c = (ig_costs){.n = l->n};
    ig_code code = ig_alloc(&c->shape, l->n, sizeof *c->shape, "estimate", err);
    IG_THEN(code, ig_alloc(&c->train, l->n, sizeof *c->train, "estimate", err));
    IG_THEN(code, ig_alloc(&c->tune, l->n, sizeof *c->tune, "estimate", err));
    IG_THEN(code, ig_alloc(&c->trained, l->n, sizeof *c->trained, "estimate", err));
    IG_THEN(code, ig_alloc(&c->of, l->n, sizeof *c->of, "estimate", err));
    for (int i = 0; code == IG_ERR_OK && trained != NULL && i < l->n; i++)
        c->trained[i] = trained[i];
    IG_THEN(code, number_shapes(c, l, e, err));
    if (code != IG_ERR_OK)
        ig_costs_free(c);
    return code;
}

void ig_costs_free(ig_costs *c)
{
    IG_FREE(c->shape, c->train, c->tune, c->trained, c->of);
    *c = (ig_costs){0};
}

/* --- seconds ---------------------------------------------------------------------------------- */

void ig_costs_finished(ig_costs *c, int i, double seconds)
{
    c->of[c->shape[i]].finished += seconds;
    c->of[c->shape[i]].n_finished++;
}

/* Runs that have so many times fewer operations say nothing of the seconds of others: they are
 * started and measured for longer than they are trained. */
enum { FAR = 20 };

static bool says_nothing_of_tuning(const ig_costs *c, int i)
{
    return c->tune[i] > FAR * c->train[i];
}

void ig_costs_training(ig_costs *c, int i, double seconds)
{
    if (c->trained[i]) {
        c->seconds += seconds;
        c->operations += c->train[i];
    } else if (says_nothing_of_tuning(c, i)) {
        c->few_seconds += seconds;
        c->few_operations += c->train[i];
    } else {
        ig_costs_finished(c, i, seconds * (1 + (c->tune[i] > 0 ? c->tune[i] / c->train[i] : 0)));
    }
}

static double of_shape(const ig_cost_shape *s)
{
    return s->n_finished > 0  ? s->finished / s->n_finished
           : s->n_running > 0 ? s->running / s->n_running
                              : (double)NAN;
}

/* Seconds by operation of runs that are not far smaller (as an untrained control is); of others
 * only where `few` and nothing else is known. NaN: none is known. */
static double rate_for(const ig_costs *c, double wanted, bool few)
{
    double seconds = c->seconds, operations = c->operations;
    for (int k = 0; k < c->n_shape; k++) {
        const double one = of_shape(&c->of[k]);
        if (isnan(one) || c->of[k].operations * FAR < wanted)
            continue;
        seconds += one;
        operations += c->of[k].operations;
    }
    return operations > 0                 ? seconds / operations
           : few && c->few_operations > 0 ? c->few_seconds / c->few_operations
                                          : (double)NAN;
}

/* Seconds of the fine-tunings of a run whose training takes so many. */
static double tuning_seconds(const ig_costs *c, int i, double training)
{
    if (!says_nothing_of_tuning(c, i))
        return training * c->tune[i] / c->train[i];
    const double rate = rate_for(c, c->tune[i], true);
    return c->tune[i] * (isnan(rate) ? 1 / IG_COST_RATE : rate);
}

void ig_costs_clear(ig_costs *c)
{
    for (int i = 0; i < c->n_shape; i++) {
        c->of[i].running = 0;
        c->of[i].n_running = 0;
    }
}

/* Checkpoints measured in (from, to]; from < 0: the untrained model too. */
static int64_t measured_between(const ig_measure_plan *plan, int64_t from, int64_t to)
{
    /* _count counts the last one always. */
    int64_t upto = ig_checkpoints_count(&plan->at, to + 1) - 1;
    int64_t before = from < 0 ? 0 : ig_checkpoints_count(&plan->at, from + 1) - 1;
    return upto > before ? upto - before : 0;
}

double ig_costs_running(ig_costs *c, int i, const ig_lab_slot *slot, double elapsed,
                        const ig_measure_plan *plan)
{
    const int64_t step = atomic_load(&slot->step), n = atomic_load(&slot->n_step),
                  first = atomic_load(&slot->first_step);
    const double trained = atomic_load(&slot->train_seconds);
    if (step - first < 2 || trained <= 0 || n <= 0)
        return (double)NAN;
    const double update = trained / (double)(step - first);
    const double other = elapsed > trained ? elapsed - trained : 0;
    const double seen = 1 + (double)measured_between(plan, first > 0 ? first : -1, step);
    const double ahead = 1 + (double)measured_between(plan, step, n - 1);
    const double tuning = tuning_seconds(c, i, update * (double)n);
    /* Once it is trained, the time that went on anything else was spent on fine-tunings too. */
    const double left = step == n && tuning > 0
                            ? fmax(tuning - other, 0)
                            : update * (double)(n - step) + other / seen * ahead + tuning;
    /* The time of work by an earlier process is not known in seconds of this one. */
    ig_cost_shape *of = &c->of[c->shape[i]];
    of->running += elapsed + left + update * (double)first;
    of->n_running++;
    return left;
}

/* The longest known run; NaN: none is known. */
static double longest_of(const ig_costs *c)
{
    double longest = (double)NAN;
    for (int k = 0; k < c->n_shape; k++)
        longest = fmax(longest, of_shape(&c->of[k]));
    return longest;
}

double ig_costs_whole(const ig_costs *c, int i)
{
    const ig_cost_shape *s = &c->of[c->shape[i]];
    const double known = of_shape(s),
                 rate = rate_for(c, s->operations, says_nothing_of_tuning(c, i));
    if (!isnan(known))
        return known;
    return isnan(rate) ? longest_of(c) + s->operations / IG_COST_RATE : rate * s->operations;
}

double ig_costs_guess(const ig_costs *c, int i)
{
    const double known = ig_costs_whole(c, i);
    return isnan(known) ? c->of[c->shape[i]].operations / IG_COST_RATE : known;
}

/* --- what is left, from the folders alone ----------------------------------------------------- */

static double share_left(const ig_lab_state *s)
{
    return s->n_step > 0 && s->step > 0 ? 1 - (double)s->step / (double)s->n_step : 1;
}

static double sum_up(ig_costs *c, const ig_lab_state *s, int n, const ig_experiment *e)
{
    double sum = 0, longest = 0;
    int running = 0;
    for (int i = 0; i < n; i++) {
        const double done = 1 - share_left(&s[i]);
        if (s[i].status == IG_RUN_DONE && s[i].seconds > 0)
            ig_costs_finished(c, i, s[i].seconds);
        /* By its progress since this process started it. */
        if (s[i].status == IG_RUN_RUNNING && s[i].seconds > 0 && done > 0) {
            c->of[c->shape[i]].running += s[i].seconds / done;
            c->of[c->shape[i]].n_running++;
        }
    }
    for (int i = 0; i < n; i++) {
        const bool is_running = s[i].status == IG_RUN_RUNNING;
        running += is_running;
        if (s[i].status == IG_RUN_DONE || s[i].status == IG_RUN_FAILED ||
            (!is_running && (e->cell[s[i].cell].needs & IG_NEEDS_GPU) != 0))
            continue;
        const double whole = ig_costs_whole(c, i);
        double left = s[i].trained ? whole : whole * share_left(&s[i]);
        if (is_running && left <= 0) /* trained; what follows is as long as in other runs */
            left = fmax(whole - s[i].seconds, 0);
        sum += left;
        longest = is_running && left > longest ? left : longest;
    }
    sum /= running > 1 ? running : 1;
    return sum < longest ? longest : sum;
}

ig_code ig_lab_time_left(double *seconds, const ig_lab_state *s, int n, const ig_experiment *e,
                         ig_err *err)
{
    ig_costs c;
    ig_lab_list l = {.n = n};
    bool *trained = NULL;
    *seconds = n > 0 ? (double)NAN : 0;
    if (n == 0)
        return IG_ERR_OK;
    ig_code code = ig_alloc(&l.item, n, sizeof *l.item, "estimate", err);
    IG_THEN(code, ig_alloc(&trained, n, sizeof *trained, "estimate", err));
    for (int i = 0; i < n && code == IG_ERR_OK; i++) {
        l.item[i].cell = s[i].cell;
        trained[i] = s[i].trained;
    }
    IG_THEN(code, ig_costs_new(&c, &l, e, trained, err));
    if (code == IG_ERR_OK) {
        *seconds = sum_up(&c, s, n, e);
        ig_costs_free(&c);
    }
    IG_FREE(l.item, trained);
    return code;
}
