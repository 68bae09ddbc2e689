/* SPDX-License-Identifier: Apache-2.0
 *
 * See encoder.h.
 */
#include "run/measure/encoder.h"

#include "base/file.h"
#include "base/settings/json_file.h"
#include "base/memory.h"
#include "run/manifest.h"
#include "run/run_dir.h"
#include "measure/measure.h"

#include <string.h>

/* do_lower_case of the folder's tokenizer_config.json; cased where it does not say, or where there
 * is no such file. One that cannot be read says nothing, and a guess would change every word. */
static ig_code says_lowercase(bool *lower, const char *dir, ig_err *err)
{
    char *path;
    json_t *j = NULL;
    *lower = false;
    IG_TRY(ig_path_join(&path, dir, "tokenizer_config.json", err));
    /* transformers writes 10³⁰ there for "no longest sequence". */
    ig_code code = ig_file_exists(path) ? ig_json_read_reals(&j, path, err) : IG_ERR_OK;
    const json_t *says = json_object_get(j, "do_lower_case");
    if (code == IG_ERR_OK && j != NULL && !json_is_object(j))
        code = ig_fail(err, IG_ERR_INPUT, path, 0, "expected a JSON object");
    else if (code == IG_ERR_OK && says != NULL && !json_is_boolean(says) && !json_is_null(says))
        code = ig_fail(err, IG_ERR_INPUT, path, 0, "\"do_lower_case\" is neither true nor false");
    *lower = json_is_true(says);
    json_decref(j);
    ig_free(path);
    return code;
}

/* Pieces that the tokenizer of a folder has: a row each, but for a run's tokenizer.json, which is
 * of the base vocabulary, whose copies follow it in the embedding. */
static ig_code expected_pieces(int32_t *n, const ig_encoder *e, bool json, ig_err *err)
{
    char *path;
    json_t *j;
    *n = ig_bert_get_config(e->model)->vocab_size;
    if (!json)
        return IG_ERR_OK;
    IG_TRY(ig_path_join(&path, e->dir, "config.json", err));
    ig_code code = ig_json_read(&j, path, err);
    ig_free(path);
    if (code != IG_ERR_OK)
        return code;
    const json_t *base = json_object_get(json_object_get(j, "isoglot"), "base_vocab_size");
    if (json_is_integer(base) && json_integer_value(base) > 0 && json_integer_value(base) <= *n)
        *n = (int32_t)json_integer_value(base);
    json_decref(j);
    return IG_ERR_OK;
}

static ig_code load_model(ig_encoder *e, ig_err *err)
{
    ig_bert_report report = {0};
    IG_TRY(ig_manifest_check(e->dir, err));
    ig_code code = ig_bert_load(&e->model, e->dir, &report, err);
    e->masked = code == IG_ERR_OK &&
                ig_bert_config_n_label(ig_bert_get_config(e->model), IG_HEAD_MASKED) > 0;
    for (int i = 0; i < report.n_missing && code == IG_ERR_OK; i++)
        if (strncmp(report.missing[i], "cls.", 4) == 0)
            e->masked = e->masked && strncmp(report.missing[i], "cls.predictions.", 16) != 0;
        else
            code = ig_fail(err, IG_ERR_INPUT, e->dir, 0, "the tensor %s is missing",
                           report.missing[i]);
    ig_bert_report_free(&report);
    return code;
}

static ig_code load_tokenizer(ig_encoder *e, ig_err *err)
{
    const ig_tokenizer_options how = {.lowercase = e->lowercase};
    int32_t rows = 0;
    bool json = false;
    char *path;
    IG_TRY(ig_path_join(&path, e->dir, "vocab.txt", err));
    if (!ig_file_exists(path)) {
        ig_free(path);
        json = true;
        IG_TRY(ig_path_join(&path, e->dir, "tokenizer.json", err));
        if (!ig_file_exists(path)) {
            ig_free(path);
            return ig_fail(
                err, IG_ERR_IO, e->dir, 0,
                "found neither vocab.txt nor tokenizer.json, which cut words into pieces");
        }
    }
    ig_code code = ig_tokenizer_load(&e->tokenizer, path, &how, err);
    IG_THEN(code, expected_pieces(&rows, e, json, err));
    /* Published models of a tokenizer.json may have rows that no piece uses. */
    const int32_t n = code == IG_ERR_OK ? ig_tokenizer_size(e->tokenizer) : 0;
    if (code == IG_ERR_OK && (json ? n > rows : n != rows))
        code = ig_fail(err, IG_ERR_INPUT, path, 0,
                       "%d pieces, expected %d: the model has a row each", n, rows);
    if (code == IG_ERR_OK) {
        e->cls = ig_tokenizer_special(e->tokenizer, IG_TOKENIZER_CLS);
        e->sep = ig_tokenizer_special(e->tokenizer, IG_TOKENIZER_SEP);
        e->unk = ig_tokenizer_special(e->tokenizer, IG_TOKENIZER_UNK);
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
    IG_TRY(says_lowercase(&e->lowercase, e->dir, err));
    e->lowercase = e->lowercase || lowercase;
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
