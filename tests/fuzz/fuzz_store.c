/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as the file of a store: either an error with a message, or results that can be read to
 * their ends, and what is not a store is left as it is.
 */
#include "base/memory.h"
#include "fuzz_file.h"
#include "report/results/results.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void read_all(const ig_store_result *r)
{
    ig_results results;
    ig_err err = {0};
    size_t sum = 0;
    for (int64_t i = 0; i < r->n_entry; i++) {
        const ig_store_entry *e = &r->entry[i];
        sum += strlen(e->cell.cell) + strlen(e->cell.label) + strlen(e->cell.address);
        for (int64_t k = 0; k < e->n_metric; k++) {
            const ig_row *m = &r->metric[e->first_metric + k];
            sum += strlen(m->task) + strlen(m->split) + strlen(m->languages);
        }
    }
    IG_ASSERT(sum < SIZE_MAX);
    if (ig_results_make(&results, r, true, &err) != IG_ERR_OK)
        IG_ASSERT(err.msg[0] != '\0');
    ig_results_free(&results);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char dir[64], path[96];
    ig_err err = {0};
    ig_store *s;
    snprintf(dir, sizeof dir, "/tmp/isoglot-fuzz-store-%ld", (long)getpid());
    snprintf(path, sizeof path, "%s/store.sqlite", dir);
    mkdir(dir, 0700);
    FILE *fp = fopen(path, "wb");
    IG_ASSERT(fp != NULL);
    IG_ASSERT(fwrite(data, 1, size, fp) == size);
    fclose(fp);
    if (ig_store_open(&s, dir, false, &err) != IG_ERR_OK)
        IG_ASSERT(err.msg[0] != '\0');
    else {
        ig_pool pool = {0};
        const char **name;
        int64_t n;
        ig_store_result r;
        if (ig_store_read(&r, s, "e", false, &err) == IG_ERR_OK) {
            read_all(&r);
            ig_store_result_free(&r);
        } else
            IG_ASSERT(err.msg[0] != '\0');
        (void)ig_store_experiments(&name, &n, &pool, s, &err);
        ig_pool_free(&pool);
        ig_store_close(s);
    }
    static const char *const beside[] = {"", "-wal", "-shm", "-journal"};
    for (int i = 0; i < 4; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s%s", path, beside[i]);
        unlink(name);
    }
    rmdir(dir);
    return 0;
}
