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

/* truncated: a number beyond 2 sigma is replaced by that of the next attempt. */
static void fill_normal(float *out, int64_t n, double sigma, bool truncated, ig_rng_key key,
                        uint64_t name)
{
    for (int64_t i = 0; i < n; i += 4) {
        uint32_t r[4], again[4];
        draw(r, key, (uint64_t)i / 4, 0, name);
        for (int j = 0; j < 4 && i + j < n; j++) {
            double x = normal_of(r, j, sigma);
            for (uint32_t attempt = 1; truncated && fabs(x) > 2 * sigma; attempt++) {
                draw(again, key, (uint64_t)i / 4, attempt, name);
                x = normal_of(again, j, sigma);
            }
            out[i + j] = (float)x;
        }
    }
}

/* Uniform in (−bound, bound). */
static void fill_uniform(float *out, int64_t n, double bound, ig_rng_key key, uint64_t name)
{
    for (int64_t i = 0; i < n; i += 4) {
        uint32_t r[4];
        draw(r, key, (uint64_t)i / 4, 0, name);
        for (int64_t j = 0; j < 4 && i + j < n; j++)
            out[i + j] = (float)(bound * (((double)r[j] + 0.5) * 0x1p-31 - 1));
    }
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

static void init_xlm(float *w, const ig_bert_config *c, const ig_bert_param *p, ig_init_kind kind,
                     int32_t inputs, ig_rng_key key, uint64_t name)
{
    const int64_t n = (int64_t)p->rows * p->cols;
    switch (kind) {
    case IG_INIT_WORDS:
    case IG_INIT_EMBEDDING:
        fill_normal(w, n, 1 / sqrt(p->cols), false, key, name);
        if (kind == IG_INIT_WORDS && c->pad_token_id >= 0)
            fill(w + (int64_t)c->pad_token_id * p->cols, p->cols, 0);
        break;
    case IG_INIT_MATRIX:
        fill_uniform(w, n, 1 / sqrt(p->cols), key, name);
        break;
    case IG_INIT_BIAS:
        fill_uniform(w, n, 1 / sqrt(inputs), key, name);
        break;
    default:
        fill(w, n, kind == IG_INIT_ONE ? 1 : 0);
    }
}

void ig_bert_init(float *w, const ig_bert_config *c, const ig_bert_param *p, ig_init_kind kind,
                  int32_t inputs, uint64_t seed)
{
    const ig_rng_key key = ig_rng_key_make(seed, IG_STREAM_INIT);
    const uint64_t name = ig_hash(p->name, (int64_t)strlen(p->name), 0);
    const int64_t n = (int64_t)p->rows * p->cols;
    if (kind == IG_INIT_POSITION && c->position == IG_POSITION_SINUSOIDAL) {
        fill_sinusoids(w, p->rows, p->cols);
        return;
    }
    if (kind == IG_INIT_UNIFORM || kind == IG_INIT_XAVIER) {
        fill_uniform(w, n,
                     kind == IG_INIT_UNIFORM ? 1 / sqrt(inputs) : sqrt(6.0 / (p->rows + p->cols)),
                     key, name);
        return;
    }
    if (kind == IG_INIT_XAVIER_NORMAL) {
        fill_normal(w, n, sqrt(2.0 / (p->rows + p->cols)), false, key, name);
        return;
    }
    if (kind == IG_INIT_POSITION)
        kind = c->position == IG_POSITION_LEARNED ? IG_INIT_EMBEDDING : IG_INIT_ZERO;
    if (c->init == IG_BERT_INIT_XLM) {
        init_xlm(w, c, p, kind, inputs, key, name);
        return;
    }
    if (kind == IG_INIT_WORDS || kind == IG_INIT_EMBEDDING || kind == IG_INIT_MATRIX)
        fill_normal(w, n, (double)c->initializer_range, c->init == IG_BERT_INIT_TRUNCATED, key,
                    name);
    else
        fill(w, n, kind == IG_INIT_ONE ? 1 : 0);
}
