/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables and their writers: what they show, character by character, and that no text of a file can
 * become markup, a command or an escape sequence.
 */
#include "base/number_text.h"
#include "test.h"
#include "well_formed.h"

#include "report/table/html.h"
#include "report/table/table.h"
#include "report/table/table_format.h"

#include <stdlib.h>
#include <string.h>

/* Two cells of the paper's Table 1, its numbers below ours. */
static ig_table *sample(void)
{
    ig_table *t;
    ig_err err;
    assert_ok(ig_table_new(&t, "table1", "Table 1", "Mean and sd", &err), &err);
    int id = ig_table_add_row_head(t, "cell", "ID"),
        label = ig_table_add_row_head(t, "label", "model");
    int mu = ig_table_add_column(t, "mu", "\316\274", NULL, IG_TABLE_NUMBER);
    int f1 = ig_table_add_column(t, "f1", "F1", "layer 0", IG_TABLE_NUMBER);
    int rho = ig_table_add_column(t, "rho", "\317\201", "layer 0", IG_TABLE_NUMBER);
    int ppl = ig_table_add_column(t, "ppl", "dev", "perplexity", IG_TABLE_NUMBER);
    static const double ours[2][4] = {{.702, 1, .16, 216.94}, {.3, .87, -.004, 9.25}};
    static const double sd[2][4] = {{.02, 0, .021, 7.8}, {.01, .05, NAN, .25}};
    for (int r = 0; r < 2; r++) {
        int64_t row = ig_table_add_row(t, IG_ROW_BODY, r == 0 ? "t-0" : "t-1");
        ig_table_text(t, row, id, r == 0 ? "0" : "1");
        ig_table_text(t, row, label, r == 0 ? "original" : "lang-pos");
        for (int k = 0; k < 4; k++) {
            ig_table_cell *c = ig_table_at(t, row, mu + k);
            c->value = ours[r][k];
            c->sd = sd[r][k];
            c->digits = k == 3 ? (r == 0 ? 1 : 2) : 2;
        }
        ig_table_at(t, row, mu)->best = r == 0;
        ig_table_at(t, row, mu)->mark = r == 0 ? NULL : "**";
        ig_table_at(t, row, f1)->n = r == 0 ? 0 : 3;
        row = ig_table_add_row(t, IG_ROW_SUB, "paper");
        ig_table_text(t, row, label, "paper");
        ig_table_number(t, row, mu, r == 0 ? .7 : .3, 2);
        ig_table_at(t, row, rho)->low = -.01;
        ig_table_at(t, row, rho)->high = .25;
        ig_table_at(t, row, rho)->digits = 2;
        ig_table_at(t, row, f1)->absent = true;
    }
    int64_t row = ig_table_add_row(t, IG_ROW_FOOT, "order");
    ig_table_text(t, row, label, "order");
    ig_table_number(t, row, mu, 1, 2);
    ig_table_add_note(t, "Two rows of %d.", 16);
    (void)ppl;
    return t;
}

typedef ig_code writer(FILE *fp, const ig_table *t, ig_err *err);

static char *written(writer *w, const ig_table *t)
{
    char *s;
    size_t n;
    ig_err err;
    FILE *fp = open_memstream(&s, &n);
    assert_non_null(fp);
    assert_ok(w(fp, t, &err), &err);
    assert_int_equal(fclose(fp), 0);
    return s;
}

static ig_code whole_html(FILE *fp, const ig_table *t, ig_err *err)
{
    return ig_table_html(fp, t, false, err);
}

static char *on_terminal(const ig_table *t, int width, bool colour)
{
    char *s;
    size_t n;
    ig_err err;
    FILE *fp = open_memstream(&s, &n);
    assert_non_null(fp);
    assert_ok(ig_table_terminal(fp, t, &(ig_table_terminal_options){width, colour}, &err), &err);
    assert_int_equal(fclose(fp), 0);
    return s;
}

static void terminal_lines_up(void **state)
{
    (void)state;
    ig_table *t = sample();
    char *s = on_terminal(t, 0, false);
    assert_string_equal(
        s, "Table 1\n"
           "Mean and sd\n"
           "──────────────────────────────────────────────────────────────────────────────\n"
           "                                           layer 0                perplexity  \n"
           "ID  model                  μ                F1               ρ             dev\n"
           "──────────────────────────────────────────────────────────────────────────────\n"
           "0   original  ▸0.70 ± 0.02     1.00 ± 0.00         0.16 ± 0.02   216.9  ± 7.8 \n"
           "    paper      0.70                              [−0.01, 0.25]               –\n"
           "1   lang-pos   0.30 ± 0.01**   0.87 ± 0.05 (3)     0.00            9.25 ± 0.25\n"
           "    paper      0.30                              [−0.01, 0.25]               –\n"
           "──────────────────────────────────────────────────────────────────────────────\n"
           "    order      1.00                          –               –               –\n"
           "──────────────────────────────────────────────────────────────────────────────\n"
           "Two rows of 16.\n");
    free(s);
    s = on_terminal(t, 0, true);
    assert_non_null(strstr(s, "\033[1m0.70\033[22m ± 0.02"));
    assert_null(strstr(s, "▸"));
    free(s);
    ig_table_free(t);
}

/* No line is wider than the terminal, every block has the row heads, every column is in one block.
 */
static void narrow_terminal(void **state)
{
    (void)state;
    ig_table *t = sample();
    for (int width = 40; width <= 90; width++) {
        char *s = on_terminal(t, width, false), *rest = s;
        int n_f1 = 0, n_dev = 0, n_block = 0, n_model = 0;
        for (char *line; (line = strtok_r(rest, "\n", &rest)) != NULL;) {
            if (ig_text_width(line) > width)
                fail_msg("%d cells on a terminal of %d: %s", ig_text_width(line), width, line);
            n_f1 += strstr(line, "F1") != NULL;
            n_dev += strstr(line, "dev") != NULL;
            n_model += strncmp(line, "1   lang-pos", 12) == 0;
            n_block += strncmp(line, "ID", 2) == 0;
        }
        assert_int_equal(n_f1, 1);
        assert_int_equal(n_dev, 1);
        assert_int_equal(n_model, n_block);
        assert_true(width >= 78 ? n_block == 1 : n_block >= 2);
        free(s);
    }
    ig_table_free(t);
}

static void long_label_gives_way(void **state)
{
    (void)state;
    ig_table *t;
    ig_err err;
    assert_ok(ig_table_new(&t, "t", "", NULL, &err), &err);
    int label = ig_table_add_row_head(t, "label", "model");
    int mu = ig_table_add_column(t, "mu", "mu", NULL, IG_TABLE_NUMBER);
    int64_t r = ig_table_add_row(t, IG_ROW_BODY, NULL);
    ig_table_text(t, r, label, "語言; 位置編碼分開; 特殊符號移位; 沒有隨機替換; 詞序顛倒");
    ig_table_number(t, r, mu, .125, 3);
    char *s = on_terminal(t, 40, false); /* less 7 for the number */
    assert_non_null(strstr(s, "語言; 位置編碼分開; 特殊符號移位…"));
    assert_non_null(strstr(s, "0.125"));
    free(s);
    s = on_terminal(t, 70, false);
    assert_non_null(strstr(s, "詞序顛倒"));
    free(s);
    ig_table_free(t);
}

/* A name that leaves room for two columns of numbers is whole, though the table takes more blocks;
 * and so is a heading over columns narrower than it. */
static void names_are_whole(void **state)
{
    (void)state;
    static const char name[] = "lang-pos; shift-special; no-random";
    ig_table *t;
    ig_err err;
    assert_ok(ig_table_new(&t, "t", "", NULL, &err), &err);
    int label = ig_table_add_row_head(t, "label", "model"), first = 0;
    for (int c = 0; c < 8; c++) {
        int k = ig_table_add_column(t, "x", c % 2 == 0 ? "a" : "b",
                                    c < 4 ? "perplexity by pad_attend" : NULL, IG_TABLE_NUMBER);
        first = c == 0 ? k : first;
    }
    int64_t r = ig_table_add_row(t, IG_ROW_BODY, NULL);
    ig_table_text(t, r, label, name);
    for (int c = 0; c < 8; c++)
        ig_table_number(t, r, first + c, .5, 2);
    for (int width = 52; width <= 100; width++) {
        char *s = on_terminal(t, width, false);
        assert_non_null(strstr(s, name));
        if (width > 90)
            assert_non_null(strstr(s, "perplexity by pad_attend"));
        for (char *line, *rest = s; (line = strtok_r(rest, "\n", &rest)) != NULL;)
            assert_true(ig_text_width(line) <= width);
        free(s);
    }
    ig_table_free(t);
}

static void widths(void **state)
{
    (void)state;
    static const struct {
        const char *s;
        int width;
    } of[] = {
        {"", 0},
        {"abc", 3},
        {"μ ± τ₀", 6},
        {"漢字", 4},
        {"한국", 4},
        {"\u1112\u1161\u11ab", 2},         /* 한 of three jamo */
        {"e\u0301", 1},                    /* combining acute */
        {"\u0915\u094d\u0937\u0947", 2},   /* two consonants, virama, vowel sign */
        {"\U0001F469\u200D\U0001F52C", 2}, /* woman scientist: joined */
        {"\U0001F1EB\U0001F1EE", 2},       /* a flag of two letters */
        {"\u2764\uFE0F", 2},               /* heart requested as emoji */
        {"\u05E9\u05DC\u05D5\u05DD", 4},
        {"a\tb", 3},
        {"\xff\xfe", 2},
        {"\xe2\x82", 1},
        {"\033[31m", 5},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (ig_text_width(of[i].s) != of[i].width)
            fail_msg("'%s' has %d cells, expected %d", of[i].s, ig_text_width(of[i].s),
                     of[i].width);
}

/* Text of a file cannot control the terminal, end a table's line, become markup or a command. */
static const char hostile[] =
    "<script>alert(1)</script>&amp;\"'\033[2J\033]0;x\007\x80\n|a|`b`*c*_d_"
    "[e](f)\\input{/etc/passwd}$x^2$%~#{}\xE2\x80\xAE";

static ig_table *hostile_table(void)
{
    ig_table *t;
    ig_err err;
    assert_ok(ig_table_new(&t, hostile, hostile, hostile, &err), &err);
    int label = ig_table_add_row_head(t, hostile, hostile);
    int mu = ig_table_add_column(t, "mu", hostile, hostile, IG_TABLE_NUMBER);
    int64_t r = ig_table_add_row(t, IG_ROW_BODY, NULL);
    ig_table_text(t, r, label, hostile);
    ig_table_cell *c = ig_table_at(t, r, mu);
    c->value = 1;
    c->mark = c->title = c->link = hostile;
    ig_table_add_note(t, "%s", hostile);
    return t;
}

static void hostile_text(void **state)
{
    (void)state;
    ig_table *t = hostile_table();
    char *s = on_terminal(t, 80, true), *p = s;
    while ((p = strchr(p, '\033')) != NULL) {
        assert_true(strncmp(p, "\033[1m", 4) == 0 || strncmp(p, "\033[22m", 5) == 0 ||
                    strncmp(p, "\033[2m", 4) == 0);
        p++;
    }
    assert_null(strchr(s, '\007'));
    assert_null(strstr(s, "\xE2\x80\xAE"));
    free(s);

    s = written(whole_html, t);
    assert_true(assert_well_formed(s) > 8);
    assert_null(strstr(s, "<script"));
    assert_null(strchr(s, '\033'));
    free(s);

    s = written(ig_table_markdown, t);
    assert_null(strstr(s, "<script"));
    assert_non_null(strstr(s, "[e\\](f)"));
    int n_bar = 0; /* those that part cells: 3 in each of the 3 lines */
    for (p = s; *p != '\0'; p++)
        n_bar += *p == '|' && (p == s || p[-1] != '\\');
    assert_int_equal(n_bar, 9);
    free(s);

    s = written(ig_table_latex, t);
    assert_null(strstr(s, "\\input"));
    assert_null(strstr(s, "$x^2$"));
    assert_non_null(strstr(s, "\\textbackslash{}input\\{/etc/passwd\\}\\$x\\textasciicircum{}2\\$"
                              "\\%\\textasciitilde{}\\#\\{\\}"));
    free(s);
    ig_table_free(t);
}

static void markdown(void **state)
{
    (void)state;
    ig_table *t = sample();
    char *s = written(ig_table_markdown, t);
    assert_string_equal(s, "**Table 1** Mean and sd\n\n"
                           "| ID  | model    |               μ |      layer 0 F1 |     layer 0 ρ | "
                           "perplexity dev |\n"
                           "|:----|:---------|----------------:|----------------:|--------------:|-"
                           "--------------:|\n"
                           "| 0   | original | **0.70** ± 0.02 |     1.00 ± 0.00 |   0.16 ± 0.02 | "
                           "   216.9 ± 7.8 |\n"
                           "|     | *paper*  |            0.70 |                 | [−0.01, 0.25] | "
                           "             – |\n"
                           "| 1   | lang-pos |  0.30 ± 0.01 ** | 0.87 ± 0.05 (3) |          0.00 | "
                           "   9.25 ± 0.25 |\n"
                           "|     | *paper*  |            0.30 |                 | [−0.01, 0.25] | "
                           "             – |\n"
                           "|     | *order*  |            1.00 |               – |             – | "
                           "             – |\n"
                           "\nTwo rows of 16.\n");
    free(s);
    ig_table_free(t);
}

/* Only what Markdown would not show as it is is escaped: `written` is `text` as a note has it. */
static void markdown_text(void **state)
{
    (void)state;
    static const struct {
        const char *text, *written;
    } of[] = {
        {"p < .05 & mu(8) > .5 * mu(0); a < b", "p < .05 & mu(8) > .5 * mu(0); a < b"},
        {"*, **, ***: differs from cell 0", "*, **, ***: differs from cell 0"},
        {"of *one* kind", "of \\*one\\* kind"},
        {"positions_nearest_rare(1), _two_", "positions_nearest_rare(1), \\_two\\_"},
        {"perplexity[dev](0), [1, 2], [^1]", "perplexity[dev\\](0), [1, 2], \\[^1]"},
        {"<b> &lt; &x", "&lt;b> \\&lt; &x"},
        {"~~x~~, about ~3", "\\~\\~x\\~\\~, about ~3"},
        {"$3", "$3"},
        {"$x$ \\a \\*", "\\$x\\$ \\a \\\\*"},
        {"# one > two", "\\# one > two"},
        {"* one", "\\* one"},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        ig_table *t;
        ig_err err;
        assert_ok(ig_table_new(&t, "t", "", NULL, &err), &err);
        ig_table_add_row_head(t, "a", "a");
        ig_table_add_note(t, "%s", of[i].text);
        char *s = written(ig_table_markdown, t), *note = strrchr(s, '|') + 3;
        note[strcspn(note, "\n")] = '\0';
        assert_string_equal(note, of[i].written);
        free(s);
        ig_table_free(t);
    }
}

static void latex(void **state)
{
    (void)state;
    ig_table *t = sample();
    char *s = written(ig_table_latex, t);
    assert_non_null(strstr(s,
                           "  \\begin{tabular}{@{}llrrrr@{}}\n"
                           "    \\toprule\n"
                           "     &  &  & \\multicolumn{2}{c}{layer 0} & "
                           "\\multicolumn{1}{c}{perplexity} \\\\\n"
                           "    \\cmidrule(lr){4-5}\\cmidrule(lr){6-6}\n"
                           "    ID & model & $\\mu$ & F1 & $\\rho$ & dev \\\\\n"
                           "    \\midrule\n"
                           "    0 & original & $\\mathbf{0.70}$\\,{\\scriptsize$\\pm$\\,0.02} & "));
    assert_non_null(strstr(s, "  \\caption{Table 1. Mean and sd}\n  \\label{tab:table1}\n"));
    assert_null(strstr(s, "lualatex"));
    free(s);
    int64_t r = ig_table_add_row(t, IG_ROW_BODY, NULL);
    ig_table_text(t, r, 1, "語 \"a\"");
    s = written(ig_table_latex, t);
    assert_non_null(strstr(s, "lualatex"));
    assert_non_null(strstr(s, "\\char34{}a\\char34{}")); /* in any encoding of fonts */
    free(s);
    ig_table_text(t, ig_table_add_row(t, IG_ROW_BODY, NULL), 0, "[a]");
    ig_table_text(t, ig_table_add_row(t, IG_ROW_BODY, NULL), 0, "*b");
    s = written(ig_table_latex, t);
    assert_non_null(strstr(s, "\\\\\n    {}[a] & ")); /* no option of the row before */
    assert_non_null(strstr(s, "\\\\\n    {}*b & "));
    free(s);
    ig_table_free(t);
}

static ig_code csv_with_header(FILE *fp, const ig_table *t, ig_err *err)
{
    return ig_table_csv(fp, t, true, err);
}

static void csv_and_json(void **state)
{
    (void)state;
    ig_table *t;
    ig_err err;
    assert_ok(ig_table_new(&t, "t", "T", NULL, &err), &err);
    int label = ig_table_add_row_head(t, "label", "model");
    int x = ig_table_add_column(t, "a,b", "x", NULL, IG_TABLE_NUMBER);
    int n = ig_table_add_column(t, "n", "n", NULL, IG_TABLE_NUMBER);
    int64_t r = ig_table_add_row(t, IG_ROW_BODY, NULL);
    ig_table_text(t, r, label, "say \"hi\",\nyou");
    ig_table_number(t, r, x, .1, 2);
    ig_table_number(t, r, n, 5, 0);
    r = ig_table_add_row(t, IG_ROW_SUB, "paper");
    ig_table_text(t, r, label, "not a row for programs");
    r = ig_table_add_row(t, IG_ROW_BODY, NULL);
    ig_table_text(t, r, label, "語");
    ig_table_number(t, r, n, 1. / 3, 0);
    char *s = written(csv_with_header, t);
    assert_string_equal(s, "label,\"a,b\",n\r\n\"say \"\"hi\"\",\nyou\",0.1,5\r\n"
                           "語,,0.3333333333333333\r\n");
    free(s);
    ig_table_free(t);
}

/* A formula is written as text, and a number stays one. */
static void csv_has_no_formulas(void **state)
{
    (void)state;
    static const struct {
        const char *text, *field;
    } c[] = {{"=1+1", "'=1+1"},
             {"=HYPERLINK(\"http://x\",\"y\")", "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\""},
             {"+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"},
             {"-2+3", "'-2+3"},
             {"@SUM(1)", "'@SUM(1)"},
             {"\t=1", "'\t=1"},
             {"\r=1", "\"'\r=1\""},
             {"-", "'-"},
             {"-.", "'-."},
             {"-1e", "'-1e"},
             {"-0x10", "'-0x10"},
             {"-inf", "'-inf"},
             {"-5", "-5"},
             {"+5.25", "+5.25"},
             {"-.5e-07", "-.5e-07"},
             {"-1.E+3", "-1.E+3"},
             {"−5", "−5"},
             {"a=b", "a=b"},
             {"", ""}};
    ig_table *t;
    ig_err err;
    char want[1000] = "=key,number\r\n";
    memmove(want + 1, want, strlen(want) + 1);
    want[0] = '\'';
    assert_ok(ig_table_new(&t, "t", "T", NULL, &err), &err);
    int text = ig_table_add_row_head(t, "=key", "x");
    int number = ig_table_add_column(t, "number", "n", NULL, IG_TABLE_NUMBER);
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        int64_t r = ig_table_add_row(t, IG_ROW_BODY, NULL);
        ig_table_text(t, r, text, c[i].text);
        ig_table_number(t, r, number, -1.5, 1);
        strcat(strcat(want, c[i].field), ",-1.5\r\n");
    }
    char *s = written(csv_with_header, t);
    assert_string_equal(s, want);
    free(s);
    ig_table_free(t);
}

static void exact_numbers(void **state)
{
    (void)state;
    static const double of[] = {0, .1, 1. / 3, 216.94, 1e300, -4.9e-324, 123456789012345678.};
    char s[40];
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        ig_number_print(s, sizeof s, of[i]);
        assert_true(strtod(s, NULL) == of[i]);
    }
    ig_number_print(s, sizeof s, .1);
    assert_string_equal(s, "0.1");
    ig_number_print(s, sizeof s, (double)NAN);
    assert_string_equal(s, "");
}

static void numbers_in_parts(void **state)
{
    (void)state;
    ig_number_parts p;
    ig_table_cell c = {.value = -.004, .sd = NAN, .low = NAN, .high = NAN, .digits = 2};
    ig_table_number_parts(&p, &c);
    assert_string_equal(p.whole, "0"); /* a zero that was rounded to has no sign */
    c.sign = true;
    c.value = .004;
    ig_table_number_parts(&p, &c);
    assert_string_equal(p.whole, "0");
    c.value = .3;
    ig_table_number_parts(&p, &c);
    assert_string_equal(p.whole, "+0");
    assert_string_equal(p.part, ".30");
    c.value = (double)INFINITY;
    ig_table_number_parts(&p, &c);
    assert_string_equal(p.whole, "inf");
    c.value = 1e300;
    ig_table_number_parts(&p, &c);
    assert_true(strlen(p.whole) + strlen(p.part) < 20);
}

static void html(void **state)
{
    (void)state;
    ig_table *t = sample();
    char *s = written(whole_html, t);
    assert_true(assert_well_formed(s) > 40);
    /* A row with its lines is one group; heads name rows and columns. */
    assert_non_null(
        strstr(s, "<tbody>\n<tr id=\"t-0\"><td class=\"s\">0</td><th scope=\"row\" "
                  "class=\"s\">original</th><td class=\"n\" data-v=\"0.702\"><b>0.70</b>"));
    assert_non_null(strstr(s, "<tr class=\"l paper\">"));
    assert_non_null(strstr(s, "<th scope=\"colgroup\" class=\"g\" colspan=\"2\">layer 0</th>"));
    free(s);
    ig_table_free(t);
}

/* The writer reports missing memory, and nothing fails before it. */
static void empty_table(void **state)
{
    (void)state;
    ig_table *t;
    ig_err err;
    assert_ok(ig_table_new(&t, "empty", "Empty", NULL, &err), &err);
    char *s = on_terminal(t, 80, false);
    assert_non_null(strstr(s, "Empty"));
    free(s);
    s = written(whole_html, t);
    assert_well_formed(s);
    free(s);
    s = written(ig_table_markdown, t);
    free(s);
    s = written(ig_table_latex, t);
    free(s);
    ig_table_free(t);
    ig_table_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terminal_lines_up),
        cmocka_unit_test(narrow_terminal),
        cmocka_unit_test(long_label_gives_way),
        cmocka_unit_test(names_are_whole),
        cmocka_unit_test(widths),
        cmocka_unit_test(hostile_text),
        cmocka_unit_test(markdown),
        cmocka_unit_test(markdown_text),
        cmocka_unit_test(latex),
        cmocka_unit_test(csv_and_json),
        cmocka_unit_test(csv_has_no_formulas),
        cmocka_unit_test(exact_numbers),
        cmocka_unit_test(numbers_in_parts),
        cmocka_unit_test(html),
        cmocka_unit_test(empty_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
