/* SPDX-License-Identifier: Apache-2.0
 *
 * Describes the program and the machine: version, CPU, threads.
 */
#define _GNU_SOURCE 1
#include "lab/work/program.h"

#include "base/threads/team.h"
#include "isoglot/version.h"
#include "model/device/device.h"
#include "tensor/ops.h"

#include <archive.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unicode/uversion.h>
#include <yaml.h>

#if defined(__clang__)
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* Reads "model name : …" of the first processor; "unknown" if the system has none. */
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
#elif defined(__aarch64__)
    json_array_append_new(list, json_string("neon"));
    const ig_ops *bf16 = ig_ops_bfloat16();
    if (bf16 != NULL && strcmp(bf16->name, "neonbf16") == 0)
        json_array_append_new(list, json_string("bf16"));
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

/* Returns which BLAS the program was built with, and what it says of itself where it is OpenBLAS
 * and loaded. */
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

/* Runs that are trained together end together, and the libraries put what they say of themselves
 * into one buffer each. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

json_t *ig_program_json(ig_precision precision)
{
    const ig_ops *bfloat16 = ig_ops_bfloat16();
    const ig_ops *ops = precision == IG_PRECISION_BF16 ? bfloat16 : ig_ops_best();
    char cpu[128];
    cpu_name(cpu, sizeof cpu);
    pthread_mutex_lock(&lock);
    json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:{s:s, s:i, s:o}, s:{s:s, s:s?, s:o}, s:o, s:o}",
                          "version", ig_version(), "commit", ig_commit(), "compiler", COMPILER,
                          "build", IG_BUILD_TYPE, "cpu", "name", cpu, "threads", ig_cpu_count(),
                          "isa", isa_list(), "kernels", "table", ops->name, "bfloat16",
                          bfloat16 != NULL ? bfloat16->name : NULL, "ops", kernel_list(ops), "blas",
                          blas(), "libraries", libraries());
    pthread_mutex_unlock(&lock);
    if (ig_device_default() != &ig_device_host) /* else the kernels say all */
        json_object_set_new(j, "device", json_string(ig_device_default()->name));
    return j;
}
