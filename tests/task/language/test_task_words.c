/* SPDX-License-Identifier: Apache-2.0
 *
 * Tagging and parsing files: layouts, schemes, what is counted, what is refused.
 */
#include "task/task_fixture.h"

static void assert_tags(const ig_task *t, int set, const char *expected)
{
    char all[400] = "";
    const ig_task_set *s = &t->set[set];
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = s->first[i]; k < s->first[i + 1]; k++) {
            const int32_t l = s->label[k];
            strcat(all, l >= 0 ? t->labels.name[l] : l == IG_LABEL_NONE ? "none" : "unknown");
            strcat(all, k + 1 < s->first[i + 1] ? " " : i + 1 < s->n ? " / " : "");
        }
    assert_string_equal(all, expected);
}

static void columns(void **state)
{
    (void)state;
    /* CoNLL-2003: blanks, documents, the tag last, IOB1. */
    put("conll", "-DOCSTART- -X- -X- O\n\nU.N. NNP I-NP I-ORG\nofficial NN I-NP O\n\n"
                 "#  NN I-NP O\nLyon NNP I-NP I-LOC\nParis NNP B-NP B-LOC\n");
    ig_task *t = read_ok("kind: tagging\ntrain: {en: conll}\n");
    assert_int_equal(t->scheme, IG_SCHEME_IOB1);
    assert_tags(t, 0, "B-ORG O / O B-LOC B-LOC");
    assert_string_equal(t->set[0].word[2], "#");
    assert_int_equal(t->set[0].line[0], 3);
    assert_int_equal(t->set[0].line[1], 6);
    assert_int_equal(t->set[0].count.repaired, 0);
    assert_int_equal(t->set[0].count.read, 2);
    ig_task_free(t);
    /* Universal NER: tabs, comments, the tag in the middle. */
    put("uner",
        "# sent_id = 1\n# text = a b\n1\tnew york\tB-LOC\t-\n2\tb\tO\t-\n\n\n# x\n\n1\tc\tO\t-\n");
    t = read_ok("kind: tagging\ncolumns: [_, word, tag, _]\ntest: {en: uner}\n");
    assert_tags(t, 0, "B-LOC O / O");
    assert_string_equal(t->set[0].word[0], "new york");
    ig_task_free(t);
    /* PAN-X as it is published; one word without a prefix and it is none. */
    put("panx", "zh-min-nan:a:\tB-LOC\r\nzh-min-nan:b\tI-LOC\r\n\r\nzh-min-nan:\tO\r\n");
    put("not", "en:a\tB-LOC\nb\tO\n");
    t = read_ok("kind: tagging\ntrain: {nan: panx}\ntest: {nan: not}\n");
    assert_string_equal(t->set[0].word[0], "a:");
    assert_string_equal(t->set[0].word[2], "");
    assert_int_equal(t->set[0].count.prefix, 3);
    assert_string_equal(t->set[1].word[0], "en:a");
    assert_int_equal(t->set[1].count.prefix, 0);
    ig_task_free(t);
}

/* Words of the first set, with a bar between. */
static void assert_words(const ig_task *t, const char *expected)
{
    char all[400] = "";
    for (int64_t k = 0; k < t->set[0].first[t->set[0].n]; k++)
        sprintf(all + strlen(all), "%s%s", k > 0 ? "|" : "", t->set[0].word[k]);
    assert_string_equal(all, expected);
}

static void reads(const char *text, const char *words, const char *tags)
{
    put("a", text);
    ig_task *t = read_ok("kind: tagging\ntrain: {en: a}\n");
    assert_words(t, words);
    assert_tags(t, 0, tags);
    ig_task_free(t);
}

/* The rows of a file decide its layout, as its authors intended it. */
static void layouts(void **state)
{
    (void)state;
    /* GermEval 2014: a source after "#" and a tab; number, word, outer tag, inner tag. */
    reads("#\thttp://de.example.org/1 [2009-10-17]\n1\tAlpha\tB-ORG\tO\n2\tBonn\tI-ORG\tB-LOC\n"
          "3\t#\tO\tO\n\n#\thttp://x\ta\tb\n1\tEva\tB-PERderiv\tO\n",
          "Alpha|Bonn|#|Eva", "B-ORG I-ORG O / B-PERderiv");
    /* Universal NER: CoNLL-U's comments; number, word, tag and two more. */
    reads("# sent_id = 1\n# text = New York\n1\tNew York\tB-LOC\t-\t-\n2\tis\tO\t-\tann\n\n"
          "# sent_id = 2\n1\tit\tO\t-\t-\n",
          "New York|is|it", "B-LOC O / O");
    /* Number, word, part of speech, tag: one column alone has spans. */
    reads("0 Eva NNP B-PER\n1 ran VBD O\n\n0 So RB O\n1 did VBD O\n", "Eva|ran|So|did",
          "B-PER O / O O");
    reads("1\tEva\tNOUN\n2\tran\tVERB\n", "Eva|ran", "NOUN VERB");
    /* A line of names, wherever its columns are. */
    reads("id\tNER\tToken\n1\tB-PER\tEva\n2\tO\tran\n", "Eva|ran", "B-PER O");
    reads("Word Tag\nEva B-PER\n\nWord O\n", "Eva|Word", "B-PER / O");
    /* A multiword token has no tag; CoNLL-U Plus names its columns. */
    reads("1\tEva\tB-PER\t-\t-\n2-3\tdel\t_\t_\t_\n2\tde\tO\t-\t-\n3\tel\tO\t-\t-\n", "Eva|de|el",
          "B-PER O O");
    reads("# global.columns = ID FORM UPOS HEAD NER\n1\tEva\tPROPN\t2\tB-PER\n2\tran\tVERB\t0\tO\n",
          "Eva|ran", "B-PER O");
    reads("# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC PARSEME:MWE\n"
          "1\tEva\t_\tPROPN\t_\t_\t2\tnsubj\t_\t_\t*\n2\tran\t_\tVERB\t_\t_\t0\troot\t_\t_\t*\n",
          "Eva|ran", "PROPN VERB");
    reads("tokens\tner_tags\nEva\tB-PER\nran\tO\n", "Eva|ran", "B-PER O");
    reads("sent_id\twords\tlabels\n0\tEva\tB-PER\n\n1\tran\tO\n", "Eva|ran", "B-PER / O");
    /* Documents of any width end a sentence; blanks at ends; CRLF; a mark of the byte order. */
    reads("\xEF\xBB\xBF-DOCSTART-\r\n\r\nEva NNP B-PER \r\nran VBD O\r\n-DOCSTART- -X- O\r\nso RB "
          "O\r\n \r\n",
          "Eva|ran|so", "B-PER O / O");
    reads("New York \tB-LOC \nis\tO\n", "New York|is", "B-LOC O");
    /* Comments as CoNLL-U has them, also among words; "#" alone is a word. */
    reads("# sent_id = 1\nEva NNP I B-PER\n# NN I O\n\n# text = a\nso RB I O\n", "Eva|#|so",
          "B-PER O / O");
    reads("#\thttp://x\nEva\tB-PER\n#\tO\n\n# newdoc\n#\tB-X\n", "Eva|#|#", "B-PER O / B-X");
    reads("#\tsource\tO\n1\tEva\tB-PER\n2\tran\tO\n", "Eva|ran", "B-PER O");
    reads("# newdoc x\n# a b\nEva NNP B-PER\nso RB O\n", "Eva|so", "B-PER O");
    reads("# id 7\nEva\tB-PER\n# a note\nran\tO\n#\tO\n", "Eva|ran|#", "B-PER O O");
}

static void conllu_layouts(void **state)
{
    (void)state;
    static const char *const start[] = {"0.1\tit\t_\tPRON\t_\t_\t_\t_\t1:x\t_\n",
                                        "1-2\tgone\t_\t_\t_\t_\t_\t_\t_\t_\n",
                                        "# text = go\n# x\ty\n", "\n\n", "\xEF\xBB\xBF"};
    static const char rest[] = "1\tgo\t_\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No\n"
                               "# between\n1.1\te\t_\t_\t_\t_\t_\t_\t_\t_\n"
                               "2\ton\t_\tADV\t_\t_\t1\tadv\t_\t_\r\n \n"
                               "1\tYes\t_\tINTJ\t_\t_\t0\troot\t_\t_\n";
    for (int i = 0; i < 5; i++) {
        char text[800];
        snprintf(text, sizeof text, "%s%s", start[i], rest);
        reads(text, "go|on|Yes", "VERB ADV / INTJ");
        for (char *c = text; *c != '\0'; c++) /* between blanks */
            *c = *c == '\t' ? ' ' : *c;
        reads(text, "go|on|Yes", "VERB ADV / INTJ");
        ig_task *t = read_ok("kind: parsing\ntrain: {en: a}\n");
        assert_tags(t, 0, "root adv / root");
        ig_task_free(t);
    }
    /* Other columns of the same file, without what is no word. */
    put("a", "1-2\tgone\t_\t_\t_\t_\t_\t_\t_\t_\n1\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n"
             "2\ton\t_\tADV\t_\t_\t1\tadv\t_\t_\n2.1\te\t_\tX\tXX\t_\t_\t_\t_\t_\n");
    ig_task *t = read_ok("kind: tagging\ncolumns: {word: 2, tag: 5}\ntrain: {en: a}\n");
    assert_words(t, "go|on");
    assert_tags(t, 0, "VB none");
    assert_int_equal(t->set[0].count.range, 1);
    assert_int_equal(t->set[0].count.empty_node, 1);
    ig_task_free(t);
}

static void named_columns(void **state)
{
    (void)state;
    put("a", "1\tEva\tNNP\tB-PER\tB-X\n2\tran\tVBD\tO\tO\n");
    ig_task *t = read_ok("kind: tagging\ncolumns: {word: 2, tag: 5}\ntrain: {en: a}\n");
    assert_words(t, "Eva|ran");
    assert_tags(t, 0, "B-X O");
    ig_task_free(t);
    put("b", "Wort\tNummer\tEigenname\nEva\t1\tB-PER\nran\t2\tO\n");
    t = read_ok("kind: tagging\ncolumns: {word: wort, tag: Eigenname}\ntrain: {en: b}\n");
    assert_words(t, "Eva|ran");
    assert_tags(t, 0, "B-PER O");
    ig_task_free(t);
    put("c", "1\tNUM\n2\tNUM\n");
    fails("kind: tagging\ntrain: {en: c}\n", "c", 1, "found numbers in the first", "words");
    put("c", "1\tNUM\n2\tNUM\n\n1999\tNUM\n");
    fails("kind: tagging\ntrain: {en: c}\n", "c", 1, "found nothing but numbers", "words");
    assert_non_null(strstr(err.hint, "columns: {word: 1, tag: 2}"));
    t = read_ok("kind: tagging\ncolumns: {word: 1, tag: 2}\ntrain: {en: c}\n");
    assert_words(t, "1|2|1999");
    ig_task_free(t);
    static const char yaml[] = "kind: tagging\ntrain: {en: c}\n";
    put("c", "170 x NUM\n20 y NUM\n\n1999 z NUM\n");
    fails(yaml, "c", 1, "nothing but numbers in the first column", "expected words");
    /* Two columns of spans, and nine of CoNLL-U's. */
    put("c", "1\tEva\tNNP\tB-PER\tB-X\n2\tran\tVBD\tO\tO\n");
    fails(yaml, "c", 1, "a first column that counts words, and several others", "'columns'");
    put("c", "# a\tb\n1\tgo\t_\tVERB\t_\t_\t0\troot\t_\n");
    fails(yaml, "c", 2, "several others", "CoNLL-U's ten");
    put("c", "#\tsource\n1\tgo\tO\tO\n2\ton\tO\n");
    fails(yaml, "c", 3, "found 3 columns", "expected 4 as in line 2");
    put("c", "1\tgo\tB-X\n2\ton\tO\n3\tI\tO\n4\tI\tO\n5\tI\tO\n6\tI\tO\n7\tI\tO\n8\tI\tO\n"
             "9\tI\tO\n10\tI\tO\nx\tI\tO\n");
    fails(yaml, "c", 11, "found 'x' in the first column", "expected a number");
    put("c", "a\tO\nb\tO\n#metoo\n");
    fails(yaml, "c", 3, "found 1 column", "expected 2 as in line 1");
    put("c", "a\tO\n");
    fails("kind: tagging\ncolumns: {word: 1, tag: 3}\ntrain: {en: c}\n", "c", 1, "found 2 columns",
          "expected 3 or more");
    fails("kind: tagging\ncolumns: {word: 1, tag: Tag}\ntrain: {en: c}\n", "c", 1,
          "found no column 'Tag'", "expected one");
    fails("kind: tagging\ncolumns: {word: 1, tag: 1}\ntrain: {en: c}\n", "", 2, "found 1 twice",
          "once");
    fails("kind: tagging\ncolumns: {word: 0, tag: 1}\ntrain: {en: c}\n", "", 2, "0", "1");
    fails("kind: tagging\ncolumns: {word: 2}\ntrain: {en: c}\n", "", 2, "none for the label",
          "tag");
}

static void schemes(void **state)
{
    (void)state;
    put("iob2", "a I-X\nb I-X\nc B-X\n\nd B-Y\ne I-X\n");
    ig_task *t = read_ok("kind: tagging\ntrain: {en: iob2}\n");
    assert_int_equal(t->scheme, IG_SCHEME_IOB2);
    assert_tags(t, 0, "B-X I-X B-X / B-Y B-X");
    assert_int_equal(t->set[0].count.repaired, 2);
    ig_task_free(t);
    put("bioul", "a B-X\nb L-X\nc U-X\nd O\ne B-X\n\nf L-Y\ng I-Y\n");
    t = read_ok("kind: tagging\ntrain: {en: bioul}\n");
    assert_int_equal(t->scheme, IG_SCHEME_BIOUL);
    assert_tags(t, 0, "B-X I-X B-X O B-X / B-Y B-Y");
    assert_int_equal(t->set[0].count.repaired, 4); /* B without L, L alone, I alone and without L */
    /* And back. */
    assert_ok(ig_task_use_bioul(t, &err), &err);
    assert_int_equal(t->labels.n, 9);
    assert_string_equal(t->labels.name[0], "O");
    assert_string_equal(t->labels.name[8], "U-Y");
    assert_tags(t, 0, "B-X L-X U-X O U-X / U-Y U-Y");
    ig_task_free(t);
    put("bioes", "a B-X\nb E-X\nc S-X\n");
    t = read_ok("kind: tagging\ntrain: {en: bioes}\n");
    assert_tags(t, 0, "B-X I-X B-X");
    assert_int_equal(t->set[0].count.repaired, 0);
    ig_task_free(t);
    /* Parts of speech are no spans, and a task may say so of anything. */
    put("pos", "a NOUN\nb SYM\nc X\n");
    t = read_ok("kind: tagging\ntrain: {en: pos}\n");
    assert_int_equal(t->scheme, IG_SCHEME_PLAIN);
    assert_tags(t, 0, "NOUN SYM X");
    assert_int_equal(ig_task_use_bioul(t, &err), IG_ERR_USAGE);
    ig_task_free(t);
    t = read_ok("kind: tagging\nscheme: plain\ntrain: {en: iob2}\n");
    assert_tags(t, 0, "I-X I-X B-X / B-Y I-X");
    ig_task_free(t);
    fails("kind: tagging\nscheme: iob2\ntrain: {en: pos}\n", "pos", 1, "NOUN", "expected O, or B-");
}

/* Letters alone are spans without types, as BIO, BMES and BMEWO have them. */
static void spans_without_types(void **state)
{
    (void)state;
    put("a", "a B\nb I\nc O\nd I\n");
    ig_task *t = read_ok("kind: tagging\ntrain: {en: a}\n");
    assert_int_equal(t->scheme, IG_SCHEME_IOB2);
    assert_true(t->untyped);
    assert_tags(t, 0, "B I O B");
    assert_int_equal(t->labels.n, 2 + 1);
    assert_ok(ig_task_use_bioul(t, &err), &err);
    assert_tags(t, 0, "B L O U");
    assert_int_equal(t->labels.n, 5);
    ig_task_free(t);
    put("a", "a I\nb I\nc O\nd I\ne B\n");
    t = read_ok("kind: tagging\ntrain: {en: a}\n");
    assert_int_equal(t->scheme, IG_SCHEME_IOB1);
    assert_tags(t, 0, "B I O B B");
    ig_task_free(t);
    put("a", "a B\nb M\nc E\nd S\ne W\n\nf B-X\n");
    fails("kind: tagging\ntrain: {en: a}\n", "a", 1, "found tag 'B'", "and a type (scheme bioul");
    put("a", "a B\nb M\nc E\nd S\ne W\n");
    t = read_ok("kind: tagging\ntrain: {en: a}\n");
    assert_tags(t, 0, "B I I B B");
    assert_int_equal(t->set[0].count.repaired, 0);
    ig_task_free(t);
    put("a", "a B-X\nb M-X\nc E-X\nd O\n");
    t = read_ok("kind: tagging\nscheme: bmes\ntrain: {en: a}\n");
    assert_tags(t, 0, "B-X I-X I-X O");
    ig_task_free(t);
    put("a", "a B\nb I\nc O\nd I\ne O\nf O\ng O\nh O\ni O\nj O\nk O\nl 0\n");
    fails("kind: tagging\ntrain: {en: a}\n", "a", 12, "found tag '0'", "O, or B or I (scheme iob2");
    /* Letters among other tags are parts of speech. */
    put("a", "a B\nb D\nc I\nd O\ne D\n");
    t = read_ok("kind: tagging\ntrain: {en: a}\n");
    assert_int_equal(t->scheme, IG_SCHEME_PLAIN);
    ig_task_free(t);
    put("a", "a S\nb O\n");
    t = read_ok("kind: tagging\ntrain: {en: a}\n");
    assert_int_equal(t->scheme, IG_SCHEME_PLAIN);
    ig_task_free(t);
}

/* The training files decide what tags are; one that is none of them changes nothing elsewhere. */
static void odd_tags(void **state)
{
    (void)state;
    static const char *const odd[] = {"0",     "o",  "b-per", "PER",  "I_PER",
                                      "U-PER", "B-", "B",     "per-i"};
    static const char *const meant[] = {": O}",     ": O}", ": B-PER}", ": B-PER}", ": I-PER}",
                                        ": B-PER}", ": O}", ": O}",     ": I-PER}"};
    put("train", "a B-PER\nb I-PER\nc O\nd O\n");
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char text[80];
        snprintf(text, sizeof text, "a B-PER\nb O\n\nc %s\n", odd[i]);
        put("test", text);
        fails("kind: tagging\ntrain: {en: train}\ntest: {de: test}\n", "test", 4, odd[i],
              "(scheme iob2, as in the training files)");
        assert_non_null(strstr(err.hint, meant[i]));
        ig_task *t = read_ok("kind: tagging\nodd_tags: outside\ntrain: {en: train}\n"
                             "test: {de: test}\n");
        assert_int_equal(t->scheme, IG_SCHEME_IOB2);
        assert_tags(t, 1, "B-PER O / O");
        assert_int_equal(t->set[1].count.odd, 1);
        for (int k = 0; k < t->n_note && strchr(odd[i], '-') == NULL; k++)
            assert_null(strstr(t->note[k], "in no training file"));
        ig_task_free(t);
        /* In a training file it does not make the task one of plain tags. */
        snprintf(text, sizeof text, "a B-PER\nb O\nc %s\n", odd[i]);
        put("test", text);
        if (i != 5)
            fails("kind: tagging\ntrain: {de: test}\n", "test", 3, odd[i], "(scheme iob2");
    }
    put("test", "a b-per\nb 0\n");
    ig_task *t = read_ok("kind: tagging\nrename: {b-per: B-PER, \"0\": O}\ntrain: {en: train}\n"
                         "test: {de: test}\n");
    assert_tags(t, 1, "B-PER O");
    assert_int_equal(t->set[1].count.renamed, 2);
    ig_task_free(t);
    /* Plain where the task says so, and where training has no span. */
    t = read_ok("kind: tagging\nscheme: plain\ntrain: {en: train}\ntest: {de: test}\n");
    assert_tags(t, 1, "unknown unknown");
    assert_int_equal(t->scheme, IG_SCHEME_PLAIN);
    ig_task_free(t);
    static const char *const like[][2] = {{"PER-B", "O"}, {"B_PER", "O"}, {"b-per", "o"},
                                          {"B:PER", "O"}, {"i-per", "O"}, {"B\u2013PER", "O"}};
    for (int i = 0; i < 6; i++) {
        char text[80];
        snprintf(text, sizeof text, "a %s\nb %s\n", like[i][1], like[i][0]);
        put("train", text);
        fails("kind: tagging\ntrain: {en: train}\n", "train", 2, like[i][0], "as in B-PER");
        ig_task_free(read_ok("kind: tagging\nscheme: plain\ntrain: {en: train}\n"));
    }
}

/* A likely mistake in a file is reported with its line. */
static void suspicious_labels(void **state)
{
    (void)state;
    put("a", "Wort NER-Tag\n\na NOUN\nb NOUN\n\nc VERB\nd VERB\ne noun\ne noun\n");
    put("b", "a PROPN\nb PROPN\n");
    ig_task *t = read_ok("kind: tagging\ntrain: {en: a}\ntest: {de: b}\n");
    static const char *const note[] = {
        "a:1: label 'NER-Tag' occurs once in the file: is it a line of names?",
        "a:8: label 'noun' differs from 'NOUN' (", "b:1: label 'PROPN' is in no training file"};
    assert_int_equal(t->n_note, 3);
    for (int i = 0; i < 3; i++)
        assert_non_null(strstr(t->note[i], note[i]));
    ig_task_free(t);
    put("b", "Wort NER-Tag\n\nc VERB\nd NOUN\n");
    t = read_ok("kind: tagging\ntrain: {en: a, de: b}\ntest: {de: b}\n");
    assert_non_null(strstr(t->note[0], "a:1: label 'NER-Tag' occurs once in the file"));
    ig_task_free(t);
    /* Scores are no classes; whole numbers are. */
    put("a", "one\t3.5\ntwo\t2.0\nthree\t3.5\nfour\t2.0\n");
    t = read_ok("kind: single\ntrain: {en: a}\n");
    assert_int_equal(t->n_note, 1);
    assert_non_null(strstr(t->note[0], "a:1: label '3.5' and the others are numbers"));
    ig_task_free(t);
    put("a", "one\t1.0\ntwo\t-2.0\nthree\t1.0\nfour\t-2.0\n");
    t = read_ok("kind: single\ntrain: {en: a}\n");
    assert_int_equal(t->n_note, 0);
    ig_task_free(t);
    /* No other label begins like it. */
    put("a", "Wort Wortart\n\na NOUN\nb VERB\n");
    fails("kind: tagging\ntrain: {en: a}\n", "a", 1, "found label 'Wortart'", "written as others");
    ig_task_free(read_ok("kind: tagging\nlabels: [NOUN, VERB, Wortart]\ntrain: {en: a}\n"));
    put("a", "Wort Marke\na B-PER\nb O\n");
    fails("kind: tagging\ntrain: {en: a}\n", "a", 1, "found tag 'Marke'", "scheme iob2");
    assert_non_null(strstr(err.hint, "columns: {word: NAME, tag: \"Marke\"}"));
    /* Types without B- and I-. */
    put("a", "a PER\nb O\nc O\nd PER\ne O\n");
    t = read_ok("kind: tagging\ntrain: {en: a}\n");
    assert_non_null(strstr(t->note[t->n_note - 1], "none has B- or I-"));
    ig_task_free(t);
    t = read_ok("kind: tagging\nscheme: plain\ntrain: {en: a}\n");
    assert_int_equal(t->n_note, 0);
    ig_task_free(t);
    /* Blank lines that are missing. */
    FILE *f = fopen(in_root("b"), "w");
    for (int i = 0; i < 1000; i++)
        fprintf(f, "a%d NOUN\nb VERB\n", i);
    fclose(f);
    t = read_ok("kind: tagging\ntrain: {en: b}\n");
    assert_int_equal(t->n_note, 1);
    assert_non_null(strstr(t->note[0], "b:1: sentences have 2000 words on average"));
    ig_task_free(t);
    /* A last line that was cut in its label, as long as it is no label elsewhere. */
    put("a", "a NOUN\nb VERB\nc NOU");
    fails("kind: tagging\ntrain: {en: a}\n", "a", 3, "found label 'NOU' in a last line",
          "a label as 'NOUN'");
    put("a", "a NOUN\nb VERB\nc NOU\n");
    ig_task_free(read_ok("kind: tagging\ntrain: {en: a}\n"));
    put("a", "a NOU\nb NOUN\nc NOU");
    ig_task_free(read_ok("kind: tagging\ntrain: {en: a}\n"));
    put("a", "a NOUN\nb VERB\nc X");
    ig_task_free(read_ok("kind: tagging\ntrain: {en: a}\n"));
    put("a", "a B-LOC\nb I-LOC\nc O\n");
    put("b", "a O\nb I-LO");
    put("c", "a O\nb B-LOC\n");
    fails("kind: tagging\ntrain: {en: a}\ntest: {de: c, fr: [c, b]}\n", "b", 2, "'I-LO'",
          "'I-LOC'");
}

static void labels_of_tags(void **state)
{
    (void)state;
    put("train", "a B-X\nb O\n");
    put("test", "a B-X\nb I-Y\nc O\n\nd _\ne B-X\n");
    ig_task *t = read_ok("kind: tagging\ntrain: {en: train}\ntest: {de: test}\n");
    assert_tags(t, 1, "B-X unknown O / none B-X");
    assert_int_equal(t->set[1].count.unknown_label, 1);
    assert_int_equal(t->set[1].count.unlabelled, 1);
    ig_task_free(t);
    fails("kind: tagging\nlabels: [O, B-X, I-X]\ntrain: {en: train}\ntest: {de: test}\n", "test", 2,
          "found label 'B-Y'", "expected one of: O, B-X, I-X");
}

#define ROW(id, form, upos, head, rel) id "\t" form "\t_\t" upos "\t_\t_\t" head "\t" rel "\t_\t_\n"

static const char trees[] = "# text = vámonos al mar\n" ROW("1-2", "vámonos", "_", "_", "_")
    ROW("1", "vamos", "VERB", "0", "root") ROW("2", "nos", "PRON", "1", "obj:x")
        ROW("2.1", "e", "_", "_", "_")
            ROW("3", "mar", "NOUN", "1", "obl") "\n" ROW("1", "sí", "INTJ", "0", "root");

static void conllu(void **state)
{
    (void)state;
    put("a.conllu", trees);
    ig_task *t = read_ok("kind: parsing\ntrain: {es: a.conllu}\n");
    const ig_task_set *s = &t->set[0];
    static const int32_t head[] = {0, 1, 1, 0};
    assert_int_equal(s->n, 2);
    assert_int_equal(s->first[2], 4);
    assert_memory_equal(s->head, head, sizeof head);
    assert_tags(t, 0, "root obj obl / root");
    assert_string_equal(s->pos[1], "PRON");
    assert_string_equal(s->word[0], "vamos");
    assert_int_equal(s->line[0], 1);
    assert_int_equal(s->line[1], 8);
    assert_int_equal(s->count.range, 1);
    assert_int_equal(s->count.empty_node, 1);
    assert_int_equal(s->count.subtype, 1);
    ig_task_free(t);
    t = read_ok("kind: parsing\nsubtypes: true\ntrain: {es: a.conllu}\n");
    assert_tags(t, 0, "root obj:x obl / root");
    assert_int_equal(t->set[0].count.subtype, 0);
    ig_task_free(t);
    t = read_ok("kind: tagging\ntrain: {es: a.conllu}\n");
    assert_tags(t, 0, "VERB PRON NOUN / INTJ");
    assert_null(t->set[0].head);
    assert_int_equal(t->set[0].count.range, 1);
    ig_task_free(t);
    /* Parts of speech need no tree. */
    put("b.conllu", ROW("1", "a", "X", "_", "_") ROW("2", "b", "_", "_", "_"));
    t = read_ok("kind: tagging\ntrain: {es: b.conllu}\n");
    assert_tags(t, 0, "X none");
    ig_task_free(t);
}

/* "del" hangs on its noun with both parts, "dárselo" has its verb nearest to the root. */
static const char fused[] = ROW("1-3", "dár selo", "_", "_", "_")
    ROW("1", "dar", "VERB", "0", "root") ROW("2", "se", "PRON", "1", "obj")
        ROW("3", "lo", "PRON", "1", "obj") ROW("4-5", "de\xE2\x80\x8Cl", "_", "_", "_")
            ROW("4", "de", "ADP", "6", "case") ROW("5", "el", "DET", "6", "det")
                ROW("6", "mar", "NOUN", "1", "obl") "\n" ROW("1-2", "c", "_", "_", "_")
                    ROW("1", "a", "PRON", "3", "x") ROW("2", "b", "AUX", "3", "x")
                        ROW("3", "d", "NOUN", "0", "root") "\n" ROW("1", "_", "X", "2", "x")
                            ROW("2", "e", "X", "0", "root") "\n" ROW("1", "_", "X", "0", "root");

static void xtreme(void **state)
{
    (void)state;
    put("a.conllu", fused);
    ig_task *t = read_ok("kind: tagging\nwords: xtreme\ntrain: {es: a.conllu, de: a.conllu}\n");
    /* Their Spanish list has AUX before PRON, the common one PRON before AUX. */
    assert_tags(t, 0, "VERB ADP NOUN / AUX NOUN");
    assert_tags(t, 1, "VERB ADP NOUN / PRON NOUN");
    static const char *const word[] = {"dárselo", "del", "mar", "c", "d"};
    for (int i = 0; i < 5; i++)
        assert_string_equal(t->set[0].word[i], word[i]);
    assert_int_equal(t->set[0].count.read, 4);
    assert_int_equal(t->set[0].count.range, 3);
    assert_int_equal(t->set[0].count.without_words, 2);
    assert_int_equal(t->set[0].line[1], 10);
    ig_task_free(t);
    t = read_ok("kind: tagging\nwords: syntactic\ntrain: {es: a.conllu}\nwithout_words: skip\n");
    assert_tags(t, 0, "VERB PRON PRON ADP DET NOUN / PRON AUX NOUN / X X / X");
    ig_task_free(t);
    static const char yaml[] = "kind: tagging\nwords: xtreme\ntrain: {es: a.conllu}\n";
    put("a.conllu", ROW("1", "a", "X", "0", "root") ROW("1-2", "ab", "_", "_", "_"));
    fails(yaml, "a.conllu", 2, "does not begin with the next word", "expected 2-3");
    put("a.conllu", ROW("1-3", "ab", "_", "_", "_") ROW("1", "a", "X", "0", "root"));
    fails(yaml, "a.conllu", 1, "of words 1 to 3", "in a sentence of 1");
    put("a.conllu",
        ROW("1-2", "ab", "_", "_", "_") ROW("1", "a", "X", "2", "x") ROW("2", "b", "X", "1", "x"));
    fails(yaml, "a.conllu", 2, "a cycle", "expected a tree");
    put("a.conllu", "a\tX\n");
    fails(yaml, "a.conllu", 0, "found no CoNLL-U", "words: xtreme");
    fails("kind: parsing\nwords: xtreme\ntrain: {es: a.conllu}\n", "", 2, "'words'",
          "tagging only");
}

/* Parts of speech before their words: tags are few, words are many. */
static void swapped_columns(void **state)
{
    (void)state;
    static const char *const pos[] = {"NOUN", "VERB", "DET"};
    char text[4096];
    size_t n = 0;
    for (int i = 0; i < 60; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s\tw%d\n%s", pos[i % 3], i % 20,
                              i % 10 == 9 ? "\n" : "");
    put("a", text);
    fails("kind: tagging\ntrain: {en: a}\n", "a", 1, "found 3 different words in column 1",
          "20 tags in column 2 of 60 rows");
    assert_non_null(strstr(err.hint, "columns: {word: 2, tag: 1}"));
    ig_task *t = read_ok("kind: tagging\ncolumns: {word: 2, tag: 1}\ntrain: {en: a}\n");
    assert_int_equal(t->labels.n, 3);
    ig_task_free(t);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const char tags[] = "kind: tagging\ntrain: {en: a}\n",
                      parse[] = "kind: parsing\ntrain: {en: a}\n";
    put("a", "only\nwords\n");
    fails(tags, "a", 1, "found 1 column", "a word and its tag");
    put("a", "a b O\nc O\n");
    fails(tags, "a", 2, "found 2 columns", "expected 3 as in line 1");
    assert_string_equal(err.hint, "columns are separated by blanks, as in that line");
    put("a", "d1 a O\nd1 b O\n\nd2 c O\nd2 d O\n");
    fails(tags, "a", 1, "the same first column in all lines of a sentence", "words there");
    put("a", "Sentence #\tWord\tTag\n1\ta\tO\n\tb\tO\n2\tc\tO\n");
    fails(tags, "a", 1, "found column 'Sentence #' and no blank line", "a blank line after each");
    put("a", "a\tO\n\tO\n");
    fails(tags, "a", 2, "found no word in column 1", "expected one");
    put("a", "a\tO\nb\t\n");
    fails(tags, "a", 2, "found no tag in column 2", "expected one");
    put("a", "a\tO\t\nb\tB-X\t\n");
    fails(tags, "a", 1, "found no tag in column 3", "expected one");
    assert_non_null(strstr(err.hint, "'columns'"));
    put("a", "B-X\tEva\nI-X\tLee\nO\tran\n");
    fails(tags, "a", 1, "found tags of spans in the first column", "expected words");
    assert_non_null(strstr(err.hint, "columns: {word: 2, tag: 1}"));
    put("a", "\n\n");
    fails(tags, "a", 0, "found no labelled sentence", "expected some");
    put("a", ROW("1", "a", "_", "0", "root") ROW("2", "b", "_", "1", "dep"));
    fails(tags, "a", 0, "found no tag but '_'", "expected some");
    assert_non_null(strstr(err.hint, "columns: {word: 2, tag: 5}"));
    put("a", "a I-X\nb O\nc I-X\nd I-X\n");
    ig_task *io = read_ok("kind: tagging\nscheme: IO\ntrain: {en: a}\n");
    assert_tags(io, 0, "B-X O B-X I-X");
    ig_task_free(io);
    fails("kind: tagging\nsubtypes: true\ntrain: {en: a}\n", "", 2, "'subtypes'", "parsing only");
    fails("kind: parsing\nscheme: iob1\ntrain: {en: a}\n", "", 2, "'scheme'", "tagging only");
    fails("kind: tagging\nscheme: iob3\ntrain: {en: a}\n", "", 2, "iob3",
          "plain, iob1, iob2 or bioul");
    put("a", "a\tO\n");
    fails(parse, "a", 1, "found 2 columns between tabs", "expected 10");
    put("a", ROW("1", "a", "X", "0", "root") "\n# c\n\n");
    fails(parse, "a", 3, "a sentence without words", "expected words");
    put("a", ROW("1", "_", "X", "0", "root") ROW("2", "_", "X", "1", "dep"));
    fails(parse, "a", 1, "nothing but '_'", "expected words");
    put("a", ROW("1", "a", "X", "0", "root") ROW("2", "b", "X", "3", "dep"));
    fails(parse, "a", 2, "found 3 as the head of word 2", "1 to 2");
    put("a", ROW("1", "a", "X", "0", "root") ROW("2", "b", "X", "0", "root"));
    fails(parse, "a", 1, "found 2 roots", "expected one");
    put("a", "# c\n" ROW("1", "a", "X", "0", "root") ROW("2", "b", "X", "3", "d")
                 ROW("3", "c", "X", "2", "d"));
    fails(parse, "a", 3, "found a cycle", "expected a tree");
    put("a", ROW("1", "a", "X", "_", "root"));
    fails(parse, "a", 1, "found '_' as the head", "a number");
    put("a", "{\"tokens\": [\"a\"], \"tags\": [\"O\"]}\n");
    fails("kind: tagging\ntrain: {en: a}\n", "a", 1, "found JSON", "a word and its tag");
    put("a", "\"a\"\t\"B-X\"\n\"b\"\t\"O\"\n\n");
    fails("kind: tagging\ntrain: {en: a}\n", "a", 1, "\"B-X\" in quotation marks", "without");
    put("a", ROW("1", "a", "X", "0", "_"));
    fails(parse, "a", 1, "found no relation", "expected one");
    put("a", ROW("1", "a", "X", "0", "root") "\n# c\n\n" ROW("1", "_", "X", "0", "root")
                 ROW("2", "_", "X", "1", "dep") "\n" ROW("1", "b", "X", "2", "obj")
                     ROW("2", "c", "X", "0", "root"));
    ig_task *t = read_ok("kind: parsing\nwithout_words: skip\ntrain: {en: a}\n");
    assert_int_equal(t->set[0].n, 2);
    assert_int_equal(t->set[0].first[1], 1);
    assert_int_equal(t->set[0].head[1], 2);
    assert_tags(t, 0, "root / obj root");
    assert_int_equal(t->set[0].count.without_words, 2);
    assert_int_equal(t->set[0].count.read, 4);
    ig_task_free(t);
}

static void splits_that_overlap(void **state)
{
    (void)state;
    put("train", "a O\nb O\n\na O\n\na O\nb X\n\nc O\n"); /* "a b" twice */
    put("dev", "a O\n\nd O\n\na O\nb O\n");
    put("test", "ab O\n\nc X\n\nc O\n\nd O\n");
    ig_task *t = read_ok("kind: tagging\nscheme: plain\ntrain: {en: train, de: dev}\n"
                         "dev: {en: dev}\ntest: {en: test}\n");
    assert_int_equal(ig_task_find(t, "en", IG_SPLIT_TRAIN)->count.duplicate, 1);
    const ig_task_counts *dev = &ig_task_find(t, "en", IG_SPLIT_DEV)->count,
                         *test = &ig_task_find(t, "en", IG_SPLIT_TEST)->count,
                         *other = &ig_task_find(t, "de", IG_SPLIT_TRAIN)->count;
    assert_int_equal(dev->duplicate, 0);
    assert_int_equal(dev->overlap[IG_SPLIT_TRAIN], 2);
    assert_int_equal(dev->overlap[IG_SPLIT_TEST], 1);
    assert_int_equal(test->duplicate, 1);
    assert_int_equal(test->overlap[IG_SPLIT_TRAIN], 2);
    assert_int_equal(test->overlap[IG_SPLIT_DEV], 1);
    assert_int_equal(other->overlap[IG_SPLIT_DEV], 0); /* of another language */
    assert_int_equal(test->read, 4);
    ig_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns),
        cmocka_unit_test(layouts),
        cmocka_unit_test(conllu_layouts),
        cmocka_unit_test(named_columns),
        cmocka_unit_test(schemes),
        cmocka_unit_test(spans_without_types),
        cmocka_unit_test(odd_tags),
        cmocka_unit_test(swapped_columns),
        cmocka_unit_test(suspicious_labels),
        cmocka_unit_test(labels_of_tags),
        cmocka_unit_test(conllu),
        cmocka_unit_test(xtreme),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(splits_that_overlap),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
