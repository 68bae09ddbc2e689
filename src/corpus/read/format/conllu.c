/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads CoNLL-U line by line (universaldependencies.org/format.html): ten columns separated by
 * tabs (by blanks in a line without a tab), comments after #, a blank line after each sentence.
 */
#include "corpus/read/format/conllu.h"

#include "base/memory.h"
#include "text/utf8.h"
#include "text/white_space.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 10, ID = 0, FORM = 1, LEMMA = 2, UPOS = 3, FEATS = 5, HEAD = 6, DEPREL = 7 };

struct ig_conllu {
    ig_line_reader *lines;
    /* The sentence. */
    int32_t n;
    uint64_t first_line; /* 0: none of its lines was read */
    bool ended;
    int32_t *head;  /* [n] */
    uint64_t *line; /* [n] */
    int64_t have_head, have_line;
};

ig_code ig_conllu_of_lines(ig_conllu **out, ig_line_reader *lines, ig_err *err)
{
    ig_code code = ig_alloc(out, 1, sizeof **out, "treebank", err);
    if (code == IG_ERR_OK)
        (*out)->lines = lines;
    else
        ig_line_close(lines);
    return code;
}

ig_code ig_conllu_open(ig_conllu **out, const char *path, ig_err *err)
{
    ig_line_reader *lines;
    *out = NULL;
    IG_TRY(ig_line_open(&lines, path, err));
    return ig_conllu_of_lines(out, lines, err);
}

void ig_conllu_close(ig_conllu *c)
{
    if (c == NULL)
        return;
    ig_line_close(c->lines);
    IG_FREE(c->head, c->line, c);
}

int32_t ig_conllu_n_word(const ig_conllu *c)
{
    return c->n;
}

uint64_t ig_conllu_first_line(const ig_conllu *c)
{
    return c->first_line;
}

static ig_code wrong(const ig_conllu *c, ig_err *err, const char *what, const char *found)
{
    return ig_line_fail(c->lines, err, "found '%.32s', expected %s", found, what);
}

/* Reads a whole number of at most 6 digits that ends where the text ends. */
static bool number(const char *text, int32_t *out)
{
    int n = 0;
    *out = 0;
    for (; text[n] >= '0' && text[n] <= '9' && n < 7; n++)
        *out = 10 * *out + (text[n] - '0');
    return n > 0 && n < 7 && text[n] == '\0';
}

static ig_code word_row(ig_conllu *c, char **column, ig_conllu_row *row, ig_err *err)
{
    int32_t id;
    if (!number(column[ID], &id) || id != c->n + 1)
        return wrong(c, err, "the number of the next word", column[ID]);
    row->head = -1;
    if (strcmp(column[HEAD], "_") != 0 && (!number(column[HEAD], &row->head) || row->head == id))
        return wrong(c, err, "the number of another word as its head, or 0", column[HEAD]);
    if (column[FORM][0] == '\0')
        return wrong(c, err, "a form in the second column", column[FORM]);
    if (c->n == IG_TREE_NODES)
        return ig_line_fail(c->lines, err, "a sentence of more than %d words", IG_TREE_NODES);
    IG_TRY(ig_grow(&c->head, &c->have_head, id, sizeof *c->head, "tree", err));
    IG_TRY(ig_grow(&c->line, &c->have_line, id, sizeof *c->line, "tree", err));
    c->head[c->n] = row->head;
    c->line[c->n++] = row->line;
    row->kind = IG_CONLLU_WORD;
    row->form = column[FORM];
    row->lemma = column[LEMMA];
    row->upos = column[UPOS];
    row->feats = column[FEATS];
    row->deprel = column[DEPREL];
    return IG_ERR_OK;
}

static void range_row(char **column, ig_conllu_row *row)
{
    char *const minus = strchr(column[ID], '-');
    *minus = '\0';
    if (!number(column[ID], &row->from) || !number(minus + 1, &row->to))
        row->from = row->to = 0;
    row->kind = IG_CONLLU_RANGE;
    row->form = column[FORM];
}

/* Splits a line into columns; returns their number, of which the first COLUMNS are written. */
static int cut(char *line, bool tabs, char **column)
{
    int n = 0;
    for (char *q = line; q != NULL;) {
        q += tabs ? 0 : strspn(q, " ");
        if (!tabs && *q == '\0')
            break;
        if (n < COLUMNS)
            column[n] = q;
        n++;
        q = strchr(q, tabs ? '\t' : ' ');
        if (q != NULL)
            *q++ = '\0';
    }
    return n;
}

ig_code ig_conllu_next_row(ig_conllu *c, ig_conllu_row *row, ig_err *err)
{
    if (c->ended) {
        c->n = 0;
        c->first_line = 0;
        c->ended = false;
    }
    for (;;) {
        char *line, *column[COLUMNS];
        int64_t size;
        IG_TRY(ig_line_next(c->lines, &line, &size, err));
        *row = (ig_conllu_row){.head = -1, .line = ig_line_number(c->lines)};
        if (line != NULL && (int64_t)strlen(line) != size)
            return wrong(c, err, "text without NUL", line);
        if (line == NULL || line[strspn(line, " \t")] == '\0') {
            if (line != NULL && c->first_line == 0)
                continue;
            c->ended = c->first_line != 0;
            row->kind = c->ended ? IG_CONLLU_END : IG_CONLLU_DONE;
            return IG_ERR_OK;
        }
        if (c->first_line == 0)
            c->first_line = row->line;
        if (line[0] == '#')
            continue;
        const bool tabs = strchr(line, '\t') != NULL;
        const int n = cut(line, tabs, column);
        if (n != COLUMNS)
            return ig_line_fail(c->lines, err, "found %d column%s between %s, expected %d", n,
                                n == 1 ? "" : "s", tabs ? "tabs" : "blanks", COLUMNS);
        const char *mark = strpbrk(column[ID], "-.");
        if (mark == NULL || column[ID][0] < '0' || column[ID][0] > '9')
            return word_row(c, column, row, err);
        row->kind = IG_CONLLU_EMPTY_NODE;
        if (*mark == '-')
            range_row(column, row);
        return IG_ERR_OK;
    }
}

ig_code ig_conllu_check_tree(const ig_conllu *c, ig_err *err)
{
    const char *where = ig_line_where(c->lines);
    int32_t n_root = 0;
    for (int32_t i = 0; i < c->n; i++) {
        if (c->head[i] < 0 || c->head[i] > c->n)
            return ig_fail(err, IG_ERR_INPUT, where, c->line[i],
                           "found %d as the head of word %d, expected a word of its sentence, 1 to "
                           "%d, or 0",
                           c->head[i], i + 1, c->n);
        n_root += c->head[i] == 0;
    }
    for (int32_t i = 0; i < c->n; i++) {
        int32_t h = i + 1, step = 0;
        while (h > 0 && step++ <= c->n)
            h = c->head[h - 1];
        if (h > 0)
            return ig_fail(err, IG_ERR_INPUT, where, c->line[i],
                           "found a cycle: from word %d no way leads to the root, expected a tree",
                           i + 1);
    }
    return n_root == 1
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_INPUT, where, c->line[0],
                         "found %d roots in the sentence that begins here, expected one", n_root);
}

static bool has_feature(const char *feats, const char *feature)
{
    const size_t n = strlen(feature);
    for (const char *p = feats; (p = strstr(p, feature)) != NULL; p++)
        if ((p == feats || p[-1] == '|') && (p[n] == '\0' || p[n] == '|'))
            return true;
    return false;
}

/* White space inside a form would make two words after the tokenizer. */
static void join(char *form)
{
    uint8_t *to = (uint8_t *)form;
    const uint8_t *p = to, *const end = p + strlen(form);
    while (p < end) {
        uint32_t c;
        const int n = ig_utf8_next(p, end, &c);
        if (ig_is_white_space(c))
            *to = '_';
        else
            memmove(to, p, (size_t)n);
        to += ig_is_white_space(c) ? 1 : n;
        p += n;
    }
    *to = '\0';
}

/* ig_tree_node.number: by the features that Kallini et al. 2024 select verbs by. */
static uint8_t verb_number(const ig_conllu_row *row, char *bare, size_t size)
{
    const bool plural = has_feature(row->feats, "Number=Plur");
    const char *lemma = strcmp(row->lemma, "_") != 0 ? row->lemma : row->form;
    if (!has_feature(row->feats, "Person=3") || !has_feature(row->feats, "Tense=Pres") ||
        !has_feature(row->feats, "VerbForm=Fin") ||
        !(plural || has_feature(row->feats, "Number=Sing")) || strlen(lemma) >= size)
        return 0;
    strcpy(bare, lemma);
    join(bare);
    return plural ? 2 : 1;
}

static ig_code add_word(const ig_conllu *c, ig_phrase *p, const ig_conllu_row *row, ig_err *err)
{
    const int32_t i = p->n;
    if (row->head < 0)
        return wrong(c, err, "the number of another word as its head, or 0", "_");
    join(row->form);
    IG_TRY(ig_phrase_add(p, row->form, (int64_t)strlen(row->form), err));
    IG_TRY(ig_phrase_cover_units(p, i * IG_TRACE_UNIT, (i + 1) * IG_TRACE_UNIT, err));
    IG_TRY(ig_grow(&p->tree, &p->have_tree, i + 1, sizeof *p->tree, "tree", err));
    ig_tree_node *node = &p->tree[i];
    p->node[i] = i;
    p->n_node = i + 1;
    node->head = row->head - 1;
    snprintf(node->upos, sizeof node->upos, "%.*s", (int)sizeof node->upos - 1, row->upos);
    snprintf(node->rel, sizeof node->rel, "%.*s", (int)sizeof node->rel - 1, row->deprel);
    node->number = verb_number(row, node->bare, sizeof node->bare);
    return IG_ERR_OK;
}

ig_code ig_conllu_next(ig_conllu *c, ig_phrase *p, ig_err *err)
{
    ig_conllu_row row;
    IG_TRY(ig_phrase_clear(p, err));
    do {
        IG_TRY(ig_conllu_next_row(c, &row, err));
        if (row.kind == IG_CONLLU_WORD)
            IG_TRY(add_word(c, p, &row, err));
    } while (row.kind != IG_CONLLU_DONE && !(row.kind == IG_CONLLU_END && p->n > 0));
    return p->n > 0 ? ig_conllu_check_tree(c, err) : IG_ERR_OK;
}
