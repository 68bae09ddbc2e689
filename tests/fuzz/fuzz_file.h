/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of a fuzz run as a file, for readers that take a path.
 */
#pragma once

#include "base/assert.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

/* Its path; the same for every run of this process. */
static inline const char *fuzz_file(const uint8_t *data, size_t size)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/isoglot-fuzz-file-%ld", (long)getpid());
    FILE *fp = fopen(path, "wb");
    IG_ASSERT(fp != NULL);
    IG_ASSERT(fwrite(data, 1, size, fp) == size);
    fclose(fp);
    return path;
}
