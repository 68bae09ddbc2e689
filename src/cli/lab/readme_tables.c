/* SPDX-License-Identifier: Apache-2.0
 *
 * See readme_tables.h.
 */
#include "cli/lab/readme_tables.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const char begin_mark[] = "<!-- isoglot report ", begin_end[] = "-->",
                  end_mark[] = "<!-- end -->";
static const int64_t size_limit = 64 << 20;

typedef struct {
    const char *path, *p; /* p: what is read next */
    char *dir;
    uint64_t line; /* of p */
    ig_readme_table_fn *table;
    FILE *out;
    int n_table;
    uint64_t differs; /* the line of the first mark whose table is another; 0: none */
    ig_err *err;
} reading;

ig_code ig_readme_path(char **path, const char *dir, ig_err *err)
{
    char *joined;
    if ((*path)[0] == '/')
        return IG_ERR_OK;
    IG_TRY(ig_path_join(&joined, dir, *path, err));
    ig_free(*path);
    *path = joined;
    return IG_ERR_OK;
}

/* Splits a command into words as a shell does that knows blanks and single quotes; text is
 * overwritten. */
static ig_code split(char **word, int *n, char *text, const reading *r)
{
    char *to = text;
    *n = 0;
    for (const char *p = text;;) {
        p += strspn(p, " \t");
        if (*p == '\0')
            return IG_ERR_OK;
        if (*n == IG_README_WORDS)
            return ig_fail(r->err, IG_ERR_INPUT, r->path, r->line,
                           "found more than %d words, expected a command", IG_README_WORDS);
        word[(*n)++] = to;
        for (bool quoted = false; *p != '\0' && (quoted || strchr(" \t", *p) == NULL); p++) {
            if (*p == '\'')
                quoted = !quoted;
            else
                *to++ = *p;
            if (quoted && p[1] == '\0')
                return ig_fail(r->err, IG_ERR_INPUT, r->path, r->line,
                               "found a ' without another, expected both");
        }
        p += *p != '\0';
        *to++ = '\0'; /* never behind p: each word has given up its blank */
    }
}

static bool is_line(const char *p, const char *mark)
{
    const size_t n = strlen(mark);
    return strncmp(p, mark, n) == 0 && (p[n] == '\n' || p[n] == '\r' || p[n] == '\0');
}

/* Behind the end of the line. */
static const char *next_line(const char *p)
{
    p += strcspn(p, "\n");
    return p + (*p == '\n');
}

/* What the command of a mark prints, with a blank line before and behind it. */
static ig_code make_table(char **text, size_t *size, const reading *r, const char *command,
                          size_t n)
{
    char *words, *word[IG_README_WORDS];
    int n_word;
    FILE *fp = open_memstream(text, size);
    if (fp == NULL)
        return ig_fail(r->err, IG_ERR_MEMORY, r->path, r->line, "not enough memory for a table");
    ig_code code = ig_alloc(&words, (int64_t)n + 1, 1, "a command", r->err);
    if (code == IG_ERR_OK) {
        memcpy(words, command, n);
        code = split(word, &n_word, words, r);
        putc('\n', fp);
        ig_err why = {0};
        IG_THEN(code, r->table(fp, r->dir, n_word, word, &why));
        if (why.code != IG_ERR_OK) {
            char at[64] = "";
            if (why.line > 0)
                snprintf(at, sizeof at, ":%llu", (unsigned long long)why.line);
            ig_fail(r->err, code, r->path, r->line, "%.100s%s%s%.250s", why.where, at,
                    why.where[0] != '\0' ? ": " : "", why.msg);
            if (why.hint[0] != '\0')
                ig_hint(r->err, "%s", why.hint);
        }
        putc('\n', fp);
        ig_free(words);
    }
    if (!ig_memstream_close(fp) && code == IG_ERR_OK)
        code = ig_fail(r->err, IG_ERR_MEMORY, r->path, r->line, "not enough memory for a table");
    return code;
}

/* A mark, and what is between it and its end. */
static ig_code read_table(reading *r)
{
    const char *body = next_line(r->p), *close = strstr(r->p, begin_end), *end = body;
    uint64_t lines = 1;
    if (close == NULL || close >= body || !is_line(close, begin_end))
        return ig_fail(r->err, IG_ERR_INPUT, r->path, r->line,
                       "found a mark without -->, expected it at the end of its line");
    for (; *end != '\0' && !is_line(end, end_mark); end = next_line(end), lines++)
        if (strncmp(end, begin_mark, strlen(begin_mark)) == 0)
            break;
    if (!is_line(end, end_mark))
        return ig_fail(r->err, IG_ERR_INPUT, r->path, r->line,
                       "found no line %s, expected it behind the table", end_mark);
    char *text = NULL;
    size_t size = 0;
    const char *command = r->p + strlen(begin_mark);
    const ig_code code = make_table(&text, &size, r, command, (size_t)(close - command));
    if (code == IG_ERR_OK) {
        const bool same = size == (size_t)(end - body) && memcmp(text, body, size) == 0;
        if (!same && r->differs == 0)
            r->differs = r->line;
        fwrite(r->p, 1, (size_t)(body - r->p), r->out);
        fwrite(text, 1, size, r->out);
        r->n_table++;
        r->line += lines;
        r->p = end;
    }
    free(text);
    return code;
}

static ig_code read_all(reading *r, const char *text)
{
    r->p = text;
    r->line = 1;
    while (*r->p != '\0') {
        if (strncmp(r->p, begin_mark, strlen(begin_mark)) == 0)
            IG_TRY(read_table(r));
        const char *next = next_line(r->p);
        fwrite(r->p, 1, (size_t)(next - r->p), r->out);
        r->p = next;
        r->line++;
    }
    return IG_ERR_OK;
}

static ig_code folder_of(char **dir, const char *path, ig_err *err)
{
    const char *slash = strrchr(path, '/');
    const size_t n = slash == NULL ? 0 : slash > path ? (size_t)(slash - path) : 1;
    IG_TRY(ig_alloc(dir, (int64_t)n + 2, 1, "a folder", err));
    memcpy(*dir, n > 0 ? path : ".", n > 0 ? n : 1);
    return IG_ERR_OK;
}

/* The file with the tables that its results give. */
static ig_code make_anew(reading *r, char **made, size_t *size, const char *text)
{
    r->out = open_memstream(made, size);
    if (r->out == NULL)
        return ig_fail(r->err, IG_ERR_MEMORY, r->path, 0, "not enough memory for the file");
    ig_code code = read_all(r, text);
    if (!ig_memstream_close(r->out) && code == IG_ERR_OK)
        code = ig_fail(r->err, IG_ERR_MEMORY, r->path, 0, "not enough memory for the file");
    return code;
}

ig_code ig_readme_tables(const char *path, bool check, ig_readme_table_fn *table, ig_err *err)
{
    reading r = {.path = path, .table = table, .err = err};
    char *text = NULL, *made = NULL;
    int64_t n;
    size_t size;
    ig_code code = ig_file_read(&text, &n, path, size_limit, err);
    if (code == IG_ERR_OK && memchr(text, '\0', (size_t)n) != NULL)
        code = ig_fail(err, IG_ERR_INPUT, path, 0, "found a zero byte, expected text");
    IG_THEN(code, folder_of(&r.dir, path, err));
    IG_THEN(code, make_anew(&r, &made, &size, text));
    if (code == IG_ERR_OK && r.differs > 0 && check) {
        ig_fail(err, IG_ERR_INPUT, path, r.differs,
                "found another table than its results give, expected the same");
        code = ig_hint(err, "isoglot report --readme %s makes it anew", path);
    } else if (code == IG_ERR_OK && r.differs > 0)
        code = ig_file_write(path, made, (int64_t)size, err);
    if (code == IG_ERR_OK)
        ig_log(IG_LOG_NORMAL, "%s: %d table%s%s", path, r.n_table, r.n_table == 1 ? "" : "s",
               r.differs > 0 ? ", made anew" : "");
    free(made);
    IG_FREE(r.dir, text);
    return code;
}
