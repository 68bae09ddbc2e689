/* SPDX-License-Identifier: Apache-2.0
 *
 * Libraries that are loaded when they are first needed (POSIX dlopen, dlsym). Fetching and figures
 * depend on fifty shared libraries; a command that does neither starts without them, and runs on a
 * machine that does not have them.
 *
 * A file that uses such a library includes its header as usual, or declares the functions it
 * calls, and then has a line for each function:
 *
 *  #define cairo_scale IG_ON_DEMAND(rsvg, cairo_scale)
 *
 * The name within the macro's own expansion is not expanded again (C11, 6.10.3.4), so it is still
 * the function that the header declares, with its type.
 */
#pragma once

#include "isoglot/error.h"

typedef struct {
    const char *const *file; /* sonames in order of preference; NULL-terminated */
    const char *what;        /* "figures": the feature that needs it */
    const char *install;     /* packages that contain it */
    void *handle;            /* NULL: not loaded yet */
} ig_on_demand;

/* Loads the library, once; IG_ERR_IO if none of its files exists. Called before any of its
 * functions. By any thread. */
ig_code ig_on_demand_load(ig_on_demand *l, ig_err *err);
/* Returns the address of a function of a loaded library. */
void *ig_on_demand_find(const ig_on_demand *l, const char *name);

/* The function `f`, looked up at the first call of each place in the code; concurrent threads find
 * the same address. */
#define IG_ON_DEMAND(library, f)                                                                   \
    ((__typeof__(&f))__extension__({                                                               \
        static void *found_;                                                                       \
        void *address_ = __atomic_load_n(&found_, __ATOMIC_RELAXED);                               \
        if (address_ == NULL) {                                                                    \
            address_ = ig_on_demand_find(&(library), #f);                                          \
            __atomic_store_n(&found_, address_, __ATOMIC_RELAXED);                                 \
        }                                                                                          \
        address_;                                                                                  \
    }))
