/* SPDX-License-Identifier: Apache-2.0
 *
 * Every experiment file of the project with each of its variants, and the example of
 * docs/experiments.md: they are read, labels tell cells apart, the world variant needs no data; and
 * the rows of Dufter & Schütze 2020 are what the paper says they are.
 */
#include "experiment_fixture.h"

#include "corpus/batch/batch_options.h"
#include "report/table/reference.h"
#include "isoglot/tokenizer.h"

#include <ftw.h>

static char *file[256];
static int n_file, n_reference;

static int visit(const char *path, const struct stat *is, int kind)
{
    (void)is;
    size_t n = strlen(path);
    if (kind != FTW_F || n < 5 || strcmp(path + n - 5, ".yaml") != 0)
        return 0;
    if (strstr(path, "/reference/") != NULL || strstr(path, "/tasks/") != NULL)
        return 0; /* read with the tables and tasks that name it */
    assert_true(n_file < 256);
    file[n_file++] = strdup(path);
    return 0;
}

static void check(const ig_experiment *e)
{
    assert_non_null(e->paper);
    for (int i = 0; i < e->n_cell; i++) {
        const ig_cell *c = &e->cell[i];
        for (int k = 0; k < i; k++)
            if (strcmp(c->label, e->cell[k].label) == 0)
                fail_msg("%s: %s and %s are both '%s'", e->name, c->name, e->cell[k].name,
                         c->label);
        ig_run_config run;
        assert_ok(ig_experiment_config(&run, e, i, c->seed[0], &err), &err);
        ig_run_config_free(&run);
    }
    for (int i = 0; i < e->report.n_table; i++) {
        ig_reference r;
        if (e->report.table[i].reference == NULL)
            continue;
        assert_ok(ig_reference_read(&r, e->report.table[i].reference, &err), &err);
        assert_true(r.n_value + r.n_proxy_value > 0);
        ig_reference_free(&r);
        n_reference++;
    }
    json_t *j = ig_experiment_json(e);
    assert_non_null(j);
    json_decref(j);
}

static void every_file_and_variant(void **state)
{
    (void)state;
    assert_int_equal(ftw(IG_SOURCE_DIR "/experiments", visit, 8), 0);
    assert_true(n_file >= 9);
    for (int i = 0; i < n_file; i++) {
        ig_experiment e;
        assert_ok(ig_experiment_read(&e, file[i], NULL, 0, dir, &err), &err);
        check(&e);
        for (int v = 0; v < e.n_variant; v++) {
            ig_experiment other;
            const char *variant = e.variant[v];
            assert_ok(ig_experiment_read(&other, file[i], &variant, 1, dir, &err), &err);
            check(&other);
            if (strcmp(variant, "world") == 0) /* is there for who has no data */
                assert_ok(ig_experiment_check(&other, &err), &err);
            ig_experiment_free(&other);
        }
        ig_experiment_free(&e);
        free(file[i]);
    }
    assert_true(n_reference >= 3);
}

static ig_experiment table1(const char *variant)
{
    ig_experiment e;
    assert_ok(ig_experiment_read(&e, IG_SOURCE_DIR "/experiments/dufter2020/table1.yaml", &variant,
                                 variant != NULL, "/data", &err),
              &err);
    return e;
}

static const ig_cell *cell(const ig_experiment *e, const char *name)
{
    for (int i = 0; i < e->n_cell; i++)
        if (strcmp(e->cell[i].name, name) == 0)
            return &e->cell[i];
    fail_msg("no cell %s", name);
    return NULL;
}

/* Descriptions as the paper prints them, in our names and our order. */
static void rows_of_the_paper(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"0", "original"},
        {"1", "lang-pos"},
        {"2", "shift-special"},
        {"3", "inv-order"},
        {"4", "no-random"},
        {"5", "lang-pos; shift-special"},
        {"6", "lang-pos; no-random"},
        {"7", "shift-special; no-random"},
        {"8", "lang-pos; shift-special; no-random"},
        {"9", "inv-order; lang-pos; shift-special; no-random"},
    };
    ig_experiment e = table1(NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const ig_cell *c = cell(&e, rows[i][0]);
        assert_string_equal(c->label, rows[i][1]);
        assert_int_equal(c->config.optimisation.updates, 13500);
        assert_string_equal(c->config.data.text, "/data/bible/eng-bbe.tsv.zst");
        assert_int_equal(c->n_seed, 5);
        assert_int_equal(c->needs, 0);
    }
    assert_int_equal(cell(&e, "17")->config.optimisation.accum, 16);
    assert_int_equal(cell(&e, "17")->config.model.preset, IG_PRESET_BASE);
    assert_int_equal(cell(&e, "17")->needs, IG_NEEDS_GPU);
    assert_int_equal(cell(&e, "30")->config.objective.knn_replace, 1);
    assert_true(cell(&e, "30")->config.objective.batching.near_share == .3);
    assert_int_equal(cell(&e, "31")->config.objective.knn_replace, 5);
    assert_true(cell(&e, "31")->config.objective.batching.near_share == .3);

    /* Each row's numbers are in the reference file, and nothing else is. */
    ig_reference r;
    ig_quantity q;
    const ig_table_spec *t = &e.report.table[0];
    assert_ok(ig_reference_read(&r, t->reference, &err), &err);
    assert_int_equal(r.n_value, 16 * 9);
    for (int i = 0; i < t->n_row; i++)
        for (int k = 0; k < t->n_column; k++)
            assert_non_null(ig_reference_find(&r, t->row[i], &t->column[k].q));
    assert_ok(ig_quantity_parse(&q, "tau[high]", "", 0, &err), &err);
    assert_true(ig_reference_find(&r, "2", &q)->mean == 0.63);
    ig_reference_free(&r);
    ig_experiment_free(&e);

    e = table1("paper"); /* their own text, as their program does it */
    assert_int_equal(cell(&e, "8")->config.objective.no_random, IG_NO_RANDOM_CODE);
    assert_string_equal(cell(&e, "0")->config.data.text, "/data/bible/eng-easytoread.tsv.zst");
    assert_true(cell(&e, "0")->config.objective.batching.pad_attend &&
                !cell(&e, "0")->config.data.clauses);
    ig_experiment_free(&e);

    e = table1("paper-code");
    assert_int_equal(cell(&e, "9")->config.objective.no_random, IG_NO_RANDOM_CODE);
    assert_int_equal(cell(&e, "0")->config.objective.no_random, IG_NO_RANDOM_OFF);
    assert_true(cell(&e, "0")->config.objective.batching.pad_attend);
    ig_experiment_free(&e);
}

/* Returns the pipeline of language `name` in a description, "" if it has none. */
static void pipeline_of(char out[256], const char *languages, const char *name)
{
    const size_t n = strlen(name);
    const char *p = languages;
    while (p != NULL && (strncmp(p, name, n) != 0 || strchr("( =;", p[n]) == NULL)) {
        p = strchr(p, ';');
        p = p == NULL ? NULL : p + 1 + strspn(p + 1, " ");
    }
    if (p == NULL)
        fail_msg("no language %s in '%s'", name, languages);
    const char *end = p + strcspn(p, ";"), *close = memchr(p, ')', (size_t)(end - p));
    const char *is =
        memchr(close != NULL ? close : p, '=', (size_t)(end - (close != NULL ? close : p)));
    snprintf(out, 256, "%.*s", is == NULL ? 0 : (int)(end - is - 2), is == NULL ? "" : is + 2);
}

static ig_experiment k2020(const char *name, const char *variant)
{
    ig_experiment e;
    char path[512];
    snprintf(path, sizeof path, IG_SOURCE_DIR "/experiments/k2020/%s.yaml", name);
    assert_ok(ig_experiment_read(&e, path, &variant, variant != NULL, "/data", &err), &err);
    return e;
}

/* K et al. 2020: Table 2 disturbs both languages in training (section 3.2.2), Table 3 draws the
 * target's training text anew and leaves Fake-English as it is (3.2.3); either language alone is
 * another row. mini.yaml has the same rows. */
static void rows_of_k_et_al(void **state)
{
    (void)state;
    static const struct {
        const char *file, *cell, *fake, *target;
    } rows[] = {
        {"order", "0", "codepoints | tokenize", ""},
        {"order", ".25", "codepoints | tokenize | swap:0.25,training", "swap:0.25,training"},
        {"order", ".5", "codepoints | tokenize | swap:0.5,training", "swap:0.5,training"},
        {"order", "1", "codepoints | tokenize | swap:1,training", "swap:1,training"},
        {"order", "1p", "codepoints | tokenize | permute:1,training", "permute:1,training"},
        {"order", ".5-target", "codepoints | tokenize", "swap:0.5,training"},
        {"order", ".5-fake", "codepoints | tokenize | swap:0.5", ""},
        {"overlap", "fake", "codepoints | tokenize", ""},
        {"overlap", "frequency", "codepoints | tokenize", "unigram | tokenize"},
        {"overlap", "fake-frequency", "unigram | codepoints | tokenize", ""},
        {"mini", ".5", "codepoints | tokenize | swap:0.5,training", "swap:0.5,training"},
        {"mini", "1", "codepoints | tokenize | swap:1,training", "swap:1,training"},
        {"mini", "frequency", "codepoints | tokenize", "unigram | tokenize"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int world = 0; world < 2; world++) {
            char fake[256], target[256];
            ig_experiment e = k2020(rows[i].file, world == 1 ? "world" : NULL);
            const char *languages = cell(&e, rows[i].cell)->config.languages.spec;
            pipeline_of(fake, languages, "fake");
            pipeline_of(target, languages, "x");
            assert_string_equal(fake, rows[i].fake);
            assert_string_equal(target, rows[i].target);
            ig_experiment_free(&e);
        }
    char a[IG_ADDRESS], b[IG_ADDRESS];
    static const char *const shared[][2] = {
        {"order", ".5"}, {"order", "1"}, {"overlap", "frequency"}};
    ig_experiment mini = k2020("mini", "world");
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        ig_experiment e = k2020(shared[i][0], "world");
        assert_ok(ig_run_address(a, &cell(&mini, shared[i][1])->config, NULL, &err), &err);
        assert_ok(ig_run_address(b, &cell(&e, shared[i][1])->config, NULL, &err), &err);
        assert_string_equal(a, b);
        ig_experiment_free(&e);
    }
    ig_experiment_free(&mini);
}

/* Variant "paper": what the papers say of their pre-training (the tables of the READMEs). */
static const ig_experiment *paper_of(ig_experiment *e, const char *of)
{
    char path[512];
    const char *variant = "paper";
    snprintf(path, sizeof path, IG_SOURCE_DIR "/experiments/%s.yaml", of);
    assert_ok(ig_experiment_read(e, path, &variant, 1, "/data", &err), &err);
    for (int i = 0; i < e->n_cell; i++)
        assert_string_equal(e->cell[i].config.data.text, "/data/wiki/en-pages-articles.xml.bz2");
    return e;
}

static void settings_of_the_papers(void **state)
{
    (void)state;
    ig_experiment e;
    /* K et al. 2020, section 3.1, and Google's program. */
    static const char *const pairs[] = {"order", "overlap", "size", "four", "next", "markers"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char of[64];
        snprintf(of, sizeof of, "k2020/%s", pairs[i]);
        const ig_run_config *c = &paper_of(&e, of)->cell[0].config;
        assert_int_equal(c->objective.batching.instances, IG_INSTANCES_PAIRS);
        assert_int_equal(c->objective.block, 128);
        assert_true(c->objective.nsp && c->objective.batching.whole_words &&
                    c->objective.batching.static_masks);
        assert_int_equal(c->objective.batching.copies, 5);
        assert_int_equal(c->tokens.vocab_size, 60000);
        assert_string_equal(ig_vocab_model_names[c->tokens.vocab_model], "unigram-wordpiece");
        assert_int_equal(c->objective.batching.batch, 32);
        assert_int_equal(c->optimisation.updates, 2000000);
        assert_true(c->optimisation.lr == 1e-4 && c->objective.batching.alpha == 0.7);
        /* Tables 4 to 6 are of Russian. */
        if (strcmp(pairs[i], "size") == 0)
            assert_non_null(strstr(c->data.files, "x=/data/wiki/ru-pages"));
        ig_experiment_free(&e);
    }
    paper_of(&e, "k2020/next");
    assert_true(cell(&e, "nsp")->config.objective.nsp && !cell(&e, "no-nsp")->config.objective.nsp);
    ig_experiment_free(&e);
    paper_of(&e, "k2020/tokens");
    assert_int_equal(cell(&e, "word")->config.objective.batching.batch, 2048);
    assert_int_equal(cell(&e, "word")->config.tokens.vocab_size, 100000);
    ig_experiment_free(&e);

    /* Conneau et al. 2020, sections 3.1 and 4, and XLM's program. */
    paper_of(&e, "conneau2020/table1");
    assert_int_equal(e.n_cell, 10 * 3);
    for (int i = 0; i < e.n_cell; i++) {
        const ig_run_config *c = &e.cell[i].config;
        assert_int_equal(c->objective.batching.instances, IG_INSTANCES_STREAM);
        assert_int_equal(c->objective.block, 256);
        assert_string_equal(ig_vocab_model_names[c->tokens.vocab_model], "bpe");
        assert_int_equal(c->tokens.vocab_size,
                         strstr(e.cell[i].name, "-anchors") != NULL ? 40000 : 80000);
        assert_int_equal(c->objective.batching.batch * c->optimisation.accum, 96 * 8);
        assert_int_equal(c->objective.batching.languages, 1);
        assert_int_equal(c->model.layers, 8);
        assert_int_equal(c->objective.batching.random_vocab == IG_RANDOM_OWN,
                         strncmp(e.cell[i].name, "sep-emb", 7) == 0);
        assert_true(c->objective.batching.alpha == 0.7 && c->optimisation.lr == 1e-4 &&
                    !c->model.transform);
        assert_int_equal(c->optimisation.warmup, 30000);
        assert_int_equal(c->objective.batching.epoch_size, 200000);
    }
    assert_non_null(
        strstr(cell(&e, "default/pair=zh")->config.data.files, "x=/data/wiki/zh-pages"));
    ig_experiment_free(&e);

    /* Liu et al. 2020, section 3.2 of "A Study". */
    paper_of(&e, "liu2020/window");
    assert_int_equal(e.n_cell, 4);
    const ig_run_config *c = &cell(&e, "window=20/sentences=200000")->config;
    assert_int_equal(c->objective.block, 20);
    assert_int_equal(c->data.take, 200000);
    c = &cell(&e, "window=512/sentences=1000000")->config;
    assert_int_equal(c->objective.block, 512);
    assert_int_equal(c->data.take, 1000000);
    int n_language = 1;
    for (const char *p = c->languages.spec; (p = strchr(p, ';')) != NULL; p++)
        n_language++;
    assert_int_equal(n_language, 15);
    assert_int_equal(c->model.preset, IG_PRESET_BASE);
    ig_experiment_free(&e);
}

/* pad.yaml: which switches of the paper's program a cell has. */
static void padding_alone_and_with_the_rest(void **state)
{
    (void)state;
    static const struct {
        const char *cell;
        bool pad;
        int detect, no_random;
    } rows[] = {
        {"0", false, IG_VARIANT_FIXED, IG_NO_RANDOM_OFF},
        {"0-pad", true, IG_VARIANT_FIXED, IG_NO_RANDOM_OFF},
        {"1", false, IG_VARIANT_FIXED, IG_NO_RANDOM_OFF},
        {"1-pad", true, IG_VARIANT_FIXED, IG_NO_RANDOM_OFF},
        {"1-own", true, IG_VARIANT_FIXED, IG_NO_RANDOM_OFF},
        {"4", false, IG_VARIANT_FIXED, IG_NO_RANDOM_FIXED},
        {"4-code", false, IG_VARIANT_FIXED, IG_NO_RANDOM_CODE},
        {"5", false, IG_VARIANT_FIXED, IG_NO_RANDOM_OFF},
        {"5-pad", true, IG_VARIANT_FIXED, IG_NO_RANDOM_OFF},
        {"5-code", false, IG_VARIANT_PAPER_CODE, IG_NO_RANDOM_OFF},
        {"5-all", true, IG_VARIANT_PAPER_CODE, IG_NO_RANDOM_OFF},
        {"6", false, IG_VARIANT_FIXED, IG_NO_RANDOM_FIXED},
        {"6-pad", true, IG_VARIANT_FIXED, IG_NO_RANDOM_FIXED},
        {"6-code", false, IG_VARIANT_FIXED, IG_NO_RANDOM_CODE},
        {"6-all", true, IG_VARIANT_FIXED, IG_NO_RANDOM_CODE},
        {"7", false, IG_VARIANT_FIXED, IG_NO_RANDOM_FIXED},
        {"7-code", false, IG_VARIANT_FIXED, IG_NO_RANDOM_CODE},
        {"8", false, IG_VARIANT_FIXED, IG_NO_RANDOM_FIXED},
        {"8-pad", true, IG_VARIANT_FIXED, IG_NO_RANDOM_FIXED},
        {"8-code", false, IG_VARIANT_FIXED, IG_NO_RANDOM_CODE},
        {"8-all", true, IG_VARIANT_FIXED, IG_NO_RANDOM_CODE},
    };
    ig_experiment e;
    assert_ok(ig_experiment_read(&e, IG_SOURCE_DIR "/experiments/dufter2020/pad.yaml", NULL, 0,
                                 "/data", &err),
              &err);
    assert_int_equal(e.n_cell, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const ig_cell *c = cell(&e, rows[i].cell);
        const char row = rows[i].cell[0];
        assert_int_equal(c->n_seed, 8);
        assert_int_equal(c->config.objective.batching.pad_attend, rows[i].pad);
        assert_int_equal(c->config.objective.batching.shift_special, rows[i].detect);
        assert_int_equal(c->config.objective.no_random, rows[i].no_random);
        assert_int_equal(c->config.languages.lang_pos, strchr("047", row) == NULL);
        assert_int_equal(c->config.languages.shift_special, strchr("578", row) != NULL);
        assert_int_equal(strstr(c->config.languages.spec, "specials:pad") != NULL,
                         strcmp(rows[i].cell, "1-own") == 0);
    }
    ig_experiment_free(&e);
}

/* Each page ends with the experiments that have no result yet, and with claims that hold only at
 * present. */
static void pages_tell_what_is_not_measured(void **state)
{
    (void)state;
    static const char *const page[] = {"dufter2020", "dufter2020/table4", "k2020", "conneau2020",
                                       "liu2020"};
    for (size_t i = 0; i < sizeof page / sizeof *page; i++) {
        char path[512], *text, *last = NULL;
        snprintf(path, sizeof path, IG_SOURCE_DIR "/experiments/%s/README.md", page[i]);
        int64_t size;
        assert_ok(ig_file_read(&text, &size, path, 1 << 20, &err), &err);
        for (char *p = text; (p = strstr(p, "\n## ")) != NULL; p++)
            last = p;
        assert_non_null(last);
        if (strncmp(last, "\n## Not measured\n", 17) != 0)
            fail_msg("%s: does not end with what is not measured", path);
        assert_null(strstr(text, "from memory"));
        ig_free(text);
    }
}

/* Runs of a size are the same runs in every file that names them, and measured after the same
 * updates: else the second file would train them again. */
static void shared_runs(void **state)
{
    (void)state;
    char a[IG_ADDRESS], b[IG_ADDRESS];
    const char *world = "world";
    ig_experiment e = table1(world), f;
    assert_ok(ig_experiment_read(&f, IG_SOURCE_DIR "/experiments/dufter2020/figures.yaml", &world,
                                 1, "/elsewhere", &err),
              &err);
    static const char *const both[] = {"0", "8", "17c", "3", "9", "15"};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++) {
        assert_ok(ig_run_address(a, &cell(&e, both[i])->config, NULL, &err), &err);
        assert_ok(ig_run_address(b, &cell(&f, both[i])->config, NULL, &err), &err);
        assert_string_equal(a, b);
    }
    assert_int_equal(e.measure.at.kind, IG_CHECKPOINTS_LIST);
    assert_int_equal(f.measure.at.kind, IG_CHECKPOINTS_LIST);
    assert_memory_equal(&e.measure.at.step, &f.measure.at.step, sizeof e.measure.at.step);
    ig_experiment_free(&e);
    ig_experiment_free(&f);
}

/* The first n blocks of YAML of a page of docs/; freed as *page. */
static int64_t blocks_of(const char *name, char **page, char **block, int n)
{
    char path[4096], *p;
    int64_t size;
    snprintf(path, sizeof path, IG_SOURCE_DIR "/docs/%s", name);
    assert_ok(ig_file_read(page, &size, path, 1 << 20, &err), &err);
    p = *page;
    for (int i = 0; i < n; i++) {
        assert_non_null(block[i] = strstr(p, "```yaml\n"));
        block[i] += 8;
        assert_non_null(p = strstr(block[i], "```"));
        *p++ = '\0';
    }
    return size;
}

/* Of the examples in experiments.md the first is a whole file and the second belongs to it; then
 * two are reference files and one is of languages with texts of their own; claims.md has claims of
 * the whole file. */
static void example_of_the_page(void **state)
{
    (void)state;
    char *page[2], *block[6];
    int64_t size = blocks_of("experiments.md", &page[0], block, 5);
    size += blocks_of("claims.md", &page[1], block + 5, 1);
    assert_ok(ig_dir_make(path_of("reference"), &err), &err);
    write_file("setup.yaml", "base: {batch: 128}\n");
    write_file("reference/table1.yaml", block[2]);
    write_file("page.yaml", block[0]);
    ig_experiment e;
    assert_ok(read_variant(&e, "page.yaml", NULL), &err);
    assert_int_equal(e.n_cell, 5);
    assert_string_equal(e.cell[3].label, "inv-order; lang-pos; shift-special; no-random");
    assert_int_equal(e.cell[0].config.objective.batching.batch, 128);
    assert_int_equal(e.report.n_figure, 2);
    ig_experiment_free(&e);
    assert_ok(read_variant(&e, "page.yaml", "world"), &err);
    assert_null(e.cell[0].config.data.text);
    ig_experiment_free(&e);
    char *both = malloc((size_t)size + 100);
    assert_non_null(both);
    sprintf(both, "extends: page.yaml\nreport: null\n%s", block[1]);
    ig_experiment crossed = read_good(both);
    assert_int_equal(crossed.n_cell, 20);
    ig_experiment_free(&crossed);
    ig_experiment own = read_good(block[4]);
    assert_true(ig_run_languages_have_texts(&own.cell[0].config.languages));
    assert_int_equal(own.cell[0].config.languages.n, 2);
    ig_experiment_free(&own);
    sprintf(both, "extends: page.yaml\n%s", block[5]);
    ig_experiment claimed = read_good(both);
    assert_int_equal(claimed.n_claim, 1);
    assert_int_equal(claimed.claim[0].n_comparison, 2);
    ig_experiment_free(&claimed);
    free(both);
    for (int i = 0; i < 2; i++)
        ig_free(page[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_and_variant),
        cmocka_unit_test(rows_of_the_paper),
        cmocka_unit_test(rows_of_k_et_al),
        cmocka_unit_test(settings_of_the_papers),
        cmocka_unit_test(padding_alone_and_with_the_rest),
        cmocka_unit_test(pages_tell_what_is_not_measured),
        cmocka_unit_test(shared_runs),
        cmocka_unit_test(example_of_the_page),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
