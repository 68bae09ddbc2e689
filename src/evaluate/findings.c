/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts the numbers of a report card into words. A finding is reported from a difference on that an
 * engineer would act on; docs/diagnose.md lists the thresholds.
 */
#include "evaluate/findings.h"

#include "base/memory.h"
#include "base/strings/shell_word.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ig_diagnose_use_names[IG_DIAGNOSE_USES] = {
    "retrieval", "word_translation", "word_alignment", "shared_space", "language"};

/* Thresholds from which a finding is reported. */
static const double min_unknown = .01, min_cut = .01, min_pieces = 2, min_gain = .02,
                    min_constant = .25, min_hubness = 2, min_own = .5, min_perplexity = 5;

/* --- numbers */

const ig_diagnose_number ig_diagnose_numbers[IG_DIAGNOSE_N] = {
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

static double ratio(int64_t a, int64_t b)
{
    return b > 0 ? (double)a / (double)b : (double)NAN;
}

double ig_diagnose_unknown(const ig_diagnose_language *l)
{
    return ratio(l->unknown.n_unknown, l->unknown.n_piece);
}

double ig_diagnose_pieces_per_word(const ig_diagnose_language *l)
{
    return l->unknown.n_piece > 0 ? ratio(l->unknown.n_piece, l->n_word) : (double)NAN;
}

double ig_diagnose_bytes_per_piece(const ig_diagnose_language *l)
{
    return ratio(l->n_byte, l->unknown.n_piece);
}

bool ig_diagnosis_has_pairs(const ig_diagnosis *d)
{
    return d->parallel || d->n_word_pair > 0 || d->n_gold_pair > 0;
}

void ig_diagnose_pair_name(char *out, size_t n, const ig_diagnosis *d, int pair)
{
    snprintf(out, n, "%s-%s", d->language[d->pair[pair][0]].name,
             d->language[d->pair[pair][1]].name);
}

static double best_retrieval(const double *p)
{
    return fmax(fmax(p[IG_DIAGNOSE_COSINE], p[IG_DIAGNOSE_CENTRED]),
                fmax(p[IG_DIAGNOSE_CSLS], p[IG_DIAGNOSE_MARGIN]));
}

/* Mean of a layer's number over the pairs that have it; NaN if none has. */
static double value_of(const ig_diagnosis *d, int l, ig_diagnose_use use)
{
    static const int number[] = {[IG_USE_WORDS] = IG_DIAGNOSE_WORDS,
                                 [IG_USE_ALIGNMENT] = IG_DIAGNOSE_F1,
                                 [IG_USE_SPACE] = IG_DIAGNOSE_CKA};
    double sum = 0;
    int n = 0;
    if (use == IG_USE_LANGUAGE)
        return ig_diagnose_at(d, l, -1)[IG_DIAGNOSE_PROBE];
    for (int i = 0; i < d->n_pair; i++) {
        const double *p = ig_diagnose_at(d, l, i),
                     x = use == IG_USE_RETRIEVAL ? best_retrieval(p) : p[number[use]];
        if (isnan(x))
            continue;
        sum += x;
        n++;
    }
    return n > 0 ? sum / n : (double)NAN;
}

int ig_diagnose_best_layer(const ig_diagnosis *d, ig_diagnose_use use)
{
    int best = -1;
    for (int l = 0; l < d->n_layer; l++) {
        const double x = value_of(d, l, use);
        if (!isnan(x) && (best < 0 || x > value_of(d, best, use)))
            best = l;
    }
    return best;
}

/* --- sentences */

typedef struct {
    ig_findings *f;
    const ig_diagnosis *d;
    const char *model;
    int layer; /* the best one for retrieval; −1: the last */
} writer;

static ig_code vprint(char **out, ig_err *err, const char *fmt, va_list args)
    __attribute__((format(printf, 3, 0)));
static ig_code vprint(char **out, ig_err *err, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    IG_TRY(ig_alloc(out, (int64_t)n + 1, 1, "finding", err));
    vsnprintf(*out, (size_t)n + 1, fmt, args);
    return IG_ERR_OK;
}

static ig_code report(writer *t, ig_err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static ig_code report(writer *t, ig_err *err, const char *fmt, ...)
{
    ig_findings *f = t->f;
    IG_TRY(ig_grow(&f->finding, &f->have, (int64_t)f->n + 1, sizeof *f->finding, "findings", err));
    f->finding[f->n++] = (ig_finding){0};
    va_list args;
    va_start(args, fmt);
    const ig_code code = vprint(&f->finding[f->n - 1].text, err, fmt, args);
    va_end(args);
    return code;
}

/* Writes the command that acts on the latest finding: it lists all texts with their languages,
 * after the model with `named`. */
static ig_code add_command(writer *t, const char *before, bool named, const char *after,
                           ig_err *err)
{
    char *text, **out = &t->f->finding[t->f->n - 1].command;
    size_t n;
    FILE *fp = open_memstream(&text, &n);
    if (fp == NULL)
        return ig_fail(err, IG_ERR_MEMORY, "findings", 0, "not enough memory");
    fprintf(fp, "isoglot %s", before);
    if (named)
        ig_shell_option(fp, "--model", t->model);
    for (int k = 0; k < t->d->n_language; k++) {
        fputs(named ? " --text " : " ", fp);
        if (named)
            fprintf(fp, "%s=", t->d->language[k].name);
        ig_shell_word(fp, t->d->language[k].path);
    }
    fputs(after, fp);
    ig_code code = ig_memstream_close(fp)
                       ? ig_alloc(out, (int64_t)n + 1, 1, "finding", err)
                       : ig_fail(err, IG_ERR_MEMORY, "findings", 0, "not enough memory");
    if (code == IG_ERR_OK)
        memcpy(*out, text, n);
    free(text);
    return code;
}

static ig_code about_coverage(writer *t, ig_err *err)
{
    const ig_diagnosis *d = t->d;
    const ig_diagnose_language *least = &d->language[0];
    bool mended = false;
    for (int k = 1; k < d->n_language; k++)
        if (ig_diagnose_pieces_per_word(&d->language[k]) < ig_diagnose_pieces_per_word(least))
            least = &d->language[k];
    for (int k = 0; k < d->n_language; k++) {
        const ig_diagnose_language *l = &d->language[k];
        const double unknown = ig_diagnose_unknown(l), pieces = ig_diagnose_pieces_per_word(l),
                     fewest = ig_diagnose_pieces_per_word(least);
        if (unknown >= min_unknown) {
            IG_TRY(report(t, err,
                          "%.1f %% of the pieces of %s are unknown to the vocabulary: the model "
                          "cannot see them. A model trained with a vocabulary of these texts can.",
                          100 * unknown, l->name));
            if (!mended)
                IG_TRY(add_command(t, "vocab", false,
                                   " --model unigram --limit-alphabet 0 --out tokenizer.json",
                                   err));
            mended = true;
        }
        if (pieces >= min_pieces * fewest)
            IG_TRY(report(t, err,
                          "%s has %.1f pieces a word, %s %.1f (%.1f and %.1f bytes a piece): its "
                          "words are cut into parts that say little.",
                          l->name, pieces, least->name, fewest, ig_diagnose_bytes_per_piece(l),
                          ig_diagnose_bytes_per_piece(least)));
        if (ratio(l->n_cut, l->n_sentence) >= min_cut)
            IG_TRY(
                report(t, err,
                       "%.1f %% of the sentences of %s are longer than the model's positions, and "
                       "lost their end.",
                       100 * ratio(l->n_cut, l->n_sentence), l->name));
    }
    return IG_ERR_OK;
}

static ig_code about_pair(writer *t, int pair, ig_err *err)
{
    char name[2 * IG_DIAGNOSE_NAME + 1];
    const double *p = ig_diagnose_at(t->d, t->layer, pair), cosine = p[IG_DIAGNOSE_COSINE],
                 centred = p[IG_DIAGNOSE_CENTRED], csls = p[IG_DIAGNOSE_CSLS],
                 margin = p[IG_DIAGNOSE_MARGIN], local = fmax(csls, margin);
    ig_diagnose_pair_name(name, sizeof name, t->d, pair);
    if (centred >= cosine + min_gain) {
        IG_TRY(report(t, err,
                      "Taking away each language's mean would raise retrieval %s at layer %d from "
                      "%.2f to %.2f: subtract the "
                      "tensors mean.LANGUAGE of means.safetensors.",
                      name, t->layer, cosine, centred));
        if (pair == 0)
            IG_TRY(add_command(t, "means", true, " --out means.safetensors", err));
    }
    if (local >= cosine + min_gain)
        IG_TRY(report(t, err,
                      "Searching by %s instead of the cosine would raise retrieval %s at layer %d "
                      "from %.2f to %.2f.",
                      csls >= margin ? "CSLS" : "margin", name, t->layer, cosine, local));
    if (p[IG_DIAGNOSE_HUBNESS] >= min_hubness)
        IG_TRY(
            report(t, err,
                   "A few sentences are among the nearest of very many (hubs; skewness %.1f in %s "
                   "at layer %d).",
                   p[IG_DIAGNOSE_HUBNESS], name, t->layer));
    if (p[IG_DIAGNOSE_OWN] >= min_own)
        IG_TRY(report(t, err,
                      "%.0f %% of the sentences in %s have their nearest neighbour in their own "
                      "language, not in their translation's (layer %d).",
                      100 * p[IG_DIAGNOSE_OWN], name, t->layer));
    return IG_ERR_OK;
}

static ig_code about_layers(writer *t, ig_err *err)
{
    const ig_diagnosis *d = t->d;
    const int last = d->n_layer - 1, best = ig_diagnose_best_layer(d, IG_USE_RETRIEVAL);
    if (best >= 0 && best != last) {
        const double at_best = value_of(d, best, IG_USE_RETRIEVAL),
                     at_last = value_of(d, last, IG_USE_RETRIEVAL);
        if (at_best >= at_last + min_gain)
            IG_TRY(report(t, err,
                          "Retrieval is best at layer %d (%.2f); the last layer, %d, gives %.2f: "
                          "take the vectors there.",
                          best, at_best, last, at_last));
    }
    const double *l = ig_diagnose_at(d, t->layer, -1);
    if (l[IG_DIAGNOSE_CONSTANT] >= min_constant)
        IG_TRY(report(t, err,
                      "%.0f %% of the squared length of the vectors at layer %d is the same in all "
                      "sentences of a language (mean cosine of two sentences: %.2f).",
                      100 * l[IG_DIAGNOSE_CONSTANT], t->layer, l[IG_DIAGNOSE_MEAN_COSINE]));
    return IG_ERR_OK;
}

static ig_code about_perplexity(writer *t, ig_err *err)
{
    const ig_diagnose_language *low = NULL, *high = NULL;
    for (int k = 0; k < t->d->n_language; k++) {
        const ig_diagnose_language *l = &t->d->language[k];
        if (isnan(l->perplexity))
            return IG_ERR_OK;
        low = low == NULL || l->perplexity < low->perplexity ? l : low;
        high = high == NULL || l->perplexity > high->perplexity ? l : high;
    }
    return high->perplexity < min_perplexity * low->perplexity
               ? IG_ERR_OK
               : report(t, err,
                        "The pseudo-perplexity of %s is %.0f, that of %s %.0f: the model knows %s "
                        "far less well.",
                        high->name, high->perplexity, low->name, low->perplexity, high->name);
}

ig_code ig_findings_make(ig_findings *f, const ig_diagnosis *d, const char *model, ig_err *err)
{
    *f = (ig_findings){0};
    writer t = {f, d, model, ig_diagnose_best_layer(d, IG_USE_RETRIEVAL)};
    if (t.layer < 0)
        t.layer = d->n_layer - 1;
    if (!d->parallel)
        IG_TRY(report(&t, err,
                      "The texts are not parallel, so neither retrieval nor CKA was measured: give "
                      "translations, line by line or with verse ids."));
    IG_TRY(about_coverage(&t, err));
    IG_TRY(about_layers(&t, err));
    for (int i = 0; i < d->n_pair; i++)
        IG_TRY(about_pair(&t, i, err));
    IG_TRY(about_perplexity(&t, err));
    for (int i = 0; i < f->n && d->of_files; i++) { /* a command needs the model */
        ig_free(f->finding[i].command);
        f->finding[i].command = NULL;
    }
    return f->n > 0 ? IG_ERR_OK : report(&t, err, "Nothing stands out.");
}

void ig_findings_free(ig_findings *f)
{
    for (int i = 0; i < f->n; i++) {
        IG_FREE(f->finding[i].text, f->finding[i].command);
    }
    ig_free(f->finding);
    *f = (ig_findings){0};
}
