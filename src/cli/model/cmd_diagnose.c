/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot diagnose, similarity: a report card of any encoder; how alike two models are, or the
 * languages of one.
 */
#include "base/file.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/model/states_options.h"
#include "cli/print/print.h"
#include "evaluate/card/diagnosis_page.h"
#include "evaluate/card/findings.h"
#include "evaluate/model_similarity.h"
#include "report/figure/figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The model is an argument or an option, or files of states stand for it. */
static ig_code take_model(ig_states_options *o, const ig_text_list *files, int n_arg,
                          char *const *arg, ig_err *err)
{
    if (n_arg > 0 && o->model != NULL)
        return ig_fail(err, IG_ERR_USAGE, "--model", 0, "found beside MODEL, expected one of them");
    if (n_arg > 0)
        o->model = arg[0];
    return files->n > 0 ? IG_ERR_OK : ig_states_options_check(o, err);
}

/* --- diagnose --------------------------------------------------------------------------------- */

typedef struct {
    ig_diagnose_options o;
    ig_text_list text, files, fresh;
    char *html;
    bool json;
} diagnose_config;

static const ig_option diagnose_options[] = {
    IG_STATES_OPTIONS(diagnose_config, o.states),
    IG_STATES_FILES(diagnose_config, files),
    {IG_TEXTS(diagnose_config, "untrained", fresh, "L=FILE",
              "with --states: the states of an untrained model of its shape")},
    {IG_TEXTS(
         diagnose_config, "text", text, "L=FILE",
         "text of language L, a sentence or a verse a line; once for each language; none: a run's "
         "development text"),
     .group = "Text"},
    {IG_INT(diagnose_config, "take", o.texts.take, "2000", 0, 1e9,
            "the first N sentences of each text; 0: all")},
    {IG_FLAG(diagnose_config, "unrelated", o.texts.unrelated, NULL,
             "the texts are not translations of each other")},
    {IG_PATH(diagnose_config, "dictionary", o.dictionary, "FILE",
             "pairs of words of the first two languages, a pair a line")},
    {IG_PATH(diagnose_config, "gold", o.gold, "FILE",
             "their sentences with word alignments, a pair a line (docs/formats.md)")},
    {IG_PATH(diagnose_config, "html", html, "DIR", "write a page there, index.html"),
     .group = "Result"},
    {IG_FLAG(diagnose_config, "json", json, NULL, "print all numbers as one JSON object")},
};

/* "0.812 [0.77, 0.85] 0.001 0.120": a number with its interval, chance and the untrained model's.
 */
static void print_full(const char *name, const ig_card_number *x, int digits)
{
    if (!isfinite(x->value))
        return;
    printf("  %-20s", name);
    ig_print_number(x->value, 8, digits);
    if (isfinite(x->low))
        printf("  [%.*f, %.*f]", digits, x->low, digits, x->high);
    else
        printf("  %*s", 2 * digits + 8, "");
    ig_print_number(x->chance, 9, digits);
    ig_print_number(x->untrained, 10, digits);
    printf("%8lld\n", (long long)x->n);
}

static void print_head(const char *what)
{
    printf("\n%-22s   value     95 %% interval    chance untrained       n\n", what);
}

static void print_language(const ig_diagnose_language *l)
{
    print_head(l->name);
    print_full("pieces/word", &l->pieces_per_word, 2);
    print_full("pieces/character", &l->pieces_per_character, 2);
    print_full("bytes/piece", &l->bytes_per_piece, 2);
    print_full("unknown pieces", &l->unknown, 4);
    print_full("cut sentences", &l->cut, 4);
    print_full("perplexity", &l->perplexity, 1);
}

/* All numbers of a layer, or of a pair at it. */
static void print_layer(const ig_diagnosis *d, int l, int pair)
{
    char name[2 * IG_DIAGNOSE_NAME + 64] = "", of[2 * IG_DIAGNOSE_NAME + 1], row[32];
    ig_diagnose_row_name(row, sizeof row, d, l);
    if (pair >= 0) {
        ig_diagnose_pair_name(of, sizeof of, d, pair);
        snprintf(name, sizeof name, "%s, ", of);
    }
    snprintf(name + strlen(name), sizeof name - strlen(name), "%s", row);
    print_head(name);
    for (int i = pair < 0 ? 0 : IG_DIAGNOSE_N_OF_LAYER;
         i < (pair < 0 ? IG_DIAGNOSE_N_OF_LAYER : IG_DIAGNOSE_N); i++)
        print_full(ig_diagnose_numbers[i].name, &ig_diagnose_at(d, l, pair)[i],
                   ig_diagnose_numbers[i].digits);
    if (pair < 0 || !d->parallel)
        return;
    const ig_diagnose_pair *p = &d->of_pair[pair];
    static const char *const held[] = {"half: cosine", "half: CSLS", "half: centred", "half: LEACE",
                                       "half: rotated"};
    static const char *const probe[] = {"language probe", "probe, centred", "probe, LEACE"};
    const int at = l == d->n_layer       ? IG_HELD_AT_SENTENCE
                   : l == d->n_layer - 1 ? IG_HELD_AT_LAST
                                         : IG_HELD_AT_BEST;
    for (int h = 0; h < (at == IG_HELD_AT_BEST ? IG_HELD_N : IG_HELD_ROTATED); h++)
        print_full(held[h], &p->held[at][h], 3);
    for (int k = 0; k < 3 && at == IG_HELD_AT_BEST; k++)
        print_full(probe[k], &p->probe[k], 3);
}

/* A number over the layers, a row each; the numbers that were measured. */
static void print_over_layers(const ig_diagnosis *d, int pair)
{
    static const int shown[] = {IG_DIAGNOSE_COSINE, IG_DIAGNOSE_CENTRED, IG_DIAGNOSE_CSLS,
                                IG_DIAGNOSE_CKA_DEBIASED, IG_DIAGNOSE_OWN};
    printf("\nlayer   cosine  centred     CSLS CKA debi.      own\n");
    for (int l = 0; l < d->n_row; l++) {
        if (l < d->n_layer)
            printf("%5d", l);
        else
            printf("sent.");
        for (int i = 0; i < 5; i++)
            ig_print_number(ig_diagnose_at(d, l, pair)[shown[i]].value, 8,
                            ig_diagnose_numbers[shown[i]].digits);
        printf("\n");
    }
}

static ig_code print_findings(const ig_diagnosis *d, const char *model, ig_err *err)
{
    IG_SCOPED(ig_findings_free) ig_findings f = {0};
    IG_TRY(ig_findings_make(&f, d, model, err));
    for (int i = 0; i < f.n; i++) {
        const ig_card_number *gain = &f.finding[i].gain;
        printf("* %s", f.finding[i].text);
        if (isfinite(gain->value))
            printf(" Gain %.2f [%.2f, %.2f], n %lld.", gain->value, gain->low, gain->high,
                   (long long)gain->n);
        printf("\n");
        if (f.finding[i].command != NULL)
            printf("    %s\n", f.finding[i].command);
    }
    if (f.n == 0)
        printf("Nothing stands out (%d tests).\n", f.n_checked);
    return IG_ERR_OK;
}

static ig_code print_card(const ig_diagnosis *d, const char *model, bool json, ig_err *err)
{
    if (json)
        return ig_json_print(ig_diagnosis_json(d, model), err);
    IG_TRY(print_findings(d, model, err));
    const int used = ig_diagnose_used(d), best = ig_diagnose_best_layer(d, IG_USE_RETRIEVAL);
    if (ig_diagnose_has_sentence(d))
        printf("Sentence vectors of %d numbers: %s.\n", d->d_sentence, d->modules);
    if (d->n_untrained > 0 && d->n_untrained < ig_diagnose_n(d))
        printf("Untrained: of the first %lld sentences.\n", (long long)d->n_untrained);
    for (int i = 0; i < d->n_pair && ig_diagnosis_has_pairs(d); i++) {
        print_layer(d, used, i);
        if (best >= 0 && best != used)
            print_layer(d, best, i);
        print_over_layers(d, i);
    }
    print_layer(d, used, -1);
    for (int k = 0; k < d->n_language && !d->of_files; k++)
        print_language(&d->language[k]);
    return IG_ERR_OK;
}

static ig_code run_diagnose(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const diagnose_config *c = settings;
    ig_named_text text[IG_DIAGNOSE_LANGUAGES], file[IG_DIAGNOSE_LANGUAGES],
        fresh[IG_DIAGNOSE_LANGUAGES];
    IG_SCOPED(ig_diagnosis_free) ig_diagnosis d = {0};
    ig_diagnose_options o = c->o;
    IG_TRY(take_model(&o.states, &c->files, n_arg, arg, err));
    IG_TRY(ig_states_files_take(&o.files, file, &c->files, o.states.model, err));
    IG_TRY(ig_states_files_take(&o.fresh, fresh, &c->fresh, NULL, err));
    o.texts.text = text;
    o.texts.n_text = c->text.n;
    if (c->html != NULL)
        IG_TRY(ig_out_try_in(c->html, "index.html", err));
    IG_TRY(ig_states_texts(text, &c->text, err));
    IG_TRY(ig_diagnose(&d, &o, err));
    const char *model = d.of_files ? d.model : o.states.model;
    if (c->html != NULL)
        IG_TRY(ig_diagnosis_page(&d, model, c->html, err));
    return print_card(&d, model, c->json, err);
}

const ig_command ig_cmd_diagnose = {
    .name = "diagnose",
    .summary = "a report card of any encoder: how it represents several languages",
    .args = "[MODEL]",
    .details =
        "Encodes a text of each language with a run or a Hugging Face folder, and with an "
        "untrained "
        "model of its shape. Says first what is wrong with texts, pieces and vectors, each with a "
        "command;\nthen retrieval, CKA, hubness, a language probe, isotropy at every layer, and "
        "how "
        "the vocabulary cuts every language, each with its 95 % interval, beside chance and the "
        "untrained model (docs/diagnose.md). Any other model is diagnosed by its states in "
        "files.\n\n"
        "  isoglot diagnose LaBSE --text en=en.txt --text de=de.txt --dictionary en-de.txt "
        "--html card\n"
        "  isoglot diagnose --states en=en.safetensors --states de=de.safetensors",
    IG_COMMAND_OPTIONS(diagnose_options, diagnose_config),
    .run = run_diagnose,
};

/* --- similarity ------------------------------------------------------------------------------- */

typedef struct {
    ig_compare_options o;
    ig_text_list text, learn, files;
    char *figure;
    bool json;
} similarity_config;

static const ig_option similarity_options[] = {
    IG_STATES_OPTIONS(similarity_config, o.states),
    IG_STATES_FILES(similarity_config, files),
    {IG_TEXTS(similarity_config, "text", text, "L=FILE",
              "text of language L, a sentence or a verse a line; the first is compared with each "
              "other"),
     .group = "Text"},
    {IG_INT(similarity_config, "take", o.texts.take, "2000", 0, 1e9,
            "the first N sentences of each text; 0: all")},
    {IG_FLAG(similarity_config, "all-pairs", o.all_pairs, NULL,
             "each layer with every layer of the other"),
     .group = "Comparison"},
    {IG_TEXTS(
        similarity_config, "learn", learn, "L=FILE",
        "for each --text other parallel text: rotations learned from it map MODEL's sentences, "
        "words and words in context onto OTHER's")},
    {IG_FLAG(similarity_config, "random", o.random, NULL,
             "also compare with a randomly initialised model of the same shape")},
    {IG_INT(similarity_config, "seed", o.states.seed, "0", 0, 9e15,
            "seed of the random initialisation")},
    {IG_PATH(similarity_config, "figure", figure, "FILE",
             "draw CKA there: curves, of --all-pairs heat maps; .svg, .pdf or .png"),
     .group = "Result"},
    {IG_FLAG(similarity_config, "json", json, NULL, "print all numbers as one JSON object")},
};

/* --- figures --------------------------------------------------------------------------------- */

static ig_code add_curve(ig_figure *f, ig_plot_series *s, const ig_comparison *c, bool random,
                         ig_err *err)
{
    double *x, *y;
    s->n = c->n_layer[0] < c->n_layer[1] ? c->n_layer[0] : c->n_layer[1];
    IG_TRY(ig_pool_print(&f->pool, &s->name, err, random ? "%s, random" : "%s", c->name));
    IG_TRY(ig_pool_alloc(&f->pool, &x, s->n, sizeof *x, err));
    IG_TRY(ig_pool_alloc(&f->pool, &y, s->n, sizeof *y, err));
    for (int l = 0; l < s->n; l++) {
        x[l] = l;
        y[l] = ig_compared(c, random ? c->random : c->value, l, l, IG_SIMILARITY_CKA);
    }
    s->x = x;
    s->y = y;
    return IG_ERR_OK;
}

static ig_code curves(ig_figure *f, const ig_comparisons *c, ig_err *err)
{
    const bool random = c->of[0].random != NULL;
    ig_panel *p;
    IG_TRY(ig_figure_panels(f, IG_PLOT_CURVES, 1, &p, err));
    ig_plot_curves *plot = &p->as.curves;
    plot->x.label = "layer";
    plot->y = (ig_plot_axis){"CKA", IG_SCALE_LINEAR, 0, 1};
    plot->n_series = c->n * (1 + random);
    IG_TRY(ig_figure_series(f, &plot->series, plot->n_series, err));
    for (int i = 0; i < plot->n_series; i++)
        IG_TRY(add_curve(f, &plot->series[i], &c->of[i % c->n], i >= c->n, err));
    return IG_ERR_OK;
}

static ig_code labels(ig_figure *f, const char ***out, int n, ig_err *err)
{
    IG_TRY(ig_pool_alloc(&f->pool, out, n, sizeof **out, err));
    for (int i = 0; i < n; i++)
        IG_TRY(ig_pool_print(&f->pool, &(*out)[i], err, "%d", i));
    return IG_ERR_OK;
}

static ig_code heat_maps(ig_figure *f, const ig_comparisons *c, ig_err *err)
{
    ig_panel *p;
    IG_TRY(ig_figure_panels(f, IG_PLOT_MATRIX, c->n, &p, err));
    for (int i = 0; i < c->n; i++) {
        const ig_comparison *of = &c->of[i];
        ig_plot_matrix *m = &p[i].as.matrix;
        const char **row, **col;
        double *value;
        const int n = of->n_layer[0], k = of->n_layer[1];
        IG_TRY(ig_pool_alloc(&f->pool, &value, (int64_t)n * k, sizeof *value, err));
        IG_TRY(labels(f, &row, n, err));
        IG_TRY(labels(f, &col, k, err));
        for (int at = 0; at < n * k; at++)
            value[at] = ig_compared(of, of->value, at / k, at % k, IG_SIMILARITY_CKA);
        p[i].title = of->name;
        *m = (ig_plot_matrix){.rows = n,
                              .cols = k,
                              .value = value,
                              .row_label = row,
                              .col_label = col,
                              .row_title = "layer of the first",
                              .col_title = "layer of the other",
                              .low = 0,
                              .high = 1,
                              .bar_label = "CKA",
                              .digits = 2,
                              .thin_labels = true};
    }
    return IG_ERR_OK;
}

static ig_code draw(const ig_comparisons *c, const char *path, ig_err *err)
{
    IG_SCOPED(ig_figure_free)
    ig_figure f = {.title = "Similarity of states by layer (linear CKA)."};
    IG_TRY(c->all_pairs ? heat_maps(&f, c, err) : curves(&f, c, err));
    return ig_figure_write(&f, path, 0, err);
}

/* --- tables ---------------------------------------------------------------------------------- */

static void print_table(const ig_comparison *c, const double *value, const char *of)
{
    const int n = c->n_layer[0] < c->n_layer[1] ? c->n_layer[0] : c->n_layer[1];
    printf("\n%s%s\nlayer", c->name, of);
    for (int m = 0; m < c->n_number; m++)
        printf(" %13s", ig_compared_title(m));
    for (int l = 0; l <= n; l++) {
        if (l < n)
            printf("\n%5d", l);
        else
            printf("\n%5s", "mean");
        for (int m = 0; m < c->n_number; m++)
            ig_print_number(l < n ? ig_compared(c, value, l, l, m) : ig_compared_mean(c, value, m),
                            13, 3);
    }
    if (c->sentence)
        printf("\nsent.");
    for (int m = 0; m < c->n_number && c->sentence; m++)
        ig_print_number(ig_compared_sentence(c, value, m), 13, 3);
    printf("\n");
}

static ig_code print(const ig_comparisons *c, bool json, ig_err *err)
{
    if (json)
        return ig_json_print(ig_comparisons_json(c), err);
    printf("%lld sentences\n", (long long)c->n_sentence);
    for (int i = 0; i < c->n; i++) {
        print_table(&c->of[i], c->of[i].value, "");
        if (c->of[i].random != NULL)
            print_table(&c->of[i], c->of[i].random, ", the other random");
    }
    return IG_ERR_OK;
}

static ig_code run_similarity(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const similarity_config *c = settings;
    ig_named_text text[IG_NAMED_TEXTS_MAX], learn[IG_NAMED_TEXTS_MAX], file[IG_NAMED_TEXTS_MAX];
    IG_SCOPED(ig_comparisons_free) ig_comparisons found = {0};
    ig_compare_options o = c->o;
    IG_TRY(take_model(&o.states, &c->files, n_arg, arg, err));
    IG_TRY(ig_states_files_take(&o.files, file, &c->files, o.states.model, err));
    o.other = n_arg > 1 ? arg[1] : NULL;
    o.texts.text = text;
    o.texts.n_text = c->text.n;
    o.learn = o.texts;
    o.learn.text = learn;
    o.learn.n_text = c->learn.n;
    IG_TRY(ig_states_texts(text, &c->text, err));
    IG_TRY(ig_states_texts(learn, &c->learn, err));
    if (c->figure != NULL)
        IG_TRY(ig_figure_format_of(&(ig_figure_format){IG_FIGURE_SVG}, c->figure, err));
    IG_TRY(ig_out_try(c->figure, err));
    IG_TRY(ig_compare(&found, &o, err));
    if (c->figure != NULL)
        IG_TRY(draw(&found, c->figure, err));
    return print(&found, c->json, err);
}

const ig_command ig_cmd_similarity = {
    .name = "similarity",
    .summary = "similarity of the states of two models, or of two languages in one model",
    .args = "[MODEL [OTHER]]",
    .details =
        "Compares the mean states of sentences at each layer of MODEL with those of OTHER, or of "
        "the same model:\n"
        "linear CKA, debiased and RBF CKA, SVCCA, PWCCA, single neurons (docs/similarity.md). "
        "The first --text is MODEL's, the others are OTHER's and parallel to it; a single text "
        "is read by both.\n\n"
        "  isoglot similarity RUN --text en=en.txt --text de=de.txt --random\n"
        "  isoglot similarity BERT1 BERT2 --text en=en.txt --all-pairs --figure layers.svg\n"
        "  isoglot similarity BERT1 BERT2 --text en=a.en --text de=a.de --learn en=b.en --learn "
        "de=b.de\n"
        "  isoglot similarity --states en=en.safetensors --states de=de.safetensors",
    IG_COMMAND_OPTIONS(similarity_options, similarity_config),
    .run = run_similarity,
};
