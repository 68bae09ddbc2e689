/* SPDX-License-Identifier: Apache-2.0
 *
 * Static vectors of a run's pieces and their common space: see knn_space.h. Settings that have no
 * option are fastText's and VecMap's defaults. Languages have seeds of their own (their number),
 * not the run's: the runs of an experiment that differ in their seed share one space, and two
 * languages whose texts are copies of each other are trained apart, as two texts would be.
 */
#include "run/data/knn_space.h"

#include "apply/folder/run_folder.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/settings/json_file.h"
#include "embed/judge/map_judged.h"
#include "embed/train/word2vec.h"

#include <string.h>

enum {
    MAX_LINE = 1024,
    BUCKET = 2000000,
    INIT_WORDS = 4000,
    CUTOFF = 20000,
    CSLS = 10,
    CHANCE_WORDS = 2000,
    PATIENCE = 50
};

ig_code ig_knn_hash_text(ig_sha256 *h, const char *text, ig_err *err)
{
    return ig_sha256_add(h, text, (int64_t)strlen(text) + 1, err);
}

ig_code ig_knn_hash_end(ig_sha256 *h, char address[IG_KNN_ADDRESS], ig_code code, ig_err *err)
{
    char hex[IG_SHA256_HEX];
    if (code != IG_ERR_OK) {
        (void)ig_sha256_end(h, NULL, NULL);
        return code;
    }
    IG_TRY(ig_sha256_end(h, hex, err));
    memcpy(address, hex, IG_KNN_ADDRESS - 1);
    address[IG_KNN_ADDRESS - 1] = '\0';
    return IG_ERR_OK;
}

/* Every token of a language, and what the ids mean. */
static ig_code add_language(ig_sha256 *h, const ig_knn_space *s, int k, ig_err *err)
{
    const ig_language *l = ig_corpus_language(s->corpus, k);
    int32_t id[IG_SEQUENCE_MAX];
    const int64_t about[] = {k, l->first_id, l->n_id, s->dim, s->epochs, s->min_count};
    IG_TRY(ig_knn_hash_text(h, "isoglot vectors of pieces 1", err));
    IG_TRY(ig_sha256_add(h, about, sizeof about, err));
    for (int32_t i = 0; i < ig_corpus_vocab_size(s->corpus); i++)
        IG_TRY(ig_knn_hash_text(h, s->pieces[i], err));
    for (int64_t i = 0; i < ig_corpus_n_sequence(s->corpus, k); i++) {
        /* Without [CLS] and [SEP], which have no vectors. */
        const int32_t n = ig_corpus_sequence(s->corpus, k, i, id) - 2;
        IG_TRY(ig_sha256_add(h, &n, sizeof n, err));
        IG_TRY(ig_sha256_add(h, id + 1, n * (int64_t)sizeof *id, err));
    }
    return IG_ERR_OK;
}

ig_code ig_knn_space_address(char mapped[IG_KNN_ADDRESS], char (*vectors)[IG_KNN_ADDRESS],
                             const ig_knn_space *s, ig_err *err)
{
    const int n_language = ig_corpus_n_language(s->corpus);
    ig_sha256 *h;
    ig_code code = IG_ERR_OK;
    for (int k = 0; k < n_language && code == IG_ERR_OK; k++) {
        code = ig_sha256_new(&h, err);
        IG_THEN(code, ig_knn_hash_end(h, vectors[k], add_language(h, s, k, err), err));
    }
    IG_TRY(code);
    IG_TRY(ig_sha256_new(&h, err));
    code = ig_knn_hash_text(h, "isoglot mapped space 1", err);
    for (int k = 0; k < n_language && code == IG_ERR_OK; k++)
        code = ig_knn_hash_text(h, vectors[k], err);
    return ig_knn_hash_end(h, mapped, code, err);
}

static ig_code train(ig_vectors *v, const ig_knn_space *s, int k, ig_err *err)
{
    const ig_text_ids_options words = {
        .min_count = s->min_count, .line_end = "</s>", .max_line = MAX_LINE};
    const ig_context_options o = {.model = IG_CONTEXT_SKIPGRAM,
                                  .dim = s->dim,
                                  .window = 5,
                                  .negative = 5,
                                  .epochs = s->epochs,
                                  .lr = 0.05,
                                  .sample = 1e-4,
                                  .ns_exponent = 0.5,
                                  .init = 1,
                                  .seed = (uint64_t)k + 1};
    const ig_fasttext_options f = {
        .context = &o, .bucket = BUCKET, .minn = 3, .maxn = 6, .min_count = s->min_count};
    ig_text_ids text;
    ig_context_report report;
    const ig_text_ids_sequences of = {.corpus = s->corpus,
                                      .pieces = s->pieces,
                                      .language = k,
                                      .length = ig_corpus_get_options(s->corpus)->block - 2};
    IG_TRY(ig_text_ids_corpus(&text, &of, &words, err));
    const double from = ig_clock();
    const int64_t n_token = text.n_token;
    ig_code code = ig_fasttext_train(v, &text, &f, s->team, &report, err);
    ig_text_ids_free(&text);
    if (code == IG_ERR_OK)
        ig_log(IG_LOG_NORMAL, "vectors of '%s': %d pieces, %lld tokens, %d dimensions, %.1f s",
               ig_corpus_language(s->corpus, k)->name, v->n, (long long)n_token, v->d,
               ig_clock() - from);
    return code;
}

/* The vectors of one language, trained unless they are there. */
static ig_code vectors_of(ig_vectors *v, const ig_knn_space *s, int k, const char *address,
                          ig_err *err)
{
    char path[IG_PATH];
    IG_TRY(ig_folder_path(path, s->folder, err, "vectors-%s.bin", address));
    if (ig_file_exists(path))
        return ig_vectors_read(v, path, (ig_vec_how){.format = IG_VEC_BINARY}, s->team, err);
    IG_TRY(train(v, s, k, err));
    return ig_vectors_write(v, path, IG_VEC_BINARY, err);
}

/* Without the ends of lines, which are no pieces. */
static ig_code drop_line_end(ig_vectors *v, ig_err *err)
{
    ig_lexicon words = {0};
    ig_vectors kept = {0};
    int32_t id;
    ig_code code = IG_ERR_OK;
    if (ig_lexicon_find(&v->words, "</s>", 4) < 0)
        return IG_ERR_OK;
    for (int32_t i = 0; i < v->n && code == IG_ERR_OK; i++)
        if (strcmp(ig_lexicon_get(&v->words, i), "</s>") != 0)
            code = ig_lexicon_add(&words, ig_lexicon_get(&v->words, i),
                                  ig_lexicon_size(&v->words, i), &id, err);
    IG_THEN(code, ig_vectors_new(&kept, &words, v->d, err));
    for (int32_t i = 0, to = 0; i < v->n && code == IG_ERR_OK; i++)
        if (strcmp(ig_lexicon_get(&v->words, i), "</s>") != 0)
            memcpy(ig_vectors_row(&kept, to++), ig_vectors_row(v, i), (size_t)v->d * sizeof *v->x);
    ig_lexicon_free(&words);
    if (code == IG_ERR_OK) {
        ig_vectors_free(v);
        *v = kept;
    }
    return code;
}

/* Describes the map for the log and the report. */
static void say(json_t *report, const ig_judged_map *l)
{
    const ig_map_result *r = &l->result;
    const double objective = r->n_round > 0 ? r->round[r->n_round - 1].objective : 0;
    ig_log(IG_LOG_NORMAL, "mapped in %lld rounds, objective %.4f: %s", (long long)r->n_round,
           objective, l->verdict);
    json_array_append_new(report,
                          json_pack("{s:I, s:f, s:I, s:b, s:s}", "rounds", (json_int_t)r->n_round,
                                    "objective", objective, "pairs", (json_int_t)l->result.pairs.n,
                                    "degenerate", (int)l->degenerate, "verdict", l->verdict));
}

/* Maps the source, and of two languages the target too, whose rows are normalised. */
static ig_code map_pair(ig_vectors *source, ig_vectors *target, const ig_knn_space *s,
                        const ig_steps *steps, json_t *report, ig_err *err)
{
    const bool both = ig_corpus_n_language(s->corpus) == 2;
    const ig_judged_options o = {.map = {.method = both ? IG_MAP_MULTI_STEP : IG_MAP_ORTHOGONAL,
                                         .steps = {.whiten = true,
                                                   .reweight_x = 0.5,
                                                   .reweight_z = 0.5,
                                                   .dewhiten_x = IG_DEWHITEN_SOURCE,
                                                   .dewhiten_z = IG_DEWHITEN_TARGET},
                                         .learn = true,
                                         .cutoff = CUTOFF,
                                         .k = CSLS,
                                         .direction = IG_MAP_UNION,
                                         .keep = 0.1,
                                         .keep_factor = 2,
                                         .patience = PATIENCE,
                                         .threshold = 1e-6,
                                         .seed = 1},
                                 .steps = steps,
                                 .init_words = INIT_WORDS,
                                 .judge = true,
                                 .chance = {.most = CHANCE_WORDS, .k = CSLS, .seed = 1},
                                 .chance_patience = PATIENCE,
                                 .diagnose = {.most = CUTOFF, .k = CSLS, .seed = 1}};
    const ig_map_spaces spaces = {.x = source->x,
                                  .z = target->x,
                                  .n_x = source->n,
                                  .n_z = target->n,
                                  .d = source->d,
                                  .ops = ig_ops_best(),
                                  .team = s->team};
    IG_SCOPED(ig_judged_map_free) ig_judged_map l = {0};
    IG_TRY(ig_judged_map_make(&l, &spaces, &o, err));
    say(report, &l);
    ig_judged_map_take(&l, 0, source);
    if (both)
        ig_judged_map_take(&l, 1, target);
    return IG_ERR_OK;
}

static ig_code map_all(ig_vectors *v, const ig_knn_space *s, json_t *report, ig_err *err)
{
    const int n_language = ig_corpus_n_language(s->corpus);
    ig_steps steps;
    IG_TRY(ig_steps_parse(&steps, "unit,center,unit", "", err));
    for (int k = 0; k < n_language; k++) {
        IG_TRY(drop_line_end(&v[k], err));
        IG_TRY(ig_steps_apply(&steps, (ig_map_side){v[k].x, v[k].n, v[k].d}, NULL, s->team, err));
    }
    if (n_language == 2)
        return map_pair(&v[0], &v[1], s, &steps, report, err);
    for (int k = 1; k < n_language; k++)
        IG_TRY(map_pair(&v[k], &v[0], s, &steps, report, err));
    return IG_ERR_OK;
}

/* The report is written last: where it is, all is. */
static ig_code write_all(const ig_vectors *v, const ig_knn_space *s, const char *mapped,
                         char (*vectors)[IG_KNN_ADDRESS], json_t *report, ig_err *err)
{
    char path[IG_PATH];
    const int n_language = ig_corpus_n_language(s->corpus);
    for (int k = 0; k < n_language; k++) {
        IG_TRY(ig_folder_path(path, s->folder, err, "mapped-%s-%d.bin", mapped, k));
        IG_TRY(ig_vectors_write(&v[k], path, IG_VEC_BINARY, err));
    }
    IG_TRY(ig_folder_path(path, s->folder, err, "mapped-%s.json", mapped));
    json_t *of = json_array();
    for (int k = 0; k < n_language; k++)
        json_array_append_new(of, json_string(vectors[k]));
    return ig_json_write(json_pack("{s:i, s:s, s:o, s:O}", "isoglot_mapped", 1, "address", mapped,
                                   "vectors", of, "maps", report),
                         path, 9, err);
}

static ig_code read_all(ig_vectors *v, const ig_knn_space *s, const char *mapped, ig_err *err)
{
    char path[IG_PATH];
    for (int k = 0; k < ig_corpus_n_language(s->corpus); k++) {
        IG_TRY(ig_folder_path(path, s->folder, err, "mapped-%s-%d.bin", mapped, k));
        IG_TRY(ig_vectors_read(&v[k], path, (ig_vec_how){.format = IG_VEC_BINARY}, s->team, err));
    }
    return IG_ERR_OK;
}

ig_code ig_knn_space_make(ig_vectors *v, const ig_knn_space *s, const char *mapped,
                          char (*vectors)[IG_KNN_ADDRESS], ig_err *err)
{
    char ready[IG_PATH];
    IG_TRY(ig_folder_path(ready, s->folder, err, "mapped-%s.json", mapped));
    if (ig_file_exists(ready))
        return read_all(v, s, mapped, err);
    json_auto_t *report = json_array();
    for (int k = 0; k < ig_corpus_n_language(s->corpus); k++)
        IG_TRY(vectors_of(&v[k], s, k, vectors[k], err));
    IG_TRY(map_all(v, s, report, err));
    return write_all(v, s, mapped, vectors, report, err);
}
