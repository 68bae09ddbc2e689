/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the history of a repository with git (git-rev-list(1)), and looks the commits of runs up in
 * it.
 */
#include "lab/report/lab_history.h"

#include "base/log.h"
#include "base/memory.h"
#include "isoglot/version.h"

#include <fcntl.h>
#include <jansson.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The output of a command without its messages; false: it failed. Freed with free. */
static bool output_of(char **out, char *const *argv)
{
    posix_spawn_file_actions_t actions;
    int ends[2], status = -1;
    pid_t pid;
    char part[1 << 14];
    size_t size;
    ssize_t n;
    *out = NULL;
    if (pipe(ends) != 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    const bool started = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *fp = open_memstream(out, &size);
    while (started && (n = read(ends[0], part, sizeof part)) > 0)
        if (fp != NULL)
            fwrite(part, 1, (size_t)n, fp);
    close(ends[0]);
    const bool kept = fp != NULL && fclose(fp) == 0;
    return started && waitpid(pid, &status, 0) == pid && status == 0 && kept;
}

/* Whether a commit, by the beginning of its name, is in the history. */
static bool is_known(const ig_lab_history *h, const char *commit, size_t n)
{
    for (const char *p = h->commits; *p != '\0'; p += strcspn(p, "\n"), p += *p == '\n')
        if (strncmp(p, commit, n) == 0)
            return true;
    return false;
}

ig_code ig_lab_history_read(ig_lab_history *h, const char *path, ig_err *err)
{
    char *dir, *text = NULL;
    const char *slash = strrchr(path, '/');
    const size_t n = slash == NULL ? 0 : slash > path ? (size_t)(slash - path) : 1;
    *h = (ig_lab_history){0};
    IG_TRY(ig_alloc(&dir, (int64_t)n + 2, 1, "a folder", err));
    memcpy(dir, n > 0 ? path : ".", n > 0 ? n : 1);
    char *argv[] = {(char[]){"git"},      (char[]){"-C"},   dir,
                    (char[]){"rev-list"}, (char[]){"HEAD"}, NULL};
    if (output_of(&text, argv)) {
        h->commits = text;
        text = NULL;
        const char *own = ig_commit();
        if (!is_known(h, own, strcspn(own, "+"))) {
            free(h->commits); /* another repository than the program's */
            h->commits = NULL;
        }
    }
    free(text);
    ig_free(dir);
    return IG_ERR_OK;
}

void ig_lab_history_free(ig_lab_history *h)
{
    free(h->commits);
    h->commits = NULL;
}

static void count(int64_t *n, char first[48], const char *commit)
{
    if ((*n)++ == 0)
        snprintf(first, 48, "%s", commit);
}

void ig_lab_history_see(ig_lab_history *h, const char *manifest)
{
    json_t *m = manifest != NULL ? json_loads(manifest, 0, NULL) : NULL;
    const char *commit =
        json_string_value(json_object_get(json_object_get(m, "program"), "commit"));
    const size_t n = commit != NULL ? strcspn(commit, "+") : 0;
    if (n > 0 && commit[n] == '+')
        count(&h->n_changed, h->changed, commit);
    else if (n > 0 && h->commits != NULL && !is_known(h, commit, n))
        count(&h->n_unknown, h->unknown, commit);
    json_decref(m);
}

void ig_lab_history_warn(const ig_lab_history *h, const char *experiment)
{
    if (h->n_changed > 0)
        ig_log(IG_LOG_NORMAL,
               "%s: %lld run%s made by a program with changes that were not committed (%s): nobody "
               "can build it again",
               experiment, (long long)h->n_changed, h->n_changed == 1 ? " was" : "s were",
               h->changed);
    if (h->n_unknown > 0)
        ig_log(IG_LOG_NORMAL,
               "%s: %lld run%s made by a commit that the history of this repository does not have "
               "(%s)",
               experiment, (long long)h->n_unknown, h->n_unknown == 1 ? " was" : "s were",
               h->unknown);
}
