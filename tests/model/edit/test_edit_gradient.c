/* SPDX-License-Identifier: Apache-2.0
 *
 * Edits of hidden states and of attention: every element of the gradient through one of each kind
 * at every layer against central differences in double.
 */
#include "edit_fixture.h"
#include "gradient_check.h"

/* One of each kind, of a language or of all, at every layer in turn. */
static void gradients(void **state)
{
    (void)state;
    enum { d = 16, most = 24 };
    static float shift[d], matrix[d * d], along[3 * d], rows[2 * d];
    static const int32_t row[] = {1, 7};
    fill(shift, d, 0.5, 1);
    fill(matrix, d * d, 0.3, 2);
    rotation(matrix + 0, d, 4);
    for (int i = 0; i < d * d; i++)
        matrix[i] *= 1.1f;
    static float q[d * d];
    rotation(q, d, 5);
    memcpy(along, q, sizeof along);
    fill(rows, 2 * d, 1, 6);
    for (int k = 0; k < 8; k++) {
        ig_bert_config c = tiny();
        c.hidden_size = d;
        c.block = k % 2 == 1 ? IG_BLOCK_PRE_NORM : IG_BLOCK_POST_NORM;
        const int layer = k / 2 % 3;
        if (k >= 6)
            c.head[IG_HEAD_NEXT].n_label = 2; /* the last block has all rows */
        const ig_edit edits[] = {
            {.layer = layer, .language = -1, .kind = IG_EDIT_SHIFT, .n = 1, .data = shift},
            {.layer = layer, .language = 1, .kind = IG_EDIT_MATRIX, .n = d, .data = matrix},
            {.layer = (layer + 1) % 3, .language = 0, .kind = IG_EDIT_PROJECT, .n = 3, along},
            {.layer = layer, .language = -1, .kind = IG_EDIT_ROWS, .n = 2, rows, row}};
        check_model(&c, lengths, 5, k % 4 < 2, k % 3 == 0 ? ig_ops_ref() : ig_ops_best(), edits, 4);
    }
}

/* Uniform attention and that of another model, one block each, against literal loops in double: the
 * loss, and a gradient that goes through the values alone. */
static void attention(void **state)
{
    (void)state;
    static const ig_position_kind kind[] = {IG_POSITION_LEARNED, IG_POSITION_ROTARY,
                                            IG_POSITION_SINUSOIDAL, IG_POSITION_RELATIVE_KEY_QUERY};
    for (int k = 0; k < 4; k++) {
        ig_bert_config c = tiny();
        c.hidden_size = 8;
        c.position = kind[k];
        c.block = k % 2 == 1 ? IG_BLOCK_PRE_NORM : IG_BLOCK_POST_NORM;
        ig_bert *other = make_model(&c, 1);
        stir(other, 0.4, 5);
        const int uniform = k < 2 ? 1 : 2;
        const ig_edit edits[] = {
            {.layer = uniform, .language = -1, .kind = IG_EDIT_ATTENTION},
            {.layer = 3 - uniform, .language = -1, .kind = IG_EDIT_ATTENTION, .model = other}};
        const bool relative = kind[k] == IG_POSITION_RELATIVE_KEY_QUERY;
        check_model(&c, lengths, 5, k % 2 == 0, k < 2 ? ig_ops_ref() : ig_ops_best(), edits,
                    relative ? 1 : 2);
        ig_bert_free(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gradients), cmocka_unit_test(attention)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
