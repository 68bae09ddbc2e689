/* SPDX-License-Identifier: Apache-2.0
 *
 * Initialisation as in BERT's programs: every matrix N(0, σ²), not truncated, the PAD row as well;
 * biases 0, LayerNorm 1 and 0. Fixed positions: Vaswani et al. 2017, §3.5.
 */
#include "model/bert_init.h"
#include "base/file.h"
#include "base/rng.h"

#include <math.h>
#include <string.h>

/* Element i of a tensor takes number i % 4 of block i / 4; the tensor enters by its name, so that
 * neither depth nor the size of another tensor changes it. 32 bits make a uniform in (0, 1). */
static void fill_normal(float *out, int64_t n, double sigma, ig_rng_key key, const char *name)
{
    const uint64_t h = ig_hash(name, (int64_t)strlen(name), 0);
    for (int64_t i = 0; i < n; i += 4) {
        uint32_t r[4];
        uint64_t block = (uint64_t)i / 4;
        ig_philox(key, (uint32_t)block, (uint32_t)(block >> 32), (uint32_t)h, (uint32_t)(h >> 32),
                  r);
        for (int64_t j = 0; j < 4 && i + j < n; j++) {
            double u = ((double)r[j & 2] + 0.5) * 0x1p-32;
            double angle = 6.283185307179586476925 * ((double)r[(j & 2) + 1] * 0x1p-32);
            double radius = sigma * sqrt(-2.0 * log(u));
            out[i + j] = (float)(radius * (j % 2 == 0 ? cos(angle) : sin(angle)));
        }
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

void ig_bert_init(float *w, const ig_bert_config *c, const ig_bert_param *p, ig_init_kind kind,
                  uint64_t seed)
{
    const ig_rng_key key = ig_rng_key_make(seed, IG_STREAM_INIT);
    const int64_t n = (int64_t)p->rows * p->cols;
    if (kind == IG_INIT_POSITION && c->position == IG_POSITION_SINUSOIDAL) {
        fill_sinusoids(w, p->rows, p->cols);
        return;
    }
    if (kind == IG_INIT_POSITION)
        kind = c->position == IG_POSITION_LEARNED ? IG_INIT_EMBEDDING : IG_INIT_ZERO;
    switch (kind) {
    case IG_INIT_EMBEDDING:
    case IG_INIT_MATRIX:
        fill_normal(w, n, (double)c->initializer_range, key, p->name);
        break;
    case IG_INIT_ONE:
        fill(w, n, 1);
        break;
    default:
        fill(w, n, 0);
    }
}
