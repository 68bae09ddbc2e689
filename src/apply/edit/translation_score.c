/* SPDX-License-Identifier: Apache-2.0
 *
 * Scores a translation token by token. Matches are counted by a merge of both sorted lists.
 */
#include "apply/edit/translation_score.h"

#include "base/memory.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ig_bleu_buffers_free(ig_bleu_buffers *r)
{
    IG_FREE(r->unit[0], r->unit[1]);
    *r = (ig_bleu_buffers){0};
}

static ig_code sorted(ig_bleu_buffers *r, int which, ig_bleu_units u, ig_err *err)
{
    IG_TRY(ig_grow(&r->unit[which], &r->have[which], u.n + 1, sizeof *u.unit, "units", err));
    if (u.n > 0)
        memcpy(r->unit[which], u.unit, (size_t)u.n * sizeof *u.unit);
    if (u.n > 1)
        qsort(r->unit[which], (size_t)u.n, sizeof *u.unit, ig_by_int32);
    return IG_ERR_OK;
}

ig_code ig_bleu1_add(ig_translation_count *c, ig_bleu_units output, ig_bleu_units reference,
                     ig_bleu_buffers *r, ig_err *err)
{
    IG_TRY(sorted(r, 0, output, err));
    IG_TRY(sorted(r, 1, reference, err));
    for (int64_t i = 0, k = 0; i < output.n && k < reference.n;) {
        const int32_t a = r->unit[0][i], b = r->unit[1][k];
        c->n_match += a == b;
        i += a <= b;
        k += b <= a;
    }
    c->n_output += output.n;
    c->n_reference += reference.n;
    return IG_ERR_OK;
}

double ig_bleu1(const ig_translation_count *c)
{
    const double n = (double)c->n_output, m = (double)c->n_reference;
    if (c->n_output == 0)
        return (double)NAN;
    return (double)c->n_match / n * (n < m ? exp(1 - m / n) : 1);
}

void ig_convert_rate_add(ig_translation_count *c, const int32_t *y, int64_t n, const bool *source,
                         const bool *target)
{
    c->n_y += n;
    for (int64_t i = 0; i < n; i++) {
        c->n_converted += target[y[i]] && !source[y[i]];
        c->n_common += target[y[i]] && source[y[i]];
    }
}

double ig_convert_rate(const ig_translation_count *c)
{
    return c->n_y > c->n_common ? (double)c->n_converted / (double)(c->n_y - c->n_common)
                                : (double)NAN;
}

double ig_gold_accuracy(const ig_translation_count *c)
{
    return c->n_gold > 0 ? (double)c->n_right / (double)c->n_gold : (double)NAN;
}
