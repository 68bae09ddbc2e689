/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits a tag into mark and type, and reads the marks of other schemes as BIOUL.
 */
#include "task/tag.h"

#include <string.h>

bool ig_tag_parse(ig_tag *out, const char *name)
{
    static const char marks[] = "BILUESMW", same[] = "BILULUIU";
    *out = (ig_tag){.mark = 'O', .type = ""};
    if (strcmp(name, "O") == 0)
        return true;
    const char *at = name[0] != '\0' ? strchr(marks, name[0]) : NULL;
    if (at == NULL || (name[1] != '\0' && (name[1] != '-' || name[2] == '\0')))
        return false;
    *out = (ig_tag){.mark = same[at - marks], .type = name[1] == '\0' ? "" : name + 2};
    return true;
}
