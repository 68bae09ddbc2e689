/* SPDX-License-Identifier: Apache-2.0
 *
 * The report card: all numbers of foreign folders against numpy and transformers
 * (tests/data/foreign, written by tools/foreign_models.py), the same bits for any number of
 * threads, a planted language direction, rotation and constant; texts that are not parallel.
 */
#include "test.h"

#include "analyse/moments.h"
#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "base/rng.h"
#include "base/settings/json_file.h"
#include "evaluate/card/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DATA IG_TEST_DATA "/foreign/"

static ig_err err;

/* --- against numpy */

static void assert_as_numpy(const json_t *have, const json_t *want, const char *where)
{
    const char *key;
    const json_t *value;
    json_object_foreach((json_t *)(uintptr_t)want, key, value)
    {
        const json_t *ours = json_object_get(have, key);
        if (json_is_object(value)) {
            assert_as_numpy(ours, value, key);
            continue;
        }
        ours = json_is_object(ours) ? json_object_get(ours, "value") : ours;
        if (strcmp(key, "words") == 0 || strcmp(key, "pieces_per_word") == 0)
            continue; /* numpy counts what blanks separate */
        if (!json_is_number(ours) ||
            fabs(json_number_value(ours) - json_number_value(value)) > 1e-4)
            fail_msg("%s, %s: %.7f, expected %.7f", where, key, json_number_value(ours),
                     json_number_value(value));
    }
}

static double of(const json_t *j, const char *key)
{
    return json_number_value(json_object_get(json_object_get(j, key), "value"));
}

static json_t *card(const char *model, const char *de, int n_thread, bool unrelated)
{
    char path[512];
    ig_diagnosis d;
    const ig_named_text text[] = {{"en", DATA "en.txt"}, {"de", de}};
    snprintf(path, sizeof path, DATA "%s", model);
    const ig_diagnose_options o = {
        .states = {.model = path, .n_thread = n_thread, .allow_unknown = true},
        .texts = {
            .text = text, .n_text = 2, .unrelated = unrelated}}; /* LaBSE's pieces are few here */
    assert_ok(ig_diagnose(&d, &o, &err), &err);
    d.seconds = 0;
    json_t *j = ig_diagnosis_json(&d, model);
    assert_non_null(j);
    ig_diagnosis_free(&d);
    return j;
}

static void as_numpy(void **state)
{
    static const char *const name[] = {"labse", "minilm", "xlmr", "roberta"};
    (void)state;
    json_t *expected;
    assert_ok(ig_json_read(&expected, DATA "expected.json", &err), &err);
    for (int k = 0; k < 4; k++) {
        const json_t *want = json_object_get(expected, name[k]);
        json_t *j = card(name[k], DATA "de.txt", 2, false);
        assert_true(json_object_size(json_object_get(want, "layers")) == 3);
        assert_as_numpy(json_object_get(j, "layers"), json_object_get(want, "layers"), name[k]);
        assert_as_numpy(json_object_get(j, "languages"), json_object_get(want, "languages"),
                        name[k]);
        const json_t *de = json_object_get(json_object_get(j, "languages"), "de");
        assert_int_equal(json_is_object(json_object_get(de, "perplexity")), k == 3);
        json_decref(j);
    }
    json_decref(expected);
}

static void same_for_any_team(void **state)
{
    (void)state;
    json_t *one = card("roberta", DATA "de.txt", 1, false),
           *three = card("roberta", DATA "de.txt", 3, false);
    assert_true(json_equal(one, three));
    json_decref(one);
    json_decref(three);
}

/* A copy of the text: everything is found, and the languages cannot be separated. */
static void same_text(void **state)
{
    (void)state;
    json_t *j = card("xlmr", DATA "en.txt", 2, false);
    for (int l = 0; l < 3; l++) {
        char key[4];
        snprintf(key, sizeof key, "%d", l);
        const json_t *layer = json_object_get(json_object_get(j, "layers"), key),
                     *pair = json_object_get(json_object_get(layer, "pairs"), "en-de");
        assert_true(of(pair, "retrieval_cosine") == 1);
        assert_true(of(pair, "retrieval_csls") == 1);
        assert_true(of(pair, "own_language") == 0);
        assert_true(fabs(of(pair, "cka") - 1) < 1e-9);
        assert_true(of(layer, "probe") <= .5);
    }
    json_decref(j);
}

static void not_parallel(void **state)
{
    (void)state;
    json_t *j = card("xlmr", DATA "de.txt", 2, true);
    const json_t *layer = json_object_get(json_object_get(j, "layers"), "1"),
                 *pair = json_object_get(json_object_get(layer, "pairs"), "en-de");
    assert_true(json_is_false(json_object_get(j, "parallel")));
    assert_true(json_is_null(json_object_get(pair, "retrieval_cosine")));
    assert_true(json_is_null(json_object_get(pair, "cka")));
    assert_true(json_is_object(json_object_get(layer, "probe")));
    json_decref(j);
}

/* --- planted vectors */

enum { N = 60, D = 6 };

/* One step of a normal-like number. */
static float noise(ig_rng *r)
{
    float sum = 0;
    for (int i = 0; i < 12; i++)
        sum += (float)ig_rng_below(r, 1 << 20) / (1 << 20);
    return sum - 6;
}

static void planted_constant(void **state)
{
    (void)state;
    ig_rng r = ig_rng_make(3, IG_STREAM_TEST, 1, 0);
    static float x[2][N * D], unit[2][N * D];
    const float *rows[] = {x[0], x[1]}, *units[] = {unit[0], unit[1]};
    const int64_t n[] = {N, N};
    for (int k = 0; k < 2; k++) /* variance 1 in each direction; a mean of ±3 in the first */
        for (int i = 0; i < N * D; i++)
            x[k][i] = noise(&r) + (i % D == 0 ? (k == 0 ? 3.f : -3.f) : 0);
    const ig_language_vectors v = {rows, n, 2, D}, u = {units, n, 2, D};
    ig_moments m;
    double probe;
    assert_ok(ig_moments_make(&m, &v, NULL, &err), &err);
    assert_ok(ig_language_probe(&probe, &m, &v, NULL, &err), &err);
    assert_true(probe > .97);
    /* ‖mean‖² 9 of 9 + D; sampled, so within a few standard errors of .05. */
    assert_true(fabs(ig_constant_share(&v) - 9. / (9 + D)) < .1);
    /* Covariance diag(10, 1, …, 1): (10 + D − 1)² / (D (100 + D − 1)). */
    assert_true(fabs(ig_isotropy(&m, &v) - 225. / (D * 105)) < .1);
    ig_moments_free(&m);
    memcpy(unit, x, sizeof x);
    for (int k = 0; k < 2; k++)
        assert_ok(ig_unit_rows(unit[k], N, D, "rows", &err), &err);
    double sum = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                for (int c = 0; c < D && i != j; c++)
                    sum += (double)unit[k][i * D + c] * (double)unit[k][j * D + c] /
                           (2. * N * (N - 1));
    assert_true(fabs(ig_mean_cosine(&u) - sum) < 1e-6);
    /* Without its means nothing is constant, and the probe is at chance. */
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < D; c++) {
            double mean = 0;
            for (int i = 0; i < N; i++)
                mean += (double)x[k][i * D + c] / N;
            for (int i = 0; i < N; i++)
                x[k][i * D + c] -= (float)mean;
        }
    assert_true(ig_constant_share(&v) < 1e-9);
    assert_ok(ig_moments_make(&m, &v, NULL, &err), &err);
    assert_ok(ig_language_probe(&probe, &m, &v, NULL, &err), &err);
    assert_true(probe < .6);
    ig_moments_free(&m);
}

static int falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Retrieval by CSLS of ten neighbours (Conneau et al. 2018) and by margin of four (Artetxe and
 * Schwenk 2019, ratio). */
static void by_brute_force(const ig_neighbour_scores *s, const float *const *rows)
{
    static double c[N][N], mean[2][2][N]; /* of ten, of four; of each side */
    int right[2] = {0, 0};
    memset(mean, 0, sizeof mean);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            c[i][j] = 0;
            for (int e = 0; e < D; e++)
                c[i][j] += (double)rows[0][i * D + e] * (double)rows[1][j * D + e];
        }
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < N; i++) {
            double v[N];
            for (int j = 0; j < N; j++)
                v[j] = side == 0 ? c[i][j] : c[j][i];
            qsort(v, N, sizeof *v, falling);
            for (int t = 0; t < 10; t++) {
                mean[0][side][i] += v[t] / 10;
                mean[1][side][i] += t < 4 ? v[t] / 4 : 0;
            }
        }
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < N; i++) {
            int best[2] = {0, 0};
            double most[2] = {-1e9, -1e9};
            for (int j = 0; j < N; j++) {
                const double x = side == 0 ? c[i][j] : c[j][i],
                             by[2] = {2 * x - mean[0][1 - side][j],
                                      x / (mean[1][side][i] + mean[1][1 - side][j])};
                for (int k = 0; k < 2; k++)
                    if (by[k] > most[k]) {
                        most[k] = by[k];
                        best[k] = j;
                    }
            }
            for (int k = 0; k < 2; k++)
                right[k] += best[k] == i;
        }
    assert_true(fabs(s->csls - right[0] / (2. * N)) < 1e-9);
    assert_true(fabs(s->margin - right[1] / (2. * N)) < 1e-9);
}

/* One row is near all others: a hub, which CSLS does without. */
static void planted_hub(void **state)
{
    (void)state;
    ig_rng r = ig_rng_make(4, IG_STREAM_TEST, 1, 0);
    static float x[2][N * D], nearest[2][N];
    const float *rows[] = {x[0], x[1]}, *own[] = {nearest[0], nearest[1]};
    for (int i = 0; i < N * D; i++) {
        x[0][i] = noise(&r) + (i % D == 0 ? 2 : 0);
        x[1][i] = x[0][i] + .8f * noise(&r);
    }
    for (int c = 0; c < D; c++)
        x[1][c] = c == 0 ? 1 : 0;
    for (int k = 0; k < 2; k++)
        assert_ok(ig_unit_rows(x[k], N, D, "rows", &err), &err);
    const ig_retrieval_with with = {.ops = ig_ops_best()};
    ig_neighbour_scores s;
    for (int k = 0; k < 2; k++)
        assert_ok(ig_nearest_own(nearest[k], x[k], N, D, &with, &err), &err);
    assert_ok(ig_neighbour_scores_run(&s, &(ig_sentence_rows){rows, N, D, own, NULL}, &with, &err),
              &err);
    assert_true(s.csls > s.cosine && s.cosine > .2);
    assert_true(s.hubness > .3);
    /* Brute force of who is nearest. */
    int n_own = 0, n_right = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < N; i++) {
            double best[2] = {-2, -2};
            int at = -1;
            for (int side = 0; side < 2; side++)
                for (int j = 0; j < N; j++) {
                    double c = 0;
                    for (int e = 0; e < D; e++)
                        c += (double)x[k][i * D + e] * (double)x[side == 0 ? k : 1 - k][j * D + e];
                    if ((side == 1 || j != i) && c > best[side]) {
                        best[side] = c;
                        at = side == 1 ? j : at;
                    }
                }
            n_own += best[0] > best[1];
            n_right += at == i;
        }
    assert_true(fabs(s.own - n_own / (2. * N)) < 1e-9);
    by_brute_force(&s, rows);
    assert_true(fabs(s.cosine - n_right / (2. * N)) < 1e-9);
}

/* Where criteria differ, as translations are not much nearer than others. */
static void criteria(void **state)
{
    (void)state;
    static float x[2][N * D], nearest[2][N];
    const float *rows[] = {x[0], x[1]}, *own[] = {nearest[0], nearest[1]};
    const ig_retrieval_with with = {.ops = ig_ops_best()};
    for (int t = 0; t < 5; t++) {
        ig_rng r = ig_rng_make(5, IG_STREAM_TEST, 1, (uint32_t)t);
        ig_neighbour_scores s;
        for (int i = 0; i < N * D; i++) {
            x[0][i] = noise(&r) + (i % D < 2 ? 2 : 0);
            x[1][i] = x[0][i] + (.6f + .3f * (float)t) * noise(&r);
        }
        for (int k = 0; k < 2; k++) {
            assert_ok(ig_unit_rows(x[k], N, D, "rows", &err), &err);
            assert_ok(ig_nearest_own(nearest[k], x[k], N, D, &with, &err), &err);
        }
        assert_ok(
            ig_neighbour_scores_run(&s, &(ig_sentence_rows){rows, N, D, own, NULL}, &with, &err),
            &err);
        by_brute_force(&s, rows);
    }
}

/* The best layer for a use: the greatest mean over the pairs that have a value, of equal ones the
 * lowest. */
static void best_layers(void **state)
{
    enum { LAYERS = 4, PAIRS = 2 };
    static const double words[LAYERS][PAIRS] = {{.1, .2}, {.4, .4}, {.8, .0}, {.1, NAN}},
                        cosine[LAYERS][PAIRS] = {{.1, .1}, {.2, .2}, {.3, .3}, {.9, .9}};
    ig_card_number value[LAYERS * (1 + PAIRS) * IG_DIAGNOSE_N] = {0};
    const ig_diagnosis d = {.n_layer = LAYERS, .n_pair = PAIRS, .value = value};
    (void)state;
    for (int l = 0; l < LAYERS; l++) {
        ig_diagnose_at(&d, l, -1)[IG_DIAGNOSE_PROBE].value = l == 2 ? 1 : .5;
        for (int k = 0; k < PAIRS; k++) {
            ig_card_number *pair = ig_diagnose_at(&d, l, k);
            pair[IG_DIAGNOSE_COSINE].value = cosine[l][k];
            pair[IG_DIAGNOSE_WORDS].value = words[l][k];
            pair[IG_DIAGNOSE_F1].value = (double)NAN;
            pair[IG_DIAGNOSE_CKA].value = .5 + .1 * (k == 0 ? l : -l);
        }
    }
    assert_int_equal(ig_diagnose_best_layer(&d, IG_USE_RETRIEVAL), 3);
    assert_int_equal(ig_diagnose_best_layer(&d, IG_USE_WORDS), 1);
    assert_int_equal(ig_diagnose_best_layer(&d, IG_USE_LANGUAGE), 2);
    assert_int_equal(ig_diagnose_best_layer(&d, IG_USE_ALIGNMENT), -1);
}

static void bad_options(void **state)
{
    (void)state;
    ig_diagnosis d;
    const ig_named_text text[] = {{"en", DATA "en.txt"}, {"en", DATA "de.txt"}};
    ig_diagnose_options o = {.states = {.model = DATA "xlmr"},
                             .texts = {.text = text, .n_text = 1}};
    assert_int_equal(ig_diagnose(&d, &o, &err), IG_ERR_USAGE);
    ig_diagnosis_free(&d);
    o.texts.n_text = 2;
    assert_int_equal(ig_diagnose(&d, &o, &err), IG_ERR_USAGE);
    ig_diagnosis_free(&d);
    const ig_named_text few[] = {{"en", DATA "en.txt"}, {"de", DATA "de.txt"}};
    o.texts.text = few;
    o.texts.take = 9;
    assert_int_equal(ig_diagnose(&d, &o, &err), IG_ERR_INPUT);
    ig_diagnosis_free(&d);
}

/* A tokenizer that keeps case and accents loses none of its pieces, also where these are spelled by
 * the characters of bytes, or are made after a blank alone. */
static void none_lost(void **state)
{
    static const char *const name[] = {"gemma",      "llama2",   "llama3",        "metaspace-bpe",
                                       "modernbert", "qwen",     "roberta-space", "roberta",
                                       "splits",     "sequence", "unigram-bytes", "xlmr"};
    (void)state;
    const ig_named_text of = {.path = DATA "de.txt"};
    ig_texts text;
    assert_ok(ig_texts_read(&text, &(ig_texts_options){.text = &of, .n_text = 1}, &err), &err);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        ig_tokenizer *t;
        ig_text_counts c;
        char path[300];
        snprintf(path, sizeof path, IG_TEST_DATA "/tokenizer/pipeline-%s.json", name[i]);
        assert_ok(ig_tokenizer_load(&t, path, NULL, &err), &err);
        assert_ok(ig_text_counts_make(&c, &text.of[0], t, &err), &err);
        if (c.upper_pieces > 0 || c.accented_pieces > 0)
            fail_msg("%s: %.2f of the pieces are capitals that are never made, %.2f accents",
                     name[i], c.upper_pieces, c.accented_pieces);
        ig_text_counts_free(&c);
        ig_tokenizer_free(t);
    }
    ig_texts_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_numpy),         cmocka_unit_test(same_for_any_team),
        cmocka_unit_test(same_text),        cmocka_unit_test(not_parallel),
        cmocka_unit_test(planted_constant), cmocka_unit_test(planted_hub),
        cmocka_unit_test(criteria),         cmocka_unit_test(best_layers),
        cmocka_unit_test(bad_options),      cmocka_unit_test(none_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
