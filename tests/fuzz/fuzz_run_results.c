/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as what a run's folder says of its results: its log, its measures, its evaluation (the
 * first byte says which of these). Refused with a message and a place, or metrics in order, of
 * which a figure can be made.
 */
#include "base/assert.h"
#include "base/file.h"
#include "base/memory.h"
#include "run/run_config.h"
#include "lab/report/run_results.h"
#include "report/figure/figure.h"
#include "report/shown/results_figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[64];

static void remove_dir(void)
{
    ig_err err;
    ig_dir_remove(dir, &err);
}

/* A run's folder with nothing but its record. */
static void make_dir(void)
{
    char path[96];
    ig_run_config c = {0};
    ig_err err;
    strcpy(dir, "/tmp/isoglot-fuzz-XXXXXX");
    IG_ASSERT(mkdtemp(dir) != NULL);
    snprintf(path, sizeof path, "%s/run.json", dir);
    IG_ASSERT(ig_options_default(&ig_run_options, &c, &err) == IG_ERR_OK);
    IG_ASSERT(ig_run_config_save(&c, path, &err) == IG_ERR_OK);
    ig_run_config_free(&c);
    atexit(remove_dir);
}

static void draw(const ig_store_result *s)
{
    ig_results r;
    ig_figure f = {0};
    ig_err err = {0};
    char name[] = "figure";
    ig_quantity q = {.layer = IG_LAYER_NONE};
    strcpy(q.task, s->n_metric > 0 ? s->metric[s->n_metric / 2].task : "loss");
    const ig_figure_spec spec = {.name = name,
                                 .kind = s->n_metric % 2 ? IG_FIG_CURVES : IG_FIG_LAYERS,
                                 .quantity = &q,
                                 .n_quantity = 1,
                                 .step = -1,
                                 .log_x = true,
                                 .onset = true};
    IG_ASSERT(ig_results_make(&r, s, false, &err) == IG_ERR_OK);
    IG_ASSERT(ig_result_figure(&f, &r, &spec, NULL, &err) == IG_ERR_OK);
    json_decref(ig_figure_json(&f));
    ig_figure_free(&f);
    ig_results_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const name[] = {"log.jsonl", "measures.json", "measures.jsonl", "eval.json"};
    char path[96];
    ig_err err = {0};
    ig_store_result s;
    if (size == 0)
        return 0;
    if (dir[0] == '\0')
        make_dir();
    snprintf(path, sizeof path, "%s/%s", dir, name[data[0] % 4]);
    FILE *fp = fopen(path, "wb");
    IG_ASSERT(fp != NULL && fwrite(data + 1, 1, size - 1, fp) == size - 1);
    fclose(fp);
    const ig_named_run run = {dir, "a"};
    if (ig_run_results(&s, &run, 1, &err) != IG_ERR_OK)
        IG_ASSERT(err.msg[0] != '\0' && err.where[0] != '\0');
    else {
        for (int64_t i = 1; i < s.n_metric; i++)
            IG_ASSERT(strcmp(s.metric[i - 1].task, s.metric[i].task) <= 0);
        draw(&s);
    }
    ig_store_result_free(&s);
    remove(path);
    return 0;
}
