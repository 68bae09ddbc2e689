/* SPDX-License-Identifier: Apache-2.0
 *
 * Word retrieval of a run: pairs of words against the world's own dictionary and against files, MRR
 * against ranks counted out.
 */
#include "base/memory.h"
#include "setup_fixture.h"
#include "word_fixture.h"

#include "corpus/world/world.h"
#include "run/data/word_pairs.h"
#include "run/measure/word_retrieval.h"

static ig_code make_pairs(ig_word_pairs *p, const ig_run_config *c)
{
    const ig_data_settings settings = ig_run_config_data(c);
    return ig_word_pairs_make(p, &settings, c->measuring.words_take, 1, &err);
}

/* Queries to the static vectors of a test. */
typedef struct {
    const ig_run_config *config;
    const ig_setup *setup;
    const ig_measure_plan *plan;
    ig_team *team;
} asking;

/* The rows of the last question. */
static ig_row_set rows;

static ig_code ask(const asking *a, const ig_vectors *v)
{
    const ig_data_settings settings = ig_run_config_data(a->config);
    const ig_word_query of = {.what = IG_MEASURE_BIT(words),
                              .settings = &settings,
                              .measuring = &a->config->measuring,
                              .setup = a->setup,
                              .folder = a->config->out};
    ig_row_set_free(&rows);
    return ig_word_retrieval_static(&rows, &of, v, a->plan, a->team, &err);
}

/* --- pairs ------------------------------------------------------------------------------------ */

static bool has_pair(const ig_word_pairs *p, const char *a, const char *b, const char *tag)
{
    for (int64_t i = 0; i < p->pairs.n_pair; i++)
        if (strcmp(ig_lexicon_get(&p->pairs.word[0], p->pairs.pair[2 * i]), a) == 0 &&
            strcmp(ig_lexicon_get(&p->pairs.word[1], p->pairs.pair[2 * i + 1]), b) == 0)
            return tag == NULL || strcmp(p->tag[p->pairs.pair[2 * i]], tag) == 0;
    return false;
}

/* Against the dictionary that the world writes itself. */
static void pairs_of_a_world(void **state)
{
    (void)state;
    ig_run_config c = config("en; x(world=SOV+post)");
    ig_word_pairs p;
    ig_world_language language[IG_WORLD_LANGUAGES];
    ig_world_options o;
    ig_world *w;
    int n;
    assert_ok(make_pairs(&p, &c), &err);
    assert_true(ig_world_preset(&o, ig_world_preset_names[1]));
    o.seed = (uint64_t)c.data.world_seed;
    assert_ok(ig_world_languages_parse(language, &n, "x:SOV,post; eng", &err), &err);
    assert_ok(ig_world_new(&w, &o, language, n, &err), &err);
    const ig_world_write_options how = {.n_sentence = 60, .dictionary = true};
    assert_ok(ig_world_write(w, in_root("world"), &how, &err), &err);
    char *text, *end = NULL;
    int64_t size, n_line = 0, n_found = 0;
    assert_ok(ig_file_read(&text, &size, in_root("world/x-eng.dict"), 1 << 24, &err), &err);
    for (char *line = strtok_r(text, "\n", &end); line != NULL; line = strtok_r(NULL, "\n", &end)) {
        char a[100], b[100], tag[20];
        long long count;
        assert_int_equal(sscanf(line, "%99[^\t]\t%99[^\t]\t%lld\t%19s", b, a, &count, tag), 4);
        n_line++;
        n_found += has_pair(&p, a, b, tag);
    }
    assert_true(n_line > 50 && n_found == n_line && p.pairs.n_pair == n_line);
    assert_false(has_pair(&p, ".", ".", NULL));
    ig_free(text);
    ig_world_free(w);
    ig_word_pairs_free(&p);
    ig_run_config_free(&c);
}

static void write_text(const char *path, const char *text)
{
    assert_ok(ig_file_write(path, text, (int64_t)strlen(text), &err), &err);
}

/* A dictionary in MUSE's form, tags of a treebank, and transforms of words that spell otherwise. */
static void pairs_of_files(void **state)
{
    (void)state;
    char files[1000];
    write_text(in_root("a.txt"), "Cats run .\nThe run ended .\n");
    write_text(in_root("b.txt"), "Gatos corren .\n");
    write_text(in_root("d.txt"), "cats gatos\nrun corren\nrun carrera\nof de\n. .\n");
    write_text(
        in_root("t.conllu"),
        "1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\trun\trun\tVERB\t_\t_\t0\troot\t_\t_\n\n"
        "1\tThe\tthe\tDET\t_\t_\t2\tdet\t_\t_\n2\trun\trun\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
        "3\tRun\trun\tVERB\t_\t_\t0\troot\t_\t_\n\n");
    snprintf(files, sizeof files, "spa=%s; dict=%s; ud=%s", in_root("b.txt"), in_root("d.txt"),
             in_root("t.conllu"));
    ig_run_config c = config("en; fake = shift");
    set(&c.data.text, in_root("a.txt"));
    set(&c.data.files, files);
    speak(&c, "en(tags=ud); es(text=spa, gold=dict)");
    ig_word_pairs p;
    assert_ok(make_pairs(&p, &c), &err);
    assert_int_equal(p.pairs.n_pair, 4);
    assert_true(has_pair(&p, "cats", "gatos", "NOUN"));
    assert_true(has_pair(&p, "run", "corren", "VERB")); /* twice a verb, once a noun */
    assert_true(has_pair(&p, "run", "carrera", "VERB"));
    assert_true(has_pair(&p, "of", "de", "")); /* not in the treebank */
    ig_word_pairs_free(&p);
    speak(&c, "en(tags=ud); es(text=spa, gold=dict) = codepoints | tokenize");
    assert_ok(make_pairs(&p, &c), &err);
    assert_int_equal(p.pairs.n_pair, 4);
    assert_false(has_pair(&p, "cats", "gatos", NULL));
    ig_word_pairs_free(&p);
    /* Two texts and nothing that says what translates what. */
    speak(&c, "en(tags=ud); es(text=spa)");
    assert_int_equal(make_pairs(&p, &c), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "no dictionary of 'en' and 'es'"));
    ig_word_pairs_free(&p);
    ig_run_config_free(&c);
}

static void groups(void **state)
{
    (void)state;
    static const struct {
        const char *tag;
        bool in[IG_WORD_GROUPS]; /* open closed noun verb adverb adjective */
    } of[] = {
        {"NOUN", {1, 0, 1, 0, 0, 0}},  {"PROPN", {1, 0, 0, 0, 0, 0}}, {"VERB", {1, 0, 0, 1, 0, 0}},
        {"AUX", {0, 1, 0, 0, 0, 0}},   {"ADV", {1, 0, 0, 0, 1, 0}},   {"ADJ", {1, 0, 0, 0, 0, 1}},
        {"SCONJ", {0, 1, 0, 0, 0, 0}}, {"PUNCT", {0, 0, 0, 0, 0, 0}}, {"", {0, 0, 0, 0, 0, 0}}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (int g = 0; g < IG_WORD_GROUPS; g++)
            if (ig_word_in_group(of[i].tag, g) != of[i].in[g])
                fail_msg("%s in %s", of[i].tag, ig_word_group_names[g]);
}

/* --- retrieval -------------------------------------------------------------------------------- */

/* A vector for each piece; with `twins` a piece and its copy in the other language have the same.
 */
static void made_vectors(ig_vectors *v, const ig_setup *s, int d, bool twins)
{
    char **piece;
    int32_t n, id;
    ig_lexicon words = {0};
    const int32_t base = ig_tokenizer_size(s->tokenizer);
    assert_ok(ig_setup_pieces(s, &piece, &n, &err), &err);
    for (int32_t i = 0; i < n; i++)
        assert_ok(ig_lexicon_add(&words, piece[i], (int64_t)strlen(piece[i]), &id, &err), &err);
    ig_free_list(piece, n);
    assert_ok(ig_vectors_new(v, &words, d, &err), &err);
    uint32_t x = 7;
    for (int32_t i = 0; i < n; i++)
        for (int k = 0; k < d; k++) {
            x = x * 1664525 + 1013904223;
            ig_vectors_row(v, i)[k] = twins && i >= base ? ig_vectors_row(v, i - base)[k]
                                                         : (float)(x >> 8) / (1 << 23) - 1;
        }
}

static const ig_row *row(const char *measure, const char *pair)
{
    const ig_row like = {.task = measure, .split = "dev", .languages = pair, .layer = -1};
    for (int64_t i = 0; i < rows.n; i++)
        if (ig_row_compare(&rows.row[i], &like) == 0)
            return &rows.row[i];
    fail_msg("%s of %s has no row", measure, pair);
    return NULL;
}

/* The MRR of words of one piece, counted out. */
static double by_hand(const ig_vectors *v, int32_t base, const int32_t *id, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        int before = 0;
        double cosine[400], norm = 0;
        const float *x = ig_vectors_row(v, id[i]);
        assert_true(n <= 400);
        for (int j = 0; j < n; j++) {
            const float *y = ig_vectors_row(v, base + id[j]);
            cosine[j] = norm = 0;
            for (int k = 0; k < v->d; k++) {
                cosine[j] += (double)x[k] * (double)y[k];
                norm += (double)y[k] * (double)y[k];
            }
            cosine[j] /= sqrt(norm);
        }
        for (int j = 0; j < n; j++)
            before += cosine[j] > cosine[i];
        sum += 1.0 / (before + 1);
    }
    return sum / n;
}

static void retrieval(void **state)
{
    (void)state;
    ig_run_config c = config("en; fake = shift");
    ig_setup s;
    ig_vectors v;
    ig_team *team;
    const ig_measure_plan plan = {.what = IG_MEASURE_BIT(words)};
    c.tokens.world_words = true; /* words are pieces */
    c.measuring.words_min_count = 3;
    assert_ok(ig_team_new(&team, 2, &err), &err);
    assert_ok(open_setup(&s, &c, in_root("words")), &err);
    const asking of = {&c, &s, &plan, team};
    made_vectors(&v, &s, 16, true);
    assert_ok(ask(&of, &v), &err);
    assert_true(row("mrr", "en-fake")->value == 1 && row("p_at_1", "en-fake")->value == 1);
    const int n = (int)row("mrr", "en-fake")->n;
    assert_true(n > 20);
    assert_int_equal(row("mrr_open", "en-fake")->n + row("mrr_closed", "en-fake")->n, n);
    ig_vectors_free(&v);

    /* Words that stand three times, looked for in the text itself. */
    made_vectors(&v, &s, 16, false);
    assert_ok(ask(&of, &v), &err);
    int32_t id[400];
    int n_id = 0;
    for (int32_t i = 0; i < ig_tokenizer_size(s.tokenizer); i++) {
        const char *piece = ig_tokenizer_piece(s.tokenizer, i);
        if (piece[0] == '[' || strchr(".,?", piece[0]) != NULL ||
            count_in(in_root("words/world-train.txt"), piece, 0) < 3)
            continue;
        id[n_id++] = i;
    }
    assert_int_equal(n_id, n);
    const double want = by_hand(&v, ig_tokenizer_size(s.tokenizer), id, n_id),
                 got = row("mrr", "en-fake")->value;
    assert_true(fabs(got - want) < 1e-6 && got < 0.3);

    /* Only words that occur early enough are queried; words that are alike can be left out. */
    c.measuring.words_take = 20;
    assert_ok(ask(&of, &v), &err);
    assert_true(row("mrr", "en-fake")->n < n);
    c.measuring.words_take = 0;
    c.measuring.words_min_count = 1000000;
    assert_int_equal(ask(&of, &v), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "none occurs 1000000 times"));
    ig_vectors_free(&v);
    ig_setup_close(&s);
    ig_team_free(team);
    ig_row_set_free(&rows);
    ig_run_config_free(&c);
}

/* Two words of the dictionary are the same pieces here (résumé, resume): the first decides the part
 * of speech. A group's P@1 counts first ranks, its MRR later ones, too. */
static void parts_of_speech(void **state)
{
    (void)state;
    static const struct {
        const char *piece;
        float x[3];
    } vector[] = {{"resume", {1, 0, 0}}, {"hoja", {1, 0, 0}},       {"run", {0, 1, 0}},
                  {"seguir", {0, 1, 0}}, {"corren", {0, .8f, .6f}}, {"cat", {0, 0, 1}},
                  {"gato", {0, 0, 1}}};
    char files[1000], text[2][2000] = {"", ""};
    for (int i = 0; i < 40; i++) {
        strcat(text[0], "resume run cat\n");
        strcat(text[1], "hoja seguir corren gato\n");
    }
    write_text(in_root("pa.txt"), text[0]);
    write_text(in_root("pb.txt"), text[1]);
    write_text(in_root("pd.txt"), "résumé hoja\nresume seguir\nrun corren\ncat gato\n");
    write_text(in_root("pt.conllu"), "1\trésumé\t_\tNOUN\t_\t_\t2\tobj\t_\t_\n"
                                     "2\tresume\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
                                     "3\trun\t_\tVERB\t_\t_\t2\tconj\t_\t_\n"
                                     "4\tcat\t_\tNOUN\t_\t_\t2\tobj\t_\t_\n\n");
    snprintf(files, sizeof files, "spa=%s; dict=%s; ud=%s", in_root("pb.txt"), in_root("pd.txt"),
             in_root("pt.conllu"));
    ig_run_config c = config("en; fake = shift");
    set(&c.data.text, in_root("pa.txt"));
    set(&c.data.files, files);
    speak(&c, "en(tags=ud); es(text=spa, gold=dict)");
    c.tokens.lowercase = true;
    c.tokens.vocab_size = 200;
    ig_setup s;
    ig_vectors v;
    ig_team *team;
    ig_lexicon pieces = {0};
    int32_t id;
    const ig_measure_plan plan = {.what = IG_MEASURE_BIT(words)};
    enum { N = sizeof vector / sizeof *vector };
    for (int i = 0; i < N; i++)
        assert_ok(
            ig_lexicon_add(&pieces, vector[i].piece, (int64_t)strlen(vector[i].piece), &id, &err),
            &err);
    assert_ok(ig_vectors_new(&v, &pieces, 3, &err), &err);
    for (int i = 0; i < N; i++)
        memcpy(ig_vectors_row(&v, i), vector[i].x, sizeof vector[i].x);
    assert_ok(ig_team_new(&team, 1, &err), &err);
    assert_ok(open_setup(&s, &c, in_root("parts")), &err);
    const asking of = {&c, &s, &plan, team};
    assert_ok(ask(&of, &v), &err);
    const ig_row *all = row("mrr", "en-es"), *noun = row("mrr_noun", "en-es"),
                 *verb = row("mrr_verb", "en-es");
    assert_true(all->n == 3 && row("p_at_1", "en-es")->value == 2. / 3);
    assert_true(noun->n == 2 && noun->value == 1);
    assert_true(verb->n == 1 && verb->value == 0.5); /* seguir comes before corren */
    ig_vectors_free(&v);
    ig_lexicon_free(&pieces);
    ig_setup_close(&s);
    ig_team_free(team);
    ig_row_set_free(&rows);
    ig_run_config_free(&c);
}

/* Half of the words are anchors, each its own translation: found, and not queried without them. */
static void words_alike(void **state)
{
    (void)state;
    ig_run_config c = config("en; fake = shift:anchors=0.5");
    ig_setup s;
    ig_vectors v;
    ig_team *team;
    const ig_measure_plan plan = {.what = IG_MEASURE_BIT(words)};
    c.tokens.world_words = true;
    assert_ok(ig_team_new(&team, 1, &err), &err);
    assert_ok(open_setup(&s, &c, in_root("alike")), &err);
    const asking of = {&c, &s, &plan, team};
    made_vectors(&v, &s, 16, false);
    assert_ok(ask(&of, &v), &err);
    const double all = (double)row("mrr", "en-fake")->n, found = row("p_at_1", "en-fake")->value;
    c.measuring.words_alike = false;
    assert_ok(ask(&of, &v), &err);
    const double share = (double)row("mrr", "en-fake")->n / all;
    assert_true(share > 0.3 && share < 0.7);
    assert_true(found > 0.3 && row("p_at_1", "en-fake")->value < 0.2);
    ig_vectors_free(&v);
    ig_setup_close(&s);
    ig_team_free(team);
    ig_row_set_free(&rows);
    ig_run_config_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_a_world), cmocka_unit_test(pairs_of_files),
        cmocka_unit_test(groups),           cmocka_unit_test(retrieval),
        cmocka_unit_test(parts_of_speech),  cmocka_unit_test(words_alike),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
