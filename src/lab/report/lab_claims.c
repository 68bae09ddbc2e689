/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides the claims of an experiment among those of its paper, and adds what stands beside the
 * verdicts: the text and the size of the models they were measured on, and what it would take to
 * decide the claims that are open, by the recorded seconds of the runs that there are.
 */
#include "base/memory.h"
#include "base/numeric/statistics.h"
#include "base/strings/append.h"
#include "corpus/world/world.h"

#include "lab/report/lab_on_paper.h"
#include "lab/report/lab_report_parts.h"
#include "report/page/replication.h"

#include <glob.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- on what ---------------------------------------------------------------------------------- */

/* Names of texts, each once, as long as there is room. */
typedef struct {
    char text[240];
    int n, n_left_out;
} names;

/* The file's name without folders and suffix. */
static void add_name(names *to, const char *path)
{
    enum { MOST = 6 };
    char name[80], probe[84];
    const char *slash = strrchr(path, '/');
    slash = slash != NULL ? slash + 1 : path;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(slash, "."), slash);
    const size_t n = strlen(name), used = strlen(to->text);
    for (const char *at = strstr(to->text, name); at != NULL; at = strstr(at + 1, name))
        if ((at == to->text || at[-1] == ' ') && (at[n] == '\0' || at[n] == ','))
            return;
    snprintf(probe, sizeof probe, "%s%s", to->n > 0 ? ", " : "", name);
    if (to->n >= MOST || used + strlen(probe) >= sizeof to->text) {
        to->n_left_out++;
        return;
    }
    memcpy(to->text + used, probe, strlen(probe) + 1);
    to->n++;
}

/* Returns whether a language has this file as its text: others are dictionaries and development
 * texts. */
static bool is_text(const ig_run_config *c, const char *name)
{
    char key[160];
    const int n = snprintf(key, sizeof key, "text=%s", name);
    for (const char *at = c->languages.spec; at != NULL && (at = strstr(at, key)) != NULL; at++)
        if (strchr(",.) ", at[n]) != NULL)
            return true;
    return false;
}

static void add_texts(names *to, const ig_run_config *c)
{
    bool any = c->data.text != NULL;
    if (any)
        add_name(to, c->data.text);
    for (int i = 0; i < c->data.named.n; i++)
        if (is_text(c, c->data.named.file[i].name)) {
            add_name(to, c->data.named.file[i].path);
            any = true;
        }
    if (!any) {
        char world[60];
        snprintf(world, sizeof world, "world %s", ig_world_preset_names[c->data.world]);
        add_name(to, world);
    }
}

/* Passes over the text of so many sequences, as the runs recorded; 0: they did not, and the
 * settings may say it, or not (0). */
static double epochs(const ig_run_config *c, int64_t n_sequence)
{
    const int64_t each =
        c->data.text == NULL && c->data.named.n == 0 ? c->data.world_sentences : c->data.take;
    const int64_t n = n_sequence > 0 ? n_sequence : each * c->languages.n;
    return n > 0 ? (double)(c->optimisation.updates * c->objective.batching.batch *
                            c->optimisation.accum) /
                       (double)n
                 : 0;
}

/* "eng-bbe, spa-rv1909; 2 layers of 64, 4000 updates of 64 sequences (10.7 epochs), masks of 0.15"
 */
static void describe(char *out, size_t size, const ig_experiment *e, int64_t n_sequence)
{
    names text = {0};
    const ig_run_config *c = &e->cell[e->base >= 0 ? e->base : 0].config;
    char model[200], shape[80], more[24] = "";
    for (int i = 0; i < e->n_cell; i++)
        add_texts(&text, &e->cell[i].config);
    if (text.n_left_out > 0)
        snprintf(more, sizeof more, " and %d more", text.n_left_out);
    if (ig_lab_kind_of(c) == &ig_lab_pretrain) {
        const ig_bert_config m = ig_run_config_model(c, 6, 0);
        snprintf(shape, sizeof shape, "%d layer%s ", (int)m.num_hidden_layers,
                 m.num_hidden_layers == 1 ? "" : "s");
        if (ig_run_config_no_shape(c))
            snprintf(shape, sizeof shape, "a model that is not here");
        else if (c->model.parameters >
                 0) /* the hidden size depends on the vocabulary, unknown here */
            ig_append(shape, sizeof shape, "with %lld parameters", (long long)c->model.parameters);
        else
            ig_append(shape, sizeof shape, "of %d", (int)m.hidden_size);
        snprintf(model, sizeof model, "%s, %lld %s of %lld sequences", shape,
                 (long long)(c->optimisation.updates > 0 ? c->optimisation.updates
                                                         : c->optimisation.epochs),
                 c->optimisation.updates > 0 ? "updates" : "epochs in batches",
                 (long long)(c->objective.batching.batch * c->optimisation.accum));
        if (c->optimisation.updates > 0 && epochs(c, n_sequence) > 0)
            ig_append(model, sizeof model, " (%.3g epochs)", epochs(c, n_sequence));
        if (c->objective.batching.causal_share >= 1)
            ig_append(model, sizeof model, ", causal");
        else
            ig_append(model, sizeof model, ", masks of %g", c->objective.batching.mask_prob);
    } else {
        snprintf(model, sizeof model, "static vectors of %d dimensions", ig_run_config_dim(c));
    }
    snprintf(out, size, "%s%s; %s", text.text, more, model);
}

void ig_lab_claims_size(double *size, bool *natural, const ig_experiment *e)
{
    const ig_run_config *c = &e->cell[e->base >= 0 ? e->base : 0].config;
    *natural = c->data.text != NULL || c->data.named.n > 0;
    *size = 0;
    if (ig_lab_kind_of(c) != &ig_lab_pretrain || ig_run_config_no_shape(c))
        return;
    const ig_bert_config m = ig_run_config_model(c, 6, 0);
    *size = (double)m.num_hidden_layers * m.hidden_size * (double)c->optimisation.updates *
            (double)(c->objective.batching.batch * c->optimisation.accum);
}

/* --- what it would take ----------------------------------------------------------------------- */

ig_code ig_lab_cell_costs(ig_costs *c, const ig_experiment *e, const ig_results *r, ig_err *err)
{
    ig_experiment plain = *e; /* without fine-tunings, whose seconds results do not have */
    ig_lab_list cells = {.n = e->n_cell};
    plain.n_task = 0;
    *c = (ig_costs){0};
    IG_TRY(ig_alloc(&cells.item, cells.n, sizeof *cells.item, "cells", err));
    for (int i = 0; i < cells.n; i++)
        cells.item[i].cell = i;
    const ig_code code = ig_costs_new(c, &cells, &plain, NULL, err);
    ig_free(cells.item);
    for (int i = 0; i < e->n_cell && code == IG_ERR_OK; i++) {
        const ig_result_cell *got = ig_results_cell(r, e->cell[i].name);
        for (int64_t k = 0; got != NULL && k < got->n_entry; k++)
            if (got->entry[k].run.status == IG_RUN_DONE && got->entry[k].run.seconds > 0)
                ig_costs_training(c, i, got->entry[k].run.seconds);
    }
    return code;
}

/* Seconds of training the cell once: of its own recorded runs, or as ig_lab_cell_costs has it. */
static double seconds_of(const ig_costs *c, int cell, const ig_result_cell *got)
{
    double sum = 0;
    int n = 0;
    for (int64_t k = 0; got != NULL && k < got->n_entry; k++)
        if (got->entry[k].run.status == IG_RUN_DONE && got->entry[k].run.seconds > 0) {
            sum += got->entry[k].run.seconds;
            n++;
        }
    return n > 0 ? sum / n : ig_costs_guess(c, cell);
}

/* Returns the seconds of one core of the trainings that the claim's cells lack for so many seeds;
 * 0: for the file's. */
static double cost_of(double *operations, const ig_claim *claim, const ig_costs *c,
                      const ig_experiment *e, const ig_results *r, int64_t seeds)
{
    double seconds = 0;
    *operations = 0;
    for (int i = 0; i < e->n_cell; i++) {
        const ig_cell *cell = &e->cell[i];
        const ig_result_cell *got = ig_results_cell(r, cell->name);
        const int64_t n_missing =
            (seeds > 0 ? seeds : cell->n_seed) - (got != NULL ? got->n_status[IG_RUN_DONE] : 0);
        if (n_missing <= 0 || !ig_claim_rests_on(claim, cell->name))
            continue;
        *operations += (double)n_missing * c->train[i];
        seconds += (double)n_missing * seconds_of(c, i, got);
    }
    return seconds;
}

/* --- how many claims the paper has ------------------------------------------------------------ */

/* Claims of the experiments in one folder that are about one paper, each text and source once. */
typedef struct {
    const ig_experiment *e;
    ig_experiment *beside; /* [n] the folder's files about the paper, without variants */
    int n;
} family;

static bool same_or_none(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool has_claim(const ig_experiment *e, int n_claim, const ig_claim *c)
{
    for (int i = 0; i < n_claim; i++)
        if (strcmp(e->claim[i].text, c->text) == 0 && same_or_none(e->claim[i].source, c->source))
            return true;
    return false;
}

/* Those that are in the paper: claims of one's own belong to no family, and are adjusted as these.
 */
static int count(const family *f)
{
    int n = 0;
    for (int k = 0; k < f->e->n_claim; k++)
        n += f->e->claim[k].source != NULL && !has_claim(f->e, k, &f->e->claim[k]);
    for (int i = 0; i < f->n; i++)
        for (int k = 0; k < f->beside[i].n_claim; k++) {
            const ig_claim *c = &f->beside[i].claim[k];
            bool known = c->source == NULL || has_claim(f->e, f->e->n_claim, c) ||
                         has_claim(&f->beside[i], k, c);
            for (int before = 0; before < i && !known; before++)
                known = has_claim(&f->beside[before], f->beside[before].n_claim, c);
            n += !known;
        }
    return n;
}

/* Of the experiment's own file, claims that its variant takes out count too: the paper makes them.
 * A file that cannot be read counts for nothing: reports on it say so. */
static ig_code claims_of_paper(int *out, const ig_experiment *e, ig_err *err)
{
    const char *slash = strrchr(e->path, '/');
    family f = {.e = e};
    glob_t found;
    *out = count(&f);
    if (e->paper == NULL)
        return IG_ERR_OK;
    if (!ig_lab_glob(&found, e->path, slash != NULL ? (int)(slash + 1 - e->path) : 0, "*.yaml"))
        return IG_ERR_OK;
    const int paper = ig_paper_name_length(e->paper);
    const ig_code code =
        ig_alloc(&f.beside, (int64_t)found.gl_pathc, sizeof *f.beside, "claims", err);
    for (size_t i = 0; i < found.gl_pathc && code == IG_ERR_OK; i++) {
        ig_experiment *x = &f.beside[f.n];
        ig_err unread = {0};
        if (ig_experiment_read(x, found.gl_pathv[i], NULL, 0, NULL, &unread) == IG_ERR_OK &&
            x->paper != NULL && ig_paper_name_length(x->paper) == paper &&
            strncmp(x->paper, e->paper, (size_t)paper) == 0)
            f.n++;
        else
            ig_experiment_free(x);
    }
    *out = count(&f);
    for (int i = 0; i < f.n; i++)
        ig_experiment_free(&f.beside[i]);
    ig_free(f.beside);
    globfree(&found);
    return code;
}

/* --- verdicts --------------------------------------------------------------------------------- */

/* Adds data, .tuned and what would decide the claims that are open. */
static ig_code add_beside(ig_claim_results *c, const ig_experiment *e, const ig_results *r,
                          ig_err *err)
{
    char data[512];
    int64_t n_sequence;
    ig_costs costs;
    if (c->n_claim == 0 || e->n_cell == 0)
        return IG_ERR_OK;
    IG_TRY(ig_results_sequences(&n_sequence, r, e->cell[e->base >= 0 ? e->base : 0].name, err));
    describe(data, sizeof data, e, n_sequence);
    c->tuned = e->n_task > 0;
    IG_TRY(ig_lab_cell_costs(&costs, e, r, err));
    for (int i = 0; i < c->n_claim; i++) {
        ig_claim_result *x = &c->claim[i];
        const bool unmeasured = x->verdict == IG_CLAIM_NOT_MEASURED;
        if (x->claim->n_comparison > 0 &&
            (unmeasured || (ig_verdict_is_open(x->verdict) && x->seeds_needed > 0)))
            x->seconds =
                cost_of(&x->operations, x->claim, &costs, e, r, unmeasured ? 0 : x->seeds_needed);
    }
    ig_costs_free(&costs);
    return ig_claim_results_measured_on(c, data, err);
}

ig_code ig_lab_claims_decided(char out[IG_LAB_DECIDED], const ig_experiment *e, ig_err *err)
{
    int n = 0, seeds = 0;
    out[0] = '\0';
    for (int i = 0; i < e->n_claim; i++)
        for (int k = 0; k < e->n_cell; k++)
            if (ig_claim_rests_on(&e->claim[i], e->cell[k].name) &&
                (seeds == 0 || e->cell[k].n_seed < seeds))
                seeds = e->cell[k].n_seed;
    if (seeds == 0)
        return IG_ERR_OK;
    IG_TRY(claims_of_paper(&n, e, err));
    const bool paper = n > 0;
    if (!paper)
        n = e->n_claim;
    if (seeds == 1)
        snprintf(out, IG_LAB_DECIDED, "one seed decides no claim: spreads are unknown");
    else /* of two cells of equal spread */
        snprintf(out, IG_LAB_DECIDED,
                 "among %d claim%s%s %d seeds decide differences of two cells from %.2g standard "
                 "deviations of a cell on (power .8)",
                 n, n == 1 ? "" : "s", paper ? " of the paper" : "", seeds,
                 ig_difference_decided(seeds, .05 / n, .8) * sqrt(2));
    return IG_ERR_OK;
}

/* Returns whether a term is of μ or of word translation in that cell. */
static bool is_of_words(const ig_claim_term *t, const char *cell)
{
    const char *q = t->q.task;
    if (strncmp(q, "mu", 2) != 0 && strncmp(q, "tau", 3) != 0)
        return false;
    return t->cell != NULL ? strcmp(t->cell, cell) == 0
                           : ig_cell_matches(cell, t->pattern, t->n_pattern);
}

static bool needs_words(const ig_claim *c, const char *cell)
{
    const ig_claim_term *t;
    for (int i = 0; i < c->n_comparison; i++)
        for (int k = 0; (t = ig_claim_term_at(&c->comparison[i], k)) != NULL; k++)
            if (is_of_words(t, cell))
                return true;
    return false;
}

/* Why no run decides the claim, as far as cell i goes; "": it may. */
static void why_never(char *out, size_t size, const ig_claim *c, const ig_cell *cell,
                      const ig_lab_plan *plan, const char *selector)
{
    out[0] = '\0';
    if ((cell->needs & IG_NEEDS_GPU) != 0 && selector == NULL)
        snprintf(out, size, "cell %.80s takes a CPU weeks and is run by name or with --device cuda",
                 cell->name);
    for (int i = 0; plan != NULL && i < plan->n_no_mu; i++)
        if (strcmp(plan->no_mu[i].cell, cell->name) == 0 && needs_words(c, cell->name))
            snprintf(out, size, "cell %.80s has no \xCE\xBC: %.400s", cell->name,
                     plan->no_mu[i].why);
}

ig_code ig_lab_claims_never(json_t **out, const ig_experiment *e, const ig_lab_plan *plan,
                            const char *selector, ig_err *err)
{
    IG_OWNED bool *on = NULL;
    int64_t stride;
    *out = json_array();
    IG_TRY(ig_experiment_select(&on, &stride, e, selector != NULL ? selector : "*", err));
    for (int i = 0; i < e->n_claim; i++) {
        const ig_claim *c = &e->claim[i];
        char why[600] = "";
        if (c->n_comparison == 0)
            snprintf(why, sizeof why, "needs %.500s", c->needs != NULL ? c->needs : "a statement");
        for (int k = 0; k < e->n_cell && why[0] == '\0'; k++)
            if (on[k * stride] && ig_claim_rests_on(c, e->cell[k].name))
                why_never(why, sizeof why, c, &e->cell[k], plan, selector);
        if (why[0] != '\0')
            json_array_append_new(
                *out, json_pack("{s:s, s:s, s:s}", "claim", c->id, "text", c->text, "why", why));
    }
    return IG_ERR_OK;
}

ig_code ig_lab_claims(ig_claim_results *out, const ig_experiment *e, const ig_results *r,
                      ig_err *err)
{
    int n = 0;
    if (e->n_claim > 0)
        IG_TRY(claims_of_paper(&n, e, err));
    IG_TRY(ig_claim_results_make(out, r, e->claim, e->n_claim, n, err));
    ig_paper_claims paper;
    ig_code code = ig_paper_claims_make(&paper, e, err);
    for (int i = 0; i < out->n_claim && code == IG_ERR_OK; i++)
        out->claim[i].on_paper = paper.claim[i].verdict;
    ig_paper_claims_free(&paper);
    IG_THEN(code, ig_paper_spread(out, e, r, err));
    return code == IG_ERR_OK ? add_beside(out, e, r, err) : code;
}
