/* SPDX-License-Identifier: Apache-2.0
 *
 * The tokenizer: golden cases (tests/data/tokenizer, expectations confirmed against Hugging Face by
 * tools/check_tokenizer_parity.py), a naive longest match as an oracle, properties on random bytes,
 * and damaged vocabularies.
 */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/rng.h"
#include "isoglot/tokenizer.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>

#define VOCAB IG_TEST_DATA "/tokenizer/vocab.txt"

typedef struct {
    int32_t *id;
    int64_t n, have;
} id_list;

static ig_tokenizer *load(bool lowercase)
{
    ig_err err;
    ig_tokenizer *t;
    ig_tokenizer_options o = {.lowercase = lowercase};
    assert_ok(ig_tokenizer_load(&t, VOCAB, &o, &err), &err);
    return t;
}

static void encode(const ig_tokenizer *t, const char *text, int64_t n, id_list *ids)
{
    ig_err err;
    ids->n = 0;
    assert_ok(ig_tokenizer_encode(t, text, n, &ids->id, &ids->n, &ids->have, &err), &err);
}

/* The escapes of the golden files, decoded in place; returns the number of bytes. */
static int64_t unescape(char *s)
{
    char *to = s;
    for (char *p = s; *p != '\0'; p++) {
        if (*p != '\\') {
            *to++ = *p;
            continue;
        }
        p++;
        int digits = *p == 'u' ? 4 : *p == 'U' ? 8 : 0;
        if (digits > 0) {
            char hex[9] = {0};
            memcpy(hex, p + 1, (size_t)digits);
            to += ig_utf8_put((uint8_t *)to, (uint32_t)strtoul(hex, NULL, 16));
            p += digits;
        } else {
            *to++ = *p == 't' ? '\t' : *p == 'r' ? '\r' : *p == 'n' ? '\n' : '\\';
        }
    }
    return to - s;
}

static void golden(const char *path, bool lowercase)
{
    ig_err err;
    char *data, got[4096];
    int64_t size;
    ig_tokenizer *t = load(lowercase);
    id_list ids = {0};
    int n_case = 0, line_number = 0;
    int64_t n_input = 0;
    char *input = NULL;
    assert_ok(ig_file_read(&data, &size, path, 1 << 20, &err), &err);
    for (char *line = data, *next; line < data + size; line = next) {
        next = strchr(line, '\n');
        assert_non_null(next);
        *next++ = '\0';
        line_number++;
        if (line[0] == '<') {
            input = line + 2;
            n_input = unescape(input);
        } else if (line[0] == '>') {
            assert_non_null(input);
            encode(t, input, n_input, &ids);
            size_t n = 0;
            got[0] = '\0';
            for (int64_t i = 0; i < ids.n; i++)
                n += (size_t)snprintf(got + n, sizeof got - n, "%s%s", i > 0 ? " " : "",
                                      ig_tokenizer_piece(t, ids.id[i]));
            if (strcmp(got, line + 2) != 0)
                fail_msg("%s:%d: got '%s', want '%s'", path, line_number, got, line + 2);
            n_case++;
        }
    }
    assert_true(n_case >= 59);
    ig_free(ids.id);
    ig_free(data);
    ig_tokenizer_free(t);
}

static void golden_cased(void **state)
{
    (void)state;
    golden(IG_TEST_DATA "/tokenizer/cased.txt", false);
}

static void golden_uncased(void **state)
{
    (void)state;
    golden(IG_TEST_DATA "/tokenizer/uncased.txt", true);
}

/* Longest match by looking up every prefix of what is left. */
static int naive(const ig_tokenizer *t, const char *word, int n, int32_t *out)
{
    int n_out = 0;
    for (int i = 0; i < n;) {
        int len = n - i;
        for (; len > 0; len--) {
            char piece[64];
            snprintf(piece, sizeof piece, "%s%.*s", i > 0 ? "##" : "", len, word + i);
            if ((out[n_out] = ig_tokenizer_id(t, piece)) >= 0)
                break;
        }
        if (len == 0) {
            out[0] = ig_tokenizer_id(t, "[UNK]");
            return 1;
        }
        n_out++;
        i += len;
    }
    return n_out;
}

static void longest_match_is_naive_longest_match(void **state)
{
    (void)state;
    ig_err err;
    id_list ids = {0};
    ig_rng r = ig_rng_make(1, IG_STREAM_TEST, 0, 1);
    for (int round = 0; round < 50; round++) {
        char vocab[2048] = "[UNK]\n";
        size_t n = 6;
        for (int i = 0; i < 40; i++) {
            int len = 1 + (int)ig_rng_below(&r, 4);
            n += (size_t)snprintf(vocab + n, sizeof vocab - n, "%s",
                                  ig_rng_below(&r, 2) ? "##" : "");
            while (len-- > 0)
                vocab[n++] = (char)('a' + ig_rng_below(&r, 3));
            vocab[n++] = '\n';
        }
        ig_tokenizer *t;
        assert_ok(ig_tokenizer_parse(&t, vocab, (int64_t)n, "random", NULL, &err), &err);
        assert_int_equal(ig_tokenizer_size(t), 41);
        for (int i = 0; i < 200; i++) {
            char word[16];
            int32_t want[16];
            int len = 1 + (int)ig_rng_below(&r, 12);
            for (int k = 0; k < len; k++)
                word[k] = (char)('a' + ig_rng_below(&r, 3));
            encode(t, word, len, &ids);
            int n_want = naive(t, word, len, want);
            assert_int_equal(ids.n, n_want);
            assert_memory_equal(ids.id, want, (size_t)n_want * sizeof want[0]);
        }
        ig_tokenizer_free(t);
    }
    ig_free(ids.id);
}

/* Random mixtures of bytes, characters and vocabulary pieces. */
static int64_t random_text(ig_rng *r, const ig_tokenizer *t, char *out, int n_part)
{
    int64_t n = 0;
    for (int i = 0; i < n_part; i++) {
        const char *piece;
        switch (ig_rng_below(r, 5)) {
        case 0:
            out[n++] = (char)ig_rng_below(r, 256);
            break;
        case 1: {
            uint32_t c = ig_rng_below(r, 0x3400);
            n += ig_utf8_put((uint8_t *)out + n, c);
            break;
        }
        case 2:
            out[n++] = ' ';
            break;
        case 3:
            piece = ig_tokenizer_piece(t, (int32_t)ig_rng_below(r, 5));
            n += (int64_t)strlen(strcpy(out + n, piece));
            break;
        default:
            piece = ig_tokenizer_piece(t, (int32_t)ig_rng_below(r, (uint32_t)ig_tokenizer_size(t)));
            n += (int64_t)strlen(strcpy(out + n, piece));
        }
    }
    return n;
}

/* A space never changes what stands on either side of it; every id is in range. */
static void spaces_separate(void **state)
{
    (void)state;
    ig_rng r = ig_rng_make(1, IG_STREAM_TEST, 0, 2);
    id_list a = {0}, b = {0}, both = {0};
    char text[2048], joined[4200];
    for (int lowercase = 0; lowercase < 2; lowercase++) {
        ig_tokenizer *t = load(lowercase != 0);
        for (int i = 0; i < 3000; i++) {
            int64_t n = random_text(&r, t, text, (int)ig_rng_below(&r, 40));
            encode(t, text, n, &a);
            memcpy(joined, text, (size_t)n);
            joined[n++] = ' ';
            int64_t m = random_text(&r, t, text, (int)ig_rng_below(&r, 40));
            encode(t, text, m, &b);
            memcpy(joined + n, text, (size_t)m);
            encode(t, joined, n + m, &both);
            assert_int_equal(both.n, a.n + b.n);
            assert_memory_equal(both.id, a.id, (size_t)a.n * sizeof a.id[0]);
            assert_memory_equal(both.id + a.n, b.id, (size_t)b.n * sizeof b.id[0]);
            for (int64_t k = 0; k < both.n; k++)
                assert_in_range(both.id[k], 0, ig_tokenizer_size(t) - 1);
        }
        ig_tokenizer_free(t);
    }
    ig_free(a.id);
    ig_free(b.id);
    ig_free(both.id);
}

/* Ill-formed bytes vanish like U+FFFD does. */
static void bad_bytes_vanish(void **state)
{
    (void)state;
    static const char *const same[] = {"t\xFFhe",
                                       "th\x80"
                                       "e",
                                       "the\xC3",
                                       "\xED\xA0\x80the",
                                       "t\xF4\x90\x80\x80he",
                                       "t\xC0\xAFhe",
                                       "th\xE4\xB8"
                                       "e"};
    ig_tokenizer *t = load(false);
    id_list ids = {0};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        encode(t, same[i], (int64_t)strlen(same[i]), &ids);
        assert_int_equal(ids.n, 1);
        assert_string_equal(ig_tokenizer_piece(t, ids.id[0]), "the");
    }
    ig_free(ids.id);
    ig_tokenizer_free(t);
}

static void utf8_maximal_subparts(void **state)
{
    (void)state;
    /* The example of The Unicode Standard, table 3-8. */
    static const uint8_t text[] = {0x61, 0xF1, 0x80, 0x80, 0xE1, 0x80, 0xC2,
                                   0x62, 0x80, 0x63, 0x80, 0xBF, 0x64};
    static const uint32_t want[] = {0x61,   0xFFFD, 0xFFFD, 0xFFFD, 0x62,
                                    0xFFFD, 0x63,   0xFFFD, 0xFFFD, 0x64};
    const uint8_t *p = text, *end = text + sizeof text;
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        uint32_t c;
        assert_true(p < end);
        p += ig_utf8_next(p, end, &c);
        assert_int_equal(c, want[i]);
    }
    assert_ptr_equal(p, end);
    assert_int_equal(ig_utf8_check(text, sizeof text), 1);
    for (uint32_t c = 0; c < 0x110000; c++) {
        uint8_t bytes[4];
        uint32_t back;
        if (c >= 0xD800 && c < 0xE000)
            continue;
        int n = ig_utf8_put(bytes, c);
        assert_int_equal(ig_utf8_next(bytes, bytes + n, &back), n);
        assert_int_equal(back, c);
        assert_true(n == 1 || ig_utf8_next(bytes, bytes + n - 1, &back) == n - 1);
    }
}

static void parse_fails(const char *data, int64_t n, uint64_t line, const char *part)
{
    ig_err err = {0};
    ig_tokenizer *t;
    assert_int_equal(ig_tokenizer_parse(&t, data, n, "v.txt", NULL, &err), IG_ERR_INPUT);
    assert_null(t);
    assert_string_equal(err.where, "v.txt");
    assert_int_equal(err.line, line);
    assert_non_null(strstr(err.msg, part));
}

static void vocabularies(void **state)
{
    (void)state;
    ig_err err;
    ig_tokenizer *t;
    static const char good[] = "[UNK]\r\na\r\n\r\nb\na\nc";
    assert_ok(ig_tokenizer_parse(&t, good, sizeof good - 1, "v.txt", NULL, &err), &err);
    assert_int_equal(ig_tokenizer_size(t), 6);
    assert_string_equal(ig_tokenizer_piece(t, 2), "");
    assert_int_equal(ig_tokenizer_id(t, "a"), 4); /* of duplicates the last, as in a Python dict */
    assert_string_equal(ig_tokenizer_piece(t, 1), "a");
    assert_int_equal(ig_tokenizer_id(t, "c"), 5);
    assert_int_equal(ig_tokenizer_id(t, "[MASK]"), -1);
    assert_null(ig_tokenizer_piece(t, 6));
    assert_null(ig_tokenizer_piece(t, -1));
    ig_tokenizer_free(t);
    parse_fails("a\nb\n", 4, 0, "[UNK]");
    parse_fails("", 0, 0, "[UNK]");
    parse_fails("[UNK]\na\xFFz\n", 10, 2, "byte 2 of the line is ff");
    parse_fails("[UNK]\n\na\0b\n", 11, 3, "zero byte");
    parse_fails("[UNK]\na\rb\n", 10, 2, "carriage return");
    assert_int_equal(ig_tokenizer_load(&t, IG_TEST_DATA "/tokenizer", NULL, &err), IG_ERR_IO);
    assert_int_equal(ig_tokenizer_load(&t, IG_TEST_DATA "/tokenizer/none.txt", NULL, &err),
                     IG_ERR_IO);
    ig_tokenizer_free(NULL);
}

/* clean_text=False: what cleaning would remove stays and is part of its word. */
static void controls_kept(void **state)
{
    (void)state;
    ig_err err;
    ig_tokenizer *t;
    id_list ids = {0};
    ig_tokenizer_options keep = {.keep_controls = true};
    static const char vocab[] = "[UNK]\na\n##b\n##\xEF\xBF\xBD\n##\x01\nb\n";
    assert_ok(ig_tokenizer_parse(&t, vocab, sizeof vocab - 1, "v", &keep, &err), &err);
    encode(t,
           "a\x01"
           "b a\xFF"
           "b a\x0B"
           "b a\xE2\x80\x8B",
           17, &ids);
    static const int32_t want[] = {1, 4, 2, 1, 3, 2, 1, 5, 0};
    assert_int_equal(ids.n, 9);
    assert_memory_equal(ids.id, want, sizeof want);
    ig_free(ids.id);
    ig_tokenizer_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_cased),
        cmocka_unit_test(golden_uncased),
        cmocka_unit_test(longest_match_is_naive_longest_match),
        cmocka_unit_test(spaces_separate),
        cmocka_unit_test(bad_bytes_vanish),
        cmocka_unit_test(utf8_maximal_subparts),
        cmocka_unit_test(vocabularies),
        cmocka_unit_test(controls_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
