/* SPDX-License-Identifier: Apache-2.0
 *
 * TASK.yaml, and tables of pairs and of single texts: every layout gives the same task; labels by
 * name; what is left out is counted; what is wrong is told with file and line.
 */
#include "task/task_write.h"
#include "task/task_fixture.h"

static const char three[] = "He sleeps.\tHe is awake.\tcontradiction\n"
                            "He sleeps.\tSomeone \"sleeps.\tentailment\n"
                            "She ran.\tShe ran far.\tneutral\n";
/* XNLI's own file, with rows of another language in between. */
static const char xnli[] =
    "language\tgold_label\tsentence1_binary_parse\tsentence1\tsentence2\tpairID\n"
    "en\tcontradiction\t\tHe sleeps.\tHe is awake.\t1\n"
    "de\tneutral\t\tEr schläft.\tEr träumt.\t2\n"
    "en\tentailment\t\tHe sleeps.\tSomeone \"sleeps.\t3\n"
    "en\t-\t\tHe reads.\tHe likes it.\t4\n"
    "en\tneutral\t\tShe ran.\tShe ran far.\t5\n";
static const char mt[] = "premise\thypo\tlabel\n"
                         "He sleeps.\tHe is awake.\tcontradictory\n"
                         "He sleeps.\tSomeone \"sleeps.\tentailment\n"
                         "She ran.\tShe ran far.\tneutral\n";
static const char jsonl[] =
    "{\"language\": \"en\", \"gold_label\": \"contradiction\", \"sentence1\": \"He sleeps.\","
    " \"sentence2\": \"He is awake.\", \"pairID\": 3}\n"
    "{\"sentence1\": \"He sleeps.\", \"sentence2\": \"Someone \\\"sleeps.\","
    " \"gold_label\": \"entailment\"}\n"
    "{\"premise\": \"She ran.\", \"hypothesis\": \"She ran far.\", \"label\": \"neutral\"}\n";

static void assert_three(const ig_task_set *s)
{
    static const char *const text[] = {"He sleeps.",        "He is awake.", "He sleeps.",
                                       "Someone \"sleeps.", "She ran.",     "She ran far."};
    static const int32_t label[] = {0, 1, 2};
    assert_int_equal(s->n, 3);
    for (int i = 0; i < 6; i++)
        assert_string_equal(s->text[i], text[i]);
    assert_memory_equal(s->label, label, sizeof label);
    assert_null(s->first);
}

static void every_layout_of_pairs_is_the_same_task(void **state)
{
    (void)state;
    put("three.tsv", three);
    put("xnli.tsv", xnli);
    put("mt.tsv", mt);
    put("a.jsonl", jsonl);
    put("crlf.tsv", "\xEF\xBB\xBFHe sleeps.\tHe is awake.\tcontradiction\r\n"
                    "He sleeps.\tSomeone \"sleeps.\tentailment\r\n\r\n"
                    "She ran.\tShe ran far.\tneutral");
    static const char *const file[] = {"three.tsv", "xnli.tsv", "mt.tsv", "a.jsonl", "crlf.tsv"};
    for (int i = 0; i < 5; i++) {
        char yaml[200];
        snprintf(yaml, sizeof yaml, "kind: pair\ntrain: {en: %s}\n", file[i]);
        ig_task *t = read_ok(yaml);
        assert_int_equal(t->labels.n, 3);
        assert_string_equal(t->labels.name[0], "contradiction");
        assert_string_equal(t->labels.name[2], "neutral");
        assert_three(&t->set[0]);
        const ig_task_counts *c = &t->set[0].count;
        assert_int_equal(c->read, i == 1 ? 5 : 3);
        assert_int_equal(c->other_language, i == 1);
        assert_int_equal(c->unlabelled, i == 1);
        assert_int_equal(c->renamed, i == 2);
        ig_task_free(t);
    }
}

/* Languages without development data give the first of their test sentences. */
static void test_data_are_divided(void **state)
{
    (void)state;
    static const char head[] = "kind: pair\ntrain: {en: a.tsv}\ndev: {en: a.tsv}\n"
                               "test: {en: a.tsv, de: [a.tsv, b.tsv]}\n";
    char yaml[200];
    put("a.tsv", "1\t2\tx\n3\t4\ty\n");
    put("b.tsv", "5\t6\tx\n7\t8\tz\n");
    snprintf(yaml, sizeof yaml, "%slabels: [x, y, z]\ndev_from_test: 3\n", head);
    ig_task *t = read_ok(yaml);
    assert_int_equal(t->n_set, 5);
    assert_int_equal(ig_task_find(t, "en", IG_SPLIT_DEV)->n, 2);
    assert_int_equal(ig_task_find(t, "en", IG_SPLIT_TEST)->n, 2);
    const ig_task_set *dev = ig_task_find(t, "de", IG_SPLIT_DEV),
                      *test = ig_task_find(t, "de", IG_SPLIT_TEST);
    assert_int_equal(dev->n, 3);
    assert_string_equal(dev->text[4], "5");
    assert_int_equal(dev->line[2], 1);
    assert_string_equal(ig_task_file(dev, 1), in_root("a.tsv"));
    assert_string_equal(ig_task_file(dev, 2), in_root("b.tsv"));
    assert_int_equal(test->n, 1);
    assert_string_equal(test->text[0], "7");
    assert_string_equal(test->text[1], "8");
    assert_int_equal(test->label[0], 2);
    assert_int_equal(test->line[0], 2);
    assert_string_equal(ig_task_file(test, 0), in_root("b.tsv"));
    ig_task_free(t);
    /* The line of a label stays that of its file. */
    snprintf(yaml, sizeof yaml, "%slabels: [x, y]\ndev_from_test: 3\n", head);
    fails(yaml, "b.tsv", 2, "'z'", "one of: x, y");
    snprintf(yaml, sizeof yaml, "%slabels: [x, y, z]\ndev_from_test: 4\n", head);
    fails(yaml, "a.tsv", 0, "found 4 sentences", "expected more than 4");
    fails("kind: pair\ntrain: {en: a.tsv}\ndev: {en: a.tsv}\ntest: {en: a.tsv}\n"
          "dev_from_test: 1\n",
          "", 5, "no language with test data", "expected one");
    /* Sentences of words: each keeps its own. */
    put("w.tsv", "a\tA\nb\tB\n\nc\tA\n\nd\tB\ne\tA\n");
    t = read_ok("kind: tagging\ntrain: {en: w.tsv}\ntest: {de: w.tsv}\ndev_from_test: 1\n");
    dev = ig_task_find(t, "de", IG_SPLIT_DEV);
    test = ig_task_find(t, "de", IG_SPLIT_TEST);
    assert_int_equal(dev->n, 1);
    assert_int_equal(ig_task_n_label(dev), 2);
    assert_int_equal(test->n, 2);
    assert_int_equal(ig_task_n_label(test), 3);
    assert_int_equal(test->first[0], 0);
    assert_int_equal(test->first[1], 1);
    assert_string_equal(test->word[0], "c");
    assert_string_equal(test->word[2], "e");
    assert_int_equal(test->label[1], 1);
    ig_task_free(t);
    /* Each has the counts of its own; what is left out after the last of one counts to the next. */
    put("c.tsv", "premise\thypo\tlabel\n1\t2\tx\n3\t4\t-\n5\t6\tcontradictory\n7\t8\t-\n");
    t = read_ok("kind: pair\ntrain: {en: c.tsv}\ntest: {de: c.tsv}\ndev_from_test: 1\n");
    static const int64_t want[][3] = {{4, 2, 1}, {3, 2, 1}, {1, 0, 0}}; /* train, test, dev */
    for (int i = 0; i < 3; i++) {
        const ig_task_counts *c = &t->set[i].count;
        assert_true(c->read == want[i][0] && c->unlabelled == want[i][1] &&
                    c->renamed == want[i][2]);
    }
    ig_task_free(t);
    put("w.tsv", "a\tA\nb\t_\n\nc\t_\nd\t_\ne\tA\n\nf\tB\n");
    t = read_ok("kind: tagging\ntrain: {en: w.tsv}\ntest: {de: w.tsv}\ndev_from_test: 2\n");
    assert_true(t->set[1].count.read == 1 && t->set[1].count.unlabelled == 0);
    assert_true(t->set[2].count.read == 2 && t->set[2].count.unlabelled == 3);
    ig_task_free(t);
}

/* Labels that `labels` lists are labels: "-", and such as YAML has to quote. */
static void labels_of_signs(void **state)
{
    (void)state;
    put("a.tsv", "a\t-\nb\t+\nc\ta\"b\nd\t\\n\n");
    ig_task *t = read_ok("kind: single\nlabels: ['-', +, 'a\"b', '\\n']\ntrain: {en: a.tsv}\n");
    assert_ok(ig_task_write(t, in_root("again"), &err), &err);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(t->set[0].n, 4);
        for (int k = 0; k < 4; k++)
            assert_int_equal(t->set[0].label[k], k);
        assert_string_equal(t->labels.name[3], "\\n");
        ig_task_free(t);
        if (!again)
            assert_ok(ig_task_read(in_root("again/TASK.yaml"), NULL, &t, &err), &err);
    }
}

/* K et al. 2020, Table 11: the premise of one language and the hypothesis of another. */
static void crossed_pairs(void **state)
{
    (void)state;
    put("en.tsv", "a\tb\tyes\nc\td\tno\n");
    put("de.tsv", "A\tB\tyes\nC\tD\tno\n");
    put("other.tsv", "A\tB\tyes\nC\tD\tyes\n");
    put("short.tsv", "A\tB\tyes\n");
    static const char head[] = "kind: pair\ntrain: {en: en.tsv}\n";
    char yaml[200];
    snprintf(yaml, sizeof yaml, "%stest: {en: en.tsv, de: de.tsv}\ncrossed: [de+en, en+de]\n",
             head);
    ig_task *t = read_ok(yaml);
    assert_int_equal(t->n_set, 5);
    const ig_task_set *s = ig_task_find(t, "de+en", IG_SPLIT_TEST);
    assert_non_null(s);
    assert_string_equal(s->second, "en");
    assert_int_equal(s->n, 2);
    assert_string_equal(s->text[2], "C");
    assert_string_equal(s->text[3], "d");
    assert_int_equal(s->label[0], 1);
    /* Written and read again it is the same task. */
    assert_ok(ig_task_write(t, in_root("again"), &err), &err);
    ig_task_free(t);
    assert_ok(ig_task_read(in_root("again/TASK.yaml"), NULL, &t, &err), &err);
    s = ig_task_find(t, "en+de", IG_SPLIT_TEST);
    assert_non_null(s);
    assert_string_equal(s->text[3], "D");
    ig_task_free(t);
#define CROSSED(de, list) "kind: pair\ntest: {en: en.tsv, de: " de "}\ncrossed: " list "\n"
    fails(CROSSED("other.tsv", "[en+de]"), "other.tsv", 2, "found label 'yes'", "expected 'no'");
    fails(CROSSED("short.tsv", "[en+de]"), "short.tsv", 0, "found 1 pairs", "expected 2");
    fails(CROSSED("de.tsv", "[en]"), "", 3, "crossed", "PREMISE+HYPOTHESIS");
    fails(CROSSED("de.tsv", "[en+fr]"), "", 0, "fr", "en");
    fails("kind: single\ntest: {en: en.tsv}\ncrossed: [en+en]\n", "", 3, "single", "pair");
}

static void columns_of_files_without_a_head(void **state)
{
    (void)state;
    put("a.tsv", "7\tneutral\tShe ran far.\tShe ran.\n");
    ig_task *t =
        read_ok("kind: pair\ncolumns: [_, label, hypothesis, premise]\ntest: {en: a.tsv}\n");
    assert_string_equal(t->set[0].text[0], "She ran.");
    assert_string_equal(t->set[0].text[1], "She ran far.");
    ig_task_free(t);
    put("b.tsv", "good\tI like it\nbad\tno\n");
    t = read_ok("kind: single\ncolumns: [label, text]\nlabels: [good, bad]\ndev: {en: b.tsv}\n");
    assert_string_equal(t->set[0].text[1], "no");
    assert_int_equal(t->set[0].label[1], 1);
    ig_task_free(t);
}

static void single_texts(void **state)
{
    (void)state;
    put("a.tsv", "I like it\tgood\nno\tbad\n");
    put("b.tsv", "id\tlabel\tsentence\n1\tbad\tno\n");
    ig_task *t = read_ok("kind: single\ntrain: {en: a.tsv}\ntest: {en: b.tsv}\n");
    assert_string_equal(t->set[0].text[0], "I like it");
    assert_string_equal(t->set[1].text[0], "no");
    assert_int_equal(t->set[0].label[0], 1); /* bad, good */
    assert_int_equal(t->set[1].label[0], 0);
    ig_task_free(t);
}

/* Lines of names in any case, in quotation marks, or named by the task. */
static void lines_of_names(void **state)
{
    (void)state;
    static const struct {
        const char *text, *yaml;
    } list[] = {
        {"Premise\tHypothesis\tLabel\na\tb\tyes\n", ""},
        {"Label \tSENTENCE1\tid\tSentence2\nyes \ta\t7\tb\n", ""},
        {"\"premise\"\t\"hypothesis\"\t\"label\"\n\"a\"\t\"b\"\t\"yes\"\n", ""},
        {"\"a\"\t\"b\"\t\"yes\"\n", ""},
        {"a\tb\t\"yes\"\n", ""},
        {"Text A\tText B\tRelation\na\tb\tyes\n",
         "columns: {premise: text a, hypothesis: Text B, label: Relation}\n"},
        {"Premise\tHypothesis\tLabel\na\tb\tyes\n", "columns: [premise, hypothesis, label]\n"},
        {"1\tyes\tb\ta\n", "columns: {label: 2, hypothesis: 3, premise: 4}\n"},
        {"a\tb\tyes  \n", ""},
        {"{\"premise\": \"a\", \"hypo\": \"b\", \"gold_label\": \" yes \"}\n", ""},
        {"text_a\ttext_b\tlabels\na\tb\tyes\n", ""},
        {"id\tquestion1\tquestion2\tlabel\n1\ta\tb\tyes\n", ""},
        {"{\"Premise\": \"a\", \"Hypothesis\": \"b\", \"Label\": \"yes\"}\n", ""},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char yaml[200];
        put("a.tsv", list[i].text);
        snprintf(yaml, sizeof yaml, "kind: pair\n%strain: {en: a.tsv}\n", list[i].yaml);
        ig_task *t = read_ok(yaml);
        assert_int_equal(t->set[0].n, 1);
        assert_int_equal(t->labels.n, 1);
        assert_string_equal(t->labels.name[0], "yes");
        assert_string_equal(t->set[0].text[0], "a");
        assert_string_equal(t->set[0].text[1], "b");
        ig_task_free(t);
    }
    static const char yaml[] = "kind: pair\ntrain: {en: a.tsv}\n";
    put("a.tsv", "premise\thypothesis\trelation\na\tb\tyes\n");
    fails(yaml, "a.tsv", 1, "found a line of names without one for the label", "'gold_label'");
    assert_non_null(strstr(err.hint, "columns: {premise: NAME, hypothesis: NAME, label: NAME}"));
    put("a.tsv", "premise\thypo\tlabel\na\tb\tyes\npremise\thypo\tlabel\nc\td\tno\n");
    fails(yaml, "a.tsv", 3, "found the line of names again", "expected a row");
    put("a.tsv", "a\tb\tyes\na\tb\t\"yes\"\n");
    fails(yaml, "a.tsv", 2, "in quotation marks", "expected it without");
    put("a.tsv", "label\tpremise\thypo\tlabel\n");
    fails(yaml, "a.tsv", 1, "found a name twice", "expected once");
    /* Marks in a text are a part of it, but where fields have them: there two are one. */
    put("a.tsv", "\"He said \"\"no\"\"\"\t\"yes\"\n");
    ig_task *t = read_ok("kind: single\ntrain: {en: a.tsv}\n");
    assert_string_equal(t->set[0].text[0], "He said \"no\"");
    ig_task_free(t);
    put("a.tsv", "\"No,\" she said, \"no\"\t\"yes\"\n\"\"\"No\"\"\"\t\"yes\"\n");
    t = read_ok("kind: single\ntrain: {en: a.tsv}\n");
    assert_string_equal(t->set[0].text[0], "\"No,\" she said, \"no\"");
    assert_string_equal(t->set[0].text[1], "\"No\"");
    ig_task_free(t);
    put("a.tsv", "\"No\"\tyes\n");
    t = read_ok("kind: single\ntrain: {en: a.tsv}\n");
    assert_string_equal(t->set[0].text[0], "\"No\"");
    ig_task_free(t);
}

/* Marks are around fields that need them, as pandas writes tables; tabs and line ends are in them.
 */
static void fields_in_marks(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "premise\thypothesis\tlabel\r\n\"a \"\"b\"\"\"\t\"c\td\"\tno\r\n\"e\r\n\r\nf\"\tg\tyes\r\n",
        "\"a \"\"b\"\"\"\t\"c\td\"\tno\n\n\"e\n\nf\"\tg\tyes\n",
        "\"premise\"\t\"hypothesis\"\t\"label\"\n\"a \"\"b\"\"\"\t\"c\td\"\t\"no\"\n"
        "\"e\n\nf\"\t\"g\"\t\"yes\"\n"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put("a.tsv", rows[i]);
        ig_task *t = read_ok("kind: pair\ntrain: {en: a.tsv}\n");
        assert_int_equal(t->set[0].n, 2);
        assert_string_equal(t->set[0].text[0], "a \"b\"");
        assert_string_equal(t->set[0].text[1], "c\td");
        assert_string_equal(t->set[0].text[2], "e\n\nf");
        assert_int_equal(t->labels.n, 2);
        ig_task_free(t);
    }
    put("a.tsv", "text,label\na,b\n");
    fails("kind: single\ntrain: {en: a.tsv}\n", "a.tsv", 1, "names with ','", "expected tabs");
    assert_non_null(strstr(err.hint, "csv.reader(sys.stdin, delimiter=\",\")"));
    /* Doubled marks alone may be meant: the task decides. */
    put("a.tsv", "text\tlabel\n\"a \"\"b\"\"\"\tno\nc\tyes\n");
    ig_task *t = read_ok("kind: single\ntrain: {en: a.tsv}\n");
    assert_string_equal(t->set[0].text[0], "\"a \"\"b\"\"\"");
    assert_non_null(strstr(t->note[t->n_note - 1], "a.tsv: 1 texts in quotation marks"));
    ig_task_free(t);
    t = read_ok("kind: single\nquotes: true\ntrain: {en: a.tsv}\n");
    assert_string_equal(t->set[0].text[0], "a \"b\"");
    ig_task_free(t);
    put("a.tsv", "text\tlabel\na \"b\"\tno\n");
    fails("kind: single\nquotes: true\ntrain: {en: a.tsv}\n", "a.tsv", 2, "found '\"b\"",
          "doubled");
    put("a.tsv", "\"a\tb\"\tno\nc\tyes\n");
    fails("kind: single\nquotes: false\ntrain: {en: a.tsv}\n", "a.tsv", 1, "3 columns", "2");
    /* One text in which a mark is a character: then all are. */
    put("a.tsv", "\"a \"\"b\"\"\"\tno\nHe said \"c\".\tyes\n");
    t = read_ok("kind: single\ntrain: {en: a.tsv}\n");
    assert_string_equal(t->set[0].text[0], "\"a \"\"b\"\"\"");
    ig_task_free(t);
    put("a.tsv", "\"a\tno\nb\"\tyes\n"); /* two rows, or one: the lines are even */
    t = read_ok("kind: single\ntrain: {en: a.tsv}\n");
    assert_int_equal(t->set[0].n, 2);
    ig_task_free(t);
    put("a.tsv", "text\tlabel\n\"a\nb\"\tno\nc\td\te\n"); /* rows that do not agree are none */
    fails("kind: single\ntrain: {en: a.tsv}\n", "a.tsv", 2, "1 column", "expected 2");
    put("a.tsv", "\"text\"\t\"label\"\n\"a \\\"b\\\"\"\t\"no\"\n");
    fails("kind: single\ntrain: {en: a.tsv}\n", "a.tsv", 2, "found \\\" in", "a mark within");
}

/* JSON without a column: the names that it has, and what is no text. */
static void names_in_json(void **state)
{
    (void)state;
    static const char yaml[] = "kind: pair\ntrain: {en: a.tsv}\n";
    put("a.tsv", "{\"premise\": \"a\", \"hypothesis\": \"b\", \"relation\": \"yes\"}\n");
    fails(yaml, "a.tsv", 1, "found the names premise, hypothesis, relation", "for the label");
    put("a.tsv", " {\n\"premise\": \"a\"\n}\n");
    fails(yaml, "a.tsv", 1, "not valid JSON", "");
    assert_non_null(strstr(err.hint, "jq -c"));
    put("a.tsv", "{\"premise\": \"a\", \"label\": \"yes\"}\n");
    fails(yaml, "a.tsv", 1, "found the names premise, label", "as 'hypothesis'");
    put("a.tsv", "{\"premise\": \"a\", \"hypothesis\": \"b\", \"label\": null}\n");
    fails(yaml, "a.tsv", 1, "found null in 'label'", "or a whole number");
}

/* Columns by numbers, and a line of names of which only that of the label is known. */
static void numbered_columns_and_names(void **state)
{
    (void)state;
    put("a.tsv", "Label\tB\tA\nno\tb\ta\nyes\td\tc\n");
    ig_task *t = read_ok("kind: pair\ncolumns: {premise: 3, hypothesis: 2, label: 1}\n"
                         "train: {en: a.tsv}\n");
    assert_int_equal(t->labels.n, 2);
    assert_string_equal(t->set[0].text[0], "a");
    ig_task_free(t);
    put("a.tsv", "NE\tPeter\nVV\truns\n"); /* a tag of STTS */
    t = read_ok("kind: tagging\ncolumns: {word: 2, tag: 1}\ntrain: {en: a.tsv}\n");
    assert_int_equal(t->set[0].first[1], 2);
    ig_task_free(t);
}

/* White space around a label, and lines of nothing else. */
static void white_space(void **state)
{
    (void)state;
    put("a.tsv", "a\tno\n \n\u00a0\nb\tyes\u00a0\nc\t no\u3000 \nd\tyes\n");
    ig_task *t = read_ok("kind: single\ntrain: {en: a.tsv}\n");
    assert_int_equal(t->labels.n, 2);
    assert_int_equal(t->set[0].n, 4);
    assert_int_equal(t->set[0].label[1], 1);
    assert_int_equal(t->set[0].label[2], 0);
    ig_task_free(t);
    put("a.tsv", "a\tno\nb\t\u00a0\n");
    fails("kind: single\ntrain: {en: a.tsv}\n", "a.tsv", 2, "no label", "expected one");
    put("a.tsv", "a\tB-X\u00a0\nb\tI-X\n");
    t = read_ok("kind: tagging\ntrain: {en: a.tsv}\n");
    assert_int_equal(t->labels.n, 2);
    ig_task_free(t);
}

/* Labels that are read as others. */
static void renamed_labels(void **state)
{
    (void)state;
    put("a.tsv", "a\tPOS\nb\tneg\nc\t0\n");
    ig_task *t = read_ok("kind: single\nrename: {POS: pos, 0: neg}\ntrain: {en: a.tsv}\n");
    assert_int_equal(t->labels.n, 2);
    assert_string_equal(t->labels.name[1], "pos");
    assert_int_equal(t->set[0].label[2], 0);
    assert_int_equal(t->set[0].count.renamed, 2);
    ig_task_free(t);
    fails("kind: single\nrename: [a]\ntrain: {en: a.tsv}\n", "", 2, "rename", "mapping");
    fails("kind: single\nrename: {a: }\ntrain: {en: a.tsv}\n", "", 2, "a", "the name of a label");
}

static void labels_are_matched_by_name(void **state)
{
    (void)state;
    put("three.tsv", three);
    put("mt.tsv", mt);
    /* XLM's order. */
    ig_task *t = read_ok("kind: pair\nlabels: [contradiction, neutral, entailment]\n"
                         "train: {en: three.tsv}\ntest: {en: mt.tsv}\n");
    static const int32_t label[] = {0, 2, 1};
    for (int i = 0; i < 2; i++)
        assert_memory_equal(t->set[i].label, label, sizeof label);
    ig_task_free(t);
}

static void a_label_that_training_does_not_have_is_counted(void **state)
{
    (void)state;
    put("train.tsv", "a\tyes\nb\tno\nc\tyes\nd\tno\n");
    put("test.tsv", "a\tyes\nb\tperhaps\nc\tno\n");
    ig_task *t = read_ok("kind: single\ntrain: {en: train.tsv}\ntest: {de: test.tsv}\n");
    assert_int_equal(t->labels.n, 2);
    assert_int_equal(t->set[1].count.unknown_label, 1);
    assert_int_equal(t->set[1].label[1], IG_LABEL_OTHER);
    assert_string_equal(ig_task_label_name(t, t->set[1].label[1]), "perhaps");
    assert_int_equal(t->n_note, 1);
    assert_non_null(strstr(t->note[0], "test.tsv:2: label 'perhaps' is in no training file"));
    ig_task_free(t);
    fails("kind: single\nlabels: [yes, no]\ntrain: {en: train.tsv}\ntest: {de: test.tsv}\n",
          "test.tsv", 2, "found label 'perhaps'", "expected one of: yes, no");
}

static void several_files_make_one_split(void **state)
{
    (void)state;
    put("a.tsv", "a\tyes\nb\tno\n");
    put("b.tsv", "c\tyes\n");
    ig_task *t = read_ok("kind: single\ntest: {de: [a.tsv, b.tsv], en: b.tsv}\n");
    const ig_task_set *s;
    assert_int_equal(t->n_set, 2);
    assert_ok(ig_task_need(t, "de", IG_SPLIT_TEST, &s, &err), &err);
    assert_ptr_equal(s, ig_task_find(t, "de", IG_SPLIT_TEST));
    assert_int_equal(s->n, 3);
    assert_int_equal(s->line[1], 2);
    assert_int_equal(s->line[2], 1);
    assert_string_equal(ig_task_file(s, 1), in_root("a.tsv"));
    assert_string_equal(ig_task_file(s, 2), in_root("b.tsv"));
    assert_null(ig_task_find(t, "de", IG_SPLIT_DEV));
    assert_int_equal(ig_task_need(t, "fr", IG_SPLIT_TEST, &s, &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "language 'fr' has no 'test' data, expected one of: de, en"));
    ig_task_free(t);
}

static void mistakes_in_the_yaml(void **state)
{
    (void)state;
    put("a.tsv", "a\tyes\n");
    fails("train: {en: a.tsv}\n", "", 1, "no 'kind'",
          "pair, single, tagging, parsing or minimal_pairs");
    fails("kind: pairs\n", "", 1, "pairs", "expected pair, single");
    fails("kind: single\n", "", 1, "found no file", "train, dev or test");
    fails("kind: single\ntrian: {en: a.tsv}\n", "", 2, "trian", "");
    fails("kind: single\ntrain: a.tsv\n", "", 2, "train", "mapping");
    fails("kind: single\ntrain: {en: }\n", "", 2, "en", "a file or a list of files");
    fails("kind: single\ntrain: {en: []}\n", "", 2, "en", "a file or a list of files");
    fails("kind: single\nlabels: [a, b, a]\ntrain: {en: a.tsv}\n", "", 2, "'a' twice", "once");
    fails("kind: single\ncolumns: [text, word]\ntrain: {en: a.tsv}\n", "", 2, "word", "label");
    fails("kind: single\ncolumns: [text, _]\ntrain: {en: a.tsv}\n", "", 2, "none for the label",
          "text");
    fails("kind: single\ncolumns: [text, text, label]\ntrain: {en: a.tsv}\n", "", 2, "twice",
          "once");
    ig_task *t;
    assert_int_equal(read_yaml("kind: single\ntrain: {en: none.tsv}\n", &t), IG_ERR_IO);
}

/* Columns that nothing names, in another order than that of their places. */
static void columns_in_another_order(void **state)
{
    (void)state;
    static const char *const swapped[][3] = {
        {"pair", "yes\ta b\tc d\nno\te f\tg h\nyes\ti j\tk l\n", "label, premise, hypothesis"},
        {"pair", "a b\tyes\tc d\ne f\tno\tg h\ni j\tyes\tk l\n", "premise, label, hypothesis"},
        {"pair", "0\ta\tc\n1\te\tg\n", "label, premise, hypothesis"},
        {"single", "yes\ta b c\nno\td e f\n", "label, text"},
        {"single", "yes\ta b\nno\tc\nyes\td e\n", "label, text"},
        {"single", "好\t東京都の朝\n悪\t大阪府の夜\n好\t京都府の昼\n悪\t奈良県の夕\n",
         "label, text"}};
    char yaml[100];
    for (size_t i = 0; i < sizeof swapped / sizeof *swapped; i++) {
        put("a.tsv", swapped[i][1]);
        snprintf(yaml, sizeof yaml, "kind: %s\ntrain: {en: a.tsv}\n", swapped[i][0]);
        fails(yaml, "a.tsv", 1, "different values in column", "texts and then their labels");
        assert_non_null(strstr(err.hint, swapped[i][2]));
        snprintf(yaml, sizeof yaml, "kind: %s\ncolumns: [%s]\ntrain: {en: a.tsv}\n", swapped[i][0],
                 swapped[i][2]);
        ig_task_free(read_ok(yaml));
    }
    /* One premise for several labels, and labels of two words, are usual. */
    static const char *const usual[] = {
        "a b\tc d\tyes\na b\te f\tno\na b\tg h\tperhaps\n",
        "a b\tc d\tnot so\na b\te f\tnot so\ng h\ti j\tall right\n"};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        put("a.tsv", usual[i]);
        ig_task_free(read_ok("kind: pair\ntrain: {en: a.tsv}\n"));
    }
    /* A line of names in another language. */
    put("a.tsv", "Text eins\tText zwei\tUrteil\na b\tc d\tyes\ne f\tg h\tno\n");
    fails("kind: pair\ntrain: {en: a.tsv}\n", "a.tsv", 1, "found label 'Urteil'",
          "written as others");
    put("a.tsv", "a b\tc d\tyes\ne f\tg h\tno\ni j\tk l\tyes\n");
    put("b.tsv", "Text eins\tText zwei\tUrteil\na b\tc d\tyes\n");
    fails("kind: pair\ntrain: {en: a.tsv}\ndev: {en: b.tsv}\n", "b.tsv", 1, "found label 'Urteil'",
          "written as others");
    /* Numbers in JSON are labels as in columns. */
    put("a.tsv", "{\"premise\": \"a\", \"hypothesis\": \"b\", \"label\": 1}\n");
    ig_task *t = read_ok("kind: pair\ntrain: {en: a.tsv}\n");
    assert_string_equal(t->labels.name[0], "1");
    ig_task_free(t);
}

static void mistakes_in_the_files(void **state)
{
    (void)state;
    static const char yaml[] = "kind: pair\ntrain: {en: a.tsv}\n";
    put("a.tsv", "p\th\tneutral\np\tneutral\n");
    fails(yaml, "a.tsv", 2, "found 2 columns", "expected 3");
    put("a.tsv", "gold_label\tsentence1\tsentence2\nneutral\tp\n");
    fails(yaml, "a.tsv", 2, "found 2 columns", "expected 3");
    put("a.tsv", "gold_label\tsentence1\tlanguage\tid\nneutral\tp\ten\t1\n");
    fails(yaml, "a.tsv", 1, "without one for the hypothesis", "'sentence2' or 'hypothesis'");
    put("a.tsv", "p\th\tneutral\np\t \tneutral\n");
    fails(yaml, "a.tsv", 2, "a hypothesis without words", "expected text");
    put("a.tsv", "sen\twrong_sen\tphenomenon\n\ta b\torder\n");
    fails("kind: minimal_pairs\ntest: {en: a.tsv}\n", "a.tsv", 2, "a good sentence without words",
          "expected text");
    put("a.tsv", "p\th\t\n");
    fails(yaml, "a.tsv", 1, "found no label", "expected one");
    put("a.tsv", "");
    fails(yaml, "a.tsv", 0, "found no labelled sentence", "expected some");
    put("a.tsv", "p\th\t-\n");
    fails(yaml, "a.tsv", 0, "found no labelled sentence", "expected some");
    put("a.tsv", "language\tgold_label\tsentence1\tsentence2\nfr\tneutral\tp\th\n");
    fails(yaml, "a.tsv", 0, "found no row of language 'en' (1 of others)", "expected some");
    put("a.tsv", "{\"sentence1\": \"p\", \"sentence2\": \"h\"}\n");
    fails(yaml, "a.tsv", 1, "found the names sentence1, sentence2", "for the label");
    put("b.tsv", "{\"sentence1\": \"p\", \"sentence2\": \"h\", \"label\": -1}\n"
                 "{\"sentence1\": \"p\", \"sentence2\": \"h\", \"label\": 1}\n");
    put("a.tsv", "{\"sentence1\": \"p\", \"sentence2\": \"h\", \"label\": -1}\n");
    fails(yaml, "a.tsv", 1, "found label -1", "expected one");
    ig_task *t = read_ok("kind: pair\nrename: {\"-1\": \"-\"}\ntrain: {en: b.tsv}\n");
    assert_int_equal(t->set[0].n, 1);
    assert_int_equal(t->set[0].count.unlabelled, 1);
    ig_task_free(t);
    put("a.tsv", "[{\"sentence1\": \"p\", \"sentence2\": \"h\"}]\n");
    fails(yaml, "a.tsv", 1, "found a JSON array", "an object a line");
    put("a.tsv", "{\"sentence1\": \"p\"\n");
    fails(yaml, "a.tsv", 1, "not valid JSON", "");
    put("a.tsv", "{\"sentence1\": \"p\\u0000\"}\n");
    fails(yaml, "a.tsv", 1, "found \\u0000", "expected text without zero characters");
    write_fast(in_root("a.tsv"), "p\th\tneu\0tral\n", 13);
    fails(yaml, "a.tsv", 1, "found a zero byte", "expected text");
}

static void rows_without_words_are_left_out_on_demand(void **state)
{
    (void)state;
    put("a.tsv", "p\th\tneutral\n \th\tneutral\np\t\tneutral\n");
    ig_task *t = read_ok("kind: pair\nwithout_words: skip\ntrain: {en: a.tsv}\n");
    assert_int_equal(t->set[0].n, 1);
    assert_int_equal(t->set[0].count.without_words, 2);
    assert_int_equal(t->set[0].count.read, 3);
    ig_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_of_pairs_is_the_same_task),
        cmocka_unit_test(test_data_are_divided),
        cmocka_unit_test(labels_of_signs),
        cmocka_unit_test(crossed_pairs),
        cmocka_unit_test(columns_of_files_without_a_head),
        cmocka_unit_test(single_texts),
        cmocka_unit_test(lines_of_names),
        cmocka_unit_test(fields_in_marks),
        cmocka_unit_test(names_in_json),
        cmocka_unit_test(numbered_columns_and_names),
        cmocka_unit_test(white_space),
        cmocka_unit_test(renamed_labels),
        cmocka_unit_test(labels_are_matched_by_name),
        cmocka_unit_test(a_label_that_training_does_not_have_is_counted),
        cmocka_unit_test(several_files_make_one_split),
        cmocka_unit_test(mistakes_in_the_yaml),
        cmocka_unit_test(mistakes_in_the_files),
        cmocka_unit_test(columns_in_another_order),
        cmocka_unit_test(rows_without_words_are_left_out_on_demand),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
