/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes through a converter. The first byte chooses it; where it takes two files, a line
 * "=====" parts them. What comes out is in the form that the converter promises, or nothing is.
 */
#include "base/memory.h"
#include "corpus/read/text_source.h"
#include "fuzz_file.h"
#include "fetch/convert.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_part(const char *path, const uint8_t *data, size_t size)
{
    FILE *fp = fopen(path, "wb");
    IG_ASSERT(fp != NULL && fwrite(data, 1, size, fp) == size);
    fclose(fp);
}

/* Verses ascend, each id once; nli has three columns. */
static void check(ig_convert_kind kind, const char *path)
{
    ig_err err = {0};
    if (kind == IG_CONVERT_VPL || kind == IG_CONVERT_VREF) {
        char own[96];
        snprintf(own, sizeof own, "%s", path);
        ig_verse_join *j;
        ig_text_record r[1];
        IG_ASSERT(ig_verse_join_open(&j, (char *[]){own}, 1, NULL, &err) == IG_ERR_OK);
        ig_code code;
        while ((code = ig_verse_join_next(j, r, &err)) == IG_ERR_OK && r[0].text != NULL)
            ;
        IG_ASSERT(code == IG_ERR_OK);
        ig_verse_join_close(j);
    } else if (kind == IG_CONVERT_NLI) {
        ig_line_reader *r;
        char *line;
        int64_t n;
        IG_ASSERT(ig_line_open(&r, path, &err) == IG_ERR_OK);
        while (ig_line_next(r, &line, &n, &err) == IG_ERR_OK && line != NULL) {
            char *a = strchr(line, '\t'), *b = a != NULL ? strchr(a + 1, '\t') : NULL;
            IG_ASSERT(b != NULL && strchr(b + 1, '\t') == NULL);
        }
        ig_line_close(r);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char part[] = "\n=====\n";
    char path[4][80];
    ig_err err = {0};
    int64_t n_line[2];
    if (size == 0)
        return 0;
    ig_convert_kind kind = (ig_convert_kind)(data[0] % IG_N_CONVERT);
    int n_in = kind == IG_CONVERT_VREF || kind == IG_CONVERT_PASTE ? 2 : 1;
    bool languages = kind == IG_CONVERT_NLI && (data[0] & 128) != 0;
    for (int i = 0; i < 4; i++)
        snprintf(path[i], sizeof path[i], "/tmp/isoglot-fuzz-%ld-%d", (long)getpid(), i);
    const uint8_t *a = data + 1, *b = a;
    size_t na = size - 1, nb = 0;
    for (size_t i = 0; n_in == 2 && i + sizeof part - 1 <= size - 1; i++)
        if (memcmp(a + i, part, sizeof part - 1) == 0) {
            na = i + 1;
            b = a + i + sizeof part - 1;
            nb = (size_t)(data + size - b);
            break;
        }
    write_part(path[0], a, na);
    write_part(path[1], b, nb);
    char en[] = "en", de[] = "de";
    const ig_conversion c = {kind,
                             (char *[]){path[0], path[1]},
                             n_in,
                             (char *[]){en, de},
                             languages ? 2 : 0,
                             (char *[]){path[2], path[3]},
                             languages ? 2 : 1};
    ig_code code = ig_convert(n_line, &c, &err);
    bool there = access(path[2], F_OK) == 0;
    if (code == IG_ERR_OK) {
        IG_ASSERT(there);
        check(kind, path[2]);
    } else {
        IG_ASSERT(!there && err.msg[0] != '\0' && err.where[0] != '\0');
    }
    for (int i = 0; i < 4; i++)
        unlink(path[i]);
    return 0;
}
