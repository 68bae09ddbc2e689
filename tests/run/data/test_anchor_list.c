/* SPDX-License-Identifier: Apache-2.0
 *
 * Anchors by a list: of two texts under one vocabulary, the listed pieces stay common and no
 * others, in the run and in the model that it writes. And the list by similarity: counts by brute
 * force.
 */
#include "root_fixture.h"
#include "setup_fixture.h"

#include "apply/model_languages.h"
#include "base/memory.h"
#include "corpus/language/vocab_overlap.h"
#include "corpus/read/parallel_text.h"
#include "run/data/setup.h"

#include <math.h>

enum { N = 60 };
static const char *const word[] = {"gift", "rat", "arm", "hand", "see", "tag", "wand", "also"};
enum { N_WORD = sizeof word / sizeof *word };

/* Whether sentence i of a side has word k. */
static bool has(int side, int i, int k)
{
    return k < 4 ? (i * (k + 3)) % 7 < 3 : (i * (k + 2) + 3 * side) % 5 < 2;
}

static void put(const char *name, const char *text)
{
    assert_ok(ig_file_write(in_root(name), text, (int64_t)strlen(text), &err), &err);
}

static void write_texts(void)
{
    for (int side = 0; side < 2; side++) {
        char text[N * 80] = "";
        for (int i = 0; i < N; i++) {
            strcat(text, side == 0 ? "one" : "eins");
            for (int k = 0; k < N_WORD; k++)
                if (has(side, i, k))
                    sprintf(text + strlen(text), " %s", word[k]);
            strcat(text, "\n");
        }
        put(side == 0 ? "a.txt" : "b.txt", text);
    }
    put("vocab.txt",
        "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\none\neins\ngift\nrat\narm\nhand\nsee\ntag\n"
        "wand\nalso\n");
    put("list", "rat\t0.9\nsee\nnone\nrat\n");
}

static void set(char **field, const char *text)
{
    ig_free(*field);
    *field = NULL;
    assert_ok(ig_alloc(field, (int64_t)strlen(text) + 1, 1, "test", &err), &err);
    strcpy(*field, text);
}

static ig_code open_run(ig_setup *s, ig_run_config *c, const char *languages)
{
    static int n_run;
    char files[1000], folder[20];
    *c = (ig_run_config){0};
    snprintf(files, sizeof files, "a=%s; b=%s; l=%s", in_root("a.txt"), in_root("b.txt"),
             in_root("list"));
    assert_ok(ig_options_default(&ig_run_options, c, &err), &err);
    set(&c->data.files, files);
    set(&c->languages.spec, languages);
    set(&c->tokens.vocab, in_root("vocab.txt"));
    set(&c->out, root);
    c->data.dev_take = 5;
    c->optimisation.updates = 10;
    c->model.preset = IG_PRESET_TINY;
    IG_TRY(ig_run_config_resolve(c, &err));
    snprintf(folder, sizeof folder, "data%d", n_run++);
    assert_ok(ig_dir_make(in_root(folder), &err), &err);
    return open_setup(s, c, in_root(folder));
}

static void listed_pieces_are_common(void **state)
{
    ig_setup s;
    ig_run_config c;
    (void)state;
    write_texts();
    assert_ok(open_run(&s, &c, "en(text=a); de(text=b, anchors=l) = shift:anchors=1"), &err);
    const int32_t n = 15;
    for (int32_t i = 5; i < n; i++) {
        const char *piece = ig_tokenizer_piece(s.tokenizer, i);
        const bool listed = strcmp(piece, "rat") == 0 || strcmp(piece, "see") == 0;
        assert_int_equal(ig_corpus_id(s.train, 0, i), i);
        assert_int_equal(ig_corpus_id(s.train, 1, i), listed ? i : i + n);
        assert_int_equal(ig_corpus_id(s.dev, 1, i), listed ? i : i + n);
    }
    /* The model's record says the same. */
    ig_model_languages l;
    json_t *j = ig_setup_json(&s);
    ig_bert_config shape = ig_bert_config_small(2 * n);
    assert_ok(
        ig_model_languages_parse(&l, json_object_get(j, "isoglot"), &shape, s.tokenizer, "j", &err),
        &err);
    assert_int_equal(l.n, 2);
    assert_null(l.language[0].same);
    for (int32_t i = 0; i < n; i++)
        assert_int_equal(l.language[1].same[i], s.languages->same[1][i]);
    ig_model_languages_free(&l);
    json_array_append_new(
        json_object_get(
            json_array_get(json_object_get(json_object_get(j, "isoglot"), "languages"), 1),
            "anchors"),
        json_integer(n));
    assert_int_equal(
        ig_model_languages_parse(&l, json_object_get(j, "isoglot"), &shape, s.tokenizer, "j", &err),
        IG_ERR_INPUT);
    ig_model_languages_free(&l);
    json_decref(j);
    ig_setup_close(&s);
    ig_run_config_free(&c);
}

static void bad_lists(void **state)
{
    ig_setup s = {0};
    ig_run_config c;
    (void)state;
    write_texts();
    assert_int_equal(open_run(&s, &c, "en(text=a); de(text=b, anchors=l) = shift"), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "shares none"));
    ig_run_config_free(&c);
    assert_int_equal(open_run(&s, &c, "en(text=a); de(text=b, anchors=x) = shift:anchors=1"),
                     IG_ERR_USAGE);
    ig_run_config_free(&c);
    put("list", "ratte\n");
    assert_int_equal(open_run(&s, &c, "en(text=a); de(text=b, anchors=l) = shift:anchors=1"),
                     IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "found no piece"));
    ig_run_config_free(&c);
}

static void similarity_is_counted(void **state)
{
    ig_parallel *p;
    ig_tokenizer *t;
    ig_piece_use *use;
    int32_t n;
    (void)state;
    write_texts();
    assert_ok(ig_tokenizer_load(&t, in_root("vocab.txt"), &(ig_tokenizer_options){0}, &err), &err);
    assert_ok(ig_parallel_open(&p, in_root("a.txt"), in_root("b.txt"), NULL, &err), &err);
    assert_ok(ig_piece_uses(&use, &n, t, p, &err), &err);
    assert_int_equal(n, N_WORD); /* `one` and `eins` are of one side */
    for (int32_t i = 0; i < n; i++) {
        int64_t a = 0, b = 0, both = 0;
        int k = 0;
        while (strcmp(word[k], ig_tokenizer_piece(t, use[i].piece)) != 0)
            k++;
        for (int s = 0; s < N; s++) {
            a += has(0, s, k);
            b += has(1, s, k);
            both += has(0, s, k) && has(1, s, k);
        }
        assert_true(use[i].a == a && use[i].b == b && use[i].both == both);
        assert_true(fabs(ig_piece_similarity(&use[i]) - 2. * (double)both / (double)(a + b)) <
                    1e-12);
        assert_true(i == 0 || ig_piece_similarity(&use[i]) <= ig_piece_similarity(&use[i - 1]));
        assert_int_equal(ig_piece_similarity(&use[i]) == 1, k < 4);
    }
    ig_free(use);
    ig_parallel_close(p);
    ig_tokenizer_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(listed_pieces_are_common),
                                       cmocka_unit_test(bad_lists),
                                       cmocka_unit_test(similarity_is_counted)};
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
