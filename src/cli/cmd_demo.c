/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot demo: the main experiment in small, as a short story with its numbers.
 */
#include "base/log.h"

#include "apply/folder/run_folder.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/print/json_print.h"
#include "cli/signals.h"
#include "lab/demo.h"

#include <stdio.h>

typedef struct {
    ig_demo_options o;
    bool json;
} demo_config;

static const ig_option options[] = {
    {.name = "out",
     .kind = IG_OPT_PATH,
     .offset = offsetof(demo_config, o.out),
     .def = "isoglot-demo",
     .value = "DIR",
     .help = "folder for the runs; the same command resumes"},
    {IG_INT(demo_config, "seed", o.seed, "0", 0, 1e15,
            "of world, weights, order, masks and dropout")},
    {IG_INT(demo_config, "threads", o.threads, "0", 0, 4096,
            "threads; 0: every processor; the result does not depend on it")},
    {IG_REAL(demo_config, "scale", o.scale, "1", 0.001, 1000,
             "factor on the usual number of updates")},
    {IG_FLAG(demo_config, "json", json, NULL, "result as JSON")},
};

static void begin(void *arg, ig_demo_kind kind, const ig_run_config *c)
{
    (void)arg;
    ig_log(IG_LOG_NORMAL, "%d of %d  %s: %s (%lld update%s)", (int)kind + 1, IG_DEMO_N_RUN,
           ig_demo_name(kind), ig_demo_what(kind), (long long)c->optimisation.updates,
           c->optimisation.updates == 1 ? "" : "s");
}

static double mu(const ig_demo_result *r, ig_demo_kind k)
{
    return ig_measure_value(&r->run[k].measure, "mu", -1);
}

static double dev(const ig_demo_result *r, ig_demo_kind k)
{
    return ig_measure_perplexity(&r->run[k].measure, "dev");
}

static void print_table(const ig_demo_result *r)
{
    const ig_measure_options *o = &r->run[0].measure.options;
    printf("%-11s", "");
    for (int l = 0; l < o->n_layer; l++)
        printf("   F1_%-2d   \317\201_%-2d   \317\204_%-2d", o->layer[l], o->layer[l], o->layer[l]);
    printf("       \316\274   perplexity: train     dev\n");
    for (int k = 0; k < IG_DEMO_N_RUN; k++) {
        const ig_measure_result *m = &r->run[k].measure;
        printf("%-11s", ig_demo_name((ig_demo_kind)k));
        for (int l = 0; l < o->n_layer; l++)
            printf("  %6.2f %6.2f %6.2f", ig_measure_value(m, "f1", o->layer[l]),
                   ig_measure_value(m, "rho", o->layer[l]),
                   ig_measure_value(m, "tau", o->layer[l]));
        printf("  %6.2f  %18.1f %7.1f\n", mu(r, (ig_demo_kind)k), ig_measure_perplexity(m, "train"),
               dev(r, (ig_demo_kind)k));
    }
}

/* Describes the numbers in words that depend on them. */
static void print_story(const ig_demo_result *r)
{
    const ig_measure_result *a = &r->run[IG_DEMO_ORIGINAL].measure,
                            *d = &r->run[IG_DEMO_UNTRAINED].measure;
    const double a_mu = mu(r, IG_DEMO_ORIGINAL), a_dev = dev(r, IG_DEMO_ORIGINAL),
                 b_mu = mu(r, IG_DEMO_SEPARATE), b_dev = dev(r, IG_DEMO_SEPARATE),
                 c_mu = mu(r, IG_DEMO_INVERTED), c_dev = dev(r, IG_DEMO_INVERTED),
                 d_mu = mu(r, IG_DEMO_UNTRAINED);
    const int top = a->options.layer[a->options.n_layer - 1];
    double chance = a->n_sentence > 0 ? 100.0 / (double)a->n_sentence : 0;
    bool learned = a_mu > 0.1 && a_mu > 10 * d_mu;
    printf("The two languages share no word and no sentence was ever marked as a translation.\n");
    printf("original   Still, layer %d finds a sentence's translation among %lld in %.0f %% of the "
           "cases (chance:\n"
           "           %.1f %%): \316\274 = %.2f, against %.2f before training.%s\n",
           top, (long long)a->n_sentence, 100 * ig_measure_value(a, "rho", top), chance, a_mu, d_mu,
           learned ? " The model has become multilingual." : "");
    printf("separate   Take away what the languages share - positions, special tokens, random "
           "replacement -\n"
           "           and \316\274 is %.2f, at perplexity %.1f against %.1f.%s\n",
           b_mu, b_dev, a_dev, learned && b_mu < 0.5 * a_mu ? " The shared parts carried it." : "");
    printf(
        "inverted   Invert the word order of the copy: \316\274 is %.2f, at perplexity %.1f.%s\n",
        c_mu, c_dev,
        learned && c_mu < 0.2 * a_mu && c_dev < 1.2 * a_dev
            ? " Each language is\n           learned as well as before, and "
              "neither knows of the other."
            : "");
    printf("untrained  F1 of word alignment is %.2f before any training: shared positions alone "
           "align words,\n"
           "           which is why F1 by itself proves nothing.\n",
           ig_measure_value(d, "f1", d->options.layer[0]));
}

static ig_code run_demo(void *config, int n_arg, char *const *arg, ig_err *err)
{
    const demo_config *c = config;
    (void)n_arg;
    (void)arg;
    ig_demo_result *r;
    IG_TRY(ig_alloc(&r, 1, sizeof *r, "result", err));
    ig_demo_options o = c->o;
    o.stop = ig_signals_catch();
    o.begin = begin;
    ig_code code = ig_demo_run(r, &o, err);
    ig_signals_release();
    IG_THEN(code, ig_folder_json_write(ig_demo_json(r), o.out, "demo.json", 9, err));
    if (code == IG_ERR_OK && c->json)
        code = ig_json_print(ig_demo_json(r), err);
    if (code == IG_ERR_OK && !c->json) {
        printf("A world was generated: %lld sentence%s of a language, and a copy of it in which "
               "every word is another:\n\n"
               "  language  %s\n  copy      %s\n\n",
               (long long)(r->run[0].n_sequence / 2), r->run[0].n_sequence / 2 == 1 ? "" : "s",
               r->sample[0], r->sample[1]);
        printf(
            "BERTs with %lld parameters were trained on both, %lld update%s each (%.0f s in all, "
            "%.0f tokens/s).\n\n",
            (long long)r->run[0].n_parameter, (long long)r->run[0].n_update,
            r->run[0].n_update == 1 ? "" : "s", r->seconds, r->run[0].tokens_per_second);
        print_table(r);
        putchar('\n');
        print_story(r);
        printf("\nF1 word alignment, \317\201 sentence retrieval, \317\204 word translation at two "
               "layers; \316\274 is the mean of \317\201 and \317\204.\n"
               "%s/demo.json has everything; %s/original/model opens in transformers.\n",
               o.out, o.out);
    }
    ig_demo_free(r);
    ig_free(r);
    return code;
}

const ig_command ig_cmd_demo = {
    .name = "demo",
    .summary = "train and measure four small models on a generated world, and explain the results",
    .details =
        "About five minutes on two cores. It can be stopped with Ctrl-C; the same command goes "
        "on.",
    IG_COMMAND_OPTIONS(options, demo_config),
    .run = run_demo,
};
