/* SPDX-License-Identifier: Apache-2.0
 *
 * Instances against brute force: streams, pairs of sentences, pairs of translations, what tells the
 * language. What is masked of them: test_instance_masks.c.
 */
#include "instances_fixture.h"

/* --- stream */

/* [SEP] after each sentence, of language k, in one array. */
static int32_t *whole_stream(const ig_corpus *c, int k, int64_t *n)
{
    int32_t *s = malloc(sizeof *s * N * (MOST + 1));
    *n = 0;
    for (int64_t i = 0; i < N; i++) {
        int32_t id[BLOCK], len = ig_corpus_sequence(c, k, i, id);
        memcpy(s + *n, id + 1, (size_t)(len - 1) * sizeof *s);
        *n += len - 1;
    }
    return s;
}

static void stream_is_cut_without_gaps(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_corpus *c = make_corpus("shift | invert | positions | specials");
    const ig_batch_options o = options(IG_INSTANCES_STREAM);
    ig_batcher *b = make_batcher(c, &o);
    int64_t number = 0;
    for (int k = 0; k < 2; k++) {
        int64_t n;
        int32_t *s = whole_stream(c, k, &n);
        assert_int_equal(ig_batcher_first(b, k), number);
        for (int64_t at = 0; at < n; at += BLOCK, number++) {
            const int64_t len = n - at < BLOCK ? n - at : BLOCK;
            ig_batch x;
            if (len == 1)
                break;
            assert_ok(ig_batcher_get_range(b, number, number + 1, false, &x, &err), &err);
            assert_int_equal(x.n_tok, len);
            assert_memory_equal(x.id, s + at, (size_t)len * sizeof *s);
            for (int32_t j = 0; j < len; j++) {
                assert_int_equal(x.pos[j], j + (k == 1 ? BLOCK : 0));
                assert_int_equal(x.seg[j], 2 * k);
            }
            assert_int_equal(x.language[0], k);
            assert_null(x.target[IG_HEAD_NEXT].label);
        }
        free(s);
    }
    assert_int_equal(number, ig_batcher_n_sequence(b));
    ig_batcher_free(b);
    ig_corpus_free(c);
}

/* --- pairs */

/* The tokens from..to−1 are a stretch of the text, their language's. */
static void assert_stretch(const int32_t *id, int32_t from, int32_t to)
{
    assert_true(to > from);
    for (int32_t j = from + 1; j < to; j++)
        assert_int_equal(id[j], id[j - 1] + 1);
}

static void pairs(void **state)
{
    (void)state;
    enum { DOCUMENT = 20 };
    ig_corpus *c = make_corpus("shift | positions | specials");
    ig_batch_options o = options(IG_INSTANCES_PAIRS);
    o.document = DOCUMENT;
    o.copies = 3;
    ig_batcher *b = make_batcher(c, &o);
    int64_t n_random = 0, n_pair = 0, n_cut = 0;
    /* A document is DOCUMENT sentences that are not empty. */
    int32_t document[N], n_full = 0;
    for (int i = 0; i < N; i++)
        document[i] = length_of[i] > 0 ? n_full++ / DOCUMENT : -1;
    int64_t *seen = calloc((size_t)ig_corpus_vocab_size(c), sizeof *seen);
    for (int64_t step = 0; step < ig_batcher_steps_per_epoch(b); step++) {
        int32_t id[ROOM];
        ig_batch x = get(b, step);
        restore(&x, id);
        for (int32_t q = 0; q < x.n_seq; q++, n_pair++) {
            const int32_t at = x.seq_start[q], end = x.seq_start[q + 1];
            const int32_t k = x.language[q], cls = k * vocab + 2, sep = k * vocab + 3;
            int32_t mid = at + 1;
            assert_int_equal(id[at], cls);
            while (id[mid] != sep)
                mid++;
            assert_int_equal(id[end - 1], sep);
            assert_true(end - at <= BLOCK && mid < end - 1);
            assert_stretch(id, at + 1, mid);
            assert_stretch(id, mid + 1, end - 1);
            for (int32_t j = at; j < end; j++) {
                assert_int_equal(x.pos[j], j - at + k * BLOCK);
                assert_int_equal(x.seg[j], 2 * k + (j > mid));
                assert_int_equal(id[j] / vocab, k);
                seen[id[j]]++;
            }
            assert_in_range(x.target[IG_HEAD_NEXT].label[q], 0, 1);
            n_random += x.target[IG_HEAD_NEXT].label[q];
            const int32_t a = sentence_of[id[mid - 1] % vocab],
                          next = sentence_of[id[mid + 1] % vocab];
            if (x.target[IG_HEAD_NEXT].label[q] == 1) {
                assert_int_not_equal(document[a], document[next]);
                continue;
            }
            /* The next tokens, unless some were lost between the parts. */
            assert_int_equal(document[a], document[next]);
            assert_true(id[mid + 1] > id[mid - 1]);
            if (end - at < BLOCK)
                assert_int_equal(id[mid + 1], id[mid - 1] + 1);
            else
                n_cut += id[mid + 1] > id[mid - 1] + 1;
        }
    }
    assert_true(n_cut > 0);
    /* Half of the pairs are random, and those of a single sentence. */
    assert_in_range(n_random, n_pair * 45 / 100, n_pair * 65 / 100);
    /* All of the text is used, but for what cutting takes. */
    int64_t n_seen = 0;
    for (int32_t i = FIRST; i < vocab; i++)
        n_seen += (seen[i] > 0) + (seen[vocab + i] > 0);
    assert_true(n_seen >= 2 * (vocab - FIRST) * 95 / 100);
    assert_int_equal(n_pair, ig_batcher_n_sequence(b));
    free(seen);
    ig_batcher_free(b);
    ig_corpus_free(c);
}

/* Left to itself, a document is a part of a text however small, and no copy of a language is short
 * as a whole. */
static void documents_go_by_the_text(void **state)
{
    (void)state;
    static const struct {
        int64_t n, asked, size;
    } of[] = {{1, 0, 32},         {3200, 0, 32},       {10000, 0, 100}, {409600, 0, 4096},
              {9000000, 0, 4096}, {10000, 4096, 4096}, {10000, 7, 7}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        assert_int_equal(ig_pairs_document(of[i].n, of[i].asked), of[i].size);
    ig_err err = {0};
    enum { COPIES = 60 };
    for (int one = 0; one < 2; one++) {
        ig_corpus *c = make_corpus("shift");
        ig_batch_options o = options(IG_INSTANCES_PAIRS);
        ig_instances *x;
        o.copies = COPIES;
        o.document = one ? 4096 : 0;
        assert_ok(ig_instances_new(&x, c, &o, 11, &err), &err);
        int64_t n[COPIES] = {0}, least = INT64_MAX, most = 0;
        for (int64_t i = 0; i < ig_instances_count(x, 0); i++)
            n[ig_instances_copy(x, 0, i)]++;
        for (int k = 0; k < COPIES; k++) {
            least = n[k] < least ? n[k] : least;
            most = n[k] > most ? n[k] : most;
        }
        print_message("pairs of a copy: %lld to %lld\n", (long long)least, (long long)most);
        assert_true(one ? most > 2 * least : most < 2 * least);
        ig_instances_free(x);
        ig_corpus_free(c);
    }
}

static void next_of_any_language(void **state)
{
    (void)state;
    ig_corpus *c = make_corpus("shift | positions");
    ig_batch_options o = options(IG_INSTANCES_PAIRS);
    o.document = 20;
    o.next_from = IG_NEXT_ANY;
    ig_batcher *b = make_batcher(c, &o);
    int64_t n[2][2] = {{0}};
    for (int64_t step = 0; step < ig_batcher_steps_per_epoch(b); step++) {
        int32_t id[ROOM];
        ig_batch x = get(b, step);
        restore(&x, id);
        for (int32_t q = 0; q < x.n_seq; q++) {
            const int32_t last = x.seq_start[q + 1] - 2, first = x.seq_start[q] + 1;
            const bool other = id[last] / vocab != id[first] / vocab;
            assert_int_equal(id[first] / vocab, x.language[q]);
            assert_int_equal(x.seg[last], 2 * (id[last] / vocab) + 1);
            assert_int_equal(x.pos[last],
                             last - x.seq_start[q] + (id[last] / vocab == 1 ? BLOCK : 0));
            n[x.target[IG_HEAD_NEXT].label[q]][other]++;
        }
    }
    assert_int_equal(n[0][1], 0);
    assert_true(n[1][1] > n[1][0] / 2 && n[1][0] > n[1][1] / 2);
    ig_batcher_free(b);
    ig_corpus_free(c);
}

/* --- two languages in one sequence */

static void translation_pairs(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_corpus *c = make_corpus("shift | invert | positions | specials");
    ig_batch_options o = options(IG_INSTANCES_LINES);
    o.n_tlm = 2;
    o.tlm[0].a = 0;
    o.tlm[0].b = 1;
    o.tlm[1].a = 1;
    o.tlm[1].b = 0;
    ig_batcher *b = make_batcher(c, &o);
    assert_int_equal(ig_batcher_n_sequence(b), 4 * N);
    assert_int_equal(ig_batcher_first(b, 2), 2 * N);
    for (int64_t i = 0; i < 2 * N; i++) {
        ig_batch x;
        const int first = i < N ? 0 : 1;
        assert_ok(ig_batcher_get_range(b, 2 * N + i, 2 * N + i + 1, false, &x, &err), &err);
        for (int part = 0, at = 0; part < 2; part++) {
            const int k = part == 0 ? first : 1 - first;
            int32_t id[BLOCK], n = ig_corpus_sequence(c, k, i % N, id);
            assert_memory_equal(x.id + at, id, (size_t)n * sizeof *id);
            for (int32_t j = 0; j < n; j++, at++) {
                assert_int_equal(x.pos[at], j + k * BLOCK);
                assert_int_equal(x.seg[at], 2 * k);
            }
            assert_true(part == 0 || at == x.n_tok);
        }
    }
    /* Single-language batches of the rest are as without, and masks of both sides are drawn. */
    int64_t chosen[2] = {0};
    for (int64_t step = 0; step < ig_batcher_steps_per_epoch(b); step++) {
        ig_batch x = get(b, step);
        for (int32_t p = 0; p < x.target[IG_HEAD_MASKED].n; p++) {
            const int k = x.target[IG_HEAD_MASKED].label[p] / vocab;
            const int32_t now = x.id[x.target[IG_HEAD_MASKED].row[p]];
            assert_true(now != (1 - k) * vocab + 4 || k == 0);
            chosen[k]++;
        }
    }
    assert_in_range(chosen[0], chosen[1] * 9 / 10, chosen[1] * 11 / 10);
    assert_in_range(chosen[0], 3 * (vocab - FIRST) * 25 / 100, 3 * (vocab - FIRST) * 35 / 100);
    ig_batcher_free(b);
    ig_corpus_free(c);
    /* Half of a text beside all of it: the sentences that both have, wherever they stand. */
    c = make_corpus("shift | half:second");
    o.n_tlm = 1;
    b = make_batcher(c, &o);
    const int64_t half = ig_corpus_n_sequence(c, 1);
    assert_int_equal(ig_batcher_n_sequence(b), N + 2 * half);
    for (int64_t i = 0; i < half; i++) {
        ig_batch x;
        int32_t first[BLOCK], second[BLOCK];
        const int64_t at = N + half + i;
        const int32_t n = ig_corpus_sequence(c, 0, N - half + i, first),
                      m = ig_corpus_sequence(c, 1, i, second);
        assert_ok(ig_batcher_get_range(b, at, at + 1, false, &x, &err), &err);
        assert_int_equal(x.n_tok, n + m);
        assert_memory_equal(x.id, first, (size_t)n * sizeof *first);
        assert_memory_equal(x.id + n, second, (size_t)m * sizeof *second);
    }
    ig_batcher_free(b);
    ig_corpus_free(c);
    const ig_language_spec apart[2] = {
        {.name = "en", .pipeline = "half:first", .source = shard},
        {.name = "fake", .pipeline = "shift | half:second", .source = shard}};
    const ig_corpus_options co = fixture_options(vocab, BLOCK);
    assert_ok(ig_corpus_new(&c, apart, 2, &co, &err), &err);
    assert_int_equal(ig_batcher_new(&b, c, &o, 1, &err), IG_ERR_USAGE);
    assert_string_equal(err.where, "tlm");
    ig_corpus_free(c);
}

/* --- what tells the language */

static void markers_and_segments(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_corpus *c;
    ig_corpus_options o = fixture_options(vocab, BLOCK);
    ig_language_spec spec[3] = {
        {.name = "en", .pipeline = "marker", .source = shard},
        {.name = "a", .pipeline = "marker | shift | specials | segment:7", .source = shard},
        {.name = "b", .pipeline = "shift | positions | segment:3 | marker", .source = shard}};
    assert_ok(ig_corpus_new(&c, spec, 3, &o, &err), &err);
    assert_int_equal(ig_corpus_vocab_size(c), 3 * vocab + 3);
    static const int32_t segment[] = {0, 7, 3};
    for (int k = 0; k < 3; k++) {
        const ig_language *l = ig_corpus_language(c, k);
        int32_t id[BLOCK], n = ig_corpus_sequence(c, k, 0, id);
        assert_int_equal(l->sep, 3 * vocab + k);
        assert_int_equal(l->cls, k == 1 ? vocab + 2 : 2);
        assert_int_equal(l->segment, segment[k]);
        assert_int_equal(id[n - 1], l->sep);
    }
    /* A marker is no word: it is never predicted, nor put in another's place by `nonspecial`. */
    for (int own = 0; own < 2; own++) {
        ig_batch_options m = options(IG_INSTANCES_STREAM);
        m.mask_share = 0;
        m.random_share = 1;
        m.mask_prob = 1;
        m.random_vocab = own ? IG_RANDOM_OWN : IG_RANDOM_NONSPECIAL;
        ig_batcher *b = make_batcher(c, &m);
        for (int64_t step = 0; step < ig_batcher_steps_per_epoch(b); step++) {
            ig_batch x = get(b, step);
            for (int32_t p = 0; p < x.target[IG_HEAD_MASKED].n; p++) {
                assert_in_range(x.target[IG_HEAD_MASKED].label[p], 1, 3 * vocab - 1);
                assert_in_range(x.id[x.target[IG_HEAD_MASKED].row[p]], 5, 3 * vocab - 1);
            }
        }
        ig_batcher_free(b);
    }
    ig_corpus_free(c);
    static const char *const bad[] = {
        "segment",  "segment:",     "segment:-1", "segment:1x", "segment:1 | segment:2",
        "marker:1", "segment:99999"};
    for (int i = 0; i < 7; i++) {
        spec[0].pipeline = bad[i];
        assert_int_equal(ig_corpus_new(&c, spec, 1, &o, &err), IG_ERR_USAGE);
    }
}

static void bad_options(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_corpus *c = make_corpus("shift");
    ig_batch_options bad[4];
    for (int i = 0; i < 4; i++)
        bad[i] = options(IG_INSTANCES_PAIRS);
    bad[0].copies = -1;
    bad[1].document = -1;
    bad[2].n_tlm = 1;
    bad[2].tlm[0].b = 0;
    bad[3].next_from = IG_NEXT_ANY;
    bad[3].shift_special = IG_VARIANT_PAPER_CODE;
    for (int i = 0; i < 4; i++) {
        ig_batcher *b;
        assert_int_equal(ig_batcher_new(&b, c, &bad[i], 0, &err), IG_ERR_USAGE);
        assert_null(b);
    }
    ig_corpus_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_is_cut_without_gaps),
        cmocka_unit_test(pairs),
        cmocka_unit_test(documents_go_by_the_text),
        cmocka_unit_test(next_of_any_language),
        cmocka_unit_test(translation_pairs),
        cmocka_unit_test(markers_and_segments),
        cmocka_unit_test(bad_options),
    };
    return cmocka_run_group_tests(tests, instances_setup, instances_teardown);
}
