/* SPDX-License-Identifier: Apache-2.0
 *
 * Words that are held out of a language's training text: which and how many they are, what reading
 * leaves out, and that no word or sentence changes for it.
 */
#include "world_task_fixture.h"

#include <stdlib.h>
#include <string.h>

static const ig_upos open_class[] = {IG_UPOS_NOUN, IG_UPOS_VERB, IG_UPOS_ADJ, IG_UPOS_ADV};

static bool is_open(const ig_world *w, int32_t lemma)
{
    for (size_t i = 0; i < sizeof open_class / sizeof *open_class; i++)
        if (ig_world_lemma_upos(w, lemma) == open_class[i])
            return true;
    return false;
}

static void shares(void **state)
{
    (void)state;
    ig_world *w = world_make("tasks", "eng; x:held-out-20; y:held-out-20; z:held-out-100", 6),
             *more = world_make("tasks", "eng; x:held-out-50", 6),
             *none = world_make("tasks", "eng; x", 6);
    const int32_t n = ig_world_later_lemma(w, IG_LATER_SOME);
    int n_open = 0, held = 0, both = 0, all = 0;
    for (int32_t i = 0; i < n; i++) {
        n_open += is_open(w, i);
        assert_false(ig_world_held_out(w, 0, i));
        assert_false(ig_world_held_out(none, 1, i));
        if (ig_world_held_out(w, 1, i)) {
            assert_true(is_open(w, i));
            assert_true(ig_world_held_out(more, 1, i)); /* a larger share has them, too */
            held++;
            both += ig_world_held_out(w, 2, i);
        }
        all += ig_world_held_out(w, 3, i);
        assert_string_equal(ig_world_stem(w, 1, i), ig_world_stem(none, 1, i));
    }
    assert_in_range(held, n_open * 14 / 100, n_open * 25 / 100);
    assert_in_range(both, 1, held / 2); /* each language has its own */
    assert_in_range(all, n_open * 90 / 100, n_open - 1);
    ig_world_free(w);
    ig_world_free(more);
    ig_world_free(none);
}

static void sentences(void **state)
{
    (void)state;
    ig_world *w = world_make("tasks", "eng; x:held-out-5", 6);
    static ig_world_tree t;
    int n = 0;
    for (int64_t i = 0; i < 1000; i++) {
        bool any = false;
        ig_world_sentence(w, i, &t);
        for (int k = 0; k < t.n; k++)
            any = any || ig_world_held_out(w, 1, t.node[k].lemma);
        assert_int_equal(ig_world_sentence_held_out(w, 1, &t), any);
        assert_false(ig_world_sentence_held_out(w, 0, &t));
        n += any;
    }
    assert_in_range(n, 20, 600);
    print_message("%d of 1000 sentences\n", n);
    ig_world_free(w);
}

static void options(void **state)
{
    static const char *const bad[] = {"x:held-out", "x:held-out-0", "x:held-out-101",
                                      "x:held-out-5b", "x:held-out-5-2"};
    ig_world_language l[IG_WORLD_LANGUAGES];
    char full[1024];
    ig_err err;
    int n;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(ig_world_languages_parse(l, &n, bad[i], &err), IG_ERR_USAGE);
        assert_non_null(strstr(err.msg, "held-out-SHARE"));
    }
    assert_ok(ig_world_languages_parse(l, &n, "x:SOV,held-out-7,cognates-25-3", &err), &err);
    ig_world_language_print(&l[0], full, sizeof full);
    assert_non_null(strstr(full, ",cognates-25-3,held-out-7"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shares), cmocka_unit_test(sentences),
                                       cmocka_unit_test(options)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
