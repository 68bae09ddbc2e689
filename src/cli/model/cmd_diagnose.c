/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot diagnose: a report card of any encoder.
 */
#include "base/file.h"

#include "cli/commands.h"
#include "cli/model/states_options.h"
#include "cli/print/print.h"
#include "evaluate/diagnosis_page.h"
#include "evaluate/findings.h"

#include <stdio.h>

typedef struct {
    ig_diagnose_options o;
    ig_text_list text;
    char *html;
    bool json;
} config;

static const ig_option options[] = {
    IG_STATES_OPTIONS(config, o.states),
    {IG_TEXTS(config, "text", text, "L=FILE",
              "text of language L, a sentence or a verse a line; once for each language"),
     .group = "Text"},
    {IG_INT(config, "take", o.texts.take, "2000", 0, 1e9,
            "the first N sentences of each text; 0: all")},
    {IG_FLAG(config, "unrelated", o.texts.unrelated, NULL,
             "the texts are not translations of each other")},
    {IG_PATH(config, "dictionary", o.dictionary, "FILE",
             "pairs of words of the first two languages, a pair a line")},
    {IG_PATH(config, "gold", o.gold, "FILE",
             "their sentences with word alignments, a pair a line (docs/formats.md)")},
    {IG_PATH(config, "html", html, "DIR", "write a page there, index.html"), .group = "Result"},
    {IG_FLAG(config, "json", json, NULL, "print all numbers as one JSON object")},
};

/* A column of a table: its number, and its width. */
typedef struct {
    int number, width;
} column;

static void print_table(const ig_diagnosis *d, int pair, const column *c, int n)
{
    for (int l = 0; l < d->n_layer; l++) {
        printf("%5d ", l);
        for (int i = 0; i < n; i++)
            ig_print_number(ig_diagnose_at(d, l, pair)[c[i].number], c[i].width,
                            ig_diagnose_numbers[c[i].number].digits);
        printf("\n");
    }
}

static void print_layers(const ig_diagnosis *d)
{
    static const column pair[] = {
        {IG_DIAGNOSE_COSINE, 6},  {IG_DIAGNOSE_CSLS, 6},    {IG_DIAGNOSE_MARGIN, 6},
        {IG_DIAGNOSE_CENTRED, 7}, {IG_DIAGNOSE_WORDS, 6},   {IG_DIAGNOSE_F1, 6},
        {IG_DIAGNOSE_CKA, 6},     {IG_DIAGNOSE_HUBNESS, 7}, {IG_DIAGNOSE_OWN, 6}};
    static const column layer[] = {{IG_DIAGNOSE_PROBE, 6},
                                   {IG_DIAGNOSE_ISOTROPY, 8},
                                   {IG_DIAGNOSE_CONSTANT, 8},
                                   {IG_DIAGNOSE_MEAN_COSINE, 12}};
    for (int i = 0; i < d->n_pair && ig_diagnosis_has_pairs(d); i++) {
        char name[2 * IG_DIAGNOSE_NAME + 1];
        ig_diagnose_pair_name(name, sizeof name, d, i);
        printf("\n%s\nlayer  cosine   csls margin centred  words     F1    cka hubness    own\n",
               name);
        print_table(d, i, pair, sizeof pair / sizeof *pair);
    }
    printf("\nlayer   probe isotropy constant  mean cosine\n");
    print_table(d, -1, layer, sizeof layer / sizeof *layer);
}

static ig_code print_findings(const ig_diagnosis *d, const char *model, ig_err *err)
{
    ig_findings f;
    ig_code code = ig_findings_make(&f, d, model, err);
    printf("\n");
    for (int i = 0; i < f.n && code == IG_ERR_OK; i++) {
        printf("* %s\n", f.finding[i].text);
        if (f.finding[i].command != NULL)
            printf("    %s\n", f.finding[i].command);
    }
    ig_findings_free(&f);
    return code;
}

static ig_code print_card(const ig_diagnosis *d, const char *model, bool json, ig_err *err)
{
    if (json)
        return ig_json_print(ig_diagnosis_json(d, model), err);
    printf("language  sentences  pieces/word  unknown  bytes/piece  perplexity\n");
    for (int k = 0; k < d->n_language; k++) {
        const ig_diagnose_language *l = &d->language[k];
        printf("%-8s  %9lld ", l->name, (long long)l->n_sentence);
        ig_print_number(ig_diagnose_pieces_per_word(l), 12, 2);
        ig_print_number(ig_diagnose_unknown(l), 8, 4);
        ig_print_number(ig_diagnose_bytes_per_piece(l), 12, 2);
        ig_print_number(l->perplexity, 11, 1);
        printf("\n");
    }
    print_layers(d);
    return print_findings(d, model, err);
}

static ig_code run_diagnose(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    ig_named_text text[IG_DIAGNOSE_LANGUAGES];
    ig_diagnosis d;
    ig_diagnose_options o = c->o;
    if (n_arg > 0 && o.states.model != NULL)
        return ig_fail(err, IG_ERR_USAGE, "--model", 0, "found beside MODEL, expected one of them");
    if (n_arg > 0)
        o.states.model = arg[0];
    o.texts.text = text;
    o.texts.n_text = c->text.n;
    IG_TRY(ig_states_options_check(&o.states, err));
    if (c->html != NULL)
        IG_TRY(ig_out_try_in(c->html, "index.html", err));
    IG_TRY(ig_states_texts(text, &c->text, err));
    ig_code code = ig_diagnose(&d, &o, err);
    if (code == IG_ERR_OK && c->html != NULL)
        code = ig_diagnosis_page(&d, o.states.model, c->html, err);
    IG_THEN(code, print_card(&d, o.states.model, c->json, err));
    ig_diagnosis_free(&d);
    return code;
}

const ig_command ig_cmd_diagnose = {
    .name = "diagnose",
    .summary = "a report card of any encoder: how it represents several languages",
    .args = "[MODEL]",
    .max_arg = 1,
    .details =
        "Encodes a text of each language with a run or a Hugging Face folder (BERT, RoBERTa, "
        "XLM-R and similar). Reports for every layer: retrieval, CKA, hubness, a language probe, "
        "isotropy; for every language:\n"
        "vocabulary coverage, pseudo-perplexity; and findings, each with a command that helps "
        "(docs/diagnose.md).\n\n"
        "  isoglot diagnose LaBSE --text en=en.txt --text de=de.txt --dictionary en-de.txt "
        "--html card",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_diagnose,
};
