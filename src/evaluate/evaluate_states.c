/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures two files of states: whatever is a function of the mean vectors of parallel sentences at
 * a layer (measure/measure_list.h). Words, masks and weights are in no such file.
 */
#include "evaluate/evaluate.h"

#include "base/log.h"
#include "base/strings/append.h"

#include <stdio.h>
#include <string.h>

/* Names once what was requested and needs more than vectors of sentences. */
static void say_unmeasured(ig_measure_set also)
{
    char list[200] = "";
    for (int k = 0; k < IG_MEASURE_N; k++) {
        const ig_measure_kind *kind = ig_measure_kinds[k];
        if (ig_measure_requested(also, k) && kind->sentence_means == NULL &&
            kind->sentences == NULL && kind->mapped == NULL)
            ig_append_name(list, sizeof list, ig_measure_names[k]);
    }
    ig_log(IG_LOG_NORMAL,
           "states from files have no pieces and words: neither word translation, "
           "word alignment nor perplexity is measured%s%s",
           list[0] != '\0' ? "; nor, as asked, " : "", list);
}

static ig_code measure_layers(ig_measure_result *r, const ig_file_states *f, ig_team *team,
                              ig_err *err)
{
    const ig_retrieval_with with = {ig_ops_best(), team, NULL};
    const ig_text_vectors *a = &f->of[0], *b = &f->of[1];
    for (int i = 0; i < r->options.n_layer; i++) {
        const int l = r->options.layer[i];
        const ig_vector_pair v = {{a->x[l], b->x[l]}, {a->n, b->n}, a->d, NULL, a->n};
        const ig_measure_out out = ig_measure_out_of(r, l);
        IG_TRY(ig_measure_sentence_vectors(&out, &v, NULL, r->options.what, &with, err));
    }
    return IG_ERR_OK;
}

static ig_code measure(ig_measure_result *r, const ig_states_files *files, const ig_file_states *f,
                       const ig_evaluate_options *o, ig_err *err)
{
    ig_measure_options *m = &r->options;
    ig_team *team;
    *m = ig_measure_defaults(&(ig_batch_options){0}, 0);
    m->what |= o->also;
    m->need_tau = m->need_perplexity = "needs a model: states from files have no words";
    m->need_rho = "needs as many texts in both files, or ids";
    if (o->n_layer > IG_MEASURE_MAX_LAYER)
        return ig_fail(err, IG_ERR_USAGE, "layers", 0, "%d layers, at most %d are measured at once",
                       o->n_layer, IG_MEASURE_MAX_LAYER);
    m->n_layer = o->n_layer;
    for (int i = 0; i < o->n_layer; i++)
        m->layer[i] = (int)o->layer[i];
    IG_TRY(ig_measure_take_layers(m, f->of[0].n_layer - 1, err));
    ig_measure_mu_layers(f->of[0].n_layer - 1, r->mu_layer);
    r->n_language = files->n;
    for (int k = 0; k < files->n; k++)
        memcpy(r->language[k], files->file[k].name, sizeof r->language[k]);
    snprintf(r->pair, sizeof r->pair, "%.31s-%.31s", r->language[0], r->language[1]);
    say_unmeasured(o->also);
    if (!f->parallel)
        return IG_ERR_OK;
    r->n_sentence = f->of[0].n;
    IG_TRY(ig_team_new(&team, o->n_thread, err));
    const ig_code code = measure_layers(r, f, team, err);
    ig_team_free(team);
    return code;
}

ig_code ig_evaluate_states(ig_evaluation *out, const ig_states_files *files,
                           const ig_evaluate_options *o, ig_err *err)
{
    ig_states_files how = *files;
    ig_file_states f;
    const double start = ig_clock();
    *out = (ig_evaluation){.step = -1};
    if (files->n != 2)
        return ig_fail(err, IG_ERR_USAGE, "--states", 0, "found %d of them, expected 2", files->n);
    how.take = o->max_sentence;
    how.least = 1;
    how.unrelated = o->unrelated;
    ig_code code = ig_file_states_read(&f, &how, err);
    IG_THEN(code, measure(&out->measure, &how, &f, o, err));
    IG_THEN(code, ig_copy_text(&out->model, f.model, "path", err));
    ig_file_states_free(&f);
    out->seconds = ig_clock() - start;
    return code;
}
