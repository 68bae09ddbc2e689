/* SPDX-License-Identifier: Apache-2.0
 *
 * Verdicts of claims against a second computation of the contrasts, `and` and `or` over all
 * verdicts, premises, controls and caveats; and what is said where runs are missing.
 */
#include "test.h"

#include "base/memory.h"
#include "base/numeric/statistics_internal.h"
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

typedef struct {
    ig_claim claim[8];
    int n;
    ig_claim_results results;
} claims;

static char paper[64]; /* a reference file */

static int family; /* claims of the paper */

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
    assert_ok(ig_claim_results_make(&c->results, &r, c->claim, c->n, family, &err), &err);
}

static void close_claims(claims *c)
{
    ig_claim_results_free(&c->results);
    for (int i = 0; i < c->n; i++)
        ig_claim_free(&c->claim[i]);
}

static double mean_of(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] / n;
    return sum;
}

static double variance_of(const double *x, int n)
{
    const double m = mean_of(x, n);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (x[i] - m) * (x[i] - m) / (n - 1);
    return sum;
}

/* times[c] of the cells a, b (nine seeds) and c, + plus. */
static void want(const ig_claimed *x, const double times[3], double plus, int n_test)
{
    double mean = plus, variance = 0;
    int least = SEEDS;
    for (int c = 0; c < 3; c++) {
        const int n = c == 1 ? 9 : SEEDS;
        mean += times[c] * mean_of(value[c], n);
        variance += times[c] * times[c] * variance_of(value[c], n) / n;
        least = fabs(times[c]) > 0 && n < least ? n : least;
    }
    const double t = mean / sqrt(variance),
                 half = ig_student_critical(least - 1, .05 / n_test) * sqrt(variance);
    assert_null(x->missing);
    assert_int_equal(x->tested.n, least);
    assert_true(fabs(x->tested.mean - mean) < 1e-14);
    assert_true(fabs(x->tested.interval.low - (mean - half)) < 1e-12);
    assert_true(fabs(x->tested.interval.high - (mean + half)) < 1e-12);
    assert_true(fabs(x->tested.p - ig_student_outside(least - 1, fabs(t))) < 1e-14);
    assert_int_equal(x->verdict, mean - half > 0   ? IG_CLAIM_SUPPORTED
                                 : mean + half < 0 ? IG_CLAIM_CONTRADICTED
                                                   : IG_CLAIM_UNDECIDED);
    if (x->verdict != IG_CLAIM_UNDECIDED)
        assert_int_equal(x->seeds_needed, -1);
}

static void tests_of_seeds(void **state)
{
    (void)state;
    static const char *const statement[] = {"mu(a) > mu(b)", "mu(a) < mu(c) + .1",
                                            "mu(b) > 2 * mu(c) - .3", "mu(c) > .01", NULL};
    static const double times[][3] = {{1, -1, 0}, {-1, 0, 1}, {0, 1, -2}, {0, 0, 1}};
    static const double plus[] = {0, .1, .3, -.01};
    static const int families[] = {0, 4, 40};
    for (int f = 0; f < 3; f++) {
        claims c;
        family = families[f];
        open_claims(&c, statement);
        for (int i = 0; i < 4; i++) {
            const ig_claim_result *x = &c.results.claim[i];
            want(&x->compared[0], times[i], plus[i], family > 4 ? family : 4);
            assert_int_equal(x->verdict, x->compared[0].verdict);
        }
        assert_int_equal(c.results.claim[0].verdict, IG_CLAIM_SUPPORTED);
        assert_int_equal(c.results.claim[1].verdict, IG_CLAIM_CONTRADICTED);
        assert_int_equal(c.results.claim[2].verdict, IG_CLAIM_UNDECIDED);
        assert_int_equal(c.results.n_verdict[IG_CLAIM_SUPPORTED], 2);
        assert_int_equal(c.results.family, family > 4 ? family : 4);
        close_claims(&c);
    }
    family = 0;
}

/* Terms of one cell are of the same runs: their sum is taken by seed, not as of two samples. */
static void terms_of_one_cell(void **state)
{
    (void)state;
    static const char *const statement[] = {"2 * mu(a) - mu(a) > mu(c) - .5 * mu(c)", NULL};
    claims c;
    open_claims(&c, statement);
    want(&c.results.claim[0].compared[0], (const double[]){1, 0, -.5}, 0, 1);
    close_claims(&c);
}

/* A number below the mean of c by this share of the half interval, for so many claims. */
static double below(double share, int n_test)
{
    return mean_of(value[2], SEEDS) - share * ig_student_critical(SEEDS - 1, .05 / n_test) *
                                          sqrt(variance_of(value[2], SEEDS) / SEEDS);
}

/* What is decided alone is not among two; the seeds that would decide are those for the adjusted
 * level, and of several comparisons those that decide the claim. */
static void adjusted(void **state)
{
    (void)state;
    char one[100], two[100], both[220], either[220];
    snprintf(one, sizeof one, "mu(c) > %.17g", below(1.01, 1));
    snprintf(two, sizeof two, "mu(c) > %.17g", below(.5, 1));
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
        /* Two claims, at the second look. */
        const int64_t needed = ig_seeds_needed(x->tested.mean, x->tested.sd, .05 / 4, .8);
        assert_int_equal(seeds[i], needed > SEEDS ? needed : SEEDS + 1);
        assert_int_not_equal(needed, ig_seeds_needed(x->tested.mean, x->tested.sd, .05 / 2, .8));
    }
    assert_true(seeds[0] < seeds[1]);
    close_claims(&c);
    /* `and` needs no adjustment, `or` one for its parts. */
    open_claims(&c, joined);
    assert_int_equal(c.results.claim[0].verdict, IG_CLAIM_PARTLY);
    assert_true(c.results.claim[0].seeds_needed > SEEDS);
    assert_true(c.results.claim[0].seeds_needed < seeds[1]);
    close_claims(&c);
    open_claims(&c, either_of);
    assert_int_equal(c.results.claim[0].verdict, IG_CLAIM_UNDECIDED);
    assert_int_equal(c.results.claim[0].seeds_needed, seeds[0]);
    close_claims(&c);
}

/* One seed has no spread, and nothing is measured yet; three decide a large difference. */
static void few_seeds(void **state)
{
    (void)state;
    ig_err err = {0};
    static const char *const statement[] = {"mu(a) > 0", NULL};
    static const int n[] = {3, 1};
    static const ig_verdict verdict[] = {IG_CLAIM_SUPPORTED, IG_CLAIM_NOT_MEASURED};
    ig_results all = r;
    for (int i = 0; i < 2; i++) {
        claims c;
        for (int s = n[i]; s < SEEDS; s++)
            entry[s].n_metric = 0;
        assert_ok(ig_results_make(&r, &stored, false, &err), &err);
        open_claims(&c, statement);
        assert_int_equal(c.results.claim[0].verdict, verdict[i]);
        assert_int_equal(c.results.claim[0].compared[0].tested.n, n[i]);
        assert_int_equal(c.results.claim[0].seeds_needed, -1);
        close_claims(&c);
        ig_results_free(&r);
    }
    r = all;
    for (int s = 0; s < SEEDS; s++)
        entry[s].n_metric = 1;
}

/* S supported, C contradicted, P partly, U undecided, N not measured, in all pairs. */
static void and_or(void **state)
{
    (void)state;
    static const char *const one[] = {"mu(a) > mu(b)", "mu(a) < mu(b)", "mu(b) > mu(c)",
                                      "mu(a) > mu(none)"};
    static const char both[] = "SCPN"
                               "CCCC"
                               "PCUN"
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
            if ("SCPU   N"[x->verdict] != (k == 0 ? both : either)[i])
                fail_msg("%s: %s", statement[k], ig_verdict_name(x->verdict));
            assert_true(x->verdict == IG_CLAIM_UNDECIDED || x->verdict == IG_CLAIM_PARTLY
                            ? x->seeds_needed > SEEDS - 1
                            : x->seeds_needed == -1);
        }
        close_claims(&c);
    }
}

/* What a premise, a control and a caveat make of a statement that is supported. */
static void beside(void **state)
{
    (void)state;
    static const struct {
        ig_claim_role role;
        const char *text, *caveat;
        ig_verdict verdict;
    } cases[] = {{IG_CLAIM_PREMISE, "mu(a) > .1", NULL, IG_CLAIM_SUPPORTED},
                 {IG_CLAIM_PREMISE, "mu(a) > .9", NULL, IG_CLAIM_NOT_TESTABLE},
                 {IG_CLAIM_PREMISE, "mu(a) > .1 and mu(b) > mu(c)", NULL, IG_CLAIM_NOT_TESTABLE},
                 {IG_CLAIM_PREMISE, "mu(none) > .1", NULL, IG_CLAIM_NOT_MEASURED},
                 {IG_CLAIM_CONTROL, "mu(a) > mu(c)", NULL, IG_CLAIM_SUPPORTED},
                 {IG_CLAIM_CONTROL, "mu(b) > mu(c)", NULL, IG_CLAIM_PARTLY},
                 {IG_CLAIM_CONTROL, "mu(c) > mu(a)", NULL, IG_CLAIM_CONTRADICTED},
                 {IG_CLAIM_CONTROL, "mu(a) > mu(none)", NULL, IG_CLAIM_NOT_MEASURED},
                 {IG_CLAIM_PREMISE, "mu(a) > .1", "other passes", IG_CLAIM_NOT_COMPARABLE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ig_err err = {0};
        char caveat[20];
        ig_claim claim = {.id = (char[]){"a"}, .text = (char[]){"b"}};
        ig_claim_results c;
        snprintf(caveat, sizeof caveat, "%s", cases[i].caveat != NULL ? cases[i].caveat : "");
        assert_ok(ig_claim_parse(&claim, "mu(a) > mu(b)", "", 0, &err), &err);
        assert_ok(ig_claim_parse_beside(&claim, cases[i].role, cases[i].text, "", 0, &err), &err);
        claim.caveat = cases[i].caveat != NULL ? caveat : NULL;
        assert_ok(ig_claim_results_make(&c, &r, &claim, 1, 40, &err), &err);
        if (c.claim[0].verdict != cases[i].verdict)
            fail_msg("%s: %s", cases[i].text, ig_verdict_name(c.claim[0].verdict));
        const ig_claimed *x = &c.claim[0].compared[1];
        assert_true(x->missing != NULL ||
                    fabs(x->tested.interval.level -
                         (cases[i].role == IG_CLAIM_PREMISE ? .95 : 1 - .05 / 40)) < 1e-15);
        ig_claim_results_free(&c);
        claim.id = claim.text = claim.caveat = NULL;
        ig_claim_free(&claim);
    }
    /* A premise against the most frequent label. */
    ig_row kept[SEEDS];
    memcpy(kept, &metric[2 * SEEDS], sizeof kept);
    for (int s = 0; s < SEEDS; s++) {
        ig_row *m = &metric[2 * SEEDS + s];
        m->task = "majority";
        m->split = "nli";
        m->languages = "en";
    }
    ig_err err = {0};
    ig_claim claim = {0};
    ig_claim_results c;
    assert_ok(ig_claim_parse(&claim, "mu(a) > mu(b)", "", 0, &err), &err);
    assert_ok(ig_claim_parse_beside(&claim, IG_CLAIM_PREMISE,
                                    "mu(b) > 2 * majority[task=nli,en](c)", "", 0, &err),
              &err);
    assert_ok(ig_claim_results_make(&c, &r, &claim, 1, 0, &err), &err);
    assert_int_equal(c.claim[0].verdict, IG_CLAIM_AT_FLOOR);
    ig_claim_results_free(&c);
    ig_claim_free(&claim);
    memcpy(&metric[2 * SEEDS], kept, sizeof kept);
    assert_int_equal(ig_claim_parse(&claim, "mu(a) > mu(b)", "", 0, &err), IG_ERR_OK);
    assert_int_equal(
        ig_claim_parse_beside(&claim, IG_CLAIM_PREMISE, "mu(a) > 0 or mu(b) > 0", "e", 3, &err),
        IG_ERR_USAGE);
    ig_claim_free(&claim);
}

static void missing(void **state)
{
    (void)state;
    static const char *const statement[] = {"mu(none) > 0", "mu(gone) > 0", "rho[low](a) > 0",
                                            NULL};
    static const char *const why[] = {
        "cell none: 0 of 10 seeds done: seeds 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 not run",
        "cell gone: no run is finished", "cell a: no rho[low]"};
    claims c;
    ig_err err = {0};
    open_claims(&c, statement);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(c.results.claim[i].verdict, IG_CLAIM_NOT_MEASURED);
        assert_string_equal(c.results.claim[i].compared[0].missing, why[i]);
    }
    json_t *j = ig_claim_results_json(&c.results);
    assert_non_null(j);
    assert_int_equal(json_array_size(j), 3);
    json_decref(j);
    /* One that nothing here decides has no statement. */
    char id[] = "open", text[] = "so", needs[] = "more";
    const ig_claim open = {.id = id, .text = text, .needs = needs};
    ig_claim_results_free(&c.results);
    assert_ok(ig_claim_results_make(&c.results, &r, &open, 1, 0, &err), &err);
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
    const double mean = mean_of(value[0], SEEDS) - mean_of(value[1], SEEDS - 1);
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
    ig_results grew;
    ig_store_result from;
    (void)state;
    grow(&grew, &from);
    static const char *const statement[] = {"onset(mu(n=1)) < onset(mu(n=2))",
                                            "onset(mu(n=4), .5) > best(perplexity[dev](n=4))",
                                            "onset(mu(n=8)) > onset(mu(n=4))",
                                            "best(perplexity[dev](n=1)) > 300.5",
                                            "best(mu(n=1)) > 199",
                                            "reach(mu(n=1), n=2) > 0",
                                            "reach(mu(n=8), n=1) > 0",
                                            "reach(perplexity[dev](n=1), n=2) > 0",
                                            NULL};
    /* n=1 has 0 at step 100 and all of its own from step 200 on; n=8 stays at 0; a perplexity that
     * ends 300 above its best is reached at the first step, 200 above it, if it is not worse by 100
     * in another way. */
    double reached = 0;
    for (int s = 0; s < SOME; s++)
        reached +=
            (mu_of[1][s] <= mu_of[0][s] ? 100 * pow(2, mu_of[1][s] / mu_of[0][s]) : 600) / SOME;
    /* Between two checkpoints in the logarithm of the step; where it does not start, the last. */
    const double wanted[] = {200 * pow(1.5, .2) - 100 * pow(2, .2),
                             300 * pow(4 / 3., .5) - 300,
                             600 - 300 * pow(4 / 3., .2),
                             -.5,
                             1,
                             reached,
                             600,
                             100};
    ig_results keep = r;
    claims c;
    r = grew;
    open_claims(&c, statement);
    for (int i = 0; i < 8; i++) {
        const ig_claimed *x = &c.results.claim[i].compared[0];
        assert_null(x->missing);
        assert_int_equal(x->tested.n, SOME);
        if (!(fabs(x->tested.mean - wanted[i]) < 1e-9))
            fail_msg("%s: %g", statement[i], x->tested.mean);
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
    double wanted[3] = {0};
    (void)state;
    grow(&grew, &from);
    for (int s = 0; s < SOME; s++) {
        double x[LAYERED], y[LAYERED], tau, rho;
        for (int i = 0; i < LAYERED; i++) {
            x[i] = i == 3 ? 0 : mu_of[i][s]; /* of n=8 it does not rise in time */
            y[i] = loss_of[i][s];
        }
        by_definition(&tau, &rho, x, axis);
        wanted[0] += tau / SOME;
        by_definition(&tau, &rho, x, y);
        wanted[1] += rho / SOME;
        wanted[2] += (x[3] - x[2] - x[1] + x[0]) / SOME;
    }
    r = grew;
    open_claims(&c, statement);
    for (int i = 0; i < 4; i++)
        if (i != 2 &&
            !(fabs(c.results.claim[i].compared[0].tested.mean - wanted[i == 3 ? 2 : i]) < 1e-12))
            fail_msg("%s: %g (%s), want %g", statement[i],
                     c.results.claim[i].compared[0].tested.mean,
                     c.results.claim[i].compared[0].missing, wanted[i == 3 ? 2 : i]);
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
    double wanted = 0;
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
                wanted += (value[i][s] > value[k][s] ? 1 : -1) / 3. / seeds;
    open_claims(&c, statement);
    for (int i = 0; i < 2; i++) {
        const ig_claimed *x = &c.results.claim[i].compared[0];
        assert_null(x->missing);
        assert_int_equal(x->tested.n, seeds);
        assert_true(fabs(x->tested.mean - (i == 0 ? wanted : -wanted)) < 1e-12);
    }
    close_claims(&c);
    unlink(paper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tests_of_seeds), cmocka_unit_test(terms_of_one_cell),
        cmocka_unit_test(adjusted),       cmocka_unit_test(few_seeds),
        cmocka_unit_test(and_or),         cmocka_unit_test(beside),
        cmocka_unit_test(missing),        cmocka_unit_test(no_number_of_seeds),
        cmocka_unit_test(over_training),  cmocka_unit_test(over_cells),
        cmocka_unit_test(over_papers)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
