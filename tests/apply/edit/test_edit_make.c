/* SPDX-License-Identifier: Apache-2.0
 *
 * Edits by settings: a mean taken off is zero afterwards, a subspace taken out tells nothing, also
 * to a probe that is trained again, a rotation that was planted is found; weights drawn anew, taken
 * from another model and given back; what is refused.
 */
#include "twin_fixture.h"

#include "analyse/linear_probe.h"
#include "model/safetensors.h"
#include "apply/edit/edit_make.h"
#include "apply/edit/language_means.h"
#include "apply/edit/state_sample.h"
#include "apply/edit/state_sample.h"

#include <math.h>

typedef struct {
    ig_encoder encoder;
    ig_model_languages languages;
    ig_team *team;
    ig_engine *engine;
    ig_edit_on on;
} fixture;

static char text_path[256];

static fixture *open_model(const char *name)
{
    fixture *f;
    assert_ok(ig_alloc(&f, 1, sizeof *f, "", &err), &err);
    assert_ok(ig_encoder_open(&f->encoder, fixture_path(name), false, &err), &err);
    assert_ok(ig_model_languages_read(&f->languages, f->encoder.dir,
                                      ig_bert_get_config(f->encoder.model), f->encoder.tokenizer,
                                      &err),
              &err);
    assert_ok(ig_team_new(&f->team, 2, &err), &err);
    assert_ok(ig_engine_new(&f->engine, f->encoder.model, f->team, NULL, IG_PRECISION_F32, &err),
              &err);
    f->on = (ig_edit_on){.parts = {.engine = f->engine,
                                   .model = f->encoder.model,
                                   .team = f->team,
                                   .tokenizer = f->encoder.tokenizer,
                                   .languages = &f->languages}};
    return f;
}

static void drop(fixture *f)
{
    ig_engine_free(f->engine);
    ig_team_free(f->team);
    ig_model_languages_free(&f->languages);
    ig_encoder_close(&f->encoder);
    ig_free(f);
}

/* `edit` has @ where the path of the text stands. */
static ig_code make(ig_made_edits *made, fixture *f, const char *edit)
{
    ig_edit_specs specs = {0};
    char text[1000], *to = text;
    for (; *edit != '\0'; edit++)
        to += sprintf(to, "%.*s", *edit == '@' ? 255 : 1, *edit == '@' ? text_path : edit);
    assert_ok(ig_edit_specs_add(&specs, text, &err), &err);
    const ig_code code = ig_edits_make(made, &specs, &f->on, &err);
    ig_edit_specs_free(&specs);
    return code;
}

static void means_at(ig_language_means *m, fixture *f, int layer)
{
    ig_states *s;
    const ig_states_options o = {.layer = &layer, .n_layer = 1};
    *m = (ig_language_means){0};
    assert_ok(ig_states_over(&s, &o, &f->on.parts, &err), &err);
    for (int k = 0; k < 2; k++) {
        const ig_states_source file = {
            .name = k == 0 ? "en" : "fake", .path = text_path, .language = k};
        assert_ok(ig_language_means_add(m, s, &file, IG_VARIANT_PAPER_TEXT, &err), &err);
    }
    ig_states_close(s);
}

/* One token of each sentence, or pairs of means. */
static void sample_at(ig_state_sample *sample, fixture *f, int layer, bool pairs)
{
    const ig_states_source source[] = {
        {.name = "en", .path = text_path, .take = 1000},
        {.name = "fake", .path = text_path, .language = 1, .take = 1000}};
    const ig_states_options o = {.layer = &layer, .n_layer = 1};
    const ig_sample_draw how = {.seed = 9};
    ig_states *states;
    *sample = (ig_state_sample){0};
    assert_ok(ig_states_over(&states, &o, &f->on.parts, &err), &err);
    assert_ok(pairs ? ig_state_sample_pairs(sample, states, source, &err)
                    : ig_state_sample_take(sample, states, source, 2, &how, &err),
              &err);
    ig_states_close(states);
}

static void centre(void **state)
{
    fixture *f = open_model("shift");
    ig_made_edits made;
    ig_language_means m;
    (void)state;
    for (int layer = 0; layer <= DEPTH; layer++) {
        char edit[200];
        snprintf(edit, sizeof edit, "{kind: centre, layer: %d, text: {en: @, fake: @}}", layer);
        assert_ok(make(&made, f, edit), &err);
        assert_int_equal(made.n, 2);
        means_at(&m, f, layer);
        for (int k = 0; k < 2 * D; k++)
            assert_true(fabs(m.language[k / D].mean[k % D]) < 1e-6);
        ig_language_means_free(&m);
        assert_ok(ig_edits_undo(&made, &f->on, &err), &err);
        means_at(&m, f, layer);
        assert_true(fabs(m.language[0].mean[CODE] - m.language[1].mean[CODE]) > 1);
        ig_language_means_free(&m);
    }
    drop(f);
}

/* Half of the mean taken off leaves the other half. */
static void centre_half(void **state)
{
    fixture *f = open_model("shift");
    ig_made_edits made;
    ig_language_means before, after;
    (void)state;
    means_at(&before, f, 1);
    assert_ok(make(&made, f, "{kind: centre, layer: 1, alpha: .5, text: {en: @, fake: @}}"), &err);
    means_at(&after, f, 1);
    for (int k = 0; k < 2 * D; k++)
        assert_true(fabs(after.language[k / D].mean[k % D] -
                         .5 * before.language[k / D].mean[k % D]) < 1e-5);
    ig_language_means_free(&before);
    ig_language_means_free(&after);
    assert_ok(ig_edits_undo(&made, &f->on, &err), &err);
    drop(f);
}

/* A file has the means of all layers: those of the edit's layer are used. */
static void means_of_file(void **state)
{
    fixture *f = open_model("shift");
    ig_made_edits made;
    ig_language_means file = {.n = 2, .n_layer = DEPTH + 1, .d = D};
    char path[256], edit[400];
    (void)state;
    for (int k = 0; k < 2; k++) {
        strcpy(file.language[k].name, k == 0 ? "en" : "fake");
        assert_ok(ig_alloc(&file.language[k].mean, (DEPTH + 1) * D, sizeof(double), "", &err),
                  &err);
        for (int i = 0; i < (DEPTH + 1) * D; i++)
            file.language[k].mean[i] = (k == 0 ? 1 : -2) * (i + 1);
    }
    strcpy(path, fixture_path("means.safetensors"));
    assert_ok(ig_language_means_write(&file, path, &err), &err);
    for (int layer = 0; layer <= DEPTH; layer++) {
        snprintf(edit, sizeof edit, "{kind: shift, layer: %d, from: en, to: fake, means: %s}",
                 layer, path);
        assert_ok(make(&made, f, edit), &err);
        assert_int_equal(made.n, 1);
        for (int k = 0; k < D; k++)
            assert_true(made.edit[0].data[k] == (float)(-3 * (layer * D + k + 1)));
        assert_ok(ig_edits_undo(&made, &f->on, &err), &err);
    }
    ig_language_means_free(&file);
    drop(f);
}

/* The states of all sentences at the last layer. */
static ig_code copy_states(void *arg, const ig_sentence_states *s, ig_err *e)
{
    uint64_t *hash = arg;
    (void)e;
    *hash = ig_hash(s->states[0], (int64_t)s->n_token * D * 4, *hash);
    return IG_ERR_OK;
}

static uint64_t bits(fixture *f)
{
    const int layer = DEPTH;
    ig_states *s;
    uint64_t hash = 1;
    const ig_states_options o = {.layer = &layer, .n_layer = 1};
    const ig_states_source file = {.path = text_path};
    assert_ok(ig_states_over(&s, &o, &f->on.parts, &err), &err);
    assert_ok(ig_states_read(s, &file, copy_states, &hash, &err), &err);
    ig_states_close(s);
    return hash;
}

static void shift(void **state)
{
    fixture *f = open_model("shift");
    ig_made_edits made;
    ig_language_means m;
    (void)state;
    const uint64_t before = bits(f);
    assert_ok(make(&made, f,
                   "{kind: shift, layer: 1, from: en, to: fake, alpha: 0, text: {en: @, fake: @}}"),
              &err);
    assert_true(bits(f) == before);
    assert_ok(ig_edits_undo(&made, &f->on, &err), &err);
    /* Halfway from both sides: the means meet, learned one after the other. */
    assert_ok(make(&made, f,
                   "[{kind: shift, layer: 1, from: en, to: fake, alpha: .5, text: {en: @, "
                   "fake: @}}]"),
              &err);
    assert_true(bits(f) != before);
    means_at(&m, f, 1);
    const double gap = m.language[1].mean[CODE] - m.language[0].mean[CODE];
    ig_language_means_free(&m);
    assert_ok(ig_edits_undo(&made, &f->on, &err), &err);
    means_at(&m, f, 1);
    assert_true(fabs(2 * gap - (m.language[1].mean[CODE] - m.language[0].mean[CODE])) < 1e-5);
    ig_language_means_free(&m);
    assert_true(bits(f) == before);
    drop(f);
}

static void project(void **state)
{
    static const char *const how[] = {"means", "discriminant", "inlp", "inlp-paper"};
    fixture *f = open_model("shift");
    (void)state;
    for (size_t h = 0; h < sizeof how / sizeof *how; h++) {
        ig_made_edits made;
        ig_state_sample s;
        ig_linear_probe p;
        char edit[200];
        int64_t n;
        double chance, right;
        snprintf(edit, sizeof edit,
                 "{kind: project, layer: 1, how: %s, text: {en: @, fake: @}, rounds: 4}", how[h]);
        for (int after = 0; after < 2; after++) {
            if (after == 1)
                assert_ok(make(&made, f, edit), &err);
            sample_at(&s, f, 1, false);
            const ig_probe_data data = {s.row, s.label, s.n, D, 2};
            assert_ok(ig_linear_probe_train(&p, &data, 77, &err), &err);
            right = ig_linear_probe_accuracy(&p, &data, &n, &chance);
            ig_linear_probe_free(&p);
            ig_state_sample_free(&s);
            if (after == 0)
                assert_true(right == 1);
            else /* four standard errors */
                assert_true(right <= chance + 4 * sqrt(chance * (1 - chance) / (double)n));
        }
        assert_ok(ig_edits_undo(&made, &f->on, &err), &err);
    }
    drop(f);
}

/* From the means of sentences or from words that are linked, at any layer. */
static void rotate_by(const char *model, const char *by, int layer)
{
    fixture *f = open_model(model);
    ig_made_edits made;
    ig_state_sample s;
    char edit[200];
    snprintf(edit, sizeof edit,
             "{kind: rotate, layer: %d, from: fake, to: en, by: %s, text: {fake: @, en: @}}", layer,
             by);
    for (int after = 0; after < 2; after++) {
        double most = 0;
        if (after == 1)
            assert_ok(make(&made, f, edit), &err);
        sample_at(&s, f, DEPTH, true);
        assert_int_equal(s.n, 2 * N_LINE);
        for (int64_t i = 0; i < s.n; i += 2)
            for (int k = 0; k < D; k++)
                most = fmax(most, fabs((double)s.row[i * D + k] - (double)s.row[(i + 1) * D + k]));
        assert_true(after == 0 ? most > .5 : most < 1e-5);
        ig_state_sample_free(&s);
    }
    assert_int_equal(made.n, 3);
    assert_ok(ig_edits_undo(&made, &f->on, &err), &err);
    drop(f);
}

static void rotate(void **state)
{
    (void)state;
    for (int layer = 0; layer <= DEPTH; layer++) {
        rotate_by("turned", "sentences", layer);
        rotate_by("turned", "words", layer);
        rotate_by("shift", "sentences", layer); /* no rotation, but another mean */
        rotate_by("shift", "words", layer);
    }
}

/* Sentences that say other things: what is learned is the best rotation of centred pairs, so that
 * the means meet and what the pairs have in common is symmetric afterwards (Schönemann 1966). */
static void best_rotation(void **state)
{
    enum { TAKE = 40 };
    fixture *f = open_model("turned");
    ig_made_edits made;
    ig_states *states;
    ig_state_sample s = {0};
    char other[256], edit[900], *text, *turned;
    double mean[2][D] = {{0}}, c[D][D] = {{0}}, most = 0;
    int64_t n;
    const int layer = 1;
    (void)state;
    strcpy(other, fixture_path("other.txt"));
    assert_ok(ig_file_read(&text, &n, text_path, 1 << 20, &err), &err);
    assert_ok(ig_alloc(&turned, n, 1, "", &err), &err);
    const int64_t half = strchr(text + n / 2, '\n') + 1 - text;
    memcpy(turned, text + half, (size_t)(n - half));
    memcpy(turned + n - half, text, (size_t)half);
    assert_ok(ig_file_write(other, turned, n, &err), &err);
    snprintf(edit, sizeof edit,
             "{kind: rotate, layer: 1, from: fake, to: en, text: {fake: %s, en: @}}", other);
    assert_ok(make(&made, f, edit), &err);
    const ig_states_source source[] = {{.name = "fake", .path = other, .language = 1, .take = 1000},
                                       {.name = "en", .path = text_path, .take = 1000}};
    const ig_states_options o = {.layer = &layer, .n_layer = 1};
    assert_ok(ig_states_over(&states, &o, &f->on.parts, &err), &err);
    assert_ok(ig_state_sample_pairs(&s, states, source, &err), &err);
    ig_states_close(states);
    assert_int_equal(s.n, 2 * TAKE);
    for (int64_t i = 0; i < s.n; i++)
        for (int k = 0; k < D; k++)
            mean[i % 2][k] += (double)s.row[i * D + k] / TAKE;
    for (int k = 0; k < D; k++)
        assert_true(fabs(mean[0][k] - mean[1][k]) < 1e-5);
    for (int64_t i = 0; i < s.n; i += 2)
        for (int a = 0; a < D; a++)
            for (int b = 0; b < D; b++)
                c[a][b] += ((double)s.row[(i + 1) * D + a] - mean[1][a]) *
                           ((double)s.row[i * D + b] - mean[0][b]);
    for (int a = 0; a < D; a++)
        for (int b = 0; b < D; b++)
            most = fmax(most, fabs(c[a][b]));
    assert_true(most > 1);
    for (int a = 0; a < D; a++)
        for (int b = 0; b < a; b++)
            assert_true(fabs(c[a][b] - c[b][a]) < 1e-4 * most);
    ig_state_sample_free(&s);
    assert_ok(ig_edits_undo(&made, &f->on, &err), &err);
    IG_FREE(text, turned);
    drop(f);
}

/* Words at one position are linked: both sentences are the same. `bare`: no token stands before a
 * text or after it, as in GPT-2 and Qwen3. */
static void check_linked(bool bare)
{
    fixture *f = open_model("shift");
    const ig_states_source source[] = {
        {.name = "en", .path = text_path, .take = 1000},
        {.name = "fake", .path = text_path, .language = 1, .take = 1000}};
    const int layer = 0;
    const ig_states_options o = {.layer = &layer, .n_layer = 1};
    ig_states *states;
    ig_state_sample s = {0};
    for (int k = 0; k < 2 && bare; k++)
        f->languages.language[k].info.cls = f->languages.language[k].info.sep = -1;
    assert_ok(ig_states_over(&states, &o, &f->on.parts, &err), &err);
    assert_ok(ig_state_sample_words(&s, states, source, &err), &err);
    assert_true(s.n > 4 * N_LINE);
    for (int64_t i = 0; i < s.n; i += 2) {
        assert_true(s.label[i] == 0 && s.label[i + 1] == 1);
        for (int k = 0; k < CODE; k++) /* the same word, but for the columns of the language */
            assert_true(fabs((double)s.row[i * D + k] - (double)s.row[(i + 1) * D + k]) < 1e-5);
    }
    ig_state_sample_free(&s);
    ig_states_close(states);
    drop(f);
}

static void linked_words(void **state)
{
    (void)state;
    check_linked(false);
    check_linked(true);
}

static void values_of(float *out, const ig_bert *m, const char *name)
{
    const ig_bert_param *p = ig_bert_param_find(m, name);
    assert_non_null(p);
    ig_bert_get_values(m, p, out);
}

/* [SEP] is drawn like a word where the paper's program does so; a pair one of whose sentences has
 * no token is left out. */
static void drawn_tokens(void **state)
{
    fixture *f = open_model("shift");
    const int layer = 0;
    const ig_states_options o = {.layer = &layer, .n_layer = 1};
    const ig_states_source text = {.name = "en", .path = text_path, .take = 1000};
    static float table[2 * N_PIECE * D];
    char blank[256];
    ig_states *states;
    (void)state;
    values_of(table, f->encoder.model, "bert.embeddings.word_embeddings.weight");
    for (int with = 0; with < 2; with++) {
        ig_state_sample s = {0};
        int n = 0;
        const ig_sample_draw how = {.sep = with == 1, .seed = 3};
        assert_ok(ig_states_over(&states, &o, &f->on.parts, &err), &err);
        assert_ok(ig_state_sample_take(&s, states, &text, 1, &how, &err), &err);
        ig_states_close(states);
        assert_int_equal(s.n, N_LINE);
        const float *sep = table + 3 * D;
        for (int64_t i = 0; i < s.n; i++) {
            double dot = 0, own = 0, row = 0; /* a state is its row of the table, normalised */
            for (int k = 0; k < D; k++) {
                dot += (double)s.row[i * D + k] * (double)sep[k];
                own += (double)sep[k] * (double)sep[k];
                row += (double)s.row[i * D + k] * (double)s.row[i * D + k];
            }
            n += dot > .999 * sqrt(own * row);
        }
        assert_true(with == 1 ? n > 2 && n < N_LINE / 2 : n == 0);
        ig_state_sample_free(&s);
    }
    strcpy(blank, fixture_path("blank.txt"));
    assert_ok(ig_file_write(blank, "a b\n\xe2\x80\x8b\nc\n", 10, &err), &err);
    const ig_states_source pair[] = {{.name = "en", .path = blank, .take = 1000},
                                     {.name = "fake", .path = blank, .language = 1, .take = 1000}};
    ig_state_sample s = {0};
    assert_ok(ig_states_over(&states, &o, &f->on.parts, &err), &err);
    assert_ok(ig_state_sample_pairs(&s, states, pair, &err), &err);
    assert_int_equal(s.n, 4);
    for (int64_t i = 0; i < s.n; i++)
        assert_int_equal(s.label[i], i % 2);
    ig_state_sample_free(&s);
    ig_states_close(states);
    drop(f);
}

static void weights(void **state)
{
    static const char query[] = "bert.encoder.layer.1.attention.self.query.weight",
                      other[] = "bert.encoder.layer.0.attention.self.query.weight",
                      words[] = "bert.embeddings.word_embeddings.weight";
    static float a[2 * N_PIECE * D], b[2 * N_PIECE * D];
    fixture *f = open_model("shift");
    ig_made_edits made;
    ig_bert *fresh;
    ig_edit_specs specs = {0};
    char edit[400];
    (void)state;
    const uint64_t before = bits(f);
    assert_ok(ig_bert_new(&fresh, ig_bert_get_config(f->encoder.model), 11, &err), &err);
    assert_ok(make(&made, f, "{kind: reinit, layer: 2, seed: 11}"), &err);
    values_of(a, f->encoder.model, query);
    values_of(b, fresh, query);
    assert_memory_equal(a, b, D * D * sizeof *a);
    values_of(a, f->encoder.model, other);
    for (int k = 0; k < D * D; k++)
        assert_true(a[k] == 0);
    assert_true(bits(f) != before);
    assert_ok(ig_edits_undo(&made, &f->on, &err), &err);
    assert_true(bits(f) == before);
    ig_bert_free(fresh);
    /* The embeddings of the other model of twins, which alone are others. */
    snprintf(edit, sizeof edit, "{kind: swap, layer: 0, model: %s}", fixture_path("turned"));
    assert_ok(ig_edit_specs_add(&specs, edit, &err), &err);
    fixture *turned = open_model("turned");
    assert_ok(ig_edits_change_weights(f->encoder.model, &specs, &made, &err), &err);
    ig_edit_specs_free(&specs);
    values_of(a, f->encoder.model, words);
    values_of(b, turned->encoder.model, words);
    assert_memory_equal(a, b, sizeof a);
    drop(turned);
    drop(f);
}

static void matrix(void **state)
{
    static float m[D * D];
    fixture *f = open_model("shift");
    ig_made_edits made;
    char edit[400], path[256];
    const ig_tensor_out t = {.name = "matrix", .data = m, .rows = D, .cols = D};
    ig_language_means plain, twice;
    (void)state;
    for (int k = 0; k < D; k++)
        m[k * D + k] = 2;
    strcpy(path, fixture_path("matrix.safetensors"));
    assert_ok(ig_safetensors_write(path, &t, 1, NULL, NULL, &err), &err);
    means_at(&plain, f, 1);
    snprintf(edit, sizeof edit, "{kind: matrix, layer: 1, matrix: %s, from: fake}", path);
    assert_ok(make(&made, f, edit), &err);
    means_at(&twice, f, 1);
    for (int k = 0; k < 2 * D; k++)
        assert_true(fabs((k / D + 1) * plain.language[k / D].mean[k % D] -
                         twice.language[k / D].mean[k % D]) < 1e-5);
    ig_language_means_free(&plain);
    ig_language_means_free(&twice);
    assert_ok(ig_edits_undo(&made, &f->on, &err), &err);
    drop(f);
}

static void refused(void **state)
{
    static const struct {
        const char *edit;
        ig_code code;
    } bad[] = {
        {"{kind: reinit, layer: 3}", IG_ERR_USAGE},
        {"{kind: centre, layer: 1}", IG_ERR_USAGE},
        {"{kind: shift, layer: 1, from: en, to: xx, text: {en: @, fake: @}}", IG_ERR_USAGE},
        {"{kind: shift, layer: 1, from: xx, to: en, text: {en: @, fake: @}}", IG_ERR_USAGE},
        {"{kind: shift, layer: 1, from: en, to: fake, means: none}", IG_ERR_IO},
        {"{kind: project, layer: 1, how: inlp, text: {en: @}}", IG_ERR_USAGE},
        {"{kind: rotate, layer: 1, from: en, to: fake, text: {en: @}}", IG_ERR_USAGE},
        {"{kind: matrix, layer: 1, matrix: none}", IG_ERR_IO},
        {"{kind: swap, layer: 1, model: none}", IG_ERR_IO},
        {"{kind: attention, layer: 1, model: none}", IG_ERR_IO},
        {"{kind: attention, layer: 3}", IG_ERR_USAGE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fixture *f = open_model("shift");
        ig_made_edits made;
        assert_int_equal(make(&made, f, bad[i].edit), bad[i].code);
        ig_made_edits_free(&made);
        drop(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(centre),        cmocka_unit_test(centre_half),
        cmocka_unit_test(means_of_file), cmocka_unit_test(shift),
        cmocka_unit_test(project),       cmocka_unit_test(rotate),
        cmocka_unit_test(best_rotation), cmocka_unit_test(drawn_tokens),
        cmocka_unit_test(linked_words),  cmocka_unit_test(weights),
        cmocka_unit_test(matrix),        cmocka_unit_test(refused)};
    void *none = NULL;
    if (fixture_setup(&none) != 0)
        return 1;
    make_twins("shift", "shift", false);
    make_twins("turned", "shift", true);
    make_text();
    strcpy(text_path, fixture_path("t.txt"));
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return fixture_teardown(&none) != 0 ? 1 : failed;
}
