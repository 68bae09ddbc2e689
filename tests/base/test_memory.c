/* SPDX-License-Identifier: Apache-2.0
 *
 * base/memory: alignment, zeroes, growth, and sizes that do not fit.
 */
#include "test.h"

#include "base/memory.h"

#include <string.h>

static void blocks_are_aligned_and_zero(void **state)
{
    (void)state;
    ig_err err;
    for (int64_t n = 0; n < 300; n += 7) {
        float *p;
        assert_ok(ig_alloc(&p, n, sizeof *p, "p", &err), &err);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % IG_ALIGN, 0);
        for (int64_t i = 0; i < n; i++)
            assert_true(p[i] == 0);
        memset(p, 0xFF, (size_t)n * sizeof *p);
        ig_free(p);
    }
    ig_free(NULL);
}

static void growth_keeps_and_clears(void **state)
{
    (void)state;
    ig_err err;
    int32_t *p = NULL;
    int64_t have = 0;
    for (int64_t i = 0; i < 5000; i++) {
        int64_t before = have;
        assert_ok(ig_grow(&p, &have, i + 1, sizeof *p, "p", &err), &err);
        assert_true(have > i);
        for (int64_t k = before; k < have; k++)
            assert_int_equal(p[k], 0);
        p[i] = (int32_t)(i * 3);
    }
    for (int64_t i = 0; i < 5000; i++)
        assert_int_equal(p[i], i * 3);
    ig_free(p);
}

static void sizes_that_do_not_fit(void **state)
{
    (void)state;
    ig_err err;
    char *p = (char *)&err;
    assert_int_equal(ig_alloc(&p, INT64_MAX, 1 << 20, "weights", &err), IG_ERR_MEMORY);
    assert_null(p);
    assert_string_equal(err.where, "weights");
    assert_int_equal(ig_alloc(&p, -1, 1, "weights", &err), IG_ERR_MEMORY);
    assert_null(p);
    /* So near the end of the address space that rounding up to whole pages would begin anew at 0.
     */
    for (uint64_t less = 1; less < UINT64_C(8) << 20; less = less * 3 / 2 + 1) {
        assert_int_equal(ig_alloc(&p, 1, (size_t)(UINT64_MAX - less), "weights", &err),
                         IG_ERR_MEMORY);
        assert_null(p);
    }
    int64_t have = 0;
    assert_int_equal(ig_grow(&p, &have, INT64_MAX - 1, 16, "weights", &err), IG_ERR_MEMORY);
    assert_int_equal(have, 0);
    assert_null(p);
}

static void peak_counts_bytes(void **state)
{
    (void)state;
    ig_err err;
    const int64_t size = 64 << 20;
    int64_t before = ig_peak_memory();
    char *p;
    assert_true(before > 0);
    assert_ok(ig_alloc(&p, size, 1, "p", &err), &err);
    /* The peak may have been higher before; it never is less than what is resident now. */
    assert_true(ig_peak_memory() >= before);
    assert_true(ig_peak_memory() >= size);
    ig_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_zero),
        cmocka_unit_test(growth_keeps_and_clears),
        cmocka_unit_test(sizes_that_do_not_fit),
        cmocka_unit_test(peak_counts_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
