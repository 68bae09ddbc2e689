/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises UTF-16, UTF-32, zero bytes, compressed files, and pointers of Git LFS.
 */
#include "base/strings/encoding.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

ig_code ig_check_pointer(const void *data, int64_t n, const char *where, ig_err *err)
{
    static const char pointer[] = "version https://git-lfs";
    if (n < (int64_t)sizeof pointer - 1 || memcmp(data, pointer, sizeof pointer - 1) != 0)
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_INPUT, where, 1, "found a pointer of Git LFS, expected the file itself");
    return ig_hint(err, "git lfs pull");
}

/* Compressed files where they are not decompressed. */
static ig_code check_compressed(const void *data, int64_t n, const char *where, ig_err *err)
{
    static const struct {
        const char *mark, *program;
    } of[] = {{"\x1F\x8B", "gzip"},
              {"\x28\xB5\x2F\xFD", "zstd"},
              {"\xFD"
               "7zXZ",
               "xz"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (n >= (int64_t)strlen(of[i].mark) && memcmp(data, of[i].mark, strlen(of[i].mark)) == 0) {
            ig_fail(err, IG_ERR_INPUT, where, 1, "found a file compressed with %s, expected text",
                    of[i].program);
            return ig_hint(err, "%s -dc <FILE >NEW", of[i].program);
        }
    return IG_ERR_OK;
}

/* Files of other programs, which have no zero byte or other sign of them in their first line. */
static ig_code check_program(const void *data, int64_t n, const char *where, ig_err *err)
{
    static const char *const of[][2] = {
        {"PAR1", "Parquet"}, {"ARROW1", "Arrow"}, {"%PDF-", "PDF"}, {"\x93NUMPY", "NumPy"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (n >= (int64_t)strlen(of[i][0]) && memcmp(data, of[i][0], strlen(of[i][0])) == 0)
            return ig_fail(err, IG_ERR_INPUT, where, 1, "found a file of %s, expected text",
                           of[i][1]);
    return IG_ERR_OK;
}

ig_code ig_check_mark(const void *data, int64_t n, const char *where, ig_err *err)
{
    static const struct {
        const char *mark;
        int64_t n;
        const char *encoding;
    } of[] = {{"\xFF\xFE\0\0", 4, "UTF-32"},
              {"\0\0\xFE\xFF", 4, "UTF-32"},
              {"\xFF\xFE", 2, "UTF-16"},
              {"\xFE\xFF", 2, "UTF-16"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (n >= of[i].n && memcmp(data, of[i].mark, (size_t)of[i].n) == 0) {
            ig_fail(err, IG_ERR_INPUT, where, 1, "found %s, expected UTF-8", of[i].encoding);
            return ig_hint(err, "iconv -f %s -t UTF-8 FILE >NEW", of[i].encoding);
        }
    IG_TRY(check_compressed(data, n, where, err));
    IG_TRY(check_program(data, n, where, err));
    return ig_check_pointer(data, n, where, err);
}

ig_code ig_check_zero(const char *text, int64_t n, const char *where, uint64_t line, ig_err *err)
{
    const char *zero = n > 0 ? memchr(text, '\0', (size_t)n) : NULL;
    if (zero == NULL)
        return IG_ERR_OK;
    /* In UTF-16 of little endian the second byte of a character is zero, and after a line's end the
     * first of the next line. */
    const bool little = (zero - text) % 2 == (line == 1);
    ig_fail(err, IG_ERR_INPUT, where, line, "found a zero byte, expected text in UTF-8");
    return ig_hint(err, "if it is UTF-16: iconv -f UTF-16%s -t UTF-8 FILE >NEW",
                   little ? "LE" : "BE");
}

ig_code ig_hint_encoding(ig_err *err)
{
    return ig_hint(err, "if it is Latin-1: iconv -f LATIN1 -t UTF-8 FILE >NEW");
}

ig_code ig_not_utf8(const char *where, uint64_t line, int64_t at, uint8_t byte, ig_err *err)
{
    ig_fail(err, IG_ERR_INPUT, where, line, "byte %lld of the line is %02x, expected UTF-8",
            (long long)at + 1, byte);
    return ig_hint_encoding(err);
}

ig_code ig_check_text(const char *text, int64_t n, const char *where, ig_err *err)
{
    IG_TRY(ig_check_mark(text, n, where, err));
    if (n == 0 || memchr(text, '\0', (size_t)n) == NULL)
        return IG_ERR_OK;
    uint64_t line = 1;
    for (int64_t from = 0; from < n; line++) {
        const char *lf = memchr(text + from, '\n', (size_t)(n - from));
        const int64_t end = lf != NULL ? lf - text : n;
        IG_TRY(ig_check_zero(text + from, end - from, where, line, err));
        from = end + 1;
    }
    return IG_ERR_OK;
}
