/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks of real data: XNLI in 15 languages, PAN-X, Universal Dependencies. What is counted was
 * counted with a few lines of Python as well.
 */
#include "task_fixture.h"

static char data[400];

static bool is_there(const char *name)
{
    char path[500];
    snprintf(path, sizeof path, "%s/%s", data, name);
    if (ig_file_exists(path))
        return true;
    skip_here("no %s", path);
    return false;
}

static void xnli(void **state)
{
    (void)state;
    static const char *const language[] = {"ar", "bg", "de", "el", "en", "es", "fr", "hi",
                                           "ru", "sw", "th", "tr", "ur", "vi", "zh"};
    char yaml[15 * 500] = "kind: pair\ndev:\n";
    if (!is_there("nli/xnli-dev-en.tsv.zst"))
        skip();
    for (int i = 0; i < 15; i++)
        sprintf(yaml + strlen(yaml), "  %s: %s/nli/xnli-dev-%s.tsv.zst\n", language[i], data,
                language[i]);
    ig_task *t = read_ok(yaml);
    assert_int_equal(t->n_set, 15);
    assert_int_equal(t->labels.n, 3);
    for (int i = 0; i < 15; i++) {
        assert_int_equal(t->set[i].n, 2490);
        /* The languages are translations of one another. */
        assert_memory_equal(t->set[i].label, t->set[0].label, 2490 * sizeof *t->set[i].label);
        assert_int_equal(t->set[i].count.duplicate, i == 14);
    }
    ig_task_free(t);
}

static void panx(void **state)
{
    (void)state;
    char yaml[2000];
    if (!is_there("ner/panx-train-en.tsv.zst"))
        skip();
    snprintf(yaml, sizeof yaml,
             "kind: tagging\ntrain: {en: %s/ner/panx-train-en.tsv.zst}\n"
             "dev: {en: %s/ner/panx-dev-en.tsv.zst, zh: %s/ner/panx-dev-zh.tsv.zst}\n",
             data, data, data);
    ig_task *t = read_ok(yaml);
    assert_int_equal(t->scheme, IG_SCHEME_IOB2);
    assert_int_equal(t->labels.n, 7);
    static const int64_t n[] = {20000, 10000, 10000}, word[] = {160394, 80536, 213682},
                         duplicate[] = {366, 110, 594};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(t->set[i].n, n[i]);
        assert_int_equal(t->set[i].first[n[i]], word[i]);
        assert_int_equal(t->set[i].count.duplicate, duplicate[i]);
        assert_int_equal(t->set[i].count.repaired, 0);
    }
    assert_int_equal(t->set[0].count.overlap[IG_SPLIT_DEV], 409);
    assert_int_equal(t->set[1].count.overlap[IG_SPLIT_TRAIN], 325);
    ig_task_free(t);
}

static void treebanks(void **state)
{
    (void)state;
    char yaml[2000];
    if (!is_there("ud/en_ewt-ud-train.conllu.zst"))
        skip();
    static const char *const kind[] = {"parsing", "tagging"};
    for (int k = 0; k < 2; k++) {
        snprintf(yaml, sizeof yaml,
                 "kind: %s\ntrain: {en: %s/ud/en_ewt-ud-train.conllu.zst}\n"
                 "test: {fr: %s/ud/fr_pud-ud-test.conllu.zst, th: %s/ud/th_pud-ud-test.conllu.zst}"
                 "\n",
                 kind[k], data, data, data);
        ig_task *t = read_ok(yaml);
        static const int64_t n[] = {12544, 1000, 1000}, word[] = {204577, 24726, 22330},
                             range[] = {2614, 595, 0}, empty[] = {37, 0, 0},
                             subtype[] = {12145, 1880, 2351}, unknown[] = {0, 0, 247};
        assert_int_equal(t->labels.n, k == 0 ? 36 : 17);
        for (int i = 0; i < 3; i++) {
            const ig_task_counts *c = &t->set[i].count;
            assert_int_equal(t->set[i].n, n[i]);
            assert_int_equal(t->set[i].first[n[i]], word[i]);
            assert_int_equal(c->range, range[i]);
            assert_int_equal(c->empty_node, empty[i]);
            assert_int_equal(c->subtype, k == 0 ? subtype[i] : 0);
            assert_int_equal(c->unknown_label, k == 0 ? unknown[i] : 0);
        }
        ig_task_free(t);
    }
}

/* XTREME's words and their tags, counted by another program (Python) that follows the same rules.
 */
static void xtreme(void **state)
{
    (void)state;
    char yaml[2000];
    if (!is_there("ud/en_ewt-ud-train.conllu.zst"))
        skip();
    snprintf(yaml, sizeof yaml,
             "kind: tagging\nwords: xtreme\ntrain: {en: %s/ud/en_ewt-ud-train.conllu.zst}\ntest: {"
             "fr: %s/ud/fr_pud-ud-test.conllu.zst, tr: %s/ud/tr_pud-ud-test.conllu.zst}\n",
             data, data, data);
    ig_task *t = read_ok(yaml);
    static const char *const tag[] = {"ADP", "AUX", "DET", "PART", "PRON", "VERB"};
    static const int64_t n[] = {12544, 1000, 1000}, word[] = {201962, 24131, 16535},
                         expected[3][6] = {{17739, 11741, 16297, 4268, 18623, 22576},
                                           {3880, 1029, 3285, 0, 1097, 2253},
                                           {508, 333, 689, 0, 306, 1694}};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(t->set[i].n, n[i]);
        assert_int_equal(t->set[i].first[n[i]], word[i]);
        for (int k = 0; k < 6; k++) {
            const int32_t label = ig_labels_find(&t->labels, tag[k]);
            int64_t found = 0;
            for (int64_t j = 0; j < word[i]; j++)
                found += t->set[i].label[j] == label;
            assert_int_equal(found, expected[i][k]);
        }
    }
    ig_task_free(t);
}

int main(void)
{
    const char *shared = getenv("ISOGLOT_TEST_SHARED");
    snprintf(data, sizeof data, "%s/data", shared != NULL ? shared : IG_SOURCE_DIR "/../shared");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xnli),
        cmocka_unit_test(panx),
        cmocka_unit_test(treebanks),
        cmocka_unit_test(xtreme),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
