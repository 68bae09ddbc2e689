/* SPDX-License-Identifier: Apache-2.0
 *
 * Edits as settings: what is read, what is refused and how it is told.
 */
#include "test.h"

#include "apply/edit/edit_spec.h"

#include <string.h>

static ig_err err;

static void read(void **state)
{
    ig_edit_specs s = {0};
    (void)state;
    assert_ok(ig_edit_specs_add(&s,
                                "[{layer: 8, kind: shift, from: de, to: en, alpha: .5, means: m},"
                                " {layer: 0, kind: centre, text: {en: a, de: b}, take: 2k}]",
                                &err),
              &err);
    assert_ok(ig_edit_specs_add(&s, "{kind: project, layer: 3, how: inlp, seed: 4}", &err), &err);
    assert_int_equal(s.n, 3);
    assert_int_equal(s.spec[0].kind, IG_EDIT_SPEC_SHIFT);
    assert_true(s.spec[0].layer == 8 && s.spec[0].alpha == .5);
    assert_string_equal(s.spec[0].from, "de");
    assert_string_equal(s.spec[1].text, "en=a; de=b");
    assert_true(s.spec[1].take == 2000 && s.spec[1].alpha == 1 && s.spec[1].means == NULL);
    assert_true(s.spec[2].how == IG_SUBSPACE_INLP && s.spec[2].rounds == 20 && s.spec[2].seed == 4);
    ig_edit_specs_free(&s);
}

static void below(void **state)
{
    static const char text[] = "edit:\n- {kind: swap, layer: 1, model: m}\n"
                               "- {kind: rotate, layer: 2, from: a, to: b, text: \"a=x; b=/y\"}\n";
    ig_edit_specs s = {0};
    ig_yaml_pool *pool;
    ig_yaml *root;
    (void)state;
    assert_ok(ig_yaml_pool_new(&pool, &err), &err);
    assert_ok(ig_yaml_parse(&root, pool, text, (int64_t)strlen(text), "f", &err), &err);
    assert_ok(ig_edit_specs_read(&s, ig_yaml_get(root, "edit"), "d", &err), &err);
    ig_yaml_pool_free(pool);
    assert_string_equal(s.spec[0].model, "d/m");
    assert_string_equal(s.spec[1].text, "a=d/x; b=/y");
    ig_edit_specs_free(&s);
}

static void refused(void **state)
{
    static const struct {
        const char *text, *msg;
    } bad[] = {
        {"{layer: 1}", "edit: kind is not given"},
        {"{kind: shft, layer: 1}", "kind: found 'shft', expected one of shift, centre, project, "
                                   "rotate, matrix, reinit, swap, attention, heads, neurons"},
        {"{kind: shift, from: a, to: b}", "shift: layer is not given"},
        {"{kind: shift, layer: 1, from: a}", "shift: to is not given"},
        {"{kind: swap, layer: 1, model: m, alpha: 2}", "swap: has no alpha"},
        {"{kind: attention, layer: 0}",
         "layer: found 0, expected 1 or more: embeddings do not attend"},
        {"{kind: attention, layer: 1, from: en}", "attention: has no from"},
        {"{kind: reinit, layer: -1}", "layer: found -1, expected an integer from 0 to 1000"},
        {"{kind: centre, layer: 1, alpha: 1e9}",
         "alpha: found 1000000000, expected a number from -1000000 to 1000000"},
        {"{kind: centre, layer: 1, text: a}",
         "text: found 'a', expected files with different names, NAME=FILE; …"},
        {"{kind: centre, layer: 1, text: {a: b}, means: m}",
         "means: found it beside text, expected one of them"},
        {"{kind: project, layer: 1, how: inlp, means: m}",
         "means: found it beside how, expected one of them"},
        {"{kind: heads}", "heads: expected list: \"LAYER:NUMBER, …\", or rule and count"},
        {"{kind: heads, list: 1:0, rule: random, count: 1}",
         "heads: found list beside rule, expected one of them"},
        {"{kind: neurons, rule: random}", "neurons: rule random needs a count of 1 or more"},
        {"{kind: heads, rule: lape, count: 1}",
         "heads: found rule lape, expected random: it is of neurons"},
        {"{kind: neurons, list: 1:0, layer: 1}", "neurons: rule list has no layer"},
        {"{kind: neurons, rule: random, count: 1, from: en}", "neurons: rule random has no from"},
        {"{kind: neurons, list: 1:0, fill: median}",
         "fill: found 'median', expected one of zero, mean"},
        {"[[]]", NULL},
        {"{kind: shift", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ig_edit_specs s = {0};
        assert_int_equal(ig_edit_specs_add(&s, bad[i].text, &err), IG_ERR_USAGE);
        assert_string_equal(err.where, "--edit");
        if (bad[i].msg != NULL)
            assert_string_equal(err.msg, bad[i].msg);
        assert_int_equal(s.n, 0);
        ig_edit_specs_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(read), cmocka_unit_test(below),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
