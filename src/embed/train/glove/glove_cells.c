/* SPDX-License-Identifier: Apache-2.0
 *
 * Two passes over the rows: the first counts the cells of each row in each part of the columns, so
 * that the second can write every cell to its place. Beyond the memory limit the cells lie in a
 * mapped temporary file that has no name any more.
 */
#include "embed/train/glove/glove_cells.h"

#include "base/memory.h"
#include "base/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- counts of words near each other ---------------------------------------------------------- */

static ig_code index_places(ig_cooccur *c, ig_err *err)
{
    const ig_text_ids *t = c->text;
    int64_t *at;
    IG_TRY(ig_alloc(&at, t->words.n, sizeof *at, "places of words", err));
    for (int64_t i = 0; i < t->n_token; i++)
        c->start[t->id[i] + 1]++;
    for (int32_t w = 0; w < t->words.n; w++) {
        c->start[w + 1] += c->start[w];
        at[w] = c->start[w];
    }
    for (int64_t i = 0; i < t->n_token; i++)
        c->place[at[t->id[i]]++] = i;
    for (int64_t l = 0; l < t->n_line; l++)
        for (int64_t i = t->line[l]; i < t->line[l + 1]; i++)
            c->line[i] = l;
    ig_free(at);
    return IG_ERR_OK;
}

static void cut_runs(ig_cooccur *c)
{
    const int64_t all = c->text->n_token;
    int32_t w = 0;
    for (int i = 0; i <= IG_COOCCUR_RUNS; i++) {
        while (w < c->text->words.n && c->start[w] < all * i / IG_COOCCUR_RUNS)
            w++;
        c->first[i] = w;
    }
    c->first[IG_COOCCUR_RUNS] = c->text->words.n;
}

static ig_code make_rows(ig_cooccur *c, ig_err *err)
{
    const int n_thread = ig_team_size(c->team);
    IG_TRY(ig_alloc(&c->row, n_thread, sizeof *c->row, "row of cooccurrences", err));
    for (int i = 0; i < n_thread; i++) {
        ig_cooccur_row *r = &c->row[i];
        const int32_t n = c->text->words.n;
        IG_TRY(ig_alloc(&r->sum, n, sizeof *r->sum, "row of cooccurrences", err));
        IG_TRY(ig_alloc(&r->word, n, sizeof *r->word, "row of cooccurrences", err));
    }
    return IG_ERR_OK;
}

ig_code ig_cooccur_new(ig_cooccur *out, const ig_text_ids *text, const ig_cooccur_options *o,
                       ig_team *team, ig_err *err)
{
    const char *what = "places of words";
    *out = (ig_cooccur){.text = text, .o = *o, .team = team};
    ig_code code = ig_alloc(&out->start, (int64_t)text->words.n + 1, sizeof *out->start, what, err);
    IG_THEN(code, ig_alloc(&out->place, text->n_token, sizeof *out->place, what, err));
    IG_THEN(code, ig_alloc(&out->line, text->n_token, sizeof *out->line, what, err));
    IG_THEN(code, index_places(out, err));
    IG_THEN(code, make_rows(out, err));
    if (code != IG_ERR_OK) {
        ig_cooccur_free(out);
        return code;
    }
    cut_runs(out);
    return IG_ERR_OK;
}

void ig_cooccur_free(ig_cooccur *c)
{
    for (int i = 0; c->row != NULL && i < ig_team_size(c->team); i++)
        IG_FREE(c->row[i].sum, c->row[i].word);
    IG_FREE(c->start, c->place, c->line, c->row);
    *c = (ig_cooccur){0};
}

static void add(ig_cooccur_row *r, int32_t word, double by)
{
    if (r->sum[word] <= 0)
        r->word[r->n++] = word;
    r->sum[word] += by;
}

/* Fills r with the row of a word, after clearing it. */
static void take(const ig_cooccur *c, int32_t word, ig_cooccur_row *r)
{
    const int32_t *id = c->text->id;
    double weight[1001];
    for (int32_t i = 0; i < r->n; i++)
        r->sum[r->word[i]] = 0;
    r->n = 0;
    for (int k = 1; k <= c->o.window; k++)
        weight[k] = c->o.weighted ? 1.0 / k : 1.0;
    for (int64_t p = c->start[word]; p < c->start[word + 1]; p++) {
        int64_t at = c->place[p];
        if (p + 4 < c->start[word + 1])
            __builtin_prefetch(id + c->place[p + 4]);
        const int64_t *line = c->text->line + c->line[at];
        for (int k = 1; k <= c->o.window && at - k >= line[0]; k++)
            add(r, id[at - k], weight[k]);
        for (int k = 1; k <= c->o.window && at + k < line[1] && !c->o.left_only; k++)
            add(r, id[at + k], weight[k]);
    }
}

typedef struct {
    const ig_cooccur *c;
    ig_cooccur_fn *fn;
    void *arg;
} each_job;

static void run_task(void *arg, int64_t run, int i_thread)
{
    const each_job *j = arg;
    ig_cooccur_row *r = &j->c->row[i_thread];
    for (int32_t w = j->c->first[run]; w < j->c->first[run + 1]; w++) {
        take(j->c, w, r);
        j->fn(j->arg, w, r);
    }
}

void ig_cooccur_each(const ig_cooccur *c, ig_cooccur_fn *fn, void *arg)
{
    each_job j = {c, fn, arg};
    ig_team_for(c->team, IG_COOCCUR_RUNS, run_task, &j);
}

/* --- cells ------------------------------------------------------------------------------------ */

enum { PARTS_MAX = 64, WORDS_OF_A_PART = 64 };

typedef struct {
    const ig_glove_options *o;
    ig_cooccur index;
    int64_t *at; /* [words, parts] cells of a row in a part; then the position of the next one */
    ig_glove_cells *out;
} counter;

static void count_row(void *arg, int32_t w, const ig_cooccur_row *r)
{
    const counter *c = arg;
    for (int32_t k = 0; k < r->n; k++)
        c->at[(int64_t)w * c->out->parts + r->word[k] % c->out->parts]++;
}

static void fill_row(void *arg, int32_t w, const ig_cooccur_row *r)
{
    const counter *c = arg;
    for (int32_t k = 0; k < r->n; k++) {
        int32_t j = r->word[k];
        double x = r->sum[j];
        c->out->cell[c->at[(int64_t)w * c->out->parts + j % c->out->parts]++] = (ig_glove_cell){
            w, j, (float)log(x), x < c->o->x_max ? (float)pow(x / c->o->x_max, c->o->alpha) : 1.0f};
    }
}

static void shuffle_block(void *arg, int64_t b, int i_thread)
{
    counter *c = arg;
    ig_glove_cell *cell = c->out->cell + c->out->start[b];
    int64_t n = c->out->start[b + 1] - c->out->start[b];
    ig_rng r = ig_rng_make(c->o->seed, IG_STREAM_EMBED, (uint32_t)b, UINT32_MAX);
    (void)i_thread;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t k = i < UINT32_MAX ? ig_rng_below(&r, (uint32_t)i + 1)
                                   : (int64_t)(ig_rng_unit(&r) * (double)(i + 1));
        ig_glove_cell t = cell[i];
        cell[i] = cell[k];
        cell[k] = t;
    }
}

/* Turns counts into positions: blocks one after another, within a block row after row. */
static void place_rows(counter *c, int32_t n_word)
{
    ig_glove_cells *out = c->out;
    int64_t at = 0;
    for (int p = 0; p < out->parts; p++)
        for (int q = 0; q < out->parts; q++) {
            out->start[p * out->parts + q] = at;
            for (int64_t w = p; w < n_word; w += out->parts) {
                int64_t n = c->at[w * out->parts + q];
                c->at[w * out->parts + q] = at;
                at += n;
            }
        }
    out->start[out->parts * out->parts] = out->n = at;
}

static ig_code map_file(ig_glove_cells *c, const char *folder, int64_t bytes, ig_err *err)
{
    char *path;
    IG_TRY(ig_path_join(&path, folder, "isoglot-cells-XXXXXX", err));
    int fd = mkstemp(path);
    ig_code code = IG_ERR_OK;
    if (fd < 0)
        code = ig_fail(err, IG_ERR_IO, folder, 0, "cannot create a temporary file: %s",
                       strerror(errno));
    else
        unlink(path);
    ig_free(path);
    if (code != IG_ERR_OK)
        return code;
    /* Space is allocated at once: if the disk were found full while the map is written, the process
     * would get a signal. */
    int e = posix_fallocate(fd, 0, bytes);
    void *p =
        e == 0 ? mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (p == MAP_FAILED)
        code = ig_fail(err, IG_ERR_IO, folder, 0, "cannot make a temporary file of %lld bytes: %s",
                       (long long)bytes, strerror(e != 0 ? e : errno));
    close(fd);
    if (code == IG_ERR_OK) {
        c->cell = p;
        c->mapped = true;
    }
    return code;
}

static ig_code make_room(ig_glove_cells *c, const ig_glove_options *o, ig_err *err)
{
    int64_t bytes = c->n * (int64_t)sizeof *c->cell;
    if (c->n == 0)
        return ig_fail(err, IG_ERR_INPUT, "", 0, "no two words stand near each other");
    if ((double)bytes > o->memory)
        return map_file(c, o->folder != NULL ? o->folder : "/tmp", bytes, err);
    return ig_alloc(&c->cell, c->n, sizeof *c->cell, "cooccurrences", err);
}

static ig_code count(counter *c, const ig_text_ids *text, ig_team *team, ig_err *err)
{
    ig_glove_cells *out = c->out;
    const int64_t parts = out->parts;
    IG_TRY(ig_cooccur_new(&c->index, text, &c->o->cooccur, team, err));
    IG_TRY(ig_alloc(&c->at, text->words.n * parts, sizeof *c->at, "rows", err));
    IG_TRY(ig_alloc(&out->start, parts * parts + 1, sizeof *out->start, "blocks", err));
    ig_cooccur_each(&c->index, count_row, c);
    place_rows(c, text->words.n);
    IG_TRY(make_room(out, c->o, err));
    ig_cooccur_each(&c->index, fill_row, c);
    ig_team_for(team, parts * parts, shuffle_block, c);
    return IG_ERR_OK;
}

ig_code ig_glove_cells_count(ig_glove_cells *out, const ig_text_ids *text,
                             const ig_glove_options *o, ig_team *team, ig_err *err)
{
    counter c = {.o = o, .out = out};
    int32_t parts = text->words.n / WORDS_OF_A_PART;
    *out = (ig_glove_cells){.parts = parts < 1 ? 1 : parts > PARTS_MAX ? PARTS_MAX : parts};
    ig_code code = count(&c, text, team, err);
    ig_free(c.at);
    ig_cooccur_free(&c.index);
    if (code != IG_ERR_OK)
        ig_glove_cells_free(out);
    return code;
}

void ig_glove_cells_free(ig_glove_cells *c)
{
    if (c->mapped)
        munmap(c->cell, (size_t)c->n * sizeof *c->cell);
    else
        ig_free(c->cell);
    ig_free(c->start);
    *c = (ig_glove_cells){0};
}
