/* SPDX-License-Identifier: Apache-2.0
 *
 * word2vec and fastText: what is drawn has the distribution it should have, a group's gradients are
 * the sums over pairs that word2vec's formula says, and training finds what a made text holds.
 */
#include "base/file.h"
#include "base/memory.h"
#include "embed/train/context_group.h"
#include "embed/train/word2vec.h"
#include "fasttext_read.h"
#include "fault.h"

#include <math.h>

static void alias_is_exact(void **state)
{
    (void)state;
    static const int64_t count[] = {1000, 300, 300, 70, 7, 1};
    ig_alias a;
    ig_err err;
    double want[6], got[6] = {0}, sum = 0;
    assert_ok(ig_alias_new(&a, count, 6, 0.75, &err), &err);
    for (int i = 0; i < 6; i++)
        sum += want[i] = pow((double)count[i], 0.75);
    /* Each entry gives its share of 1/6 to itself and the rest to another. */
    for (int i = 0; i < 6; i++) {
        double keep = (double)a.keep[i] * 0x1p-32;
        got[i] += keep / 6;
        got[a.other[i]] += (1 - keep) / 6;
    }
    for (int i = 0; i < 6; i++)
        assert_true(fabs(got[i] - want[i] / sum) < 1e-8);
    ig_alias_free(&a);
}

static void keep_shares(void **state)
{
    (void)state;
    static const int64_t count[] = {9000, 900, 100};
    uint64_t keep[3];
    ig_keep_shares(keep, count, 3, 0.01);
    for (int i = 0; i < 3; i++) {
        double f = (double)count[i] / 10000, p = sqrt(0.01 / f) + 0.01 / f;
        assert_true(fabs((double)keep[i] * 0x1p-32 - fmin(p, 1)) < 1e-9);
    }
    ig_keep_shares(keep, count, 3, 0);
    assert_true(keep[0] == (uint64_t)1 << 32);
}

/* Lines of random words, some of them often. */
static void make_text(ig_text_ids *t, int32_t n_word, int n_line, int length)
{
    ig_rng r = ig_rng_make(3, IG_STREAM_TEST, 1, 0);
    ig_err err;
    char word[16];
    int32_t id;
    *t = (ig_text_ids){.n_line = n_line, .n_token = (int64_t)n_line * length};
    t->n_read = t->n_count = t->n_token;
    for (int32_t i = 0; i < n_word; i++)
        assert_ok(
            ig_lexicon_add(&t->words, word, snprintf(word, sizeof word, "word%d", i), &id, &err),
            &err);
    assert_ok(ig_alloc(&t->count, n_word, sizeof *t->count, "t", &err), &err);
    assert_ok(ig_alloc(&t->id, t->n_token, sizeof *t->id, "t", &err), &err);
    assert_ok(ig_alloc(&t->line, n_line + 1, sizeof *t->line, "t", &err), &err);
    for (int64_t i = 0; i < t->n_token; i++) {
        double u = ig_rng_unit(&r);
        t->id[i] = (int32_t)(u * u * n_word);
        t->count[t->id[i]]++;
    }
    for (int32_t i = 0; i < n_word; i++) /* none without an occurrence */
        t->count[i]++;
    for (int l = 0; l <= n_line; l++)
        t->line[l] = (int64_t)l * length;
}

/* The table's gradients by word2vec's formulas, pair by pair, in double. */
typedef struct {
    double in[40][16], out[40][16];
} table_pair;

static void pair(table_pair *g, const float *in, const float *out, const int32_t *row, int n_row,
                 const double *h, int32_t target, double label, double weight, double lr)
{
    double dot = 0;
    (void)in;
    for (int k = 0; k < 16; k++)
        dot += h[k] * (double)out[target * 16 + k];
    double step = lr * weight * (label - 1 / (1 + exp(-dot)));
    for (int k = 0; k < 16; k++) {
        for (int i = 0; i < n_row; i++)
            g->in[row[i]][k] += step * (double)out[target * 16 + k];
        g->out[target][k] += step * h[k];
    }
}

static void target(table_pair *g, const ig_context_shared *s, const ig_group *got,
                   const int32_t *row, int n_row, const double *h, int32_t word)
{
    pair(g, s->in, s->out, row, n_row, h, word, 1, 1, (double)s->lr);
    for (int k = 0; k < s->n_negative; k++)
        if (got->negative[k] != word)
            pair(g, s->in, s->out, row, n_row, h, got->negative[k], 0,
                 (double)s->o->negative / s->n_negative, (double)s->lr);
}

/* In a part of several, the pairs are those with a context whose place among the kept words is
 * `part` modulo `parts`. Returns how many there are. */
static int group_is_sum_of_pairs(ig_context_model model, bool subwords, int parts, int part)
{
    enum { V = 20, LD = 16, N = 10 };
    static const int64_t start[V + 1] = {0,  2,  3,  6,  7,  8,  9,  10, 11, 12, 13,
                                         14, 15, 16, 17, 18, 19, 20, 21, 22, 24};
    int32_t row[24], word[N] = {3, 1, 2, 19, 0, 2, 7, 8, 3, 0},
                     line[N] = {0, 0, 0, 0, 1, 1, 1, 1, 1, 2};
    int32_t raw[N] = {0, 1, 2, 3, 5, 6, 7, 8, 9, 12};
    float in[40 * LD], out[40 * LD];
    table_pair want = {0}, got = {0};
    ig_text_ids t;
    ig_group g;
    ig_err err;
    ig_rng r = ig_rng_make(5, IG_STREAM_TEST, 2, 0);
    for (int i = 0; i < 24; i++)
        row[i] = i % 3 == 0 ? 20 + i % 7 : i;
    for (int i = 0; i < 40 * LD; i++) {
        in[i] = (float)ig_rng_normal(&r);
        out[i] = (float)ig_rng_normal(&r) * 0.5f;
    }
    make_text(&t, V, 20, 10);
    for (int32_t i = 0; i < V; i++)
        t.count[i] = 1000 / (i + 1);
    const ig_context_features features = {subwords ? start : NULL, row};
    const ig_context_options o = {.model = model, .dim = LD, .window = 3, .negative = 5};
    ig_context_shared s = {.o = &o,
                           .ops = ig_ops_best(),
                           .features = &features,
                           .ld = LD,
                           .in = in,
                           .out = out,
                           .key = ig_rng_key_make(1, IG_STREAM_EMBED),
                           .group = N,
                           .word = word,
                           .line = line,
                           .raw = raw,
                           .n = N,
                           .lr = 0.1f,
                           .parts = parts,
                           .part = part};
    int n_pair = 0;
    s.n_negative = 8;
    assert_ok(ig_alias_new(&s.negatives, t.count, V, 0.75, &err), &err);
    assert_ok(ig_group_new(&g, &s, V, &err), &err);
    ig_group_run(&g, &s, 2, N - 3, true); /* words 2 .. 8; windows reach beyond */
    bool narrow = false, wide = false;
    for (int j = 0; j < N - 3; j++) {
        int at = 2 + j;
        double h[LD] = {0};
        int32_t rows[64];
        int n_row = 0;
        assert_true(g.from[j] <= j && g.to[j] >= j);
        for (int c = 2 + g.from[j]; c <= 2 + g.to[j]; c++)
            assert_int_equal(line[c], line[at]);
        narrow |= g.to[j] - j == 1;
        wide |= g.to[j] - j == 3 || j - g.from[j] == 3;
        for (int c = 2 + g.from[j]; c <= 2 + g.to[j]; c++)
            if (model == IG_CONTEXT_SKIPGRAM ? c == at : c != at)
                for (int64_t i = subwords ? start[word[c]] : 0;
                     i < (subwords ? start[word[c] + 1] : 1); i++)
                    rows[n_row++] = subwords ? row[i] : word[c];
        if (g.from[j] == g.to[j])
            continue;
        for (int i = 0; i < n_row; i++)
            for (int k = 0; k < LD; k++)
                h[k] += (double)in[rows[i] * LD + k] / n_row;
        if (model == IG_CONTEXT_CBOW) {
            target(&want, &s, &g, rows, n_row, h, word[at]);
            n_pair++;
        } else
            for (int c = 2 + g.from[j]; c <= 2 + g.to[j]; c++)
                if (c != at && (parts == 0 || c % parts == part)) {
                    target(&want, &s, &g, rows, n_row, h, word[c]);
                    n_pair++;
                }
    }
    assert_true(g.weight == n_pair);
    assert_true(narrow && wide && g.loss > 0);
    float in0[40 * LD], out0[40 * LD];
    memcpy(in0, in, sizeof in);
    memcpy(out0, out, sizeof out);
    for (int p = 0; p < IG_GROUP_PARTS; p++)
        ig_group_add(&g, &s, p);
    for (int i = 0; i < 40; i++)
        for (int k = 0; k < LD; k++) {
            got.in[i][k] = (double)in[i * LD + k] - (double)in0[i * LD + k];
            got.out[i][k] = (double)out[i * LD + k] - (double)out0[i * LD + k];
            /* float sums of some dozen terms of size 1 */
            assert_true(fabs(got.in[i][k] - want.in[i][k]) < 2e-5);
            assert_true(fabs(got.out[i][k] - want.out[i][k]) < 2e-5);
        }
    ig_group_free(&g);
    ig_alias_free(&s.negatives);
    ig_text_ids_free(&t);
    return n_pair;
}

static void group_gradients(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const ig_context_model model = i & 1 ? IG_CONTEXT_CBOW : IG_CONTEXT_SKIPGRAM;
        const int all = group_is_sum_of_pairs(model, i & 2, 0, 0);
        int in_parts = 0;
        if (model == IG_CONTEXT_CBOW)
            continue;
        for (int part = 0; part < 3; part++)
            in_parts += group_is_sum_of_pairs(model, i & 2, 3, part);
        assert_int_equal(in_parts, all);
    }
}

/* All pairs of a word at once are too far a step where windows are long or rates high: all of these
 * diverged, or were about to, before a window was taken in parts. */
static void long_windows(void **state)
{
    static const struct {
        ig_context_model model;
        int window;
        double lr;
        int parts;
    } each[] = {{IG_CONTEXT_SKIPGRAM, 15, .025, 1},
                {IG_CONTEXT_SKIPGRAM, 256, .025, 8},
                {IG_CONTEXT_SKIPGRAM, 64, .1, 8},
                {IG_CONTEXT_CBOW, 128, .3, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i += SANITIZED ? 2 : 1) {
        ig_text_ids t;
        ig_vectors v;
        ig_context_report report;
        ig_err err;
        const ig_context_options o = {.model = each[i].model,
                                      .dim = 20,
                                      .window = each[i].window,
                                      .negative = 5,
                                      .epochs = 4,
                                      .lr = each[i].lr,
                                      .ns_exponent = .75,
                                      .init = .5,
                                      .seed = 1};
        make_text(&t, 300, SANITIZED ? 4 : 20, 2000);
        assert_ok(ig_word2vec(&v, &t, &o, NULL, &report, &err), &err);
        assert_int_equal(report.parts, each[i].parts);
        /* Vectors of 0: log 2 for each of 1 + 5. Words stand without order here, so frequencies
         * are all there is to learn. */
        const double nothing = 6;
        if (!(report.loss < nothing * log(2)))
            fail_msg("case %zu: loss %g, expected less than %g", i, report.loss, nothing * log(2));
        ig_vectors_free(&v);
        ig_text_ids_free(&t);
    }
}

/* Words 2k and 2k + 1 stand in the same contexts: topic k's lines have either, with its own words.
 */
static void twins(ig_text_ids *t)
{
    enum { TOPICS = 20, LINES = 3000, LENGTH = 8 };
    ig_rng r = ig_rng_make(9, IG_STREAM_TEST, 3, 0);
    make_text(t, TOPICS * 6, LINES, LENGTH);
    memset(t->count, 0, (size_t)t->words.n * sizeof *t->count);
    for (int l = 0; l < LINES; l++) {
        int32_t topic = (int32_t)ig_rng_below(&r, TOPICS);
        for (int i = 0; i < LENGTH; i++) {
            int32_t own = topic * 6 + 2 + (int32_t)ig_rng_below(&r, 4);
            int32_t id = i == 3 ? topic * 6 + (int32_t)ig_rng_below(&r, 2) : own;
            t->id[(int64_t)l * LENGTH + i] = id;
            t->count[id]++;
        }
    }
}

static double cosine(const float *a, const float *b, int d)
{
    double ab = 0, aa = 0, bb = 0;
    for (int k = 0; k < d; k++) {
        ab += (double)a[k] * (double)b[k];
        aa += (double)a[k] * (double)a[k];
        bb += (double)b[k] * (double)b[k];
    }
    return ab / sqrt(aa * bb);
}

static void learns(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i += SANITIZED ? 2 : 1) {
        ig_text_ids t;
        ig_vectors v;
        ig_context_report report;
        ig_err err;
        ig_context_options o = {.model = i & 1 ? IG_CONTEXT_CBOW : IG_CONTEXT_SKIPGRAM,
                                .dim = 20,
                                .window = 4,
                                .negative = 5,
                                .epochs = 10,
                                .lr = 0.05,
                                .ns_exponent = 0.75,
                                .init = 0.5,
                                .seed = 1};
        const ig_fasttext_options f = {
            .context = &o, .bucket = 1000, .minn = 3, .maxn = 4, .min_count = 1};
        twins(&t);
        if (i == 2)
            assert_ok(ig_fasttext_train(&v, &t, &f, NULL, &report, &err), &err);
        else
            assert_ok(ig_word2vec(&v, &t, &o, NULL, &report, &err), &err);
        int right = 0;
        for (int32_t w = 0; w < v.n; w += 6) {
            int32_t best = -1;
            double top = -2;
            for (int32_t u = 0; u < v.n; u += 6) {
                double c = cosine(ig_vectors_row(&v, w), ig_vectors_row(&v, u + 1), v.d);
                if (c > top) {
                    top = c;
                    best = u;
                }
            }
            right += best == w;
        }
        if (right < 19)
            fail_msg("model %d: %d of 20 twins found", i, right);
        ig_vectors_free(&v);
        ig_text_ids_free(&t);
    }
}

static ig_context_report train_once(ig_vectors *v, int epochs, double lr, double min_lr,
                                    double sample)
{
    ig_text_ids t;
    ig_context_report report;
    ig_err err;
    const ig_context_options o = {.model = IG_CONTEXT_SKIPGRAM,
                                  .dim = 20,
                                  .window = 4,
                                  .negative = 5,
                                  .epochs = epochs,
                                  .lr = lr,
                                  .min_lr = min_lr,
                                  .sample = sample,
                                  .ns_exponent = 0.75,
                                  .init = 0.5,
                                  .seed = 1};
    twins(&t);
    assert_ok(ig_word2vec(v, &t, &o, NULL, &report, &err), &err);
    ig_text_ids_free(&t);
    return report;
}

/* How far two trainings lie apart. */
static double distance(const ig_vectors *a, const ig_vectors *b)
{
    double sum = 0;
    for (int64_t i = 0; i < (int64_t)a->n * a->d; i++)
        sum += fabs((double)a->x[i] - (double)b->x[i]);
    return sum / (double)((int64_t)a->n * a->d);
}

/* Other words are left out in every epoch; the rate falls linearly, but not below its least. */
static void epochs_draw_anew_and_the_rate_falls(void **state)
{
    (void)state;
    ig_vectors v[4];
    ig_context_report r[4];
    for (int e = 1; e <= 3; e++) {
        r[e] = train_once(&v[e], e, .05, 0, 1e-3);
        ig_vectors_free(&v[e]);
    }
    assert_true(r[1].n_trained > 100 && r[1].n_trained < r[1].n_word);
    assert_true(r[2].n_trained != 2 * r[1].n_trained || r[3].n_trained != 3 * r[1].n_trained);
    /* As fast to the end; half as fast on average; held from the middle on. */
    train_once(&v[0], 1, .02, .02, 0);
    train_once(&v[1], 1, .02, 0, 0);
    train_once(&v[2], 1, .02, .01, 0);
    train_once(&v[3], 1, .0, 0, 0);
    const double full = distance(&v[0], &v[3]), fallen = distance(&v[1], &v[3]),
                 held = distance(&v[2], &v[3]);
    print_message("moved by %.3g, %.3g, %.3g\n", full, held, fallen);
    assert_true(fallen < held && held < full && fallen < .8 * full);
    for (int k = 0; k < 4; k++)
        ig_vectors_free(&v[k]);
}

/* The saved model has the vectors that were returned, and the buckets no word falls into. */
static void saved_model(void **state)
{
    (void)state;
    char dir[256], path[300];
    ig_text_ids t;
    ig_vectors v, back;
    ig_fasttext m;
    ig_context_report report;
    ig_err err;
    const ig_context_options o = {.dim = 10,
                                  .window = 4,
                                  .negative = 5,
                                  .epochs = 1,
                                  .lr = 0.05,
                                  .ns_exponent = 0.5,
                                  .init = 1,
                                  .seed = 1};
    fault_folder(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/m.bin", dir);
    const ig_fasttext_options f = {
        .context = &o, .bucket = 3000, .minn = 3, .maxn = 6, .min_count = 1, .model = path};
    twins(&t);
    assert_ok(ig_fasttext_train(&v, &t, &f, NULL, &report, &err), &err);
    read_model(&m, path);
    assert_int_equal(m.n_in, v.n + 3000);
    for (int64_t i = 0; i < m.n_in * 10; i++)
        assert_true(m.in[i] < 0 || m.in[i] > 0);
    assert_ok(ig_fasttext_vectors(&back, &m, 0, &err), &err);
    assert_close(back.x, v.x, (int64_t)v.n * v.d, 1e-7, 1e-5, "vectors");
    ig_vectors_free(&back);
    ig_vectors_free(&v);
    ig_fasttext_free(&m);
    ig_text_ids_free(&t);
    assert_ok(ig_dir_remove(dir, &err), &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alias_is_exact),  cmocka_unit_test(keep_shares),
        cmocka_unit_test(group_gradients), cmocka_unit_test(long_windows),
        cmocka_unit_test(learns),          cmocka_unit_test(epochs_draw_anew_and_the_rate_falls),
        cmocka_unit_test(saved_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
