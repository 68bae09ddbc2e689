/* SPDX-License-Identifier: Apache-2.0
 *
 * Text readers: the same lines out of every compression, damage told with file and line, formats
 * told apart.
 */
#include "corpus_fixture.h"

#include "base/memory.h"
#include "corpus/read/sentences.h"
#include "corpus/read/whole_file.h"

#include <archive.h>
#include <archive_entry.h>

typedef int add_filter(struct archive *);
static int no_filter(struct archive *a)
{
    (void)a;
    return ARCHIVE_OK;
}
static const struct {
    const char *name;
    add_filter *add;
} compression[] = {{"plain", no_filter},
                   {"gz", archive_write_add_filter_gzip},
                   {"bz2", archive_write_add_filter_bzip2},
                   {"xz", archive_write_add_filter_xz},
                   {"zst", archive_write_add_filter_zstd},
                   {"lzma", archive_write_add_filter_lzma}};
enum { N_COMPRESSION = 6, N_CHECKED = 4 };

static void write_as(const char *path, add_filter *filter, const char *text, size_t n)
{
    struct archive *a = archive_write_new();
    struct archive_entry *e = archive_entry_new();
    assert_int_equal(filter(a), ARCHIVE_OK);
    archive_write_set_format_raw(a);
    assert_int_equal(archive_write_open_filename(a, path), ARCHIVE_OK);
    archive_entry_set_filetype(e, AE_IFREG);
    assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
    assert_int_equal(archive_write_data(a, text, n), n);
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_entry_free(e);
    archive_write_free(a);
}

static void write_text(const char *name, const char *text)
{
    write_fast(fixture_path(name), text, (int64_t)strlen(text));
}

/* Lines joined with "|"; the code of the first error. */
static ig_code lines(const char *path, char *out, ig_err *err)
{
    ig_line_reader *r;
    char *line;
    int64_t n;
    *out = '\0';
    IG_TRY(ig_line_open(&r, path, err));
    ig_code code;
    while ((code = ig_line_next(r, &line, &n, err)) == IG_ERR_OK && line != NULL) {
        assert_int_equal(line[n], '\0');
        strcat(strcat(out, line), "|");
    }
    ig_line_close(r);
    return code;
}

static void line_ends(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } c[] = {{"", ""},
             {"\n", "|"},
             {"a", "a|"},
             {"a\n", "a|"},
             {"a\nb", "a|b|"},
             {"a\r\nb\r\n", "a|b|"},
             {"\xEF\xBB\xBFx\n", "x|"},
             {"\n\nz\n\n", "||z||"},
             {"a\rb\n", "a\rb|"}};
    ig_err err = {0};
    char out[64];
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        for (int k = 0; k < N_COMPRESSION; k++) {
            write_as(fixture_path("x"), compression[k].add, c[i].text, strlen(c[i].text));
            assert_ok(lines(fixture_path("x"), out, &err), &err);
            assert_string_equal(out, c[i].want);
        }
}

/* Megabytes through 64 KiB chunks: every line as it went in. */
static void every_compression(void **state)
{
    (void)state;
    ig_err err = {0};
    enum { N = SANITIZED ? 5000 : 20000, EACH = SANITIZED ? 4 : 1 };
    char *text = malloc(N * 200), *at = text;
    ig_rng r = ig_rng_make(2, IG_STREAM_TEST, 0, 0);
    for (int i = 0; i < N; i++) {
        at += sprintf(at, "%d ", i);
        for (uint32_t k = ig_rng_below(&r, 160); k > 0; k--)
            *at++ = (char)('a' + ig_rng_below(&r, 26));
        *at++ = '\n';
    }
    for (int k = 0; k < N_COMPRESSION; k++) {
        char name[16];
        sprintf(name, "big.%s", compression[k].name);
        write_as(fixture_path(name), compression[k].add, text, (size_t)(at - text));
        ig_line_reader *l;
        char *line;
        int64_t n;
        const char *p = text;
        assert_ok(ig_line_open(&l, fixture_path(name), &err), &err);
        for (int i = 0; i < N; i++) {
            assert_ok(ig_line_next(l, &line, &n, &err), &err);
            assert_non_null(line);
            assert_memory_equal(line, p, (size_t)n);
            assert_int_equal(p[n], '\n');
            p += n + 1;
            assert_int_equal(ig_line_number(l), i + 1);
        }
        assert_ok(ig_line_next(l, &line, &n, &err), &err);
        assert_null(line);
        ig_line_close(l);
        ig_whole w;
        assert_ok(ig_whole_open(&w, fixture_path(name), &err), &err);
        assert_int_equal(w.size, at - text);
        ig_whole_close(&w);
        /* Cut: never taken for a whole file, except where only the plain text could tell. */
        char *whole;
        int64_t size;
        assert_ok(ig_file_read(&whole, &size, fixture_path(name), 1 << 24, &err), &err);
        for (int part = 1; part < 16 && k > 0; part += EACH) {
            write_fast(fixture_path("cut"), whole, size * part / 16);
            ig_code code = ig_line_open(&l, fixture_path("cut"), &err);
            while (code == IG_ERR_OK && (code = ig_line_next(l, &line, &n, &err)) == IG_ERR_OK &&
                   line != NULL)
                ;
            assert_int_equal(code, IG_ERR_INPUT);
            assert_string_equal(err.where, fixture_path("cut"));
            assert_true(err.line > 0);
            ig_line_close(l);
        }
        free(whole);
    }
    free(text);
}

/* A whole file as text: freed by the caller; NULL when it cannot be read, for the reason in err. */
static char *whole_text(const char *path, ig_err *err)
{
    ig_line_reader *r;
    char *all = NULL;
    int64_t n;
    if (ig_line_open(&r, path, err) != IG_ERR_OK)
        return NULL;
    if (ig_line_rest(r, &all, &n, err) == IG_ERR_OK)
        all[n] = '\0';
    ig_line_close(r);
    return all;
}

static void write_both(const char *path, const char *x, int64_t n, const char *y, int64_t m)
{
    FILE *f = fopen(path, "wb");
    fwrite(x, 1, (size_t)n, f);
    fwrite(y, 1, (size_t)m, f);
    fclose(f);
}

static void refuse_both(const char *path, const char *x, int64_t n, const char *y, int64_t m)
{
    ig_whole w;
    ig_err err = {0};
    write_both(path, x, n, y, m);
    assert_null(whole_text(path, &err));
    assert_int_equal(err.code, IG_ERR_INPUT);
    assert_int_equal(ig_whole_open(&w, path, &err), IG_ERR_INPUT);
}

static void damage_is_noticed(void **state)
{
    (void)state;
    /* Number of damaged bits: in the first 800, where the headers are, and after them at equal
     * distances. */
    enum { N = 4000, MOST = 4, HEAD = SANITIZED ? 5 : 1, BODY = SANITIZED ? 149 : 37 };
    static const char *const behind[MOST] = {"x", "some text\n", "\x1F\x8B", "\x1F\x8B\x08"};
    char *text = malloc(N), *data;
    ig_err err = {0};
    ig_rng r = ig_rng_make(3, IG_STREAM_TEST, 0, 0);
    for (int i = 0; i < N; i++)
        text[i] = i % 80 == 79 ? '\n' : (char)('a' + ig_rng_below(&r, 6));
    text[N - 1] = '\0';
    const char *path = fixture_path("flipped");
    /* libarchive writes no checksum into zstd, which zstd(1) does, and lzma has none; then there is
     * none to compare. */
    for (int k = 1; k < N_CHECKED; k++) {
        int64_t n;
        write_as(path, compression[k].add, text, N - 1);
        assert_ok(ig_file_read(&data, &n, path, 1 << 20, &err), &err);
        int n_same = 0;
        for (int64_t bit = 0; bit < 8 * n; bit += bit < 800 ? HEAD : BODY) {
            data[bit / 8] = (char)(data[bit / 8] ^ 1 << bit % 8);
            write_fast(path, data, n);
            err = (ig_err){0};
            char *got = whole_text(path, &err);
            /* A bit of gzip's header that nobody needs (the time, the system), or of the mark: then
             * it is no compressed file, and its bytes are what it is. */
            if (got != NULL && strcmp(got, text) != 0 && memcmp(got, data, 4) != 0)
                fail_msg("%s, bit %lld: read as another text", compression[k].name, (long long)bit);
            n_same += got != NULL;
            if (got == NULL && (err.code != IG_ERR_INPUT || strcmp(err.where, path) != 0))
                fail_msg("%s, bit %lld: %s: %s", compression[k].name, (long long)bit, err.where,
                         err.msg);
            free(got);
            data[bit / 8] = (char)(data[bit / 8] ^ 1 << bit % 8);
        }
        assert_in_range(n_same, 0, 130);
        for (int i = 0; i < MOST; i++)
            refuse_both(path, data, n, behind[i], (int64_t)strlen(behind[i]));
        /* A second member that is cut, also within its header. */
        for (int64_t m = 1; m < 20; m++)
            refuse_both(path, data, n, data, m);
        /* Several members are one file. */
        write_both(path, data, n, data, n);
        char *got = whole_text(path, &err);
        assert_non_null(got);
        assert_int_equal(strlen(got), 2 * strlen(text));
        free(got);
        ig_free(data);
    }
    free(text);
}

/* A process's own memory cannot be read at address 0: read(2) fails with EIO. */
static void failing_reads(void **state)
{
    (void)state;
    const char *path = "/proc/self/mem";
    if (!ig_file_exists(path)) {
        skip_here("no %s, whose reads fail", path);
        skip();
    }
    ig_err err = {0};
    char out[64];
    ig_whole w;
    assert_int_equal(lines(path, out, &err), IG_ERR_IO);
    assert_string_equal(err.where, path);
    assert_string_equal(err.msg, "cannot read: Input/output error");
    assert_int_equal(ig_whole_open(&w, path, &err), IG_ERR_IO);
}

static void bad_files(void **state)
{
    (void)state;
    ig_err err = {0};
    char out[64];
    assert_int_equal(lines(fixture_path("missing"), out, &err), IG_ERR_IO);
    assert_int_equal(lines(fixture_dir, out, &err), IG_ERR_IO);
    static const char *const bad[] = {"ok\nab\xFFz\n", "ok\nab\xC3", "ok\nab\xED\xA0\x80\n",
                                      "ok\nab\xC0\xAF\n", "ok\nab\xF4\x90\x80\x80"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_text("bad", bad[i]);
        assert_int_equal(lines(fixture_path("bad"), out, &err), IG_ERR_INPUT);
        assert_int_equal(err.line, 2);
        assert_non_null(strstr(err.msg, "byte 3"));
    }
}

/* A line longer than the limit is refused, not swallowed; memory before that stays by the longest
 * line. */
static void memory_is_bounded(void **state)
{
    (void)state;
    ig_err err = {0};
    enum { PART = 1 << 20, SHORT = SANITIZED ? 24 : 60 };
    char *part = malloc(PART);
    struct archive *a = archive_write_new();
    struct archive_entry *e = archive_entry_new();
    archive_write_add_filter_zstd(a);
    archive_write_set_format_raw(a);
    assert_int_equal(archive_write_open_filename(a, fixture_path("long.zst")), ARCHIVE_OK);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_write_header(a, e);
    for (int i = 0; i < PART; i++)
        part[i] = i % 100 == 99 ? '\n' : 'x';
    part[PART - 1] = '\n';
    for (int i = 0; i < SHORT; i++)
        archive_write_data(a, part, PART);
    memset(part, 'y', PART);
    for (int i = 0; i < 66; i++)
        archive_write_data(a, part, PART);
    archive_write_close(a);
    archive_entry_free(e);
    archive_write_free(a);
    free(part);
    ig_line_reader *r;
    char *line;
    int64_t n, before = ig_peak_memory();
    assert_ok(ig_line_open(&r, fixture_path("long.zst"), &err), &err);
    for (int64_t i = 0; i < (int64_t)SHORT * (PART / 100 + 1); i++)
        assert_ok(ig_line_next(r, &line, &n, &err), &err);
    assert_int_equal(line[0], 'x');
    assert_true(ig_peak_memory() - before < 20 << 20);
    assert_int_equal(ig_line_next(r, &line, &n, &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "line of more than"));
    ig_line_close(r);
}

/* Archives are no text, compressed or not; text that begins like one is text. */
static void archives(void **state)
{
    (void)state;
    enum { BLOCK = 512 };
    int (*const format[])(struct archive *) = {archive_write_set_format_pax_restricted,
                                               archive_write_set_format_ustar,
                                               archive_write_set_format_gnutar,
                                               archive_write_set_format_v7tar,
                                               archive_write_set_format_zip,
                                               archive_write_set_format_7zip};
    const char *const name[] = {"tar", "tar", "tar", "tar", "zip", "7-Zip"};
    char out[2000], want[200];
    ig_err err = {0};
    for (int f = 0; f < 6; f++)
        for (int c = 0; c < (f < 4 ? 3 : 1); c++) {
            struct archive *a = archive_write_new();
            struct archive_entry *e = archive_entry_new();
            assert_int_equal(format[f](a), ARCHIVE_OK);
            if (c > 0)
                assert_int_equal(compression[c].add(a), ARCHIVE_OK);
            assert_int_equal(archive_write_open_filename(a, fixture_path("archive")), ARCHIVE_OK);
            archive_entry_set_pathname(e, "text.txt");
            archive_entry_set_filetype(e, AE_IFREG);
            archive_entry_set_perm(e, 0644);
            archive_entry_set_size(e, 9);
            assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
            assert_int_equal(archive_write_data(a, "one\ntwo\n\n", 9), 9);
            assert_int_equal(archive_write_close(a), ARCHIVE_OK);
            archive_entry_free(e);
            archive_write_free(a);
            snprintf(want, sizeof want,
                     "found a %s archive, expected one file, plain or compressed (gzip, bzip2, xz, "
                     "zstd)",
                     name[f]);
            assert_int_equal(lines(fixture_path("archive"), out, &err), IG_ERR_INPUT);
            assert_string_equal(err.msg, want);
            assert_int_equal(err.line, 1);
            ig_whole w;
            err.msg[0] = '\0';
            assert_int_equal(ig_whole_open(&w, fixture_path("archive"), &err), IG_ERR_INPUT);
            assert_string_equal(err.msg, want);
        }
    /* The mark at its place, and even the sum of the block, but no NUL. */
    char text[BLOCK + 1] = "PK is a mark, 7z another\n";
    unsigned sum = 8 * ' ';
    memset(text + strlen(text), 'x', BLOCK - strlen(text));
    memcpy(text + 257, "ustar", 5);
    for (int i = 0; i < BLOCK; i++)
        sum += i >= 148 && i < 156 ? 0 : (unsigned char)text[i];
    snprintf(want, sizeof want, "%08o", sum);
    memcpy(text + 148, want, 8);
    write_text("nearly", text);
    assert_ok(lines(fixture_path("nearly"), out, &err), &err);
    assert_non_null(strstr(out, "PK is a mark, 7z another|"));
}

static void formats(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_text_source *s;
    ig_text_record r;
    ig_verse_set nt;
    assert_ok(ig_verse_set_parse(&nt, "NT", "ids", &err), &err);
    write_text("v", "\xEF\xBB\xBF# name: x\n\n# 01001001\t\n01001001\tIn the beginning\n40001001\t "
                    "\n40001002\tThe son\tof\n");
    assert_ok(ig_text_open(&s, fixture_path("v"), IG_TEXT_AUTO, NULL, &err), &err);
    assert_ok(ig_text_next(s, &r, &err), &err);
    assert_int_equal(r.id, 1001001);
    assert_string_equal(r.text, "In the beginning");
    assert_int_equal(ig_text_line(s), 4);
    assert_ok(ig_text_next(s, &r, &err), &err);
    assert_int_equal(r.id, 40001002);
    assert_string_equal(r.text, "The son\tof");
    assert_ok(ig_text_next(s, &r, &err), &err);
    assert_null(r.text);
    ig_text_close(s);
    assert_ok(ig_text_open(&s, fixture_path("v"), IG_TEXT_AUTO, &nt, &err), &err);
    assert_ok(ig_text_next(s, &r, &err), &err);
    assert_int_equal(r.id, 40001002);
    ig_text_close(s);
    assert_ok(ig_text_open(&s, fixture_path("v"), IG_TEXT_PLAIN, NULL, &err), &err);
    assert_ok(ig_text_next(s, &r, &err), &err);
    assert_string_equal(r.text, "# name: x");
    ig_text_close(s);
    write_text("p", "# a heading\n1234567\tseven digits\n");
    assert_int_equal(ig_text_open(&s, fixture_path("p"), IG_TEXT_AUTO, &nt, &err), IG_ERR_INPUT);
    assert_null(s);
    assert_ok(ig_text_open(&s, fixture_path("p"), IG_TEXT_VERSES, NULL, &err), &err);
    assert_int_equal(ig_text_next(s, &r, &err), IG_ERR_INPUT);
    assert_int_equal(err.line, 2);
    ig_text_close(s);
    write_text("none", "");
    assert_ok(ig_text_open(&s, fixture_path("none"), IG_TEXT_AUTO, NULL, &err), &err);
    assert_ok(ig_text_next(s, &r, &err), &err);
    assert_null(r.text);
    ig_text_close(s);
    ig_text_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_bounded), cmocka_unit_test(line_ends),
        cmocka_unit_test(every_compression), cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(failing_reads),     cmocka_unit_test(bad_files),
        cmocka_unit_test(archives),          cmocka_unit_test(formats),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
