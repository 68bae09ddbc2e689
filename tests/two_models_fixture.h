/* SPDX-License-Identifier: Apache-2.0
 *
 * Two models that share nothing in one, over a text and its shifted copy: the second the first
 * one's copy with its hidden dimensions in another order, or drawn by itself.
 */
#pragma once

#include "measure_fixture.h"
#include "twist_fixture.h"

#include "model/separate.h"

enum { SENTENCES = 300 };

/* Language 1's parameters are those of language 0 with moved dimensions; its words' rows stand
 * VOCAB after theirs. */
static inline void rotate_second(ig_bert *m)
{
    const char before[] = "language.1.";
    int n_own = 0;
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *to = &ig_bert_params(m)[i];
        if (strncmp(to->name, before, sizeof before - 1) != 0)
            continue;
        const ig_bert_param *of = ig_bert_param_find(m, to->name + sizeof before - 1);
        float *w = ig_bert_weights(m);
        assert_non_null(of);
        twist(w + to->offset, w + of->offset, of);
        if (ends(of->name, "word_embeddings.weight")) {
            float *rows = w + to->offset;
            memcpy(rows + VOCAB * TWIST_D, rows, VOCAB * TWIST_D * sizeof *rows);
        }
        n_own++;
    }
    assert_true(n_own > 20);
}

static inline lab open_two(bool rotated, int n_thread)
{
    ig_bert_config shape = tiny();
    shape.n_language = 2;
    ig_err err;
    assert_ok(ig_bert_separate_parse(&shape.separate, "all", shape.num_hidden_layers, "", &err),
              &err);
    lab l = lab_open(distinct_words(SENTENCES, 3, 20), "shift", &shape, n_thread);
    stir(l.model, 0.3, 5);
    if (rotated)
        rotate_second(l.model);
    ig_engine_weights_changed(l.engine);
    return l;
}
