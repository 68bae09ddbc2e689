/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a mapping worth anything? Made cases whose answer is known: a pair that is the same space
 * turned and blurred, a shuffled space, two spaces that have nothing to do with each other, words
 * that stand for other words, a dictionary that is none; and the figures by hand.
 */
#include "embed/judge/map_diagnose.h"
#include "map_fixture.h"
#include "test.h"

enum { WORDS = SANITIZED ? 160 : 400, DIM = 20 };

typedef struct {
    float *x, *z;
    int32_t order[WORDS]; /* the target of each source */
    ig_lexicon source, target;
    char verdict[IG_VERDICT_SIZE];
    ig_map_health health;
    ig_map_chance chance;
} pair;

static void pair_free(pair *p)
{
    free(p->x);
    free(p->z);
    ig_lexicon_free(&p->source);
    ig_lexicon_free(&p->target);
}

/* Word i of the source is spelled w<i>, and so is the target that `same` says; without it the
 * target's words are t<j>. */
static void spell(pair *p, const int32_t *same)
{
    ig_err err;
    int32_t id, back[WORDS];
    char word[16];
    for (int32_t i = 0; i < WORDS && same != NULL; i++)
        back[same[i]] = i;
    for (int32_t i = 0; i < WORDS; i++) {
        int n = snprintf(word, sizeof word, "w%d", i);
        assert_ok(ig_lexicon_add(&p->source, word, n, &id, &err), &err);
        n = snprintf(word, sizeof word, "%c%d", same == NULL ? 't' : 'w',
                     same == NULL ? i : back[i]);
        assert_ok(ig_lexicon_add(&p->target, word, n, &id, &err), &err);
    }
}

static void good_pair(pair *p, double noise)
{
    double w[DIM * DIM];
    ig_rng r = ig_rng_make(4, IG_STREAM_TEST, 0, 0);
    *p = (pair){.x = fixture_space(WORDS, DIM, 4)};
    fixture_rotation(w, DIM, 6);
    ig_rng_permutation(&r, p->order, WORDS);
    p->z = fixture_copy(p->x, WORDS, DIM, w, p->order, noise);
}

/* From `seed` (NULL: without a dictionary) to the verdict; true: degenerate. */
static bool degenerate(pair *p, const ig_map_pairs *seed)
{
    const ig_steps steps = {3, {IG_STEP_UNIT, IG_STEP_CENTER, IG_STEP_UNIT}};
    ig_map_options o = fixture_options();
    o.patience = 3;
    ig_map_pairs first = {0};
    ig_map_result map;
    ig_err err;
    fixture_normalise(p->x, WORDS, DIM);
    fixture_normalise(p->z, WORDS, DIM);
    ig_map_spaces s = {
        .x = p->x, .z = p->z, .n_x = WORDS, .n_z = WORDS, .d = DIM, .ops = ig_ops_best()};
    o.learn = seed == NULL;
    if (seed == NULL)
        assert_ok(ig_map_seed_similarity(&first, &s, 4000, 10, &steps, &err), &err);
    assert_ok(ig_map_run(&map, &s, seed == NULL ? &first : seed, &o, &err), &err);
    const ig_chance_options c = {.most = 2000, .learn = o.learn ? &o : NULL, .k = 10, .seed = 1};
    assert_ok(ig_map_chance_measure(&p->chance, &s, &map.pairs, &c, &err), &err);
    float *x = calloc(WORDS * DIM, sizeof *x), *z = calloc(WORDS * DIM, sizeof *z);
    assert_ok(ig_map_apply(x, s.x, WORDS, (ig_map_matrix){map.a_x, DIM}, ig_map_with(&s), &err),
              &err);
    assert_ok(ig_map_apply(z, s.z, WORDS, (ig_map_matrix){map.a_z, DIM}, ig_map_with(&s), &err),
              &err);
    const ig_map_spaces original = s;
    s.x = x;
    s.z = z;
    const ig_diagnose_options d = {.source = p->source.n > 0 ? &p->source : NULL,
                                   .target = p->target.n > 0 ? &p->target : NULL,
                                   .given = seed,
                                   .original = &original,
                                   .most = 20000,
                                   .k = 10,
                                   .seed = 1};
    assert_ok(ig_map_diagnose(&p->health, &s, &d, &err), &err);
    bool bad = ig_map_verdict(p->verdict, &p->health, &p->chance);
    print_message("%s\n", p->verdict);
    assert_true(bad == (strstr(p->verdict, "this mapping is degenerate, because ") == p->verdict));
    free(x);
    free(z);
    ig_map_result_free(&map);
    ig_map_pairs_free(&first);
    return bad;
}

static void a_good_pair_is_good(void **state)
{
    (void)state;
    static const double noise[] = {0, 0.2};
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++) {
        pair p;
        good_pair(&p, noise[i]);
        spell(&p, p.order);
        assert_false(degenerate(&p, NULL));
        assert_true(p.health.mutual > 0.9 && p.health.same > 0.9);
        assert_int_equal(p.health.n_same, WORDS);
        pair_free(&p);
    }
}

/* Health and chance of a good pair, whose words are spelled the same or not: what is the same for
 * every test that asks for one is found once. */
static pair found_good(bool named)
{
    static pair found[2];
    pair *p = &found[named];
    if (p->chance.starts == 0) {
        good_pair(p, 0.2);
        if (named)
            spell(p, p->order);
        assert_false(degenerate(p, NULL));
        pair_free(p);
        p->x = p->z = NULL;
    }
    return *p;
}

/* Vectors in which any pairs lead far (GloVe's of two Bibles): names speak for a map that has not
 * looked at them, and for no other. */
static void names_outweigh_chance(void **state)
{
    (void)state;
    for (int blind = 0; blind < 2; blind++) {
        pair p = found_good(true);
        p.chance.agree = 0;
        p.chance.objective[1] = p.chance.objective[0];
        p.health.blind = blind;
        assert_int_equal(ig_map_verdict(p.verdict, &p.health, &p.chance), !blind);
        assert_non_null(strstr(p.verdict, blind ? "which it did not look at" : "random starts"));
        p.health.same = 0.08;
        assert_true(ig_map_verdict(p.verdict, &p.health, &p.chance));
    }
}

/* Two true maps of 1 411 and 2 000 words and one that was none, as measured: objectives of the
 * map's pairs and of chance. */
static void chance_is_beaten_or_not(void **state)
{
    (void)state;
    static const struct {
        int64_t n;
        double pairs, chance;
        bool bad;
    } seen[] = {
        {1411, 0.5104, 0.4840, false}, {2000, 0.671, 0.651, false}, {2000, 0.507, 0.510, true}};
    for (int i = 0; i < 3; i++) {
        pair p = found_good(false);
        p.chance.agree = 0;
        p.chance.n = seen[i].n;
        p.chance.objective[0] = seen[i].pairs;
        p.chance.objective[1] = seen[i].chance;
        assert_int_equal(ig_map_verdict(p.verdict, &p.health, &p.chance), seen[i].bad);
    }
}

/* Translations that half of the dictionary finds in the other half say more than what is alike
 * within the languages (SVD's vectors of English and Russian) or how far chance leads. */
static void held_out_translations_outweigh_the_rest(void **state)
{
    (void)state;
    for (int low = 0; low < 2; low++) {
        pair p = found_good(false);
        p.chance.agree = 0;
        if (low)
            p.health.relational = 0.2;
        else
            p.chance.objective[1] = p.chance.objective[0];
        p.health.n_given = 500;
        p.health.given = 0.25;
        assert_false(ig_map_verdict(p.verdict, &p.health, &p.chance));
        assert_non_null(strstr(p.verdict, "finds 25.0 % of the other half"));
        p.health.given = 0.08;
        assert_true(ig_map_verdict(p.verdict, &p.health, &p.chance));
        p.health.given = 0.25;
        p.health.n_given = 40;
        assert_true(ig_map_verdict(p.verdict, &p.health, &p.chance));
    }
}

/* Random starts that lead to a map exactly as good, and cosines that do not vary: both as where
 * vectors are all the same. */
static void ties_and_no_number(void **state)
{
    (void)state;
    pair p = found_good(false);
    p.chance.agree = 0;
    p.chance.objective[0] = p.chance.objective[1] = 1;
    assert_true(ig_map_verdict(p.verdict, &p.health, &p.chance));
    assert_non_null(strstr(p.verdict, "random starts lead to as good a map"));
    p = found_good(false);
    p.health.relational = (double)NAN;
    assert_true(ig_map_verdict(p.verdict, &p.health, &p.chance));
    assert_non_null(strstr(p.verdict, "(their cosines do not vary)"));
    p.health.n_given = 500;
    p.health.given = 0.25;
    assert_false(ig_map_verdict(p.verdict, &p.health, &p.chance));
    assert_non_null(strstr(p.verdict, "finds 25.0 % of the other half"));
    assert_null(strstr(p.verdict, "nan"));
}

static void without_common_words_too(void **state)
{
    (void)state;
    pair p;
    good_pair(&p, 0.1);
    spell(&p, NULL);
    assert_false(degenerate(&p, NULL));
    assert_true(p.health.n_same == 0 && isnan(p.health.same));
    pair_free(&p);
}

/* Each dimension of the target shuffled by itself: what was near is no longer. */
static void a_shuffled_space_is_degenerate(void **state)
{
    (void)state;
    pair p;
    good_pair(&p, 0);
    for (uint32_t k = 0; k < DIM; k++) {
        int32_t order[WORDS];
        float column[WORDS];
        ig_rng r = ig_rng_make(5, IG_STREAM_TEST, k, 0);
        ig_rng_permutation(&r, order, WORDS);
        for (int i = 0; i < WORDS; i++)
            column[i] = p.z[order[i] * DIM + (int)k];
        for (int i = 0; i < WORDS; i++)
            p.z[i * DIM + (int)k] = column[i];
    }
    assert_true(degenerate(&p, NULL));
    pair_free(&p);
}

/* The spaces fit, but the words do not: whoever reads the vectors by their words gets nonsense. */
static void shuffled_words_are_degenerate(void **state)
{
    (void)state;
    pair p;
    int32_t other[WORDS];
    good_pair(&p, 0);
    for (int i = 0; i < WORDS; i++)
        other[i] = (p.order[i] + 37) % WORDS;
    spell(&p, other);
    assert_true(degenerate(&p, NULL));
    assert_non_null(strstr(p.verdict, "spelled the same"));
    pair_free(&p);
}

static void two_domains_are_degenerate(void **state)
{
    (void)state;
    for (uint32_t which = 20; which < 22; which++) {
        pair p = {.x = fixture_space(WORDS, DIM, 4), .z = fixture_space(WORDS, DIM, which)};
        assert_true(degenerate(&p, NULL));
        pair_free(&p);
    }
}

/* As after too little training: all point one way, and differ in two directions and in noise. Of
 * two such spaces of the same words most are paired rightly by their order along these, so nothing
 * but the directions tells. */
static void hardly_trained_is_degenerate(void **state)
{
    (void)state;
    pair p;
    good_pair(&p, 0.05);
    ig_rng r = ig_rng_make(14, IG_STREAM_TEST, 0, 0);
    for (int i = 0; i < WORDS; i++) {
        float *x = p.x + i * DIM, *z = p.z + p.order[i] * DIM;
        const double u = ig_rng_normal(&r), v = ig_rng_normal(&r);
        for (int k = 0; k < DIM; k++) {
            const double noise = 0.02;
            x[k] = (float)(1 + (k == 0 ? u : k == 1 ? v : 0) + noise * ig_rng_normal(&r));
            z[k] = (float)(1 + (k == 2 ? u : k == 3 ? v : 0) + noise * ig_rng_normal(&r));
        }
    }
    assert_true(degenerate(&p, NULL));
    assert_non_null(strstr(p.verdict, "directions of 20 only"));
    assert_true(p.chance.directions[0] > 1 && p.chance.directions[0] < 4);
    pair_free(&p);
    good_pair(&p, 0.05); /* a good one varies in many */
    assert_false(degenerate(&p, NULL));
    assert_true(p.chance.directions[0] > 8 && p.chance.directions[1] > 8);
    pair_free(&p);
}

static void a_wrong_dictionary_is_degenerate(void **state)
{
    (void)state;
    int32_t source[WORDS], wrong[WORDS];
    pair p;
    good_pair(&p, 0.1);
    for (int i = 0; i < WORDS; i++) {
        source[i] = i;
        wrong[i] = (p.order[i] + 91) % WORDS;
    }
    const ig_map_pairs right = {.n = WORDS, .source = source, .target = p.order},
                       bad = {.n = WORDS, .source = source, .target = wrong};
    assert_false(degenerate(&p, &right));
    assert_true(p.health.given > 0.9);
    assert_true(degenerate(&p, &bad));
    assert_non_null(strstr(p.verdict, "half of the dictionary"));
    pair_free(&p);
}

/* Pairs that a map was made from fit whatever it is worth: what is said of it comes from the other
 * words, and from halves of the dictionary in the spaces before the map. */
static void only_other_words_are_judged(void **state)
{
    (void)state;
    int32_t source[WORDS], wrong[WORDS];
    pair p;
    good_pair(&p, 0.1);
    for (int i = 0; i < WORDS; i++) {
        source[i] = i;
        wrong[i] = p.order[(i + 11) % 100];
    }
    for (int few = DIM / 2; few <= 100; few = few == 100 ? 101 : 100) {
        const ig_map_pairs right = {.n = few, .source = source, .target = p.order},
                           bad = {.n = few, .source = source, .target = wrong};
        assert_false(degenerate(&p, &right));
        assert_int_equal(p.health.n_outside, WORDS - few);
        assert_true(p.health.mutual > 0.8);
        assert_true(p.health.n_mutual <= WORDS - few);
        assert_true(degenerate(&p, &bad));
        assert_true(few < 20 ? isnan(p.health.given) : p.health.given < 0.05);
    }
    const ig_map_pairs all = {.n = WORDS, .source = source, .target = p.order};
    assert_false(degenerate(&p, &all));
    assert_int_equal(p.health.n_outside, 0);
    assert_non_null(strstr(p.verdict, "words outside the dictionary are too few to be judged"));
    pair_free(&p);
}

/* A map may lose what its spaces have: the dictionary is judged in those before it. */
static void a_dictionary_is_judged_before_the_map(void **state)
{
    (void)state;
    int32_t source[100];
    ig_err err;
    pair p;
    good_pair(&p, 0.1);
    fixture_normalise(p.x, WORDS, DIM);
    fixture_normalise(p.z, WORDS, DIM);
    for (int i = 0; i < 100; i++)
        source[i] = i;
    float *lost = fixture_space(WORDS, DIM, 9);
    const ig_map_pairs given = {.n = 100, .source = source, .target = p.order};
    const ig_map_spaces original = {
        .x = p.x, .z = p.z, .n_x = WORDS, .n_z = WORDS, .d = DIM, .ops = ig_ops_best()};
    ig_map_spaces mapped = original;
    mapped.x = lost;
    const ig_diagnose_options d = {
        .given = &given, .original = &original, .most = 20000, .k = 10, .seed = 1};
    assert_ok(ig_map_diagnose(&p.health, &mapped, &d, &err), &err);
    assert_true(p.health.given > 0.8);
    free(lost);
    pair_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_pair_is_good),
        cmocka_unit_test(names_outweigh_chance),
        cmocka_unit_test(chance_is_beaten_or_not),
        cmocka_unit_test(held_out_translations_outweigh_the_rest),
        cmocka_unit_test(ties_and_no_number),
        cmocka_unit_test(without_common_words_too),
        cmocka_unit_test(a_shuffled_space_is_degenerate),
        cmocka_unit_test(shuffled_words_are_degenerate),
        cmocka_unit_test(two_domains_are_degenerate),
        cmocka_unit_test(hardly_trained_is_degenerate),
        cmocka_unit_test(a_wrong_dictionary_is_degenerate),
        cmocka_unit_test(only_other_words_are_judged),
        cmocka_unit_test(a_dictionary_is_judged_before_the_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
