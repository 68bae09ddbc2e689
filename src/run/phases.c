/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses the phases of a training, and makes their batches: a batcher each, so that a phase begins
 * an order of its own, in which every language that it has comes with its share (schedules of
 * shares: Schäfer et al. 2024, §5; of the masked share: mmBERT, Marone et al. 2025, §3).
 */
#include "run/phases.h"

#include "base/memory.h"
#include "base/settings/nearest.h"
#include "base/settings/yaml_tree.h"
#include "train/named_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PHASES_MAX = 64 };

typedef struct {
    int64_t until;                  /* updates */
    double mask_prob, lr;           /* NaN: the run's */
    double share[IG_LANGUAGES_MAX]; /* NaN: the run's */
    bool shares;
    ig_parts freeze;
} phase;

typedef struct {
    int n;
    phase *of; /* [n] */
} phase_list;

struct ig_phases {
    phase_list list;
    double lr; /* the run's */
    int64_t accum;
    const ig_run_config *config;
    ig_batcher *batcher[PHASES_MAX];
};

static int language_of(const ig_run_config *c, const char *name)
{
    for (int k = 0; k < c->languages.n; k++)
        if (strcmp(c->languages.language[k].name, name) == 0)
            return k;
    return -1;
}

static ig_code unknown_language(const ig_yaml *at, const ig_run_config *c, ig_err *err)
{
    const char *name[IG_LANGUAGES_MAX];
    for (int k = 0; k < c->languages.n; k++)
        name[k] = c->languages.language[k].name;
    ig_fail(err, IG_ERR_USAGE, "phases", 0, "found language '%.60s'", at->text);
    return ig_hint_nearest_or(err, at->text, name, c->languages.n,
                              "expected a language of the run");
}

/* {en: .9, de: .1} */
static ig_code read_share(phase *p, const ig_yaml *v, const ig_run_config *c, ig_err *err)
{
    double sum = 0;
    IG_TRY(ig_yaml_is(v, IG_YAML_MAP, "share", err));
    for (int i = 0; i < v->n; i++) {
        const int k = language_of(c, v->key[i]->text);
        double x;
        if (k < 0)
            return unknown_language(v->key[i], c, err);
        IG_TRY(ig_yaml_real(&x, v->item[i], v->key[i]->text, err));
        if (!(x >= 0 && x <= 1e6))
            return ig_fail(err, IG_ERR_USAGE, "phases", 0,
                           "share of '%.60s' is %g, expected 0 to 1e6", v->key[i]->text, x);
        p->share[k] = x;
    }
    p->shares = true;
    for (int k = 0; k < c->languages.n; k++)
        sum += isnan(p->share[k]) ? c->languages.language[k].share : p->share[k];
    return sum > 0 ? IG_ERR_OK
                   : ig_fail(err, IG_ERR_USAGE, "phases", 0,
                             "all shares of a phase are 0, expected one above");
}

/* [en, de]: the others have no share. */
static ig_code read_languages(phase *p, const ig_yaml *v, const ig_run_config *c, ig_err *err)
{
    bool is[IG_LANGUAGES_MAX] = {false};
    IG_TRY(ig_yaml_is(v, IG_YAML_LIST, "languages", err));
    if (v->n == 0)
        return ig_fail(err, IG_ERR_USAGE, "phases", 0, "a phase without languages");
    for (int i = 0; i < v->n; i++) {
        const int k = language_of(c, v->item[i]->text);
        if (k < 0)
            return unknown_language(v->item[i], c, err);
        if (is[k])
            return ig_fail(err, IG_ERR_USAGE, "phases", 0, "found language '%.60s' twice",
                           v->item[i]->text);
        is[k] = true;
    }
    p->shares = true;
    for (int k = 0; k < c->languages.n; k++) {
        if (!is[k] && p->share[k] > 0)
            return ig_fail(err, IG_ERR_USAGE, "phases", 0,
                           "share of '%.60s' is %g, but languages leaves it out",
                           c->languages.language[k].name, p->share[k]);
        if (!is[k])
            p->share[k] = 0;
    }
    return IG_ERR_OK;
}

/* A language that a phase leaves out must not come with the others. (Pairs of tlm have no share
 * where one of theirs has none.) */
static ig_code check_apart(const phase *p, const ig_run_config *c, ig_err *err)
{
    const ig_batch_options *o = &c->objective.batching;
    const char *with = o->mix_documents > 0          ? "mix-documents"
                       : o->next_from == IG_NEXT_ANY ? "next-from any"
                                                     : NULL;
    for (int k = 0; k < c->languages.n && with != NULL; k++)
        if (p->share[k] == 0)
            return ig_fail(err, IG_ERR_USAGE, "phases", 0,
                           "'%.60s' has no share, but with %s it comes with the other languages",
                           c->languages.language[k].name, with);
    return IG_ERR_OK;
}

static ig_code read_number(double *out, const ig_yaml *map, const char *key, double least,
                           double most, ig_err *err)
{
    const ig_yaml *v = ig_yaml_get(map, key);
    *out = (double)NAN;
    if (v == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_yaml_real(out, v, key, err));
    return *out >= least && *out <= most
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_USAGE, "phases", 0, "%s is %g, expected %g to %g", key, *out,
                         least, most);
}

/* until: above `before`, and of all but the last phase. */
static ig_code read_until(phase *p, const ig_yaml *map, int64_t before, bool last, int64_t n_update,
                          ig_err *err)
{
    const ig_yaml *v = ig_yaml_get(map, "until");
    p->until = n_update;
    if (v == NULL && last)
        return IG_ERR_OK;
    if (v == NULL || (last && n_update <= before))
        return ig_fail(err, IG_ERR_USAGE, "phases", 0,
                       v == NULL ? "a phase before the last has no until"
                                 : "the last phase begins after the last update");
    IG_TRY(ig_yaml_int(&p->until, v, "until", 1, INT64_MAX / 2, err));
    if (p->until <= before || p->until > n_update || (!last && p->until == n_update))
        return ig_fail(err, IG_ERR_USAGE, "phases", 0,
                       "until %lld, expected above %lld and %s the run's %lld updates",
                       (long long)p->until, (long long)before, last ? "at most" : "below",
                       (long long)n_update);
    return IG_ERR_OK;
}

static ig_code read_phase(phase *p, const ig_yaml *map, const ig_run_config *c, int n_layer,
                          ig_err *err)
{
    static const char *const keys[] = {"until", "share", "languages", "mask_prob", "lr", "freeze"};
    const char *freeze = NULL;
    IG_TRY(ig_yaml_is(map, IG_YAML_MAP, "a phase", err));
    IG_TRY(ig_yaml_keys(map, keys, (int)(sizeof keys / sizeof *keys), "a phase", err));
    for (int k = 0; k < IG_LANGUAGES_MAX; k++)
        p->share[k] = (double)NAN;
    const ig_yaml *share = ig_yaml_get(map, "share"), *languages = ig_yaml_get(map, "languages"),
                  *frozen = ig_yaml_get(map, "freeze");
    if (share != NULL)
        IG_TRY(read_share(p, share, c, err));
    if (languages != NULL)
        IG_TRY(read_languages(p, languages, c, err));
    IG_TRY(check_apart(p, c, err));
    IG_TRY(read_number(&p->mask_prob, map, "mask_prob", 1e-6, 1, err));
    if (!isnan(p->mask_prob) && c->objective.batching.causal_share >= 1)
        return ig_fail(err, IG_ERR_USAGE, "phases", 0,
                       "mask_prob has no effect: no token is masked (causal-share 1)");
    IG_TRY(read_number(&p->lr, map, "lr", 0, 100, err));
    if (!isnan(p->lr) && c->optimisation.lr == 0)
        return ig_fail(err, IG_ERR_USAGE, "phases", 0,
                       "lr is %g, a factor of the run's, which is 0, expected one above", p->lr);
    if (frozen != NULL)
        IG_TRY(ig_yaml_text(&freeze, frozen, "freeze", err));
    return ig_parts_parse(&p->freeze, freeze, false, n_layer, "phases", err);
}

static ig_code read_list(phase_list *l, const ig_yaml *list, const ig_run_config *c, int n_layer,
                         ig_err *err)
{
    int64_t before = 0;
    IG_TRY(ig_yaml_is(list, IG_YAML_LIST, "all phases", err));
    if (list->n < 1 || list->n > PHASES_MAX)
        return ig_fail(err, IG_ERR_USAGE, "phases", 0, "found %d phases, expected 1 to %d", list->n,
                       PHASES_MAX);
    IG_TRY(ig_alloc(&l->of, list->n, sizeof *l->of, "phases", err));
    for (; l->n < list->n; l->n++) {
        phase *p = &l->of[l->n];
        IG_TRY(read_phase(p, list->item[l->n], c, n_layer, err));
        IG_TRY(read_until(p, list->item[l->n], before, l->n == list->n - 1, c->optimisation.updates,
                          err));
        before = p->until;
    }
    return before == c->optimisation.updates
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_USAGE, "phases", 0,
                         "the last ends at update %lld, expected no until, or the run's %lld",
                         (long long)before, (long long)c->optimisation.updates);
}

static ig_code parse(phase_list *l, const ig_run_config *c, int n_layer, ig_err *err)
{
    ig_yaml_pool *pool;
    ig_yaml *root;
    char *text;
    *l = (phase_list){0};
    if (c->optimisation.updates == 0)
        return ig_fail(err, IG_ERR_USAGE, "phases", 0,
                       "they end at updates, but only epochs are given, expected updates");
    if (c->accum_carry == IG_VARIANT_PAPER_CODE && c->optimisation.accum > 1)
        return ig_fail(err, IG_ERR_USAGE, "phases", 0,
                       "with accum-carry paper-code updates have no number of micro-batches, that "
                       "says where one ends");
    const size_t n = strlen(c->objective.phases) + sizeof "phases: ";
    IG_TRY(ig_yaml_pool_new(&pool, err));
    ig_code code = ig_alloc(&text, (int64_t)n, 1, "phases", err);
    if (code == IG_ERR_OK) {
        snprintf(text, n, "phases: %s", c->objective.phases);
        code = ig_yaml_parse(&root, pool, text, (int64_t)n - 1, "phases", err);
        IG_THEN(code, read_list(l, ig_yaml_get(root, "phases"), c, n_layer, err));
        ig_free(text);
    }
    if (code != IG_ERR_OK)
        ig_free(l->of);
    ig_yaml_pool_free(pool);
    return code;
}

ig_code ig_phases_check(const ig_run_config *c, int n_layer, ig_err *err)
{
    phase_list l;
    if (c->objective.phases == NULL)
        return IG_ERR_OK;
    IG_TRY(parse(&l, c, n_layer, err));
    ig_free(l.of);
    return IG_ERR_OK;
}

/* The run's options with what the phase changes. */
static ig_batch_options options_of(const phase *p, const ig_batch_options *run)
{
    ig_batch_options o = *run;
    o.sampled = o.sampled || p->shares;
    for (int k = 0; k < IG_LANGUAGES_MAX; k++)
        if (!isnan(p->share[k]))
            o.share[k] = p->share[k];
    if (!isnan(p->mask_prob))
        o.mask_prob = p->mask_prob;
    return o;
}

ig_code ig_phases_open(ig_phases **out, const ig_run_config *c, const ig_corpus *corpus,
                       const ig_batch_options *options, int n_layer, ig_err *err)
{
    ig_phases *p;
    *out = NULL;
    IG_TRY(ig_alloc(&p, 1, sizeof *p, "phases", err));
    p->config = c;
    p->lr = c->optimisation.lr;
    p->accum = c->optimisation.accum;
    ig_code code = parse(&p->list, c, n_layer, err);
    for (int k = 0; k < p->list.n && code == IG_ERR_OK; k++) {
        ig_batch_options o = options_of(&p->list.of[k], options);
        /* The first phase has the order of a run without phases. */
        o.order = (uint64_t)k * UINT64_C(0x9E3779B97F4A7C15);
        code = ig_batcher_new(&p->batcher[k], corpus, &o, (uint64_t)c->optimisation.seed, err);
    }
    IG_RETURN_NEW(code, out, p, ig_phases_free);
}

void ig_phases_free(ig_phases *p)
{
    if (p == NULL)
        return;
    for (int k = 0; k < PHASES_MAX; k++)
        ig_batcher_free(p->batcher[k]);
    IG_FREE(p->list.of, p);
}

/* The phase of an update, from 0. */
static int phase_at(const ig_phases *p, int64_t update)
{
    int k = 0;
    while (k < p->list.n - 1 && update >= p->list.of[k].until)
        k++;
    return k;
}

static ig_code get(void *of, int64_t i, ig_batch *out, ig_err *err)
{
    const ig_phases *p = of;
    const int k = phase_at(p, i / p->accum);
    const int64_t first = k > 0 ? p->list.of[k - 1].until * p->accum : 0;
    return ig_batcher_get(p->batcher[k], i - first, out, err);
}

/* Rates and frozen parts are a function of the update alone, so that a training resumes exactly. */
static double begin(void *of, int64_t update, const ig_bert *m, ig_optimizer *o)
{
    const ig_phases *p = of;
    const phase *now = &p->list.of[phase_at(p, update)];
    ig_parts run;
    if (ig_parts_parse(&run, p->config->model.freeze, false,
                       ig_bert_get_config(m)->num_hidden_layers, "freeze", NULL) != IG_ERR_OK)
        return 0; /* was checked when the training began */
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *param = &ig_bert_params(m)[i];
        ig_param_group g = ig_optimizer_get_group(o, param);
        g.frozen = param->frozen || !isnan(ig_parts_value(&now->freeze, param)) ||
                   !isnan(ig_parts_value(&run, param));
        ig_optimizer_set_group(o, param, &g);
    }
    return isnan(now->lr) ? 1 : now->lr / p->lr;
}

ig_trainer_source ig_phases_source(ig_phases *p)
{
    return (ig_trainer_source){.get = get,
                               .begin = begin,
                               .of = p,
                               .steps_per_epoch = ig_batcher_steps_per_epoch(p->batcher[0])};
}
