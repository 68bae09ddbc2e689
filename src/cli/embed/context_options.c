/* SPDX-License-Identifier: Apache-2.0
 *
 * Options and results of embed word2vec and embed fasttext.
 */
#include "cli/embed/context_options.h"

const char *const ig_context_model_names[] = {"skipgram", "cbow", NULL};
const char *const ig_context_loss_names[] = {"negative", "hierarchical", NULL};

ig_code ig_context_config_resolve(ig_context_options *o, const ig_context_config *c, int64_t seed,
                                  ig_err *err)
{
    *o = c->o;
    o->seed = (uint64_t)seed;
    if (!c->sequential)
        return IG_ERR_OK;
    if (o->group > 0 || o->groups > 0)
        return ig_fail(err, IG_ERR_USAGE, "--sequential", 0,
                       "together with --%s, expected one of them",
                       o->group > 0 ? "group" : "groups");
    o->group = 2;
    o->groups = 1;
    return IG_ERR_OK;
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
