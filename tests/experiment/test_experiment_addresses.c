/* SPDX-License-Identifier: Apache-2.0
 *
 * The addresses of all runs and data of every experiment file of the project, with each of its
 * variants, as they were recorded in addresses.txt: a stored run is found by its address. Texts are
 * none of the real ones: each file holds its own name, so that the addresses need no data.
 *
 * A file or a variant that is new or meant to be other runs changes its line: with
 * ISOGLOT_ADDRESSES=FILE the test writes what it found to FILE, one line for a file and variant.
 */
#include "experiment_fixture.h"

#include "base/settings/options_internal.h"
#include "base/sha256.h"

#include <ftw.h>

#define EXPERIMENTS IG_SOURCE_DIR "/experiments"

static char *file[256];
static int n_file;

static int visit(const char *path, const struct stat *is, int kind)
{
    (void)is;
    const size_t n = strlen(path);
    if (kind == FTW_F && n > 5 && strcmp(path + n - 5, ".yaml") == 0 &&
        strstr(path, "/reference/") == NULL && strstr(path, "/tasks/") == NULL) {
        assert_true(n_file < 256);
        file[n_file++] = strdup(path);
    }
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A file below the data root that holds its name after the root; one beside the experiment is
 * there. */
static void stand_in(const char *path)
{
    char folder[512];
    const size_t root = strlen(dir) + 1;
    if (ig_file_exists(path))
        return;
    assert_true(strncmp(path, dir, root - 1) == 0);
    snprintf(folder, sizeof folder, "%s", path);
    for (char *p = folder + root; (p = strchr(p, '/')) != NULL; *p++ = '/') {
        *p = '\0';
        assert_ok(ig_dir_make(folder, &err), &err);
    }
    write_fast(path, path + root, (int64_t)strlen(path + root));
}

static void stand_ins(const ig_run_config *c)
{
    for (int i = 0; i < ig_run_options.n; i++) {
        const ig_option *o = &ig_run_options.row[i];
        if (o->kind != IG_OPT_PATH)
            continue;
        const char *text = *(char *const *)ig_option_field(o, (void *)(uintptr_t)c);
        if (text != NULL)
            stand_in(text);
    }
    for (int i = 0; i < c->data.named.n; i++)
        stand_in(c->data.named.file[i].path);
}

/* "SUM CELLS FILE:VARIANT" of all addresses of the experiment, in the order of the
 * file. */
static void add_line(FILE *out, const char *path, const char *variant, ig_hash_cache *cache)
{
    ig_experiment e;
    ig_sha256 *h;
    char(*run)[IG_ADDRESS], data[IG_ADDRESS], hex[IG_SHA256_HEX];
    assert_ok(ig_experiment_read(&e, path, &variant, variant != NULL, dir, &err), &err);
    assert_ok(ig_sha256_new(&h, &err), &err);
    for (int i = 0; i < e.n_cell; i++) {
        const ig_cell *c = &e.cell[i];
        stand_ins(&c->config);
        assert_non_null(run = calloc((size_t)c->n_seed, sizeof *run));
        assert_ok(ig_run_addresses(run, &c->config, c->seed, c->n_seed, cache, &err), &err);
        assert_ok(ig_data_address(data, &c->config, cache, &err), &err);
        assert_ok(ig_sha256_add(h, c->name, (int64_t)strlen(c->name), &err), &err);
        assert_ok(ig_sha256_add(h, run, c->n_seed * (int64_t)sizeof *run, &err), &err);
        assert_ok(ig_sha256_add(h, data, sizeof data, &err), &err);
        free(run);
    }
    assert_ok(ig_sha256_end(h, hex, &err), &err);
    fprintf(out, "%.16s %3d %s%s%s\n", hex, e.n_cell, path + strlen(EXPERIMENTS "/"),
            variant != NULL ? ":" : "", variant != NULL ? variant : "");
    for (int v = 0; variant == NULL && v < e.n_variant; v++)
        add_line(out, path, e.variant[v], cache);
    ig_experiment_free(&e);
}

static void as_recorded(void **state)
{
    (void)state;
    char *found = NULL, *recorded;
    size_t n;
    int64_t size;
    ig_hash_cache *cache;
    const char *to = getenv("ISOGLOT_ADDRESSES");
    FILE *out = open_memstream(&found, &n);
    assert_int_equal(ftw(EXPERIMENTS, visit, 8), 0);
    assert_true(n_file >= 9);
    qsort(file, (size_t)n_file, sizeof *file, by_name);
    assert_ok(ig_hash_cache_new(&cache, &err), &err);
    for (int i = 0; i < n_file; i++) {
        add_line(out, file[i], NULL, cache);
        free(file[i]);
    }
    ig_hash_cache_free(cache);
    fclose(out);
    if (to != NULL)
        assert_ok(ig_file_write(to, found, (int64_t)n, &err), &err);
    assert_ok(ig_file_read(&recorded, &size, IG_SOURCE_DIR "/tests/experiment/addresses.txt",
                           1 << 20, &err),
              &err);
    const char *a = recorded, *b = found;
    while (*a != '\0' && *b != '\0') {
        const size_t line = strcspn(a, "\n");
        if (strncmp(a, b, line + 1) != 0)
            fail_msg("found %.*s\nrecorded %.*s", (int)strcspn(b, "\n"), b, (int)line, a);
        a += line + 1;
        b += line + 1;
    }
    assert_string_equal(b, a);
    ig_free(recorded);
    free(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_recorded)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
