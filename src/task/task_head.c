/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads lines of column names. The names are those of XNLI (Conneau et al. 2018: gold_label,
 * sentence1, sentence2), its machine translations of MultiNLI (premise, hypo, label), those that
 * programs write for them, and those in tables of words; case is ignored.
 */
#include "task/task_internal.h"

#include "text/white_space.h"

#include <stdio.h>
#include <string.h>

static const ig_task_names names[IG_N_TASK_KIND][IG_N_COLUMN] = {
    [IG_TASK_PAIR] = {[IG_COLUMN_FIRST] = {"sentence1", "premise", "text_a", "sentence_a", "text1",
                                           "question1", NULL},
                      [IG_COLUMN_SECOND] = {"sentence2", "hypothesis", "hypo", "text_b",
                                            "sentence_b", "text2", "question2", NULL},
                      [IG_COLUMN_LABEL] = {"gold_label", "label", "labels", NULL},
                      [IG_COLUMN_LANGUAGE] = {"language", NULL}},
    /* BLiMP (Warstadt et al. 2020) and MultiBLiMP (Jumelet et al. 2025). */
    [IG_TASK_MINIMAL] = {[IG_COLUMN_FIRST] = {"sentence_good", "sen", "good", NULL},
                         [IG_COLUMN_SECOND] = {"sentence_bad", "wrong_sen", "bad", NULL},
                         [IG_COLUMN_LABEL] = {"phenomenon", "linguistics_term", NULL},
                         [IG_COLUMN_LANGUAGE] = {"language", NULL}},
    [IG_TASK_SINGLE] = {[IG_COLUMN_FIRST] = {"text", "sentence", NULL},
                        [IG_COLUMN_LABEL] = {"gold_label", "label", "labels", NULL},
                        [IG_COLUMN_LANGUAGE] = {"language", NULL}},
    [IG_TASK_TAGGING] = {[IG_COLUMN_FIRST] = {"word", "token", "form", "words", "tokens", NULL},
                         [IG_COLUMN_LABEL] = {"tag", "label", "labels", "ner", "ner_tag",
                                              "ner_tags", "ne", "tags", "upos", "pos", "pos_tags",
                                              NULL}},
};

ig_task_names *ig_task_names_of(ig_task_kind kind)
{
    return names[kind];
}

char *ig_task_trim(char *text)
{
    text += strspn(text, " ");
    size_t n = strlen(text);
    while (n > 0 && text[n - 1] == ' ')
        n--;
    text[n] = '\0';
    return text;
}

char *ig_task_trim_label(char *text)
{
    const char *at = text, *const end = text + strlen(text);
    int64_t n;
    const char *word = ig_next_word(&at, end, &n);
    char *const from = word != NULL ? text + (word - text) : text;
    int64_t size = 0;
    for (; word != NULL; word = ig_next_word(&at, end, &n))
        size = word + n - from;
    from[size] = '\0';
    return from;
}

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

int ig_task_compare_names(const char *a, const char *b)
{
    while (*a != '\0' && lower(*a) == lower(*b))
        a++, b++;
    return lower(*a) - lower(*b);
}

bool ig_task_same_name(const char *a, const char *b)
{
    return ig_task_compare_names(a, b) == 0;
}

bool ig_task_is_name(const char *cell, size_t n, const char *name)
{
    size_t from = 0;
    char text[64];
    while (from < n && (cell[from] == ' ' || cell[from] == '"'))
        from++;
    while (n > from && (cell[n - 1] == ' ' || cell[n - 1] == '"'))
        n--;
    if (n - from >= sizeof text)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)(n - from), cell + from);
    return ig_task_same_name(text, name);
}

static bool is_name(const char *cell, const char *name)
{
    return ig_task_is_name(cell, strlen(cell), name);
}

/* Returns the column of this name; −1: there is none. *twice: there is a second one. */
static int find(char *const *cell, int n, const char *name, bool *twice)
{
    int at = -1;
    for (int i = 0; i < n; i++) {
        if (!is_name(cell[i], name))
            continue;
        *twice |= at >= 0;
        at = at < 0 ? i : at;
    }
    return at;
}

bool ig_task_needs(ig_task_kind kind, int column, bool labels)
{
    return column == IG_COLUMN_FIRST || (column == IG_COLUMN_LABEL && labels) ||
           (column == IG_COLUMN_SECOND && ig_task_n_text(kind) == 2);
}

/* Finds the columns that TASK.yaml names. */
static ig_code named(ig_task_head *out, const ig_task_layout *l, char *const *cell, int n,
                     const ig_line_reader *lines, ig_err *err)
{
    for (int c = 0; c < IG_N_COLUMN; c++) {
        bool twice = false;
        if (l->name[c] == NULL)
            continue;
        out->is_head = true;
        out->place[c] = find(cell, n, l->name[c], &twice);
        if (out->place[c] < 0 || twice)
            return ig_line_fail(lines, err,
                                "found %s column '%.60s' in the line of names, "
                                "expected one, which 'columns' in the task names",
                                twice ? "more than one" : "no", l->name[c]);
    }
    return IG_ERR_OK;
}

/* Uses the indices in TASK.yaml: a line of names has known names there, of a table at least that of
 * the label. */
static void at_places(ig_task_head *out, const ig_task_form *form, char *const *cell, int n)
{
    int n_known = 0;
    for (int c = 0; c < IG_N_COLUMN; c++) {
        const int at = form->layout.place[c];
        bool known = false;
        out->place[c] = at >= 0 ? at : out->place[c];
        for (int k = 0; at >= 0 && at < n && names[form->kind][c][k] != NULL; k++)
            known |= is_name(cell[at], names[form->kind][c][k]);
        n_known += known;
        if (c == IG_COLUMN_LABEL && form->kind != IG_TASK_TAGGING)
            out->is_head |= known;
    }
    out->is_head |= n_known > 1;
}

/* The names of what is missing, for messages. */
static const char *const needed[IG_N_TASK_KIND][IG_N_COLUMN] = {
    [IG_TASK_PAIR] = {[IG_COLUMN_FIRST] = "premise", "hypothesis", "label"},
    [IG_TASK_SINGLE] = {[IG_COLUMN_FIRST] = "text", [IG_COLUMN_LABEL] = "label"},
    [IG_TASK_TAGGING] = {[IG_COLUMN_FIRST] = "word", [IG_COLUMN_LABEL] = "label"},
    [IG_TASK_MINIMAL] = {[IG_COLUMN_FIRST] = "good sentence", "bad sentence", "phenomenon"}};

const char *ig_task_column_name(ig_task_kind kind, ig_task_column column)
{
    return needed[kind][column];
}

ig_code ig_task_head_read(ig_task_head *out, const ig_task_form *form, bool labels,
                          char *const *cell, int n, const ig_line_reader *lines, ig_err *err)
{
    const ig_task_names *known = names[form->kind];
    int n_known = 0, missing = -1;
    bool twice = false;
    out->is_head = false;
    for (int c = 0; c < IG_N_COLUMN; c++)
        out->place[c] = -1;
    if (form->layout.given) {
        at_places(out, form, cell, n);
        return named(out, &form->layout, cell, n, lines, err);
    }
    for (int c = 0; c < IG_N_COLUMN; c++) {
        for (int k = 0; known[c][k] != NULL && out->place[c] < 0; k++)
            out->place[c] = find(cell, n, known[c][k], &twice);
        n_known += out->place[c] >= 0;
        if (out->place[c] < 0 && ig_task_needs(form->kind, c, labels))
            missing = c;
    }
    out->is_head = missing < 0;
    if (out->is_head && twice)
        return ig_line_fail(lines, err, "found a name twice in the line of names, expected once");
    if (out->is_head || n_known == 0 || n < 2)
        return IG_ERR_OK;
    ig_line_fail(lines, err, "found a line of names without one for the %s, expected '%s' or '%s'",
                 needed[form->kind][missing], known[missing][0], known[missing][1]);
    return ig_hint(err, "'columns: {%s}' in the task names them, by names or numbers",
                   form->kind == IG_TASK_SINGLE ? "text: NAME, label: NAME"
                   : form->kind == IG_TASK_PAIR ? "premise: NAME, hypothesis: NAME, label: NAME"
                                                : "good: NAME, bad: NAME, phenomenon: NAME");
}
