/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot means, translate: the mean of the hidden states of each language, layer by layer;
 * translation token by token, by the difference of two languages' means.
 */
#include "apply/edit/edit_spec.h"
#include "apply/edit/language_means.h"
#include "apply/edit/translation.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "base/settings/json_text.h"
#include "cli/commands.h"
#include "cli/model/states_options.h"
#include "cli/print/print.h"
#include "run/measure/open_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- means ------------------------------------------------------------------------------------ */

typedef struct {
    ig_states_options states;
    ig_text_list text;
    int64_t take;
    int as;
    char *out;
    bool json;
} means_config;

static const char *const variants[] = {"paper-text", "paper-code", NULL};

static const ig_option means_options[] = {
    IG_STATES_OPTIONS(means_config, states),
    {IG_TEXTS(means_config, "text", text, "L=FILE",
              "text of language L, a sentence a line; once for each language; none: a run's "
              "training text"),
     .group = "Text"},
    {IG_INT(means_config, "take", take, "0", 0, 1e12,
            "the first N sentences of each text; 0: all")},
    {.old = "as",
     IG_ENUM(means_config, "definition", as, "paper-text", variants,
             "over tokens without [CLS] and [SEP], or over sentences of means with them")},
    {IG_PATH(means_config, "out", out, "FILE",
             "write mean.L [layers + 1, hidden] there, safetensors"),
     .group = "Result"},
    {IG_FLAG(means_config, "json", json, NULL, "print the summary as one JSON object")},
};

static ig_variant variant_of(const means_config *c)
{
    return c->as == 0 ? IG_VARIANT_PAPER_TEXT : IG_VARIANT_PAPER_CODE;
}

static ig_code add_text(ig_language_means *m, ig_states *s, const means_config *c, const char *text,
                        ig_err *err)
{
    ig_named_text of;
    IG_TRY(ig_states_text_parse(&of, text, "--text", err));
    ig_states_source from = {.name = of.name, .path = of.path, .take = c->take};
    IG_TRY(ig_model_languages_find_requested(&from.language, ig_states_languages(s), of.name,
                                             "--text", err));
    return ig_language_means_add(m, s, &from, variant_of(c), err);
}

/* The training text of a run, in all its languages. */
static ig_code add_run(ig_language_means *m, ig_states *s, const means_config *c, ig_err *err)
{
    IG_SCOPED(ig_open_run_close) ig_open_run run = {0};
    IG_TRY(ig_open_run_corpora(&run, c->states.model, err));
    for (int k = 0; k < ig_corpus_n_language(run.setup.train); k++) {
        const ig_states_source from = ig_states_of_corpus(run.setup.train, k, c->take);
        IG_TRY(ig_language_means_add(m, s, &from, variant_of(c), err));
    }
    return IG_ERR_OK;
}

static ig_code print_report(const means_config *c, const ig_language_means *m, ig_err *err)
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
    const means_config *c = settings;
    ig_language_means m = {0};
    ig_states *s = NULL;
    (void)n_arg;
    (void)arg;
    if (c->out == NULL)
        return ig_fail(err, IG_ERR_USAGE, "--out", 0, "not given, expected a file for the means");
    IG_TRY(ig_out_try(c->out, err));
    ig_states_options o = c->states;
    IG_TRY(ig_states_options_check(&o, err));
    o.all_layers = o.bare = true;
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
    IG_COMMAND_OPTIONS(means_options, means_config),
    .run = run_means,
};

/* --- translate -------------------------------------------------------------------------------- */

enum { ALPHA_MAX = 64, LAYER_MAX = 1024 };

typedef struct {
    ig_states_options states;
    char *means, *from, *to, *alpha, *reference;
    ig_int_list layer;
    int unit;
    int64_t take;
    bool json;
} translate_config;

static const char *const units[] = {"piece", "word", NULL};

static const ig_option translate_options[] = {
    IG_STATES_OPTIONS(translate_config, states),
    {IG_PATH(translate_config, "means", means, "FILE", "means of languages, of isoglot means"),
     .group = "Shift"},
    {.old = "from", IG_TEXT(translate_config, "source", from, NULL, "L", "language of the text")},
    {.old = "to",
     IG_TEXT(translate_config, "target", to, NULL, "L", "language of the translation")},
    {IG_INTS(translate_config, "layer", layer, "L,L", 0, LAYER_MAX,
             "layers to shift at, one at a time; 0 is the embeddings; none: all but these")},
    {IG_TEXT(translate_config, "alpha", alpha, "1,2,3", "A,A",
             "weights of the shift, one at a time")},
    {IG_PATH(translate_config, "reference", reference, "FILE",
             "its translation, line by line, for scores"),
     .group = "Text and result"},
    {IG_INT(translate_config, "take", take, "0", 0, 1e12, "the first N sentences; 0: all")},
    {IG_ENUM(translate_config, "unit", unit, "piece", units, "what BLEU-1 counts")},
    {IG_FLAG(translate_config, "json", json, NULL, "print scores as one JSON object")},
};

/* All that a sweep goes through. */
typedef struct {
    const translate_config *c;
    ig_states *states;
    ig_language_means means;
    ig_translation_set set;
    double alpha[ALPHA_MAX];
    int layer[LAYER_MAX], n_alpha, n_layer;
    ig_translation_count *count; /* [n_layer, n_alpha] */
} sweep;

static ig_code parse_alphas(sweep *s, ig_err *err)
{
    for (const char *p = s->c->alpha; *p != '\0';) {
        const char *end;
        double a;
        if (!ig_number_parse(&a, p, &end) || (*end != ',' && *end != '\0') ||
            s->n_alpha == ALPHA_MAX)
            return ig_fail(err, IG_ERR_USAGE, "--alpha", 0,
                           "found '%.60s', expected at most %d numbers with commas between", p,
                           ALPHA_MAX);
        if (!(fabs(a) <= IG_EDIT_ALPHA_MAX))
            return ig_fail(err, IG_ERR_USAGE, "--alpha", 0, "found %g, expected %g to %g", a,
                           -IG_EDIT_ALPHA_MAX, IG_EDIT_ALPHA_MAX);
        s->alpha[s->n_alpha++] = a;
        p = end + (*end == ',');
    }
    return s->n_alpha > 0 ? IG_ERR_OK : ig_fail(err, IG_ERR_USAGE, "--alpha", 0, "found no number");
}

static ig_code take_layers(sweep *s, ig_err *err)
{
    const int depth = ig_bert_get_config(ig_states_encoder(s->states)->model)->num_hidden_layers;
    const ig_int_list *given = &s->c->layer;
    s->n_layer = given->n > 0 ? given->n : depth;
    for (int i = 0; i < s->n_layer; i++) {
        s->layer[i] = given->n > 0 ? (int)given->v[i] : i + 1;
        if (s->layer[i] > depth)
            return ig_fail(err, IG_ERR_USAGE, "--layer", 0,
                           "no layer %d: the model has 0 (embeddings) to %d", s->layer[i], depth);
    }
    return IG_ERR_OK;
}

static ig_code open_model(sweep *s, ig_err *err)
{
    ig_states_options o = s->c->states;
    IG_TRY(ig_states_options_check(&o, err));
    o.likeliest = true;
    IG_TRY(ig_states_open(&s->states, &o, err));
    const ig_bert_config *c = ig_bert_get_config(ig_states_encoder(s->states)->model);
    if (c->n_language > 1 && c->separate.output)
        return ig_fail(err, IG_ERR_USAGE, s->c->states.model, 0,
                       "each language has an output of its own, which gives no other's words");
    const ig_model_languages *l = ig_states_languages(s->states);
    IG_TRY(ig_model_languages_find_requested(&s->set.from, l, s->c->from, "--source", err));
    IG_TRY(ig_model_languages_find_requested(&s->set.to, l, s->c->to, "--target", err));
    char digest[IG_BERT_DIGEST];
    IG_TRY(ig_language_means_read(&s->means, s->c->means, c->num_hidden_layers + 1, c->hidden_size,
                                  err));
    IG_TRY(ig_bert_digest(digest, ig_states_encoder(s->states)->model, err));
    return ig_language_means_check(&s->means, s->c->means, digest, NULL, err);
}

static ig_code read_text(sweep *s, const char *file, ig_err *err)
{
    const ig_translation_files files = {file, s->c->reference, s->c->take};
    if (file != NULL)
        return ig_translation_set_read(&s->set, s->states, &files, err);
    IG_SCOPED(ig_open_run_close) ig_open_run run = {0};
    IG_TRY(ig_open_run_corpora(&run, s->c->states.model, err));
    return ig_translation_set_corpus(&s->set, s->states, run.setup.dev, s->c->take, err);
}

/* Prints pieces separated by spaces; those that continue a word are joined to it. */
static ig_code print_sentence(void *arg, const int32_t *piece, int32_t n, ig_err *err)
{
    (void)err;
    for (int32_t i = 0; i < n; i++) {
        const char *text = ig_translation_piece(arg, piece[i]), *bare = text + strspn(text, ":");
        const bool inside = strncmp(bare, "##", 2) == 0 && bare[2] != '\0' && i > 0;
        printf("%s%s", i > 0 && !inside ? " " : "", inside ? bare + 2 : text);
    }
    printf("\n");
    return IG_ERR_OK;
}

static ig_code go(sweep *s, ig_err *err)
{
    const bool print = !s->set.has_reference;
    IG_TRY(ig_alloc(&s->count, (int64_t)s->n_layer * s->n_alpha, sizeof *s->count, "scores", err));
    for (int l = 0; l < s->n_layer; l++)
        for (int a = 0; a < s->n_alpha; a++) {
            const double *mean[2];
            const ig_translation how = {.layer = s->layer[l],
                                        .alpha = s->alpha[a],
                                        .words = s->c->unit == 1,
                                        .each = print ? print_sentence : NULL,
                                        .arg = s->states};
            IG_TRY(ig_language_means_find(&mean[0], &s->means, s->c->from, how.layer, "--source",
                                          err));
            IG_TRY(
                ig_language_means_find(&mean[1], &s->means, s->c->to, how.layer, "--target", err));
            IG_TRY(
                ig_translate(&s->count[l * s->n_alpha + a], s->states, &s->set, &how, mean, err));
        }
    return IG_ERR_OK;
}

/* --- scores ---------------------------------------------------------------------------------- */

typedef double score_fn(const ig_translation_count *c);

/* [layers][alphas] */
static json_t *matrix(const sweep *s, score_fn *score)
{
    json_t *rows = json_array();
    for (int l = 0; l < s->n_layer; l++) {
        json_t *row = json_array();
        for (int a = 0; a < s->n_alpha; a++)
            json_array_append_new(row, ig_json_number(score(&s->count[l * s->n_alpha + a])));
        json_array_append_new(rows, row);
    }
    return rows;
}

/* The first of the best by BLEU-1. */
static int best_of(const sweep *s)
{
    int best = 0;
    for (int i = 1; i < s->n_layer * s->n_alpha; i++)
        if (ig_bleu1(&s->count[i]) > ig_bleu1(&s->count[best]))
            best = i;
    return best;
}

/* Sizes of the sets of pieces, V_s, V_t and V_s ∩ V_t (Table 3). */
static json_t *piece_sets(const sweep *s)
{
    const int32_t v = ig_bert_get_config(ig_states_encoder(s->states)->model)->vocab_size;
    const bool *source = s->set.source, *target = s->set.target;
    int from = 0, to = 0, shared = 0;
    for (int32_t i = 0; i < v; i++) {
        from += source[i];
        to += target[i];
        shared += source[i] && target[i];
    }
    return json_pack("{s:i, s:i, s:i}", "from", from, "to", to, "shared", shared);
}

static json_t *to_json(const sweep *s)
{
    const int best = best_of(s);
    const ig_translation_count *c = &s->count[best];
    json_t *layers = json_array();
    for (int l = 0; l < s->n_layer; l++)
        json_array_append_new(layers, json_integer(s->layer[l]));
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:I, s:o, s:s, s:i, s:f, s:o, s:o, s:o, s:{s:o, "
        "s:o, s:o, s:o, s:o}}",
        "model", s->c->states.model, "means", s->c->means, "from", s->c->from, "to", s->c->to,
        "sentences", (json_int_t)s->set.n, "cut", (json_int_t)s->set.n_cut, "pieces", piece_sets(s),
        "unit", units[s->c->unit], "layer", s->layer[best / s->n_alpha], "alpha",
        s->alpha[best % s->n_alpha], "bleu1", ig_json_number(ig_bleu1(c)), "convert_rate",
        ig_json_number(ig_convert_rate(c)), "gold_accuracy", ig_json_number(ig_gold_accuracy(c)),
        "sweep", "layers", layers, "alphas", ig_json_numbers(s->alpha, s->n_alpha), "bleu1",
        matrix(s, ig_bleu1), "convert_rate", matrix(s, ig_convert_rate), "gold_accuracy",
        matrix(s, ig_gold_accuracy));
}

/* A score of a column of so many characters; one that is not there is a dash, as null in JSON. */
static void print_score(int width, double score)
{
    if (isfinite(score))
        printf("  %*.3f", width, score);
    else
        printf("  %*s–", width - 1, "");
}

static ig_code print_scores(const sweep *s, ig_err *err)
{
    if (s->c->json)
        return ig_json_print(to_json(s), err);
    if (!s->set.has_reference)
        return IG_ERR_OK;
    printf("layer  alpha  bleu1  convert rate%s\n", s->set.has_gold ? "  gold accuracy" : "");
    for (int i = 0; i < s->n_layer * s->n_alpha; i++) {
        const ig_translation_count *c = &s->count[i];
        printf("%5d  %5g", s->layer[i / s->n_alpha], s->alpha[i % s->n_alpha]);
        print_score(5, ig_bleu1(c));
        print_score(12, ig_convert_rate(c));
        if (s->set.has_gold)
            print_score(13, ig_gold_accuracy(c));
        printf("\n");
    }
    return IG_ERR_OK;
}

static ig_code check(const sweep *s, const char *file, ig_err *err)
{
    const translate_config *c = s->c;
    const struct {
        const char *name, *value;
    } needed[] = {{"--means", c->means}, {"--source", c->from}, {"--target", c->to}};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (needed[i].value == NULL)
            return ig_fail(err, IG_ERR_USAGE, needed[i].name, 0, "not given");
    if (file == NULL && c->reference != NULL)
        return ig_fail(err, IG_ERR_USAGE, "--reference", 0, "is of a FILE, which is not given");
    if (file != NULL && c->reference == NULL && c->json)
        return ig_fail(err, IG_ERR_USAGE, "--reference", 0, "not given, expected it for scores");
    if (file != NULL && c->reference == NULL && (c->layer.n != 1 || s->n_alpha != 1))
        return ig_fail(err, IG_ERR_USAGE, c->layer.n != 1 ? "--layer" : "--alpha", 0,
                       "translations are by one --layer and one --alpha; several are for scores, "
                       "which want --reference");
    return IG_ERR_OK;
}

static ig_code run_translate(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const char *file = n_arg > 0 ? arg[0] : NULL;
    sweep *s;
    IG_TRY(ig_alloc(&s, 1, sizeof *s, "sweep", err));
    s->c = settings;
    ig_code code = parse_alphas(s, err);
    IG_THEN(code, check(s, file, err));
    IG_THEN(code, open_model(s, err));
    IG_THEN(code, take_layers(s, err));
    IG_THEN(code, read_text(s, file, err));
    IG_THEN(code, go(s, err));
    IG_THEN(code, print_scores(s, err));
    ig_states_close(s->states);
    ig_language_means_free(&s->means);
    ig_translation_set_free(&s->set);
    IG_FREE(s->count, s);
    return code;
}

const ig_command ig_cmd_translate = {
    .name = "translate",
    .summary = "translate token by token, by the difference of two languages' means",
    .args = "[FILE]",
    .details =
        "Every state at one layer is shifted by alpha times (mean of --target - mean of --source); "
        "the "
        "likeliest piece at each token is the output (Liu et al., A Study of Cross-Lingual "
        "Ability …, §4.2). With --reference scores of all layers and alphas, else the "
        "translations. Without FILE the development text of a run, against itself in the other "
        "language (docs/edits.md).\n\n"
        "  isoglot translate --model DIR --means m.safetensors --source en --target de --layer 8 "
        "--alpha 2 en.txt\n"
        "  isoglot translate --model DIR --means m.safetensors --source en --target de --reference "
        "de.txt en.txt --json",
    IG_COMMAND_OPTIONS(translate_options, translate_config),
    .run = run_translate,
};
