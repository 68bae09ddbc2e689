/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes tables of positions for a batch: rotations (Su et al. 2021, eq. 15), and what distances add
 * to the scores of attention (Raffel et al. 2020, §2.1, in MPNet's arrangement).
 */
#include "base/memory.h"
#include "model/block/block.h"
#include "model/engine/engine_internal.h"

#include <math.h>

static float *sines_of(float *table, int64_t position, int dh)
{
    return table + 2 * position * dh + dh;
}

/* Pairs of neighbours, in double: RoFormer's program makes its table so. */
static void fill_neighbours(float *table, int n, int dh, double base)
{
    for (int64_t p = 0; p < n; p++)
        for (int i = 0; i < dh; i += 2) {
            const double angle = (double)p * pow(base, -(double)i / dh);
            float *s = sines_of(table, p, dh) + i, *c = s - dh;
            c[0] = c[1] = (float)cos(angle);
            s[1] = (float)sin(angle);
            s[0] = -s[1];
        }
}

/* The angle from one token to the next, as transformers' modeling_rope_utils stretches it. */
static float stretched(float turn, const ig_rope_scaling *s)
{
    const float factor = s->factor > 0 ? (float)s->factor : 1, low = (float)s->low,
                high = (float)s->high;
    if (!(high > 0))
        return turn / factor;
    const float wavelength = 6.28318530717958648f / turn, trained_on = (float)s->trained_on;
    if (wavelength < trained_on / high)
        return turn;
    if (wavelength > trained_on / low)
        return turn / factor;
    const float share = (trained_on / wavelength - low) / (high - low);
    return (1 - share) * turn / factor + share * turn;
}

/* Pairs of a column of either half; angles in float32, as transformers has them. */
static void fill_halves(float *table, int n, int dh, double base, const ig_rope_scaling *scaling)
{
    const int half = dh / 2;
    for (int64_t p = 0; p < n; p++)
        for (int i = 0; i < half; i++) {
            const float turn =
                stretched(1.0f / powf((float)base, (float)(2 * i) / (float)dh), scaling);
            const double angle = (double)((float)p * turn);
            float *s = sines_of(table, p, dh) + i, *c = s - dh;
            c[0] = c[half] = (float)cos(angle);
            s[half] = (float)sin(angle);
            s[0] = -s[half];
        }
}

static ig_code make_rotary(ig_engine *e, int local, int n, ig_err *err)
{
    const ig_bert_config *c = e->config;
    const int dh = ig_bert_head_dim(c);
    const double theta = c->rope_theta[local] > 0 ? c->rope_theta[local] : 10000;
    const int64_t n_float = 2 * (int64_t)n * dh;
    IG_OWNED float *table = NULL;
    IG_TRY(e->device->alloc(&e->positions.rotary[local], n_float, sizeof *table, "rotations", err));
    IG_TRY(ig_alloc(&table, n_float, sizeof *table, "rotations", err));
    if (ig_blocks[c->block]->half_rotary)
        fill_halves(table, n, dh, theta, &c->rope_scaling[local]);
    else
        fill_neighbours(table, n, dh, theta);
    e->device->upload(e->positions.rotary[local], table, n_float * (int64_t)sizeof *table);
    return IG_ERR_OK;
}

/* The bucket of query − key: half of them for either direction, of these one for each short
 * distance and then logarithmic ones, all beyond 128 in the last; in float32, as transformers has
 * them. */
static int bucket_of(int distance, int n_bucket)
{
    const int half = n_bucket / 2, exact = half / 2, far = distance < 0 ? -distance : distance;
    const int side = distance < 0 ? half : 0;
    if (far < exact)
        return side + far;
    const float share = logf((float)far / (float)exact) / (float)log(128.0 / exact);
    const int large = exact + (int)(share * (float)(half - exact));
    return side + (large < half ? large : half - 1);
}

/* Divided by the scale that the scores then get. */
static ig_code make_addend(ig_engine *e, int n, ig_err *err)
{
    const ig_bert_config *c = e->config;
    const int h = c->num_attention_heads, width = 2 * n - 1;
    const int64_t n_float = (int64_t)h * width, n_given = (int64_t)c->position_buckets * h;
    const float by = sqrtf((float)ig_bert_head_dim(c));
    float *table, *given;
    IG_TRY(e->device->alloc(&e->positions.addend, n_float, sizeof *table, "distances", err));
    IG_TRY(ig_alloc(&table, n_float + n_given, sizeof *table, "distances", err));
    given = table + n_float;
    e->device->download(given, ig_bert_weights(e->model) + e->offsets[0].buckets,
                        n_given * (int64_t)sizeof *given);
    for (int i = 0; i < width; i++) {
        const int bucket = bucket_of(i - n + 1, c->position_buckets);
        for (int64_t k = 0; k < h; k++)
            table[k * width + i] = by * given[bucket * h + k];
    }
    e->device->upload(e->positions.addend, table, n_float * (int64_t)sizeof *table);
    ig_free(table);
    return IG_ERR_OK;
}

ig_code ig_engine_positions(ig_engine *e, int n, ig_err *err)
{
    const ig_bert_config *c = e->config;
    const bool rotary = c->position == IG_POSITION_ROTARY;
    int room = 512;
    if ((!rotary && c->position_buckets == 0) || n == 0 ||
        (n <= e->positions.n && !(e->stale && c->position_buckets > 0)))
        return IG_ERR_OK;
    while (room < n)
        room *= 2;
    ig_positions_free(&e->positions, e->device);
    for (int local = 0; rotary && local < 2; local++)
        if (local == 0 || c->local_window > 0)
            IG_TRY(make_rotary(e, local, room, err));
    if (c->position_buckets > 0)
        IG_TRY(make_addend(e, room, err));
    e->positions.n = room;
    return IG_ERR_OK;
}

void ig_positions_free(ig_positions *p, const ig_device *device)
{
    device->free(p->rotary[0]);
    device->free(p->rotary[1]);
    device->free(p->addend);
    *p = (ig_positions){0};
}
