/* SPDX-License-Identifier: Apache-2.0
 *
 * Alias tables (Walker 1977, in Vose's linear-time form), subsampling, Huffman trees built from
 * sorted counts with two queues.
 */
#include "embed/train/word_sampling.h"

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>

void ig_alias_free(ig_alias *a)
{
    IG_FREE(a->keep, a->other);
    *a = (ig_alias){0};
}

/* share[i] is n times the probability of i; small and large are work space. */
static void fill(ig_alias *a, double *share, int32_t *small, int32_t *large)
{
    int32_t n_small = 0, n_large = 0;
    for (int32_t i = 0; i < a->n; i++)
        if (share[i] < 1)
            small[n_small++] = i;
        else
            large[n_large++] = i;
    while (n_small > 0 && n_large > 0) {
        int32_t s = small[--n_small], l = large[n_large - 1];
        a->keep[s] = (uint32_t)fmin(share[s] * 0x1p32, 0x1p32 - 1);
        a->other[s] = l;
        share[l] -= 1 - share[s];
        if (share[l] < 1) {
            n_large--;
            small[n_small++] = l;
        }
    }
    /* The remainder is 1 up to rounding. */
    while (n_small + n_large > 0) {
        int32_t i = n_small > 0 ? small[--n_small] : large[--n_large];
        a->keep[i] = UINT32_MAX;
        a->other[i] = i;
    }
}

ig_code ig_alias_new(ig_alias *out, const int64_t *count, int32_t n, double exponent, ig_err *err)
{
    ig_alias a = {.n = n};
    double *share = NULL, sum = 0;
    int32_t *small = NULL, *large = NULL;
    *out = (ig_alias){0};
    ig_code code = ig_alloc(&a.keep, n, sizeof *a.keep, "table of negatives", err);
    IG_THEN(code, ig_alloc(&a.other, n, sizeof *a.other, "table of negatives", err));
    IG_THEN(code, ig_alloc(&share, n, sizeof *share, "table of negatives", err));
    IG_THEN(code, ig_alloc(&small, n, sizeof *small, "table of negatives", err));
    IG_THEN(code, ig_alloc(&large, n, sizeof *large, "table of negatives", err));
    if (code == IG_ERR_OK) {
        for (int32_t i = 0; i < n; i++)
            sum += share[i] = pow((double)count[i], exponent);
        for (int32_t i = 0; i < n; i++)
            share[i] *= n / sum;
        fill(&a, share, small, large);
    }
    IG_FREE(share, small, large);
    if (code != IG_ERR_OK)
        ig_alias_free(&a);
    *out = a;
    return code;
}

void ig_keep_shares(uint64_t *keep, const int64_t *count, int32_t n, double t)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += (double)count[i];
    for (int32_t i = 0; i < n; i++) {
        double r = t * sum / (double)count[i], p = t > 0 ? sqrt(r) + r : 1;
        keep[i] = p >= 1 ? (uint64_t)1 << 32 : (uint64_t)(p * 0x1p32);
    }
}

void ig_huffman_free(ig_huffman *h)
{
    IG_FREE(h->start, h->node, h->code);
    *h = (ig_huffman){0};
}

/* Leaves are 0 .. n − 1, inner nodes n .. 2n − 2. Joins the two smallest until one is left; leaves
 * come from the end of the sorted words, inner nodes in the order in which they were made, and a
 * leaf first when they are equal. */
static void join(int32_t *parent, uint8_t *side, int64_t *weight, const int64_t *count, int32_t n)
{
    int32_t leaf = n - 1, inner = n;
    for (int32_t i = 0; i < n; i++)
        weight[i] = count[i];
    for (int32_t made = n; made < 2 * n - 1; made++) {
        weight[made] = 0;
        for (uint8_t s = 0; s < 2; s++) {
            bool take_leaf = leaf >= 0 && (inner >= made || weight[leaf] <= weight[inner]);
            int32_t child = take_leaf ? leaf-- : inner++;
            parent[child] = made;
            side[child] = s;
            weight[made] += weight[child];
        }
    }
}

static int64_t depth(const int32_t *parent, int32_t leaf, int32_t root)
{
    int64_t d = 0;
    for (int32_t i = leaf; i != root; i = parent[i])
        d++;
    return d;
}

static ig_code paths(ig_huffman *h, const int32_t *parent, const uint8_t *side, int32_t n,
                     ig_err *err)
{
    const int32_t root = 2 * n - 2;
    for (int32_t i = 0; i < n; i++)
        h->start[i + 1] = h->start[i] + depth(parent, i, root);
    IG_TRY(ig_alloc(&h->node, h->start[n], sizeof *h->node, "Huffman tree", err));
    IG_TRY(ig_alloc(&h->code, h->start[n], 1, "Huffman tree", err));
    for (int32_t i = 0; i < n; i++) {
        int64_t k = h->start[i + 1];
        for (int32_t at = i; at != root; at = parent[at]) {
            h->node[--k] = parent[at] - n;
            h->code[k] = side[at];
        }
    }
    return IG_ERR_OK;
}

ig_code ig_huffman_new(ig_huffman *out, const int64_t *count, int32_t n, ig_err *err)
{
    int32_t *parent = NULL;
    uint8_t *side = NULL;
    int64_t *weight = NULL;
    *out = (ig_huffman){0};
    ig_code code = ig_alloc(&out->start, (int64_t)n + 1, sizeof *out->start, "Huffman tree", err);
    IG_THEN(code, ig_alloc(&parent, 2 * (int64_t)n, sizeof *parent, "Huffman tree", err));
    IG_THEN(code, ig_alloc(&side, 2 * (int64_t)n, 1, "Huffman tree", err));
    IG_THEN(code, ig_alloc(&weight, 2 * (int64_t)n, sizeof *weight, "Huffman tree", err));
    if (code == IG_ERR_OK) {
        join(parent, side, weight, count, n);
        code = paths(out, parent, side, n, err);
    }
    IG_FREE(parent, side, weight);
    if (code != IG_ERR_OK)
        ig_huffman_free(out);
    return code;
}
