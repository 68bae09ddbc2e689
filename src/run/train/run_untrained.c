/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a run's model before its first update, as the folder of a checkpoint: later steps can be
 * tried on it.
 */
#include "run/train/run_train.h"

#include "base/file.h"
#include "base/memory.h"
#include "run/data/setup.h"

static ig_code write_model(const ig_run_config *c, const ig_setup *s, const char *dir, ig_err *err)
{
    ig_bert_config shape = ig_run_config_model(c, ig_corpus_vocab_size(s->train),
                                               ig_corpus_get_options(s->train)->pad);
    if (c->trainer != IG_TRAINER_BERT)
        shape.hidden_size = ig_run_config_dim(c); /* a model on static vectors */
    ig_bert *model;
    char **pieces = NULL;
    int32_t n = 0;
    IG_TRY(ig_setup_fits(s, &shape, err));
    IG_TRY(ig_bert_new(&model, &shape, (uint64_t)c->optimisation.seed, err));
    json_t *extra = ig_setup_json(s);
    ig_code code = extra != NULL ? ig_bert_save(model, dir, extra, err)
                                 : ig_fail(err, IG_ERR_MEMORY, dir, 0, "not enough memory");
    json_decref(extra);
    ig_bert_free(model);
    IG_THEN(code, ig_setup_pieces(s, &pieces, &n, err));
    IG_THEN(code, ig_setup_tokenizer_write(s, pieces, n, (int32_t)c->objective.block, dir, err));
    ig_free_list(pieces, n);
    return code;
}

ig_code ig_run_untrained(const ig_run_config *c, const char *data, const char *dir, ig_err *err)
{
    const ig_data_settings settings = ig_run_config_data(c);
    ig_setup s;
    IG_TRY(ig_dir_make(dir, err));
    IG_TRY(ig_setup_open(&s, &settings, data, err));
    const ig_code code = write_model(c, &s, dir, err);
    ig_setup_close(&s);
    return code;
}
