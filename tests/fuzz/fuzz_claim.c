/* SPDX-License-Identifier: Apache-2.0
 *
 * Any text as the statement of a claim: refused with a message, or comparisons of which each names
 * a cell, has finite numbers and is read alike on its own.
 */
#include "base/assert.h"
#include "base/memory.h"
#include "report/table/claim.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same_text(const char *a, const char *b)
{
    return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

static bool same(const ig_claim_side *a, const ig_claim_side *b)
{
    if (a->plus != b->plus || a->n_term != b->n_term)
        return false;
    for (int i = 0; i < a->n_term; i++) {
        const ig_claim_term *x = &a->term[i], *y = &b->term[i];
        if (x->kind != y->kind || x->times != y->times || x->share != y->share ||
            !ig_quantity_same(&x->q, &y->q) || x->n_pattern != y->n_pattern ||
            !same_text(x->cell, y->cell) || !same_text(x->axis, y->axis) ||
            !same_text(x->paper, y->paper) || !same_text(x->proxy, y->proxy))
            return false;
        for (int k = 0; k < x->n_pattern; k++)
            if (!same_text(x->pattern[k], y->pattern[k]))
                return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text;
    ig_err err = {0};
    ig_claim c = {0};
    if (memchr(data, 0, size) != NULL)
        return 0;
    IG_ASSERT(ig_alloc(&text, (int64_t)size + 1, 1, "text", NULL) == IG_ERR_OK);
    if (size > 0)
        memcpy(text, data, size);
    if (ig_claim_parse(&c, text, "e.yaml", 3, &err) != IG_ERR_OK)
        IG_ASSERT(err.msg[0] != '\0' && err.line == 3);
    else
        for (int i = 0; i < c.n_comparison; i++) {
            const ig_claim_comparison *x = &c.comparison[i];
            ig_claim one = {0};
            IG_ASSERT(x->more.n_term + x->less.n_term > 0);
            IG_ASSERT(isfinite(x->more.plus) && isfinite(x->less.plus));
            IG_ASSERT(x->part >= 0 && x->part < c.n_part);
            IG_ASSERT(ig_claim_parse(&one, x->text, "e.yaml", 3, &err) == IG_ERR_OK);
            IG_ASSERT(one.n_comparison == 1 && same(&one.comparison[0].more, &x->more) &&
                      same(&one.comparison[0].less, &x->less));
            ig_claim_free(&one);
        }
    ig_claim_free(&c);
    ig_free(text);
    return 0;
}
