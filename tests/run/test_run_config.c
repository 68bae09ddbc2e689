/* SPDX-License-Identifier: Apache-2.0
 *
 * Settings of a run: the paper's short switches become pipelines and shares, impossible
 * combinations are refused by name, the record reads back, and every key is either one that decides
 * or one that does not.
 */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "run/run_config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ig_err err;

static ig_run_config defaults(void)
{
    ig_run_config c = {0};
    assert_ok(ig_options_default(&ig_run_options, &c, &err), &err);
    return c;
}

static void set(ig_run_config *c, const char *key, const char *value)
{
    assert_ok(ig_options_set(&ig_run_options, c, &(ig_setting){key, value, "test", 0}, &err), &err);
}

/* "name=pipeline;name=pipeline" of what the settings come to. */
static void languages(ig_run_config *c, bool whole, const char *want)
{
    static char got[1 << 16];
    const ig_run_languages *l = &c->languages;
    got[0] = 0;
    assert_ok(ig_run_config_parse(c, &err), &err);
    for (int i = 0; i < l->n; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s=%s", i > 0 ? ";" : "",
                 l->language[i].name, whole ? l->whole[i] : l->language[i].pipeline);
    assert_string_equal(got, want);
}

static void switches_become_pipelines(void **state)
{
    (void)state;
    ig_run_config c = defaults();
    languages(&c, false, "en=;fake=shift");
    set(&c, "inv-order", "true");
    set(&c, "lang-pos", "true");
    set(&c, "shift-special", "true");
    languages(&c, false, "en=;fake=shift | invert | positions | specials");
    set(&c, "no-parallel", "true");
    set(&c, "languages", " a ;b= shift;  c =shift | take:5 ;");
    languages(&c, false,
              "a=half:first;b=shift | half:second | invert | positions | specials;"
              "c=shift | take:5 | half:second | invert | positions | specials");
    languages(&c, true,
              "a=;b=shift | invert | positions | specials;"
              "c=shift | take:5 | invert | positions | specials");
    const char *const bad[] = {"", " ; ", "= shift"};
    for (int i = 0; i < 3; i++) {
        set(&c, "languages", bad[i]);
        assert_int_equal(ig_run_config_parse(&c, &err), IG_ERR_USAGE);
    }
    ig_run_config_free(&c);
}

/* Notes on the paper's program: its no-random masks .9, the paper's text keeps .2. */
static void no_random_shares(void **state)
{
    (void)state;
    const struct {
        const char *value;
        double mask, random;
    } cases[] = {{"off", .8, .1}, {"fixed", .8, 0}, {"paper-text", .8, 0}, {"paper-code", .9, 0}};
    for (int i = 0; i < 4; i++) {
        ig_run_config c = defaults();
        set(&c, "no-random", cases[i].value);
        ig_batch_options b = ig_run_config_batch(&c);
        assert_true(fabs(b.mask_share - cases[i].mask) < 1e-12 &&
                    b.random_share == cases[i].random);
        ig_run_config_free(&c);
    }
}

static void refused(const char *a, const char *av, const char *b, const char *bv, const char *where)
{
    ig_run_config c = defaults();
    set(&c, a, av);
    if (b != NULL)
        set(&c, b, bv);
    if (ig_run_config_resolve(&c, &err) != IG_ERR_USAGE || strcmp(err.where, where) != 0)
        fail_msg("%s %s, %s %s: %s: %s", a, av, b, bv, err.where, err.msg);
    ig_run_config_free(&c);
}

static void impossible_combinations(void **state)
{
    (void)state;
    refused("updates", "5", "epochs", "1", "epochs");
    refused("mask-share", "0.95", NULL, NULL, "random-share");
    refused("ids", "NT", NULL, NULL, "ids");
    refused("ids", "XX", "text", "a.txt", "ids");
    refused("dev-ids", "NT,7x", NULL, NULL, "dev-ids");
    refused("dev-text", "x", NULL, NULL, "dev-text");
    refused("max-positions", "100", NULL, NULL, "max-positions");
    refused("max-positions", "200", "lang-pos", "true", "max-positions");
    refused("eval-layers", "3,3", NULL, NULL, "eval-layers");
    refused("eval-layers", "0,8", "layers", "4", "eval-layers");
    refused("world-words", "true", "vocab", "v.txt", "world-words");
    refused("heads", "3", NULL, NULL, ""); /* 64 is no multiple: told by the model's own check */
    ig_run_config c = defaults();
    assert_ok(ig_run_config_resolve(&c, &err), &err);
    assert_int_equal(c.optimisation.epochs, 100);
    ig_run_config_free(&c);
}

static void record(void **state)
{
    (void)state;
    char path[] = "/tmp/isoglot-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    bool longer;
    ig_run_config c = defaults(), back = {0};
    set(&c, "text", "a b.txt");
    set(&c, "lr", "0.0003");
    set(&c, "eval-layers", "1,4,9");
    set(&c, "no-random", "paper-code");
    assert_ok(ig_run_config_save(&c, path, &err), &err);
    assert_ok(ig_run_config_load(&back, path, &err), &err);
    assert_ok(ig_run_config_check(path, &back, "x", &longer, &err), &err);
    assert_true(back.optimisation.lr == c.optimisation.lr);
    assert_int_equal(back.measuring.eval_layers.v[2], 9);
    set(&back, "threads", "7");
    set(&back, "log-every", "3");
    assert_ok(ig_run_config_check(path, &back, "x", &longer, &err), &err); /* these do not decide */
    set(&back, "no-random", "off");
    assert_int_equal(ig_run_config_check(path, &back, "x", &longer, &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "no-random is \"paper-code\" there, \"off\" here"));
    ig_run_config_free(&back);
    ig_run_config_free(&c);

    const char *const damaged[] = {"",
                                   "{}",
                                   "{\"isoglot_run\": 2, \"config\": {}}",
                                   "{\"isoglot_run\": 1, \"config\": {\"lrr\": 1}}",
                                   "{\"isoglot_run\": 1, \"config\": {\"lr\": \"x\"}}",
                                   "{\"isoglot_run\": 1, \"config\": {}, \"config\": {}}"};
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        ig_run_config d = {0};
        assert_ok(ig_file_write(path, damaged[i], (int64_t)strlen(damaged[i]), &err), &err);
        ig_code code = ig_run_config_load(&d, path, &err);
        if (code != IG_ERR_INPUT && code != IG_ERR_USAGE)
            fail_msg("%s was read", damaged[i]);
    }
    unlink(path);
}

/* A new option must be put on one side or the other; these are the ones that do not decide. */
static void what_decides(void **state)
{
    (void)state;
    int n = 0;
    for (int i = 0; i < ig_run_options.n; i++)
        n += ig_run_option_decides(i);
    assert_int_equal(n, ig_run_options.n - 19);
    for (int i = 0; i < ig_run_options.n; i++) {
        const char *name = ig_run_options.row[i].name;
        if (strcmp(name, "seed") == 0 || strcmp(name, "text") == 0 || strcmp(name, "lr") == 0)
            assert_true(ig_run_option_decides(i));
        if (strcmp(name, "threads") == 0 || strcmp(name, "out") == 0)
            assert_false(ig_run_option_decides(i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_become_pipelines),
        cmocka_unit_test(no_random_shares),
        cmocka_unit_test(impossible_combinations),
        cmocka_unit_test(record),
        cmocka_unit_test(what_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
