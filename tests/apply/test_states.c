/* SPDX-License-Identifier: Apache-2.0
 *
 * States of sentences against sentences that are laid out and run one by one here; layers, threads,
 * edits, languages of their own, and what cannot be asked.
 */
#include "corpus_fixture.h"

#include "base/memory.h"
#include "isoglot/batch.h"
#include "isoglot/bert.h"
#include "apply/states.h"

#include <jansson.h>
#include <math.h>

enum { D = 16, DEPTH = 3, N_PIECE = 8, POSITIONS = 16, N_TEXT = 1500, MOST = 12 };

static const char *const piece[N_PIECE] = {"[PAD]",  "[UNK]", "[CLS]", "[SEP]",
                                           "[MASK]", "a",     "b",     "c"};
static ig_err err;

/* Two languages over one vocabulary: Fake has rows, positions and a segment of its own, and stands
 * in inverted order. */
static void make_model(const char *name, bool languages)
{
    ig_bert_config c = ig_bert_config_small(2 * N_PIECE);
    char dir[256], path[300];
    ig_bert *m;
    json_t *extra = NULL;
    c.hidden_size = D;
    c.num_attention_heads = 2;
    c.intermediate_size = 32;
    c.num_hidden_layers = DEPTH;
    c.max_position_embeddings = 2 * POSITIONS;
    c.type_vocab_size = 2;
    c.initializer_range = 0.5f; /* so that contexts matter */
    if (languages)
        extra = json_pack(
            "{s:{s:i, s:[{s:s, s:s, s:i, s:i, s:i, s:i, s:{s:i, s:i, s:i, s:i, s:i}}, {s:s, "
            "s:s, s:i, s:i, s:i, s:i, s:{s:i, s:i, s:i, s:i, s:i}}]}}",
            "isoglot", "base_vocab_size", N_PIECE, "languages", "name", "en", "pipeline", "",
            "first_id", 0, "n_id", N_PIECE, "position_offset", 0, "segment", 0, "special", "pad", 0,
            "unk", 1, "cls", 2, "sep", 3, "mask", 4, "name", "fake", "pipeline", "shift | invert",
            "first_id", N_PIECE, "n_id", N_PIECE, "position_offset", POSITIONS, "segment", 1,
            "special", "pad", 0, "unk", 1, "cls", 2, "sep", 3, "mask", 4);
    strcpy(dir, fixture_path(name));
    assert_ok(ig_bert_new(&m, &c, 5, &err), &err);
    assert_ok(ig_dir_make(dir, &err), &err);
    assert_ok(ig_bert_save(m, dir, extra, &err), &err);
    json_decref(extra);
    ig_bert_free(m);
    char text[400] = "";
    for (int i = 0; i < 2 * N_PIECE; i++)
        sprintf(text + strlen(text), "%s%s\n", i < N_PIECE ? "" : "::", piece[i % N_PIECE]);
    snprintf(path, sizeof path, "%s/vocab.txt", dir);
    assert_ok(ig_file_write(path, text, (int64_t)strlen(text), &err), &err);
}

/* A sentence of the text: letters with spaces between. */
typedef struct {
    char text[40];
    int n, id[20];
} sentence;
static sentence all[N_TEXT];

static void make_text(void)
{
    ig_rng r = ig_rng_make(3, IG_STREAM_TEST, 0, 0);
    for (int i = 0; i < N_TEXT; i++) {
        sentence *s = &all[i];
        s->n = i == 7 ? POSITIONS + 2 : (int)ig_rng_below(&r, MOST); /* 7: four too many */
        for (int k = 0; k < s->n; k++) {
            s->id[k] = 5 + (int)ig_rng_below(&r, 3);
            sprintf(s->text + 2 * k, "%c ", 'a' + s->id[k] - 5);
        }
    }
}

/* Sentence i in a language, as the batch of one. */
typedef struct {
    int32_t id[32], pos[32], seg[32], row[32], start[2], language;
    ig_batch b;
} single;

static void lay_out(single *q, int i, int language)
{
    const sentence *s = &all[i];
    const int n = s->n < POSITIONS - 2 ? s->n : POSITIONS - 2;
    q->id[0] = 2;
    q->id[n + 1] = 3;
    for (int k = 0; k < n; k++)
        q->id[1 + k] = language == 0 ? s->id[k] : N_PIECE + s->id[n - 1 - k];
    for (int k = 0; k < n + 2; k++) {
        q->pos[k] = language * POSITIONS + k;
        q->seg[k] = language;
        q->row[k] = k;
    }
    q->language = language;
    q->start[0] = 0;
    q->start[1] = n + 2;
    q->b = (ig_batch){.n_seq = 1,
                      .n_tok = n + 2,
                      .seq_start = q->start,
                      .id = q->id,
                      .pos = q->pos,
                      .seg = q->seg,
                      .language = &q->language};
    q->b.target[IG_HEAD_MASKED] = (ig_targets){.n = n + 2, .row = q->row, .label = q->id};
}

typedef struct {
    ig_engine *engine; /* of its own */
    int n_layer, layer[DEPTH + 1], stride;
    int n;
    uint64_t hash; /* of all bits */
} check;

static ig_code compare(void *arg, const ig_sentence_states *s, ig_err *e)
{
    check *c = arg;
    const int language = c->n % 2;
    static float x[DEPTH + 1][32 * D];
    float *out[DEPTH + 1];
    single q;
    (void)e;
    lay_out(&q, c->n, language);
    assert_int_equal(s->number, c->n);
    assert_int_equal(s->language, language);
    assert_int_equal(s->n_token, q.b.n_tok);
    assert_int_equal(s->cut, c->n == 7);
    assert_memory_equal(s->id, q.id, (size_t)s->n_token * sizeof *q.id);
    for (int t = 0; t < s->n_token; t++)
        assert_int_equal(s->special[t], t == 0 || t == s->n_token - 1);
    for (int l = 0; l < c->n_layer; l++)
        out[l] = x[l];
    assert_ok(ig_engine_encode(c->engine, &q.b, c->layer, c->n_layer, out, &err), &err);
    for (int l = 0; l < c->n_layer; l++) {
        c->hash = ig_hash(s->states[l], (int64_t)s->n_token * D * 4, c->hash);
        /* Products of 32 floats of size 1, in batches of another shape: 1e-5 is many ulps. */
        for (int k = 0; k < s->n_token * D; k++)
            assert_true(fabs((double)s->states[l][k] - (double)x[l][k]) < 1e-5);
    }
    assert_ok(ig_engine_predict(c->engine, &q.b, &err), &err);
    assert_memory_equal(s->likeliest, ig_engine_result(c->engine, IG_HEAD_MASKED).best,
                        (size_t)s->n_token * sizeof(int32_t));
    c->n++;
    return IG_ERR_OK;
}

/* All sentences, in turns in both languages. */
static void put_all(ig_states *s, ig_states_fn *fn, void *arg)
{
    ig_states_begin(s, fn, arg);
    for (int i = 0; i < N_TEXT; i++)
        assert_ok(ig_states_put(s, i % 2, all[i].text, (int64_t)strlen(all[i].text), &err), &err);
    assert_ok(ig_states_end(s, &err), &err);
}

static void check_with(check *c, ig_states_options o, const ig_edit *edit, int n_edit)
{
    ig_states *s;
    ig_bert *m;
    ig_team *team;
    o.model = fixture_path("two");
    o.likeliest = true;
    assert_ok(ig_bert_load(&m, o.model, NULL, &err), &err);
    assert_ok(ig_team_new(&team, 1, &err), &err);
    assert_ok(ig_engine_new(&c->engine, m, team, NULL, IG_PRECISION_F32, &err), &err);
    assert_ok(ig_engine_set_edits(c->engine, edit, n_edit, &err), &err);
    assert_ok(ig_states_open(&s, &o, &err), &err);
    assert_ok(ig_states_set_edits(s, edit, n_edit, &err), &err);
    const int *layer;
    c->n_layer = ig_states_layers(s, &layer);
    memcpy(c->layer, layer, (size_t)c->n_layer * sizeof *layer);
    c->n = 0;
    c->hash = 0;
    put_all(s, compare, c);
    assert_int_equal(c->n, N_TEXT);
    ig_states_close(s);
    ig_engine_free(c->engine);
    ig_team_free(team);
    ig_bert_free(m);
}

static void one_by_one(void **state)
{
    const int some[] = {1, DEPTH};
    check c, other;
    (void)state;
    check_with(&c, (ig_states_options){.all_layers = true, .n_thread = 1}, NULL, 0);
    assert_int_equal(c.n_layer, DEPTH + 1);
    check_with(&other, (ig_states_options){.all_layers = true, .n_thread = 3}, NULL, 0);
    assert_true(c.hash == other.hash);
    check_with(&other, (ig_states_options){.layer = some, .n_layer = 2, .n_thread = 2}, NULL, 0);
    assert_int_equal(other.n_layer, 2);
    check_with(&other, (ig_states_options){.n_thread = 2}, NULL, 0);
    assert_int_equal(other.n_layer, 0);
}

/* A shift of one language alone changes its states, and no other's. */
static void edits(void **state)
{
    float v[D];
    check plain, shifted, none;
    const ig_states_options o = {.all_layers = true, .n_thread = 1};
    (void)state;
    for (int k = 0; k < D; k++)
        v[k] = (float)k - 5;
    ig_edit e = {.layer = 1, .language = 1, .kind = IG_EDIT_SHIFT, .n = 1, .data = v};
    check_with(&plain, o, NULL, 0);
    check_with(&shifted, o, &e, 1);
    assert_true(plain.hash != shifted.hash);
    memset(v, 0, sizeof v);
    check_with(&none, o, &e, 1);
    assert_true(plain.hash == none.hash);
}

static ig_code count(void *arg, const ig_sentence_states *s, ig_err *e)
{
    (void)e;
    int64_t *n = arg; /* sentences, tokens */
    n[0]++;
    n[1] += s->n_token;
    return IG_ERR_OK;
}

static void files(void **state)
{
    ig_states *s;
    char path[256];
    int64_t n[2] = {0}, want = 0;
    char text[4096] = "";
    (void)state;
    strcpy(path, fixture_path("t.txt"));
    for (int i = 0; i < 20; i++) {
        strcat(strcat(text, all[i].text), i % 3 == 0 ? "\n\n" : "\n");
        want += all[i].n > 0 && i < 9 ? (all[i].n < 30 ? all[i].n : 30) + 2 : 0;
    }
    assert_ok(ig_file_write(path, text, (int64_t)strlen(text), &err), &err);
    /* A folder without a list of languages reads any as its one; every line that is not blank. */
    const ig_states_options o = {.model = fixture_path("plain"), .n_thread = 1};
    assert_ok(ig_states_open(&s, &o, &err), &err);
    int64_t lines = 0;
    for (int i = 0; i < 9; i++)
        lines += all[i].n > 0;
    assert_ok(ig_states_read(s, &(ig_states_source){.path = path, .take = lines}, count, n, &err),
              &err);
    assert_int_equal(n[0], lines);
    assert_int_equal(n[1], want);
    assert_ok(ig_file_write(path, "\n\n", 2, &err), &err);
    assert_int_equal(ig_states_read(s, &(ig_states_source){.path = path}, count, n, &err),
                     IG_ERR_INPUT);
    ig_states_close(s);
}

static void refused(void **state)
{
    const int layers[][2] = {{0, DEPTH + 1}, {1, 1}, {-1, 0}};
    ig_states *s;
    (void)state;
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        const ig_states_options o = {
            .model = fixture_path("two"), .layer = layers[i], .n_layer = 2, .n_thread = 1};
        assert_int_equal(ig_states_open(&s, &o, &err), IG_ERR_USAGE);
        assert_null(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_by_one), cmocka_unit_test(edits),
                                       cmocka_unit_test(files), cmocka_unit_test(refused)};
    void *none = NULL;
    if (fixture_setup(&none) != 0)
        return 1;
    make_model("two", true);
    make_model("plain", false);
    make_text();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return fixture_teardown(&none) != 0 ? 1 : failed;
}
