/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of one text in one model twice: each is linked with itself, so that which words are taken,
 * their means and their first places are counted here a second time. And with other words before
 * one side's sentences: words that translate each other stay together.
 */
#include "test.h"

#include "measure/words/word_levels.h"

#include <stdlib.h>
#include <string.h>

#define DATA IG_TEST_DATA "/foreign/"

enum { MOST = 4000, D = 16, LAYER = 1 };
static ig_err err;

/* All tokens of both texts with their states at one layer. */
static struct {
    int n, n_learn; /* tokens; those of the text to learn from */
    int32_t id[MOST];
    double state[MOST][D];
} all;

static ig_code note(void *arg, const ig_sentence_states *s, ig_err *e)
{
    (void)arg;
    (void)e;
    for (int32_t t = 0; t < s->n_token; t++) {
        if (s->special[t])
            continue;
        assert_true(all.n < MOST);
        for (int k = 0; k < D; k++)
            all.state[all.n][k] = (double)s->states[LAYER][t * D + k];
        all.id[all.n++] = s->id[t];
    }
    return IG_ERR_OK;
}

static void read_all(ig_states *s, const ig_sentence_list *list)
{
    ig_states_begin(s, note, NULL);
    for (int64_t i = 0; i < list->n; i++)
        assert_ok(
            ig_states_put(s, 0, ig_sentence(list, i), (int64_t)strlen(ig_sentence(list, i)), &err),
            &err);
    assert_ok(ig_states_end(s, &err), &err);
}

static int count(int32_t id)
{
    int n = 0;
    for (int i = 0; i < all.n; i++)
        n += all.id[i] == id;
    return n;
}

static int first(int32_t id, int from, int end)
{
    for (int i = from; i < end; i++)
        if (all.id[i] == id)
            return i;
    return -1;
}

/* The words by how often they stand there, of equals the first. */
static int words(int32_t *word)
{
    int n = 0;
    for (int i = 0; i < all.n; i++)
        if (first(all.id[i], 0, i) < 0)
            word[n++] = all.id[i];
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && count(word[k]) > count(word[k - 1]); k--) {
            const int32_t keep = word[k];
            word[k] = word[k - 1];
            word[k - 1] = keep;
        }
    return n;
}

static void close_to(const float *got, const double *want)
{
    for (int k = 0; k < D; k++)
        assert_true(fabs((double)got[k] - want[k]) < 1e-5);
}

static void check_words(const ig_level_states *s, const int32_t *word, int n)
{
    assert_true(s->n_learn == (n + 1) / 2 && s->n_judge == n / 2);
    for (int i = 0; i < n; i++) {
        double mean[D] = {0};
        for (int t = 0; t < all.n; t++)
            for (int k = 0; k < D && all.id[t] == word[i]; k++)
                mean[k] += all.state[t][k] / count(word[i]);
        close_to(s->x[0][LAYER] + (i / 2 + (i % 2 == 0 ? 0 : s->n_learn)) * D, mean);
    }
}

/* Rows follow the texts: a word's first place in each. */
static void check_contexts(const ig_level_states *s)
{
    int64_t row = 0;
    for (int t = 0; t < all.n; t++) {
        const int begin = t < all.n_learn ? 0 : all.n_learn;
        assert_true(t != all.n_learn || row == s->n_learn);
        if (first(all.id[t], begin, t) < 0)
            close_to(s->x[0][LAYER] + row++ * D, all.state[t]);
    }
    assert_true(row == s->n_learn + s->n_judge);
}

static void counted_again(void **state)
{
    static int32_t word[MOST];
    const ig_named_text text[] = {{"en", DATA "en.txt"}, {"de", DATA "de.txt"}};
    const ig_texts_options ask = {.text = text, .n_text = 2};
    const ig_states_options o = {.model = DATA "minilm", .all_layers = true, .n_thread = 2};
    ig_texts texts;
    ig_states *s[2];
    ig_level_states level[IG_N_LEVEL];
    (void)state;
    assert_ok(ig_texts_read(&texts, &ask, &err), &err);
    for (int x = 0; x < 2; x++)
        assert_ok(ig_states_open(&s[x], &o, &err), &err);
    read_all(s[0], &texts.of[0]);
    all.n_learn = all.n;
    read_all(s[0], &texts.of[1]);
    const ig_linked_texts linked = {.states = {s[0], s[1]},
                                    .learn = {&texts.of[0], &texts.of[0]},
                                    .judge = {&texts.of[1], &texts.of[1]}};
    assert_ok(ig_word_levels_make(level, &linked, &err), &err);
    check_words(&level[IG_LEVEL_WORD], word, words(word));
    check_contexts(&level[IG_LEVEL_CONTEXT]);
    for (int k = 0; k < IG_N_LEVEL; k++)
        for (int l = 0; l < level[k].n_layer[0]; l++)
            assert_memory_equal(level[k].x[0][l], level[k].x[1][l],
                                (size_t)(level[k].n_learn + level[k].n_judge) * D * sizeof(float));
    ig_word_levels_free(level);
    ig_states_close(s[0]);
    ig_states_close(s[1]);
    ig_texts_free(&texts);
}

/* Each sentence once more with two words before it. */
static void put_before(ig_sentence_list *out, const ig_sentence_list *list)
{
    static const char before[] = "zwei Wörter ";
    *out = (ig_sentence_list){.n = list->n};
    out->start = calloc((size_t)list->n, sizeof *out->start);
    out->text = calloc(1, (size_t)list->n_byte + (size_t)list->n * sizeof before);
    assert_true(out->start != NULL && out->text != NULL);
    for (int64_t i = 0, at = 0; i < list->n; i++) {
        out->start[i] = at;
        at += sprintf(out->text + at, "%s%s", before, ig_sentence(list, i)) + 1;
    }
}

/* The word whose state this is. */
static int32_t word_of(const float *state)
{
    for (int t = 0; t < all.n; t++) {
        int k = 0;
        while (k < D && (double)state[k] == all.state[t][k])
            k++;
        if (k == D)
            return all.id[t];
    }
    fail();
    return -1;
}

static void rows_translate(void **state)
{
    const ig_named_text text[] = {{"en", DATA "en.txt"}, {"de", DATA "de.txt"}};
    const ig_texts_options ask = {.text = text, .n_text = 2};
    const ig_states_options o = {.model = DATA "minilm", .all_layers = true, .n_thread = 1};
    ig_texts texts;
    ig_sentence_list moved[2];
    ig_states *s[2];
    ig_level_states level[IG_N_LEVEL];
    int64_t same = 0;
    (void)state;
    assert_ok(ig_texts_read(&texts, &ask, &err), &err);
    for (int x = 0; x < 2; x++) {
        assert_ok(ig_states_open(&s[x], &o, &err), &err);
        put_before(&moved[x], &texts.of[x]);
    }
    const ig_linked_texts linked = {.states = {s[0], s[1]},
                                    .learn = {&texts.of[0], &moved[0]},
                                    .judge = {&texts.of[1], &moved[1]}};
    assert_ok(ig_word_levels_make(level, &linked, &err), &err);
    all.n = 0;
    for (int x = 0; x < 2; x++) {
        read_all(s[0], &texts.of[x]);
        read_all(s[0], &moved[x]);
    }
    const ig_level_states *c = &level[IG_LEVEL_CONTEXT];
    for (int64_t i = 0; i < c->n_learn + c->n_judge; i++)
        same += word_of(c->x[0][LAYER] + i * D) == word_of(c->x[1][LAYER] + i * D);
    assert_true(same > 50 && (double)same > .9 * (double)(c->n_learn + c->n_judge));
    ig_word_levels_free(level);
    for (int x = 0; x < 2; x++) {
        ig_states_close(s[x]);
        free(moved[x].start);
        free(moved[x].text);
    }
    ig_texts_free(&texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counted_again),
                                       cmocka_unit_test(rows_translate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
