/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot train: one pre-training run in a folder, which can be stopped and resumed, measured at
 * its end.
 */
#include "base/settings/json_text.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/strings/append.h"
#include "base/strings/time_text.h"
#include "cli/commands.h"
#include "cli/print/print.h"
#include "cli/print/measure_table.h"
#include "cli/ranked.h"
#include "cli/signals.h"
#include "model/checkpoint_config.h"
#include "model/device/cuda/device_cuda.h"
#include "run/run_config.h"
#include "run/train/run_replicas.h"

#include <stdio.h>
#include <stdlib.h>

/* "memory      about 420 MB of the card", and where it is here, whether it has so much. */
static ig_code print_device(const ig_run_config *c, const ig_run_plan *p, ig_err *err)
{
    const double mb = (double)p->device_memory * 1e-6;
    if (p->device_memory == 0)
        return IG_ERR_OK;
    if (!c->json)
        printf("device      about %.0f MB of %s%s; the time is a processor's\n", mb, c->device,
               c->replicas > 1 ? " a run, as many at once as it has room for" : "");
    return ig_device_choose(c->device, NULL) == IG_ERR_OK
               ? ig_device_default()->reserve(p->device_memory, NULL, err)
               : IG_ERR_OK;
}

static ig_code print_plan(const ig_run_config *c, const ig_run_plan *p, ig_err *err)
{
    json_t *config = ig_options_json(&ig_run_options, c);
    json_t *j = json_pack(
        "{s:o, s:{s:I, s:i, s:i, s:i, s:i, s:i, s:I, s:I, s:I, s:f, s:f, s:I, s:f, s:o*}}",
        "config", config, "plan", "parameters", (json_int_t)p->n_parameter, "vocab_size",
        p->model.vocab_size, "layers", p->model.num_hidden_layers, "hidden", p->model.hidden_size,
        "heads", p->model.num_attention_heads, "ffn", p->model.intermediate_size, "sequences",
        (json_int_t)p->n_sequence, "steps_per_epoch", (json_int_t)p->steps_per_epoch, "updates",
        (json_int_t)p->n_update, "tokens_per_update", p->tokens_per_update, "tokens_per_second",
        p->tokens_per_second, "memory_bytes", (json_int_t)p->memory, "seconds", p->seconds,
        "missing", ig_measure_missing_json(&p->missing));
    if (p->ranks > 1)
        json_object_set_new(json_object_get(j, "plan"), "ranks",
                            json_pack("{s:i, s:i, s:I}", "n", p->ranks, "lanes", p->lanes,
                                      "sent_bytes", (json_int_t)p->sent));
    if (p->device_memory > 0)
        json_object_set_new(json_object_get(j, "plan"), "device_memory_bytes",
                            json_integer(p->device_memory));
    if (c->json)
        return ig_json_print(j, err);
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(j, "config"), key, value)
    {
        char *text = ig_json_text(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9));
        printf("%-22s %s\n", key, text != NULL ? text : "");
        free(text);
    }
    json_decref(j);
    printf("\nmodel       %d layers, hidden %d, heads %d, ffn %d, vocabulary %d: %lld parameters\n",
           p->model.num_hidden_layers, p->model.hidden_size, p->model.num_attention_heads,
           p->model.intermediate_size, p->model.vocab_size, (long long)p->n_parameter);
    if (c->model.parameters > 0)
        printf("            asked for %lld parameters, %+.2f %% off\n",
               (long long)c->model.parameters,
               100 * ((double)p->n_parameter / (double)c->model.parameters - 1));
    printf("data        %lld sequences, %lld micro-batches an epoch, %.0f tokens an update\n",
           (long long)p->n_sequence, (long long)p->steps_per_epoch, p->tokens_per_update);
    if (p->missing.mu[0] != '\0')
        printf("measures    no μ: %s\n", p->missing.mu);
    char time[IG_TIME_TEXT];
    printf("training    %lld updates at about %.0f tokens/s: %s", (long long)p->n_update,
           p->tokens_per_second, ig_time_text(time, p->seconds));
    printf(" without measuring\nmemory      about %.0f MB%s\n", (double)p->memory * 1e-6,
           p->ranks > 1 ? " a rank" : "");
    if (p->ranks > 1)
        printf("ranks       %d, for %d part%s of a batch; each sends about %.1f MB an update, "
               "which is "
               "in the time at 10 Gb/s\n",
               p->ranks, p->lanes, p->lanes == 1 ? "" : "s", p->sent * 1e-6);
    return IG_ERR_OK;
}

static ig_code dry_run(const ig_run_config *c, ig_err *err)
{
    ig_run_plan p;
    IG_TRY(ig_run_dry(c, &p, err));
    IG_TRY(print_plan(c, &p, err));
    return print_device(c, &p, err);
}

/* Says whose measures are of the text that was trained on. */
static void print_no_development(const ig_run_config *c)
{
    char names[256] = "";
    for (int k = 0; k < c->languages.n; k++) {
        const ig_language_words *l = &c->languages.language[k];
        const bool own = l->text[0] != '\0', world = l->world || (!own && c->data.text == NULL);
        if (!world && l->dev[0] == '\0' && (own || c->data.dev_text == NULL))
            ig_append_name(names, sizeof names, l->name);
    }
    if (names[0] != '\0')
        printf("development: the training text of %s, as there is no other (--dev-text, "
               "dev=FILE)\n",
               names);
}

static ig_code print_result(const ig_run_config *c, const ig_run_result *r, ig_err *err)
{
    char time[IG_TIME_TEXT];
    printf("%lld update%s in %s", (long long)r->update, ig_s(r->update),
           ig_time_text(time, r->seconds));
    printf(": %.0f tokens/s, %.1f GFLOP/s of model work, loss %.3f, peak memory %.0f MB\n",
           r->tokens_per_second, r->model_gflops, r->loss, (double)r->peak_memory * 1e-6);
    if (r->measured) {
        putchar('\n');
        IG_TRY(ig_measure_table(&r->measure, err));
        print_no_development(c);
    }
    if (c->model.parameters > 0)
        printf("\n%lld parameters for the %lld that were asked for: %+.2f %%\n",
               (long long)r->n_parameter, (long long)c->model.parameters,
               100 * ((double)r->n_parameter / (double)c->model.parameters - 1));
    const ig_bert_config m = ig_run_config_model(c, r->vocab_size, 0);
    const char *as = ig_bert_opens_as(&m);
    printf("\nmodel  %s/model   (a Hugging Face folder; %s%s%s)\n", c->out,
           as != NULL ? "in transformers " : "no class of transformers opens it, isoglot alone",
           as != NULL ? as : "",
           as != NULL && m.n_language > 1 ? ", with the parts of the first language" : "");
    printf("log    %s/log.jsonl\n", c->out);
    if (r->measured)
        printf("all measures  %s/eval.json\n", c->out);
    return IG_ERR_OK;
}

static json_t *result_json(const ig_run_config *c, const ig_run_result *r)
{
    const ig_bert_config m = ig_run_config_model(c, r->vocab_size, 0);
    json_t *j = ig_run_json(r), *opens = json_pack("{s:s?, s:b}", "opens_as", ig_bert_opens_as(&m),
                                                   "opens_first_language", m.n_language > 1);
    json_object_update(j, opens);
    json_decref(opens);
    return j;
}

/* Options of experiment files, and what has no effect beside the others. */
static ig_code check(void *config, const unsigned char *given, ig_err *err)
{
    ig_run_config *c = config;
    if (c->trainer != IG_TRAINER_BERT) {
        ig_fail(err, IG_ERR_USAGE, "--trainer", 0, "a BERT is what this command trains");
        return ig_hint(err, "isoglot embed trains vectors of a text, isoglot run cells of an "
                            "experiment file with this trainer");
    }
    for (int i = 0; i < ig_run_options.n; i++) {
        const ig_option *o = &ig_run_options.row[i];
        if (given[i] == IG_GIVEN_LINE && o->part == IG_PART_WORDS) {
            char where[64];
            snprintf(where, sizeof where, "--%s", o->name);
            return ig_fail(err, IG_ERR_USAGE, where, 0,
                           "has no effect: words are asked in experiment files (isoglot run)");
        }
    }
    ig_run_config_given(c, given);
    IG_TRY(ig_run_config_resolve(c, err));
    return ig_run_check_effects(c, given, err);
}

static void free_parsed(void *config)
{
    ig_run_config_free_parsed(config);
}

/* Runs that are trained together: a line for each. */
static ig_code train_replicas(const ig_run_config *c, ig_err *err)
{
    IG_OWNED ig_run_result *r = NULL;
    json_t *list = json_array();
    double tokens = 0, seconds = 0;
    IG_TRY(ig_alloc(&r, c->replicas, sizeof *r, "results", err));
    const volatile sig_atomic_t *stop = ig_signals_catch();
    ig_code code = ig_run_replicas(c, stop, r, err);
    ig_signals_release();
    for (int64_t i = 0; i < c->replicas; i++) {
        const long long seed = (long long)c->optimisation.seed + i;
        tokens += (double)r[i].n_token;
        seconds = r[i].seconds > seconds ? r[i].seconds : seconds;
        if (code == IG_ERR_OK && !c->json)
            printf("%s/%lld  loss %.3f, %.0f tokens/s\n", c->out, seed, r[i].loss,
                   r[i].tokens_per_second);
        else if (code == IG_ERR_OK)
            json_array_append_new(list, result_json(c, &r[i]));
        ig_run_result_free(&r[i]);
    }
    const double rate = seconds > 0 ? tokens / seconds : 0;
    if (code == IG_ERR_OK && !c->json)
        printf("%lld runs together: %.0f tokens/s\n", (long long)c->replicas, rate);
    if (code == IG_ERR_OK && c->json)
        code = ig_json_print(
            json_pack("{s:o, s:f}", "replicas", json_incref(list), "tokens_per_second", rate), err);
    json_decref(list);
    return code;
}

static ig_code train_model(void *config, int n_arg, char *const *arg, ig_err *err)
{
    ig_run_config *c = config;
    (void)n_arg;
    (void)arg;
    if (c->dry_run)
        return dry_run(c, err);
    if (c->out == NULL) {
        ig_fail(err, IG_ERR_USAGE, "--out", 0, "no folder for the run");
        return ig_hint(
            err,
            "isoglot train --out runs/first trains on a generated world; --text FILE on your own");
    }
    bool served;
    IG_TRY(ig_ranked(&served, &ig_run_options, c, &c->threads, c->ranks, err));
    if (served)
        return IG_ERR_OK;
    if (c->replicas > 0)
        return train_replicas(c, err);
    ig_run_result *r;
    IG_TRY(ig_alloc(&r, 1, sizeof *r, "result", err));
    const volatile sig_atomic_t *stop = ig_signals_catch();
    ig_code code = ig_run_train(c, stop, r, err);
    ig_signals_release();
    if (code == IG_ERR_OK && r->resumed_from > 0)
        ig_log(IG_LOG_NORMAL, "went on from update %lld", (long long)r->resumed_from);
    if (code == IG_ERR_OK) {
        if (c->json)
            code = ig_json_print(result_json(c, r), err);
        else
            code = print_result(c, r, err);
    }
    ig_run_result_free(r);
    ig_free(r);
    return code;
}

/* Those that help shows: what a first training needs. */
static const char *const usual[] = {"text",   "files",     "dev-text", "dev-take",   "dev-parallel",
                                    "world",  "languages", "vocab",    "vocab-size", "preset",
                                    "from",   "mask-prob", "block",    "updates",    "epochs",
                                    "batch",  "lr",        "seed",     "threads",    "max-time",
                                    "config", "out",       NULL};

const ig_command ig_cmd_train = {
    .usual = usual,
    .name = "train",
    .summary =
        "pre-train a masked or causal language model over the languages of a text, and measure it",
    .details =
        "Trains BERT from scratch on a text and on languages derived from it. To resume a run "
        "that was stopped (Ctrl-C, a signal, a power failure), use the same command: the result "
        "has the same bits as without the interruption.\n\n"
        "  isoglot train --out runs/world --updates 2000\n"
        "  isoglot train --out runs/id0 --text bible.tsv.zst --ids NT --clauses --dev-text "
        "kjv.tsv.zst --dev-ids OT\n"
        "  isoglot train --out runs/id8 --text … --lang-pos --shift-special --no-random fixed\n"
        "  isoglot train --config mine.yaml --seed 42 --out runs/mine",
    .options = &ig_run_options,
    .config_size = sizeof(ig_run_config),
    .run = train_model,
    .check = check,
    .free = free_parsed,
    .ranks = true,
};
