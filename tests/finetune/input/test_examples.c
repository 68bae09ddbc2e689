/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts and words as sequences: layouts against literal ones, truncation against a loop, windows
 * against their definition by trying all, languages and trees by hand; batches.
 */
#include "isoglot/batch.h"
#include "test.h"
#include "tree_fixture.h"

#include "base/memory.h"
#include "base/rng.h"
#include "finetune/input/batches.h"

#include <string.h>

enum { PAD, UNK, CLS, SEP, MASK, A, B, C, D, A1, B1, N_PIECE };
static const char vocab[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nc\nd\n##a\n##b\n";

typedef struct {
    ig_tokenizer *tokenizer;
    ig_model_languages languages;
    ig_bert_config model;
    ig_example_input in;
} fixture;

static fixture *make(const char *pipeline, int positions)
{
    ig_err err;
    fixture *f;
    assert_ok(ig_alloc(&f, 1, sizeof *f, "", &err), &err);
    assert_ok(ig_tokenizer_parse(&f->tokenizer, vocab, (int64_t)strlen(vocab), "vocab",
                                 &(ig_tokenizer_options){.lowercase = false}, &err),
              &err);
    f->model = ig_bert_config_small(2 * N_PIECE);
    f->model.max_position_embeddings = positions;
    json_t *j = NULL;
    if (pipeline != NULL)
        j = json_pack("{s:i, s:[{s:s, s:s, s:i, s:i, s:i, s:i, s:{s:i, s:i, s:i, s:i, s:i}}, {s:s, "
                      "s:s, s:i, s:i, s:i, s:i, s:{s:i, s:i, s:i, s:i, s:i}}]}",
                      "base_vocab_size", N_PIECE, "languages", "name", "en", "pipeline", "",
                      "first_id", 0, "n_id", N_PIECE, "position_offset", 0, "segment", 0, "special",
                      "pad", PAD, "unk", UNK, "cls", CLS, "sep", SEP, "mask", MASK, "name", "fake",
                      "pipeline", pipeline, "first_id", N_PIECE, "n_id", N_PIECE, "position_offset",
                      positions / 2, "segment", 0, "special", "pad", PAD, "unk", UNK, "cls", CLS,
                      "sep", SEP, "mask", MASK);
    assert_ok(
        ig_model_languages_parse(&f->languages, j, &f->model, f->tokenizer, "config.json", &err),
        &err);
    json_decref(j);
    f->in = (ig_example_input){
        .tokenizer = f->tokenizer, .languages = &f->languages, .model = &f->model};
    return f;
}

static void drop(fixture *f)
{
    ig_model_languages_free(&f->languages);
    ig_tokenizer_free(f->tokenizer);
    ig_free(f);
}

static void want_sequence(const ig_examples *e, int64_t i, const int32_t *id, const int32_t *seg,
                          int n, int first_position)
{
    assert_int_equal(e->start[i + 1] - e->start[i], n);
    for (int k = 0; k < n; k++) {
        assert_int_equal(e->id[e->start[i] + k], id[k]);
        assert_int_equal(e->seg[e->start[i] + k], seg[k]);
        assert_int_equal(e->pos[e->start[i] + k], first_position + k);
    }
}

static void pairs(void **state)
{
    (void)state;
    ig_err err;
    static const char *text[] = {"ab c", "d", "a", "b"};
    int32_t label[] = {1, IG_LABEL_UNKNOWN};
    const ig_task_set set = {.language = "en", .n = 2, .text = text, .label = label};
    fixture *f = make(NULL, 64);
    ig_examples e = {0};
    assert_ok(ig_examples_add(&e, &f->in, &set, &(ig_examples_as){IG_TASK_PAIR, 0, false}, &err),
              &err);
    assert_int_equal(e.n, 2);
    assert_int_equal(e.n_unit, 2);
    want_sequence(&e, 0, (int32_t[]){CLS, A, B1, C, SEP, D, SEP}, (int32_t[]){0, 0, 0, 0, 0, 1, 1},
                  7, 0);
    assert_int_equal(e.target[0].row, 0);
    assert_int_equal(e.target[0].label, 1);
    ig_examples_free(&e);
    /* Training leaves out what has no label; XLM's input has [SEP] three times. */
    f->in.pair_input = IG_PAIR_XLM;
    f->in.segments = IG_SEGMENT_ZERO;
    assert_ok(ig_examples_add(&e, &f->in, &set, &(ig_examples_as){IG_TASK_PAIR, 0, true}, &err),
              &err);
    assert_int_equal(e.n, 1);
    want_sequence(&e, 0, (int32_t[]){SEP, A, B1, C, SEP, D, SEP}, (int32_t[]){0, 0, 0, 0, 0, 0, 0},
                  7, 0);
    ig_examples_free(&e);
    drop(f);
}

/* XLM-R's template: <s> a </s></s> b </s>, all of type 0, unless the parts are asked for; a length
 * counts all four special tokens. */
static void template_of_pairs(void **state)
{
    (void)state;
    ig_err err = {0};
    static const char *text[] = {"a", "a a"};
    int32_t label[] = {0};
    const ig_task_set set = {.language = "en", .n = 1, .text = text, .label = label};
    const ig_examples_as as = {IG_TASK_PAIR, 0, false}, one = {IG_TASK_SINGLE, 0, false};
    fixture *f = make(NULL, 64);
    ig_model_languages_free(&f->languages);
    ig_tokenizer_free(f->tokenizer);
    assert_ok(
        ig_tokenizer_load(&f->tokenizer, IG_TEST_DATA "/foreign/xlmr/tokenizer.json", NULL, &err),
        &err);
    f->model = ig_bert_config_small(ig_tokenizer_size(f->tokenizer));
    f->model.type_vocab_size = 2;
    assert_ok(ig_model_languages_parse(&f->languages, NULL, &f->model, f->tokenizer, "c", &err),
              &err);
    f->in.tokenizer = f->tokenizer;
    int32_t *a = NULL;
    int64_t n = 0, have = 0;
    assert_ok(ig_tokenizer_encode(f->tokenizer, "a", 1, &a, &n, &have, &err), &err);
    assert_int_equal(n, 1);
    ig_examples e = {0};
    assert_ok(ig_examples_add(&e, &f->in, &set, &as, &err), &err);
    want_sequence(&e, 0, (int32_t[]){0, a[0], 2, 2, a[0], a[0], 2}, (int32_t[7]){0}, 7, 0);
    ig_examples_free(&e);
    f->in.segments = IG_SEGMENT_PARTS;
    assert_ok(ig_examples_add(&e, &f->in, &set, &as, &err), &err);
    want_sequence(&e, 0, (int32_t[]){0, a[0], 2, 2, a[0], a[0], 2},
                  (int32_t[]){0, 0, 0, 0, 1, 1, 1}, 7, 0);
    assert_int_equal(e.count.n_cut, 0);
    ig_examples_free(&e);
    f->in.length = 6;
    assert_ok(ig_examples_add(&e, &f->in, &set, &as, &err), &err);
    want_sequence(&e, 0, (int32_t[]){0, a[0], 2, 2, a[0], 2}, (int32_t[]){0, 0, 0, 0, 1, 1}, 6, 0);
    assert_int_equal(e.count.n_cut, 1);
    ig_examples_free(&e);
    assert_ok(ig_examples_add(&e, &f->in, &set, &one, &err), &err);
    want_sequence(&e, 0, (int32_t[]){0, a[0], 2}, (int32_t[3]){0}, 3, 0);
    ig_examples_free(&e);
    f->in.length = 4; /* no room for a text */
    assert_int_equal(ig_examples_add(&e, &f->in, &set, &as, &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "found 4, expected at least 5"));
    ig_examples_free(&e);
    ig_free(a);
    drop(f);
}

/* run_classifier.py, _truncate_seq_pair: while too long, the longer loses its last; of equal ones
 * the second. */
static void as_bert(int *x, int *y, int most)
{
    while (*x + *y > most)
        --*(*x > *y ? x : y);
}

/* tokenizers, truncate_encodings with LongestFirst: if both are longer than a half, each is a half
 * long, and the one that was longer, or the second, has the odd piece. */
static void as_tokenizers(int *x, int *y, int most)
{
    int *shorter = *x > *y ? y : x, *longer = *x > *y ? x : y;
    if (*x + *y <= most)
        return;
    *longer = *shorter > most - *shorter ? *shorter : most - *shorter;
    if (*shorter + *longer > most) {
        *shorter = most / 2;
        *longer = most / 2 + most % 2;
    }
}

static void want_cut(fixture *f, int n, int m)
{
    const int most = (int)f->in.length - 3;
    ig_err err;
    char a[32] = "", b[32] = "";
    for (int k = 0; k < n; k++)
        strcat(a, "a ");
    for (int k = 0; k < m; k++)
        strcat(b, "b ");
    const char *text[] = {a, b};
    int32_t label[] = {0};
    const ig_task_set set = {.language = "en", .n = 1, .text = text, .label = label};
    ig_examples e = {0};
    assert_ok(ig_examples_add(&e, &f->in, &set, &(ig_examples_as){IG_TASK_PAIR, 0, true}, &err),
              &err);
    int x = n, y = m;
    (f->in.first_shorter ? as_tokenizers : as_bert)(&x, &y, most);
    int32_t id[13], seg[13], at = 0;
    id[at++] = CLS;
    for (int k = 0; k < x; k++)
        id[at++] = A;
    id[at++] = SEP;
    for (int k = 0; k < y; k++)
        id[at++] = B;
    id[at++] = SEP;
    for (int k = 0; k < at; k++)
        seg[k] = k > x + 1;
    want_sequence(&e, 0, id, seg, at, 0);
    assert_int_equal(e.count.n_cut, n + m > most);
    ig_examples_free(&e);
}

static void longest_first(void **state)
{
    (void)state;
    fixture *f = make(NULL, 64);
    for (int rule = 0; rule < 2; rule++)
        for (int n = 0; n < 12; n++)
            for (int m = 0; m < 12; m++) {
                f->in.first_shorter = rule == 1;
                f->in.length = 10;
                want_cut(f, n, m);
                f->in.length = 11;
                want_cut(f, n, m);
            }
    drop(f);
}

/* A sentence of random words of one to three pieces. */
typedef struct {
    const char *word[40];
    int32_t label[40], head[40], piece[40]; /* piece: the place of its first one */
    int64_t first[2];
    int32_t n_piece;
    ig_task_set set;
} sentence;

static void make_sentence(sentence *s, int n, uint32_t seed)
{
    static const char *const words[] = {"a", "bab", "ab", "c", "d"};
    static const int size[] = {1, 3, 2, 1, 1};
    ig_rng r = ig_rng_make(seed, IG_STREAM_TEST, 0, 0);
    *s = (sentence){.first = {0, n}};
    for (int w = 0; w < n; w++) {
        const uint32_t k = ig_rng_below(&r, 5);
        s->word[w] = words[k];
        s->label[w] = w;
        s->head[w] = w; /* the word before; the first is the root */
        s->piece[w] = s->n_piece;
        s->n_piece += size[k];
    }
    s->set = (ig_task_set){.language = "en",
                           .n = 1,
                           .first = s->first,
                           .word = s->word,
                           .label = s->label,
                           .head = s->head};
}

/* Every word is asked about once, at its first piece; with windows in the one where the smaller of
 * its distances to the edges is greatest. */
static void windows(void **state)
{
    (void)state;
    ig_err err;
    fixture *f = make(NULL, 64);
    const int room = 8;
    f->in.length = room + 2;
    for (int use = IG_LONG_WINDOWS; use <= IG_LONG_TRUNCATE; use++)
        for (uint32_t seed = 0; seed < 60; seed++) {
            sentence s;
            ig_examples e = {0};
            int seen[40] = {0};
            const int n = 1 + (int)(seed % 40);
            make_sentence(&s, n, seed);
            f->in.too_long = (ig_long_use)use;
            assert_ok(ig_examples_add(&e, &f->in, &s.set,
                                      &(ig_examples_as){IG_TASK_TAGGING, 0, false}, &err),
                      &err);
            assert_int_equal(e.n_unit, n);
            int64_t n_token = 0;
            for (int64_t i = 0; i < e.n; i++) {
                const int64_t length = e.start[i + 1] - e.start[i];
                assert_true(length <= room + 2);
                n_token += length - 2;
                if (use == IG_LONG_SPLIT) /* where a word begins */
                    assert_true(e.id[e.start[i] + 1] != A1 && e.id[e.start[i] + 1] != B1);
                for (int64_t t = e.first_target[i]; t < e.first_target[i + 1]; t++) {
                    const ig_example_target *x = &e.target[t];
                    seen[x->unit]++;
                    assert_int_equal(x->label, (int32_t)x->unit);
                    assert_true(t == e.first_target[i] || x->row > e.target[t - 1].row);
                    if (use != IG_LONG_WINDOWS || s.n_piece <= room)
                        continue;
                    /* Windows begin every room / 2 pieces; the last ends with the sentence. */
                    const int p = s.piece[x->unit], from = p - (x->row - 1);
                    int most = -1, first = 0;
                    for (int k = 0; k * room / 2 < s.n_piece; k++) {
                        const int at =
                            k * room / 2 + room < s.n_piece ? k * room / 2 : s.n_piece - room;
                        const int around = p - at < at + room - 1 - p ? p - at : at + room - 1 - p;
                        first = around > most ? at : first;
                        most = around > most ? around : most;
                    }
                    assert_int_equal(from, first); /* of equal ones the first */
                    assert_int_equal(
                        p - from < from + room - 1 - p ? p - from : from + room - 1 - p, most);
                }
            }
            int missing = 0;
            for (int w = 0; w < n; w++) {
                const bool cut = use == IG_LONG_TRUNCATE && s.piece[w] >= room;
                assert_int_equal(seen[w], cut ? 0 : 1);
                missing += cut;
            }
            assert_int_equal(e.count.n_unseen, missing);
            assert_int_equal(e.count.n_divided, s.n_piece > room && use != IG_LONG_TRUNCATE);
            if (use == IG_LONG_SPLIT)
                assert_int_equal(n_token, s.n_piece);
            ig_examples_free(&e);
        }
    drop(f);
}

static void a_word_without_pieces(void **state)
{
    (void)state;
    ig_err err;
    static const char *word[] = {"a", "\xe2\x80\x8b", "", "b"};
    int32_t label[] = {0, 1, 2, 3};
    int64_t first[] = {0, 4};
    const ig_task_set set = {
        .language = "en", .n = 1, .first = first, .word = word, .label = label};
    fixture *f = make(NULL, 64);
    ig_examples e = {0};
    assert_ok(ig_examples_add(&e, &f->in, &set, &(ig_examples_as){IG_TASK_TAGGING, 0, true}, &err),
              &err);
    want_sequence(&e, 0, (int32_t[]){CLS, A, UNK, UNK, B, SEP}, (int32_t[]){0, 0, 0, 0, 0, 0}, 6,
                  0);
    assert_int_equal(e.first_target[1], 4);
    assert_int_equal(e.count.n_empty, 2);
    ig_examples_free(&e);
    f->in.empty_words = IG_EMPTY_DROP;
    assert_ok(ig_examples_add(&e, &f->in, &set, &(ig_examples_as){IG_TASK_TAGGING, 0, true}, &err),
              &err);
    assert_int_equal(e.first_target[1], 2);
    ig_examples_free(&e);
    assert_ok(ig_examples_add(&e, &f->in, &set, &(ig_examples_as){IG_TASK_TAGGING, 0, false}, &err),
              &err);
    assert_int_equal(e.first_target[1], 4); /* but predicted */
    ig_examples_free(&e);
    drop(f);
}

/* Fake by index, each text inverted, positions of its own; labels stay with their words' first
 * pieces. */
static void a_language(void **state)
{
    (void)state;
    ig_err err;
    static const char *text[] = {"ab c", "d a"}, *word[] = {"ab", "c"};
    int32_t label[] = {0, 1};
    int64_t first[] = {0, 2};
    const ig_task_set set = {.language = "fake", .n = 1, .text = text, .label = label},
                      words = {
                          .language = "fake", .n = 1, .first = first, .word = word, .label = label};
    fixture *f = make("shift | invert", 64);
    enum { N = N_PIECE };
    ig_examples e = {0};
    assert_ok(ig_examples_add(&e, &f->in, &set, &(ig_examples_as){IG_TASK_PAIR, 1, true}, &err),
              &err);
    want_sequence(&e, 0, (int32_t[]){CLS, N + C, N + B1, N + A, SEP, N + A, N + D, SEP},
                  (int32_t[]){0, 0, 0, 0, 0, 1, 1, 1}, 8, 32);
    assert_int_equal(e.language[0], 1);
    ig_examples_free(&e);
    /* Crossed: each text in its own language's pieces, at its positions. */
    const ig_task_set crossed = {
        .language = "fake+en", .second = "en", .n = 1, .text = text, .label = label};
    assert_ok(
        ig_examples_add(&e, &f->in, &crossed, &(ig_examples_as){IG_TASK_PAIR, 1, false}, &err),
        &err);
    static const int32_t id[] = {CLS, N + C, N + B1, N + A, SEP, D, A, SEP},
                         at[] = {32, 33, 34, 35, 36, 5, 6, 7};
    assert_int_equal(e.start[1], 8);
    assert_memory_equal(e.id, id, sizeof id);
    assert_memory_equal(e.pos, at, sizeof at);
    ig_examples_free(&e);
    assert_ok(
        ig_examples_add(&e, &f->in, &words, &(ig_examples_as){IG_TASK_TAGGING, 1, true}, &err),
        &err);
    want_sequence(&e, 0, (int32_t[]){CLS, N + C, N + B1, N + A, SEP}, (int32_t[]){0, 0, 0, 0, 0}, 5,
                  32);
    assert_int_equal(e.target[0].row, 1);
    assert_int_equal(e.target[0].label, 1);
    assert_int_equal(e.target[1].row, 3);
    assert_int_equal(e.target[1].label, 0);
    /* The first language ends where the second one's positions begin. */
    assert_int_equal(ig_model_languages_positions(&f->languages, 0, &f->model), 32);
    assert_int_equal(ig_model_languages_positions(&f->languages, 1, &f->model), 32);
    ig_examples_free(&e);
    drop(f);
}

/* Segments by part, by language where the model was trained with them, or none. */
static void segments(void **state)
{
    (void)state;
    ig_err err;
    static const char *text[] = {"a", "b"};
    int32_t label[] = {0};
    const ig_task_set set = {.language = "fake", .n = 1, .text = text, .label = label};
    for (int use = IG_SEGMENT_AUTO; use <= IG_SEGMENT_ZERO; use++)
        for (int own = 0; own < 2; own++) {
            fixture *f = make("shift", 64);
            ig_examples e = {0};
            f->languages.language[1].info.segment = own;
            f->in.segments = (ig_segment_use)use;
            assert_ok(
                ig_examples_add(&e, &f->in, &set, &(ig_examples_as){IG_TASK_PAIR, 1, true}, &err),
                &err);
            const bool by_language =
                use == IG_SEGMENT_LANGUAGE || (use == IG_SEGMENT_AUTO && own == 1);
            for (int64_t t = 0; t < e.start[1]; t++)
                assert_int_equal(e.seg[t], use == IG_SEGMENT_ZERO ? 0 : by_language ? own : t > 2);
            ig_examples_free(&e);
            drop(f);
        }
}

/* A draw for every sentence is made for both texts of a pair, not once. */
static void texts_of_a_pair(void **state)
{
    (void)state;
    ig_err err;
    static const char *text[] = {"a b c d ab", "a b c d ab", "a b c d ab", "a b c d ab"};
    int32_t label[] = {0, 1};
    const ig_task_set set = {.language = "fake", .n = 2, .text = text, .label = label};
    fixture *f = make("shift | permute:1", 64);
    const int language = 1;
    ig_examples e = {0};
    assert_ok(
        ig_examples_add(&e, &f->in, &set, &(ig_examples_as){IG_TASK_PAIR, language, true}, &err),
        &err);
    bool same = true;
    for (int64_t i = 0; i < 2; i++) {
        const int32_t *id = e.id + e.start[i];
        assert_int_equal(e.start[i + 1] - e.start[i], 15);
        same = same && memcmp(id + 1, id + 8, 6 * sizeof *id) == 0;
    }
    assert_false(same);
    ig_examples_free(&e);
    drop(f);
}

/* A language with other pieces in its block of vocab.txt is cut by these. */
static void a_vocabulary_of_its_own(void **state)
{
    (void)state;
    ig_err err;
    static const char rows[] =
        "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n::[PAD]\n::[UNK]\n::[CLS]\n"
        "::[SEP]\n::[MASK]\n::ab\n::b\n";
    static const char *text[] = {"ab b a"};
    enum { N = 7 };
    int32_t label[] = {0};
    const ig_task_set set = {.language = "x", .n = 1, .text = text, .label = label};
    fixture *f = make(NULL, 64);
    json_t *j = json_pack("{s:i, s:[{s:s, s:s, s:i, s:i, s:i, s:i, s:{s:i, s:i, s:i, s:i, s:i}}]}",
                          "base_vocab_size", N, "languages", "name", "x", "pipeline", "shift",
                          "first_id", N, "n_id", N, "position_offset", 0, "segment", 0, "special",
                          "pad", PAD, "unk", UNK, "cls", CLS, "sep", SEP, "mask", MASK);
    ig_model_languages_free(&f->languages);
    ig_tokenizer_free(f->tokenizer);
    assert_ok(ig_tokenizer_parse(&f->tokenizer, rows, (int64_t)strlen(rows), "vocab",
                                 &(ig_tokenizer_options){.lowercase = false}, &err),
              &err);
    assert_ok(
        ig_model_languages_parse(&f->languages, j, &f->model, f->tokenizer, "config.json", &err),
        &err);
    json_decref(j);
    f->in.tokenizer = f->tokenizer;
    ig_examples e = {0};
    assert_ok(ig_examples_add(&e, &f->in, &set, &(ig_examples_as){IG_TASK_SINGLE, 0, true}, &err),
              &err);
    want_sequence(&e, 0, (int32_t[]){CLS, N + 5, N + 6, UNK, SEP}, (int32_t[]){0, 0, 0, 0, 0}, 5,
                  0);
    ig_examples_free(&e);
    drop(f);
}

/* ROOT, then words; heads are places among the targets. A training sentence that is too long loses
 * the words whose head it lost. */
static void trees(void **state)
{
    (void)state;
    ig_err err;
    static const char *word[] = {"a", "b", "c", "d", "a"};
    int32_t label[] = {0, 1, 2, 3, 4}, head[] = {2, 3, 0, 5, 3};
    int64_t first[] = {0, 5};
    const ig_task_set set = {
        .language = "en", .n = 1, .first = first, .word = word, .label = label, .head = head};
    fixture *f = make(NULL, 64);
    ig_examples e = {0};
    assert_ok(ig_examples_add(&e, &f->in, &set, &(ig_examples_as){IG_TASK_PARSING, 0, true}, &err),
              &err);
    assert_int_equal(e.first_target[1], 6);
    assert_int_equal(e.target[0].row, 0);
    assert_int_equal(e.target[0].unit, -1);
    for (int w = 0; w < 5; w++) {
        assert_int_equal(e.target[w + 1].head, head[w]);
        assert_int_equal(e.target[w + 1].label, w);
    }
    ig_examples_free(&e);
    f->in.length = 6; /* a b c d; the head of d is gone */
    assert_ok(ig_examples_add(&e, &f->in, &set, &(ig_examples_as){IG_TASK_PARSING, 0, true}, &err),
              &err);
    assert_int_equal(e.first_target[1], 4);
    assert_int_equal(e.target[3].unit, 2);
    /* In a batch ROOT has neither label nor head. */
    ig_example_order o = {.examples = &e, .head = IG_HEAD_PARSER, .batch = 1, .seed = 4};
    ig_batch b;
    assert_ok(ig_example_order_open(&o, &err), &err);
    assert_ok(ig_example_order_get(&o, 0, &b, &err), &err);
    assert_int_equal(b.target[IG_HEAD_PARSER].n, 4);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(b.target[IG_HEAD_PARSER].label[k], k - 1);
        assert_int_equal(b.target[IG_HEAD_PARSER].head[k], k == 0 ? -1 : k == 3 ? 0 : k + 1);
    }
    ig_example_order_close(&o);
    ig_examples_free(&e);
    drop(f);
}

/* A sentence in several sequences has one tree; and its loss is that of the words' own ones. */
static void windows_of_trees(void **state)
{
    (void)state;
    ig_err err;
    ig_bert *m;
    ig_engine *engine;
    sentence s;
    fixture *f = make(NULL, 64);
    f->model.num_hidden_layers = 1;
    f->model.head[IG_HEAD_PARSER].n_label = 40;
    assert_ok(ig_bert_new(&m, &f->model, 3, &err), &err);
    assert_ok(ig_engine_new(&engine, m, NULL, NULL, IG_PRECISION_F32, &err), &err);
    for (int use = IG_LONG_WINDOWS; use <= IG_LONG_TRUNCATE; use++) {
        ig_examples e = {0};
        make_sentence(&s, 30, 3);
        s.label[1] = IG_LABEL_UNKNOWN;
        f->in.length = 10;
        f->in.too_long = (ig_long_use)use;
        assert_ok(
            ig_examples_add(&e, &f->in, &s.set, &(ig_examples_as){IG_TASK_PARSING, 0, false}, &err),
            &err);
        int32_t label[30], head[30];
        int n_read = 0;
        ig_example_loss loss;
        const ig_prediction p = {label, head, NULL, 0};
        assert_ok(ig_examples_predict(&p, &loss, &e,
                                      &(ig_states_parts){.engine = engine, .model = m},
                                      IG_HEAD_PARSER, &err),
                  &err);
        for (int w = 0; w < 30; w++) {
            assert_int_equal(label[w] >= 0, head[w] >= 0);
            n_read += head[w] >= 0;
        }
        assert_int_equal(loss.n, n_read - 1); /* and that one label is not known */
        assert_int_equal(n_read, 30 - e.count.n_unseen);
        assert_int_equal(e.count.n_unseen > 0, use == IG_LONG_TRUNCATE);
        assert_true(is_tree(head, n_read));
        ig_examples_free(&e);
    }
    ig_engine_free(engine);
    ig_bert_free(m);
    drop(f);
}

/* An epoch has every example once, in an order of its own; the last batch what is left. */
static void orders(void **state)
{
    (void)state;
    ig_err err;
    static const char *const texts[] = {"a", "b", "c", "d", "a a", "b b", "c c"};
    const char *text[7];
    int32_t label[7] = {0, 1, 2, 3, 4, 5, 6};
    memcpy(text, texts, sizeof text);
    const ig_task_set set = {.language = "en", .n = 7, .text = text, .label = label};
    fixture *f = make(NULL, 64);
    ig_examples e = {0};
    assert_ok(ig_examples_add(&e, &f->in, &set, &(ig_examples_as){IG_TASK_SINGLE, 0, true}, &err),
              &err);
    ig_example_order o = {.examples = &e, .head = IG_HEAD_SEQUENCE, .batch = 3, .seed = 4};
    assert_ok(ig_example_order_open(&o, &err), &err);
    assert_int_equal(ig_example_order_steps(&o), 3);
    int order[2][7];
    for (int epoch = 0; epoch < 2; epoch++) {
        int seen = 0, at = 0;
        for (int i = 0; i < 3; i++) {
            ig_batch b;
            assert_ok(ig_example_order_get(&o, 3 * epoch + i, &b, &err), &err);
            assert_int_equal(b.n_seq, i < 2 ? 3 : 1);
            for (int k = 0; k < b.target[IG_HEAD_SEQUENCE].n; k++) {
                seen |= 1 << b.target[IG_HEAD_SEQUENCE].label[k];
                order[epoch][at++] = b.target[IG_HEAD_SEQUENCE].label[k];
            }
        }
        assert_int_equal(seen, 127);
    }
    assert_true(memcmp(order[0], order[1], sizeof order[0]) != 0);
    ig_batch again;
    assert_ok(ig_example_order_get(&o, 1, &again, &err), &err); /* any batch by its number alone */
    for (int k = 0; k < 3; k++)
        assert_int_equal(again.target[IG_HEAD_SEQUENCE].label[k], order[0][3 + k]);
    ig_example_order_close(&o);
    ig_examples_free(&e);
    drop(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs),
                                       cmocka_unit_test(template_of_pairs),
                                       cmocka_unit_test(longest_first),
                                       cmocka_unit_test(windows),
                                       cmocka_unit_test(texts_of_a_pair),
                                       cmocka_unit_test(segments),
                                       cmocka_unit_test(a_word_without_pieces),
                                       cmocka_unit_test(a_language),
                                       cmocka_unit_test(trees),
                                       cmocka_unit_test(a_vocabulary_of_its_own),
                                       cmocka_unit_test(windows_of_trees),
                                       cmocka_unit_test(orders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
