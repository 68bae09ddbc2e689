/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of a command that is printed to be given to a POSIX shell.
 */
#pragma once

#include <stdio.h>

/* Writes s so that a shell reads it as one word with these bytes: as it is where nothing in it
 * means anything to a shell, else in single quotes. */
void ig_shell_word(FILE *f, const char *s);
/* " NAME WORD"; nothing when s is NULL. */
void ig_shell_option(FILE *f, const char *name, const char *s);
