/* SPDX-License-Identifier: Apache-2.0
 *
 * A folder for a store, and runs to put into it.
 */
#pragma once

#include "base/file.h"
#include "base/memory.h"
#include "store/store.h"

#include "fault.h"

typedef struct {
    char dir[256], path[300];
} place;

static inline int setup(void **state)
{
    place *p = calloc(1, sizeof *p);
    fault_folder(p->dir, sizeof p->dir);
    snprintf(p->path, sizeof p->path, "%s/store.sqlite", p->dir);
    *state = p;
    return 0;
}

static inline int teardown(void **state)
{
    place *p = *state;
    ig_err err;
    assert_ok(ig_dir_remove(p->dir, &err), &err);
    free(p);
    return 0;
}

static inline ig_store *open_at(const char *dir)
{
    ig_err err = {0};
    ig_store *s;
    assert_ok(ig_store_open(&s, dir, true, &err), &err);
    return s;
}

static inline void address_of(char a[17], int64_t k)
{
    snprintf(a, 17, "%016llx", (unsigned long long)k * 2654435761u);
}

static inline void put_run(ig_store *s, int64_t k, ig_run_status status)
{
    ig_err err = {0};
    char a[17];
    address_of(a, k);
    assert_ok(ig_store_put_run(s,
                               &(ig_store_run){.address = a,
                                               .status = status,
                                               .seed = k % 5,
                                               .config = "{\"layers\": 12}",
                                               .manifest = "{}",
                                               .seconds = 12.5,
                                               .tokens_per_second = (double)NAN,
                                               .updates = 100,
                                               .tokens = INT64_C(5000000000),
                                               .peak_memory = 7,
                                               .finished = 1},
                               &err),
              &err);
}

#define in_folder(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
