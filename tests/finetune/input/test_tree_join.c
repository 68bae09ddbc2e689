/* SPDX-License-Identifier: Apache-2.0
 *
 * Trees of several sequences as one: against all trees of small sentences, and by hand.
 */
#include "finetune/input/tree_join.h"
#include "test.h"
#include "tree_fixture.h"

#include <stdlib.h>

static uint64_t lcg = 5;
static int below(int n)
{
    lcg = (lcg * 1103515245 + 12345) % 2147483648u;
    return (int)((lcg >> 16) % (uint64_t)n);
}

static int votes_for(const int32_t *head, const ig_tree_vote *vote, int n_vote)
{
    int sum = 0;
    for (int v = 0; v < n_vote; v++)
        if (head[vote[v].word - 1] == vote[v].head)
            sum += vote[v].own ? 3 : 2;
    return sum;
}

/* The most votes that a tree of n words can have. */
static int most_votes(int n, const ig_tree_vote *vote, int n_vote)
{
    int32_t head[5];
    int most = 0, all = 1;
    for (int i = 0; i < n; i++)
        all *= n + 1;
    for (int k = 0; k < all; k++) {
        for (int i = 0, rest = k; i < n; i++, rest /= n + 1)
            head[i] = rest % (n + 1);
        const int sum = is_tree(head, n) ? votes_for(head, vote, n_vote) : 0;
        most = sum > most ? sum : most;
    }
    return most;
}

static void the_best_of_all_trees(void **state)
{
    (void)state;
    ig_err err;
    for (int i = 0; i < 400; i++) {
        const int n = 1 + below(5);
        ig_tree_vote vote[15];
        int32_t head[5], label[5];
        int n_vote = 0;
        for (int w = 1; w <= n; w++)
            for (int k = 0; k < 1 + below(3); k++) {
                int h = below(n + 1);
                h = h == w ? 0 : h;
                vote[n_vote] = (ig_tree_vote){w, h, 100 * w + h, k == 0};
                n_vote++;
            }
        assert_ok(ig_tree_join(head, label, n, vote, n_vote, &err), &err);
        assert_true(is_tree(head, n));
        assert_int_equal(votes_for(head, vote, n_vote), most_votes(n, vote, n_vote));
        for (int w = 1; w <= n; w++) {
            bool any = false;
            for (int v = 0; v < n_vote; v++)
                any |= vote[v].word == w && vote[v].head == head[w - 1];
            if (any)
                assert_int_equal(label[w - 1], 100 * w + head[w - 1]);
            else
                assert_int_equal(label[w - 1] / 100, w);
        }
    }
}

/* Two sequences, each with a root of its own and nothing in common: one root, the other hangs on
 * the nearest word; a word that is in neither has no head. */
static void by_hand(void **state)
{
    (void)state;
    ig_err err;
    static const ig_tree_vote vote[] = {
        {1, 2, 7, true}, {2, 0, 8, true}, {4, 5, 9, true}, {5, 0, 8, true}};
    static const int32_t want[] = {2, 0, -1, 5, 2}, labels[] = {7, 8, -1, 9, 8};
    int32_t head[5], label[5];
    assert_ok(ig_tree_join(head, label, 5, vote, 4, &err), &err);
    assert_memory_equal(head, want, sizeof want);
    assert_memory_equal(label, labels, sizeof labels);
    /* An own sequence outweighs another one, and not two. */
    static const ig_tree_vote some[] = {
        {1, 0, 1, true}, {2, 1, 2, true}, {3, 2, 3, true}, {3, 1, 4, false}, {3, 1, 5, false}};
    assert_ok(ig_tree_join(head, label, 3, some, 4, &err), &err);
    assert_int_equal(head[2], 2);
    assert_int_equal(label[2], 3);
    assert_ok(ig_tree_join(head, label, 3, some, 5, &err), &err);
    assert_int_equal(head[2], 1);
    assert_int_equal(label[2], 4);
    assert_ok(ig_tree_join(head, label, 3, some, 0, &err), &err);
    assert_int_equal(head[0], -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_best_of_all_trees),
                                       cmocka_unit_test(by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
