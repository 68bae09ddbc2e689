/* SPDX-License-Identifier: Apache-2.0
 *
 * A model and its twin whose hidden dimensions are in another order, which is a rotation of the
 * states at every layer: the map learned from some sentences retrieves all of the others, where
 * equal dimensions have nothing to do with each other; a model drawn anew is not found.
 */
#include "twist_fixture.h"

#include "base/file.h"
#include "base/memory.h"
#include "evaluate/model_similarity.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DATA IG_TEST_DATA "/foreign/"

static ig_err err;

static void make_twin(const char *dir)
{
    char name[512];
    ig_bert *m;
    assert_ok(ig_bert_load(&m, DATA "minilm", NULL, &err), &err);
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *p = &ig_bert_params(m)[i];
        const size_t n = (size_t)p->rows * (size_t)p->cols;
        float *from = calloc(2 * n, sizeof *from);
        assert_non_null(from);
        ig_bert_get_values(m, p, from);
        twist(from + n, from, p);
        ig_bert_set_values(m, p, from + n);
        free(from);
    }
    assert_ok(ig_bert_save(m, dir, NULL, &err), &err);
    ig_bert_free(m);
    snprintf(name, sizeof name, "%s/tokenizer.json", dir);
    assert_int_equal(symlink(DATA "minilm/tokenizer.json", name), 0);
}

/* Both models read the same text. 24 sentences determine 16 dimensions. */
static void finds_the_twin(void **state)
{
    (void)state;
    char *dir;
    ig_comparisons found;
    const ig_named_text judge = {"en", DATA "de.txt"}, learn = {"en", DATA "en.txt"};
    assert_ok(ig_dir_temporary(&dir, "isoglot-test", &err), &err);
    make_twin(dir);
    const ig_compare_options o = {.states = {.model = DATA "minilm", .n_thread = 2},
                                  .other = dir,
                                  .texts = {.text = &judge, .n_text = 1},
                                  .learn = {.text = &learn, .n_text = 1},
                                  .random = true};
    assert_ok(ig_compare(&found, &o, &err), &err);
    const ig_comparison *c = &found.of[0];
    assert_int_equal(c->n_number, IG_COMPARED_N);
    for (int l = 0; l < c->n_layer[0]; l++) {
        for (int m = IG_COMPARED_MAP; m < IG_COMPARED_N; m++) /* sentences, words, contexts */
            assert_true(ig_compared(c, c->value, l, l, m) == 1);
        assert_true(ig_compared(c, c->value, l, l, IG_SIMILARITY_ORDER) < .5);
        assert_true(ig_compared(c, c->random, l, l, IG_COMPARED_MAP) < .9);
    }
    ig_comparisons_free(&found);
    assert_ok(ig_dir_remove(dir, &err), &err);
    ig_free(dir);
}

static void refuses(void **state)
{
    (void)state;
    ig_comparisons found;
    const ig_named_text text[] = {{"en", DATA "en.txt"}, {"de", DATA "de.txt"}};
    ig_compare_options o = {.states = {.model = DATA "minilm", .n_thread = 1},
                            .texts = {.text = text, .n_text = 2},
                            .learn = {.text = text, .n_text = 1}};
    assert_int_equal(ig_compare(&found, &o, &err), IG_ERR_USAGE);
    ig_comparisons_free(&found);
    o.learn = (ig_texts_options){.text = (const ig_named_text[]){text[1], text[0]}, .n_text = 2};
    assert_int_equal(ig_compare(&found, &o, &err), IG_ERR_USAGE);
    ig_comparisons_free(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_the_twin), cmocka_unit_test(refuses)};
    return exit_status(cmocka_run_group_tests(tests, NULL, NULL));
}
