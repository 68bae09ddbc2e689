/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot info: what a report of a result or of a mistake should carry along: version, compiler,
 * CPU, the kernel chosen for each op, the libraries; with a model's folder, its tokenizer too.
 */
#include "cli/commands.h"

#include "apply/folder/run_dir.h"
#include "cli/print/print.h"
#include "cli/print/show_tokenizer.h"
#include "lab/work/program.h"
#include "tensor/ops.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    bool json;
} info_config;

static const ig_option options[] = {
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

static void print_text(json_t *info)
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
           n_thread, n_thread == 1 ? "" : "s");
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

/* The tokenizer of a folder, or of a run's newest checkpoint. */
static ig_code show_folder(ig_shown_tokenizer *shown, json_t *info, const char *path, ig_err *err)
{
    char dir[IG_PATH];
    IG_TRY(ig_run_latest(dir, path, err));
    IG_TRY(ig_show_tokenizer(shown, dir, err));
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
    ig_shown_tokenizer shown = {0};
    ig_code code = n_arg > 0 ? show_folder(&shown, info, arg[0], err) : IG_ERR_OK;
    if (code == IG_ERR_OK && c->json)
        code = ig_json_print(json_incref(info), err);
    else if (code == IG_ERR_OK)
        print_text(info);
    if (code == IG_ERR_OK && !c->json && shown.text != NULL)
        printf("tokenizer  %s\n", shown.text);
    ig_shown_tokenizer_free(&shown);
    json_decref(info);
    return code;
}

const ig_command ig_cmd_info = {
    .name = "info",
    .summary = "print version, CPU, chosen kernels and libraries",
    .args = "[DIR]",
    .max_arg = 1,
    .details =
        "With DIR, the folder of a model or of a run, also how its tokenizer is made of its "
        "files. ISOGLOT_CPU=ref|portable|avx2|avx512 in the environment restricts the kernels.",
    IG_COMMAND_OPTIONS(options, info_config),
    .run = run_info,
};
