/* SPDX-License-Identifier: Apache-2.0
 *
 * Checked, aligned, zeroed heap blocks. `out` parameters are void* that point to a pointer, so
 * that any pointer type can be set without a cast; memcpy keeps that within the standard.
 */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* Blocks of at least this size request huge pages: activations and gradients are read by many
 * streams at once, which otherwise miss the TLB (SPEED.md). */
enum { huge_page = 2 << 20 };

ig_code ig_alloc(void *out, int64_t count, size_t size, const char *what, ig_err *err)
{
    void *p = NULL;
    memcpy(out, &p, sizeof p);
    /* Nothing is larger than the differences of addresses; rounding up to whole pages stays
     * below. */
    if (count < 0 || (size != 0 && (uint64_t)count > (PTRDIFF_MAX - huge_page) / size))
        return ig_fail(err, IG_ERR_MEMORY, what, 0, "%lld × %zu bytes do not fit the address space",
                       (long long)count, size);
    size_t bytes = (size_t)count * size;
    const size_t align = bytes < huge_page ? IG_ALIGN : huge_page;
    bytes = bytes / align * align + align;
    p = aligned_alloc(align, bytes);
    if (p == NULL)
        return ig_fail(err, IG_ERR_MEMORY, what, 0, "cannot allocate %zu bytes", bytes);
#ifdef MADV_HUGEPAGE
    if (align == huge_page)
        madvise(p, bytes, MADV_HUGEPAGE);
#endif
    memset(p, 0, bytes);
    memcpy(out, &p, sizeof p);
    return IG_ERR_OK;
}

ig_code ig_grow(void *block, int64_t *have, int64_t need, size_t size, const char *what,
                ig_err *err)
{
    if (need <= *have)
        return IG_ERR_OK;
    int64_t n = *have < 16 ? 16 : *have;
    while (n < need)
        n = n > INT64_MAX / 2 ? need : n * 2;
    void *bigger, *old;
    IG_TRY(ig_alloc(&bigger, n, size, what, err));
    memcpy(&old, block, sizeof old);
    if (old != NULL)
        memcpy(bigger, old, (size_t)*have * size);
    ig_free(old);
    memcpy(block, &bigger, sizeof bigger);
    *have = n;
    return IG_ERR_OK;
}

void ig_free(void *block)
{
    free(block);
}

void ig_free_pointed(void *pointer)
{
    void *block;
    memcpy(&block, pointer, sizeof block);
    free(block);
}

void ig_free_all(void *const *block, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ig_free(block[i]);
}

void ig_free_list(void *list, int64_t n)
{
    for (int64_t i = 0; list != NULL && i < n; i++) {
        void *block;
        memcpy(&block, (char *)list + i * (int64_t)sizeof block, sizeof block);
        ig_free(block);
    }
    ig_free(list);
}

bool ig_memstream_close(FILE *text)
{
    const bool whole = fflush(text) == 0 && !ferror(text);
    return fclose(text) == 0 && whole;
}

int64_t ig_peak_memory(void)
{
    struct rusage u;
    if (getrusage(RUSAGE_SELF, &u) != 0)
        return 0;
    return (int64_t)u.ru_maxrss * 1024;
}
