/* SPDX-License-Identifier: Apache-2.0
 *
 * A table in LaTeX: a table environment with booktabs' rules, for any document class. Characters
 * that are special to TeX are escaped; Greek, sub- and superscripts and signs become their
 * commands, so that pdflatex takes them.
 */
#include "report/table/table_format.h"

#include <string.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

typedef struct {
    UChar32 c;
    const char *tex;
} symbol;

/* Α to Ω and α to ω, from U+0391 on; "": none, or a capital of Latin looks. */
static const char *const greek[] = {
    "A",          "B",      "Gamma", "Delta", "",         "",      "",       "Theta",   "",
    "",           "Lambda", "",      "",      "",         "",      "Pi",     "",        "",
    "Sigma",      "",       "",      "Phi",   "",         "Psi",   "Omega",  "",        "",
    "",           "",       "",      "",      "",         "alpha", "beta",   "gamma",   "delta",
    "varepsilon", "zeta",   "eta",   "theta", "iota",     "kappa", "lambda", "mu",      "nu",
    "xi",         "o",      "pi",    "rho",   "varsigma", "sigma", "tau",    "upsilon", "varphi",
    "chi",        "psi",    "omega"};
enum { FIRST_GREEK = 0x391, N_GREEK = sizeof greek / sizeof *greek };

/* Sorted by nothing: a report has few of them. */
static const symbol symbols[] = {
    {'\\', "\\textbackslash{}"},
    {'{', "\\{"},
    {'}', "\\}"},
    {'$', "\\$"},
    {'&', "\\&"},
    {'#', "\\#"},
    {'%', "\\%"},
    {'_', "\\_"},
    {'^', "\\textasciicircum{}"},
    {'~', "\\textasciitilde{}"},
    {'<', "\\textless{}"},
    {'>', "\\textgreater{}"},
    {'|', "\\textbar{}"},
    {'"', "\\char34{}"}, /* \textquotedbl is of other encodings than OT1 */
    {'\'', "\\textquotesingle{}"},
    {'`', "\\textasciigrave{}"},
    {0xB1, "$\\pm$"},
    {0xD7, "$\\times$"},
    {0xB7, "$\\cdot$"},
    {0xB2, "$^2$"},
    {0xB3, "$^3$"},
    {0xB9, "$^1$"},
    {0xB5, "$\\mu$"},
    {0x2013, "--"},
    {0x2014, "---"},
    {0x2018, "`"},
    {0x2019, "'"},
    {0x201C, "``"},
    {0x201D, "''"},
    {0x2020, "\\dag{}"},
    {0x2021, "\\ddag{}"},
    {0x2026, "\\ldots{}"},
    {0x2190, "$\\leftarrow$"},
    {0x2191, "$\\uparrow$"},
    {0x2192, "$\\rightarrow$"},
    {0x2193, "$\\downarrow$"},
    {0x2208, "$\\in$"},
    {0x2212, "$-$"},
    {0x221E, "$\\infty$"},
    {0x2248, "$\\approx$"},
    {0x2260, "$\\neq$"},
    {0x2264, "$\\leq$"},
    {0x2265, "$\\geq$"},
    {0x226A, "$\\ll$"},
    {0x226B, "$\\gg$"},
    {0x2308, "$\\lceil$"},
    {0x2309, "$\\rceil$"},
    {0x25B8, "$\\triangleright$"},
};

/* Characters that pdflatex of 2018 and later reads as they are: Latin-1 and Latin Extended-A. */
static bool plain(UChar32 c)
{
    return (c >= 0x20 && c < 0x7F) || (c >= 0xA0 && c <= 0x17F && c != 0xAD);
}

/* Writes a character as its command; false: it has none. */
static bool put_command(FILE *fp, UChar32 c)
{
    const bool is_greek = c >= FIRST_GREEK && c < FIRST_GREEK + N_GREEK;
    const char *tex = is_greek ? greek[c - FIRST_GREEK] : "";
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        tex = symbols[i].c == c ? symbols[i].tex : tex;
    fprintf(fp, is_greek && strlen(tex) > 1 ? "$\\%s$" : "%s", tex);
    return tex[0] != '\0';
}

/* Digits and signs of U+2070–208E. NUL: none. */
static char script(UChar32 c, char *which)
{
    static const char sign[] = "+-=()";
    *which = c >= 0x2080 ? '_' : '^';
    if (c == 0x2070 || (c >= 0x2074 && c <= 0x2079) || (c >= 0x2080 && c <= 0x2089))
        return (char)('0' + (c & 0xF));
    if ((c >= 0x207A && c <= 0x207E) || (c >= 0x208A && c <= 0x208E))
        return sign[(c & 0xF) - 0xA];
    return '\0';
}

/* Returns whether there was a character that pdflatex does not take. */
static bool put_escaped(FILE *fp, const char *s)
{
    const uint8_t *u = (const uint8_t *)s;
    int32_t size = (int32_t)strlen(s), at = 0;
    bool foreign = false;
    while (at < size) {
        int32_t from = at;
        UChar32 c;
        char which, small;
        U8_NEXT(u, at, size, c);
        if (put_command(fp, c))
            continue;
        if (c < 0 || u_charType(c) == U_CONTROL_CHAR)
            fputc(' ', fp);
        else if ((small = script(c, &which)) != '\0')
            fprintf(fp, "$%c{%c}$", which, small);
        else {
            fwrite(s + from, 1, (size_t)(at - from), fp);
            foreign = foreign || !plain(c);
        }
    }
    return foreign;
}

static bool put_cell(FILE *fp, const ig_table *t, int64_t r, int c)
{
    const ig_table_cell *x = &t->cell[r * t->n_column + c];
    bool foreign = false, sub = t->row[r].kind == IG_ROW_SUB;
    ig_number_parts p;
    ig_table_number_parts(&p, x);
    if (x->text != NULL) {
        fputs(sub ? "\\quad{\\footnotesize " : "", fp);
        foreign = put_escaped(fp, x->text);
        fputs(sub ? "}" : "", fp);
        return foreign;
    }
    if (!p.shown) {
        fputs(x->absent || t->column[c].row_head ? "" : "--", fp);
        return false;
    }
    fputs(sub ? "{\\footnotesize " : "", fp);
    if (p.interval) {
        fprintf(fp, "$[%s%s,\\,%s%s]$", p.whole, p.part, p.sd_whole, p.sd_part);
    } else {
        fprintf(fp, x->best ? "$\\mathbf{%s%s}$" : "$%s%s$", p.whole, p.part);
        if (p.sd_whole[0] != '\0')
            fprintf(fp, "\\,{\\scriptsize$\\pm$\\,%s%s}", p.sd_whole, p.sd_part);
        if (x->mark != NULL && x->mark[0] != '\0') {
            fputs("\\textsuperscript{", fp);
            foreign = put_escaped(fp, x->mark);
            fputs("}", fp);
        }
        if (p.count[0] != '\0')
            fprintf(fp, " {\\scriptsize %s}", p.count);
    }
    fputs(sub ? "}" : "", fp);
    return foreign;
}

/* After the end of a row, TeX takes a star or a bracket as an option of it. */
static void guard(FILE *fp, const char *first)
{
    if (first != NULL && (first[0] == '*' || first[0] == '['))
        fputs("{}", fp);
}

/* Groups' headings over \cmidrule. */
static bool put_groups(FILE *fp, const ig_table *t)
{
    bool any = false, foreign = false;
    for (int c = 0; c < t->n_column; c++)
        any = any || t->column[c].group != NULL;
    if (!any)
        return false;
    for (int pass = 0; pass < 2; pass++) {
        fputs("    ", fp);
        for (int c = 0, k; c < t->n_column; c = k) {
            for (k = c + 1; k < t->n_column && ig_table_same_group(t, k);)
                k++;
            const char *group = t->column[c].group;
            if (pass == 1 && group != NULL)
                fprintf(fp, "\\cmidrule(lr){%d-%d}", c + 1, k);
            if (pass == 1)
                continue;
            fputs(c > 0 ? " & " : "", fp);
            if (group != NULL) {
                fprintf(fp, "\\multicolumn{%d}{c}{", k - c);
                foreign = put_escaped(fp, group) || foreign;
                fputs("}", fp);
            }
        }
        fputs(pass == 0 ? " \\\\\n" : "\n", fp);
    }
    return foreign;
}

static bool put_tabular(FILE *fp, const ig_table *t)
{
    fputs("  \\begin{tabular}{@{}", fp);
    for (int c = 0; c < t->n_column; c++)
        fputc(t->column[c].align == IG_TABLE_LEFT ? 'l' : 'r', fp);
    fputs("@{}}\n    \\toprule\n", fp);
    bool foreign = put_groups(fp, t);
    fputs("    ", fp);
    guard(fp, t->n_column > 0 ? t->column[0].title : NULL);
    for (int c = 0; c < t->n_column; c++) {
        fputs(c > 0 ? " & " : "", fp);
        foreign = put_escaped(fp, t->column[c].title) || foreign;
    }
    fputs(" \\\\\n    \\midrule\n", fp);
    for (int64_t r = 0; r < t->n_row; r++) {
        if (t->row[r].kind == IG_ROW_FOOT && r > 0 && t->row[r - 1].kind != IG_ROW_FOOT)
            fputs("    \\midrule\n", fp);
        fputs("    ", fp);
        if (t->row[r].kind != IG_ROW_SUB && t->n_column > 0)
            guard(fp, t->cell[r * t->n_column].text);
        for (int c = 0; c < t->n_column; c++) {
            fputs(c > 0 ? " & " : "", fp);
            foreign = put_cell(fp, t, r, c) || foreign;
        }
        fputs(" \\\\\n", fp);
    }
    fputs("    \\bottomrule\n  \\end{tabular}\n", fp);
    return foreign;
}

/* For \label: letters, digits and what TeX leaves alone. */
static void put_label(FILE *fp, const char *s)
{
    for (; *s != '\0'; s++)
        fputc(strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.:", *s) !=
                      NULL
                  ? *s
                  : '-',
              fp);
}

ig_code ig_table_latex(FILE *fp, const ig_table *t, ig_err *err)
{
    IG_TRY(ig_table_check(t, err));
    fputs("% \\usepackage{booktabs}\n\\begin{table}\n  \\centering\n", fp);
    bool foreign = put_tabular(fp, t);
    if (t->n_note > 0)
        fputs("\n  \\smallskip\n", fp);
    for (int i = 0; i < t->n_note; i++) {
        fputs("  {\\footnotesize ", fp);
        foreign = put_escaped(fp, t->note[i]) || foreign;
        fputs("\\par}\n", fp);
    }
    fputs("  \\caption{", fp);
    if (t->title != NULL)
        foreign = put_escaped(fp, t->title) || foreign;
    if (t->caption != NULL && t->caption[0] != '\0') {
        fputs(". ", fp);
        foreign = put_escaped(fp, t->caption) || foreign;
    }
    fputs("}\n  \\label{tab:", fp);
    put_label(fp, t->name);
    fputs("}\n\\end{table}\n", fp);
    if (foreign)
        fputs("% holds characters that pdflatex does not know: use lualatex or xelatex\n", fp);
    return IG_ERR_OK;
}
