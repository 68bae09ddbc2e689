/* SPDX-License-Identifier: Apache-2.0
 *
 * Causal batches: how many there are, what their tokens predict, and from which state masked tokens
 * are predicted beside them.
 */
#include "instances_fixture.h"

/* Every token but a sequence's first is predicted from the row before it, and none is replaced. */
static void check_next(const ig_batch *x)
{
    const ig_targets *t = &x->target[IG_HEAD_MASKED];
    int32_t p = 0;
    for (int32_t q = 0; q < x->n_seq; q++)
        for (int32_t i = x->seq_start[q] + 1; i < x->seq_start[q + 1]; i++, p++) {
            assert_int_equal(t->row[p], i - 1);
            assert_int_equal(t->label[p], x->id[i]);
        }
    assert_int_equal(t->n, p);
    assert_int_equal(p, x->n_tok - x->n_seq);
}

static void all_batches(void **state)
{
    (void)state;
    static const ig_instance_kind kinds[] = {IG_INSTANCES_LINES, IG_INSTANCES_STREAM};
    ig_corpus *c = make_corpus("shift | invert");
    for (int k = 0; k < 2; k++) {
        ig_batch_options o = options(kinds[k]);
        o.causal_share = 1;
        ig_batcher *b = make_batcher(c, &o);
        ig_err err;
        ig_batch x;
        for (int64_t step = 0; step < ig_batcher_steps_per_epoch(b); step++) {
            x = get(b, step);
            assert_true(x.causal);
            check_next(&x);
        }
        assert_ok(ig_batcher_get_range(b, 3, 9, true, &x, &err), &err);
        assert_true(x.causal);
        check_next(&x);
        assert_ok(ig_batcher_get_range(b, 3, 9, false, &x, &err), &err);
        assert_false(x.causal);
        assert_int_equal(x.target[IG_HEAD_MASKED].n, 0);
        ig_batcher_free(b);
    }
    ig_corpus_free(c);
}

/* The masks are those of a training without causal batches, each predicted one row earlier. */
static void some_batches(void **state)
{
    (void)state;
    enum { STEPS = 40 };
    ig_corpus *c = make_corpus("shift");
    ig_batch_options o = options(IG_INSTANCES_LINES);
    ig_batcher *plain = make_batcher(c, &o);
    o.causal_share = .3;
    ig_batcher *mixed = make_batcher(c, &o);
    int n_causal = 0;
    for (int64_t step = 0; step < STEPS; step++) {
        ig_batch x = get(mixed, step), y = get(plain, step);
        assert_false(y.causal);
        n_causal += x.causal;
        assert_in_range(n_causal, (step + 1) * 3 / 10, (step + 1) * 3 / 10);
        if (x.causal) {
            check_next(&x);
            continue;
        }
        const ig_targets *a = &x.target[IG_HEAD_MASKED], *b = &y.target[IG_HEAD_MASKED];
        assert_int_equal(a->n, b->n);
        assert_memory_equal(x.id, y.id, (size_t)x.n_tok * sizeof *x.id);
        assert_memory_equal(a->label, b->label, (size_t)a->n * sizeof *a->label);
        for (int32_t p = 0; p < a->n; p++)
            assert_int_equal(a->row[p], b->row[p] - 1);
    }
    assert_int_equal(n_causal, STEPS * 3 / 10);
    ig_batch x;
    ig_err err;
    assert_ok(ig_batcher_get_range(mixed, 0, 9, true, &x, &err), &err);
    assert_false(x.causal);
    ig_batcher_free(plain);
    ig_batcher_free(mixed);
    ig_corpus_free(c);
}

/* A sequence of a stream begins with any token, which no state of the sequence predicts. */
static void first_tokens_of_a_stream(void **state)
{
    (void)state;
    ig_corpus *c = make_corpus("shift");
    ig_batch_options o = options(IG_INSTANCES_STREAM);
    o.causal_share = .3;
    o.mask_prob = 1;
    ig_batcher *b = make_batcher(c, &o);
    int n_masked = 0;
    for (int64_t step = 0; step < ig_batcher_steps_per_epoch(b); step++) {
        const ig_batch x = get(b, step);
        const ig_targets *t = &x.target[IG_HEAD_MASKED];
        if (x.causal)
            continue;
        n_masked++;
        for (int32_t p = 0, q = 0; p < t->n; p++) {
            while (x.seq_start[q + 1] <= t->row[p] + 1)
                q++;
            assert_true(t->row[p] + 1 > x.seq_start[q]);
        }
    }
    assert_true(n_masked > 0);
    ig_batcher_free(b);
    ig_corpus_free(c);
}

static void bad_share(void **state)
{
    (void)state;
    ig_corpus *c = make_corpus("shift");
    ig_batch_options o = options(IG_INSTANCES_LINES);
    ig_batcher *b;
    ig_err err;
    o.causal_share = 1.5;
    assert_int_equal(ig_batcher_new(&b, c, &o, 11, &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "found 1.5, expected 0 to 1"));
    ig_corpus_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_batches), cmocka_unit_test(some_batches),
        cmocka_unit_test(first_tokens_of_a_stream), cmocka_unit_test(bad_share)};
    return cmocka_run_group_tests(tests, instances_setup, instances_teardown);
}
