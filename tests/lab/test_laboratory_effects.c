/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole experiment that finds what the paper found (Dufter & Schütze 2020, Table 1, IDs 0, 8 and
 * 3), on a generated world in seconds: two languages that share positions and special tokens become
 * one in the model; apart they do not, nor with the order of one inverted. And its knn-replace:
 * with neighbours from two static spaces, trained and mapped without a dictionary, they are one
 * earlier.
 */
#include "lab_fixture.h"
#include "apply/folder/run_folder.h"

#include <dirent.h>
#include <jansson.h>

/* Effects need hundreds of updates and all words: sanitizers see the same way with a few, and what
 * no training is needed for is asserted. */
#define SIZES                                                                                      \
    IF_SANITIZED("world_sentences: 800, updates: 20", "world_sentences: 2000, updates: 200")
#define EPOCHS IF_SANITIZED("10", "100")
#define REST                                                                                       \
    "measure: {what: [retrieval, translation, perplexity], checkpoints: [0, " IF_SANITIZED(        \
        "10]}\nseeds: 1\n", "100]}\nseeds: 2\n")
enum { UPDATES = SANITIZED ? 20 : 200, SEEDS = SANITIZED ? 1 : 2 };

static const char text[] =
    "base: {preset: bert-tiny, world: demo, world_words: true, " SIZES ",\n"
    "       dev_take: 200, batch: 64, mask_prob: 0.3, lr: 2e-3}\n"
    "cells:\n"
    "  original: {}\n"
    "  separate: {lang_pos: true, shift_special: true, no_random: fixed}\n"
    "  inverted: {inv_order: true}\n"
    "  neighbours: {mask_share: 0.5, knn_replace: 1, knn_share: 0.3, knn_dim: 50,\n"
    "               knn_epochs: " EPOCHS "}\n" REST;

static double value(const ig_store_result *all, const ig_store_entry *x, const char *task,
                    int64_t step)
{
    for (int64_t k = 0; k < x->n_metric; k++) {
        const ig_row *m = &all->metric[x->first_metric + k];
        if (strcmp(m->task, task) == 0 && m->step == step && strcmp(m->split, "dev") == 0 &&
            m->languages[0] == (strcmp(task, "perplexity") == 0 ? '\0' : m->languages[0]))
            return m->value;
    }
    fail_msg("%s:%lld has no %s", x->cell.cell, (long long)x->cell.seed, task);
    return 0;
}

/* All seeds had one space and one table, and most of the nearest words are translations. */
static void check_neighbours(const char *data)
{
    static const char *const suffix[] = {".near", "-0.bin", "-1.bin", ".json"};
    int n[4] = {0}, n_vectors = 0;
    char folder[600] = "", path[900];
    DIR *d = opendir(data);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.' && strchr(e->d_name, '.') == NULL)
            snprintf(folder, sizeof folder, "%s/%s/embed", data, e->d_name);
    closedir(d);
    d = opendir(folder);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d)) != NULL;) {
        const size_t length = strlen(e->d_name);
        n_vectors += strncmp(e->d_name, "vectors-", 8) == 0;
        for (int i = 0; i < 4; i++)
            n[i] += length > strlen(suffix[i]) &&
                    strcmp(e->d_name + length - strlen(suffix[i]), suffix[i]) == 0;
        if (strncmp(e->d_name, "neighbours-", 11) != 0 || e->d_name[length - 1] != 'n')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        json_t *j = json_load_file(path, 0, NULL);
        const json_t *gold = json_object_get(j, "gold");
        assert_int_equal(json_array_size(gold), 2);
        for (size_t i = 0; i < 2; i++)
            assert_true(SANITIZED ||
                        json_real_value(json_object_get(json_array_get(gold, i), "p1")) > 0.6);
        json_decref(j);
    }
    closedir(d);
    assert_int_equal(n_vectors, 2);
    assert_true(n[0] == 1 && n[1] == 1 && n[2] == 1 && n[3] == 2);
}

/* The manifest of a run with neighbours has their hash and those of the vectors behind them. */
static void check_manifest(const char *store, const char *address)
{
    char path[600], hex[IG_SHA256_HEX];
    json_t *m, *hash;
    const char *name;
    int n = 0;
    snprintf(path, sizeof path, "%s/runs/%s", store, address);
    assert_ok(ig_folder_json(&m, path, "manifest.json", &err), &err);
    const json_t *of = json_object_get(m, "neighbours");
    snprintf(path, sizeof path, "%s/runs/%s/neighbours", store, address);
    assert_ok(ig_sha256_file(hex, path, &err), &err);
    assert_string_equal(json_string_value(json_object_get(of, "sha256")), hex);
    json_object_foreach(json_object_get(of, "made_of"), name, hash)
    {
        snprintf(path, sizeof path, "%s/runs/%s/data/embed/%.60s", store, address, name);
        assert_ok(ig_sha256_file(hex, path, &err), &err);
        assert_string_equal(json_string_value(hash), hex);
        n++;
    }
    assert_int_equal(n, 4); /* vectors and mapped vectors of two languages */
    json_decref(m);
}

static void the_paper_in_small(void **state)
{
    (void)state;
    ig_experiment e = read_experiment(text);
    ig_store_result all;
    run_and_read(&all, &e, 4 * SEEDS);
    check_neighbours(in_root("store/data"));
    for (int64_t i = 0; i < all.n_entry; i++) {
        const ig_store_entry *x = &all.entry[i];
        const double mu = value(&all, x, "mu", UPDATES), before = value(&all, x, "mu", 0),
                     ppl = value(&all, x, "perplexity", UPDATES),
                     untrained = value(&all, x, "perplexity", 0);
        print_message("%s:%lld  mu %.3f, untrained %.3f; perplexity %.1f, untrained %.1f\n",
                      x->cell.cell, (long long)x->cell.seed, mu, before, ppl, untrained);
        /* Each learns its languages as well as the others … */
        assert_true(ppl < (SANITIZED ? untrained : 60) && untrained > 200);
        assert_true(before < 0.04);
        if (strcmp(x->cell.cell, "neighbours") == 0)
            check_manifest(in_root("store"), x->cell.address);
        if (SANITIZED)
            continue;
        /* … and one of them that they are the same. Measured over six seeds: .19 to .32, .01 and
         * .02 to .05. */
        if (strcmp(x->cell.cell, "original") == 0) {
            assert_true(mu > 0.12);
            assert_true(value(&all, x, "mu", 100) > 0.12);
        } else if (strcmp(x->cell.cell, "neighbours") == 0) {
            /* .31 to .41 against .25 to .28 of the original, at update 100 .23 to .31 against .17
             * to .22; each seed above its own. */
            assert_true(mu > 0.29);
            for (int64_t k = 0; k < all.n_entry; k++)
                if (strcmp(all.entry[k].cell.cell, "original") == 0 &&
                    all.entry[k].cell.seed == x->cell.seed)
                    assert_true(value(&all, x, "mu", 100) > value(&all, &all.entry[k], "mu", 100));
        } else if (strcmp(x->cell.cell, "separate") == 0)
            assert_true(mu < 0.04);
        else
            assert_true(mu < 0.09);
    }
    ig_store_result_free(&all);
    ig_experiment_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_paper_in_small)};
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
