/* SPDX-License-Identifier: Apache-2.0
 *
 * Static embeddings are the same bits on 1, 2 and 4 threads, and another seed gives others.
 */
#include "base/memory.h"
#include "base/rng.h"
#include "embed/train/glove/glove.h"
#include "embed/train/word2vec.h"
#include "test.h"

#include <string.h>

enum { KINDS = 4 };

static void make_text(ig_text_ids *t)
{
    enum { V = 300, LINES = SANITIZED ? 120 : 200, LENGTH = 30 };
    ig_rng r = ig_rng_make(4, IG_STREAM_TEST, 1, 0);
    ig_err err;
    char word[16];
    int32_t id;
    *t = (ig_text_ids){.n_line = LINES, .n_token = LINES * LENGTH};
    for (int32_t i = 0; i < V; i++)
        assert_ok(ig_lexicon_add(&t->words, word, snprintf(word, sizeof word, "w%d", i), &id, &err),
                  &err);
    assert_ok(ig_alloc(&t->count, V, sizeof *t->count, "t", &err), &err);
    assert_ok(ig_alloc(&t->id, t->n_token, sizeof *t->id, "t", &err), &err);
    assert_ok(ig_alloc(&t->line, LINES + 1, sizeof *t->line, "t", &err), &err);
    for (int64_t i = 0; i < t->n_token; i++) {
        double u = ig_rng_unit(&r);
        t->id[i] = (int32_t)(u * u * u * V);
        t->count[t->id[i]]++;
    }
    for (int32_t i = 0; i < V; i++)
        t->count[i]++;
    for (int l = 0; l <= LINES; l++)
        t->line[l] = (int64_t)l * LENGTH;
}

static void train(ig_vectors *v, int kind, int n_thread, uint64_t seed)
{
    ig_text_ids t;
    ig_team *team;
    ig_err err;
    ig_context_report report;
    ig_glove_report glove;
    const ig_context_options o = {.model = kind & 1 ? IG_CONTEXT_CBOW : IG_CONTEXT_SKIPGRAM,
                                  .dim = 20,
                                  .window = 3,
                                  .negative = 5,
                                  .epochs = 2,
                                  .lr = 0.05,
                                  .min_lr = 1e-5,
                                  .sample = 1e-2,
                                  .ns_exponent = 0.75,
                                  .init = 1,
                                  .seed = seed};
    const ig_fasttext_options f = {
        .context = &o, .bucket = 100, .minn = 2, .maxn = 4, .min_count = 1};
    /* Too little memory for the cells on more than one thread: the file changes nothing. */
    const ig_glove_options g = {.cooccur = {.window = 5, .weighted = true},
                                .dim = 20,
                                .iterations = 3,
                                .eta = 0.05,
                                .x_max = 10,
                                .alpha = 0.75,
                                .memory = n_thread > 1 ? 0 : 1e9,
                                .seed = seed};
    make_text(&t);
    assert_ok(ig_team_new(&team, n_thread, &err), &err);
    if (kind < 2)
        assert_ok(ig_word2vec(v, &t, &o, team, &report, &err), &err);
    else if (kind == 2)
        assert_ok(ig_fasttext_train(v, &t, &f, team, &report, &err), &err);
    else
        assert_ok(ig_glove(v, &t, &g, team, &glove, &err), &err);
    ig_team_free(team);
    ig_text_ids_free(&t);
}

static void same_bits(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        ig_vectors one, more;
        train(&one, kind, 1, 1);
        for (int n = SANITIZED ? 4 : 2; n <= 4; n *= 2) {
            train(&more, kind, n, 1);
            assert_memory_equal(one.x, more.x, sizeof(float) * (size_t)one.n * (size_t)one.d);
            ig_vectors_free(&more);
        }
        train(&more, kind, 1, 2);
        assert_memory_not_equal(one.x, more.x, sizeof(float) * (size_t)one.n * (size_t)one.d);
        ig_vectors_free(&more);
        ig_vectors_free(&one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
