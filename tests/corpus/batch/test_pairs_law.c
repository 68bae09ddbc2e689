/* SPDX-License-Identifier: Apache-2.0
 *
 * The law that the first pair of a document is drawn from (Devlin et al. 2019, their program):
 * shares and means over many copies against the sum over everything that can happen, within five
 * standard errors.
 */
#include "corpus_fixture.h"

#include "corpus/batch/instances_parts.h"

enum { N = 96, V = 120, BLOCK = 23, MOST = BLOCK - 3, DOCUMENT = 12, D = N / DOCUMENT };

static ig_shard *shard;
static int32_t length_of[N];
static ig_err err;

/* Counts over pairs. */
enum { RANDOM, TOTAL_REAL, FIRST_REAL, TOTAL_RANDOM, FIRST_RANDOM, SKIP_FIRST, SKIP_SECOND, STATS };

static int setup(void **state)
{
    if (fixture_setup(state) != 0)
        return -1;
    ig_shard_writer *w;
    ig_rng r = ig_rng_make(3, IG_STREAM_TEST, 0, 0);
    assert_ok(ig_shard_create(&w, fixture_path("a.shard"), V, 7, &err), &err);
    for (int i = 0; i < N; i++) {
        int32_t id[9];
        length_of[i] = 1 + (int32_t)ig_rng_below(&r, 9);
        for (int32_t j = 0; j < length_of[i]; j++)
            id[j] = 5 + j;
        assert_ok(ig_shard_add(w, id, length_of[i], &err), &err);
    }
    assert_ok(ig_shard_commit(w, &err), &err);
    assert_ok(ig_shard_open(&shard, fixture_path("a.shard"), &err), &err);
    return 0;
}

static int teardown(void **state)
{
    ig_shard_close(shard);
    return fixture_teardown(state);
}

/* Sums of what is counted and of its square, with the weight of the cases in which it is. */
typedef struct {
    double weight[STATS], sum[STATS];
} law;

static void note(law *l, int stat, double weight, double value)
{
    l->weight[stat] += weight;
    l->sum[stat] += weight * value;
}

/* A pair of parts of a and b tokens, once the longer one has lost what is too much; what is lost is
 * lost at the front in half of the cases. */
static void note_pair(law *l, double weight, bool random, int32_t a, int32_t b)
{
    int32_t n[2] = {a, b};
    while (n[0] + n[1] > MOST)
        n[n[0] > n[1] ? 0 : 1]--;
    note(l, RANDOM, weight, random);
    note(l, random ? TOTAL_RANDOM : TOTAL_REAL, weight, n[0] + n[1]);
    note(l, random ? FIRST_RANDOM : FIRST_REAL, weight, n[0]);
    note(l, SKIP_FIRST, weight, (a - n[0]) / 2.0);
    note(l, SKIP_SECOND, weight, (b - n[1]) / 2.0);
}

static int32_t tokens(int from, int to)
{
    int32_t n = 0;
    for (int i = from; i < to; i++)
        n += length_of[i];
    return n;
}

/* A document's first pair: target, cut, and where the second part comes from. */
static void expect(law *l, int document)
{
    const int from = document * DOCUMENT;
    for (int target = 2; target <= MOST; target++) {
        const double p = (target == MOST ? .9 : 0) + .1 / (MOST - 1);
        int n = 0;
        do
            n++;
        while (n < DOCUMENT && tokens(from, from + n) < target);
        for (int cut = 1; cut < (n < 2 ? 2 : n); cut++) {
            const double q = p / (n < 2 ? 1 : n - 1), real = n < 2 ? 0 : .5;
            const int32_t a = tokens(from, from + cut);
            if (real > 0)
                note_pair(l, q * real, false, a, tokens(from + cut, from + n));
            for (int other = 0; other < D; other++)
                for (int start = 0; start < DOCUMENT && other != document; start++) {
                    int32_t b = 0;
                    int i = other * DOCUMENT + start;
                    do
                        b += length_of[i++];
                    while (i < (other + 1) * DOCUMENT && b < target - a);
                    note_pair(l, q * (1 - real) / ((D - 1) * DOCUMENT), true, a, b);
                }
        }
    }
}

static void first_pairs_have_their_law(void **state)
{
    (void)state;
    enum { COPIES = 3000 };
    ig_corpus *c;
    ig_instances *x;
    const ig_corpus_options co = fixture_options(V, BLOCK);
    const ig_language_spec spec = {.name = "en", .pipeline = "", .source = shard};
    const ig_batch_options o = {
        .batch = 8, .instances = IG_INSTANCES_PAIRS, .document = DOCUMENT, .copies = COPIES};
    assert_ok(ig_corpus_new(&c, &spec, 1, &co, &err), &err);
    assert_ok(ig_instances_new(&x, c, &o, 11, &err), &err);
    law want = {{0}, {0}};
    double n[STATS] = {0}, sum[STATS] = {0}, squares[STATS] = {0};
    for (int d = 0; d < D; d++)
        expect(&want, d);
    for (int64_t i = 0, before = -1; i < x->pairs[0].n; i++) {
        const ig_pair *p = &x->pairs[0].pair[i];
        const int64_t document = p->part[0].sentence / DOCUMENT;
        const bool is_first = document != before;
        before = document;
        if (!is_first)
            continue;
        double value[STATS];
        bool counts[STATS];
        for (int s = 0; s < STATS; s++)
            counts[s] = s == RANDOM || s >= SKIP_FIRST || (s >= TOTAL_RANDOM) == p->random;
        value[RANDOM] = p->random;
        value[TOTAL_REAL] = value[TOTAL_RANDOM] = p->part[0].n + p->part[1].n;
        value[FIRST_REAL] = value[FIRST_RANDOM] = p->part[0].n;
        value[SKIP_FIRST] = p->part[0].skip;
        value[SKIP_SECOND] = p->part[1].skip;
        for (int s = 0; s < STATS; s++)
            if (counts[s]) {
                n[s]++;
                sum[s] += value[s];
                squares[s] += value[s] * value[s];
            }
    }
    assert_int_equal((int64_t)n[RANDOM], D * COPIES);
    static const char *const name[] = {"share of random",    "tokens, real",
                                       "first part, real",   "tokens, random",
                                       "first part, random", "lost in front of the first",
                                       "of the second"};
    for (int s = 0; s < STATS; s++) {
        const double got = sum[s] / n[s], expected = want.sum[s] / want.weight[s],
                     error = sqrt((squares[s] / n[s] - got * got) / n[s]);
        print_message("%s: %.4f, expected %.4f +- %.4f\n", name[s], got, expected, error);
        assert_true(fabs(got - expected) < 5 * error);
    }
    ig_instances_free(x);
    ig_corpus_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_pairs_have_their_law)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
