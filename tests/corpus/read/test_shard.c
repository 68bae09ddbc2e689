/* SPDX-License-Identifier: Apache-2.0
 *
 * Token shards: what goes in comes out; a file with any bit changed, any length cut, or with sizes
 * that lie under valid checksums is refused.
 */
#include "corpus_fixture.h"

#include "corpus/read/sentences.h"

static void round_trip(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_shard_writer *w;
    ig_shard *s;
    const char *path = fixture_path("trip.shard");
    /* Enough for several blocks, an odd number of tokens, empty sentences. */
    static int32_t id[3][70001];
    int32_t n[3] = {70001, 0, 5};
    for (int k = 0; k < 3; k++)
        for (int32_t i = 0; i < n[k]; i++)
            id[k][i] = (i * 7 + k) % 1000;
    assert_ok(ig_shard_create(&w, path, 1000, 0x1234567890ABCDEFu, &err), &err);
    for (int round = 0; round < 3; round++)
        for (int k = 0; k < 3; k++)
            assert_ok(ig_shard_add(w, id[k], n[k], &err), &err);
    assert_false(ig_file_exists(path));
    assert_ok(ig_shard_commit(w, &err), &err);
    assert_ok(ig_shard_open(&s, path, &err), &err);
    assert_int_equal(s->n_sentence, 9);
    assert_int_equal(s->n_token, 3 * 70006);
    assert_int_equal(s->vocab_size, 1000);
    assert_true(s->vocab_hash == 0x1234567890ABCDEFu);
    for (int64_t i = 0; i < 9; i++) {
        int32_t k;
        const int32_t *got = ig_shard_sentence(s, i, &k);
        assert_int_equal(k, n[i % 3]);
        assert_memory_equal(got, id[i % 3], (size_t)k * 4);
    }
    ig_shard_close(s);
}

static void empty_and_discarded(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_shard_writer *w;
    ig_shard *s;
    assert_ok(ig_shard_create(&w, fixture_path("empty.shard"), 10, 0, &err), &err);
    assert_ok(ig_shard_commit(w, &err), &err);
    assert_ok(ig_shard_open(&s, fixture_path("empty.shard"), &err), &err);
    assert_int_equal(s->n_sentence, 0);
    ig_shard_close(s);
    assert_ok(ig_shard_create(&w, fixture_path("gone.shard"), 10, 0, &err), &err);
    int32_t bad = 10;
    assert_int_equal(ig_shard_add(w, &bad, 1, &err), IG_ERR_INPUT);
    ig_shard_discard(w);
    assert_false(ig_file_exists(fixture_path("gone.shard")));
    ig_shard_close(NULL);
    ig_shard_discard(NULL);
}

static void damage_is_refused(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_shard *s = fixture_shard("whole.shard", 7, 9, 30, 1);
    ig_shard_close(s);
    char *whole;
    int64_t size;
    assert_ok(ig_file_read(&whole, &size, fixture_path("whole.shard"), 100000, &err), &err);
    for (int64_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++) {
            whole[i] = (char)(whole[i] ^ (1 << bit));
            write_fast(fixture_path("bad.shard"), whole, size);
            assert_int_equal(ig_shard_open(&s, fixture_path("bad.shard"), &err), IG_ERR_INPUT);
            assert_null(s);
            assert_non_null(strstr(err.msg, "byte "));
            whole[i] = (char)(whole[i] ^ (1 << bit));
            if (i > 200)
                break; /* one bit of each further byte is enough */
        }
    for (int64_t n = 0; n < size; n++) {
        write_fast(fixture_path("bad.shard"), whole, n);
        assert_int_equal(ig_shard_open(&s, fixture_path("bad.shard"), &err), IG_ERR_INPUT);
    }
    free(whole);
    assert_int_equal(ig_shard_open(&s, fixture_dir, &err), IG_ERR_IO);
    assert_int_equal(ig_shard_open(&s, fixture_path("missing"), &err), IG_ERR_IO);
}

/* Sets `n` bytes at `at` and makes both checksums true again (docs/formats.md). */
static ig_code open_forged(const char *whole, int64_t size, int64_t at, const void *bytes, size_t n,
                           ig_err *err)
{
    char *b = malloc((size_t)size);
    memcpy(b, whole, (size_t)size);
    memcpy(b + at, bytes, n);
    uint64_t h = 0;
    for (int64_t i = 64; i < size; i += 65536)
        h = ig_hash(b + i, size - i < 65536 ? size - i : 65536, h);
    memcpy(b + 40, &h, 8);
    h = ig_hash(b, 56, 0);
    memcpy(b + 56, &h, 8);
    write_fast(fixture_path("forged.shard"), b, size);
    free(b);
    ig_shard *s;
    ig_code code = ig_shard_open(&s, fixture_path("forged.shard"), err);
    ig_shard_close(s);
    return code;
}

static void lies_are_refused(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_shard *s = fixture_shard("whole.shard", 6, 9, 30, 2);
    int64_t n_tok = s->n_token;
    ig_shard_close(s);
    char *whole;
    int64_t size;
    assert_ok(ig_file_read(&whole, &size, fixture_path("whole.shard"), 100000, &err), &err);
    int64_t starts = 64 + (n_tok + n_tok % 2) * 4;
    assert_int_equal(size, starts + 7 * 8);
    assert_ok(open_forged(whole, size, 0, "I", 1, &err), &err);
    const uint64_t huge[] = {UINT64_MAX,       UINT64_MAX / 2,     UINT64_MAX / 4, UINT64_MAX / 8,
                             1ull << 61,       (1ull << 62) + 6,   1ull << 63,     7,
                             (1ull << 61) + 6, (uint64_t)n_tok + 1};
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
        assert_int_equal(open_forged(whole, size, 24, &huge[i], 8, &err), IG_ERR_INPUT);
        if (huge[i] != 7)
            assert_int_equal(open_forged(whole, size, 32, &huge[i], 8, &err), IG_ERR_INPUT);
        for (int k = 0; k < 7; k++)
            if (huge[i] != 7 || k == 0 || k == 6)
                assert_int_equal(open_forged(whole, size, starts + k * 8, &huge[i], 8, &err),
                                 IG_ERR_INPUT);
    }
    const int32_t bad_id[] = {-1, 30, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(open_forged(whole, size, 64 + 4, &bad_id[i], 4, &err), IG_ERR_INPUT);
        assert_non_null(strstr(err.msg, "byte 68: id"));
    }
    const uint32_t version = 2, no_vocab = 0;
    assert_int_equal(open_forged(whole, size, 8, &version, 4, &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "byte 8: version 2, expected 1"));
    assert_int_equal(open_forged(whole, size, 12, &no_vocab, 4, &err), IG_ERR_INPUT);
    free(whole);
}

/* Sentences longer than a sequence are cut before a word; a word of half a part wherever it is. */
static void long_sentences(void **state)
{
    (void)state;
    static const char vocab[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\n";
    enum { N = 5000, A = 5, B = 6 };
    int32_t id[N];
    ig_tokenizer *t;
    ig_err err = {0};
    assert_ok(ig_tokenizer_parse(&t, vocab, sizeof vocab - 1, "v", NULL, &err), &err);
    for (int i = 0; i < N; i++)
        id[i] = i % 4 == 0 ? A : B;
    assert_int_equal(ig_sentence_part(t, id, 2046, 0), 2046);
    assert_int_equal(ig_sentence_part(t, id, 2047, 0), 2044);
    assert_int_equal(ig_sentence_part(t, id, N, 2044), 2044 + 2044);
    assert_int_equal(ig_sentence_part(t, id, N, 4088), N);
    for (int i = 1; i < N; i++)
        id[i] = B;
    assert_int_equal(ig_sentence_part(t, id, N, 0), 2046);
    assert_int_equal(ig_sentence_part(t, id, N, 2046), 4092);
    ig_tokenizer_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),        cmocka_unit_test(empty_and_discarded),
        cmocka_unit_test(damage_is_refused), cmocka_unit_test(lies_are_refused),
        cmocka_unit_test(long_sentences),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
