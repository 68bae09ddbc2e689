/* SPDX-License-Identifier: Apache-2.0
 *
 * Hopping markers: places by a search from each verb, on random sentences; verbs of treebanks by
 * their features, of worlds by their subjects.
 */
#include "world_task_fixture.h"

#include "base/file.h"
#include "base/rng.h"
#include "corpus/read/format/conllu.h"
#include "corpus/words/word_step.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 14 };
static ig_err err;
static const ig_file_finder no_files;
static const char *const marker[] = {"\U0001F142", "\U0001F13F"};

static void apply(char *got, const char *pipeline, const ig_phrase *in)
{
    ig_word_pipeline p;
    const ig_phrase *out;
    assert_ok(ig_word_pipeline_parse(&p, pipeline, "x", 1, &err), &err);
    assert_ok(ig_word_pipeline_begin(&p, 1, "x", &no_files, &err), &err);
    assert_ok(ig_word_pipeline_run(&p, 0, in, &out, &err), &err);
    got[0] = '\0';
    for (int32_t i = 0; i < out->n; i++) {
        const bool marks = strcmp(ig_phrase_word(out, i), marker[0]) == 0 ||
                           strcmp(ig_phrase_word(out, i), marker[1]) == 0;
        sprintf(got + strlen(got), "%s ", ig_phrase_word(out, i));
        assert_int_equal(out->first[i + 1] > out->first[i], !marks); /* of no part of the text */
    }
    ig_word_pipeline_free(&p);
}

static void markers_hop(void **state)
{
    ig_phrase in = {0};
    ig_rng r = ig_rng_make(4, IG_STREAM_TEST, 0, 0);
    (void)state;
    for (int round = 0; round < 400; round++) {
        const int n = 1 + (int)ig_rng_below(&r, MOST), far = round % 5;
        bool punct[MOST];
        int verb[MOST];
        char want[400] = "", got[400], pipeline[20];
        assert_ok(ig_phrase_clear(&in, &err), &err);
        in.tree = realloc(in.tree, MOST * sizeof *in.tree);
        for (int i = 0; i < n; i++) {
            char word[8];
            punct[i] = ig_rng_below(&r, 4) == 0;
            verb[i] = punct[i] ? 0 : (int)ig_rng_below(&r, 5) - 2;
            verb[i] = verb[i] < 0 ? 0 : verb[i];
            sprintf(word, "%c%ds", 'a' + i, i);
            assert_ok(ig_phrase_add(&in, word, (int64_t)strlen(word), &err), &err);
            assert_ok(ig_phrase_cover_units(&in, i * IG_TRACE_UNIT, (i + 1) * IG_TRACE_UNIT, &err),
                      &err);
            in.node[i] = i;
            in.tree[i] = (ig_tree_node){.head = i - 1, .number = (uint8_t)verb[i]};
            strcpy(in.tree[i].upos, punct[i] ? "PUNCT" : "VERB");
            sprintf(in.tree[i].bare, "%c%d", 'a' + i, i);
        }
        in.n_node = n;
        int end = n;
        while (end > 0 && punct[end - 1])
            end--;
        /* After which word each marker comes, and then all in the order of their verbs. */
        int after[MOST];
        for (int v = 0; v < n; v++) {
            int left = far;
            after[v] = v;
            while (left > 0 && after[v] < end - 1)
                left -= !punct[++after[v]];
            if (left > 0)
                after[v] = end - 1;
        }
        for (int i = 0; i < n; i++) {
            sprintf(want + strlen(want), verb[i] > 0 ? "%c%d " : "%c%ds ", 'a' + i, i);
            for (int v = 0; v <= i; v++)
                if (verb[v] > 0 && after[v] == i)
                    sprintf(want + strlen(want), "%s ", marker[verb[v] - 1]);
        }
        snprintf(pipeline, sizeof pipeline, "hop:%d", far);
        apply(got, pipeline, &in);
        assert_string_equal(got, want);
    }
    free(in.tree);
    in.tree = NULL;
    in.have_tree = 0;
    ig_phrase_free(&in);
}

static void verbs_of_treebanks(void **state)
{
#define TEN "éééééééééé"
#define LONG TEN TEN TEN TEN TEN /* longer than a bare form can be, which is not cut */
#define VERB "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"
    static const char text[] =
        "1\the\the\tPRON\t_\tNumber=Sing|Person=3\t2\tnsubj\t_\t_\n"
        "2\tgoes\tgo\tVERB\t_\t" VERB "\t0\troot\t_\t_\n"
        "3\twent\tgo\tVERB\t_\tNumber=Sing|Person=3|Tense=Past|VerbForm=Fin\t2\tconj\t_\t_\n"
        "4\tsee\tsee\tVERB\t_\tNumber=Plur|Person=3|Tense=Pres|VerbForm=Fin\t2\tconj\t_\t_\n"
        "5\tsind\t_\tAUX\t_\tNumber=Plur|Person=3|Tense=Pres|VerbForm=Fin\t2\tconj\t_\t_\n"
        "6\tam\tbe\tAUX\t_\tNumber=Sing|Person=1|Tense=Pres|VerbForm=Fin\t2\tconj\t_\t_\n"
        "7\tis\tbe\tAUX\t_\tPerson=3|Tense=Pres|VerbForm=Fin|XNumber=Sing\t2\tconj\t_\t_\n"
        "8\tdix\u00A0mille x\u3000\ty\tNUM\t_\t_\t2\tobj\t_\t_\n"
        "9\tva\u2009t'en\taller\u00A0en\tVERB\t_\t" VERB "\t2\tconj\t_\t_\n"
        "10\t" LONG "\t_\tVERB\t_\t" VERB "\t2\tconj\t_\t_\n\n";
    char path[] = "/tmp/isoglot-hop-XXXXXX", got[400], to[IG_WORD_BYTES];
    ig_word_pipeline hop;
    ig_conllu *c;
    ig_phrase p = {0};
    (void)state;
    const int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    fputs(text, f);
    fclose(f);
    assert_ok(ig_conllu_open(&c, path, &err), &err);
    assert_ok(ig_conllu_next(c, &p, &err), &err);
    apply(got, "hop:0", &p);
    assert_string_equal(got, "he go \U0001F142 went see \U0001F13F sind \U0001F13F am is "
                             "dix_mille_x_ aller_en \U0001F142 " LONG " ");
    /* The dictionary has no form that does not occur. */
    assert_ok(ig_word_pipeline_parse(&hop, "hop:4", "x", 1, &err), &err);
    assert_ok(ig_word_pipeline_begin(&hop, 1, "x", &no_files, &err), &err);
    assert_ok(ig_word_pipeline_see(&hop, 0, 0, &p, &err), &err);
    assert_ok(ig_word_pipeline_ready(&hop, 0, &err), &err);
    assert_false(ig_word_pipeline_map(&hop, "goes", false, to));
    assert_false(ig_word_pipeline_map(&hop, "va_t'en", false, to));
    static const char *const stays[] = {"go", "went", "see", "sind", "is", "unseen"};
    for (int i = 0; i < 6; i++) {
        assert_true(ig_word_pipeline_map(&hop, stays[i], false, to));
        assert_string_equal(to, stays[i]);
    }
    assert_true(ig_word_pipeline_map(&hop, "goes", true, to));
    ig_word_pipeline_free(&hop);
    ig_conllu_close(c);
    ig_phrase_free(&p);
    remove(path);
}

/* A training text without one such verb is refused, not left as it is. */
static void text_without_verbs(void **state)
{
    ig_word_pipeline p;
    ig_phrase in = {0};
    (void)state;
    assert_ok(ig_phrase_clear(&in, &err), &err);
    in.tree = calloc(1, sizeof *in.tree);
    assert_ok(ig_phrase_add(&in, "went", 4, &err), &err);
    assert_ok(ig_phrase_cover_units(&in, 0, IG_TRACE_UNIT, &err), &err);
    in.node[0] = 0;
    in.n_node = 1;
    for (uint8_t number = 0; number < 3; number++) {
        in.tree[0].number = number;
        assert_ok(ig_word_pipeline_parse(&p, "hop:4", "x", 1, &err), &err);
        assert_ok(ig_word_pipeline_begin(&p, 1, "x", &no_files, &err), &err);
        assert_int_equal(ig_word_pipeline_sees(&p, 0), 0);
        assert_ok(ig_word_pipeline_see(&p, 0, 0, &in, &err), &err);
        assert_int_equal(ig_word_pipeline_ready(&p, 0, &err),
                         number == 0 ? IG_ERR_INPUT : IG_ERR_OK);
        ig_word_pipeline_free(&p);
    }
    assert_non_null(strstr(err.msg, "no verb of the training text"));
    ig_phrase_free(&in);
}

static void verbs_of_worlds(void **state)
{
    static ig_world_tree t, flipped;
    static ig_world_words s, other;
    int64_t n[2][3] = {{0}};
    ig_world *w = world_make("bible", "eng; x:agree,tense-aux; y:like-deu", 3);
    (void)state;
    for (int64_t i = 0; i < 300; i++) {
        ig_world_sentence(w, i, &t);
        for (int k = 0; k < 3; k++) {
            ig_world_linearise(w, k, &t, &s);
            for (int j = 0; j < s.n; j++) {
                char bare[IG_WORLD_WORD];
                const uint8_t number = ig_world_verb_number(w, k, &t, &s, j, bare);
                const ig_world_node *node = &t.node[s.node[j]];
                const int clause = node->upos == IG_UPOS_VERB ? s.node[j] : node->head;
                int subject = -1;
                bool present = true;
                for (int v = 0; v < t.n; v++) {
                    if (t.node[v].head != clause)
                        continue;
                    if (t.node[v].rel == IG_REL_NSUBJ || t.node[v].rel == IG_REL_NSUBJ_PASS)
                        subject = subject < 0 ? v : subject;
                    present = present && t.node[v].lemma != IG_LEM_PAST &&
                              t.node[v].lemma != IG_LEM_FUTURE;
                }
                const bool verb = node->upos == IG_UPOS_VERB || node->lemma == IG_LEM_BE;
                const int want =
                    k == 0 || !verb || subject < 0 || !present || t.node[subject].person != 3
                        ? 0
                        : 1 + t.node[subject].plural;
                assert_int_equal(number, want);
                if (number == 0)
                    continue;
                n[number - 1][k]++;
                /* Bare is what a singular subject has. */
                flipped = t;
                flipped.node[subject].plural = false;
                ig_world_linearise(w, k, &flipped, &other);
                for (int v = 0; v < other.n; v++)
                    if (other.node[v] == s.node[j] && v == j)
                        assert_string_equal(bare, other.text[v]);
            }
        }
    }
    for (int k = 1; k < 3; k++)
        assert_true(n[0][k] > 20 && n[1][k] > 3);
    ig_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markers_hop), cmocka_unit_test(verbs_of_treebanks),
        cmocka_unit_test(text_without_verbs), cmocka_unit_test(verbs_of_worlds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
