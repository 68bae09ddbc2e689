/* SPDX-License-Identifier: Apache-2.0
 *
 * Settings of instances: see run_config.h. "tlm" names pairs of languages, A-B; …, whose names
 * may hold a '-' themselves; "all" is every pair once, the language named first in front.
 */
#include "base/log.h"

#include "corpus/batch/instances.h"
#include "model/separate.h"
#include "run/run_config.h"

#include <string.h>

/* The language whose name is name[0..n−1]; −1: none. */
static int find(const ig_language_words *spec, int n_language, const char *name, size_t n)
{
    for (int k = 0; k < n_language; k++)
        if (strlen(spec[k].name) == n && memcmp(spec[k].name, name, n) == 0)
            return k;
    return -1;
}

static ig_code add_pair(ig_run_objective *o, int first, int second, ig_err *err)
{
    if (o->batching.n_tlm == IG_TLM_MAX)
        return ig_fail(err, IG_ERR_USAGE, "tlm", 0, "more than %d pairs of languages", IG_TLM_MAX);
    o->batching.tlm[o->batching.n_tlm++] = (ig_tlm_pair){first, second};
    return IG_ERR_OK;
}

/* One "A-B" without space around it. */
static ig_code parse_pair(ig_run_objective *o, const ig_language_words *spec, int n_language,
                          const char *text, size_t n, ig_err *err)
{
    for (size_t i = 1; i + 1 < n; i++) {
        if (text[i] != '-')
            continue;
        const int first = find(spec, n_language, text, i),
                  second = find(spec, n_language, text + i + 1, n - i - 1);
        if (first < 0 || second < 0)
            continue;
        if (first == second)
            return ig_fail(err, IG_ERR_USAGE, "tlm", 0, "'%.*s' is one language, expected two",
                           (int)n, text);
        for (int k = 0; k < o->batching.n_tlm; k++)
            if (o->batching.tlm[k].a == first && o->batching.tlm[k].b == second)
                return ig_fail(err, IG_ERR_USAGE, "tlm", 0, "'%.*s' is given twice", (int)n, text);
        return add_pair(o, first, second, err);
    }
    return ig_fail(err, IG_ERR_USAGE, "tlm", 0,
                   "found '%.*s', expected two of the languages, as in %s-%s", (int)n, text,
                   spec[0].name, n_language > 1 ? spec[1].name : "…");
}

ig_code ig_run_instances_parse(ig_run_objective *o, const ig_run_languages *l, ig_err *err)
{
    static const char space[] = " \t\n";
    o->batching.n_tlm = 0;
    if (o->batching.tlm_share > 0 && o->tlm != NULL && strcmp(o->tlm, "all") == 0) {
        for (int i = 0; i < l->n; i++)
            for (int k = i + 1; k < l->n; k++)
                IG_TRY(add_pair(o, i, k, err));
        if (o->batching.n_tlm == 0)
            return ig_fail(err, IG_ERR_USAGE, "tlm", 0, "all pairs of one language, expected two");
        return IG_ERR_OK;
    }
    if (o->batching.tlm_share == 0)
        return IG_ERR_OK;
    for (const char *p = o->tlm; p != NULL && *p != '\0';) {
        p += strspn(p, " \t\n;");
        size_t n = strcspn(p, ";");
        const char *next = p + n;
        while (n > 0 && strchr(space, p[n - 1]) != NULL)
            n--;
        if (n > 0)
            IG_TRY(parse_pair(o, l->language, l->n, p, n, err));
        p = next;
    }
    return IG_ERR_OK;
}

ig_code ig_run_instances_check(const ig_run_objective *o, const ig_bert_separate *parts,
                               ig_err *err)
{
    const bool pairs = o->batching.instances == IG_INSTANCES_PAIRS;
    const bool any = o->batching.next_from == IG_NEXT_ANY;
    const char *mixes = ig_batch_mixes(&o->batching);
    if (o->nsp && !pairs)
        return ig_fail(err, IG_ERR_USAGE, "nsp", 0,
                       "next sentences without pairs, expected instances pairs");
    if (any && !pairs)
        return ig_fail(err, IG_ERR_USAGE, "next-from", 0,
                       "next sentences without pairs, expected instances pairs");
    if (pairs && o->block < 5)
        return ig_fail(err, IG_ERR_USAGE, "block", 0,
                       "found %lld, expected at least 5: a pair has three special tokens",
                       (long long)o->block);
    if (ig_bert_separate_any(parts) && mixes != NULL)
        return ig_fail(err, IG_ERR_USAGE, "separate", 0,
                       "with %s a sequence has two languages, but takes the separate parts of one",
                       mixes);
    if (o->batching.mix_documents > 0 && o->batching.instances != IG_INSTANCES_STREAM)
        return ig_fail(err, IG_ERR_USAGE, "mix-documents", 0,
                       "found %g, expected instances stream, whose documents can mix languages",
                       o->batching.mix_documents);
    if (o->batching.pad_attend && o->batching.n_tlm > 0)
        return ig_fail(err, IG_ERR_USAGE, "pad-attend", 0,
                       "with tlm the padding would follow the last position");
    if (o->batching.shift_special == IG_VARIANT_PAPER_CODE && mixes != NULL)
        return ig_fail(err, IG_ERR_USAGE, "shift-special-detect", 0,
                       "paper-code looks for one language in each sequence, but with %s a sequence "
                       "has two",
                       mixes);
    if (o->batching.causal_share > 0 &&
        (o->nsp || o->batching.shift_special == IG_VARIANT_PAPER_CODE))
        return ig_fail(err, IG_ERR_USAGE, "causal-share", 0, "found %g, expected 0 with %s",
                       o->batching.causal_share,
                       o->nsp ? "nsp, which reads the first token, that sees no other in a causal "
                                "batch"
                              : "shift-special-detect paper-code");
    return IG_ERR_OK;
}

void ig_run_instances_warn(const ig_run_objective *o, const ig_corpus *corpus)
{
    enum { FEW = 10 };
    int64_t fewest = INT64_MAX, most = 0, n_sentence = 0;
    const char *name = "";
    if (o->batching.instances != IG_INSTANCES_PAIRS)
        return;
    for (int k = 0; k < ig_corpus_n_language(corpus); k++) {
        const int64_t n = ig_corpus_n_sequence(corpus, k),
                      size = ig_pairs_document(n, o->batching.document),
                      documents = (n + size - 1) / size;
        most = documents > most ? documents : most;
        if (documents < fewest) {
            fewest = documents;
            name = ig_corpus_language(corpus, k)->name;
            n_sentence = n;
        }
    }
    if (fewest >= FEW)
        return;
    if (o->batching.next_from == IG_NEXT_ANY && most == 1 && ig_corpus_n_language(corpus) > 1)
        ig_warn_once("every language is one document, so with next-from any a random second "
                     "part is of another language: a pair tells languages apart and nothing else");
    else if (fewest == 1)
        ig_warn_once("language '%s' is one document of %lld sentences, so its random second "
                     "parts are of that document too, or of other languages",
                     name, (long long)n_sentence);
    else
        ig_warn_once("language '%s' has %lld documents; one in ten has shorter pairs, so its "
                     "copies differ in length",
                     name, (long long)fewest);
}

int32_t ig_run_instances_segments(const ig_run_objective *o, const ig_run_languages *l)
{
    int n = l->language_embeddings || l->lang_pos ? l->n : 1;
    n = n > 0 ? n : 1;
    return n * (o->batching.instances == IG_INSTANCES_PAIRS ? 2 : 1);
}
