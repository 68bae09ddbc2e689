/* SPDX-License-Identifier: Apache-2.0
 *
 * YAML as a tree: values and lines as written, bombs and everything a settings file has no use for
 * refused in one line, any depth and size bounded.
 */
#include "test.h"
#include "fault.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings/yaml_tree.h"

#include <stdlib.h>
#include <string.h>

static char path[160], dir[128];
static ig_err err;

static ig_code read_text(ig_yaml **root, ig_yaml_pool **pool, const char *text)
{
    memset(&err, 0, sizeof err);
    write_fast(path, text, (int64_t)strlen(text));
    assert_ok(ig_yaml_pool_new(pool, &err), &err);
    return ig_yaml_read(root, *pool, path, &err);
}

static void values_and_lines(void **state)
{
    (void)state;
    ig_yaml_pool *pool;
    ig_yaml *root;
    assert_ok(read_text(&root, &pool,
                        "a: 1\nlist: [x, 'y',\n  {k: ~}]\nmap-1:\n  b: true\n  c: 2.5\nz:\n"),
              &err);
    assert_int_equal(root->n, 4);
    const ig_yaml *list = ig_yaml_get(root, "list"), *map = ig_yaml_get(root, "map_1");
    int64_t i;
    double x;
    bool flag;
    const char *text;
    assert_ok(ig_yaml_int(&i, ig_yaml_get(root, "a"), "a", 0, 5, &err), &err);
    assert_int_equal(i, 1);
    assert_int_equal(list->n, 3);
    assert_true(list->item[0]->plain && !list->item[1]->plain);
    assert_int_equal(list->item[2]->line, 3);
    assert_true(ig_yaml_is_null(ig_yaml_get(list->item[2], "k")));
    assert_int_equal(map->key[1]->line, 6);
    assert_ok(ig_yaml_flag(&flag, ig_yaml_get(map, "b"), "b", &err), &err);
    assert_ok(ig_yaml_real(&x, ig_yaml_get(map, "c"), "c", &err), &err);
    assert_true(flag && x == 2.5);
    assert_true(ig_yaml_is_null(ig_yaml_get(root, "z")));
    assert_null(ig_yaml_get(root, "nothing"));
    root->item[0]->removed = true;
    assert_null(ig_yaml_get(root, "a"));
    assert_int_equal(ig_yaml_find(root, "a"), 0);

    /* A value of another kind is an error with file and line. */
    assert_int_equal(ig_yaml_int(&i, ig_yaml_get(map, "c"), "c", 0, 5, &err), IG_ERR_USAGE);
    assert_string_equal(err.msg, "c: found '2.5', expected an integer from 0 to 5");
    assert_int_equal(err.line, 6);
    assert_string_equal(err.where, path);
    assert_int_equal(ig_yaml_flag(&flag, list, "list", &err), IG_ERR_USAGE);
    assert_string_equal(err.msg, "list: found a list, expected true or false");
    assert_int_equal(ig_yaml_text(&text, ig_yaml_get(root, "z"), "z", &err), IG_ERR_USAGE);
    assert_string_equal(err.msg, "z: found null, expected a text");
    assert_int_equal(ig_yaml_is(map, IG_YAML_LIST, "map-1", &err), IG_ERR_USAGE);
    assert_string_equal(err.msg, "map-1: found a mapping, expected a list");
    static const char *const known[] = {"lost", "map-1", "z", "a"};
    assert_int_equal(ig_yaml_keys(root, known, 4, "the file", &err), IG_ERR_USAGE);
    assert_string_equal(err.msg, "the file: unknown key 'list'");
    assert_string_equal(err.hint, "did you mean 'lost'?");
    ig_yaml_pool_free(pool);

    assert_ok(read_text(&root, &pool, "# nothing\n"), &err);
    assert_null(root);
    ig_yaml_pool_free(pool);
}

static void refused(const char *text, int line, const char *msg)
{
    ig_yaml_pool *pool;
    ig_yaml *root;
    ig_code code = read_text(&root, &pool, text);
    ig_yaml_pool_free(pool);
    if (code != IG_ERR_USAGE || strcmp(err.where, path) != 0 || (int)err.line != line ||
        strcmp(err.msg, msg) != 0)
        fail_msg("%.60s: %d, %s:%d: %s", text, (int)code, err.where, (int)err.line, err.msg);
}

static void what_settings_have_no_use_for(void **state)
{
    (void)state;
    refused("a: &x [1]\nb: *x\n", 1, "found an anchor or a tag, expected one value");
    refused("a: 1\nb: *x\n", 2, "found an alias, expected one value");
    refused("a: !!set {b: 1}\n", 1, "found an anchor or a tag, expected one value");
    refused("&a b: 1\n", 1, "found an anchor or a tag, expected one value");
    refused("[a]: 1\n", 1, "found a list, expected a key that is a text");
    refused("{a: 1}: 1\n", 1, "found a mapping, expected a key that is a text");
    refused("a: 1\n? {b: 1}\n: 2\n", 2, "found a mapping, expected a key that is a text");
    refused("a: {b: 1, c: 2,\n  b: 3}\n", 2, "b: found twice, expected once (first in line 1)");
    refused("a_b-c: 1\nd: 2\na-b_c: 3\n", 3, "a-b_c: found twice, expected once (first in line 1)");
    refused("-: 1\n_: 2\n", 2, "_: found twice, expected once (first in line 1)");
    refused("a\n", 1, "found one value, expected lines of 'key: value'");
    refused("a: 1\n...\n---\nb: 1\n", 3, "found a second document, expected one");
    refused("a:\n\t- b\n", 2,
            "not valid YAML: found character that cannot start any token (column 1)");
    assert_string_equal(err.hint, "the line begins with a tab; YAML is indented with spaces");
}

static void bombs(void **state)
{
    (void)state;
    const int n = 300000;
    char *text = malloc((size_t)n + 64);
    assert_non_null(text);
    char msg[96];

    snprintf(text, 64, "a: ");
    memset(text + 3, '[', 5000);
    text[5003] = '\0';
    snprintf(msg, sizeof msg, "more than %d levels, expected a file of settings",
             IG_YAML_MAX_DEPTH);
    refused(text, 1, msg);
    for (int i = 0; i < 2000; i++)
        memcpy(text + 3 + 4 * i, "{a: ", 5);
    refused(text, 1, msg);

    snprintf(text, 64, "a: [");
    for (int i = 0; i < (n - 10) / 2; i++)
        memcpy(text + 4 + 2 * i, "1,", 3);
    strcat(text + n - 20, "]");
    snprintf(msg, sizeof msg, "more than %d values, expected a file of settings", IG_YAML_MAX_NODE);
    refused(text, 1, msg);

    /* Each level ten times the one above it: refused at the first anchor. */
    refused("a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\n", 1,
            "found an anchor or a tag, expected one value");
    free(text);
}

/* Keys by the ten thousand in one mapping are compared in n·log n. */
static void many_keys(void **state)
{
    (void)state;
    char *text = malloc(1 << 20), *p = text;
    assert_non_null(text);
    for (int i = 0; i < 45000; i++)
        p += sprintf(p, "k%d: %d\n", i, i % 7);
    ig_yaml_pool *pool;
    ig_yaml *root;
    assert_ok(read_text(&root, &pool, text), &err);
    assert_int_equal(root->n, 45000);
    assert_string_equal(ig_yaml_get(root, "k44999")->text, "3");
    ig_yaml_pool_free(pool);
    sprintf(p, "k17: 1\n");
    refused(text, 45001, "k17: found twice, expected once (first in line 18)");
    free(text);
}

static int make(void **state)
{
    (void)state;
    fault_folder(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/a.yaml", dir);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    return ig_dir_remove(dir, &err) == IG_ERR_OK ? 0 : 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_lines),
        cmocka_unit_test(what_settings_have_no_use_for),
        cmocka_unit_test(bombs),
        cmocka_unit_test(many_keys),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
