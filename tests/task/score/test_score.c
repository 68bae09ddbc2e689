/* SPDX-License-Identifier: Apache-2.0
 *
 * Accuracy, confusion, lengths, trees and baselines against numbers worked out by hand, slow
 * definitions, and draws.
 */
#include "task/score/baseline.h"
#include "task/score/score.h"
#include "task/score/score_trees.h"
#include "task/task_fixture.h"

static void accuracy(void **state)
{
    (void)state;
    const int32_t gold[] = {0, 1, 2, IG_LABEL_NONE, IG_LABEL_UNKNOWN, 1, 0},
                  predicted[] = {0, 1, 1, 2, IG_LABEL_UNKNOWN, 1, IG_LABEL_UNKNOWN};
    const ig_score_share s = ig_score_accuracy(gold, predicted, 7);
    assert_int_equal(s.n, 6);
    assert_int_equal(s.right, 3);
    assert_true(s.value == 0.5);
    /* Newcombe 1998, table I: the score intervals of 81/263, 15/148, 0/20 and 1/29. */
    static const struct {
        int64_t right, n;
        double low, high;
    } known[] = {{81, 263, 0.2553, 0.3662},
                 {15, 148, 0.0624, 0.1605},
                 {0, 20, 0.0000, 0.1611},
                 {1, 29, 0.0061, 0.1718}};
    for (int i = 0; i < 4; i++) {
        const ig_score_share k = ig_score_share_of(known[i].right, known[i].n);
        assert_true(fabs(k.interval.low - known[i].low) <= 0.00005);
        assert_true(fabs(k.interval.high - known[i].high) <= 0.00005);
    }
    const ig_score_share all = ig_score_share_of(20, 20);
    assert_true(all.value == 1 && all.interval.high == 1 && all.interval.low < 0.9);
    assert_true(ig_score_share_of(0, 3).interval.low == 0);
    assert_true(isnan(ig_score_share_of(0, 0).value));
}

static void confusion(void **state)
{
    (void)state;
    const int32_t gold[] = {0, 0, 0, 1, 1, IG_LABEL_UNKNOWN, IG_LABEL_NONE},
                  predicted[] = {0, 0, 1, 1, IG_LABEL_UNKNOWN, 0, 0};
    static const int64_t want[] = {2, 1, 0, 0, 1, 1, 1, 0, 0};
    ig_confusion c;
    assert_ok(ig_confusion_of(&c, 2, gold, predicted, 7, &err), &err);
    assert_memory_equal(c.count, want, sizeof want);
    const ig_score_f1 f = ig_confusion_label(&c, 0);
    assert_int_equal(f.n_gold, 3);
    assert_int_equal(f.n_predicted, 3);
    assert_int_equal(f.right, 2);
    assert_true(f.precision == 2 / 3.0 && f.recall == 2 / 3.0 && f.f1 == 2 / 3.0);
    ig_confusion_free(&c);
    assert_true(ig_score_f1_of(0, 0, 0).f1 == 0);
}

static void by_length(void **state)
{
    (void)state;
    static const int64_t length[] = {1, 10, 11, 40, 41, 400};
    static const int8_t right[] = {1, 0, 1, 1, -1, 0};
    static const int64_t n[] = {2, 1, 0, 1, 1}, n_right[] = {1, 1, 0, 1, 0};
    ig_score_share out[IG_N_LENGTH];
    ig_score_by_length(out, right, NULL, length, 6);
    for (int b = 0; b < IG_N_LENGTH; b++) {
        assert_int_equal(out[b].n, n[b]);
        assert_int_equal(out[b].right, n_right[b]);
    }
    static const int64_t first[] = {0, 2, 5}, words[] = {2, 13};
    static const int32_t gold[] = {0, 1, 1, 1, IG_LABEL_NONE}, predicted[] = {0, 0, 1, 0, 0};
    int8_t r[5];
    ig_score_right(r, gold, predicted, 5);
    ig_score_by_length(out, r, first, words, 2);
    assert_true(out[0].n == 2 && out[0].right == 1 && out[1].n == 2 && out[1].right == 1);
}

#define ROW(id, upos, head, rel) id "\tw\t_\t" upos "\t_\t_\t" head "\t" rel "\t_\t_\n"

static const char bank[] = ROW("1", "DET", "2", "det") ROW("2", "NOUN", "3", "nsubj:pass")
    ROW("3", "VERB", "0", "root") ROW("4", "SYM", "3", "obj")
        ROW("5", "PUNCT", "3", "punct") "\n" ROW("1", "X", "0", "root") ROW("2", "X", "1", "flat");

static void trees(void **state)
{
    (void)state;
    put("a", bank);
    ig_task *t =
        read_ok("kind: parsing\nsubtypes: true\nlabels: [det, nsubj, nsubj:pass, root, obj, "
                "punct, flat]\ntrain: {en: a}\n");
    enum { DET, NSUBJ, PASS, ROOT, OBJ, PUNCT, FLAT };
    /* Wrong: the head of word 1; the subtype of word 2; the relation of word 4; the head of 5. */
    const int32_t head[] = {3, 3, 0, 3, 4, 0, 1},
                  label[] = {DET, NSUBJ, ROOT, FLAT, PUNCT, ROOT, FLAT};
    ig_score_trees s = ig_score_parse(&t->set[0], &t->labels, head, label, false);
    assert_int_equal(s.uas.n, 7);
    assert_int_equal(s.uas.right, 5);
    assert_int_equal(s.las.right, 4);
    assert_int_equal(s.uas_nopunct.n, 5);
    assert_int_equal(s.uas_nopunct.right, 4);
    assert_int_equal(s.las_nopunct.right, 4);
    s = ig_score_parse(&t->set[0], &t->labels, head, label, true);
    assert_int_equal(s.uas.right, 5);
    assert_int_equal(s.las.right, 3);
    assert_int_equal(s.las_nopunct.right, 3);
    ig_task_free(t);
    /* Without subtypes a relation is its whole name up to the colon. */
    put("a", ROW("1", "X", "0", "root") ROW("2", "X", "1", "cc") ROW("3", "X", "1", "cc:preconj"));
    t = read_ok("kind: parsing\nsubtypes: true\nlabels: [root, cc, ccomp, 'cc:preconj']\n"
                "train: {en: a}\n");
    s = ig_score_parse(&t->set[0], &t->labels, (int32_t[]){0, 1, 1}, (int32_t[]){0, 2, 1}, false);
    assert_int_equal(s.las.right, 2);
    ig_task_free(t);
    static const char *const out[] = {"``", "''", ":", ",", ".", "PU", "PUNCT", "SYM"};
    for (int i = 0; i < 8; i++)
        assert_true(ig_is_punctuation(out[i]));
    assert_false(ig_is_punctuation("X") || ig_is_punctuation("") || ig_is_punctuation("PUN"));
}

static uint64_t lcg;
static int32_t below(int n)
{
    lcg = (lcg * 1103515245 + 12345) % 2147483648u;
    return (int32_t)((lcg >> 16) % (uint64_t)n);
}

/* Generated trees, as they were given to conll18_ud_eval.py (the copy in stanza 1.5.0): 1885 words,
 * of which it found 1589 heads and 1297 heads with relations right. */
static void what_the_shared_task_counts(void **state)
{
    (void)state;
    enum { SENTENCES = 300, MOST = 4000 };
    static const char *const pos[] = {"NOUN", "PUNCT", "SYM", "VERB", "X"},
                             *const relation[] = {"nsubj", "nsubj:pass", "obj",
                                                  "punct", "obl:agent",  "obl"};
    static int32_t head[MOST], label[MOST];
    int64_t n_word = 0;
    FILE *f = fopen(in_root("a"), "w");
    lcg = 17;
    for (int i = 0; i < SENTENCES; i++) {
        const int n = 1 + below(12);
        for (int k = 1; k <= n; k++) {
            const char *tag = pos[below(5)];
            const int gold = k == 1 ? 0 : 1 + below(k - 1);
            head[n_word] = k == 1 || below(10) < 7 ? gold : 1 + below(k - 1);
            const int r = k == 1 ? 6 : below(6);
            label[n_word] = k == 1 || below(10) < 7 ? r : below(6);
            fprintf(f, "%d\tw\t_\t%s\t_\t_\t%d\t%s\t_\t_\n", k, tag, gold,
                    r == 6 ? "root" : relation[r]);
            n_word++;
        }
        fprintf(f, "\n");
    }
    fclose(f);
    ig_task *t = read_ok("kind: parsing\nsubtypes: true\nlabels: [nsubj, 'nsubj:pass', obj, punct, "
                         "'obl:agent', obl, root]\ntrain: {en: a}\n");
    const ig_score_trees s = ig_score_parse(&t->set[0], &t->labels, head, label, false);
    assert_int_equal(s.uas.n, 1885);
    assert_int_equal(s.uas.right, 1589);
    assert_int_equal(s.las.right, 1297);
    assert_int_equal(s.uas_nopunct.n, 1156);
    assert_int_equal(s.uas_nopunct.right, 984);
    assert_int_equal(s.las_nopunct.right, 805);
    ig_task_free(t);
}

static void majority(void **state)
{
    (void)state;
    put("a", "x\tyes\ny\tno\nz\tno\n");
    put("b", "x\tyes\ny\tperhaps\nz\tyes\nu\tno\n");
    ig_task *t = read_ok("kind: single\ntrain: {en: a}\ntest: {en: b}\n");
    ig_prediction p;
    assert_ok(ig_prediction_new(&p, &t->set[1], &err), &err);
    assert_ok(ig_baseline_majority(&p, t, &t->set[1], &err), &err);
    for (int i = 0; i < 4; i++)
        assert_string_equal(t->labels.name[p.label[i]], "no");
    ig_prediction_free(&p);
    ig_task_free(t);
    /* Counted over all training languages together, and no other split. */
    put("a", "x\tyes\ny\tyes\nz\tyes\n");
    put("b", "x\tno\ny\tno\n");
    put("c", "x\tno\ny\tno\nz\tyes\n");
    put("d", "x\tyes\ny\tyes\n");
    t = read_ok("kind: single\ntrain: {en: a, de: b, fr: c}\ndev: {en: d}\n");
    assert_ok(ig_prediction_new(&p, &t->set[3], &err), &err);
    assert_ok(ig_baseline_majority(&p, t, &t->set[3], &err), &err);
    assert_string_equal(t->labels.name[p.label[0]], "no"); /* 4 no, 4 yes */
    ig_prediction_free(&p);
    ig_task_free(t);
    put("b", ROW("1", "X", "2", "amod") ROW("2", "X", "0", "root"));
    put("a", ROW("1", "X", "0", "root") ROW("2", "X", "1", "det"));
    t = read_ok("kind: parsing\ntrain: {en: a, de: b, fr: b}\ntest: {en: [a, a, a, a]}\n");
    assert_ok(ig_prediction_new(&p, &t->set[3], &err), &err);
    assert_ok(ig_baseline_majority(&p, t, &t->set[3], &err), &err);
    assert_int_equal(p.head[0], 2);
    assert_string_equal(t->labels.name[p.label[0]], "amod");
    ig_prediction_free(&p);
    ig_task_free(t);
    /* The word after is the head of words 1 and 2, the word before of word 4. */
    put("a", ROW("1", "X", "2", "det") ROW("2", "X", "3", "det") ROW("3", "X", "0", "root")
                 ROW("4", "X", "3", "obj"));
    t = read_ok("kind: parsing\ntrain: {en: a}\n");
    assert_ok(ig_prediction_new(&p, &t->set[0], &err), &err);
    assert_ok(ig_baseline_majority(&p, t, &t->set[0], &err), &err);
    static const int32_t head[] = {2, 3, 4, 0};
    assert_memory_equal(p.head, head, sizeof head);
    assert_string_equal(t->labels.name[p.label[3]], "det");
    ig_prediction_free(&p);
    ig_task_free(t);
}

/* The mean score of many draws lies within four standard errors of what is expected. */
static void chance(void **state)
{
    (void)state;
    enum { DRAWS = 4000 };
    put("a", bank);
    ig_task *t = read_ok("kind: parsing\ntrain: {en: a}\n");
    const ig_task_set *s = &t->set[0];
    ig_prediction p;
    /* Expected; without subtypes, which were cut, each relation is one of six. */
    const double uas = (5 * 0.2 + 2 * 0.5) / 7, las = uas / 6;
    const ig_chance c = ig_baseline_chance(t, s);
    assert_true(fabs(c.uas - uas) < 1e-15 && fabs(c.las - las) < 1e-15);
    assert_true(fabs(c.uas_nopunct - (3 * 0.2 + 2 * 0.5) / 5) < 1e-15);
    assert_true(fabs(c.las_nopunct - (3 * 0.2 + 2 * 0.5) / 30) < 1e-15);
    double sum[2] = {0};
    assert_ok(ig_prediction_new(&p, s, &err), &err);
    for (uint64_t d = 0; d < DRAWS; d++) {
        ig_baseline_random(&p, t, s, d);
        for (int i = 0; i < 7; i++) {
            const int n = i < 5 ? 5 : 2, k = i < 5 ? i + 1 : i - 4;
            assert_true(p.head[i] >= 0 && p.head[i] <= n && p.head[i] != k);
        }
        const ig_score_trees got = ig_score_parse(s, &t->labels, p.head, p.label, true);
        sum[0] += got.uas.value;
        sum[1] += got.las.value;
    }
    /* Variance of the mean of 7 draws of p (1 − p), at most p (1 − p) of the mean p. */
    assert_true(fabs(sum[0] / DRAWS - uas) < 4 * sqrt(uas * (1 - uas) / (7.0 * DRAWS)));
    assert_true(fabs(sum[1] / DRAWS - las) < 4 * sqrt(las * (1 - las) / (7.0 * DRAWS)));
    ig_prediction_free(&p);
    ig_task_free(t);
}

/* Expected scores of labels: unknown ones are never right, missing ones are not scored; relations
 * that differ in their subtypes are equal. */
static void chance_of_labels(void **state)
{
    (void)state;
    put("a", "a A\nb B\nc C\nd D\n");
    put("b", "a A\nb B\nc _\nd X\n\ne D\n");
    ig_task *t = read_ok("kind: tagging\ntrain: {en: a}\ntest: {de: b}\n");
    assert_true(ig_baseline_chance(t, &t->set[1]).accuracy == 3. / 4 / 4);
    ig_task_free(t);
    put("a", ROW("1", "X", "0", "root") ROW("2", "X", "1", "cc") ROW("3", "X", "1", "cc:preconj"));
    t = read_ok("kind: parsing\nsubtypes: true\ntrain: {en: a}\n");
    t->subtypes = false;
    assert_true(fabs(ig_baseline_chance(t, &t->set[0]).las - (1 + 2 + 2) / 27.) < 1e-15);
    t->subtypes = true;
    assert_true(fabs(ig_baseline_chance(t, &t->set[0]).las - 3 / 27.) < 1e-15);
    ig_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accuracy),         cmocka_unit_test(confusion),
        cmocka_unit_test(by_length),        cmocka_unit_test(trees),
        cmocka_unit_test(majority),         cmocka_unit_test(chance),
        cmocka_unit_test(chance_of_labels), cmocka_unit_test(what_the_shared_task_counts),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
