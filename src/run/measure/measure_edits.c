/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures the development text again on edited models, as `edit:` entries of an experiment file
 * request.
 */
#include "run/measure/measure_edits.h"

#include "apply/edit/edit_make.h"
#include "run/measure/measure_pairs.h"

ig_code ig_measure_edits_run(ig_measure_result *to, const ig_measure_plan *p, const ig_setup *setup,
                             const ig_measure_with *with, const ig_measure_options *o, ig_err *err)
{
    const ig_corpus *train = setup->train;
    const ig_edit_on on = {.parts = {.engine = with->engine,
                                     .model = with->model,
                                     .team = with->team,
                                     .corpus = train},
                           .stop = with->stop};
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < p->n_text && code == IG_ERR_OK; i++) {
        const ig_measure_text *t = &p->text[i];
        ig_edit_specs specs = {0};
        ig_made_edits made = {0};
        if (t->edit[0] == '\0')
            continue;
        code = ig_edit_specs_add(&specs, t->edit, err);
        IG_THEN(code, ig_edits_make(&made, &specs, &on, err));
        ig_measure_with edited = *with;
        edited.means = train;
        edited.edit = made.edit;
        edited.n_edit = made.n;
        const ig_measure_options each = ig_measure_text_options(o, t);
        IG_THEN(code, ig_measure_named(to, &(ig_measure_corpus){t->name, setup->dev, p}, &edited,
                                       &each, err));
        /* Also when it was stopped: the model is saved then. */
        const ig_code back = ig_edits_undo(&made, &on, code == IG_ERR_OK ? err : NULL);
        code = code == IG_ERR_OK ? back : code;
        ig_edit_specs_free(&specs);
    }
    return code;
}
