/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of a run that do nothing beside its others: what is written and has no effect is a
 * mistake of who wrote it, and is told.
 */
#pragma once

#include "run/run_config.h"

/* Why the option (a row of ig_run_options) has no effect on a run with these settings, which are
 * resolved; NULL: it has one, as far as that is known before a text is read. */
const char *ig_run_option_moot(int option, const ig_run_config *c);

/* IG_ERR_USAGE that names the first option that was given ([IG_RUN_N_OPTION], as
 * ig_options_parse fills it) and has no effect. A file that has every key is the record of a run,
 * and is let through. */
ig_code ig_run_check_moot(const ig_run_config *c, const unsigned char *given, ig_err *err);
