/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target: reading vocab.txt. What is accepted finds each of its pieces under its id, or under
 * the id of a later duplicate.
 */
#include "base/assert.h"
#include "base/memory.h"
#include "text/tokenizer/vocab.h"
#include "text/tokenizer/wordpiece_trie.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ig_vocab v;
    ig_trie t;
    ig_err err;
    if (ig_vocab_parse(&v, (const char *)data, (int64_t)size, "fuzz", &err) != IG_ERR_OK)
        return 0;
    IG_ASSERT(ig_trie_build(&t, v.text, v.start, v.n, &err) == IG_ERR_OK);
    for (int32_t i = 0; i < v.n; i++) {
        const char *piece = v.text + v.start[i];
        int32_t state = 0;
        IG_ASSERT((int64_t)strlen(piece) == v.start[i + 1] - v.start[i] - 1);
        for (const char *p = piece; *p != '\0'; p++) {
            state = ig_trie_step(&t, state, (uint8_t)*p);
            IG_ASSERT(state >= 0);
        }
        int32_t id = t.cell[state].value;
        IG_ASSERT(id >= i && id < v.n && strcmp(v.text + v.start[id], piece) == 0);
    }
    ig_trie_free(&t);
    ig_vocab_free(&v);
    return 0;
}
