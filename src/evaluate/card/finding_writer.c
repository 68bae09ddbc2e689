/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes findings: sentences, and commands that a shell runs as they are printed. Those on vectors
 * read them from the model, or from files of states by Python.
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

void ig_finding_path(FILE *fp, const char *path)
{
    if (path[0] == '-')
        fputs("./", fp);
    ig_shell_word(fp, path);
}

void ig_finding_file(FILE *fp, const ig_finding_writer *w, int k, const char *suffix)
{
    static const char special[] = "/\\\"'`$&|;<>()*?[]{}#~!=% \t\n";
    const char *name = w->d->language[k].name;
    if (name[0] == '-' || strpbrk(name, special) != NULL)
        fprintf(fp, "text%d", k + 1);
    else
        fputs(name, fp);
    fputs(suffix, fp);
}

/* Writes the model, with the options it was read by, as words of a shell. */
static void write_model(FILE *fp, const ig_finding_writer *w)
{
    ig_finding_path(fp, w->model);
    fprintf(fp, "%s%s", w->d->lowercase ? " --lowercase" : "",
            w->d->ignore_extra ? " --ignore-extra" : "");
}

void ig_finding_texts(FILE *fp, const ig_finding_writer *w, const char *suffix)
{
    for (int k = 0; k < w->d->n_language; k++) {
        const ig_diagnose_language *l = &w->d->language[k];
        fputs(" --text ", fp);
        ig_shell_word(fp, l->name);
        fputc('=', fp);
        if (suffix != NULL)
            ig_finding_file(fp, w, k, suffix);
        else
            ig_shell_word(fp, l->path);
    }
    if (w->d->unrelated)
        fputs(" --unrelated", fp);
}

void ig_finding_again(FILE *fp, const ig_finding_writer *w, const char *suffix)
{
    fprintf(fp, "isoglot diagnose ");
    write_model(fp, w);
    ig_finding_texts(fp, w, suffix);
}

ig_code ig_finding_lines(ig_finding_writer *w, ig_err *err)
{
    const ig_diagnosis *d = w->d;
    bool texts = d->plain || d->of_files;
    FILE *fp;
    for (int k = 0; k < d->n_language; k++)
        texts = texts && d->language[k].path[0] != '\0';
    if (d->of_files && !texts)
        return IG_ERR_OK;
    IG_TRY(ig_finding_command(&fp, w, err));
    fputs(texts ? "paste" : "isoglot model ", fp);
    for (int k = 0; k < d->n_language && texts; k++) {
        fputc(' ', fp);
        ig_finding_path(fp, d->language[k].path);
    }
    if (texts)
        fputs(d->of_files ? " | head -n 5" : " | head -n 5 && isoglot model ", fp);
    if (!d->of_files)
        ig_finding_path(fp, w->model);
    return ig_finding_command_end(fp, w, err);
}

/* A script of Python, its lines separated by semicolons, and a name of each language. */
static void python(FILE *fp, const ig_finding_writer *w, const char *script, bool files)
{
    fprintf(fp, "python3 -c '%s'", script);
    for (int k = 0; k < w->d->n_language; k++) {
        fputc(' ', fp);
        ig_finding_file(fp, w, k, "");
        if (!files)
            continue;
        fputc('=', fp);
        ig_shell_word(fp, w->d->language[k].states);
    }
}

ig_code ig_finding_vectors(ig_finding_writer *w, int row, const char *script, ig_err *err)
{
    const ig_diagnosis *d = w->d;
    char save[300];
    FILE *fp;
    /* A run's own text is in no file; verses of two files need not pair. */
    if (d->of_files ? d->language[0].states == NULL : !d->plain)
        return IG_ERR_OK;
    IG_TRY(ig_finding_command(&fp, w, err));
    for (int k = 0; k < d->n_language && !d->of_files; k++) {
        fprintf(fp, "%sisoglot encode ", k > 0 ? " && " : "");
        write_model(fp, w);
        fputc(' ', fp);
        ig_finding_path(fp, d->language[k].path);
        ig_shell_option(fp, "--language", d->language[k].name);
        fputs(" --out ", fp);
        ig_finding_file(fp, w, k, ".npy");
        if (row < d->n_layer)
            fprintf(fp, " --layer %d", row);
    }
    snprintf(save, sizeof save,
             "import sys, numpy as np; from safetensors.numpy import load_file; [np.save(l + "
             "\".npy\", load_file(f)[\"states\"][:, %d]) for l, f in [a.split(\"=\", 1) for a "
             "in sys.argv[1:]]]",
             row);
    if (d->of_files)
        python(fp, w, save, true);
    if (script != NULL) {
        fputs(" && ", fp);
        python(fp, w, script, false);
    }
    return ig_finding_command_end(fp, w, err);
}

/* Halves of the texts, from which the rotation is learned and on which it is tried. */
static void rotate_texts(FILE *fp, const ig_finding_writer *w)
{
    const ig_diagnosis *d = w->d;
    const long long n = (long long)d->language[0].n_sentence / 2;
    for (int k = 0; k < d->n_language; k++) {
        fprintf(fp, "head -n %lld ", n);
        ig_finding_path(fp, d->language[k].path);
        fputs(" >", fp);
        ig_finding_file(fp, w, k, ".learn");
        fprintf(fp, " && tail -n +%lld ", n + 1);
        ig_finding_path(fp, d->language[k].path);
        fputs(" >", fp);
        ig_finding_file(fp, w, k, ".test");
        fputs(" && ", fp);
    }
    fprintf(fp, "isoglot similarity ");
    write_model(fp, w);
    ig_finding_texts(fp, w, ".test");
    for (int k = 0; k < d->n_language; k++) {
        fputs(" --learn ", fp);
        ig_shell_word(fp, d->language[k].name);
        fputc('=', fp);
        ig_finding_file(fp, w, k, ".learn");
    }
}

ig_code ig_finding_rotation(ig_finding_writer *w, int pair, ig_err *err)
{
    const ig_diagnosis *d = w->d;
    char script[600];
    FILE *fp;
    if (!(d->of_files ? d->in_order : d->plain))
        return IG_ERR_OK;
    IG_TRY(ig_finding_command(&fp, w, err));
    snprintf(
        script, sizeof script,
        "import sys, numpy as np; from safetensors.numpy import load_file; v = "
        "[load_file(a.split(\"=\", 1)[1])[\"states\"][:, %d] for a in sys.argv[1:]]; x, y = "
        "[u / np.linalg.norm(u, axis=1, keepdims=True) for u in (v[%d], v[%d])]; n = len(x) // "
        "2; u, s, w = np.linalg.svd(x[:n].T @ y[:n]); s = x[n:] @ (u @ w) @ y[n:].T; "
        "print((s.argmax(1) == np.arange(len(s))).mean())",
        d->of_pair[pair].rotated_layer, d->pair[pair][0], d->pair[pair][1]);
    if (d->of_files)
        python(fp, w, script, true);
    else
        rotate_texts(fp, w);
    return ig_finding_command_end(fp, w, err);
}
