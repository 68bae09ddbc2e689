/* SPDX-License-Identifier: Apache-2.0
 *
 * See encoder.h.
 */
#include "lab/encoder.h"

#include "base/file.h"
#include "base/memory.h"
#include "lab/run_dir.h"
#include "measure/measure.h"

#include <jansson.h>
#include <string.h>

/* do_lower_case of the folder's tokenizer_config.json; cased where it does not say. */
static bool says_lowercase(const char *dir)
{
    char *path;
    json_error_t ignored;
    if (ig_path_join(&path, dir, "tokenizer_config.json", NULL) != IG_ERR_OK)
        return false;
    json_t *j = json_load_file(path, 0, &ignored);
    const bool lower = json_is_true(json_object_get(j, "do_lower_case"));
    json_decref(j);
    ig_free(path);
    return lower;
}

static ig_code load_model(ig_encoder *e, ig_err *err)
{
    ig_bert_report report = {0};
    ig_code code = ig_bert_load(&e->model, e->dir, &report, err);
    for (int i = 0; i < report.n_missing && code == IG_ERR_OK; i++)
        if (strncmp(report.missing[i], "cls.", 4) != 0)
            code = ig_fail(err, IG_ERR_INPUT, e->dir, 0, "the tensor %s is missing",
                           report.missing[i]);
    ig_bert_report_free(&report);
    return code;
}

static ig_code load_tokenizer(ig_encoder *e, ig_err *err)
{
    const ig_tokenizer_options how = {.lowercase = e->lowercase};
    const int32_t rows = ig_bert_get_config(e->model)->vocab_size;
    char *path;
    IG_TRY(ig_path_join(&path, e->dir, "vocab.txt", err));
    if (!ig_file_exists(path)) {
        ig_free(path);
        IG_TRY(ig_path_join(&path, e->dir, "tokenizer.json", err));
    }
    ig_code code = ig_tokenizer_load(&e->tokenizer, path, &how, err);
    if (code == IG_ERR_OK && ig_tokenizer_size(e->tokenizer) > rows)
        code = ig_fail(err, IG_ERR_INPUT, path, 0, "%d pieces, but the model has rows for %d",
                       ig_tokenizer_size(e->tokenizer), rows);
    if (code == IG_ERR_OK) {
        e->cls = ig_tokenizer_id(e->tokenizer, "[CLS]");
        e->sep = ig_tokenizer_id(e->tokenizer, "[SEP]");
        e->unk = ig_tokenizer_id(e->tokenizer, "[UNK]");
        if (e->cls < 0 || e->sep < 0)
            code = ig_fail(err, IG_ERR_INPUT, path, 0, "has no [CLS] or no [SEP]");
    }
    ig_free(path);
    return code;
}

ig_code ig_encoder_open(ig_encoder *e, const char *path, bool lowercase, ig_err *err)
{
    *e = (ig_encoder){0};
    IG_TRY(ig_run_latest(&e->dir, path, err));
    e->lowercase = lowercase || says_lowercase(e->dir);
    IG_TRY(load_model(e, err));
    return load_tokenizer(e, err);
}

void ig_encoder_close(ig_encoder *e)
{
    ig_bert_free(e->model);
    ig_tokenizer_free(e->tokenizer);
    ig_free(e->dir);
    *e = (ig_encoder){0};
}

ig_code ig_encoder_layer(int *layer, const ig_encoder *e, int asked, ig_err *err)
{
    const int depth = ig_bert_get_config(e->model)->num_hidden_layers;
    int mu[2];
    ig_measure_mu_layers(depth, mu);
    *layer = asked >= 0 ? asked : mu[1];
    return *layer <= depth
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_USAGE, "--layer", 0,
                         "no layer %d: the model has 0 (embeddings) to %d", *layer, depth);
}
