/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as an archive: its one text, within the limit, or nothing.
 */
#include "fuzz_file.h"
#include "fetch/unpack.h"

#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char out[80], member[] = "*.txt";
    ig_err err = {0};
    struct stat st;
    snprintf(out, sizeof out, "/tmp/isoglot-fuzz-%ld-out", (long)getpid());
    const char *path = fuzz_file(data, size);
    ig_code code = ig_unpack(path, (char *[]){member}, (char *[]){out}, 1, 100000, &err);
    if (code == IG_ERR_OK)
        IG_ASSERT(stat(out, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= 100000);
    else
        IG_ASSERT(stat(out, &st) != 0 && err.msg[0] != '\0');
    unlink(out);
    unlink(path);
    return 0;
}
