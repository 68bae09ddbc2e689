/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaces text_mediawiki.c if dumps are left out of the build (cmake/parts.cmake): they are still
 * recognised, so that their markup is not read as plain text.
 */
#include "corpus/read/text_source.h"

static ig_code open_dump(void **state, ig_line_reader *r, ig_err *err)
{
    *state = NULL;
    ig_fail(err, IG_ERR_IO, ig_line_where(r), 0, "dumps of MediaWiki are not in this program");
    return ig_hint(err, "build it with -DIG_WITH_DUMPS=ON, which needs expat");
}

const ig_text_format ig_text_mediawiki = {
    .name = "mediawiki",
    .has_ids = false,
    .is = ig_text_is_xml,
    .open = open_dump,
};
