/* SPDX-License-Identifier: Apache-2.0
 *
 * The CRF head: partition, marginals and decoding against all paths, also where scores are far
 * apart; constraints against the definition of the schemes on all short strings; every element of
 * the gradient against central differences in double.
 */
#include "gradient_check.h"
#include "model/head/crf.h"

enum { n = 5, length = 6, ld = 24 };

typedef struct {
    float score[3 * length * ld], transition[n * n], start[n], end[n], bar[(n + 2) * (n + 2)];
    int32_t label[3 * length];
} problem;

/* Results of enumerating all paths of one sentence. */
typedef struct {
    double log_z, marginal[length][n], pair[n][n];
    int32_t best[length];
} truth;

static truth enumerate(const problem *p, int at, int len)
{
    double score[length * n], transition[n * n], start[n], end[n], most = -INFINITY;
    int32_t y[8] = {0};
    truth r = {0};
    for (int t = 0; t < len; t++)
        for (int j = 0; j < n; j++)
            score[t * n + j] = (double)p->score[(at + t) * ld + j];
    for (int i = 0; i < n * n; i++)
        transition[i] = (double)p->transition[i];
    for (int i = 0; i < n; i++) {
        start[i] = (double)p->start[i];
        end[i] = (double)p->end[i];
    }
    r.log_z = crf_log_z(score, transition, start, end, len, n);
    do {
        const double x = crf_path(score, transition, start, end, len, n, y);
        const float *bar = p->bar;
        double barred =
            x + (double)bar[n * (n + 2) + y[0]] + (double)bar[y[len - 1] * (n + 2) + n + 1];
        for (int t = 0; t < len; t++) {
            r.marginal[t][y[t]] += exp(x - r.log_z);
            if (t > 0) {
                r.pair[y[t - 1]][y[t]] += exp(x - r.log_z);
                barred += (double)bar[y[t - 1] * (n + 2) + y[t]];
            }
        }
        if (barred > most) {
            most = barred;
            memcpy(r.best, y, sizeof r.best);
        }
    } while (crf_next_path(y, len, n));
    return r;
}

static problem make_problem(ig_rng *r, double spread, double far)
{
    problem p = {0};
    for (int i = 0; i < 3 * length; i++) {
        p.label[i] = (int32_t)ig_rng_below(r, n);
        for (int j = 0; j < n; j++)
            p.score[i * ld + j] = (float)(spread * ig_rng_normal(r));
    }
    for (int i = 0; i < n * n; i++)
        p.transition[i] = (float)(spread * ig_rng_normal(r) - (ig_rng_unit(r) < 0.3 ? far : 0));
    for (int i = 0; i < n; i++) {
        p.start[i] = (float)(spread * ig_rng_normal(r));
        p.end[i] = (float)(spread * ig_rng_normal(r));
    }
    for (int i = 0; i < (n + 2) * (n + 2); i++)
        p.bar[i] = ig_rng_unit(r) < 0.3 ? -1e4f : 0;
    return p;
}

/* Sentences of six words, none and two. */
static void against_all_paths(void **state)
{
    (void)state;
    static const int32_t first[] = {0, length, length, length + 2};
    ig_rng r = ig_rng_make(5, IG_STREAM_TEST, 0, 0);
    for (int k = 0; k < 30; k++) {
        const double spread = k % 3 == 0 ? 1 : k % 3 == 1 ? 30 : 400;
        problem p = make_problem(&r, spread, k % 2 == 0 ? 0 : 5000), copy = p;
        float dtransition[n * n] = {0}, dstart[n] = {0}, dend[n] = {0};
        double nll[length + 2];
        int32_t best[length + 2];
        float *room = calloc((size_t)ig_crf_room(n, length), sizeof *room);
        assert_non_null(room);
        ig_crf a = {.n_seq = 3,
                    .n_label = n,
                    .ld = ld,
                    .longest = length,
                    .first = first,
                    .label = p.label,
                    .score = p.score,
                    .transition = p.transition,
                    .start = p.start,
                    .end = p.end,
                    .constraint = p.bar,
                    .scale = 1,
                    .room = room,
                    .nll = nll,
                    .best = best};
        ig_exec_host.crf(NULL, &a);
        double pair[n][n] = {{0}};
        for (int s = 0; s < 3; s += 2) {
            const int at = first[s], len = first[s + 1] - at;
            const truth want = enumerate(&copy, at, len);
            double loss = 0, own = 0;
            for (int t = 0; t < len; t++) {
                const int y = p.label[at + t];
                loss += nll[at + t];
                assert_true(nll[at + t] >= -1e-9 * spread);
                own += (double)p.score[(at + t) * ld + y];
                own +=
                    t > 0 ? (double)p.transition[p.label[at + t - 1] * n + y] : (double)p.start[y];
            }
            own += (double)p.end[p.label[at + len - 1]];
            assert_true(fabs(loss + own - want.log_z) <= 1e-11 * (1 + fabs(want.log_z)));
            assert_memory_equal(best + at, want.best, (size_t)len * sizeof *best);
            for (int i = 0; i < n * n; i++)
                (&pair[0][0])[i] += (&want.pair[0][0])[i];
            for (int t = 1; t < len; t++)
                pair[p.label[at + t - 1]][p.label[at + t]] -= 1;
        }
        a.train = true;
        a.dtransition = dtransition;
        a.dstart = dstart;
        a.dend = dend;
        ig_exec_host.crf(NULL, &a);
        for (int s = 0; s < 3; s += 2) {
            const truth want = enumerate(&copy, first[s], first[s + 1] - first[s]);
            for (int t = first[s]; t < first[s + 1]; t++)
                for (int j = 0; j < n; j++)
                    assert_true(fabs((double)p.score[t * ld + j] + (j == p.label[t]) -
                                     want.marginal[t - first[s]][j]) <= 2e-7);
        }
        for (int i = 0; i < n * n; i++)
            assert_true(fabs((double)dtransition[i] - (&pair[0][0])[i]) <= 1e-6);
        for (int j = 0; j < n; j++) {
            assert_true(fabs((double)(dstart[j] - p.score[j] - p.score[length * ld + j])) <= 2e-7);
            assert_true(fabs((double)(dend[j] - p.score[(length - 1) * ld + j] -
                                      p.score[(length + 1) * ld + j])) <= 2e-7);
        }
        free(room);
    }
}

/* By the definition: a string is right when reading it from the left leaves no span open or broken.
 */
static bool well_formed(ig_label_scheme scheme, const char *const *label, const int32_t *y, int len)
{
    char open = 0; /* the type of the span that we are in */
    for (int t = 0; t < len; t++) {
        const char where = label[y[t]][0], type = where == 'O' ? 0 : label[y[t]][2];
        const bool inside = where == 'I' || where == 'L';
        if (inside && open != type)
            return false;
        if (scheme == IG_LABELS_BIOUL && !inside && open != 0)
            return false;
        open = where == 'B' || where == 'I' ? type : 0;
    }
    return scheme == IG_LABELS_IOB2 || open == 0;
}

static void constraints(void **state)
{
    (void)state;
    static const char *const bioul[] = {"O",   "B-a", "I-a", "L-a", "U-a",
                                        "B-b", "I-b", "L-b", "U-b"},
                             *const iob[] = {"I-a", "O", "B-b", "B-a", "I-b"};
    for (int k = 0; k < 2; k++) {
        const char *const *label = k == 0 ? bioul : iob;
        const int m = k == 0 ? 9 : 5;
        const ig_label_scheme scheme = k == 0 ? IG_LABELS_BIOUL : IG_LABELS_IOB2;
        float bar[11 * 11];
        ig_crf_constraints(bar, label, m, scheme);
        for (int len = 1; len <= 5; len++) {
            int32_t y[8] = {0};
            do {
                float sum = bar[m * (m + 2) + y[0]] + bar[y[len - 1] * (m + 2) + m + 1];
                for (int t = 1; t < len; t++)
                    sum += bar[y[t - 1] * (m + 2) + y[t]];
                assert_int_equal(sum == 0, well_formed(scheme, label, y, len));
            } while (crf_next_path(y, len, m));
        }
        ig_crf_constraints(bar, label, m, IG_LABELS_ANY);
        for (int i = 0; i < (m + 2) * (m + 2); i++)
            assert_true(bar[i] == 0);
    }
}

static void gradients(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        ig_bert_config c = tiny();
        ig_head_config *h = &c.head[IG_HEAD_CRF];
        *h = (ig_head_config){.n_label = 4,
                              .reads = k == 1   ? IG_READ_MIX
                                       : k == 2 ? IG_READ_LAYER
                                                : IG_READ_LAST,
                              .layer = 1,
                              .dropout = k == 3 ? 0.5f : 0,
                              .variational = k > 1,
                              .inner_dropout = k == 5   ? 0.3f
                                               : k == 6 ? -1
                                                        : 0,
                              .ends = k % 2 == 1,
                              .lstm_layers = k / 4 * (1 + k % 2),
                              .lstm_size = k < 4 ? 0 : 2 + k % 3};
        c.head[IG_HEAD_MASKED].n_label = k < 2 || k > 5 ? -1 : 0;
        check_model(&c, lengths, 5, k > 0, k < 2 ? ig_ops_ref() : ig_ops_best(), NULL, 0);
    }
}

/* More sentences than go in a group, of many lengths; lanes and team. */
static void large(void **state)
{
    (void)state;
    int length_of[60];
    int32_t row[256], label[256];
    for (int k = 0; k < 2; k++) {
        ig_bert_config c = tiny();
        c.hidden_size = k == 0 ? 8 : 260;
        c.max_position_embeddings = 64;
        c.head[IG_HEAD_MASKED].n_label = -1;
        c.head[IG_HEAD_CRF] = (ig_head_config){.n_label = 3,
                                               .reads = IG_READ_MIX,
                                               .dropout = 0.5f,
                                               .inner_dropout = 0.5f,
                                               .lstm_layers = 2,
                                               .lstm_size = 7};
        for (int i = 0; i < 60; i++)
            length_of[i] = 2 + (i * 7) % 6;
        check_slopes(&c, IG_HEAD_CRF, "crf.", length_of, k == 0 ? 60 : 30, row, label, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(against_all_paths),
                                       cmocka_unit_test(constraints), cmocka_unit_test(gradients),
                                       cmocka_unit_test(large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
