/* SPDX-License-Identifier: Apache-2.0
 *
 * Neighbours in other languages against a search by brute force, for any number of threads; the
 * file of a table, and everything that may be wrong with it.
 */
#include "base/memory.h"
#include "corpus_fixture.h"
#include "embed/search/cross_neighbours.h"

#include <math.h>

enum { V = 40, D = 13, L = 3 };

static ig_err err;

static ig_corpus *make_corpus(ig_shard **shard)
{
    ig_corpus *c;
    *shard = fixture_shard("a.shard", 50, 12, V, 3);
    ig_corpus_options o = fixture_options(V, 14);
    ig_language_spec spec[L] = {{.name = "a", .pipeline = "", .source = *shard},
                                {.name = "b", .pipeline = "shift", .source = *shard},
                                {.name = "c", .pipeline = "shift", .source = *shard}};
    assert_ok(ig_corpus_new(&c, spec, L, &o, &err), &err);
    return c;
}

/* Piece i is "w<i>", but every seventh of them has no vector and every eleventh a zero one. */
static ig_vectors make_vectors(int language, bool coarse)
{
    ig_lexicon words = {0};
    ig_vectors v;
    int32_t id;
    char word[16];
    for (int32_t i = V - 1; i >= 0; i--)
        if (i % 7 != 6) {
            snprintf(word, sizeof word, "w%d", language * V + i);
            assert_ok(ig_lexicon_add(&words, word, (int64_t)strlen(word), &id, &err), &err);
        }
    assert_ok(ig_vectors_new(&v, &words, D, &err), &err);
    ig_rng r = ig_rng_make(8, IG_STREAM_TEST, 0, (uint32_t)language);
    for (int32_t i = 0; i < v.n; i++) {
        const long number = strtol(ig_lexicon_get(&v.words, i) + 1, NULL, 10);
        for (int k = 0; k < D; k++) {
            /* Coarse values make ties: only two of the dimensions count. */
            double x = coarse ? (k < 2 ? (double)ig_rng_below(&r, 3) - 1 : 0) : ig_rng_normal(&r);
            ig_vectors_row(&v, i)[k] = number % 11 == 10 ? 0 : (float)x;
        }
    }
    return v;
}

/* −2: none. */
static double cosine(const ig_vectors *v, int32_t a, const ig_vectors *w, int32_t b)
{
    char word[16];
    double dot = 0, x2 = 0, y2 = 0;
    if (a % V < 5 || b % V < 5)
        return -2;
    snprintf(word, sizeof word, "w%d", a);
    const int32_t i = ig_lexicon_find(&v->words, word, (int64_t)strlen(word));
    snprintf(word, sizeof word, "w%d", b);
    const int32_t j = ig_lexicon_find(&w->words, word, (int64_t)strlen(word));
    if (i < 0 || j < 0)
        return -2;
    for (int k = 0; k < D; k++) {
        const double x = (double)ig_vectors_row(v, i)[k], y = (double)ig_vectors_row(w, j)[k];
        dot += x * y;
        x2 += x * x;
        y2 += y * y;
    }
    return x2 > 0 && y2 > 0 ? dot / sqrt(x2 * y2) : -2;
}

/* Every listed word is at least as near as every one that is not; cosines fall; of words that are
 * equally near the smaller stands first. */
static void check_list(const int32_t *id, int32_t n, int k, int32_t word, int language, int from,
                       int to, const ig_vectors *v)
{
    int32_t n_there = 0;
    for (int32_t x = from * V; x < to * V; x++)
        n_there += x / V != language && cosine(&v[language], word, &v[x / V], x) > -2;
    assert_int_equal(n, n_there < k ? n_there : k);
    for (int32_t i = 0; i < n; i++) {
        const double at = cosine(&v[language], word, &v[id[i] / V], id[i]);
        assert_true(at > -2 && id[i] / V != language && id[i] / V >= from && id[i] / V < to);
        if (i > 0)
            assert_true(cosine(&v[language], word, &v[id[i - 1] / V], id[i - 1]) >= at - 1e-6);
    }
    for (int32_t x = from * V; x < to * V && n > 0; x++) {
        bool listed = x / V == language;
        for (int32_t i = 0; i < n; i++)
            listed = listed || id[i] == x;
        if (!listed)
            assert_true(cosine(&v[language], word, &v[x / V], x) <=
                        cosine(&v[language], word, &v[id[n - 1] / V], id[n - 1]) + 1e-6);
    }
}

static void against_brute_force(void **state)
{
    (void)state;
    ig_shard *shard;
    ig_corpus *c = make_corpus(&shard);
    char name[L * V][16];
    const char *pieces[L * V];
    for (int i = 0; i < L * V; i++) {
        snprintf(name[i], sizeof name[i], "w%d", i);
        pieces[i] = name[i];
    }
    for (int how = 0; how < 4; how++) {
        ig_vectors v[L];
        const ig_vectors *space[L];
        ig_neighbour_table t[2];
        const bool pooled = how % 2 == 1, coarse = how / 2 == 1;
        const int k = 4;
        double covered;
        for (int l = 0; l < L; l++) {
            v[l] = make_vectors(l, coarse);
            space[l] = &v[l];
        }
        for (int threads = 0; threads < 2; threads++) {
            ig_team *team;
            assert_ok(ig_team_new(&team, 1 + 2 * threads, &err), &err);
            const ig_cross_search of = {
                .corpus = c, .pieces = pieces, .space = space, .k = k, .pooled = pooled};
            assert_ok(ig_cross_neighbours(&t[threads], &covered, &of, team, &err), &err);
            ig_team_free(team);
        }
        assert_true(covered > .5 && covered < 1);
        const int64_t n_row = t[0].first[L], n_id = t[0].start[n_row];
        assert_int_equal(n_row, L * V);
        assert_int_equal(t[1].start[n_row], n_id);
        assert_memory_equal(t[0].id, t[1].id, (size_t)n_id * sizeof *t[0].id);
        for (int32_t word = 0; word < L * V; word++) {
            const int32_t *id = t[0].id + t[0].start[word];
            int32_t n = (int32_t)(t[0].start[word + 1] - t[0].start[word]);
            if (pooled) {
                check_list(id, n, k, word, word / V, 0, L, v);
                continue;
            }
            for (int to = 0; to < L; to++) {
                int32_t part = 0;
                if (to == word / V)
                    continue;
                while (part < n && id[part] / V == to)
                    part++;
                check_list(id, part, k, word, word / V, to, to + 1, v);
                id += part;
                n -= part;
            }
            assert_int_equal(n, 0);
        }
        for (int i = 0; i < 2; i++)
            ig_neighbour_table_free(&t[i]);
        for (int l = 0; l < L; l++)
            ig_vectors_free(&v[l]);
    }
    ig_corpus_free(c);
    ig_shard_close(shard);
}

static ig_neighbour_table small_table(const ig_corpus *c)
{
    ig_neighbour_table t;
    assert_ok(ig_neighbour_table_new(&t, c, 3 * V, &err), &err);
    for (int32_t i = 0; i < 3 * V; i++) {
        t.id[i] = (i + V) % (3 * V);
        t.start[i + 1] = i + 1;
    }
    return t;
}

static void as_a_file(void **state)
{
    (void)state;
    ig_shard *shard;
    ig_corpus *c = make_corpus(&shard);
    ig_neighbour_table t = small_table(c), u;
    const char *path = fixture_path("t.near");
    char *bytes;
    int64_t size;
    assert_ok(ig_neighbour_table_write(&t, path, &err), &err);
    assert_ok(ig_neighbour_table_read(&u, path, &err), &err);
    assert_ok(ig_neighbour_table_check(&u, c, path, &err), &err);
    assert_memory_equal(t.first, u.first, 4 * sizeof *t.first);
    assert_memory_equal(t.start, u.start, (3 * V + 1) * sizeof *t.start);
    assert_memory_equal(t.id, u.id, 3 * V * sizeof *t.id);
    u.first[1]--;
    assert_int_equal(ig_neighbour_table_check(&u, c, path, &err), IG_ERR_INPUT);
    u.n_language = 2;
    assert_int_equal(ig_neighbour_table_check(&u, c, path, &err), IG_ERR_INPUT);
    ig_neighbour_table_free(&u);
    /* Cut anywhere, and any byte another. */
    assert_ok(ig_file_read(&bytes, &size, path, 1 << 20, &err), &err);
    for (int64_t n = 0; n < size; n++) {
        assert_int_equal(ig_neighbour_table_parse(&u, bytes, n, "cut", &err), IG_ERR_INPUT);
        assert_string_equal(err.where, "cut");
        bytes[n] ^= 1;
        assert_int_equal(ig_neighbour_table_parse(&u, bytes, size, "changed", &err), IG_ERR_INPUT);
        bytes[n] ^= 1;
    }
    assert_ok(ig_neighbour_table_parse(&u, bytes, size, "whole", &err), &err);
    ig_neighbour_table_free(&u);
    ig_neighbour_table_free(&t);
    ig_free(bytes);
    ig_corpus_free(c);
    ig_shard_close(shard);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_brute_force),
        cmocka_unit_test(as_a_file),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
