/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks files by an extended attribute and reads the marks. The mark has size and time, in whole
 * seconds, since some file systems store no more: a file that somebody changed is no longer ours.
 */
#include "base/output/written.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

enum { MARK = 64 };
static bool allow_all;

void ig_written_allow(bool all)
{
    allow_all = all;
}

static void mark_of(char mark[MARK], const struct stat *st)
{
    snprintf(mark, MARK, "%lld %lld", (long long)st->st_size, (long long)st->st_mtime);
}

void ig_written_mark(int fd)
{
#ifdef __linux__
    struct stat st;
    char mark[MARK];
    if (fstat(fd, &st) != 0)
        return;
    mark_of(mark, &st);
    (void)!fsetxattr(fd, "user.isoglot", mark, strlen(mark), 0);
#else
    (void)fd;
#endif
}

/* Returns 1 if the mark fits, 0 if the file was changed since, −1 without a mark. */
static int read_mark(const char *path, const struct stat *st)
{
#ifdef __linux__
    char mark[MARK], found[MARK];
    mark_of(mark, st);
    const ssize_t n = getxattr(path, "user.isoglot", found, sizeof found);
    return n < 0 ? -1 : n == (ssize_t)strlen(mark) && memcmp(mark, found, (size_t)n) == 0;
#else
    (void)path;
    (void)st;
    return -1;
#endif
}

static bool is_page(const char *path)
{
    enum { HEAD = 4096 };
    char head[HEAD + 1];
    FILE *fp = fopen(path, "rb");
    if (fp == NULL)
        return false;
    head[fread(head, 1, HEAD, fp)] = '\0';
    fclose(fp);
    return strstr(head, IG_PAGE_GENERATOR) != NULL;
}

/* Returns whether the file has a valid mark, or is a page of ours. */
static bool is_ours(const char *path)
{
    struct stat st;
    if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    const int mark = read_mark(path, &st);
    return mark >= 0 ? mark == 1 : is_page(path);
}

ig_code ig_written_check(const char *path, ig_err *err)
{
    struct stat st;
    if (allow_all || path == NULL || strcmp(path, "-") == 0 || lstat(path, &st) != 0)
        return IG_ERR_OK;
    /* Other types than file and link are refused when they are opened. */
    if ((!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)) ||
        (S_ISREG(st.st_mode) && st.st_size == 0) || is_ours(path))
        return IG_ERR_OK;
    /* A link to a device is one. */
    if (S_ISLNK(st.st_mode) && stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_IO, path, 0,
            "found a file that isoglot did not write, or that was changed");
    return ig_hint(err, "another name keeps it; --overwrite replaces it");
}

ig_code ig_written_check_all(const char *dir, ig_err *err)
{
    DIR *d = opendir(dir);
    ig_code code = IG_ERR_OK;
    if (d == NULL)
        return IG_ERR_OK;
    for (const struct dirent *e = readdir(d); e != NULL && code == IG_ERR_OK; e = readdir(d)) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        code = ig_written_check(path, err);
    }
    closedir(d);
    return code;
}
