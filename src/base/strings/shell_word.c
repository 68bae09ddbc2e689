/* SPDX-License-Identifier: Apache-2.0
 *
 * Quotes words for a shell by the rules of POSIX.1-2017, Shell Command Language, 2.2.2.
 */
#include "base/strings/shell_word.h"

#include <string.h>

void ig_shell_word(FILE *f, const char *s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./=,:@%+";
    if (s[0] != '\0' && strspn(s, plain) == strlen(s)) {
        fputs(s, f);
        return;
    }
    fputc('\'', f);
    for (; *s != '\0'; s++)
        if (*s == '\'')
            fputs("'\\''", f);
        else
            fputc(*s, f);
    fputc('\'', f);
}

void ig_shell_option(FILE *f, const char *name, const char *s)
{
    if (s == NULL)
        return;
    fprintf(f, " %s ", name);
    ig_shell_word(f, s);
}
