/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a configuration file: either an error with a message, or a struct within its ranges
 * whose JSON record reads back to the same record.
 */
#include "option_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    fuzz_config c = {0}, again = {0};
    ig_err err = {0};
    snprintf(path, sizeof path, "/tmp/isoglot-fuzz-options-%ld", (long)getpid());
    FILE *fp = fopen(path, "wb");
    IG_ASSERT(fp != NULL);
    IG_ASSERT(fwrite(data, 1, size, fp) == size);
    fclose(fp);
    IG_ASSERT(ig_options_default(&fuzz_options, &c, &err) == IG_ERR_OK);
    if (ig_options_file(&fuzz_options, &c, path, NULL, &err) != IG_ERR_OK) {
        IG_ASSERT(err.msg[0] != '\0' && strcmp(err.where, path) == 0);
    } else {
        json_t *a = ig_options_json(&fuzz_options, &c);
        IG_ASSERT(a != NULL);
        IG_ASSERT(ig_options_from_json(&fuzz_options, &again, a, "record", &err) == IG_ERR_OK);
        json_t *b = ig_options_json(&fuzz_options, &again);
        IG_ASSERT(b != NULL && json_equal(a, b));
        json_decref(a);
        json_decref(b);
    }
    fuzz_config_check(&c);
    ig_options_free(&fuzz_options, &c);
    ig_options_free(&fuzz_options, &again);
    unlink(path);
    return 0;
}
