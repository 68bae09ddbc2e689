/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings of a recipe, and explicit settings that override it; parts of a model by name.
 */
#include "test.h"

#include "finetune/input/finetune_config.h"
#include "train/named_parts.h"

#include <math.h>
#include <string.h>

static ig_finetune_config recipe(ig_recipe r, ig_finetune_as as, ig_task_kind kind,
                                 const char *given)
{
    ig_err err;
    ig_finetune_config c = {0};
    unsigned char who[IG_OPTION_MAX] = {0};
    assert_ok(ig_options_default(&ig_finetune_options, &c, &err), &err);
    c.recipe = (int)r;
    c.as = (int)as;
    for (int i = 0; i < ig_finetune_options.n; i++)
        if (strcmp(ig_finetune_options.row[i].name, given) == 0)
            who[i] = IG_GIVEN_LINE;
    assert_ok(ig_recipe_apply(&c, kind, who, &err), &err);
    return c;
}

static void recipes(void **state)
{
    (void)state;
    ig_finetune_config c = recipe(IG_RECIPE_XTREME, IG_FINETUNE_PAPER_CODE, IG_TASK_TAGGING, "");
    assert_true(c.batch == 8 && c.training.accum == 4 && c.training.epochs == 10 &&
                c.training.early && c.training.accum_carry);
    assert_true(c.training.accum_mean);
    assert_true(c.training.lr == 2e-5 && c.warmup == 0 && c.select == IG_SELECT_SOURCE);
    c = recipe(IG_RECIPE_XTREME, IG_FINETUNE_FIXED, IG_TASK_PAIR, "batch");
    assert_true(c.batch == 32 && c.training.accum == 4 && c.training.epochs == 2 &&
                !c.training.early && !c.training.accum_carry);
    assert_true(!c.training.accum_mean);
    c = recipe(IG_RECIPE_K2020, IG_FINETUNE_PAPER_CODE, IG_TASK_TAGGING, "");
    assert_true(c.top == IG_TOP_CRF && c.reads == IG_READ_MIX && c.frozen_dropout && c.crf_sum &&
                c.bioul);
    assert_string_equal(c.freeze, "all");
    ig_options_free(&ig_finetune_options, &c);
    c = recipe(IG_RECIPE_BERT, IG_FINETUNE_FIXED, IG_TASK_PAIR, "");
    assert_true(c.training.adam.rule == IG_ADAM_GOOGLE && c.training.adam.eps == 1e-6 &&
                c.length == 128);
    c = recipe(IG_RECIPE_CROSSLINGUAL_NLP, IG_FINETUNE_PAPER_CODE, IG_TASK_PARSING, "");
    assert_true(c.free_root && c.joint_labels && c.training.adam.beta2 == 0.99 &&
                c.training.adam.clip == 0);
}

static void parts(void **state)
{
    (void)state;
    ig_err err;
    ig_parts p;
    const ig_bert_param embeddings = {.name = "bert.embeddings.word_embeddings.weight",
                                      .language = -1},
                        layer = {.name = "bert.encoder.layer.1.output.dense.bias", .language = -1},
                        own = {.name = "language.1.bert.encoder.layer.2.output.dense.bias",
                               .language = 1},
                        pooler = {.name = "bert.pooler.dense.bias", .language = -1};
    assert_ok(
        ig_parts_parse(&p, "embeddings=.5; layers 1-2 = 0.25; head=10", true, 4, "rates", &err),
        &err);
    assert_true(ig_parts_value(&p, &embeddings) == 0.5 && ig_parts_value(&p, &layer) == 0.25);
    assert_true(ig_parts_value(&p, &pooler) == 10 && isnan(ig_parts_value(&p, &own)));
    assert_ok(ig_parts_parse(&p, "separate, layers 3", false, 4, "freeze", &err), &err);
    assert_true(ig_parts_value(&p, &own) == 1 && isnan(ig_parts_value(&p, &layer)));
    assert_false(ig_parts_encoder_frozen(&p, 4));
    assert_ok(ig_parts_parse(&p, "all", false, 4, "freeze", &err), &err);
    assert_true(ig_parts_encoder_frozen(&p, 4) && isnan(ig_parts_value(&p, &pooler)));
    static const char *const wrong[] = {"layer", "layers 0",  "layers 3-2", "layers 2-5",
                                        "all=1", "layers 1-", "head,,x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(ig_parts_parse(&p, wrong[i], false, 4, "freeze", &err), IG_ERR_USAGE);
    static const char *const bad[] = {"head", "head=", "head=x", "head=-1", "head=1 2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(ig_parts_parse(&p, bad[i], true, 4, "rates", &err), IG_ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(recipes), cmocka_unit_test(parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
