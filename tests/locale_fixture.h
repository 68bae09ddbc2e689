/* SPDX-License-Identifier: Apache-2.0
 *
 * Locales whose decimal point is another, made by localedef in a temporary folder where the system
 * has not got them.
 */
#pragma once

#include "root_fixture.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

enum { N_LOCALE = 2 };
/* A comma; U+066B, of two bytes. */
static const char *const locale_names[N_LOCALE] = {"de_DE", "ps_AF"};

static int locales_setup(void **state)
{
    char command[1024];
    make_root(state);
    for (int i = 0; i < N_LOCALE; i++) {
        snprintf(command, sizeof command, "localedef -i %s -f UTF-8 %s/%s.UTF-8 >%s 2>&1",
                 locale_names[i], root, locale_names[i], in_root("said"));
        if (system(command) != 0)
            continue; /* in_locale skips it */
    }
    return setenv("LOCPATH", root, 1);
}

static int locales_teardown(void **state)
{
    setlocale(LC_ALL, "C");
    return remove_root(state);
}

/* The program's locale is number i from now on; false, and said, where there is none. */
static bool in_locale(int i)
{
    char name[64];
    snprintf(name, sizeof name, "%s.UTF-8", locale_names[i]);
    if (setlocale(LC_ALL, name) != NULL && strcmp(localeconv()->decimal_point, ".") != 0)
        return true;
    skip_here("no locale %s, and localedef makes none", name);
    return false;
}

/* Writes root/NAME. */
static inline void write_text(const char *name, const char *text)
{
    FILE *fp = fopen(in_root(name), "w");
    assert_non_null(fp);
    assert_true(fputs(text, fp) >= 0 && fclose(fp) == 0);
}

static void in_c_locale(void)
{
    setlocale(LC_ALL, "C");
}
