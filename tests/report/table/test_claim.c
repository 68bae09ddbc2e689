/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements of claims: what they are read as, and what is refused with which words.
 */
#include "test.h"

#include "report/table/claim.h"

#include <stdio.h>
#include <string.h>

/* "1·mu(0)+0" */
static void put_side(FILE *fp, const ig_claim_side *s)
{
    char name[160];
    ig_quantity_format(name, sizeof name, &s->q);
    if (s->cell != NULL)
        fprintf(fp, "%g*%s(%s)%+g", s->times, name, s->cell, s->plus);
    else
        fprintf(fp, "%g", s->plus);
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
    refuses("mu[0] > 1",
            "statement: found 'mu[0] > 1', expected QUANTITY(CELL), as in mu(0) or rho[low](0)");
    refuses("rho[low > 1",
            "statement: found 'rho[low > 1', expected QUANTITY(CELL), as in mu(0) or rho[low](0)");
    refuses("mu( > 1", "statement: found ' > 1', expected the name of a cell and )");
    refuses("mu() > 1", "statement: found ') > 1', expected the name of a cell and )");
    refuses("my(0) > 1", "unknown quantity 'my'");
    refuses("1 < 2",
            "statement: found its end, expected a comparison of at least one QUANTITY(CELL)");
    refuses("mu(0) > mu(1) -", "statement: found its end, expected a number");
    refuses("mu(0) > mu(1) - -1", "statement: found '-1', expected a number");
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(statements), cmocka_unit_test(mistakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
