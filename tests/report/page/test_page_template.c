/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of page.html filled from data: what is there and what is not, lists, keys of what is around
 * an entry, text that is never markup, bytes that are no text.
 */
#include "test.h"

#include "report/page/page_template.h"

#include <stdlib.h>
#include <string.h>

/* Takes the data. */
static void want(const char *part, json_t *data, const char *expected)
{
    char *s;
    size_t n;
    FILE *fp = open_memstream(&s, &n);
    assert_non_null(fp);
    assert_non_null(data);
    ig_template_put(fp, part, data);
    fclose(fp);
    assert_string_equal(s, expected);
    free(s);
    json_decref(data);
}

static void texts(void **state)
{
    (void)state;
    want("heading", ig_page_texts("name", "n", "title", "<b> & \"t\"", NULL),
         "&lt;b&gt; &amp; &quot;t&quot;");
    want("heading", ig_page_texts("name", "n", "title", NULL, NULL), "n");
    want("heading", ig_page_texts("name", "n", "title", "", NULL), "n");
    want("heading", ig_page_texts("name", "n", NULL), "n");
    want("heading", ig_page_texts("title", "a\xff\x01z", NULL), "a\357\277\275\357\277\275z");
    want("heading", json_pack("{s:i}", "title", 0), "0"); /* any number is there */
    want("heading", json_pack("{s:b, s:s}", "title", 0, "name", "n"), "n");
}

static void lists(void **state)
{
    (void)state;
    json_t *facts = json_object();
    want("facts", json_pack("{s:[]}", "facts"), "");
    ig_page_fact(facts, "a<", ig_page_text("1"));
    ig_page_fact(facts, "b", ig_page_text(NULL));
    want("facts", facts,
         "<dl class=\"facts\">\n<div><dt>a&lt;</dt><dd>1</dd></div>\n"
         "<div><dt>b</dt><dd></dd></div>\n</dl>");
    json_t *longer = ig_page_text("a");
    ig_page_append(longer, ", b");
    assert_string_equal(json_string_value(longer), "a, b");
    json_decref(longer);
}

/* Markup stays as it is; so do parts of names and marks that are alone in their line. A key that an
 * entry sets itself is not read from what is around it. */
static void tables(void **state)
{
    (void)state;
    json_t *t = ig_page_texts("id", "table-", "name", "a b", "title", "T", "caption", NULL, "html",
                              "<table/>", "switches", NULL, NULL);
    json_object_set_new(t, "notes", json_pack("[s, s]", "one", "<two>"));
    want("table", t,
         "<section class=\"result\" id=\"table-a_20b\">\n<h2>T</h2>\n"
         "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"T\">\n"
         "<table/></div>\n<ul class=\"notes\">\n<li>one</li>\n<li>&lt;two&gt;</li>\n</ul>\n"
         "</section>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts), cmocka_unit_test(lists),
                                       cmocka_unit_test(tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
