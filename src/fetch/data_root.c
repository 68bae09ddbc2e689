/* SPDX-License-Identifier: Apache-2.0
 *
 * The data root and paths below it. The default follows the XDG Base Directory Specification 0.8:
 * an XDG_DATA_HOME that is not absolute is ignored.
 */
#include "fetch/data_root.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/strings/append.h"
#include "fetch/catalogue.h"

#include <stdlib.h>
#include <string.h>

static ig_code no_root(const char *where, ig_err *err)
{
    ig_fail(err, IG_ERR_USAGE, where, 0,
            "found no folder for data: neither --data nor ISOGLOT_DATA nor HOME says one");
    return ig_hint(err, "give --data DIR");
}

ig_code ig_data_root(char **root, const char *given, ig_err *err)
{
    const char *env = getenv("ISOGLOT_DATA"), *xdg = getenv("XDG_DATA_HOME"),
               *home = getenv("HOME");
    *root = NULL;
    if (given != NULL && given[0] == '\0')
        return ig_fail(err, IG_ERR_USAGE, "--data", 0, "found nothing, expected a folder");
    if (given != NULL)
        return ig_copy_text(root, given, "data root", err);
    if (env != NULL && env[0] != '\0')
        return ig_copy_text(root, env, "data root", err);
    if (xdg != NULL && xdg[0] == '/')
        return ig_path_join(root, xdg, "isoglot", err);
    if (home != NULL && home[0] == '/')
        return ig_path_join(root, home, ".local/share/isoglot", err);
    return no_root("--data", err);
}

/* Nothing lies below a device. */
static const char nowhere[] = "/dev/null/no data root";

ig_code ig_data_root_if_any(char **root, const char *given, ig_err *err)
{
    ig_code code = ig_data_root(root, given, err);
    return code == IG_ERR_USAGE && given == NULL ? ig_copy_text(root, nowhere, "data root", err)
                                                 : code;
}

bool ig_data_root_is_none(const char *root)
{
    return strcmp(root, nowhere) == 0;
}

ig_code ig_data_path(char **out, const char *root, const char *path, ig_err *err)
{
    if (path[0] == '/' || strcmp(path, "-") == 0)
        return ig_copy_text(out, path, "data root", err);
    return ig_path_join(out, root, path, err);
}

ig_code ig_data_find(char **out, const char *root, const char *path, ig_err *err)
{
    IG_TRY(ig_data_path(out, root, path, err));
    if (strcmp(path, "-") == 0 || ig_file_exists(*out))
        return IG_ERR_OK;
    ig_free(*out);
    *out = NULL;
    if (path[0] == '/')
        return ig_fail(err, IG_ERR_IO, path, 0, "no such file");
    if (ig_data_root_is_none(root))
        return no_root(path, err);
    ig_fail(err, IG_ERR_IO, path, 0, "no such file below the data root %.200s", root);
    ig_catalogue c;
    const ig_catalogue_entry *e = NULL;
    if (ig_catalogue_new(&c, NULL) == IG_ERR_OK)
        e = ig_catalogue_giving(&c, path);
    if (e != NULL)
        ig_hint(err, "isoglot fetch %s --data %.160s gets it", e->name, root);
    else
        ig_hint(err, "--data DIR or ISOGLOT_DATA says where the data are");
    ig_catalogue_free(&c);
    return IG_ERR_IO;
}
