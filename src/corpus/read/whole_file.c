/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps a file; only if it begins as a compressed one does, libarchive reads it into memory.
 */
#include "corpus/read/whole_file.h"

#include "base/memory.h"
#include "corpus/byte_stream.h"
#include "corpus/read/archive_kind.h"
#include "corpus/read/line_reader.h"

#include <string.h>

static bool begins(const ig_map *m, const char *magic, int64_t n)
{
    return m->size >= n && memcmp(m->data, magic, (size_t)n) == 0;
}

/* bzip2: a level between its magic number and that of the first block (or of the end). */
static bool is_bzip2(const ig_map *m)
{
    return m->size >= 10 && memcmp(m->data, "BZh", 3) == 0 &&
           (memcmp(m->data + 4, "\x31\x41\x59\x26\x53\x59", 6) == 0 ||
            memcmp(m->data + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

bool ig_is_compressed(const ig_map *m)
{
    return ig_is_gzip(m->data, m->size) || begins(m, "\xFD\x37zXZ\0", 6) ||
           begins(m, "\x28\xB5\x2F\xFD", 4) || begins(m, "\x5D\0\0", 3) || is_bzip2(m);
}

ig_code ig_whole_open(ig_whole *out, const char *path, ig_err *err)
{
    ig_line_reader *r = NULL;
    *out = (ig_whole){0};
    IG_TRY(ig_map_open(&out->map, path, err));
    out->data = out->map.data;
    out->size = out->map.size;
    ig_code code = IG_ERR_OK;
    if (ig_is_compressed(&out->map)) {
        code = ig_line_open(&r, path, err);
        IG_THEN(code, ig_line_rest(r, &out->own, &out->size, err));
        ig_line_close(r);
        ig_map_close(&out->map);
        out->data = (const uint8_t *)out->own;
    }
    if (code == IG_ERR_OK && out->size > 0)
        code = ig_not_an_archive(out->data, out->size, path, err);
    if (code != IG_ERR_OK)
        ig_whole_close(out);
    return code;
}

void ig_whole_close(ig_whole *w)
{
    ig_map_close(&w->map);
    ig_free(w->own);
    *w = (ig_whole){0};
}
