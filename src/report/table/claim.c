/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the statements of claims by recursive descent.
 */
#include "report/table/claim.h"
#include "base/memory.h"
#include "base/number_text.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *p; /* what is read next */
    ig_pool *pool; /* of what is kept */
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

/* The text from r->p up to `to` without the blanks around it. */
static ig_code take_text(reading *r, const char **out, const char *to)
{
    const char *from = r->p;
    r->p = to;
    while (from < to && strchr(blanks, *from) != NULL)
        from++;
    while (to > from && strchr(blanks, to[-1]) != NULL)
        to--;
    return ig_pool_text(r->pool, out, from, (size_t)(to - from), r->err);
}

static bool at_number(const reading *r)
{
    const char *p = r->p + (*r->p == '-' || *r->p == '+');
    return strchr("0123456789.", *p) != NULL && *p != '\0';
}

/* Digits with a point or an exponent; no hexadecimal, inf or nan. */
static ig_code read_number(reading *r, double *x)
{
    return ig_number_parse(x, r->p, &r->p) ? IG_ERR_OK : bad(r, "a number");
}

/* Returns how far it is to one of the characters of `end` outside of brackets. */
static size_t span(const char *p, const char *end)
{
    size_t n = 0;
    for (bool inside = false; p[n] != '\0' && (inside || strchr(end, p[n]) == NULL); n++)
        inside = p[n] == '[' || (inside && p[n] != ']');
    return n;
}

/* The quantity of so many characters. */
static ig_code take_quantity(reading *r, ig_quantity *q, size_t n, const char *expected)
{
    char name[160];
    size_t length = n;
    while (length > 0 && strchr(blanks, r->p[length - 1]) != NULL)
        length--;
    if (length == 0 || length >= sizeof name)
        return bad(r, expected);
    memcpy(name, r->p, length);
    name[length] = '\0';
    IG_TRY(ig_quantity_parse(q, name, r->where, r->line, r->err));
    r->p += n;
    return IG_ERR_OK;
}

/* QUANTITY(CELL), or QUANTITY[CELL] with the cell in the last brackets. */
static ig_code read_value(reading *r, ig_claim_term *t)
{
    static const char expected[] = "QUANTITY(CELL), as in mu(0) or rho[low](0)";
    skip(r);
    size_t n = span(r->p, "(<>,; \t\r\n)");
    const bool brackets = r->p[n] != '(';
    if (brackets)
        while (n > 0 && r->p[n] != '[')
            n--;
    if (n == 0)
        return bad(r, expected);
    IG_TRY(take_quantity(r, &t->q, n, expected));
    n = strcspn(++r->p, brackets ? "]" : ")");
    if (n == 0 || r->p[n] == '\0')
        return bad(r, brackets ? "the name of a cell and ]" : "the name of a cell and )");
    IG_TRY(take_text(r, &t->cell, r->p + n));
    r->p++;
    return IG_ERR_OK;
}

/* Reads onset(QUANTITY(CELL)) or onset(QUANTITY(CELL), SHARE), best(QUANTITY(CELL)),
 * reach(QUANTITY(CELL), CELL) after the "(". */
static ig_code read_step(reading *r, ig_claim_term *t)
{
    IG_TRY(read_value(r, t));
    skip(r);
    t->share = 0.2;
    if (t->kind == IG_CLAIM_ONSET && *r->p == ',') {
        r->p++;
        skip(r);
        IG_TRY(read_number(r, &t->share));
        if (!(t->share > 0 && t->share < 1))
            return bad(r, "a share between 0 and 1 before it");
        skip(r);
    }
    if (t->kind == IG_CLAIM_REACH) {
        const size_t n = *r->p == ',' ? strcspn(r->p, ")") : 0;
        if (n < 2 || r->p[n] == '\0')
            return bad(r, "a comma and the cell whose last value is reached");
        r->p++;
        skip(r);
        IG_TRY(take_text(r, &t->other, r->p + strcspn(r->p, ") \t\r\n")));
        skip(r);
    }
    if (*r->p != ')')
        return bad(r, ")");
    r->p++;
    return IG_ERR_OK;
}

/* Reads the other variable after the "," of a correlation: paper=TABLE, paper=TABLE:PROXY,
 * axis=NAME or a quantity. */
static ig_code read_with(reading *r, ig_claim_term *t)
{
    const bool paper = strncmp(r->p, "paper=", 6) == 0, axis = strncmp(r->p, "axis=", 5) == 0;
    if (!paper && !axis) {
        const size_t n = span(r->p, ";)");
        static const char expected[] = "a quantity, axis=NAME or paper=TABLE, then ; or )";
        return r->p[n] == '\0' ? bad(r, expected) : take_quantity(r, &t->with, n, expected);
    }
    r->p += paper ? 6 : 5;
    const size_t name = strcspn(r->p, paper ? ":;)" : ";)");
    if (name == 0)
        return bad(r, paper ? "the name of a table" : "the name of an axis");
    IG_TRY(take_text(r, paper ? &t->paper : &t->axis, r->p + name));
    if (*r->p != ':')
        return IG_ERR_OK;
    r->p++;
    return take_text(r, &t->proxy, r->p + strcspn(r->p, ";)"));
}

/* Patterns of cells, with blanks between. */
static ig_code read_cells(reading *r, ig_claim_term *t)
{
    const char *text, *end = r->p + strcspn(r->p, ")");
    IG_TRY(ig_pool_alloc(r->pool, &t->pattern, (end - r->p) / 2 + 1, sizeof *t->pattern, r->err));
    for (skip(r); r->p < end; skip(r)) {
        IG_TRY(take_text(r, &text, r->p + strcspn(r->p, " \t\r\n)")));
        t->pattern[t->n_pattern++] = (char *)text;
    }
    return t->n_pattern > 0 ? IG_ERR_OK : bad(r, "names of cells");
}

/* Reads kendall(QUANTITY [- QUANTITY], WITH) or kendall(…; CELL …) after the "(". */
static ig_code read_correlation(reading *r, ig_claim_term *t)
{
    skip(r);
    static const char expected[] = "a quantity, a comma and what it is compared with";
    size_t n = span(r->p, ",;)");
    if (r->p[n] != ',')
        return bad(r, expected);
    const char *minus = strstr(r->p, " - ");
    t->has_less = minus != NULL && minus < r->p + n;
    IG_TRY(take_quantity(r, &t->q, t->has_less ? (size_t)(minus - r->p) : n, expected));
    if (t->has_less) {
        r->p += 3;
        skip(r);
        n = span(r->p, ",;)");
        IG_TRY(take_quantity(r, &t->less, n, expected));
    }
    r->p++;
    skip(r);
    IG_TRY(read_with(r, t));
    if (*r->p == ';') {
        r->p++;
        IG_TRY(read_cells(r, t));
    }
    if (*r->p != ')')
        return bad(r, "; or )");
    r->p++;
    return IG_ERR_OK;
}

static ig_code read_term(reading *r, ig_claim_term *t)
{
    static const struct {
        const char *name;
        ig_claim_kind kind;
    } function[] = {{"onset(", IG_CLAIM_ONSET},
                    {"best(", IG_CLAIM_BEST},
                    {"reach(", IG_CLAIM_REACH},
                    {"kendall(", IG_CLAIM_KENDALL},
                    {"spearman(", IG_CLAIM_SPEARMAN}};
    for (size_t i = 0; i < sizeof function / sizeof *function; i++) {
        const size_t n = strlen(function[i].name);
        if (strncmp(r->p, function[i].name, n) != 0)
            continue;
        r->p += n;
        t->kind = function[i].kind;
        return t->kind == IG_CLAIM_KENDALL || t->kind == IG_CLAIM_SPEARMAN ? read_correlation(r, t)
                                                                           : read_step(r, t);
    }
    return read_value(r, t);
}

static ig_code read_sum(reading *r, ig_claim_side *s, double sign, bool inside);

/* Reads chance(NUMBER) after the "(": what guessing scores. */
static ig_code read_chance(reading *r, ig_claim_side *s, double sign)
{
    double x;
    skip(r);
    IG_TRY(read_number(r, &x));
    skip(r);
    if (*r->p != ')')
        return bad(r, ")");
    r->p++;
    s->plus += sign * x;
    s->of_chance += sign * x;
    s->chances += sign;
    return IG_ERR_OK;
}

/* A number, chance(NUMBER), or [NUMBER *] TERM, or [NUMBER *] (SUM), with `sign`. */
static ig_code read_summand(reading *r, ig_claim_side *s, double sign, bool inside)
{
    skip(r);
    if (at_number(r)) {
        double x;
        IG_TRY(read_number(r, &x));
        skip(r);
        if (*r->p != '*') {
            s->plus += sign * x;
            return IG_ERR_OK;
        }
        sign *= x;
        r->p++;
        skip(r);
    }
    if (*r->p == '(' && !inside) {
        r->p++;
        IG_TRY(read_sum(r, s, sign, true));
        if (*r->p != ')')
            return bad(r, ")");
        r->p++;
        return IG_ERR_OK;
    }
    if (strncmp(r->p, "chance(", 7) == 0) {
        r->p += 7;
        return read_chance(r, s, sign);
    }
    if (s->n_term == IG_CLAIM_TERMS_MAX)
        return bad(r, "at most four quantities on a side");
    ig_claim_term *t = &s->term[s->n_term];
    *t = (ig_claim_term){.times = sign};
    IG_TRY(read_term(r, t));
    s->n_term++;
    return IG_ERR_OK;
}

/* SUMMAND {+|- SUMMAND}; inside: of a parenthesis, in which there is no other. */
static ig_code read_sum(reading *r, ig_claim_side *s, double sign, bool inside)
{
    IG_TRY(read_summand(r, s, sign, inside));
    for (skip(r); *r->p == '+' || *r->p == '-'; skip(r)) {
        const double next = *r->p++ == '-' ? -sign : sign;
        skip(r);
        if (*r->p == '-' || *r->p == '+')
            return bad(r, "a number or QUANTITY(CELL)");
        IG_TRY(read_summand(r, s, next, inside));
    }
    return IG_ERR_OK;
}

static ig_code read_side(reading *r, ig_claim_side *s)
{
    *s = (ig_claim_side){0};
    return read_sum(r, s, 1, false);
}

/* Reads one comparison; *left is the side before the sign and becomes the side after it. */
static ig_code read_comparison(reading *r, ig_claim *c, int64_t *room, ig_claim_side *left,
                               const char **from)
{
    ig_claim_side right;
    const bool less = *r->p == '<';
    r->p++;
    skip(r);
    const char *right_from = r->p;
    IG_TRY(read_side(r, &right));
    if (left->n_term + right.n_term == 0)
        return bad(r, "a comparison of at least one QUANTITY(CELL)");
    IG_TRY(ig_grow(&c->comparison, room, c->n_comparison + 1, sizeof *c->comparison, "a claim",
                   r->err));
    ig_claim_comparison *x = &c->comparison[c->n_comparison++];
    *x = (ig_claim_comparison){
        .more = less ? right : *left, .less = less ? *left : right, .part = c->n_part};
    const char *to = r->p;
    r->p = *from;
    IG_TRY(take_text(r, &x->text, to));
    *left = right;
    *from = right_from;
    return IG_ERR_OK;
}

/* SIDE > SIDE, or SIDE > SIDE > SIDE … */
static ig_code read_chain(reading *r, ig_claim *c, int64_t *room)
{
    ig_claim_side left;
    skip(r);
    const char *from = r->p;
    IG_TRY(read_side(r, &left));
    skip(r);
    if (*r->p != '<' && *r->p != '>')
        return bad(r, "< or >");
    while (*r->p == '<' || *r->p == '>') {
        IG_TRY(read_comparison(r, c, room, &left, &from));
        skip(r);
    }
    return IG_ERR_OK;
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
    reading r = {statement, &c->pool, where, line, err};
    int64_t room = 0;
    IG_TRY(take_text(&r, &c->statement, statement + strlen(statement)));
    r.p = statement;
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

ig_code ig_claim_parse_beside(ig_claim *c, ig_claim_role role, const char *text, const char *where,
                              uint64_t line, ig_err *err)
{
    reading r = {text, &c->pool, where, line, err};
    const int first = c->n_comparison;
    int64_t room = first;
    do
        IG_TRY(read_chain(&r, c, &room));
    while (take_word(&r, "and"));
    for (int i = first; i < c->n_comparison; i++) {
        c->comparison[i].role = role;
        c->comparison[i].part = -1;
    }
    return *r.p == '\0' ? IG_ERR_OK : bad(&r, "and, <, > or its end");
}

bool ig_claim_over_training(const ig_claim_term *t)
{
    return t->kind == IG_CLAIM_ONSET || t->kind == IG_CLAIM_BEST || t->kind == IG_CLAIM_REACH;
}

const ig_claim_term *ig_claim_term_at(const ig_claim_comparison *c, int i)
{
    if (i < c->more.n_term)
        return &c->more.term[i];
    i -= c->more.n_term;
    return i < c->less.n_term ? &c->less.term[i] : NULL;
}

static bool term_rests_on(const ig_claim_term *t, const char *cell)
{
    if (t->other != NULL && strcmp(t->other, cell) == 0)
        return true;
    return t->cell != NULL ? strcmp(t->cell, cell) == 0
                           : ig_cell_matches(cell, t->pattern, t->n_pattern) &&
                                 (t->axis == NULL || ig_cell_has_axis(cell, t->axis));
}

bool ig_claim_rests_on(const ig_claim *c, const char *cell)
{
    const ig_claim_term *t;
    for (int i = 0; i < c->n_comparison; i++)
        for (int k = 0; (t = ig_claim_term_at(&c->comparison[i], k)) != NULL; k++)
            if (term_rests_on(t, cell))
                return true;
    return false;
}

void ig_claim_free(ig_claim *c)
{
    IG_FREE(c->comparison, c->id, c->text, c->source, c->proxy, c->needs, c->caveat, c->after);
    ig_pool_free(&c->pool);
    *c = (ig_claim){0};
}
