/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target: what the laboratory reads back from a run's folder. The first byte says which file
 * the rest is: manifest.json of a finished run, failed.json, size.json and log.jsonl of one that is
 * not, measures.jsonl of one that goes on.
 */
#include "base/file.h"
#include "base/memory.h"
#include "lab/runs/lab_list.h"
#include "apply/folder/run_folder.h"
#include "run/train/run_measures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *folder;

static void remove_folder(void)
{
    (void)ig_dir_remove(folder, NULL);
    ig_free(folder);
}

static void put(const char *name, const void *data, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (data == NULL) {
        unlink(path);
        return;
    }
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"manifest.json", "failed.json", "size.json", "log.jsonl",
                                        "measures.jsonl"};
    ig_err err;
    if (folder == NULL) {
        if (ig_dir_temporary(&folder, "isoglot-fuzz", &err) != IG_ERR_OK)
            abort();
        atexit(remove_folder);
    }
    if (size < 1 || size > 1 << 16)
        return 0;
    const int which = data[0] % 5;
    put("run.json", "{}", 2);
    put("DONE", which == 0 ? "" : NULL, 0);
    for (int i = 0; i < 5; i++)
        put(names[i], i == which ? data + 1 : NULL, size - 1);

    const ig_measure_plan plan = {.what = IG_MEASURE_BIT(alignment),
                                  .all_layers = true,
                                  .at.kind = IG_CHECKPOINTS_LOG,
                                  .curve_max_sentences = 7};
    ig_lab_state s = {0};
    (void)ig_lab_folder_state(&s, folder, &plan, false, &err);
    json_t *j;
    if (which == 0 && ig_folder_json(&j, folder, names[0], &err) == IG_ERR_OK) {
        const json_t *measured = json_object_get(j, "measure");
        const int layers = (int)json_integer_value(json_object_get(j, "layers"));
        const ig_measure_plan both = ig_lab_plan_union(measured, &plan, layers);
        const ig_measure_languages languages = {.listed = true, .common = true};
        /* Together they ask for what the one asks for. */
        json_t *all = ig_lab_plan_json(&both, &languages, 1000, layers);
        const ig_measure_plan end = {.what = IG_MEASURE_BIT(alignment)};
        if (layers >= 2 && layers < 100 &&
            ig_lab_covers((char[IG_LAB_WHY]){0}, all, &end, &languages, 1000, layers) ==
                IG_LAB_TRAIN_AGAIN)
            abort();
        json_decref(all);
        json_decref(j);
    }
    bool has;
    if (which == 4 && ig_run_measures_cut(folder, 50, &err) == IG_ERR_OK &&
        ig_run_measures_has(&has, folder, 50, &err) != IG_ERR_OK)
        abort(); /* what was cut is whole */
    return 0;
}
