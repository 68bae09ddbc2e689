/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests of the tasks of worlds: a world of a preset, and its examples one after another.
 */
#pragma once

#include "test.h"

#include "corpus/world/world_task.h"

static inline ig_world *world_make(const char *preset, const char *languages, uint64_t seed)
{
    ig_world_options o;
    assert_true(ig_world_preset(&o, preset));
    o.seed = seed;
    ig_world_language l[IG_WORLD_LANGUAGES];
    int n;
    ig_err err;
    assert_ok(ig_world_languages_parse(l, &n, languages, &err), &err);
    ig_world *w;
    assert_ok(ig_world_new(&w, &o, l, n, &err), &err);
    return w;
}

static inline ig_world_examples *examples_make(const ig_world *w, ig_world_task_kind kind,
                                               int split, int64_t seed)
{
    ig_err err;
    ig_world_examples *x;
    assert_ok(ig_world_examples_new(&x, w, kind, split, seed, &err), &err);
    return x;
}

static inline const ig_world_example *next(ig_world_examples *x)
{
    ig_err err;
    const ig_world_example *e;
    assert_ok(ig_world_examples_next(x, &e, &err), &err);
    return e;
}
