/* SPDX-License-Identifier: Apache-2.0
 *
 * Ctrl-C and SIGTERM: the first asks to stop, the second stops.
 */
#ifndef IG_CLI_SIGNALS_H
#define IG_CLI_SIGNALS_H

#include <signal.h>

/* What is said on stderr then, if not that the training stops; with the line ends around it. Before
 * _catch; not copied. */
void ig_signals_answer(const char *text);
/* From now on the first SIGINT or SIGTERM sets *result and says so on stderr; the next one kills.
 */
const volatile sig_atomic_t *ig_signals_catch(void);
/* As before _catch. */
void ig_signals_release(void);

#endif
