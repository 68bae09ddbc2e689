/* SPDX-License-Identifier: Apache-2.0
 *
 * Masks of instances, compared with brute force: independent of how sentences are put into
 * sequences, words as a whole, copies and static masks.
 */
#include "instances_fixture.h"

/* Returns the replacement of each token in an epoch: 0 not chosen, else 1 + the new id. */
static int32_t *fates(const ig_corpus *c, const ig_batch_options *o, int64_t epoch)
{
    ig_batcher *b = make_batcher(c, o);
    int32_t *fate = calloc((size_t)ig_corpus_vocab_size(c), sizeof *fate);
    const int64_t n = ig_batcher_steps_per_epoch(b);
    for (int64_t step = epoch * n; step < (epoch + 1) * n; step++) {
        ig_batch x = get(b, step);
        for (int32_t p = 0; p < x.target[IG_HEAD_MASKED].n; p++)
            fate[x.target[IG_HEAD_MASKED].label[p]] = 1 + x.id[x.target[IG_HEAD_MASKED].row[p]];
    }
    ig_batcher_free(b);
    return fate;
}

static int64_t count_chosen(const int32_t *fate, int32_t n)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += fate[i] > 0;
    return sum;
}

/* How sentences are put into sequences changes nothing of what is masked, and by what. */
static void lines_and_stream_mask_the_same(void **state)
{
    (void)state;
    ig_corpus *c = make_corpus("shift | invert");
    const int32_t v = ig_corpus_vocab_size(c);
    for (int epoch = 0; epoch < 2; epoch++) {
        ig_batch_options o = options(IG_INSTANCES_LINES);
        o.whole_words = epoch == 1;
        int32_t *lines = fates(c, &o, epoch);
        o.instances = IG_INSTANCES_STREAM;
        int32_t *stream = fates(c, &o, epoch);
        assert_true(count_chosen(lines, v) > 400);
        assert_memory_equal(lines, stream, (size_t)v * sizeof *lines);
        free(lines);
        free(stream);
    }
    ig_corpus_free(c);
}

static void words_are_chosen_as_a_whole(void **state)
{
    (void)state;
    bool *continues = calloc((size_t)vocab, sizeof *continues);
    for (int32_t i = 0; i < vocab; i++)
        continues[i] = i % 3 != 0;
    ig_corpus *c = make_corpus_of("shift | invert", continues);
    ig_batch_options o = options(IG_INSTANCES_STREAM);
    int32_t *plain = fates(c, &o, 0);
    o.whole_words = true;
    int32_t *whole = fates(c, &o, 0);
    int64_t n_more = 0, n_chosen = 0;
    for (int32_t i = FIRST; i < 2 * vocab; i++) {
        const int32_t local = i % vocab;
        if (local < FIRST)
            continue;
        const bool goes_on =
            local > FIRST && continues[local] && sentence_of[local] == sentence_of[local - 1];
        if (goes_on)
            assert_int_equal(whole[i] > 0, whole[i - 1] > 0);
        else
            assert_int_equal(whole[i], plain[i]);
        /* The replacement of a token is its own draw. */
        if (whole[i] > 0 && plain[i] > 0)
            assert_int_equal(whole[i], plain[i]);
        n_more += goes_on && whole[i] > 0 && plain[i] == 0;
        n_chosen += whole[i] > 0;
    }
    assert_true(n_more > 100);
    assert_in_range(n_chosen, (vocab - FIRST) * 2 * 25 / 100, (vocab - FIRST) * 2 * 35 / 100);
    free(plain);
    free(whole);
    free(continues);
    ig_batcher_free(NULL);
    ig_corpus_free(c);
}

/* Which places of each sentence are chosen, one bit each, by copy or epoch. */
static void collect(ig_batcher *b, int64_t from, int64_t to, uint32_t mask[][2 * N], int *n)
{
    memset(n, 0, sizeof *n * 2 * N);
    for (int64_t step = from; step < to; step++) {
        int32_t id[ROOM];
        ig_batch x = get(b, step);
        restore(&x, id);
        for (int32_t q = 0, p = 0; q < x.n_seq; q++) {
            const int32_t at = x.seq_start[q], end = x.seq_start[q + 1];
            uint32_t bits = 0;
            for (; p < x.target[IG_HEAD_MASKED].n && x.target[IG_HEAD_MASKED].row[p] < end; p++)
                bits |= 1u << (x.target[IG_HEAD_MASKED].row[p] - at);
            if (end - at < 3)
                continue;
            const int s = sentence_of[id[at + 1] % vocab] + (id[at + 1] >= vocab ? N : 0);
            assert_in_range(n[s], 0, 3);
            mask[n[s]++][s] = bits;
        }
    }
}

static bool same_bits(uint32_t a[][2 * N], uint32_t b[][2 * N], int copies, int s)
{
    for (int i = 0; i < copies; i++) {
        int in_a = 0, in_b = 0;
        for (int j = 0; j < copies; j++) {
            in_a += a[j][s] == a[i][s];
            in_b += b[j][s] == a[i][s];
        }
        if (in_a != in_b)
            return false;
    }
    return true;
}

static void copies_and_static_masks(void **state)
{
    (void)state;
    enum { COPIES = 4 };
    static uint32_t first[COPIES][2 * N], second[COPIES][2 * N], dynamic[COPIES][2 * N];
    int n[2 * N];
    ig_corpus *c = make_corpus("shift");
    ig_batch_options o = options(IG_INSTANCES_LINES);
    o.copies = COPIES;
    o.static_masks = true;
    ig_batcher *b = make_batcher(c, &o);
    assert_int_equal(ig_batcher_n_sequence(b), COPIES * 2 * N);
    const int64_t steps = ig_batcher_steps_per_epoch(b);
    collect(b, 0, steps, first, n);
    for (int s = 0; s < 2 * N; s++)
        assert_int_equal(n[s], length_of[s % N] > 0 ? COPIES : 0);
    collect(b, steps, 2 * steps, second, n);
    o.static_masks = false;
    ig_batcher *d = make_batcher(c, &o);
    collect(d, steps, 2 * steps, dynamic, n);
    int n_other = 0, n_copy = 0;
    for (int s = 0; s < 2 * N; s++) {
        if (length_of[s % N] == 0)
            continue;
        assert_true(same_bits(first, second, COPIES, s));
        n_other += !same_bits(first, dynamic, COPIES, s);
        n_copy += first[0][s] != first[1][s];
    }
    assert_true(n_other > N && n_copy > N);
    ig_batcher_free(b);
    ig_batcher_free(d);
    /* One copy has the masks of the first epoch, in the order of dynamic masks. */
    o.copies = 0;
    d = make_batcher(c, &o);
    o.static_masks = true;
    b = make_batcher(c, &o);
    for (int64_t step = 0; step < ig_batcher_steps_per_epoch(b); step++) {
        ig_batch x = get(b, step), y = get(d, step);
        assert_int_equal(x.n_tok, y.n_tok);
        assert_memory_equal(x.id, y.id, (size_t)x.n_tok * sizeof *x.id);
    }
    ig_batcher_free(b);
    ig_batcher_free(d);
    ig_corpus_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_and_stream_mask_the_same),
        cmocka_unit_test(words_are_chosen_as_a_whole),
        cmocka_unit_test(copies_and_static_masks),
    };
    return cmocka_run_group_tests(tests, instances_setup, instances_teardown);
}
