/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes findings: sentences, and commands that a shell runs as they are printed.
 */
#include "evaluate/card/finding_writer.h"

#include "base/memory.h"
#include "base/strings/shell_word.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static ig_code vprint(char **out, ig_err *err, const char *fmt, va_list args)
    __attribute__((format(printf, 3, 0)));
static ig_code vprint(char **out, ig_err *err, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    IG_TRY(ig_alloc(out, (int64_t)n + 1, 1, "finding", err));
    vsnprintf(*out, (size_t)n + 1, fmt, args);
    return IG_ERR_OK;
}

ig_code ig_finding_add(ig_finding_writer *w, ig_err *err, const char *kind, const char *fmt, ...)
{
    ig_findings *f = w->f;
    IG_TRY(ig_grow(&f->finding, &f->have, (int64_t)f->n + 1, sizeof *f->finding, "findings", err));
    f->finding[f->n++] = (ig_finding){.kind = kind, .gain = ig_card_none()};
    va_list args;
    va_start(args, fmt);
    const ig_code code = vprint(&f->finding[f->n - 1].text, err, fmt, args);
    va_end(args);
    return code;
}

ig_code ig_finding_command(FILE **fp, ig_finding_writer *w, ig_err *err)
{
    *fp = open_memstream(&w->command, &w->n_command);
    return *fp != NULL ? IG_ERR_OK
                       : ig_fail(err, IG_ERR_MEMORY, "findings", 0, "not enough memory");
}

ig_code ig_finding_command_end(FILE *fp, ig_finding_writer *w, ig_err *err)
{
    char **out = &w->f->finding[w->f->n - 1].command;
    ig_code code = ig_memstream_close(fp)
                       ? ig_alloc(out, (int64_t)w->n_command + 1, 1, "finding", err)
                       : ig_fail(err, IG_ERR_MEMORY, "findings", 0, "not enough memory");
    if (code == IG_ERR_OK)
        memcpy(*out, w->command, w->n_command);
    free(w->command);
    w->command = NULL;
    return code;
}

void ig_finding_texts(FILE *fp, const ig_finding_writer *w, const char *suffix)
{
    for (int k = 0; k < w->d->n_language; k++) {
        const ig_diagnose_language *l = &w->d->language[k];
        fprintf(fp, " --text %s=", l->name);
        if (suffix != NULL)
            fprintf(fp, "%s.%s", l->name, suffix);
        else
            ig_shell_word(fp, l->path);
    }
}

void ig_finding_again(FILE *fp, const ig_finding_writer *w, const char *suffix)
{
    fprintf(fp, "isoglot diagnose ");
    ig_shell_word(fp, w->model);
    ig_finding_texts(fp, w, suffix);
}
