/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses and prints JSON with jansson, through an allocator that records failures.
 */
#include "base/settings/json_text.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

static json_malloc_t below;
static atomic_bool lost;

static void *watched(size_t n)
{
    void *p = below(n);
    if (p == NULL)
        atomic_store(&lost, true);
    return p;
}

void ig_json_watch(void)
{
    json_malloc_t get;
    json_free_t give;
    json_get_alloc_funcs(&get, &give);
    if (get != watched)
        below = get;
    atomic_store(&lost, false);
    json_set_alloc_funcs(watched, give);
}

__attribute__((constructor)) static void watch_from_the_beginning(void)
{
    ig_json_watch();
}

bool ig_json_lost(void)
{
    return atomic_load(&lost);
}

ig_code ig_json_load(json_t **out, const char *text, int64_t n, size_t flags, json_error_t *why,
                     const char *where, ig_err *err)
{
    *out = json_loadb(text, (size_t)n, flags, why);
    if (*out != NULL)
        return IG_ERR_OK;
    /* jansson reports it as a syntax error, too. */
    return ig_json_lost() ? ig_fail(err, IG_ERR_MEMORY, where, 0, "not enough memory to read it")
                          : IG_ERR_INPUT;
}

char *ig_json_text(const json_t *j, size_t flags)
{
    char *text = ig_json_lost() ? NULL : json_dumps(j, flags);
    if (text == NULL || !ig_json_lost())
        return text;
    free(text);
    return NULL;
}

json_t *ig_json_texts(const char *const *text, int64_t n)
{
    json_t *all = json_array();
    for (int64_t i = 0; i < n; i++)
        json_array_append_new(all, text[i] != NULL ? json_string(text[i]) : json_null());
    return all;
}

json_t *ig_json_numbers(const double *x, int64_t n)
{
    json_t *all = json_array();
    for (int64_t i = 0; i < n; i++)
        json_array_append_new(all, ig_json_number(x[i]));
    return all;
}

json_t *ig_json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}
