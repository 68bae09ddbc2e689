/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of files of a run's data: see data_files.h.
 */
#include "run/data/data_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

ig_code ig_data_file_path(char path[IG_PATH], const char *dir, const ig_run_languages *l, int k,
                          ig_data_file which, ig_err *err)
{
    char name[IG_DATA_NAME];
    path[0] = '\0';
    return ig_data_file_name(name, l, k, which) ? ig_folder_path(path, dir, err, "%s", name)
                                                : IG_ERR_OK;
}

static ig_code link_one(const char *name, const char *folder, const char *to, ig_err *err)
{
    char at[IG_PATH], from[IG_PATH];
    IG_TRY(ig_folder_path(at, folder, err, "%s", name));
    IG_TRY(ig_folder_path(from, to, err, "%s", name));
    return symlink(from, at) == 0 || errno == EEXIST
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_IO, at, 0, "cannot make a link: %s", strerror(errno));
}

ig_code ig_data_files_link(const ig_data_link *l, ig_err *err)
{
    static const char *const of[] = {"train", "vocab", "dictionary", "gold"};
    ig_code code = IG_ERR_OK;
    DIR *d = opendir(l->dir);
    if (d == NULL)
        return ig_fail(err, IG_ERR_IO, l->dir, 0, "%s", strerror(errno));
    for (const struct dirent *e; code == IG_ERR_OK && (e = readdir(d)) != NULL;)
        for (size_t i = 0; i < sizeof of / sizeof *of; i++)
            if (strncmp(e->d_name, of[i], strlen(of[i])) == 0)
                code = link_one(e->d_name, l->folder, l->to, err);
    closedir(d);
    return code;
}
