/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of the commands about an experiment file, and opening the file by them.
 */
#include "cli/lab/lab_options.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/settings/yaml_tree.h"
#include "base/strings/append.h"
#include "base/strings/shell_word.h"
#include "lab/report/lab_report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VARIANTS_MAX = 32 };

/* Makes a pipe on standard input a file, since a command may read its experiment again. */
static ig_code keep_input(ig_err *err)
{
    char block[4096];
    struct stat st;
    if (fstat(STDIN_FILENO, &st) != 0 || !S_ISFIFO(st.st_mode))
        return IG_ERR_OK;
    FILE *file = tmpfile();
    bool kept = file != NULL;
    /* Of what is too long the reader of the file says so. */
    for (ssize_t n = 1, all = 0; kept && n > 0 && all <= IG_YAML_MAX_SIZE; all += n) {
        n = read(STDIN_FILENO, block, sizeof block);
        kept = n >= 0 && fwrite(block, 1, (size_t)n, file) == (size_t)n;
    }
    kept = kept && fflush(file) == 0 && dup2(fileno(file), STDIN_FILENO) == STDIN_FILENO;
    const ig_code code = kept ? IG_ERR_OK
                              : ig_fail(err, IG_ERR_IO, "standard input", 0,
                                        "cannot be kept in a file: %s", strerror(errno));
    if (file != NULL)
        fclose(file);
    return code;
}

ig_code ig_lab_place_read(ig_experiment *e, const char *file, const ig_lab_place *p, ig_err *err)
{
    const char *variant[VARIANTS_MAX];
    char *text = NULL;
    int n = 0;
    if (p->variant != NULL)
        IG_TRY(ig_copy_text(&text, p->variant, "variants", err));
    ig_code code = IG_ERR_OK;
    for (char *at = text; at != NULL && code == IG_ERR_OK;) {
        char *comma = strchr(at, ',');
        if (comma != NULL)
            *comma = '\0';
        if (n == VARIANTS_MAX || *at == '\0')
            code = ig_fail(err, IG_ERR_USAGE, "--variant", 0,
                           "found '%.80s', expected names with a comma between them", p->variant);
        else
            variant[n++] = at;
        at = comma != NULL ? comma + 1 : NULL;
    }
    const ig_experiment_request request = {.variant = variant,
                                           .n_variant = n,
                                           .set = (const char *const *)p->set.text,
                                           .n_set = p->set.n,
                                           .data_root = p->data};
    if (strcmp(file, "-") == 0) {
        file = IG_EXPERIMENT_STDIN;
        IG_THEN(code, keep_input(err));
    }
    IG_THEN(code, ig_experiment_read_request(e, file, &request, err));
    ig_free(text);
    for (int i = 0; i < e->n_remark && code == IG_ERR_OK; i++)
        ig_log(IG_LOG_NORMAL, "%s", e->remark[i]);
    return code;
}

void ig_lab_place_print(FILE *fp, const ig_lab_place *p)
{
    ig_shell_option(fp, "--variant", p->variant);
    for (int i = 0; i < p->set.n; i++)
        ig_shell_option(fp, "--set", p->set.text[i]);
    ig_shell_option(fp, "--data", p->data);
    ig_shell_option(fp, "--store", p->store);
}

void ig_lab_place_store(const char *store)
{
    if (ig_file_exists(store) && !ig_dir_exists(store))
        return; /* which is an error */
    ig_log(IG_LOG_NORMAL, "store %s%s", store, ig_dir_exists(store) ? "" : " (new)");
}

ig_code ig_lab_place_no_store(const ig_experiment *e, ig_code code, ig_err *err)
{
    IG_OWNED char *found = NULL;
    if (ig_lab_results_beside(&found, e, NULL) != IG_ERR_OK || found == NULL)
        return code;
    if (code == IG_ERR_OK)
        ig_log(IG_LOG_NORMAL, "there are results without a store: --results %s", found);
    else
        ig_hint(err, "there are results without a store: --results %s", found);
    return code;
}
