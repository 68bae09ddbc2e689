/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens an encoder from a Hugging Face folder or a run's newest checkpoint, with its tokenizer.
 * Missing heads are allowed.
 */
#include "apply/encoder.h"

#include "apply/folder/manifest.h"
#include "apply/folder/run_dir.h"

#include <stdio.h>
#include <string.h>

/* Finds how many pieces the tokenizer of a folder has: at most a row each, as published models have
 * rows that no piece uses. A model that was trained here has all of them in vocab.txt; its
 * tokenizer.json has them, too, or is of the base vocabulary, whose copies follow in the embedding.
 */
static ig_code expected_pieces(int32_t *least, int32_t *most, const ig_encoder *e, ig_err *err)
{
    json_auto_t *j = NULL;
    *least = 0;
    *most = ig_bert_get_config(e->model)->vocab_size;
    IG_TRY(ig_folder_json(&j, e->dir, "config.json", err));
    const json_t *own = json_object_get(j, "isoglot"),
                 *base = json_object_get(own, "base_vocab_size");
    if (strcmp(e->choice.file, "vocab.txt") == 0)
        *least = json_object_get(own, "languages") != NULL ? *most : 0;
    else if (json_is_integer(base) && json_integer_value(base) > 0 &&
             json_integer_value(base) <= *most && ig_tokenizer_size(e->tokenizer) != *most)
        *most = (int32_t)json_integer_value(base);
    return IG_ERR_OK;
}

static ig_code load_model(ig_encoder *e, ig_err *err)
{
    static const char head[] = "cls.predictions.";
    ig_bert_report report = {0};
    IG_TRY(ig_manifest_check(e->dir, err));
    ig_code code = ig_bert_load(&e->model, e->dir, &report, err);
    e->masked = code == IG_ERR_OK &&
                ig_bert_config_n_label(ig_bert_get_config(e->model), IG_HEAD_MASKED) > 0;
    int n_head = 0;
    for (int i = 0; code == IG_ERR_OK && i < ig_bert_n_param(e->model); i++)
        n_head += strncmp(ig_bert_params(e->model)[i].name, head, strlen(head)) == 0;
    for (int i = 0; i < report.n_missing && code == IG_ERR_OK; i++)
        if (strncmp(report.missing[i], head, strlen(head)) == 0) {
            e->masked = false;
            n_head--;
            snprintf(e->no_head, sizeof e->no_head, "%s", report.missing[i]);
        } else if (strncmp(report.missing[i], "cls.", 4) != 0)
            code = ig_fail(err, IG_ERR_INPUT, e->dir, 0, "the tensor %s is missing",
                           report.missing[i]);
    if (n_head == 0) /* nothing of it */
        e->no_head[0] = '\0';
    if (code == IG_ERR_OK && report.n_unexpected > 0)
        snprintf(e->head_tensor, sizeof e->head_tensor, "%s", report.unexpected[0]);
    ig_bert_report_free(&report);
    return code;
}

static ig_code load_tokenizer(ig_encoder *e, bool lowercase, bool bare, ig_err *err)
{
    const ig_tokenizer_options how = {.lowercase = lowercase};
    int32_t least, most;
    char path[IG_PATH];
    IG_TRY(ig_tokenizer_folder_open(&e->tokenizer, &e->choice, e->dir, &how, err));
    e->lowercase = ig_tokenizer_get_options(e->tokenizer).lowercase;
    IG_TRY(ig_folder_path(path, e->dir, err, "%s", e->choice.file));
    IG_TRY(expected_pieces(&least, &most, e, err));
    const int32_t n = ig_tokenizer_size(e->tokenizer);
    if (n < least || n > most)
        return ig_fail(err, IG_ERR_INPUT, path, 0,
                       "%d pieces, expected %s%d: the model has a row each", n,
                       least < most ? "at most " : "", most);
    e->cls = ig_tokenizer_special(e->tokenizer, IG_TOKENIZER_CLS);
    e->sep = ig_tokenizer_special(e->tokenizer, IG_TOKENIZER_SEP);
    e->unk = ig_tokenizer_special(e->tokenizer, IG_TOKENIZER_UNK);
    const ig_template *one = ig_tokenizer_template(e->tokenizer, false);
    if (one->missing != NULL)
        return ig_fail(err, IG_ERR_INPUT, path, 0, "has no [CLS] or no [SEP]");
    const int fewest = bare ? 0 : 1;
    return one->n[0] >= fewest && one->n[0] <= 1 && one->n[1] >= fewest && one->n[1] <= 1
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_INPUT, path, 0,
                         "its template puts %d and %d special tokens around a text, expected %sone "
                         "on either side",
                         one->n[0], one->n[1], bare ? "at most " : "");
}

ig_code ig_encoder_open_any(ig_encoder *e, const char *path, bool lowercase, bool bare, ig_err *err)
{
    *e = (ig_encoder){0};
    IG_TRY(ig_run_latest(e->dir, path, err));
    /* Checkpoints of a fine-tuning are there to resume from: they have no tokenizer. */
    if (strcmp(e->dir, path) != 0 && !ig_folder_has(e->dir, "vocab.txt") &&
        !ig_folder_has(e->dir, "tokenizer.json")) {
        ig_fail(err, IG_ERR_IO, path, 0,
                "the fine-tuning has not finished, expected a model with its tokenizer");
        return ig_hint(err, "the command that began it resumes from its last checkpoint");
    }
    IG_TRY(load_model(e, err));
    return load_tokenizer(e, lowercase, bare, err);
}

ig_code ig_encoder_open(ig_encoder *e, const char *path, bool lowercase, ig_err *err)
{
    return ig_encoder_open_any(e, path, lowercase, false, err);
}

void ig_encoder_close(ig_encoder *e)
{
    ig_bert_free(e->model);
    ig_tokenizer_free(e->tokenizer);
    *e = (ig_encoder){0};
}

void ig_measure_mu_layers(int num_hidden_layers, int layer[2])
{
    layer[0] = 0;
    layer[1] = (2 * num_hidden_layers + 2) / 3;
}

ig_code ig_encoder_layer(int *layer, const ig_encoder *e, int requested, ig_err *err)
{
    const int depth = ig_bert_get_config(e->model)->num_hidden_layers;
    int mu[2];
    ig_measure_mu_layers(depth, mu);
    *layer = requested >= 0 ? requested : mu[1];
    return *layer <= depth
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_USAGE, "--layer", 0,
                         "no layer %d: the model has 0 (embeddings) to %d", *layer, depth);
}
