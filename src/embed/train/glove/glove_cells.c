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
