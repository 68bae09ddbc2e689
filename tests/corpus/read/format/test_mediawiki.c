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

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

#define HEAD(attributes, names)                                                                    \
    "<mediawiki " attributes "><siteinfo><sitename>W</sitename><namespaces>" names                 \
    "</namespaces></siteinfo>"

/* Names of namespaces and the language are the dump's own; what is no wiki text is no article. */
static void what_a_dump_declares(void **state)
{
    (void)state;
    dump(
        HEAD("xml:lang='eo'", "<namespace key='-2'>Aŭdvidaĵo</namespace><namespace key='0' />"
                              "<namespace key='6' case='first-letter'>Bildejo</namespace>"
                              "<namespace key='14'>Kolekto &amp;amp; aro</namespace>")
            PAGE(
                "0", "",
                "a [[bildejo:x|b]] [[Kolekto &amp;amp; aro:Y]] [[aŭdvidaĵo:z]] [[Dosiero:q]]") "</"
                                                                                               "med"
                                                                                               "iaw"
                                                                                               "iki"
                                                                                               ">",
        "a Dosiero:q");
    dump(HEAD("xml:lang='zh-CN'", "") PAGE("0", "", "-{zh-hans:a; zh-hant:b}-") "</mediawiki>",
         "a");
    dump(HEAD("xml:lang='de'", "") PAGE("0", "", "-{zh-hans:a}-") "</mediawiki>", "-{zh-hans:a}-");
    /* Before 2010: neither ns nor redirect, but titles. */
    dump(HEAD("version='0.3'",
              "<namespace key='10'>Vorlage</namespace>") "<page><title>Vorlage:x</"
                                                         "title><revision><text>no</text></"
                                                         "revision></page>"
                                                         "<page><title>Hilfe: "
                                                         "y</title><revision><text>yes</text></"
                                                         "revision></page>"
                                                         "<page><title>z</"
                                                         "title><revision><text>#WEITERLEITUNG "
                                                         "[[y]]</text></revision></page>"
                                                         "</mediawiki>",
         "yes");
    dump(
        "<mediawiki><page><ns>0</ns><revision><model>json</model><text>{no: 1}</text></revision>"
        "</page><page><ns>0</ns><revision><model>wikitext</model><text>yes</text></revision></page>"
        "</mediawiki>",
        "yes");
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
        cmocka_unit_test(pages_of_a_dump),
        cmocka_unit_test(what_a_dump_declares),
        cmocka_unit_test(hostile),
        cmocka_unit_test(a_real_dump),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
