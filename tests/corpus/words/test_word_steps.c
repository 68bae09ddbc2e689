/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms of words: each does what it says to every word of many random sentences, keeps what
 * words come from (checked by marks in the words themselves), and is the same for the same seed.
 */
#include "test.h"

#include "base/memory.h"
#include "base/rng.h"
#include "corpus/words/word_step.h"
#include "words_printed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 300, UNIT = IG_TRACE_UNIT };

static ig_err err;

/* Sentence i: words "w3a", "w17" …, sometimes capitals or a full stop, with a random tree.
 * `marked`: every word ends with ":PLACE", which tells where it was. */
static void sentence(ig_phrase *p, int64_t i, bool marked)
{
    ig_rng r = ig_rng_make(7, IG_STREAM_TEST, 0, (uint32_t)i);
    const int32_t n = 1 + (int32_t)ig_rng_below(&r, 14);
    int32_t order[20];
    static const char *const upos[] = {"NOUN", "VERB", "DET", "ADP", "PUNCT"};
    static const char *const rel[] = {"nsubj", "obj", "det", "case", "obl:tmod"};
    assert_ok(ig_phrase_clear(p, &err), &err);
    ig_rng_permutation(&r, order, n);
    assert_ok(ig_grow(&p->tree, &p->have_tree, n, sizeof *p->tree, "tree", &err), &err);
    for (int32_t k = 0; k < n; k++) {
        char word[32], mark[16] = "";
        const uint32_t t = ig_rng_below(&r, 40);
        if (marked)
            snprintf(mark, sizeof mark, ":%d", k);
        if (t == 0)
            snprintf(word, sizeof word, ".%s", mark);
        else
            snprintf(word, sizeof word, "%c%c%u%s", t % 3 ? 'w' : 'W', (int)('a' + t % 7), t, mark);
        assert_ok(ig_phrase_add(p, word, (int64_t)strlen(word), &err), &err);
        assert_ok(ig_phrase_cover_units(p, k * UNIT, (k + 1) * UNIT, &err), &err);
        p->node[k] = k;
    }
    /* A word hangs on one that comes earlier in a random order: no cycle. */
    for (int32_t j = 0; j < n; j++) {
        ig_tree_node *node = &p->tree[order[j]];
        const uint32_t t = ig_rng_below(&r, 5);
        node->head = j == 0 ? -1 : order[ig_rng_below(&r, (uint32_t)j)];
        strcpy(node->upos, upos[t]);
        strcpy(node->rel, rel[t]);
    }
    p->n_node = n;
}

static void copy_phrase(ig_phrase *p, const ig_phrase *from)
{
    assert_ok(ig_phrase_like(p, from, &err), &err);
    for (int32_t i = 0; i < from->n; i++)
        assert_ok(ig_phrase_keep(p, from, i, &err), &err);
}

static ig_code five_pairs(void *arg, const char *name, ig_pair_fn *each, void *each_arg, ig_err *e)
{
    (void)arg;
    assert_string_equal(name, "dict");
    const char *const pair[][2] = {
        {"wb1", "uno"}, {"wc2", "dos"}, {"wc2", "zwei"}, {"we4", "cuatro"}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
        IG_TRY(each(each_arg, pair[i][0], pair[i][1], e));
    return IG_ERR_OK;
}

/* A treebank in which determiners follow, and everything else precedes. */
static ig_code a_treebank(void *arg, const char *name, ig_tree_fn *each, void *each_arg, ig_err *e)
{
    (void)arg;
    assert_string_equal(name, "trees");
    ig_phrase p = {0};
    ig_code code = IG_ERR_OK;
    for (int64_t i = 0; i < 400 && code == IG_ERR_OK; i++) {
        sentence(&p, 1000 + i, false);
        for (int32_t k = 0; k < p.n_node; k++) { /* heads moved so that the rule holds */
            const int32_t h = p.tree[k].head;
            if (h >= 0 && (strcmp(p.tree[k].rel, "det") == 0) == (k < h))
                strcpy(p.tree[k].upos, "PUNCT");
        }
        code = each(each_arg, &p, e);
    }
    ig_phrase_free(&p);
    return code;
}

static const ig_file_finder files = {five_pairs, a_treebank, NULL};

/* Parsed, begun and fitted on the sentences without marks. */
static void make(ig_word_pipeline *p, const char *text, uint64_t seed, const char *language,
                 bool marked)
{
    ig_phrase s = {0};
    assert_ok(ig_word_pipeline_parse(p, text, "x", 1, &err), &err);
    assert_ok(ig_word_pipeline_begin(p, seed, language, &files, &err), &err);
    for (int step = ig_word_pipeline_sees(p, 0); step < p->n;
         step = ig_word_pipeline_sees(p, step + 1)) {
        for (int64_t i = 0; i < N; i++) {
            sentence(&s, i, marked);
            assert_ok(ig_word_pipeline_see(p, step, i, &s, &err), &err);
        }
        assert_ok(ig_word_pipeline_ready(p, step, &err), &err);
    }
    ig_phrase_free(&s);
}

static const ig_phrase *run(ig_word_pipeline *p, int64_t i, ig_phrase *s, bool marked)
{
    const ig_phrase *out;
    sentence(s, i, marked);
    assert_ok(ig_word_pipeline_run(p, i, s, &out, &err), &err);
    return out;
}

static int32_t covered(const ig_phrase *p, int32_t i)
{
    int32_t n = 0;
    for (int32_t j = p->first[i]; j < p->first[i + 1]; j++)
        n += p->stretch[j].to - p->stretch[j].from;
    return n;
}

/* The word that the mark names is the one whose units are covered, all of them and no other. */
static void gold_by_mark(const ig_phrase *p)
{
    for (int32_t i = 0; i < p->n; i++) {
        const char *mark = strrchr(ig_phrase_word(p, i), ':');
        assert_non_null(mark);
        const int32_t place = atoi(mark + 1);
        assert_int_equal(covered(p, i), UNIT);
        assert_int_equal(p->stretch[p->first[i]].from, place * UNIT);
        assert_int_equal(p->node[i], place);
    }
}

static void orders_keep_their_gold(void **state)
{
    (void)state;
    const char *const text[] = {"invert",
                                "swap:0.5",
                                "permute:1",
                                "window:2",
                                "head-final",
                                "order-like:trees",
                                "invert|window:1|head-final|swap:.3"};
    for (size_t t = 0; t < sizeof text / sizeof *text; t++) {
        ig_word_pipeline p, q;
        ig_phrase s = {0};
        int64_t moved = 0;
        make(&p, text[t], 1, "x", true);
        make(&q, text[t], 1, "x", true);
        for (int64_t i = 0; i < N; i++) {
            const ig_phrase *out = run(&p, i, &s, true);
            bool seen[32] = {false};
            assert_int_equal(out->n, s.n);
            gold_by_mark(out);
            for (int32_t k = 0; k < out->n; k++) {
                assert_false(seen[out->node[k]]);
                seen[out->node[k]] = true;
                moved += out->node[k] != k;
            }
            ig_phrase copy = {0};
            copy_phrase(&copy, out);
            const ig_phrase *again = run(&q, i, &s, true);
            for (int32_t k = 0; k < copy.n; k++)
                assert_string_equal(ig_phrase_word(&copy, k), ig_phrase_word(again, k));
            ig_phrase_free(&copy);
        }
        assert_true(moved > N / 2);
        ig_word_pipeline_free(&p);
        ig_word_pipeline_free(&q);
        ig_phrase_free(&s);
    }
}

static bool is_punctuation(const ig_phrase *p, int32_t node)
{
    return strcmp(p->tree[node].upos, "PUNCT") == 0;
}

static void heads_are_final(void **state)
{
    (void)state;
    ig_word_pipeline p;
    ig_phrase s = {0};
    make(&p, "head-final", 1, "x", false);
    for (int64_t i = 0; i < N; i++) {
        const ig_phrase *out = run(&p, i, &s, false);
        int32_t at[32];
        for (int32_t k = 0; k < out->n; k++)
            at[out->node[k]] = k;
        for (int32_t v = 0; v < s.n_node; v++) {
            const int32_t h = s.tree[v].head;
            if (h >= 0 && !is_punctuation(&s, v))
                assert_true(at[v] < at[h]);
            else if (h >= 0)
                assert_int_equal(at[v] < at[h], v < h);
        }
    }
    ig_word_pipeline_free(&p);
    ig_phrase_free(&s);
}

/* The treebank's habit: determiners after, the rest before. */
static void order_follows_the_treebank(void **state)
{
    (void)state;
    ig_word_pipeline p;
    ig_phrase s = {0};
    make(&p, "order-like:trees", 1, "x", false);
    for (int64_t i = 0; i < N; i++) {
        const ig_phrase *out = run(&p, i, &s, false);
        int32_t at[32];
        for (int32_t k = 0; k < out->n; k++)
            at[out->node[k]] = k;
        for (int32_t v = 0; v < s.n_node; v++) {
            const int32_t h = s.tree[v].head;
            if (h < 0 || is_punctuation(&s, v))
                continue;
            assert_int_equal(at[v] > at[h], strcmp(s.tree[v].rel, "det") == 0);
        }
    }
    ig_word_pipeline_free(&p);
    ig_phrase_free(&s);
}

/* Types to types, one to one, as `map` says; gold stays where it is. */
static void spellings_are_bijections(void **state)
{
    (void)state;
    const char *const text[] = {"codepoints", "codepoints:0.5", "cipher", "cipher | codepoints:.4",
                                "cipher | cipher"};
    for (size_t t = 0; t < sizeof text / sizeof *text; t++) {
        ig_word_pipeline p;
        ig_phrase s = {0};
        static char of[200][2][64];
        int n = 0, changed = 0;
        make(&p, text[t], 1, "x", false);
        for (int64_t i = 0; i < N; i++) {
            const ig_phrase *out = run(&p, i, &s, false);
            assert_int_equal(out->n, s.n);
            for (int32_t k = 0; k < s.n; k++) {
                char mapped[IG_WORD_BYTES];
                const char *a = ig_phrase_word(&s, k), *b = ig_phrase_word(out, k);
                assert_int_equal(out->stretch[out->first[k]].from, k * UNIT);
                assert_int_equal(covered(out, k), UNIT);
                assert_true(ig_word_pipeline_map(&p, a, false, mapped));
                assert_string_equal(mapped, b);
                int j = 0;
                for (; j < n && strcmp(of[j][0], a) != 0; j++)
                    assert_true(strcmp(of[j][1], b) != 0);
                if (j == n) {
                    assert_true(n < 200);
                    snprintf(of[n][0], 64, "%s", a);
                    snprintf(of[n++][1], 64, "%s", b);
                    changed += strcmp(a, b) != 0;
                } else {
                    assert_string_equal(of[j][1], b);
                }
            }
        }
        assert_true(changed > n / 5);
        assert_true(t != 1 || changed < n);
        ig_word_pipeline_free(&p);
        ig_phrase_free(&s);
    }
}

static void code_points_move_by_200000(void **state)
{
    (void)state;
    ig_word_pipeline p;
    char out[IG_WORD_BYTES];
    make(&p, "codepoints", 0, "fake", false);
    assert_true(ig_word_pipeline_map(&p, "a\xC3\xA9", false, out)); /* U+30DA1, U+30E29 */
    assert_string_equal(out, "\xF0\xB0\xB6\xA1\xF0\xB0\xB8\xA9");
    ig_word_pipeline_free(&p);
}

/* Two parts are the word, and cover of it what is theirs; pairs are the two words. */
static void splitting_and_merging_account_for_everything(void **state)
{
    (void)state;
    const char *const text[] = {"split:0.6", "merge:0.6", "split:0.5 | merge:0.5",
                                "merge:0.7 | split:0.7 | split:0.4"};
    for (size_t t = 0; t < 4; t++) {
        ig_word_pipeline p;
        ig_phrase s = {0};
        int64_t n_in = 0, n_out = 0;
        make(&p, text[t], 1, "x", false);
        for (int64_t i = 0; i < N; i++) {
            const ig_phrase *out = run(&p, i, &s, false);
            char a[1024] = "", b[1024] = "";
            int32_t at = 0;
            for (int32_t k = 0; k < s.n; k++)
                strcat(a, ig_phrase_word(&s, k));
            for (int32_t k = 0; k < out->n; k++) {
                strcat(b, ig_phrase_word(out, k));
                /* The order has not changed, so the stretches lie end to end. */
                for (int32_t j = out->first[k]; j < out->first[k + 1]; j++) {
                    assert_int_equal(out->stretch[j].from, at);
                    at = out->stretch[j].to;
                }
            }
            assert_string_equal(a, b);
            assert_int_equal(at, s.n * UNIT);
            n_in += s.n;
            n_out += out->n;
        }
        assert_true(t == 0 ? n_out > n_in + N : t == 1 ? n_out + N < n_in : n_out != n_in);
        ig_word_pipeline_free(&p);
        ig_phrase_free(&s);
    }
}

static void words_are_dropped_joined_and_translated(void **state)
{
    (void)state;
    ig_word_pipeline drop, function, same, change, affix;
    ig_phrase s = {0};
    int64_t n_change = 0, n_known = 0, n_dos = 0, n_zwei = 0, n_affix = 0, n_word = 0;
    make(&drop, "drop:3", 1, "x", false);
    make(&function, "drop:function", 1, "x", false);
    make(&same, "homographs:1", 1, "x", false);
    make(&change, "switch:dict,0.5", 1, "x", false);
    make(&affix, "affix:3,0.4", 1, "x", false);
    for (int64_t i = 0; i < N; i++) {
        char to[IG_WORD_BYTES];
        const ig_phrase *out = run(&drop, i, &s, false);
        for (int32_t k = 0, j = 0; k < s.n; k++) {
            if (!ig_word_pipeline_map(&drop, ig_phrase_word(&s, k), false, to))
                continue;
            assert_string_equal(ig_phrase_word(out, j), ig_phrase_word(&s, k));
            assert_int_equal(out->stretch[out->first[j]].from, k * UNIT);
            j++;
        }
        out = run(&function, i, &s, false);
        for (int32_t k = 0; k < out->n && out->n > 1; k++)
            assert_true(strcmp(s.tree[out->node[k]].upos, "DET") != 0 &&
                        strcmp(s.tree[out->node[k]].upos, "ADP") != 0);
        out = run(&same, i, &s, false);
        for (int32_t k = 0; k < s.n; k++) {
            assert_true(ig_word_pipeline_map(&same, ig_phrase_word(&s, k), false, to));
            assert_string_equal(to, ig_phrase_word(out, k));
        }
        out = run(&change, i, &s, false);
        for (int32_t k = 0; k < s.n; k++) {
            const char *a = ig_phrase_word(&s, k), *b = ig_phrase_word(out, k);
            const bool known =
                strcmp(a, "wb1") == 0 || strcmp(a, "wc2") == 0 || strcmp(a, "we4") == 0;
            assert_true(known || strcmp(a, b) == 0);
            n_known += known;
            n_change += strcmp(a, b) != 0;
            n_dos += strcmp(b, "dos") == 0;
            n_zwei += strcmp(b, "zwei") == 0;
            assert_int_equal(out->stretch[out->first[k]].from, k * UNIT);
        }
        out = run(&affix, i, &s, false);
        for (int32_t k = 0; k < s.n; k++) {
            const char *a = ig_phrase_word(&s, k), *b = ig_phrase_word(out, k);
            assert_memory_equal(a, b, strlen(a));
            assert_true(strlen(b) == strlen(a) || strlen(b) == strlen(a) + 3);
            n_affix += strlen(b) > strlen(a);
            n_word += a[0] != '.';
            assert_true(a[0] != '.' || b[1] == '\0');
        }
    }
    /* Within five standard deviations of the rate. */
    assert_true(fabs((double)n_change - 0.5 * (double)n_known) < 5 * sqrt(0.25 * (double)n_known));
    assert_true(n_dos > 0 && n_zwei > 0);
    assert_true(fabs((double)n_affix - 0.4 * (double)n_word) < 5 * sqrt(0.24 * (double)n_word));
    /* Half of the types are left: pairs of neighbours in frequency. */
    int n_type = 0;
    char seen[80][IG_WORD_BYTES];
    for (unsigned t = 1; t < 40; t++) {
        char word[32], to[IG_WORD_BYTES];
        int j = 0;
        snprintf(word, sizeof word, "%c%c%u", t % 3 ? 'w' : 'W', (int)('a' + t % 7), t);
        ig_word_pipeline_map(&same, word, false, to);
        while (j < n_type && strcmp(seen[j], to) != 0)
            j++;
        if (j == n_type)
            strcpy(seen[n_type++], to);
    }
    assert_int_equal(n_type, 20); /* of 39 */
    ig_word_pipeline_free(&drop);
    ig_word_pipeline_free(&function);
    ig_word_pipeline_free(&same);
    ig_word_pipeline_free(&change);
    ig_word_pipeline_free(&affix);
    ig_phrase_free(&s);
}

/* The dictionary has no word that is always replaced, but with what it always becomes. */
static void dictionaries_have_what_occurs(void **state)
{
    (void)state;
    static const struct {
        const char *steps, *word, *to; /* to: NULL if it is left out, "" an ending of it */
        bool piece;
    } a[] = {{"switch:dict,1", "wc2", NULL, false},
             {"switch:dict,1", "WC2", NULL, false},
             {"switch:dict,1", "wb1", "uno", false},
             {"switch:dict,1", "Wb1", "uno", false},
             {"switch:dict,1", "wd3", "wd3", false},
             {"switch:dict,1", "wc2", "wc2", true},
             {"switch:dict,.9", "wc2", "wc2", false},
             {"switch:dict,1,0", "wc2", "wc2", false},
             {"switch:dict,1,1,.9", "wc2", "wc2", false},
             {"affix:3,1", "wd3", NULL, false},
             {"affix:3,1", ".", ".", false},
             {"affix:3,1", "wd3", "wd3", true},
             {"affix:3,.9", "wd3", "wd3", false},
             {"affix:1,1", "wd3", "", false}};
    for (size_t i = 0; i < sizeof a / sizeof *a; i++) {
        char to[IG_WORD_BYTES];
        ig_word_pipeline p;
        ig_phrase s = {0};
        const ig_phrase *out;
        make(&p, a[i].steps, 1, "x", false);
        assert_int_equal(ig_word_pipeline_map(&p, a[i].word, a[i].piece, to), a[i].to != NULL);
        assert_ok(ig_phrase_clear(&s, &err), &err);
        assert_ok(ig_phrase_add(&s, a[i].word, (int64_t)strlen(a[i].word), &err), &err);
        assert_ok(ig_word_pipeline_run(&p, 0, &s, &out, &err), &err);
        if (a[i].to != NULL && a[i].to[0] != '\0')
            assert_string_equal(to, a[i].to);
        else if (a[i].to != NULL)
            assert_string_equal(to, ig_phrase_word(out, 0));
        else
            assert_string_not_equal(ig_phrase_word(out, 0), a[i].word);
        ig_word_pipeline_free(&p);
        ig_phrase_free(&s);
    }
}

/* MOST: never more of a sentence's words; those of the step without it that fit, the same
 * translations, and each as likely to be left out, wherever it stands. */
static void switching_is_bounded(void **state)
{
    (void)state;
    ig_word_pipeline all, some, none, wide;
    ig_phrase s = {0};
    double first = 0, expected = 0, variance = 0;
    int n_bounded = 0;
    make(&all, "switch:dict,0.9", 1, "x", false);
    make(&some, "switch:dict,0.9,1,0.15", 1, "x", false);
    make(&none, "switch:dict,0.9,1,0", 1, "x", false);
    make(&wide, "switch:dict,0.9,1,0.99", 1, "x", false);
    for (int64_t i = 0; i < N; i++) {
        char to[200][64];
        int n_all = 0, n_some = 0, at_first = 0;
        const ig_phrase *out = run(&all, i, &s, false);
        assert_true(s.n < 200);
        for (int32_t k = 0; k < s.n; k++)
            snprintf(to[k], sizeof to[k], "%s", ig_phrase_word(out, k));
        out = run(&some, i, &s, false);
        for (int32_t k = 0; k < s.n; k++) {
            const char *a = ig_phrase_word(&s, k), *b = ig_phrase_word(out, k);
            const bool drawn = strcmp(to[k], a) != 0, kept = strcmp(a, b) == 0;
            assert_true(kept || strcmp(b, to[k]) == 0);
            at_first += n_all == 0 && drawn && !kept;
            n_all += drawn;
            n_some += !kept;
        }
        const int room = (int)(0.15 * s.n + 1e-9);
        assert_int_equal(n_some, n_all < room ? n_all : room);
        if (n_all > room) {
            const double share = (double)room / n_all;
            n_bounded++;
            first += at_first;
            expected += share;
            variance += share * (1 - share);
        }
        out = run(&none, i, &s, false);
        for (int32_t k = 0; k < s.n; k++)
            assert_string_equal(ig_phrase_word(out, k), ig_phrase_word(&s, k));
        out = run(&wide, i, &s, false);
        for (int32_t k = 0; k < s.n && n_all < s.n; k++)
            assert_string_equal(ig_phrase_word(out, k), to[k]);
    }
    assert_true(n_bounded > 20 && variance > 2);
    assert_true(fabs(first - expected) < 5 * sqrt(variance));
    ig_word_pipeline_free(&all);
    ig_word_pipeline_free(&some);
    ig_word_pipeline_free(&none);
    ig_word_pipeline_free(&wide);
    ig_phrase_free(&s);
}

/* Lengths stay; frequencies are the text's; a word follows its context as in the text, and stands
 * at the end of a line or within as there, or else that context also goes on in the other way (then
 * a shorter one is asked) or is new. */
static void resampling_keeps_what_it_says(void **state)
{
    (void)state;
    static bool pair[2048][41][2], shorter[41][41];
    for (int order = 1; order <= 3; order++) {
        ig_word_pipeline p;
        ig_phrase s = {0};
        char text[16];
        snprintf(text, sizeof text, order == 1 ? "unigram" : "ngrams:%d", order);
        make(&p, text, 1, "x", false);
        double count[2][41] = {{0}}, n[2] = {0};
        int64_t n_held = 0, n_seen = 0;
        int64_t n_new = 0; /* no pair of the text: two contexts were asked in vain, or skipped */
        memset(pair, 0, sizeof pair);
        memset(shorter, 0, sizeof shorter);
        for (int pass = 0; pass < 2; pass++)
            for (int64_t i = 0; i < N; i++) {
                const ig_phrase *out = run(&p, i, &s, false);
                const ig_phrase *x = pass == 0 ? &s : out;
                int last = 40, before = 40;
                assert_int_equal(out->n, s.n);
                for (int32_t k = 0; k < x->n; k++) {
                    const char *w = ig_phrase_word(x, k);
                    const int id = w[0] == '.' ? 0 : atoi(w + 2);
                    const int context = order == 3 ? before * 41 + last : order == 2 ? last : 0;
                    const bool end = order > 1 && k + 1 == x->n;
                    count[pass][id]++;
                    n[pass]++;
                    if (pass == 0)
                        pair[context][id][end] = true;
                    if (pass == 0)
                        shorter[last][id] = true;
                    n_new += pass == 1 && !shorter[last][id];
                    bool any[2] = {false, false};
                    for (int t = 0; t < 41; t++)
                        for (int e = 0; e < 2; e++)
                            any[e] = any[e] || pair[context][t][e];
                    if (pass == 1 && any[end] && !any[!end]) {
                        assert_true(pair[context][id][end]);
                        n_held++;
                    }
                    n_seen += pass == 1 && pair[context][id][end];
                    before = last;
                    last = id;
                }
                for (int32_t k = 0; k < out->n; k++)
                    assert_int_equal(covered(out, k), 0);
            }
        print_message("%s: %lld of %.0f draws could not be others\n", text, (long long)n_held,
                      n[1]);
        assert_true(order == 2 || n_held > 100); /* every word goes on in both ways */
        assert_true((double)n_seen > 0.6 * n[1]);
        print_message("%s: %lld of them make a new pair\n", text, (long long)n_new);
        assert_true(order < 3 || (double)n_new < 0.05 * n[1]);
        p.development = true; /* nothing is drawn of what is measured */
        const ig_phrase *same = run(&p, 0, &s, false);
        assert_true(same == &s);
        p.development = false;
        double chi = 0;
        for (int k = 0; k < 40; k++)
            chi += count[0][k] > 0 ? pow(count[1][k] - count[0][k], 2) / count[0][k] : 0;
        assert_true(chi < 73); /* 39 degrees of freedom, once in a thousand */
        ig_word_pipeline_free(&p);
        ig_phrase_free(&s);
    }
}

/* Transforms of words and transforms of their order commute. */
static void words_and_order_commute(void **state)
{
    (void)state;
    const char *const words[] = {"codepoints", "cipher", "codepoints:.5", "homographs:.5"};
    const char *const orders[] = {"invert", "swap:.4", "permute:.6", "window:3", "head-final"};
    for (size_t a = 0; a < 4; a++)
        for (size_t b = 0; b < 5; b++) {
            char first[64], second[64];
            ig_word_pipeline p, q;
            ig_phrase s = {0}, copy = {0};
            snprintf(first, sizeof first, "%s | %s", words[a], orders[b]);
            snprintf(second, sizeof second, "%s | %s", orders[b], words[a]);
            make(&p, first, 3, "x", false);
            make(&q, second, 3, "x", false);
            for (int64_t i = 0; i < 60; i++) {
                copy_phrase(&copy, run(&p, i, &s, false));
                const ig_phrase *out = run(&q, i, &s, false);
                assert_int_equal(out->n, copy.n);
                for (int32_t k = 0; k < out->n; k++) {
                    assert_string_equal(ig_phrase_word(out, k), ig_phrase_word(&copy, k));
                    assert_int_equal(out->stretch[out->first[k]].from,
                                     copy.stretch[copy.first[k]].from);
                }
            }
            ig_word_pipeline_free(&p);
            ig_word_pipeline_free(&q);
            ig_phrase_free(&s);
            ig_phrase_free(&copy);
        }
}

/* Another seed and another language are another draw; the step's neighbours are not. */
static void draws_are_keyed(void **state)
{
    (void)state;
    ig_word_pipeline p[4];
    ig_phrase s = {0}, copy = {0};
    int64_t differ[4] = {0};
    make(&p[0], "swap:1", 1, "x", false);
    make(&p[1], "swap:1", 2, "x", false);
    make(&p[2], "swap:1", 1, "y", false);
    make(&p[3], "cipher | swap:1 | codepoints", 1, "x", false);
    for (int64_t i = 0; i < N; i++) {
        copy_phrase(&copy, run(&p[0], i, &s, false));
        for (int k = 1; k < 4; k++) {
            const ig_phrase *out = run(&p[k], i, &s, false);
            for (int32_t j = 0; j < s.n; j++)
                differ[k] += out->node[j] != copy.node[j];
        }
    }
    assert_true(differ[1] > N && differ[2] > N);
    assert_int_equal(differ[3], 0);
    for (int k = 0; k < 4; k++)
        ig_word_pipeline_free(&p[k]);
    ig_phrase_free(&s);
    ig_phrase_free(&copy);
}

static void normal_forms(void **state)
{
    (void)state;
    const char *const pair[][2] = {{" codepoints ", "codepoints"},
                                   {"codepoints:1", "codepoints"},
                                   {"codepoints:0.50 |invert", "codepoints:0.5 | invert"},
                                   {"drop:function|drop:20", "drop:function | drop:20"},
                                   {"switch:d,1e-1", "switch:d,0.1"},
                                   {"switch:d,.1,.5", "switch:d,0.1,0.5"},
                                   {"switch:d,.3,1,.15", "switch:d,0.3,1,0.15"},
                                   {"switch:d,.3,1,1", "switch:d,0.3"},
                                   {"affix", "affix"},
                                   {"affix:4,0.25", "affix:4,0.25"},
                                   {"ngrams:2", "ngrams"},
                                   {"", ""}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        ig_word_pipeline p;
        char out[512];
        assert_ok(ig_word_pipeline_parse(&p, pair[i][0], "x", 1, &err), &err);
        words_printed(&p, out, sizeof out);
        assert_string_equal(out, pair[i][1]);
    }
    const char *const bad[][2] = {
        {"codepoint", "character 1: unknown transform of words 'codepoint'"},
        {"invert | swap", "character 10: transform 'swap' needs its SHARE, expected swap:SHARE"},
        {"swap:2", "character 1: transform 'swap': SHARE is '2', expected a number from 0 to 1"},
        {"swap:nan", "SHARE is 'nan'"},
        {"drop:1.5", "COUNT is '1.5', expected a whole number from 0 to 1e+06"},
        {"invert:3", "takes no argument, found '3'"},
        {"swap:.1,.2", "has more than SHARE after its colon: '.2'"},
        {"invert | | swap:1", "character 10: nothing here"},
        {"switch:dict", "needs its RATE"},
        {"switch:dict,.3,1,1.5", "MOST is '1.5', expected a number from 0 to 1"},
        {"switch:dict,.3,1,1,1", "has more than FILE,RATE[,SHARE][,MOST] after its colon: '1'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ig_word_pipeline p;
        ig_err why = {0};
        ig_code code = ig_word_pipeline_parse(&p, bad[i][0], "x", 1, &why);
        if (code == IG_ERR_OK || strstr(why.msg, bad[i][1]) == NULL)
            fail_msg("'%s': '%s' does not say '%s'", bad[i][0], why.msg, bad[i][1]);
        ig_word_pipeline_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_keep_their_gold),
        cmocka_unit_test(heads_are_final),
        cmocka_unit_test(order_follows_the_treebank),
        cmocka_unit_test(spellings_are_bijections),
        cmocka_unit_test(code_points_move_by_200000),
        cmocka_unit_test(splitting_and_merging_account_for_everything),
        cmocka_unit_test(words_are_dropped_joined_and_translated),
        cmocka_unit_test(dictionaries_have_what_occurs),
        cmocka_unit_test(switching_is_bounded),
        cmocka_unit_test(resampling_keeps_what_it_says),
        cmocka_unit_test(words_and_order_commute),
        cmocka_unit_test(draws_are_keyed),
        cmocka_unit_test(normal_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
