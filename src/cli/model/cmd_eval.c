/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot eval: how multilingual is a trained run, and how good a language model.
 */
#include "base/log.h"

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/model/states_options.h"
#include "cli/print/print.h"
#include "cli/print/measure_table.h"
#include "evaluate/evaluate.h"
#include "model/device/device_name.h"
#include "text/tokenizer/unknown_pieces.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    ig_evaluate_options o; /* variants counted from 1 */
    ig_int_list layers;
    ig_text_list text, files;
    char *edit;
    bool train, json;
    bool also[IG_MEASURE_N]; /* measures that are not taken by default */
} eval_config;

static const char *const poolings[] = {"run", "mean", "last", "weighted", NULL};
static const char *const variants[] = {"run", "fixed", "paper-text", "paper-code", NULL};

/* An option for each measure that is not taken by default. */
#define MEASURE(measure, by_default, text) MEASURE_##by_default(measure, text)
#define MEASURE_true(measure, text)
#define MEASURE_false(measure, text)                                                               \
    {IG_FLAG(eval_config, #measure, also[IG_MEASURE_##measure], NULL, text)},

static const ig_option options[] = {
    {IG_INTS(eval_config, "layers", layers, "L,L", 0, 1000,
             "layers to measure; 0 is the embeddings; none: 0 and two thirds up (8 of 12)")},
    {IG_INT(eval_config, "step", o.step, "-1", -1, 1e15,
            "measure the checkpoint of that update; -1: the newest")},
    {IG_TEXT(eval_config, "pair", o.pair, NULL, "A,B",
             "the two languages to compare, by their names or numbers; none: the first two")},
    {IG_TEXTS(eval_config, "text", text, "[L=]FILE",
              "another development text, cleaned as the run's own; L=FILE, once for each language: "
              "the texts of a model that is no run")},
    IG_STATES_FILES(eval_config, files),
    {IG_TEXT(
        eval_config, "parallel", o.parallel, NULL, "A-B=FILE",
        "parallel text of two of the run's languages, in the order of its two columns, in place "
        "of the development text")},
    {IG_TEXT(eval_config, "text-ids", o.text_ids, NULL, "SET",
             "verses to take of --text: NT, OT, book numbers or ranges of ids")},
    {.old = "text-take max-sentences",
     IG_INT(eval_config, "take", o.text_take, "-1", -1, 1e12,
            "the first N sentences of each language and text; 0: all; -1: all, of --text as many "
            "as the run's dev-take")},
    {IG_FLAG(eval_config, "unrelated", o.unrelated, NULL,
             "the texts of the languages are not translations of each other")},
    {IG_PATH(eval_config, "dictionary", o.dictionary, "FILE",
             "pairs of words of the first two texts, a pair a line")},
    {IG_FLAG(eval_config, "lowercase", o.lowercase, NULL,
             "with L=FILE: as an uncased BERT; default as the model's tokenizer_config.json says")},
    {IG_UNKNOWN_OPTION(eval_config, o.allow_unknown)},
    {IG_FLAG(eval_config, "train", train, "true", "perplexity of the training text too")},
    {IG_ENUM(
        eval_config, "pooling", o.pooling, "run", poolings,
        "vectors of sentences: as the run says, mean of the pieces' states, the last one's, or the "
        "mean weighted by position")},
    IG_MEASURES(MEASURE){
        IG_ENUM(eval_config, "translation", o.translation, "run", variants,
                "words that tau counts: as the run says, the gold dictionary (fixed), or all ids")},
    {IG_ENUM(eval_config, "perplexity", o.perplexity, "run", variants,
             "mean shown as the perplexity: as the run says, by token (fixed), or by batch")},
    {IG_TEXT(eval_config, "edit", edit, NULL, "EDIT",
             "edits of states, weights, attention first: {layer: L, kind: K, …}, a list, or a "
             "YAML file")},
    {IG_DEVICE_OPTION(eval_config, o.device)},
    {IG_INT(eval_config, "threads", o.n_thread, "0", 0, 1024,
            "threads; 0: all processors; the numbers do not depend on it")},
    {IG_FLAG(eval_config, "json", json, NULL, "print a JSON object")},
};

static ig_code print_table(const ig_evaluation *e, char *const *dir, int n, ig_err *err)
{
    IG_OWNED ig_measure_row *row = NULL;
    IG_TRY(ig_alloc(&row, n, sizeof *row, "rows", err));
    for (int i = 0; i < n; i++)
        row[i] = (ig_measure_row){dir[i], e[i].step, &e[i].measure};
    return ig_measure_rows(row, n, "run", err);
}

/* "edited: centre at layer 1, project at layer 2, heads 1:0 3:5, 20 neurons by lape". */
static void print_edits(const ig_edit_specs *s)
{
    for (int i = 0; i < s->n; i++) {
        const ig_edit_spec *e = &s->spec[i];
        const char *kind = ig_edit_spec_names[e->kind];
        printf("%s", i > 0 ? ", " : "edited: ");
        if (e->list != NULL)
            printf("%s %s", kind, e->list);
        else if (e->count > 0)
            printf("%d %s by %s", (int)e->count, kind, ig_edit_rule_names[e->rule]);
        else
            printf("%s", kind);
        if (e->layer > 0 || !ig_edit_of_units(e))
            printf(" at layer %d", (int)e->layer);
    }
    printf("%s", s->n > 0 ? "\n" : "");
}

static ig_code print_json(const ig_evaluation *e, char *const *dir, int n, ig_err *err)
{
    json_t *j = NULL;
    if (n == 1) {
        j = ig_evaluation_json(&e[0], dir[0]);
    } else {
        json_t *runs = json_object();
        for (int i = 0; i < n && runs != NULL; i++)
            if (json_object_set_new(runs, dir[i], ig_evaluation_json(&e[i], dir[i])) != 0) {
                json_decref(runs);
                runs = NULL;
            }
        j = runs != NULL ? json_pack("{s:o}", "runs", runs) : NULL;
    }
    return ig_json_print(j, err);
}

/* A language before the first '=', which stands in no folder's name: LANGUAGE=FILE. */
static bool names_language(const char *text)
{
    const size_t n = strcspn(text, "=/");
    return n > 0 && text[n] == '=';
}

/* Either one development text of runs, or texts of languages. */
static ig_code take_texts(ig_evaluate_options *o, ig_named_text *named, const eval_config *c,
                          ig_err *err)
{
    if (c->text.n > 0 && names_language(c->text.text[0])) {
        IG_TRY(ig_states_texts(named, &c->text, err));
        o->texts = named;
        o->n_text = c->text.n;
        return IG_ERR_OK;
    }
    if (c->text.n > 1)
        return ig_fail(err, IG_ERR_USAGE, "--text", 0,
                       "found %d of them, expected one, or LANGUAGE=FILE in each", c->text.n);
    if (o->unrelated || o->dictionary != NULL || o->lowercase)
        return ig_fail(err, IG_ERR_USAGE,
                       o->unrelated            ? "--unrelated"
                       : o->dictionary != NULL ? "--dictionary"
                                               : "--lowercase",
                       0, "needs texts of languages, --text LANGUAGE=FILE");
    o->text = c->text.n > 0 ? c->text.text[0] : NULL;
    return IG_ERR_OK;
}

static ig_code check(const eval_config *c, int n_arg, char *const *arg, ig_err *err)
{
    if (c->o.text_ids != NULL && c->text.n == 0)
        return ig_fail(err, IG_ERR_USAGE, "--text-ids", 0, "needs --text");
    if (c->o.parallel != NULL && (c->text.n > 0 || c->o.pair != NULL))
        return ig_fail(err, IG_ERR_USAGE, "--parallel", 0,
                       "is a text of two languages, expected neither --text nor --pair");
    if ((c->also[IG_MEASURE_words] || c->also[IG_MEASURE_lexicon]) &&
        (c->text.n > 0 || c->o.parallel != NULL))
        return ig_fail(err, IG_ERR_USAGE, c->also[IG_MEASURE_words] ? "--words" : "--lexicon", 0,
                       "words are retrieved in the training text, expected no %s",
                       c->o.parallel != NULL ? "--parallel" : "--text");
    for (int i = 0; i < n_arg; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(arg[i], arg[k]) == 0)
                return ig_fail(err, IG_ERR_USAGE, arg[i], 0, "is given twice");
    return IG_ERR_OK;
}

/* Every pair of the files, e[i] called name[i]. */
static ig_code each_pair(ig_evaluation *e, char (*name)[2 * IG_LANGUAGE_NAME],
                         const ig_named_text *file, int n, const ig_evaluate_options *o,
                         ig_err *err)
{
    for (int a = 0, i = 0; a < n; a++)
        for (int b = a + 1; b < n; b++, i++) {
            const ig_named_text two[] = {file[a], file[b]};
            snprintf(name[i], sizeof name[i], "%s-%s", two[0].name, two[1].name);
            IG_TRY(ig_evaluate_states(&e[i], &(ig_states_files){.file = two, .n = 2}, o, err));
        }
    return IG_ERR_OK;
}

/* Files of states, two or each pair; they have nothing that a model's options could change. */
static ig_code run_states(const eval_config *c, const ig_evaluate_options *o, ig_err *err)
{
    enum { PAIRS = IG_NAMED_TEXTS_MAX * (IG_NAMED_TEXTS_MAX - 1) / 2 };
    ig_named_text file[IG_NAMED_TEXTS_MAX];
    char name[PAIRS][2 * IG_LANGUAGE_NAME], *shown[PAIRS];
    ig_states_files files;
    IG_OWNED ig_evaluation *e = NULL;
    if (c->text.n > 0 || o->parallel != NULL || o->dictionary != NULL || o->pair != NULL ||
        c->edit != NULL || o->pooling >= 0 || o->step >= 0 || o->translation >= 0 ||
        o->perplexity >= 0 || o->lowercase || o->allow_unknown)
        return ig_fail(err, IG_ERR_USAGE, "--states", 0,
                       "has no model, which --text, --parallel, --dictionary, --pair, --edit, "
                       "--pooling, --step, --translation, --perplexity, --lowercase and "
                       "--allow-unknown need");
    IG_TRY(ig_states_files_take(&files, file, &c->files, NULL, err));
    if (files.n < 2)
        return ig_fail(err, IG_ERR_USAGE, "--states", 0, "found %d of them, expected at least 2",
                       files.n);
    const int n = files.n * (files.n - 1) / 2;
    IG_TRY(ig_alloc(&e, n, sizeof *e, "measures", err));
    ig_code code = each_pair(e, name, file, files.n, o, err);
    for (int i = 0; i < n; i++)
        shown[i] = n == 1 ? e[i].model : name[i];
    IG_THEN(code, c->json ? print_json(e, shown, n, err) : print_table(e, shown, n, err));
    for (int i = 0; i < n; i++)
        ig_evaluation_free(&e[i]);
    return code;
}

static ig_code run_eval(void *config, int n_arg, char *const *arg, ig_err *err)
{
    const eval_config *c = config;
    ig_named_text named[IG_NAMED_TEXTS_MAX];
    IG_TRY(check(c, n_arg, arg, err));
    ig_evaluate_options o = c->o;
    o.layer = c->layers.v;
    o.n_layer = c->layers.n;
    o.max_sentence = c->o.text_take > 0 ? c->o.text_take : 0;
    o.pooling--;
    o.translation--;
    o.perplexity--;
    o.skip_train = !c->train;
    for (int k = 0; k < IG_MEASURE_N; k++)
        o.also |= c->also[k] ? (ig_measure_set)1 << k : 0;
    if (c->files.n > 0)
        return n_arg > 0 ? ig_fail(err, IG_ERR_USAGE, "--states", 0,
                                   "found beside the model %.200s, expected one of them", arg[0])
                         : run_states(c, &o, err);
    if (n_arg == 0)
        return ig_fail(err, IG_ERR_USAGE, "DIR", 0,
                       "not given, expected a run or a model's folder");
    IG_TRY(take_texts(&o, named, c, err));
    IG_OWNED ig_evaluation *e = NULL;
    ig_edit_specs edits = {0};
    IG_TRY(ig_alloc(&e, n_arg, sizeof *e, "measures", err));
    ig_code code = c->edit != NULL ? ig_edit_specs_add(&edits, c->edit, err) : IG_ERR_OK;
    o.edits = &edits;
    ig_progress_begin("measure", n_arg);
    for (int i = 0; i < n_arg && code == IG_ERR_OK; i++) {
        ig_progress(i, arg[i]);
        code = ig_evaluate(&e[i], arg[i], &o, err);
    }
    ig_progress_end();
    if (code == IG_ERR_OK && c->json) {
        code = print_json(e, arg, n_arg, err);
    } else if (code == IG_ERR_OK) {
        print_edits(&edits);
        code = print_table(e, arg, n_arg, err);
    }
    for (int i = 0; i < n_arg; i++)
        ig_evaluation_free(&e[i]);
    ig_edit_specs_free(&edits);
    return code;
}

const ig_command ig_cmd_eval = {
    .name = "eval",
    .summary = "measure runs and published models: alignment, retrieval, translation, perplexity",
    .args = "[DIR…]",
    .details =
        "DIR is the folder of a run (isoglot train --out DIR) or one of its checkpoints. "
        "Languages, texts and everything about the model come from the run's own record. Any "
        "other model's folder (docs/model.md, \"Published encoders\") is measured on texts that "
        "are given. With --json one DIR gives one object, several give {\"runs\": {DIR: object, "
        "…}}.\nExamples:\n"
        "  isoglot eval runs/id0 --layers 0,4,8,12\n"
        "  isoglot eval runs/id0 runs/id8 runs/id3 --json\n"
        "  isoglot eval runs/id0 --text eng-kjv.tsv.zst --text-ids OT\n"
        "  isoglot eval runs/bible --parallel fr-en=tatoeba/fra-eng.tsv.zst --mapped\n"
        "  isoglot eval LaBSE --text en=en.txt --text de=de.txt --dictionary en-de.txt\n"
        "  isoglot eval --states en=en.safetensors --states de=de.safetensors",
    IG_COMMAND_OPTIONS(options, eval_config),
    .run = run_eval,
};
