/* SPDX-License-Identifier: Apache-2.0
 *
 * Which options of a run do nothing beside its others: see run_moot.h. Only what is sure is listed;
 * what depends on a text or on what is measured is not.
 */
#include "run/run_moot.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* What the conditions look at, once for all options. */
typedef struct {
    const ig_run_config *config;
    bool any_file; /* text, or a language's own text or development text */
    bool dev_file;
    bool own_vocab; /* of a language */
    bool own_text;  /* one shard does not hold all languages */
} view;

typedef const char *reason_fn(const view *v, const char *name);

static const char *beside_text(const view *v, const char *name)
{
    (void)name;
    return v->config->data.text != NULL
               ? "there is a text, and a generated world stands in for none"
               : NULL;
}

static const char *without_text(const view *v, const char *name)
{
    if (v->any_file)
        return NULL;
    if (strcmp(name, "take") == 0)
        return v->own_text ? NULL
                           : "a generated world has as many sentences as world-sentences says";
    return "there is no text, and a generated world is clean and has a sentence a line";
}

static const char *without_dev_text(const view *v, const char *name)
{
    (void)name;
    return v->config->data.dev_text != NULL || v->dev_file ? NULL : "there is no dev-text";
}

static const char *beside_vocab(const view *v, const char *name)
{
    (void)name;
    return v->config->tokens.vocab != NULL && !v->own_vocab
               ? "the vocabulary is given, none is trained"
               : NULL;
}

static const char *one_language(const view *v, const char *name)
{
    (void)name;
    return v->config->languages.n == 1 ? "there is one language only" : NULL;
}

static const char *without_random(const view *v, const char *name)
{
    const ig_run_config *c = v->config;
    (void)name;
    return c->objective.no_random != IG_NO_RANDOM_OFF || !(c->objective.random_share > 0)
               ? "no token becomes a random one (no-random, random-share)"
               : NULL;
}

static const char *without_pairs(const view *v, const char *name)
{
    (void)name;
    return v->config->objective.instances != IG_INSTANCES_PAIRS
               ? "only pairs have documents (instances)"
               : NULL;
}

static const char *without_knn(const view *v, const char *name)
{
    static const char *const of_vectors[] = {"knn-dim", "knn-epochs", "knn-min-count"};
    if (v->config->objective.knn_replace == 0)
        return "nothing is replaced by neighbours without knn-replace";
    for (size_t i = 0; i < sizeof of_vectors / sizeof *of_vectors; i++)
        if (v->config->objective.knn_vectors != NULL && strcmp(name, of_vectors[i]) == 0)
            return "the vectors are given (knn-vectors), none are trained";
    return NULL;
}

static const char *without_trainer(const view *v, const char *name)
{
    const ig_run_config *c = v->config;
    const bool context = c->trainer == IG_TRAINER_WORD2VEC || c->trainer == IG_TRAINER_FASTTEXT;
    if (c->trainer == IG_TRAINER_BERT)
        return "a BERT is trained; static vectors need a trainer (word2vec, fasttext, glove, svd)";
    if (!context && (strcmp(name, "embed-model") == 0 || strcmp(name, "embed-negative") == 0))
        return "only word2vec and fasttext have it";
    if (c->trainer == IG_TRAINER_SVD && strcmp(name, "embed-lr") == 0)
        return "an SVD has no learning rate";
    return NULL;
}

static const char *preset_size(const view *v, const char *name)
{
    const ig_run_config *c = v->config;
    const struct {
        const char *name;
        int64_t value;
    } sizes[] = {{"layers", c->model.layers},     {"hidden", c->model.hidden},
                 {"heads", c->model.heads},       {"ffn", c->model.ffn},
                 {"segments", c->model.segments}, {"max-positions", c->model.max_positions}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(name, sizes[i].name) == 0 && sizes[i].value == 0)
            return "0 is no size, expected at least 1; the preset's is what it is without the key";
    return NULL;
}

static const struct {
    const char *name;
    reason_fn *reason;
} rules[] = {
    {"world", beside_text},
    {"world-sentences", beside_text},
    {"world-seed", beside_text},
    {"format", without_text},
    {"strip-quotes", without_text},
    {"sentences", without_text},
    {"clauses", without_text},
    {"take", without_text},
    {"dev-format", without_dev_text},
    {"vocab-size", beside_vocab},
    {"max-words", beside_vocab},
    {"limit-alphabet", beside_vocab},
    {"vocab-model", beside_vocab},
    {"inv-order", one_language},
    {"lang-pos", one_language},
    {"shift-special", one_language},
    {"random-vocab", without_random},
    {"document", without_pairs},
    {"knn-share", without_knn},
    {"knn-growth", without_knn},
    {"knn-context", without_knn},
    {"knn-candidates", without_knn},
    {"knn-languages", without_knn},
    {"knn-vectors", without_knn},
    {"knn-dim", without_knn},
    {"knn-epochs", without_knn},
    {"knn-min-count", without_knn},
    {"embed-model", without_trainer},
    {"embed-dim", without_trainer},
    {"embed-window", without_trainer},
    {"embed-epochs", without_trainer},
    {"embed-negative", without_trainer},
    {"embed-min-count", without_trainer},
    {"embed-lr", without_trainer},
    {"layers", preset_size},
    {"hidden", preset_size},
    {"heads", preset_size},
    {"ffn", preset_size},
    {"segments", preset_size},
    {"max-positions", preset_size},
};

/* Static vectors have as many dimensions as the BERT whose hidden size they take. */
static bool shapes_vectors(const char *name, const ig_run_config *c)
{
    static const char *const shape[] = {"preset", "hidden",     "layers",        "heads",
                                        "ffn",    "parameters", "max-positions", "segments"};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        if (strcmp(name, shape[i]) == 0)
            return c->vectors.embed_dim == 0;
    return false;
}

static void look(view *v, const ig_run_config *c)
{
    const ig_language_words *l = c->languages.language;
    *v = (view){.config = c,
                .any_file = c->data.text != NULL,
                .dev_file = c->data.dev_text != NULL,
                .own_text = ig_run_languages_have_texts(&c->languages)};
    for (int k = 0; k < c->languages.n; k++) {
        v->any_file = v->any_file || l[k].text[0] != '\0' || l[k].dev[0] != '\0';
        v->dev_file = v->dev_file || l[k].dev[0] != '\0';
        v->own_vocab = v->own_vocab || l[k].vocab[0] != '\0';
    }
}

const char *ig_run_option_moot(int option, const ig_run_config *c)
{
    const char *name = ig_run_options[option].name;
    view v;
    if (c->trainer != IG_TRAINER_BERT && !ig_run_option_counts(option, c) &&
        !shapes_vectors(name, c))
        return "static vectors are trained, not a BERT (trainer)";
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].name, name) == 0) {
            look(&v, c);
            return rules[i].reason(&v, name);
        }
    return NULL;
}

ig_code ig_run_check_moot(const ig_run_config *c, const unsigned char *given, ig_err *err)
{
    int n_given = 0;
    for (int i = 0; i < IG_RUN_N_OPTION; i++)
        n_given += given[i] != IG_GIVEN_NOT || strcmp(ig_run_options[i].name, "config") == 0;
    /* The record of a run has every key. */
    const bool record = n_given == IG_RUN_N_OPTION;
    for (int i = 0; i < IG_RUN_N_OPTION; i++) {
        char where[64];
        if (given[i] == IG_GIVEN_NOT || (given[i] == IG_GIVEN_FILE && record))
            continue;
        const char *why = ig_run_option_moot(i, c);
        snprintf(where, sizeof where, "--%s", ig_run_options[i].name);
        if (why != NULL)
            return ig_fail(err, IG_ERR_USAGE, given[i] == IG_GIVEN_FILE ? where + 2 : where, 0,
                           "has no effect: %s", why);
    }
    return IG_ERR_OK;
}
