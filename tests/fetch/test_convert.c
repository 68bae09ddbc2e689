/* SPDX-License-Identifier: Apache-2.0
 *
 * Converters: what each makes of a small file in the foreign form, the mistakes it names, and
 * compressed output that the readers read.
 */
#include "base/memory.h"
#include "corpus/read/line_reader.h"
#include "fault.h"
#include "fetch/convert.h"
#include "fetch/sink.h"

enum { most_in = 3 };
static char dir[256], in_path[most_in][300], out_path[4][300];

static int set_up(void **state)
{
    (void)state;
    fault_folder(dir, sizeof dir);
    for (int i = 0; i < most_in; i++)
        snprintf(in_path[i], sizeof in_path[i], "%s/in%d", dir, i);
    for (int i = 0; i < 4; i++)
        snprintf(out_path[i], sizeof out_path[i], "%s/out%d", dir, i);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ig_err err;
    assert_ok(ig_dir_remove(dir, &err), &err);
    return 0;
}

static ig_code convert(ig_convert_kind kind, const char *const *text, int n_in,
                       char *const *language, int n_language, int n_out, int64_t *n_line,
                       ig_err *err)
{
    char *const in[] = {in_path[0], in_path[1], in_path[2]};
    char *const out[] = {out_path[0], out_path[1], out_path[2], out_path[3]};
    for (int i = 0; i < n_in; i++)
        write_fast(in_path[i], text[i], (int64_t)strlen(text[i]));
    for (int i = 0; i < 4; i++)
        unlink(out_path[i]);
    return ig_convert(n_line, &(ig_conversion){kind, in, n_in, language, n_language, out, n_out},
                      err);
}

static void one(ig_convert_kind kind, const char *a, const char *b, const char *want, int64_t lines)
{
    const char *const text[] = {a, b};
    int64_t n_line[2];
    ig_err err = {0};
    assert_ok(convert(kind, text, b != NULL ? 2 : 1, NULL, 0, 1, n_line, &err), &err);
    fault_holds(out_path[0], want);
    assert_int_equal(n_line[0], lines);
}

static void test_forms(void **state)
{
    (void)state;
    one(IG_CONVERT_COPY,
        "\xEF\xBB\xBF"
        "any\r\n\xFF",
        NULL,
        "\xEF\xBB\xBF"
        "any\r\n\xFF",
        1);
    one(IG_CONVERT_TEXT,
        "\xEF\xBB\xBF"
        "a\r\nb",
        NULL, "a\nb\n", 2);
    one(IG_CONVERT_PASTE, "a\nb\tb\n", "c\nd\n", "a\tc\nb b\td\n", 2);
    /* Sorted, in the canon's numbers; what is no book of it left out; parts of a verse together. */
    one(IG_CONVERT_VPL,
        "MAR 1:2  second \nGEN 1:1 In the\tbeginning\nTOB 1:1 apocryphal\nMRK 1:1 first\n\n"
        "PSA 119:176a one\nPSA 119:176b two\nREV 22:21 end\n1JO 1:1 x\nEXO 1:3-4 y\n",
        NULL,
        "01001001\tIn the beginning\n02001003\ty\n19119176\tone two\n41001001\tfirst\n"
        "41001002\tsecond\n62001001\tx\n66022021\tend\n",
        7);
    one(IG_CONVERT_VREF, "GEN 1:1\nGEN 1:2\nGEN 1:3\nGEN 1:4\nTOB 1:1\n", "a\n<range>\n\n b \nt\n",
        "01001001\ta\n01001004\tb\n", 2);
    one(IG_CONVERT_NLI,
        "gold_label\tx\tsentence1\tsentence2\nneutral\t1\tp "
        "q\th\n-\t2\ta\tb\nentailment\t3\tr\ts\n",
        NULL, "p q\th\tneutral\nr\ts\tentailment\n", 2);
    /* XNLI's machine translations. */
    one(IG_CONVERT_NLI, "premise\thypo\tlabel\np\th\tcontradictory\nq\tg\tneutral\n", NULL,
        "p\th\tcontradiction\nq\tg\tneutral\n", 2);
}

static void test_languages(void **state)
{
    (void)state;
    static const char *const text[] = {
        "language\tgold_label\tsentence1\tsentence2\nen\tneutral\ta\tb\nde\tcontradiction\tc\td\n"
        "xx\tneutral\ty\tz\n",
        "language\tsentence2\tsentence1\tgold_label\nde\te\tf\tentailment\nen\tg\th\tentailment\n"};
    char *const language[] = {(char[]){"de"}, (char[]){"en"}};
    int64_t n_line[4];
    ig_err err = {0};
    assert_ok(convert(IG_CONVERT_NLI, text, 2, language, 2, 4, n_line, &err), &err);
    fault_holds(out_path[0], "c\td\tcontradiction\n");
    fault_holds(out_path[1], "a\tb\tneutral\n");
    fault_holds(out_path[2], "f\te\tentailment\n");
    fault_holds(out_path[3], "h\tg\tentailment\n");
    for (int i = 0; i < 4; i++)
        assert_int_equal(n_line[i], 1);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const char head[] = "gold_label\tsentence1\tsentence2\n";
    static const struct {
        ig_convert_kind kind;
        const char *a, *b;
        uint64_t line;
        const char *part;
    } cases[] = {
        {IG_CONVERT_TEXT, "", NULL, 0, "found no line"},
        {IG_CONVERT_TEXT, "a\n\xFF\n", NULL, 2, "expected UTF-8"},
        {IG_CONVERT_VPL, "GEN 1:1 a\nGenesis 1:2 b\n", NULL, 2, "expected a verse such as"},
        {IG_CONVERT_VPL, "GEN 1 a\n", NULL, 1, "expected a verse such as"},
        {IG_CONVERT_VPL, "GEN 1:1000 a\n", NULL, 1, "expected a verse such as"},
        {IG_CONVERT_VPL, "GEN 99999999999999999999:1 a\n", NULL, 1, "expected a verse such as"},
        {IG_CONVERT_VPL, "TOB 1:1 a\n", NULL, 0, "no verse of the 66 books"},
        {IG_CONVERT_VPL, "GEN 1:1\n", NULL, 0, "no verse of the 66 books"},
        {IG_CONVERT_VREF, "GEN 1:1\nGEN 1:2\n", "a\n", 1, "ends here, expected as many lines"},
        {IG_CONVERT_VREF, "GEN 1:1\n", "a\nb\n", 1, "ends here, expected as many lines"},
        {IG_CONVERT_VREF, "x\n", "a\n", 1, "expected a verse such as"},
        {IG_CONVERT_PASTE, "a\nb\n", "a\n", 1, "ends here, expected as many lines"},
        {IG_CONVERT_PASTE, "a\n", "a\nb\n", 1, "ends here, expected as many lines"},
        {IG_CONVERT_NLI, "", NULL, 0, "expected a line of column names"},
        {IG_CONVERT_NLI, "a\tb\n", NULL, 1, "found no column 'gold_label'"},
        {IG_CONVERT_NLI, head, NULL, 0, "found no row"},
        {IG_CONVERT_NLI, "gold_label\tsentence1\tsentence2\nneutral\ta\n", NULL, 2,
         "found 2 columns, expected 3"},
        {IG_CONVERT_NLI, "gold_label\tsentence1\tsentence2\nyes\ta\tb\n", NULL, 2,
         "found label 'yes'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const text[] = {cases[i].a, cases[i].b};
        int n_in = cases[i].b != NULL ? 2 : 1;
        int64_t n_line[2];
        ig_err err = {0};
        assert_int_equal(convert(cases[i].kind, text, n_in, NULL, 0, 1, n_line, &err),
                         IG_ERR_INPUT);
        if (strstr(err.msg, cases[i].part) == NULL || err.line != cases[i].line)
            fail_msg("case %zu: line %llu: '%s'", i, (unsigned long long)err.line, err.msg);
        assert_false(ig_file_exists(out_path[0]));
    }
}

static void test_books(void **state)
{
    (void)state;
    assert_int_equal(ig_bible_book("GEN"), 1);
    assert_int_equal(ig_bible_book("MAL"), 39);
    assert_int_equal(ig_bible_book("MAT"), 40);
    assert_int_equal(ig_bible_book("REV"), 66);
    assert_int_equal(ig_bible_book("NAM"), ig_bible_book("NAH"));
    assert_int_equal(ig_bible_book("PHI"), 50);
    assert_int_equal(ig_bible_book("TOB"), 0);
    assert_int_equal(ig_bible_book(""), 0);
}

static void test_compressed(void **state)
{
    (void)state;
    static const char *const suffix[] = {"zst", "gz", "xz"};
    static const unsigned char magic[][2] = {{0x28, 0xB5}, {0x1F, 0x8B}, {0xFD, '7'}};
    for (int i = 0; i < 3; i++) {
        char path[300], *first = NULL;
        int64_t size[2];
        for (int again = 0; again < 2; again++) {
            ig_sink *s;
            ig_err err = {0};
            char *data;
            snprintf(path, sizeof path, "%s/text-%d.%s", dir, again, suffix[i]);
            assert_ok(ig_sink_open(&s, path, &err), &err);
            for (int k = 0; k < 1000; k++)
                assert_ok(ig_sink_write(s, "a line\n", 7, &err), &err);
            assert_ok(ig_sink_close(s, IG_ERR_OK, &err), &err);
            assert_ok(ig_file_read(&data, &size[again], path, 1 << 20, &err), &err);
            assert_memory_equal(data, magic[i], 2);
            assert_true(size[again] < 1000);
            if (again == 0) {
                first = data;
                continue;
            }
            assert_memory_equal(data, first, (size_t)(size[0] < size[1] ? size[0] : size[1]));
            ig_free(data);
        }
        assert_int_equal(size[0], size[1]);
        ig_free(first);
        ig_line_reader *r;
        char *line;
        int64_t n, count = 0;
        ig_err err = {0};
        assert_ok(ig_line_open(&r, path, &err), &err);
        while (ig_line_next(r, &line, &n, &err) == IG_ERR_OK && line != NULL) {
            assert_string_equal(line, "a line");
            count++;
        }
        assert_int_equal(count, 1000);
        ig_line_close(r);
    }
    /* Given up: nothing is left. */
    char path[300];
    ig_sink *s;
    ig_err err = {0};
    int before = fault_count(dir);
    snprintf(path, sizeof path, "%s/gone.zst", dir);
    assert_ok(ig_sink_open(&s, path, &err), &err);
    assert_ok(ig_sink_write(s, "x", 1, &err), &err);
    assert_int_equal(ig_sink_close(s, IG_ERR_INPUT, &err), IG_ERR_INPUT);
    assert_int_equal(fault_count(dir), before);
    /* A full disk. */
    char *noise;
    assert_ok(ig_alloc(&noise, 1 << 20, 1, "test", &err), &err);
    for (int i = 0; i < 1 << 20; i++)
        noise[i] = (char)(i * 2654435761u >> 13);
    fault_file_size(2000);
    assert_ok(ig_sink_open(&s, path, &err), &err);
    ig_code code = ig_sink_write(s, noise, 1 << 20, &err);
    code = ig_sink_close(s, code, &err);
    fault_file_size(-1);
    ig_free(noise);
    assert_int_equal(code, IG_ERR_IO);
    assert_int_equal(fault_count(dir), before);
}

/* A copy is compressed as its name says, but never once more. */
static void test_copies(void **state)
{
    (void)state;
    static const char *const suffix[] = {"gz", "xz", "zst"};
    char path[2][3][300];
    char *const in[] = {in_path[0], path[0][0], path[0][1], path[0][2]};
    char *const out[][3] = {{path[0][0], path[0][1], path[0][2]},
                            {path[1][0], path[1][1], path[1][2]}};
    int64_t n_line[3];
    ig_err err = {0};
    write_fast(in_path[0], "a line\n", 7);
    for (int i = 0; i < 6; i++)
        snprintf(path[i / 3][i % 3], sizeof path[0][0], "%s/copy-%d.%s", dir, i, suffix[i % 3]);
    for (int i = 0; i < 3; i++)
        assert_ok(ig_convert(n_line,
                             &(ig_conversion){IG_CONVERT_COPY, in, 1, NULL, 0, &out[0][i], 1},
                             &err),
                  &err);
    assert_ok(
        ig_convert(n_line, &(ig_conversion){IG_CONVERT_COPY, in + 1, 3, NULL, 0, out[1], 3}, &err),
        &err);
    for (int i = 0; i < 3; i++) {
        char *data[2];
        int64_t size[2];
        for (int again = 0; again < 2; again++)
            assert_ok(ig_file_read(&data[again], &size[again], path[again][i], 1 << 20, &err),
                      &err);
        assert_memory_not_equal(data[0], "a line", 2);
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(data[0], data[1], (size_t)size[0]);
        assert_int_equal(n_line[i], -1);
        ig_free(data[0]);
        ig_free(data[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),      cmocka_unit_test(test_languages),
        cmocka_unit_test(test_mistakes),   cmocka_unit_test(test_books),
        cmocka_unit_test(test_compressed), cmocka_unit_test(test_copies)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
