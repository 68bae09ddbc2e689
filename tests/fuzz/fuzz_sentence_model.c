/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target: the modules of a folder of sentence-transformers. Lines of the input are
 * modules.json, 1_Pooling/config.json, 2_Dense/config.json, config_sentence_transformers.json,
 * sentence_bert_config.json; the rest is 2_Dense/model.safetensors. What is accepted is applied.
 */
#include "apply/sentence_model.h"
#include "base/assert.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HIDDEN = 4, N_TOKEN = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[64];
static ig_encoder encoder;

static void open_encoder(void)
{
    static const char vocab[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n";
    ig_err err;
    ig_bert_config c = ig_bert_config_small(7);
    c.hidden_size = HIDDEN;
    c.num_attention_heads = 1;
    c.intermediate_size = 4;
    c.num_hidden_layers = 1;
    c.max_position_embeddings = 8;
    IG_ASSERT(ig_bert_new(&encoder.model, &c, 1, &err) == IG_ERR_OK);
    IG_ASSERT(ig_tokenizer_parse(&encoder.tokenizer, vocab, sizeof vocab - 1, "vocab", NULL,
                                 &err) == IG_ERR_OK);
    snprintf(dir, sizeof dir, "/tmp/isoglot-fuzz-%ld", (long)getpid());
    (void)mkdir(dir, 0700);
    for (int k = 1; k <= 2; k++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", dir, k == 1 ? "1_Pooling" : "2_Dense");
        (void)mkdir(path, 0700);
    }
}

static void put(const char *name, const uint8_t *data, size_t n)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *fp = fopen(path, "wb");
    IG_ASSERT(fp != NULL && fwrite(data, 1, n, fp) == n && fclose(fp) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const name[] = {"modules.json", "1_Pooling/config.json",
                                       "2_Dense/config.json", "config_sentence_transformers.json",
                                       "sentence_bert_config.json"};
    static const float x[N_TOKEN * HIDDEN] = {1, -2, 3, 4, 0, 1, -1, 2};
    const float *const states[] = {x};
    ig_sentence_model *m;
    ig_err err;
    if (encoder.model == NULL)
        open_encoder();
    for (int k = 0; k < 5; k++) {
        const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
        const size_t n = end != NULL ? (size_t)(end - data) : size;
        put(name[k], data, n);
        data += n + (end != NULL);
        size -= n + (end != NULL);
    }
    put("2_Dense/model.safetensors", data, size);
    if (ig_sentence_model_open(&m, dir, &encoder, &(ig_sentence_model_options){NULL}, &err) !=
            IG_ERR_OK ||
        m == NULL)
        return 0;
    float *out;
    const int d = ig_sentence_model_size(m);
    IG_ASSERT(ig_alloc(&out, d, sizeof *out, "vector", &err) == IG_ERR_OK);
    ig_sentence_model_apply(m, out, &(ig_sentence_states){.n_token = N_TOKEN, .states = states}, 0);
    ig_free(out);
    ig_sentence_model_close(m);
    return 0;
}
