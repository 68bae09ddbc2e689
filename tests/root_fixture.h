/* SPDX-License-Identifier: Apache-2.0
 *
 * A temporary folder for all tests of a program, and names in it.
 */
#pragma once

#include "fault.h"

static char root[200];
static ig_err err;

static int make_root(void **state)
{
    (void)state;
    fault_folder(root, sizeof root);
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    return ig_dir_remove(root, &err) != IG_ERR_OK;
}

/* Valid until 64 others were asked for. */
static const char *in_root(const char *name)
{
    static char path[64][300];
    static int turn;
    turn = (turn + 1) % 64;
    snprintf(path[turn], sizeof path[turn], "%s/%s", root, name);
    return path[turn];
}
