/* SPDX-License-Identifier: Apache-2.0
 *
 * The templates of BERT and RoBERTa, and access to the parts of a template.
 */
#include "text/tokenizer/template.h"

#include "text/tokenizer/tokenizer_internal.h"

int32_t ig_template_n_special(const ig_template *t)
{
    int32_t n = 0;
    for (int k = 0; k <= t->n_text; k++)
        n += t->n[k];
    return n;
}

const ig_template *ig_tokenizer_template(const ig_tokenizer *t, bool pair)
{
    return &t->template[pair];
}

void ig_template_roles(ig_tokenizer *t)
{
    static const ig_tokenizer_role role[] = {IG_TOKENIZER_CLS, IG_TOKENIZER_SEP};
    for (int k = 0; k < 2; k++)
        if (t->template[0].n[k] < 2)
            t->role[role[k]] = t->template[0].n[k] == 1 ? t->template[0].token[k][0].id : -1;
}

void ig_template_add(ig_template *t, int place, int32_t id, int32_t type)
{
    if (id >= 0)
        t->token[place][t->n[place]++] = (ig_template_token){id, type};
}

void ig_template_bert(ig_template out[2], int32_t cls, int32_t sep)
{
    for (int k = 0; k < 2; k++) {
        out[k] = (ig_template){.n_text = k + 1,
                               .type = {0, 1},
                               .missing = cls < 0   ? "[CLS]"
                                          : sep < 0 ? "[SEP]"
                                                    : NULL};
        ig_template_add(&out[k], 0, cls, 0);
        ig_template_add(&out[k], 1, sep, 0);
    }
    ig_template_add(&out[1], 2, sep, 1);
}

void ig_template_roberta(ig_template out[2], int32_t cls, int32_t sep)
{
    ig_template_bert(out, cls, sep);
    ig_template_add(&out[1], 1, sep, 0);
    out[1].token[2][0].type = out[1].type[1] = 0;
}
