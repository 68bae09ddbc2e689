/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a treebank: refused with file and line, or trees that can be put into head-final
 * order without losing a word.
 */
#include "corpus/read/format/conllu.h"
#include "corpus/words/word_step.h"
#include "fuzz_file.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ig_err err = {0};
    ig_conllu *c;
    ig_phrase p = {0};
    ig_word_pipeline w;
    const ig_phrase *out;
    const ig_file_finder none = {NULL, NULL, NULL};
    const char *path = fuzz_file(data, size);
    IG_ASSERT(ig_word_pipeline_parse(&w, "head-final", "fuzz", 1, &err) == IG_ERR_OK);
    IG_ASSERT(ig_word_pipeline_begin(&w, 0, "fuzz", &none, &err) == IG_ERR_OK);
    /* A damaged gzip header is told at once. */
    ig_code code = ig_conllu_open(&c, path, &err);
    while (code == IG_ERR_OK && (code = ig_conllu_next(c, &p, &err)) == IG_ERR_OK && p.n > 0) {
        IG_ASSERT(p.n_node == p.n);
        IG_ASSERT(ig_word_pipeline_run(&w, 0, &p, &out, &err) == IG_ERR_OK);
        IG_ASSERT(out->n == p.n);
        int64_t sum = 0;
        for (int32_t i = 0; i < p.n; i++)
            sum += out->node[i] - i;
        IG_ASSERT(sum == 0);
    }
    IG_ASSERT(code == IG_ERR_OK || (strcmp(err.where, path) == 0 && err.msg[0] != '\0'));
    ig_conllu_close(c);
    ig_word_pipeline_free(&w);
    ig_phrase_free(&p);
    unlink(path);
    return 0;
}
