/* SPDX-License-Identifier: Apache-2.0
 *
 * Philox4x32-10 and the few draws built on it. Checked in tests/base/test_rng.c against the
 * known-answer vectors that the authors of Philox publish with it.
 */
#include "base/rng.h"

#include <math.h>

static const uint32_t philox_m0 = 0xD2511F53u, philox_m1 = 0xCD9E8D57u;
static const uint32_t philox_w0 = 0x9E3779B9u, philox_w1 = 0xBB67AE85u;

void ig_philox(ig_rng_key key, uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint32_t out[4])
{
    uint32_t k0 = key.k[0], k1 = key.k[1];
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)philox_m0 * c0, p1 = (uint64_t)philox_m1 * c2;
        uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        c0 = n0;
        c2 = n2;
        k0 += philox_w0;
        k1 += philox_w1;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

ig_rng_key ig_rng_key_make(uint64_t seed, ig_stream stream)
{
    const ig_rng_key root = {{0x69736F67u, 0x6C6F7421u}}; /* "isoglot!" */
    uint32_t out[4];
    ig_philox(root, (uint32_t)seed, (uint32_t)(seed >> 32), (uint32_t)stream, 0, out);
    return (ig_rng_key){{out[0], out[1]}};
}

ig_rng ig_rng_make(uint64_t seed, ig_stream stream, uint32_t hi, uint32_t lo)
{
    return (ig_rng){.key = ig_rng_key_make(seed, stream), .hi = hi, .lo = lo};
}

uint32_t ig_rng_u32(ig_rng *r)
{
    if (r->have == 0) {
        ig_philox(r->key, r->n++, 0, r->hi, r->lo, r->block);
        r->have = 4;
    }
    return r->block[4 - r->have--];
}

double ig_rng_unit(ig_rng *r)
{
    uint64_t a = ig_rng_u32(r) >> 5, b = ig_rng_u32(r) >> 6;
    return (double)((a << 26) | b) * 0x1p-53;
}

uint32_t ig_rng_below(ig_rng *r, uint32_t n)
{
    uint64_t m = (uint64_t)ig_rng_u32(r) * n;
    if ((uint32_t)m < n) {
        uint32_t floor = (uint32_t)(-n) % n;
        while ((uint32_t)m < floor)
            m = (uint64_t)ig_rng_u32(r) * n;
    }
    return (uint32_t)(m >> 32);
}

double ig_rng_normal(ig_rng *r)
{
    double u = 1.0 - ig_rng_unit(r), v = ig_rng_unit(r);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586476925 * v);
}

void ig_rng_permutation(ig_rng *r, int32_t *out, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        out[i] = i;
    for (int32_t i = n - 1; i > 0; i--) {
        int32_t j = (int32_t)ig_rng_below(r, (uint32_t)i + 1);
        int32_t t = out[i];
        out[i] = out[j];
        out[j] = t;
    }
}
