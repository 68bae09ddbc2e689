/* SPDX-License-Identifier: Apache-2.0
 *
 * Assertions for mistakes in the program itself (never for bad input, which is an ig_err).
 * IG_ASSERT is always on and not used in inner loops; IG_DEBUG_ASSERT is removed by NDEBUG.
 */
#pragma once

_Noreturn void ig_assert_failed(const char *file, int line, const char *expr);

#define IG_ASSERT(expr) ((expr) ? (void)0 : ig_assert_failed(__FILE__, __LINE__, #expr))
#ifdef NDEBUG
#define IG_DEBUG_ASSERT(expr) ((void)0)
#else
#define IG_DEBUG_ASSERT(expr) IG_ASSERT(expr)
#endif
