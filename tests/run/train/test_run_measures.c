/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures at checkpoints while a training goes on: which ones, that a killed and resumed run has
 * each of them once and the same bytes, and that they are what an evaluation of the kept model
 * says. And what a folder allows: another path to the same text, a corrected command.
 */
#include "root_fixture.h"
#include "measured_fixture.h"

#include "base/file.h"
#include "base/memory.h"
#include "evaluate/evaluate.h"
#include "apply/folder/run_dir.h"
#include "run/train/run_measures.h"
#include "run/train/run_train.h"

#include <time.h>

static ig_run_config settings(const char *name)
{
    ig_run_config c = {0};
    assert_ok(ig_options_default(&ig_run_options, &c, &err), &err);
    c.out = strdup(in_root(name));
    c.data.world_sentences = 60;
    c.data.dev_take = 20;
    c.tokens.vocab_size = 200;
    c.model.preset = IG_PRESET_TINY;
    c.optimisation.updates = 14;
    c.objective.batching.batch = 16;
    c.optimisation.warmup = 3;
    c.objective.block = 48;
    c.threads = 1;
    c.save_every = 3;
    c.save_log_spaced = true;
    assert_ok(ig_run_config_resolve(&c, &err), &err);
    return c;
}

static const ig_measure_plan plan = {.what = IG_MEASURE_BIT(alignment) | IG_MEASURE_BIT(retrieval) |
                                             IG_MEASURE_BIT(translation) |
                                             IG_MEASURE_BIT(perplexity),
                                     .all_layers = true,
                                     .at.kind = IG_CHECKPOINTS_LOG,
                                     .curve_max_sentences = 10};

static volatile sig_atomic_t stop;

/* Asks to stop when an update was made: before what it owes is measured. */
static void stop_after_update(void *arg, const ig_run_result *so_far)
{
    int64_t *from = arg;
    *from = *from < 0 ? so_far->update : *from;
    stop = so_far->update > *from;
}

static ig_code train(const ig_run_config *c, bool one_update)
{
    int64_t from = -1;
    const ig_run_with with = {
        .plan = &plan, .lock = -1, .update = one_update ? stop_after_update : NULL, .arg = &from};
    ig_run_result *r;
    assert_ok(ig_alloc(&r, 1, sizeof *r, "result", &err), &err);
    ig_code code = ig_run_train_with(c, &with, one_update ? &stop : NULL, r, &err);
    ig_run_result_free(r);
    ig_free(r);
    return code;
}

static const char *reference(void)
{
    static bool made;
    if (!made) {
        ig_run_config c = settings("reference");
        assert_ok(train(&c, false), &err);
        ig_run_config_free(&c);
        made = true;
    }
    return "reference";
}

static void same_file(const char *a, const char *b, const char *name)
{
    char x[400], y[400], *p, *q;
    int64_t n, m;
    snprintf(x, sizeof x, "%s/%s", in_root(a), name);
    snprintf(y, sizeof y, "%s/%s", in_root(b), name);
    assert_ok(ig_file_read(&p, &n, x, 1 << 28, &err), &err);
    assert_ok(ig_file_read(&q, &m, y, 1 << 28, &err), &err);
    if (n != m || memcmp(p, q, (size_t)n) != 0)
        fail_msg("%s and %s differ", x, y);
    ig_free(p);
    ig_free(q);
}

static void each_checkpoint_once(void **state)
{
    (void)state;
    static const int64_t want[] = {0, 1, 2, 5, 10, 14};
    ig_run_measures m;
    assert_ok(ig_run_measures_read(&m, in_root(reference()), false, &err), &err);
    assert_int_equal(m.n, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(m.at[i].step, want[i]);
        assert_int_equal(m.at[i].last, i == 5);
        for (int l = -1; l <= 3; l++)
            assert_true(isfinite(in_rows(&m.rows, want[i], "rho", "dev", "en-fake", l)) ==
                        (l >= 0 && l < 3));

        /* isoglot eval measures the same of the model that was kept. */
        const int64_t layers[] = {0, 1, 2};
        ig_evaluate_options o = {.n_layer = 3,
                                 .layer = layers,
                                 .step = want[i],
                                 .text_take = -1,
                                 .translation = -1,
                                 .perplexity = -1,
                                 .max_sentence = i == 5 ? 0 : 10,
                                 .n_thread = 1};
        ig_evaluation *ev;
        assert_ok(ig_alloc(&ev, 1, sizeof *ev, "evaluation", &err), &err);
        assert_ok(ig_evaluate(ev, in_root("reference"), &o, &err), &err);
        assert_true(in_rows(&m.rows, want[i], "mu", "dev", "en-fake", -1) ==
                    ig_measure_value(&ev->measure, "mu", -1));
        assert_true(in_rows(&m.rows, want[i], "perplexity", "dev", "", -1) ==
                    ig_measure_perplexity(&ev->measure, "dev"));
        ig_evaluation_free(ev);
        ig_free(ev);
    }
    assert_int_equal(ig_checkpoints_count(&plan.at, 14), 6);
    assert_int_equal(ig_checkpoints_count(&plan.at, 10), 5);
    ig_run_measures_free(&m);
}

/* Every pair of three languages, as an evaluation of that pair says, words in the training text too
 * where they are asked, from the first language; and pairs that are named. */
static void pairs_of_languages(void **state)
{
    (void)state;
    static const char *const name[] = {"en-a", "en-b", "a-b"};
    static const char *const pair[] = {"0,1", "en,b", "a,2"};
    ig_run_config c = settings("pairs");
    ig_free(c.languages.spec);
    c.languages.spec = strdup("en; a = shift; b = shift | invert");
    assert_ok(ig_run_config_parse(&c, &err), &err);
    ig_measure_plan p = plan;
    p.all_layers = false;
    p.all_pairs = true;
    p.what |= IG_MEASURE_BIT(words);
    p.at.kind = IG_CHECKPOINTS_END;
    const ig_run_with with = {.plan = &p, .lock = -1};
    ig_run_result *r;
    assert_ok(ig_alloc(&r, 1, sizeof *r, "result", &err), &err);
    assert_ok(ig_run_train_with(&c, &with, NULL, r, &err), &err);
    ig_run_measures m;
    assert_ok(ig_run_measures_read(&m, in_root("pairs"), false, &err), &err);
    for (int i = 0; i < 3; i++) {
        ig_evaluate_options o = {.pair = pair[i],
                                 .step = -1,
                                 .text_take = -1,
                                 .translation = -1,
                                 .perplexity = -1,
                                 .also = IG_MEASURE_BIT(words),
                                 .n_thread = 1};
        ig_evaluation *ev;
        assert_ok(ig_alloc(&ev, 1, sizeof *ev, "evaluation", &err), &err);
        if (i == 2) {
            assert_int_equal(ig_evaluate(ev, in_root("pairs"), &o, &err), IG_ERR_USAGE);
            ig_evaluation_free(ev);
            o.also = 0;
        }
        assert_ok(ig_evaluate(ev, in_root("pairs"), &o, &err), &err);
        static const char *const numbers[] = {"rho", "f1", "tau_at_5"};
        for (int k = 0; k < 3; k++)
            assert_true(in_rows(&m.rows, -1, numbers[k], "dev", name[i], 0) ==
                        ig_measure_value(&ev->measure, numbers[k], 0));
        assert_true(in_rows(&m.rows, -1, "mu", "dev", name[i], -1) ==
                    ig_measure_value(&ev->measure, "mu", -1));
        assert_int_equal(n_of(&r->measure, "mu", "dev", name[i], -1), 20);
        for (const ig_store_task *t = ig_numbers_words; t->name != NULL; t++) {
            const double a = in_rows(&m.rows, -1, t->name, "dev", name[i], 0),
                         b = ig_measure_value(&ev->measure, t->name, 0);
            assert_true(i < 2 ? a == b || (isnan(a) && isnan(b)) : isnan(a) && isnan(b));
        }
        if (i < 2)
            assert_true(n_of(&r->measure, "mrr", "dev", name[i], 0) > 20);
        ig_evaluation_free(ev);
        ig_free(ev);
    }
    ig_run_measures_free(&m);
    ig_run_result_free(r);

    p.all_pairs = false;
    p.n_pair = 2;
    strcpy(p.pair[0], "en-a"); /* is taken anyway */
    strcpy(p.pair[1], "a-b");
    assert_ok(ig_run_train_with(&c, &with, NULL, r, &err), &err);
    for (int i = 0; i < 3; i++)
        assert_true(n_of(&r->measure, "mu", "dev", name[i], -1) == (i == 1 ? 0 : 20));
    ig_run_result_free(r);
    strcpy(p.pair[1], "b-a");
    assert_int_equal(ig_run_train_with(&c, &with, NULL, r, &err), IG_ERR_USAGE);
    assert_string_equal(err.msg, "no pair of languages 'b-a'");
    ig_run_result_free(r);
    ig_free(r);
    ig_run_config_free(&c);
}

static void other_plans(void **state)
{
    (void)state;
    ig_measure_plan p = {.at = {.kind = IG_CHECKPOINTS_EVERY, .every = 5}};
    assert_true(ig_checkpoints_due(&p.at, 0) && ig_checkpoints_due(&p.at, 10));
    assert_false(ig_checkpoints_due(&p.at, 9));
    assert_int_equal(ig_checkpoints_count(&p.at, 10), 3); /* 0, 5 and the last */
    assert_int_equal(ig_checkpoints_count(&p.at, 11), 4);
    p = (ig_measure_plan){.at = {.kind = IG_CHECKPOINTS_LIST, .step = {3, {2, 7, 50}}}};
    assert_true(ig_checkpoints_due(&p.at, 7) && !ig_checkpoints_due(&p.at, 8));
    assert_int_equal(ig_checkpoints_count(&p.at, 20), 3);
    p = (ig_measure_plan){.layers = {2, {0, 3}}};
    ig_measure_options o = {0};
    assert_ok(ig_measure_plan_options(&o, &p, 3, true, &err), &err);
    assert_int_equal(o.n_layer, 3); /* 0 and 2 are the pair of μ */
    assert_int_equal(o.layer[1], 2);
    assert_int_equal(o.layer[2], 3);
    assert_false(ig_measure_requested(o.what, IG_MEASURE_perplexity) ||
                 ig_measure_requested(o.what, IG_MEASURE_alignment));
    assert_int_equal(ig_measure_plan_options(&o, &p, 2, true, &err), IG_ERR_USAGE);
}

/* Stopped after every update, so that each checkpoint is resumed from; and killed anywhere. */
static void stopped_and_killed(void **state)
{
    (void)state;
    ig_run_config c = settings("stopped");
    reference();
    for (int i = 1; i < 14; i++)
        assert_int_equal(train(&c, true), IG_ERR_STOPPED);
    assert_int_equal(train(&c, true), IG_ERR_STOPPED); /* the last update, not measured */
    assert_ok(train(&c, true), &err);
    same_file("reference", "stopped", "measures.jsonl");
    ig_run_config_free(&c);

    c = settings("killed");
    int status = -1, kills = 0;
    for (long wait = 4000; wait < 900000; wait += wait / 3) {
        const struct timespec t = {0, wait * 1000};
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit((int)train(&c, false));
        nanosleep(&t, NULL);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        if (WIFEXITED(status))
            break;
        kills++;
    }
    assert_ok(train(&c, false), &err);
    assert_true(kills >= 3);
    same_file("reference", "killed", "measures.jsonl");
    same_file("reference", "killed", "model/model.safetensors");
    ig_run_config_free(&c);
}

/* A line that a kill cut in the middle goes; one that is not a line of measures is told. */
static void damaged_lines(void **state)
{
    (void)state;
    ig_run_config c = settings("damaged");
    assert_int_equal(train(&c, true), IG_ERR_STOPPED);
    FILE *f = fopen(in_root("damaged/measures.jsonl"), "ab");
    assert_non_null(f);
    fputs("{\"step\": 2, \"la", f);
    fclose(f);
    assert_int_equal(train(&c, true), IG_ERR_STOPPED);
    f = fopen(in_root("damaged/measures.jsonl"), "ab");
    fputs("[3]\n", f);
    fclose(f);
    assert_int_equal(train(&c, false), IG_ERR_INPUT);
    assert_non_null(strstr(err.where, "measures.jsonl"));
    assert_true(err.line > 3); /* after updates 0 and 1; what 2 owed was not measured */
    ig_run_config_free(&c);
}

static const char text[] = "a b c d e f\ng h a b\nc d e a\nb c f g\n";

/* A text is its bytes: another path to them is the same run, other bytes behind another path not.
 */
static void another_path(void **state)
{
    (void)state;
    ig_run_config c = settings("paths");
    assert_ok(ig_file_write(in_root("text.txt"), text, sizeof text - 1, &err), &err);
    assert_ok(ig_file_write(in_root("copy.txt"), text, sizeof text - 1, &err), &err);
    assert_ok(ig_file_write(in_root("other.txt"), text, sizeof text - 3, &err), &err);
    c.data.text = strdup(in_root("text.txt"));
    c.optimisation.updates = 2;
    c.tokens.vocab_size = 30;
    assert_ok(train(&c, false), &err);
    free(c.data.text);
    c.data.text = strdup(in_root("copy.txt"));
    assert_ok(train(&c, false), &err);
    free(c.data.text);
    c.data.text = strdup(in_root("other.txt"));
    assert_int_equal(train(&c, false), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "another run: text is"));
    ig_run_config_free(&c);
}

/* Killed while it prepares its data, a run has nothing to keep: other settings may have the folder.
 * One that has made an update keeps it. */
static void corrected_command(void **state)
{
    (void)state;
    ig_run_config c = settings("corrected");
    assert_ok(ig_dir_make(in_root("corrected/data"), &err), &err);
    assert_ok(ig_run_config_save(&c, in_root("corrected/run.json"), &err), &err);
    assert_ok(ig_file_write(in_root("corrected/data/vocab.txt"), "x\n", 2, &err), &err);
    c.tokens.vocab_size = 150;
    assert_int_equal(train(&c, true), IG_ERR_STOPPED);
    c.tokens.vocab_size = 160;
    assert_int_equal(train(&c, true), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "vocab-size is 150 there, 160 here"));
    ig_run_config_free(&c);
}

/* Data behind a link are shared: neither cleaning nor taking back a run touches them. */
static void shared_data(void **state)
{
    (void)state;
    assert_ok(ig_dir_make(in_root("shared"), &err), &err);
    assert_ok(ig_dir_make(in_root("linked"), &err), &err);
    assert_ok(ig_file_write(in_root("shared/vocab.txt.tmp-1"), "x", 1, &err), &err);
    assert_int_equal(symlink("../shared", in_root("linked/data")), 0);
    assert_ok(ig_run_dir_clean(in_root("linked"), &err), &err);
    assert_true(ig_file_exists(in_root("shared/vocab.txt.tmp-1")));
    ig_run_dir_abandon(in_root("linked"), true);
    assert_false(ig_file_exists(in_root("linked")));
    assert_true(ig_file_exists(in_root("shared/vocab.txt.tmp-1")));
}

/* The finished model takes the place of one that was measured before a kill; what is cut at its
 * update keeps it. */
static void the_finished_model_once(void **state)
{
    (void)state;
    const char *dir = in_root("finished");
    ig_row one = {.task = "rho",
                  .split = "dev",
                  .languages = "en-fake",
                  .task_version = 1,
                  .n = 10,
                  .value = .5};
    const ig_row_set rows = {.row = &one, .n = 1};
    ig_run_measures m;
    assert_ok(ig_dir_make(dir, &err), &err);
    assert_ok(ig_run_measures_add(dir, &(ig_run_measured){5, &rows, json_object()}, &err), &err);
    for (int i = 0; i < 2; i++) {
        assert_ok(
            ig_run_measures_finish(dir, &(ig_run_measured){9, &rows, json_object()}, false, &err),
            &err);
        assert_ok(ig_run_measures_cut(dir, 9, &err), &err);
        assert_ok(ig_run_measures_read(&m, dir, false, &err), &err);
        assert_int_equal(m.rows.n, 2);
        assert_true(m.n == 2 && !m.at[0].last && m.at[1].last);
        ig_run_measures_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_checkpoint_once),
        cmocka_unit_test(pairs_of_languages),
        cmocka_unit_test(other_plans),
        cmocka_unit_test(stopped_and_killed),
        cmocka_unit_test(damaged_lines),
        cmocka_unit_test(another_path),
        cmocka_unit_test(corrected_command),
        cmocka_unit_test(shared_data),
        cmocka_unit_test(the_finished_model_once),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
