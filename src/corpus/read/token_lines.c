/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines are gathered into a batch, the batch is divided into ranges of whole lines, each range is
 * written into a block of its own, and the blocks are written in order: the output is the same for
 * any number of threads. The output of each token is prepared once for all ids.
 */
#include "corpus/read/token_lines.h"

#include "base/memory.h"
#include "base/settings/json_text.h"
#include "text/byte_text.h"
#include "text/tokenizer/template.h"
#include "text/tokenizer/unknown_pieces.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_BYTES = 4 << 20, STRETCH_BYTES = 128 << 10 };

typedef struct {
    int64_t first, last; /* its lines */
    ig_byte_text out;
    ig_unknown_pieces unknown;
    ig_code code;
    ig_err err;
} stretch;

typedef struct {
    const ig_tokenizer *tokenizer;
    ig_byte_text spelling;              /* of all tokens, each followed by its separator */
    int64_t *start;                     /* [tokens + 1] */
    int64_t longest;                    /* of them */
    const char *open, *close, *between; /* beginning and end of a line, separator of its tokens */
    const ig_template *around; /* of a line, or of its two texts; NULL: no special tokens */
    bool pair;                 /* two texts, between them a tab */
    bool allow_unknown;
    ig_unknown_pieces unknown; /* of the ranges that were written */
    ig_byte_text text;
    int64_t *end; /* line i ends at end[i] and begins where the one before it ends */
    int64_t n_line, have_line;
    const char *where; /* of the lines */
    uint64_t n_before; /* lines of batches that are written */
    stretch *stretch;  /* blocks are kept from batch to batch */
    int64_t n_stretch, have_stretch;
    struct { /* one a thread */
        int32_t *id;
        int64_t have;
    } * thread;
} job;

static ig_code put_text(ig_byte_text *to, const char *text, ig_err *err)
{
    return ig_byte_text_add(to, text, (int64_t)strlen(text), err);
}

static ig_code spell(job *j, const ig_token_format *format, ig_err *err)
{
    const ig_tokenizer *t = j->tokenizer;
    const int32_t n = ig_tokenizer_size(t);
    IG_TRY(ig_alloc(&j->start, (int64_t)n + 1, sizeof *j->start, "spellings", err));
    for (int32_t i = 0; i < n; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        const char *text = format->ids ? number : ig_tokenizer_piece(t, i);
        IG_OWNED char *quoted = NULL;
        if (format->json && !format->ids) {
            json_t *of = json_string(text);
            quoted = of != NULL ? ig_json_text(of, JSON_ENCODE_ANY) : NULL;
            json_decref(of);
            if (quoted == NULL)
                return ig_fail(err, IG_ERR_MEMORY, "--json", 0, "cannot make the text of a piece");
            text = quoted;
        }
        IG_TRY(put_text(&j->spelling, text, err));
        IG_TRY(put_text(&j->spelling, j->between, err));
        j->start[i + 1] = j->spelling.n;
        const int64_t n_byte = j->start[i + 1] - j->start[i];
        j->longest = n_byte > j->longest ? n_byte : j->longest;
    }
    return IG_ERR_OK;
}

/* The caller has made enough space. */
static void put(const job *j, ig_byte_text *to, int32_t id)
{
    const int64_t from = j->start[id], n = j->start[id + 1] - from;
    memcpy(to->text + to->n, j->spelling.text + from, (size_t)n);
    to->n += n;
}

static void put_special(const job *j, ig_byte_text *to, int place)
{
    for (int i = 0; j->around != NULL && i < j->around->n[place]; i++)
        put(j, to, j->around->token[place][i].id);
}

/* Encodes the line's text, or its two texts; *n_first ids are the first text's. */
static ig_code encode_line(job *j, stretch *s, int64_t line, int i_thread, int64_t *n_first,
                           int64_t *n)
{
    const int64_t begin = line > 0 ? j->end[line - 1] : 0, n_byte = j->end[line] - begin;
    const char *text = (const char *)j->text.text + begin, *end = text + n_byte,
               *tab = j->pair ? memchr(text, '\t', (size_t)n_byte) : NULL;
    int32_t **id = &j->thread[i_thread].id;
    int64_t *have = &j->thread[i_thread].have;
    *n = 0;
    if (j->pair && (tab == NULL || memchr(tab + 1, '\t', (size_t)(end - tab - 1)) != NULL))
        return ig_fail(&s->err, IG_ERR_INPUT, j->where, j->n_before + (uint64_t)line + 1,
                       "found %s, expected two texts with a tab between them",
                       tab == NULL ? "no tab" : "more than one tab");
    IG_TRY(ig_tokenizer_encode(j->tokenizer, text, (tab != NULL ? tab : end) - text, id, n, have,
                               &s->err));
    *n_first = *n;
    if (tab != NULL)
        IG_TRY(ig_tokenizer_encode(j->tokenizer, tab + 1, end - tab - 1, id, n, have, &s->err));
    return ig_unknown_add(&s->unknown, j->tokenizer, &(ig_cut_text){text, n_byte, *id, *n, 1},
                          &s->err);
}

static ig_code write_line(job *j, stretch *s, int64_t line, int i_thread)
{
    int64_t n_first = 0, n = 0;
    IG_TRY(encode_line(j, s, line, i_thread, &n_first, &n));
    const int32_t *id = j->thread[i_thread].id;
    ig_byte_text *out = &s->out;
    IG_TRY(put_text(out, j->open, &s->err));
    IG_TRY(ig_grow(&out->text, &out->have, out->n + (n + 3 * IG_TEMPLATE_TOKENS) * j->longest, 1,
                   "lines", &s->err));
    const int64_t before = out->n;
    put_special(j, out, 0);
    for (int64_t i = 0; i < n_first; i++)
        put(j, out, id[i]);
    put_special(j, out, 1);
    for (int64_t i = n_first; i < n; i++)
        put(j, out, id[i]);
    put_special(j, out, 2);
    if (out->n > before)
        out->n -= (int64_t)strlen(j->between); /* after the last token */
    return put_text(out, j->close, &s->err);
}

static void stretch_task(void *arg, int64_t i_task, int i_thread)
{
    job *j = arg;
    stretch *s = &j->stretch[i_task];
    s->out.n = 0;
    s->unknown = (ig_unknown_pieces){0};
    s->code = IG_ERR_OK;
    for (int64_t line = s->first; line < s->last && s->code == IG_ERR_OK; line++)
        s->code = write_line(j, s, line, i_thread);
}

/* At the end unknown pieces are reported; before it only too many of them are an error. */
static ig_code check_unknown(job *j, bool last, ig_err *err)
{
    for (int64_t i = 0; i < j->n_stretch; i++)
        ig_unknown_merge(&j->unknown, &j->stretch[i].unknown);
    return last || ig_unknown_refused(&j->unknown, j->allow_unknown)
               ? ig_unknown_check(&j->unknown, j->where, j->allow_unknown, err)
               : IG_ERR_OK;
}

static ig_code write_batch(job *j, ig_team *team, bool last, ig_err *err)
{
    ig_team_for(team, j->n_stretch, stretch_task, j);
    for (int64_t i = 0; i < j->n_stretch; i++) {
        const stretch *s = &j->stretch[i];
        if (s->code != IG_ERR_OK) {
            if (err != NULL)
                *err = s->err;
            return s->code;
        }
    }
    for (int64_t i = 0; i < j->n_stretch; i++) {
        const stretch *s = &j->stretch[i];
        if (fwrite(s->out.text, 1, (size_t)s->out.n, stdout) != (size_t)s->out.n)
            return ig_fail(err, IG_ERR_IO, "standard output", 0, "cannot write: %s",
                           strerror(errno));
    }
    /* After the lines, which show the unknown pieces. */
    IG_TRY(check_unknown(j, last, err));
    j->n_before += (uint64_t)j->n_line;
    j->text.n = j->n_line = j->n_stretch = 0;
    return IG_ERR_OK;
}

static ig_code add_line(job *j, const char *line, int64_t n, ig_err *err)
{
    int64_t begin = j->n_stretch > 0 ? j->stretch[j->n_stretch - 1].first : 0;
    int64_t bytes = j->n_stretch > 0 ? j->text.n - (begin > 0 ? j->end[begin - 1] : 0) : 0;
    if (j->n_stretch == 0 || bytes >= STRETCH_BYTES) {
        IG_TRY(ig_grow(&j->stretch, &j->have_stretch, j->n_stretch + 1, sizeof *j->stretch, "lines",
                       err));
        j->stretch[j->n_stretch++].first = j->n_line;
    }
    IG_TRY(ig_byte_text_add(&j->text, line, n, err));
    IG_TRY(ig_grow(&j->end, &j->have_line, j->n_line + 1, sizeof *j->end, "lines", err));
    j->end[j->n_line++] = j->text.n;
    j->stretch[j->n_stretch - 1].last = j->n_line;
    return IG_ERR_OK;
}

static ig_code choose_template(job *j, const ig_token_format *format, ig_err *err)
{
    j->pair = format->pair;
    if (!format->special)
        return IG_ERR_OK;
    j->around = ig_tokenizer_template(j->tokenizer, format->pair);
    return j->around->missing == NULL
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_INPUT, "vocabulary", 0, "no %s, which --special writes",
                         j->around->missing);
}

static ig_code all_lines(job *j, ig_line_reader *in, const ig_token_format *format, ig_team *team,
                         ig_err *err)
{
    IG_TRY(choose_template(j, format, err));
    IG_TRY(spell(j, format, err));
    IG_TRY(ig_alloc(&j->thread, ig_team_size(team), sizeof *j->thread, "threads", err));
    for (;;) {
        char *line;
        int64_t n;
        IG_TRY(ig_line_next(in, &line, &n, err));
        if (line == NULL)
            break;
        IG_TRY(add_line(j, line, n, err));
        if (j->text.n >= BATCH_BYTES || j->n_line >= BATCH_BYTES)
            IG_TRY(write_batch(j, team, false, err));
    }
    return write_batch(j, team, true, err);
}

ig_code ig_token_lines(ig_line_reader *in, const ig_tokenizer *t, const ig_token_format *format,
                       ig_team *team, ig_err *err)
{
    job j = {.tokenizer = t,
             .where = ig_line_where(in),
             .allow_unknown = format->allow_unknown,
             .open = !format->json ? ""
                     : format->ids ? "{\"ids\": ["
                                   : "{\"pieces\": [",
             .close = format->json ? "]}\n" : "\n",
             .between = format->json ? ", " : " "};
    ig_code code = all_lines(&j, in, format, team, err);
    for (int i = 0; j.thread != NULL && i < ig_team_size(team); i++)
        ig_free(j.thread[i].id);
    for (int64_t i = 0; i < j.have_stretch; i++)
        ig_free(j.stretch[i].out.text);
    IG_FREE(j.thread, j.stretch, j.text.text, j.end, j.spelling.text, j.start);
    return code;
}
