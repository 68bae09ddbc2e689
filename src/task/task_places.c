/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the columns of a table without names are what their places say. Labels are few and texts
 * are many: a last column with more different values than a column before it, and with several
 * words in each, or longer ones, has the texts, and the labels stand elsewhere. In the same way
 * tags are few and words are many.
 */
#include "task/task_internal.h"

#include <string.h>

enum { MOST_ROW = 1000, LEAST_TAG = 20, LEAST_ROW = 10, FEW = 5 };

ig_code ig_task_places_add(ig_task_places *p, const char *const *value, ig_err *err)
{
    const char *label = value[IG_COLUMN_LABEL];
    if (p->n_row == MOST_ROW || (label != NULL && strcmp(label, "-") == 0))
        return IG_ERR_OK;
    for (int c = IG_COLUMN_FIRST; c <= IG_COLUMN_LABEL; c++) {
        int32_t id;
        ig_task_place *to = &p->column[c];
        const char *text = value[c] != NULL ? value[c] : "";
        const int64_t n = (int64_t)strlen(text);
        IG_TRY(ig_lexicon_add(&to->values, text, n, &id, err));
        to->n_byte += n;
        to->n_blank += strchr(text, ' ') != NULL;
        to->n_number += n > 0 && text[strspn(text, "0123456789.")] == '\0';
    }
    p->n_row++;
    return IG_ERR_OK;
}

/* Returns whether column c may have the labels that column `label` lacks. */
static bool is_label(const ig_task_places *p, const ig_task_place *c, const ig_task_place *label)
{
    const int64_t n = p->n_row;
    if (c->n_number == n)
        return label->n_number < n;
    if (label->n_blank == n && c->n_blank == 0)
        return c->values.n <= label->values.n;
    const bool longer = n > 3 && 2 * label->values.n > n && label->n_byte > c->n_byte;
    return c->values.n < label->values.n && (2 * label->n_blank >= n || longer);
}

ig_code ig_task_places_check(const ig_task_places *p, ig_task_kind kind,
                             const ig_line_reader *lines, ig_err *err)
{
    const ig_task_place *label = &p->column[IG_COLUMN_LABEL];
    const int n_text = ig_task_n_text(kind);
    for (int c = 0; c < n_text && p->n_row > 1; c++) {
        const ig_task_place *text = &p->column[IG_COLUMN_FIRST + c];
        if (!is_label(p, text, label))
            continue;
        ig_fail(err, IG_ERR_INPUT, ig_line_where(lines), 1,
                "found %d different values in column %d and %d in column %d of %lld rows, expected "
                "texts and then their labels",
                text->values.n, c + 1, label->values.n, n_text + 1, (long long)p->n_row);
        return ig_hint(err, "'columns: [%s]' in the task gives them in their order",
                       kind == IG_TASK_SINGLE ? "label, text"
                       : c == 0               ? "label, premise, hypothesis"
                                              : "premise, label, hypothesis");
    }
    return IG_ERR_OK;
}

bool ig_task_places_has_labels(const ig_task_places *p)
{
    const ig_task_place *a = &p->column[IG_COLUMN_FIRST], *b = &p->column[IG_COLUMN_SECOND];
    for (int k = 0; k < 2; k++) {
        const ig_task_place *few = k == 0 ? a : b, *many = k == 0 ? b : a;
        if (p->n_row >= LEAST_ROW && few->n_blank == 0 && FEW * few->values.n <= p->n_row &&
            2 * many->n_blank >= p->n_row)
            return true;
    }
    return false;
}

ig_code ig_task_places_check_words(const ig_task_places *p, int word, int tag,
                                   const ig_line_reader *lines, ig_err *err)
{
    const int32_t n_word = p->column[IG_COLUMN_FIRST].values.n,
                  n_tag = p->column[IG_COLUMN_LABEL].values.n;
    if (n_tag < LEAST_TAG || n_tag <= 2 * n_word)
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_INPUT, ig_line_where(lines), 1,
            "found %d different words in column %d and %d tags in column %d of %lld rows, expected "
            "words and then their tags",
            n_word, word + 1, n_tag, tag + 1, (long long)p->n_row);
    return ig_hint(err, "'columns: {word: %d, tag: %d}' in the task gives them in their order",
                   tag + 1, word + 1);
}

void ig_task_places_free(ig_task_places *p)
{
    for (int c = 0; c < IG_N_COLUMN; c++)
        ig_lexicon_free(&p->column[c].values);
}
