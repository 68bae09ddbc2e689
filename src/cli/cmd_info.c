/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot info: what a report of a result or of a mistake should carry along: version, compiler,
 * CPU, the kernel chosen for each op, the libraries.
 */
#define _GNU_SOURCE 1
#include "base/team.h"
#include "cli/commands.h"
#include "cli/json_print.h"
#include "isoglot/version.h"
#include "tensor/ops.h"

#include <archive.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/uversion.h>
#include <yaml.h>

#if defined(__clang__)
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

typedef struct {
    bool json;
} info_config;

static const ig_option options[] = {
    {.name = "json",
     .kind = IG_OPT_FLAG,
     .offset = offsetof(info_config, json),
     .help = "print one JSON object"},
};

/* "model name : …" of the first processor; "unknown" where the system tells none. */
static void cpu_name(char *out, size_t size)
{
    char line[256];
    snprintf(out, size, "unknown");
    FILE *fp = fopen("/proc/cpuinfo", "r");
    if (fp == NULL)
        return;
    while (fgets(line, sizeof line, fp) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL)
            continue;
        snprintf(out, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
        out[strcspn(out, "\n")] = '\0';
        break;
    }
    fclose(fp);
}

static json_t *isa_list(void)
{
    json_t *list = json_array();
#if defined(__x86_64__)
    __builtin_cpu_init();
#define IG_ISA(name)                                                                               \
    if (__builtin_cpu_supports(name))                                                              \
        json_array_append_new(list, json_string(name));
    IG_ISA("sse4.2")
    IG_ISA("avx")
    IG_ISA("avx2")
    IG_ISA("fma")
    IG_ISA("avx512f")
    IG_ISA("avx512bw")
    IG_ISA("avx512dq")
    IG_ISA("avx512vl")
    IG_ISA("avx512vnni")
    IG_ISA("avx512bf16")
#undef IG_ISA
#endif
    return list;
}

static json_t *kernel_list(const ig_ops *ops)
{
    json_t *object = json_object();
    const char *op, *kernel;
    for (int i = 0; ig_ops_describe(ops, i, &op, &kernel); i++)
        json_object_set_new(object, op, json_string(kernel));
    return object;
}

/* Which BLAS the program was built with, and what it says of itself where it is OpenBLAS and
 * loaded. */
static json_t *blas(void)
{
    json_t *object = json_pack("{s:s}", "library", IG_BLAS);
    void *symbol = dlsym(RTLD_DEFAULT, "openblas_get_config");
    if (symbol != NULL) {
        const char *(*config)(void);
        memcpy(&config, &symbol, sizeof config);
        json_object_set_new(object, "config", json_string(config()));
    }
    return object;
}

static json_t *libraries(void)
{
    char icu[U_MAX_VERSION_STRING_LENGTH];
    UVersionInfo version;
    u_getVersion(version);
    u_versionToString(version, icu);
    return json_pack("{s:s, s:s, s:s, s:s}", "icu", icu, "jansson", jansson_version_str(),
                     "libyaml", yaml_get_version_string(), "libarchive", archive_version_details());
}

static json_t *gather(const ig_ops *ops)
{
    char cpu[128];
    cpu_name(cpu, sizeof cpu);
    return json_pack("{s:s, s:s, s:s, s:{s:s, s:i, s:o}, s:{s:s, s:o}, s:o, s:o}", "version",
                     ig_version(), "compiler", COMPILER, "build", IG_BUILD_TYPE, "cpu", "name", cpu,
                     "threads", ig_cpu_count(), "isa", isa_list(), "kernels", "table", ops->name,
                     "ops", kernel_list(ops), "blas", blas(), "libraries", libraries());
}

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
    printf("isoglot    %s, %s, compiler %s\n", json_string_value(json_object_get(info, "version")),
           json_string_value(json_object_get(info, "build")),
           json_string_value(json_object_get(info, "compiler")));
    printf("cpu        %s, %d threads\n", json_string_value(json_object_get(cpu, "name")),
           (int)json_integer_value(json_object_get(cpu, "threads")));
    printf("isa       ");
    print_words(json_object_get(cpu, "isa"));
    printf("kernels    %s\n", json_string_value(json_object_get(kernels, "table")));
    print_object(json_object_get(kernels, "ops"));
    printf("blas\n");
    print_object(json_object_get(info, "blas"));
    printf("libraries\n");
    print_object(json_object_get(info, "libraries"));
}

static ig_code run(const ig_command *self, void *config, int n_arg, char *const *arg, ig_err *err)
{
    const info_config *c = config;
    (void)self;
    (void)n_arg;
    (void)arg;
    const ig_ops *ops = ig_ops_best();
    if (ops == NULL) {
        ig_fail(err, IG_ERR_USAGE, "ISOGLOT_CPU", 0,
                "found '%.60s', expected a table that this CPU can run", getenv("ISOGLOT_CPU"));
        return ig_hint(err, "the tables are ref, portable, avx2, avx512");
    }
    json_t *info = gather(ops);
    if (info == NULL)
        return ig_fail(err, IG_ERR_MEMORY, "", 0, "no memory for the report");
    if (c->json)
        return ig_json_print(info, err);
    print_text(info);
    json_decref(info);
    return IG_ERR_OK;
}

const ig_command ig_cmd_info = {
    .name = "info",
    .summary = "tell version, CPU, the kernels chosen, the libraries",
    .details = "ISOGLOT_CPU=ref|portable|avx2|avx512 in the environment restricts the kernels.",
    .options = options,
    .n_option = (int)(sizeof options / sizeof *options),
    .config_size = sizeof(info_config),
    .run = run,
};
