/* SPDX-License-Identifier: Apache-2.0
 *
 * Devices by name, as users write them: cpu, cuda, cuda:1.
 */
#pragma once

#include "base/settings/options.h"
#include "isoglot/bert.h"
#include "isoglot/error.h"

/* The card of a device's name, "cuda" or "cuda:N"; −1: of "cpu". IG_ERR_USAGE: another name. */
ig_code ig_device_card(int *card, const char *name, ig_err *err);
/* Sets the device of models that are made from now on by its name; NULL, "": nothing. */
ig_code ig_device_choose(const char *name, ig_err *err);
/* Says that a model of this shape is on the CPU, where `asked` is a GPU that lacks something of it.
 */
void ig_device_report(const char *asked, const ig_bert_config *c);
/* The row of such a name, the member f, in the options of a command. */
#define IG_DEVICE_OPTION(type, f)                                                                  \
    IG_TEXT(type, "device", f, NULL, "NAME",                                                       \
            "cpu, or a GPU: cuda, cuda:1; results differ by rounding")
