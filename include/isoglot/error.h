/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors as values. Every function that can fail for a reason outside the program returns an
 * ig_code and fills an ig_err that the caller owns; the library never prints and never exits.
 * The code is also the exit status of the program (`isoglot help exit-codes` prints this list).
 * A mistake in the program itself is an IG_ASSERT (base/assert.h), never an ig_err.
 */
#ifndef ISOGLOT_ERROR_H
#define ISOGLOT_ERROR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IG_ERR_LIST(X)                                                                             \
    X(OK, 0, "success")                                                                            \
    X(USAGE, 2, "bad command line or configuration")                                               \
    X(INPUT, 3, "malformed or inconsistent input data")                                            \
    X(IO, 4, "file or system error")                                                               \
    X(MEMORY, 5, "not enough memory")                                                              \
    X(NUMERIC, 6, "non-finite value or divergence")                                                \
    X(DEVICE, 7, "accelerator error")                                                              \
    X(STOPPED, 8, "stopped early, can be resumed")

typedef enum {
#define IG_ERR_ENUM(name, number, text) IG_ERR_##name = number,
    IG_ERR_LIST(IG_ERR_ENUM)
#undef IG_ERR_ENUM
} ig_code;

/* The place and the reason of an error. `where` is a path, an option or a key ("" when there is
 * none); `line` is 1-based (0: no line); `hint` is one more sentence on what to do ("" when there
 * is none). */
typedef struct {
    ig_code code;
    char where[256];
    uint64_t line;
    char msg[384];
    char hint[256];
} ig_err;

/* Fills *err (which may be NULL) and returns `code`, so that a reader can `return ig_fail(...)`.
 * The message states what was found and what was expected, in one line, without a full stop. */
ig_code ig_fail(ig_err *err, ig_code code, const char *where, uint64_t line, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* Adds the hint to an error that is already filled; returns its code. err may be NULL: then the
 * code is not known here, and IG_ERR_INPUT is returned. */
ig_code ig_hint(ig_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Sets the place in an error of a function that does not know it; a place that is set already is
 * kept. */
void ig_err_at(ig_err *err, const char *where);

/* "success", "bad command line or configuration", ...; never NULL. */
const char *ig_code_text(ig_code code);

/* Leaves the function when `expr` failed. */
#define IG_TRY(expr)                                                                               \
    do {                                                                                           \
        ig_code ig_try_code_ = (expr);                                                             \
        if (ig_try_code_ != IG_ERR_OK)                                                             \
            return ig_try_code_;                                                                   \
    } while (0)

/* Runs the next step only if all went well so far; the code after the chain can free and close. */
#define IG_THEN(code, ...)                                                                         \
    do {                                                                                           \
        if ((code) == IG_ERR_OK)                                                                   \
            (code) = (__VA_ARGS__);                                                                \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
