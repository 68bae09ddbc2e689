/* SPDX-License-Identifier: Apache-2.0
 *
 * Pipelines and their gold, against what the definition of each transform says about every single
 * token.
 */
#include "corpus_fixture.h"

#include "base/memory.h"
#include "corpus/language/transform.h"

enum { V = 40, BLOCK = 12 };

static ig_corpus *make(const ig_shard *s, const char *const *pipeline, int n, int32_t block)
{
    static const char *const name[] = {"a", "b", "c", "d", "e"};
    ig_err err = {0};
    ig_corpus *c;
    ig_corpus_options o = fixture_options(V, block);
    ig_language_spec spec[5];
    for (int k = 0; k < n; k++)
        spec[k] = (ig_language_spec){.name = name[k], .pipeline = pipeline[k], .source = s};
    assert_ok(ig_corpus_new(&c, spec, n, &o, &err), &err);
    return c;
}

/* Content of sentence i as the corpus should cut it. */
static int32_t text(const ig_shard *s, int64_t i, int32_t block, const int32_t **id)
{
    int32_t n;
    *id = ig_shard_sentence(s, i, &n);
    return n < block - 2 ? n : block - 2;
}

static void plain_and_fake(void **state)
{
    (void)state;
    ig_shard *s = fixture_shard("a.shard", 60, 15, V, 3);
    ig_corpus *c =
        make(s, (const char *const[]){"", "shift", "shift | specials | positions"}, 3, BLOCK);
    assert_int_equal(ig_corpus_vocab_size(c), 3 * V);
    const ig_language *own = ig_corpus_language(c, 2);
    assert_int_equal(own->first_id, 2 * V);
    assert_int_equal(own->pos_offset, BLOCK);
    assert_int_equal(own->segment, 1);
    assert_int_equal(own->pad, 2 * V);
    assert_int_equal(own->mask, 2 * V + 4);
    assert_int_equal(ig_corpus_language(c, 1)->mask, 4);
    int64_t n_cut = 0;
    for (int64_t i = 0; i < 60; i++) {
        const int32_t *t;
        int32_t n = text(s, i, BLOCK, &t), a[BLOCK], b[BLOCK], d[BLOCK], whole;
        ig_shard_sentence(s, i, &whole);
        n_cut += whole > n;
        assert_int_equal(ig_corpus_sequence(c, 0, i, a), n + 2);
        assert_int_equal(ig_corpus_sequence(c, 1, i, b), n + 2);
        assert_int_equal(ig_corpus_sequence(c, 2, i, d), n + 2);
        assert_int_equal(a[0], 2);
        assert_int_equal(b[0], 2);
        assert_int_equal(d[0], 2 * V + 2);
        assert_int_equal(a[n + 1], 3);
        assert_int_equal(b[n + 1], 3);
        assert_int_equal(d[n + 1], 2 * V + 3);
        for (int32_t j = 0; j < n; j++) {
            assert_int_equal(a[j + 1], t[j]);
            /* [UNK] is not shifted, but is a special token that a language can have of its own. */
            assert_int_equal(b[j + 1], t[j] == 1 ? 1 : t[j] + V);
            assert_int_equal(d[j + 1], t[j] + 2 * V);
        }
    }
    assert_true(n_cut > 0);
    ig_corpus_free(c);
    ig_shard_close(s);
}

static void inversion(void **state)
{
    (void)state;
    ig_shard *s = fixture_shard("a.shard", 80, 15, V, 4);
    ig_corpus *c =
        make(s,
             (const char *const[]){"", "shift | invert", "shift | invert:paper-code",
                                   "invert | invert", "invert:paper-code | invert:paper-code"},
             5, BLOCK);
    for (int64_t i = 0; i < 80; i++) {
        const int32_t *t;
        int32_t n = text(s, i, BLOCK, &t), x[BLOCK], pairs[4 * BLOCK], kept[BLOCK], k = 0;
        ig_corpus_sequence(c, 1, i, x);
        for (int32_t j = 0; j < n; j++)
            assert_int_equal(x[n - j], t[j] == 1 ? 1 : t[j] + V);
        assert_int_equal(ig_corpus_gold_alignment(c, 0, 1, i, pairs), n);
        for (int32_t j = 0; j < n; j++) {
            assert_int_equal(pairs[2 * j], j + 1);
            assert_int_equal(pairs[2 * j + 1], n - j);
        }
        assert_int_equal(ig_corpus_gold_alignment(c, 1, 1, i, pairs), n);
        for (int32_t j = 0; j < n; j++)
            assert_int_equal(pairs[2 * j + 1], j + 1);
        /* The program's way: only ids ≥ V change places among themselves. */
        for (int32_t j = 0; j < n; j++)
            if (t[j] != 1)
                kept[k++] = t[j] + 2 * V;
        ig_corpus_sequence(c, 2, i, x);
        for (int32_t j = 0; j < n; j++)
            assert_int_equal(x[j + 1], t[j] == 1 ? 1 : kept[--k]);
        for (int l = 3; l < 5; l++) {
            ig_corpus_sequence(c, l, i, x);
            for (int32_t j = 0; j < n; j++)
                assert_int_equal(x[j + 1], t[j]);
            assert_int_equal(ig_corpus_gold_alignment(c, 0, l, i, pairs), n);
            for (int32_t j = 0; j < 2 * n; j++)
                assert_int_equal(pairs[j], j / 2 + 1);
        }
    }
    ig_corpus_free(c);
    ig_shard_close(s);
}

static void selections(void **state)
{
    (void)state;
    ig_shard *s = fixture_shard("a.shard", 11, 9, V, 5);
    ig_corpus *c = make(s,
                        (const char *const[]){"half:first", "shift | half:second", "take:3",
                                              "half:second | take:2 | shift", "take:100"},
                        5, BLOCK);
    const int64_t n[] = {5, 5, 3, 2, 11}, first[] = {0, 6, 0, 6, 0};
    for (int k = 0; k < 5; k++) {
        assert_int_equal(ig_corpus_n_sequence(c, k), n[k]);
        for (int64_t i = 0; i < n[k]; i++) {
            const int32_t *t;
            int32_t len = text(s, first[k] + i, BLOCK, &t), x[BLOCK];
            assert_int_equal(ig_corpus_sequence(c, k, i, x), len + 2);
            for (int32_t j = 0; j < len; j++)
                assert_int_equal(x[j + 1] % V, t[j]);
        }
    }
    int32_t pairs[4 * BLOCK];
    assert_int_equal(ig_corpus_gold_alignment(c, 0, 1, 2, pairs), -1);
    assert_true(ig_corpus_gold_alignment(c, 1, 3, 1, pairs) >= 0);
    assert_int_equal(ig_corpus_gold_alignment(c, 1, 3, 2, pairs), -1);
    assert_true(ig_corpus_gold_alignment(c, 0, 4, 4, pairs) >= 0);
    ig_corpus_free(c);
    ig_shard_close(s);
}

static void dictionaries(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_shard *s = fixture_shard("a.shard", 11, 9, V, 6);
    ig_corpus *c =
        make(s, (const char *const[]){"", "shift | invert", "shift | specials"}, 3, BLOCK);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            int32_t *pairs;
            int64_t n;
            assert_ok(ig_corpus_gold_dictionary(c, a, b, &pairs, &n, &err), &err);
            bool own = (a == 2) != (b == 2);
            assert_int_equal(n, own ? V : V - 5);
            for (int64_t i = 0; i < n; i++) {
                int32_t id = (int32_t)i + (own ? 0 : 5);
                assert_int_equal(pairs[2 * i], id < 5 && a != 2 ? id : id + a * V);
                assert_int_equal(pairs[2 * i + 1], id < 5 && b != 2 ? id : id + b * V);
            }
            ig_free(pairs);
        }
    ig_corpus_free(c);
    ig_shard_close(s);
}

/* Transforms as they may come: one drops every third token, one doubles every token and puts a new
 * one in front, one draws a cyclic shift at random. */
static void drop_apply(const ig_step *s, const ig_step_context *c, const ig_tokens *in,
                       ig_tokens *out)
{
    (void)s;
    (void)c;
    for (int32_t i = 0; i < in->n; i++)
        if (i % 3 != 2 && ig_tokens_push(out, in->id[i]))
            ig_tokens_link(out, i, out->n - 1);
}

static void double_apply(const ig_step *s, const ig_step_context *c, const ig_tokens *in,
                         ig_tokens *out)
{
    (void)s;
    (void)c;
    ig_tokens_push(out, 39);
    for (int32_t i = 0; i < in->n; i++)
        for (int k = 0; k < 2; k++)
            if (ig_tokens_push(out, in->id[i]))
                ig_tokens_link(out, i, out->n - 1);
}

static void rotate_apply(const ig_step *s, const ig_step_context *c, const ig_tokens *in,
                         ig_tokens *out)
{
    (void)s;
    ig_rng r = ig_rng_make(c->options->seed, IG_STREAM_TRANSFORM, 0, (uint32_t)c->sequence);
    int32_t k = in->n > 0 ? (int32_t)ig_rng_below(&r, (uint32_t)in->n) : 0;
    for (int32_t i = 0; i < in->n; i++) {
        ig_tokens_push(out, in->id[(i + k) % in->n]);
        ig_tokens_link(out, (i + k) % in->n, i);
    }
}

static const ig_transform coming[3] = {{.name = "drop", .apply = drop_apply},
                                       {.name = "double", .apply = double_apply},
                                       {.name = "rotate", .apply = rotate_apply}};

/* Composition against following every token by hand: tokens are all different, so links are seen
 * from ids. */
static void unequal_lengths_compose(void **state)
{
    (void)state;
    ig_corpus_options o = fixture_options(V, 200);
    ig_language l = {0};
    static ig_tokens t;
    for (int32_t n = 0; n <= 30; n++)
        for (int code = 0; code < 81; code++) {
            ig_pipeline p = {0};
            for (int k = 0, rest = code; k < 4; k++, rest /= 3)
                p.step[p.n++].kind = &coming[rest % 3];
            ig_step_context c = {&o, &l, n, NULL, NULL};
            int32_t id[30];
            for (int32_t i = 0; i < n; i++)
                id[i] = 100 + i;
            ig_tokens_set(&t, id, n, 1000);
            ig_pipeline_run(&p, &c, &t);
            int32_t k = 0;
            for (int32_t from = 0; from < n; from++)
                for (int32_t to = 0; to < t.n; to++) {
                    if (t.id[to] != 100 + from)
                        continue;
                    assert_true(k < t.n_link);
                    assert_int_equal(t.link[k][0], from);
                    assert_int_equal(t.link[k][1], to);
                    k++;
                }
            assert_int_equal(k, t.n_link);
            for (int32_t to = 0; to < t.n; to++)
                assert_true(t.id[to] >= 100 || t.id[to] == 39);
        }
}

static void capacity_holds(void **state)
{
    (void)state;
    ig_corpus_options o = fixture_options(V, IG_SEQUENCE_MAX);
    ig_language l = {0};
    static ig_tokens t;
    static int32_t id[3000];
    ig_pipeline p = {.n = 3,
                     .step = {{.kind = &coming[1]}, {.kind = &coming[1]}, {.kind = &coming[0]}}};
    ig_step_context c = {&o, &l, 0, NULL, NULL};
    ig_tokens_set(&t, id, 3000, 3000);
    assert_int_equal(t.n, IG_SEQUENCE_MAX);
    ig_pipeline_run(&p, &c, &t);
    assert_true(t.n <= IG_SEQUENCE_MAX && t.n_link <= IG_LINK_MAX);
    for (int32_t k = 0; k < t.n_link; k++)
        assert_true(t.link[k][0] >= 0 && t.link[k][0] < IG_SEQUENCE_MAX && t.link[k][1] < t.n);
}

/* A transform that lets the second half fall and links it all the same, with places after the end.
 */
static void careless_apply(const ig_step *s, const ig_step_context *c, const ig_tokens *in,
                           ig_tokens *out)
{
    (void)s;
    (void)c;
    for (int32_t i = 0; i < in->n; i++) {
        if (i < (in->n + 1) / 2)
            ig_tokens_push(out, in->id[i]);
        ig_tokens_link(out, i, i);
    }
}

static void links_behind_the_end_are_dropped(void **state)
{
    (void)state;
    static const ig_transform careless = {.name = "careless", .apply = careless_apply};
    ig_corpus_options o = fixture_options(V, IG_SEQUENCE_MAX);
    ig_language l = {0};
    static ig_tokens t;
    static int32_t id[IG_SEQUENCE_MAX];
    const ig_transform *const second[] = {NULL, &coming[1], &coming[2], &careless};
    for (int32_t n = 0; n <= IG_SEQUENCE_MAX; n = n < 9 ? n + 1 : n * 2 - n % 2)
        for (int k = 0; k < 4; k++) {
            ig_pipeline p = {.n = k > 0 ? 2 : 1,
                             .step = {{.kind = &careless}, {.kind = second[k]}}};
            ig_step_context c = {&o, &l, 0, NULL, NULL};
            for (int32_t i = 0; i < n; i++)
                id[i] = 100 + i;
            ig_tokens_set(&t, id, n, IG_SEQUENCE_MAX);
            ig_pipeline_run(&p, &c, &t);
            int32_t kept = (n + 1) / 2, linked = k == 1 ? 2 * kept : k == 3 ? (kept + 1) / 2 : kept;
            assert_int_equal(t.n_link, linked);
            for (int32_t i = 0; i < t.n_link; i++) {
                assert_in_range(t.link[i][1], 0, t.n - 1);
                assert_int_equal(t.id[t.link[i][1]], 100 + t.link[i][0]);
            }
        }
}

static void origins_are_of_the_word(void **state)
{
    (void)state;
    ig_shard *s = fixture_shard("a.shard", 40, 15, V, 7);
    ig_corpus *c =
        make(s, (const char *const[]){"", "shift | invert | specials | positions"}, 2, BLOCK);
    for (int64_t i = 0; i < 40; i++) {
        int32_t x[BLOCK], y[BLOCK];
        uint32_t a[BLOCK], b[BLOCK], word[BLOCK];
        int32_t n = ig_corpus_content(c, 0, i, BLOCK - 2, x, a, word);
        assert_int_equal(ig_corpus_content(c, 1, i, BLOCK - 2, y, b, word), n);
        for (int32_t j = 0; j < n; j++) {
            assert_int_equal(a[j], b[n - 1 - j]);
            assert_int_equal(word[j], b[j]);
            assert_in_range(a[j], 1, 0xFFFE);
            for (int32_t k = 0; k < j; k++)
                assert_int_not_equal(a[j], a[k]);
        }
    }
    ig_corpus_free(c);
    ig_shard_close(s);
}

/* Pieces of an even id go on with a word: brute force over the text, whatever the order. */
static void words_of_the_text(void **state)
{
    (void)state;
    enum { MOST = 15 };
    ig_shard *s = fixture_shard("a.shard", 40, MOST, V, 7);
    bool continues[V];
    for (int i = 0; i < V; i++)
        continues[i] = i % 2 == 0;
    const ig_language_spec spec[] = {
        {.name = "a", .pipeline = "", .source = s},
        {.name = "b", .pipeline = "shift | invert", .source = s, .continues = continues}};
    ig_corpus_options o = fixture_options(V, BLOCK);
    ig_err err = {0};
    ig_corpus *c;
    assert_ok(ig_corpus_new(&c, spec, 2, &o, &err), &err);
    for (int64_t i = 0; i < 40; i++) {
        int32_t x[MOST], n_text;
        uint32_t origin[MOST], word[MOST];
        const int32_t *text = ig_shard_sentence(s, i, &n_text);
        int32_t n = ig_corpus_content(c, 1, i, MOST, x, origin, word);
        assert_int_equal(n, n_text);
        for (int32_t j = 0; j < n; j++) {
            int32_t place = n - 1 - j, first = place;
            while (first > 0 && text[first] % 2 == 0)
                first--;
            assert_int_equal(origin[j], place + 1);
            assert_int_equal(word[j], first + 1);
        }
    }
    ig_corpus_free(c);
    ig_shard_close(s);
}

static void normal_form(void **state)
{
    (void)state;
    static const char *const text_and_normal[][2] = {
        {"", ""},
        {"  ", ""},
        {"shift", "shift"},
        {" shift|invert:fixed |  positions ", "shift | invert | positions"},
        {"positions:128", "positions:128"},
        {"positions:128,1 | half:first | half:second",
         "positions:128,1 | half:first | half:second"},
        {"take:007 | invert:paper-code", "take:7 | invert:paper-code"},
    };
    ig_err err = {0};
    ig_pipeline p;
    char out[256], again[256];
    for (size_t i = 0; i < sizeof text_and_normal / sizeof *text_and_normal; i++) {
        assert_ok(ig_pipeline_parse(&p, text_and_normal[i][0], "x", 0, &err), &err);
        ig_pipeline_print(&p, out, sizeof out);
        assert_string_equal(out, text_and_normal[i][1]);
        assert_ok(ig_pipeline_parse(&p, out, "x", 0, &err), &err);
        ig_pipeline_print(&p, again, sizeof again);
        assert_string_equal(out, again);
    }
}

static void bad_pipelines(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "shfit",
        "|",
        "shift |",
        "| shift",
        "shift | | invert",
        "shift | shift",
        "shift:1",
        "invert:x",
        "invert:",
        "half",
        "half:",
        "half:third",
        "take",
        "take:0",
        "take:-1",
        "take:1x",
        "take:99999999999999999999",
        "positions:",
        "positions:1,",
        "positions:1,2,3",
        "positions:-1",
        "positions | positions",
        "specials | specials",
        "shift | specials:cls",
        "Shift",
        "invert|invert|invert|invert|invert|invert|invert|invert|invert|invert|invert|invert|"
        "invert|"
        "invert|invert|invert|invert",
    };
    ig_err err = {0};
    ig_pipeline p;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (ig_pipeline_parse(&p, bad[i], "x", 0, &err) != IG_ERR_USAGE)
            fail_msg("accepted '%s'", bad[i]);
        assert_string_equal(err.where, "x");
    }
    ig_pipeline_parse(&p, "shift | invrt", "x", 0, &err);
    assert_non_null(strstr(err.msg, "invrt"));
}

static void refuse(const ig_language_spec *spec, int n, ig_corpus_options o, ig_code want,
                   const char *word)
{
    ig_err err = {0};
    ig_corpus *c;
    assert_int_equal(ig_corpus_new(&c, spec, n, &o, &err), want);
    assert_null(c);
    if (strstr(err.msg, word) == NULL)
        fail_msg("'%s' does not say '%s'", err.msg, word);
}

static void bad_corpora(void **state)
{
    (void)state;
    ig_shard *s = fixture_shard("a.shard", 3, 9, V, 8), *e = fixture_shard("e.shard", 0, 9, V, 8),
             *w = fixture_shard("w.shard", 3, 9, V + 1, 8);
    ig_corpus_options o = fixture_options(V, BLOCK), no_mask = o, twice = o, low = o, far = o;
    no_mask.mask = -1;
    twice.cls = 3;
    low.block = 2;
    far.sep = V;
    refuse(&(ig_language_spec){.name = "a", .pipeline = "", .source = s}, 0, o, IG_ERR_USAGE,
           "no language");
    refuse(&(ig_language_spec){.name = "a", .pipeline = "", .source = s}, 1, no_mask, IG_ERR_INPUT,
           "[MASK]");
    refuse(&(ig_language_spec){.name = "a", .pipeline = "", .source = s}, 1, twice, IG_ERR_INPUT,
           "both 3");
    refuse(&(ig_language_spec){.name = "a", .pipeline = "", .source = s}, 1, far, IG_ERR_INPUT,
           "[SEP] is 40");
    refuse(&(ig_language_spec){.name = "a", .pipeline = "", .source = s}, 1, low, IG_ERR_USAGE,
           "found 2");
    refuse(&(ig_language_spec){.name = "a", .pipeline = "", .source = e}, 1, o, IG_ERR_INPUT,
           "no sequence");
    refuse(&(ig_language_spec){.name = "a", .pipeline = "", .source = w}, 1, o, IG_ERR_INPUT,
           "41 pieces");
    refuse(&(ig_language_spec){.name = "a", .pipeline = "specials", .source = s}, 1, o,
           IG_ERR_USAGE, "shift");
    refuse(&(ig_language_spec){.name = "", .pipeline = "", .source = s}, 1, o, IG_ERR_USAGE,
           "0 bytes");
    refuse((ig_language_spec[]){{.name = "a", .pipeline = "", .source = s},
                                {.name = "a", .pipeline = "shift", .source = s}},
           2, o, IG_ERR_USAGE, "this name");
    /* A vocabulary of its own size has a place of its own. */
    ig_err err = {0};
    ig_corpus *c;
    assert_ok(ig_corpus_new(&c,
                            (ig_language_spec[]){{.name = "a", .pipeline = "", .source = s},
                                                 {.name = "b", .pipeline = "shift", .source = w}},
                            2, &o, &err),
              &err);
    assert_int_equal(ig_corpus_vocab_size(c), 2 * V + 1);
    int32_t *pairs, x[4 * BLOCK];
    int64_t n;
    assert_ok(ig_corpus_gold_dictionary(c, 0, 1, &pairs, &n, &err), &err);
    assert_int_equal(n, 0);
    assert_int_equal(ig_corpus_gold_alignment(c, 0, 1, 0, x), -1);
    ig_free(pairs);
    ig_corpus_free(c);
    ig_corpus_free(NULL);
    ig_shard_close(s);
    ig_shard_close(e);
    ig_shard_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_and_fake),
        cmocka_unit_test(inversion),
        cmocka_unit_test(selections),
        cmocka_unit_test(dictionaries),
        cmocka_unit_test(unequal_lengths_compose),
        cmocka_unit_test(capacity_holds),
        cmocka_unit_test(links_behind_the_end_are_dropped),
        cmocka_unit_test(origins_are_of_the_word),
        cmocka_unit_test(words_of_the_text),
        cmocka_unit_test(normal_form),
        cmocka_unit_test(bad_pipelines),
        cmocka_unit_test(bad_corpora),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
