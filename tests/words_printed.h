/* SPDX-License-Identifier: Apache-2.0
 *
 * A pipeline of transforms of words as text, in its normal form: parsing it again gives the same
 * pipeline.
 */
#pragma once

#include "base/number_text.h"
#include "corpus/words/word_orders.h"
#include "corpus/words/word_step.h"

#include <stdio.h>
#include <string.h>

static void words_printed(const ig_word_pipeline *p, char *out, size_t size)
{
    out[0] = '\0';
    for (int i = 0; i < p->n; i++) {
        const ig_word_step *s = &p->step[i];
        char arg[IG_WORD_ARGS][40];
        int n = 0, kept = 0, n_number = 0;
        for (; n < IG_WORD_ARGS && s->kind->arg[n].name != NULL; n++) {
            const ig_word_arg *a = &s->kind->arg[n];
            bool is_default = false;
            if (a->kind == IG_WORD_FILE)
                snprintf(arg[n], sizeof arg[n], "%s", s->file);
            else {
                const double x = s->number[n_number++];
                is_default = a->def >= 0 && x == a->def;
                if (x < 0)
                    snprintf(arg[n], sizeof arg[n], "%s", s->kind->only);
                else
                    ig_number_print(arg[n], sizeof arg[n], x);
            }
            if (!is_default)
                kept = n + 1;
        }
        size_t at = strlen(out);
        snprintf(out + at, size - at, "%s%s", i > 0 ? " | " : "", s->kind->name);
        for (int k = 0; k < kept; k++) {
            at = strlen(out);
            snprintf(out + at, size - at, "%s%s", k == 0 ? ":" : ",", arg[k]);
        }
    }
}
