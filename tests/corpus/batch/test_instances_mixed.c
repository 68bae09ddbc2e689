/* SPDX-License-Identifier: Apache-2.0
 *
 * Shares of languages in sequences: parallel sentences at a share, documents that say some
 * sentences in another language. Every id tells its sentence and its place, so what is said where
 * is read off the tokens.
 */
#include "instances_fixture.h"

#include <math.h>

enum { DOCUMENT = 10, N_DOCUMENT = (N + DOCUMENT - 1) / DOCUMENT };

/* The language that each sentence of a stream is said in, by its tokens; −1: it has none. */
static void read_stream(ig_batcher *b, int language, int said[N])
{
    ig_err err = {0};
    int32_t sentence = -1, next = FIRST;
    for (int i = 0; i < N; i++)
        said[i] = -1;
    for (int64_t w = ig_batcher_first(b, language); w < ig_batcher_first(b, language + 1); w++) {
        ig_batch x;
        int32_t id[ROOM];
        assert_ok(ig_batcher_get_range(b, w, w + 1, false, &x, &err), &err);
        restore(&x, id);
        assert_int_equal(x.language[0], language);
        for (int32_t j = 0; j < x.n_tok; j++) {
            const int k = id[j] >= vocab;
            const int32_t own = id[j] - k * vocab;
            if (own < FIRST)
                continue;
            assert_int_equal(x.pos[j], j + k * BLOCK);
            /* No token is missing, and a sentence is in one language. */
            assert_int_equal(own, next);
            next++;
            assert_true(sentence_of[own] != sentence || said[sentence] == k);
            sentence = sentence_of[own];
            said[sentence] = k;
        }
    }
    assert_int_equal(next, vocab);
}

static ig_batch_options mixing(double documents, double sentences)
{
    ig_batch_options o = options(IG_INSTANCES_STREAM);
    o.document = DOCUMENT;
    o.mix_documents = documents;
    o.mix_sentences = sentences;
    return o;
}

static void documents_mix_languages(void **state)
{
    (void)state;
    static const double share[] = {.25, .5, 1};
    bool before[2][N] = {{false}};
    ig_corpus *c = make_corpus("shift | positions");
    for (int t = 0; t < 3; t++) {
        const ig_batch_options o = mixing(share[t], .4);
        ig_batcher *b = make_batcher(c, &o);
        for (int k = 0; k < 2; k++) {
            int said[N], n_mixed = 0, n_other = 0, n_in = 0;
            read_stream(b, k, said);
            for (int d = 0; d < N_DOCUMENT; d++) {
                int other = 0, n = 0;
                for (int i = d * DOCUMENT; i < (d + 1) * DOCUMENT && i < N; i++) {
                    n += said[i] >= 0;
                    other += said[i] == 1 - k;
                    assert_true(!before[k][i] || said[i] == 1 - k); /* a larger share has more */
                    before[k][i] = said[i] == 1 - k;
                }
                n_mixed += other > 0;
                n_other += other;
                n_in += other > 0 ? n : 0;
            }
            /* A document of ten sentences with none of them chosen is rare, .6^10, but the last has
             * one sentence; three standard deviations of a share of n_in sentences. */
            const double chosen = n_other / (double)n_in, most = 3 * sqrt(.24 / n_in);
            assert_in_range(n_mixed, llround(share[t] * N_DOCUMENT) - 2,
                            llround(share[t] * N_DOCUMENT));
            assert_true(fabs(chosen - .4) < most);
        }
        ig_batcher_free(b);
    }
    /* All sentences: each stream says the other's text. */
    const ig_batch_options all = mixing(1, 1);
    ig_batcher *b = make_batcher(c, &all);
    for (int k = 0; k < 2; k++) {
        int said[N];
        read_stream(b, k, said);
        for (int i = 0; i < N; i++)
            assert_true(said[i] == (length_of[i] == 0 ? -1 : 1 - k));
    }
    ig_batcher_free(b);
    ig_corpus_free(c);
}

/* Of three languages the other two are equally likely. */
static void all_other_languages_are_said(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_instances *x;
    ig_corpus *c;
    const ig_corpus_options co = fixture_options(vocab, BLOCK);
    const ig_language_spec spec[3] = {{.name = "a", .pipeline = "", .source = shard},
                                      {.name = "b", .pipeline = "shift", .source = shard},
                                      {.name = "c", .pipeline = "shift", .source = shard}};
    const ig_batch_options o = mixing(1, 1);
    assert_ok(ig_corpus_new(&c, spec, 3, &co, &err), &err);
    assert_ok(ig_instances_new(&x, c, &o, 1, &err), &err);
    static int32_t id[BLOCK], pos[BLOCK], seg[BLOCK], language[BLOCK], next;
    static ig_token_key key[BLOCK];
    const ig_instance_room room = {id, pos, seg, language, key, &next};
    int64_t n[3] = {0};
    for (int64_t w = 0; w < ig_instances_count(x, 0); w++) {
        const int32_t m = ig_instances_get(x, 0, w, &room);
        for (int32_t j = 0; j < m; j++)
            n[id[j] < FIRST ? 0 : id[j] / vocab] += id[j] >= FIRST;
    }
    assert_int_equal(n[0], 0);
    assert_in_range(n[1], (vocab - FIRST) * 4 / 10, (vocab - FIRST) * 6 / 10);
    assert_int_equal(n[1] + n[2], vocab - FIRST);
    ig_instances_free(x);
    ig_corpus_free(c);
}

static void parallel_sentences_at_a_share(void **state)
{
    (void)state;
    static const double share[] = {0.001, .25, .5, 1};
    bool before[N] = {false};
    ig_corpus *c = make_corpus("shift");
    for (int t = 0; t < 4; t++) {
        ig_batch_options o = options(IG_INSTANCES_LINES);
        bool has[N] = {false};
        o.n_tlm = 1;
        o.tlm[0].b = 1;
        o.tlm_share = share[t];
        ig_batcher *b = make_batcher(c, &o);
        const int64_t n = ig_batcher_n_sequence(b) - 2 * N;
        assert_int_equal(n, t == 0 ? 1 : llround(share[t] * N));
        for (int64_t i = 0, at = -1; i < n; i++) {
            ig_err err = {0};
            ig_batch x;
            int32_t id[ROOM], a[BLOCK];
            assert_ok(ig_batcher_get_range(b, 2 * N + i, 2 * N + i + 1, false, &x, &err), &err);
            restore(&x, id);
            int64_t s = at + 1;
            for (; s < N; s++) {
                const int32_t m = ig_corpus_sequence(c, 0, s, a);
                if (x.n_tok == 2 * m && memcmp(id, a, (size_t)m * sizeof *a) == 0)
                    break;
            }
            assert_true(s < N);
            has[at = s] = true;
        }
        for (int64_t i = 0; i < N; i++) {
            assert_true(!before[i] || has[i] || length_of[i] == 0); /* empty ones are alike */
            before[i] = has[i];
        }
        ig_batcher_free(b);
    }
    ig_corpus_free(c);
}

static void impossible_mixtures(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_batcher *b;
    ig_corpus *c = make_corpus("shift");
    ig_batch_options bad[3] = {mixing(.5, .5), mixing(.01, .5), mixing(.5, 0)};
    bad[0].instances = IG_INSTANCES_LINES;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ig_batcher_new(&b, c, &bad[i], 0, &err), IG_ERR_USAGE);
        assert_string_equal(err.where, "mix-documents");
    }
    ig_corpus_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_mix_languages), cmocka_unit_test(all_other_languages_are_said),
        cmocka_unit_test(parallel_sentences_at_a_share), cmocka_unit_test(impossible_mixtures)};
    return cmocka_run_group_tests(tests, instances_setup, instances_teardown);
}
