/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes batches for benchmarks, of a real text or generated.
 */
#include "bench/bench_batches.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/rng.h"
#include "corpus/batch/batcher.h"
#include "run/data/setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { first_word = 5, id_cls = 2, id_sep = 3, id_mask = 4, shortest = 4 };

static int draw_length(ig_rng *r, bool pairs)
{
    const double sigma = pairs ? 0.45 : 0.5, mean = pairs ? 40.1 : 26.5, longest = pairs ? 128 : 90;
    double x = floor(mean * exp(sigma * ig_rng_normal(r) - sigma * sigma / 2) + 0.5);
    return (int)(x < shortest ? shortest : x > longest ? longest : x);
}

/* Density about 1 / rank: the rank is a power of the number of words. */
static int32_t draw_word(ig_rng *r, int32_t vocab_size)
{
    const double n = vocab_size - first_word;
    return first_word + (int32_t)(pow(n, ig_rng_unit(r)) - 1);
}

/* Masks token i of the batch, by the shares .8, .1 and .1, with probability .15. */
static void mask_token(ig_rng *r, ig_batch *b, int32_t *id, int32_t *row, int i, int32_t vocab_size)
{
    if (ig_rng_unit(r) >= 0.15)
        return;
    ig_targets *t = &b->target[IG_HEAD_MASKED];
    row[t->n] = i;
    row[b->n_tok + t->n++] = id[i]; /* the labels are after the rows */
    const double u = ig_rng_unit(r);
    if (u < 0.8)
        id[i] = id_mask;
    else if (u < 0.9)
        id[i] = (int32_t)ig_rng_below(r, (uint32_t)vocab_size);
}

ig_code ig_bench_batches_generate(ig_bench_batches *out, int batch, int length, int32_t vocab_size,
                                  ig_err *err)
{
    const int n_batch = IG_BENCH_N_BATCH;
    *out = (ig_bench_batches){.n_batch = n_batch};
    const int64_t n_seq = (int64_t)n_batch * batch;
    int32_t *lengths = NULL;
    ig_rng r = ig_rng_make(0, IG_STREAM_SAMPLE, 0, 0);
    ig_code code = ig_alloc(&lengths, n_seq, sizeof *lengths, "lengths", err);
    if (code != IG_ERR_OK)
        goto done;
    for (int64_t s = 0; s < n_seq; s++) {
        lengths[s] = length > 0 ? length : draw_length(&r, length == IG_BENCH_PAIRS);
        out->n_tok += lengths[s];
        out->longest = lengths[s] > out->longest ? lengths[s] : out->longest;
    }
    code = ig_alloc(&out->batch, n_batch, sizeof *out->batch, "batches", err);
    IG_THEN(code, ig_alloc(&out->block, 5 * out->n_tok + 2 * n_seq + n_batch, sizeof *out->block,
                           "batches", err));
    if (code != IG_ERR_OK)
        goto done;
    int32_t *next = out->block;
    for (int i = 0; i < n_batch; i++) {
        ig_batch *b = &out->batch[i];
        const int32_t *len = lengths + (int64_t)i * batch;
        int32_t *start = next;
        b->n_seq = batch;
        for (int s = 0; s < batch; s++)
            start[s + 1] = start[s] + len[s];
        const int32_t n = b->n_tok = start[batch];
        int32_t *id = start + batch + 1, *pos = id + n, *seg = pos + n, *row = seg + n,
                *label = row + n, *language = label + n;
        for (int s = 0; s < batch; s++)
            language[s] = s >= batch / 2;
        for (int s = 0; s < batch; s++)
            for (int k = 0; k < len[s]; k++) {
                const int at = start[s] + k;
                const bool inner = k > 0 && k < len[s] - 1;
                id[at] = inner ? draw_word(&r, vocab_size) : k == 0 ? id_cls : id_sep;
                pos[at] = k;
                seg[at] = 0;
                if (inner)
                    mask_token(&r, b, id, row, at, vocab_size);
            }
        b->seq_start = start;
        b->id = id;
        b->pos = pos;
        b->seg = seg;
        b->language = language;
        b->target[IG_HEAD_MASKED].row = row;
        b->target[IG_HEAD_MASKED].label = label;
        next = language + batch;
    }
done:
    ig_free(lengths);
    if (code != IG_ERR_OK)
        ig_bench_batches_free(out);
    return code;
}

static int32_t *copy(int32_t **next, const int32_t *from, int n)
{
    int32_t *to = *next;
    if (n > 0)
        memcpy(to, from, (size_t)n * sizeof *to);
    *next += n;
    return to;
}

/* Copies the first batches, since the batcher reuses their arrays at each call. */
static ig_code take_batches(ig_bench_batches *out, ig_batcher *from, ig_err *err)
{
    int64_t n = 0;
    ig_batch b;
    for (int i = 0; i < out->n_batch; i++) {
        IG_TRY(ig_batcher_get(from, i, &b, err));
        n += 3 * (int64_t)b.n_tok + 2 * (int64_t)b.n_seq + 1;
        for (int h = 0; h < IG_N_HEAD; h++)
            n += 2 * (int64_t)b.target[h].n;
    }
    IG_TRY(ig_alloc(&out->batch, out->n_batch, sizeof *out->batch, "batches", err));
    IG_TRY(ig_alloc(&out->block, n, sizeof *out->block, "batches", err));
    int32_t *next = out->block;
    for (int i = 0; i < out->n_batch; i++) {
        IG_TRY(ig_batcher_get(from, i, &b, err));
        ig_batch *c = &out->batch[i];
        *c = b;
        c->seq_start = copy(&next, b.seq_start, b.n_seq + 1);
        c->id = copy(&next, b.id, b.n_tok);
        c->pos = copy(&next, b.pos, b.n_tok);
        c->seg = copy(&next, b.seg, b.n_tok);
        c->language = copy(&next, b.language, b.n_seq);
        for (int h = 0; h < IG_N_HEAD; h++)
            c->target[h] = (ig_targets){
                .n = b.target[h].n,
                .row = copy(&next, b.target[h].row, b.target[h].n),
                .label = b.target[h].label == NULL ? NULL
                                                   : copy(&next, b.target[h].label, b.target[h].n)};
        out->n_tok += b.n_tok;
        for (int s = 0; s < b.n_seq; s++)
            if (b.seq_start[s + 1] - b.seq_start[s] > out->longest)
                out->longest = b.seq_start[s + 1] - b.seq_start[s];
    }
    return IG_ERR_OK;
}

static ig_code batches_of_run(ig_bench_batches *out, const ig_run_config *c, const char *dir,
                              bool grouped, int32_t *vocab_size, ig_err *err)
{
    const ig_data_settings settings = ig_run_config_data(c);
    ig_setup s;
    ig_batcher *batcher = NULL;
    IG_TRY(ig_setup_open(&s, &settings, dir, err));
    ig_batch_options o = ig_run_config_batch(c);
    if (grouped)
        o.languages = IG_BATCH_GROUPED;
    ig_code code = ig_batcher_new(&batcher, s.train, &o, 0, err);
    IG_THEN(code, take_batches(out, batcher, err));
    *vocab_size = ig_corpus_vocab_size(s.train);
    ig_batcher_free(batcher);
    ig_setup_close(&s);
    return code;
}

ig_code ig_bench_batches_text(ig_bench_batches *out, const ig_bench_text *t, int batch,
                              int32_t *vocab_size, ig_err *err)
{
    char *dir = NULL, size[16];
    ig_run_config c = {0};
    *out = (ig_bench_batches){.n_batch = IG_BENCH_N_BATCH};
    snprintf(size, sizeof size, "%d", batch);
    ig_code code = ig_options_default(&ig_run_options, &c, err);
    const char *const set[][2] = {{"text", t->text}, {"ids", t->ids}, {"batch", size}};
    for (size_t i = 0; i < sizeof set / sizeof *set && code == IG_ERR_OK; i++)
        if (set[i][1] != NULL)
            code = ig_options_set(&ig_run_options, &c, &(ig_setting){set[i][0], set[i][1], "", 0},
                                  err);
    IG_THEN(code, ig_run_config_resolve(&c, err));
    IG_THEN(code, ig_dir_temporary(&dir, "isoglot-bench", err)); /* for the vocabulary */
    IG_THEN(code, batches_of_run(out, &c, dir, t->grouped, vocab_size, err));
    if (dir != NULL) {
        const ig_code removed = ig_dir_remove(dir, code == IG_ERR_OK ? err : NULL);
        code = code == IG_ERR_OK ? removed : code;
    }
    ig_free(dir);
    ig_run_config_free(&c);
    if (code != IG_ERR_OK)
        ig_bench_batches_free(out);
    return code;
}

/* Adds labels of sequences, at their first tokens. */
static void ask_sequences(ig_batch *x, int32_t *row, int32_t *label, int32_t n_label, ig_rng *r)
{
    for (int s = 0; s < x->n_seq; s++) {
        row[s] = x->seq_start[s];
        label[s] = (int32_t)ig_rng_below(r, (uint32_t)n_label);
    }
    x->target[IG_HEAD_MASKED] = (ig_targets){0};
    x->target[IG_HEAD_SEQUENCE] = (ig_targets){x->n_seq, row, label, NULL};
}

ig_code ig_bench_batches_ask(ig_bench_batches *b, ig_head_kind head, int32_t n_label, ig_err *err)
{
    IG_TRY(ig_alloc(&b->target_block, 3 * b->n_tok, sizeof *b->target_block, "batches", err));
    int32_t *row = b->target_block, *label = row + b->n_tok, *of = label + b->n_tok;
    ig_rng r = ig_rng_make(0, IG_STREAM_SAMPLE, 1, 0);
    for (int k = 0; k < b->n_batch; k++) {
        ig_batch *x = &b->batch[k];
        if (head == IG_HEAD_SEQUENCE) {
            ask_sequences(x, row, label, n_label, &r);
            row += x->n_seq;
            label += x->n_seq;
            continue;
        }
        for (int s = 0; s < x->n_seq; s++) {
            const int32_t from = x->seq_start[s], n = x->seq_start[s + 1] - from;
            for (int32_t i = 0; i < n; i++) {
                const bool root = head == IG_HEAD_PARSER && i == 0;
                row[from + i] = from + i;
                label[from + i] = root ? -1 : (int32_t)ig_rng_below(&r, (uint32_t)n_label);
                of[from + i] = root ? -1 : (int32_t)ig_rng_below(&r, (uint32_t)n);
            }
        }
        x->target[IG_HEAD_MASKED] = (ig_targets){0};
        x->target[head] = (ig_targets){x->n_tok, row, label, of};
        row += x->n_tok;
        label += x->n_tok;
        of += x->n_tok;
    }
    return IG_ERR_OK;
}

ig_code ig_bench_batches_next(ig_bench_batches *b, ig_err *err)
{
    IG_TRY(ig_alloc(&b->target_block, 2 * b->n_tok, sizeof *b->target_block, "batches", err));
    int32_t *row = b->target_block, *label = row + b->n_tok;
    for (int k = 0; k < b->n_batch; k++) {
        ig_batch *x = &b->batch[k];
        int32_t n = 0;
        for (int s = 0; s < x->n_seq; s++)
            for (int32_t i = x->seq_start[s]; i + 1 < x->seq_start[s + 1]; i++) {
                row[n] = i;
                label[n++] = x->id[i + 1];
            }
        x->target[IG_HEAD_MASKED] = (ig_targets){n, row, label, NULL};
        row += n;
        label += n;
    }
    return IG_ERR_OK;
}

void ig_bench_batches_free(ig_bench_batches *b)
{
    IG_FREE(b->batch, b->target_block, b->block);
    *b = (ig_bench_batches){0};
}

static void write_array(FILE *fp, const char *key, const int32_t *x, int n, const char *end)
{
    fprintf(fp, "\"%s\": [", key);
    for (int i = 0; i < n; i++)
        fprintf(fp, i == 0 ? "%d" : ",%d", x[i]);
    fprintf(fp, "]%s", end);
}

ig_code ig_bench_batches_write(const ig_bench_batches *b, const char *path, ig_err *err)
{
    ig_out out;
    IG_TRY(ig_out_new(&out, path, err));
    for (int i = 0; i < b->n_batch; i++) {
        const ig_batch *x = &b->batch[i];
        int head = IG_HEAD_MASKED;
        while (x->target[head].n == 0 && head + 1 < IG_N_HEAD)
            head++; /* the head that is measured */
        fputc('{', out.fp);
        write_array(out.fp, "start", x->seq_start, x->n_seq + 1, ", ");
        write_array(out.fp, "input", x->id, x->n_tok, ", ");
        write_array(out.fp, "position", x->pos, x->n_tok, ", ");
        write_array(out.fp, "segment", x->seg, x->n_tok, ", ");
        write_array(out.fp, "row", x->target[head].row, x->target[head].n, ", ");
        write_array(out.fp, "label", x->target[head].label, x->target[head].n, "}\n");
    }
    return ig_out_commit(&out, err);
}
