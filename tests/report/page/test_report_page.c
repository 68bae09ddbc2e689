/* SPDX-License-Identifier: Apache-2.0
 *
 * The page and the tables of an experiment: made of results as the store gives them, read back as a
 * browser would.
 */
#include "report_fixture.h"
#include "test.h"
#include "well_formed.h"

#include "base/file.h"
#include "base/memory.h"
#include "report/page/page.h"
#include "report/results/results_data.h"
#include "report/shown/table_results.h"

#include <stdlib.h>

typedef struct {
    report_fixture f;
    ig_table *table;
    ig_page page;
} page_fixture;

static const char svg[] =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 240 120\" "
    "width=\"240pt\" height=\"120pt\"><path d=\"M 10 110 L 60 100 L 120 40 L 230 15\" "
    "fill=\"none\" stroke=\"#1f5a8a\" stroke-width=\"2\"/></svg>";

static json_t *fact(const char *key, const char *value)
{
    json_t *o = json_object();
    ig_page_fact(o, key, ig_page_text(value));
    return o;
}

static json_t *cell(const char *title, json_t *facts, const char *command, const char *note)
{
    json_t *o = ig_page_texts("title", title, "command", command, "note", note, NULL);
    json_object_update_new(o, facts);
    return o;
}

static json_t *figures(void)
{
    json_t *rising = ig_page_texts("name", "figure1", "title", "Figure 1", "caption",
                                   "Multilinguality over training, mean and 95 % interval", "alt",
                                   "A rising curve", "svg", svg, "missing", NULL, "onset",
                                   "sets in <at> 5", NULL);
    return json_pack("[o, o]", rising,
                     ig_page_texts("name", "figure5", "title", "Figure 5", "caption", NULL, "svg",
                                   NULL, "missing", "no finished run of cell 16", "onset", NULL,
                                   NULL));
}

static void make_seeds(page_fixture *p, int seeds)
{
    ig_err err;
    memset(p, 0, sizeof *p);
    report_make_seeds(&p->f, seeds);
    const ig_result_lines all = {
        .interval = true, .paper = true, .compare = true, .link = true, .tooltip = true};
    assert_ok(ig_table_of_results(&p->table, &p->f.table, &all, &err), &err);
    p->page = (ig_page){
        ig_page_texts("name", "table1-mini", "title", "What makes a small BERT multilingual",
                      "question",
                      "Which parts of the architecture does multilinguality need, when the two "
                      "languages are the same but for their letters?",
                      "paper", "Dufter & Schütze 2020, Table 1", "note", NULL, "file",
                      "experiments/table1.yaml", "run_command",
                      "isoglot run experiments/table1.yaml", "report_command",
                      "isoglot report experiments/table1.yaml --html page", "store", "store", NULL),
        &p->f.results, &p->f.table, 1, NULL};
    json_t *cells = json_array(), *setting = fact("text", "bible/eng-bbe.tsv.zst");
    for (int i = 0; i < REPORT_ROWS; i++)
        json_array_append_new(
            cells,
            cell(NULL, i == 1 ? fact("lang_pos", "true") : json_pack("{s:[]}", "facts"),
                 "isoglot run experiments/table1.yaml --only 8", i == 7 ? "needs a GPU" : NULL));
    ig_page_fact(setting, "ids", ig_page_text("NT"));
    ig_page_fact(setting, "dev_text", ig_page_text("bible/eng-kjv.tsv.zst"));
    ig_page_fact(setting, "updates", ig_page_text("13500"));
    json_object_set_new(p->page.about, "setting", setting);
    json_object_set_new(p->page.about, "normal", fact("lang_pos", "true"));
    json_object_set_new(p->page.about, "cells", cells);
    json_object_set_new(p->page.about, "figures", figures());
}

static void make(page_fixture *p)
{
    make_seeds(p, REPORT_SEEDS);
}

static void clear(page_fixture *p)
{
    ig_table_free(p->table);
    json_decref(p->page.about);
    report_free(&p->f);
}

static char *write_page(const ig_page *p)
{
    char *s;
    size_t n;
    ig_err err;
    FILE *fp = open_memstream(&s, &n);
    assert_non_null(fp);
    assert_ok(ig_page_write(fp, p, &err), &err);
    assert_int_equal(fclose(fp), 0);
    return s;
}

static void page_is_whole(void **state)
{
    (void)state;
    page_fixture p;
    make(&p);
    char *s = write_page(&p.page);
    const char *keep = getenv("ISOGLOT_KEEP_PAGE"); /* a path: to be looked at */
    ig_err err;
    if (keep != NULL)
        assert_ok(ig_file_write(keep, s, (int64_t)strlen(s), &err), &err);
    assert_true(assert_well_formed(s) > 500);
    /* Nothing is fetched. */
    assert_null(strstr(s, " src="));
    assert_null(strstr(s, "<link"));
    assert_null(strstr(s, "@import"));
    assert_null(strstr(s, "url(h"));
    assert_non_null(strstr(s, "<a href=\"#cell-8\">"));
    assert_non_null(strstr(s, "update 412: the loss is not finite"));
    assert_non_null(strstr(s, "no finished run of cell 16"));
    assert_non_null(strstr(s, "needs a GPU"));
    /* Runs of two machines, and lists without a comma before their first name. */
    assert_non_null(strstr(s, "<b>A</b> 35 runs; AMD EPYC &lt;9B45&gt;; isoglot 0.1.0; abc1234"));
    assert_non_null(strstr(s, "<b>B</b> 8 runs; "));
    assert_null(strstr(s, "id=\"machine-2\""));
    assert_non_null(strstr(s, "<li><a href=\"#cell-"));
    assert_null(strstr(s, "<li>, "));
    free(s);
    clear(&p);
}

/* No text of an experiment file, a store or a reference can become markup or run. */
static void hostile_page(void **state)
{
    (void)state;
    static const char bad[] =
        "\"><script>alert(1)</script><img src=x onerror=alert(2)>&'\x01\x1b[2J\xff";
    page_fixture p;
    make(&p);
    json_t *about = p.page.about, *cells = json_object_get(about, "cells");
    for (int i = 0; i < p.f.results.n_cell; i++) {
        ig_result_cell *c = &p.f.results.cell[i];
        c->label = c->incomplete = c->mixed = bad;
        if (i > 0)
            c->name = i == 1 ? bad : c->name;
        json_array_set_new(cells, (size_t)i, cell(bad, fact(bad, bad), bad, bad));
    }
    for (int64_t i = 0; i < p.f.stored.n_entry; i++) {
        p.f.stored.entry[i].run.message = bad;
        p.f.stored.entry[i].cell.address = i == 2 ? bad : p.f.stored.entry[i].cell.address;
    }
    p.f.stored.entry[3].run.manifest =
        "{\"host\": \"</style><script>\", \"program\": {\"a<b\": [\"&\"]}}";
    p.f.stored.entry[4].run.manifest = "not { json";
    p.f.reference.source = (char *)(uintptr_t)bad;
    json_object_update_new(about, ig_page_texts("title", bad, "question", bad, "paper", bad, "note",
                                                bad, "name", bad, "file", bad, "run_command", bad,
                                                "report_command", bad, "store", bad, NULL));
    static const char *const facts[] = {"setting", "normal", "measured"};
    for (int i = 0; i < 3; i++)
        json_object_set_new(about, facts[i], fact(bad, bad));
    json_object_set_new(
        about, "figures",
        json_pack("[o]", ig_page_texts("name", "f\"><b>", "title", bad, "caption", bad, "alt", bad,
                                       "svg", NULL, "missing", bad, "onset", bad, NULL)));
    char *s = write_page(&p.page);
    assert_true(assert_well_formed(s) > 500);
    assert_null(strstr(s, "<img"));
    assert_null(strstr(s, "<script>alert"));
    assert_non_null(strstr(s, "&lt;script&gt;alert(1)"));
    free(s);
    clear(&p);
}

/* Very many runs: listed, none left out, in few bytes. */
static void page_of_many_runs(void **state)
{
    (void)state;
    page_fixture p;
    const int seeds = IG_PAGE_MANY_RUNS / REPORT_ROWS + 1;
    make_seeds(&p, seeds);
    char *s = write_page(&p.page);
    assert_well_formed(s);
    int n = 0;
    for (int64_t i = 0; i < p.f.stored.n_entry; i++)
        n += strstr(s, p.f.stored.entry[i].cell.address) != NULL;
    assert_int_equal(n, REPORT_ROWS * seeds);
    assert_true(strlen(s) < 120 * (size_t)n);
    assert_non_null(strstr(s, "--metrics"));
    free(s);
    clear(&p);
}

static void table_tells(void **state)
{
    (void)state;
    page_fixture p;
    ig_err err;
    make(&p);
    ig_table_free(p.table);
    const ig_result_lines lines = {.paper = true};
    assert_ok(ig_table_of_results(&p.table, &p.f.table, &lines, &err), &err);
    const ig_table *t = p.table;
    assert_string_equal(t->column[3].title, "μ");
    assert_null(t->column[3].group);
    assert_string_equal(t->column[4].title, "F1");
    assert_string_equal(t->column[4].group, "layer 0");
    assert_string_equal(t->column[5].title, "ρ");
    assert_string_equal(t->column[6].title, "ρ₈"); /* alone of its layer */
    assert_null(t->column[6].group);
    assert_string_equal(t->column[7].group, "perplexity");
    assert_string_equal(t->column[8].title, "dev");
    /* Row, the paper, the difference; the order at the foot. */
    assert_int_equal(t->n_row, 3 * REPORT_ROWS + 1);
    assert_string_equal(t->row[1].key, "paper");
    assert_string_equal(t->row[2].key, "difference");
    assert_int_equal(t->row[t->n_row - 1].kind, IG_ROW_FOOT);
    const ig_table_cell *mu = &t->cell[3];
    assert_true(mu->best && fabs(mu->value - p.f.table.number[0].summary.mean) < 1e-15);
    assert_true(fabs(t->cell[t->n_column + 3].value - .7) < 1e-15);
    assert_true(fabs(t->cell[2 * t->n_column + 3].value - (mu->value - .7)) < 1e-12);
    /* Row 16 has three seeds of five: said, and no number pretends to have more. */
    assert_true(t->cell[7 * 3 * t->n_column + 2].value == 3);
    int n_said = 0;
    for (int i = 0; i < t->n_note; i++)
        n_said += strncmp(t->note[i], "16: 3 of 5 seeds", 16) == 0;

    assert_int_equal(n_said, 1);
    clear(&p);
}

static void for_programs(void **state)
{
    (void)state;
    page_fixture p;
    ig_err err;
    make(&p);
    json_t *j = ig_result_table_json(&p.f.table);
    assert_non_null(j);
    const json_t *rows = json_object_get(j, "rows");
    assert_int_equal(json_array_size(rows), REPORT_ROWS);
    const json_t *first = json_array_get(rows, 0), *row = json_array_get(rows, 1);
    const json_t *mu = json_object_get(json_object_get(row, "values"), "mu");
    const ig_result_number *n = &p.f.table.number[p.f.table.n_column];
    assert_true(json_real_value(json_object_get(mu, "mean")) == n->summary.mean);
    assert_int_equal(json_array_size(json_object_get(mu, "seeds")), REPORT_SEEDS);
    const json_t *against = json_object_get(mu, "against"), *paper = json_object_get(mu, "paper");
    assert_true(json_real_value(json_object_get(against, "difference")) == n->against.mean);
    assert_true(json_real_value(json_object_get(paper, "mean")) == .3);
    assert_true(json_is_null(json_object_get(paper, "sd")));
    /* The base cell is compared with nothing. */
    const json_t *base = json_object_get(json_object_get(first, "values"), "mu");
    assert_true(json_is_null(json_object_get(base, "against")));
    json_decref(j);

    ig_table *tidy;
    assert_ok(ig_result_table_tidy(&tidy, &p.f.table, &err), &err);
    assert_int_equal(tidy->n_row, REPORT_ROWS * 6);
    const ig_table_cell *c = &tidy->cell[6 * tidy->n_column];
    assert_string_equal(c[1].text, "1");
    assert_string_equal(c[3].text, "mu");
    assert_true(c[6].value == n->summary.mean);
    ig_table_free(tidy);
    clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_is_whole),     cmocka_unit_test(hostile_page),
        cmocka_unit_test(page_of_many_runs), cmocka_unit_test(table_tells),
        cmocka_unit_test(for_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
