/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements of claims: what they are read as, and what is refused with which words.
 */
#include "test.h"

#include "report/table/claim.h"

#include <stdio.h>
#include <string.h>

static void put_term(FILE *fp, const ig_claim_term *t)
{
    static const char *const kind[] = {"", "onset ", "best ", "reach ", "kendall ", "spearman "};
    char name[160];
    ig_quantity_format(name, sizeof name, &t->q);
    fprintf(fp, "%g*%s%s", t->times, kind[t->kind], name);
    if (t->cell != NULL)
        fprintf(fp, "(%s)", t->cell);
    if (t->kind == IG_CLAIM_ONSET)
        fprintf(fp, " %g", t->share);
    if (t->other != NULL)
        fprintf(fp, " %s", t->other);
    if (t->cell != NULL)
        return;
    ig_quantity_format(name, sizeof name, &t->with);
    if (t->axis != NULL)
        fprintf(fp, " axis %s", t->axis);
    else if (t->paper != NULL)
        fprintf(fp, " paper %s %s", t->paper, t->proxy != NULL ? t->proxy : "-");
    else
        fprintf(fp, " %s", name);
    for (int i = 0; i < t->n_pattern; i++)
        fprintf(fp, " {%s}", t->pattern[i]);
}

/* "1*mu(0)+0" */
static void put_side(FILE *fp, const ig_claim_side *s)
{
    for (int i = 0; i < s->n_term; i++) {
        fputs(i > 0 ? " + " : "", fp);
        put_term(fp, &s->term[i]);
    }
    fprintf(fp, s->n_term > 0 ? "%+g" : "%g", s->plus);
}

static void reads(const char *statement, const char *want)
{
    char got[1000] = "";
    ig_err err = {0};
    ig_claim c = {0};
    assert_ok(ig_claim_parse(&c, statement, "e.yaml", 7, &err), &err);
    FILE *fp = fmemopen(got, sizeof got, "w");
    for (int i = 0; i < c.n_comparison; i++) {
        const ig_claim_comparison *x = &c.comparison[i];
        fprintf(fp, "%s", i == 0 ? "" : x->part != c.comparison[i - 1].part ? " | " : " & ");
        put_side(fp, &x->more);
        fputs(" > ", fp);
        put_side(fp, &x->less);
        assert_non_null(strstr(statement, x->text));
    }
    fclose(fp);
    assert_string_equal(got, want);
    assert_string_equal(c.statement, statement);
    assert_int_equal(c.n_part, c.comparison[c.n_comparison - 1].part + 1);
    ig_claim_free(&c);
}

static void refuses(const char *statement, const char *message)
{
    ig_err err = {0};
    ig_claim c = {0};
    assert_int_equal(ig_claim_parse(&c, statement, "e.yaml", 7, &err), IG_ERR_USAGE);
    assert_string_equal(err.where, "e.yaml");
    assert_int_equal(err.line, 7);
    if (strcmp(err.msg, message) != 0)
        fail_msg("'%s': got '%s', want '%s'", statement, err.msg, message);
    ig_claim_free(&c);
}

static void statements(void **state)
{
    (void)state;
    reads("mu(0) > mu(1)", "1*mu(0)+0 > 1*mu(1)+0");
    reads("mu(0)<mu(1)", "1*mu(1)+0 > 1*mu(0)+0");
    reads("mu(2) > mu(0) - .05", "1*mu(2)+0 > 1*mu(0)-0.05");
    reads("mu(2)+1e-1 > .9 * mu(0) + 2", "1*mu(2)+0.1 > 0.9*mu(0)+2");
    reads("mu(3) < .02", "0.02 > 1*mu(3)+0");
    reads("-1 < -2*mu(3)", "-2*mu(3)+0 > -1");
    reads("mu(a) > mu(b) > mu(c) > 0",
          "1*mu(a)+0 > 1*mu(b)+0 & 1*mu(b)+0 > 1*mu(c)+0 & 1*mu(c)+0 > 0");
    reads("mu(a) > 0 and mu(b) > 0 or mu(c) > 0 or mu(d) > 0 and mu(e) > 0",
          "1*mu(a)+0 > 0 & 1*mu(b)+0 > 0 | 1*mu(c)+0 > 0 | 1*mu(d)+0 > 0 & 1*mu(e)+0 > 0");
    reads("tau_distinct_at_10[ high ](.5/batch=64) > perplexity[en](x, y)",
          "1*tau_distinct_at_10[high](.5/batch=64)+0 > 1*perplexity[dev,en](x, y)+0");
    reads("f1.strict[task=ner,en](8) > 1", "1*f1.strict[task=ner,en](8)+0 > 1");
    reads("mu(a) - mu(b) > mu(c) - 2 * mu(d) + .1",
          "1*mu(a) + -1*mu(b)+0 > 1*mu(c) + -2*mu(d)+0.1");
}

/* The cell may follow those of the quantity in brackets, too. */
static void brackets(void **state)
{
    (void)state;
    reads("mu[2] > mu[0] - .05", "1*mu(2)+0 > 1*mu(0)-0.05");
    reads("mu[3] < .02", "0.02 > 1*mu(3)+0");
    reads("rho[low][a/b=c d] > onset(mu[0])", "1*rho[low](a/b=c d)+0 > 1*onset mu(0) 0.2+0");
    refuses("mu[] > 1", "statement: found '] > 1', expected the name of a cell and ]");
}

static void over_training(void **state)
{
    (void)state;
    reads("onset(mu(0)) < onset( mu(x, y) , .9 )", "1*onset mu(x, y) 0.9+0 > 1*onset mu(0) 0.2+0");
    reads("onset(mu(0)) - 100 > best(perplexity[dev](0))",
          "1*onset mu(0) 0.2-100 > 1*best perplexity[dev](0)+0");
    refuses("onset(mu) > 1",
            "statement: found 'mu) > 1', expected QUANTITY(CELL), as in mu(0) or rho[low](0)");
    refuses("onset(mu(0), 2) > 1", "statement: found ') > 1', expected a share between 0 and 1 "
                                   "before it");
    reads("reach(perplexity[dev](0), a) > 1", "1*reach perplexity[dev](0) a+0 > 1");
    refuses("reach(mu(0)) > 1",
            "statement: found ') > 1', expected a comma and the cell whose last value is reached");
    refuses("best(mu(0), .2) > 1", "statement: found ', .2) > 1', expected )");
}

static void correlations(void **state)
{
    (void)state;
    reads("kendall(mu, paper=table1) > .6", "1*kendall mu paper table1 -+0 > 0.6");
    reads("kendall(tau[high] , paper=table1:XNLI es; 0 1* ) > 0",
          "1*kendall tau[high] paper table1 XNLI es {0} {1*}+0 > 0");
    reads("spearman(mu, perplexity[dev,en]) < -.5", "-0.5 > 1*spearman mu perplexity[dev,en]+0");
    reads("kendall(mu, axis=window) > spearman(mu, axis=window; a/*)",
          "1*kendall mu axis window+0 > 1*spearman mu axis window {a/*}+0");
    refuses("kendall(mu) > 1",
            "statement: found 'mu) > 1', expected a quantity, a comma and what it is "
            "compared with");
    refuses("kendall(mu, axis=) > 1", "statement: found ') > 1', expected the name of an axis");
    refuses(
        "kendall(mu, mu > 1",
        "statement: found 'mu > 1', expected a quantity, axis=NAME or paper=TABLE, then ; or )");
    refuses("kendall(mu, tau;) > 1", "statement: found ') > 1', expected names of cells");
    refuses("kendall(mu, tau; 0 > 1", "statement: found its end, expected ; or )");
}

static void cells(void **state)
{
    ig_err err = {0};
    ig_claim c = {0};
    (void)state;
    assert_ok(ig_claim_parse(&c, "mu(0) > .1 and kendall(mu, axis=n; a/*) > mu(1)", "e", 1, &err),
              &err);
    assert_true(ig_claim_rests_on(&c, "0") && ig_claim_rests_on(&c, "1"));
    assert_true(ig_claim_rests_on(&c, "a/n=5"));
    assert_false(ig_claim_rests_on(&c, "a/m=5") || ig_claim_rests_on(&c, "b/n=5"));
    ig_claim_free(&c);
}

static void mistakes(void **state)
{
    (void)state;
    refuses("", "statement: found its end, expected QUANTITY(CELL), as in mu(0) or rho[low](0)");
    refuses("mu(0)", "statement: found its end, expected < or >");
    refuses("mu(0) = mu(1)", "statement: found '= mu(1)', expected < or >");
    refuses("mu(0) >",
            "statement: found its end, expected QUANTITY(CELL), as in mu(0) or rho[low](0)");
    refuses("mu > 1",
            "statement: found 'mu > 1', expected QUANTITY(CELL), as in mu(0) or rho[low](0)");
    refuses("rho[low > 1", "statement: found 'low > 1', expected the name of a cell and ]");
    refuses("mu( > 1", "statement: found ' > 1', expected the name of a cell and )");
    refuses("mu() > 1", "statement: found ') > 1', expected the name of a cell and )");
    refuses("my(0) > 1", "unknown quantity 'my'");
    refuses("1 < 2",
            "statement: found its end, expected a comparison of at least one QUANTITY(CELL)");
    refuses("mu(0) > mu(1) -",
            "statement: found its end, expected QUANTITY(CELL), as in mu(0) or rho[low](0)");
    refuses("mu(a) + mu(b) + mu(c) + mu(d) + mu(e) > 0",
            "statement: found 'mu(e) > 0', expected at most four quantities on a side");
    refuses("mu(0) > mu(1) - -1", "statement: found '-1', expected a number or QUANTITY(CELL)");
    refuses("mu(0) > 1e999", "statement: found '1e999', expected a number");
    refuses("mu(0) > 0x1", "statement: found '0x1', expected a number");
    refuses("mu(0) > 1 mu(1) > 2",
            "statement: found 'mu(1) > 2', expected and, or, <, > or its end");
    refuses("mu(0) > 1 and", "statement: found 'and', expected and, or, <, > or its end");
    refuses("mu(0) > 1 and or",
            "statement: found 'or', expected QUANTITY(CELL), as in mu(0) or rho[low](0)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements),   cmocka_unit_test(brackets), cmocka_unit_test(over_training),
        cmocka_unit_test(correlations), cmocka_unit_test(cells),    cmocka_unit_test(mistakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
