/* SPDX-License-Identifier: Apache-2.0
 *
 * A pipeline of transforms of words as text, in its normal form: parsing it again gives the same
 * pipeline.
 */
#pragma once

#include "base/strings/append.h"
#include "corpus/words/word_orders.h"
#include "corpus/words/word_step.h"

static void words_printed(const ig_word_pipeline *p, char *out, size_t size)
{
    out[0] = '\0';
    for (int i = 0; i < p->n; i++) {
        const ig_word_step *s = &p->step[i];
        char step[256];
        ig_step_args_print(step, sizeof step, s->kind->name, s->kind->arg, s->number, s->file);
        ig_append(out, size, "%s%s", i > 0 ? " | " : "", step);
    }
}
