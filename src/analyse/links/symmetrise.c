/* SPDX-License-Identifier: Apache-2.0
 *
 * Combines the word links of both directions into one set (Och & Ney 2003, §4; Koehn, Och, Marcu
 * 2003).
 */
#include "analyse/links/symmetrise.h"

#include "base/memory.h"

#include <stdbool.h>

const char *const ig_links_rule_names[] = {
    "grow-diag-final-and", "intersection", "union", "forward", "backward", NULL};

enum { FORWARD = 1, BACKWARD = 2, TAKEN = 4 };

typedef struct {
    uint8_t *at; /* [n_a, n_b] */
    int n_a, n_b;
    bool *linked[2]; /* [n_a], [n_b] words that have a link */
} grid;

static uint8_t *cell(const grid *g, int i, int j)
{
    return &g->at[(int64_t)i * g->n_b + j];
}

static void take(const grid *g, int i, int j)
{
    *cell(g, i, j) |= TAKEN;
    g->linked[0][i] = g->linked[1][j] = true;
}

/* Takes what is beside (i, j), in either direction, and links a word that has no link yet. */
static bool grow_at(const grid *g, int i, int j)
{
    static const int beside[8][2] = {{-1, 0},  {0, -1}, {1, 0},  {0, 1},
                                     {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
    bool more = false;
    for (int k = 0; k < 8; k++) {
        const int x = i + beside[k][0], y = j + beside[k][1];
        if (x < 0 || y < 0 || x >= g->n_a || y >= g->n_b || (g->linked[0][x] && g->linked[1][y]))
            continue;
        if (*cell(g, x, y) != 0) {
            take(g, x, y);
            more = true;
        }
    }
    return more;
}

static void grow(const grid *g)
{
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < g->n_a; i++)
            for (int j = 0; j < g->n_b; j++)
                if (*cell(g, i, j) & TAKEN)
                    more |= grow_at(g, i, j);
    }
    for (int direction = FORWARD; direction <= BACKWARD; direction++)
        for (int i = 0; i < g->n_a; i++)
            for (int j = 0; j < g->n_b; j++)
                if (*cell(g, i, j) & direction && !g->linked[0][i] && !g->linked[1][j])
                    take(g, i, j);
}

static void choose(const grid *g, ig_links_rule rule)
{
    for (int i = 0; i < g->n_a; i++)
        for (int j = 0; j < g->n_b; j++) {
            const int there = *cell(g, i, j);
            const bool yes[] = {there == (FORWARD | BACKWARD), there == (FORWARD | BACKWARD),
                                there != 0, (there & FORWARD) != 0, (there & BACKWARD) != 0};
            if (yes[rule])
                take(g, i, j);
        }
    if (rule == IG_LINKS_GROW_DIAG_FINAL_AND)
        grow(g);
}

ig_code ig_links_symmetrise(int32_t *pairs, int32_t *n, const ig_both_links *of, ig_links_rule rule,
                            ig_err *err)
{
    const int n_a = of->n_a, n_b = of->n_b;
    grid g = {.n_a = n_a, .n_b = n_b};
    const int64_t size = (int64_t)n_a * n_b;
    *n = 0;
    IG_TRY(ig_alloc(&g.at, size + n_a + n_b, 1, "links", err));
    g.linked[0] = (bool *)(g.at + size);
    g.linked[1] = g.linked[0] + n_a;
    for (int j = 0; j < n_b; j++)
        if (of->a_of[j] >= 0)
            *cell(&g, of->a_of[j], j) |= FORWARD;
    for (int i = 0; i < n_a; i++)
        if (of->b_of[i] >= 0)
            *cell(&g, i, of->b_of[i]) |= BACKWARD;
    choose(&g, rule);
    for (int i = 0; i < n_a; i++)
        for (int j = 0; j < n_b; j++)
            if (*cell(&g, i, j) & TAKEN) {
                pairs[2 * *n] = i;
                pairs[2 * (*n)++ + 1] = j;
            }
    ig_free(g.at);
    return IG_ERR_OK;
}
