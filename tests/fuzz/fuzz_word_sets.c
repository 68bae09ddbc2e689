/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a set of judged pairs and as analogy questions: refused with the file, or counts
 * that fit together.
 */
#include "embed/search/analogy.h"
#include "embed/search/word_similarity.h"
#include "fuzz_file.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char text[] = "a 1 0\nb 0 1\nc 0.6 0.8\nd 0.8 0.6\n";
    static ig_vectors v;
    ig_err err = {0};
    ig_similarity s;
    ig_analogy_result a;
    const char *path = fuzz_file(data, size);
    const bool lowercase = size > 0 && (data[0] & 1);
    if (v.n == 0)
        IG_ASSERT(ig_vectors_parse(
                      &v, &(ig_vec_memory){(const uint8_t *)text, (int64_t)strlen(text), "v"},
                      (ig_vec_how){.format = IG_VEC_PLAIN}, NULL, &err) == IG_ERR_OK);
    if (ig_similarity_file(&s, &v, &v, &(ig_similarity_set){path, 3, lowercase}, &err) == IG_ERR_OK)
        IG_ASSERT(s.n > 0 && s.n_covered <= s.n);
    else
        IG_ASSERT(strcmp(err.where, path) == 0);
    if (ig_analogy(&a, &v, path, lowercase, NULL, &err) == IG_ERR_OK)
        IG_ASSERT(a.all.n > 0 && a.all.n_covered <= a.all.n && a.all.n_add <= a.all.n_covered &&
                  a.all.n_mul <= a.all.n_covered);
    else
        IG_ASSERT(strcmp(err.where, path) == 0);
    ig_analogy_free(&a);
    unlink(path);
    return 0;
}
