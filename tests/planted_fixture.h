/* SPDX-License-Identifier: Apache-2.0
 *
 * A made model of two languages, and the card of it: words that translate each other have nearly
 * one embedding, and random blocks with biases stand above.
 */
#pragma once
#include "corpus_fixture.h"

#include "base/file.h"
#include "base/memory.h"
#include "evaluate/card/findings.h"
#include "isoglot/bert.h"

enum { WORDS = 300, LETTERS = 26, SPECIAL = 5, D = 32, DEPTH = 3, POSITIONS = 60 };
enum { PIECES = SPECIAL + 2 * LETTERS + 2 * WORDS, N_FAMILY = 3 };

/* Goes on no letter as one character; it costs a piece. */
#define MARK "\u0353"

static ig_err err;
static char word[2][WORDS][16];
static ig_bert *model;
static char text[2][1 << 18];

/* --- a world */

/* Two languages of syllables; the second has accents, and no letter of the first begins its words.
 */
static void make_words(void)
{
    static const char *const consonant[] = {"bcdfghjk", "lmnprstv"}, *const vowel = "aeiou",
                             *const accented[] = {"ä", "é", "ï", "ö", "ú"};
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < WORDS; i++) {
            int at = i;
            char *w = word[side][i];
            w[0] = '\0';
            for (int syllable = 0; syllable < 2; syllable++, at /= 40)
                sprintf(w + strlen(w), "%c%s", consonant[side][at % 8],
                        side == 1 && syllable == 0 ? accented[at / 8 % 5]
                                                   : (const char[]){vowel[at / 8 % 5], '\0'});
        }
}

static void write_vocabulary(const char *dir, bool upper, const char *config)
{
    static char all[PIECES * 20];
    char path[300];
    strcpy(all, "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n");
    for (int c = 0; c < LETTERS; c++) { /* a mark in the place of a letter that no word has */
        const char part[] = {(char)('a' + c), '\0'};
        sprintf(all + strlen(all), "%c\n##%s\n", 'a' + c, 'a' + c == 'q' ? MARK : part);
    }
    for (int i = 0; i < 2 * WORDS; i++) {
        const char *w = word[i / WORDS][i % WORDS];
        sprintf(all + strlen(all), "%c%s\n", upper ? w[0] - 32 : w[0], w + 1);
    }
    snprintf(path, sizeof path, "%s/vocab.txt", dir);
    assert_ok(ig_file_write(path, all, (int64_t)strlen(all), &err), &err);
    snprintf(path, sizeof path, "%s/tokenizer_config.json", dir);
    assert_ok(ig_file_write(path, config, (int64_t)strlen(config), &err), &err);
}

static ig_bert_config shape(int family)
{
    ig_bert_config c = ig_bert_config_small(PIECES);
    c.hidden_size = D;
    c.num_attention_heads = 2;
    c.intermediate_size = 48;
    c.num_hidden_layers = DEPTH;
    c.max_position_embeddings = POSITIONS;
    c.initializer_range = 0.06f;
    c.block = family == 1 ? IG_BLOCK_PRE_NORM : IG_BLOCK_POST_NORM;
    c.position = family == 2 ? IG_POSITION_ROTARY : IG_POSITION_LEARNED;
    return c;
}

static float *values(const ig_bert_param *p)
{
    return calloc((size_t)p->rows * (size_t)p->cols, sizeof(float));
}

static const ig_bert_param *words_of(const ig_bert *m)
{
    const ig_bert_param *p = ig_bert_param_find(m, "bert.embeddings.word_embeddings.weight");
    assert_non_null(p);
    return p;
}

static float *row_of(float *x, int side, int i)
{
    return x + (int64_t)(SPECIAL + 2 * LETTERS + side * WORDS + i) * D;
}

/* Random weights with biases and norms that are not as they are drawn. */
static void make_random(int family, uint64_t seed, ig_rng *r)
{
    const ig_bert_config c = shape(family);
    assert_ok(ig_bert_new(&model, &c, seed, &err), &err);
    for (int i = 0; i < ig_bert_n_param(model); i++) {
        const ig_bert_param *p = &ig_bert_params(model)[i];
        float *x = values(p);
        ig_bert_get_values(model, p, x);
        for (int32_t k = 0; k < p->rows && p->cols == 1; k++)
            x[k] += (float)(.03 * ig_rng_normal(r));
        ig_bert_set_values(model, p, x);
        free(x);
    }
}

static double apart = .06; /* how far words are from their translations */

/* A healthy model. */
static void make_model(int family, uint64_t seed)
{
    ig_rng r = ig_rng_make(seed, IG_STREAM_TEST, 7, 0);
    make_random(family, seed, &r);
    const ig_bert_param *p = words_of(model);
    float *x = values(p);
    ig_bert_get_values(model, p, x);
    for (int i = 0; i < WORDS; i++)
        for (int k = 0; k < D; k++) {
            const double common = .3 * ig_rng_normal(&r);
            for (int side = 0; side < 2; side++)
                row_of(x, side, i)[k] = (float)(common + apart * ig_rng_normal(&r));
        }
    ig_bert_set_values(model, p, x);
    free(x);
}

/* n lines of 6 to 14 of the first n_word words, the rare ones rarer. */
static void make_texts_of(int n, int n_word, uint64_t seed)
{
    ig_rng r = ig_rng_make(seed, IG_STREAM_TEST, 8, 0);
    char *out[] = {text[0], text[1]};
    for (int i = 0; i < n; i++) {
        const int length = 6 + (int)ig_rng_below(&r, 9);
        for (int k = 0; k < length; k++) {
            const double u = ig_rng_unit(&r);
            for (int side = 0; side < 2; side++)
                out[side] += sprintf(out[side], "%s%s", word[side][(int)(n_word * u * u)],
                                     k + 1 < length ? " " : "\n");
        }
    }
}

static void make_texts(int n, uint64_t seed)
{
    make_texts_of(n, WORDS, seed);
}

/* --- the card */

static char found[1000], folder[256];
static double surely_gained; /* the lower end of the first finding's gain */
static int from_line;        /* that the first finding names; 0: none */

static void save(void)
{
    strcpy(folder, fixture_path("model"));
    (void)ig_dir_remove(folder, NULL); /* the first time it is not there */
    assert_ok(ig_dir_make(folder, &err), &err);
    assert_ok(ig_bert_save(model, folder, NULL, &err), &err);
    write_vocabulary(folder, false,
                     "{\"tokenizer_class\": \"BertTokenizer\", \"do_lower_case\": false}");
}

/* Runs a command as it is printed, where the program and what it takes are here.
 */
static void run_command(const char *kind, const char *command)
{
    static char line[4000], done[300];
    const char *program = IG_PROGRAM;
    if (!ig_file_exists(program) || strcmp(kind, "adapter") == 0 || strstr(done, kind) != NULL)
        return;
    if (strstr(command, "numpy") != NULL && system("python3 -c 'import numpy' 2>/dev/null") != 0)
        return;
    if (strstr(command, "safetensors") != NULL &&
        system("python3 -c 'import safetensors.numpy' 2>/dev/null") != 0)
        return;
    sprintf(done + strlen(done), "%s ", kind); /* one of each kind */
    snprintf(line, sizeof line,
             "cd %s && rm -rf kept *.npy && isoglot() { %s \"$@\"; } && { %s; } >said 2>&1",
             fixture_dir, program, command);
    if (system(line) != 0)
        fail_msg("%s: a command that does not run: %s", kind, command);
}

/* The kinds of the findings, each once, with blanks between; "": none. */
static const char *kinds(const ig_diagnose_options *o)
{
    ig_diagnosis d;
    ig_findings f;
    assert_ok(ig_diagnose(&d, o, &err), &err);
    assert_ok(ig_findings_make(&f, &d, folder, &err), &err);
    found[0] = '\0';
    surely_gained = f.n > 0 ? f.finding[0].gain.low : 0;
    from_line = 0;
    const char *from = f.n > 0 ? strstr(f.finding[0].text, "from line ") : NULL;
    if (from != NULL)
        from_line = atoi(from + strlen("from line "));
    for (int i = 0; i < f.n; i++) {
        if (strstr(found, f.finding[i].kind) == NULL)
            sprintf(found + strlen(found), "%s%s", i > 0 ? " " : "", f.finding[i].kind);
        char kind[64];
        snprintf(kind, sizeof kind, "%s%s", o->files.n > 0 ? "states:" : "", f.finding[i].kind);
        if (f.finding[i].command != NULL)
            run_command(kind, f.finding[i].command);
        else if (o->files.n > 0 && strstr("mean last_layer rotation", f.finding[i].kind) != NULL)
            fail_msg("%s: no command", kind);
    }
    ig_findings_free(&f);
    ig_diagnosis_free(&d);
    return found;
}

static const char *diagnose(void)
{
    char path[2][256];
    ig_named_text of[2] = {{.name = "en"}, {.name = "de"}};
    for (int side = 0; side < 2; side++) {
        strcpy(path[side], fixture_path(of[side].name));
        assert_ok(ig_file_write(path[side], text[side], (int64_t)strlen(text[side]), &err), &err);
        of[side].path = path[side];
    }
    const ig_diagnose_options o = {.states = {.model = folder, .n_thread = 1},
                                   .texts = {.text = of, .n_text = 2}};
    return kinds(&o);
}

/* The states of a text, as encode writes them. */
static void write_states(const char *to, ig_states *s, const char *from)
{
    const ig_named_text of = {.path = from};
    ig_texts t;
    ig_text_vectors v;
    ig_out out;
    assert_ok(ig_texts_read(&t, &(ig_texts_options){.text = &of, .n_text = 1}, &err), &err);
    assert_ok(ig_text_vectors_make(&v, s, 0, &(ig_short_texts){.sentences = &t.of[0]}, &err), &err);
    ig_states_writer w = {.model = "m", .n_layer = v.n_layer, .d = v.d};
    assert_ok(ig_out_open(&out, to, &err), &err);
    assert_ok(ig_states_file_header(&w, &out, &err), &err);
    for (int64_t i = 0; i < v.n; i++) {
        const float *row[DEPTH + 1];
        for (int l = 0; l < v.n_layer; l++)
            row[l] = v.x[l] + i * v.d;
        assert_ok(ig_states_file_put(&w, &out, row, i, &err), &err);
    }
    assert_ok(ig_states_file_end(&w, &out, &err), &err);
    assert_int_equal(fseek(out.fp, 0, SEEK_SET), 0);
    assert_ok(ig_out_close(&out, ig_states_file_header(&w, &out, &err), &err), &err);
    ig_free(w.id);
    ig_text_vectors_free(&v);
    ig_texts_free(&t);
}

/* The same from files of the states of a model and of an untrained one. */
static const char *diagnose_states(void)
{
    ig_named_text file[2][2] = {{{.name = "en"}, {.name = "de"}}, {{.name = "en"}, {.name = "de"}}};
    char path[2][2][256], text_path[256];
    for (int fresh = 0; fresh < 2; fresh++) {
        ig_states *s;
        const ig_states_options o = {
            .model = folder, .n_thread = 1, .all_layers = true, .fresh = fresh, .seed = 1};
        assert_ok(ig_states_open(&s, &o, &err), &err);
        for (int side = 0; side < 2; side++) {
            strcpy(text_path, fixture_path(file[fresh][side].name));
            sprintf(path[fresh][side], "%s.%d", text_path, fresh);
            file[fresh][side].path = path[fresh][side];
            write_states(path[fresh][side], s, text_path);
        }
        ig_states_close(s);
    }
    const ig_diagnose_options o = {.states = {.n_thread = 1},
                                   .files = {.file = file[0], .n = 2},
                                   .fresh = {.file = file[1], .n = 2}};
    return kinds(&o);
}
