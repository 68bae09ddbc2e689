/* SPDX-License-Identifier: Apache-2.0
 *
 * Verdicts of claims against a second computation: all sign flips counted out, Holm's correction as
 * Holm 1979 defines it, `and` and `or` over all verdicts; and what is said where runs are missing.
 */
#include "test.h"

#include "base/memory.h"
#include "base/rng.h"
#include "report/results/results_claims.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CELLS = 4, SEEDS = 10, RUNS = CELLS * SEEDS };
static ig_store_entry entry[RUNS];
static ig_row metric[RUNS];
static ig_store_result stored;
static double value[CELLS][SEEDS];
static const char *const names[CELLS] = {"a", "b", "c", "none"};
static ig_results r;

/* a is above b by far, c about as b; "none" was never run. */
static void make(void)
{
    ig_err err = {0};
    stored = (ig_store_result){.entry = entry, .metric = metric, .n_entry = RUNS};
    for (int c = 0; c < CELLS; c++)
        for (int s = 0; s < SEEDS; s++) {
            const int at = c * SEEDS + s;
            ig_rng rng = ig_rng_make((uint64_t)s, 1, (uint32_t)c, 0);
            value[c][s] = (c == 0 ? .6 : .3) + .05 * ig_rng_normal(&rng);
            metric[at] = (ig_row){.task = "mu",
                                  .split = "dev",
                                  .languages = "en-fake",
                                  .task_version = 1,
                                  .layer = -1,
                                  .last = true,
                                  .step = 9,
                                  .value = value[c][s]};
            entry[at] =
                (ig_store_entry){.cell = {"e", names[c], names[c], c, s, "0123456789abcdef"},
                                 .run = {.address = "0123456789abcdef",
                                         .status = c < 3 ? IG_RUN_DONE : IG_RUN_MISSING,
                                         .seed = s},
                                 .first_metric = at,
                                 .n_metric = c < 3};
        }
    /* Seed 9 of b is not there: a and b share nine. */
    entry[1 * SEEDS + 9].n_metric = 0;
    stored.n_metric = RUNS;
    assert_ok(ig_results_make(&r, &stored, false, &err), &err);
}

static int setup(void **state)
{
    (void)state;
    make();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ig_results_free(&r);
    return 0;
}

/* Share of the sign flips whose mean is as far from 0. */
static double flips(const double *d, int n)
{
    double sum = 0;
    int far = 0;
    for (int i = 0; i < n; i++)
        sum += d[i];
    for (int f = 0; f < 1 << n; f++) {
        double x = 0;
        for (int i = 0; i < n; i++)
            x += f >> i & 1 ? -d[i] : d[i];
        far += fabs(x) >= fabs(sum) * (1 - 1e-12);
    }
    return (double)far / (1 << n);
}

typedef struct {
    ig_claim claim[8];
    int n;
    ig_claim_results results;
} claims;

static char paper[64]; /* a reference file */

static void open_claims(claims *c, const char *const *statement)
{
    ig_err err = {0};
    memset(c, 0, sizeof *c);
    for (; statement[c->n] != NULL; c->n++) {
        ig_claim *x = &c->claim[c->n];
        assert_ok(ig_alloc(&x->id, 2, 1, "id", &err), &err);
        assert_ok(ig_alloc(&x->text, 2, 1, "text", &err), &err);
        x->id[0] = x->text[0] = (char)('a' + c->n);
        assert_ok(ig_claim_parse(x, statement[c->n], "", 0, &err), &err);
        ig_claim_term *t = &x->comparison[0].more.term[0];
        t->reference = t->paper != NULL ? paper : NULL;
    }
    assert_ok(ig_claim_results_make(&c->results, &r, c->claim, c->n, &err), &err);
}

static void close_claims(claims *c)
{
    ig_claim_results_free(&c->results);
    for (int i = 0; i < c->n; i++)
        ig_claim_free(&c->claim[i]);
}

static void tests_of_seeds(void **state)
{
    (void)state;
    static const char *const statement[] = {"mu(a) > mu(b)", "mu(a) < mu(c) + .1",
                                            "mu(b) > 2 * mu(c) - .3", "mu(c) > .01", NULL};
    double d[4][SEEDS], p[4], holm[4];
    const int n[4] = {9, 10, 9, 10};
    claims c;
    for (int s = 0; s < SEEDS; s++) {
        d[0][s] = value[0][s] - value[1][s];
        d[1][s] = value[2][s] + .1 - value[0][s];
        d[2][s] = value[1][s] - (2 * value[2][s] - .3);
        d[3][s] = value[2][s] - .01;
    }
    for (int i = 0; i < 4; i++)
        p[i] = flips(d[i], n[i]);
    for (int i = 0; i < 4; i++) { /* the largest (m − rank) · p of those that are no larger */
        holm[i] = 0;
        for (int k = 0; k < 4; k++) {
            int below = 0;
            for (int j = 0; j < 4; j++)
                below += p[j] < p[k] || (p[j] == p[k] && j < k);
            if (p[k] <= p[i] && (4 - below) * p[k] > holm[i])
                holm[i] = (4 - below) * p[k];
        }
        holm[i] = holm[i] > 1 ? 1 : holm[i];
    }
    open_claims(&c, statement);
    for (int i = 0; i < 4; i++) {
        const ig_claimed *x = &c.results.claim[i].compared[0];
        double mean = 0;
        for (int s = 0; s < n[i]; s++)
            mean += d[i][s] / n[i];
        assert_int_equal(x->paired.n, n[i]);
        assert_true(fabs(x->paired.mean - mean) < 1e-14);
        assert_true(fabs(x->paired.p - p[i]) < 1e-14);
        assert_true(fabs(x->paired.p_holm - holm[i]) < 1e-14);
        assert_int_equal(x->verdict, holm[i] >= .05 ? IG_CLAIM_UNDECIDED
                                     : mean > 0     ? IG_CLAIM_SUPPORTED
                                                    : IG_CLAIM_CONTRADICTED);
        assert_int_equal(x->verdict, c.results.claim[i].verdict);
        if (x->verdict == IG_CLAIM_UNDECIDED)
            assert_true(x->seeds_needed > n[i] && ldexp(1, 1 - (int)x->seeds_needed) < .05 / 4);
        else
            assert_int_equal(x->seeds_needed, -1);
    }
    assert_int_equal(c.results.claim[0].verdict, IG_CLAIM_SUPPORTED);
    assert_int_equal(c.results.claim[1].verdict, IG_CLAIM_CONTRADICTED);
    assert_int_equal(c.results.claim[2].verdict, IG_CLAIM_UNDECIDED);
    assert_int_equal(c.results.n_verdict[IG_CLAIM_SUPPORTED], 2);
    close_claims(&c);
}

/* c is above this by so little that p is about `wanted`, over its ten seeds. */
static double just_below(double wanted, double *p)
{
    double d[SEEDS], mean = 0;
    for (int s = 0; s < SEEDS; s++)
        mean += value[2][s] / SEEDS;
    for (double k = mean;; k -= .0005) {
        for (int s = 0; s < SEEDS; s++)
            d[s] = value[2][s] - k;
        *p = flips(d, SEEDS);
        if (*p <= wanted)
            return k;
    }
}

/* A p below .05 that is not below it after Holm's correction decides nothing; the seeds that would
 * are those for the corrected level, and of several comparisons those that decide the claim. */
static void corrected(void **state)
{
    (void)state;
    char one[100], two[100], both[220], either[220];
    double p, q;
    const double k = just_below(.045, &p), l = just_below(.4, &q);
    assert_true(p > .025 && q > .3);
    snprintf(one, sizeof one, "mu(c) > %.17g", k);
    snprintf(two, sizeof two, "mu(c) > %.17g", l);
    snprintf(both, sizeof both, "%s and %s", one, two);
    snprintf(either, sizeof either, "%s or %s", one, two);
    const char *const alone[] = {one, NULL}, *const pair[] = {one, two, NULL},
                      *const joined[] = {both, NULL}, *const either_of[] = {either, NULL};
    claims c;
    open_claims(&c, alone);
    assert_int_equal(c.results.claim[0].verdict, IG_CLAIM_SUPPORTED);
    close_claims(&c);
    open_claims(&c, pair);
    int64_t seeds[2];
    for (int i = 0; i < 2; i++) {
        const ig_claimed *x = &c.results.claim[i].compared[0];
        assert_int_equal(x->verdict, IG_CLAIM_UNDECIDED);
        seeds[i] = x->seeds_needed;
        const int64_t needed = ig_seeds_needed(x->paired.mean, x->paired.sd, .025, .8);
        assert_int_equal(seeds[i], needed > SEEDS ? needed : SEEDS + 1);
        assert_int_not_equal(needed, ig_seeds_needed(x->paired.mean, x->paired.sd, .05, .8));
    }
    assert_true(seeds[0] < seeds[1]);
    close_claims(&c);
    open_claims(&c, joined);
    assert_int_equal(c.results.claim[0].seeds_needed, seeds[1]);
    close_claims(&c);
    open_claims(&c, either_of);
    assert_int_equal(c.results.claim[0].seeds_needed, seeds[0]);
    close_claims(&c);
}

/* Three seeds give no small p for any difference: six can. */
static void too_few_seeds(void **state)
{
    (void)state;
    ig_err err = {0};
    static const char *const statement[] = {"mu(a) > 0", NULL};
    ig_results all = r;
    claims c;
    for (int s = 3; s < SEEDS; s++)
        entry[s].n_metric = 0;
    assert_ok(ig_results_make(&r, &stored, false, &err), &err);
    open_claims(&c, statement);
    assert_int_equal(c.results.claim[0].verdict, IG_CLAIM_UNDECIDED);
    assert_int_equal(c.results.claim[0].compared[0].paired.n, 3);
    assert_int_equal(c.results.claim[0].seeds_needed, 6);
    close_claims(&c);
    ig_results_free(&r);
    r = all;
    for (int s = 3; s < SEEDS; s++)
        entry[s].n_metric = 1;
}

/* S supported, C contradicted, U undecided, N not measured, in all pairs. */
static void and_or(void **state)
{
    (void)state;
    static const char *const one[] = {"mu(a) > mu(b)", "mu(a) < mu(b)", "mu(b) > mu(c)",
                                      "mu(a) > mu(none)"};
    static const char both[] = "SCUN"
                               "CCCC"
                               "UCUN"
                               "NCNN",
                      either[] = "SSSS"
                                 "SCUN"
                                 "SUUU"
                                 "SNUN";
    for (int i = 0; i < 16; i++) {
        char text[2][100];
        snprintf(text[0], sizeof text[0], "%s and %s", one[i / 4], one[i % 4]);
        snprintf(text[1], sizeof text[1], "%s or %s", one[i / 4], one[i % 4]);
        const char *const statement[] = {text[0], text[1], NULL};
        claims c;
        open_claims(&c, statement);
        for (int k = 0; k < 2; k++) {
            const ig_claim_result *x = &c.results.claim[k];
            if ("SCUN"[x->verdict] != (k == 0 ? both : either)[i])
                fail_msg("%s: %s", statement[k], ig_verdict_name(x->verdict));
            assert_true(x->verdict == IG_CLAIM_UNDECIDED ? x->seeds_needed > SEEDS - 1
                                                         : x->seeds_needed == -1);
        }
        close_claims(&c);
    }
}

static void missing(void **state)
{
    (void)state;
    static const char *const statement[] = {"mu(none) > 0", "mu(gone) > 0", "rho[low](a) > 0",
                                            NULL};
    static const char *const want[] = {
        "cell none: 0 of 10 seeds done: seeds 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 not run",
        "cell gone: no run is finished", "cell a: no rho[low]"};
    claims c;
    ig_err err = {0};
    open_claims(&c, statement);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(c.results.claim[i].verdict, IG_CLAIM_NOT_MEASURED);
        assert_string_equal(c.results.claim[i].compared[0].missing, want[i]);
    }
    json_t *j = ig_claim_results_json(&c.results);
    assert_non_null(j);
    assert_int_equal(json_array_size(j), 3);
    json_decref(j);
    /* One that nothing here decides has no statement. */
    char id[] = "open", text[] = "so", needs[] = "more";
    const ig_claim open = {.id = id, .text = text, .needs = needs};
    ig_claim_results_free(&c.results);
    assert_ok(ig_claim_results_make(&c.results, &r, &open, 1, &err), &err);
    assert_int_equal(c.results.claim[0].verdict, IG_CLAIM_NOT_MEASURED);
    j = ig_claim_results_json(&c.results);
    assert_true(json_is_null(json_object_get(json_array_get(j, 0), "statement")));
    assert_string_equal(json_string_value(json_object_get(json_array_get(j, 0), "needs")), "more");
    json_decref(j);
    close_claims(&c);
}

/* A difference of nearly nothing: no number of seeds that anybody has would decide it. */
static void no_number_of_seeds(void **state)
{
    (void)state;
    double mean = 0;
    for (int s = 0; s < SEEDS - 1; s++)
        mean += (value[0][s] - value[1][s]) / (SEEDS - 1);
    char text[60];
    snprintf(text, sizeof text, "mu(a) > mu(b) + %.17g", mean + 1e-7);
    const char *const statement[] = {text, NULL};
    claims c;
    open_claims(&c, statement);
    assert_int_equal(c.results.claim[0].verdict, IG_CLAIM_UNDECIDED);
    assert_int_equal(c.results.claim[0].seeds_needed, -1);
    close_claims(&c);
}

/* --- over training and over cells ------------------------------------------------------------- */

enum { LAYERED = 4, SOME = 8, STEPS = 6, POINTS = LAYERED * SOME };
static ig_store_entry grown[POINTS];
static ig_row point[POINTS * 2 * STEPS];
static double mu_of[LAYERED][SOME], loss_of[LAYERED][SOME];

/* Cells n=1, n=2, n=4, n=8. μ rises at once at steps 200, 300, 400, and of n=8 not at all;
 * perplexity is best at step 300. */
static ig_result_cell *grow(ig_results *out, ig_store_result *from)
{
    static const char *const cell[LAYERED] = {"n=1", "n=2", "n=4", "n=8"};
    ig_err err = {0};
    *from = (ig_store_result){.entry = grown, .metric = point, .n_entry = POINTS};
    for (int c = 0; c < LAYERED; c++)
        for (int s = 0; s < SOME; s++) {
            const int at = c * SOME + s;
            ig_rng rng = ig_rng_make((uint64_t)s, 7, (uint32_t)c, 0);
            mu_of[c][s] = .3 + .05 * c + .05 * ig_rng_normal(&rng);
            loss_of[c][s] = 20 + 3 * ig_rng_normal(&rng);
            for (int i = 0; i < STEPS; i++) {
                const int step = 100 * (i + 1);
                ig_row *const m[2] = {&point[at * 2 * STEPS + i], &point[(at * 2 + 1) * STEPS + i]};
                *m[0] = (ig_row){.task = "mu", .split = "dev", .languages = "en-fake"};
                *m[1] = (ig_row){.task = "perplexity", .split = "dev", .languages = ""};
                m[0]->value = c == 3 || step < 200 + 100 * c ? 0 : mu_of[c][s];
                m[1]->value = loss_of[c][s] + fabs(step - 300.);
                for (int k = 0; k < 2; k++) {
                    m[k]->layer = -1;
                    m[k]->task_version = 1;
                    m[k]->step = step;
                    m[k]->last = i == STEPS - 1;
                }
            }
            grown[at] = (ig_store_entry){
                .cell = {"e", cell[c], cell[c], c, s, "0123456789abcdef"},
                .run = {.address = "0123456789abcdef", .status = IG_RUN_DONE, .seed = s},
                .first_metric = (int64_t)at * 2 * STEPS,
                .n_metric = 2 * STEPS};
        }
    from->n_metric = POINTS * 2 * STEPS;
    assert_ok(ig_results_make(out, from, false, &err), &err);
    return out->cell;
}

static void over_training(void **state)
{
    static const char *const statement[] = {"onset(mu(n=1)) < onset(mu(n=2))",
                                            "onset(mu(n=4), .5) > best(perplexity[dev](n=4))",
                                            "onset(mu(n=8)) > onset(mu(n=4))",
                                            "best(perplexity[dev](n=1)) > 300.5",
                                            "best(mu(n=1)) > 199",
                                            NULL};
    /* Between two checkpoints in the logarithm of the step; where it does not start, the last. */
    const double want[] = {200 * pow(1.5, .2) - 100 * pow(2, .2), 300 * pow(4 / 3., .5) - 300,
                           600 - 300 * pow(4 / 3., .2), -.5, 1};
    ig_results keep = r, grew;
    ig_store_result from;
    claims c;
    (void)state;
    grow(&grew, &from);
    r = grew;
    open_claims(&c, statement);
    for (int i = 0; i < 5; i++) {
        const ig_claimed *x = &c.results.claim[i].compared[0];
        assert_null(x->missing);
        assert_int_equal(x->paired.n, SOME);
        if (!(fabs(x->paired.mean - want[i]) < 1e-9))
            fail_msg("%s: %g", statement[i], x->paired.mean);
    }
    assert_int_equal(c.results.claim[0].verdict, IG_CLAIM_SUPPORTED);
    assert_int_equal(c.results.claim[3].verdict, IG_CLAIM_CONTRADICTED);
    close_claims(&c);
    ig_results_free(&grew);
    r = keep;
}

/* Kendall's τ-b and Spearman's ρ of so few values, none tied, by their definitions. */
static void by_definition(double *tau, double *rho, const double *x, const double *y)
{
    int order = 0;
    double d2 = 0;
    for (int i = 0; i < LAYERED; i++) {
        int rank[2] = {0, 0};
        for (int k = 0; k < LAYERED; k++) {
            rank[0] += x[k] < x[i];
            rank[1] += y[k] < y[i];
            if (k < i)
                order += (x[i] - x[k]) * (y[i] - y[k]) > 0 ? 1 : -1;
        }
        d2 += (rank[0] - rank[1]) * (rank[0] - rank[1]);
    }
    *tau = order / (LAYERED * (LAYERED - 1) / 2.);
    *rho = 1 - 6 * d2 / (LAYERED * (LAYERED * LAYERED - 1.));
}

static void over_cells(void **state)
{
    static const char *const statement[] = {
        "kendall(mu, axis=n) > 0", "spearman(mu, perplexity[dev]) > 0",
        "spearman(mu, axis=n; n=1 n=2) > 0", "mu(n=8) - mu(n=4) > mu(n=2) - mu(n=1)", NULL};
    const double axis[] = {1, 2, 4, 8};
    ig_results keep = r, grew;
    ig_store_result from;
    claims c;
    double want[3] = {0};
    (void)state;
    grow(&grew, &from);
    for (int s = 0; s < SOME; s++) {
        double x[LAYERED], y[LAYERED], tau, rho;
        for (int i = 0; i < LAYERED; i++) {
            x[i] = i == 3 ? 0 : mu_of[i][s]; /* of n=8 it does not rise in time */
            y[i] = loss_of[i][s];
        }
        by_definition(&tau, &rho, x, axis);
        want[0] += tau / SOME;
        by_definition(&tau, &rho, x, y);
        want[1] += rho / SOME;
        want[2] += (x[3] - x[2] - x[1] + x[0]) / SOME;
    }
    r = grew;
    open_claims(&c, statement);
    for (int i = 0; i < 4; i++)
        if (i != 2 &&
            !(fabs(c.results.claim[i].compared[0].paired.mean - want[i == 3 ? 2 : i]) < 1e-12))
            fail_msg("%s: %g (%s), want %g", statement[i],
                     c.results.claim[i].compared[0].paired.mean,
                     c.results.claim[i].compared[0].missing, want[i == 3 ? 2 : i]);
    assert_string_equal(c.results.claim[2].compared[0].missing,
                        "no seed has mu, and what it is correlated with, in 3 cells");
    close_claims(&c);
    ig_results_free(&grew);
    r = keep;
}

/* The order of a paper's proxy counts with higher as better, whichever way the proxy is read. */
static void over_papers(void **state)
{
    static const char *const statement[] = {"kendall(mu, paper=t:wrong) > 0",
                                            "kendall(mu, paper=t:right) > 0", NULL};
    static const char text[] = "source: x\nproxies:\n  wrong: {what: w, better: lower}\n"
                               "  right: {what: w}\nrows:\n  a: {wrong: 1, right: 1}\n"
                               "  b: {wrong: 2, right: 2}\n  c: {wrong: 3, right: 3}\n";
    double want = 0;
    claims c;
    (void)state;
    snprintf(paper, sizeof paper, "/tmp/isoglot-paper-%ld.yaml", (long)getpid());
    FILE *f = fopen(paper, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0 && fclose(f) == 0);
    const int seeds = SEEDS - 1; /* of the last one two cells are too few */
    for (int s = 0; s < seeds; s++)
        for (int k = 1; k < 3; k++)
            for (int i = 0; i < k; i++)
                want += (value[i][s] > value[k][s] ? 1 : -1) / 3. / seeds;
    open_claims(&c, statement);
    for (int i = 0; i < 2; i++) {
        const ig_claimed *x = &c.results.claim[i].compared[0];
        assert_null(x->missing);
        assert_int_equal(x->paired.n, seeds);
        assert_true(fabs(x->paired.mean - (i == 0 ? want : -want)) < 1e-12);
    }
    close_claims(&c);
    unlink(paper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tests_of_seeds), cmocka_unit_test(corrected),
        cmocka_unit_test(too_few_seeds),  cmocka_unit_test(and_or),
        cmocka_unit_test(missing),        cmocka_unit_test(no_number_of_seeds),
        cmocka_unit_test(over_training),  cmocka_unit_test(over_cells),
        cmocka_unit_test(over_papers)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
