/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the directory at the end of a zip file. Files beyond 4 GB have their numbers in an extra
 * field (zip64).
 */
#include "model/torch/torch_zip.h"

#include "base/memory.h"

#include <string.h>

enum { END_SIZE = 22, END_64_SIZE = 56, LOCATOR_SIZE = 20, ENTRY_SIZE = 46, LOCAL_SIZE = 30 };
enum { END_MARK = 0x06054b50, END_64_MARK = 0x06064b50, LOCATOR_MARK = 0x07064b50 };
enum { ENTRY_MARK = 0x02014b50, LOCAL_MARK = 0x04034b50, ZIP_64 = 1 };
static const uint64_t in_extra = 0xffffffff; /* a number that stands in the extra field */

/* A number of n bytes, little-endian. */
static uint64_t number(const uint8_t *p, int n)
{
    uint64_t x = 0;
    for (int i = n - 1; i >= 0; i--)
        x = x << 8 | p[i];
    return x;
}

typedef struct {
    const uint8_t *data;
    uint64_t size;
    const char *where;
} file;

static ig_code damaged(const file *f, const char *what, uint64_t at, ig_err *err)
{
    return ig_fail(err, IG_ERR_INPUT, f->where, 0, "%s at byte %llu of %llu (damaged, or cut off)",
                   what, (unsigned long long)at, (unsigned long long)f->size);
}

typedef struct {
    uint64_t n, at, size; /* entries of the directory, its first byte, its bytes */
} directory;

/* The record at the end, after which a comment may stand. */
static ig_code find_end(uint64_t *end, const file *f, ig_err *err)
{
    const uint64_t most = 65535 + END_SIZE, first = f->size > most ? f->size - most : 0;
    for (uint64_t at = f->size >= END_SIZE ? f->size - END_SIZE + 1 : 0; at-- > first;)
        if (number(f->data + at, 4) == END_MARK) {
            *end = at;
            return IG_ERR_OK;
        }
    return damaged(f, "found no zip directory", f->size, err);
}

static ig_code read_end(directory *d, const file *f, ig_err *err)
{
    uint64_t end = 0;
    IG_TRY(find_end(&end, f, err));
    const uint8_t *p = f->data + end;
    *d = (directory){number(p + 10, 2), number(p + 16, 4), number(p + 12, 4)};
    if (end >= LOCATOR_SIZE && number(p - LOCATOR_SIZE, 4) == LOCATOR_MARK) {
        const uint64_t at = number(p - LOCATOR_SIZE + 8, 8);
        if (at > f->size || f->size - at < END_64_SIZE || number(f->data + at, 4) != END_64_MARK)
            return damaged(f, "found no zip64 directory", at, err);
        p = f->data + at;
        *d = (directory){number(p + 32, 8), number(p + 48, 8), number(p + 40, 8)};
    }
    if (d->at > f->size || d->size > f->size - d->at || d->n > d->size / ENTRY_SIZE)
        return damaged(f, "found a zip directory that is not within the file", d->at, err);
    return IG_ERR_OK;
}

/* The numbers of an entry that stand in its extra field, in this order where they are needed. */
static bool read_extra(uint64_t *of[3], const uint8_t *p, uint64_t n)
{
    bool need = false;
    for (int i = 0; i < 3; i++)
        need = need || *of[i] == in_extra;
    while (need && n >= 4) {
        const uint64_t size = number(p + 2, 2);
        if (size > n - 4)
            return false;
        if (number(p, 2) == ZIP_64) {
            uint64_t at = 4;
            for (int i = 0; i < 3; i++)
                if (*of[i] == in_extra) {
                    if (at + 8 > size + 4)
                        return false;
                    *of[i] = number(p + at, 8);
                    at += 8;
                }
            return true;
        }
        p += size + 4;
        n -= size + 4;
    }
    return !need;
}

/* The entry at *at, which moves after it. */
static ig_code read_entry(ig_zip_member *m, uint64_t *at, const file *f, ig_err *err)
{
    const uint8_t *p = f->data + *at;
    if (f->size - *at < ENTRY_SIZE || number(p, 4) != ENTRY_MARK)
        return damaged(f, "found no zip entry", *at, err);
    const uint64_t n_name = number(p + 28, 2), n_extra = number(p + 30, 2),
                   all = ENTRY_SIZE + n_name + n_extra + number(p + 32, 2);
    uint64_t size = number(p + 24, 4), packed = number(p + 20, 4), local = number(p + 42, 4);
    if (all > f->size - *at)
        return damaged(f, "found a zip entry that is not within the file", *at, err);
    if (!read_extra((uint64_t *[]){&size, &packed, &local}, p + ENTRY_SIZE + n_name, n_extra))
        return damaged(f, "found a zip entry without its zip64 numbers", *at, err);
    m->name = (const char *)p + ENTRY_SIZE;
    m->n_name = (int64_t)n_name;
    if (number(p + 10, 2) != 0 || size != packed || (number(p + 8, 2) & 1) != 0)
        return ig_fail(err, IG_ERR_INPUT, f->where, 0,
                       "member %.*s is compressed or encrypted, expected it stored as PyTorch "
                       "writes it",
                       (int)(n_name < 100 ? n_name : 100), m->name);
    if (local > f->size || f->size - local < LOCAL_SIZE || number(f->data + local, 4) != LOCAL_MARK)
        return damaged(f, "found no zip member", local, err);
    const uint64_t begin =
        local + LOCAL_SIZE + number(f->data + local + 26, 2) + number(f->data + local + 28, 2);
    if (begin > f->size || size > f->size - begin)
        return damaged(f, "found a zip member that is not within the file", begin, err);
    m->data = f->data + begin;
    m->size = (int64_t)size;
    *at += all;
    return IG_ERR_OK;
}

ig_code ig_zip_parse(ig_zip *z, const uint8_t *data, int64_t size, const char *where, ig_err *err)
{
    const file f = {data, (uint64_t)size, where};
    directory d;
    *z = (ig_zip){0};
    IG_TRY(read_end(&d, &f, err));
    IG_TRY(ig_alloc(&z->member, (int64_t)d.n, sizeof *z->member, "zip directory", err));
    for (uint64_t at = d.at; z->n < (int64_t)d.n; z->n++)
        IG_TRY(read_entry(&z->member[z->n], &at, &f, err));
    return IG_ERR_OK;
}

void ig_zip_free(ig_zip *z)
{
    ig_free(z->member);
    *z = (ig_zip){0};
}

const ig_zip_member *ig_zip_find(const ig_zip *z, const char *folder, int64_t n, const char *name)
{
    const int64_t n_name = (int64_t)strlen(name);
    for (int64_t i = 0; i < z->n; i++) {
        const ig_zip_member *m = &z->member[i];
        if (m->n_name == n + n_name && (n == 0 || memcmp(m->name, folder, (size_t)n) == 0) &&
            memcmp(m->name + n, name, (size_t)n_name) == 0)
            return m;
    }
    return NULL;
}
