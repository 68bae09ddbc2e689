/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target: PyTorch's files, and the pickle alone, which mutation of a zip file hardly reaches.
 * What is accepted must be readable to the last byte.
 */
#include "base/memory.h"
#include "model/torch/torch_pickle.h"
#include "model/weight_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ig_safetensors s;
    ig_torch_tensors t;
    ig_err err;
    (void)ig_torch_pickle_parse(&t, data, (int64_t)size, "fuzz", &err);
    ig_torch_tensors_free(&t);
    if (ig_torch_parse(&s, data, (int64_t)size, "fuzz", &err) != IG_ERR_OK)
        return 0;
    for (int i = 0; i < s.n; i++) {
        float *out;
        if (ig_alloc(&out, s.tensors[i].count, sizeof *out, "tensor", &err) != IG_ERR_OK)
            continue;
        (void)ig_safetensors_read(&s, &s.tensors[i], out, &err);
        ig_free(out);
    }
    ig_safetensors_close(&s);
    return 0;
}
