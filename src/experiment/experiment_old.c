/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys of experiment files by their names in the version before: each file's are renamed, with a
 * notice, before files are merged, so that a file may extend one with the other names.
 */
#include "experiment/experiment_parts.h"

#include "base/settings/options.h"

/* Says whether a key is of a section, of each of its entries, or of each entry of a list in it. */
typedef enum { OF_SECTION, OF_ENTRIES, OF_LIST } place;

static const struct {
    const char *section, *list;
    place of;
    const char *old, *now;
} renamed[] = {{"measure", NULL, OF_SECTION, "max_sentences", "take"},
               {"measure", NULL, OF_SECTION, "curve_max_sentences", "curve_take"},
               {"tasks", NULL, OF_ENTRIES, "as", "definition"},
               {"report", "figures", OF_LIST, "count", "take"}};
enum { N_RENAMED = sizeof renamed / sizeof *renamed };

static ig_code rename_key(ig_yaml *map, int k, ig_err *err)
{
    if (map == NULL || map->kind != IG_YAML_MAP)
        return IG_ERR_OK;
    const int at = ig_yaml_find(map, renamed[k].old), other = ig_yaml_find(map, renamed[k].now);
    if (at < 0)
        return IG_ERR_OK;
    ig_yaml *key = map->key[at];
    if (other >= 0)
        return ig_yaml_fail(key, err, "%s: is the old name of %s, which is there, too (line %llu)",
                            renamed[k].old, renamed[k].now,
                            (unsigned long long)map->key[other]->line);
    ig_option_say_old(renamed[k].old, renamed[k].now, key->file, key->line);
    key->text = renamed[k].now;
    return IG_ERR_OK;
}

static ig_yaml *value_of(const ig_yaml *map, const char *key)
{
    const int at = map != NULL && map->kind == IG_YAML_MAP ? ig_yaml_find(map, key) : -1;
    return at >= 0 ? map->item[at] : NULL;
}

static ig_code rename_in(const ig_yaml *root, ig_err *err)
{
    for (int k = 0; k < N_RENAMED; k++) {
        ig_yaml *section = value_of(root, renamed[k].section);
        if (renamed[k].of == OF_SECTION)
            IG_TRY(rename_key(section, k, err));
        if (renamed[k].of == OF_LIST)
            section = value_of(section, renamed[k].list);
        const ig_yaml_kind kind = renamed[k].of == OF_LIST ? IG_YAML_LIST : IG_YAML_MAP;
        if (renamed[k].of == OF_SECTION || section == NULL || section->kind != kind)
            continue;
        for (int i = 0; i < section->n; i++)
            IG_TRY(rename_key(section->item[i], k, err));
    }
    return IG_ERR_OK;
}

ig_code ig_experiment_rename_old(const ig_yaml *root, ig_err *err)
{
    const ig_yaml *variants = value_of(root, "variants");
    IG_TRY(rename_in(root, err));
    for (int i = 0; variants != NULL && variants->kind == IG_YAML_MAP && i < variants->n; i++)
        IG_TRY(rename_in(variants->item[i], err));
    return IG_ERR_OK;
}
