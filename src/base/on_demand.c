/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads shared libraries on demand by dlopen (POSIX).
 */
#include "base/on_demand.h"

#include "base/assert.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

ig_code ig_on_demand_load(ig_on_demand *l, ig_err *err)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&one);
    for (int i = 0; l->handle == NULL && l->file[i] != NULL; i++)
        l->handle = dlopen(l->file[i], RTLD_LAZY | RTLD_LOCAL);
    const bool there = l->handle != NULL;
    pthread_mutex_unlock(&one);
    if (there)
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_IO, l->file[0], 0, "found no such library, expected it for %s", l->what);
    return ig_hint(err, "install %s", l->install);
}

void *ig_on_demand_find(const ig_on_demand *l, const char *name)
{
    IG_ASSERT(l->handle != NULL);
    void *address = dlsym(l->handle, name);
    IG_ASSERT(address != NULL); /* the header used for compiling declares it */
    return address;
}
