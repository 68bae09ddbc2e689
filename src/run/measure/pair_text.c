/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes a development text of a parallel file. The columns become two files of lines, over which
 * the run's data are prepared as over development texts that are parallel line by line; a third
 * language gets the first column, which nobody reads.
 */
#include "run/measure/pair_text.h"

#include "base/file.h"
#include "base/memory.h"
#include "corpus/read/parallel_text.h"
#include "run/data/data_files.h"

#include <string.h>

/* Names that no file of a run has: they hold none of "/". */
static const char *const column_name[2] = {"pair/1", "pair/2"};

const char *ig_pair_text_refuses(const ig_run_data *d, const ig_run_languages *l,
                                 const int language[2])
{
    if (!ig_run_languages_have_texts(l))
        return "its languages share a text";
    for (int c = 0; c < 2; c++)
        if (d->text == NULL && l->language[language[c]].text[0] == '\0')
            return "its sentences are those of a generated world";
    return NULL;
}

/* ---- columns ---- */

static ig_code copy_lines(ig_parallel *p, ig_out out[2], int64_t *n, ig_err *err)
{
    const char *text[2];
    for (*n = 0;; ++*n) {
        IG_TRY(ig_parallel_next(p, text, err));
        if (text[0] == NULL)
            return IG_ERR_OK;
        for (int c = 0; c < 2 && out != NULL; c++) {
            IG_TRY(ig_out_write(&out[c], text[c], (int64_t)strlen(text[c]), err));
            IG_TRY(ig_out_write(&out[c], "\n", 1, err));
        }
    }
}

static ig_code no_lines(const char *path, ig_err *err)
{
    return ig_fail(err, IG_ERR_INPUT, path, 0,
                   "found no line, expected a sentence, a tab and its translation in each");
}

ig_code ig_pair_text_count(int64_t *n, const char *path, ig_err *err)
{
    ig_parallel *p;
    IG_TRY(ig_parallel_open(&p, path, NULL, NULL, err));
    ig_code code = copy_lines(p, NULL, n, err);
    ig_parallel_close(p);
    return code == IG_ERR_OK && *n == 0 ? no_lines(path, err) : code;
}

static ig_code write_columns(char (*path)[IG_PATH], const char *from, ig_err *err)
{
    ig_parallel *p;
    ig_out out[2];
    int64_t n = 0;
    IG_TRY(ig_parallel_open(&p, from, NULL, NULL, err));
    ig_code code = ig_out_open(&out[0], path[0], err);
    if (code == IG_ERR_OK) {
        code = ig_out_open(&out[1], path[1], err);
        if (code == IG_ERR_OK) {
            code = copy_lines(p, out, &n, err);
            if (code == IG_ERR_OK && n == 0)
                code = no_lines(from, err);
            code = ig_out_close(&out[1], code, err);
        }
        code = ig_out_close(&out[0], code, err);
    }
    ig_parallel_close(p);
    return code;
}

/* ---- settings ---- */

/* A shallow copy of the languages with their development texts' names. */
static ig_code take_languages(ig_pair_text *t, const ig_run_languages *l, const ig_pair_file *f,
                              ig_err *err)
{
    t->languages = *l;
    t->languages.language = NULL;
    IG_TRY(ig_alloc(&t->languages.language, l->n, sizeof *l->language, "languages", err));
    for (int k = 0; k < l->n; k++) {
        ig_language_words *to = &t->languages.language[k];
        *to = l->language[k];
        memcpy(to->dev, column_name[k == f->language[1]], sizeof "pair/1");
        to->dev_unread = k != f->language[0] && k != f->language[1];
    }
    return IG_ERR_OK;
}

static ig_code open_setup(ig_pair_text *t, const ig_data_settings *d, char (*path)[IG_PATH],
                          int64_t take, const char *folder, ig_err *err)
{
    const ig_named_files *named = &d->data->named;
    ig_run_data data = *d->data; /* a shallow copy */
    ig_data_settings other = *d;
    IG_TRY(ig_alloc(&t->named, named->n + 2, sizeof *t->named, "files", err));
    for (int i = 0; i < named->n; i++)
        t->named[i] = named->file[i];
    for (int c = 0; c < 2; c++)
        t->named[named->n + c] = (ig_named_file){column_name[c], path[c]};
    data.named = (ig_named_files){.n = named->n + 2, .file = t->named};
    data.dev_text = NULL;
    data.dev_verses = (ig_verse_set){0};
    data.dev_format = IG_TEXT_PLAIN;
    data.dev_take = take;
    data.dev_parallel = true;
    other.data = &data;
    other.languages = &t->languages;
    return ig_setup_open(&t->setup, &other, folder, err);
}

ig_code ig_pair_text_open(ig_pair_text *out, const ig_pair_file *f, const ig_data_settings *d,
                          const ig_data_link *at, ig_err *err)
{
    char path[2][IG_PATH];
    const char *why = ig_pair_text_refuses(d->data, d->languages, f->language);
    *out = (ig_pair_text){0};
    if (why != NULL)
        return ig_fail(err, IG_ERR_USAGE, f->path, 0,
                       "is parallel text of two languages; the run takes none: %s", why);
    IG_TRY(ig_dir_make(at->folder, err));
    IG_TRY(ig_data_files_link(at, err));
    IG_TRY(ig_folder_path(path[0], at->folder, err, "1.txt"));
    IG_TRY(ig_folder_path(path[1], at->folder, err, "2.txt"));
    if (!ig_file_exists(path[0]) || !ig_file_exists(path[1]))
        IG_TRY(write_columns(path, f->path, err));
    IG_TRY(take_languages(out, d->languages, f, err));
    return open_setup(out, d, path, f->take, at->folder, err);
}

void ig_pair_text_close(ig_pair_text *t)
{
    ig_setup_close(&t->setup);
    IG_FREE(t->languages.language, t->named);
    *t = (ig_pair_text){0};
}
