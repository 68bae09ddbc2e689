/* SPDX-License-Identifier: Apache-2.0
 *
 * Words in a corpus: where they stand against a count of the text itself, their mean states against
 * a sentence at a time through the engine.
 */
#include "isoglot/batch.h"
#include "setup_fixture.h"
#include "word_fixture.h"

#include "apply/words/word_places.h"

/* --- places ---------------------------------------------------------------------------------- */

/* Words of several pieces, of a language and of its copy with the pieces in the other order. A
 * vocabulary whose pieces have the blank before a word has other ones of the first word of a line.
 */
static void check_places(const char *vocab, const char *folder)
{
    ig_run_config c = config("en; fake = shift | invert");
    ig_setup s;
    char text[300];
    int64_t n;
    c.tokens.vocab_size = 90;
    set(&c.tokens.vocab, vocab);
    snprintf(text, sizeof text, "%s/world-train.txt", in_root(folder));
    assert_ok(open_setup(&s, &c, in_root(folder)), &err);
    int n_long = 0, n_word = 0;
    for (int k = 0; k < 2; k++) {
        ig_word_places p;
        const char *word[40];
        int32_t number[40];
        char *copy, *end = NULL;
        int have = 0;
        assert_ok(ig_file_read(&copy, &n, text, 1 << 24, &err), &err);
        ig_word_places_new(&p, s.train, s.languages->tokenizer[k], k);
        for (char *w = strtok_r(copy, " \n", &end); w != NULL && have < 40;
             w = strtok_r(NULL, " \n", &end)) {
            int i = 0;
            while (i < have && strcmp(word[i], w) != 0)
                i++;
            if (i < have)
                continue;
            word[have] = w;
            assert_ok(ig_word_places_add(&p, w, &number[have], &err), &err);
            assert_int_equal(number[have], have);
            n_long += p.start[have + 1] - p.start[have] > 1;
            have++;
        }
        assert_ok(ig_word_places_count(&p, 25, &err), &err);
        for (int i = 0; i < have; i++, n_word++) {
            assert_int_equal(p.count[i], count_in(text, word[i], 0));
            assert_int_equal(p.early[i], count_in(text, word[i], 25));
        }
        int32_t none;
        assert_ok(ig_word_places_add(&p, "\xe4\xb8\x80", &none, &err), &err);
        assert_true(vocab != NULL || none == -1); /* its bytes are known */
        ig_word_places_free(&p);
        ig_free(copy);
    }
    assert_true(n_word == 80 && n_long > 40);
    ig_setup_close(&s);
    ig_run_config_free(&c);
}

static void places(void **state)
{
    (void)state;
    check_places(NULL, "pieces");
    check_places(IG_TEST_DATA "/foreign/roberta/tokenizer.json", "bytes");
}

/* --- mean states ------------------------------------------------------------------------------ */

typedef struct {
    ig_run_config c;
    ig_setup s;
    ig_bert *model;
    ig_team *team;
    ig_engine *engine;
    int d;
} bert;

static void bert_open(bert *b, int64_t block)
{
    *b = (bert){.c = config("en; fake = shift")};
    b->c.tokens.vocab_size = 150;
    b->c.objective.block = block;
    assert_ok(open_setup(&b->s, &b->c, in_root("states")), &err);
    ig_bert_config shape = ig_run_config_model(&b->c, ig_corpus_vocab_size(b->s.train), 0);
    shape.max_position_embeddings = (int32_t)block; /* no sequence is longer */
    assert_ok(ig_bert_new(&b->model, &shape, 3, &err), &err);
    assert_ok(ig_team_new(&b->team, 1, &err), &err);
    assert_ok(ig_engine_new(&b->engine, b->model, b->team, NULL, IG_PRECISION_F32, &err), &err);
    b->d = shape.hidden_size;
}

/* The states that the words' places want, of some layers. */
static ig_states *states_over(const bert *b, const int *layer, int n_layer)
{
    const ig_states_options o = {.layer = layer, .n_layer = n_layer};
    const ig_states_parts parts = {
        .engine = b->engine, .model = b->model, .team = b->team, .corpus = b->s.train};
    ig_states *s;
    assert_ok(ig_states_over(&s, &o, &parts, &err), &err);
    return s;
}

static void bert_close(bert *b)
{
    ig_engine_free(b->engine);
    ig_team_free(b->team);
    ig_bert_free(b->model);
    ig_setup_close(&b->s);
    ig_run_config_free(&b->c);
}

/* States of one sequence. */
static void encode(const bert *b, const int32_t *id, int32_t n, int layer, float *hidden)
{
    static int32_t pos[2048], seg[2048], zero[1], start[2];
    for (int32_t i = 0; i < n; i++)
        pos[i] = i;
    start[1] = n;
    const ig_batch batch = {.n_seq = 1,
                            .n_tok = n,
                            .seq_start = start,
                            .id = (int32_t *)(uintptr_t)id,
                            .pos = pos,
                            .seg = seg,
                            .language = zero};
    float *const out[] = {hidden};
    assert_ok(ig_engine_encode(b->engine, &batch, &layer, 1, out, &err), &err);
}

/* Adds the pieces that begin at place `at` to the sum of a word. */
static void add_word(double *sum, const float *hidden, int32_t at, int32_t n, int d)
{
    for (int32_t i = at; i < at + n; i++)
        for (int k = 0; k < d; k++)
            sum[k] += (double)hidden[i * d + k] / n;
}

/* The mean of a word by looking for its pieces, whole words only, in sequences that are given. */
typedef struct {
    const int32_t *piece;
    int32_t n;
    double sum[128];
    int64_t n_place;
} wanted;

static void look(const bert *b, wanted *w, const int32_t *id, int32_t n, const float *hidden)
{
    const int32_t n_base = ig_tokenizer_size(b->s.tokenizer);
    for (int32_t i = 0; i + w->n <= n; i++) {
        const bool ends = i + w->n == n || id[i + w->n] >= n_base ||
                          !ig_tokenizer_continues(b->s.tokenizer, id[i + w->n]);
        if (memcmp(id + i, w->piece, (size_t)w->n * sizeof *id) != 0 || !ends)
            continue;
        add_word(w->sum, hidden, i, w->n, b->d);
        w->n_place++;
    }
}

/* Every sentence by itself, or the whole text as one sequence. */
static void check_states(bool stream)
{
    bert b;
    ig_word_places p;
    int32_t number;
    const int layer[] = {0, 2};
    bert_open(&b, stream ? 2048 : 128);
    ig_word_places_new(&p, b.s.train, b.s.languages->tokenizer[0], 0);
    char *text, *end = NULL;
    int64_t n, n_place;
    int n_word = 0;
    assert_ok(ig_file_read(&text, &n, in_root("states/world-train.txt"), 1 << 24, &err), &err);
    for (char *w = strtok_r(text, " \n", &end); w != NULL && n_word < 30;
         w = strtok_r(NULL, " \n", &end)) {
        assert_ok(ig_word_places_add(&p, w, &number, &err), &err);
        n_word = p.key.n;
    }
    const int64_t most = stream ? 40 : 0;
    const ig_word_contexts how = {.sequences = {(int32_t)b.c.objective.block, stream},
                                  .most = most};
    float *mean[2], *hidden;
    int32_t *id;
    for (int l = 0; l < 2; l++)
        assert_ok(ig_alloc(&mean[l], n_word * b.d, sizeof(float), "test", &err), &err);
    assert_ok(ig_alloc(&hidden, 2048 * (int64_t)b.d, sizeof *hidden, "test", &err), &err);
    assert_ok(ig_alloc(&id, 2048, sizeof *id, "test", &err), &err);
    ig_states *states = states_over(&b, layer, 2);
    assert_ok(ig_word_places_states(mean, &n_place, &p, &how, states, &err), &err);
    ig_states_close(states);
    wanted *w;
    assert_ok(ig_alloc(&w, n_word, sizeof *w, "test", &err), &err);
    const int64_t n_sentence = most > 0 ? most : ig_corpus_n_sequence(b.s.train, 0);
    for (int l = 0; l < 2; l++) {
        int64_t all = 0;
        for (int i = 0; i < n_word; i++)
            w[i] = (wanted){.piece = p.piece + p.start[i],
                            .n = (int32_t)(p.start[i + 1] - p.start[i])};
        int32_t used = 0, room[512];
        for (int64_t i = 0; i < n_sentence; i++) {
            const int32_t m = ig_corpus_sequence(b.s.train, 0, i, stream ? room : id);
            if (stream) { /* without [CLS], with [SEP] */
                memcpy(id + used, room + 1, (size_t)(m - 1) * sizeof *id);
                used += m - 1;
                continue;
            }
            encode(&b, id, m, layer[l], hidden);
            for (int k = 0; k < n_word; k++)
                look(&b, &w[k], id, m, hidden);
        }
        assert_true(used < 2048);
        if (stream) {
            encode(&b, id, used, layer[l], hidden);
            for (int k = 0; k < n_word; k++)
                look(&b, &w[k], id, used, hidden);
        }
        for (int i = 0; i < n_word; i++) {
            float want[128];
            assert_true(w[i].n_place > 0 && b.d <= 128);
            for (int k = 0; k < b.d; k++)
                want[k] = (float)(w[i].sum[k] / (double)w[i].n_place);
            assert_close_at(mean[l] + i * b.d, want, b.d, 2e-5, 2e-5, "mean", __FILE__, __LINE__);
            all += w[i].n_place;
        }
        assert_int_equal(all, n_place);
    }
    for (int l = 0; l < 2; l++)
        ig_free(mean[l]);
    ig_free(w);
    ig_free(hidden);
    ig_free(id);
    ig_free(text);
    ig_word_places_free(&p);
    bert_close(&b);
}

static void states_of_sentences(void **state)
{
    (void)state;
    check_states(false);
}

static void states_of_a_stream(void **state)
{
    (void)state;
    check_states(true);
}

/* Cut between words: with windows of a few pieces every word that fits keeps all its places. */
static void short_windows(void **state)
{
    (void)state;
    for (int stream = 0; stream < 2; stream++) {
        bert b;
        ig_word_places p;
        int32_t number;
        char *text, *end = NULL;
        int64_t n, n_place, want = 0;
        bert_open(&b, 7);
        ig_word_places_new(&p, b.s.train, b.s.languages->tokenizer[0], 0);
        assert_ok(ig_file_read(&text, &n, in_root("states/world-train.txt"), 1 << 24, &err), &err);
        for (char *w = strtok_r(text, " \n", &end); w != NULL; w = strtok_r(NULL, " \n", &end))
            assert_ok(ig_word_places_add(&p, w, &number, &err), &err);
        assert_ok(ig_word_places_count(&p, 0, &err), &err);
        for (int32_t i = 0; i < p.key.n; i++)
            if (p.start[i + 1] - p.start[i] <= (stream ? 7 : 5))
                want += p.count[i];
        const ig_word_contexts how = {.sequences = {7, stream == 1}};
        const int layer[] = {1};
        float *mean[1];
        assert_ok(ig_alloc(&mean[0], (int64_t)p.key.n * b.d, sizeof(float), "test", &err), &err);
        ig_states *states = states_over(&b, layer, 1);
        assert_ok(ig_word_places_states(mean, &n_place, &p, &how, states, &err), &err);
        ig_states_close(states);
        assert_int_equal(n_place, want);
        ig_free(mean[0]);
        ig_free(text);
        ig_word_places_free(&p);
        bert_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),
        cmocka_unit_test(states_of_sentences),
        cmocka_unit_test(states_of_a_stream),
        cmocka_unit_test(short_windows),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
