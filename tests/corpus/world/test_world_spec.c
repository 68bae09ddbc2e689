/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptions of languages: what they set, what they say when they are wrong.
 */
#include "test.h"

#include "corpus/world/world.h"

#include <string.h>

static void refuse(const char *spec, const char *part, const char *hint)
{
    ig_world_language l[IG_WORLD_LANGUAGES];
    int n;
    ig_err err = {0};
    assert_int_equal(ig_world_languages_parse(l, &n, spec, &err), IG_ERR_USAGE);
    if (strstr(err.msg, part) == NULL || strstr(err.hint, hint) == NULL) {
        print_error("%s: '%s' (%s)\n", spec, err.msg, err.hint);
        fail();
    }
    assert_null(strchr(err.msg, '\n'));
    assert_int_equal(ig_world_languages_parse(l, &n, spec, NULL), IG_ERR_USAGE);
}

static void mistakes_are_told(void **state)
{
    (void)state;
    refuse("", "no language", "");
    refuse(" ; ", "without a name", "");
    refuse("eng:SVQ", "'SVQ'", "SV");
    refuse("eng:noun-adk", "'noun-adk'", "'noun-adj'");
    refuse("eng:like-tut", "'like-tut'", "'like-tur'");
    refuse("eng:xxxxxxxx", "'xxxxxxxx'", "profile");
    refuse("eng:SVO,,post", "empty", "");
    refuse("eng:SVO,SOV", "already set by 'SVO'", "");
    refuse("eng:prep,prep", "already set", "");
    refuse("x:SOV,like-tur", "expected it first", "");
    refuse("eng;eng", "twice", "");
    refuse("a b:SVO", "letters, digits", "");
    refuse("../x", "letters, digits", "");
    refuse("a:SOV;:SVO", "without a name", "");
    refuse("abcdefghijklmnopqrstuvwxyz", "longer than", "");
    refuse("x:abcdefghijklmnopqrstuvwxyzabcdefghijkl", "longer than", "");
    refuse("x:pro-drop", "pro-drop", "agree");
    refuse("a;b;c;d;e;f;g;h;i;j;k;l;m;n;o;p;q", "more than 16", "");
}

static void description_sets_what_it_says(void **state)
{
    (void)state;
    ig_world_language l[IG_WORLD_LANGUAGES];
    int n;
    ig_err err;
    assert_ok(ig_world_languages_parse(
                  l, &n,
                  "eng:SVO,adj-noun,prep; jap:SOV,adj-noun,post,case;\n x:like-rus,VSO,latin;",
                  &err),
              &err);
    assert_int_equal(n, 3);
    assert_string_equal(l[0].name, "eng");
    assert_int_equal(l[0].order, IG_SVO);
    assert_true(l[0].prepositions && l[0].adj_first && !l[0].cases);
    assert_string_equal(l[1].name, "jap");
    assert_int_equal(l[1].order, IG_SOV);
    assert_true(!l[1].prepositions && l[1].cases && !l[1].number);
    assert_string_equal(l[2].name, "x");
    assert_int_equal(l[2].order, IG_VSO);
    assert_int_equal(l[2].script, IG_LATIN);
    assert_true(l[2].fusional && l[2].cases && !l[2].copula);
}

/* A printed description parses back to the same language, for every profile. */
static void description_round_trip(void **state)
{
    (void)state;
    for (int i = 0; ig_world_profile_names[i] != NULL; i++) {
        ig_world_language a[IG_WORLD_LANGUAGES], b[IG_WORLD_LANGUAGES];
        int n;
        ig_err err;
        char text[1024], again[1024];
        assert_ok(ig_world_languages_parse(a, &n, ig_world_profile_names[i], &err), &err);
        ig_world_language_print(&a[0], text, sizeof text);
        assert_ok(ig_world_languages_parse(b, &n, text, &err), &err);
        ig_world_language_print(&b[0], again, sizeof again);
        assert_string_equal(text, again);
        assert_int_equal(a[0].order, b[0].order);
        assert_int_equal(a[0].cases, b[0].cases);
        assert_int_equal(a[0].script, b[0].script);
    }
}

static void settings_have_ranges(void **state)
{
    (void)state;
    ig_world_options o;
    ig_err err;
    assert_false(ig_world_preset(&o, "bibel"));
    for (int i = 0; ig_world_preset_names[i] != NULL; i++) {
        assert_true(ig_world_preset(&o, ig_world_preset_names[i]));
        assert_ok(ig_world_options_check(&o, &err), &err);
    }
    assert_true(ig_world_preset(&o, "bible"));
#define BAD(field, value)                                                                          \
    do {                                                                                           \
        ig_world_options bad = o;                                                                  \
        bad.field = value;                                                                         \
        assert_int_equal(ig_world_options_check(&bad, &err), IG_ERR_USAGE);                        \
    } while (0)
    BAD(n_lemma, 39);
    BAD(n_class, 1);
    BAD(n_class, 1 + o.n_lemma * 2 / 5);
    BAD(zipf, NAN);
    BAD(selection, 1.01);
    BAD(past, 1);
    BAD(definite, .9);
    BAD(max_node, 161);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(description_sets_what_it_says),
        cmocka_unit_test(description_round_trip),
        cmocka_unit_test(settings_have_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
