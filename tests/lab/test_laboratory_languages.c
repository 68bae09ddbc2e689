/* SPDX-License-Identifier: Apache-2.0
 *
 * The findings of K et al. 2020, on a generated world in seconds: without a common string two
 * languages become one in the model, for any reason that strings differ (Table 1); without the
 * order of words they hardly do (Table 2), and from the frequencies of words alone not at all
 * (Table 3).
 */
#include "lab_fixture.h"

static const char text[] =
    "base: {preset: bert-tiny, world: demo, world_words: true, world_sentences: 2000,\n"
    "       dev_take: 200, batch: 64, updates: 200, mask_prob: 0.3, lr: 2e-3}\n"
    "cells:\n"
    "  letters: {languages: 'en; fake = codepoints | tokenize'}\n"
    "  permuted: {languages: 'en; fake = codepoints | permute:1 | tokenize'}\n"
    "  frequency: {languages: 'en; fake = codepoints | unigram | tokenize'}\n"
    "seeds: 2\n"
    "measure: {what: [retrieval, translation, perplexity], checkpoints: end}\n";

static double value(const ig_store_result *all, const ig_store_entry *x, const char *task)
{
    for (int64_t k = 0; k < x->n_metric; k++) {
        const ig_row *m = &all->metric[x->first_metric + k];
        if (strcmp(m->task, task) == 0 && strcmp(m->split, "dev") == 0 &&
            (strcmp(task, "perplexity") != 0 || m->languages[0] == '\0'))
            return m->value;
    }
    fail_msg("%s:%lld has no %s", x->cell.cell, (long long)x->cell.seed, task);
    return 0;
}

static void order_matters_strings_do_not(void **state)
{
    (void)state;
    ig_experiment e = read_experiment(text);
    ig_store_result all;
    run_and_read(&all, &e, 6);
    for (int64_t i = 0; i < all.n_entry; i++) {
        const ig_store_entry *x = &all.entry[i];
        const double mu = value(&all, x, "mu"), ppl = value(&all, x, "perplexity");
        print_message("%s:%lld  mu %.3f, perplexity %.1f\n", x->cell.cell, (long long)x->cell.seed,
                      mu, ppl);
        assert_true(strcmp(x->cell.cell, "letters") == 0 ? mu > 0.15 && ppl < 60 : mu < 0.1);
    }
    ig_store_result_free(&all);
    ig_experiment_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(order_matters_strings_do_not)};
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
