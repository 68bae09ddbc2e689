/* SPDX-License-Identifier: Apache-2.0
 *
 * Maximum spanning trees with one root (Chu & Liu 1965, Edmonds 1967). Every arc from ROOT costs
 * more than all other arcs together can differ, so that the best tree has as few of them as
 * possible: one. Cycles of best arcs are contracted one after another and opened in the reverse
 * order.
 */
#include "model/device/tree.h"

#include <string.h>

/* State of one contraction that its opening needs. */
typedef struct {
    int32_t *in_cycle; /* [n] the head of each node of the cycle; −1: it is not in it */
    int32_t *enter;    /* [n] the node of the cycle that an arc from this node goes to */
    int32_t *leave;    /* [n] the node of the cycle that an arc to this node comes from */
    int32_t node;      /* the node that replaces the cycle */
} contraction;

typedef struct {
    double *score;
    int n, n_done;
    int32_t *head, *gone; /* [n]; gone: contracted into another node */
    int32_t *mark;        /* [n] */
    int32_t *rest;        /* of the contractions: [n][3 n + 1] */
} solver;

int64_t ig_tree_room(int n)
{
    return (int64_t)n * (3 * (int64_t)n + 1) + 2 * (int64_t)n;
}

static contraction contraction_of(const solver *s, int i)
{
    int32_t *at = s->rest + (int64_t)i * (3 * (int64_t)s->n + 1);
    return (contraction){at, at + s->n, at + 2 * (int64_t)s->n, at[3 * (int64_t)s->n]};
}

static double *arc(const solver *s, int dependent, int head)
{
    return &s->score[(int64_t)dependent * s->n + head];
}

/* Arcs from ROOT cost more than everything else can bring. */
static void charge_root(const solver *s)
{
    double low = *arc(s, 1, 0), high = low;
    for (int d = 1; d < s->n; d++)
        for (int h = 0; h < s->n; h++) {
            const double x = *arc(s, d, h);
            if (d == h)
                continue;
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
    for (int d = 1; d < s->n; d++)
        *arc(s, d, 0) -= (high - low) * s->n + 1;
}

static void best_heads(const solver *s)
{
    for (int d = 1; d < s->n; d++) {
        if (s->gone[d])
            continue;
        s->head[d] = -1;
        for (int h = 0; h < s->n; h++)
            if (h != d && !s->gone[h] && (s->head[d] < 0 || *arc(s, d, h) > *arc(s, d, s->head[d])))
                s->head[d] = h;
    }
}

/* A node of a cycle of heads; 0: there is none. */
static int find_cycle(const solver *s)
{
    memset(s->mark, 0, (size_t)s->n * sizeof *s->mark);
    for (int from = 1; from < s->n; from++) {
        int v = from;
        if (s->gone[from])
            continue;
        while (v != 0 && s->mark[v] == 0) {
            s->mark[v] = from;
            v = s->head[v];
        }
        if (v != 0 && s->mark[v] == from)
            return v;
    }
    return 0;
}

/* The cycle through `node` becomes that node. */
static void contract(solver *s, int node)
{
    const int n = s->n;
    contraction c = contraction_of(s, s->n_done);
    s->rest[(int64_t)s->n_done++ * (3 * (int64_t)n + 1) + 3 * (int64_t)n] = node;
    for (int u = 0; u < n; u++)
        c.in_cycle[u] = -1;
    int v = node;
    do {
        c.in_cycle[v] = s->head[v];
        v = s->head[v];
    } while (v != node);
    for (int u = 0; u < n; u++) {
        double in = 0, out = 0;
        if (s->gone[u] || c.in_cycle[u] >= 0)
            continue;
        c.enter[u] = c.leave[u] = -1;
        for (v = 1; v < n; v++) {
            if (c.in_cycle[v] < 0)
                continue;
            const double gain = *arc(s, v, u) - *arc(s, v, c.in_cycle[v]);
            if (c.enter[u] < 0 || gain > in) {
                in = gain;
                c.enter[u] = v;
            }
            if (c.leave[u] < 0 || *arc(s, u, v) > out) {
                out = *arc(s, u, v);
                c.leave[u] = v;
            }
        }
        *arc(s, node, u) = in; /* these two are not read again */
        *arc(s, u, node) = out;
    }
    for (v = 1; v < n; v++)
        s->gone[v] |= c.in_cycle[v] >= 0 && v != node;
}

/* Gives the nodes of a contracted cycle their heads. */
static void open_cycle(solver *s)
{
    const contraction c = contraction_of(s, --s->n_done);
    const int into = s->head[c.node], first = c.enter[into];
    for (int v = 1; v < s->n; v++)
        if (c.in_cycle[v] >= 0) {
            s->head[v] = v == first ? into : c.in_cycle[v];
            s->gone[v] = 0;
        } else if (!s->gone[v] && s->head[v] == c.node)
            s->head[v] = c.leave[v];
}

void ig_tree_single_root(double *score, int n, int32_t *head, int32_t *room)
{
    solver s = {.score = score,
                .n = n,
                .head = head,
                .gone = room,
                .mark = room + n,
                .rest = room + 2 * (int64_t)n};
    memset(s.gone, 0, (size_t)n * sizeof *s.gone);
    head[0] = -1;
    if (n < 2)
        return;
    charge_root(&s);
    for (;;) {
        best_heads(&s);
        const int node = find_cycle(&s);
        if (node == 0)
            break;
        contract(&s, node);
    }
    while (s.n_done > 0)
        open_cycle(&s);
}
