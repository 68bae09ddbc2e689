/* SPDX-License-Identifier: Apache-2.0
 *
 * --dry-run: the data are prepared in a temporary folder, and a few updates are timed on a model
 * that is thrown away. What a run needs is then its own first updates, multiplied.
 */
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "lab/run_train.h"
#include "lab/setup.h"
#include "train/pretrain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Updates that are timed, and the time after which no further one is begun. */
enum { TIMED_UPDATES = 6 };
static const double timed_seconds = 5;

static ig_code time_updates(const ig_run_config *c, ig_run_plan *p, ig_bert *model,
                            ig_batcher *batcher, const ig_pretrain_options *o, ig_err *err)
{
    ig_team *team = NULL;
    ig_engine *engine = NULL;
    ig_pretrain *trainer = NULL;
    double seconds = 0, tokens = 0;
    int64_t timed = 0;
    IG_TRY(ig_team_new(&team, (int)c->threads, err));
    ig_code code = ig_engine_new(&engine, model, team, NULL, (ig_precision)c->precision, err);
    if (code == IG_ERR_OK)
        code = ig_pretrain_new(&trainer, model, engine, batcher, o, ig_ops_best(), team, err);
    /* The first update warms caches and buffers up, and is not counted when there are others. */
    for (int64_t i = 0;
         code == IG_ERR_OK && i < TIMED_UPDATES && i < p->n_update && seconds < timed_seconds;
         i++) {
        ig_pretrain_report u;
        double from = ig_clock();
        code = ig_pretrain_step(trainer, &u, err);
        if (i == 1)
            seconds = tokens = 0, timed = 0;
        seconds += ig_clock() - from;
        tokens += (double)u.n_token;
        timed++;
    }
    if (code == IG_ERR_OK && timed > 0) {
        p->tokens_per_update = tokens / (double)timed;
        p->tokens_per_second = tokens / seconds;
        p->seconds = seconds / (double)timed * (double)p->n_update;
    }
    if (code == IG_ERR_OK)
        p->memory = ig_peak_memory();
    ig_pretrain_free(trainer);
    ig_engine_free(engine);
    ig_team_free(team);
    return code;
}

static ig_code plan(const ig_run_config *c, ig_run_plan *p, const ig_setup *s, ig_err *err)
{
    ig_bert *model = NULL;
    ig_batcher *batcher = NULL;
    ig_batch_options b = ig_run_config_batch(c);
    p->model = ig_run_config_model(c, ig_corpus_vocab_size(s->train),
                                   ig_corpus_get_options(s->train)->pad);
    IG_TRY(ig_setup_fits(s, &p->model, err));
    IG_TRY(ig_bert_new(&model, &p->model, (uint64_t)c->seed, err));
    p->n_parameter = ig_bert_n_value(model);
    ig_code code = ig_batcher_new(&batcher, s->train, &b, (uint64_t)c->seed, err);
    if (code == IG_ERR_OK) {
        p->n_sequence = ig_batcher_n_sequence(batcher);
        p->steps_per_epoch = ig_batcher_steps_per_epoch(batcher);
        ig_pretrain_options o = ig_run_config_trainer(c, p->steps_per_epoch);
        p->n_update = o.n_update;
        code = time_updates(c, p, model, batcher, &o, err);
    }
    ig_batcher_free(batcher);
    ig_bert_free(model);
    return code;
}

ig_code ig_run_dry(const ig_run_config *c, ig_run_plan *p, ig_err *err)
{
    *p = (ig_run_plan){0};
    const char *base = getenv("TMPDIR");
    char *folder;
    ig_setup s;
    IG_TRY(ig_path_join(&folder, base != NULL && base[0] != '\0' ? base : "/tmp", "isoglot-XXXXXX",
                        err));
    if (mkdtemp(folder) == NULL) {
        ig_code failed =
            ig_fail(err, IG_ERR_IO, folder, 0, "cannot create folder: %s", strerror(errno));
        ig_free(folder);
        return failed;
    }
    ig_code code = ig_setup_open(&s, c, folder, err);
    if (code == IG_ERR_OK) {
        code = plan(c, p, &s, err);
        ig_setup_close(&s);
    }
    ig_code removed = ig_dir_remove(folder, code == IG_ERR_OK ? err : NULL);
    ig_free(folder);
    return code != IG_ERR_OK ? code : removed;
}
