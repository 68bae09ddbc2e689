/* SPDX-License-Identifier: Apache-2.0
 *
 * Included by every test: cmocka with the headers it needs, and comparisons that do not accept NaN
 * by mistake (written positively, with NaN and infinities handled first).
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isoglot/error.h"

#include <math.h>
#include <stdio.h>

/* Under AddressSanitizer or ThreadSanitizer, gcc's or clang's, and under an emulator: what only
 * repeats a path may be done less often. */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ ||                                 \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || defined IG_EMULATED
enum { SANITIZED = 1 };
#define IF_SANITIZED(small, full) small /* for parts of texts, too */
#else
enum { SANITIZED = 0 };
#define IF_SANITIZED(small, full) full
#endif

/* Around a second implementation, which only says what the library's is compared with and takes
 * most of a test's time: clang's sanitizers look at the library, gcc's at both. */
#if defined __clang__
#define UNSANITIZED_BEGIN                                                                          \
    _Pragma("clang attribute push(__attribute__((no_sanitize(\"address\"))),apply_to=function)")   \
        _Pragma(                                                                                   \
            "clang attribute push(__attribute__((no_sanitize(\"undefined\"))),apply_to=function)")
#define UNSANITIZED_END _Pragma("clang attribute pop") _Pragma("clang attribute pop")
#else
#define UNSANITIZED_BEGIN
#define UNSANITIZED_END
#endif

/* Checks of this program that could not run on this machine. */
static int n_skipped_here;

/* Says why a check, or a part of one, cannot run on this machine; the test goes on. A program with
 * such a check, in which nothing failed, ends with 77, and CTest reports it as skipped; `./dev
 * test` lists these lines. To leave the test as well: skip_here("…"); skip(); */
__attribute__((format(printf, 1, 2))) static inline void skip_here(const char *why, ...)
{
    va_list args;
    va_start(args, why);
    printf("skipped: ");
    vprintf(why, args);
    printf("\n");
    fflush(stdout);
    va_end(args);
    n_skipped_here++;
}

/* The exit status of a program whose tests ended with `failed`. */
static inline int exit_status(int failed)
{
    return failed == 0 && n_skipped_here > 0 ? 77 : failed;
}
#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, setup, teardown)                                             \
    exit_status(                                                                                   \
        _cmocka_run_group_tests(#tests, tests, sizeof(tests) / sizeof(tests)[0], setup, teardown))

/* Fails with the error's own message. */
static inline void assert_ok_at(ig_code code, const ig_err *err, const char *file, int line)
{
    if (code != IG_ERR_OK) {
        print_error("%s:%d: %s:%llu: %s\n", file, line, err->where, (unsigned long long)err->line,
                    err->msg);
        _fail(file, line);
    }
}
#define assert_ok(code, err) assert_ok_at((code), (err), __FILE__, __LINE__)

/* A file for a reader to find, without ig_file_write's care for power cuts: the thousand syncs of a
 * loop over damaged files take minutes on a slow disk. */
static inline void write_fast(const char *path, const void *data, int64_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, (size_t)n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* |got − want| ≤ atol + rtol·|want| for all n; NaN never passes, infinities must be the same. */
static inline void assert_close_at(const float *got, const float *want, int64_t n, double atol,
                                   double rtol, const char *what, const char *file, int line)
{
    int64_t n_bad = 0, worst = 0;
    double worst_ratio = -1;
    for (int64_t i = 0; i < n; i++) {
        double g = (double)got[i], w = (double)want[i], ratio;
        if (isinf(w) || isinf(g))
            ratio = g == w ? 0 : (double)INFINITY;
        else if (isnan(w) || isnan(g))
            ratio = (double)INFINITY;
        else
            ratio = fabs(g - w) / (atol + rtol * fabs(w));
        if (!(ratio <= 1))
            n_bad++;
        if (ratio > worst_ratio) {
            worst_ratio = ratio;
            worst = i;
        }
    }
    if (n_bad > 0) {
        print_error("%s:%d: %s: %lld of %lld differ; worst at %lld: got %.9g, want %.9g\n", file,
                    line, what, (long long)n_bad, (long long)n, (long long)worst,
                    (double)got[worst], (double)want[worst]);
        _fail(file, line);
    }
}
#define assert_close(got, want, n, atol, rtol, what)                                               \
    assert_close_at((got), (want), (n), (atol), (rtol), (what), __FILE__, __LINE__)
