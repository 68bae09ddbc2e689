/* SPDX-License-Identifier: Apache-2.0
 *
 * Precision, recall and AER of Och & Ney 2003, §5, by merging two sorted lists of links.
 */
#include "analyse/links/alignment_error.h"

#include <math.h>

static int compare(const ig_word_link *x, const ig_word_link *y)
{
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

void ig_alignment_error_add(ig_alignment_error *e, const ig_word_links *predicted,
                            const ig_word_links *gold)
{
    e->n_sentence++;
    e->n_predicted += predicted->n;
    e->n_possible += gold->n;
    for (int32_t i = 0; i < gold->n; i++)
        e->n_sure += !gold->link[i].possible;
    for (int32_t i = 0, k = 0; i < predicted->n && k < gold->n;) {
        int order = compare(&predicted->link[i], &gold->link[k]);
        if (order == 0) {
            e->right_possible++;
            e->right_sure += !gold->link[k].possible;
        }
        i += order <= 0;
        k += order >= 0;
    }
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : (double)NAN;
}

ig_alignment_error_score ig_alignment_error_get(const ig_alignment_error *e)
{
    ig_alignment_error_score s;
    double a = (double)e->n_predicted, sure = (double)e->n_sure, hit = (double)e->right_sure,
           touch = (double)e->right_possible;
    s.precision = ratio(touch, a);
    s.recall = ratio(hit, sure);
    s.f1 = s.precision + s.recall > 0 ? 2 * s.precision * s.recall / (s.precision + s.recall)
                                      : s.precision + s.recall; /* 0 or NaN */
    s.aer = 1 - ratio(hit + touch, a + sure);
    return s;
}
