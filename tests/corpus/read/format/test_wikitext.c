/* SPDX-License-Identifier: Apache-2.0
 *
 * Wiki markup becomes the text that MediaWiki shows. Apostrophes and braces are compared with a
 * second implementation of MediaWiki's rules (Parser::doQuotes; Preprocessor), which builds strings
 * where the program works in place.
 */
#include "test.h"

#include "corpus/read/format/html_entities.h"
#include "corpus/read/format/wikitext.h"
#include "corpus/read/format/wikitext_steps.h"

#include "base/memory.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

static ig_wiki_site *site;

static void plain(const char *markup, const char *want)
{
    ig_err err = {0};
    char *text = strdup(markup);
    int64_t n = (int64_t)strlen(text);
    assert_ok(ig_wikitext_plain(site, text, &n, &err), &err);
    text[n] = '\0';
    if (strcmp(text, want) != 0)
        fail_msg("of '%s': got '%s', want '%s'", markup, text, want);
    free(text);
}

static int open_site(void **state)
{
    ig_err err = {0};
    (void)state;
    return ig_wiki_site_new(&site, &err) == IG_ERR_OK ? 0 : -1;
}

static int close_site(void **state)
{
    (void)state;
    ig_wiki_site_free(site);
    return 0;
}

static void declare(int key, const char *name)
{
    ig_err err = {0};
    assert_ok(ig_wiki_site_add(site, key, name, (int64_t)strlen(name), &err), &err);
}

static void markup_becomes_text(void **state)
{
    (void)state;
    plain("The '''cat''' is ''here''.", "The cat is here.");
    plain("a [[b]] [[c|d]] j", "a b d j");
    plain("{{a|{{b}}|c={{{1|}}}}}one {{two}}three", "one three");
    plain("{{{1|one}}} {{{a|{{{b|[[c|two]]|x}}}|y}}} {{{z|}}}{{d|{{{e|f}}}}}three",
          "one two three");
    plain("{{{1{{!}}|a{{!}}b}}} [[c]] {{{d}}}e", "a|b c e");
    plain("x {{{{{{a|b}}}c}}}y", "x y");
    /* Definitions are paragraphs of their own. */
    plain("; term : one: two\n:three: four\n*;a:b\n; only\n; : c",
          "term\none: two\nthree: four\na\nb\nonly\nc");
    plain(";[[a:b|c: d]] [http://e:f g: h] http://i:j: k", "c: d g: h http://i:j\nk");
    plain("; ''a: b'' <i>c: d<br></i> <nowiki>:</nowiki> [[e : f\na: b",
          "a: b c: d : [[e\nf\na: b");
    plain("{{x|a=|}}kept", "kept");
    plain("a<ref>b</ref> c<ref name=x /> d<!-- e --> f<br/>g <b>h</b> 1 < 2", "a c d f g h 1 < 2");
    plain("== Heading ==\n* one\n:# two\n\n__NOTOC__\n----\n----three", "one\ntwo\nthree");
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

static void what_is_not_closed_is_shown(void **state)
{
    (void)state;
    plain("a {{open\nb\n\nc", "a {{open\nb\nc");
    plain("a {{open {{closed}}\n\n[[b]] c", "a {{open\nb c");
    plain("a {{x|[[b}} c", "a {{x|[[b}} c");
    plain("a [[b\n\nc", "a [[b\nc");
    plain("a [[b|c\n\nd [[e]]", "a [[b|c\nd e");
    plain("a [[File:x|b\n\nc [[d]]", "a [[File:x|b\nc d");
    plain("a }} ]] |} b", "a }} ]] |} b");
    plain("{{{{a}}}} b", "{} b");
    plain("a {{{b c", "a {{{b c");
    plain("<ref>never closed\n\nb", "<ref>never closed\nb");
    plain("<nowiki>''a''\n\n{{b}} c", "<nowiki>a\nc");
    plain("a <!-- never closed\n\nb", "a");
    plain("a <b>b\n\n<div>c <table> d", "a b\nc d");
    plain("[http://x.y z\nb]", "[http://x.y z\nb]");
    plain("a -{zh-hans:b\n\nc", "a -{zh-hans:b\nc");
    /* A brace of a variant, or a link, hides the braces around it. */
    plain("{{a -{b}} c", "{{a -{b}} c");
    plain("{{a -{b}-}} c", "c");
    plain("-{{a}}- b", "-- b");
}

static void tables(void **state)
{
    (void)state;
    plain("{|\n| a\n|-\n| {{t|\n}}\n|}\nafter", "after");
    plain(":{| class=x\n! a\n{|\n| b\n|}\n| c\n|} after", "after");
    /* Not closed: the cells go, paragraphs stay. */
    plain("one\n{| class=x\n! a\n|-\n| b || c\n\ntwo\n\nthree", "one\ntwo\nthree");
    plain("{|\n| a\n{|\n|b\n|}\ntwo", "two");
    plain("<table><tr><td>a<table>b</table>c</td></tr></table>d", "d");
    plain("'''!Kung''' people\n|x| is positive", "!Kung people\n|x| is positive");
    plain("{{{!}}\n{{!}} a\n{{!}}}\nafter", "after");
}

static void nowiki_protects(void **state)
{
    (void)state;
    plain("A <nowiki>{{kept}} and [[kept too]]</nowiki> done.",
          "A {{kept}} and [[kept too]] done.");
    plain("<nowiki>''a'' '''b''' -{c}- <b>d</b> [http://x y] __NOTOC__</nowiki>",
          "''a'' '''b''' -{c}- <b>d</b> [http://x y] __NOTOC__");
    plain("<nowiki>* one\n== two ==</nowiki> &lt;<NOWIKI>&gt;</NOWIKI >", "* one == two == <>");
    plain("a [<nowiki/>[b]] ''c''<nowiki/>'s <nowiki />d", "a [[b]] c's d");
    plain("{{a|<nowiki>}}</nowiki>}}b", "b");
    plain("<pre>{{</pre>a<ref><nowiki>x</nowiki></ref>{{b}}", "a");
    plain("x</nowiki> y", "x</nowiki> y");
}

static void links_and_namespaces(void **state)
{
    (void)state;
    plain("[[File:x.jpg|thumb|a [[b|c]] d]]Text [[Category:X]] [[fr:Texte]] [[fr:Texte|text]]",
          "Text");
    plain("[[image:x|a]][[ MEDIA : y ]]a [[:Category:Y]] [[:fr:Texte]] [[:File:z|t]]",
          "a Category:Y fr:Texte t");
    plain("[[wikt:a]] [[User:B|b]] [[A: c]]", "wikt:a b A: c");
    /* Older names count where the dump names the namespace in that language, or none at all. */
    plain(
        "a [[Bild:x|b]] [[Kategorie:Y]] [[\xD0\x9A\xD0\xB0\xD1\x82\xD0\xB5\xD0\xB3\xD0\xBE\xD1\x80"
        "\xD0\xB8\xD1\x8F:Z]]",
        "a");
    declare(IG_WIKI_FILE, "File");
    declare(IG_WIKI_CATEGORY, "Category");
    plain("[[Datei: ein Roman]] [[Kategorie:Y]] [[Category:Z]]", "Datei: ein Roman Kategorie:Y");
    declare(IG_WIKI_FILE, "Datei");
    declare(IG_WIKI_CATEGORY, "\xC3\x96rtliche_Gruppe");
    declare(100, "Portal");
    plain("a [[datei:x]] [[BILD:x]] [[Image:x]] [[\xC3\xB6rtliche gruppe:y]] [[Portal:Z]]",
          "a Portal:Z");
    /* A link has no link within, a title no braces; what is none shows its brackets. */
    plain("a [[e|f [[g|h]] i]] j", "a [[e|f h i]] j");
    plain("[[a{b]] [[]] [[ ]] [[a|]] [[b|[c]]] [[[d]]", "[[a{b]] [[]] [[ ]] [[a|]] [c] [[[d]]");
    plain("[[File:a|[[b]] and [[c]]]]d [[File:e|[[f]] ", "d [[File:e|f");
    plain("[http://x.y z w] [http://x.y] [FTP://u v] [mailto:w x] [not a link]",
          "z w v x [not a link]");
    plain("[[http://x y]] [//z ''q'']", "[y] q");
    assert_true(ig_wiki_is_interlanguage("zh-min-nan:a", 12));
    assert_false(ig_wiki_is_interlanguage("min-nan:a", 9));
    assert_int_equal(ig_wiki_site_namespace(site, "user_talk:x", 11), IG_WIKI_OTHER);
    assert_int_equal(ig_wiki_site_namespace(site, "portal :x", 9), 100);
    assert_int_equal(ig_wiki_site_namespace(site, "Other:x", 7), IG_WIKI_ARTICLE);
}

static void variants(void **state)
{
    (void)state;
    plain("a-{zh-hans:b; zh-hant:c}-d -{e}-f", "abd ef");
    plain("-{zh-hant:c; zh-hans:b;}- -{zh-tw:d; zh-hk:e}- -{zh-my:f}-", "b d f");
    plain("-{A|zh-hans:a;zh-hant:b}- -{H|zh-hans:c;zh-hant:d}- -{T|e}- -{-|f}- -{R|g:h}-", "a g:h");
    plain("-{zh-hans;zh-hant|a}- -{zh;zh-tw|b}- -{b=>zh-cn:c}- -{h:i;j}- -{|k}-", "a b c h:i;j k");
    plain("-{zh-hans:[[a|b&nbsp;c]];zh-hant:''d''}- -{zh-hans:x-{y}-z;zh-hant:w}-", "b c xyz");
    plain("-{sr-el:a; sr-ec:b}- -{\nzh-hans:a;\nzh-hant:b\n}-", "b a");
    ig_wiki_site_set_language(site, "sr");
    plain("-{sr-el:a; sr-ec:b}- -{zh-hans:c}-", "b zh-hans:c");
    ig_wiki_site_set_language(site, "ZH-Hant");
    plain("-{zh-hans:a; zh-hant:b}- -{sr-ec:c}-", "a sr-ec:c");
    ig_wiki_site_set_language(site, "en");
    plain("a -{b}- -{zh-hans:c}-", "a -{b}- -{zh-hans:c}-");
}

static void characters(void **state)
{
    (void)state;
    plain("a&nbsp;b &amp; c &#65;&#x42; &ndash; &#xD800; &#1; &no; &Auml;&auml; &eta; &amp;lt; &lt",
          "a b & c AB \xE2\x80\x93 &#xD800; &#1; &no; \xC3\x84\xC3\xA4 \xCE\xB7 &lt; &lt");
    plain("a &#65", "a &#65");
    plain("<nowiki/>* a\n* <nowiki># b</nowiki>\n{{x}}* c", "* a\n# b\nc");
    plain("a&#10;b &#91;&#91;c]] &#39;&#39;d&#39;&#39;", "a b [[c]] ''d''");
    plain("a __KEIN_INHALTSVERZEICHNIS__ __notoc__ b __init__ __A __", "a b __init__ __A __");
    plain("__\xD0\x91\xD0\x95\xD0\x97_\xD0\x9E\xD0\x93\xD0\x9B__ "
          "\xEF\xBC\xBF\xEF\xBC\xBF\xE7\x9B\xAE\xE6\xAC\xA1\xEF\xBC\xBF\xEF\xBC\xBF a",
          "a");
    plain("<stdio.h> a <poem>b</poem> c<hr>d <BR />e <i x=", "<stdio.h> a b c d e <i x=");
    assert_int_equal(ig_html_entity("nbsp", 4), 160);
    assert_int_equal(ig_html_entity("thetasym", 8), 977);
    assert_int_equal(ig_html_entity("zwnj", 4), 8204);
    assert_int_equal(ig_html_entity("AElig", 5), 198);
    assert_int_equal(ig_html_entity("amps", 4), 0);
}

static void redirects(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is;
    } pages[] = {{"#REDIRECT [[a]]", true},
                 {" \n#redirect: [[a]] {{b}}", true},
                 {"#WEITERLEITUNG [[a]]\n", true},
                 {"#\xE9\x87\x8D\xE5\xAE\x9A\xE5\x90\x91 [[a|b]]\n{{c}}", true},
                 {"#a [[b]]", false},
                 {"#Ab [[c]]\n#Cd [[e]]", false},
                 {"#Ab [[c]] d", false},
                 {"#[[a]]", false},
                 {"a #REDIRECT [[b]]", false},
                 {"#", false},
                 {"", false}};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (ig_wikitext_is_redirect(pages[i].text, (int64_t)strlen(pages[i].text)) != pages[i].is)
            fail_msg("'%s' is%s a redirect", pages[i].text, pages[i].is ? "" : " no");
}

/* ---- the second implementation ---- */

typedef struct {
    char text[400];
} string;

static void add(string *s, const char *more)
{
    strcat(s->text, more);
}

/* Parser::doQuotes: pieces between runs of apostrophes; of the runs only their lengths count. */
static string quotes_again(const char *line)
{
    string piece[40] = {0};
    int run[40] = {0}, n = 0, italics = 0, bold = 0;
    for (const char *p = line; *p != '\0';) {
        const size_t m = strspn(p, "'");
        if (m >= 2)
            run[n++] = (int)m;
        else
            strncat(piece[n].text, p, m > 0 ? m : 1);
        p += m > 0 ? m : 1;
    }
    for (int i = 0; i < n; i++) {
        for (; run[i] == 4 || run[i] > 5; run[i]--)
            add(&piece[i], "'");
        italics += run[i] == 2 || run[i] == 5;
        bold += run[i] == 3 || run[i] == 5;
    }
    int one_letter = -1, word = -1, space = -1;
    for (int i = n - 1; i >= 0; i--) {
        const char *t = piece[i].text;
        const size_t m = strlen(t);
        if (run[i] != 3)
            continue;
        if (m > 0 && t[m - 1] == ' ')
            space = i;
        else if (m > 1 && t[m - 2] == ' ')
            one_letter = i;
        else
            word = i;
    }
    const int odd = one_letter >= 0 ? one_letter : word >= 0 ? word : space;
    if (bold % 2 == 1 && italics % 2 == 1 && odd >= 0)
        add(&piece[odd], "'");
    string all = {{0}};
    for (int i = 0; i <= n; i++)
        add(&all, piece[i].text);
    return all;
}

/* The preprocessor: a stack of strings, each with what opened it. */
static string templates_again(const char *text)
{
    string s[60] = {0};
    char kind[60] = {0};
    int count[60] = {0}, top = 0;
    for (const char *p = text; *p != '\0';) {
        const bool variant = p[0] == '-' && p[1] == '{' && p[2] != '{';
        const char c = *p;
        size_t m = strspn(p, (char[]){c, '\0'});
        if (variant || ((c == '{' || c == '[') && m >= 2)) {
            top++;
            memset(&s[top], 0, sizeof s[top]);
            kind[top] = variant ? '-' : c;
            count[top] = variant ? 0 : (int)m;
            p += variant ? 2 : m;
        } else if (top > 0 && kind[top] == '-' && c == '}' && p[1] == '-') {
            string in = s[top--];
            add(&s[top], "-{");
            add(&s[top], in.text);
            add(&s[top], "}-");
            p += 2;
        } else if (top > 0 && count[top] >= 2 && m >= 2 && c == (kind[top] == '{' ? '}' : ']')) {
            int k = (int)m < count[top] ? (int)m : count[top];
            k = k > 2 && c == '}' ? 3 : 2;
            string now = {{0}};
            if (c == ']') {
                add(&now, "[[");
                add(&now, s[top].text);
                add(&now, "]]");
            } else {
                add(&now, k == 2 && strcmp(s[top].text, "!") == 0 ? "|" : "\2");
            }
            p += k;
            count[top] -= k;
            if (count[top] >= 2) {
                s[top] = now;
            } else {
                if (count[top]-- == 1)
                    add(&s[top - 1], kind[top] == '{' ? "{" : "[");
                top--;
                add(&s[top], now.text);
            }
        } else {
            strncat(s[top].text, p++, 1);
        }
    }
    for (int i = 1; i <= top; i++) {
        for (int k = 0; k < count[i]; k++)
            add(&s[0], kind[i] == '{' ? "{" : "[");
        add(&s[0], kind[i] == '-' ? "-{" : "");
        add(&s[0], s[i].text);
    }
    return s[0];
}

/* Random lines of few characters, so that runs are common. */
static void random_text(char *out, int n, const char *characters_, uint64_t seed)
{
    const size_t m = strlen(characters_);
    for (int i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        out[i] = characters_[(seed >> 33) % m];
    }
    out[n] = '\0';
}

static void as_the_second_implementation(void **state)
{
    (void)state;
    int odd = 0, closed = 0;
    for (uint64_t k = 0; k < 200000; k++) {
        char text[64], again[64];
        ig_err err = {0};
        random_text(text, 4 + (int)(k % 28), "''''ab  ", k);
        strcpy(again, text);
        string want = quotes_again(text);
        again[ig_wiki_drop_quotes(again, (int64_t)strlen(again))] = '\0';
        if (strcmp(again, want.text) != 0)
            fail_msg("quotes of \"%s\": got \"%s\", want \"%s\"", text, again, want.text);
        odd += strchr(want.text, '\'') != NULL;
        random_text(text, 4 + (int)(k % 28), "{{{}}}[]-!a", k);
        strcpy(again, text);
        int64_t n = (int64_t)strlen(again);
        want = templates_again(text);
        assert_ok(ig_wiki_drop_templates(again, &n, &err), &err);
        again[n] = '\0';
        if (strcmp(again, want.text) != 0)
            fail_msg("braces of \"%s\": got \"%s\", want \"%s\"", text, again, want.text);
        closed += strchr(want.text, '\2') != NULL;
    }
    assert_true(odd > 50000 && closed > 20000);
}

/* Time is linear: markup of a MiB that is opened again and again and never closed. */
static void hostile_pages_take_linear_time(void **state)
{
    (void)state;
    static const char *const unit[] = {
        "{{",   "[[a|",    "[[File:a|[[b]] ", "<ref ", "<ref>", "<nowiki>", "''' a'' ", "-{zh:a;",
        "{|\n", "<table>", "[http://a ",      "<!-",   "}}",    "-{a}-",    "&amp ",    "__A_",
        "<a ",  "xurn:"};
    for (size_t i = 0; i < sizeof unit / sizeof *unit; i++) {
        ig_err err = {0};
        const size_t m = strlen(unit[i]);
        int64_t n = 1 << 20;
        char *text = malloc((size_t)n);
        assert_non_null(text);
        for (int64_t k = 0; k < n; k++)
            text[k] = unit[i][(size_t)k % m];
        text[0] = ';';
        assert_ok(ig_wikitext_plain(site, text, &n, &err), &err);
        free(text);
    }
}

int main(void)
{
#define AT_A_SITE(test) cmocka_unit_test_setup_teardown(test, open_site, close_site)
    const struct CMUnitTest tests[] = {
        AT_A_SITE(markup_becomes_text),
        AT_A_SITE(what_is_not_closed_is_shown),
        AT_A_SITE(tables),
        AT_A_SITE(nowiki_protects),
        AT_A_SITE(links_and_namespaces),
        AT_A_SITE(variants),
        AT_A_SITE(characters),
        AT_A_SITE(redirects),
        AT_A_SITE(as_the_second_implementation),
        AT_A_SITE(hostile_pages_take_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
