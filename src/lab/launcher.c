/* SPDX-License-Identifier: Apache-2.0
 *
 * The launchers; see launcher.h. The job script follows sbatch(1) of Slurm: options in comments at
 * its top, one task an array index, a signal ahead of the time limit so that runs are saved.
 */
#include "lab/launcher.h"

#include "apply/folder/run_folder.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/strings/append.h"
#include "base/strings/shell_word.h"
#include "fetch/data_root.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TASKS_MAX = 1000 }; /* Slurm's MaxArraySize is 1001 unless it was set otherwise */

static ig_code launch_local(ig_launched *out, const ig_experiment *e, const ig_lab_options *o,
                            const ig_launch *l, ig_err *err)
{
    (void)l;
    out->here = true;
    return ig_lab_run(&out->result, e, o, err);
}

static void option(FILE *f, const char *name, const char *value)
{
    if (value == NULL)
        return;
    fprintf(f, " \\\n    %s ", name);
    ig_shell_word(f, value);
}

/* Every argument beginning with "-" becomes a line of its own. */
static void sbatch_lines(FILE *f, const char *arguments)
{
    for (const char *p = arguments; p != NULL && *p != '\0';) {
        p += strspn(p, " \t\n");
        const char *next = p;
        do
            next = strpbrk(next + (next == p ? 0 : 1), " \t\n");
        while (next != NULL && next[strspn(next, " \t\n")] != '-' && next[strspn(next, " \t\n")]);
        const size_t n = next != NULL ? (size_t)(next - p) : strlen(p);
        if (n > 0)
            fprintf(f, "#SBATCH %.*s\n", (int)n, p);
        p = next != NULL ? next : p + n;
    }
}

typedef struct {
    char *program, *file, *store, *data;
} places;

static ig_code absolute(char **out, const char *path, ig_err *err)
{
    IG_OWNED char *full = realpath(path, NULL);
    if (full == NULL)
        return ig_fail(err, IG_ERR_IO, path, 0, "%s", strerror(errno));
    return ig_copy_text(out, full, "path", err);
}

/* A line end in a name would end its line of the script and begin one of somebody's choice; no
 * other control character belongs into a command either. */
static ig_code check_words(const ig_experiment *e, const ig_lab_options *o, const ig_launch *l,
                           const places *p, ig_err *err)
{
    const struct {
        const char *what, *text;
    } word[] = {{"FILE", l->file},       {"--store", o->store},
                {"--data", l->data},     {"--variant", l->variant},
                {"--only", o->selector}, {"--sbatch-args", l->arguments},
                {"FILE", e->name},       {"the program's path", p->program},
                {"FILE", p->file},       {"--store", p->store},
                {"--data", p->data}};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        for (const char *q = word[i].text; q != NULL && *q != '\0'; q++)
            if ((unsigned char)*q < 0x20 || *q == 0x7F)
                return ig_fail(err, IG_ERR_USAGE, word[i].what, 0,
                               "found the control character 0x%02X at place %td, expected none in "
                               "what a job script has",
                               (unsigned)(unsigned char)*q, q - word[i].text + 1);
    return IG_ERR_OK;
}

static ig_code find_places(places *p, const ig_lab_options *o, const ig_launch *l, ig_err *err)
{
    IG_OWNED char *root = NULL;
    IG_TRY(absolute(&p->program, l->program, err));
    IG_TRY(absolute(&p->file, l->file, err));
    IG_TRY(ig_dir_make(o->store, err));
    IG_TRY(absolute(&p->store, o->store, err));
    IG_TRY(ig_data_root_if_any(&root, l->data, err));
    /* An experiment on generated worlds needs none. */
    return ig_dir_exists(root) ? absolute(&p->data, root, err) : IG_ERR_OK;
}

/* A path in a line of #SBATCH: sbatch takes away quotes and backslashes as a shell does, and reads
 * %x as a field of the job. */
static void sbatch_word(FILE *f, const char *s)
{
    for (; *s != '\0'; s++) {
        if (strchr(" \t'\"\\#", *s) != NULL)
            fputc('\\', f);
        else if (*s == '%')
            fputc('%', f);
        fputc(*s, f);
    }
}

static void write_text(FILE *f, const places *p, const char *job, const ig_lab_options *o,
                       const ig_launch *l, int n_task, int ranks)
{
    const int threads = o->threads > 0 ? o->threads : 1;
    fprintf(f,
            "#!/bin/sh\n"
            "# Works on the experiment %s: each task takes runs that nobody has taken yet, until\n"
            "# none is left. Submitting it again resumes it.\n"
            "#SBATCH --job-name=isoglot-%s\n"
            "#SBATCH --array=0-%d\n"
            "#SBATCH --ntasks=%d\n"
            "#SBATCH --cpus-per-task=%d\n"
            "#SBATCH --output=",
            job, job, n_task - 1, ranks, threads);
    sbatch_word(f, p->store);
    fprintf(f,
            "/jobs/%s-%%A_%%a.log\n"
            "#SBATCH --requeue\n"
            "# So long before its time is up a task saves and stops.\n"
            "#SBATCH --signal=B:TERM@120\n",
            job);
    if (o->max_time > 0)
        fprintf(f, "#SBATCH --time=%lld\n", (long long)ceil(o->max_time / 60) + 5);
    sbatch_lines(f, l->arguments);
    fputs("exec ", f);
    ig_shell_word(f, p->program);
    fputs(" run ", f);
    ig_shell_word(f, p->file);
    fprintf(f, " --worker --jobs 1 --threads %d", threads);
    option(f, "--store", p->store);
    option(f, "--data", p->data);
    option(f, "--variant", l->variant);
    for (int i = 0; i < l->n_set; i++)
        option(f, "--set", l->set[i]);
    option(f, "--only", o->selector);
    if (o->max_time > 0)
        fprintf(f, " \\\n    --max-time %.9g", o->max_time);
    fprintf(f, " \\\n    --save-every %.9g", o->save_every);
    option(f, "--device", o->device);
    if (o->retry)
        fputs(" \\\n    --retry", f);
    fputc('\n', f);
}

static ig_code write_script(ig_launched *out, const places *p, const ig_experiment *e,
                            const ig_lab_options *o, const ig_launch *l, ig_err *err)
{
    char folder[IG_PATH], path[IG_PATH], job[208];
    ig_out file;
    IG_TRY(ig_folder_path(folder, p->store, err, "jobs"));
    snprintf(job, sizeof job, "%.200s", e->name);
    for (char *q = job; *q != '\0'; q++)
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._", *q) == NULL)
            *q = '-';
    IG_TRY(ig_dir_make(folder, err));
    IG_TRY(ig_folder_path(path, folder, err, "%s.sh", job));
    IG_TRY(ig_copy_text(&out->script, path, "path", err));
    IG_TRY(ig_out_open(&file, out->script, err));
    write_text(file.fp, p, job, o, l, out->n_task, ig_lab_ranks(e));
    IG_TRY(ig_out_close(&file, IG_ERR_OK, err));
    chmod(out->script, 0755);
    return IG_ERR_OK;
}

/* Runs sbatch and takes its first line, of stdout or stderr. */
static ig_code submit(ig_launched *out, ig_err *err)
{
    char *command = NULL;
    size_t size;
    int status = -1;
    FILE *f = open_memstream(&command, &size);
    if (f == NULL)
        return ig_fail(err, IG_ERR_MEMORY, "sbatch", 0, "not enough memory for a command");
    fputs("exec 2>&1; command -v sbatch >/dev/null || exit 127; exec sbatch ", f);
    ig_shell_word(f, out->script);
    FILE *from = ig_memstream_close(f) ? popen(command, "r") : NULL;
    free(command);
    if (from == NULL)
        return ig_fail(err, IG_ERR_IO, "sbatch", 0, "cannot start: %s", strerror(errno));
    if (fgets(out->answer, sizeof out->answer, from) == NULL)
        out->answer[0] = '\0';
    out->answer[strcspn(out->answer, "\n")] = '\0';
    while (fgetc(from) != EOF)
        ;
    status = pclose(from);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return IG_ERR_OK;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && out->answer[0] == '\0') {
        ig_fail(err, IG_ERR_IO, "sbatch", 0, "is not on this machine's PATH");
        return ig_hint(err, "the script is %s; submit it where Slurm is", out->script);
    }
    /* It begins with the name that is already given as the position. */
    static const char name[] = "sbatch: ", grade[] = "error: ";
    const char *why = out->answer;
    if (strncmp(why, name, sizeof name - 1) == 0)
        why += sizeof name - 1;
    if (strncmp(why, grade, sizeof grade - 1) == 0)
        why += sizeof grade - 1;
    return ig_fail(err, IG_ERR_IO, "sbatch", 0, "%s", why);
}

static ig_code launch_slurm(ig_launched *out, const ig_experiment *e, const ig_lab_options *o,
                            const ig_launch *l, ig_err *err)
{
    ig_lab_state *state;
    int n, n_missing = 0;
    IG_TRY(ig_lab_status(&state, &n, e, o->store, err));
    for (int i = 0; i < n; i++)
        n_missing +=
            state[i].status != IG_RUN_DONE && (state[i].status != IG_RUN_FAILED || o->retry);
    ig_free(state);
    if (n_missing == 0)
        return IG_ERR_OK;
    out->n_task = l->array > 0 ? l->array : n_missing < TASKS_MAX ? n_missing : TASKS_MAX;
    places p = {0};
    IG_TRY(check_words(e, o, l, &p, err)); /* before a folder is made */
    ig_code code = find_places(&p, o, l, err);
    IG_THEN(code, check_words(e, o, l, &p, err));
    IG_THEN(code, write_script(out, &p, e, o, l, err));
    if (code == IG_ERR_OK && l->submit)
        code = submit(out, err);
    IG_FREE(p.program, p.file, p.store, p.data);
    return code;
}

const ig_launcher ig_launchers[] = {
    {"local", "processes of this machine", launch_local},
    {"slurm", "a job array of Slurm", launch_slurm},
};
const char *const ig_launcher_names[] = {"local", "slurm", NULL};

void ig_launched_free(ig_launched *l)
{
    ig_free(l->script);
    *l = (ig_launched){0};
}
