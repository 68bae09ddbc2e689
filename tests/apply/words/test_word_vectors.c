/* SPDX-License-Identifier: Apache-2.0
 *
 * Words in context against sentences that are run one by one and averaged here.
 */
#include "corpus_fixture.h"

#include "base/memory.h"
#include "isoglot/batch.h"
#include "isoglot/bert.h"
#include "model/engine/engine.h"
#include "apply/words/word_vectors.h"

#include <jansson.h>
#include <math.h>

enum { D = 16, LAYER = 2, N_PIECE = 12 };

static const char *const piece[N_PIECE] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the",
                                           "sea",   "##s",   "sun",   "##ny",  ".",      "do"};
static ig_err err;

static void write_text(const char *name, const char *text)
{
    assert_ok(ig_file_write(fixture_path(name), text, (int64_t)strlen(text), &err), &err);
}

static void make_model(void)
{
    ig_bert_config c = ig_bert_config_small(N_PIECE);
    ig_bert *m;
    c.hidden_size = D;
    c.num_attention_heads = 2;
    c.intermediate_size = 32;
    c.num_hidden_layers = 3;
    c.max_position_embeddings = 20;
    c.initializer_range = 0.5f; /* so that contexts matter */
    assert_ok(ig_bert_new(&m, &c, 5, &err), &err);
    assert_ok(ig_dir_make(fixture_path("m"), &err), &err);
    assert_ok(ig_bert_save(m, fixture_path("m"), NULL, &err), &err);
    ig_bert_free(m);
    char text[200] = "";
    for (int i = 0; i < N_PIECE; i++) {
        strcat(text, piece[i]);
        strcat(text, "\n");
    }
    write_text("m/vocab.txt", text);
}

/* A sentence as ids, and for each token the word that it is of (0: none): 1 the, 2 seas, 3 sunny,
 * 4 sea, 5 ".". */
typedef struct {
    int n, id[12], word[12];
} sentence;

/* "the seas the . sea", "sunny seas", "xyz the": the last word is unknown. */
static const sentence whole[] = {{8, {2, 5, 6, 7, 5, 10, 6, 3}, {0, 1, 2, 2, 1, 5, 4, 0}},
                                 {6, {2, 8, 9, 6, 7, 3}, {0, 3, 3, 2, 2, 0}},
                                 {4, {2, 1, 5, 3}, {0, 0, 1, 0}}};
/* Windows of three pieces are cut between words. */
static const sentence cut[] = {{5, {2, 5, 6, 7, 3}, {0, 1, 2, 2, 0}},
                               {5, {2, 5, 10, 6, 3}, {0, 1, 5, 4, 0}},
                               {4, {2, 8, 9, 3}, {0, 3, 3, 0}},
                               {4, {2, 6, 7, 3}, {0, 2, 2, 0}},
                               {4, {2, 1, 5, 3}, {0, 0, 1, 0}}};
static const char *const word_name[] = {"", "the", "seas", "sunny", "sea", "."};

/* Shape of a language's sequences. */
static struct {
    int position, segment, cls, sep;
} language = {0, 0, 2, 3};

static void expect(double want[6][D], const sentence *s, int n_sentence)
{
    ig_bert *m;
    ig_bert_report report = {0};
    ig_engine *e;
    ig_team *team;
    int n_place[6] = {0}, layer = LAYER;
    assert_ok(ig_bert_load(&m, fixture_path("m"), &report, &err), &err);
    ig_bert_report_free(&report);
    assert_ok(ig_team_new(&team, 1, &err), &err);
    assert_ok(ig_engine_new(&e, m, team, NULL, IG_PRECISION_F32, &err), &err);
    memset(want, 0, 6 * sizeof *want);
    for (int q = 0; q < n_sentence; q++) {
        int32_t id[12], pos[12], seg[12], start[2] = {0, s[q].n};
        float x[12 * D], *out[] = {x};
        for (int i = 0; i < s[q].n; i++) {
            id[i] = s[q].id[i] == 2 ? language.cls : s[q].id[i] == 3 ? language.sep : s[q].id[i];
            pos[i] = language.position + i;
            seg[i] = language.segment;
        }
        const ig_batch b = {
            .n_seq = 1, .n_tok = s[q].n, .seq_start = start, .id = id, .pos = pos, .seg = seg};
        assert_ok(ig_engine_encode(e, &b, &layer, 1, out, &err), &err);
        for (int i = 0; i < s[q].n; i++) {
            const int w = s[q].word[i], n_piece = w == 2 || w == 3 ? 2 : 1;
            for (int k = 0; k < D; k++)
                want[w][k] += (double)x[i * D + k] / n_piece;
            n_place[w] += n_piece == 1 || s[q].word[i - 1] == w;
        }
    }
    for (int w = 1; w < 6; w++)
        for (int k = 0; k < D; k++)
            want[w][k] /= n_place[w];
    ig_engine_free(e);
    ig_team_free(team);
    ig_bert_free(m);
}

static void one_by_one(void **state)
{
    (void)state;
    make_model();
    write_text("t.txt", "the seas the. sea\nsunny seas\nxyz the\n");
    for (int window = 0; window < 2; window++)
        for (int threads = 1; threads < 4; threads += 2) {
            double want[6][D];
            const char *model = fixture_path("m"), *path = fixture_path("t.txt");
            const ig_word_vectors_options o = {.model = model,
                                               .layer = LAYER,
                                               .window = window == 1 ? 3 : 0,
                                               .min_count = 1,
                                               .text = {.whole_lines = true},
                                               .n_thread = threads};
            ig_vectors v;
            ig_word_vectors_report r;
            expect(want, window == 1 ? cut : whole, window == 1 ? 5 : 3);
            assert_ok(ig_word_vectors(&v, &r, (ig_path_list){&path, 1}, &o, &err), &err);
            assert_int_equal(r.n_line, 3);
            assert_int_equal(r.n_sequence, window == 1 ? 5 : 3);
            assert_int_equal(r.n_unknown, 1);
            assert_int_equal(r.n_used, 8);
            assert_int_equal(v.n, 5);
            assert_string_equal(ig_lexicon_get(&v.words, 0), "the");
            for (int w = 1; w < 6; w++) {
                const int32_t row =
                    ig_lexicon_find(&v.words, word_name[w], (int64_t)strlen(word_name[w]));
                assert_true(row >= 0);
                /* A sum of at most four floats of size 1, batched otherwise: 1e-5 is many ulps. */
                for (int k = 0; k < D; k++)
                    assert_true(fabs((double)ig_vectors_row(&v, row)[k] - want[w][k]) < 1e-5);
            }
            ig_vectors_free(&v);
        }
}

/* A language with positions, a segment and special tokens of its own: config.json says which. */
static void language_of_its_own(void **state)
{
    (void)state;
    double want[6][D];
    char model[300], text[300];
    const char *path = text;
    snprintf(model, sizeof model, "%s", fixture_path("m"));
    snprintf(text, sizeof text, "%s", fixture_path("t.txt"));
    ig_word_vectors_options o = {.model = model,
                                 .layer = LAYER,
                                 .min_count = 1,
                                 .language = "fake",
                                 .text = {.whole_lines = true},
                                 .n_thread = 1};
    ig_vectors v;
    ig_word_vectors_report r;
    make_model();
    json_t *config = json_load_file(fixture_path("m/config.json"), 0, NULL);
    json_t *languages = json_array();
    for (int k = 0; k < 2; k++)
        json_array_append_new(
            languages,
            json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:{s:i, s:i, s:i, s:i, s:i}}", "name",
                      k ? "fake" : "en", "pipeline", "", "first_id", 0, "n_id", N_PIECE,
                      "position_offset", k ? 9 : 0, "segment", k, "special", "pad", 0, "unk", 1,
                      "cls", k ? 4 : 2, "sep", k ? 0 : 3, "mask", 4));
    json_object_set_new(config, "isoglot", json_pack("{s:o}", "languages", languages));
    assert_int_equal(json_dump_file(config, fixture_path("m/config.json"), 0), 0);
    json_decref(config);
    write_text("t.txt", "the seas the. sea\nsunny seas\nxyz the\n");
    for (int k = 0; k < 2; k++) {
        o.language = k == 0 ? "fake" : "en";
        language.position = k == 0 ? 9 : 0;
        language.segment = k == 0;
        language.cls = k == 0 ? 4 : 2;
        language.sep = k == 0 ? 0 : 3;
        expect(want, whole, 3);
        assert_ok(ig_word_vectors(&v, &r, (ig_path_list){&path, 1}, &o, &err), &err);
        for (int w = 1; w < 6; w++) {
            const int32_t row =
                ig_lexicon_find(&v.words, word_name[w], (int64_t)strlen(word_name[w]));
            assert_true(row >= 0);
            for (int i = 0; i < D; i++)
                assert_true(fabs((double)ig_vectors_row(&v, row)[i] - want[w][i]) < 1e-5);
        }
        ig_vectors_free(&v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_by_one),
                                       cmocka_unit_test(language_of_its_own)};
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
