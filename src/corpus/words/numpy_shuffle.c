/* SPDX-License-Identifier: Apache-2.0
 *
 * numpy's generator: PCG64 (O'Neill 2014, XSL RR 128/64), seeded by SeedSequence (a pool of four
 * words mixed by the hash of O'Neill's randutils), and the shuffle of a list: from the last place
 * down, each changes places with one up to itself, whose number is drawn by rejection of 32-bit
 * halves under a mask.
 */
#include "corpus/words/numpy_shuffle.h"

#include <stdbool.h>

__extension__ typedef unsigned __int128 wide;

enum { POOL = 4 };

typedef struct {
    wide state, step;
    uint32_t half; /* the upper half of the last number, if it was not given yet */
    bool has_half;
} generator;

static uint32_t hash(uint32_t v, uint32_t *by, uint32_t next)
{
    v ^= *by;
    *by *= next;
    v *= *by;
    return v ^ v >> 16;
}

static void seed_words(uint64_t out[POOL], uint64_t seed)
{
    const uint32_t entropy[POOL] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t pool[POOL], by = 0x43B0D7E5u;
    for (int i = 0; i < POOL; i++)
        pool[i] = hash(entropy[i], &by, 0x931E8875u);
    for (int from = 0; from < POOL; from++)
        for (int to = 0; to < POOL; to++)
            if (from != to) {
                const uint32_t v =
                    0xCA01F9DDu * pool[to] - 0x4973F715u * hash(pool[from], &by, 0x931E8875u);
                pool[to] = v ^ v >> 16;
            }
    by = 0x8B51F9DDu;
    for (int i = 0; i < POOL; i++) {
        const uint64_t low = hash(pool[2 * i % POOL], &by, 0x58F38DEDu);
        out[i] = low | (uint64_t)hash(pool[(2 * i + 1) % POOL], &by, 0x58F38DEDu) << 32;
    }
}

static void advance(generator *g)
{
    const wide multiplier = (wide)0x2360ED051FC65DA4u << 64 | 0x4385DF649FCCF645u;
    g->state = g->state * multiplier + g->step;
}

static generator make(uint64_t seed)
{
    uint64_t w[POOL];
    seed_words(w, seed);
    generator g = {.step = ((wide)w[2] << 64 | w[3]) << 1 | 1};
    advance(&g);
    g.state += (wide)w[0] << 64 | w[1];
    advance(&g);
    return g;
}

static uint32_t draw(generator *g)
{
    g->has_half = !g->has_half;
    if (!g->has_half)
        return g->half;
    advance(g);
    const uint64_t v = (uint64_t)(g->state >> 64) ^ (uint64_t)g->state;
    const unsigned turn = (unsigned)(g->state >> 122);
    const uint64_t turned = v >> turn | v << (-turn & 63);
    g->half = (uint32_t)(turned >> 32);
    return (uint32_t)turned;
}

/* From 0 to `most`. */
static uint32_t draw_to(generator *g, uint32_t most)
{
    uint32_t mask = most, v;
    for (unsigned k = 1; k < 32; k *= 2)
        mask |= mask >> k;
    do
        v = draw(g) & mask;
    while (v > most);
    return v;
}

void ig_numpy_shuffle(uint64_t seed, int32_t *order, int32_t n)
{
    generator g = make(seed);
    for (int32_t i = 0; i < n; i++)
        order[i] = i;
    for (int32_t i = n - 1; i > 0; i--) {
        const uint32_t j = draw_to(&g, (uint32_t)i);
        const int32_t held = order[i];
        order[i] = order[j];
        order[j] = held;
    }
}
