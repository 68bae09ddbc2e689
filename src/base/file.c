/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads, maps and writes files. The order fsync(file), rename, fsync(folder) keeps either the old
 * or the new content in case of a power failure.
 */
#include "base/file.h"

#include "base/memory.h"
#include "base/output/leftover.h"
#include "base/output/standard_output.h"
#include "base/output/written.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static ig_code io_error(ig_err *err, const char *path, const char *what)
{
    return ig_fail(err, IG_ERR_IO, path, 0, "%s: %s", what, strerror(errno));
}

/* An error keeps the system's text, not the number. */
bool ig_is_no_space(const ig_err *err)
{
    static const int reasons[] = {ENOSPC, EDQUOT, EFBIG};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons && err->code == IG_ERR_IO; i++)
        if (strstr(err->msg, strerror(reasons[i])) != NULL)
            return true;
    return false;
}

static ig_code open_regular(int *fd, int64_t *size, const char *path, ig_err *err)
{
    struct stat st;
    *fd = -1;
    /* Who writes into a pipe loses its reader when it is closed, before anybody reads it. */
    if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
        return ig_fail(err, IG_ERR_IO, path, 0, "found a pipe or a device, expected a file");
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0)
        return io_error(err, path, "cannot open");
    ig_code code = IG_ERR_OK;
    if (fstat(*fd, &st) != 0)
        code = io_error(err, path, "cannot stat");
    else if (S_ISDIR(st.st_mode))
        code = ig_fail(err, IG_ERR_IO, path, 0, "found a directory, expected a file");
    else if (!S_ISREG(st.st_mode))
        code = ig_fail(err, IG_ERR_IO, path, 0, "found a pipe or a device, expected a file");
    else {
        /* Files of the system (/proc) have size 0, and some of them cannot be read. */
        char first;
        const ssize_t k = st.st_size == 0 ? pread(*fd, &first, 1, 0) : 0;
        *size = (int64_t)st.st_size;
        if (k < 0)
            code = io_error(err, path, "cannot read");
        else if (k > 0)
            code = ig_fail(err, IG_ERR_IO, path, 0,
                           "found a file of the system, of unknown size, expected a file");
    }
    if (code != IG_ERR_OK)
        close(*fd);
    return code;
}

ig_code ig_map_open(ig_map *out, const char *path, ig_err *err)
{
    int fd;
    *out = (ig_map){0};
    IG_TRY(open_regular(&fd, &out->size, path, err));
    if (out->size > 0) {
        void *p = mmap(NULL, (size_t)out->size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p == MAP_FAILED) {
            close(fd);
            *out = (ig_map){0};
            return io_error(err, path, "cannot map");
        }
        out->map = p;
        out->data = p;
    }
    close(fd);
    return IG_ERR_OK;
}

void ig_map_close(ig_map *map)
{
    if (map->map != NULL)
        munmap(map->map, (size_t)map->size);
    *map = (ig_map){0};
}

ig_code ig_file_read(char **out, int64_t *size, const char *path, int64_t limit, ig_err *err)
{
    int fd;
    *out = NULL;
    *size = 0;
    int64_t n = 0, done = 0;
    IG_TRY(open_regular(&fd, &n, path, err));
    ig_code code = n > limit
                       ? ig_fail(err, IG_ERR_INPUT, path, 0, "%lld bytes, expected at most %lld",
                                 (long long)n, (long long)limit)
                       : ig_alloc(out, n + 1, 1, path, err);
    for (ssize_t k = 1; code == IG_ERR_OK && done < n && k != 0; done += k > 0 ? k : 0) {
        k = read(fd, *out + done, (size_t)(n - done));
        if (k < 0 && errno != EINTR)
            code = io_error(err, path, "cannot read");
    }
    close(fd);
    if (code == IG_ERR_OK) {
        *size = done;
    } else {
        ig_free(*out);
        *out = NULL;
    }
    return code;
}

ig_code ig_path_join(char **out, const char *dir, const char *name, ig_err *err)
{
    size_t a = strlen(dir), b = strlen(name);
    while (a > 1 && dir[a - 1] == '/')
        a--;
    IG_TRY(ig_alloc(out, (int64_t)(a + b + 2), 1, "path", err));
    memcpy(*out, dir, a);
    (*out)[a] = '/';
    memcpy(*out + a + 1, name, b + 1);
    return IG_ERR_OK;
}

static ig_code copy_path(char **out, const char *path, ig_err *err)
{
    const size_t n = strlen(path) + 1;
    IG_TRY(ig_alloc(out, (int64_t)n, 1, "path", err));
    memcpy(*out, path, n);
    return IG_ERR_OK;
}

/* Returns the folder of a path; freed with free. NULL: no memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

ig_code ig_path_named(char **out, const char *file, const char *dir, const char *name, ig_err *err)
{
    if (file != NULL && dir != NULL && name[0] != '/') {
        char *folder = folder_of(file), *joined = NULL, *whole = NULL;
        ig_code code = folder == NULL ? ig_fail(err, IG_ERR_MEMORY, name, 0, "not enough memory")
                                      : ig_path_join(&joined, folder, name, err);
        if (code == IG_ERR_OK)
            whole = realpath(joined, NULL);
        if (whole != NULL)
            code = copy_path(out, whole, err);
        const bool found = whole != NULL;
        free(folder);
        free(whole);
        ig_free(joined);
        if (code != IG_ERR_OK || found)
            return code;
    }
    return dir == NULL || name[0] == '/' ? copy_path(out, name, err)
                                         : ig_path_join(out, dir, name, err);
}

static ig_code sync_parent(const char *path, ig_err *err)
{
    ig_code code = IG_ERR_OK;
    IG_OWNED char *dir = folder_of(path);
    const int fd = open(dir != NULL ? dir : ".", O_RDONLY | O_CLOEXEC);
    /* Some file systems do not sync folders; the rename itself has still happened. */
    if (dir == NULL)
        code = ig_fail(err, IG_ERR_MEMORY, path, 0, "not enough memory for its folder's name");
    else if (fd < 0)
        code = io_error(err, dir, "cannot open");
    else if (fsync(fd) != 0 && errno != EINVAL)
        code = io_error(err, dir, "cannot sync");
    if (fd >= 0)
        close(fd);
    return code;
}

/* Makes a new file (returns its descriptor) or folder (returns 0) beside `path`; −1 with errno if
 * that fails. An existing name (of a process that died, or a link placed there to have its target
 * written) is left alone and another one used. */
static int create_temporary(char *tmp, size_t room, const char *path, bool folder)
{
    enum { MOST = 1000 };
    int made = -1;
    for (int i = 0; i < MOST && made < 0; i++) {
        if (i == 0)
            snprintf(tmp, room, "%s.tmp-%ld", path, (long)getpid());
        else
            snprintf(tmp, room, "%s.tmp-%ld-%d", path, (long)getpid(), i);
        made = folder ? mkdir(tmp, 0777)
                      : open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (made < 0 && errno != EEXIST)
            break;
    }
    return made;
}

ig_code ig_out_open(ig_out *out, const char *path, ig_err *err)
{
    *out = (ig_out){0};
    if (path == NULL || strcmp(path, "-") == 0) {
        static const char name[] = "standard output";
        IG_TRY(ig_alloc(&out->path, sizeof name, 1, name, err));
        memcpy(out->path, name, sizeof name);
        out->fp = stdout;
        out->standard = path != NULL;
        return out->standard ? ig_standard_output_open(&out->fp, err) : IG_ERR_OK;
    }
    /* The rename would replace a device or a pipe by a file. */
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return ig_fail(err, IG_ERR_IO, path, 0, "found %s, expected a file name",
                       S_ISDIR(st.st_mode) ? "a directory" : "a device or a pipe");
    const size_t room = strlen(path) + 32;
    char *tmp;
    IG_TRY(ig_alloc(&tmp, (int64_t)room, 1, path, err));
    ig_code code = ig_alloc(&out->path, (int64_t)room, 1, path, err);
    (void)ig_leftovers_of(path);
    const int fd = code == IG_ERR_OK ? create_temporary(tmp, room, path, false) : -1;
    if (fd >= 0)
        ig_leftover_hold(fd);
    out->fp = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (out->fp != NULL) {
        strcpy(out->path, path);
        out->tmp = tmp;
        return IG_ERR_OK;
    }
    IG_THEN(code, io_error(err, path, "cannot create"));
    if (fd >= 0) {
        close(fd);
        unlink(tmp);
    }
    ig_free(tmp);
    ig_out_discard(out);
    return code;
}

ig_code ig_out_open_in(ig_out *out, const char *dir, const char *name, ig_err *err)
{
    IG_OWNED char *path = NULL;
    *out = (ig_out){0};
    IG_TRY(ig_path_join(&path, dir, name, err));
    return ig_out_open(out, path, err);
}

ig_code ig_out_new(ig_out *out, const char *path, ig_err *err)
{
    *out = (ig_out){0};
    IG_TRY(ig_written_check(path, err));
    return ig_out_open(out, path != NULL && strcmp(path, "-") == 0 ? NULL : path, err);
}

ig_code ig_out_new_in(ig_out *out, const char *dir, const char *name, ig_err *err)
{
    IG_TRY(ig_out_try_in(dir, name, err));
    return ig_out_open_in(out, dir, name, err);
}

ig_code ig_out_try(const char *path, ig_err *err)
{
    ig_out out;
    if (path == NULL || strcmp(path, "-") == 0)
        return IG_ERR_OK;
    IG_TRY(ig_out_new(&out, path, err));
    ig_out_discard(&out);
    return IG_ERR_OK;
}

ig_code ig_out_try_in(const char *dir, const char *name, ig_err *err)
{
    IG_OWNED char *path = NULL;
    if (!ig_dir_exists(dir))
        return IG_ERR_OK;
    IG_TRY(ig_path_join(&path, dir, name, err));
    return ig_out_try(path, err);
}

/* Finds the folder of a path, by device and inode; the name within it. */
static bool place_of(struct stat *dir, const char **name, const char *path)
{
    const char *slash = strrchr(path, '/');
    IG_OWNED char *folder = folder_of(path);
    *name = slash != NULL ? slash + 1 : path;
    return folder != NULL && stat(folder, dir) == 0;
}

bool ig_out_same(const char *a, const char *b)
{
    struct stat dir[2];
    const char *name[2];
    if (a == NULL || b == NULL)
        return false;
    return strcmp(a, b) == 0 || (place_of(&dir[0], &name[0], a) && place_of(&dir[1], &name[1], b) &&
                                 dir[0].st_dev == dir[1].st_dev && dir[0].st_ino == dir[1].st_ino &&
                                 strcmp(name[0], name[1]) == 0);
}

ig_code ig_out_write(ig_out *out, const void *data, int64_t size, ig_err *err)
{
    if (size > 0 && fwrite(data, 1, (size_t)size, out->fp) != (size_t)size)
        return io_error(err, out->path, "cannot write");
    return IG_ERR_OK;
}

ig_code ig_out_flush(ig_out *out, ig_err *err)
{
    const bool file = out->fp != stdout;
    if (ferror(out->fp) || fflush(out->fp) != 0 || (file && fsync(fileno(out->fp)) != 0))
        return io_error(err, out->path, "cannot write");
    return IG_ERR_OK;
}

ig_code ig_out_commit(ig_out *out, ig_err *err)
{
    if (out->fp == stdout) { /* the end of the program checks it */
        ig_out_discard(out);
        return IG_ERR_OK;
    }
    ig_code code = ig_out_flush(out, err);
    if (out->standard) {
        const ig_code shown = ig_standard_output_close(out->fp, code == IG_ERR_OK, err);
        out->fp = NULL;
        ig_out_discard(out);
        return code != IG_ERR_OK ? code : shown;
    }
    if (code == IG_ERR_OK)
        ig_written_mark(fileno(out->fp));
    if (fclose(out->fp) != 0 && code == IG_ERR_OK)
        code = io_error(err, out->path, "cannot write");
    out->fp = NULL;
    IG_THEN(code, ig_rename(out->tmp, out->path, err));
    if (code == IG_ERR_OK) {
        ig_free(out->tmp);
        out->tmp = NULL;
    }
    ig_out_discard(out);
    return code;
}

ig_code ig_out_close(ig_out *out, ig_code code, ig_err *err)
{
    if (code == IG_ERR_OK)
        return ig_out_commit(out, err);
    ig_out_discard(out);
    return code;
}

void ig_out_discard(ig_out *out)
{
    if (out->fp != NULL && out->fp != stdout)
        fclose(out->fp);
    if (out->tmp != NULL)
        unlink(out->tmp);
    IG_FREE(out->tmp, out->path);
    *out = (ig_out){0};
}

ig_code ig_file_write(const char *path, const void *data, int64_t size, ig_err *err)
{
    ig_out out;
    IG_TRY(ig_out_open(&out, path, err));
    return ig_out_close(&out, ig_out_write(&out, data, size, err), err);
}

bool ig_file_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

bool ig_same_content(const char *a, const char *b)
{
    struct stat s, t;
    ig_map m = {0}, n = {0};
    if (stat(a, &s) != 0 || stat(b, &t) != 0)
        return false;
    if (s.st_dev == t.st_dev && s.st_ino == t.st_ino)
        return true;
    const bool same = s.st_size == t.st_size && s.st_size > 0 &&
                      ig_map_open(&m, a, NULL) == IG_ERR_OK &&
                      ig_map_open(&n, b, NULL) == IG_ERR_OK && m.size == n.size &&
                      memcmp(m.data, n.data, (size_t)m.size) == 0;
    ig_map_close(&m);
    ig_map_close(&n);
    return same;
}

bool ig_dir_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

ig_code ig_dir_make(const char *path, ig_err *err)
{
    char part[PATH_MAX];
    size_t n = strlen(path);
    if (n == 0 || n >= sizeof part)
        return ig_fail(err, IG_ERR_IO, path, 0, "folder name of %zu bytes, expected 1 to %zu", n,
                       sizeof part - 1);
    memcpy(part, path, n + 1);
    for (size_t i = 1; i <= n; i++) {
        if (part[i] != '/' && part[i] != '\0')
            continue;
        char c = part[i];
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return io_error(err, part, "cannot create folder");
        part[i] = c;
    }
    if (!ig_dir_exists(path))
        return ig_fail(err, IG_ERR_IO, path, 0, "found a file, expected a folder");
    return IG_ERR_OK;
}

ig_code ig_dir_remove(const char *path, ig_err *err)
{
    struct stat what;
    if (lstat(path, &what) == 0 && S_ISLNK(what.st_mode))
        return unlink(path) == 0 ? IG_ERR_OK : io_error(err, path, "cannot remove");
    DIR *d = opendir(path);
    if (d == NULL)
        return errno == ENOENT ? IG_ERR_OK : io_error(err, path, "cannot open folder");
    ig_code code = IG_ERR_OK;
    const struct dirent *e;
    while (code == IG_ERR_OK && (e = readdir(d)) != NULL) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        char *child;
        struct stat st;
        code = ig_path_join(&child, path, e->d_name, err);
        if (code != IG_ERR_OK)
            break;
        if (lstat(child, &st) == 0 && S_ISDIR(st.st_mode))
            code = ig_dir_remove(child, err);
        else if (unlink(child) != 0)
            code = io_error(err, child, "cannot remove");
        ig_free(child);
    }
    closedir(d);
    if (code == IG_ERR_OK && rmdir(path) != 0)
        code = io_error(err, path, "cannot remove folder");
    return code;
}

ig_code ig_dir_temporary(char **out, const char *prefix, ig_err *err)
{
    const char *base = getenv("TMPDIR");
    char name[64];
    snprintf(name, sizeof name, "%.40s-XXXXXX", prefix);
    IG_TRY(ig_path_join(out, base != NULL && base[0] != '\0' ? base : "/tmp", name, err));
    if (mkdtemp(*out) != NULL)
        return IG_ERR_OK;
    ig_code code = io_error(err, *out, "cannot create folder");
    ig_free(*out);
    *out = NULL;
    return code;
}

ig_code ig_dir_beside(char **out, const char *path, ig_err *err)
{
    const char *slash = strrchr(path, '/');
    const size_t n = strlen(path) + 32;
    IG_TRY(ig_alloc(out, (int64_t)n, 1, path, err));
    ig_code code = IG_ERR_OK;
    if (slash != NULL && slash > path) {
        memcpy(*out, path, (size_t)(slash - path));
        code = ig_dir_make(*out, err);
    }
    if (code == IG_ERR_OK && create_temporary(*out, n, path, true) < 0)
        code = io_error(err, path, "cannot create folder");
    if (code != IG_ERR_OK) {
        ig_free(*out);
        *out = NULL;
    }
    return code;
}

ig_code ig_rename(const char *from, const char *to, ig_err *err)
{
    if (rename(from, to) != 0)
        return io_error(err, to, "cannot rename into place");
    return sync_parent(to, err);
}

uint64_t ig_hash(const void *data, int64_t size, uint64_t seed)
{
    const uint8_t *p = data;
    uint64_t h = 0xCBF29CE484222325u ^ seed;
    for (int64_t i = 0; i < size; i++)
        h = (h ^ p[i]) * 0x100000001B3u;
    h ^= h >> 30;
    h *= 0xBF58476D1CE4E5B9u;
    h ^= h >> 27;
    h *= 0x94D049BB133111EBu;
    return h ^ (h >> 31);
}

ig_code ig_hashed_flush(ig_hashed_out *h, ig_err *err)
{
    const int64_t n = h->n;
    h->n = 0;
    if (n == 0)
        return IG_ERR_OK;
    h->hash = ig_hash(h->block, n, h->hash);
    return ig_out_write(&h->out, h->block, n, err);
}

ig_code ig_hashed_put(ig_hashed_out *h, const void *data, int64_t n, ig_err *err)
{
    const uint8_t *p = data;
    while (n > 0) {
        const int64_t k = h->size - h->n < n ? h->size - h->n : n;
        memcpy(h->block + h->n, p, (size_t)k);
        h->n += k;
        p += k;
        n -= k;
        if (h->n == h->size)
            IG_TRY(ig_hashed_flush(h, err));
    }
    return IG_ERR_OK;
}

uint64_t ig_hash_blocks(const uint8_t *data, int64_t n, int64_t size)
{
    uint64_t hash = 0;
    for (int64_t at = 0; at < n; at += size)
        hash = ig_hash(data + at, n - at < size ? n - at : size, hash);
    return hash;
}
