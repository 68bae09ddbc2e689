/* SPDX-License-Identifier: Apache-2.0
 *
 * A value whose arrays are made an element at a time has the same text as the whole.
 */
#include "base/settings/json_lists.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int to_file(const char *text, size_t n, void *f)
{
    return fwrite(text, 1, n, f) == n ? 0 : -1;
}

static char *text_of(const json_t *j, const ig_json_list *list, int n, bool *ok)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    *ok = ig_json_dump(j, list, n, JSON_REAL_PRECISION(12), to_file, f);
    fclose(f);
    return text;
}

/* The elements of an array that is there. */
static json_t *given(const void *of, int64_t i)
{
    return json_incref(json_array_get(of, (size_t)i));
}

static void same_text(void **state)
{
    (void)state;
    const char *source[] = {
        "[]", "[1]",
        "[{}, [], {\"a\\nb\": [1.5, \"line\\nline\\n\", {\"deep\": [[], [2]]}]}, null]"};
    for (int s = 0; s < 3; s++)
        for (int k = 0; k < 3; k++) {
            json_t *a = json_loads(source[s], 0, NULL), *b = json_loads(source[k], 0, NULL);
            json_t *x = json_array(), *y = json_array();
            const ig_json_list list[] = {{x, (int64_t)json_array_size(a), given, a},
                                         {y, (int64_t)json_array_size(b), given, b}};
            const char *form = "{s:s, s:O, s:[i, {s:O, s:{}}, []], s:f}";
            json_t *whole =
                json_pack(form, "a \"key\"", "t", "x", a, "in", 1, "y", b, "none", "r", .1);
            json_t *lists =
                json_pack(form, "a \"key\"", "t", "x", x, "in", 1, "y", y, "none", "r", .1);
            bool ok;
            char *want = json_dumps(whole, JSON_INDENT(2) | JSON_REAL_PRECISION(12)),
                 *got = text_of(lists, list, 2, &ok);
            assert_true(ok);
            assert_string_equal(got, want);
            free(got);
            /* The value itself may be a list. */
            free(want);
            want = json_dumps(a, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
            got = text_of(x, list, 2, &ok);
            assert_true(ok);
            assert_string_equal(got, want);
            free(got);
            free(want);
            json_decref(whole);
            json_decref(lists);
            json_decref(a);
            json_decref(b);
            json_decref(x);
            json_decref(y);
        }
}

static json_t *fails_at_two(const void *of, int64_t i)
{
    (void)of;
    return i < 2 ? json_integer(i) : NULL;
}

static int full(const char *text, size_t n, void *room)
{
    size_t *left = room;
    (void)text;
    if (n > *left)
        return -1;
    *left -= n;
    return 0;
}

static void failures(void **state)
{
    (void)state;
    json_t *at = json_array(), *j = json_pack("{s:O}", "x", at);
    ig_json_list list = {at, 3, fails_at_two, NULL};
    bool ok;
    free(text_of(j, &list, 1, &ok));
    assert_false(ok);
    list.n = 2;
    size_t room = 1000;
    assert_true(ig_json_dump(j, &list, 1, 0, full, &room));
    /* One byte less than the text has, and every other shorter room. */
    for (size_t n = 1000 - room; n-- > 0;) {
        size_t left = n;
        assert_false(ig_json_dump(j, &list, 1, 0, full, &left));
    }
    assert_false(ig_json_dump(NULL, NULL, 0, 0, full, &room));
    json_decref(j);
    json_decref(at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_text), cmocka_unit_test(failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
