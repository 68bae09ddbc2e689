/* SPDX-License-Identifier: Apache-2.0
 *
 * See json_print.h. Twelve digits tell apart what is different in a measure, and leave out the
 * noise of decimal fractions in binary.
 */
#include "cli/json_print.h"

#include <stdio.h>
#include <stdlib.h>

ig_code ig_json_print(json_t *j, ig_err *err)
{
    char *text = j != NULL ? json_dumps(j, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) : NULL;
    json_decref(j);
    if (text == NULL)
        return ig_fail(err, IG_ERR_MEMORY, "--json", 0, "cannot make the text of the result");
    puts(text);
    free(text);
    return IG_ERR_OK;
}
