/* SPDX-License-Identifier: Apache-2.0
 *
 * Words in columns, a word a line and a blank line behind each sentence, as the shared tasks of
 * CoNLL-2002 and 2003 and PAN-X have them; and CoNLL-U.
 */
#include "task/task_fused.h"

#include <string.h>

typedef struct {
    ig_task_part *part;
    ig_line_reader *lines;
    bool tabs;      /* columns are between tabs, else between blanks */
    int n_column;   /* of each line; 0: not known yet */
    int word, tag;  /* places */
    uint64_t begin; /* line in which the sentence begins; 0: it has not begun */
} columns;

static bool is_comment(const columns *c, const char *line)
{
    /* "#" alone, or before a tab or a tag, is a word. */
    return c->tabs && line[0] == '#' && strchr(line, '\t') == NULL;
}

int ig_task_cut(char *line, bool tabs, char **column)
{
    const char *const between = tabs ? "\t" : " \t";
    int n = 0;
    char *p = line;
    for (;;) {
        if (!tabs)
            p += strspn(p, between);
        if (!tabs && *p == '\0')
            return n;
        if (n < IG_TASK_MOST_COLUMN)
            column[n] = p;
        n++;
        p += strcspn(p, between);
        if (*p == '\0')
            return n;
        *p++ = '\0';
    }
}

/* Which column is what: as the task says, else the first is the word and the last the tag. */
static ig_code places(columns *c, int n, ig_err *err)
{
    const ig_task_form *form = c->part->form;
    c->n_column = form->n_column > 0 ? form->n_column : n;
    c->word = 0;
    c->tag = n - 1;
    for (int i = 0; i < form->n_column; i++) {
        c->word = form->column[i] == IG_COLUMN_FIRST ? i : c->word;
        c->tag = form->column[i] == IG_COLUMN_LABEL ? i : c->tag;
    }
    if (n < 2)
        return ig_line_fail(c->lines, err, "found 1 column, expected a word and its tag");
    return n <= IG_TASK_MOST_COLUMN
               ? IG_ERR_OK
               : ig_line_fail(c->lines, err, "found %d columns, expected at most %d", n,
                              IG_TASK_MOST_COLUMN);
}

static ig_code word_line(columns *c, char *line, ig_err *err)
{
    char *column[IG_TASK_MOST_COLUMN];
    const char *where = ig_line_where(c->lines);
    const uint64_t at = ig_line_number(c->lines);
    const int n = ig_task_cut(line, c->tabs, column);
    if (c->n_column == 0)
        IG_TRY(places(c, n, err));
    if (n != c->n_column)
        return ig_fail(err, IG_ERR_INPUT, where, at, "found %d column%s, expected %d", n,
                       n == 1 ? "" : "s", c->n_column);
    if (strcmp(column[c->word], "-DOCSTART-") == 0)
        return IG_ERR_OK;
    if (column[c->word][0] == '\0' || column[c->tag][0] == '\0')
        return ig_fail(err, IG_ERR_INPUT, where, at, "found no %s in column %d, expected one",
                       column[c->word][0] == '\0' ? "word" : "tag",
                       1 + (column[c->word][0] == '\0' ? c->word : c->tag));
    const ig_task_word w = {.form = column[c->word], .label = column[c->tag], .line = at};
    c->begin = c->begin > 0 ? c->begin : at;
    return ig_task_part_word(c->part, &w, err);
}

static ig_code read_lines(columns *c, ig_err *err)
{
    for (;;) {
        char *line;
        int64_t size;
        IG_TRY(ig_line_next(c->lines, &line, &size, err));
        if (line != NULL && (int64_t)strlen(line) != size)
            return ig_line_fail(c->lines, err, "found a zero byte, expected text");
        if (line == NULL || line[strspn(line, " \t")] == '\0') {
            if (c->begin > 0)
                IG_TRY(ig_task_part_sentence(c->part, c->begin, ig_line_where(c->lines), err));
            c->begin = 0;
            if (line == NULL)
                return IG_ERR_OK;
        } else if (!is_comment(c, line))
            IG_TRY(word_line(c, line, err));
    }
}

/* --- CoNLL-U ------------------------------------------------------------------------------------
 */

static ig_code add_row(ig_task_part *p, const ig_conllu_row *row, const char *where, ig_err *err)
{
    const bool parsing = p->form->kind == IG_TASK_PARSING;
    const ig_task_word w = {.form = row->form,
                            .label = parsing ? row->deprel : row->upos,
                            .pos = row->upos,
                            .head = row->head,
                            .line = row->line};
    if (parsing && row->head < 0)
        return ig_fail(err, IG_ERR_INPUT, where, row->line,
                       "found '_' as the head of a word, expected a number");
    if (w.label[0] == '\0' || (parsing && (w.label[0] == ':' || strcmp(w.label, "_") == 0)))
        return ig_fail(err, IG_ERR_INPUT, where, row->line, "found no %s, expected one",
                       parsing ? "relation" : "part of speech");
    return ig_task_part_word(p, &w, err);
}

/* f: a sentence for `words: xtreme`; else NULL. */
static ig_code read_rows(ig_task_part *p, ig_conllu *c, ig_task_fused *f, const char *where,
                         ig_err *err)
{
    ig_conllu_row row;
    for (;;) {
        IG_TRY(ig_conllu_next_row(c, &row, err));
        switch (row.kind) {
        case IG_CONLLU_DONE:
            return IG_ERR_OK;
        case IG_CONLLU_RANGE:
            p->count.range++;
            if (f != NULL)
                IG_TRY(ig_task_fused_token(f, p, &row, where, err));
            break;
        case IG_CONLLU_EMPTY_NODE:
            p->count.empty_node++;
            break;
        case IG_CONLLU_WORD:
            IG_TRY(f != NULL ? ig_task_fused_word(f, p, &row, err) : add_row(p, &row, where, err));
            break;
        case IG_CONLLU_END:
            if (f != NULL) {
                IG_TRY(ig_task_fused_sentence(f, p, c, where, err));
                break;
            }
            if (p->form->kind == IG_TASK_PARSING && ig_conllu_n_word(c) > 0)
                IG_TRY(ig_conllu_check_tree(c, err));
            IG_TRY(ig_task_part_sentence(p, ig_conllu_first_line(c), where, err));
            break;
        }
    }
}

static ig_code read_conllu(ig_task_part *p, ig_line_reader *lines, const char *path, ig_err *err)
{
    ig_conllu *c;
    IG_TRY(ig_conllu_of_lines(&c, lines, err));
    ig_task_fused fused = {0};
    const ig_code code = read_rows(p, c, p->form->fused ? &fused : NULL, path, err);
    ig_task_fused_free(&fused);
    ig_conllu_close(c);
    return code;
}

/* Whether the first line that is neither blank nor a comment has ten columns and begins with the
 * number 1. */
static bool is_conllu(const char *text, int64_t n)
{
    const char *p = text, *end = text + n;
    if (n >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
        p += 3;
    while (p < end && (*p == '#' || *p == '\n' || *p == '\r')) {
        const char *lf = memchr(p, '\n', (size_t)(end - p));
        p = lf != NULL ? lf + 1 : end;
    }
    int n_tab = 0;
    const bool one = end - p > 2 && p[0] == '1' && (p[1] == '\t' || p[1] == '-');
    for (; p < end && *p != '\n'; p++)
        n_tab += *p == '\t';
    return one && n_tab == 9;
}

ig_code ig_task_read_tagging(ig_task_part *p, const char *path, ig_err *err)
{
    columns c = {.part = p};
    const char *text;
    int64_t n;
    IG_TRY(ig_line_open(&c.lines, path, err));
    ig_code code = ig_line_peek(c.lines, &text, &n, err);
    if (code == IG_ERR_OK && p->form->n_column == 0 && is_conllu(text, n))
        return read_conllu(p, c.lines, path, err);
    if (code == IG_ERR_OK && p->form->fused)
        code = ig_fail(err, IG_ERR_INPUT, path, 0,
                       "found no CoNLL-U, expected it for 'words: xtreme'");
    c.tabs = code == IG_ERR_OK && memchr(text, '\t', (size_t)n) != NULL;
    IG_THEN(code, read_lines(&c, err));
    ig_line_close(c.lines);
    return code;
}

ig_code ig_task_read_parsing(ig_task_part *p, const char *path, ig_err *err)
{
    ig_line_reader *lines;
    IG_TRY(ig_line_open(&lines, path, err));
    return read_conllu(p, lines, path, err);
}
