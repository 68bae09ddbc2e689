/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the command that continues an experiment, quoted for a shell.
 */
#include "base/file.h"

#include "base/memory.h"
#include "base/strings/shell_word.h"
#include "fetch/data_root.h"
#include "lab/report/lab_report.h"

#include <stdlib.h>
#include <string.h>

/* Where the texts lie, when it is not where they are looked for anyway; NULL. Freed with ig_free.
 */
static char *other_root(const ig_experiment *e)
{
    char *root, *out = NULL;
    if (ig_data_root(&root, NULL, NULL) != IG_ERR_OK)
        return NULL;
    if (e->data_root != NULL && strcmp(root, e->data_root) != 0)
        (void)ig_path_join(&out, e->data_root, "", NULL);
    ig_free(root);
    if (out != NULL && strlen(out) > 1 && out[strlen(out) - 1] == '/')
        out[strlen(out) - 1] = '\0';
    return out;
}

ig_code ig_lab_report_command(char **out, const ig_lab_report *r, const char *command,
                              const char *only, ig_err *err)
{
    size_t size;
    char *text = NULL;
    FILE *fp = open_memstream(&text, &size);
    if (fp == NULL)
        return ig_fail(err, IG_ERR_MEMORY, "report", 0, "not enough memory for a command");
    fprintf(fp, "isoglot %s ", command);
    ig_shell_word(fp, r->experiment->path);
    ig_shell_option(fp, "--variant", r->experiment->applied);
    for (int i = 0; i < r->experiment->n_set; i++)
        ig_shell_option(fp, "--set", r->experiment->set[i]);
    char *root = other_root(r->experiment);
    ig_shell_option(fp, "--data", root);
    ig_free(root);
    ig_shell_option(fp, "--store", r->dir);
    for (int i = 0; i < r->n_file && strcmp(command, "report") == 0; i++)
        ig_shell_option(fp, "--results", r->file[i].path);
    ig_shell_option(fp, "--only", only);
    ig_code code = IG_ERR_OK;
    if (!ig_memstream_close(fp))
        code = ig_fail(err, IG_ERR_MEMORY, "report", 0, "not enough memory for a command");
    else
        code = ig_alloc(out, (int64_t)size + 1, 1, "a command", err);
    if (code == IG_ERR_OK)
        memcpy(*out, text, size + 1);
    free(text);
    return code;
}
