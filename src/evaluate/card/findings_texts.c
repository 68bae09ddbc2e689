/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings on texts and pieces: lines that are missing, the same in both languages or repeated;
 * spellings that the vocabulary does not know; sentences that are cut; an adapter that is not
 * applied.
 */
#include "base/numeric/sums.h"
#include "evaluate/card/finding_writer.h"

#include "base/memory.h"
#include "evaluate/card/line_shift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shares that the interval must exceed. */
static const double min_unknown = .01, min_cut = .01, min_repeated = .05, min_same = .1,
                    min_lost_upper = .05, min_lost_accents = .01;
/* The part of all pieces that a spelling saves: a vocabulary that fits may have few capitals or
 * accents, but what is composed already, or has its accents and capitals, saves little by these. */
static const double min_saved[IG_SPELLED_N] = {
    [IG_SPELLED_AS_IS] = 1,  [IG_SPELLED_LOWER] = .15, [IG_SPELLED_PLAIN] = .15,
    [IG_SPELLED_BOTH] = .15, [IG_SPELLED_NFC] = .01,   [IG_SPELLED_ACCENTED] = .01,
    [IG_SPELLED_CASED] = .02};
static const double min_saved_points = .4;
/* Pieces per word, against the language with the fewest. */
static const double min_pieces = 2;

static double low(const ig_finding_writer *w, int64_t right, int64_t n)
{
    return n > 0 ? ig_interval_of_count((double)right, (double)n, w->level).low : 0;
}

static double percent(int64_t a, int64_t n)
{
    return 100 * (double)a / (double)n;
}

/* --- lines */

/* sed that takes `by` lines out of one side's text, if `by` > 0 of the second, from sentence `from`
 * on, and cuts both to one length. */
static ig_code without_lines(ig_finding_writer *w, int pair, const ig_shift *s, ig_err *err)
{
    const ig_diagnosis *d = w->d;
    FILE *fp;
    const int of = d->pair[pair][s->by > 0], other = d->pair[pair][s->by < 0];
    const ig_diagnose_language *a = &d->language[of], *b = &d->language[other];
    const int64_t many = llabs(s->by), first = s->from - (s->by < 0 ? many : 0);
    if (d->n_language > 2 || !d->plain || first < 0 || first >= a->n_sentence)
        return IG_ERR_OK;
    const int64_t from = a->line[first], left = a->line[a->n_sentence - 1] - many,
                  right = b->line[b->n_sentence - 1];
    IG_TRY(ig_finding_command(&fp, w, err));
    fprintf(fp, "sed '%lld,%lldd' ", (long long)from, (long long)(from + many - 1));
    ig_finding_path(fp, a->path);
    fprintf(fp, " | head -n %lld >", (long long)(left < right ? left : right));
    ig_finding_file(fp, w, of, ".aligned");
    fprintf(fp, " && head -n %lld ", (long long)(left < right ? left : right));
    ig_finding_path(fp, b->path);
    fputs(" >", fp);
    ig_finding_file(fp, w, other, ".aligned");
    fputs(" && ", fp);
    ig_finding_again(fp, w, ".aligned");
    return ig_finding_command_end(fp, w, err);
}

static ig_code about_shift(ig_finding_writer *w, int pair, bool unequal, ig_err *err)
{
    const ig_diagnosis *d = w->d;
    const ig_diagnose_language *a = &d->language[d->pair[pair][0]],
                               *b = &d->language[d->pair[pair][1]];
    const int64_t n[] = {a->n_sentence, b->n_sentence};
    ig_shift s = {.p = 1};
    FILE *fp;
    if (d->of_pair[pair].answer[0] != NULL)
        IG_TRY(ig_shift_find(&s, &d->of_pair[pair], n, err));
    const bool shifted = s.by != 0 && s.p * (double)w->f->n_checked < .05;
    if (!shifted && !unequal)
        return IG_ERR_OK;
    w->faulty[d->pair[pair][0]] = w->faulty[d->pair[pair][1]] = true;
    if (!shifted) {
        IG_TRY(
            ig_finding_add(w, err, "unequal",
                           "%s and %s have different numbers of lines (%lld and %lld): they are "
                           "not taken for translations, and neither "
                           "retrieval nor CKA is measured (--unrelated says that they are none).",
                           a->name, b->name, (long long)(a->n_line > 0 ? a->n_line : n[0]),
                           (long long)(b->n_line > 0 ? b->n_line : n[1])));
        if (!d->plain)
            return IG_ERR_OK;
        IG_TRY(ig_finding_command(&fp, w, err));
        fprintf(fp, "wc -l ");
        ig_finding_path(fp, a->path);
        fputc(' ', fp);
        ig_finding_path(fp, b->path);
        return ig_finding_command_end(fp, w, err);
    }
    char from[32];
    snprintf(from, sizeof from, "%lld on",
             (long long)(a->line != NULL ? a->line[s.from] : s.from + 1));
    IG_TRY(ig_finding_add(w, err, "shifted",
                          "The lines of %s and %s are shifted%s%s: a sentence is nearest to the "
                          "one %lld line%s %s in "
                          "%.0f %% of the searches, to that of its own line in %.0f %%%s.",
                          a->name, b->name, s.from <= llabs(s.by) ? "" : " from line ",
                          s.from <= llabs(s.by) ? "" : from, llabs(s.by),
                          llabs(s.by) == 1 ? "" : "s", s.by > 0 ? "below" : "above",
                          percent(s.right, 2 * s.n), percent(s.before, 2 * s.n),
                          unequal ? "; the texts have different numbers of lines" : ""));
    return without_lines(w, pair, &s, err);
}

static ig_code about_same(ig_finding_writer *w, int k, ig_err *err)
{
    const ig_diagnose_language *l = &w->d->language[k];
    FILE *fp;
    if (l->same_as < 0 || low(w, l->n_same, l->n_sentence) <= min_same)
        return IG_ERR_OK;
    const ig_diagnose_language *o = &w->d->language[l->same_as];
    w->faulty[k] = w->faulty[l->same_as] = true;
    IG_TRY(ig_finding_add(w, err, "identical",
                          "%s and %s have the same sentence in %.0f %% of the lines: what is found "
                          "there says nothing about translations.",
                          o->name, l->name, percent(l->n_same, l->n_sentence)));
    if (!w->d->plain)
        return IG_ERR_OK;
    IG_TRY(ig_finding_command(&fp, w, err));
    fprintf(fp, "grep -cFxf ");
    ig_finding_path(fp, o->path);
    fputc(' ', fp);
    ig_finding_path(fp, l->path);
    return ig_finding_command_end(fp, w, err);
}

/* awk that keeps the lines whose sentences are new in every language. */
static ig_code only_once(ig_finding_writer *w, ig_err *err)
{
    FILE *fp;
    if (!w->d->plain || !w->d->parallel)
        return IG_ERR_OK;
    IG_TRY(ig_finding_command(&fp, w, err));
    fprintf(fp, "paste");
    for (int k = 0; k < w->d->n_language; k++) {
        fputc(' ', fp);
        ig_finding_path(fp, w->d->language[k].path);
    }
    fprintf(fp, " | awk -F '\\t' '");
    for (int k = 0; k < w->d->n_language; k++)
        fprintf(fp, "%s!seen[%d, $%d]++", k > 0 ? " && " : "", k + 1, k + 1);
    fprintf(fp, " {");
    for (int k = 0; k < w->d->n_language; k++) {
        fprintf(fp, " print $%d >\"", k + 1);
        ig_finding_file(fp, w, k, ".once\";");
    }
    fprintf(fp, " }' && ");
    ig_finding_again(fp, w, ".once");
    return ig_finding_command_end(fp, w, err);
}

static ig_code about_repeated(ig_finding_writer *w, ig_err *err)
{
    const ig_diagnose_language *worst = NULL;
    for (int k = 0; k < w->d->n_language; k++) {
        const ig_diagnose_language *l = &w->d->language[k];
        if (low(w, l->text.n_repeated, l->text.n) <= min_repeated)
            continue;
        w->faulty[k] = true;
        if (worst == NULL || l->text.n_repeated > worst->text.n_repeated)
            worst = l;
    }
    if (worst == NULL)
        return IG_ERR_OK;
    IG_TRY(
        ig_finding_add(w, err, "duplicates",
                       "%.0f %% of the sentences of %s repeat an earlier one: a search for a "
                       "translation cannot tell them apart (of equal ones the first counts), and "
                       "the lines say less than their number.",
                       percent(worst->text.n_repeated, worst->text.n), worst->name));
    return only_once(w, err);
}

/* --- pieces */

/* Pieces, of which an unknown one counts five: what it stands for is lost. Where marks are left out
 * that have no composed form (vowels of Arabic and Hebrew), pieces are those of as long a text: one
 * without its vowels has fewer under any vocabulary. */
static double cost(const ig_text_counts *c, int as, int64_t i)
{
    const double all = c->piece[as][i] + 4 * c->unknown[as][i], n = c->length[as][i];
    return n > 0 && (as == IG_SPELLED_PLAIN || as == IG_SPELLED_BOTH)
               ? all * c->length[IG_SPELLED_NFC][i] / n
               : all;
}

/* Pieces of each sentence that a spelling saves, as `cost` counts them. */
static void savings(double *saved, double *before, const ig_text_counts *c, int as)
{
    for (int64_t i = 0; i < c->n; i++) {
        before[i] = cost(c, IG_SPELLED_AS_IS, i);
        saved[i] = before[i] - cost(c, as, i);
    }
}

/* Returns whether a spelling saves enough, by the lower end of the interval, or half of the unknown
 * pieces.
 */
static bool is_better(const ig_text_counts *c, int as, const ig_card_number *saved)
{
    /* Vowel points that are left out: a vocabulary with them has few words without. */
    const bool shorter = ig_sum(c->length[as], c->n) < .9 * ig_sum(c->length[IG_SPELLED_NFC], c->n);
    const double least = shorter ? min_saved_points : min_saved[as];
    const double unknown = ig_sum(c->unknown[IG_SPELLED_AS_IS], c->n);
    return saved->low >= least ||
           (unknown > min_unknown * ig_sum(c->piece[IG_SPELLED_AS_IS], c->n) &&
            saved->value > .02 && ig_sum(c->unknown[as], c->n) < unknown / 2);
}

/* *best: the spelling that costs least, the plainest of nearly equal ones; *p is that of the sign
 * test over sentences. */
static ig_code cheapest(int *best, double *p, const ig_text_counts *c, ig_err *err)
{
    static const int order[] = {IG_SPELLED_NFC,      IG_SPELLED_LOWER, IG_SPELLED_PLAIN,
                                IG_SPELLED_ACCENTED, IG_SPELLED_CASED, IG_SPELLED_BOTH};
    double most = -.02, plus = 0, minus = 0, *room;
    *best = IG_SPELLED_AS_IS;
    IG_TRY(ig_alloc(&room, 2 * c->n, sizeof *room, "pieces", err));
    double *const saved = room, *const before = room + c->n;
    for (int k = 0; k < 6; k++) {
        savings(saved, before, c, order[k]);
        const ig_card_number x = ig_card_ratio(saved, before, c->n, IG_RANGE_ANY);
        if (x.value > most + .02 && is_better(c, order[k], &x)) {
            most = x.value;
            *best = order[k];
        }
    }
    savings(saved, before, c, *best);
    for (int64_t i = 0; i < c->n; i++) {
        plus += saved[i] > 0;
        minus += saved[i] < 0;
    }
    *p = ig_binomial_at_least(plus, plus + minus, .5);
    ig_free(room);
    return IG_ERR_OK;
}

/* A command that spells the texts so, and looks again. */
static ig_code respell(ig_finding_writer *w, int as, ig_err *err)
{
    static const char *const python[IG_SPELLED_N] = {
        [IG_SPELLED_LOWER] = "l.lower()",
        [IG_SPELLED_PLAIN] = "\"\".join(c for c in u.normalize(\"NFD\", l) if not u.combining(c))",
        [IG_SPELLED_BOTH] =
            "\"\".join(c for c in u.normalize(\"NFD\", l.lower()) if not u.combining(c))",
        [IG_SPELLED_NFC] = "u.normalize(\"NFC\", l)"};
    FILE *fp;
    if (as == IG_SPELLED_ACCENTED || as == IG_SPELLED_CASED)
        return IG_ERR_OK;
    const bool option = w->d->lowercases && (as == IG_SPELLED_LOWER || as == IG_SPELLED_BOTH);
    if (!option && !w->d->plain)
        return IG_ERR_OK;
    IG_TRY(ig_finding_command(&fp, w, err));
    if (option) {
        ig_finding_again(fp, w, NULL);
        fprintf(fp, " --lowercase");
        return ig_finding_command_end(fp, w, err);
    }
    for (int k = 0; k < w->d->n_language; k++) {
        fprintf(fp,
                "python3 -c 'import sys, unicodedata as u; sys.stdout.writelines(%s for l in "
                "sys.stdin)' <",
                python[as]);
        ig_finding_path(fp, w->d->language[k].path);
        fputs(" >", fp);
        ig_finding_file(fp, w, k, ".respelled && ");
    }
    ig_finding_again(fp, w, ".respelled");
    return ig_finding_command_end(fp, w, err);
}

static ig_code about_spelling(ig_finding_writer *w, int k, ig_err *err)
{
    static const char *const kind[IG_SPELLED_N] = {"",     "case",    "accents", "case",
                                                   "form", "accents", "case"};
    static const char *const how[IG_SPELLED_N] = {"",
                                                  "in lower case",
                                                  "without accents",
                                                  "in lower case without accents",
                                                  "in Unicode's composed form (NFC)",
                                                  "with the accents that are missing",
                                                  "with capitals"};
    const ig_text_counts *c = &w->d->language[k].text;
    double p;
    int as;
    if (w->d->of_files)
        return IG_ERR_OK;
    IG_TRY(cheapest(&as, &p, c, err));
    const double unknown = ig_sum(c->unknown[IG_SPELLED_AS_IS], c->n),
                 after = ig_sum(c->unknown[as], c->n),
                 pieces = ig_sum(c->piece[IG_SPELLED_AS_IS], c->n);
    if (as == IG_SPELLED_AS_IS || p * (double)w->f->n_checked >= .05)
        return IG_ERR_OK;
    w->faulty[k] = true;
    IG_TRY(ig_finding_add(
        w, err, kind[as],
        "The vocabulary has the words of %s %s: so spelled, %.1f %% of its pieces are unknown "
        "instead of %.1f %%, and a word has %.2f pieces instead of %.2f%s.",
        w->d->language[k].name, how[as], 100 * after / ig_sum(c->piece[as], c->n),
        100 * unknown / pieces, ig_sum(c->piece[as], c->n) / ig_sum(c->word, c->n),
        pieces / ig_sum(c->word, c->n),
        as == IG_SPELLED_ACCENTED || as == IG_SPELLED_CASED ? "; give the text as it was written"
                                                            : ""));
    return respell(w, as, err);
}

/* Takes a step out of the normalizer of tokenizer.json. */
static const char keep_in_json[] =
    "python3 -c 'import json; p = \"kept/tokenizer.json\"; t = json.load(open(p)); n = "
    "t[\"normalizer\"]; s = [x for x in n.get(\"normalizers\", [n]) if x[\"type\"] != \"%s\"]; "
    "t[\"normalizer\"] = {\"type\": \"Sequence\", \"normalizers\": s} if s else None; "
    "json.dump(t, open(p, \"w\"))'";

/* A tokenizer that changes case or accents before a vocabulary that has them. */
static ig_code about_lost_pieces(ig_finding_writer *w, int k, ig_err *err)
{
    const ig_diagnose_language *l = &w->d->language[k];
    const bool upper = l->text.upper_pieces >= min_lost_upper;
    FILE *fp;
    if (!upper && l->text.accented_pieces < min_lost_accents)
        return IG_ERR_OK;
    for (int i = 0; i < w->d->n_language; i++)
        w->faulty[i] = true;
    IG_TRY(ig_finding_add(w, err, upper ? "case" : "accents",
                          "%.0f %% of the vocabulary %s, and the tokenizer makes none of these "
                          "pieces, since it %s: %s.",
                          100 * (upper ? l->text.upper_pieces : l->text.accented_pieces),
                          upper ? "are in upper case" : "have accents",
                          upper ? "writes text in lower case" : "takes accents off",
                          w->d->lowercase ? "--lowercase is not for this vocabulary"
                          : w->d->own_rules
                              ? "the normalizer of tokenizer.json is not that of the vocabulary"
                              : "tokenizer_config.json is not that of the vocabulary"));
    IG_TRY(ig_finding_command(&fp, w, err));
    if (w->d->lowercase) {
        fputs("isoglot diagnose ", fp);
        ig_finding_path(fp, w->model);
    } else {
        fputs("cp -r ", fp);
        ig_finding_path(fp, w->model);
        fputs(" kept && ", fp);
        if (w->d->own_rules)
            fprintf(fp, keep_in_json, upper ? "Lowercase" : "StripAccents");
        else
            fprintf(fp, "echo '{%s}' >kept/tokenizer_config.json",
                    upper ? "\"do_lower_case\": false"
                          : "\"do_lower_case\": true, \"strip_accents\": false");
        fputs(" && isoglot diagnose kept", fp);
    }
    fputs(w->d->ignore_extra ? " --ignore-extra" : "", fp);
    ig_finding_texts(fp, w, NULL);
    return ig_finding_command_end(fp, w, err);
}

static bool spaceless(const ig_text_counts *c)
{
    return ig_sum(c->spaceless, c->n) > .5 * ig_sum(c->character, c->n);
}

/* The language with blanks that has the fewest pieces a word. */
static const ig_diagnose_language *fewest(const ig_diagnosis *d)
{
    const ig_diagnose_language *least = NULL;
    for (int k = 0; k < d->n_language; k++) {
        const ig_diagnose_language *l = &d->language[k];
        if (isfinite(l->pieces_per_word.value) && !spaceless(&l->text) &&
            (least == NULL || l->pieces_per_word.value < least->pieces_per_word.value))
            least = l;
    }
    return least;
}

static ig_code new_vocabulary(ig_finding_writer *w, ig_err *err)
{
    FILE *fp;
    IG_TRY(ig_finding_command(&fp, w, err));
    fprintf(fp, "isoglot vocab");
    for (int k = 0; k < w->d->n_language; k++) {
        fputc(' ', fp);
        ig_finding_path(fp, w->d->language[k].path);
    }
    fprintf(fp, " --vocab-model unigram --limit-alphabet 0 --out tokenizer.json");
    return ig_finding_command_end(fp, w, err);
}

/* No spelling helps: pieces are unknown, or words and characters are cut into many. */
static ig_code about_vocabulary(ig_finding_writer *w, int k, ig_err *err)
{
    const ig_diagnosis *d = w->d;
    const ig_diagnose_language *l = &d->language[k], *least = fewest(d);
    if (d->of_files)
        return IG_ERR_OK;
    const bool no_blanks = spaceless(&l->text),
               many = no_blanks ? l->pieces_per_character.low > 1
                                : least != NULL && l->pieces_per_word.low >
                                                       min_pieces * least->pieces_per_word.high;
    const bool unknown = l->unknown.low > min_unknown;
    if (!many && !unknown)
        return IG_ERR_OK;
    w->faulty[k] = true;
    if (unknown)
        IG_TRY(ig_finding_add(w, err, "vocabulary",
                              "%.1f %% of the pieces of %s are unknown, in lower case and without "
                              "accents too: the vocabulary lacks its letters, and the model "
                              "cannot see them. A model trained with a vocabulary of these texts "
                              "can.",
                              100 * l->unknown.value, l->name));
    else if (no_blanks)
        IG_TRY(ig_finding_add(w, err, "vocabulary",
                              "%s has %.2f pieces a character: the vocabulary lacks its script, "
                              "and cuts characters into bytes.",
                              l->name, l->pieces_per_character.value));
    else
        IG_TRY(ig_finding_add(w, err, "vocabulary",
                              "%s has %.2f pieces a word, %s %.2f: the vocabulary lacks its "
                              "words, and cuts them into parts that say little.",
                              l->name, l->pieces_per_word.value, least->name,
                              least->pieces_per_word.value));
    w->n_vocabulary++;
    return w->n_vocabulary == 1 ? new_vocabulary(w, err) : IG_ERR_OK; /* of all texts */
}

static ig_code about_cut(ig_finding_writer *w, int k, ig_err *err)
{
    const ig_diagnose_language *l = &w->d->language[k];
    FILE *fp;
    if (w->d->of_files || low(w, l->n_cut, l->n_sentence) <= min_cut)
        return IG_ERR_OK;
    w->faulty[k] = true;
    IG_TRY(ig_finding_add(w, err, "cut",
                          "%.1f %% of the lines of %s are longer than the model reads, and "
                          "lose their end: give sentences, not paragraphs.",
                          percent(l->n_cut, l->n_sentence), l->name));
    IG_TRY(ig_finding_command(&fp, w, err));
    fprintf(fp, "isoglot corpus sentences ");
    ig_finding_path(fp, l->path);
    return ig_finding_command_end(fp, w, err);
}

static ig_code about_language(ig_finding_writer *w, int k, ig_err *err)
{
    const int before = w->f->n;
    if (w->d->of_files)
        return IG_ERR_OK;
    /* One tokenizer is named once. */
    if (k == 0)
        IG_TRY(about_lost_pieces(w, k, err));
    if (w->f->n == before && !(k > 0 && w->f->n > 0 && w->lost))
        IG_TRY(about_spelling(w, k, err));
    if (k == 0)
        w->lost = w->f->n > before &&
                  w->d->language[0].text.upper_pieces + w->d->language[0].text.accented_pieces > 0;
    if (w->f->n == before && !w->lost)
        IG_TRY(about_vocabulary(w, k, err));
    return w->f->n == before ? about_cut(w, k, err) : IG_ERR_OK;
}

static ig_code about_adapter(ig_finding_writer *w, ig_err *err)
{
    FILE *fp;
    if (w->d->adapter[0] == '\0')
        return IG_ERR_OK;
    for (int k = 0; k < w->d->n_language; k++)
        w->faulty[k] = true;
    IG_TRY(ig_finding_add(w, err, "adapter",
                          "The folder has an adapter (%s), which is not applied: this is the model "
                          "without it. Merge it into the weights first.",
                          w->d->adapter));
    IG_TRY(ig_finding_command(&fp, w, err));
    fprintf(fp, "python3 -c 'import sys, peft, transformers as t; m, o = sys.argv[1:]; "
                "peft.PeftModel.from_pretrained(t.AutoModel.from_pretrained(m), "
                "m).merge_and_unload().save_pretrained(o); "
                "t.AutoTokenizer.from_pretrained(m).save_pretrained(o)' ");
    ig_finding_path(fp, w->model);
    fprintf(fp, " merged && isoglot diagnose merged");
    ig_finding_texts(fp, w, NULL);
    return ig_finding_command_end(fp, w, err);
}

ig_code ig_findings_of_texts(ig_finding_writer *w, ig_err *err)
{
    const ig_diagnosis *d = w->d;
    for (int k = 1; k < d->n_language; k++)
        IG_TRY(about_same(w, k, err));
    if (w->f->n == 0)
        IG_TRY(about_repeated(w, err));
    for (int i = 0; i < d->n_pair && !d->unrelated; i++)
        if (!d->parallel || (!w->faulty[d->pair[i][0]] && !w->faulty[d->pair[i][1]]))
            IG_TRY(about_shift(w, i, !d->parallel, err));
    IG_TRY(about_adapter(w, err));
    for (int k = 0; k < d->n_language; k++)
        IG_TRY(about_language(w, k, err));
    return IG_ERR_OK;
}
