/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements of claims as text: see claim.h.
 */
#include "report/table/claim.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *p; /* what is read next */
    const char *where;
    uint64_t line;
    ig_err *err;
} reading;

static const char blanks[] = " \t\r\n";

static void skip(reading *r)
{
    r->p += strspn(r->p, blanks);
}

static ig_code bad(const reading *r, const char *expected)
{
    return ig_fail(r->err, IG_ERR_USAGE, r->where, r->line,
                   "statement: found %s%.40s%s, expected %s", r->p[0] != '\0' ? "'" : "",
                   r->p[0] != '\0' ? r->p : "its end", r->p[0] != '\0' ? "'" : "", expected);
}

static ig_code copy(char **out, const char *from, const char *to, const reading *r)
{
    while (to > from && strchr(blanks, to[-1]) != NULL)
        to--;
    IG_TRY(ig_alloc(out, to - from + 1, 1, "a claim", r->err));
    memcpy(*out, from, (size_t)(to - from));
    return IG_ERR_OK;
}

static bool at_number(const reading *r)
{
    const char *p = r->p + (*r->p == '-' || *r->p == '+');
    return strchr("0123456789.", *p) != NULL && *p != '\0';
}

/* Digits with a point or an exponent; no hexadecimal, inf or nan. */
static ig_code read_number(reading *r, double *x)
{
    char *end;
    const size_t n = strspn(r->p, "0123456789.eE+-");
    *x = strtod(r->p, &end);
    if (end == r->p || end > r->p + n || !isfinite(*x))
        return bad(r, "a number");
    r->p = end;
    return IG_ERR_OK;
}

/* QUANTITY(CELL) */
static ig_code read_value(reading *r, ig_claim_side *s)
{
    char name[160];
    size_t n = strcspn(r->p, "[(<> \t\r\n");
    if (r->p[n] == '[')
        n += strcspn(r->p + n, "]") + 1;
    if (strlen(r->p) < n || n == 0 || n >= sizeof name || r->p[n] != '(')
        return bad(r, "QUANTITY(CELL), as in mu(0) or rho[low](0)");
    memcpy(name, r->p, n);
    name[n] = '\0';
    IG_TRY(ig_quantity_parse(&s->q, name, r->where, r->line, r->err));
    r->p += n + 1;
    n = strcspn(r->p, ")");
    if (n == 0 || r->p[n] != ')')
        return bad(r, "the name of a cell and )");
    IG_TRY(copy(&s->cell, r->p, r->p + n, r));
    r->p += n + 1;
    return IG_ERR_OK;
}

/* A number, or [NUMBER *] QUANTITY(CELL) [+ NUMBER]. */
static ig_code read_side(reading *r, ig_claim_side *s)
{
    *s = (ig_claim_side){.times = 1};
    skip(r);
    if (at_number(r)) {
        double x;
        IG_TRY(read_number(r, &x));
        skip(r);
        if (*r->p != '*') {
            s->plus = x;
            return IG_ERR_OK;
        }
        s->times = x;
        r->p++;
        skip(r);
    }
    IG_TRY(read_value(r, s));
    skip(r);
    if (*r->p != '+' && *r->p != '-')
        return IG_ERR_OK;
    const double sign = *r->p++ == '-' ? -1 : 1;
    skip(r);
    if (!at_number(r) || *r->p == '-' || *r->p == '+')
        return bad(r, "a number");
    IG_TRY(read_number(r, &s->plus));
    s->plus *= sign;
    return IG_ERR_OK;
}

static ig_code copy_side(ig_claim_side *out, const ig_claim_side *s, const reading *r)
{
    *out = *s;
    out->cell = NULL;
    return s->cell != NULL ? copy(&out->cell, s->cell, s->cell + strlen(s->cell), r) : IG_ERR_OK;
}

/* One comparison; *left is what stands before the sign and becomes what stands behind it. */
static ig_code read_comparison(reading *r, ig_claim *c, int64_t *room, ig_claim_side *left,
                               const char **from)
{
    ig_claim_side right;
    const bool less = *r->p == '<';
    r->p++;
    skip(r);
    const char *right_from = r->p;
    ig_code code = read_side(r, &right);
    if (code == IG_ERR_OK && left->cell == NULL && right.cell == NULL)
        code = bad(r, "a comparison of at least one QUANTITY(CELL)");
    if (code == IG_ERR_OK)
        code = ig_grow(&c->comparison, room, c->n_comparison + 1, sizeof *c->comparison, "a claim",
                       r->err);
    if (code == IG_ERR_OK) {
        ig_claim_comparison *x = &c->comparison[c->n_comparison++];
        x->part = c->n_part;
        code = copy_side(less ? &x->less : &x->more, left, r);
        if (code == IG_ERR_OK)
            code = copy_side(less ? &x->more : &x->less, &right, r);
        if (code == IG_ERR_OK)
            code = copy(&x->text, *from, r->p, r);
    }
    ig_free(left->cell);
    *left = right;
    *from = right_from;
    return code;
}

/* SIDE > SIDE, or SIDE > SIDE > SIDE … */
static ig_code read_chain(reading *r, ig_claim *c, int64_t *room)
{
    ig_claim_side left;
    skip(r);
    const char *from = r->p;
    ig_code code = read_side(r, &left);
    skip(r);
    if (code == IG_ERR_OK && *r->p != '<' && *r->p != '>')
        code = bad(r, "< or >");
    while (code == IG_ERR_OK && (*r->p == '<' || *r->p == '>')) {
        code = read_comparison(r, c, room, &left, &from);
        skip(r);
    }
    ig_free(left.cell);
    return code;
}

static bool take_word(reading *r, const char *word)
{
    const size_t n = strlen(word);
    if (strncmp(r->p, word, n) != 0 || r->p[n] == '\0' || strchr(blanks, r->p[n]) == NULL)
        return false;
    r->p += n;
    return true;
}

ig_code ig_claim_parse(ig_claim *c, const char *statement, const char *where, uint64_t line,
                       ig_err *err)
{
    reading r = {statement, where, line, err};
    int64_t room = 0;
    IG_TRY(copy(&c->statement, statement, statement + strlen(statement), &r));
    for (;;) {
        IG_TRY(read_chain(&r, c, &room));
        if (*r.p == '\0') {
            c->n_part++;
            return IG_ERR_OK;
        }
        if (take_word(&r, "or"))
            c->n_part++;
        else if (!take_word(&r, "and"))
            return bad(&r, "and, or, <, > or its end");
    }
}

void ig_claim_free(ig_claim *c)
{
    for (int i = 0; i < c->n_comparison; i++) {
        ig_free(c->comparison[i].more.cell);
        ig_free(c->comparison[i].less.cell);
        ig_free(c->comparison[i].text);
    }
    ig_free(c->comparison);
    ig_free(c->id);
    ig_free(c->text);
    ig_free(c->source);
    ig_free(c->statement);
    ig_free(c->proxy);
    ig_free(c->needs);
    *c = (ig_claim){0};
}
