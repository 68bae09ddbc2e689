/* SPDX-License-Identifier: Apache-2.0
 *
 * Dumps of MediaWiki: what is running text and what is not, pages that are no articles, and files
 * that would do harm. The excerpt of the English Wikipedia, where it is there, has the articles
 * that its XML has.
 */
#include "corpus_fixture.h"

#include "base/file.h"

#include "base/memory.h"
#include "corpus/read/text_source.h"
#include "corpus/read/format/wikitext.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void plain(const char *markup, const char *want)
{
    char *text = strdup(markup);
    const int64_t n = ig_wikitext_plain(text, (int64_t)strlen(text));
    text[n] = '\0';
    assert_string_equal(text, want);
    free(text);
}

static void markup_becomes_text(void **state)
{
    (void)state;
    plain("The '''cat''' is ''here''.", "The cat is here.");
    plain("a [[b]] [[c|d]] [[e|f [[g|h]] i]] j", "a b d f h i j");
    plain("[[File:x.jpg|thumb|a [[b|c]] d]]Text [[Category:X]] [[fr:Texte]] [[:Category:Y]]",
          "Text Category:Y");
    plain("{{a|{{b}}|c={{{1|}}}}}one {{two}}three", "one three");
    plain("{{x|a=|}}kept", "kept");
    plain("{|\n| a\n|-\n| {{t|\n}}\n|}\nbehind", "behind");
    plain("a<ref>b</ref> c<ref name=x /> d<!-- e --> f<br/>g <b>h</b> 1 < 2", "a c d f g h 1 < 2");
    plain("<ref>never closed", "never closed");
    plain("[http://x.y z w] [http://x.y] [not a link]", "z w [not a link]");
    plain("== Heading ==\n* one\n:# two\n\n__NOTOC__\n| cell\n----\nthree", "one\ntwo\nthree");
    plain("a&nbsp;b &amp; c &#65;&#x42; &ndash; &#xD800; &#1; &no;",
          "a b & c AB \xE2\x80\x93 &#xD800; &#1; &no;");
    plain("{{open\nall is gone", "");
    plain("", "");
    /* Nested deeper than anybody counts: what is closed is closed. */
    char deep[1000] = "";
    for (int i = 0; i < 100; i++)
        strcat(deep, "{{");
    for (int i = 0; i < 100; i++)
        strcat(deep, "}}");
    strcat(deep, "end");
    plain(deep, "end");
}

/* The records of a dump, joined by '|'; or what is said of it. */
static void dump(const char *xml, const char *want)
{
    static char got[2000];
    ig_err err = {0};
    ig_text_source *s;
    ig_text_record r;
    got[0] = '\0';
    assert_ok(ig_file_write(fixture_path("d.xml"), xml, (int64_t)strlen(xml), &err), &err);
    ig_code code = ig_text_open(&s, fixture_path("d.xml"), IG_TEXT_AUTO, NULL, &err);
    while (code == IG_ERR_OK && (code = ig_text_next(s, &r, &err)) == IG_ERR_OK && r.text != NULL) {
        strcat(got, got[0] != '\0' ? "|" : "");
        strcat(got, r.text);
    }
    if (code != IG_ERR_OK) {
        assert_int_equal(code, IG_ERR_INPUT);
        snprintf(got, sizeof got, "%llu: %s", (unsigned long long)err.line, err.msg);
    }
    ig_text_close(s);
    if (strncmp(got, want, strlen(want)) != 0)
        fail_msg("got '%s', want '%s'", got, want);
}

#define PAGE(ns, more, text)                                                                       \
    "<page><title>t</title><ns>" ns "</ns>" more "<revision><text>" text                           \
    "</text></revision></page>\n"

static void pages_of_a_dump(void **state)
{
    (void)state;
    dump("<mediawiki>\n" PAGE("0", "", "one\n\ntwo &lt;b&gt;x&lt;/b&gt; &amp;amp;")
             PAGE("1", "", "talk") PAGE("0", "<redirect title='a'/>", "to a")
                 PAGE("0", "", "#REDIRECT [[b]]") PAGE("0", "", "{{nothing}}")
                     PAGE("0", "", "three") "</mediawiki>\n",
         "one|two x &|three");
    dump("<?xml version='1.0' encoding='ISO-8859-1'?>\n<mediawiki>\n" PAGE(
             "0", "", "\xC3\xA9t\xC3\xA9") "</mediawiki>",
         "\xC3\xA9t\xC3\xA9");
    /* Two revisions: the last one counts. */
    dump("<mediawiki><page><ns>0</ns><revision><text>old</text></revision>"
         "<revision><text>new</text></revision></page></mediawiki>",
         "new");
    dump("<mediawiki></mediawiki>", "");
}

static void hostile(void **state)
{
    (void)state;
    dump("<?xml version='1.0'?>\n<!DOCTYPE m [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]>\n"
         "<mediawiki>" PAGE("0", "", "&b;") "</mediawiki>",
         "2: declares a document type, which no MediaWiki dump does");
    dump("<?xml version='1.0'?>\n<!DOCTYPE m SYSTEM 'file:///etc/passwd'>\n<mediawiki/>",
         "2: declares a document type");
    dump("<mediawiki>" PAGE("0", "", "&undeclared;") "</mediawiki>", "1: not well-formed XML: ");
    dump("<mediawiki>\n" PAGE("0", "", "whole") "<page><ns>0</ns>", "3: not well-formed XML: ");
    dump("<mediawiki></mediawiki>\nmore", "2: not well-formed XML: ");
    dump("<?xml version='1.0'?>\n<html></html>",
         "2: found the element 'html', expected 'mediawiki'");
    char deep[2000] = "<mediawiki>";
    for (int i = 0; i < 100; i++)
        strcat(deep, "<a>");
    dump(deep, "1: elements more than 32 deep");
}

static void a_real_dump(void **state)
{
    (void)state;
    char path[512];
    const char *shared = getenv("ISOGLOT_TEST_SHARED");
    snprintf(path, sizeof path,
             "%s/data/text/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2",
             shared != NULL ? shared : IG_SOURCE_DIR "/../shared");
    if (access(path, R_OK) != 0) {
        skip_here("no %s", path);
        skip();
    }
    ig_err err = {0};
    ig_text_source *s;
    ig_text_record r;
    int64_t n = 0, bytes = 0, strange = 0;
    assert_ok(ig_text_open(&s, path, IG_TEXT_AUTO, NULL, &err), &err);
    do {
        assert_ok(ig_text_next(s, &r, &err), &err);
        if (r.text == NULL)
            break;
        if (n == 0)
            assert_true(strncmp(r.text, "Anarchism is a political philosophy", 35) == 0);
        n++;
        bytes += r.n;
        strange += strstr(r.text, "{{") != NULL || strstr(r.text, "[[") != NULL ||
                   strstr(r.text, "<ref") != NULL || strstr(r.text, "|}") != NULL;
    } while (true);
    ig_text_close(s);
    print_message("%lld paragraphs, %lld bytes\n", (long long)n, (long long)bytes);
    /* Half of the markup is text; hardly any is left. */
    assert_true(n > 5000 && bytes > 2000000 && bytes < 4500000);
    assert_true(strange * 1000 < n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_becomes_text),
        cmocka_unit_test(pages_of_a_dump),
        cmocka_unit_test(hostile),
        cmocka_unit_test(a_real_dump),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
