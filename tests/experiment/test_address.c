/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses of runs: the same for the same bytes wherever they lie and however a run is run,
 * another for everything that decides; stored ones, so that no change goes unseen. And selectors.
 */
#include "experiment_fixture.h"

#include "base/settings/options_internal.h"

#include <sys/stat.h>

static ig_run_config config(void)
{
    ig_run_config c = {0};
    assert_ok(ig_options_default(&ig_run_options, &c, &err), &err);
    c.optimisation.updates = 100;
    assert_ok(ig_run_config_resolve(&c, &err), &err);
    return c;
}

static const char *address_of(const ig_run_config *c, ig_hash_cache *cache)
{
    static char a[4][IG_ADDRESS];
    static int next;
    next = (next + 1) % 4;
    assert_ok(ig_run_address(a[next], c, cache, &err), &err);
    assert_int_equal(strlen(a[next]), 16);
    return a[next];
}

/* A change here orphans every stored run: an option's default or spelling, or how the address is
 * made. If it is meant, raise ADDRESS_VERSION (experiment/address.c) and store the new values. */
static void stored(void **state)
{
    (void)state;
    char a[IG_ADDRESS];
    ig_run_config c = config();
    assert_string_equal(address_of(&c, NULL), "31eabf191c9be5bf");
    assert_ok(ig_data_address(a, &c, NULL, &err), &err);
    assert_string_equal(a, "7216a30214f79838");
    ig_run_config_free(&c);
    write_file("text.txt", "In the beginning\n");
    ig_experiment e =
        read_good("base: {text: text.txt, updates: 50, lr: 1.5e-3, no_random: paper-code,\n"
                  "       languages: 'en; fake = shift', vocab_size: 300}\nseeds: [42]\n");
    assert_string_equal(address_of(&e.cell[0].config, NULL), "1f6c037b467f9ac9");
    assert_ok(ig_data_address(a, &e.cell[0].config, NULL, &err), &err);
    assert_string_equal(a, "f1ed8be633ab5e76");
    ig_experiment_free(&e);
}

/* The stored defaults of all settings that affect an address: see above. */
static void stored_defaults(void **state)
{
    (void)state;
    ig_run_config c = {0};
    assert_ok(ig_options_default(&ig_run_options, &c, &err), &err);
    static const struct {
        const char *key, *def;
    } known[] = {
        {"text", "null"},
        {"ids", "null"},
        {"format", "\"auto\""},
        {"strip_quotes", "false"},
        {"sentences", "true"},
        {"clauses", "false"},
        {"take", "0"},
        {"dev_text", "null"},
        {"dev_ids", "null"},
        {"dev_format", "\"auto\""},
        {"dev_take", "10000"},
        {"world", "\"bible\""},
        {"world_sentences", "12000"},
        {"world_seed", "1"},
        {"world_words", "false"},
        {"vocab", "null"},
        {"vocab_size", "2048"},
        {"lowercase", "false"},
        {"languages", "\"en; fake = shift\""},
        {"inv_order", "false"},
        {"lang_pos", "false"},
        {"shift_special", "false"},
        {"no_random", "\"off\""},
        {"no_parallel", "false"},
        {"pad_attend", "false"},
        {"shift_special_detect", "\"fixed\""},
        {"random_vocab", "\"all\""},
        {"perplexity_average", "\"fixed\""},
        {"translation_words", "\"fixed\""},
        {"accum_carry", "\"fixed\""},
        {"accum_mean", "\"fixed\""},
        {"block", "128"},
        {"mask_prob", "0.14999999999999999"},
        {"mask_share", "0.80000000000000004"},
        {"random_share", "0.10000000000000001"},
        {"preset", "\"bert-small\""},
        {"layers", "0"},
        {"hidden", "0"},
        {"heads", "0"},
        {"ffn", "0"},
        {"max_positions", "0"},
        {"segments", "0"},
        {"hidden_dropout", "0.10000000000000001"},
        {"attention_dropout", "0.10000000000000001"},
        {"layer_norm_eps", "9.9999999999999998e-13"},
        {"init_range", "0.02"},
        {"updates", "0"},
        {"epochs", "0"},
        {"batch", "256"},
        {"accum", "1"},
        {"lr", "0.002"},
        {"warmup", "50"},
        {"schedule", "\"linear\""},
        {"weight_decay", "0.01"},
        {"beta1", "0.90000000000000002"},
        {"beta2", "0.999"},
        {"adam_eps", "9.9999999999999995e-7"},
        {"adam_eps_rule", "\"hf-2.8\""},
        {"clip", "1.0"},
        {"seed", "0"},
        {"precision", "\"float32\""},
    };
    json_t *all = ig_options_json(&ig_run_options, &c);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char *text = json_dumps(json_object_get(all, known[i].key), JSON_ENCODE_ANY);
        if (text == NULL || strcmp(text, known[i].def) != 0)
            fail_msg("the default of %s is %s, was %s", known[i].key, text, known[i].def);
        free(text);
    }
    json_decref(all);
    ig_run_config_free(&c);
}

/* Another value for an option of any kind. */
static void change(const ig_option *o, ig_run_config *c)
{
    void *f = ig_option_field(o, c);
    switch (o->kind) {
    case IG_OPT_FLAG:
        *(bool *)f = !*(bool *)f;
        break;
    case IG_OPT_INT:
        (*(int64_t *)f)++;
        break;
    case IG_OPT_REAL:
    case IG_OPT_TIME:
        *(double *)f = *(double *)f * 0.5 + 0.0013;
        break;
    case IG_OPT_ENUM:
        *(int *)f = *(int *)f == 0 ? 1 : 0;
        break;
    case IG_OPT_INTS:
        ((ig_int_list *)f)->v[((ig_int_list *)f)->n++] = 2;
        break;
    case IG_OPT_TEXTS:
        fail_msg("%s is no option of a run", o->name);
        break;
    case IG_OPT_STRING:
    case IG_OPT_PATH:
    case IG_OPT_FILES:
        ig_option_clear(o, f);
        *(char **)f = NULL;
        assert_ok(ig_alloc((char **)f, 300, 1, "test", &err), &err);
        snprintf(*(char **)f, 300, "%s%s", o->kind == IG_OPT_FILES ? "x=" : "",
                 path_of("other.txt"));
    }
}

static void what_decides(void **state)
{
    (void)state;
    char data[IG_ADDRESS], other_data[IG_ADDRESS];
    write_file("other.txt", "other\n");
    for (int i = 0; i < ig_run_options.n; i++) {
        const ig_option *o = &ig_run_options.row[i];
        ig_run_config a = config(), b = config();
        if (strcmp(o->name, "accum-mean") == 0)
            a.optimisation.accum = b.optimisation.accum = 2; /* else it decides nothing */
        change(o, &b);
        bool measures = o->part == IG_PART_MEASURES;
        /* Settings of static vectors are nothing to a BERT. */
        bool of_static = strncmp(o->name, "embed-", 6) == 0;
        bool decides = (ig_run_option_decides(i) || measures) && !of_static;
        if ((strcmp(address_of(&a, NULL), address_of(&b, NULL)) != 0) != decides)
            fail_msg("%s", o->name);
        assert_ok(ig_data_address(data, &a, NULL, &err), &err);
        assert_ok(ig_data_address(other_data, &b, NULL, &err), &err);
        static const char *const of_data[] = {"text",
                                              "ids",
                                              "format",
                                              "strip-quotes",
                                              "sentences",
                                              "clauses",
                                              "take",
                                              "dev-text",
                                              "dev-ids",
                                              "dev-format",
                                              "dev-take",
                                              "dev-parallel",
                                              "world",
                                              "files",
                                              "vocab",
                                              "lowercase",
                                              "vocab-size",
                                              "max-words",
                                              "vocab-model",
                                              "world-seed",
                                              "world-sentences",
                                              "world-words",
                                              "limit-alphabet",
                                              "allow-unknown"};
        bool is_data = false;
        for (size_t k = 0; k < sizeof of_data / sizeof *of_data; k++)
            is_data = is_data || strcmp(of_data[k], o->name) == 0;
        if ((strcmp(data, other_data) != 0) != is_data)
            fail_msg("data: %s", o->name);
        ig_run_config_free(&a);
        ig_run_config_free(&b);
    }
}

/* Accumulation took the mean of the micro-batches' means when addresses and keys were first made:
 * runs and fine-tunings that do keep theirs, those that weigh all targets alike have others, and
 * with one micro-batch nothing is decided. */
static void accumulation(void **state)
{
    (void)state;
    ig_run_config c = config();
    assert_string_equal(address_of(&c, NULL), "31eabf191c9be5bf");
    c.accum_mean = IG_VARIANT_PAPER_CODE;
    assert_string_equal(address_of(&c, NULL), "31eabf191c9be5bf");
    c.optimisation.accum = 2;
    const char *mean = address_of(&c, NULL);
    assert_string_equal(mean, "2bf1f21b60ebfa11");
    c.accum_mean = IG_VARIANT_FIXED;
    assert_string_not_equal(address_of(&c, NULL), mean);
    ig_run_config_free(&c);
    ig_experiment e = read_good(
        "base: {updates: 50}\nseeds: [42]\ntasks:\n"
        "  a: {world: tags}\n  b: {world: tags, accum: 2}\n  c: {world: tags, accum: 2, "
        "accum_mean: false}\n"
        "  d: {world: tags, accum: 2, accum_mean: true}\n  e: {world: tags, recipe: xtreme}\n"
        "  f: {world: tags, recipe: xtreme, definition: paper-code}\n  g: {world: tags, recipe: "
        "xtreme, "
        "accum: 1}\n");
    static const char *const was[] = {
        "31984a0084feb335", NULL, NULL, NULL, NULL, "6bcaaa400981043a", "7019d6550e2de40e"};
    for (int i = 0; i < 7; i++) {
        const char *key = e.task[i].tuning[0].key;
        if (was[i] != NULL && strcmp(key, was[i]) != 0)
            fail_msg("%s: %s", e.task[i].name, key);
        for (int k = 0; k < i; k++)
            assert_true((strcmp(key, e.task[k].tuning[0].key) == 0) == (i == 2 && k == 1));
    }
    ig_experiment_free(&e);
}

/* The default of "document" was 4096: a run of pairs with that keeps its address, one whose
 * documents follow the text is another; without pairs either default is the run it was. */
static void documents(void **state)
{
    (void)state;
    ig_run_config lines = config(), pairs = config();
    assert_string_equal(address_of(&lines, NULL), "31eabf191c9be5bf");
    lines.objective.batching.document = 4096;
    assert_string_equal(address_of(&lines, NULL), "31eabf191c9be5bf");
    pairs.objective.batching.instances = IG_INSTANCES_PAIRS;
    assert_string_not_equal(address_of(&pairs, NULL), "1ef874c00fa4c5fb");
    pairs.objective.batching.document = 4096;
    assert_string_equal(address_of(&pairs, NULL), "1ef874c00fa4c5fb");
    ig_run_config_free(&lines);
    ig_run_config_free(&pairs);
}

/* Static vectors depend on the text, its pieces, the languages, the settings of their own, and the
 * seed; of the BERT beside them only on the size that gives their dimensions. */
static void what_decides_static_vectors(void **state)
{
    (void)state;
    static const char *const of_run[] = {"text",
                                         "ids",
                                         "format",
                                         "strip-quotes",
                                         "sentences",
                                         "clauses",
                                         "take",
                                         "dev-text",
                                         "dev-ids",
                                         "dev-format",
                                         "dev-take",
                                         "dev-parallel",
                                         "world",
                                         "files",
                                         "vocab",
                                         "lowercase",
                                         "vocab-size",
                                         "max-words",
                                         "limit-alphabet",
                                         "allow-unknown",
                                         "vocab-model",
                                         "world-seed",
                                         "world-sentences",
                                         "world-words",
                                         "languages",
                                         "transform-seed",
                                         "inv-order",
                                         "no-parallel",
                                         "trainer",
                                         "embed-model",
                                         "embed-dim",
                                         "embed-window",
                                         "embed-epochs",
                                         "embed-negative",
                                         "embed-min-count",
                                         "embed-lr",
                                         "words-take",
                                         "words-min-count",
                                         "words-alike",
                                         "seed",
                                         "hidden",
                                         "preset",
                                         "parameters",
                                         "from"};
    write_file("other.txt", "other\n");
    for (int i = 0; i < ig_run_options.n; i++) {
        const ig_option *o = &ig_run_options.row[i];
        ig_run_config a = config(), b = config();
        a.trainer = b.trainer = IG_TRAINER_WORD2VEC;
        if (strcmp(o->name, "trainer") == 0)
            b.trainer = IG_TRAINER_GLOVE;
        else
            change(o, &b);
        if (strcmp(o->name, "parameters") == 0)
            b.model.parameters = 100000000;
        bool decides = false;
        for (size_t k = 0; k < sizeof of_run / sizeof *of_run; k++)
            decides = decides || strcmp(of_run[k], o->name) == 0;
        if ((strcmp(address_of(&a, NULL), address_of(&b, NULL)) != 0) != decides)
            fail_msg("%s", o->name);
        ig_run_config_free(&a);
        ig_run_config_free(&b);
    }
    /* Dimensions that are given and those that come from the BERT are the same run. */
    ig_run_config a = config(), b = config();
    a.trainer = b.trainer = IG_TRAINER_GLOVE;
    b.vectors.embed_dim = ig_run_config_dim(&a);
    b.model.layers = 3;
    assert_string_equal(address_of(&a, NULL), address_of(&b, NULL));
    assert_string_equal(address_of(&a, NULL), "e25d69445285bf2b");
    ig_run_config_free(&a);
    ig_run_config_free(&b);
}

static void texts_are_their_bytes(void **state)
{
    (void)state;
    ig_hash_cache *cache;
    ig_experiment a, b;
    assert_ok(ig_dir_make(path_of("one"), &err), &err);
    assert_ok(ig_dir_make(path_of("two"), &err), &err);
    write_file("one/t.txt", "same bytes\n");
    write_file("two/t.txt", "same bytes\n");
    write_file("two/u.txt", "other bytes\n");
    write_file("e.yaml", "base: {text: t.txt}\n");
    assert_ok(ig_hash_cache_new(&cache, &err), &err);
    assert_ok(ig_experiment_read(&a, path_of("e.yaml"), NULL, 0, path_of("one"), &err), &err);
    assert_ok(ig_experiment_read(&b, path_of("e.yaml"), NULL, 0, path_of("two"), &err), &err);
    char first[IG_ADDRESS];
    strcpy(first, address_of(&a.cell[0].config, cache));
    assert_string_equal(first, address_of(&b.cell[0].config, cache));
    assert_string_equal(first, address_of(&b.cell[0].config, NULL));
    /* The cache sees that a file has changed. */
    write_file("one/t.txt", "changed bytes\n");
    assert_string_not_equal(first, address_of(&a.cell[0].config, cache));
    ig_experiment_free(&a);
    ig_experiment_free(&b);
    write_file("e.yaml", "base: {text: u.txt}\n");
    assert_ok(ig_experiment_read(&b, path_of("e.yaml"), NULL, 0, path_of("two"), &err), &err);
    assert_string_not_equal(first, address_of(&b.cell[0].config, cache));
    ig_experiment_free(&b);
    char address[IG_ADDRESS];
    write_file("e.yaml", "base: {text: missing.txt}\n");
    assert_ok(ig_experiment_read(&b, path_of("e.yaml"), NULL, 0, path_of("two"), &err), &err);
    assert_int_equal(ig_run_address(address, &b.cell[0].config, cache, &err), IG_ERR_IO);
    assert_string_equal(err.where, path_of("two/missing.txt"));
    ig_experiment_free(&b);
    ig_hash_cache_free(cache);
}

/* "a:0 b:0 b:1" of what a selector names. */
static void selects(const ig_experiment *e, const char *selector, const char *want)
{
    bool *on;
    int64_t stride;
    char got[512] = "";
    assert_ok(ig_experiment_select(&on, &stride, e, selector, &err), &err);
    for (int i = 0; i < e->n_cell; i++)
        for (int k = 0; k < e->cell[i].n_seed; k++)
            if (on[i * stride + k])
                snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s:%lld",
                         got[0] != '\0' ? " " : "", e->cell[i].name, (long long)e->cell[i].seed[k]);
    if (strcmp(got, want) != 0)
        fail_msg("%s: %s, expected %s", selector, got, want);
    ig_free(on);
}

static void selectors(void **state)
{
    (void)state;
    ig_experiment e = read_good("seeds: [0-1, 7]\ncells:\n  '1': {}\n  '8': {lang_pos: true}\n"
                                "  '15': {like: '8', shift_special: true, seeds: 1}\n"
                                "  lang-pos2: {block: 64}\n");
    selects(&e, "8", "8:0 8:1 8:7");
    selects(&e, "8:7", "8:7");
    selects(&e, "1*:0-1", "1:0 1:1 15:0");
    selects(&e, "*:7", "1:7 8:7 lang-pos2:7");
    selects(&e, "1?", "15:0");
    selects(&e, "8:0,1:7", "1:7 8:0");
    selects(&e, "lang-pos", "8:0 8:1 8:7 15:0"); /* a label's part */
    selects(&e, "lang-pos2:1-5", "lang-pos2:1");
    selects(&e, "original:0", "1:0");
    selects(&e, "block=*:0", "lang-pos2:0");
    selects(&e, "8:0,7", "8:0 8:7"); /* no cell is called 7: one more seed */
    selects(&e, "lang-pos2:0-1,7,1", "1:0 1:1 1:7 lang-pos2:0 lang-pos2:1 lang-pos2:7");
    static const struct {
        const char *text, *msg;
    } bad[] = {
        {"", "found nothing, expected the name of a cell"},
        {"8,", "found nothing, expected the name of a cell"},
        {"9", "'9' fits no cell of e"},
        {"8:9", "'8' has no seed 9"},
        {"8,7", "'7' fits no cell of e"}, /* 8 are all its seeds */
        {"8:0,9", "'8' has no seed 9"},
        {"8:x", "'8:x': expected seeds after the colon"},
        {"8:2-1", "'8:2-1': expected seeds after the colon"},
        {"8:", "'8:': expected seeds after the colon"},
        {"8:-1", "'8:-1': expected seeds after the colon"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bool *on;
        int64_t stride;
        assert_int_equal(ig_experiment_select(&on, &stride, &e, bad[i].text, &err), IG_ERR_USAGE);
        assert_string_equal(err.msg, bad[i].msg);
        assert_null(on);
    }
    /* The name of a cell comes before parts of labels. */
    ig_experiment named = read_good("cells: {a: {lang_pos: true}, lang-pos: {block: 64}}\n");
    selects(&named, "lang-pos", "lang-pos:0");
    ig_experiment_free(&named);
    bool *on;
    int64_t stride;
    assert_int_equal(ig_experiment_select(&on, &stride, &e, "zz", &err), IG_ERR_USAGE);
    assert_string_equal(err.hint, "cells are 1, 8, 15, lang-pos2");
    ig_experiment_free(&e);

    e = read_good("axes: {batch: [64, 256]}\ncells: {'8': {lang_pos: true}, '1': {}}\n");
    selects(&e, "8", "8/batch=64:0 8/batch=256:0"); /* parts of a name */
    selects(&e, "batch=64", "8/batch=64:0 1/batch=64:0");
    selects(&e, "*/batch=64,8/*", "8/batch=64:0 8/batch=256:0 1/batch=64:0");
    ig_experiment_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored),
        cmocka_unit_test(stored_defaults),
        cmocka_unit_test(what_decides),
        cmocka_unit_test(accumulation),
        cmocka_unit_test(documents),
        cmocka_unit_test(what_decides_static_vectors),
        cmocka_unit_test(texts_are_their_bytes),
        cmocka_unit_test(selectors),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
