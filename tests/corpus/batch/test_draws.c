/* SPDX-License-Identifier: Apache-2.0
 *
 * Which draws are whose: random ids go over the whole vocabulary and have nothing to do with the
 * draw that chose "random"; passes, copies, groups of parallel text and steps of one kind draw
 * apart; each language with positions of its own has a segment of its own.
 */
#include "corpus_fixture.h"

#include "corpus/batch/batcher.h"
#include "corpus/batch/instances.h"
#include "isoglot/batch.h"

enum { V = 205, BLOCK = 14, N = 300, CONTENT = V - 5 };

static ig_shard *shard;
static ig_err err;

static int setup(void **state)
{
    if (fixture_setup(state) != 0)
        return -1;
    shard = fixture_shard("a.shard", N, 12, V, 9);
    return 0;
}

static int teardown(void **state)
{
    ig_shard_close(shard);
    return fixture_teardown(state);
}

static ig_corpus *make_corpus(const char *first, const char *second)
{
    ig_corpus *c;
    const ig_corpus_options o = fixture_options(V, BLOCK);
    const ig_language_spec spec[2] = {{.name = "en", .pipeline = first, .source = shard},
                                      {.name = "fake", .pipeline = second, .source = shard}};
    assert_ok(ig_corpus_new(&c, spec, 2, &o, &err), &err);
    return c;
}

static ig_batch_options options(void)
{
    return (ig_batch_options){
        .batch = 16, .tlm_share = 1, .mask_prob = .5, .mask_share = .8, .random_share = .1};
}

/* Ten parts of the vocabulary get as many random ids each, within five standard errors; those of
 * the own language are its own. */
static void random_ids_are_uniform(void **state)
{
    (void)state;
    const ig_random_vocab of[] = {IG_RANDOM_NONSPECIAL, IG_RANDOM_OWN, IG_RANDOM_ALL};
    for (int kind = 0; kind < 3; kind++) {
        ig_corpus *c = make_corpus("", "shift");
        ig_batch_options o = options();
        ig_batcher *b;
        int64_t part[2][10] = {{0}}, n[2] = {0};
        o.random_vocab = of[kind];
        assert_ok(ig_batcher_new(&b, c, &o, 3, &err), &err);
        for (int64_t step = 0; step < 80 * ig_batcher_steps_per_epoch(b); step++) {
            ig_batch x;
            assert_ok(ig_batcher_get(b, step, &x, &err), &err);
            for (int32_t p = 0; p < x.target[IG_HEAD_MASKED].n; p++) {
                const int32_t label = x.target[IG_HEAD_MASKED].label[p],
                              now = x.id[x.target[IG_HEAD_MASKED].row[p]];
                const int k = label >= V;
                if (now == label || now % V < 5 || label % V < 5)
                    continue;
                assert_true(of[kind] != IG_RANDOM_OWN || now / V == k);
                n[k]++;
                part[k][(now % V - 5) * 10 / CONTENT]++;
            }
        }
        for (int k = 0; k < 2; k++) {
            assert_true(n[k] > 2000);
            for (int i = 0; i < 10; i++)
                assert_true(fabs((double)part[k][i] - (double)n[k] / 10) <
                            5 * sqrt((double)n[k] * .09));
        }
        ig_batcher_free(b);
        ig_corpus_free(c);
    }
}

/* The chosen places of every sequence of language 0 that has tokens, by copy, in one epoch. */
static void chosen(uint32_t (*mask)[N], ig_batcher *b, int copies, int64_t epoch)
{
    const int64_t steps = ig_batcher_steps_per_epoch(b);
    int seen[N] = {0};
    memset(mask, 0, sizeof *mask * (size_t)copies);
    static int32_t id[64 * BLOCK];
    for (int64_t step = epoch * steps; step < (epoch + 1) * steps; step++) {
        ig_batch x;
        assert_ok(ig_batcher_get(b, step, &x, &err), &err);
        memcpy(id, x.id, (size_t)x.n_tok * sizeof *id);
        for (int32_t p = 0; p < x.target[IG_HEAD_MASKED].n; p++)
            id[x.target[IG_HEAD_MASKED].row[p]] = x.target[IG_HEAD_MASKED].label[p];
        for (int32_t q = 0, p = 0; q < x.n_seq; q++) {
            uint32_t bits = 0;
            for (; p < x.target[IG_HEAD_MASKED].n &&
                   x.target[IG_HEAD_MASKED].row[p] < x.seq_start[q + 1];
                 p++)
                bits |= 1u << (x.target[IG_HEAD_MASKED].row[p] - x.seq_start[q]);
            if (x.language[q] != 0)
                continue;
            /* Which sentence: by its tokens. */
            for (int64_t s = 0; s < N; s++) {
                int32_t n;
                const int32_t *text = ig_shard_sentence(shard, s, &n);
                n = n < BLOCK - 2 ? n : BLOCK - 2;
                if (n < 6 || n != x.seq_start[q + 1] - x.seq_start[q] - 2 ||
                    memcmp(text, id + x.seq_start[q] + 1, (size_t)n * sizeof *id) != 0)
                    continue;
                if (seen[s] < copies)
                    mask[seen[s]++][s] = bits;
                break;
            }
        }
    }
}

/* Masks of the copies of two epochs are six different ones: none is the same for all sentences, in
 * whatever order the copies come. */
static void passes_and_copies_draw_apart(void **state)
{
    (void)state;
    enum { COPIES = 3 };
    static uint32_t mask[2 * COPIES][N];
    ig_corpus *c = make_corpus("", "shift");
    ig_batch_options o = options();
    ig_batcher *b;
    o.copies = COPIES;
    assert_ok(ig_batcher_new(&b, c, &o, 3, &err), &err);
    chosen(mask, b, COPIES, 0);
    chosen(mask + COPIES, b, COPIES, 1);
    int64_t same = 0, n = 0;
    for (int s = 0; s < N; s++)
        for (int i = 0; i < 2 * COPIES && mask[0][s] != 0; i++)
            for (int j = 0; j < i; j++, n++)
                same += mask[i][s] == mask[j][s];
    assert_true(n > 1000);
    /* Six and more places at one half each: at most one in 64 by chance. */
    assert_true(same < n / 30);
    ig_batcher_free(b);
    ig_corpus_free(c);
}

/* "en-fake" and "fake-en" of one sentence have masks of their own, and others than its by itself.
 */
static void groups_of_parallel_text_draw_apart(void **state)
{
    (void)state;
    ig_corpus *c = make_corpus("", "shift");
    ig_batch_options o = options();
    ig_batcher *b;
    o.n_tlm = 2;
    o.tlm[0].b = 1;
    o.tlm[1].a = 1;
    assert_ok(ig_batcher_new(&b, c, &o, 3, &err), &err);
    int64_t same[2] = {0}, n = 0;
    for (int64_t s = 0; s < N; s++) {
        uint32_t bits[3] = {0}; /* of the English side: alone, first, second */
        int32_t length = 0;
        for (int g = 0; g < 3; g++) {
            ig_batch x;
            const int64_t at = (g == 0 ? 0 : g + 1) * (int64_t)N + s;
            assert_ok(ig_batcher_get_range(b, at, at + 1, true, &x, &err), &err);
            length = g == 0 ? x.n_tok : length;
            const int32_t from = g == 2 ? length : 0;
            for (int32_t p = 0; p < x.target[IG_HEAD_MASKED].n; p++) {
                const int32_t row = x.target[IG_HEAD_MASKED].row[p] - from;
                if (row >= 0 && row < length)
                    bits[g] |= 1u << row;
            }
        }
        if (length < 8)
            continue;
        n++;
        same[0] += bits[1] == bits[2];
        same[1] += bits[0] == bits[1] || bits[0] == bits[2];
    }
    assert_true(n > 100 && same[0] < n / 10 && same[1] < n / 10);
    ig_batcher_free(b);
    ig_corpus_free(c);
}

/* The second of two shuffles is not the first one again. */
static void steps_of_a_kind_draw_apart(void **state)
{
    (void)state;
    const char *const kind[] = {"permute:1", "swap:1", "window:4"};
    for (size_t k = 0; k < 3; k++) {
        char twice[64];
        int64_t same = 0, n = 0;
        snprintf(twice, sizeof twice, "%s | %s", kind[k], kind[k]);
        const ig_corpus_options o = fixture_options(V, BLOCK);
        /* One name, so that the first steps draw alike. */
        ig_corpus *c[2];
        for (int i = 0; i < 2; i++) {
            const ig_language_spec spec = {
                .name = "x", .pipeline = i == 0 ? kind[k] : twice, .source = shard};
            assert_ok(ig_corpus_new(&c[i], &spec, 1, &o, &err), &err);
        }
        for (int64_t s = 0; s < N; s++) {
            int32_t id[BLOCK], len, once[BLOCK], both[BLOCK], to[BLOCK];
            uint32_t origin[2][BLOCK], word[BLOCK];
            len = ig_corpus_content(c[0], 0, s, BLOCK - 2, once, origin[0], word);
            assert_int_equal(ig_corpus_content(c[1], 0, s, BLOCK - 2, both, origin[1], word), len);
            if (len < 8)
                continue;
            /* once[j] stood at place to[j]; done again, place j would get what stood at to[to[j]].
             */
            for (int32_t j = 0; j < len; j++)
                to[j] = (int32_t)(origin[0][j] & 0xFFFF) - 1;
            bool again = true;
            for (int32_t j = 0; j < len; j++) {
                id[j] = to[to[j]] + 1;
                again = again && id[j] == (int32_t)(origin[1][j] & 0xFFFF);
            }
            n++;
            same += again;
        }
        assert_true(n > 50 && same < n / 4);
        ig_corpus_free(c[0]);
        ig_corpus_free(c[1]);
    }
}

static void each_positioned_language_has_its_segment(void **state)
{
    (void)state;
    ig_corpus *c;
    for (int parts = 1; parts <= 2; parts++) {
        ig_corpus_options o = fixture_options(V, BLOCK);
        const ig_language_spec spec[4] = {
            {.name = "en", .pipeline = "", .source = shard},
            {.name = "a", .pipeline = "shift | positions", .source = shard},
            {.name = "b", .pipeline = "shift", .source = shard},
            {.name = "c", .pipeline = "shift | positions", .source = shard}};
        o.parts = parts;
        assert_ok(ig_corpus_new(&c, spec, 4, &o, &err), &err);
        const int32_t offset[] = {0, BLOCK, 0, 2 * BLOCK}, segment[] = {0, 1, 0, 2};
        for (int k = 0; k < 4; k++) {
            assert_int_equal(ig_corpus_language(c, k)->pos_offset, offset[k]);
            assert_int_equal(ig_corpus_language(c, k)->segment, parts * segment[k]);
        }
        ig_corpus_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_ids_are_uniform),
        cmocka_unit_test(passes_and_copies_draw_apart),
        cmocka_unit_test(groups_of_parallel_text_draw_apart),
        cmocka_unit_test(steps_of_a_kind_draw_apart),
        cmocka_unit_test(each_positioned_language_has_its_segment),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
