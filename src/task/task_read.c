/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a task: its files one after the other, then the labels of all of them.
 */
#include "base/file.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/strings/append.h"
#include "task/task_internal.h"

#include <stdlib.h>
#include <string.h>

/* --- labels ----------------------------------------------------------------------------------- */

static ig_code labels_given(ig_task *t, const ig_yaml *list, ig_err *err)
{
    IG_TRY(ig_pool_alloc(&t->pool, &t->labels.name, list->n, sizeof *t->labels.name, err));
    for (; t->labels.n < list->n; t->labels.n++) {
        const char *name = list->item[t->labels.n]->text;
        IG_TRY(ig_pool_text(&t->pool, &t->labels.name[t->labels.n], name, strlen(name), err));
    }
    return IG_ERR_OK;
}

static ig_code add_sorted(ig_task *t, ig_labels *to, const uint8_t *used, uint8_t which,
                          const ig_lexicon *name, ig_err *err)
{
    IG_TRY(ig_pool_alloc(&t->pool, &to->name, name->n, sizeof *to->name, err));
    for (int32_t i = 0; i < name->n; i++)
        if (used[i] == which)
            IG_TRY(ig_pool_text(&t->pool, &to->name[to->n++], ig_lexicon_get(name, i),
                                (size_t)ig_lexicon_size(name, i), err));
    qsort(to->name, (size_t)to->n, sizeof *to->name, ig_by_text);
    return IG_ERR_OK;
}

/* Sets the labels to those of the training files, or of all if there are none, in the order of
 * their bytes, which does not depend on the order of sentences. t->other are the others. */
static ig_code labels_of_data(ig_task *t, const ig_lexicon *name, ig_err *err)
{
    enum { ELSEWHERE = 1, DECIDES = 2 };
    IG_OWNED uint8_t *used = NULL;
    IG_TRY(ig_alloc(&used, name->n, sizeof *used, "labels", err));
    for (int i = 0; i < t->n_set; i++) {
        const uint8_t as = ig_task_set_decides(t, &t->set[i]) ? DECIDES : ELSEWHERE;
        for (int64_t k = 0; k < ig_task_n_label(&t->set[i]); k++)
            if (t->set[i].label[k] >= 0 && used[t->set[i].label[k]] < as)
                used[t->set[i].label[k]] = as;
    }
    IG_TRY(add_sorted(t, &t->labels, used, DECIDES, name, err));
    return add_sorted(t, &t->other, used, ELSEWHERE, name, err);
}

static ig_code unknown(const ig_task *t, const ig_task_set *s, int64_t k, int64_t line,
                       const char *name, ig_err *err)
{
    char known[160] = "";
    for (int32_t l = 0; l < t->labels.n; l++)
        ig_append_name(known, sizeof known, t->labels.name[l]);
    return ig_fail(err, IG_ERR_INPUT, ig_task_file(s, ig_task_sentence_of(s, k)), (uint64_t)line,
                   "found label '%.60s', expected one of: %.150s", name, known);
}

/* Converts numbers in `name` to indices of labels. line[i][k] is that of label k of set i. */
static ig_code place_labels(ig_task *t, const ig_lexicon *name, int64_t *const *line, ig_err *err)
{
    IG_OWNED int32_t *place = NULL;
    IG_TRY(ig_alloc(&place, name->n, sizeof *place, "labels", err));
    for (int32_t i = 0; i < name->n; i++)
        place[i] = IG_LABEL_UNKNOWN;
    for (int32_t i = 0; i < t->labels.n + t->other.n; i++) {
        const int32_t k = i - t->labels.n;
        const char *text = k < 0 ? t->labels.name[i] : t->other.name[k];
        const int32_t number = ig_lexicon_find(name, text, (int64_t)strlen(text));
        if (number >= 0) /* TASK.yaml may have labels that no file has */
            place[number] = k < 0 ? i : IG_LABEL_OTHER - k;
    }
    for (int i = 0; i < t->n_set; i++) {
        ig_task_set *s = &t->set[i];
        for (int64_t k = 0; k < ig_task_n_label(s); k++) {
            const int32_t number = s->label[k];
            if (number < 0)
                continue;
            s->label[k] = place[number];
            if (place[number] >= 0)
                continue;
            if (t->labels_given)
                IG_TRY(unknown(t, s, k, line[i][k], ig_lexicon_get(name, number), err));
            s->count.unknown_label++;
        }
    }
    return IG_ERR_OK;
}

/* --- files ------------------------------------------------------------------------------------ */

/* Resolves a path of TASK.yaml relative to its folder, or, if it does not exist there, to the root
 * (NULL: none). */
static ig_code file_path(ig_task *t, const char **out, const char *name, const char *root,
                         ig_err *err)
{
    const char *slash = strrchr(t->path, '/');
    const int n_dir = slash != NULL && name[0] != '/' ? (int)(slash - t->path) + 1 : 0;
    IG_TRY(ig_pool_print(&t->pool, out, err, "%.*s%s", n_dir, t->path, name));
    return root == NULL || name[0] == '/' || ig_file_exists(*out)
               ? IG_ERR_OK
               : ig_pool_print(&t->pool, out, err, "%s/%s", root, name);
}

static ig_code read_part(ig_task_part *p, const char *path, ig_err *err)
{
    const int64_t before = p->n, other = p->count.other_language;
    int64_t k = p->n_label;
    switch (p->form->kind) {
    case IG_TASK_PAIR:
    case IG_TASK_SINGLE:
    case IG_TASK_MINIMAL:
        IG_TRY(ig_task_read_table(p, path, err));
        break;
    case IG_TASK_TAGGING:
        IG_TRY(ig_task_read_tagging(p, path, err));
        break;
    case IG_TASK_PARSING:
        IG_TRY(ig_task_read_parsing(p, path, err));
        break;
    case IG_N_TASK_KIND:
        break;
    }
    if (p->n == before && p->count.other_language > other)
        return ig_fail(err, IG_ERR_INPUT, path, 0,
                       "found no row of language '%.40s' (%lld of others), expected some",
                       p->language, (long long)(p->count.other_language - other));
    if (p->n == before)
        return ig_fail(err, IG_ERR_INPUT, path, 0, "found no labelled sentence, expected some");
    while (k < p->n_label && p->label[k] == IG_LABEL_NONE)
        k++;
    if (k < p->n_label || p->form->kind != IG_TASK_TAGGING)
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_INPUT, path, 0, "found no tag but '_', expected some");
    return ig_hint(err, "'columns: {word: 2, tag: 5}' in the task takes the tags of column 5, in "
                        "CoNLL-U the language's own parts of speech");
}

/* Sets language, split and files from TASK.yaml. */
static ig_code name_set(ig_task *t, ig_task_set *s, const ig_task_source *source, const char *root,
                        ig_err *err)
{
    const ig_yaml *files = source->files;
    const bool list = files->kind == IG_YAML_LIST;
    const char *language = source->language->text;
    s->split = source->split;
    s->n_file = list ? files->n : 1;
    IG_TRY(ig_pool_text(&t->pool, &s->language, language, strlen(language), err));
    IG_TRY(ig_pool_alloc(&t->pool, &s->file, s->n_file, sizeof *s->file, err));
    IG_TRY(ig_pool_alloc(&t->pool, &s->file_first, s->n_file + 1, sizeof *s->file_first, err));
    IG_TRY(ig_pool_alloc(&t->pool, &s->open_line, s->n_file, sizeof *s->open_line, err));
    for (int f = 0; f < s->n_file; f++)
        IG_TRY(file_path(t, &s->file[f], list ? files->item[f]->text : files->text, root, err));
    s->path = s->file[0];
    return IG_ERR_OK;
}

static ig_code read_set(ig_task_set *s, const ig_task_source *source, ig_task_part *p, ig_err *err)
{
    p->language = s->language;
    for (int f = 0; f < s->n_file; f++) {
        IG_TRY(read_part(p, s->file[f], err));
        s->file_first[f + 1] = p->n;
        s->open_line[f] = p->open_line;
        p->open_line = 0;
    }
    if (source->to > 0) {
        IG_TRY(ig_task_part_cut(p, s->path, err));
        for (int f = 1; f <= s->n_file; f++) {
            const int64_t first = s->file_first[f] - source->from;
            s->file_first[f] = first < 0 ? 0 : first < p->n ? first : p->n;
        }
    }
    return ig_task_part_finish(p, s, err);
}

static ig_code read_sets(ig_task *t, const ig_task_file_list *l, ig_lexicon *name, int64_t **line,
                         ig_err *err)
{
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < t->n_set && code == IG_ERR_OK; i++) {
        ig_task_part p = {.form = &l->form, .pool = &t->pool, .name = name};
        p.from = l->source[i].from;
        p.to = l->source[i].to;
        code = read_set(&t->set[i], &l->source[i], &p, err);
        line[i] = p.label_line;
        p.label_line = NULL;
        ig_task_part_free(&p);
    }
    IG_TRY(code);
    t->labels_given = l->labels != NULL;
    IG_TRY(ig_task_check_labels(t, &l->form, name, line, err));
    if (t->kind == IG_TASK_TAGGING)
        IG_TRY(ig_task_convert_tags(t, &l->form, name, line, err));
    IG_TRY(ig_task_count_same(t, err));
    if (l->labels != NULL)
        IG_TRY(labels_given(t, l->labels, err));
    else
        IG_TRY(labels_of_data(t, name, err));
    return place_labels(t, name, line, err);
}

/* Makes a task whose sets have their names and files, but no content. */
static ig_code open_task(ig_task **out, const ig_task_file_list *l, const char *path,
                         const char *root, ig_err *err)
{
    IG_TRY(ig_alloc(out, 1, sizeof **out, "task", err));
    ig_task *t = *out;
    t->kind = l->form.kind;
    t->subtypes = l->form.subtypes;
    t->whole_words = l->form.whole_words;
    IG_TRY(ig_pool_text(&t->pool, &t->path, path, strlen(path), err));
    for (int k = 0; k < 2; k++) {
        const char *name = l->form.layout.name[k == 0 ? IG_COLUMN_FIRST : IG_COLUMN_SECOND];
        if (name != NULL)
            IG_TRY(ig_pool_text(&t->pool, &t->column[k], name, strlen(name), err));
    }
    const int n_crossed = l->crossed != NULL ? l->crossed->n : 0;
    IG_TRY(ig_pool_alloc(&t->pool, &t->set, l->n_source + n_crossed, sizeof *t->set, err));
    IG_TRY(ig_pool_alloc(&t->pool, &t->crossed, n_crossed + 1, sizeof *t->crossed, err));
    for (; t->n_crossed < n_crossed; t->n_crossed++) {
        const char *name = l->crossed->item[t->n_crossed]->text;
        IG_TRY(ig_pool_text(&t->pool, &t->crossed[t->n_crossed], name, strlen(name), err));
    }
    for (; t->n_set < l->n_source; t->n_set++)
        IG_TRY(name_set(t, &t->set[t->n_set], &l->source[t->n_set], root, err));
    return IG_ERR_OK;
}

static ig_code read_files(ig_task *t, const ig_task_file_list *l, ig_err *err)
{
    ig_lexicon name = {.text = NULL};
    int64_t **line;
    IG_TRY(ig_alloc(&line, l->n_source, sizeof *line, "task", err));
    const ig_code code = read_sets(t, l, &name, line, err);
    ig_free_list(line, l->n_source);
    ig_lexicon_free(&name);
    return code;
}

static ig_code read_task(const char *path, const char *root, bool names_only, ig_task **out,
                         ig_err *err)
{
    ig_task_file_list l;
    *out = NULL;
    ig_code code = ig_task_yaml_read(&l, path, err);
    IG_THEN(code, open_task(out, &l, path, root, err));
    if (code == IG_ERR_OK && !names_only)
        code = read_files(*out, &l, err);
    IG_THEN(code, ig_task_cross(*out, err));
    ig_task_yaml_free(&l);
    if (code != IG_ERR_OK) {
        ig_task_free(*out);
        *out = NULL;
    }
    return code;
}

ig_code ig_task_read(const char *path, const char *root, ig_task **out, ig_err *err)
{
    return read_task(path, root, false, out, err);
}

ig_code ig_task_read_names(const char *path, const char *root, ig_task **out, ig_err *err)
{
    return read_task(path, root, true, out, err);
}
