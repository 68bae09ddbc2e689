/* SPDX-License-Identifier: Apache-2.0
 *
 * The data of a run's settings.
 */
#pragma once

#include "root_fixture.h"

#include "run/data/setup.h"

static inline ig_code open_setup(ig_setup *s, const ig_run_config *c, const char *folder)
{
    const ig_data_settings settings = ig_run_config_data(c);
    return ig_setup_open(s, &settings, folder, &err);
}
