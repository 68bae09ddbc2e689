/* SPDX-License-Identifier: Apache-2.0
 *
 * Options and results of embed word2vec and embed fasttext.
 */
#include "cli/embed/context_options.h"

const char *const ig_context_model_names[] = {"skipgram", "cbow", NULL};
const char *const ig_context_loss_names[] = {"negative", "hierarchical", NULL};

ig_code ig_context_config_check(const ig_context_config *c, ig_err *err)
{
    if (c->sequential && (c->group > 0 || c->groups > 0))
        return ig_fail(err, IG_ERR_USAGE, "--sequential", 0,
                       "together with --%s, expected one of them",
                       c->group > 0 ? "group" : "groups");
    return IG_ERR_OK;
}

ig_context_options ig_context_config_resolve(const ig_context_config *c, uint64_t seed)
{
    return (ig_context_options){.model = (ig_context_model)c->model,
                                .loss = (ig_context_loss)c->loss,
                                .dim = (int)c->dim,
                                .window = (int)c->window,
                                .negative = (int)c->negative,
                                .epochs = (int)c->epochs,
                                .lr = c->lr,
                                .sample = c->sample,
                                .init = c->init,
                                .seed = seed,
                                .shared = (int)c->shared,
                                .group = c->sequential ? 2 : (int)c->group,
                                .groups = c->sequential ? 1 : (int)c->groups};
}

json_t *ig_context_facts(const ig_text_ids *text)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "words_read", (json_int_t)text->n_read,
                     "distinct_words", (json_int_t)text->n_type, "words_too_long",
                     (json_int_t)text->n_too_long, "lines", (json_int_t)text->n_line, "vocabulary",
                     (json_int_t)text->words.n, "words_in_vocabulary", (json_int_t)text->n_token);
}

void ig_context_facts_add(json_t *facts, const ig_context_report *r, double seconds)
{
    json_object_set_new(facts, "shared", json_integer(r->shared));
    json_object_set_new(facts, "group", json_integer(r->group));
    json_object_set_new(facts, "groups", json_integer(r->groups));
    json_object_set_new(facts, "window_parts", json_integer(r->parts));
    json_object_set_new(facts, "words_trained", json_integer(r->n_trained));
    json_object_set_new(facts, "loss", json_real(r->loss));
    json_object_set_new(facts, "seconds", json_real(seconds));
    json_object_set_new(facts, "words_per_second",
                        json_real(seconds > 0 ? (double)r->n_word / seconds : 0));
}
