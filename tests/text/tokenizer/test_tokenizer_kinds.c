/* SPDX-License-Identifier: Apache-2.0
 *
 * Kinds of tokenizers: what Hugging Face made of lines by tokenizer.json files of its own
 * (tests/data/tokenizer/NAME.json, NAME.ids), merging and the most probable cut against brute
 * force, training of words and characters against counting, reading back what was written, and
 * files that are refused.
 */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_file.h"
#include "base/rng.h"
#include "text/tokenizer/tokenizer_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DATA IG_TEST_DATA "/tokenizer/"

typedef struct {
    int32_t *id;
    int64_t n, have;
} id_list;

static ig_tokenizer *load(const char *path)
{
    ig_err err;
    ig_tokenizer *t;
    assert_ok(ig_tokenizer_load(&t, path, NULL, &err), &err);
    return t;
}

static void encode(const ig_tokenizer *t, const char *text, id_list *ids)
{
    ig_err err;
    ids->n = 0;
    assert_ok(
        ig_tokenizer_encode(t, text, (int64_t)strlen(text), &ids->id, &ids->n, &ids->have, &err),
        &err);
}

static void as_hugging_face(void **state)
{
    (void)state;
    static const char *const name[] = {"bpe",   "bpe-uncased", "unigram", "unigram-uncased",
                                       "words", "wordpiece"};
    static const ig_tokenizer_kind kind[] = {IG_TOKENIZER_BPE,     IG_TOKENIZER_BPE,
                                             IG_TOKENIZER_UNIGRAM, IG_TOKENIZER_UNIGRAM,
                                             IG_TOKENIZER_WORDS,   IG_TOKENIZER_WORDPIECE};
    for (int k = 0; k < 6; k++) {
        char path[512], *golden, *line, *next;
        ig_err err;
        int64_t n;
        id_list ids = {0};
        int n_line = 0;
        snprintf(path, sizeof path, DATA "%s.json", name[k]);
        ig_tokenizer *t = load(path);
        assert_int_equal(ig_tokenizer_get_kind(t), kind[k]);
        assert_int_equal(ig_tokenizer_id(t, "[MASK]"), 4);
        assert_int_equal(ig_tokenizer_get_options(t).lowercase, strstr(name[k], "uncased") != NULL);
        snprintf(path, sizeof path, DATA "%s.ids", name[k]);
        assert_ok(ig_file_read(&golden, &n, path, 1 << 20, &err), &err);
        for (line = golden; *line != '\0'; line = next, n_line++) {
            char *tab = strchr(line, '\t'), *end = strchr(line, '\n'), have[1024] = "";
            *tab = *end = '\0';
            next = end + 1;
            encode(t, line, &ids);
            for (int64_t i = 0; i < ids.n; i++)
                snprintf(have + strlen(have), sizeof have - strlen(have), "%s%d", i > 0 ? " " : "",
                         ids.id[i]);
            assert_string_equal(have, tab + 1);
        }
        assert_int_equal(n_line, 13);
        ig_free(golden);
        ig_free(ids.id);
        ig_tokenizer_free(t);
    }
}

/* A file without model.type is of the kind that its other keys have. */
static void kinds_without_a_name(void **state)
{
    (void)state;
    static const char *const name[] = {"bpe", "unigram", "words", "wordpiece"};
    for (int k = 0; k < 4; k++) {
        char path[512];
        ig_err err = {0};
        json_t *j;
        ig_tokenizer *t;
        id_list ids[2] = {{0}, {0}};
        snprintf(path, sizeof path, DATA "%s.json", name[k]);
        assert_ok(ig_json_read(&j, path, &err), &err);
        assert_int_equal(json_object_del(json_object_get(j, "model"), "type"), 0);
        char *text = json_dumps(j, 0);
        assert_ok(ig_tokenizer_parse(&t, text, (int64_t)strlen(text), "json", NULL, &err), &err);
        ig_tokenizer *whole = load(path);
        assert_int_equal(ig_tokenizer_get_kind(t), ig_tokenizer_get_kind(whole));
        encode(t, "the cat[MASK]sat on thatcher", &ids[0]);
        encode(whole, "the cat[MASK]sat on thatcher", &ids[1]);
        assert_int_equal(ids[0].n, ids[1].n);
        assert_memory_equal(ids[0].id, ids[1].id, sizeof *ids[0].id * (size_t)ids[0].n);
        ig_free(ids[0].id);
        ig_free(ids[1].id);
        ig_tokenizer_free(t);
        ig_tokenizer_free(whole);
        free(text);
        json_decref(j);
    }
}

/* --- byte-pair encoding */

static int64_t merge_slowly(const ig_bpe *b, int32_t *id, int64_t n)
{
    for (;;) {
        int32_t best = INT32_MAX;
        int64_t at = -1;
        for (int64_t i = 0; i + 1 < n; i++)
            for (int32_t r = 0; r < b->n && r < best; r++)
                if (b->merge[r].a == id[i] && b->merge[r].b == id[i + 1]) {
                    best = r;
                    at = i;
                }
        if (at < 0)
            return n;
        id[at] = b->merge[best].to;
        memmove(id + at + 1, id + at + 2, (size_t)(n - at - 2) * sizeof *id);
        n--;
    }
}

static void merges_by_rank(void **state)
{
    (void)state;
    enum { SYMBOLS = 4, MERGES = 40, LENGTH = 60 };
    ig_rng r = ig_rng_make(1, IG_STREAM_TEST, 3, 0);
    for (int round = 0; round < 200; round++) {
        ig_bpe b = {0};
        ig_err err;
        int32_t fast[LENGTH], slow[LENGTH];
        char work[IG_BPE_WORK(LENGTH)];
        for (int32_t m = 0; m < MERGES; m++) {
            int32_t x = (int32_t)ig_rng_below(&r, (uint32_t)(SYMBOLS + m)),
                    y = (int32_t)ig_rng_below(&r, (uint32_t)(SYMBOLS + m));
            bool twice = false;
            for (int32_t k = 0; k < b.n; k++)
                twice = twice || (b.merge[k].a == x && b.merge[k].b == y);
            if (!twice)
                assert_ok(ig_bpe_add(&b, x, y, SYMBOLS + m, &err), &err);
        }
        assert_ok(ig_bpe_index(&b, &err), &err);
        const int64_t n = ig_rng_below(&r, LENGTH + 1);
        for (int64_t i = 0; i < n; i++)
            fast[i] = slow[i] = (int32_t)ig_rng_below(&r, SYMBOLS);
        const int64_t n_slow = merge_slowly(&b, slow, n), n_fast = ig_bpe_run(&b, fast, n, work);
        assert_int_equal(n_fast, n_slow);
        assert_memory_equal(fast, slow, (size_t)n_slow * sizeof *slow);
        ig_bpe_free(&b);
    }
}

/* --- unigram */

/* The best score of a cut of word[at ..]. */
static double best_cut(const ig_tokenizer *t, const char *word, size_t at)
{
    double best = at == strlen(word) ? 0 : -1e300;
    for (size_t end = at + 1; end <= strlen(word); end++) {
        char piece[64] = "";
        memcpy(piece, word + at, end - at);
        const int32_t id = ig_tokenizer_id(t, piece);
        /* Characters of one byte, but for the mark in front, which is a piece. */
        double score = id >= 0 ? t->score[id] : end == at + 1 && at >= 3 ? t->unk_score : -1e300;
        score += score > -1e300 ? best_cut(t, word, end) : 0;
        best = score > best ? score : best;
    }
    return best;
}

static void most_probable_cut(void **state)
{
    (void)state;
    static const char json[] =
        "{\"normalizer\":{\"type\":\"BertNormalizer\",\"clean_text\":true,\"handle_chinese_chars\":"
        "true,\"strip_accents\":null,\"lowercase\":false},\"pre_tokenizer\":{\"type\":\"Sequence\","
        "\"pretokenizers\":[{\"type\":\"BertPreTokenizer\"},{\"type\":\"Metaspace\","
        "\"replacement\":\"\xE2\x96\x81\",\"prepend_scheme\":\"always\"}]},\"model\":{\"type\":"
        "\"Unigram\",\"unk_id\":0,\"vocab\":[[\"[UNK]\",0],[\"\xE2\x96\x81\",-2.5],[\"a\",-3.1],"
        "[\"b\",-3.3],[\"ab\",-4.2],[\"ba\",-5.7],[\"aab\",-6.1],[\"abab\",-9.5],"
        "[\"\xE2\x96\x81"
        "a\",-4.9],[\"\xE2\x96\x81"
        "ab\",-6.3],[\"cb\",-7.7]]}}";
    ig_err err;
    ig_tokenizer *t;
    id_list ids = {0};
    assert_ok(ig_tokenizer_parse(&t, json, sizeof json - 1, "json", NULL, &err), &err);
    assert_true(fabs(t->unk_score + 19.5) < 1e-12);
    ig_rng r = ig_rng_make(1, IG_STREAM_TEST, 4, 0);
    for (int round = 0; round < 400; round++) {
        char word[16] = "\xE2\x96\x81";
        const uint32_t n = 1 + ig_rng_below(&r, 10);
        for (uint32_t i = 0; i < n; i++)
            word[3 + i] = "ababc"[ig_rng_below(&r, 5)];
        encode(t, word + 3, &ids);
        /* [UNK] stands for a run of characters that are no piece. */
        double score = 0;
        size_t at = 0;
        for (int64_t i = 0; i < ids.n; i++) {
            if (ids.id[i] != 0) {
                const char *piece = ig_tokenizer_piece(t, ids.id[i]);
                assert_memory_equal(word + at, piece, strlen(piece));
                at += strlen(piece);
                score += t->score[ids.id[i]];
                continue;
            }
            do {
                at++;
                score += t->unk_score;
            } while (word[at] == 'c' && word[at - 1] == 'c' &&
                     !(i + 1 < ids.n && ids.id[i + 1] == ig_tokenizer_id(t, "cb") &&
                       word[at + 1] == 'b'));
        }
        assert_int_equal(at, strlen(word));
        assert_true(fabs(score - best_cut(t, word, 0)) < 1e-9);
    }
    ig_free(ids.id);
    ig_tokenizer_free(t);
}

/* Of equally probable cuts the one whose last piece begins first is kept, as in sentencepiece. */
static void equal_cuts(void **state)
{
    (void)state;
    static const char json[] =
        "{\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"\xE2\x96\x81\","
        "\"prepend_scheme\":\"always\"},\"model\":{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":"
        "[[\"[UNK]\",0],[\"\xE2\x96\x81\",-1],[\"a\",-1],[\"b\",-1],[\"ab\",-2]]}}";
    ig_err err;
    ig_tokenizer *t;
    id_list ids = {0};
    assert_ok(ig_tokenizer_parse(&t, json, sizeof json - 1, "json", NULL, &err), &err);
    encode(t, "abab", &ids);
    assert_int_equal(ids.n, 3);
    assert_true(ids.id[1] == 4 && ids.id[2] == 4);
    ig_free(ids.id);
    ig_tokenizer_free(t);
}

/* --- training */

static const char *const text[] = {"the cat saw the bat", "the bat , the hat : a cat",
                                   "a \xC3\xA9"
                                   "clair",
                                   "\xC3\xA9"};

static ig_code next_line(void *source, const char **line, int64_t *n, ig_err *err)
{
    int *i = source;
    (void)err;
    *line = *i < 4 ? text[*i] : NULL;
    *n = *line != NULL ? (int64_t)strlen(*line) : 0;
    ++*i;
    return IG_ERR_OK;
}

static ig_tokenizer *train(ig_vocab_model model, int32_t size)
{
    ig_err err;
    ig_tokenizer *t;
    int from = 0;
    ig_wordpiece_options o = {.size = size, .min_frequency = 1, .model = model, .n_thread = 2};
    assert_ok(ig_vocab_train(&t, next_line, &from, &o, NULL, &err), &err);
    return t;
}

static void assert_pieces(const ig_tokenizer *t, const char *want)
{
    ig_err err;
    char *have;
    int64_t n;
    assert_ok(ig_tokenizer_vocab_text(t, &have, &n, &err), &err);
    assert_string_equal(have, want);
    ig_free(have);
}

static void words_and_characters(void **state)
{
    (void)state;
    /* the 4, a 2, bat 2, cat 2, then those that occur once, by bytes. */
    ig_tokenizer *t = train(IG_VOCAB_WORDS, 12);
    assert_pieces(t, "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\na\nbat\ncat\n,\n:\nhat\n");
    id_list ids = {0};
    encode(t, "the cats hat", &ids);
    assert_int_equal(ids.n, 3);
    assert_true(ids.id[0] == 5 && ids.id[1] == 1 && ids.id[2] == 11);
    ig_tokenizer_free(t);
    /* a 9 (also inside), t 9 (also inside), h 5 (also inside): eight pieces hold h, a, t and no
     * further character, since e (inside) needs two. */
    t = train(IG_VOCAB_CHARS, 11);
    assert_pieces(t, "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nh\nt\n##a\n##h\n##t\n");
    encode(t, "hat", &ids);
    assert_int_equal(ids.n, 3);
    assert_true(ids.id[0] == 6 && ids.id[1] == 8 && ids.id[2] == 10);
    ig_tokenizer_free(t);
    ig_free(ids.id);
}

/* The pieces of byte-pair encoding are those of WordPiece's training; a word that was seen is cut
 * by merging as it was when training ended. */
static void merges_are_trained(void **state)
{
    (void)state;
    ig_tokenizer *b = train(IG_VOCAB_BPE, 40), *w = train(IG_VOCAB_WORDPIECE, 40);
    assert_int_equal(ig_tokenizer_get_kind(b), IG_TOKENIZER_BPE);
    assert_int_equal(ig_tokenizer_size(b), ig_tokenizer_size(w));
    for (int32_t i = 0; i < ig_tokenizer_size(b); i++)
        assert_string_equal(ig_tokenizer_piece(b, i), ig_tokenizer_piece(w, i));
    id_list ids = {0};
    encode(b, "the cat", &ids);
    assert_int_equal(ids.n, 2);
    assert_int_equal(ids.id[0], ig_tokenizer_id(b, "the"));
    assert_true(ig_tokenizer_continues(b, ig_tokenizer_id(b, "##a")));
    assert_false(ig_tokenizer_continues(b, ids.id[0]));
    assert_true(ig_tokenizer_rules_hash(b) != 0 && ig_tokenizer_rules_hash(w) == 0);
    ig_free(ids.id);
    ig_tokenizer_free(b);
    ig_tokenizer_free(w);
}

/* --- files */

static void written_and_read(void **state)
{
    (void)state;
    static const char *const name[] = {"bpe", "unigram-uncased", "words", "wordpiece"};
    char dir[] = "/tmp/isoglot-test-XXXXXX", one[64], two[64];
    assert_non_null(mkdtemp(dir));
    snprintf(one, sizeof one, "%s/1.json", dir);
    snprintf(two, sizeof two, "%s/2.json", dir);
    for (int k = 0; k < 4; k++) {
        ig_err err;
        char path[512], *a, *b;
        int64_t n_a, n_b;
        snprintf(path, sizeof path, DATA "%s.json", name[k]);
        ig_tokenizer *t = load(path);
        assert_ok(ig_tokenizer_json_write(t, one, &err), &err);
        ig_tokenizer *again = load(one);
        assert_ok(ig_tokenizer_json_write(again, two, &err), &err);
        assert_int_equal(ig_tokenizer_rules_hash(again), ig_tokenizer_rules_hash(t));
        assert_ok(ig_file_read(&a, &n_a, one, 1 << 24, &err), &err);
        assert_ok(ig_file_read(&b, &n_b, two, 1 << 24, &err), &err);
        assert_int_equal(n_a, n_b);
        assert_memory_equal(a, b, (size_t)n_a);
        id_list x = {0}, y = {0};
        encode(t,
               "The cat, \xC3\x9C"
               "ber thatcher[MASK]",
               &x);
        encode(again,
               "The cat, \xC3\x9C"
               "ber thatcher[MASK]",
               &y);
        assert_int_equal(x.n, y.n);
        assert_memory_equal(x.id, y.id, (size_t)x.n * sizeof *x.id);
        ig_free(x.id);
        ig_free(y.id);
        ig_free(a);
        ig_free(b);
        ig_tokenizer_free(t);
        ig_tokenizer_free(again);
    }
    ig_err err;
    assert_ok(ig_dir_remove(dir, &err), &err);
}

static void refused(void **state)
{
    (void)state;
#define WORDS                                                                                      \
    "\"normalizer\":{\"type\":\"BertNormalizer\",\"clean_text\":true,\"handle_chinese_chars\":"    \
    "true,\"lowercase\":false},\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"}"
#define BPE(more)                                                                                  \
    "\"model\":{\"type\":\"BPE\",\"unk_token\":\"[UNK]\",\"continuing_subword_prefix\":\"##\","    \
    "\"vocab\":{\"[UNK]\":0,\"a\":1,\"##b\":2,\"ab\":3}" more "}"
    static const struct {
        const char *json, *says;
    } bad[] = {
        {"{\"a\":", "unexpected token near end of file"},
        {"{\"a\":1}", "not a tokenizer.json"},
        {"{" WORDS ",\"model\":{\"type\":\"GPT\"}}",
         "model.type is \"GPT\", expected WordPiece, BPE"},
        {"{" WORDS ",\"model\":{\"type\":\"WordPiece\",\"unk_token\":null}}",
         "model.unk_token is null, expected a piece"},
        {"{" WORDS ",\"model\":{\"type\":\"WordPiece\",\"unk_token\":\"[UNK]\","
         "\"continuing_subword_prefix\":null}}",
         "continuing_subword_prefix is null, expected a string"},
        {"{" WORDS ",\"model\":{\"type\":\"WordPiece\",\"unk_token\":\"[UNK]\","
         "\"continuing_subword_prefix\":\"##\",\"max_input_chars_per_word\":-1}}",
         "max_input_chars_per_word is -1, expected 0 or more"},
        {"{" WORDS ",\"model\":{\"vocab\":{\"[UNK]\":0}}}", "model.type is missing"},
        {"{" WORDS "," BPE(",\"end_of_word_suffix\":\"</w>\",\"merges\":[]") "}",
         "model.end_of_word_suffix is \"</w>\", expected none"},
        {"{" WORDS "," BPE("") "}", "model.merges is missing, expected a list"},
        {"{" WORDS "," BPE(",\"merges\":[\"a b\"]") "}", "model.merges is \"a b\""},
        {"{" WORDS "," BPE(",\"merges\":[[\"a\",\"##c\"]]") "}",
         "expected pieces of the vocabulary"},
        {"{" WORDS ",\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"[UNK]\",\"vocab\":{\"[UNK]"
         "\":0,\"a\":2}}}",
         "no piece has id 1"},
        {"{" WORDS ",\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"[UNK]\",\"vocab\":{\"[UNK]"
         "\":0,\"a\":0}}}",
         "id 0 is both"},
        {"{" WORDS
         ",\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"[UNK]\",\"vocab\":{\"a\":0}}}",
         "no [UNK] among its 1 pieces"},
        {"{" WORDS ",\"added_tokens\":[{\"id\":4,\"content\":7}]," BPE(",\"merges\":[]") "}",
         "expected an id and a content"},
        {"{" WORDS ",\"model\":{\"type\":\"Unigram\",\"unk_id\":1,\"vocab\":[[\"[UNK]\",0]]}}",
         "model.unk_id is 1, expected that of a piece"},
        {"{" WORDS ",\"model\":{\"type\":\"Unigram\",\"unk_id\":0,\"byte_fallback\":true,\"vocab\":"
         "[[\"[UNK]\",0]]}}",
         "model.byte_fallback is true, expected false"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ig_err err = {0};
        ig_tokenizer *t;
        assert_int_equal(
            ig_tokenizer_parse(&t, bad[i].json, (int64_t)strlen(bad[i].json), "x.json", NULL, &err),
            IG_ERR_INPUT);
        assert_null(t);
        assert_string_equal(err.where, "x.json");
        if (strstr(err.msg, bad[i].says) == NULL)
            fail_msg("%s: '%s' lacks '%s'", bad[i].json, err.msg, bad[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_hugging_face),
        cmocka_unit_test(kinds_without_a_name),
        cmocka_unit_test(merges_by_rank),
        cmocka_unit_test(most_probable_cut),
        cmocka_unit_test(equal_cuts),
        cmocka_unit_test(words_and_characters),
        cmocka_unit_test(merges_are_trained),
        cmocka_unit_test(written_and_read),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
