/* SPDX-License-Identifier: Apache-2.0
 *
 * CoNLL-U, line by line: ten columns between tabs, comments behind #, a blank line behind each
 * sentence.
 */
#include "corpus/read/conllu.h"

#include "base/memory.h"
#include "corpus/read/line_reader.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 10, ID = 0, FORM = 1, UPOS = 3, HEAD = 6, DEPREL = 7 };

struct ig_conllu {
    ig_line_reader *lines;
};

ig_code ig_conllu_open(ig_conllu **out, const char *path, ig_err *err)
{
    ig_conllu *c;
    *out = NULL;
    IG_TRY(ig_alloc(&c, 1, sizeof *c, "treebank", err));
    ig_code code = ig_line_open(&c->lines, path, err);
    if (code != IG_ERR_OK)
        ig_conllu_close(c);
    else
        *out = c;
    return code;
}

void ig_conllu_close(ig_conllu *c)
{
    if (c == NULL)
        return;
    ig_line_close(c->lines);
    ig_free(c);
}

static ig_code wrong(const ig_conllu *c, ig_err *err, const char *what, const char *found)
{
    return ig_fail(err, IG_ERR_INPUT, ig_line_where(c->lines), ig_line_number(c->lines),
                   "found '%.32s', expected %s", found, what);
}

/* A whole number of at most 6 digits that ends where the text ends. */
static bool number(const char *text, int32_t *out)
{
    int n = 0;
    *out = 0;
    for (; text[n] >= '0' && text[n] <= '9' && n < 7; n++)
        *out = 10 * *out + (text[n] - '0');
    return n > 0 && n < 7 && text[n] == '\0';
}

static ig_code add_word(const ig_conllu *c, ig_phrase *p, char **column, ig_err *err)
{
    int32_t id, head;
    if (!number(column[ID], &id) || id != p->n + 1)
        return wrong(c, err, "the number of the next word", column[ID]);
    if (!number(column[HEAD], &head) || head == id)
        return wrong(c, err, "the number of another word as its head, or 0", column[HEAD]);
    if (column[FORM][0] == '\0')
        return wrong(c, err, "a form in the second column", column[FORM]);
    if (p->n == IG_TREE_NODES)
        return ig_fail(err, IG_ERR_INPUT, ig_line_where(c->lines), ig_line_number(c->lines),
                       "a sentence of more than %d words", IG_TREE_NODES);
    const int32_t i = p->n;
    /* White space inside a form would be two words behind the tokenizer. */
    for (char *q = column[FORM]; *q != '\0'; q++)
        if (*q == ' ')
            *q = '_';
    IG_TRY(ig_phrase_add(p, column[FORM], (int64_t)strlen(column[FORM]), err));
    IG_TRY(ig_phrase_cover_units(p, i * IG_TRACE_UNIT, (i + 1) * IG_TRACE_UNIT, err));
    IG_TRY(ig_grow(&p->tree, &p->have_tree, i + 1, sizeof *p->tree, "tree", err));
    ig_tree_node *node = &p->tree[i];
    p->node[i] = i;
    p->n_node = i + 1;
    node->head = head - 1;
    snprintf(node->upos, sizeof node->upos, "%.*s", (int)sizeof node->upos - 1, column[UPOS]);
    snprintf(node->rel, sizeof node->rel, "%.*s", (int)sizeof node->rel - 1, column[DEPREL]);
    return IG_ERR_OK;
}

/* One root, heads that are there, no cycle. */
static ig_code check_tree(const ig_conllu *c, const ig_phrase *p, ig_err *err)
{
    int32_t n_root = 0;
    for (int32_t i = 0; i < p->n_node; i++) {
        int32_t h = p->tree[i].head, step = 0;
        n_root += h < 0;
        while (h >= 0 && h < p->n_node && step++ <= p->n_node)
            h = p->tree[h].head;
        if (h >= 0)
            return ig_fail(err, IG_ERR_INPUT, ig_line_where(c->lines), ig_line_number(c->lines),
                           "the sentence that ends here is no tree: from word %d no way leads to "
                           "the root",
                           i + 1);
    }
    if (n_root != 1)
        return ig_fail(err, IG_ERR_INPUT, ig_line_where(c->lines), ig_line_number(c->lines),
                       "the sentence that ends here has %d roots, expected one", n_root);
    return IG_ERR_OK;
}

ig_code ig_conllu_next(ig_conllu *c, ig_phrase *p, ig_err *err)
{
    IG_TRY(ig_phrase_clear(p, err));
    for (;;) {
        char *line, *column[COLUMNS];
        int64_t size;
        IG_TRY(ig_line_next(c->lines, &line, &size, err));
        if (line == NULL || size == 0) {
            if (p->n > 0)
                return check_tree(c, p, err);
            if (line == NULL)
                return IG_ERR_OK;
            continue;
        }
        if (line[0] == '#')
            continue;
        if ((int64_t)strlen(line) != size)
            return wrong(c, err, "text without NUL", line);
        int n = 0;
        for (char *q = line; q != NULL; n++) {
            char *tab = strchr(q, '\t');
            if (tab != NULL)
                *tab++ = '\0';
            if (n < COLUMNS)
                column[n] = q;
            q = tab;
        }
        if (n != COLUMNS)
            return ig_fail(err, IG_ERR_INPUT, ig_line_where(c->lines), ig_line_number(c->lines),
                           "found %d columns between tabs, expected %d", n, COLUMNS);
        if (strpbrk(column[ID], "-.") != NULL && column[ID][0] >= '0' && column[ID][0] <= '9')
            continue;
        IG_TRY(add_word(c, p, column, err));
    }
}
