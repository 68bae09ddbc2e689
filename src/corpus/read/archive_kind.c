/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises archives by their first bytes. A member of a tar begins with a block of 512 bytes
 * whose bytes 148 to 155 are the sum of the block in octal, computed with blanks in their place
 * (POSIX.1-1988, ustar; the tar of Version 7 Unix has the same sum without ustar's mark, so the
 * mark is not required); zip: PKWARE's APPNOTE, 4.3.7 and 4.3.16.
 */
#include "corpus/read/archive_kind.h"

#include <stdbool.h>
#include <string.h>

static bool is_tar(const unsigned char *p, int64_t n)
{
    enum { BLOCK = 512, SUM = 148, SUM_SIZE = 8 };
    uint32_t sum = 0, said = 0;
    int i = SUM, digits = 0;
    if (n < BLOCK || memchr(p, '\0', BLOCK) == NULL)
        return false;
    for (int k = 0; k < BLOCK; k++)
        sum += k >= SUM && k < SUM + SUM_SIZE ? ' ' : p[k];
    while (i < SUM + SUM_SIZE && p[i] == ' ')
        i++;
    for (; i < SUM + SUM_SIZE && p[i] >= '0' && p[i] <= '7'; i++, digits++)
        said = said * 8 + (p[i] - '0');
    return digits > 0 && said == sum;
}

ig_code ig_not_an_archive(const void *data, int64_t n, const char *where, ig_err *err)
{
    static const struct {
        const char *mark;
        int64_t n;
        const char *name;
    } of[] = {{"PK\3\4", 4, "zip"}, {"PK\5\6", 4, "zip"}, {"7z\xBC\xAF\x27\x1C", 6, "7-Zip"}};
    const char *name = is_tar(data, n) ? "tar" : NULL;
    for (size_t i = 0; i < sizeof of / sizeof *of && name == NULL; i++)
        if (n >= of[i].n && memcmp(data, of[i].mark, (size_t)of[i].n) == 0)
            name = of[i].name;
    if (name == NULL)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_INPUT, where, 1,
                   "found a %s archive, expected one file, plain or compressed (gzip, bzip2, xz, "
                   "zstd)",
                   name);
}
