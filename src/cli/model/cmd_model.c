/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot model: the content of a model folder, ours or from elsewhere: its shape, the tensors
 * missing from or unknown to a BERT with a masked-language-model head; and one language's view of
 * it. isoglot info: what a report of a result or of a mistake should carry along: version,
 * compiler, CPU, the kernel chosen for each op, the libraries. Both show the tokenizer of a folder.
 */
#include "apply/folder/manifest.h"
#include "apply/folder/run_dir.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "cli/commands.h"
#include "cli/print/print.h"
#include "evaluate/model_view.h"
#include "isoglot/bert.h"
#include "isoglot/error.h"
#include "lab/work/program.h"
#include "model/bert_params.h"
#include "model/checkpoint_config.h"
#include "model/device/cuda/device_cuda.h"
#include "model/device/cuda/queue.h"
#include "model/separate.h"
#include "tensor/ops.h"
#include "text/folder/tokenizer_folder.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Zeroed: none. */
typedef struct {
    char *text;
    json_t *json;
} shown_tokenizer;

enum { REFUSED_MAX = 1024 };

/* A tokenizer that is refused is shown with the message of its refusal. */
static ig_code show_tokenizer(shown_tokenizer *out, const char *dir, ig_err *err)
{
    ig_tokenizer *t;
    ig_tokenizer_choice choice;
    ig_err why = {0};
    const ig_code code = ig_tokenizer_folder_open(&t, &choice, dir, NULL, &why);
    if (code == IG_ERR_MEMORY) {
        *err = why;
        return code;
    }
    if (code != IG_ERR_OK) {
        IG_TRY(ig_alloc(&out->text, REFUSED_MAX, 1, "text", err));
        snprintf(out->text, REFUSED_MAX, "none: %s: %s", why.where, why.msg);
        out->json = json_pack("{s:s}", "refused", out->text + strlen("none: "));
        return IG_ERR_OK;
    }
    out->json = ig_tokenizer_choice_json(t, &choice);
    const ig_code shown = ig_tokenizer_choice_text(&out->text, t, &choice, err);
    ig_tokenizer_free(t);
    return shown;
}

static void free_shown(shown_tokenizer *t)
{
    json_decref(t->json);
    ig_free(t->text);
    *t = (shown_tokenizer){0};
}

/* --- model ------------------------------------------------------------------------------------ */

typedef struct {
    bool json;
    char *language, *out;
} model_config;

static const ig_option model_options[] = {
    {IG_TEXT(model_config, "language", language, NULL, "NAME",
             "language, by name or number, whose view --out gets")},
    {IG_PATH(
        model_config, "out", out, "DIR",
        "new folder for the model as this language sees it: its own parts, rows and vocabulary")},
    {IG_FLAG(model_config, "json", json, NULL, "print a JSON object")},
};

static json_t *to_json(const char *path, const ig_bert *m, const ig_bert_report *r,
                       const char *opens_as, json_t *tokenizer)
{
    const ig_bert_config *c = ig_bert_get_config(m);
    char parts[4096];
    ig_bert_separate_print(&c->separate, c->num_hidden_layers, parts, sizeof parts);
    return json_pack(
        "{s:s, s:I, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:s, s:s, s:s?, s:b, s:s?, s:o, s:o, s:o}",
        "model", path, "parameters", (json_int_t)ig_bert_n_parameter(m), "vocab_size",
        c->vocab_size, "layers", c->num_hidden_layers, "hidden", c->hidden_size, "heads",
        c->num_attention_heads, "ffn", c->intermediate_size, "positions",
        c->max_position_embeddings, "segments", c->type_vocab_size, "position_type",
        ig_position_names[c->position], "separate", parts, "opens_as", opens_as,
        "opens_first_language", c->n_language > 1, "untrained", ig_bert_config_untrained(c),
        "missing", ig_json_texts((const char *const *)r->missing, r->n_missing), "unexpected",
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

static void print_model_text(const char *path, const ig_bert *m, const ig_bert_report *r,
                             const char *opens_as, const char *tokenizer)
{
    const ig_bert_config *c = ig_bert_get_config(m);
    printf("model       %s\nshape       %d layers, hidden %d, heads %d, ffn %d, vocabulary %d, "
           "positions %d, segments %d\nparameters  %lld\n",
           path, c->num_hidden_layers, c->hidden_size, c->num_attention_heads, c->intermediate_size,
           c->vocab_size, c->max_position_embeddings, c->type_vocab_size,
           (long long)ig_bert_n_parameter(m));
    if (c->n_language > 1) {
        char parts[4096];
        ig_bert_separate_print(&c->separate, c->num_hidden_layers, parts, sizeof parts);
        printf("separate    %s, for each of %d languages\n", parts, c->n_language);
    }
    print_opens(c, opens_as);
    if (ig_bert_config_untrained(c) != NULL)
        printf("trained     not here: %s\n", ig_bert_config_untrained(c));
    printf("tokenizer   %s\n", tokenizer);
    print_names("missing     ", r->missing, r->n_missing);
    print_names("unexpected  ", r->unexpected, r->n_unexpected);
}

static ig_code print_model(const model_config *c, const char *path, const ig_bert *m,
                           const ig_bert_report *r, ig_err *err)
{
    ig_bert_config file;
    json_auto_t *j = NULL;
    char text[80];
    IG_TRY(ig_bert_config_read(&file, path, &j, err));
    const char *as = ig_bert_folder_opens_as(text, sizeof text, &file, j);
    ig_code code = IG_ERR_OK;
    shown_tokenizer shown = {0};
    code = show_tokenizer(&shown, path, err);
    if (code == IG_ERR_OK && c->json)
        code = ig_json_print(to_json(path, m, r, as, json_incref(shown.json)), err);
    else if (code == IG_ERR_OK)
        print_model_text(path, m, r, as, shown.text);
    free_shown(&shown);
    return code;
}

static ig_code run_model(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const model_config *c = settings;
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
    .details =
        "DIR is a Hugging Face folder of a BERT, with or without the head for masked language "
        "models, or the folder of a run, whose newest checkpoint is used. Missing tensors would "
        "get their initial value, unexpected tensors of other heads are "
        "ignored, those of the encoder an error in every command (--ignore-extra). The output "
        "names the class of transformers that can open the folder, if there is one, and the "
        "tokenizer as AutoTokenizer makes it of the folder, with what was chosen by which file. "
        "If languages have separate parameters or ids, other programs read the folder as the first "
        "language's model; --language NAME --out DIR writes another language's.\n"
        "  isoglot model bert-base-uncased --json\n"
        "  isoglot model runs/sep-emb --language fake --out fake-model",
    IG_COMMAND_OPTIONS(model_options, model_config),
    .run = run_model,
};

/* --- info ------------------------------------------------------------------------------------- */

typedef struct {
    bool json;
} info_config;

static const ig_option info_options[] = {
    {IG_FLAG(info_config, "json", json, NULL, "print one JSON object")},
};

static void print_words(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        printf(" %s", json_string_value(json_array_get(list, i)));
    putchar('\n');
}

static void print_object(json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        printf("  %-18s %s\n", key, json_string_value(value));
    }
}

static void print_info(json_t *info)
{
    const json_t *cpu = json_object_get(info, "cpu");
    const json_t *kernels = json_object_get(info, "kernels");
    printf("isoglot    %s (%s), %s, compiler %s\n",
           json_string_value(json_object_get(info, "version")),
           json_string_value(json_object_get(info, "commit")),
           json_string_value(json_object_get(info, "build")),
           json_string_value(json_object_get(info, "compiler")));
    const int n_thread = (int)json_integer_value(json_object_get(cpu, "threads"));
    printf("cpu        %s, %d thread%s\n", json_string_value(json_object_get(cpu, "name")),
           n_thread, ig_s(n_thread));
    printf("isa       ");
    print_words(json_object_get(cpu, "isa"));
    const char *bfloat16 = json_string_value(json_object_get(kernels, "bfloat16"));
    printf("kernels    %s, in bfloat16 %s\n", json_string_value(json_object_get(kernels, "table")),
           bfloat16 != NULL ? bfloat16 : "none");
    print_object(json_object_get(kernels, "ops"));
    printf("blas\n");
    print_object(json_object_get(info, "blas"));
    printf("libraries\n");
    print_object(json_object_get(info, "libraries"));
}

/* The first GPU, or why there is none. */
static ig_code show_device(json_t *info, bool json, ig_err *err)
{
    const ig_device *device;
    ig_err why;
    json_t *j;
    if (ig_cuda_device(&device, 0, &why) != IG_ERR_OK) {
        if (!json)
            printf("gpu        none: %s\n", why.msg);
        j = json_pack("{s:n, s:s}", "name", "why", why.msg);
    } else {
        const ig_cuda_driver *d = ig_cuda_in_use();
        int64_t total;
        const int64_t left = d->memory(&total);
        if (!json)
            printf("gpu        %s, %.1f of %.1f GB free, %s\n", d->name, (double)left * 1e-9,
                   (double)total * 1e-9, d->runtime);
        j = json_pack("{s:s, s:s, s:I, s:I}", "name", d->name, "runtime", d->runtime, "free_bytes",
                      (json_int_t)left, "memory_bytes", (json_int_t)total);
    }
    return json_object_set_new(info, "gpu", j) == 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_MEMORY, "", 0, "no memory for the report");
}

/* The tokenizer of a folder, or of a run's newest checkpoint. */
static ig_code show_folder(shown_tokenizer *shown, json_t *info, const char *path, ig_err *err)
{
    char dir[IG_PATH];
    IG_TRY(ig_run_latest(dir, path, err));
    IG_TRY(show_tokenizer(shown, dir, err));
    return json_object_set(info, "tokenizer", shown->json) == 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_MEMORY, dir, 0, "no memory for the report");
}

static ig_code run_info(void *config, int n_arg, char *const *arg, ig_err *err)
{
    const info_config *c = config;
    const ig_ops *ops = ig_ops_best();
    if (ops == NULL) {
        ig_fail(err, IG_ERR_USAGE, "ISOGLOT_CPU", 0,
                "found '%.60s', expected a table that this CPU can run", getenv("ISOGLOT_CPU"));
        return ig_hint(err, "the tables are ref, portable, avx2, avx512");
    }
    json_t *info = ig_program_json(IG_PRECISION_F32);
    if (info == NULL)
        return ig_fail(err, IG_ERR_MEMORY, "", 0, "no memory for the report");
    shown_tokenizer shown = {0};
    ig_code code = n_arg > 0 ? show_folder(&shown, info, arg[0], err) : IG_ERR_OK;
    if (code == IG_ERR_OK && !c->json)
        print_info(info);
    IG_THEN(code, show_device(info, c->json, err));
    if (code == IG_ERR_OK && c->json)
        code = ig_json_print(json_incref(info), err);
    if (code == IG_ERR_OK && !c->json && shown.text != NULL)
        printf("tokenizer  %s\n", shown.text);
    free_shown(&shown);
    json_decref(info);
    return code;
}

const ig_command ig_cmd_info = {
    .name = "info",
    .summary = "print version, CPU, chosen kernels and libraries",
    .args = "[DIR]",
    .details =
        "With DIR, the folder of a model or of a run, also how its tokenizer is made of its "
        "files. ISOGLOT_CPU=ref|portable|avx2|avx512 in the environment restricts the kernels.",
    IG_COMMAND_OPTIONS(info_options, info_config),
    .run = run_info,
};
