/* SPDX-License-Identifier: Apache-2.0
 *
 * Verses and sentences: verses selected and joined as brute force does it, sentences of several
 * texts, as many as are asked for.
 */
#include "corpus_fixture.h"

#include "base/memory.h"
#include "corpus/read/sentences.h"

static void write_text(const char *name, const char *text)
{
    write_fast(fixture_path(name), text, (int64_t)strlen(text));
}

static bool by_hand(int which, int32_t id)
{
    int32_t book = id / 1000000, chapter = id / 1000;
    switch (which) {
    case 0:
        return true;
    case 1:
        return book >= 40 && book <= 66;
    case 2:
        return book >= 1 && book <= 39;
    case 3:
        return book == 1 || (book >= 40 && book <= 43);
    case 4:
        return id / 10000000 <= 3;
    case 5:
        return chapter >= 40005 && chapter <= 40007;
    case 6:
        return id >= 1001003 && id <= 1002001;
    case 7:
        return book == 66 || chapter == 19119 || id == 43003016;
    default:
        return chapter >= 40001 && chapter <= 40009;
    }
}

static void verse_sets(void **state)
{
    (void)state;
    static const char *const text[] = {"",
                                       "NT",
                                       "OT",
                                       "1,40-43",
                                       "0*,1*,2*,3*",
                                       "40005-40007",
                                       "01001003-01002001",
                                       "66,19119,43003016",
                                       "4000*"};
    ig_err err = {0};
    ig_verse_set s;
    for (int k = 0; k < 9; k++) {
        assert_ok(ig_verse_set_parse(&s, text[k], "ids", &err), &err);
        for (int32_t book = 1; book <= 66; book++)
            for (int32_t chapter = 1; chapter <= 150; chapter += 1)
                for (int32_t verse = 1; verse <= 176; verse += 5) {
                    int32_t id = book * 1000000 + chapter * 1000 + verse;
                    if (ig_verse_set_has(&s, id) != by_hand(k, id))
                        fail_msg("'%s' and %d", text[k], id);
                }
    }
    static const char *const bad[] = {"nt",    "N",         "40-",       "-40",
                                      "66-40", "40-40001",  "123",       "40,",
                                      ",",     "*",         "4**",       "4a",
                                      "40 ",   "123456789", "12345678*", "40-4*",
                                      "4*-5*", "40--41",    "NT-OT",     "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (ig_verse_set_parse(&s, bad[i], "ids", &err) != IG_ERR_USAGE)
            fail_msg("accepted '%s'", bad[i]);
    char many[400] = "1";
    for (int i = 0; i < 64; i++)
        strcat(many, ",1");
    assert_int_equal(ig_verse_set_parse(&s, many, "ids", &err), IG_ERR_USAGE);
}

/* Three versions with verses missing at random, against counting. */
static void joined_by_id(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_rng rng = ig_rng_make(3, IG_STREAM_TEST, 0, 0);
    for (int round = 0; round < 200; round++) {
        bool has[3][30];
        char path[3][256];
        char *paths[3];
        int n = 1 + round % 3;
        for (int k = 0; k < n; k++) {
            char text[2000] = "", name[16];
            sprintf(name, "v%d", k);
            strcpy(path[k], fixture_path(name));
            paths[k] = path[k];
            for (int i = 0; i < 30; i++) {
                has[k][i] = ig_rng_below(&rng, 5) > 1;
                if (has[k][i])
                    sprintf(text + strlen(text), "%08d\tv%d of %d\n", 40001000 + i, i, k);
                else if (ig_rng_below(&rng, 2) == 0)
                    sprintf(text + strlen(text), "%08d\t\n", 40001000 + i);
            }
            write_text(name, text);
        }
        ig_verse_join *j;
        ig_text_record r[3];
        assert_ok(ig_verse_join_open(&j, paths, n, NULL, &err), &err);
        for (int i = 0; i < 30; i++) {
            bool all = true;
            for (int k = 0; k < n; k++)
                all = all && has[k][i];
            if (!all)
                continue;
            assert_ok(ig_verse_join_next(j, r, &err), &err);
            assert_non_null(r[0].text);
            for (int k = 0; k < n; k++) {
                char want[32];
                sprintf(want, "v%d of %d", i, k);
                assert_int_equal(r[k].id, 40001000 + i);
                assert_string_equal(r[k].text, want);
            }
        }
        assert_ok(ig_verse_join_next(j, r, &err), &err);
        assert_null(r[0].text);
        ig_verse_join_close(j);
    }
    write_text("v0", "40001002\ta\n40001001\tb\n");
    char path[256];
    strcpy(path, fixture_path("v0"));
    ig_verse_join *j;
    ig_text_record r[1];
    assert_ok(ig_verse_join_open(&j, (char *[]){path}, 1, NULL, &err), &err);
    assert_ok(ig_verse_join_next(j, r, &err), &err);
    assert_int_equal(ig_verse_join_next(j, r, &err), IG_ERR_INPUT);
    assert_int_equal(err.line, 2);
    ig_verse_join_close(j);
    ig_verse_join_close(NULL);
}

static int64_t count(const char *const *path, int n_path, ig_sentence_options o, char *all)
{
    ig_err err = {0};
    ig_sentences *s;
    const char *text;
    int64_t n, k = 0;
    assert_ok(ig_sentences_open(&s, path, n_path, &o, &err), &err);
    for (;; k++) {
        assert_ok(ig_sentences_next(s, &text, &n, &err), &err);
        if (text == NULL)
            break;
        assert_true(n > 0);
        if (all != NULL)
            all += sprintf(all, "%.*s|", (int)n, text);
    }
    ig_sentences_close(s);
    return k;
}

static void sentences(void **state)
{
    (void)state;
    write_text("a", "One. Two;  three.\n\n  \n()\n“Four.” Five\n");
    write_text("b", "40001001\tSix: seven. \n01001001\tEight.\n");
    char a[256], b[256], all[256];
    strcpy(a, fixture_path("a"));
    strcpy(b, fixture_path("b"));
    const char *path[] = {a, b};
    assert_int_equal(count(path, 2, (ig_sentence_options){0}, all), 7);
    assert_string_equal(all, "One.|Two; three.|()|“Four.”|Five|Six: seven.|Eight.|");
    assert_int_equal(
        count(path, 2, (ig_sentence_options){.strip_quotes = true, .clauses = true}, all), 8);
    assert_string_equal(all, "One.|Two;|three.|Four.|Five|Six:|seven.|Eight.|");
    assert_int_equal(count(path, 2, (ig_sentence_options){.whole_lines = true, .take = 3}, all), 3);
    assert_string_equal(all, "One. Two; three.|()|“Four.” Five|");
    assert_int_equal(
        count(path + 1, 1, (ig_sentence_options){.verses = {1, {{40000000, 66999999}}}}, all), 1);
    assert_int_equal(count(path, 2, (ig_sentence_options){.take = 100}, all), 7);
    assert_int_equal(count(path, 0, (ig_sentence_options){0}, all), 0);
    ig_err err = {0};
    ig_sentences *s;
    ig_sentence_options o = {.whole_lines = true, .clauses = true};
    assert_int_equal(ig_sentences_open(&s, path, 2, &o, &err), IG_ERR_USAGE);
    assert_null(s);
}

static void takes_as_many(void **state)
{
    (void)state;
    char text[4000], *at = text, path[256];
    for (int i = 0; i < 30; i++)
        at += sprintf(at, "Line %d. It has two sentences.%s\n", i, i % 3 == 0 ? "\n" : "");
    write_text("long", text);
    strcpy(path, fixture_path("long"));
    const char *one = path;
    for (int take = 1; take <= 65; take++) {
        ig_sentence_options o = {.take = take};
        assert_int_equal(count(&one, 1, o, NULL), take < 60 ? take : 60);
        o.whole_lines = true;
        assert_int_equal(count(&one, 1, o, NULL), take < 30 ? take : 30);
    }
}

/* The figures of a real text. Splitting at every . ? ! (; :) before white space gives 9 011 and 11
 * 733; UAX #29 does not break once, at "his position as priest is higher. because". */
static void bible(void **state)
{
    (void)state;
    const char *shared = getenv("ISOGLOT_TEST_SHARED");
    char bbe[512], kjv[512];
    snprintf(bbe, sizeof bbe, "%s/data/bible/eng-bbe.tsv.zst",
             shared != NULL ? shared : IG_SOURCE_DIR "/../shared");
    snprintf(kjv, sizeof kjv, "%s/data/bible/eng-kjv.tsv.zst",
             shared != NULL ? shared : IG_SOURCE_DIR "/../shared");
    if (!ig_file_exists(bbe) || !ig_file_exists(kjv)) {
        skip_here("no %s", bbe);
        skip();
    }
    const char *path[] = {bbe};
    ig_sentence_options o = {
        .verses = {1, {{40000000, 66999999}}}, .strip_quotes = true, .whole_lines = true};
    assert_int_equal(count(path, 1, o, NULL), 7940);
    o.whole_lines = false;
    assert_int_equal(count(path, 1, o, NULL), 9010);
    o.clauses = true;
    assert_int_equal(count(path, 1, o, NULL), 11732);
    /* Equal ids are parallel verses: most of the New Testament is in both versions. */
    ig_err err = {0};
    ig_verse_set nt;
    ig_verse_join *j;
    ig_text_record r[2];
    int64_t n = 0;
    assert_ok(ig_verse_set_parse(&nt, "NT", "ids", &err), &err);
    assert_ok(ig_verse_join_open(&j, (char *[]){bbe, kjv}, 2, &nt, &err), &err);
    for (;; n++) {
        assert_ok(ig_verse_join_next(j, r, &err), &err);
        if (r[0].text == NULL)
            break;
        assert_int_equal(r[0].id, r[1].id);
    }
    assert_true(n > 7900 && n <= 7940);
    ig_verse_join_close(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verse_sets), cmocka_unit_test(joined_by_id),
        cmocka_unit_test(sentences),  cmocka_unit_test(takes_as_many),
        cmocka_unit_test(bible),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
