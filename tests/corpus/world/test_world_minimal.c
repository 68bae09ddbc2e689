/* SPDX-License-Identifier: Apache-2.0
 *
 * Minimal pairs of worlds: a verb that disagrees is what the grammar gives a subject in the other
 * number; a word that is moved stands where no sentence of the language has one.
 */
#include "world_task_fixture.h"

#include "corpus/world/world_minimal.h"

#include <string.h>

enum { N = 400 };
static const char languages[] = "eng;jap;swa;fij;deu;arb";
enum { N_LANGUAGE = 6 };

static ig_world_words good, bad, other;

/* The places where two sentences of as many words differ; returns their number. */
static int differences(int at[IG_WORLD_NODES])
{
    int n = 0;
    assert_int_equal(good.n, bad.n);
    for (int i = 0; i < good.n; i++)
        if (strcmp(good.text[i], bad.text[i]) != 0)
            at[n++] = i;
    return n;
}

static void verbs_disagree(void **state)
{
    int64_t n[N_LANGUAGE] = {0};
    ig_world *w = world_make("demo", languages, 3);
    (void)state;
    for (int64_t i = 0; i < N; i++) {
        static ig_world_tree t, flipped;
        ig_world_sentence(w, i, &t);
        for (int k = 0; k < N_LANGUAGE; k++) {
            int at[IG_WORLD_NODES];
            ig_world_linearise(w, k, &t, &good);
            if (!ig_world_mistaken(&bad, w, k, &t, &good, IG_WORLD_AGREEMENT))
                continue;
            n[k]++;
            assert_int_equal(differences(at), 1);
            /* Its clause: of a verb its own, of "be" that of its head. */
            const int node = good.node[at[0]],
                      clause = t.node[node].upos == IG_UPOS_VERB ? node : t.node[node].head;
            flipped = t;
            for (int c = 1; c < t.n; c++)
                if (t.node[c].head == clause &&
                    (t.node[c].rel == IG_REL_NSUBJ || t.node[c].rel == IG_REL_NSUBJ_PASS))
                    flipped.node[c].plural = !t.node[c].plural;
            ig_world_linearise(w, k, &flipped, &other);
            int same = -1;
            for (int j = 0; j < other.n; j++)
                if (other.node[j] == node)
                    same = j;
            assert_true(same >= 0);
            /* Capitals apart, which go by the place. */
            assert_string_equal(other.text[same] + (same == 0 || at[0] == 0),
                                bad.text[at[0]] + (same == 0 || at[0] == 0));
        }
    }
    for (int k = 0; k < N_LANGUAGE; k++)
        assert_int_equal(n[k] > N / 4, ig_world_get_language(w, k)->verb_agrees);
    ig_world_free(w);
}

/* Whether a word stands before the word beside it, its head: of each relation; negations apart. */
enum { NEGATION = IG_N_REL };
static int kind_of(const ig_world_tree *t, const ig_world_words *s, int i)
{
    const ig_world_node *n = &t->node[s->node[i]];
    return n->lemma == IG_LEM_NOT ? NEGATION : n->rel;
}

static void words_are_displaced(void **state)
{
    static int64_t seen[N_LANGUAGE][IG_N_REL + 1][2], moved[N_LANGUAGE][IG_N_REL + 1][2];
    ig_world *w = world_make("demo", languages, 3);
    (void)state;
    for (int64_t i = 0; i < N; i++) {
        static ig_world_tree t;
        ig_world_sentence(w, i, &t);
        for (int k = 0; k < N_LANGUAGE; k++) {
            ig_world_linearise(w, k, &t, &good);
            for (int j = 0; j < good.n; j++)
                if (good.head[j] == j - 1 || good.head[j] == j + 1)
                    seen[k][kind_of(&t, &good, j)][good.head[j] > j]++;
            for (int m = IG_WORLD_ORDER; m < IG_N_WORLD_MISTAKE; m++) {
                int at[IG_WORLD_NODES];
                if (!ig_world_mistaken(&bad, w, k, &t, &good, (ig_world_mistake)m))
                    continue;
                assert_int_equal(differences(at), 2);
                assert_int_equal(at[1], at[0] + 1);
                assert_true(at[0] > 0);
                assert_string_equal(bad.text[at[0]], good.text[at[1]]);
                assert_string_equal(bad.text[at[1]], good.text[at[0]]);
                const bool before = good.head[at[0]] == at[1];
                const int word = before ? at[0] : at[1], kind = kind_of(&t, &good, word);
                assert_int_equal(good.head[word], before ? at[1] : at[0]);
                assert_int_equal(kind == NEGATION, m == IG_WORLD_NEGATION);
                moved[k][kind][!before]++; /* now on the other side */
            }
        }
    }
    for (int k = 0; k < N_LANGUAGE; k++) {
        int64_t n = 0;
        for (int kind = 0; kind <= IG_N_REL; kind++)
            for (int before = 0; before < 2; before++) {
                assert_true(moved[k][kind][before] == 0 || seen[k][kind][before] == 0);
                n += moved[k][kind][before];
            }
        assert_true(n > N / 8); /* languages with affixes have fewer words to move */
        assert_int_equal(moved[k][NEGATION][0] + moved[k][NEGATION][1] > 0,
                         ig_world_get_language(w, k)->negation == IG_MARK_WORD);
    }
    ig_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(verbs_disagree),
                                       cmocka_unit_test(words_are_displaced)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
