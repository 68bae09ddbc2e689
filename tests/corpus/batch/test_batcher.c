/* SPDX-License-Identifier: Apache-2.0
 *
 * Batches: what they hold, shares of the masks within five standard errors, purity in the step, and
 * that one switch leaves every other draw as it was.
 */
#include "corpus_fixture.h"
#include "batcher_fixture.h"

static void an_epoch_holds_every_sequence_once(void **state)
{
    (void)state;
    ig_corpus *c = make_corpus("shift | positions | specials");
    ig_batcher *b = make_batcher(c, &usual);
    assert_int_equal(ig_batcher_n_sequence(b), 2 * N);
    assert_int_equal(ig_batcher_steps_per_epoch(b), 13);
    int64_t sum[2] = {0, 0}, n_seq[2] = {0, 0};
    int32_t first[2][16] = {{0}};
    for (int epoch = 0; epoch < 2; epoch++)
        for (int64_t step = 0; step < 13; step++) {
            ig_batch x = get(b, epoch * 13 + step);
            int32_t *id = malloc(sizeof *id * (size_t)x.n_tok);
            assert_true(x.n_tok <= ig_batcher_max_tokens(b));
            assert_int_equal(x.n_seq, step < 12 ? 16 : 2 * N - 12 * 16);
            assert_int_equal(x.seq_start[0], 0);
            assert_int_equal(x.seq_start[x.n_seq], x.n_tok);
            restore(&x, id);
            n_seq[epoch] += x.n_seq;
            for (int32_t q = 0; q < x.n_seq; q++) {
                int32_t at = x.seq_start[q], n = x.seq_start[q + 1] - at;
                bool fake = id[at] == V + 2;
                assert_int_equal(id[at], fake ? V + 2 : 2);
                assert_int_equal(id[at + n - 1], fake ? V + 3 : 3);
                for (int32_t j = 0; j < n; j++) {
                    assert_int_equal(x.pos[at + j], j + (fake ? BLOCK : 0));
                    assert_int_equal(x.seg[at + j], fake);
                    assert_true(id[at + j] >= (fake ? V : 0) && id[at + j] < (fake ? 2 * V : V));
                    sum[epoch] += (int64_t)id[at + j] * id[at + j] * (j + 1);
                }
                if (step == 0)
                    first[epoch][q] = n * 1000 + id[at + 1];
            }
            for (int32_t p = 0; p < x.target[IG_HEAD_MASKED].n; p++) {
                assert_true(p == 0 ||
                            x.target[IG_HEAD_MASKED].row[p] > x.target[IG_HEAD_MASKED].row[p - 1]);
                int32_t v = x.target[IG_HEAD_MASKED].label[p] % V;
                assert_true(v == 1 || v >= 5);
            }
            free(id);
        }
    /* Both epochs have all sequences, in different orders. */
    int64_t want = 0;
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < N; i++) {
            int32_t id[BLOCK], n = ig_corpus_sequence(c, k, i, id);
            for (int32_t j = 0; j < n; j++)
                want += (int64_t)id[j] * id[j] * (j + 1);
        }
    for (int epoch = 0; epoch < 2; epoch++) {
        assert_int_equal(n_seq[epoch], 2 * N);
        assert_int_equal(sum[epoch], want);
    }
    assert_memory_not_equal(first[0], first[1], sizeof first[0]);
    ig_batcher_free(b);
    ig_batch_options o = usual;
    o.drop_last = true;
    b = make_batcher(c, &o);
    assert_int_equal(ig_batcher_steps_per_epoch(b), 12);
    ig_batcher_free(b);
    ig_batcher_free(NULL);
    ig_corpus_free(c);
}

typedef struct {
    int64_t eligible, chosen, masked, random, kept, special, own;
} counts;

static counts count(const ig_batch_options *o, const char *pipeline, int epochs)
{
    counts n = {0};
    ig_corpus *c = make_corpus(pipeline);
    ig_batcher *b = make_batcher(c, o);
    for (int64_t step = 0; step < ig_batcher_steps_per_epoch(b) * epochs; step++) {
        ig_batch x = get(b, step);
        int32_t id[16 * BLOCK];
        restore(&x, id);
        for (int32_t j = 0; j < x.n_tok; j++)
            n.eligible += id[j] % V == 1 || id[j] % V >= 5;
        for (int32_t p = 0; p < x.target[IG_HEAD_MASKED].n; p++) {
            int32_t v = x.id[x.target[IG_HEAD_MASKED].row[p]],
                    label = x.target[IG_HEAD_MASKED].label[p];
            n.chosen++;
            if (v == 4)
                n.masked++;
            else if (v == label)
                n.kept++;
            else {
                n.random++;
                n.special += v % V < 5;
                n.own += v / V == label / V;
            }
        }
    }
    ig_batcher_free(b);
    ig_corpus_free(c);
    return n;
}

static void shares(void **state)
{
    (void)state;
    ig_batch_options o = usual;
    counts n = count(&o, "shift", 200);
    assert_true(n.eligible > 200000);
    assert_share(n.chosen, n.eligible, .15);
    /* A random id is [MASK], or what was there, once in 2V each. */
    double same = 1.0 / (2 * V);
    assert_share(n.masked, n.chosen, .8 + .1 * same);
    assert_share(n.kept, n.chosen, .1 + .1 * same);
    assert_share(n.special, n.random, (10.0 - 1) / (2 * V - 2));
    o.random_vocab = IG_RANDOM_NONSPECIAL;
    n = count(&o, "shift", 100);
    assert_int_equal(n.special, 0);
    assert_share(n.masked, n.chosen, .8);
    o.random_vocab = IG_RANDOM_OWN;
    n = count(&o, "shift", 100);
    assert_int_equal(n.special, 0);
    /* [UNK] of the Fake language is id 1, of the first block: 1/12 of its labels count as foreign.
     */
    assert_true(n.own > n.random * 9 / 10);
    o.random_share = 0;
    n = count(&o, "shift", 100);
    assert_int_equal(n.random, 0);
    assert_share(n.kept, n.chosen, .2);
    o.mask_share = 1;
    o.mask_prob = 1;
    n = count(&o, "shift", 1);
    assert_int_equal(n.chosen, n.eligible);
    assert_int_equal(n.masked, n.eligible);
    o.mask_prob = 0;
    n = count(&o, "shift", 1);
    assert_int_equal(n.chosen, 0);
}

static void pure_in_step(void **state)
{
    (void)state;
    ig_corpus *c = make_corpus("shift | invert");
    ig_batcher *b = make_batcher(c, &usual);
    int32_t keep[16 * BLOCK];
    static const int64_t order[] = {5, 40, 0, 26, 5, 39, 5, 13, 1000000};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        ig_batch x = get(b, order[i]);
        int32_t n = x.n_tok, n_pred = x.target[IG_HEAD_MASKED].n, rows[16 * BLOCK];
        memcpy(keep, x.id, sizeof *keep * (size_t)n);
        memcpy(rows, x.target[IG_HEAD_MASKED].row, sizeof *rows * (size_t)n_pred);
        ig_batcher *fresh = make_batcher(c, &usual);
        x = get(fresh, order[i]);
        assert_int_equal(x.n_tok, n);
        assert_int_equal(x.target[IG_HEAD_MASKED].n, n_pred);
        assert_memory_equal(x.id, keep, sizeof *keep * (size_t)n);
        assert_memory_equal(x.target[IG_HEAD_MASKED].row, rows, sizeof *rows * (size_t)n_pred);
        ig_batcher_free(fresh);
    }
    ig_batcher_free(b);
    ig_corpus_free(c);
}

/* One switch at a time: the same sequences in the same order, the same words masked in the same
 * way. */
static void switches_are_independent(void **state)
{
    (void)state;
    static const char *const pipeline[] = {"shift", "shift | positions", "shift | specials",
                                           "shift | positions:100,1 | specials", "shift | invert"};
    ig_corpus *c0 = make_corpus(pipeline[0]);
    ig_batcher *b0 = make_batcher(c0, &usual);
    for (int k = 0; k < 5; k++) {
        ig_corpus *c = make_corpus(pipeline[k]);
        ig_batcher *b = make_batcher(c, &usual);
        for (int64_t step = 0; step < 30; step++) {
            ig_batch x = get(b0, step), y = get(b, step);
            assert_int_equal(x.n_tok, y.n_tok);
            assert_int_equal(x.target[IG_HEAD_MASKED].n, y.target[IG_HEAD_MASKED].n);
            int32_t was[16 * BLOCK], is[16 * BLOCK];
            restore(&x, was);
            restore(&y, is);
            for (int32_t q = 0; q < x.n_seq; q++) {
                int32_t at = x.seq_start[q], n = x.seq_start[q + 1] - at;
                assert_int_equal(y.seq_start[q], at);
                /* [UNK] is no witness of the language, a sentence of nothing else neither. */
                bool fake = false;
                for (int32_t j = 1; j < n - 1; j++)
                    fake = fake || was[at + j] >= V;
                for (int32_t j = 1; j < n - 1; j++) {
                    int32_t to = k == 4 && fake ? n - 1 - j : j;
                    assert_int_equal(was[at + j] % V, is[at + to] % V);
                    if (x.id[at + j] >= 5 && x.id[at + j] % V >= 5)
                        assert_int_equal(x.id[at + j], y.id[at + to]);
                    else
                        assert_int_equal(x.id[at + j] % V, y.id[at + to] % V);
                }
            }
        }
        ig_batcher_free(b);
        ig_corpus_free(c);
    }
    /* No random replacement: the masked stay masked, the random ones become what they were. */
    ig_batch_options o = usual;
    o.random_share = 0;
    ig_batcher *b = make_batcher(c0, &o);
    o = usual;
    o.batch = 202;
    ig_batcher *big = make_batcher(c0, &o);
    int64_t n_same = 0, sum = 0, sum_big = 0;
    for (int64_t step = 0; step < 13; step++) {
        ig_batch x = get(b0, step), y = get(b, step);
        assert_int_equal(x.target[IG_HEAD_MASKED].n, y.target[IG_HEAD_MASKED].n);
        for (int32_t p = 0; p < x.target[IG_HEAD_MASKED].n; p++) {
            assert_int_equal(x.target[IG_HEAD_MASKED].row[p], y.target[IG_HEAD_MASKED].row[p]);
            assert_int_equal(x.target[IG_HEAD_MASKED].label[p], y.target[IG_HEAD_MASKED].label[p]);
            int32_t v = y.id[y.target[IG_HEAD_MASKED].row[p]];
            assert_true(v == 4 || v == y.target[IG_HEAD_MASKED].label[p]);
            n_same += v == 4 && x.id[x.target[IG_HEAD_MASKED].row[p]] == 4;
        }
        for (int32_t j = 0; j < x.n_tok; j++)
            sum += (int64_t)x.id[j] * x.id[j];
    }
    assert_true(n_same > 100);
    /* The size of a batch changes nothing but where it ends. */
    ig_batch x = get(big, 0);
    for (int32_t j = 0; j < x.n_tok; j++)
        sum_big += (int64_t)x.id[j] * x.id[j];
    assert_int_equal(sum, sum_big);
    ig_batcher_free(b);
    ig_batcher_free(big);
    ig_batcher_free(b0);
    ig_corpus_free(c0);
}

/* specials:pad: the batches of "shift" but for the second language's [PAD], which no dictionary and
 * no mask sees; also where the paper's program looks which special tokens a row gets. */
static void padding_of_its_own(void **state)
{
    (void)state;
    ig_corpus *c = make_corpus("shift | specials:pad"), *shared = make_corpus("shift");
    assert_int_equal(ig_corpus_language(c, 1)->pad, V);
    assert_int_equal(ig_corpus_language(c, 1)->cls, ig_corpus_language(shared, 1)->cls);
    int64_t n_pad = 0;
    for (int detect = 0; detect < 2; detect++) {
        ig_batch_options o = usual;
        o.pad_attend = true;
        o.shift_special = detect == 1 ? IG_VARIANT_PAPER_CODE : IG_VARIANT_FIXED;
        ig_batcher *b = make_batcher(c, &o), *plain = make_batcher(shared, &o);
        for (int64_t step = 0; step < 26; step++) {
            ig_batch x = get(plain, step), y = get(b, step);
            assert_int_equal(y.n_tok, x.n_tok);
            assert_int_equal(y.target[IG_HEAD_MASKED].n, x.target[IG_HEAD_MASKED].n);
            assert_memory_equal(y.target[IG_HEAD_MASKED].label, x.target[IG_HEAD_MASKED].label,
                                (size_t)x.target[IG_HEAD_MASKED].n *
                                    sizeof *x.target[IG_HEAD_MASKED].label);
            for (int32_t q = 0; q < x.n_seq; q++) {
                bool fake = false, padding = false;
                int32_t orig[16 * BLOCK];
                restore(&x, orig);
                for (int32_t j = x.seq_start[q]; j < x.seq_start[q + 1]; j++)
                    fake = fake || orig[j] >= V;
                for (int32_t j = x.seq_start[q]; j < x.seq_start[q + 1]; j++) {
                    padding = padding || (j > x.seq_start[q] && orig[j - 1] == 3); /* [SEP] */
                    n_pad += padding && fake;
                    if (padding && !fake && y.id[j] == V)
                        continue; /* an empty sentence, which does not say whose it is */
                    assert_int_equal(y.id[j], padding && fake ? V : x.id[j]);
                }
            }
        }
        ig_batcher_free(b);
        ig_batcher_free(plain);
    }
    assert_true(n_pad > 100);
    ig_corpus_free(c);
    ig_corpus_free(shared);
}

static void padding(void **state)
{
    (void)state;
    ig_corpus *c = make_corpus("shift | positions | specials");
    ig_batch_options o = usual;
    ig_batcher *plain = make_batcher(c, &o);
    o.pad_attend = true;
    ig_batcher *b = make_batcher(c, &o);
    for (int64_t step = 0; step < 26; step++) {
        ig_batch x = get(plain, step), y = get(b, step);
        assert_true(y.n_tok <= ig_batcher_max_tokens(b));
        int32_t width = 0;
        for (int32_t q = 0; q < x.n_seq; q++)
            if (x.seq_start[q + 1] - x.seq_start[q] > width)
                width = x.seq_start[q + 1] - x.seq_start[q];
        assert_int_equal(y.n_seq, x.n_seq);
        assert_int_equal(y.target[IG_HEAD_MASKED].n, x.target[IG_HEAD_MASKED].n);
        for (int32_t q = 0; q < x.n_seq; q++) {
            int32_t at = x.seq_start[q], n = x.seq_start[q + 1] - at, to = y.seq_start[q];
            assert_int_equal(y.seq_start[q + 1] - to, width);
            assert_memory_equal(x.id + at, y.id + to, (size_t)n * sizeof *x.id);
            for (int32_t j = n; j < width; j++) {
                assert_int_equal(y.id[to + j], y.id[to] == V + 2 ? V : 0);
                assert_int_equal(y.pos[to + j], y.pos[to] + j);
                assert_int_equal(y.seg[to + j], y.seg[to]);
            }
        }
        for (int32_t p = 0; p < y.target[IG_HEAD_MASKED].n; p++)
            assert_int_equal(y.target[IG_HEAD_MASKED].label[p], x.target[IG_HEAD_MASKED].label[p]);
    }
    ig_batcher_free(b);
    ig_batcher_free(plain);
    ig_corpus_free(c);
}

/* Paper's program, step by step on the fixed batch: shift where an id ≥ V is seen after masking. */
static void leak_of_special_tokens(void **state)
{
    (void)state;
    ig_corpus *c = make_corpus("shift | specials"), *shared = make_corpus("shift");
    ig_batch_options o = usual;
    ig_batcher *before = make_batcher(shared, &o);
    o.shift_special = IG_VARIANT_PAPER_CODE;
    ig_batcher *b = make_batcher(c, &o);
    int64_t n_leak = 0, n_row = 0;
    for (int64_t step = 0; step < 130; step++) {
        ig_batch x = get(before, step), y = get(b, step);
        assert_int_equal(x.n_tok, y.n_tok);
        assert_int_equal(x.target[IG_HEAD_MASKED].n, y.target[IG_HEAD_MASKED].n);
        for (int32_t q = 0; q < x.n_seq; q++) {
            bool seen = false, fake = false;
            int32_t orig[16 * BLOCK];
            restore(&x, orig);
            for (int32_t j = x.seq_start[q]; j < x.seq_start[q + 1]; j++) {
                seen = seen || x.id[j] >= V;
                fake = fake || orig[j] >= V;
            }
            for (int32_t j = x.seq_start[q]; j < x.seq_start[q + 1]; j++)
                assert_int_equal(y.id[j], seen && x.id[j] < 5 ? x.id[j] + V : x.id[j]);
            n_row += !fake;
            n_leak += !fake && seen;
        }
        for (int32_t p = 0; p < y.target[IG_HEAD_MASKED].n; p++)
            assert_int_equal(y.target[IG_HEAD_MASKED].label[p], x.target[IG_HEAD_MASKED].label[p]);
    }
    assert_true(n_leak > 0 && n_leak < n_row / 4);
    ig_batcher_free(b);
    ig_batcher_free(before);
    ig_corpus_free(c);
    ig_corpus_free(shared);
}

static void ranges(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_corpus *c = make_corpus("shift | invert");
    ig_batcher *b = make_batcher(c, &usual), *d = make_batcher(c, &usual);
    ig_batch all, x;
    assert_ok(ig_batcher_get_range(b, 0, 2 * N, true, &all, &err), &err);
    assert_int_equal(all.n_seq, 2 * N);
    /* A sentence and its copy are masked apart: their numbers of masks are not the same throughout.
     */
    int32_t of[2 * N] = {0}, n_other = 0;
    for (int32_t q = 0, k = 0; q < 2 * N; q++)
        for (; k < all.target[IG_HEAD_MASKED].n &&
               all.target[IG_HEAD_MASKED].row[k] < all.seq_start[q + 1];
             k++)
            of[q]++;
    for (int32_t q = 0; q < N; q++)
        n_other += of[q] != of[q + N];
    assert_true(n_other > N / 4);
    int32_t at = 0, p = 0;
    for (int64_t from = 0; from < 2 * N; from += 7) {
        int64_t to = from + 7 < 2 * N ? from + 7 : 2 * N;
        assert_ok(ig_batcher_get_range(d, from, to, true, &x, &err), &err);
        assert_memory_equal(x.id, all.id + at, (size_t)x.n_tok * sizeof *x.id);
        for (int32_t k = 0; k < x.target[IG_HEAD_MASKED].n; k++, p++) {
            assert_int_equal(x.target[IG_HEAD_MASKED].row[k] + at,
                             all.target[IG_HEAD_MASKED].row[p]);
            assert_int_equal(x.target[IG_HEAD_MASKED].label[k],
                             all.target[IG_HEAD_MASKED].label[p]);
        }
        at += x.n_tok;
    }
    assert_int_equal(p, all.target[IG_HEAD_MASKED].n);
    assert_int_equal(at, all.n_tok);
    assert_ok(ig_batcher_get_range(b, N - 3, N + 3, false, &x, &err), &err);
    assert_int_equal(x.target[IG_HEAD_MASKED].n, 0);
    for (int32_t q = 0; q < 6; q++) {
        int32_t id[BLOCK], n = ig_corpus_sequence(c, q / 3, q < 3 ? N - 3 + q : q - 3, id);
        assert_int_equal(x.seq_start[q + 1] - x.seq_start[q], n);
        assert_memory_equal(x.id + x.seq_start[q], id, (size_t)n * sizeof *id);
    }
    /* Its masks are not those of training. */
    ig_batch one = get(b, 0);
    assert_ok(ig_batcher_get_range(d, 0, 16, true, &x, &err), &err);
    assert_true(one.target[IG_HEAD_MASKED].n != x.target[IG_HEAD_MASKED].n ||
                memcmp(one.target[IG_HEAD_MASKED].row, x.target[IG_HEAD_MASKED].row,
                       (size_t)x.target[IG_HEAD_MASKED].n * 4) != 0);
    ig_batcher_free(b);
    ig_batcher_free(d);
    ig_corpus_free(c);
}

/* Grouped batches are the mixed ones with each language's sequences together and in their order;
 * single ones have one language, each sequence once an epoch, and change with the epoch. */
static void languages_of_batches(void **state)
{
    (void)state;
    ig_corpus *c = make_corpus("shift");
    ig_batch_options o = usual;
    ig_batcher *mixed = make_batcher(c, &o);
    o.languages = IG_BATCH_GROUPED;
    ig_batcher *grouped = make_batcher(c, &o);
    o.languages = IG_BATCH_SINGLE;
    ig_batcher *single = make_batcher(c, &o);
    const int64_t n = ig_batcher_n_sequence(mixed), n_step = ig_batcher_steps_per_epoch(mixed);
    assert_int_equal(ig_batcher_steps_per_epoch(grouped), n_step);
    for (int64_t s = 0; s < 2 * n_step; s++) {
        const ig_batch a = get(mixed, s), b = get(grouped, s);
        assert_int_equal(a.n_seq, b.n_seq);
        assert_int_equal(a.target[IG_HEAD_MASKED].n, b.target[IG_HEAD_MASKED].n);
        int at = 0;
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < a.n_seq; i++) {
                const int len = a.seq_start[i + 1] - a.seq_start[i];
                if (a.language[i] != k)
                    continue;
                assert_int_equal(b.language[at], k);
                assert_int_equal(b.seq_start[at + 1] - b.seq_start[at], len);
                assert_memory_equal(a.id + a.seq_start[i], b.id + b.seq_start[at],
                                    (size_t)len * sizeof *a.id);
                at++;
            }
        assert_int_equal(at, b.n_seq);
    }
    const int64_t half = (n / 2 + o.batch - 1) / o.batch;
    assert_int_equal(ig_batcher_steps_per_epoch(single), 2 * half);
    int64_t seen[2] = {0}, changed = 0;
    for (int64_t s = 0; s < 2 * half; s++) {
        ig_batch b = get(single, s);
        const int32_t k = b.language[0];
        for (int i = 0; i < b.n_seq; i++)
            assert_int_equal(b.language[i], k);
        seen[k] += b.n_seq;
        b = get(single, 2 * half + s);
        changed += b.language[0] != k;
    }
    assert_int_equal(seen[0], n / 2);
    assert_int_equal(seen[1], n / 2);
    assert_true(changed > 0);
    ig_batcher_free(mixed);
    ig_batcher_free(grouped);
    ig_batcher_free(single);
    ig_corpus_free(c);
}

static void bad_options(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_corpus *c = make_corpus("shift");
    ig_batch_options bad[7];
    for (int i = 0; i < 7; i++)
        bad[i] = usual;
    bad[0].batch = 0;
    bad[1].mask_prob = 1.1;
    bad[2].mask_share = -.1;
    bad[3].random_share = (double)NAN;
    bad[4].random_share = .3;
    bad[5].batch = 1000;
    bad[5].drop_last = true;
    bad[6].pad_attend = true;
    bad[6].batch = INT32_MAX;
    for (int i = 0; i < 7; i++) {
        ig_batcher *b;
        assert_int_equal(ig_batcher_new(&b, c, &bad[i], 0, &err), IG_ERR_USAGE);
        assert_null(b);
    }
    ig_batch_options o = usual;
    o.mask_share = .7;
    o.random_share = .3;
    ig_batcher_free(make_batcher(c, &o));
    ig_corpus_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_epoch_holds_every_sequence_once),
        cmocka_unit_test(shares),
        cmocka_unit_test(pure_in_step),
        cmocka_unit_test(switches_are_independent),
        cmocka_unit_test(padding),
        cmocka_unit_test(padding_of_its_own),
        cmocka_unit_test(leak_of_special_tokens),
        cmocka_unit_test(ranges),
        cmocka_unit_test(languages_of_batches),
        cmocka_unit_test(bad_options),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
