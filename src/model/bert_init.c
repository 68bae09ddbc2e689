/* SPDX-License-Identifier: Apache-2.0
 *
 * Initialisation as in Hugging Face's BERT: every matrix N(0, σ²), not truncated, the PAD row as
 * well; biases 0, LayerNorm 1 and 0. As in Google's: truncated at two standard deviations. As in
 * XLM (Conneau & Lample 2019, its program): see IG_BERT_INIT_XLM. Fixed positions: Vaswani et al.
 * 2017, §3.5.
 */
#include "model/bert_init.h"

#include "base/file.h"
#include "base/rng.h"

#include <math.h>
#include <string.h>

/* Element i of a tensor uses number i % 4 of block i / 4; the tensor enters by its name, so that
 * neither depth nor the size of another tensor changes it. 32 bits make a uniform in (0, 1). */
static void draw(uint32_t r[4], ig_rng_key key, uint64_t block, uint32_t attempt, uint64_t name)
{
    ig_philox(key, (uint32_t)block, (uint32_t)(block >> 32) | attempt << 16, (uint32_t)name,
              (uint32_t)(name >> 32), r);
}

/* The j-th of the four normals of a block. */
static double normal_of(const uint32_t r[4], int j, double sigma)
{
    double u = ((double)r[j & 2] + 0.5) * 0x1p-32;
    double angle = 6.283185307179586476925 * ((double)r[(j & 2) + 1] * 0x1p-32);
    double radius = sigma * sqrt(-2.0 * log(u));
    return radius * (j % 2 == 0 ? cos(angle) : sin(angle));
}

/* Random values of a tensor. Piece i of `out` is a task of the team. */
typedef struct {
    float *out;
    int64_t n;
    double scale;   /* sigma, or the bound of uniform numbers in (−bound, bound) */
    bool truncated; /* a normal number beyond 2 sigma is replaced by that of the next attempt */
    ig_rng_key key;
    uint64_t name;
} drawing;
enum { PIECE = 1 << 14 }; /* a multiple of the numbers of a block */

static int64_t end_of(const drawing *d, int64_t piece)
{
    return d->n - piece * PIECE < PIECE ? d->n : (piece + 1) * PIECE;
}

static void normal_piece(void *arg, int64_t piece, int i_thread)
{
    const drawing *d = arg;
    const int64_t end = end_of(d, piece);
    (void)i_thread;
    for (int64_t i = piece * PIECE; i < end; i += 4) {
        uint32_t r[4], again[4];
        draw(r, d->key, (uint64_t)i / 4, 0, d->name);
        for (int j = 0; j < 4 && i + j < end; j++) {
            double x = normal_of(r, j, d->scale);
            for (uint32_t attempt = 1; d->truncated && fabs(x) > 2 * d->scale; attempt++) {
                draw(again, d->key, (uint64_t)i / 4, attempt, d->name);
                x = normal_of(again, j, d->scale);
            }
            d->out[i + j] = (float)x;
        }
    }
}

static void uniform_piece(void *arg, int64_t piece, int i_thread)
{
    const drawing *d = arg;
    const int64_t end = end_of(d, piece);
    (void)i_thread;
    for (int64_t i = piece * PIECE; i < end; i += 4) {
        uint32_t r[4];
        draw(r, d->key, (uint64_t)i / 4, 0, d->name);
        for (int64_t j = 0; j < 4 && i + j < end; j++)
            d->out[i + j] = (float)(d->scale * (((double)r[j] + 0.5) * 0x1p-31 - 1));
    }
}

static void fill_random(ig_team *team, ig_task_fn *fn, drawing d)
{
    ig_team_for(team, (d.n + PIECE - 1) / PIECE, fn, &d);
}

static void fill(float *w, int64_t n, float value)
{
    for (int64_t j = 0; j < n; j++)
        w[j] = value;
}

/* PE(pos, 2i) = sin(pos / 10000^(2i/D)), PE(pos, 2i + 1) = cos of the same. */
static void fill_sinusoids(float *w, int32_t rows, int32_t cols)
{
    for (int64_t pos = 0; pos < rows; pos++)
        for (int64_t c = 0; c < cols; c++) {
            double angle = (double)pos * pow(10000.0, -(double)(c / 2 * 2) / cols);
            w[pos * cols + c] = (float)(c % 2 == 0 ? sin(angle) : cos(angle));
        }
}

static void init_xlm(ig_team *team, drawing d, const ig_bert_config *c, const ig_bert_param *p,
                     ig_init_kind kind, int32_t inputs)
{
    switch (kind) {
    case IG_INIT_WORDS:
    case IG_INIT_EMBEDDING:
        d.scale = 1 / sqrt(p->cols);
        fill_random(team, normal_piece, d);
        if (kind == IG_INIT_WORDS && c->pad_token_id >= 0)
            fill(d.out + (int64_t)c->pad_token_id * p->cols, p->cols, 0);
        break;
    case IG_INIT_MATRIX:
        d.scale = 1 / sqrt(p->cols);
        fill_random(team, uniform_piece, d);
        break;
    case IG_INIT_BIAS:
        d.scale = 1 / sqrt(inputs);
        fill_random(team, uniform_piece, d);
        break;
    default:
        fill(d.out, d.n, kind == IG_INIT_ONE ? 1 : 0);
    }
}

void ig_bert_init(float *w, const ig_bert_config *c, const ig_bert_param *p, ig_init_kind kind,
                  int32_t inputs, uint64_t seed, ig_team *team)
{
    drawing d = {.out = w,
                 .n = (int64_t)p->rows * p->cols,
                 .key = ig_rng_key_make(seed, IG_STREAM_INIT),
                 .name = ig_hash(p->name, (int64_t)strlen(p->name), 0)};
    if (kind == IG_INIT_POSITION && c->position == IG_POSITION_SINUSOIDAL) {
        fill_sinusoids(w, p->rows, p->cols);
        return;
    }
    if (kind == IG_INIT_UNIFORM || kind == IG_INIT_XAVIER) {
        d.scale = kind == IG_INIT_UNIFORM ? 1 / sqrt(inputs) : sqrt(6.0 / (p->rows + p->cols));
        fill_random(team, uniform_piece, d);
        return;
    }
    if (kind == IG_INIT_XAVIER_NORMAL) {
        d.scale = sqrt(2.0 / (p->rows + p->cols));
        fill_random(team, normal_piece, d);
        return;
    }
    if (kind == IG_INIT_POSITION)
        kind = c->position == IG_POSITION_LEARNED ? IG_INIT_EMBEDDING : IG_INIT_ZERO;
    if (c->init == IG_BERT_INIT_XLM) {
        init_xlm(team, d, c, p, kind, inputs);
        return;
    }
    if (kind == IG_INIT_WORDS || kind == IG_INIT_EMBEDDING || kind == IG_INIT_MATRIX) {
        d.scale = (double)c->initializer_range;
        d.truncated = c->init == IG_BERT_INIT_TRUNCATED;
        fill_random(team, normal_piece, d);
    } else
        fill(w, d.n, kind == IG_INIT_ONE ? 1 : 0);
}
