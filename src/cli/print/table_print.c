/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints a table on standard output, as wide as the terminal and bold where it allows it.
 */
#include "cli/print/table_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* 0: standard output is no terminal. */
static int terminal_width(void)
{
    struct winsize w;
    if (isatty(STDOUT_FILENO) == 0)
        return 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col >= 20)
        return w.ws_col;
    return 80;
}

/* NO_COLOR: https://no-color.org */
static bool terminal_colour(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDOUT_FILENO) != 0 && (no == NULL || no[0] == '\0') &&
           (term == NULL || strcmp(term, "dumb") != 0);
}

void ig_print_number(double x, int width, int digits)
{
    if (isfinite(x))
        printf(" %*.*f", width, digits, x);
    else
        printf(" %*s", width, "-");
}

ig_code ig_table_print(ig_table *t, ig_err *err)
{
    const ig_table_terminal_options screen = {terminal_width(), terminal_colour()};
    ig_code code = ig_table_terminal(stdout, t, &screen, err);
    ig_table_free(t);
    return code;
}
