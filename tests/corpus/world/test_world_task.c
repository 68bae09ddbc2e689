/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks of worlds: splits, languages and seeds are compared; trees and names are whole. Whether
 * relations hold: test_world_relations.c.
 */
#include "world_task_fixture.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    char text[400];
    int split;
} line;

static int by_text(const void *a, const void *b)
{
    return strcmp(((const line *)a)->text, ((const line *)b)->text);
}

static void line_make(line *l, const ig_world *w, int language, const ig_world_tree *t)
{
    static ig_world_words s;
    ig_world_linearise(w, language, t, &s);
    l->text[0] = '\0';
    for (int i = 0; i < s.n; i++) {
        const size_t at = strlen(l->text);
        snprintf(l->text + at, sizeof l->text - at, "%s ", s.text[i]);
    }
}

static void splits_share_nothing(void **state)
{
    (void)state;
    enum { N = 1200 };
    ig_world *w = world_make("tasks", "eng;jap;fij", 1);
    line *all = malloc(3 * N * sizeof *all);
    assert_non_null(all);
    for (int kind = 0; kind < IG_N_WORLD_TASK; kind++)
        for (int language = 0; language < 3; language++) {
            for (int split = 0; split < 3; split++) {
                /* Another seed for each: what is in one split is in no other, whatever the seeds.
                 */
                ig_world_examples *x = examples_make(w, (ig_world_task_kind)kind, split, split);
                int count[IG_N_RELATION] = {0};
                for (int i = 0; i < N; i++) {
                    const ig_world_example *e = next(x);
                    line_make(&all[split * N + i], w, language,
                              &e->tree[kind == IG_WORLD_ENTAILMENT]);
                    all[split * N + i].split = split;
                    count[e->relation]++;
                }
                for (int k = 0; k < IG_N_RELATION && kind == IG_WORLD_ENTAILMENT; k++)
                    assert_int_equal(count[k], N / 3);
                ig_world_examples_free(x);
            }
            qsort(all, 3 * N, sizeof *all, by_text);
            for (int i = 1; i < 3 * N; i++)
                if (strcmp(all[i].text, all[i - 1].text) == 0)
                    assert_int_equal(all[i].split, all[i - 1].split);
        }
    free(all);
    ig_world_free(w);
}

/* The text of a statement says all of its tree: no two that differ in anything else than voice,
 * or "no x does" and "all x do not", are written alike. */
static void texts_tell_meanings_apart(void **state)
{
    (void)state;
    enum { N = 1500 };
    ig_world *w = world_make("tasks", "eng;jap;fij;zho;arb;x:OSV,post,rel-noun", 2);
    line *all = malloc(2 * N * sizeof *all);
    ig_world_tree *tree = malloc(2 * N * sizeof *tree);
    assert_true(all != NULL && tree != NULL);
    for (int language = 0; language < ig_world_n_language(w); language++) {
        ig_world_examples *x = examples_make(w, IG_WORLD_ENTAILMENT, 0, 3);
        for (int i = 0; i < N; i++) {
            const ig_world_example *e = next(x);
            for (int k = 0; k < 2; k++) {
                tree[2 * i + k] = e->tree[k];
                line_make(&all[2 * i + k], w, language, &e->tree[k]);
                all[2 * i + k].split = 2 * i + k;
            }
        }
        qsort(all, 2 * N, sizeof *all, by_text);
        for (int i = 1; i < 2 * N; i++)
            if (strcmp(all[i].text, all[i - 1].text) == 0) {
                const ig_world_tree *a = &tree[all[i].split], *b = &tree[all[i - 1].split];
                int32_t left[2][IG_WORLD_NODES];
                int n[2] = {0, 0};
                /* Tense is not shown by all languages. */
                for (int k = 0; k < 2; k++) {
                    const ig_world_tree *t = k == 0 ? a : b;
                    for (int v = 0; v < t->n; v++)
                        if (t->node[v].lemma != IG_LEM_PAST && t->node[v].lemma != IG_LEM_FUTURE)
                            left[k][n[k]++] = t->node[v].lemma * 64 + t->node[v].rel;
                }
                assert_int_equal(n[0], n[1]);
                assert_memory_equal(left[0], left[1], (size_t)n[0] * sizeof(int32_t));
            }
        ig_world_examples_free(x);
    }
    free(all);
    free(tree);
    ig_world_free(w);
}

static void examples_stand_alone(void **state)
{
    (void)state;
    ig_world *all = world_make("tasks", "eng;jap;rus", 3), *one = world_make("tasks", "jap", 3);
    for (int kind = 0; kind < IG_N_WORLD_TASK; kind++) {
        ig_world_examples *a = examples_make(all, (ig_world_task_kind)kind, 1, 7),
                          *b = examples_make(one, (ig_world_task_kind)kind, 1, 7),
                          *c = examples_make(one, (ig_world_task_kind)kind, 1, 8);
        int same = 0;
        for (int i = 0; i < 200; i++) {
            line x, y, z;
            line_make(&x, all, 1, &next(a)->tree[0]);
            line_make(&y, one, 0, &next(b)->tree[0]);
            line_make(&z, one, 0, &next(c)->tree[0]);
            assert_string_equal(x.text, y.text);
            same += strcmp(y.text, z.text) == 0;
        }
        assert_true(same < 20);
        ig_world_examples_free(a);
        ig_world_examples_free(b);
        ig_world_examples_free(c);
    }
    ig_world_free(all);
    ig_world_free(one);
}

/* One root, no cycle, no crossing branches; names in one piece, in every language. */
static void trees_and_names_are_whole(void **state)
{
    (void)state;
    static const char *const relations[] = {"nsubj:pass", "aux:pass", "obl:agent", "flat"};
    ig_world *w = world_make("tasks", "eng;jap;fij;tur;y:OVS,noun-det,prefix,case", 4);
    static ig_world_words s;
    int seen[4] = {0}, spans[3] = {0}, longer = 0;
    ig_world_examples *x = examples_make(w, IG_WORLD_ENTITIES, 0, 0);
    for (int i = 0; i < 1500; i++) {
        const ig_world_tree *t = &next(x)->tree[0];
        int first = 0;
        for (int language = 0; language < ig_world_n_language(w); language++) {
            uint8_t tag[IG_WORLD_NODES];
            int begun = 0, roots = 0;
            ig_world_linearise(w, language, t, &s);
            ig_world_entity_tags(t, &s, tag);
            for (int k = 0; k < s.n; k++) {
                int above = k, steps = 0;
                while (s.head[above] >= 0 && steps++ < s.n)
                    above = s.head[above];
                assert_true(steps < s.n);
                roots += s.head[k] < 0;
                const int lo = s.head[k] < k ? s.head[k] : k, hi = s.head[k] < k ? k : s.head[k];
                for (int m = lo + 1; m < hi && s.head[k] >= 0; m++)
                    assert_true(s.head[m] >= lo && s.head[m] <= hi);
                begun += tag[k] % 2 == 1;
                if (tag[k] != 0 && tag[k] % 2 == 0) /* I goes on with its own kind */
                    assert_true(k > 0 && (tag[k - 1] == tag[k] || tag[k - 1] == tag[k] - 1));
                if (language == 0 && tag[k] % 2 == 1)
                    spans[tag[k] / 2]++;
                longer += tag[k] != 0 && tag[k] % 2 == 0;
            }
            assert_int_equal(roots, 1);
            if (language == 0)
                first = begun;
            assert_int_equal(begun, first); /* as many names in every language */
            assert_true(begun > 0);
        }
        for (int k = 0; k < t->n; k++)
            for (int m = 0; m < 4; m++)
                seen[m] += strcmp(ig_deprel_name((ig_deprel)t->node[k].rel), relations[m]) == 0;
    }
    for (int m = 0; m < 4; m++)
        assert_true(seen[m] > 20);
    for (int m = 0; m < 3; m++)
        assert_true(spans[m] > 100);
    assert_true(longer > 500);
    ig_world_examples_free(x);
    ig_world_free(w);
}

/* A world without names has no entities: told, not searched for ever. */
static void nothing_to_find_is_told(void **state)
{
    (void)state;
    ig_world_options o;
    ig_world_language l[IG_WORLD_LANGUAGES];
    int n;
    ig_err err;
    ig_world *w;
    assert_true(ig_world_preset(&o, "demo"));
    o.name = 0;
    assert_ok(ig_world_languages_parse(l, &n, "eng", &err), &err);
    assert_ok(ig_world_new(&w, &o, l, n, &err), &err);
    ig_world_examples *x = examples_make(w, IG_WORLD_ENTITIES, 2, 0);
    const ig_world_example *e;
    assert_int_equal(ig_world_examples_next(x, &e, &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "none of 100000 candidates of this world is one for test"));
    ig_world_examples_free(x);
    ig_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_share_nothing),    cmocka_unit_test(texts_tell_meanings_apart),
        cmocka_unit_test(examples_stand_alone),    cmocka_unit_test(trees_and_names_are_whole),
        cmocka_unit_test(nothing_to_find_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
