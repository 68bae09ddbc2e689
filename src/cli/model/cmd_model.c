/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot model: the content of a model folder, ours or from elsewhere: its shape, and the tensors
 * missing from or unknown to a BERT with a masked-language-model head; and one language's view of
 * it.
 */
#include "base/settings/json_text.h"

#include "apply/folder/manifest.h"
#include "apply/folder/run_dir.h"
#include "base/strings/append.h"
#include "cli/commands.h"
#include "cli/print/print.h"
#include "cli/print/show_tokenizer.h"
#include "evaluate/model_view.h"
#include "isoglot/bert.h"
#include "model/checkpoint_config.h"
#include "model/separate.h"

#include <stdio.h>

typedef struct {
    bool json;
    char *language, *out;
} config;

static const ig_option options[] = {
    {IG_TEXT(config, "language", language, NULL, "NAME",
             "language, by name or number, whose view --out gets")},
    {IG_PATH(
        config, "out", out, "DIR",
        "new folder for the model as this language sees it: its own parts and the shared rest")},
    {IG_FLAG(config, "json", json, NULL, "print a JSON object")},
};

static json_t *to_json(const char *path, const ig_bert *m, const ig_bert_report *r,
                       const char *opens_as, json_t *tokenizer)
{
    const ig_bert_config *c = ig_bert_get_config(m);
    char parts[4096];
    ig_bert_separate_print(&c->separate, c->num_hidden_layers, parts, sizeof parts);
    return json_pack(
        "{s:s, s:I, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:s, s:s, s:s?, s:b, s:o, s:o, s:o}",
        "model", path, "parameters", (json_int_t)ig_bert_n_value(m), "vocab_size", c->vocab_size,
        "layers", c->num_hidden_layers, "hidden", c->hidden_size, "heads", c->num_attention_heads,
        "ffn", c->intermediate_size, "positions", c->max_position_embeddings, "segments",
        c->type_vocab_size, "position_type", ig_position_names[c->position], "separate", parts,
        "opens_as", opens_as, "opens_first_language", c->n_language > 1, "missing",
        ig_json_texts((const char *const *)r->missing, r->n_missing), "unexpected",
        ig_json_texts((const char *const *)r->unexpected, r->n_unexpected), "tokenizer", tokenizer);
}

/* Prints "BertForMaskedLM of transformers", or that no class opens it. */
static void print_opens(const ig_bert_config *c, const char *as)
{
    if (as == NULL)
        printf("opens as    no class of transformers, isoglot alone\n");
    else
        printf("opens as    %s of transformers%s\n", as,
               c->n_language > 1 ? ", with the parts of the first language" : "");
}

static void print_names(const char *what, char **name, int n)
{
    printf("%s%d\n", what, n);
    for (int i = 0; i < n; i++)
        printf("  %s\n", name[i]);
}

static void print_text(const char *path, const ig_bert *m, const ig_bert_report *r,
                       const char *opens_as, const char *tokenizer)
{
    const ig_bert_config *c = ig_bert_get_config(m);
    printf("model       %s\nshape       %d layers, hidden %d, heads %d, ffn %d, vocabulary %d, "
           "positions %d, segments %d\nparameters  %lld\n",
           path, c->num_hidden_layers, c->hidden_size, c->num_attention_heads, c->intermediate_size,
           c->vocab_size, c->max_position_embeddings, c->type_vocab_size,
           (long long)ig_bert_n_value(m));
    if (c->n_language > 1) {
        char parts[4096];
        ig_bert_separate_print(&c->separate, c->num_hidden_layers, parts, sizeof parts);
        printf("separate    %s, for each of %d languages\n", parts, c->n_language);
    }
    print_opens(c, opens_as);
    printf("tokenizer   %s\n", tokenizer);
    print_names("missing     ", r->missing, r->n_missing);
    print_names("unexpected  ", r->unexpected, r->n_unexpected);
}

static ig_code print_model(const config *c, const char *path, const ig_bert *m,
                           const ig_bert_report *r, ig_err *err)
{
    ig_bert_config file;
    json_t *j = NULL;
    char room[80];
    IG_TRY(ig_bert_config_read(&file, path, &j, err));
    const char *as = ig_bert_folder_opens_as(room, sizeof room, &file, j);
    ig_code code = IG_ERR_OK;
    ig_shown_tokenizer shown = {0};
    code = ig_show_tokenizer(&shown, path, err);
    if (code == IG_ERR_OK && c->json)
        code = ig_json_print(to_json(path, m, r, as, json_incref(shown.json)), err);
    else if (code == IG_ERR_OK)
        print_text(path, m, r, as, shown.text);
    ig_shown_tokenizer_free(&shown);
    json_decref(j);
    return code;
}

static ig_code run_model(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    ig_bert *m = NULL;
    ig_bert_report report = {0};
    char dir[IG_PATH];
    const char *path = c->out != NULL ? c->out : dir;
    (void)n_arg;
    IG_TRY(ig_run_latest(dir, arg[0], err));
    if ((c->language == NULL) != (c->out == NULL))
        return ig_fail(err, IG_ERR_USAGE, c->out == NULL ? "out" : "language", 0,
                       "is missing, expected --language and --out together");
    if (c->out != NULL)
        IG_TRY(ig_model_view(dir, c->language, c->out, err));
    IG_TRY(ig_manifest_check(path, err));
    /* Tensors beyond the model are listed before they are an error. */
    const bool ignored = ig_bert_ignore_extra(true);
    ig_code code = ig_bert_load(&m, path, &report, err);
    (void)ig_bert_ignore_extra(ignored);
    IG_THEN(code, print_model(c, path, m, &report, err));
    if (code == IG_ERR_OK && !ignored)
        code = ig_bert_report_check(&report, path, err);
    ig_bert_report_free(&report);
    ig_bert_free(m);
    return code;
}

const ig_command ig_cmd_model = {
    .name = "model",
    .summary = "print a model's shape, and its missing and unexpected tensors",
    .args = "DIR",
    .min_arg = 1,
    .max_arg = 1,
    .details =
        "DIR is a Hugging Face folder of a BERT, with or without the head for masked language "
        "models, or the folder of a run, whose newest checkpoint is used. Missing tensors would "
        "get their initial value, unexpected tensors of other heads are "
        "ignored, those of the encoder an error in every command (--ignore-extra). The output "
        "names the class of transformers that can open the folder, if there is one, and the "
        "tokenizer as AutoTokenizer makes it of the folder, with what was chosen by which file. "
        "If languages have separate parameters, the folder is the first language's model; "
        "--language NAME --out DIR writes another language's.\n"
        "  isoglot model bert-base-uncased --json\n"
        "  isoglot model runs/sep-emb --language fake --out fake-model",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_model,
};
