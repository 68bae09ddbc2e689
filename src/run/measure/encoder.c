/* SPDX-License-Identifier: Apache-2.0
 *
 * See encoder.h.
 */
#include "run/measure/encoder.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_file.h"
#include "run/manifest.h"
#include "run/run_dir.h"
#include "measure/measure.h"

#include <stdio.h>
#include <string.h>

enum { FILE_MAX = 1 << 30 };

/* do_lower_case of the folder's tokenizer_config.json; cased where it does not say, or where there
 * is no such file. One that cannot be read says nothing, and a guess would change every word. */
static ig_code says_lowercase(bool *lower, const char *dir, ig_err *err)
{
    char path[IG_PATH];
    json_t *j = NULL;
    *lower = false;
    IG_TRY(ig_folder_path(path, dir, err, "tokenizer_config.json"));
    /* transformers writes 10³⁰ there for "no longest sequence". */
    ig_code code = ig_file_exists(path) ? ig_json_read_reals(&j, path, err) : IG_ERR_OK;
    const json_t *says = json_object_get(j, "do_lower_case");
    if (code == IG_ERR_OK && j != NULL && !json_is_object(j))
        code = ig_fail(err, IG_ERR_INPUT, path, 0, "expected a JSON object");
    else if (code == IG_ERR_OK && says != NULL && !json_is_boolean(says) && !json_is_null(says))
        code = ig_fail(err, IG_ERR_INPUT, path, 0, "\"do_lower_case\" is neither true nor false");
    *lower = json_is_true(says);
    json_decref(j);
    return code;
}

/* Pieces that the tokenizer of a folder has: a row each, but for a run's tokenizer.json, which is
 * of the base vocabulary, whose copies follow it in the embedding. */
static ig_code expected_pieces(int32_t *n, const ig_encoder *e, bool json, ig_err *err)
{
    json_t *j;
    *n = ig_bert_get_config(e->model)->vocab_size;
    if (!json)
        return IG_ERR_OK;
    IG_TRY(ig_folder_json(&j, e->dir, "config.json", err));
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
    if (code == IG_ERR_OK && report.n_unexpected > 0)
        snprintf(e->head_tensor, sizeof e->head_tensor, "%s", report.unexpected[0]);
    ig_bert_report_free(&report);
    return code;
}

static ig_code load_tokenizer(ig_encoder *e, ig_err *err)
{
    const ig_tokenizer_options how = {.lowercase = e->lowercase};
    int32_t rows;
    const bool json = !ig_folder_has(e->dir, "vocab.txt");
    char path[IG_PATH];
    IG_TRY(ig_folder_path(path, e->dir, err, json ? "tokenizer.json" : "vocab.txt"));
    if (json && !ig_file_exists(path))
        return ig_fail(err, IG_ERR_IO, e->dir, 0,
                       "found neither vocab.txt nor tokenizer.json, which cut words into pieces");
    IG_TRY(ig_tokenizer_load(&e->tokenizer, path, &how, err));
    IG_TRY(expected_pieces(&rows, e, json, err));
    /* Published models of a tokenizer.json may have rows that no piece uses. */
    const int32_t n = ig_tokenizer_size(e->tokenizer);
    if (json ? n > rows : n != rows)
        return ig_fail(err, IG_ERR_INPUT, path, 0,
                       "%d pieces, expected %d: the model has a row each", n, rows);
    e->cls = ig_tokenizer_special(e->tokenizer, IG_TOKENIZER_CLS);
    e->sep = ig_tokenizer_special(e->tokenizer, IG_TOKENIZER_SEP);
    e->unk = ig_tokenizer_special(e->tokenizer, IG_TOKENIZER_UNK);
    return e->cls >= 0 && e->sep >= 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_INPUT, path, 0, "has no [CLS] or no [SEP]");
}

ig_code ig_encoder_open(ig_encoder *e, const char *path, bool lowercase, ig_err *err)
{
    *e = (ig_encoder){0};
    IG_TRY(ig_run_latest(e->dir, path, err));
    IG_TRY(says_lowercase(&e->lowercase, e->dir, err));
    e->lowercase = e->lowercase || lowercase;
    IG_TRY(load_model(e, err));
    return load_tokenizer(e, err);
}

void ig_encoder_close(ig_encoder *e)
{
    ig_bert_free(e->model);
    ig_tokenizer_free(e->tokenizer);
    *e = (ig_encoder){0};
}

ig_code ig_encoder_copy_tokenizer(const char *from, const char *to, ig_err *err)
{
    static const char *const file[] = {"vocab.txt", "tokenizer.json", "tokenizer_config.json",
                                       "special_tokens_map.json"};
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        char path[IG_PATH], copy[IG_PATH], *text;
        int64_t n;
        IG_TRY(ig_folder_path(path, from, err, "%s", file[i]));
        IG_TRY(ig_folder_path(copy, to, err, "%s", file[i]));
        if (!ig_file_exists(path))
            continue;
        IG_TRY(ig_file_read(&text, &n, path, FILE_MAX, err));
        const ig_code code = ig_file_write(copy, text, n, err);
        ig_free(text);
        IG_TRY(code);
    }
    return IG_ERR_OK;
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
