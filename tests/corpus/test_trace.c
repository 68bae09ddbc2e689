/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces, and the gold of languages whose shards were made apart, against brute force over units;
 * CoNLL-U.
 */
#include "corpus_fixture.h"

#include "base/memory.h"
#include "corpus/read/format/conllu.h"
#include "corpus/phrase.h"
#include "corpus/trace.h"

enum { V = 50, BLOCK = 24, N = 120, UNITS = 64 };

static ig_err err;

/* A shard and its trace of random pieces over random stretches; sentence i has number i · step. */
static void make(const char *name, uint32_t seed, uint64_t text, int64_t step, ig_shard **s,
                 ig_trace **t)
{
    ig_shard_writer *w;
    ig_trace_writer *x;
    char shard[256], trace[256], file[64];
    snprintf(file, sizeof file, "%s.shard", name);
    strcpy(shard, fixture_path(file));
    snprintf(file, sizeof file, "%s.trace", name);
    strcpy(trace, fixture_path(file));
    assert_ok(ig_shard_create(&w, shard, V, 7, &err), &err);
    assert_ok(ig_trace_create(&x, trace, text, text, &err), &err);
    for (int64_t i = 0; i < N; i++) {
        ig_rng r = ig_rng_make(seed, IG_STREAM_TEST, 0, (uint32_t)i);
        int32_t id[BLOCK], n = 1 + (int32_t)ig_rng_below(&r, BLOCK), n_link = 0;
        ig_trace_link link[4 * BLOCK];
        for (int32_t j = 0; j < n; j++) {
            id[j] = 5 + (int32_t)ig_rng_below(&r, V - 5);
            for (uint32_t k = ig_rng_below(&r, 3); k > 0; k--) {
                const int32_t from = (int32_t)ig_rng_below(&r, UNITS - 8);
                link[n_link++] = (ig_trace_link){j, from, from + 1 + (int32_t)ig_rng_below(&r, 8)};
            }
        }
        assert_ok(ig_shard_add(w, id, n, &err), &err);
        assert_ok(ig_trace_add(x, i * step, link, n_link, &err), &err);
    }
    assert_ok(ig_shard_commit(w, &err), &err);
    assert_ok(ig_trace_commit(x, &err), &err);
    assert_ok(ig_shard_open(s, shard, &err), &err);
    assert_ok(ig_trace_open(t, trace, &err), &err);
    assert_int_equal((*t)->n_sentence, N);
}

/* Units that each place of a sequence covers, by its pipeline's rule: 0 as it is, 1 inverted. */
static int32_t units(const ig_shard *s, const ig_trace *t, int64_t i, bool inverted,
                     bool of[BLOCK][UNITS])
{
    int32_t n, n_link;
    ig_shard_sentence(s, i, &n);
    n = n < BLOCK - 2 ? n : BLOCK - 2;
    const ig_trace_link *l = ig_trace_links(t, i, &n_link);
    memset(of, 0, sizeof(bool) * BLOCK * UNITS);
    for (int32_t k = 0; k < n_link; k++)
        for (int32_t u = l[k].from; u < l[k].to && l[k].piece < n; u++)
            of[inverted ? n - 1 - l[k].piece : l[k].piece][u] = true;
    return n;
}

static void gold_is_where_stretches_meet(void **state)
{
    (void)state;
    ig_shard *s[3];
    ig_trace *t[3];
    ig_corpus *c;
    make("a", 1, 5, 1, &s[0], &t[0]);
    make("b", 2, 5, 1, &s[1], &t[1]);
    make("c", 3, 6, 1, &s[2], &t[2]);
    const ig_language_spec spec[] = {
        {.name = "a", .pipeline = "", .source = s[0], .trace = t[0]},
        {.name = "b", .pipeline = "shift | invert", .source = s[1], .trace = t[1]},
        {.name = "c", .pipeline = "", .source = s[2], .trace = t[2]}};
    ig_corpus_options o = fixture_options(V, BLOCK);
    assert_ok(ig_corpus_new(&c, spec, 3, &o, &err), &err);
    for (int64_t i = 0; i < N; i++) {
        bool x[BLOCK][UNITS], y[BLOCK][UNITS];
        int32_t pairs[4 * BLOCK], n = ig_corpus_gold_alignment(c, 0, 1, i, pairs), at = 0;
        const int32_t nx = units(s[0], t[0], i, false, x), ny = units(s[1], t[1], i, true, y);
        int32_t all = 0;
        for (int32_t u = 0; u < nx; u++)
            for (int32_t v = 0; v < ny; v++) {
                bool meet = false;
                for (int32_t k = 0; k < UNITS; k++)
                    meet = meet || (x[u][k] && y[v][k]);
                all += meet;
            }
        if (all > 2 * BLOCK)
            continue; /* more than a list holds */
        for (int32_t u = 0; u < nx; u++)
            for (int32_t v = 0; v < ny; v++) {
                bool meet = false;
                for (int32_t k = 0; k < UNITS; k++)
                    meet = meet || (x[u][k] && y[v][k]);
                if (!meet)
                    continue;
                assert_true(at < n);
                assert_int_equal(pairs[2 * at], u + 1);
                assert_int_equal(pairs[2 * at + 1], v + 1);
                at++;
            }
        assert_int_equal(at, n);
        assert_true(ig_corpus_parallel(c, 0, 1, i));
        assert_false(ig_corpus_parallel(c, 0, 2, i));
        assert_int_equal(ig_corpus_gold_alignment(c, 0, 2, i, pairs), -1);
    }
    /* One vocabulary in two texts is no dictionary. */
    int32_t *pairs;
    int64_t n;
    assert_ok(ig_corpus_gold_dictionary(c, 0, 1, &pairs, &n, &err), &err);
    assert_int_equal(n, 0);
    ig_free(pairs);
    ig_corpus_free(c);
    for (int k = 0; k < 3; k++) {
        ig_shard_close(s[k]);
        ig_trace_close(t[k]);
    }
}

static void damaged_traces_are_refused(void **state)
{
    (void)state;
    ig_shard *s;
    ig_trace *t;
    char *data, path[256];
    int64_t size;
    make("d", 4, 5, 1, &s, &t);
    ig_shard_close(s);
    ig_trace_close(t);
    strcpy(path, fixture_path("d.trace"));
    assert_ok(ig_file_read(&data, &size, path, 1 << 20, &err), &err);
    for (int64_t at = 0; at < size; at += at < 64 ? 1 : 97) {
        data[at] ^= 0x20;
        assert_ok(ig_file_write(path, data, size, &err), &err);
        assert_int_equal(ig_trace_open(&t, path, &err), IG_ERR_INPUT);
        data[at] ^= 0x20;
    }
    for (int64_t n = 0; n < size; n += n < 80 ? 1 : 101) {
        assert_ok(ig_file_write(path, data, n, &err), &err);
        assert_int_equal(ig_trace_open(&t, path, &err), IG_ERR_INPUT);
    }
    ig_free(data);
}

/* Pieces divide what a word covers in their order, and leave no unit out. */
static void pieces_divide_words(void **state)
{
    (void)state;
    static const char vocab[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n##a\n##b\nc\n";
    ig_tokenizer *t;
    ig_tokenizer_options how = {0};
    ig_phrase p = {0}, q = {0};
    ig_pieces x = {0};
    assert_ok(ig_tokenizer_parse(&t, vocab, (int64_t)strlen(vocab), "v", &how, &err), &err);
    assert_ok(ig_phrase_clear(&p, &err), &err);
    assert_ok(ig_phrase_add(&p, "aba", 3, &err), &err);
    assert_ok(ig_phrase_cover_units(&p, 0, 30, &err), &err);
    assert_ok(ig_phrase_cover_units(&p, 100, 160, &err), &err);
    assert_ok(ig_phrase_add(&p, "c", 1, &err), &err);
    assert_ok(ig_phrase_cover_units(&p, 30, 31, &err), &err);
    assert_ok(ig_phrase_pieces(&p, t, &x, &err), &err);
    const int32_t id[] = {5, 8, 7, 9};
    assert_int_equal(x.n_id, 4);
    assert_memory_equal(x.id, id, sizeof id);
    const ig_trace_link want[] = {{0, 0, 30}, {1, 100, 130}, {2, 130, 160}, {3, 30, 31}};
    assert_int_equal(x.n_link, 4);
    assert_memory_equal(x.link, want, sizeof want);
    assert_ok(ig_phrase_clear(&q, &err), &err); /* a sentence of nothing */
    assert_ok(ig_phrase_pieces(&q, t, &x, &err), &err);
    assert_true(x.n_id == 1 && x.id[0] == 1 && x.n_link == 0);
    ig_pieces_free(&x);
    ig_phrase_free(&p);
    ig_phrase_free(&q);
    ig_tokenizer_free(t);
}

static ig_code read_all(const char *text, int *n_sentence, int *n_word)
{
    ig_conllu *c = NULL;
    ig_phrase p = {0};
    const char *path = fixture_path("x.conllu");
    *n_sentence = *n_word = 0;
    assert_ok(ig_file_write(path, text, (int64_t)strlen(text), &err), &err);
    ig_code code = ig_conllu_open(&c, path, &err);
    while (code == IG_ERR_OK && (code = ig_conllu_next(c, &p, &err)) == IG_ERR_OK && p.n > 0) {
        ++*n_sentence;
        *n_word += p.n;
    }
    ig_conllu_close(c);
    ig_phrase_free(&p);
    return code;
}

#define LINE(id, form, head) id "\t" form "\t_\tNOUN\t_\t_\t" head "\tdep\t_\t_\n"

static void treebanks(void **state)
{
    (void)state;
    int s, w;
    assert_int_equal(read_all("# text = a b c\n" LINE("1-2", "ab", "_") LINE("1", "a", "2")
                                  LINE("2", "b", "0") LINE("2.1", "e", "_")
                                      LINE("3", "c", "1") "\n"
                                                          "\n" LINE("1", "d", "0"),
                              &s, &w),
                     IG_ERR_OK);
    assert_true(s == 2 && w == 4);
    const char *const bad[][2] = {
        {LINE("2", "a", "0"), "found '2', expected the number of the next word"},
        {LINE("1", "a", "x"), "found 'x', expected the number of another word"},
        {LINE("1", "a", "1"), "found '1'"},
        {LINE("1", "a", "2"),
         "found 2 as the head of word 1, expected a word of its sentence, 1 to 1"},
        {LINE("1", "a", "_"), "found '_', expected the number of another word"},
        {"# c\n" LINE("1", "a", "0") LINE("2", "b", "3") LINE("3", "c", "2"),
         "from word 2 no way leads to the root"},
        {LINE("1", "a", "2") LINE("2", "b", "1"), "from word 1 no way leads to the root"},
        {LINE("1", "a", "0") LINE("2", "b", "0"), "2 roots"},
        {LINE("1", "", "0"), "a form"},
        {"1\ta\n", "found 2 columns between tabs, expected 10"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(read_all(bad[i][0], &s, &w), IG_ERR_INPUT);
        if (strstr(err.msg, bad[i][1]) == NULL)
            fail_msg("'%s' does not say '%s'", err.msg, bad[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gold_is_where_stretches_meet),
        cmocka_unit_test(damaged_traces_are_refused),
        cmocka_unit_test(pieces_divide_words),
        cmocka_unit_test(treebanks),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
