/* SPDX-License-Identifier: Apache-2.0
 *
 * A model and its twin whose hidden dimensions are in another order, which is a rotation of the
 * states at every layer: the map learned from some sentences retrieves all of the others, where
 * equal dimensions have nothing to do with each other; a model drawn anew is not found.
 */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "diagnose/model_similarity.h"
#include "isoglot/bert.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DATA IG_TEST_DATA "/foreign/"

enum { D = 16 };
static ig_err err;

static int moved(int i)
{
    return (i * 7 + 3) % D;
}

static bool ends(const char *name, const char *with)
{
    const size_t n = strlen(name), k = strlen(with);
    return n >= k && strcmp(name + n - k, with) == 0;
}

/* What reads a state has its columns moved; what writes one its rows or values. */
static void twist(ig_bert *m, const ig_bert_param *p)
{
    const bool reads = ends(p->name, "query.weight") || ends(p->name, "key.weight") ||
                       ends(p->name, "value.weight") ||
                       ends(p->name, "intermediate.dense.weight") ||
                       ends(p->name, "embeddings.weight"),
               writes = strstr(p->name, "LayerNorm") != NULL || strstr(p->name, "output.dense");
    const size_t n = (size_t)p->rows * (size_t)p->cols;
    float *from = calloc(2 * n, sizeof *from), *to = from + n;
    assert_true(reads || writes || ends(p->name, ".bias") || !strncmp(p->name, "cls.", 4));
    ig_bert_get_values(m, p, from);
    memcpy(to, from, n * sizeof *to);
    for (int r = 0; r < p->rows; r++)
        for (int c = 0; c < p->cols; c++)
            to[(writes ? moved(r) : r) * p->cols + (reads ? moved(c) : c)] = from[r * p->cols + c];
    if (reads || writes)
        ig_bert_set_values(m, p, to);
    free(from);
}

static void make_twin(const char *dir)
{
    char name[512];
    ig_bert *m;
    assert_ok(ig_bert_load(&m, DATA "minilm", NULL, &err), &err);
    for (int i = 0; i < ig_bert_n_param(m); i++)
        twist(m, &ig_bert_params(m)[i]);
    assert_ok(ig_bert_save(m, dir, NULL, &err), &err);
    ig_bert_free(m);
    snprintf(name, sizeof name, "%s/tokenizer.json", dir);
    assert_int_equal(symlink(DATA "minilm/tokenizer.json", name), 0);
}

/* The same text in both. Of 24 sentences 16 dimensions are known whole. */
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
