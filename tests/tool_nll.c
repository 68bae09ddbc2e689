/* SPDX-License-Identifier: Apache-2.0
 *
 * tool_nll MODEL_DIR: for tools/check_transformers.py. Each line of stdin is a sequence as numbers:
 * T, then T ids, T positions, T segments; the answer is a line of T values, −log p (natural) of
 * each id at its own place, as the model sees the sequence unmasked. A model that predicts next
 * sentences adds that of label 1.
 */
#include "base/memory.h"
#include "isoglot/batch.h"
#include "model/engine/engine.h"

#include <stdio.h>

enum { MAX = 512 };

static int fail(const ig_err *err)
{
    fprintf(stderr, "%s: %s\n", err->where, err->msg);
    return (int)err->code;
}

int main(int argc, char **argv)
{
    ig_err err = {0};
    ig_bert *m;
    ig_engine *e;
    static int32_t id[MAX], pos[MAX], seg[MAX], row[MAX];
    if (argc != 2)
        return 2;
    if (ig_bert_load(&m, argv[1], NULL, &err) != IG_ERR_OK ||
        ig_engine_new(&e, m, NULL, NULL, IG_PRECISION_F32, &err) != IG_ERR_OK)
        return fail(&err);
    int n;
    while (scanf("%d", &n) == 1 && n >= 1 && n <= MAX) {
        int32_t *part[3] = {id, pos, seg};
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < n; i++)
                if (scanf("%d", &part[k][i]) != 1)
                    return 3;
        for (int i = 0; i < n; i++)
            row[i] = i;
        const int32_t start[2] = {0, n}, first = 0, next = 1;
        const ig_batch b = {.n_seq = 1,
                            .n_tok = n,
                            .seq_start = start,
                            .id = id,
                            .pos = pos,
                            .seg = seg,
                            .target[IG_HEAD_MASKED] = {.n = n, .row = row, .label = id},
                            .target[IG_HEAD_NEXT] = {.n = 1, .row = &first, .label = &next}};
        if (ig_engine_predict(e, &b, &err) != IG_ERR_OK)
            return fail(&err);
        for (int i = 0; i < n; i++)
            printf("%s%.9g", i > 0 ? " " : "", ig_engine_result(e, IG_HEAD_MASKED).nll[i]);
        if (ig_engine_result(e, IG_HEAD_NEXT).n > 0)
            printf(" %.9g", ig_engine_result(e, IG_HEAD_NEXT).loss);
        printf("\n");
    }
    ig_engine_free(e);
    ig_bert_free(m);
    return 0;
}
