/* SPDX-License-Identifier: Apache-2.0
 *
 * Detects layouts of words in columns: CoNLL-2003 (the word first, the tag last), CoNLL-X and
 * CoNLL-U (ten columns, a number first), GermEval 2014 (number, word, outer tag, inner tag) and
 * Universal NER (number, word, tag, two more). The rows decide, never the file's name.
 */
#include "task/task_shape.h"

#include "task/tag.h"
#include "task/task_internal.h"
#include "text/white_space.h"

#include <stdio.h>
#include <string.h>

enum { CONLLU_COLUMNS = 10, MOST_COLUMN = 64 };

typedef struct {
    const char *at;
    size_t n;
} cell;

/* Splits a line of n bytes; returns the number of columns, of which the first MOST_COLUMN are
 * written. */
static int cut(cell *out, const char *line, size_t n, bool tabs)
{
    const char *p = line, *end = line + n;
    int n_cell = 0;
    for (;;) {
        while (!tabs && p < end && (*p == ' ' || *p == '\t'))
            p++;
        if (!tabs && p == end)
            return n_cell;
        const char *from = p;
        while (p < end && *p != '\t' && (tabs || *p != ' '))
            p++;
        if (n_cell < MOST_COLUMN)
            out[n_cell] = (cell){from, (size_t)(p - from)};
        n_cell++;
        if (p == end)
            return n_cell;
        p++;
    }
}

bool ig_word_shape_document(const char *line)
{
    static const char mark[] = "-DOCSTART-";
    const size_t n = sizeof mark - 1;
    return strncmp(line, mark, n) == 0 && (line[n] == '\0' || line[n] == ' ' || line[n] == '\t');
}

/* Reads a number of at most six digits at the beginning; returns the number of digits. */
static size_t digits(const char *at, size_t n, int64_t *value)
{
    size_t k = 0;
    *value = 0;
    for (; k < n && at[k] >= '0' && at[k] <= '9'; k++)
        if (k < 7)
            *value = 10 * *value + (at[k] - '0');
    return k;
}

static ig_word_count count_of(cell c, int64_t *value)
{
    int64_t second;
    const size_t k = digits(c.at, c.n, value);
    if (k == 0)
        return IG_COUNT_NONE;
    if (k == c.n)
        return IG_COUNT_WORD;
    const size_t rest = digits(c.at + k + 1, c.n - k - 1, &second);
    if (rest == 0 || k + 1 + rest < c.n || (c.at[k] != '-' && c.at[k] != '.'))
        return IG_COUNT_NONE;
    return c.at[k] == '-' ? IG_COUNT_RANGE : IG_COUNT_EMPTY;
}

ig_word_count ig_word_shape_count(const char *text)
{
    int64_t value;
    return count_of((cell){text, strlen(text)}, &value);
}

/* Returns the next complete line of the beginning; false: there is none. */
static bool next_line(const char **at, const char *end, bool whole, const char **line, size_t *n)
{
    if (*at >= end)
        return false;
    const char *lf = memchr(*at, '\n', (size_t)(end - *at));
    if (lf == NULL && !whole)
        return false;
    *line = *at;
    *n = (size_t)((lf != NULL ? lf : end) - *at);
    *at = lf != NULL ? lf + 1 : end;
    if (*n > 0 && (*line)[*n - 1] == '\r')
        --*n;
    return true;
}

static bool starts_document(const char *line, size_t n)
{
    char text[16];
    snprintf(text, sizeof text, "%.*s", (int)(n < sizeof text - 1 ? n : sizeof text - 1), line);
    return ig_word_shape_document(text);
}

/* Returns the index of a column's preferred name; −1: there is none. */
static int named(const cell *c, int n, int column)
{
    for (const char *const *name = ig_task_names_of(IG_TASK_TAGGING)[column]; *name != NULL; name++)
        for (int k = 0; k < n && k < MOST_COLUMN; k++)
            if (ig_task_is_name(c[k].at, c[k].n, *name))
                return k;
    return -1;
}

/* The columns that CoNLL-U Plus names in a comment. */
static void global_columns(ig_word_shape *s, const char *line, size_t n)
{
    static const char key[] = "# global.columns =";
    const size_t n_key = sizeof key - 1;
    cell c[MOST_COLUMN];
    if (n <= n_key || strncmp(line, key, n_key) != 0)
        return;
    const int n_cell = cut(c, line + n_key, n - n_key, false);
    s->word = named(c, n_cell, IG_COLUMN_FIRST);
    s->tag = named(c, n_cell, IG_COLUMN_LABEL);
    s->named = s->word >= 0 && s->tag >= 0;
}

/* Finds the first row: not a blank line, nor a comment if some lines are none. */
static void first_row(ig_word_shape *s, const char *text, const char *end, bool whole)
{
    const char *line, *found = NULL;
    size_t n, size = 0;
    bool row = false;
    uint64_t number = 0;
    while (!row && next_line(&text, end, whole, &line, &n)) {
        number++;
        global_columns(s, line, s->named ? 0 : n);
        if (ig_is_blank(line, (int64_t)n) || starts_document(line, n) ||
            (line[0] == '#' && found != NULL))
            continue;
        row = line[0] != '#';
        found = line;
        size = n;
        s->line = number;
    }
    if (found == NULL || (!row && !whole))
        return;
    cell c[MOST_COLUMN];
    s->tabs = memchr(found, '\t', size) != NULL;
    s->n_column = cut(c, found, size, s->tabs);
    s->named &= s->word < s->n_column && s->tag < s->n_column;
    if (s->named)
        return;
    s->word = named(c, s->n_column, IG_COLUMN_FIRST);
    s->tag = named(c, s->n_column, IG_COLUMN_LABEL);
    s->head = s->word >= 0 && s->tag >= 0;
}

/* Counts over the rows of the beginning. */
typedef struct {
    int64_t n_row, n_number, n_next, n_tag[MOST_COLUMN];
    int64_t n_word;             /* rows that are no multiword token and no empty node */
    int64_t n_inside, n_repeat; /* after another row of the sentence; with its first column */
    int64_t last;               /* number that counts */
    bool begins, ended;         /* no word of the sentence was counted; a sentence has ended */
    bool typed;                 /* a first column has a tag as B-PER */
    bool first;                 /* the first row has a number that can begin a sentence */
    bool head;                  /* column 7 is a number, or "_" */
} rows;

static bool is_tag(cell c)
{
    char name[64];
    ig_tag tag;
    snprintf(name, sizeof name, "%.*s", (int)(c.n < sizeof name ? c.n : sizeof name - 1), c.at);
    return ig_tag_parse(&tag, ig_task_trim_label(name));
}

/* Returns whether a column has tags of spans; a few others are left to the reader to report. */
static bool has_spans(const rows *r, int column)
{
    return column >= 0 && column < MOST_COLUMN && r->n_word > 0 &&
           10 * r->n_tag[column] >= 9 * r->n_word;
}

/* Counts a row; before: the first column of the row before it in its sentence. */
static void count_row(rows *r, const ig_word_shape *s, const char *line, size_t n, cell *before)
{
    cell c[MOST_COLUMN];
    const int n_cell = cut(c, line, n, s->tabs);
    int64_t value;
    const ig_word_count kind = count_of(c[0], &value);
    r->first |= r->n_row == 0 && kind != IG_COUNT_NONE && value < 2;
    r->n_row++;
    r->n_number += kind != IG_COUNT_NONE;
    if (kind == IG_COUNT_WORD) {
        r->n_next += r->last < 0 || value == r->last + 1 || (r->begins && value < 2);
        r->last = value;
        r->begins = false;
    } else if (kind != IG_COUNT_NONE)
        r->n_next++;
    if (n_cell > 6 && c[6].n > 0)
        r->head &= c[6].at[0] == '_' || (c[6].at[0] >= '0' && c[6].at[0] <= '9');
    r->n_inside += before->n > 0;
    r->n_repeat += before->n > 0 && before->n == c[0].n && memcmp(before->at, c[0].at, c[0].n) == 0;
    *before = c[0];
    if (kind == IG_COUNT_RANGE || kind == IG_COUNT_EMPTY)
        return;
    r->n_word++;
    for (int k = 0; k < n_cell && k < MOST_COLUMN; k++)
        r->n_tag[k] += is_tag(c[k]);
    r->typed |= c[0].n > 2 && is_tag(c[0]);
}

static void count_rows(rows *r, const ig_word_shape *s, const char *text, const char *end,
                       bool whole)
{
    const char *line;
    size_t n;
    bool skip = s->head;
    cell before = {NULL, 0};
    r->head = true;
    r->begins = true;
    r->last = -1;
    while (next_line(&text, end, whole, &line, &n)) {
        if (n > 0 && line[0] == '#')
            continue;
        if (ig_is_blank(line, (int64_t)n) || starts_document(line, n)) {
            r->ended |= r->n_row > 0;
            r->begins = true;
            before.n = 0;
        } else if (!skip)
            count_row(r, s, line, n, &before);
        else
            skip = false;
    }
}

/* Returns the column of the tags in rows of number, word, tag, …: the only one of spans, or
 * GermEval's outer one; −1: ambiguous. */
static int tag_column(const ig_word_shape *s, const rows *r)
{
    int found = -1, n_found = 0;
    for (int k = 2; k < s->n_column && k < MOST_COLUMN; k++)
        if (has_spans(r, k))
            found = n_found++ == 0 ? k : found;
    if (s->n_column == 3)
        return 2;
    return n_found == 1 || (n_found == 2 && s->n_column == 4) ? found : -1;
}

ig_word_shape ig_word_shape_of(const char *text, int64_t n)
{
    enum { PEEK = 64 << 10 };
    const char *end = text + n;
    const bool whole = n < PEEK;
    rows r = {0};
    ig_word_shape s = {.word = -1, .tag = -1};
    if (n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        text += 3;
    first_row(&s, text, end, whole);
    count_rows(&r, &s, text, end, whole);
    const bool many = s.n_column > 1 && r.n_row > 0;
    s.counted = many && 10 * r.n_next >= 9 * r.n_row;
    s.conllu = !s.head && s.n_column == CONLLU_COLUMNS &&
               (s.tabs ? s.counted || r.first : s.counted && r.head);
    if (s.named && (s.word != 1 || s.tag != 3))
        s.conllu = false;
    s.counted |= s.conllu;
    s.blank = r.ended;
    if (!s.head && !s.named) {
        s.word = s.counted ? 1 : 0;
        s.tag = s.counted ? tag_column(&s, &r) : s.n_column - 1;
    }
    s.spans = has_spans(&r, s.tag);
    if (many && !s.head && s.word == 0 && r.n_number == r.n_row)
        s.no_words = "nothing but numbers in the first column";
    else if (many && !s.head && s.word == 0 && r.typed && has_spans(&r, 0) && !s.spans) {
        s.no_words = "tags of spans in the first column";
        s.tag_first = true;
    } else if (s.n_column > 2 && !s.head && s.word == 0 && r.n_inside > 1 &&
               r.n_repeat == r.n_inside)
        s.no_words = "the same first column in all lines of a sentence";
    return s;
}

bool ig_word_shape_comment(const ig_word_shape *s, const char *line, bool inside)
{
    cell c[MOST_COLUMN];
    if (line[0] != '#')
        return false;
    if (s->counted)
        return true;
    const int n = cut(c, line, strlen(line), s->tabs);
    /* "#" and a source among rows of two columns, "# sent_id = 1" among rows of four. */
    if (n == s->n_column)
        return !inside && c[0].n == 1 &&
               ((s->spans && s->tag < n && !is_tag(c[s->tag])) ||
                (!s->tabs && n > 2 && c[2].n == 1 && c[2].at[0] == '='));
    return !inside || line[1] == ' ' || line[1] == '\t' || line[1] == '\0';
}
