/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests: a saved fastText model as it is read from its file.
 */
#pragma once

#include "test.h"

#include "base/file.h"
#include "embed/vectors/fasttext_model.h"

static inline void read_model(ig_fasttext *m, const char *path)
{
    ig_map file;
    ig_err err;
    assert_ok(ig_map_open(&file, path, &err), &err);
    assert_ok(ig_fasttext_parse(m, file.data, file.size, path, &err), &err);
    ig_map_close(&file);
}
