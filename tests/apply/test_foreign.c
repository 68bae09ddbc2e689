/* SPDX-License-Identifier: Apache-2.0
 *
 * Folders in the shapes of published multilingual encoders (tests/data/foreign, written by
 * tools/foreign_models.py): token ids, states and the likeliest pieces against what transformers
 * made of the same folder.
 */
#include "test.h"

#include "base/settings/json_file.h"
#include "apply/states.h"

#include <math.h>
#include <string.h>

#define DATA IG_TEST_DATA "/foreign/"

static const char sentence[] = "ein Hund l\xC3\xA4uft zum Fluss";

typedef struct {
    const json_t *expected;
    int n_layer, d;
    int n_call;
} given;

static ig_code compare(void *arg, const ig_sentence_states *s, ig_err *err)
{
    given *g = arg;
    const json_t *ids = json_object_get(g->expected, "ids"),
                 *last = json_object_get(g->expected, "last"),
                 *likeliest = json_object_get(g->expected, "likeliest");
    (void)err;
    g->n_call++;
    assert_int_equal(s->n_token, json_array_size(ids));
    for (int32_t i = 0; i < s->n_token; i++)
        assert_int_equal(s->id[i], json_integer_value(json_array_get(ids, (size_t)i)));
    for (int j = 0; j < g->d; j++) {
        double sum = 0;
        for (int32_t i = 1; i + 1 < s->n_token; i++)
            sum += (double)s->states[g->n_layer - 1][i * g->d + j];
        /* Both sides compute in float32, two layers deep, on values up to about 3. */
        const double want = json_number_value(json_array_get(last, (size_t)j));
        if (fabs(sum / (s->n_token - 2) - want) > 1e-5)
            fail_msg("column %d: %.7f, expected %.7f", j, sum / (s->n_token - 2), want);
    }
    for (int32_t i = 0; s->likeliest != NULL && i < s->n_token; i++)
        assert_int_equal(s->likeliest[i], json_integer_value(json_array_get(likeliest, (size_t)i)));
    return IG_ERR_OK;
}

static void as_transformers(void **state)
{
    static const char *const name[] = {"labse", "minilm", "xlmr", "roberta"};
    (void)state;
    json_t *expected;
    ig_err err;
    assert_ok(ig_json_read(&expected, DATA "expected.json", &err), &err);
    for (int k = 0; k < 4; k++) {
        char path[512];
        ig_states *s;
        snprintf(path, sizeof path, DATA "%s", name[k]);
        const bool masked = strcmp(name[k], "roberta") == 0;
        const ig_states_options o = {
            .model = path, .all_layers = true, .likeliest = masked, .n_thread = 2};
        assert_ok(ig_states_open(&s, &o, &err), &err);
        assert_int_equal(ig_states_encoder(s)->masked, masked);
        const ig_bert_config *c = ig_bert_get_config(ig_states_encoder(s)->model);
        assert_int_equal(c->max_position_embeddings, 40);
        assert_int_equal(c->first_position, 0);
        given g = {json_object_get(expected, name[k]), 3, 16, 0};
        ig_states_begin(s, compare, &g);
        assert_ok(ig_states_put(s, 0, sentence, (int64_t)strlen(sentence), &err), &err);
        assert_ok(ig_states_end(s, &err), &err);
        assert_int_equal(g.n_call, 1);
        ig_states_close(s);
    }
    json_decref(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_transformers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
