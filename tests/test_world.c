/* SPDX-License-Identifier: Apache-2.0
 *
 * Generated worlds: the same seed gives the same sentences, in any order and beside any other language.
 */
#include "test.h"

#include "corpus/world.h"

#include <stdlib.h>
#include <string.h>

static ig_world *world_make(const char *preset, const char *languages, uint64_t seed)
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

static void language_stands_alone(void **state)
{
    (void)state;
    ig_world *all = world_make("demo", "eng;jap;rus", 3), *one = world_make("demo", "jap", 3);
    ig_world_tree *t = malloc(sizeof *t);
    ig_world_words *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    for (int64_t i = 499; i >= 0; i--) {
        ig_world_sentence(all, i, t);
        ig_world_linearise(all, 1, t, a);
        ig_world_sentence(one, i, t);
        ig_world_linearise(one, 0, t, b);
        assert_int_equal(a->n, b->n);
        for (int k = 0; k < a->n; k++)
            assert_string_equal(a->text[k], b->text[k]);
    }
    free(t);
    free(a);
    free(b);
    ig_world_free(all);
    ig_world_free(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(language_stands_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
