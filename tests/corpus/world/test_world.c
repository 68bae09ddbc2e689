/* SPDX-License-Identifier: Apache-2.0
 *
 * Generated worlds against facts that do not come from the code that makes them: word order read
 * off the words, alignment recomputed from the words' own texts, languages that share nothing,
 * trees that are trees.
 */
#include "test.h"

#include "corpus/world/world.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    ig_world_tree t;
    ig_world_words a, b;
} room;

static room *room_make(void)
{
    room *r = malloc(sizeof *r);
    assert_non_null(r);
    return r;
}

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

static void same_words(const ig_world_words *a, const ig_world_words *b)
{
    assert_int_equal(a->n, b->n);
    for (int k = 0; k < a->n; k++)
        assert_string_equal(a->text[k], b->text[k]);
}

/* In any order of asking, and beside any other language. */
static void language_stands_alone(void **state)
{
    (void)state;
    ig_world *all = world_make("demo", "eng;jap;rus", 3), *one = world_make("demo", "jap", 3);
    room *r = room_make();
    for (int64_t i = 499; i >= 0; i--) {
        ig_world_sentence(all, i, &r->t);
        ig_world_linearise(all, 1, &r->t, &r->a);
        ig_world_sentence(one, 499 - i, &r->t);
        ig_world_sentence(one, i, &r->t);
        ig_world_linearise(one, 0, &r->t, &r->b);
        same_words(&r->a, &r->b);
    }
    ig_world_free(one);
    /* Another seed is another world. */
    one = world_make("demo", "jap", 4);
    int same = 0;
    for (int64_t i = 0; i < 100; i++) {
        ig_world_sentence(all, i, &r->t);
        ig_world_linearise(all, 1, &r->t, &r->a);
        ig_world_sentence(one, i, &r->t);
        ig_world_linearise(one, 0, &r->t, &r->b);
        same += r->a.n == r->b.n && strcmp(r->a.text[0], r->b.text[0]) == 0;
    }
    assert_in_range(same, 0, 5);
    free(r);
    ig_world_free(all);
    ig_world_free(one);
}

static int dependent(const ig_world_tree *t, int head, ig_deprel rel)
{
    for (int i = 0; i < t->n; i++)
        if (t->node[i].head == head && t->node[i].rel == rel)
            return i;
    return -1;
}

static void order_of_subject_verb_object(void **state)
{
    (void)state;
    static const char *const orders[] = {"SVO", "SOV", "VSO", "VOS", "OVS", "OSV"};
    room *r = room_make();
    for (int o = 0; o < 6; o++) {
        char spec[32];
        snprintf(spec, sizeof spec, "x:%s", orders[o]);
        ig_world *w = world_make("bible", spec, 1);
        int seen = 0;
        for (int64_t i = 0; i < 300; i++) {
            ig_world_sentence(w, i, &r->t);
            ig_world_linearise(w, 0, &r->t, &r->a);
            for (int k = 0; k < r->t.n; k++) {
                const int s = dependent(&r->t, k, IG_REL_NSUBJ),
                          b = dependent(&r->t, k, IG_REL_OBJ);
                if (r->t.node[k].upos != IG_UPOS_VERB || s < 0 || b < 0 ||
                    r->t.node[s].lemma == IG_LEM_WHICH || r->t.node[b].lemma == IG_LEM_WHICH ||
                    r->t.node[s].lemma == IG_LEM_WHO)
                    continue;
                const int place[3] = {r->a.word_of_node[s], r->a.word_of_node[k],
                                      r->a.word_of_node[b]};
                const char *const p = orders[o];
                int last = -1;
                for (const char *c = p; *c != '\0'; c++) {
                    const int at = place[*c == 'S' ? 0 : *c == 'V' ? 1 : 2];
                    assert_true(at > last);
                    last = at;
                }
                seen++;
            }
        }
        assert_true(seen > 200);
        ig_world_free(w);
    }
    free(r);
}

/* Each dependent of a relation stands on the side of its head that the description says. */
static void side_check(const char *spec, ig_deprel rel, bool first)
{
    ig_world *w = world_make("bible", spec, 2);
    room *r = room_make();
    int seen = 0;
    for (int64_t i = 0; i < 200; i++) {
        ig_world_sentence(w, i, &r->t);
        ig_world_linearise(w, 0, &r->t, &r->a);
        for (int k = 1; k < r->t.n; k++)
            if (r->t.node[k].rel == rel) {
                const int d = r->a.word_of_node[k], h = r->a.word_of_node[r->t.node[k].head];
                assert_true(d >= 0 && h >= 0 && d != h);
                assert_int_equal(d < h, first);
                seen++;
            }
    }
    assert_true(seen > 20);
    free(r);
    ig_world_free(w);
}

static void order_inside_phrases(void **state)
{
    (void)state;
    side_check("x:adj-noun", IG_REL_AMOD, true);
    side_check("x:noun-adj", IG_REL_AMOD, false);
    side_check("x:prep", IG_REL_CASE, true);
    side_check("x:SOV,post", IG_REL_CASE, false);
    side_check("x:gen-noun", IG_REL_NMOD, true);
    side_check("x:noun-gen", IG_REL_NMOD, false);
    side_check("x:rel-noun", IG_REL_RELCL, true);
    side_check("x:noun-rel", IG_REL_RELCL, false);
    side_check("x:noun-num", IG_REL_NUMMOD, false);
    side_check("x:noun-det", IG_REL_DET, false);
    side_check("x", IG_REL_DET, true);
}

/* One text per (lemma, form), one (lemma, form) per text, over all that occurs. */
typedef struct {
    char text[IG_WORLD_WORD];
    int32_t lemma;
    uint32_t form;
} sight;

static int by_text(const void *a, const void *b)
{
    const sight *x = a, *y = b;
    const int c = strcmp(x->text, y->text);
    return c != 0 ? c : (x->lemma > y->lemma) - (x->lemma < y->lemma);
}

static void words_mean_one_thing(void **state)
{
    (void)state;
    static const char *const specs[] = {"tur", "rus", "swa", "arb", "deu:local-case,def-affix"};
    room *r = room_make();
    sight *all = malloc(60000 * sizeof *all);
    for (int l = 0; l < 5; l++) {
        ig_world *w = world_make("bible", specs[l], 5);
        int n = 0;
        for (int64_t i = 0; n < 59000 && i < 2000; i++) {
            ig_world_sentence(w, i, &r->t);
            ig_world_linearise(w, 0, &r->t, &r->a);
            for (int k = 0; k < r->a.n; k++) {
                sight *s = &all[n++];
                memcpy(s->text, r->a.text[k], IG_WORLD_WORD);
                s->lemma = r->t.node[r->a.node[k]].lemma;
                s->form = r->a.form[k];
            }
        }
        qsort(all, (size_t)n, sizeof *all, by_text);
        int forms = 0;
        for (int i = 1; i < n; i++)
            if (strcmp(all[i].text, all[i - 1].text) == 0) {
                assert_int_equal(all[i].lemma, all[i - 1].lemma);
                assert_int_equal(all[i].form, all[i - 1].form);
            } else
                forms++;
        assert_true(forms > 1000);
        ig_world_free(w);
    }
    free(all);
    free(r);
}

/* Verbs change with person and number of their subject, and with nothing else. */
static void verbs_agree(void **state)
{
    (void)state;
    ig_world *w = world_make("bible", "spa:no-pro-drop,no-tense", 1),
             *plain = world_make("bible", "zho", 1);
    room *r = room_make();
    int marked = 0, bare = 0;
    for (int64_t i = 0; i < 300; i++) {
        ig_world_sentence(w, i, &r->t);
        ig_world_linearise(w, 0, &r->t, &r->a);
        ig_world_linearise(plain, 0, &r->t, &r->b);
        for (int k = 0; k < r->t.n; k++) {
            if (r->t.node[k].upos != IG_UPOS_VERB)
                continue;
            const char *const stem = ig_world_stem(w, 0, r->t.node[k].lemma);
            const char *const text = r->a.text[r->a.word_of_node[k]];
            const int s = dependent(&r->t, k, IG_REL_NSUBJ);
            const bool third = s < 0 || (r->t.node[s].person == 3 && !r->t.node[s].plural);
            /* Third person singular is the bare stem; every other adds something after it. */
            assert_int_equal(strcmp(stem, text) == 0, third);
            assert_int_equal(strncmp(stem, text, strlen(stem)), 0);
            marked += !third;
            bare += third;
            assert_string_equal(r->b.text[r->b.word_of_node[k]],
                                ig_world_stem(plain, 0, r->t.node[k].lemma));
        }
    }
    assert_true(marked > 50 && bare > 50);
    free(r);
    ig_world_free(w);
    ig_world_free(plain);
}

static void links_are_what_words_say(void **state)
{
    (void)state;
    static const char *const specs = "eng; tur; zho; x:VOS,noun-adj,no-number,no-tense,no-articles";
    ig_world *w = world_make("bible", specs, 9);
    room *r = room_make();
    int32_t ab[2 * IG_WORLD_NODES], ba[2 * IG_WORLD_NODES];
    int many = 0;
    for (int64_t i = 0; i < 200; i++) {
        ig_world_sentence(w, i, &r->t);
        for (int x = 0; x < 4; x++)
            for (int y = 0; y < 4; y++) {
                ig_world_linearise(w, x, &r->t, &r->a);
                ig_world_linearise(w, y, &r->t, &r->b);
                const int n = ig_world_links(&r->a, &r->b, r->t.n, ab);
                assert_int_equal(n, ig_world_links(&r->b, &r->a, r->t.n, ba));
                for (int k = 0; k < n; k++) {
                    if (k > 0) /* sorted, each once */
                        assert_true(ab[2 * k] > ab[2 * k - 2] ||
                                    (ab[2 * k] == ab[2 * k - 2] && ab[2 * k + 1] > ab[2 * k - 1]));
                    bool back = false;
                    for (int j = 0; j < n && !back; j++)
                        back = ba[2 * j] == ab[2 * k + 1] && ba[2 * j + 1] == ab[2 * k];
                    assert_true(back);
                }
                /* Brute force over words and nodes. */
                int expected = 0;
                for (int a = 0; a < r->a.n; a++)
                    for (int b = 0; b < r->b.n; b++) {
                        bool linked = false;
                        for (int k = 0; k < r->t.n; k++)
                            linked |= r->a.word_of_node[k] == a && r->b.word_of_node[k] == b;
                        expected += linked;
                    }
                assert_int_equal(n, expected);
                many += n > r->a.n;
                if (x >= 2 &&
                    y >= 2) /* both without a single affix: linked words are one lemma's */
                    for (int k = 0; k < n; k++) {
                        const int32_t lemma = r->t.node[r->a.node[ab[2 * k]]].lemma;
                        assert_string_equal(ig_world_stem(w, x, lemma), r->a.text[ab[2 * k]]);
                        assert_string_equal(ig_world_stem(w, y, lemma), r->b.text[ab[2 * k + 1]]);
                    }
                if (x == y) /* every word with itself */
                    for (int a = 0; a < r->a.n; a++) {
                        bool self = false;
                        for (int k = 0; k < n && !self; k++)
                            self = ab[2 * k] == a && ab[2 * k + 1] == a;
                        assert_true(self);
                    }
            }
    }
    assert_true(many > 0);
    free(r);
    ig_world_free(w);
}

static void languages_share_no_word(void **state)
{
    (void)state;
    ig_world *w =
        world_make("bible",
                   "eng:no-punct;spa:no-punct;deu:no-punct;tur:no-punct;arb:no-punct;swa:no-punct;"
                   "a:no-punct;b:no-punct;rus:no-punct;ell:no-punct",
                   11);
    room *r = room_make();
    enum { MOST = 100000 };
    sight *all = malloc(MOST * sizeof *all);
    int n = 0;
    for (int l = 0; l < 10; l++)
        for (int64_t i = 0; i < 300; i++) {
            ig_world_sentence(w, i, &r->t);
            ig_world_linearise(w, l, &r->t, &r->a);
            for (int k = 0; k < r->a.n && n < MOST; k++) {
                memcpy(all[n].text, r->a.text[k], IG_WORLD_WORD);
                all[n++].lemma = l;
            }
        }
    assert_true(n > 30000);
    qsort(all, (size_t)n, sizeof *all, by_text);
    for (int i = 1; i < n; i++)
        if (strcmp(all[i].text, all[i - 1].text) == 0)
            assert_int_equal(all[i].lemma, all[i - 1].lemma);
    free(all);
    free(r);
    ig_world_free(w);
}

/* One root, heads above dependents, no crossing branches (recomputed from the heads alone). */
static void trees_are_projective(void **state)
{
    (void)state;
    ig_world *w = world_make("bible", "eng;deu;tur;arb;fij;zho", 13);
    room *r = room_make();
    for (int64_t i = 0; i < 200; i++) {
        ig_world_sentence(w, i, &r->t);
        for (int l = 0; l < 6; l++) {
            ig_world_linearise(w, l, &r->t, &r->a);
            int roots = 0;
            for (int k = 0; k < r->a.n; k++) {
                int h = r->a.head[k], steps = 0;
                roots += h < 0;
                for (int up = h; up >= 0; up = r->a.head[up])
                    assert_true(++steps < r->a.n);
                if (h < 0)
                    continue;
                for (int m = (h < k ? h : k) + 1; m < (h < k ? k : h); m++) {
                    int up = m;
                    while (up >= 0 && up != h)
                        up = r->a.head[up];
                    assert_int_equal(up, h);
                }
            }
            assert_int_equal(roots, 1);
        }
    }
    free(r);
    ig_world_free(w);
}

/* The largest settings stay within the tree's room (an assertion in the generator would abort). */
static void extremes_fit(void **state)
{
    (void)state;
    ig_world_language l[IG_WORLD_LANGUAGES];
    int n;
    ig_err err;
    assert_ok(ig_world_languages_parse(l, &n, "eng;tur", &err), &err);
    for (int all = 0; all < 2; all++) {
        ig_world_options o;
        assert_true(ig_world_preset(&o, "demo"));
#define SET(field, key, min, max, help) o.field = all ? max : min;
        IG_WORLD_MORE_LIST(SET)
#undef SET
        o.n_lemma = 40;
        o.n_class = all ? 16 : 2;
        o.n_topic = all ? 256 : 1;
        o.length = 160;
        o.max_node = all ? 160 : 8;
        o.copula = .3;
        ig_world *w;
        assert_ok(ig_world_new(&w, &o, l, n, &err), &err);
        room *r = room_make();
        int longest = 0;
        for (int64_t i = 0; i < 2000; i++) {
            ig_world_sentence(w, i, &r->t);
            ig_world_linearise(w, i & 1, &r->t, &r->a);
            longest = r->a.n > longest ? r->a.n : longest;
        }
        assert_true(all ? longest > 80 : longest < 24);
        free(r);
        ig_world_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(language_stands_alone),
        cmocka_unit_test(order_of_subject_verb_object),
        cmocka_unit_test(order_inside_phrases),
        cmocka_unit_test(words_mean_one_thing),
        cmocka_unit_test(verbs_agree),
        cmocka_unit_test(links_are_what_words_say),
        cmocka_unit_test(languages_share_no_word),
        cmocka_unit_test(trees_are_projective),
        cmocka_unit_test(extremes_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
