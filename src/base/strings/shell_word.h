/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of a command that is printed for use in a POSIX shell.
 */
#pragma once

#include <stdio.h>

/* Writes s so that a shell reads it as one word with these bytes: unchanged if no character is
 * special to a shell, otherwise in single quotes. */
void ig_shell_word(FILE *f, const char *s);
/* Writes " NAME WORD"; nothing if s is NULL. */
void ig_shell_option(FILE *f, const char *name, const char *s);
