/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of the numbers of a report card, and the card as JSON; its keys are in docs/diagnose.md.
 */
#include "base/settings/json_text.h"
#include "evaluate/card/findings.h"

#include <math.h>
#include <stdio.h>

/* --- names */

const ig_diagnose_label ig_diagnose_numbers[IG_DIAGNOSE_N] = {
    [IG_DIAGNOSE_PROBE] = {"probe", "language probe", 3},
    [IG_DIAGNOSE_ISOTROPY] = {"isotropy", "isotropy", 3},
    [IG_DIAGNOSE_CONSTANT] = {"constant", "constant part", 3},
    [IG_DIAGNOSE_MEAN_COSINE] = {"mean_cosine", "mean cosine", 3},
    [IG_DIAGNOSE_COSINE] = {"retrieval_cosine", "cosine", 3},
    [IG_DIAGNOSE_CSLS] = {"retrieval_csls", "CSLS", 3},
    [IG_DIAGNOSE_MARGIN] = {"retrieval_margin", "margin", 3},
    [IG_DIAGNOSE_CENTRED] = {"retrieval_centred", "centred", 3},
    [IG_DIAGNOSE_WORDS] = {"word_translation", "words", 3},
    [IG_DIAGNOSE_F1] = {"alignment_f1", "alignment F1", 3},
    [IG_DIAGNOSE_AER] = {"alignment_aer", "AER", 3},
    [IG_DIAGNOSE_CKA] = {"cka", "CKA", 3},
    [IG_DIAGNOSE_CKA_DEBIASED] = {"cka_debiased", "CKA debiased", 3},
    [IG_DIAGNOSE_HUBNESS] = {"hubness", "hubness", 2},
    [IG_DIAGNOSE_OWN] = {"own_language", "own language", 3}};

/* --- JSON */

/* {value, low, high, chance, untrained, n}; null: not measured. */
static json_t *number_json(const ig_card_number *x)
{
    if (!isfinite(x->value) && !isfinite(x->untrained))
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:I}", "value", ig_json_number(x->value), "low",
                     ig_json_number(x->low), "high", ig_json_number(x->high), "chance",
                     ig_json_number(x->chance), "untrained", ig_json_number(x->untrained), "n",
                     (json_int_t)x->n);
}

/* Numbers from .. to − 1 of a layer or of a pair at it. */
static json_t *numbers_json(const ig_card_number *value, int from, int to)
{
    json_t *j = json_object();
    for (int i = from; i < to; i++)
        json_object_set_new(j, ig_diagnose_numbers[i].key, number_json(&value[i]));
    return j;
}

/* The numbers of a row: of a layer, or of the sentence row. */
static json_t *row_json(const ig_diagnosis *d, int row)
{
    json_t *of = numbers_json(ig_diagnose_at(d, row, -1), 0, IG_DIAGNOSE_N_OF_LAYER),
           *pairs = json_object();
    char name[2 * IG_DIAGNOSE_NAME + 1];
    for (int k = 0; k < d->n_pair; k++) {
        ig_diagnose_pair_name(name, sizeof name, d, k);
        json_object_set_new(
            pairs, name,
            numbers_json(ig_diagnose_at(d, row, k), IG_DIAGNOSE_N_OF_LAYER, IG_DIAGNOSE_N));
    }
    json_object_set_new(of, "pairs", pairs);
    return of;
}

static json_t *layers_json(const ig_diagnosis *d)
{
    json_t *layers = json_object();
    for (int l = 0; l < d->n_layer; l++) {
        char name[16];
        snprintf(name, sizeof name, "%d", l);
        json_object_set_new(layers, name, row_json(d, l));
    }
    return layers;
}

/* Describes what a folder of sentence-transformers makes; null: it is none. */
static json_t *sentence_json(const ig_diagnosis *d)
{
    if (!ig_diagnose_has_sentence(d))
        return json_null();
    json_t *of = row_json(d, d->n_layer);
    json_object_set_new(of, "modules", json_string(d->modules));
    json_object_set_new(of, "width", json_integer(d->d_sentence));
    return of;
}

/* A count that states from files do not have. */
static json_t *count_json(int64_t n, bool known)
{
    return known ? json_integer((json_int_t)n) : json_null();
}

static int64_t sum(const double *x, int64_t n)
{
    double all = 0;
    for (int64_t i = 0; i < n && x != NULL; i++)
        all += x[i];
    return (int64_t)all;
}

static json_t *languages_json(const ig_diagnosis *d)
{
    const bool model = !d->of_files;
    json_t *languages = json_object();
    for (int k = 0; k < d->n_language; k++) {
        const ig_diagnose_language *l = &d->language[k];
        const ig_text_counts *c = &l->text;
        json_object_set_new(
            languages, l->name,
            json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "sentences",
                      (json_int_t)l->n_sentence, "cut", count_json(l->n_cut, model), "repeated",
                      count_json(c->n_repeated, c->n > 0), "words",
                      count_json(sum(c->word, c->n), c->n > 0), "characters",
                      count_json(sum(c->character, c->n), c->n > 0), "pieces",
                      count_json(sum(c->piece[IG_SPELLED_AS_IS], c->n), model), "masked",
                      count_json(l->n_masked, model), "unknown", number_json(&l->unknown),
                      "pieces_per_word", number_json(&l->pieces_per_word), "pieces_per_character",
                      number_json(&l->pieces_per_character), "bytes_per_piece",
                      number_json(&l->bytes_per_piece), "perplexity", number_json(&l->perplexity)));
    }
    return languages;
}

static json_t *held_out_json(const ig_diagnosis *d)
{
    static const char *const probe[] = {"probe", "probe_centred", "probe_leace"}, *const where[] = {
                                                                                      "last_layer",
                                                                                      "best_layer",
                                                                                      "sentence"};
    json_t *pairs = json_object();
    for (int p = 0; p < d->n_pair && d->parallel; p++) {
        char name[2 * IG_DIAGNOSE_NAME + 1];
        const ig_diagnose_pair *of = &d->of_pair[p];
        json_t *pair = json_object();
        for (int at = 0; at < (ig_diagnose_has_sentence(d) ? IG_HELD_AT_N : IG_HELD_AT_SENTENCE);
             at++) {
            json_t *numbers = json_object();
            for (int h = 0; h < IG_HELD_ROTATED; h++)
                json_object_set_new(numbers, ig_held_keys[h], number_json(&of->held[at][h]));
            for (int k = 0; k < 3 && at == IG_HELD_AT_BEST; k++)
                json_object_set_new(numbers, probe[k], number_json(&of->probe[k]));
            json_object_set_new(pair, where[at], numbers);
        }
        json_object_set_new(pair, "rotated",
                            number_json(&of->held[IG_HELD_AT_BEST][IG_HELD_ROTATED]));
        json_object_set_new(pair, "rotated_layer",
                            of->rotated_layer < 0 ? json_null() : json_integer(of->rotated_layer));
        ig_diagnose_pair_name(name, sizeof name, d, p);
        json_object_set_new(pairs, name, pair);
    }
    return pairs;
}

static json_t *best_json(const ig_diagnosis *d)
{
    json_t *best = json_object();
    for (int u = 0; u < IG_DIAGNOSE_USES; u++) {
        const int l = ig_diagnose_best_layer(d, (ig_diagnose_use)u);
        json_object_set_new(best, ig_diagnose_use_names[u], l < 0 ? json_null() : json_integer(l));
    }
    return best;
}

/* [{kind, finding, command, gain}]; *checked is the number of tests. */
static json_t *findings_json(const ig_diagnosis *d, const char *model, int *checked)
{
    ig_findings f;
    json_t *list = json_array();
    *checked = 0;
    if (ig_findings_make(&f, d, model, NULL) != IG_ERR_OK) {
        json_decref(list);
        return NULL;
    }
    for (int i = 0; i < f.n; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s?, s:o}", "kind", f.finding[i].kind,
                                              "finding", f.finding[i].text, "command",
                                              f.finding[i].command, "gain",
                                              number_json(&f.finding[i].gain)));
    *checked = f.n_checked;
    ig_findings_free(&f);
    return list;
}

json_t *ig_diagnosis_json(const ig_diagnosis *d, const char *model)
{
    int checked;
    json_t *findings = findings_json(d, model, &checked);
    return json_pack("{s:s, s:b, s:i, s:i, s:I, s:I, s:f, s:I, s:o, s:o, s:o, s:o, s:o, s:i, s:o}",
                     "model", model, "parallel", (int)d->parallel, "n_layers", d->n_layer - 1,
                     "hidden", d->d, "dictionary_pairs", (json_int_t)d->n_word_pair, "gold_pairs",
                     (json_int_t)d->n_gold_pair, "seconds", d->seconds, "untrained_sentences",
                     (json_int_t)d->n_untrained, "languages", languages_json(d), "layers",
                     layers_json(d), "sentence", sentence_json(d), "held_out", held_out_json(d),
                     "best_layer", best_json(d), "checked", checked, "findings", findings);
}
