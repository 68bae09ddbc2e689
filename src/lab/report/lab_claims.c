/* SPDX-License-Identifier: Apache-2.0
 *
 * Additions to verdicts: the text and the size of the models they were measured on, and the number
 * of operations needed to decide the open claims, which is the same on every machine.
 */
#include "corpus/world/world.h"

#include "lab/report/lab_report_parts.h"
#include "lab/work/lab_kind.h"

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

/* Whether a language has this file as its text: others are dictionaries and development texts. */
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

/* "eng-bbe, spa-rv1909; 2 layers of 64, 4000 updates of 64 sequences" */
static void describe(char *out, size_t size, const ig_experiment *e)
{
    names text = {0};
    const ig_run_config *c = &e->cell[e->base >= 0 ? e->base : 0].config;
    char model[160], width[40], more[24] = "";
    for (int i = 0; i < e->n_cell; i++)
        add_texts(&text, &e->cell[i].config);
    if (text.n_left_out > 0)
        snprintf(more, sizeof more, " and %d more", text.n_left_out);
    if (ig_lab_kind_of(c) == &ig_lab_pretrain) {
        const ig_bert_config m = ig_run_config_model(c, 6, 0);
        if (c->model.parameters > 0) /* the hidden size depends on the vocabulary, unknown here */
            snprintf(width, sizeof width, "with %lld parameters", (long long)c->model.parameters);
        else
            snprintf(width, sizeof width, "of %d", (int)m.hidden_size);
        snprintf(model, sizeof model, "%d layer%s %s, %lld %s of %lld sequences",
                 (int)m.num_hidden_layers, m.num_hidden_layers == 1 ? "" : "s", width,
                 (long long)(c->optimisation.updates > 0 ? c->optimisation.updates
                                                         : c->optimisation.epochs),
                 c->optimisation.updates > 0 ? "updates" : "epochs in batches",
                 (long long)(c->objective.batching.batch * c->optimisation.accum));
    } else {
        snprintf(model, sizeof model, "static vectors of %d dimensions", ig_run_config_dim(c));
    }
    snprintf(out, size, "%s%s; %s", text.text, more, model);
}

/* --- what it would take ----------------------------------------------------------------------- */

/* Returns the operations of the runs that the claim's cells need for so many seeds; 0: for the
 * file's. */
static double operations_to(const ig_claim_result *c, const ig_experiment *e, const ig_results *r,
                            int64_t seeds)
{
    double sum = 0;
    for (int i = 0; i < e->n_cell; i++) {
        const ig_cell *cell = &e->cell[i];
        if (!ig_claim_rests_on(c->claim, cell->name))
            continue;
        const ig_result_cell *got = ig_results_cell(r, cell->name);
        const int64_t lacking =
            (seeds > 0 ? seeds : cell->n_seed) - (got != NULL ? got->n_status[IG_RUN_DONE] : 0);
        sum += lacking > 0 ? (double)lacking * ig_lab_operations(&cell->config) : 0;
    }
    return sum;
}

ig_code ig_lab_claims_beside(ig_claim_results *c, const ig_experiment *e, const ig_results *r,
                             ig_err *err)
{
    char data[512];
    if (c->n_claim == 0 || e->n_cell == 0)
        return IG_ERR_OK;
    describe(data, sizeof data, e);
    c->tuned = e->n_task > 0;
    for (int i = 0; i < c->n_claim; i++) {
        ig_claim_result *x = &c->claim[i];
        if (x->claim->n_comparison > 0 &&
            (x->verdict == IG_CLAIM_NOT_MEASURED ||
             (x->verdict == IG_CLAIM_UNDECIDED && x->seeds_needed > 0)))
            x->operations =
                operations_to(x, e, r, x->verdict == IG_CLAIM_NOT_MEASURED ? 0 : x->seeds_needed);
    }
    return ig_claim_results_measured_on(c, data, err);
}
