/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of files of a run's data: see data_files.h.
 */
#include "run/data/data_files.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>

const char *ig_data_vocabulary(const ig_language_words *l)
{
    return strcmp(l->vocab, "own") == 0 ? l->name : l->vocab;
}

bool ig_data_file_name(char name[IG_DATA_NAME], const ig_run_languages *l, int k,
                       ig_data_file which)
{
    static const struct {
        const char *start, *end;
    } form[IG_DATA_FILES] = {
        [IG_DATA_VOCABULARY] = {"vocab", ".txt"},
        [IG_DATA_TRAIN] = {"train", ".shard"},
        [IG_DATA_DEV] = {"dev", ".shard"},
        [IG_DATA_TRAIN_TRACE] = {"train", ".trace"},
        [IG_DATA_DEV_TRACE] = {"dev", ".trace"},
        [IG_DATA_GOLD] = {"gold", ".json"},
        [IG_DATA_DICTIONARY] = {"dictionary", ".json"},
    };
    const bool shared = !ig_run_languages_have_texts(l);
    const char *of = which == IG_DATA_VOCABULARY ? ig_data_vocabulary(&l->language[k])
                     : shared                    ? ""
                                                 : l->language[k].name;
    if (shared && which >= IG_DATA_TRAIN_TRACE)
        return false;
    snprintf(name, IG_DATA_NAME, "%s%s%s%s", form[which].start, of[0] != '\0' ? "-" : "", of,
             form[which].end);
    for (char *p = name; *p != '\0'; p++)
        *p = (char)(*p == '/' ? '_' : *p);
    return true;
}

ig_code ig_data_file_path(char **path, const char *dir, const ig_run_languages *l, int k,
                          ig_data_file which, ig_err *err)
{
    char name[IG_DATA_NAME];
    *path = NULL;
    return ig_data_file_name(name, l, k, which) ? ig_path_join(path, dir, name, err) : IG_ERR_OK;
}
