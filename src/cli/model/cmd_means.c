/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot means: the mean of the hidden states of each language, layer by layer.
 */
#include "base/file.h"

#include "apply/edit/language_means.h"
#include "cli/commands.h"
#include "cli/model/states_options.h"
#include "cli/print/print.h"
#include "run/measure/open_run.h"

#include <stdio.h>

typedef struct {
    ig_states_options states;
    ig_text_list text;
    int64_t take;
    int as;
    char *out;
    bool json;
} config;

static const char *const variants[] = {"paper-text", "paper-code", NULL};

static const ig_option options[] = {
    IG_STATES_OPTIONS(config, states),
    {IG_TEXTS(config, "text", text, "L=FILE",
              "text of language L, a sentence a line; once for each language; none: a run's "
              "training text"),
     .group = "Text"},
    {IG_INT(config, "take", take, "0", 0, 1e12, "the first N sentences of each text; 0: all")},
    {IG_ENUM(config, "as", as, "paper-text", variants,
             "over tokens without [CLS] and [SEP], or over sentences of means with them")},
    {IG_PATH(config, "out", out, "FILE", "write mean.L [layers + 1, hidden] there, safetensors"),
     .group = "Result"},
    {IG_FLAG(config, "json", json, NULL, "print the summary as one JSON object")},
};

static ig_variant variant_of(const config *c)
{
    return c->as == 0 ? IG_VARIANT_PAPER_TEXT : IG_VARIANT_PAPER_CODE;
}

static ig_code add_text(ig_language_means *m, ig_states *s, const config *c, const char *text,
                        ig_err *err)
{
    ig_named_text of;
    IG_TRY(ig_states_text_parse(&of, text, err));
    ig_states_source from = {.name = of.name, .path = of.path, .take = c->take};
    IG_TRY(ig_model_languages_find_requested(&from.language, ig_states_languages(s), of.name,
                                             "--text", err));
    return ig_language_means_add(m, s, &from, variant_of(c), err);
}

/* The training text of a run, in all its languages. */
static ig_code add_run(ig_language_means *m, ig_states *s, const config *c, ig_err *err)
{
    ig_open_run run;
    ig_code code = ig_open_run_corpora(&run, c->states.model, err);
    for (int k = 0; code == IG_ERR_OK && k < ig_corpus_n_language(run.setup.train); k++) {
        const ig_states_source from = ig_states_of_corpus(run.setup.train, k, c->take);
        code = ig_language_means_add(m, s, &from, variant_of(c), err);
    }
    ig_open_run_close(&run);
    return code;
}

static ig_code print_report(const config *c, const ig_language_means *m, ig_err *err)
{
    json_t *all = json_object();
    for (int i = 0; i < m->n; i++) {
        const ig_language_mean *l = &m->language[i];
        if (!c->json)
            printf("%s: %lld sentence%s, %lld tokens, %lld cut\n", l->name,
                   (long long)l->n_sentence, ig_s(l->n_sentence), (long long)l->n_token,
                   (long long)l->n_cut);
        json_object_set_new(all, l->name,
                            json_pack("{s:I, s:I, s:I}", "sentences", (json_int_t)l->n_sentence,
                                      "tokens", (json_int_t)l->n_token, "cut",
                                      (json_int_t)l->n_cut));
    }
    if (!c->json) {
        json_decref(all);
        return IG_ERR_OK;
    }
    return ig_json_print(json_pack("{s:s, s:i, s:i, s:s, s:o}", "model", c->states.model, "layers",
                                   m->n_layer - 1, "hidden", m->d, "as", variants[c->as],
                                   "languages", all),
                         err);
}

static ig_code run_means(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    ig_language_means m = {0};
    ig_states *s = NULL;
    (void)n_arg;
    (void)arg;
    if (c->out == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--out", 0, "not given, expected a file for the means");
    IG_TRY(ig_out_try(c->out, err));
    ig_states_options o = c->states;
    IG_TRY(ig_states_options_check(&o, err));
    o.all_layers = true;
    ig_code code = ig_states_open(&s, &o, err);
    IG_THEN(code, ig_bert_digest(m.model, ig_states_encoder(s)->model, err));
    if (code == IG_ERR_OK && c->text.n == 0)
        code = add_run(&m, s, c, err);
    for (int i = 0; i < c->text.n && code == IG_ERR_OK; i++)
        code = add_text(&m, s, c, c->text.text[i], err);
    IG_THEN(code, ig_language_means_write(&m, c->out, err));
    IG_THEN(code, print_report(c, &m, err));
    ig_states_close(s);
    ig_language_means_free(&m);
    return code;
}

const ig_command ig_cmd_means = {
    .name = "means",
    .summary = "the mean of each language's hidden states, layer by layer",
    .details =
        "The mean is what a language adds to the states of its tokens (Liu et al., A Study of "
        "Cross-Lingual Ability …, §4.1). isoglot translate and edits of states read the file "
        "(docs/edits.md).\n\n"
        "  isoglot means --model runs/id0 --text en=en.txt --text fake=en.txt --out "
        "means.safetensors",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_means,
};
