/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot finetune, predict: a BERT is trained for a task in one language and scored in all; labels
 * by a fine-tuned model.
 */
#include "cli/commands.h"
#include "cli/print/print.h"
#include "cli/ranked.h"
#include "cli/signals.h"
#include "finetune/finetune.h"
#include "finetune/predict.h"
#include "model/device/device_name.h"
#include "model/engine/engine.h"
#include "text/tokenizer/unknown_pieces.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    ig_finetune_config own;
    unsigned char given[IG_OPTION_MAX];
} config;

static void print_scores(const json_t *scores)
{
    const char *language, *split, *name;
    json_t *splits, *one, *value;
    json_object_foreach((json_t *)(uintptr_t)scores, language, splits)
    {
        json_object_foreach(splits, split, one)
        {
            printf("%-8s %-5s", language, split);
            json_object_foreach(one, name, value)
            {
                if (json_is_integer(value))
                    printf("  %s %lld", name, (long long)json_integer_value(value));
                else if (json_is_real(value) && strcmp(name, "loss") != 0)
                    printf("  %s %.4f", name, json_real_value(value));
            }
            putchar('\n');
        }
    }
}

/* Prints a line for each text that was changed or not completely used. */
static void print_texts(const json_t *texts)
{
    static const char *const counts[] = {"cut", "divided", "words_without_pieces",
                                         "words_not_seen"};
    const char *name;
    json_t *text;
    json_object_foreach((json_t *)(uintptr_t)texts, name, text)
    {
        bool any = false;
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            const long long n = json_integer_value(json_object_get(text, counts[i]));
            if (n == 0)
                continue;
            if (!any)
                printf("%-14s", name);
            printf("  %s %lld", counts[i], n);
            any = true;
        }
        if (any)
            putchar('\n');
    }
}

/* Minimal pairs: of each language and phenomenon. */
static void print_pairs(const json_t *scores)
{
    const char *language, *split, *name;
    json_t *splits, *one, *of;
    json_object_foreach((json_t *)(uintptr_t)scores, language, splits)
    {
        json_object_foreach(splits, split, one)
        {
            const json_t *by = json_object_get(json_object_get(one, "detail"), "by_label");
            for (int all = 1; all >= 0; all--)
                json_object_foreach(all == 1 ? splits : (json_t *)(uintptr_t)by, name, of)
                {
                    const json_t *i = json_object_get(of, "interval");
                    if (all == 0 || of == one)
                        printf("%-8s %-5s %-24s accuracy %.4f  [%.4f, %.4f]  n %lld\n", language,
                               split, all == 1 ? "" : name,
                               json_number_value(json_object_get(of, "accuracy")),
                               json_number_value(json_array_get(i, 0)),
                               json_number_value(json_array_get(i, 1)),
                               (long long)json_integer_value(json_object_get(of, "n")));
                }
        }
    }
}

static void print_result(const ig_finetune_config *c, const json_t *j)
{
    if (json_object_get(j, "masking") != NULL) {
        print_pairs(json_object_get(j, "scores"));
        printf("\nall scores  %s/scores.json\n", c->out);
        return;
    }
    const json_t *run = json_object_get(j, "run"), *selected = json_object_get(j, "selected");
    printf("%lld updates in %.0f s: %.0f tokens/s, peak memory %.0f MB\n",
           (long long)json_integer_value(json_object_get(run, "updates")),
           json_real_value(json_object_get(run, "seconds")),
           json_real_value(json_object_get(run, "tokens_per_second")),
           (double)json_integer_value(json_object_get(run, "peak_memory")) * 1e-6);
    printf("\nselected by %s\n", json_string_value(json_object_get(selected, "by")));
    print_scores(json_object_get(j, "scores"));
    print_texts(json_object_get(j, "texts"));
    printf("\nmodel       %s\nall scores  %s/scores.json\n", c->out, c->out);
}

static ig_code need(const char *value, const char *name, const char *what, ig_err *err)
{
    return value != NULL ? IG_ERR_OK : ig_fail(err, IG_ERR_USAGE, name, 0, "%s", what);
}

static ig_code check(void *c, const unsigned char *given, ig_err *err)
{
    config *all = c;
    memcpy(all->given, given, sizeof all->given);
    IG_TRY(need(all->own.model, "--model", "no model to fine-tune", err));
    IG_TRY(need(all->own.task, "--task", "no task to fine-tune for", err));
    return need(all->own.out, "--out", "no folder for the fine-tuned model", err);
}

static ig_code run_finetune(void *c, int n_arg, char *const *arg, ig_err *err)
{
    config *all = c;
    json_t *result;
    bool served;
    (void)n_arg;
    (void)arg;
    IG_TRY(ig_ranked(&served, &ig_finetune_options, &all->own, &all->own.threads, 1, err));
    if (served)
        return IG_ERR_OK;
    const volatile sig_atomic_t *stop = ig_signals_catch();
    ig_code code = ig_finetune(&result, &all->own, all->given, stop, err);
    ig_signals_release();
    if (code != IG_ERR_OK)
        return code;
    if (all->own.json)
        return ig_json_print(result, err);
    print_result(&all->own, result);
    json_decref(result);
    return IG_ERR_OK;
}

const ig_command ig_cmd_finetune = {
    .name = "finetune",
    .summary = "fine-tune a model for a task in one language, and score it in all",
    .details =
        "Fine-tunes a BERT folder on the training languages of the task in TASK.yaml, and "
        "evaluates it on every language's development and test texts. DIR becomes a Hugging Face "
        "folder. To resume a run that was stopped, use the same command: the result has the same "
        "bits as without the interruption.\n\n"
        "  isoglot finetune --model runs/id0 --task xnli/TASK.yaml --out tuned/xnli --json\n"
        "  isoglot finetune --model mbert --task panx/TASK.yaml --out tuned/panx --recipe xtreme "
        "--seed 1\n"
        "  isoglot finetune --model runs/sep --task xnli/TASK.yaml --out tuned/sep --freeze "
        "separate",
    .options = &ig_finetune_options,
    .config_size = sizeof(config),
    .run = run_finetune,
    .check = check,
    .ranks = true,
};

/* --- predict ---------------------------------------------------------------------------------- */

static const ig_option predict_options[] = {
    {IG_PATH(ig_predict_options, "model", model, "DIR", "folder of a fine-tuned model")},
    {IG_ENUM(ig_predict_options, "kind", kind, "auto", ig_predict_kinds,
             "what FILE holds; auto: as the folder says, or else as FILE shows")},
    {IG_TEXT(ig_predict_options, "language", language, NULL, "L",
             "the model's language that the file is read as; none: the first")},
    {IG_TEXT(ig_predict_options, "edit", edit, NULL, "EDIT",
             "edits of states, weights, attention first: {layer: L, kind: K, …}, a list, or a "
             "YAML file")},
    {IG_ENUM(ig_predict_options, "precision", precision, "float32", ig_precision_names,
             "of operands of matrix products")},
    {IG_FLAG(ig_predict_options, "scores", scores, NULL,
             "after the label LABEL=LOGIT of every label, tabs between")},
    {IG_UNKNOWN_OPTION(ig_predict_options, allow_unknown)},
    {IG_DEVICE_OPTION(ig_predict_options, device)},
    {IG_INT(ig_predict_options, "threads", n_thread, "0", 0, 1024,
            "threads; 0: all processors; the labels do not depend on it")},
};

static ig_code print_line(void *arg, const char *line, ig_err *err)
{
    (void)arg;
    (void)err;
    puts(line); /* the end of the program checks standard output */
    return IG_ERR_OK;
}

static ig_code run_predict(void *c, int n_arg, char *const *arg, ig_err *err)
{
    ig_predict_options *o = c;
    (void)n_arg;
    if (o->model == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--model", 0, "no fine-tuned model");
    o->file = arg[0];
    return ig_predict(o, print_line, NULL, err);
}

const ig_command ig_cmd_predict = {
    .name = "predict",
    .summary = "label a file with a fine-tuned model",
    .args = "FILE",
    .details =
        "DIR is what isoglot finetune wrote, or a folder of a text or token classifier that "
        "transformers wrote. FILE is as its task has it: texts, or pairs with a tab between, or "
        "a table with a line of names, or JSON, and a label is printed for each row; or a word a "
        "line with an empty line after each sentence, and word and label are printed; or "
        "CoNLL-U, printed with the labels as UPOS or the trees. '-' is standard input. "
        "transformers' folders do not say whether they classify texts or pairs: one column is "
        "texts, two are pairs, --kind says it. Columns are labels only if a line of names says "
        "so or nothing else is in them. A word that the model did not read has the label _.\n\n"
        "  isoglot predict --model tuned/xnli pairs.tsv\n"
        "  isoglot predict --model hf-nli --kind pair pairs.tsv\n"
        "  isoglot predict --model tuned/pos --language fake test.conllu",
    IG_COMMAND_OPTIONS(predict_options, ig_predict_options),
    .run = run_predict,
};
