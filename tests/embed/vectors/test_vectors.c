/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of word vectors: those of other programs are read as those programs read them, all formats
 * come back bit for bit, and each kind of damage gets its own line.
 */
#include "base/file.h"
#include "base/memory.h"
#include "base/rng.h"
#include "embed/vectors/decimal.h"
#include "embed/vectors/fasttext_model.h"
#include "embed/vectors/vectors.h"
#include "fasttext_read.h"
#include "fault.h"

#define DATA IG_TEST_DATA "/embed/"

static ig_code parse(ig_vectors *v, const char *text, ig_vec_format f, ig_err *err)
{
    *err = (ig_err){0};
    return ig_vectors_parse(v,
                            &(ig_vec_memory){(const uint8_t *)text, (int64_t)strlen(text), "x.vec"},
                            (ig_vec_how){.format = f}, NULL, err);
}

static void refused(const char *text, uint64_t line, const char *why)
{
    ig_vectors v;
    ig_err err;
    ig_code code = parse(&v, text, IG_VEC_AUTO, &err);
    if (code != IG_ERR_INPUT || err.line != line || strstr(err.msg, why) == NULL)
        fail_msg("%s\n gave %d, line %llu: %s\n expected line %llu: %s", text, (int)code,
                 (unsigned long long)err.line, err.msg, (unsigned long long)line, why);
    assert_null(v.x);
}

static void damaged_text(void **state)
{
    (void)state;
    refused("", 0, "empty file");
    refused("2 3\na 1 2 3\n", 1, "found 1 row, the header says 2");
    refused("1 3\na 1 2 3\nb 1 2 3\n", 1, "found more than 1 row, the header says 1");
    refused("2 3\na 1 2 3\nb 1 2\n", 3, "found 2 values after the word, expected 3");
    refused("2 3\na 1 2 3\nb 1 2 3 4\n", 3, "found 4 values after the word, expected 3");
    refused("a 1 2 3\nb 1 2 3 4 \n", 2, "found 4 values after the word, expected 3");
    refused("2 300\na 1\nb 1\n", 2, "found 1 value after the word, expected 300");
    refused("2 3\na 1 nan 3\nb 1 2 3\n", 2, "value 2 is nan, expected a finite number");
    refused("2 3\na 1 2 3\nb 1 2 -Inf\n", 3, "value 3 is -Inf, expected a finite number");
    refused("2 3\na 1 2 3\nb 1 2 1e39\n", 3, "expected a finite number");
    refused("2 3\na 1 x2 3\nb 1 2 3\n", 2, "value 2 is 'x2', expected a number");
    refused("2 3\na 1 0x2 3\nb 1 2 3\n", 2, "value 2 is '0x2', expected a number");
    refused("2 3\na 1 2 3\nb 1 2 3 4", 3, "found 4 values after the word, expected 3");
    refused("3 3\na 1 2 3\nb 1 2 3", 1, "found 2 rows, the header says 3");
    refused("2 3\na 1 2 3\nb 1", 3, "the file ends within this line (1 of 3 values");
    refused("a 1 2 3\nb", 2, "the file ends within this line (0 of 3 values");
    refused("2 3\na 1 2 3\n\n", 1, "found 1 row, the header says 2");
    refused("2 3\na 1 2 3\n\nb 1 2 3\n", 3, "found 0 values after the word, expected 3");
    refused("1 2\n\xff 1 2\n", 0, "found no row that could be read");
    refused("0 3\n", 1, "found 0 words");
    refused("3 0\n", 1, "found 0 dimensions");
    refused("99999999999999999999 3\na 1 2 3\n", 1, "words, expected 1 to");
    refused("2000000000 60000\na 1 2 3\n", 2, "found 3 values");
    refused("word\n", 1, "found 0 values after the word");
}

static void accepted_text(void **state)
{
    (void)state;
    static const char *const text[] = {
        "2 3\na 1 -2.5 3e-1\nb 4 5 +6\n",
        "2 3\na 1 -2.5 .3 \nb 4 5. 6 \n",           /* fastText, word2vec: a space at the end */
        "2 3\r\na\t1\t-2.5\t0.3\r\nb\t4\t5\t6\r\n", /* CR LF, tabs */
        "a 1 -2.5 0.3\nb 4 5 6\n",
        "2 3\na 1 -2.5 0.3\nb 4 5 6", /* no line end */
        "a 1 -2.5 0.3\r\nb\t4\t5\t6 \r",
        "2 3\na 1 -2.5 0.3\nb 4 5 6\n \n\r\n\t",
        "\xEF\xBB\xBF"
        "2 3\na 1 -2.5 0.3\nb 4 5 6\n", /* a byte-order mark is none of a word */
        "\xEF\xBB\xBF"
        "a 1 -2.5 0.3\nb 4 5 6\n"};
    const float want[] = {1, -2.5f, 0.3f, 4, 5, 6};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        ig_vectors v;
        ig_err err;
        assert_ok(parse(&v, text[i], IG_VEC_AUTO, &err), &err);
        assert_int_equal(v.n, 2);
        assert_int_equal(v.d, 3);
        assert_int_equal(ig_lexicon_find(&v.words, "a", 1), 0);
        assert_memory_equal(v.x, want, sizeof want);
        assert_int_equal(ig_lexicon_find(&v.words, "b", 1), 1);
        assert_int_equal(ig_lexicon_find(&v.words, "c", 1), -1);
        ig_vectors_free(&v);
    }
}

/* Returns the words kept of a file, as "word:first value:last value" between bars. */
static void kept(const char *text, size_t size, ig_vec_how how, const char *want)
{
    char got[256] = "";
    ig_vectors v;
    ig_err err;
    assert_ok(ig_vectors_parse(&v, &(ig_vec_memory){(const uint8_t *)text, (int64_t)size, "x.vec"},
                               how, NULL, &err),
              &err);
    for (int32_t i = 0; i < v.n; i++) {
        const float *row = ig_vectors_row(&v, i);
        size_t used = strlen(got);
        snprintf(got + used, sizeof got - used, "%s:%g:%g|", ig_lexicon_get(&v.words, i),
                 (double)row[0], (double)row[v.d - 1]);
    }
    assert_string_equal(got, want);
    ig_vectors_free(&v);
}

#define KEPT(text, want, ...) kept(text, sizeof text - 1, (ig_vec_how){__VA_ARGS__}, want)

/* The last D fields are the vector, D from the header or from most of the first lines. */
static void words_with_blanks(void **state)
{
    (void)state;
    KEPT("a 1 2\n. . . 3 4\nat x@y.z 5 6\n", "a:1:2|. . .:3:4|at x@y.z:5:6|", 0);
    KEPT(". . 1 2\na 3 4\nb 5 6\n", ". .:1:2|a:3:4|b:5:6|", 0);
    KEPT("2 2\n. . 1 2\n3 3 4\n", ". .:1:2|3:3:4|", 0);
    KEPT("3 .1 2\n12 3 4\n", "3:0.1:2|12:3:4|", 0); /* numbers are words */
    KEPT("2 2\na\t1  2\nb  3 \t4 \n", "a:1:2|b:3:4|", 0);
    KEPT("2 \t2\t \r\n a 1 2\n \t. b 3 4\n", "a:1:2|. b:3:4|", 0);
    KEPT("\xE4\xBD\xA0\xE3\x80\x80\xE5\xA5\xBD 1 2\n", "\xE4\xBD\xA0\xE3\x80\x80\xE5\xA5\xBD:1:2|",
         0); /* no blank of the format */
    refused("a 1 2\nb 1 2 3\nc 1 2\n", 2, "found 3 values after the word, expected 2");
    refused("a 1 2\nb nan 1 2\nc 1 2\n", 2, "found 3 values after the word, expected 2");
}

/* As MUSE reads: the first of two is kept, and the rest of the file is read; counted with what was
 * left out, the first words of a limit are as many. */
static void bad_words_are_left_out(void **state)
{
    (void)state;
    KEPT("3 2\na 1 2\na 3 4\nb 5 6\n", "a:1:2|b:5:6|", 0);
    KEPT("3 2\na 1 2\n 3 4\nb 5 6\n", "a:1:2|b:5:6|", 0);
    KEPT("a 1 2\n\xEC\x95 3 4\nb\x01 5 6\nc 7 8\n", "a:1:2|c:7:8|", 0);
    KEPT("a 1 2\na 3 4\n\xFF 5 6\nb 7 8\na 9 9\nc 0 1\nd 2 3\n", "a:1:2|b:7:8|c:0:1|",
         .max_word = 3);
#define ROW "\0\0\200\77\0\0\0\100" /* 1 2 */
    KEPT("4 2\na " ROW "\na " ROW "\n\xE9 " ROW "\nb " ROW "\n", "a:1:2|b:1:2|", 0);
    KEPT("4 2\na " ROW " " ROW "caf\xE9 " ROW "b " ROW, "a:1:2|b:1:2|", 0);
    KEPT("4 2\na " ROW "a " ROW "b " ROW "c " ROW, "a:1:2|b:1:2|", .max_word = 2);
    /* The start of the second row does not make a text binary. */
    KEPT("2 2\na 1 2\n\xEC\x95 3 4\n", "a:1:2|", 0);
}

static void bad_rows_are_left_out_if_told(void **state)
{
    (void)state;
    KEPT("a 1 2\nb 1 2 3\nc nan 1\nd 1 x\n\ne 1\nf 3 4\ng 1 2", "a:1:2|f:3:4|g:1:2|",
         .skip_bad = true);
    KEPT("9 2\na 1 2\nb 3 4\n", "a:1:2|b:3:4|", .skip_bad = true);
    KEPT("1 2\na 1 2\nb 3 4\n", "a:1:2|b:3:4|", .skip_bad = true);
    KEPT("4 2\na " ROW "b \0\0\300\177\0\0\0\100"
         "c " ROW "d " ROW,
         "a:1:2|c:1:2|d:1:2|", .skip_bad = true);
    KEPT("9 2\na " ROW "b " ROW "c \0", "a:1:2|b:1:2|", .skip_bad = true);
#undef ROW
    ig_vectors v;
    ig_err err;
    const char *text = "2 3\na 1 2\nb 3 4\n";
    assert_int_equal(
        ig_vectors_parse(&v, &(ig_vec_memory){(const uint8_t *)text, (int64_t)strlen(text), "x"},
                         (ig_vec_how){.skip_bad = true}, NULL, &err),
        IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "found no row that could be read"));
}

/* The binary format ends a word with a blank. */
static void blanks_do_not_fit_binary_files(void **state)
{
    (void)state;
    ig_vectors v;
    ig_err err;
    assert_ok(parse(&v, "a b 1 2\nc 3 4\nd 5 6\n", IG_VEC_AUTO, &err), &err);
    assert_ok(ig_vectors_fit(&v, "x.vec", IG_VEC_AUTO, &err), &err);
    assert_int_equal(ig_vectors_write(&v, "x.bin", IG_VEC_AUTO, &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "the word 'a b' has a blank"));
    assert_int_equal(access("x.bin", F_OK), -1);
    ig_vectors_free(&v);
}

static void only_the_first(void **state)
{
    (void)state;
    ig_vectors v;
    ig_err err;
    const char *text = "3 2\na 1 2\nb 3 4\nc 5 x\n";
    assert_ok(ig_vectors_parse(&v,
                               &(ig_vec_memory){(const uint8_t *)text, (int64_t)strlen(text), "x"},
                               (ig_vec_how){.max_word = 2}, NULL, &err),
              &err);
    assert_int_equal(v.n, 2);
    ig_vectors_free(&v);
}

/* Against strtof, over all magnitudes, near the middles of floats, and with more digits than fit.
 */
static void decimals(void **state)
{
    (void)state;
    static const char *const hard[] = {"16777217",     "16777219",
                                       "0.1",          "1.17549435e-38",
                                       "1.4e-45",      "7.0064923216240853546e-46",
                                       "3.4028235e38", "3.40282357e38",
                                       "1e23",         "8388609.5",
                                       "8388608.5",    "00000000000000000000000000000012.5",
                                       "-0",           "123456789012345678901234567890e-20",
                                       "1e-400",       "5e-324"};
    ig_rng r = ig_rng_make(1, IG_STREAM_TEST, 7, 0);
    char text[64];
    float got;
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        const char *p = hard[i];
        float want = strtof(p, NULL);
        assert_true(ig_decimal_read(&p, &got) && *p == '\0');
        assert_memory_equal(&got, &want, 4);
    }
    for (int i = 0; i < 300000; i++) {
        uint32_t bits = ig_rng_u32(&r) & (i % 2 ? 0xFFFFFFFF : 0xBFFFFFFF);
        float x, y;
        memcpy(&x, &bits, 4);
        if (!isfinite(x))
            continue;
        int n = ig_decimal_write(text, x);
        assert_true(n < IG_DECIMAL_MAX);
        text[n] = '\0';
        const char *p = text;
        assert_true(ig_decimal_read(&p, &got) && *p == '\0');
        y = strtof(text, NULL);
        assert_memory_equal(&y, &x, 4);
        assert_memory_equal(&got, &x, 4);
        /* The middle between x and its neighbour, and a little beside it. */
        double middle = ((double)x + (double)nextafterf(x, INFINITY)) / 2;
        snprintf(text, sizeof text, "%.*e", 8 + i % 16, middle);
        p = text;
        y = strtof(text, NULL);
        assert_true(ig_decimal_read(&p, &got) && *p == '\0');
        assert_memory_equal(&got, &y, 4);
    }
}

/* The two formats that gensim wrote have the vectors of fastText's. */
static void other_programs(void **state)
{
    (void)state;
    static const char *const path[] = {DATA "fasttext.vec", DATA "gensim.bin",
                                       DATA "gensim_plain.txt", DATA "fasttext.bin"};
    static const ig_vec_format format[] = {IG_VEC_TEXT, IG_VEC_BINARY, IG_VEC_PLAIN,
                                           IG_VEC_FASTTEXT};
    ig_vectors v[4];
    ig_err err;
    for (int i = 0; i < 4; i++) {
        ig_map map;
        assert_ok(ig_map_open(&map, path[i], &err), &err);
        assert_int_equal(ig_vectors_detect(map.data, map.size), format[i]);
        ig_map_close(&map);
        assert_ok(ig_vectors_read(&v[i], path[i], (ig_vec_how){0}, NULL, &err), &err);
        assert_int_equal(v[i].n, 28);
        assert_int_equal(v[i].d, 6);
        for (int32_t k = 0; k < v[0].n; k++)
            assert_string_equal(ig_lexicon_get(&v[i].words, k), ig_lexicon_get(&v[0].words, k));
        if (i < 3)
            assert_memory_equal(v[i].x, v[0].x, 28 * 6 * sizeof(float));
    }
    /* fastText prints five digits. */
    assert_close(v[3].x, v[0].x, 28 * 6, 1e-9, 1e-4, "means of n-grams");
    for (int i = 0; i < 4; i++)
        ig_vectors_free(&v[i]);
}

static void fasttext_model(void **state)
{
    (void)state;
    char dir[256], path[300];
    ig_fasttext m;
    ig_vectors oov;
    ig_err err;
    float x[6];
    read_model(&m, DATA "fasttext.bin");
    assert_int_equal(m.args.bucket, 40);
    assert_int_equal(m.n_in, 28 + 40);
    assert_true(ig_lexicon_find(&m.words, "cats", 4) < 0);
    assert_ok(ig_vectors_read(&oov, DATA "fasttext_oov.txt", (ig_vec_how){0}, NULL, &err), &err);
    for (int32_t i = 0; i < oov.n; i++) {
        assert_ok(ig_fasttext_vector(&m, ig_lexicon_get(&oov.words, i),
                                     ig_lexicon_size(&oov.words, i), x, &err),
                  &err);
        assert_close(x, ig_vectors_row(&oov, i), 6, 1e-9, 1e-4, "unknown word");
    }
    fault_folder(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/m.bin", dir);
    assert_ok(ig_fasttext_write(&m, path, &err), &err);
    char *a, *b;
    int64_t na, nb;
    assert_ok(ig_file_read(&a, &na, path, 1 << 20, &err), &err);
    assert_ok(ig_file_read(&b, &nb, DATA "fasttext.bin", 1 << 20, &err), &err);
    assert_int_equal(na, nb);
    assert_memory_equal(a, b, na);
    for (int64_t n = 0; n < na; n++) {
        /* A block of its own size, so that the sanitizer sees a read beyond. */
        ig_fasttext c;
        uint8_t *exact = malloc(n > 0 ? (size_t)n : 1);
        memcpy(exact, a, (size_t)n);
        assert_int_equal(ig_fasttext_parse(&c, exact, n, "cut", &err), IG_ERR_INPUT);
        assert_non_null(n < 8 ? "no model" : strstr(err.msg, "the file ends within"));
        free(exact);
    }
    assert_ok(ig_dir_remove(dir, &err), &err);
    ig_free(a);
    ig_free(b);
    ig_vectors_free(&oov);
    ig_fasttext_free(&m);
}

/* The arguments come first in models of 2016, without a number that says what they are. */
static void older_fasttext_models_are_named(void **state)
{
    (void)state;
    char *a;
    int64_t n;
    ig_vectors v;
    ig_err err;
    assert_ok(ig_file_read(&a, &n, DATA "fasttext.bin", 1 << 20, &err), &err);
    for (int old = 0; old < 2; old++) {
        const uint8_t *from = (const uint8_t *)a + (old ? 8 : 0);
        a[4] = 11;
        assert_int_equal(ig_vectors_parse(&v,
                                          &(ig_vec_memory){from, n - (from - (uint8_t *)a), "m"},
                                          (ig_vec_how){0}, NULL, &err),
                         IG_ERR_INPUT);
        assert_non_null(strstr(err.msg, old ? "found a fastText model of 2016" : "of version 11"));
    }
    ig_free(a);
}

/* Entries of a dictionary that are no words: those after them keep their rows. */
static void fasttext_words_that_are_left_out(void **state)
{
    (void)state;
    char *a;
    int64_t n;
    ig_vectors whole, v;
    ig_fasttext m;
    ig_err err;
    assert_ok(ig_file_read(&a, &n, DATA "fasttext.bin", 1 << 20, &err), &err);
    const ig_vec_memory file = {(const uint8_t *)a, n, "m"};
    assert_ok(ig_vectors_parse(&whole, &file, (ig_vec_how){0}, NULL, &err), &err);
    char *entry = a + 8 + 48 + 8 + 12 + 16; /* number 0; then a count and a kind */
    entry += strlen(entry) + 1 + 9;
    entry[0] = (char)0xEC;
    assert_ok(ig_vectors_parse(&v, &file, (ig_vec_how){.max_word = 5}, NULL, &err), &err);
    assert_int_equal(v.n, 5);
    ig_vectors_free(&v);
    assert_ok(ig_vectors_parse(&v, &file, (ig_vec_how){0}, NULL, &err), &err);
    assert_int_equal(v.n, whole.n - 1);
    for (int32_t i = 0; i < v.n; i++) {
        const int32_t was = i + (i > 0);
        assert_string_equal(ig_lexicon_get(&v.words, i), ig_lexicon_get(&whole.words, was));
        assert_memory_equal(ig_vectors_row(&v, i), ig_vectors_row(&whole, was),
                            (size_t)v.d * sizeof(float));
    }
    assert_ok(ig_fasttext_parse(&m, file.data, n, "m", &err), &err);
    assert_true(ig_fasttext_named(&m, 0) && !ig_fasttext_named(&m, 1));
    ig_fasttext_free(&m);
    ig_vectors_free(&v);
    ig_vectors_free(&whole);
    ig_free(a);
}

/* Out in each format and back: the same bits; the same with a team of threads. */
static void round_trip(void **state)
{
    (void)state;
    enum { N = 1000, D = 7 };
    static const char *const name[] = {"a.vec", "a.txt", "a.bin"};
    char dir[256], path[300], word[32];
    ig_rng r = ig_rng_make(2, IG_STREAM_TEST, 0, 0);
    ig_lexicon w = {0};
    ig_vectors v, back;
    ig_team *team;
    ig_err err;
    int32_t id;
    for (int i = 0; i < N; i++) {
        int n = snprintf(word, sizeof word, "w%dß", i);
        assert_ok(ig_lexicon_add(&w, word, n, &id, &err), &err);
        assert_int_equal(id, i);
    }
    assert_ok(ig_vectors_new(&v, &w, D, &err), &err);
    for (int i = 0; i < N * D; i++)
        v.x[i] = (float)(ig_rng_normal(&r) * pow(10, (int)ig_rng_below(&r, 60) - 30));
    fault_folder(dir, sizeof dir);
    assert_ok(ig_team_new(&team, 3, &err), &err);
    for (int i = 0; i < 6; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, name[i % 3]);
        assert_ok(ig_vectors_write(&v, path, IG_VEC_AUTO, &err), &err);
        assert_ok(ig_vectors_read(&back, path, (ig_vec_how){0}, i < 3 ? NULL : team, &err), &err);
        assert_int_equal(back.n, N);
        assert_memory_equal(back.x, v.x, N * D * sizeof(float));
        for (int32_t k = 0; k < N; k++)
            assert_int_equal(ig_lexicon_find(&back.words, ig_lexicon_get(&v.words, k),
                                             ig_lexicon_size(&v.words, k)),
                             k);
        ig_vectors_free(&back);
    }
    /* A full disk leaves the old file. */
    fault_file_size(5000);
    assert_int_equal(ig_vectors_write(&v, path, IG_VEC_AUTO, &err), IG_ERR_IO);
    fault_file_size(-1);
    assert_int_equal(fault_count(dir), 3);
    assert_ok(ig_vectors_read(&back, path, (ig_vec_how){0}, NULL, &err), &err);
    ig_vectors_free(&back);
    assert_ok(ig_dir_remove(dir, &err), &err);
    ig_team_free(team);
    ig_vectors_free(&v);
}

/* A value that is no number is read by nobody, so it is not written, and the old file stays. */
static void only_numbers_are_written(void **state)
{
    (void)state;
    static const float bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    static const char *const name[] = {"a.vec", "a.txt", "a.bin"};
    char dir[256], path[300];
    ig_lexicon w = {0};
    ig_vectors v;
    ig_err err;
    int32_t id;
    assert_ok(ig_lexicon_add(&w, "one", 3, &id, &err), &err);
    assert_ok(ig_lexicon_add(&w, "two", 3, &id, &err), &err);
    assert_ok(ig_vectors_new(&v, &w, 3, &err), &err);
    fault_folder(dir, sizeof dir);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            snprintf(path, sizeof path, "%s/%s", dir, name[i]);
            write_fast(path, "old", 3);
            v.x[4] = bad[k];
            assert_int_equal(ig_vectors_write(&v, path, IG_VEC_AUTO, &err), IG_ERR_NUMERIC);
            assert_string_equal(err.where, path);
            assert_non_null(strstr(err.msg, "value 2 of the word 'two' is "));
            fault_holds(path, "old");
            assert_int_equal(fault_count(dir), i + 1);
        }
    v.x[4] = -0.0f;
    assert_ok(ig_vectors_write(&v, path, IG_VEC_AUTO, &err), &err);
    /* A fastText model likewise: both matrices. */
    ig_fasttext m = {.args = {.dim = 3}, .n_word = 2, .words = v.words, .n_in = 2, .n_out = 2};
    int64_t count[2] = {1, 1};
    float in[6] = {0}, out[6] = {0};
    m.count = count;
    m.in = in;
    m.out = out;
    for (int k = 0; k < 12; k++) {
        float *x = k < 6 ? &in[k] : &out[k - 6];
        *x = bad[k % 4];
        write_fast(path, "old", 3);
        assert_int_equal(ig_fasttext_write(&m, path, &err), IG_ERR_NUMERIC);
        fault_holds(path, "old");
        *x = 0;
    }
    assert_ok(ig_fasttext_write(&m, path, &err), &err);
    ig_vectors_free(&v);
    assert_ok(ig_dir_remove(dir, &err), &err);
}

static void damaged_binary(void **state)
{
    (void)state;
    char *a;
    int64_t n;
    ig_vectors v;
    ig_err err;
    assert_ok(ig_file_read(&a, &n, DATA "gensim.bin", 1 << 20, &err), &err);
    for (int64_t k = 5; k < n; k++) {
        uint8_t *exact = malloc((size_t)k);
        memcpy(exact, a, (size_t)k);
        ig_code code = ig_vectors_parse(&v, &(ig_vec_memory){exact, k, "cut"},
                                        (ig_vec_how){.format = IG_VEC_BINARY}, NULL, &err);
        assert_int_equal(code, IG_ERR_INPUT);
        free(exact);
    }
    assert_non_null(strstr(err.msg, "the file ends within word 28, the header says 28 words"));
    float bad = NAN;
    memcpy(a + 9, &bad, 4); /* "28 6\nthe " */
    assert_int_equal(ig_vectors_parse(&v, &(ig_vec_memory){(uint8_t *)a, n, "x"},
                                      (ig_vec_how){.format = IG_VEC_BINARY}, NULL, &err),
                     IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "word 1: value 1 is nan"));
    memset(a + 9, 0, 4);
    a[1] = '7';
    assert_int_equal(
        ig_vectors_parse(&v, &(ig_vec_memory){(uint8_t *)a, n, "x"}, (ig_vec_how){0}, NULL, &err),
        IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "after the last word, the header says 27 words"));
    ig_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_text),
        cmocka_unit_test(accepted_text),
        cmocka_unit_test(only_the_first),
        cmocka_unit_test(decimals),
        cmocka_unit_test(other_programs),
        cmocka_unit_test(fasttext_model),
        cmocka_unit_test(round_trip),
        cmocka_unit_test(only_numbers_are_written),
        cmocka_unit_test(damaged_binary),
        cmocka_unit_test(words_with_blanks),
        cmocka_unit_test(bad_words_are_left_out),
        cmocka_unit_test(bad_rows_are_left_out_if_told),
        cmocka_unit_test(blanks_do_not_fit_binary_files),
        cmocka_unit_test(older_fasttext_models_are_named),
        cmocka_unit_test(fasttext_words_that_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
