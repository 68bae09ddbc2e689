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

const char *const ig_table_forms[] = {"text", "markdown", "latex", "csv", "json", NULL};

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

ig_code ig_table_put(FILE *fp, ig_table *t, ig_table_form form, bool header, ig_err *err)
{
    if (form == IG_FORM_TEXT)
        return ig_table_print(t, err);
    const ig_code code = form == IG_FORM_MARKDOWN ? ig_table_markdown(fp, t, err)
                         : form == IG_FORM_LATEX  ? ig_table_latex(fp, t, err)
                                                  : ig_table_csv(fp, t, header, err);
    ig_table_free(t);
    return code;
}
