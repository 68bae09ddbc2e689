/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a fuzz target over the files of a folder, in the order of their names, without libFuzzer.
 * Each input lies in a heap block of exactly its size, so that AddressSanitizer sees a read past
 * its end. A folder without a file is an error: it would test nothing.
 */
#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static ig_code replay(const char *folder, const char *name, ig_err *err)
{
    char *path, *text;
    int64_t size;
    IG_TRY(ig_path_join(&path, folder, name, err));
    ig_code code = ig_file_read(&text, &size, path, INT64_C(1) << 30, err);
    ig_free(path);
    if (code != IG_ERR_OK)
        return code;
    uint8_t *exact = malloc(size > 0 ? (size_t)size : 1);
    if (exact != NULL) {
        memcpy(exact, text, (size_t)size);
        LLVMFuzzerTestOneInput(exact, (size_t)size);
    }
    free(exact);
    ig_free(text);
    return exact != NULL ? IG_ERR_OK : ig_fail(err, IG_ERR_MEMORY, name, 0, "no memory");
}

int main(int argc, char **argv)
{
    ig_err err = {0};
    struct dirent **entry;
    int n = argc == 2 ? scandir(argv[1], &entry, visible, alphasort) : -1;
    if (n <= 0) {
        fprintf(stderr, "usage: %s FOLDER (with at least one file)\n", argv[0]);
        return 2;
    }
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < n; i++) {
        if (code == IG_ERR_OK)
            code = replay(argv[1], entry[i]->d_name, &err);
        free(entry[i]);
    }
    free(entry);
    if (code != IG_ERR_OK) {
        fprintf(stderr, "%s: %s\n", err.where, err.msg);
        return 1;
    }
    printf("%d inputs\n", n);
    return 0;
}
