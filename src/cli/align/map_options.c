/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of isoglot map.
 */
#include "cli/align/map_options.h"

const char *const ig_map_mode_names[] = {"unsupervised", "supervised", "semi-supervised",
                                         "identical",    "numerals",   NULL};

static const ig_option rows[] = {
    {.group = "Mapping",
     IG_ENUM(ig_map_config, "mode", mode, "unsupervised", ig_map_mode_names,
             "initial pairs from: similarities within each language, the dictionary (once, or with "
             "self-learning), identically spelled words, numerals")},
    {IG_ENUM(
        ig_map_config, "method", o.map.method, "vecmap", ig_map_method_names,
        "the map: whitening, orthogonal map, re-weighting, de-whitening; or an orthogonal map")},
    {IG_PATH(ig_map_config, "dictionary", dictionary, "FILE",
             "pairs of words, source first, a pair a line")},
    {IG_TEXT(
        ig_map_config, "normalise", normalise, "unit,center,unit", "LIST",
        "steps in this order: unit, center, unit-dimensions, center-dimensions, iterative (unit "
        "and center until both hold), or none")},
    {IG_INT(ig_map_config, "refine", o.map.refine, "0", 0, 1e6,
            "in place of self-learning N rounds of mutual best pairs among the --cutoff words, as "
            "MUSE does")},
    {IG_INT(ig_map_config, "init-words", o.init_words, "4000", 2, 100000,
            "number of most frequent words of each side compared by --mode unsupervised, whose "
            "initial pairs are those of similar similarities within each language")},
    {.group = "Self-learning",
     IG_INT(ig_map_config, "cutoff", o.map.cutoff, "20000", 0, 2e9,
            "number of most frequent words of each side used to induce pairs; 0: all")},
    {IG_INT_AS(ig_map_config, "neighbours", o.map.k, "10", "K", 0, 64,
               "neighbours of CSLS; 0: pairs by cosine")},
    {IG_ENUM(
        ig_map_config, "direction", o.map.direction, "union", ig_map_direction_names,
        "pairs: the best target of each source, the best source of each target, both, or those "
        "that are both")},
    {IG_REAL_AS(ig_map_config, "keep", o.map.keep, "0.1", "P", 1e-6, 1,
                "initial probability that a pair is available; 1: always")},
    {IG_REAL_AS(ig_map_config, "keep-factor", o.map.keep_factor, "2", "F", 1.001, 1e9,
                "factor on it after --patience rounds without improvement")},
    {IG_INT(ig_map_config, "patience", o.map.patience, "50", 1, 1e9,
            "rounds without a better objective")},
    {IG_REAL(ig_map_config, "threshold", o.map.threshold, "1e-6", 0, 1,
             "minimum improvement of the objective")},
    {IG_INT(ig_map_config, "max-rounds", o.map.max_round, "0", 0, 1e9,
            "maximum number of rounds; 0: no limit")},
    {.group = "Last map of --method vecmap",
     IG_FLAG(ig_map_config, "whiten", o.map.steps.whiten, "true",
             "whitening, and de-whitening after the map")},
    {IG_REAL_AS(ig_map_config, "reweight-source", o.map.steps.reweight_x, "0.5", "P", 0, 10,
                "dimensions times the singular values to the power P; 0: none")},
    {IG_REAL_AS(ig_map_config, "reweight-target", o.map.steps.reweight_z, "0.5", "P", 0, 10,
                "the same for the target")},
    {IG_ENUM(ig_map_config, "dewhiten-source", o.map.steps.dewhiten_x, "source", ig_dewhiten_names,
             "whose whitening is undone in the source")},
    {IG_ENUM(ig_map_config, "dewhiten-target", o.map.steps.dewhiten_z, "target", ig_dewhiten_names,
             "whose whitening is undone in the target")},
    {IG_INT_AS(ig_map_config, "dim", o.map.steps.dim, "0", "D", 0, IG_VECTORS_DIM_MAX,
               "first dimensions kept; 0: all")},
    {.group = "Result",
     IG_PATH(ig_map_config, "out-source", out_source, "FILE", "write the mapped source there")},
    {IG_PATH(ig_map_config, "out-target", out_target, "FILE", "write the mapped target there")},
    {IG_ENUM(ig_map_config, "as", as, "auto", ig_vec_format_names,
             "format of both; auto: by the name, .bin binary, .txt plain, else text")},
    {IG_FLAG(ig_map_config, "json", json, NULL,
             "print the summary as one JSON object, with the objective of every round")},
    {IG_PATH(ig_map_config, "save-map", save_map, "FILE",
             "write the matrices and the steps before them there, as JSON")},
    {.group = "Diagnosis",
     IG_FLAG(ig_map_config, "diagnose", o.judge, "true",
             "examine the mapped spaces, and report whether the mapping is degenerate")},
    {IG_INT(ig_map_config, "diagnose-words", o.diagnose.most, "20000", 1, 2e9,
            "number of most frequent words of each side used for the diagnosis")},
    {IG_INT(ig_map_config, "chance-words", o.chance.most, "2000", 0, 2e9,
            "number of most frequent words of each side for maps from random starts, for "
            "comparison; 0: none")},
    {.group = "Input",
     IG_INT(ig_map_config, "first", first, "0", 0, 2e9,
            "read only the first N words of each file; 0: all")},
    {IG_ENUM(ig_map_config, "format", format, "auto", ig_vec_format_names,
             "format of the files; auto: by their first bytes")},
    {IG_FLAG(ig_map_config, "skip-bad", skip_bad, NULL,
             "leave out damaged rows of vectors (another number of values, values that are not "
             "finite), count and name them; bad words are left out in any case")},
    {IG_INT(ig_map_config, "seed", o.map.seed, "1", 0, 9e15,
            "the same seed gives the same bits on any number of threads")},
    {IG_INT(ig_map_config, "threads", threads, "0", 0, 1024, "threads; 0: all processors")},
};
const ig_option_table ig_map_option_table = IG_OPTION_TABLE(rows);

ig_judged_options ig_map_config_resolve(const ig_map_config *c)
{
    ig_judged_options o = c->o;
    o.map.learn = c->mode != IG_MAP_SUPERVISED && o.map.refine == 0;
    o.map.refine_direction = IG_MAP_MUTUAL;
    o.chance.k = o.diagnose.k = o.map.k > 3 ? o.map.k : 10;
    o.chance_patience = 10; /* self-learning among few words finds its end sooner */
    o.diagnose.blind = c->mode == IG_MAP_UNSUPERVISED;
    o.chance.seed = o.diagnose.seed = o.map.seed;
    return o;
}
