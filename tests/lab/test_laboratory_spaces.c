/* SPDX-License-Identifier: Apache-2.0
 *
 * The findings of Conneau et al. 2020 about models that share nothing (section 5), on a generated
 * world in seconds: two monolingual models differ by little more than a rotation, so CKA is high
 * and a map finds sentences where without one there are none; two models of one language are more
 * alike than of two that are far apart; and the languages of one shared model are more alike than
 * either. Maps find words by their rows, their averages and in context.
 */
#include "lab_fixture.h"

static const char text[] =
    "base: {preset: bert-tiny, world: demo, world_words: true, world_sentences: 2000,\n"
    "       dev_take: 200, batch: 64, updates: 200, mask_prob: 0.3, lr: 2e-3, separate: all,\n"
    "       languages: 'en; en2 = shift'}\n"
    "cells:\n"
    "  same: {}\n"
    "  far: {languages: 'en; far(vocab=own) = drop:function | cipher | tokenize'}\n"
    "  shared: {separate: null}\n"
    "  untrained: {updates: 2}\n"
    "seeds: 2\n"
    "measure: {what: [retrieval, translation, spaces, maps], layers: all, checkpoints: end}\n";

typedef struct {
    double cka, rho, mapped;
    double row, word, context; /* row: at layer 0 */
} alike;

static alike of(const ig_store_result *all, const char *cell, int seed, int layer)
{
    alike a = {-1, -1, -1, -1, -1, -1};
    for (int64_t i = 0; i < all->n_entry; i++) {
        const ig_store_entry *x = &all->entry[i];
        if (strcmp(x->cell.cell, cell) != 0 || x->cell.seed != seed)
            continue;
        for (int64_t k = 0; k < x->n_metric; k++) {
            const ig_row *m = &all->metric[x->first_metric + k];
            if (m->layer != layer || strcmp(m->split, "dev") != 0)
                continue;
            if (strcmp(m->task, "cka") == 0)
                a.cka = m->value;
            else if (strcmp(m->task, "rho") == 0)
                a.rho = m->value;
            else if (strcmp(m->task, "rho_mapped") == 0)
                a.mapped = m->value;
            else if (strcmp(m->task, "map_row_csls") == 0)
                a.row = m->value;
            else if (strcmp(m->task, "map_word_csls") == 0)
                a.word = m->value;
            else if (strcmp(m->task, "map_context_csls") == 0)
                a.context = m->value;
        }
    }
    print_message("%s:%d layer %d  cka %.3f  rho %.3f, mapped %.3f  row %.3f word %.3f context "
                  "%.3f\n",
                  cell, seed, layer, a.cka, a.rho, a.mapped, a.row, a.word, a.context);
    assert_true(a.cka >= 0 && a.rho >= 0 && a.mapped >= 0);
    assert_true(a.word >= 0 && a.context >= 0 && (a.row >= 0) == (layer == 0));
    return a;
}

/* Ranges over six seeds and all layers beside the limits. */
static void check(const ig_store_result *all, int seed, int layer)
{
    const alike same = of(all, "same", seed, layer), far = of(all, "far", seed, layer),
                shared = of(all, "shared", seed, layer),
                untrained = of(all, "untrained", seed, layer);
    assert_true(same.cka > 0.87);                                /* .91 to .97 */
    assert_true(same.rho < 0.05 && same.mapped > 0.3);           /* to .02; .39 to .67 */
    assert_true(far.cka < same.cka && far.rho < 0.05);           /* .76 to .88; to .01 */
    assert_true(far.mapped < same.mapped);                       /* .18 to .33 */
    assert_true(shared.cka > same.cka);                          /* .98 to .99 */
    assert_true(shared.rho > 0.2 && shared.mapped > far.mapped); /* .29 to .48; .60 to .74 */
    assert_true(untrained.cka < far.cka);                        /* .61 to .74 */
    assert_true(same.word > 0.25 && far.word > untrained.word);  /* .33 to .58; .19 to .33 */
    assert_true(untrained.word < 0.18);                          /* .05 to .14 */
    assert_true(same.context > 0.45 && far.context < 0.5);       /* .51 to .61; .31 to .45 */
    assert_true(shared.context > 0.5 && shared.context > untrained.context); /* .58; to .46 */
    if (layer == 0)
        assert_true(same.row > 0.08 && far.row > 0.08 && untrained.row < 0.06); /* .13, .11; .04 */
}

static void models_apart_are_alike(void **state)
{
    (void)state;
    ig_experiment e = read_experiment(text);
    ig_store_result all;
    run_and_read(&all, &e, 8);
    for (int seed = 0; seed < 2; seed++)
        for (int layer = 0; layer < 3; layer++)
            check(&all, seed, layer);
    ig_store_result_free(&all);
    ig_experiment_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_apart_are_alike)};
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
