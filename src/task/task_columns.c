/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads words in columns, one word a line and a blank line after each sentence, as in the shared
 * tasks of CoNLL-2002 and 2003, GermEval 2014 and PAN-X; and CoNLL-U. task_shape.c detects the
 * format of a file.
 */
#include "task/task_fused.h"

#include "task/task_shape.h"
#include "text/white_space.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    ig_task_part *part;
    ig_line_reader *lines;
    ig_word_shape shape;
    bool started;   /* its columns are known */
    int n_column;   /* of each line */
    int word, tag;  /* indices */
    uint64_t begin; /* line in which the sentence begins; 0: it has not started */
    ig_task_places seen;
} columns;

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

/* Fails for columns whose meaning only TASK.yaml can give. */
static ig_code fail_columns(const columns *c, const char *found, const char *expected, ig_err *err)
{
    ig_line_fail(c->lines, err, "found %s, expected %s", found, expected);
    const char *const names = c->shape.tag_first ? "word: 2, tag: 1"
                              : c->n_column == 2 ? "word: 1, tag: 2"
                                                 : "word: 2, tag: 3";
    return ig_hint(err, "'columns: {%s}' in the task names them, from 1", names);
}

/* A column may number the sentences where no blank line ends them. */
static ig_code check_sentences(const columns *c, char *const *name, int n, ig_err *err)
{
    static const char key[] = "sent";
    char begin[sizeof key];
    for (int k = 0; k < n; k++) {
        snprintf(begin, sizeof begin, "%s", ig_task_trim(name[k]));
        if (k != c->word && k != c->tag && ig_task_same_name(begin, key))
            return ig_line_fail(c->lines, err,
                                "found column '%.40s' and no blank line below it, expected a blank "
                                "line after each sentence",
                                ig_task_trim(name[k]));
    }
    return IG_ERR_OK;
}

/* Finds the columns of word and tag from the first line: as given by TASK.yaml or by names in the
 * line, otherwise by the file's shape. *is_row: the line is a word. */
static ig_code places(columns *c, char *const *column, int n, bool *is_row, ig_err *err)
{
    const ig_task_form *form = c->part->form;
    if (column[0][0] == '{' && column[0][1] == '"')
        return ig_line_fail(c->lines, err, "found JSON, expected a word and its tag in each line");
    if (n < 2) {
        ig_line_fail(c->lines, err, "found 1 column, expected a word and its tag");
        return ig_hint(err, "columns are separated by tabs or blanks");
    }
    if (n > IG_TASK_MOST_COLUMN)
        return ig_line_fail(c->lines, err, "found %d columns, expected at most %d", n,
                            IG_TASK_MOST_COLUMN);
    c->started = true;
    c->n_column = form->layout.n > 0 ? form->layout.n : n;
    c->word = c->shape.word;
    c->tag = c->shape.tag;
    *is_row = !c->shape.head;
    if (form->layout.given) {
        ig_task_head head;
        IG_TRY(ig_task_head_read(&head, form, true, column, n, c->lines, err));
        c->word = head.place[IG_COLUMN_FIRST];
        c->tag = head.place[IG_COLUMN_LABEL];
        *is_row = !head.is_head;
        const int most = c->word > c->tag ? c->word : c->tag;
        return most < c->n_column
                   ? IG_ERR_OK
                   : ig_line_fail(c->lines, err,
                                  "found %d columns, expected %d or more for 'columns' of the task",
                                  n, most + 1);
    }
    if (c->shape.no_words != NULL && c->word == 0)
        return fail_columns(c, c->shape.no_words, "words there", err);
    if (c->shape.head && !c->shape.blank)
        IG_TRY(check_sentences(c, column, n, err));
    if (c->tag >= 0 && (c->tag != c->word || n < 2))
        return IG_ERR_OK;
    return n == 2
               ? fail_columns(c, "numbers in the first of two columns", "words there", err)
               : fail_columns(c, "a first column that counts words, and several others",
                              "number, word and tag, CoNLL-U's ten, or 'columns' in the task", err);
}

/* For a file whose first column counts words: *is_word is false for multiword tokens and empty
 * nodes. */
static ig_code check_count(const columns *c, const char *number, bool *is_word, ig_err *err)
{
    switch (ig_word_shape_count(number)) {
    case IG_COUNT_RANGE:
        c->part->count.range++;
        *is_word = false;
        return IG_ERR_OK;
    case IG_COUNT_EMPTY:
        c->part->count.empty_node++;
        *is_word = false;
        return IG_ERR_OK;
    case IG_COUNT_WORD:
        return IG_ERR_OK;
    case IG_COUNT_NONE:
        break;
    }
    return ig_line_fail(c->lines, err,
                        "found '%.60s' in the first column, expected a number as in "
                        "the lines before it",
                        number);
}

static ig_code word_line(columns *c, char *line, ig_err *err)
{
    char *column[IG_TASK_MOST_COLUMN];
    bool is_word = true;
    const uint64_t at = ig_line_number(c->lines);
    const int n = ig_task_cut(line, c->shape.tabs, column);
    if (!c->started)
        IG_TRY(places(c, column, n, &is_word, err));
    if (n != c->n_column && c->part->form->layout.n == 0 && c->shape.line < at) {
        ig_line_fail(c->lines, err, "found %d column%s, expected %d as in line %llu", n,
                     n == 1 ? "" : "s", c->n_column, (unsigned long long)c->shape.line);
        return ig_hint(err, "columns are separated by %s, as in that line",
                       c->shape.tabs ? "tabs" : "blanks");
    }
    if (n != c->n_column)
        return ig_line_fail(c->lines, err, "found %d column%s, expected %d", n, n == 1 ? "" : "s",
                            c->n_column);
    if (is_word && c->shape.counted && c->word != 0)
        IG_TRY(check_count(c, column[0], &is_word, err));
    if (!is_word)
        return IG_ERR_OK;
    const char *word = ig_task_trim(column[c->word]), *tag = ig_task_trim_label(column[c->tag]);
    if (word[0] == '\0' || tag[0] == '\0') {
        ig_line_fail(c->lines, err, "found no %s in column %d, expected one",
                     word[0] == '\0' ? "word" : "tag", 1 + (word[0] == '\0' ? c->word : c->tag));
        return ig_hint(err, "'columns' in the task says where words and tags are");
    }
    if (tag[0] == '"' && strlen(tag) > 2 && tag[strlen(tag) - 1] == '"') {
        ig_line_fail(c->lines, err, "found tag %.60s in quotation marks, expected it without", tag);
        return ig_hint(err, "quote = FALSE in R's write.table()");
    }
    if (!c->part->form->layout.given && !c->shape.head && !c->shape.named)
        IG_TRY(ig_task_places_add(&c->seen, (const char *const[]){NULL, word, NULL, tag}, err));
    c->begin = c->begin > 0 ? c->begin : at;
    return ig_task_part_word(c->part, &(ig_task_word){.form = word, .label = tag, .line = at}, err);
}

static ig_code end_sentence(columns *c, ig_err *err)
{
    const uint64_t begin = c->begin;
    c->begin = 0;
    return begin > 0 ? ig_task_part_sentence(c->part, begin, ig_line_where(c->lines), err)
                     : IG_ERR_OK;
}

static ig_code read_lines(columns *c, ig_err *err)
{
    for (;;) {
        char *line;
        int64_t size;
        IG_TRY(ig_line_next(c->lines, &line, &size, err));
        if (line == NULL) {
            IG_TRY(end_sentence(c, err));
            return ig_task_places_check_words(&c->seen, c->word, c->tag, c->lines, err);
        }
        c->part->open_line = ig_line_ended(c->lines) ? 0 : (int64_t)ig_line_number(c->lines);
        if (c->shape.n_column == 0 && line[0] != '#') { /* the beginning had no row */
            c->shape = ig_word_shape_of(line, size);
            c->shape.line = ig_line_number(c->lines);
        }
        if (ig_is_blank(line, size) || ig_word_shape_document(line))
            IG_TRY(end_sentence(c, err));
        else if (!ig_word_shape_comment(&c->shape, line, c->begin > 0))
            IG_TRY(word_line(c, line, err));
    }
}

/* --- CoNLL-U ---------------------------------------------------------------------------------- */

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

/* f: a sentence for `words: xtreme`; otherwise NULL. */
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

ig_code ig_task_read_tagging(ig_task_part *p, const char *path, ig_err *err)
{
    columns c = {.part = p};
    const char *text;
    int64_t n;
    IG_TRY(ig_line_open(&c.lines, path, err));
    ig_code code = ig_line_peek(c.lines, &text, &n, err);
    if (code == IG_ERR_OK)
        c.shape = ig_word_shape_of(text, n);
    if (code == IG_ERR_OK && !p->form->layout.given && c.shape.conllu)
        return read_conllu(p, c.lines, path, err);
    if (code == IG_ERR_OK && p->form->fused)
        code = ig_fail(err, IG_ERR_INPUT, path, 0,
                       "found no CoNLL-U, expected it for 'words: xtreme'");
    IG_THEN(code, read_lines(&c, err));
    ig_task_places_free(&c.seen);
    ig_line_close(c.lines);
    return code;
}

ig_code ig_task_read_parsing(ig_task_part *p, const char *path, ig_err *err)
{
    ig_line_reader *lines;
    IG_TRY(ig_line_open(&lines, path, err));
    return read_conllu(p, lines, path, err);
}
