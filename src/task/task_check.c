/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports labels that look like a mistake in a file: a line of names that was read as a row, a
 * last line that was truncated, names that differ only in case, and labels that no training file
 * has. Of spans' tags the types are compared.
 */
#include "task/tag.h"

#include "base/memory.h"
#include "task/task_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NOTE = 5 }; /* of a kind */

/* A label, or the type of a tag. */
typedef struct {
    const char *name;
    int64_t n, n_elsewhere; /* in files that decide the labels; in the others */
    bool below;             /* it occurs in a line that is not the first of its file */
    int set;                /* where it occurs first */
    int64_t label;
} kind;

typedef struct {
    ig_task *task;
    int64_t *const *line;
    ig_lexicon names; /* of the kinds */
    kind *kind;       /* [names.n] */
    int32_t *of;      /* [labels] the kind of each */
    const ig_lexicon *labels;
    bool odd_outside; /* TASK.yaml has tags that are none of the scheme read as O */
} checker;

static ig_code kinds_of(checker *c, const ig_lexicon *name, ig_err *err)
{
    IG_TRY(ig_alloc(&c->of, name->n, sizeof *c->of, "labels", err));
    for (int32_t i = 0; i < name->n; i++) {
        const char *text = ig_lexicon_get(name, i);
        ig_tag tag;
        if (c->task->kind == IG_TASK_TAGGING && ig_tag_parse(&tag, text) && tag.type[0] != '\0')
            text = tag.type;
        IG_TRY(ig_lexicon_add(&c->names, text, (int64_t)strlen(text), &c->of[i], err));
    }
    IG_TRY(ig_alloc(&c->kind, c->names.n, sizeof *c->kind, "labels", err));
    for (int s = 0; s < c->task->n_set; s++) {
        const ig_task_set *set = &c->task->set[s];
        const bool decides = ig_task_set_decides(c->task, set);
        for (int64_t k = 0; k < ig_task_n_label(set); k++) {
            if (set->label[k] < 0)
                continue;
            kind *to = &c->kind[c->of[set->label[k]]];
            if (to->n + to->n_elsewhere == 0) {
                to->set = s;
                to->label = k;
            }
            to->below |= c->line[s][k] > 1;
            *(decides ? &to->n : &to->n_elsewhere) += 1;
        }
    }
    for (int32_t i = 0; i < c->names.n; i++)
        c->kind[i].name = ig_lexicon_get(&c->names, i);
    return IG_ERR_OK;
}

/* Writes "FILE:LINE" of a label. */
static ig_code place_of(const checker *c, const kind *k, const char **out, ig_err *err)
{
    const ig_task_set *set = &c->task->set[k->set];
    return ig_pool_print(&c->task->pool, out, err, "%s:%lld",
                         ig_task_file(set, ig_task_sentence_of(set, k->label)),
                         (long long)c->line[k->set][k->label]);
}

/* Notes labels of the training files that occur there once, or only in first lines, as lines of
 * names and truncated lines do. */
static ig_code note_once(const checker *c, ig_err *err)
{
    int n = 0;
    for (int32_t i = 0; i < c->names.n && c->names.n > 2 && n < MOST_NOTE; i++) {
        const kind *k = &c->kind[i];
        const char *where, *text;
        if (k->n == 0 || (k->below && k->n + k->n_elsewhere > 1))
            continue;
        IG_TRY(place_of(c, k, &where, err));
        IG_TRY(ig_pool_print(&c->task->pool, &text, err, "%s: label '%.60s' occurs once%s", where,
                             k->name, k->below ? "" : " in the file: is it a line of names?"));
        c->task->note[c->task->n_note++] = text;
        n++;
    }
    return IG_ERR_OK;
}

/* Compares the first two characters of names: names of classes are mostly written alike. */
static int look_of(const char *name)
{
    const unsigned char a = (unsigned char)name[0], b = (unsigned char)(a != 0 ? name[1] : 0);
    const int of_a = isupper(a) ? 1 : islower(a) ? 2 : isdigit(a) ? 3 : 4;
    return of_a < 3 ? of_a + 4 * (isupper(b) != 0) : of_a;
}

/* A label of first lines alone that is written otherwise than all others is a column's name. */
static ig_code check_first(const checker *c, const ig_lexicon *name, ig_err *err)
{
    const kind *first = NULL;
    ig_tag tag;
    for (int32_t i = 0; i < c->names.n; i++) {
        if (!c->kind[i].below && first != NULL)
            return IG_ERR_OK;
        first = c->kind[i].below ? first : &c->kind[i];
    }
    /* Of tags, which are many, only where training has it. */
    if (first == NULL || c->names.n < 3 || (first->n == 0 && c->task->kind == IG_TASK_TAGGING))
        return IG_ERR_OK;
    for (int32_t i = 0; i < c->names.n; i++)
        if (&c->kind[i] != first && look_of(c->kind[i].name) == look_of(first->name))
            return IG_ERR_OK;
    const ig_task_set *set = &c->task->set[first->set];
    if (set->first != NULL && ig_tag_parse(&tag, ig_lexicon_get(name, set->label[first->label])))
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_INPUT, ig_task_file(set, ig_task_sentence_of(set, first->label)), 1,
            "found label '%.60s', which no other line has, expected one that is written as others",
            first->name);
    return ig_hint(err,
                   "'columns' in the task says by which names the line calls its columns; if it is "
                   "a row, 'labels' in the task has all labels");
}

/* Orders by name ignoring case, then by first occurrence. */
static int by_name(const void *a, const void *b)
{
    const kind *const x = *(const kind *const *)a, *const y = *(const kind *const *)b;
    const int order = ig_task_compare_names(x->name, y->name);
    return order != 0 ? order : (x > y) - (x < y);
}

static ig_code note_same(const checker *c, const kind *first, const kind *other, ig_err *err)
{
    const char *where, *there;
    IG_TRY(place_of(c, first, &there, err));
    IG_TRY(place_of(c, other, &where, err));
    return ig_pool_print(&c->task->pool, &c->task->note[c->task->n_note++], err,
                         "%s: label '%.60s' differs from '%.60s' (%s) in case alone: 'rename' in "
                         "the task reads one as the other",
                         where, other->name, first->name, there);
}

static ig_code note_case(const checker *c, ig_err *err)
{
    IG_OWNED const kind **order = NULL;
    int n = 0;
    IG_TRY(ig_alloc(&order, c->names.n, sizeof *order, "labels", err));
    for (int32_t i = 0; i < c->names.n; i++)
        order[i] = &c->kind[i];
    qsort(order, (size_t)c->names.n, sizeof *order, by_name);
    for (int32_t i = 1; i < c->names.n && n < MOST_NOTE; i++)
        if (ig_task_same_name(order[i - 1]->name, order[i]->name)) {
            IG_TRY(note_same(c, order[i - 1], order[i], err));
            n++;
        }
    return IG_ERR_OK;
}

/* Returns whether a label that training does not have is a tag that TASK.yaml has read as O. */
static bool is_outside(const checker *c, const kind *k)
{
    const int32_t label = c->task->set[k->set].label[k->label];
    ig_tag tag;
    return c->odd_outside &&
           (!ig_tag_parse(&tag, ig_lexicon_get(c->labels, label)) || tag.type[0] == '\0');
}

static ig_code note_unknown(const checker *c, ig_err *err)
{
    int n = 0;
    for (int32_t i = 0; i < c->names.n && !c->task->labels_given && n < MOST_NOTE; i++) {
        const kind *k = &c->kind[i];
        const char *where, *text;
        if (k->n > 0 || k->n_elsewhere == 0 || is_outside(c, k))
            continue;
        IG_TRY(place_of(c, k, &where, err));
        IG_TRY(ig_pool_print(&c->task->pool, &text, err,
                             "%s: label '%.60s' is in no training file: it counts as missed (%lld "
                             "in all)",
                             where, k->name, (long long)k->n_elsewhere));
        c->task->note[c->task->n_note++] = text;
        n++;
    }
    return IG_ERR_OK;
}

/* Returns whether a label is a number, in digits. */
static bool is_number(const char *name)
{
    name += *name == '-' || *name == '+';
    const size_t whole = strspn(name, "0123456789");
    const char *rest = name + whole + (name[whole] == '.');
    return whole > 0 && rest[strspn(rest, "0123456789")] == '\0';
}

/* Notes labels that are values on a scale. */
static ig_code note_scale(const checker *c, ig_err *err)
{
    const kind *broken = NULL;
    const char *where;
    for (int32_t i = 0; i < c->names.n; i++) {
        const char *name = c->kind[i].name, *point = strchr(name, '.');
        if (!is_number(name))
            return IG_ERR_OK;
        if (broken == NULL && point != NULL && strpbrk(point, "123456789") != NULL)
            broken = &c->kind[i];
    }
    if (broken == NULL)
        return IG_ERR_OK;
    IG_TRY(place_of(c, broken, &where, err));
    return ig_pool_print(&c->task->pool, &c->task->note[c->task->n_note++], err,
                         "%s: label '%.60s' and the others are numbers: each is a class of its own "
                         "here, whatever its value (there is no regression)",
                         where, broken->name);
}

/* Notes files that seem to have no blank lines after sentences. */
static ig_code note_long(const checker *c, ig_err *err)
{
    enum { LONG = 1000 };
    int n = 0;
    for (int s = 0; s < c->task->n_set && n < MOST_NOTE; s++) {
        const ig_task_set *set = &c->task->set[s];
        const char **text = &c->task->note[c->task->n_note];
        if (set->first == NULL || set->first[set->n] < LONG * set->n)
            continue;
        IG_TRY(ig_pool_print(&c->task->pool, text, err,
                             "%s:%lld: sentences have %lld words on average: is there a blank line "
                             "after each?",
                             set->path, (long long)set->line[0],
                             (long long)(set->first[set->n] / set->n)));
        c->task->n_note++;
        n++;
    }
    return IG_ERR_OK;
}

/* Notes files whose texts seem to be quoted fields, in which doubled marks stay as they are. */
static ig_code note_marks(const checker *c, ig_err *err)
{
    int n = 0;
    for (int s = 0; s < c->task->n_set && n < MOST_NOTE; s++) {
        const ig_task_set *set = &c->task->set[s];
        if (set->count.marks == 0)
            continue;
        IG_TRY(ig_pool_print(&c->task->pool, &c->task->note[c->task->n_note++], err,
                             "%s: %lld texts in quotation marks, with doubled ones within, are "
                             "read as they stand ('quotes: true' in the task reads them as CSV)",
                             set->path, (long long)set->count.marks));
        n++;
    }
    return IG_ERR_OK;
}

/* --- last lines without an end ---------------------------------------------------------------- */

/* Returns another label of the data that has this one as a prefix; NULL: there is none. */
static const char *longer_label(const ig_lexicon *name, const char *text)
{
    for (int32_t i = 0; i < name->n; i++)
        if (strncmp(ig_lexicon_get(name, i), text, strlen(text)) == 0 &&
            strcmp(ig_lexicon_get(name, i), text) != 0)
            return ig_lexicon_get(name, i);
    return NULL;
}

/* Returns whether a label also occurs in another line. */
static bool occurs_elsewhere(const checker *c, int32_t label, const char *file, int64_t line)
{
    for (int s = 0; s < c->task->n_set; s++) {
        const ig_task_set *set = &c->task->set[s];
        for (int64_t k = 0; k < ig_task_n_label(set); k++)
            if (set->label[k] == label &&
                (c->line[s][k] != line ||
                 strcmp(ig_task_file(set, ig_task_sentence_of(set, k)), file) != 0))
                return true;
    }
    return false;
}

/* Checks that the last label of a file whose last line has no line end is complete. */
static ig_code check_end(const checker *c, int s, int f, const ig_lexicon *name, ig_err *err)
{
    const ig_task_set *set = &c->task->set[s];
    const int64_t end = set->file_first[f + 1], from = set->first != NULL ? set->first[end] : end;
    const int64_t k = from - 1, line = set->open_line[f];
    if (line == 0 || end == set->file_first[f] || set->label[k] < 0 || c->line[s][k] != line)
        return IG_ERR_OK;
    const char *text = ig_lexicon_get(name, set->label[k]), *whole = longer_label(name, text);
    if (whole == NULL || occurs_elsewhere(c, set->label[k], set->file[f], line))
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_INPUT, set->file[f], (uint64_t)line,
            "found label '%.60s' in a last line without an end, expected a label as '%.60s'", text,
            whole);
    return ig_hint(err, "the file seems to be truncated; a line end after it shows that it is not");
}

ig_code ig_task_check_labels(ig_task *t, const ig_task_form *form, const ig_lexicon *name,
                             int64_t *const *line, ig_err *err)
{
    checker c = {.task = t, .line = line, .labels = name, .odd_outside = form->odd_outside};
    ig_code code = ig_pool_alloc(&t->pool, &t->note, 5 * MOST_NOTE + 2, sizeof *t->note, err);
    IG_THEN(code, kinds_of(&c, name, err));
    for (int s = 0; s < t->n_set; s++)
        for (int f = 0; f < t->set[s].n_file && code == IG_ERR_OK; f++)
            code = check_end(&c, s, f, name, err);
    if (code == IG_ERR_OK && !t->labels_given)
        code = check_first(&c, name, err);
    if (code == IG_ERR_OK && !t->labels_given)
        code = note_once(&c, err);
    if (code == IG_ERR_OK && !t->labels_given)
        code = note_scale(&c, err);
    IG_THEN(code, note_case(&c, err));
    IG_THEN(code, note_unknown(&c, err));
    IG_THEN(code, note_long(&c, err));
    IG_THEN(code, note_marks(&c, err));
    IG_FREE(c.kind, c.of);
    ig_lexicon_free(&c.names);
    return code;
}
