/* SPDX-License-Identifier: Apache-2.0
 *
 * The generated world as the text of a run that was given none.
 */
#pragma once

#include "apply/folder/run_folder.h"
#include "corpus/world/world.h"
#include "run/run_config.h"

/* The world of the settings in these languages ("eng; x:SOV", as corpus/world/world.h has them). */
ig_code ig_run_world_new(ig_world **out, const ig_run_data *d, const char *languages, ig_err *err);

/* Writes (unless it is there) the training or development text, a sentence a line, into data_dir
 * and gives its path. Development sentences follow the training ones: the same
 * world, other sentences. */
ig_code ig_world_text(char path[IG_PATH], const ig_run_data *d, const char *data_dir, bool dev,
                      ig_err *err);
