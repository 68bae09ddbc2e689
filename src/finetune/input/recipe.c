/* SPDX-License-Identifier: Apache-2.0
 *
 * Recipes: what the programs of papers set, as values for the option table. bert: google-research/
 * bert, run_classifier.py (Devlin et al. 2019); xtreme: Hu et al. 2020, scripts/train_xnli.sh,
 * train_panx.sh; xlm: Conneau & Lample 2019 and Conneau et al. 2018, glue-xnli.py;
 * crosslingual-nlp: Wu & Dredze 2019, 2020; k2020: K et al. 2020 with AllenNLP 0.9 (names), BERT's
 * program (pairs); minimult: Dufter & Schütze 2020. A later row stands over an earlier one.
 */
#include "finetune/input/finetune_config.h"

#include <stdio.h>
#include <string.h>

enum {
    CLASS = 1 << IG_TASK_PAIR | 1 << IG_TASK_SINGLE,
    TAGS = 1 << IG_TASK_TAGGING,
    TREES = 1 << IG_TASK_PARSING,
    WORDS = TAGS | TREES,
    ANY = CLASS | WORDS
};
enum {
    FIXED = 1 << IG_FINETUNE_FIXED,
    TEXT = 1 << IG_FINETUNE_PAPER_TEXT,
    CODE = 1 << IG_FINETUNE_PAPER_CODE,
    ALL = FIXED | TEXT | CODE
};

typedef struct {
    int kinds, as;    /* bits of ig_task_kind, of ig_finetune_as */
    const char *keys; /* "KEY=VALUE KEY=VALUE"; NULL: the end */
} setting;

static const setting bert[] = {
    {ANY, ALL, "length=128 head-dropout=0.1 init=truncated-normal adam-rule=google"},
    {CLASS, CODE, "epochs=2"},
    {ANY, 0, NULL}};

static const setting xtreme[] = {
    {ANY, ALL,
     "length=128 head-dropout=0.1 batch=8 accum=4 lr=2e-5 warmup=0 adam-rule=hf-2.8 adam-eps=1e-8 "
     "weight-decay=0 select=source-dev"},
    {CLASS, FIXED | TEXT, "epochs=2"},
    {CLASS, CODE, "epochs=5"},
    {WORDS, ALL, "epochs=10 too-long=split"},
    {ANY, CODE, "accum-carry=true accum-mean=true"},
    {WORDS, CODE, "early-schedule=true"},
    {CLASS, ALL, "eval-every=100"},
    {WORDS, ALL, "eval-every=1000"},
    {ANY, 0, NULL}};

static const setting xlm[] = {{CLASS, ALL, "pair-input=xlm text-length=256 head=first"},
                              {ANY, ALL,
                               "segments=zero cut-eval=false head-dropout=0 init=xlm batch=8 "
                               "epoch-size=20000 schedule=constant warmup=0 adam-rule=xlm "
                               "adam-eps=1e-8 weight-decay=0 clip=0 select=target-dev"},
                              {ANY, FIXED | TEXT, "lr=2.5e-6 rates=head=10 epochs=200"},
                              {ANY, CODE, "lr=2.5e-5 epochs=250"},
                              {ANY, 0, NULL}};

static const setting crosslingual[] = {
    {ANY, ALL,
     "length=128 head-dropout=0.2 variational=true lr=2e-5 epochs=5 adam-rule=hf-2.8 adam-eps=1e-8 "
     "beta2=0.99 weight-decay=0 clip=0 select=source-dev eval-every=0.25 patience=10"},
    {CLASS, ALL, "head=first"},
    {TAGS, ALL, "empty-words=drop"},
    {TREES, ALL, "inner-dropout=0.33 joint-labels=true too-long=truncate"},
    {TREES, CODE, "free-root=true"},
    {ANY, 0, NULL}};

static const setting k2020[] = {
    {CLASS, ALL, "length=128 head-dropout=0.1 init=truncated-normal adam-rule=google"},
    {TAGS, ALL,
     "length=512 head=crf reads=mix freeze=all head-dropout=0.5 inner-dropout=0.5 lstm-layers=2 "
     "bioul=true lr=1e-3 epochs=75 schedule=constant warmup=0 adam-eps=1e-8 weight-decay=0 clip=5 "
     "select=source-dev patience=25"},
    {TAGS, CODE, "frozen-dropout=true crf-sum=true"},
    {ANY, 0, NULL}};

static const setting minimult[] = {
    {ANY, ALL, "length=128 lr=2e-5 warmup=0 adam-rule=hf-2.8 adam-eps=1e-8 weight-decay=0"},
    {ANY, CODE, "accum-carry=true accum-mean=true"},
    {ANY, 0, NULL}};

static const setting *const recipes[IG_N_RECIPE] = {
    [IG_RECIPE_BERT] = bert,   [IG_RECIPE_XTREME] = xtreme,
    [IG_RECIPE_XLM] = xlm,     [IG_RECIPE_CROSSLINGUAL_NLP] = crosslingual,
    [IG_RECIPE_K2020] = k2020, [IG_RECIPE_MINIMULT] = minimult};

static int place_of(const char *key)
{
    for (int i = 0; i < ig_finetune_options.n; i++)
        if (strcmp(ig_finetune_options.row[i].name, key) == 0)
            return i;
    return -1;
}

static ig_code check(const ig_finetune_config *c, ig_task_kind kind, ig_err *err)
{
    const double dropout[] = {c->dropout, c->head_dropout, c->inner_dropout};
    for (size_t i = 0; i < sizeof dropout / sizeof *dropout; i++)
        if (dropout[i] < 0 && dropout[i] > -1)
            return ig_fail(err, IG_ERR_USAGE, "dropout", 0,
                           "found %g, expected a probability or -1, the model's own", dropout[i]);
    if (c->training.updates > 0 && c->epoch_size > 0 && c->epoch_size < c->batch)
        return ig_fail(err, IG_ERR_USAGE, "epoch-size", 0,
                       "found %lld, expected at least batch (%lld)", (long long)c->epoch_size,
                       (long long)c->batch);
    if (c->length > 0 && c->length < 4)
        return ig_fail(err, IG_ERR_USAGE, "length", 0, "found %lld, expected 0 or at least 4",
                       (long long)c->length);
    if (c->vectors != NULL && c->keep_layers > 0)
        return ig_fail(err, IG_ERR_USAGE, "keep-layers", 0,
                       "found %lld, expected 0: below static vectors there is no layer",
                       (long long)c->keep_layers);
    const int of[] = {[IG_TOP_AUTO] = ANY,    [IG_TOP_POOLED] = CLASS, [IG_TOP_FIRST] = CLASS,
                      [IG_TOP_LINEAR] = TAGS, [IG_TOP_CRF] = TAGS,     [IG_TOP_PARSER] = TREES};
    if ((of[c->top] & 1 << kind) == 0)
        return ig_fail(err, IG_ERR_USAGE, "head", 0, "found a head for %s, but the task is %s",
                       of[c->top] == CLASS  ? "sequences"
                       : of[c->top] == TAGS ? "words"
                                            : "trees",
                       ig_task_kind_names[kind]);
    return IG_ERR_OK;
}

static bool applies(const setting *s, const ig_finetune_config *c, ig_task_kind kind)
{
    return (s->kinds & 1 << kind) != 0 && (s->as & 1 << c->as) != 0;
}

/* The next key of a list and its value; false: there is none. */
static bool next(const char **list, char key[IG_RECIPE_TEXT], char value[IG_RECIPE_TEXT])
{
    int n = 0;
    if (sscanf(*list, " %31[^=]=%31s%n", key, value, &n) != 2)
        return false;
    *list += n;
    return true;
}

const char *ig_recipe_value(char value[IG_RECIPE_TEXT], const ig_finetune_config *c,
                            ig_task_kind kind, const char *key)
{
    bool found = false;
    for (const setting *s = recipes[c->recipe]; s->keys != NULL; s++) {
        char name[IG_RECIPE_TEXT], text[IG_RECIPE_TEXT];
        for (const char *at = s->keys; applies(s, c, kind) && next(&at, name, text);)
            if (strcmp(name, key) == 0) {
                memcpy(value, text, sizeof text);
                found = true;
            }
    }
    return found ? value : NULL;
}

ig_code ig_recipe_apply(ig_finetune_config *c, ig_task_kind kind, const unsigned char *given,
                        ig_err *err)
{
    for (const setting *s = recipes[c->recipe]; s->keys != NULL; s++) {
        char key[IG_RECIPE_TEXT], value[IG_RECIPE_TEXT];
        for (const char *at = s->keys; applies(s, c, kind) && next(&at, key, value);)
            if (given[place_of(key)] == IG_GIVEN_NOT)
                IG_TRY(ig_options_set(&ig_finetune_options, c,
                                      &(ig_setting){key, value, ig_recipe_names[c->recipe], 0},
                                      err));
    }
    if (c->vectors != NULL && c->keep_layers < 0)
        c->keep_layers = 0; /* frozen embeddings, then new layers */
    return check(c, kind, err);
}
