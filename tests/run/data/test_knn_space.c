/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors of pieces behind the neighbours in other languages: everything that they depend on is in
 * their address, and each language begins from random numbers of its own.
 */
#include "corpus_fixture.h"

#include "run/data/knn_space.h"

enum { V = 60, BLOCK = 14, N = 200 };

static ig_shard *shard;
static ig_err err;

static int setup(void **state)
{
    if (fixture_setup(state) != 0)
        return -1;
    shard = fixture_shard("a.shard", N, 12, V, 9);
    return 0;
}

static int teardown(void **state)
{
    ig_shard_close(shard);
    return fixture_teardown(state);
}

static ig_corpus *make_corpus(const char *second)
{
    ig_corpus *c;
    const ig_corpus_options o = fixture_options(V, BLOCK);
    const ig_language_spec spec[2] = {{.name = "en", .pipeline = "", .source = shard},
                                      {.name = "fake", .pipeline = second, .source = shard}};
    assert_ok(ig_corpus_new(&c, spec, 2, &o, &err), &err);
    return c;
}

static void name_pieces(char (*text)[16], const char **piece, const char *start)
{
    for (int i = 0; i < 2 * V; i++) {
        snprintf(text[i], 16, "%s%d", start, i);
        piece[i] = text[i];
    }
}

static void addresses_hold_all_that_counts(void **state)
{
    (void)state;
    static char text[2][2 * V][16];
    static const char *piece[2][2 * V];
    char mapped[6][IG_KNN_ADDRESS], vectors[6][2][IG_KNN_ADDRESS];
    ig_corpus *c = make_corpus("shift"), *other = make_corpus("shift | invert");
    name_pieces(text[0], piece[0], "p");
    name_pieces(text[1], piece[1], "q");
    for (int i = 0; i < 6; i++) {
        const ig_knn_space s = {.corpus = i == 5 ? other : c,
                                .pieces = piece[i == 4],
                                .folder = fixture_dir,
                                .dim = i == 1 ? 9 : 8,
                                .epochs = i == 2 ? 3 : 2,
                                .min_count = i == 3 ? 2 : 1};
        assert_ok(ig_knn_space_address(mapped[i], vectors[i], &s, &err), &err);
        assert_string_not_equal(vectors[i][0], vectors[i][1]);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(mapped[i], mapped[j]);
            assert_string_not_equal(vectors[i][1], vectors[j][1]);
            if (i < 5)
                assert_string_not_equal(vectors[i][0], vectors[j][0]);
        }
    }
    assert_string_equal(vectors[5][0], vectors[0][0]); /* the first language is as it was */
    ig_corpus_free(c);
    ig_corpus_free(other);
}

/* Two copies of one text whose pieces are spelt alike: were they begun alike, they would end alike,
 * bit for bit. */
static void languages_begin_apart(void **state)
{
    (void)state;
    static char text[2 * V][16];
    static const char *piece[2 * V];
    char mapped[IG_KNN_ADDRESS], vectors[2][IG_KNN_ADDRESS], name[64];
    ig_vectors v[2] = {{.n = 0}, {.n = 0}}, alone[2];
    ig_team *team;
    ig_corpus *c = make_corpus("shift");
    name_pieces(text, piece, "p");
    for (int i = 0; i < V; i++)
        piece[V + i] = piece[i];
    assert_ok(ig_team_new(&team, 1, &err), &err);
    const ig_knn_space s = {.corpus = c,
                            .pieces = piece,
                            .folder = fixture_dir,
                            .team = team,
                            .dim = 8,
                            .epochs = 1,
                            .min_count = 1};
    assert_ok(ig_knn_space_address(mapped, vectors, &s, &err), &err);
    assert_ok(ig_knn_space_make(v, &s, mapped, vectors, &err), &err);
    for (int k = 0; k < 2; k++) {
        snprintf(name, sizeof name, "vectors-%s.bin", vectors[k]);
        assert_ok(ig_vectors_read(&alone[k], fixture_path(name),
                                  (ig_vec_how){.format = IG_VEC_BINARY}, team, &err),
                  &err);
    }
    int same = 0, n = 0;
    for (int i = 5; i < V; i++) {
        const int32_t x = ig_lexicon_find(&alone[0].words, text[i], (int64_t)strlen(text[i])),
                      y = ig_lexicon_find(&alone[1].words, text[i], (int64_t)strlen(text[i]));
        if (x < 0 || y < 0)
            continue;
        double far = 0, size = 0;
        for (int k = 0; k < 8; k++) {
            far += fabs((double)ig_vectors_row(&alone[0], x)[k] -
                        (double)ig_vectors_row(&alone[1], y)[k]);
            size += fabs((double)ig_vectors_row(&alone[0], x)[k]);
        }
        n++;
        same += far < 1e-3 * size;
    }
    print_message("%d of %d pieces are alike\n", same, n);
    assert_true(n > 40 && same == 0);
    for (int k = 0; k < 2; k++) {
        ig_vectors_free(&v[k]);
        ig_vectors_free(&alone[k]);
    }
    ig_team_free(team);
    ig_corpus_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_hold_all_that_counts),
        cmocka_unit_test(languages_begin_apart),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
