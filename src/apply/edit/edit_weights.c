/* SPDX-License-Identifier: Apache-2.0
 *
 * Edits the weights of a layer: random weights, or those of another model.
 */
#include "apply/edit/edit_weights.h"

#include "base/memory.h"
#include "apply/folder/manifest.h"
#include "apply/folder/run_dir.h"

#include <stdio.h>
#include <string.h>

/* Returns whether a tensor is of the layer; a language's own follows "language.k.". */
static bool is_of_layer(const char *name, int layer)
{
    char prefix[64];
    if (strncmp(name, "language.", 9) == 0 && strchr(name + 9, '.') != NULL)
        name = strchr(name + 9, '.') + 1;
    if (layer == 0)
        snprintf(prefix, sizeof prefix, "bert.embeddings.");
    else
        snprintf(prefix, sizeof prefix, "bert.encoder.layer.%d.", layer - 1);
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static ig_code copy_layer(ig_bert *m, const ig_bert *from, int layer, const char *where,
                          ig_err *err)
{
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *p = &ig_bert_params(m)[i];
        float *values;
        if (!is_of_layer(p->name, layer))
            continue;
        const ig_bert_param *q = ig_bert_param_find(from, p->name);
        if (q == NULL || q->rows != p->rows || q->cols != p->cols)
            return ig_fail(err, IG_ERR_INPUT, where, 0,
                           "%s: found %s, expected [%d, %d] as the model has it", p->name,
                           q == NULL ? "none" : "another shape", p->rows, p->cols);
        IG_TRY(ig_alloc(&values, (int64_t)p->rows * p->cols, sizeof *values, "weights", err));
        ig_bert_get_values(from, q, values);
        ig_bert_set_values(m, p, values);
        ig_free(values);
    }
    return IG_ERR_OK;
}

ig_code ig_edit_reinit(ig_bert *m, int layer, uint64_t seed, ig_err *err)
{
    ig_bert *fresh;
    IG_TRY(ig_bert_new(&fresh, ig_bert_get_config(m), seed, err));
    ig_code code = copy_layer(m, fresh, layer, "the model", err);
    ig_bert_free(fresh);
    return code;
}

static ig_code load(ig_bert **out, const char *dir, int first, int last, ig_err *err)
{
    IG_SCOPED(ig_bert_report_free) ig_bert_report report = {0};
    IG_TRY(ig_manifest_check(dir, err));
    IG_TRY(ig_bert_load(out, dir, &report, err));
    for (int i = 0; i < report.n_missing; i++)
        for (int l = first; l <= last; l++)
            if (is_of_layer(report.missing[i], l))
                return ig_fail(err, IG_ERR_INPUT, dir, 0, "the tensor %s is missing",
                               report.missing[i]);
    return IG_ERR_OK;
}

ig_code ig_edit_other_model(ig_bert **out, const char *model, int first, int last, ig_err *err)
{
    char dir[IG_PATH];
    *out = NULL;
    IG_TRY(ig_run_latest(dir, model, err));
    const ig_code code = load(out, dir, first, last, err);
    if (code != IG_ERR_OK) {
        ig_bert_free(*out);
        *out = NULL;
    }
    return code;
}

ig_code ig_edit_swap(ig_bert *m, int layer, const char *model, ig_err *err)
{
    ig_bert *other;
    IG_TRY(ig_edit_other_model(&other, model, layer, layer, err));
    ig_code code = copy_layer(m, other, layer, model, err);
    ig_bert_free(other);
    return code;
}
