/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokens that masking replaces by a neighbour: their shares, and that all else stays as it is
 * without neighbours.
 */
#include "batcher_fixture.h"

/* Word i of a language has the neighbours i and i + 1 of the other one, the last word and the
 * special tokens have none. */
static ig_neighbour_table neighbours(const ig_corpus *c)
{
    ig_err err = {0};
    ig_neighbour_table t;
    int64_t n = 0;
    assert_ok(ig_neighbour_table_new(&t, c, 4 * V, &err), &err);
    for (int k = 0; k < 2; k++)
        for (int32_t i = 0; i < V; i++) {
            for (int32_t j = 0; j < 2 && i >= 5 && i < V - 1; j++)
                t.id[n++] = (1 - k) * V + i + j;
            t.start[t.first[k] + i + 1] = n;
        }
    return t;
}

typedef struct {
    int64_t chosen, masked, random, kept, near[2], last, context, rest;
} near_counts;

/* Whether v is a neighbour of what it replaces, the first or the second; −1. */
static int which_near(int32_t was, int32_t v)
{
    const int32_t i = was % V;
    if (i < 5 || i == V - 1 || v / V == was / V || (v % V != i && v % V != i + 1))
        return -1;
    return v % V - i;
}

static near_counts count_near(const ig_batch_options *o, const ig_corpus *c, int64_t from,
                              int64_t n)
{
    near_counts k = {0};
    ig_batcher *b = make_batcher(c, o), *plain = make_batcher(c, &usual);
    for (int64_t step = from; step < from + n; step++) {
        ig_batch x = get(b, step);
        int32_t was[16 * BLOCK];
        bool is_chosen[16 * BLOCK] = {false};
        ig_batch before = get(plain, step);
        restore(&before, was);
        for (int32_t p = 0; p < x.target[IG_HEAD_MASKED].n; p++) {
            const int32_t v = x.id[x.target[IG_HEAD_MASKED].row[p]],
                          label = x.target[IG_HEAD_MASKED].label[p];
            is_chosen[x.target[IG_HEAD_MASKED].row[p]] = true;
            const int which = which_near(label, v);
            /* [UNK] and the last word have no neighbours. */
            const bool none = label % V < 5 || label % V == V - 1;
            k.last += none;
            k.chosen += !none;
            k.masked += !none && v == 4;
            k.kept += !none && v == label;
            if (!none && v != 4 && v != label) {
                k.random += which < 0;
                if (which >= 0)
                    k.near[which]++;
            }
            assert_true(!none || v == 4 || v == label || o->random_share > 0);
        }
        for (int32_t j = 0; j < x.n_tok; j++)
            if (!is_chosen[j] && was[j] % V >= 5 && was[j] % V < V - 1) {
                k.rest++;
                k.context += which_near(was[j], x.id[j]) >= 0;
            }
    }
    ig_batcher_free(b);
    ig_batcher_free(plain);
    return k;
}

static void near_shares(void **state)
{
    (void)state;
    ig_corpus *c = make_corpus("shift");
    ig_neighbour_table t = neighbours(c);
    ig_batch_options o = usual;
    o.random_vocab = IG_RANDOM_OWN; /* a random word is never a neighbour */
    o.mask_share = .5;
    o.near = &t;
    o.near_share = .3;
    near_counts n = count_near(&o, c, 0, 1300);
    assert_true(n.chosen > 10000 && n.last > 100 && n.context == 0);
    assert_share(n.masked, n.chosen, .5);
    assert_share(n.random, n.chosen, .1 * (1 - 1.0 / (V - 5)));
    assert_share(n.near[0], n.chosen, .15);
    assert_share(n.near[1], n.chosen, .15);
    /* All of the rest. */
    o.near_share = .4;
    n = count_near(&o, c, 0, 130);
    assert_true(n.kept <= n.chosen / 100);
    /* Each batch moves some from random words to neighbours, until there are no random words. */
    o.near_share = .1;
    o.near_growth = .001;
    n = count_near(&o, c, 40, 20);
    assert_share(n.random, n.chosen, .05 * (1 - 1.0 / (V - 5)));
    assert_share(n.near[0] + n.near[1], n.chosen, .15);
    n = count_near(&o, c, 99, 400);
    assert_int_equal(n.random, 0);
    assert_share(n.near[0] + n.near[1], n.chosen, .2);
    o.near_growth = 0;
    o.near_context = .25;
    n = count_near(&o, c, 0, 130);
    assert_share(n.context, n.rest, .25);
    ig_neighbour_table_free(&t);
    ig_corpus_free(c);
}

/* With neighbours and without: the same tokens are chosen, masked, random; only what stayed as it
 * was may be a neighbour. The English-only switch leaves the other language as it was. */
static void near_is_paired(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_corpus *c = make_corpus("shift");
    ig_neighbour_table t = neighbours(c);
    ig_batch_options o = usual;
    o.mask_share = .5;
    ig_batcher *without = make_batcher(c, &o);
    o.near = &t;
    o.near_share = .3;
    ig_batcher *with = make_batcher(c, &o);
    o.near_languages = IG_NEAR_FIRST;
    ig_batcher *first = make_batcher(c, &o);
    int64_t changed = 0, changed_first = 0;
    for (int64_t step = 0; step < 260; step++) {
        ig_batch x = get(without, step), y = get(with, step), z = get(first, step);
        assert_int_equal(x.n_tok, y.n_tok);
        assert_int_equal(x.target[IG_HEAD_MASKED].n, y.target[IG_HEAD_MASKED].n);
        assert_int_equal(x.target[IG_HEAD_MASKED].n, z.target[IG_HEAD_MASKED].n);
        assert_memory_equal(x.target[IG_HEAD_MASKED].row, y.target[IG_HEAD_MASKED].row,
                            (size_t)x.target[IG_HEAD_MASKED].n *
                                sizeof *x.target[IG_HEAD_MASKED].row);
        assert_memory_equal(x.target[IG_HEAD_MASKED].label, y.target[IG_HEAD_MASKED].label,
                            (size_t)x.target[IG_HEAD_MASKED].n *
                                sizeof *x.target[IG_HEAD_MASKED].label);
        int32_t was[16 * BLOCK];
        restore(&x, was);
        for (int32_t j = 0; j < x.n_tok; j++) {
            if (y.id[j] != x.id[j]) {
                assert_int_equal(x.id[j], was[j]);
                assert_true(which_near(was[j], y.id[j]) >= 0);
                changed++;
            }
            assert_int_equal(z.id[j], was[j] < V ? y.id[j] : x.id[j]);
            changed_first += z.id[j] != x.id[j];
        }
    }
    assert_true(changed > 500 && changed_first > 250 && changed_first < changed);
    /* An evaluation has the base shares, whatever came before. */
    o.near_languages = IG_NEAR_ALL;
    o.near_growth = .05;
    ig_batcher *grown = make_batcher(c, &o);
    get(grown, 30);
    ig_batch x, y;
    assert_ok(ig_batcher_get_range(with, 0, 16, true, &x, &err), &err);
    assert_ok(ig_batcher_get_range(grown, 0, 16, true, &y, &err), &err);
    assert_memory_equal(x.id, y.id, (size_t)x.n_tok * sizeof *x.id);
    ig_batcher_free(without);
    ig_batcher_free(with);
    ig_batcher_free(first);
    ig_batcher_free(grown);
    /* A table of other languages. */
    t.vocab_size++;
    assert_int_equal(ig_batcher_new(&with, c, &o, 0, &err), IG_ERR_INPUT);
    t.vocab_size--;
    o.near_share = .5;
    assert_int_equal(ig_batcher_new(&with, c, &o, 0, &err), IG_ERR_USAGE);
    ig_neighbour_table_free(&t);
    ig_corpus_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(near_shares),
                                       cmocka_unit_test(near_is_paired)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
