/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads TASK.yaml; docs/tasks.md lists its keys.
 */
#include "task/task_internal.h"

#include "base/memory.h"

#include <string.h>

const char *const ig_task_kind_names[] = {"pair",    "single",        "tagging",
                                          "parsing", "minimal_pairs", NULL};
const char *const ig_split_names[] = {"train", "dev", "test", NULL};
const char *const ig_tag_scheme_names[] = {"plain", "iob1", "iob2", "bioul", NULL};

/* Names of schemes in TASK.yaml. */
static const struct {
    const char *name;
    ig_tag_scheme scheme;
} scheme_names[] = {
    {"plain", IG_SCHEME_PLAIN}, {"iob1", IG_SCHEME_IOB1},   {"iob2", IG_SCHEME_IOB2},
    {"bio", IG_SCHEME_IOB2},    {"bioul", IG_SCHEME_BIOUL}, {"bilou", IG_SCHEME_BIOUL},
    {"bioes", IG_SCHEME_BIOUL}, {"iobes", IG_SCHEME_BIOUL}, {"bmes", IG_SCHEME_BIOUL},
    {"bmewo", IG_SCHEME_BIOUL}, {"biluo", IG_SCHEME_BIOUL}, {"io", IG_SCHEME_IOB1},
};

static ig_code read_scheme(int *out, const ig_yaml *v, ig_err *err)
{
    const char *text;
    IG_TRY(ig_yaml_text(&text, v, "scheme", err));
    for (size_t i = 0; i < sizeof scheme_names / sizeof scheme_names[0]; i++)
        if (ig_task_same_name(scheme_names[i].name, text)) {
            *out = (int)scheme_names[i].scheme;
            return IG_ERR_OK;
        }
    return ig_yaml_wrong(v, "scheme", "plain, iob1, iob2 or bioul (or bilou, bioes, bmes, bmewo)",
                         err);
}

/* Finds a text in a list that ends with NULL. */
static ig_code choice(int *out, const char *const *names, const ig_yaml *v, const char *key,
                      const char *expected, ig_err *err)
{
    const char *text;
    IG_TRY(ig_yaml_text(&text, v, key, err));
    for (*out = 0; names[*out] != NULL; ++*out)
        if (strcmp(names[*out], text) == 0)
            return IG_ERR_OK;
    return ig_yaml_wrong(v, key, expected, err);
}

/* The names of columns, by kind. */
static const struct {
    const char *name;
    ig_task_column column;
    bool in[IG_N_TASK_KIND];
} column_names[] = {
    {"_", IG_COLUMN_SKIP, {true, true, true, false, true}},
    {"premise", IG_COLUMN_FIRST, {[IG_TASK_PAIR] = true}},
    {"hypothesis", IG_COLUMN_SECOND, {[IG_TASK_PAIR] = true}},
    {"good", IG_COLUMN_FIRST, {[IG_TASK_MINIMAL] = true}},
    {"bad", IG_COLUMN_SECOND, {[IG_TASK_MINIMAL] = true}},
    {"phenomenon", IG_COLUMN_LABEL, {[IG_TASK_MINIMAL] = true}},
    {"text", IG_COLUMN_FIRST, {[IG_TASK_SINGLE] = true}},
    {"label", IG_COLUMN_LABEL, {[IG_TASK_PAIR] = true, [IG_TASK_SINGLE] = true}},
    {"language",
     IG_COLUMN_LANGUAGE,
     {[IG_TASK_PAIR] = true, [IG_TASK_SINGLE] = true, [IG_TASK_MINIMAL] = true}},
    {"word", IG_COLUMN_FIRST, {[IG_TASK_TAGGING] = true}},
    {"tag", IG_COLUMN_LABEL, {[IG_TASK_TAGGING] = true}},
};

static const char *const columns_expected[] = {
    "premise, hypothesis, label, language or _", "text, label, language or _", "word, tag or _",
    "no columns: CoNLL-U has its own", "good, bad, phenomenon, language or _"};

/* Returns the column with a name in TASK.yaml. */
static ig_code column_of(int *out, const ig_task_form *form, const ig_yaml *v, ig_err *err)
{
    const char *text;
    IG_TRY(ig_yaml_text(&text, v, "columns", err));
    for (size_t k = 0; k < sizeof column_names / sizeof column_names[0]; k++)
        if (column_names[k].in[form->kind] && strcmp(column_names[k].name, text) == 0) {
            *out = (int)column_names[k].column;
            return IG_ERR_OK;
        }
    return ig_yaml_wrong(v, "columns", columns_expected[form->kind], err);
}

/* Reads `columns: [_, word, tag]`: all of them, in their order. */
static ig_code list_columns(ig_task_form *form, const ig_yaml *list, ig_err *err)
{
    if (list->n > IG_TASK_MOST_COLUMN)
        return ig_yaml_fail(list, err, "columns: found %d, expected at most %d", list->n,
                            IG_TASK_MOST_COLUMN);
    for (int i = 0; i < list->n; i++) {
        int c;
        IG_TRY(column_of(&c, form, list->item[i], err));
        if (c != IG_COLUMN_SKIP && form->layout.place[c] >= 0)
            return ig_yaml_fail(list->item[i], err, "columns: found '%.60s' twice, expected once",
                                list->item[i]->text);
        if (c != IG_COLUMN_SKIP)
            form->layout.place[c] = i;
    }
    form->layout.n = list->n;
    return IG_ERR_OK;
}

/* Reads `columns: {word: 2, tag: NER}`: by number, from 1, or by name in each file's first line. */
static ig_code map_columns(ig_task_form *form, const ig_yaml *map, ig_err *err)
{
    for (int i = 0; i < map->n; i++) {
        int c;
        int64_t number;
        const ig_yaml *v = map->item[i];
        IG_TRY(column_of(&c, form, map->key[i], err));
        if (c == IG_COLUMN_SKIP)
            return ig_yaml_wrong(map->key[i], "columns", columns_expected[form->kind], err);
        if (v->kind == IG_YAML_SCALAR && v->plain && strspn(v->text, "-0123456789") > 0) {
            IG_TRY(ig_yaml_int(&number, v, "columns", 1, IG_TASK_MOST_COLUMN, err));
            form->layout.place[c] = (int)number - 1;
            for (int k = 0; k < IG_N_COLUMN; k++)
                if (k != c && form->layout.place[k] == form->layout.place[c])
                    return ig_yaml_fail(v, err, "columns: found %d twice, expected once",
                                        (int)number);
        } else
            IG_TRY(ig_yaml_text(&form->layout.name[c], v, "columns", err));
    }
    return IG_ERR_OK;
}

static ig_code read_columns(ig_task_form *form, const ig_yaml *v, ig_err *err)
{
    ig_task_layout *l = &form->layout;
    l->given = true;
    if (v->kind == IG_YAML_MAP)
        IG_TRY(map_columns(form, v, err));
    else {
        IG_TRY(ig_yaml_is(v, IG_YAML_LIST, "columns", err));
        IG_TRY(list_columns(form, v, err));
    }
    const bool label = l->place[IG_COLUMN_LABEL] >= 0 || l->name[IG_COLUMN_LABEL] != NULL,
               first = l->place[IG_COLUMN_FIRST] >= 0 || l->name[IG_COLUMN_FIRST] != NULL,
               second = l->place[IG_COLUMN_SECOND] >= 0 || l->name[IG_COLUMN_SECOND] != NULL;
    return label && first && (second || ig_task_n_text(form->kind) != 2)
               ? IG_ERR_OK
               : ig_yaml_fail(v, err, "columns: found none for %s, expected each of %s",
                              !label                          ? "the label"
                              : form->kind == IG_TASK_TAGGING ? "a word"
                                                              : "a text",
                              columns_expected[form->kind]);
}

/* Reads `rename: {LABEL: LABEL}`. */
static ig_code check_rename(const ig_yaml *map, ig_err *err)
{
    IG_TRY(ig_yaml_is(map, IG_YAML_MAP, "rename", err));
    for (int i = 0; i < map->n; i++)
        if (map->item[i]->kind != IG_YAML_SCALAR || map->item[i]->text[0] == '\0')
            return ig_yaml_wrong(map->item[i], map->key[i]->text, "the name of a label", err);
    return IG_ERR_OK;
}

static ig_code check_labels(const ig_yaml *list, ig_err *err)
{
    IG_TRY(ig_yaml_is(list, IG_YAML_LIST, "labels", err));
    if (list->n == 0)
        return ig_yaml_fail(list, err, "labels: found none, expected a list of names");
    for (int i = 0; i < list->n; i++) {
        /* `- no` is a name like any other, although YAML 1.1 makes it a boolean. */
        if (list->item[i]->kind != IG_YAML_SCALAR || list->item[i]->text[0] == '\0')
            return ig_yaml_wrong(list->item[i], "labels", "a name", err);
        for (int k = 0; k < i; k++)
            if (strcmp(list->item[k]->text, list->item[i]->text) == 0)
                return ig_yaml_fail(list->item[i], err,
                                    "labels: found '%.60s' twice, expected once",
                                    list->item[i]->text);
    }
    return IG_ERR_OK;
}

/* Reads {en: FILE, de: [FILE, FILE]}. */
static ig_code read_split(ig_task_file_list *l, ig_split split, const ig_yaml *map, ig_err *err)
{
    IG_TRY(ig_yaml_is(map, IG_YAML_MAP, ig_split_names[split], err));
    for (int i = 0; i < map->n; i++) {
        const ig_yaml *files = map->item[i];
        const char *language = map->key[i]->text, *text;
        if (language[0] == '\0')
            return ig_yaml_fail(map->key[i], err, "%s: found no name, expected a language",
                                ig_split_names[split]);
        if (ig_yaml_is_null(files) || files->kind == IG_YAML_MAP ||
            (files->kind == IG_YAML_LIST && files->n == 0))
            return ig_yaml_wrong(files, language, "a file or a list of files", err);
        for (int k = 0; k < (files->kind == IG_YAML_LIST ? files->n : 0); k++)
            IG_TRY(ig_yaml_text(&text, files->item[k], language, err));
        IG_TRY(
            ig_grow(&l->source, &l->have_source, l->n_source + 1, sizeof *l->source, "task", err));
        l->source[l->n_source++] =
            (ig_task_source){.language = map->key[i], .split = split, .files = files};
    }
    return IG_ERR_OK;
}

static bool has_split(const ig_task_file_list *l, const char *language, ig_split split)
{
    bool found = false;
    for (int i = 0; i < l->n_source && !found; i++)
        found = l->source[i].split == split && strcmp(l->source[i].language->text, language) == 0;
    return found;
}

/* Reads `dev_from_test: N`: if a language has test data and no development data, its first N test
 * sentences become the development data, and only the others are tested on. */
static ig_code read_dev(ig_task_file_list *l, const ig_yaml *v, ig_err *err)
{
    int64_t n;
    int taken = 0;
    IG_TRY(ig_yaml_int(&n, v, "dev_from_test", 1, INT32_MAX, err));
    for (int i = 0, given = l->n_source; i < given; i++) {
        const ig_task_source test = l->source[i];
        if (test.split != IG_SPLIT_TEST || has_split(l, test.language->text, IG_SPLIT_DEV))
            continue;
        IG_TRY(
            ig_grow(&l->source, &l->have_source, l->n_source + 1, sizeof *l->source, "task", err));
        l->source[i].from = n;
        l->source[i].to = INT64_MAX;
        l->source[l->n_source] = test;
        l->source[l->n_source].split = IG_SPLIT_DEV;
        l->source[l->n_source++].to = n;
        taken++;
    }
    return taken > 0 ? IG_ERR_OK
                     : ig_yaml_fail(v, err,
                                    "dev_from_test: found no language with test data and "
                                    "without development data, expected one");
}

static ig_code of_kind(const ig_task_form *form, ig_task_kind kind, const ig_yaml *v,
                       const char *key, ig_err *err)
{
    return form->kind == kind
               ? IG_ERR_OK
               : ig_yaml_fail(v, err, "found '%s' in a task of kind %s, expected it for %s only",
                              key, ig_task_kind_names[form->kind], ig_task_kind_names[kind]);
}

static ig_code read_form(ig_task_form *form, const ig_yaml *root, ig_err *err)
{
    static const char *const without_words[] = {"error", "skip", NULL};
    static const char *const odd_tags[] = {"error", "outside", NULL};
    static const char *const words[] = {"syntactic", "xtreme", NULL};
    static const char *const masking[] = {"token", "word", NULL};
    const ig_yaml *v = ig_yaml_get(root, "kind");
    int k;
    if (v == NULL)
        return ig_yaml_fail(
            root, err, "found no 'kind', expected pair, single, tagging, parsing or minimal_pairs");
    IG_TRY(choice(&k, ig_task_kind_names, v, "kind",
                  "pair, single, tagging, parsing or minimal_pairs", err));
    form->kind = (ig_task_kind)k;
    for (int c = 0; c < IG_N_COLUMN; c++)
        form->layout.place[c] = -1;
    if ((v = ig_yaml_get(root, "columns")) != NULL)
        IG_TRY(read_columns(form, v, err));
    if ((form->rename = ig_yaml_get(root, "rename")) != NULL)
        IG_TRY(check_rename(form->rename, err));
    if ((v = ig_yaml_get(root, "without_words")) != NULL) {
        IG_TRY(choice(&k, without_words, v, "without_words", "error or skip", err));
        form->skip_without_words = k == 1;
    }
    form->scheme = -1;
    if ((v = ig_yaml_get(root, "scheme")) != NULL) {
        IG_TRY(of_kind(form, IG_TASK_TAGGING, v, "scheme", err));
        IG_TRY(read_scheme(&form->scheme, v, err));
    }
    if ((v = ig_yaml_get(root, "odd_tags")) != NULL) {
        IG_TRY(of_kind(form, IG_TASK_TAGGING, v, "odd_tags", err));
        IG_TRY(choice(&k, odd_tags, v, "odd_tags", "error or outside", err));
        form->odd_outside = k == 1;
    }
    if ((v = ig_yaml_get(root, "words")) != NULL) {
        IG_TRY(of_kind(form, IG_TASK_TAGGING, v, "words", err));
        IG_TRY(choice(&k, words, v, "words", "syntactic or xtreme", err));
        form->fused = k == 1;
    }
    if ((v = ig_yaml_get(root, "masking")) != NULL) {
        IG_TRY(of_kind(form, IG_TASK_MINIMAL, v, "masking", err));
        IG_TRY(choice(&k, masking, v, "masking", "token or word", err));
        form->whole_words = k == 1;
    }
    if ((v = ig_yaml_get(root, "quotes")) != NULL) {
        if (ig_task_n_text(form->kind) == 0)
            return ig_yaml_fail(v, err,
                                "found 'quotes' in a task of kind %s, expected it for texts",
                                ig_task_kind_names[form->kind]);
        IG_TRY(ig_yaml_flag(&form->quotes, v, "quotes", err));
        form->quotes_given = true;
    }
    if ((v = ig_yaml_get(root, "subtypes")) != NULL) {
        IG_TRY(of_kind(form, IG_TASK_PARSING, v, "subtypes", err));
        IG_TRY(ig_yaml_flag(&form->subtypes, v, "subtypes", err));
    }
    return IG_ERR_OK;
}

ig_code ig_task_yaml_read(ig_task_file_list *out, const char *path, ig_err *err)
{
    static const char *const keys[] = {"kind",     "labels",   "train",         "dev",
                                       "test",     "columns",  "without_words", "scheme",
                                       "subtypes", "words",    "crossed",       "dev_from_test",
                                       "rename",   "odd_tags", "masking",       "quotes"};
    ig_yaml *root;
    *out = (ig_task_file_list){.yaml = NULL};
    IG_TRY(ig_yaml_pool_new(&out->yaml, err));
    IG_TRY(ig_yaml_read(&root, out->yaml, path, err));
    if (root == NULL)
        return ig_fail(err, IG_ERR_USAGE, path, 0,
                       "found nothing, expected a task: kind, train, dev, test");
    IG_TRY(ig_yaml_keys(root, keys, sizeof keys / sizeof keys[0], "key", err));
    IG_TRY(read_form(&out->form, root, err));
    if ((out->labels = ig_yaml_get(root, "labels")) != NULL) {
        IG_TRY(check_labels(out->labels, err));
        out->form.labels_given = true;
        for (int i = 0; i < out->labels->n; i++) {
            out->form.keep_renamed |= strcmp(out->labels->item[i]->text, "contradictory") == 0;
            out->form.keep_dash |= strcmp(out->labels->item[i]->text, "-") == 0;
        }
    }
    if ((out->crossed = ig_yaml_get(root, "crossed")) != NULL)
        IG_TRY(ig_task_read_crossed(out->crossed, &out->form, err));
    for (int s = 0; s < IG_N_SPLIT; s++) {
        const ig_yaml *map = ig_yaml_get(root, ig_split_names[s]);
        if (map != NULL && s == IG_SPLIT_TRAIN && out->form.kind == IG_TASK_MINIMAL)
            return ig_yaml_fail(map, err, "train: minimal_pairs train nothing, expected dev, test");
        if (map != NULL)
            IG_TRY(read_split(out, (ig_split)s, map, err));
    }
    const ig_yaml *dev = ig_yaml_get(root, "dev_from_test");
    if (dev != NULL)
        IG_TRY(read_dev(out, dev, err));
    return out->n_source > 0
               ? IG_ERR_OK
               : ig_yaml_fail(root, err, "found no file, expected train, dev or test");
}

void ig_task_yaml_free(ig_task_file_list *l)
{
    ig_free(l->source);
    ig_yaml_pool_free(l->yaml);
    *l = (ig_task_file_list){.yaml = NULL};
}
