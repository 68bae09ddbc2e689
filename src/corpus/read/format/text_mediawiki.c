/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads dumps of MediaWiki (pages-articles.xml, compressed as they are published): the paragraphs
 * of the articles, that is, of pages of namespace 0 that are not redirects. Expat parses line by
 * line, so that memory is bounded by the largest page. A dump needs no document type; one that
 * declares any is refused, so only XML's own five entities are expanded. docs/formats.md,
 * "MediaWiki".
 */
#include "corpus/read/text_source.h"

#include "base/memory.h"
#include "corpus/read/format/wikitext.h"

#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits: depth of elements; bytes of a page. */
enum { DEEPEST = 32, PAGE_MAX = 64 << 20 };

typedef enum { NOWHERE, IN_NAMESPACE, IN_TITLE, IN_NS, IN_MODEL, IN_TEXT } place;

/* Short texts of elements; longer ones are truncated. */
typedef struct {
    char text[256];
    size_t n;
} field;

typedef struct {
    XML_Parser parser;
    int depth;
    bool in_page, redirect, finished;
    place place;
    ig_wiki_site *site;
    int key; /* of the namespace that is read */
    field name, title, ns, model;
    char *page; /* the markup read so far, then its paragraphs */
    int64_t have, n;
    bool ready; /* a page is complete: its paragraphs from `next` on are returned next */
    int64_t next;
    char problem[160]; /* why the parser was stopped; "": it was not */
    ig_code code;      /* of the problem */
} dump;

static void XMLCALL refuse(dump *d, ig_code code, const char *why)
{
    if (d->problem[0] != '\0')
        return;
    snprintf(d->problem, sizeof d->problem, "%.150s", why);
    d->code = code;
    XML_StopParser(d->parser, XML_FALSE);
}

static const char *value_of(const XML_Char **attribute, const char *name)
{
    for (; attribute[0] != NULL; attribute += 2)
        if (strcmp(attribute[0], name) == 0)
            return attribute[1];
    return NULL;
}

/* Handles an element of the dump's head: the names of its namespaces. */
static void start_in_head(dump *d, const XML_Char *name, const XML_Char **attribute)
{
    if (d->depth != 4 || strcmp(name, "namespace") != 0)
        return;
    const char *key = value_of(attribute, "key");
    d->key = key != NULL ? atoi(key) : IG_WIKI_ARTICLE;
    d->name.n = 0;
    d->place = IN_NAMESPACE;
}

static void start_in_page(dump *d, const XML_Char *name)
{
    if (d->depth == 3 && strcmp(name, "redirect") == 0)
        d->redirect = true;
    else if (d->depth == 3 && strcmp(name, "title") == 0)
        d->place = IN_TITLE;
    else if (d->depth == 3 && strcmp(name, "ns") == 0)
        d->place = IN_NS;
    else if (d->depth == 4 && strcmp(name, "model") == 0) {
        d->place = IN_MODEL;
        d->model.n = 0;
    } else if (d->depth == 4 && strcmp(name, "text") == 0) {
        d->place = IN_TEXT;
        d->n = 0; /* of several revisions the last counts */
    }
}

/* Names may carry a prefix or not; a dump's have none. */
static void XMLCALL on_start(void *arg, const XML_Char *name, const XML_Char **attribute)
{
    dump *d = arg;
    if (d->depth == 0 && strcmp(name, "mediawiki") != 0) {
        char why[128];
        snprintf(why, sizeof why, "found the element '%.40s', expected 'mediawiki'", name);
        refuse(d, IG_ERR_INPUT, why);
        return;
    }
    if (d->depth++ == DEEPEST) {
        refuse(d, IG_ERR_INPUT, "elements more than 32 deep, expected a MediaWiki dump");
        return;
    }
    const char *language = d->depth == 1 ? value_of(attribute, "xml:lang") : NULL;
    if (language != NULL)
        ig_wiki_site_set_language(d->site, language);
    if (d->depth == 2 && strcmp(name, "page") == 0) {
        d->in_page = true;
        d->redirect = false;
        d->title.n = d->ns.n = d->model.n = 0;
        d->n = 0;
    }
    if (d->in_page)
        start_in_page(d, name);
    else
        start_in_head(d, name, attribute);
}

static bool field_is(const field *f, const char *text)
{
    return f->n == strlen(text) && memcmp(f->text, text, f->n) == 0;
}

/* Returns whether the page that ends is an article. Dumps before 2010 have no ns, but titles that
 * begin with it; those before 2012 have no model. */
static bool is_article(const dump *d)
{
    const bool main = d->ns.n > 0 ? field_is(&d->ns, "0")
                                  : ig_wiki_site_namespace(d->site, d->title.text,
                                                           (int64_t)d->title.n) == IG_WIKI_ARTICLE;
    return main && (d->model.n == 0 || field_is(&d->model, "wikitext")) && !d->redirect &&
           d->n > 0 && !ig_wikitext_is_redirect(d->page, d->n);
}

static void end_page(dump *d)
{
    ig_err err = {0};
    d->in_page = false;
    if (!is_article(d))
        return;
    if (ig_wikitext_plain(d->site, d->page, &d->n, &err) != IG_ERR_OK) {
        refuse(d, err.code, err.msg);
        return;
    }
    d->page[d->n] = '\0';
    d->next = 0;
    d->ready = d->n > 0;
    if (d->ready)
        XML_StopParser(d->parser, XML_TRUE); /* until its paragraphs are returned */
}

static void XMLCALL on_end(void *arg, const XML_Char *name)
{
    dump *d = arg;
    (void)name;
    if (d->place == IN_NAMESPACE &&
        ig_wiki_site_add(d->site, d->key, d->name.text, (int64_t)d->name.n, NULL) != IG_ERR_OK)
        refuse(d, IG_ERR_MEMORY, "not enough memory for the namespaces");
    d->place = NOWHERE;
    if (d->depth-- == 2 && d->in_page)
        end_page(d);
}

static void add_to_page(dump *d, const char *text, int n)
{
    if (d->problem[0] != '\0')
        return;
    if (d->n + n > PAGE_MAX) {
        refuse(d, IG_ERR_INPUT, "a page of more than 64 MiB");
        return;
    }
    if (ig_grow(&d->page, &d->have, d->n + n + 1, 1, "page", NULL) != IG_ERR_OK) {
        refuse(d, IG_ERR_MEMORY, "not enough memory for a page");
        return;
    }
    memcpy(d->page + d->n, text, (size_t)n);
    d->n += n;
}

static void XMLCALL on_text(void *arg, const XML_Char *text, int n)
{
    dump *d = arg;
    field *f = d->place == IN_NAMESPACE ? &d->name
               : d->place == IN_TITLE   ? &d->title
               : d->place == IN_NS      ? &d->ns
               : d->place == IN_MODEL   ? &d->model
                                        : NULL;
    if (d->place == IN_TEXT)
        add_to_page(d, text, n);
    for (int i = 0; f != NULL && i < n && f->n < sizeof f->text; i++)
        f->text[f->n++] = text[i];
}

static void XMLCALL on_doctype(void *arg, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public, int internal)
{
    (void)name;
    (void)system;
    (void)public;
    (void)internal;
    refuse(arg, IG_ERR_INPUT, "declares a document type, which no MediaWiki dump does");
}

static ig_code open_dump(void **state, ig_line_reader *r, ig_err *err)
{
    dump *d;
    IG_TRY(ig_alloc(&d, 1, sizeof *d, "dump", err));
    *state = d;
    IG_TRY(ig_wiki_site_new(&d->site, err));
    /* The reader's lines are UTF-8, whatever encoding is declared. */
    d->parser = XML_ParserCreate("UTF-8");
    if (d->parser == NULL)
        return ig_fail(err, IG_ERR_MEMORY, ig_line_where(r), 0, "not enough memory for a parser");
    XML_SetUserData(d->parser, d);
    XML_SetElementHandler(d->parser, on_start, on_end);
    XML_SetCharacterDataHandler(d->parser, on_text);
    XML_SetStartDoctypeDeclHandler(d->parser, on_doctype);
    return IG_ERR_OK;
}

static void close_dump(void *state)
{
    dump *d = state;
    if (d == NULL)
        return;
    if (d->parser != NULL)
        XML_ParserFree(d->parser);
    ig_wiki_site_free(d->site);
    IG_FREE(d->page, d);
}

/* Converts the parser's status to an error: a complete page is none. */
static ig_code parse_result(const dump *d, enum XML_Status status, const ig_line_reader *r,
                            ig_err *err)
{
    if (d->problem[0] != '\0')
        return ig_fail(err, d->code, ig_line_where(r), ig_line_number(r), "%s", d->problem);
    if (status != XML_STATUS_ERROR)
        return IG_ERR_OK;
    const enum XML_Error error = XML_GetErrorCode(d->parser);
    if (error == XML_ERROR_NO_MEMORY)
        return ig_fail(err, IG_ERR_MEMORY, ig_line_where(r), ig_line_number(r),
                       "not enough memory for a page");
    return ig_line_fail(r, err, "not well-formed XML: %s", XML_ErrorString(error));
}

/* Reads on until a page is ready or the input ends. */
static ig_code read_on(dump *d, ig_line_reader *r, ig_err *err)
{
    while (!d->ready && !d->finished) {
        XML_ParsingStatus now;
        XML_GetParsingStatus(d->parser, &now);
        if (now.parsing == XML_SUSPENDED) {
            IG_TRY(parse_result(d, XML_ResumeParser(d->parser), r, err));
            continue;
        }
        if (now.parsing == XML_FINISHED) {
            d->finished = true;
            break;
        }
        char *line;
        int64_t n;
        IG_TRY(ig_line_next(r, &line, &n, err));
        if (line == NULL) {
            IG_TRY(parse_result(d, XML_Parse(d->parser, "", 0, 1), r, err));
            XML_GetParsingStatus(d->parser, &now);
            d->finished = now.parsing == XML_FINISHED;
            continue;
        }
        line[n] = '\n'; /* replaces the NUL */
        const enum XML_Status status = XML_Parse(d->parser, line, (int)(n + 1), 0);
        line[n] = '\0';
        IG_TRY(parse_result(d, status, r, err));
    }
    return IG_ERR_OK;
}

static ig_code next_paragraph(ig_line_reader *r, void *state, const ig_verse_set *ids,
                              ig_text_record *out, ig_err *err)
{
    dump *d = state;
    (void)ids;
    out->id = 0;
    out->text = NULL;
    out->n = 0;
    IG_TRY(read_on(d, r, err));
    if (!d->ready)
        return IG_ERR_OK;
    char *text = d->page + d->next, *lf = memchr(text, '\n', (size_t)(d->n - d->next));
    out->text = text;
    out->n = lf != NULL ? lf - text : d->n - d->next;
    d->next += out->n + 1;
    d->ready = lf != NULL;
    text[out->n] = '\0';
    return IG_ERR_OK;
}

const ig_text_format ig_text_mediawiki = {
    .name = "mediawiki",
    .has_ids = false,
    .is = ig_text_is_xml,
    .open = open_dump,
    .close = close_dump,
    .next = next_paragraph,
};
