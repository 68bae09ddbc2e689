/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as an experiment file, alone and with its variant "v": refused with a message, or cells
 * with names of their own, settings that have an address, and JSON.
 */
#include "fuzz_file.h"

#include "base/memory.h"
#include "experiment/experiment.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const ig_experiment *e)
{
    ig_err err;
    IG_ASSERT(e->n_cell >= 1 && e->base < e->n_cell);
    for (int i = 0; i < e->n_cell && i < 20; i++) {
        const ig_cell *c = &e->cell[i];
        ig_run_config run;
        char address[IG_ADDRESS];
        IG_ASSERT(c->name[0] != '\0' && c->label[0] != '\0' && c->n_seed >= 1);
        for (int k = 0; k < i; k++)
            IG_ASSERT(strcmp(c->name, e->cell[k].name) != 0);
        IG_ASSERT(ig_experiment_config(&run, e, i, c->seed[0], &err) == IG_ERR_OK);
        if (run.data.text == NULL && run.data.dev_text == NULL && run.tokens.vocab == NULL &&
            run.objective.knn_vectors == NULL)
            IG_ASSERT(ig_run_address(address, &run, NULL, &err) == IG_ERR_OK);
        ig_run_config_free(&run);
    }
    json_t *j = ig_experiment_json(e);
    IG_ASSERT(j != NULL);
    json_decref(j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const variant[] = {"v"};
    const char *path = fuzz_file(data, size);
    for (int n = 0; n < 2; n++) {
        ig_experiment e;
        ig_err err = {0};
        if (ig_experiment_read(&e, path, variant, n, "/nowhere", &err) != IG_ERR_OK) {
            IG_ASSERT(err.msg[0] != '\0' && err.where[0] != '\0');
            continue;
        }
        check(&e);
        bool *on;
        int64_t stride;
        IG_ASSERT(ig_experiment_select(&on, &stride, &e, "*", &err) == IG_ERR_OK);
        ig_free(on);
        ig_experiment_free(&e);
    }
    unlink(path);
    return 0;
}
