/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the file in a temporary file without a name, and copies it when it is complete.
 */
#include "base/output/standard_output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char name[] = "standard output";
static int output = -1; /* the descriptor, after a file was sent there */

ig_code ig_standard_output_open(FILE **fp, ig_err *err)
{
    *fp = tmpfile();
    if (*fp == NULL)
        return ig_fail(err, IG_ERR_IO, name, 0, "cannot create a temporary file: %s",
                       strerror(errno));
    if (output >= 0)
        return IG_ERR_OK;
    fflush(stdout);
    output = dup(STDOUT_FILENO);
    if (output >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        return IG_ERR_OK;
    fclose(*fp);
    *fp = NULL;
    return ig_fail(err, IG_ERR_IO, name, 0, "cannot copy the descriptor: %s", strerror(errno));
}

static ig_code copy(FILE *fp, ig_err *err)
{
    char block[1 << 16];
    size_t n;
    if (fflush(fp) != 0 || fseek(fp, 0, SEEK_SET) != 0)
        return ig_fail(err, IG_ERR_IO, name, 0, "cannot read again: %s", strerror(errno));
    while ((n = fread(block, 1, sizeof block, fp)) > 0)
        for (size_t done = 0; done < n;) {
            const ssize_t k = write(output, block + done, n - done);
            if (k < 0 && errno != EINTR)
                return ig_fail(err, IG_ERR_IO, name, 0, "cannot write: %s", strerror(errno));
            done += k > 0 ? (size_t)k : 0;
        }
    return ferror(fp) ? ig_fail(err, IG_ERR_IO, name, 0, "cannot read again") : IG_ERR_OK;
}

ig_code ig_standard_output_close(FILE *fp, bool keep, ig_err *err)
{
    const ig_code code = keep ? copy(fp, err) : IG_ERR_OK;
    fclose(fp);
    return code;
}
