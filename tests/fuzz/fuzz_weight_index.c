/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target: the index of weights in several files, beside two files with a tensor each.
 */
#include "base/assert.h"
#include "model/weight_files.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[64];

static const char *in_dir(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const float x = 1;
    ig_safetensors s;
    ig_err err;
    if (dir[0] == '\0') {
        snprintf(dir, sizeof dir, "/tmp/isoglot-fuzz-%ld", (long)getpid());
        (void)mkdir(dir, 0700);
        for (int i = 1; i <= 2; i++) {
            const ig_tensor_out t = {.name = i == 1 ? "a" : "b", .data = &x, .rows = 1};
            IG_ASSERT(ig_safetensors_write(in_dir(i == 1 ? "1" : "2"), &t, 1, NULL, NULL, &err) ==
                      IG_ERR_OK);
        }
    }
    FILE *fp = fopen(in_dir("model.safetensors.index.json"), "wb");
    IG_ASSERT(fp != NULL && fwrite(data, 1, size, fp) == size && fclose(fp) == 0);
    if (ig_weights_open(&s, dir, &err) != IG_ERR_OK)
        return 0;
    for (int i = 0; i < s.n; i++) {
        float out = 0;
        IG_ASSERT(ig_safetensors_read(&s, &s.tensors[i], &out, &err) == IG_ERR_OK && out == x);
    }
    ig_safetensors_close(&s);
    return 0;
}
