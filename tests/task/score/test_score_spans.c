/* SPDX-License-Identifier: Apache-2.0
 *
 * Spans of tags under four definitions: every IOB string of up to five words against the
 * definitions written down literally, and counts that seqeval 1.2.2 and nervaluate 1.2.1 gave for
 * the same generated tags.
 */
#include "task/score/score_spans.h"
#include "test.h"

#include <string.h>

enum { MOST = 5 };
static ig_err err;
static const char *const iob[] = {"O", "B-X", "I-X", "B-Y", "I-Y"};

static char mark(int l)
{
    return iob[l][0];
}

static char type(int l)
{
    return iob[l][0] == 'O' ? '\0' : iob[l][2];
}

/* Words i to j are a span of this type, by each definition word for word. */
static bool conlleval(const int *l, int n, int i, int j, char t)
{
    for (int k = i; k <= j; k++) {
        const bool begins =
            mark(l[k]) != 'O' && (mark(l[k]) == 'B' || k == 0 || type(l[k - 1]) != type(l[k]));
        if (type(l[k]) != t || begins != (k == i))
            return false;
    }
    return j + 1 == n || mark(l[j + 1]) != 'I' || type(l[j + 1]) != t;
}

static bool strict(const int *l, int n, int i, int j, char t)
{
    if (mark(l[i]) != 'B' || type(l[i]) != t)
        return false;
    for (int k = i + 1; k <= j; k++)
        if (mark(l[k]) != 'I' || type(l[k]) != t)
            return false;
    return j + 1 == n || mark(l[j + 1]) != 'I' || type(l[j + 1]) != t;
}

static bool repaired(const int *l, int n, int i, int j, char t, bool last)
{
    if (mark(l[i]) == 'O' || (mark(l[i]) == 'I' && i > 0 && mark(l[i - 1]) != 'O'))
        return false;
    for (int k = i + 1; k <= j; k++)
        if (mark(l[k]) != 'I')
            return false;
    return (j + 1 == n || mark(l[j + 1]) != 'I') && type(l[last ? j : i]) == t;
}

static bool is_span(ig_span_rule rule, const int *l, int n, int i, int j, char t)
{
    switch (rule) {
    case IG_SPANS_CONLLEVAL:
        return conlleval(l, n, i, j, t);
    case IG_SPANS_STRICT:
        return strict(l, n, i, j, t);
    default:
        return repaired(l, n, i, j, t, rule == IG_SPANS_REPAIR_LAST);
    }
}

static void every_string(void **state)
{
    (void)state;
    const char *names[] = {"O", "B-X", "I-X", "B-Y", "I-Y"};
    const ig_labels labels = {names, 5};
    int64_t seen = 0, n_of = 1;
    for (int n = 1; n <= MOST; n++) {
        n_of *= 5;
        for (int64_t s = 0; s < n_of; s++) {
            int l[MOST];
            int32_t string[MOST];
            const int64_t first[] = {0, n};
            for (int64_t k = 0, rest = s; k < n; k++, rest /= 5)
                string[k] = l[k] = (int)(rest % 5);
            for (int rule = 0; rule < IG_N_SPANS; rule++) {
                /* The spans of the definition as tags of their own: no two of them overlap. */
                int32_t gold[MOST] = {0};
                int64_t count[2] = {0};
                for (int i = 0; i < n; i++)
                    for (int j = i; j < n; j++)
                        for (int t = 0; t < 2; t++)
                            if (is_span((ig_span_rule)rule, l, n, i, j, "XY"[t])) {
                                count[t]++;
                                for (int k = i; k <= j; k++) {
                                    assert_int_equal(gold[k], 0);
                                    gold[k] = (k > i ? 2 : 1) + 2 * t;
                                }
                            }
                const ig_score_tags tags = {&labels, NULL, first, 1, gold, string};
                ig_span_score got;
                assert_ok(ig_score_spans(&got, &tags, (ig_span_rule)rule, &err), &err);
                assert_int_equal(got.n_type, 2);
                for (int t = 0; t < 2; t++) {
                    assert_int_equal(got.by_type[t].n_gold, count[t]);
                    assert_int_equal(got.by_type[t].n_predicted, count[t]);
                    assert_int_equal(got.by_type[t].right, count[t]);
                }
                ig_span_score_free(&got);
                seen++;
            }
        }
    }
    assert_int_equal(seen, 4 * 3905);
}

/* Tags of a linear congruential generator, seven tenths of
 * the predictions right on purpose. seqeval and nervaluate were given the same. */
enum { SENTENCES = 400, WORDS = 4000 };
typedef struct {
    int64_t first[SENTENCES + 1];
    int32_t gold[WORDS], predicted[WORDS];
} generated;

static uint64_t lcg;
static int32_t below(int n)
{
    lcg = (lcg * 1103515245 + 12345) % 2147483648u;
    return (int32_t)((lcg >> 16) % (uint64_t)n);
}

static void generate(generated *g, int n_tag, uint64_t seed)
{
    lcg = seed;
    g->first[0] = 0;
    for (int i = 0; i < SENTENCES; i++) {
        const int n = 1 + below(9);
        g->first[i + 1] = g->first[i] + n;
        for (int64_t k = g->first[i]; k < g->first[i + 1]; k++) {
            g->gold[k] = below(n_tag);
            g->predicted[k] = below(10) < 7 ? g->gold[k] : below(n_tag);
        }
    }
}

static void what_seqeval_counts(void **state)
{
    (void)state;
    static generated g;
    const char *two[] = {"O", "B-X", "I-X", "B-Y", "I-Y"};
    const char *bilou[] = {"O", "B-X", "I-X", "L-X", "U-X", "B-Y", "I-Y", "L-Y", "U-Y"};
    const char *bioes[] = {"O", "B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y", "E-Y", "S-Y"};
    const char *upos[] = {"ADJ", "ADP",  "ADV",  "AUX",   "CCONJ", "DET",   "INTJ", "NOUN",
                          "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM",  "VERB"};
    const struct {
        ig_labels labels;
        uint64_t seed;
        ig_span_rule rule;
        int64_t n_gold, n_predicted, right;
        double f1;
    } list[] = {
        {{two, 5}, 7, IG_SPANS_CONLLEVAL, 1344, 1337, 951, 0.709436777321895},
        {{two, 5}, 7, IG_SPANS_STRICT, 781, 789, 545, 0.694267515923567},
        {{bioes, 9}, 11, IG_SPANS_CONLLEVAL, 1608, 1591, 1252, 0.782744607689903},
        {{bilou, 9}, 11, IG_SPANS_CONLLEVAL, 1608, 1591, 1252, 0.782744607689903},
        {{bioes, 9}, 11, IG_SPANS_STRICT, 503, 493, 365, 0.732931726907631},
        {{bilou, 9}, 11, IG_SPANS_STRICT, 503, 493, 365, 0.732931726907631},
        /* XTREME's F1 on parts of speech, by the seqeval of its time, 0.0.12. 1.2.2 cuts the first
         * letter off the type, so that CCONJ after SCONJ begins nothing: 0.686906. */
        {{upos, 16}, 13, IG_SPANS_CONLLEVAL, 1902, 1903, 1301, 0.683837056504599},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        generate(&g, list[i].labels.n, list[i].seed);
        const ig_score_tags tags = {&list[i].labels, NULL, g.first, SENTENCES, g.gold, g.predicted};
        ig_span_score got;
        assert_ok(ig_score_spans(&got, &tags, list[i].rule, &err), &err);
        assert_int_equal(got.all.n_gold, list[i].n_gold);
        assert_int_equal(got.all.n_predicted, list[i].n_predicted);
        assert_int_equal(got.all.right, list[i].right);
        assert_true(fabs(got.all.f1 - list[i].f1) < 1e-14);
        if (i == 0) {
            assert_int_equal(got.by_type[0].right, 469);
            assert_int_equal(got.by_type[1].n_predicted, 679);
            assert_string_equal(got.type[1], "Y");
        }
        ig_span_score_free(&got);
    }
}

/* Conneau's example: B-X I-Y I-Z is one span of Z; and labels that are not known are O. */
static void repairs(void **state)
{
    (void)state;
    const char *names[] = {"O", "B-X", "I-X", "B-Y", "I-Y", "B-Z", "I-Z"};
    const ig_labels labels = {names, 7};
    const int64_t first[] = {0, 3, 5};
    const int32_t gold[] = {5, 6, 6, IG_LABEL_UNKNOWN, 1}, predicted[] = {1, 4, 6, 0, 2};
    const ig_score_tags tags = {&labels, NULL, first, 2, gold, predicted};
    static const int64_t right[IG_N_SPANS] = {1, 0, 1, 2}, n_predicted[IG_N_SPANS] = {4, 1, 2, 2};
    for (int r = 0; r < IG_N_SPANS; r++) {
        ig_span_score got;
        assert_ok(ig_score_spans(&got, &tags, (ig_span_rule)r, &err), &err);
        assert_int_equal(got.all.n_gold, 2);
        assert_int_equal(got.all.right, right[r]);
        assert_int_equal(got.all.n_predicted, n_predicted[r]);
        ig_span_score_free(&got);
    }
    const ig_score_tags none = {&labels, NULL, first, 0, gold, predicted};
    ig_span_score got;
    assert_ok(ig_score_spans(&got, &none, IG_SPANS_CONLLEVAL, &err), &err);
    assert_true(got.all.f1 == 0);
    ig_span_score_free(&got);
}

/* Whatever the labels are that training does not have, gold spans of theirs count as if training
 * had them: each is missed, whole, under every definition. */
static void labels_that_training_has_not(void **state)
{
    (void)state;
    const char *all[] = {"O", "B-X", "I-X", "B-Y", "I-Y"};
    const ig_labels labels = {all, 5};
    for (int known = 1; known < 5; known++) { /* labels from `known` on are others */
        const ig_labels few = {all, known}, other = {all + known, 5 - known};
        for (int s = 0; s < 625; s++)
            for (int rule = 0; rule < IG_N_SPANS; rule++) {
                const int64_t first[] = {0, 4};
                int32_t gold[4], moved[4], predicted[4];
                for (int k = 0, rest = s; k < 4; k++, rest /= 5) {
                    gold[k] = rest % 5;
                    moved[k] = gold[k] < known ? gold[k] : IG_LABEL_OTHER - (gold[k] - known);
                    predicted[k] = gold[k] < known ? gold[k] : (s + k) % known;
                }
                const ig_score_tags want = {&labels, NULL, first, 1, gold, predicted},
                                    tags = {&few, &other, first, 1, moved, predicted};
                ig_span_score a, b;
                assert_ok(ig_score_spans(&a, &want, (ig_span_rule)rule, &err), &err);
                assert_ok(ig_score_spans(&b, &tags, (ig_span_rule)rule, &err), &err);
                assert_int_equal(a.all.n_gold, b.all.n_gold);
                assert_int_equal(a.all.n_predicted, b.all.n_predicted);
                assert_int_equal(a.all.right, b.all.right);
                ig_span_score_free(&a);
                ig_span_score_free(&b);
            }
    }
}

/* Spans without types: seqeval 1.2.2's counts for the same generated tags. */
static void without_types(void **state)
{
    (void)state;
    static generated g;
    const char *bare[] = {"O", "B", "I"};
    const ig_labels labels = {bare, 3};
    generate(&g, 3, 19);
    const ig_score_tags tags = {&labels, NULL, g.first, SENTENCES, g.gold, g.predicted};
    ig_span_score got;
    assert_ok(ig_score_spans(&got, &tags, IG_SPANS_CONLLEVAL, &err), &err);
    assert_int_equal(got.n_type, 1);
    assert_string_equal(got.type[0], "");
    assert_int_equal(got.all.n_gold, 1007);
    assert_int_equal(got.all.n_predicted, 997);
    assert_int_equal(got.all.right, 708);
    assert_true(fabs(got.all.f1 - 0.7065868263473054) < 1e-14);
    ig_span_score_free(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_string),  cmocka_unit_test(what_seqeval_counts),
        cmocka_unit_test(repairs),       cmocka_unit_test(labels_that_training_has_not),
        cmocka_unit_test(without_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
