/* SPDX-License-Identifier: Apache-2.0
 *
 * tokenizer.json in the shapes of published encoders: the ids that `tokenizers` gives
 * (tests/data/tokenizer/pipeline-NAME.json, NAME.ids; tools/tokenizer_pipelines.py writes them),
 * roles of special tokens, bytes that are characters, text that is damaged, files that are refused.
 */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/rng.h"
#include "text/tokenizer/tokenizer_internal.h"

#include <stdlib.h>
#include <string.h>

#define DATA IG_TEST_DATA "/tokenizer/pipeline-"

static const char *const shape[] = {"roberta",       "roberta-space", "xlmr",   "xlmr-sequence",
                                    "sequence",      "metaspace-bpe", "llama3", "qwen",
                                    "modernbert",    "gemma",         "llama2", "llama2-legacy",
                                    "unigram-bytes", "splits"};
enum { n_shape = sizeof shape / sizeof *shape };

static ig_tokenizer *load(const char *name)
{
    char path[512];
    ig_err err;
    ig_tokenizer *t;
    snprintf(path, sizeof path, DATA "%s.json", name);
    assert_ok(ig_tokenizer_load(&t, path, NULL, &err), &err);
    return t;
}

static void as_hugging_face(void **state)
{
    (void)state;
    for (int k = 0; k < n_shape; k++) {
        char path[512], *golden, *line, *next;
        ig_err err;
        int64_t size, n_line = 0;
        ig_tokenizer *t = load(shape[k]);
        ig_ids ids = {0};
        snprintf(path, sizeof path, DATA "%s.ids", shape[k]);
        assert_ok(ig_file_read(&golden, &size, path, 1 << 20, &err), &err);
        for (line = golden; *line != '\0'; line = next, n_line++) {
            char *end = strchr(line, '\n');
            *end = '\0';
            char *tab = strrchr(line, '\t'), *want = tab + 1;
            *tab = '\0';
            next = end + 1;
            ids.n = 0;
            assert_ok(ig_tokenizer_encode(t, line, tab - line, &ids.id, &ids.n, &ids.have, &err),
                      &err);
            for (int64_t i = 0; i < ids.n; i++) {
                const long id = strtol(want, &want, 10);
                if (id != ids.id[i])
                    fail_msg("%s: '%s': id %d at %d, expected %ld", shape[k], line, ids.id[i],
                             (int)i, id);
            }
            assert_int_equal(*want, '\0');
        }
        assert_int_equal(n_line, 108);
        ig_free(golden);
        ig_free(ids.id);
        ig_tokenizer_free(t);
    }
}

static void roles(void **state)
{
    (void)state;
    static const int32_t want[IG_N_TOKENIZER_ROLE] = {1, 3, 0, 2, 360};
    ig_tokenizer *t = load("roberta");
    for (int r = 0; r < IG_N_TOKENIZER_ROLE; r++)
        assert_int_equal(ig_tokenizer_special(t, (ig_tokenizer_role)r), want[r]);
    assert_true(ig_tokenizer_continues(t, ig_tokenizer_id(t, "a")));
    assert_false(ig_tokenizer_continues(t, ig_tokenizer_id(t, "\xC4\xA0"
                                                              "a")));
    assert_false(ig_tokenizer_continues(t, 360));
    assert_true(ig_tokenizer_rules_hash(t) != 0);
    ig_tokenizer_free(t);
    t = load("xlmr");
    assert_true(ig_tokenizer_continues(t, ig_tokenizer_id(t, "a")));
    assert_false(ig_tokenizer_continues(t, ig_tokenizer_id(t, "\xE2\x96\x81")));
    ig_tokenizer_free(t);
}

/* GPT-2's table: printable bytes of Latin-1 are themselves, all others follow from U+0100 on. */
static void bytes_are_characters(void **state)
{
    (void)state;
    uint32_t next = 256;
    for (uint32_t b = 0; b < 256; b++) {
        const bool printable =
            (b >= '!' && b <= '~') || (b >= 0xA1 && b <= 0xAC) || (b >= 0xAE && b <= 0xFF);
        assert_int_equal(ig_byte_character((uint8_t)b), printable ? b : next);
        next += !printable;
    }
}

/* Any bytes: ids that are there, as of the text with U+FFFD for what is damaged. */
static void damaged_text(void **state)
{
    (void)state;
    ig_rng r = ig_rng_make(1, IG_STREAM_TEST, 7, 0);
    for (int k = 0; k < n_shape; k++) {
        ig_tokenizer *t = load(shape[k]);
        ig_ids raw = {0}, clean = {0};
        for (int round = 0; round < 300; round++) {
            uint8_t text[40];
            ig_err err;
            ig_byte_text good = {0};
            const int64_t n = ig_rng_below(&r, sizeof text);
            for (int64_t i = 0; i < n; i++)
                text[i] = (uint8_t)(ig_rng_below(&r, 3) == 0 ? 32 + ig_rng_below(&r, 90)
                                                             : 1 + ig_rng_below(&r, 255));
            for (int64_t i = 0; i < n;) {
                uint32_t c;
                i += ig_utf8_next(text + i, text + n, &c);
                assert_ok(ig_byte_text_put(&good, c, &err), &err);
            }
            raw.n = clean.n = 0;
            assert_ok(
                ig_tokenizer_encode(t, (const char *)text, n, &raw.id, &raw.n, &raw.have, &err),
                &err);
            assert_ok(ig_tokenizer_encode(t, (const char *)good.text, good.n, &clean.id, &clean.n,
                                          &clean.have, &err),
                      &err);
            assert_int_equal(raw.n, clean.n);
            for (int64_t i = 0; i < raw.n; i++)
                assert_true(raw.id[i] == clean.id[i] && raw.id[i] >= 0 &&
                            raw.id[i] < ig_tokenizer_size(t));
            ig_free(good.text);
        }
        ig_free(raw.id);
        ig_free(clean.id);
        ig_tokenizer_free(t);
    }
}

/* Encodes by a tokenizer.json with a WordPiece model of a, b, ##b and this normalizer and split. */
static void encodes(const char *parts, const char *text, int n, const int32_t *want)
{
    char json[1000];
    ig_tokenizer *t;
    ig_ids ids = {0};
    ig_err err;
    snprintf(json, sizeof json,
             "{%s,\"added_tokens\":[{\"id\":5,\"content\":\"ab\",\"single_word\":true}],"
             "\"model\":{\"type\":\"WordPiece\",\"unk_token\":\"u\","
             "\"continuing_subword_prefix\":\"##\",\"max_input_chars_per_word\":100,\"vocab\":"
             "{\"u\":0,\"a\":1,\"b\":2,\"##b\":3,\"\xE2\x96\x81\":4}}}",
             parts);
    assert_ok(ig_tokenizer_parse(&t, json, (int64_t)strlen(json), "x.json", NULL, &err), &err);
    assert_ok(ig_tokenizer_encode(t, text, (int64_t)strlen(text), &ids.id, &ids.n, &ids.have, &err),
              &err);
    assert_int_equal(ids.n, n);
    assert_memory_equal(ids.id, want, (size_t)n * sizeof *want);
    assert_int_equal(ig_tokenizer_id(t, "ab"), 5);
    ig_free(ids.id);
    ig_tokenizer_free(t);
}

/* As `tokenizers` 0.23: an added token is found in a text, but is no piece of the model, which gets
 * AB in lower case and the beginning of abb; a first character that BertNormalizer deletes takes
 * the first place with it. */
static void what_the_model_knows(void **state)
{
    (void)state;
    const char *const split = "\"normalizer\":{\"type\":\"Lowercase\"},"
                              "\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"}";
    encodes(split, "ab", 1, (const int32_t[]){5});
    encodes(split, "AB ab", 3, (const int32_t[]){1, 3, 5});
    encodes(split, "abb", 3, (const int32_t[]){1, 3, 3});
    const char *const first =
        "\"normalizer\":{\"type\":\"BertNormalizer\",\"clean_text\":true,"
        "\"handle_chinese_chars\":true,\"strip_accents\":null,\"lowercase\":true},"
        "\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"_\","
        "\"prepend_scheme\":\"first\",\"split\":true}";
    encodes(first, "b", 1, (const int32_t[]){0});
    encodes(first,
            "\xE2\x80\x8B"
            "b",
            1, (const int32_t[]){2});
}

/* As `tokenizers` 0.23: an added token that begins with white space which the one before it took
 * (rstrip) stands all the same; one that is nothing else, and takes what is before it (lstrip),
 * does not. */
static void taken_white_space(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t n, id[4];
    } cases[] = {{"<e> a", 2, {2, 3}},         {"<e>\t a", 2, {2, 3}}, {"<e> a a", 3, {2, 3, 3}},
                 {"a <e> a", 4, {1, 4, 2, 3}}, {"<e> x", 2, {2, 0}},   {"<e> ", 1, {2}}};
    for (int k = 0; k < 2; k++) {
        const char *const normalized = k == 0 ? "false" : "true";
        char json[1000];
        ig_tokenizer *t;
        ig_ids ids = {0};
        ig_err err;
        snprintf(json, sizeof json,
                 "{\"added_tokens\":["
                 "{\"id\":2,\"content\":\"<e>\",\"lstrip\":true,\"rstrip\":true,\"normalized\":%s},"
                 "{\"id\":3,\"content\":\" a\",\"normalized\":%s},"
                 "{\"id\":4,\"content\":\" \",\"lstrip\":true,\"normalized\":%s}],"
                 "\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type\":"
                 "\"WordLevel\",\"unk_token\":\"u\",\"vocab\":{\"u\":0,\"a\":1}}}",
                 normalized, normalized, normalized);
        assert_ok(ig_tokenizer_parse(&t, json, (int64_t)strlen(json), "x.json", NULL, &err), &err);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            ids.n = 0;
            assert_ok(ig_tokenizer_encode(t, cases[i].text, (int64_t)strlen(cases[i].text), &ids.id,
                                          &ids.n, &ids.have, &err),
                      &err);
            assert_int_equal(ids.n, cases[i].n);
            assert_memory_equal(ids.id, cases[i].id, (size_t)ids.n * sizeof *ids.id);
        }
        ig_free(ids.id);
        ig_tokenizer_free(t);
    }
}

#define REPLACE(regex)                                                                             \
    "{\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"Regex\":\"" regex                        \
    "\"},\"content\":\"\"}," MODEL "}"

static void refused(void **state)
{
    (void)state;
#define MODEL "\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"u\",\"vocab\":{\"u\":0}}"
#define BPE(more) "\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1,\"ab\":2}" more "}"
    static const struct {
        const char *json, *says;
    } bad[] = {
        {"{\"model\":{\"type\":\"GPT\"}}", "model.type is \"GPT\", expected WordPiece, BPE"},
        {"{\"normalizer\":{\"type\":\"ByteLevel\"}," MODEL "}", "normalizer is \"ByteLevel\""},
        {"{\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"BertNormalizer\"}]}"
         "," MODEL "}",
         "normalizer.clean_text is missing, expected true or false"},
        {"{\"normalizer\":{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"AAAA\"}," MODEL "}",
         "precompiled_charsmap is damaged"},
        {REPLACE("^a"), "Replace.pattern.Regex is the expression ^a, which is not read at '^a'"},
        {REPLACE("a{2,}+x"), "at '{2,}+x'"},
        {REPLACE("a.b"), "at '.b'"},
        {REPLACE("[a[b]]"), "at '[b]]'"},
        {REPLACE("[a&&b]"), "at '&&b]'"},
        {REPLACE("[a"), "at 'its end'"},
        {REPLACE(""), "at 'its end'"},
        {REPLACE("(?m)a"), "at '(?m)a'"},
        {REPLACE("(?<x>a)"), "at '(?<x>a)'"},
        {REPLACE("(a"), "U_REGEX_MISMATCHED_P"},
        {REPLACE("\\\\h"), "at '\\h'"},
        {REPLACE("\\\\p{Nowhere}a"), "U_"},
        {REPLACE("\\\\p{^L}"), "at '\\p{^L}'"},
        {"{\"pre_tokenizer\":{\"type\":\"Other\"}," MODEL "}", "pre_tokenizer is \"Other\""},
        {"{\"pre_tokenizer\":{\"type\":\"Split\"}," MODEL "}", "pre_tokenizer.behavior is missing"},
        {"{\"pre_tokenizer\":{\"type\":\"Split\",\"behavior\":\"Removed\"}," MODEL "}",
         "pre_tokenizer.pattern is missing"},
        {"{\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"_\","
         "\"prepend_scheme\":\"last\"}," MODEL "}",
         "Metaspace.prepend_scheme is \"last\""},
        {"{\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"\"}," MODEL "}",
         "Metaspace.replacement is \"\""},
        {"{\"post_processor\":{\"type\":\"Other\"}," MODEL "}", "post_processor is \"Other\""},
        {"{\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[{\"SpecialToken\":"
         "{\"id\":\"u\"}},{\"SpecialToken\":{\"id\":\"u\"}}]}," MODEL "}",
         "post_processor.special_tokens is missing"},
        {"{\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[{\"Sequence\":"
         "{\"id\":\"B\"}}]}," MODEL "}",
         "expected one text with at most 8 tokens on either side"},
        {"{\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[{\"Sequence\":"
         "{\"id\":\"A\"}}],\"pair\":[{\"Sequence\":{\"id\":\"A\"}}]}," MODEL "}",
         "post_processor.pair is"},
        {"{\"post_processor\":{\"type\":\"BertProcessing\",\"cls\":[\"u\",1],\"sep\":"
         "[\"u\",0]}," MODEL "}",
         "post_processor.cls is [\"u\",1], expected a piece and its id"},
        {"{\"added_tokens\":[{\"id\":2,\"content\":\"x\"}]," MODEL "}", "no piece has id 1"},
        {"{" BPE(",\"byte_fallback\":true") "}", "model.byte_fallback is true, expected false"},
        {"{" BPE(",\"continuing_subword_prefix\":\"0123456789abcdef\"") "}", "at most 15 bytes"},
        {"{" BPE(",\"merges\":[\"a \"]") "}", "expected two pieces"},
        {"{" BPE(",\"unk_token\":\"x\",\"merges\":[]") "}", "no piece \"x\", which unk_token"},
        {"{\"model\":{\"unk_id\":null,\"vocab\":[[\"a\",0]]}}", "model.unk_id is null"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ig_err err = {0};
        ig_tokenizer *t;
        assert_int_equal(
            ig_tokenizer_parse(&t, bad[i].json, (int64_t)strlen(bad[i].json), "x.json", NULL, &err),
            IG_ERR_INPUT);
        assert_null(t);
        if (strstr(err.msg, bad[i].says) == NULL)
            fail_msg("%s: '%s' lacks '%s'", bad[i].json, err.msg, bad[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_hugging_face),
        cmocka_unit_test(roles),
        cmocka_unit_test(bytes_are_characters),
        cmocka_unit_test(damaged_text),
        cmocka_unit_test(what_the_model_knows),
        cmocka_unit_test(taken_white_space),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
