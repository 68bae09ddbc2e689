/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the files of results that lie beside an experiment's file.
 */
#include "lab/runs/results_beside.h"

#include "base/memory.h"
#include "base/strings/append.h"
#include "base/strings/shell_word.h"
#include "report/results/results_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ig_lab_glob(glob_t *found, const char *begin, int n, const char *pattern)
{
    char whole[2 * PATH_MAX];
    size_t size = 0;
    *found = (glob_t){0};
    for (int i = 0; i < n && size + 2 < sizeof whole; i++) {
        if (strchr("*?[]\\", begin[i]) != NULL)
            whole[size++] = '\\';
        whole[size++] = begin[i];
    }
    snprintf(whole + size, sizeof whole - size, "%s", pattern);
    return glob(whole, 0, NULL, found) == 0;
}

ig_code ig_lab_results_has(bool *yes, const char *path, const ig_experiment *e, ig_err *err)
{
    IG_SCOPED(ig_result_file_free) ig_result_file f = {0};
    *yes = false;
    IG_TRY(ig_result_file_read(&f, path, err));
    for (int i = 0; i < f.n_experiment; i++)
        *yes = *yes || ig_experiment_is_named(e, f.experiment[i]);
    return IG_ERR_OK;
}

/* Calls `of` with each file of results/ beside the experiment's that has some of it; one that
 * cannot be read has none. For all variants: the name without them. */
ig_code ig_lab_each_beside(const ig_experiment *e, void *arg,
                           ig_code (*of)(void *arg, const char *path, ig_err *err), ig_err *err)
{
    char begin[PATH_MAX];
    const char *slash = strrchr(e->path, '/');
    glob_t g;
    snprintf(begin, sizeof begin, "%.*sresults/%.*s",
             slash != NULL ? (int)(slash + 1 - e->path) : 0, e->path, (int)strcspn(e->name, ":;"),
             e->name);
    ig_code code = IG_ERR_OK;
    if (ig_lab_glob(&g, begin, (int)strlen(begin), "*.jsonl"))
        for (size_t i = 0; i < g.gl_pathc && code == IG_ERR_OK; i++) {
            bool any;
            if (ig_lab_results_has(&any, g.gl_pathv[i], e, NULL) == IG_ERR_OK && any)
                code = of(arg, g.gl_pathv[i], err);
        }
    globfree(&g);
    return code;
}

static ig_code print_word(void *arg, const char *path, ig_err *err)
{
    FILE *fp = arg;
    (void)err;
    fputs(ftell(fp) > 0 ? " --results " : "", fp);
    ig_shell_word(fp, path);
    return IG_ERR_OK;
}

ig_code ig_lab_results_beside(char **out, const ig_experiment *e, ig_err *err)
{
    char *text = NULL;
    size_t size;
    *out = NULL;
    FILE *fp = open_memstream(&text, &size);
    if (fp == NULL)
        return ig_fail(err, IG_ERR_MEMORY, e->path, 0, "not enough memory for the names of files");
    ig_code code = ig_lab_each_beside(e, fp, print_word, err);
    if (!ig_memstream_close(fp))
        size = 0;
    if (size > 0 && code == IG_ERR_OK)
        code = ig_copy_text(out, text, "names of files", err);
    free(text);
    return code;
}
