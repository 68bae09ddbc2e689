/* SPDX-License-Identifier: Apache-2.0
 *
 * Experiment files with a mistake in their base, cells, axes, seeds, variants or in what they
 * extend: each is told in one line with file and line, what was found, what was expected, and a way
 * out.
 */
#include "experiment_fixture.h"

static const mistake rows[] = {
    {"", "e.yaml", 0,
     "found nothing, expected an experiment: base, cells, seeds, … (docs/experiments.md)", ""},
    {"# only\n", "e.yaml", 0,
     "found nothing, expected an experiment: base, cells, seeds, … (docs/experiments.md)", ""},
    {"- a\n", "e.yaml", 1, "found a list, expected lines of 'key: value'", ""},
    {"basse: {}\n", "e.yaml", 1, "experiment: unknown key 'basse'", "did you mean 'base'?"},
    {"base: 3\n", "e.yaml", 1, "base: found '3', expected a mapping", ""},
    {"base: {text: '-'}\n", "e.yaml", 1,
     "base: text is standard input, expected a file: every run reads it", ""},
    {"base: {hiden: 3}\n", "e.yaml", 1, "base: unknown key 'hiden'", "did you mean 'hidden'?"},
    {"base: {updates: 1, seed: 3}\n", "e.yaml", 1, "base: seed is not set in an experiment file",
     "seeds are listed in `seeds:`, of the experiment, a cell or a value of an axis"},
    {"base: {out: x}\n", "e.yaml", 1, "base: out is not set in an experiment file",
     "the run's folder is its address in the store: isoglot run --store DIR"},
    {"base: {threads: 2}\n", "e.yaml", 1, "base: threads is not set in an experiment file",
     "it changes no result: isoglot run --threads N"},
    {"base: {config: x}\n", "e.yaml", 1, "base: config is not set in an experiment file",
     "another file is named in `extends:`"},
    {"base: {eval_layers: [0]}\n", "e.yaml", 1,
     "base: eval-layers is not set in an experiment file", "write `measure: {layers: …}`"},
    {"base: {layers: many}\n", "e.yaml", 1,
     "layers: found 'many', expected an integer from 0 to 1000", ""},
    {"base: {layers: \"2\"}\n", "e.yaml", 1,
     "layers: found the text \"2\", expected an integer from 0 to 1000", ""},
    {"base: {layers: [2]}\n", "e.yaml", 1,
     "layers: found a list, expected an integer from 0 to 1000", ""},
    {"base: {lr: 200}\n", "e.yaml", 1, "lr: found 200, expected a number from 0 to 100", ""},
    {"base: {no_random: fixd}\n", "e.yaml", 1,
     "no-random: found 'fixd', expected one of off, fixed, paper-text, paper-code",
     "did you mean 'fixed'?"},
    {"base: {pad_attend: true, pad-attend: true}\n", "e.yaml", 1,
     "pad-attend: found twice, expected once (first in line 1)", ""},
    {"base: {updates: 1}\nbase: {updates: 2}\n", "e.yaml", 2,
     "base: found twice, expected once (first in line 1)", ""},
    {"cells: {a: {}, a: {}}\n", "e.yaml", 1, "a: found twice, expected once (first in line 1)", ""},
    {"cells: {a: {}, b: {}}\n", "e.yaml", 1, "cells 'a' and 'b' are the same run (original)",
     "give one of them a difference, or leave it out"},
    /* Keys without effect. */
    {"base: {text: a.txt, world: demo}\n", "e.yaml", 1,
     "world has no effect: a generated world is used when there is no text", ""},
    {"base: {take: 30}\n", "e.yaml", 1,
     "take has no effect: a generated world has as many sentences as world-sentences says", ""},
    {"base: {knn_share: 0.2}\n", "e.yaml", 1,
     "knn-share has no effect: nothing is replaced by neighbours without knn-replace", ""},
    {"base: {embed_window: 5}\n", "e.yaml", 1,
     "embed-window has no effect: a BERT is trained; static vectors need a trainer (word2vec, "
     "fasttext, glove)",
     ""},
    {"base: {layers: 0}\n", "e.yaml", 1,
     "layers has no effect: 0 is no size, expected at least 1; the preset's is what it is without "
     "the key",
     ""},
    {"base: {knn_replace: 3, knn_vectors: v, knn_dim: 50}\n", "e.yaml", 1,
     "knn-dim has no effect: the vectors are given (knn-vectors), none are trained", ""},
    {"base: {document: 50}\n", "e.yaml", 1,
     "document has no effect: only pairs and streams that mix languages have documents (instances, "
     "mix-documents)",
     ""},
    {"base: {languages: en, lang_pos: true}\n", "e.yaml", 1,
     "lang-pos has no effect: there is one language only", ""},
    {"cells:\n  a: {}\n  b: {trainer: glove,\n      lr: 1e-3}\n", "e.yaml", 4,
     "lr has no effect: static vectors are trained, not a BERT (trainer)", ""},
    {"cells:\n  a: {}\n  b: {embed_negative: 3,\n     trainer: glove}\n", "e.yaml", 3,
     "embed-negative has no effect: only word2vec and fasttext have it", ""},
    {"cells: {a: {}}\naxes: {knn_share: [0.1, 0.2]}\n", "e.yaml", 2,
     "knn-share has no effect: nothing is replaced by neighbours without knn-replace", ""},
    /* Runs that are the same but for such keys. */
    {"cells: {b: {}, w: {trainer: word2vec}}\naxes: {embed_window: [2, 5]}\n", "e.yaml", 2,
     "cells 'b/embed_window=2' and 'b/embed_window=5' are the same run (embed-window=5)",
     "give one of them a difference, or leave it out"},
    {"base: {updates: 5}\ncells: {a: {epochs: 3}}\n", "e.yaml", 2,
     "cell 'a': epochs: updates 5 and epochs 3 are both given, expected one of them",
     "take the base's back in the cell: `updates: null` or `epochs: null`"},
    {"base: {updates: 5, epochs: 5}\n", "e.yaml", 1,
     "cell 'base': epochs: updates 5 and epochs 5 are both given, expected one of them", ""},
    {"base: {heads: 3}\n", "e.yaml", 1,
     "cell 'base': hidden_size is 64, expected a multiple of num_attention_heads (3)", ""},
    {"cells:\n  a: {}\n  b: {block: 300, lang_pos: true}\n", "e.yaml", 3,
     "cell 'b': max-positions: 512, expected at least 600 (block 300, twice for lang-pos)", ""},
    {"cells: {a: {languages: 'en; fake = shft'}}\n", "e.yaml", 1,
     "cell 'a': fake: character 12: unknown transform 'shft', expected one of shift, specials, *",
     "did you mean 'shift'?"},
    {"cells: {a: {languages: ''}}\n", "e.yaml", 1,
     "cell 'a': languages: found none, expected NAME [= PIPELINE]; …", ""},
    {"cells: {}\n", "e.yaml", 1, "cells: found none, expected at least one",
     "leave `cells` out for the base alone or the combinations of axes"},
    {"cells: 3\n", "e.yaml", 1, "cells: found '3', expected a mapping", ""},
    {"cells: {a: null}\n", "e.yaml", 1,
     "cell 'a' is null, but no extended file has it to be taken out",
     "a cell without differences from the base is written {}"},
    {"cells:\n  a:\n", "e.yaml", 2, "cell 'a' is null, but no extended file has it to be taken out",
     "a cell without differences from the base is written {}"},
    {"cells: {a: 3}\n", "e.yaml", 1, "cell 'a': found '3', expected a mapping", ""},
    {"cells: {'a b': {}}\n", "e.yaml", 1,
     "cells: found 'a b', expected a name of at most 40 letters without spaces and , : / * ? [ ] "
     "\\ quotes",
     ""},
    {"cells: {'': {}}\n", "e.yaml", 1,
     "cells: found '', expected a name of at most 40 letters without spaces and , : / * ? [ ] \\ "
     "quotes",
     ""},
    {"cells: {a: {like: b}}\n", "e.yaml", 1, "like: unknown cell 'b'",
     "like takes the name of another entry of `cells:`"},
    {"cells: {aa: {}, b: {like: ab}}\n", "e.yaml", 1, "like: unknown cell 'ab'",
     "like takes the name of another entry of `cells:`"},
    {"cells: {a: {like: b}, b: {like: c, batch: 2}, c: {like: b}}\n", "e.yaml", 1,
     "like: goes in a circle: b > c > b", ""},
    {"cells: {a: {like: a}}\n", "e.yaml", 1, "like: goes in a circle: a > a", ""},
    {"cells: {a: {like: [b]}}\n", "e.yaml", 1, "like: found a list, expected a text", ""},
    {"cells: {a: {needs: gpus}}\n", "e.yaml", 1,
     "needs: found 'gpus', expected gpu, embed or a list of both", ""},
    {"cells: {a: {needs: [gpu, 3]}}\n", "e.yaml", 1,
     "needs: found '3', expected gpu, embed or a list of both", ""},
    {"cells: {a: {title: [x]}}\n", "e.yaml", 1, "title: found a list, expected a text", ""},
    {"cells: {a: {lik: b}}\n", "e.yaml", 1, "cell 'a': unknown key 'lik'", "did you mean 'like'?"},
    {"cells: {a: {seeds: 0}}\n", "e.yaml", 1,
     "seeds: found '0', expected an integer from 1 to 1000",
     "a number N stands for seeds 0 to N - 1; a list names them"},
    {"axes: {batch: []}\n", "e.yaml", 1, "axis 'batch' has no values, expected at least one",
     "batch: [A, B] for values of this key, or {NAME: {KEY: VALUE}, …}"},
    {"axes: {batch: 3}\n", "e.yaml", 1, "axis 'batch' has no values, expected a list of them",
     "batch: [A, B] for values of this key, or {NAME: {KEY: VALUE}, …}"},
    {"axes: {batch: null}\n", "e.yaml", 1, "axis 'batch' has no values, expected a list of them",
     "batch: [A, B] for values of this key, or {NAME: {KEY: VALUE}, …}"},
    {"axes:\n  batch:\n", "e.yaml", 2, "axis 'batch' has no values, expected a list of them",
     "batch: [A, B] for values of this key, or {NAME: {KEY: VALUE}, …}"},
    {"axes: {batch: {}}\n", "e.yaml", 1, "axis 'batch' has no values, expected at least one",
     "batch: [A, B] for values of this key, or {NAME: {KEY: VALUE}, …}"},
    {"axes: [batch]\n", "e.yaml", 1, "axes: found a list, expected a mapping", ""},
    {"axes: {bacth: [1]}\n", "e.yaml", 1, "axes: unknown key 'bacth'", "did you mean 'batch'?"},
    {"axes: {batch: [1, 1]}\n", "e.yaml", 1, "axis batch: '1' is there twice", ""},
    {"axes: {batch: [1, [2]]}\n", "e.yaml", 1, "batch: found a list, expected values of this key",
     "named sets of keys are a mapping: batch: {NAME: {KEY: VALUE}}"},
    {"axes: {batch: [1, null]}\n", "e.yaml", 1, "batch: found null, expected values of this key",
     "named sets of keys are a mapping: batch: {NAME: {KEY: VALUE}}"},
    {"axes: {batch: [1, x]}\n", "e.yaml", 1,
     "batch: found 'x', expected an integer from 1 to 1000000", ""},
    {"axes: {seed: [1, 2]}\n", "e.yaml", 1, "axes: seed is not set in an experiment file",
     "seeds are listed in `seeds:`, of the experiment, a cell or a value of an axis"},
    {"axes: {size: {small: 3}}\n", "e.yaml", 1, "size=small: found '3', expected a set of keys",
     "values of one key are a list: size: [A, B]; {} sets nothing"},
    {"axes: {size: {small: {hiden: 3}}}\n", "e.yaml", 1, "size=small: unknown key 'hiden'",
     "did you mean 'hidden'?"},
    {"axes: {size: {a: {batch: 2}}, batch: [3, 4]}\n", "e.yaml", 1,
     "axes 'size' and 'batch' both set batch, expected one of them to", ""},
    {"axes: {languages: ['en; fake = shift']}\n", "e.yaml", 1,
     "value of an axis: found 'en; fake = shift', expected a name of at most 40 letters without "
     "spaces and , : / * ? [ ] \\ quotes",
     "give it a name: languages: {NAME: {languages: …}}"},
    {"axes: {text: [bible/a.tsv]}\n", "e.yaml", 1,
     "value of an axis: found 'bible/a.tsv', expected a name of at most 40 letters without spaces "
     "and , : / * ? [ ] \\ quotes",
     "give it a name: text: {NAME: {text: …}}"},
    {"axes: {batch: [1, 2]}\ncells: {a: {batch: 3}}\n", "e.yaml", 2,
     "cell 'a' and axis 'batch' both set batch, expected one of them to",
     "cells are crossed with every value of every axis"},
    {"axes: {a: {x: {seeds: 2}}, b: {y: {seeds: 3}}}\n", "e.yaml", 1,
     "axes 'a' and 'b' both set seeds, expected one of them to", ""},
    {"axes: {a: {x: {seeds: 2}}}\ncells: {c: {seeds: 3}}\n", "e.yaml", 2,
     "cell 'c' and axis 'a' both set seeds, expected one of them to",
     "cells are crossed with every value of every axis"},
    {"axes: {batch: [1, 01]}\n", "e.yaml", 1,
     "cells 'batch=1' and 'batch=01' are the same run (batch=1)",
     "give one of them a difference, or leave it out"},
    {"base: {updates: 3}\naxes: {batch: [1, 01]}\n", "e.yaml", 2,
     "cells 'batch=1' and 'batch=01' are the same run (batch=1)",
     "give one of them a difference, or leave it out"},
    {"axes: {batch: [64, 256], lr: [1, 2, 3], warmup: [1,2,3,4,5,6,7,8,9,10], clip: "
     "[1,2,3,4,5,6,7,8,9,10], block: [10,20,30,40,50,60,70,80,90,100]}\n",
     "e.yaml", 1, "axis 'block' makes it 6000 cells, expected at most 4096",
     "cells are crossed with every value of every axis; split the file"},
    {"seeds: 0\n", "e.yaml", 1, "seeds: found '0', expected an integer from 1 to 1000",
     "a number N stands for seeds 0 to N - 1; a list names them"},
    {"seeds: []\n", "e.yaml", 1, "seeds: a list of 0, expected 1 to 1000 of them", ""},
    {"seeds: [1, 1]\n", "e.yaml", 1, "seeds: 1 is there twice", ""},
    {"seeds: [-1]\n", "e.yaml", 1, "seeds: found '-1', expected a seed or a range of seeds, 11-19",
     ""},
    {"seeds: [0, 4-2]\n", "e.yaml", 1,
     "seeds: found '4-2', expected a seed or a range of seeds, 11-19", ""},
    {"seeds: [0-3, 2]\n", "e.yaml", 1, "seeds: 2 is there twice", ""},
    {"seeds: [7, 0-1999]\n", "e.yaml", 1, "seeds: more than 1000 of them", ""},
    {"seeds: -3\n", "e.yaml", 1, "seeds: found '-3', expected an integer from 1 to 1000",
     "a number N stands for seeds 0 to N - 1; a list names them"},
    {"seeds: 5000\n", "e.yaml", 1, "seeds: found '5000', expected an integer from 1 to 1000",
     "a number N stands for seeds 0 to N - 1; a list names them"},
    {"seeds: two\n", "e.yaml", 1, "seeds: found 'two', expected an integer from 1 to 1000",
     "a number N stands for seeds 0 to N - 1; a list names them"},
    {"seeds: {a: 1}\n", "e.yaml", 1, "seeds: found a mapping, expected an integer from 1 to 1000",
     "a number N stands for seeds 0 to N - 1; a list names them"},
    {"seeds: 1.5\n", "e.yaml", 1, "seeds: found '1.5', expected an integer from 1 to 1000",
     "a number N stands for seeds 0 to N - 1; a list names them"},
    {"axes: {batch: [1,2,3,4,5,6,7,8,9,10], warmup: [1,2,3,4,5,6,7,8,9,10,11]}\nseeds: 1000\n",
     "e.yaml", 2, "110000 runs, expected at most 100000", ""},
    {"extends: none.yaml\n", "e.yaml", 1,
     "extends: none.yaml: cannot open: No such file or directory",
     "paths in extends are relative to the file that has them"},
    {"extends: a.yaml\n", "c.yaml", 1,
     "extends: goes in a circle: a.yaml > b.yaml > c.yaml > a.yaml", ""},
    {"extends: self.yaml\n", "self.yaml", 1, "extends: goes in a circle: self.yaml > self.yaml",
     ""},
    {"extends: e.yaml\n", "e.yaml", 1, "extends: goes in a circle: e.yaml > e.yaml", ""},
    {"extends: [good.yaml, bad.yaml]\n", "bad.yaml", 1, "base: unknown key 'bacth'",
     "did you mean 'batch'?"},
    {"extends: 3\n", "e.yaml", 1, "extends: 3: cannot open: No such file or directory",
     "paths in extends are relative to the file that has them"},
    {"extends: {a: b}\n", "e.yaml", 1, "extends: found a mapping, expected a text", ""},
    {"extends: [good.yaml, [x]]\n", "e.yaml", 1, "extends: found a list, expected a text", ""},
    {"extends: .\n", "e.yaml", 1, "extends: .: found a directory, expected a file",
     "paths in extends are relative to the file that has them"},
    {"extends: good.yaml\ncells: {c: null}\n", "e.yaml", 2,
     "cell 'c' is null, but no extended file has it to be taken out",
     "a cell without differences from the base is written {}"},
    {"extends: good.yaml\ncells: {a: null, b: null}\n", "e.yaml", 2,
     "cells: found none, expected at least one",
     "leave `cells` out for the base alone or the combinations of axes"},
    {"variants: 3\n", "e.yaml", 1, "variants: found '3', expected a mapping", ""},
    {"variants: {a: 3}\n", "e.yaml", 1, "variant 'a': found '3', expected a mapping", ""},
    {"variants: {a: {bases: {}}}\n", "e.yaml", 1, "variant 'a': unknown key 'bases'",
     "did you mean 'base'?"},
    {"variants: {a: {extends: good.yaml}}\n", "e.yaml", 1, "variant 'a': unknown key 'extends'",
     "keys here are title, question, paper, note, base, axes, cells, seeds, measure, tasks, "
     "report, claims"},
    {"claims: [mu]\n", "e.yaml", 1, "claims: found a list, expected a mapping", ""},
    {"claims: {a: {statement: \"mu(0) > 0\"}}\n", "e.yaml", 1,
     "the claim has no text, expected one", ""},
    {"claims: {a: {text: so}}\n", "e.yaml", 1,
     "the claim has neither statement nor needs, expected one of them", ""},
    {"claims: {a: {text: so, statement: \"mu(0) > 0\", needs: more}}\n", "e.yaml", 1,
     "the claim has statement and needs, expected one of them", ""},
    {"cells: {a: {}}\nclaims: {a: {text: so, statement: \"mu(b) > 0\"}}\n", "e.yaml", 2,
     "statement: found cell 'b', expected one of the file", "cells are a"},
    {"variants: {'a,b': {}}\n", "e.yaml", 1,
     "variants: found 'a,b', expected a name of at most 32 letters without comma, colon, slash and "
     "space",
     ""},
    {"title: [x]\n", "e.yaml", 1, "title: found a list, expected a text", ""},
    {"title: {a: b}\n", "e.yaml", 1, "title: found a mapping, expected a text", ""},
    {"title: ''\n", "e.yaml", 1, "title: found an empty text, expected a text", ""},
};

static void each_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        is_told(&rows[i]);
}

/* Files that the rows extend. */
static int make_files(void **state)
{
    make_folder(state);
    write_file("a.yaml", "extends: b.yaml\n");
    write_file("b.yaml", "title: x\nextends: [c.yaml]\n");
    write_file("c.yaml", "extends: a.yaml\n");
    write_file("self.yaml", "extends: self.yaml\n");
    write_file("bad.yaml", "base: {bacth: 3}\n");
    write_file("good.yaml", "base: {updates: 9}\ncells: {a: {}, b: {lang_pos: true}}\n");
    return 0;
}

/* An extended file may set keys meant for other files, a variant may leave a key without effect,
 * and the record of a run has every key. */
static void effects_elsewhere(void **state)
{
    (void)state;
    ig_experiment e;
    write_file("shared.yaml", "base: {embed_window: 3, text: a.txt}\n");
    write_file("e.yaml", "extends: shared.yaml\nbase: {batch: 3}\n"
                         "cells: {a: {}, b: {knn_replace: 1, knn_share: 0.1}}\n"
                         "variants: {off: {cells: {b: {knn_replace: 0, batch: 9}}},\n"
                         "           world: {base: {text: null, world: demo}}}\n");
    assert_ok(read_variant(&e, "e.yaml", NULL), &err);
    ig_experiment_free(&e);
    assert_ok(read_variant(&e, "e.yaml", "off"), &err);
    ig_experiment_free(&e);
    assert_ok(read_variant(&e, "e.yaml", "world"), &err);
    ig_experiment_free(&e);
    /* A base may describe a BERT that the cells of today do not train. */
    e = read_good("base: {batch: 8, layers: 2}\ncells: {w: {trainer: word2vec}}\n"
                  "measure: {what: [words]}\n");
    ig_experiment_free(&e);
    /* One of several cells is enough for a key of the base. */
    e = read_good("base: {knn_share: 0.1}\ncells: {a: {}, b: {knn_replace: 1}}\n");
    ig_experiment_free(&e);
}

/* --set: the last word over base, cells and axes. */
static void settings_of_a_command(void **state)
{
    (void)state;
    ig_experiment e;
    static const struct {
        const char *set[2], *msg, *hint;
    } wrong[] = {
        {{"updates", NULL}, "found 'updates', expected KEY=VALUE", ""},
        {{"=3", NULL}, "found '=3', expected KEY=VALUE", ""},
        {{"updats=3", NULL}, "unknown key 'updats'", "did you mean 'updates'?"},
        {{"updates=x", NULL}, "updates: found 'x', expected an integer from 0 to 1e+12", ""},
        {{"updates=3", "updates=4"}, "updates is set twice", ""},
        {{"seed=3", NULL},
         "seed is not set in an experiment file",
         "seeds are listed in `seeds:`, of the experiment, a cell or a value of an axis"},
        {{"knn_share=.1", NULL},
         "knn-share has no effect: nothing is replaced by neighbours without knn-replace",
         ""},
    };
    write_file("e.yaml", "base: {updates: 10}\nseeds: 3\n"
                         "cells: {a: {}, b: {lang_pos: true, updates: 20, seeds: 1}}\n");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const ig_experiment_request a = {
            .set = wrong[i].set, .n_set = wrong[i].set[1] != NULL ? 2 : 1, .data_root = dir};
        memset(&err, 0, sizeof err);
        assert_int_equal(ig_experiment_read_request(&e, path_of("e.yaml"), &a, &err), IG_ERR_USAGE);
        assert_string_equal(err.where, "--set");
        assert_string_equal(err.msg, wrong[i].msg);
        assert_string_equal(err.hint, wrong[i].hint);
    }
    const char *const good[] = {"epochs=3", "seeds=[4, 7]", "languages=en; fake = shift | invert"};
    const ig_experiment_request a = {.set = good, .n_set = 3, .data_root = dir};
    assert_ok(ig_experiment_read_request(&e, path_of("e.yaml"), &a, &err), &err);
    assert_string_equal(e.name, "e;epochs=3;seeds=[4, 7];languages=en; fake = shift | invert");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(e.cell[i].config.optimisation.epochs, 3);
        assert_int_equal(e.cell[i].config.optimisation.updates, 0);
        assert_int_equal(e.cell[i].n_seed, 2);
        assert_int_equal(e.cell[i].seed[1], 7);
        assert_string_equal(e.cell[i].config.languages.spec, "en; fake = shift | invert");
    }
    assert_string_equal(e.cell[1].label, "lang-pos");
    ig_experiment_free(&e);
    /* Cells that differed only in this key no longer differ. */
    write_file("e.yaml", "cells: {a: {}, b: {batch: 20}}\n");
    const char *const same[] = {"batch=20"};
    const ig_experiment_request b = {.set = same, .n_set = 1, .data_root = dir};
    assert_int_equal(ig_experiment_read_request(&e, path_of("e.yaml"), &b, &err), IG_ERR_USAGE);
    assert_string_equal(err.msg, "cells 'a' and 'b' are the same run (original)");
    assert_string_equal(err.hint, "--set overrides base, cells and axes");
}

/* A variant of an extended file: what it changes of the named file's base is said, and a cell that
 * the named file takes out stays out. The named file's own variants are its own affair. */
static void variants_of_extended_files(void **state)
{
    (void)state;
    ig_experiment e;
    write_file("under.yaml",
               "base: {updates: 9, batch: 8}\n"
               "cells: {a: {}, b: {lang_pos: true}, c: {lr: 1}}\n"
               "variants:\n"
               "  quick: {base: {updates: 3, batch: 4}, cells: {b: {batch: 6}, c: {lr: 2}}}\n"
               "  both: {base: {updates: 3}}\n");
    write_file("e.yaml", "extends: under.yaml\nbase: {updates: 50}\ncells: {b: null}\n"
                         "variants:\n  mine: {base: {updates: 2}, cells: {b: {batch: 5}}}\n"
                         "  both: {base: {updates: 4}}\n");
    assert_ok(read_variant(&e, "e.yaml", "quick"), &err);
    assert_int_equal(e.n_cell, 2);
    assert_string_equal(e.cell[1].name, "c");
    assert_true(e.cell[1].config.optimisation.lr == 2);
    assert_int_equal(e.cell[0].config.optimisation.updates, 3);
    assert_int_equal(e.n_remark, 1);
    without_folder(e.remark[0]);
    without_folder(e.remark[0]);
    assert_string_equal(e.remark[0], "variant 'quick' of under.yaml overrides e.yaml: "
                                     "updates 3, not 50");
    ig_experiment_free(&e);
    assert_ok(read_variant(&e, "e.yaml", "mine"), &err);
    assert_int_equal(e.n_cell, 3);
    assert_int_equal(e.cell[0].config.optimisation.updates, 2);
    assert_int_equal(e.n_remark, 0);
    ig_experiment_free(&e);
    assert_ok(read_variant(&e, "e.yaml", "both"), &err);
    assert_int_equal(e.cell[0].config.optimisation.updates, 4);
    assert_int_equal(e.n_remark, 0);
    ig_experiment_free(&e);
}

/* Variants that are not there, or asked for twice. */
static void unknown_variants(void **state)
{
    (void)state;
    ig_experiment e;
    const char *const twice[] = {"small", "small"};
    write_file("e.yaml", "base: {}\nvariants: {small: {}, paper-code: {}}\n");
    assert_int_equal(read_variant(&e, "e.yaml", "smal"), IG_ERR_USAGE);
    assert_string_equal(err.msg, "unknown variant 'smal', expected one of small, paper-code");
    assert_string_equal(err.hint, "did you mean 'small'?");
    assert_int_equal(err.line, 2);
    assert_int_equal(ig_experiment_read(&e, path_of("e.yaml"), twice, 2, dir, &err), IG_ERR_USAGE);
    assert_string_equal(err.msg, "variant 'small' is asked for twice");
    write_file("e.yaml", "base: {}\n");
    assert_int_equal(read_variant(&e, "e.yaml", "x"), IG_ERR_USAGE);
    assert_string_equal(err.msg, "unknown variant 'x', expected none: the file has no variants");
    assert_string_equal(err.hint, "");
    assert_int_equal(read_variant(&e, "e.yaml", "world"), IG_ERR_USAGE);
    assert_string_equal(err.hint, "its text is a generated world without a variant");
    write_file("e.yaml", "base: {text: a.txt}\n");
    assert_int_equal(read_variant(&e, "e.yaml", "world"), IG_ERR_USAGE);
    assert_string_equal(err.hint,
                        "its question is about real texts, which a generated world does not "
                        "answer; 'isoglot fetch' gets them");
    write_file("world.yaml", "base: {}\n");
    assert_int_equal(read_variant(&e, "e.yaml", "world"), IG_ERR_USAGE);
    assert_non_null(strstr(err.hint, "world.yaml asks it of a generated world"));
    /* A variant's own mistake, in its own line. */
    write_file("e.yaml", "base: {}\nvariants:\n  x:\n    base: {hiden: 3}\n");
    ig_experiment ok;
    assert_ok(read_variant(&ok, "e.yaml", NULL), &err);
    ig_experiment_free(&ok);
    assert_int_equal(read_variant(&e, "e.yaml", "x"), IG_ERR_USAGE);
    assert_int_equal(err.line, 4);
}

static void no_file(void **state)
{
    (void)state;
    ig_experiment e;
    assert_int_equal(read_variant(&e, "nowhere.yaml", NULL), IG_ERR_IO);
    assert_string_equal(err.where, path_of("nowhere.yaml"));
}

/* Files that extend each other without end and without a circle, and a list of extended files that
 * doubles at every step. */
static void many_files(void **state)
{
    (void)state;
    ig_experiment e;
    char name[32], text[64];
    for (int i = 0; i < 70; i++) {
        snprintf(name, sizeof name, "chain%d.yaml", i);
        snprintf(text, sizeof text, "extends: chain%d.yaml\n", i + 1);
        write_file(name, text);
    }
    assert_int_equal(read_variant(&e, "chain0.yaml", NULL), IG_ERR_USAGE);
    assert_string_equal(err.msg, "extends: more than 64 files");
    assert_string_equal(err.where, path_of("chain63.yaml"));
    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "twice%d.yaml", i);
        snprintf(text, sizeof text, "extends: [twice%d.yaml, twice%d.yaml]\n", i + 1, i + 1);
        write_file(name, text);
    }
    write_file("twice30.yaml", "base: {}\n");
    assert_int_equal(read_variant(&e, "twice0.yaml", NULL), IG_ERR_USAGE);
    assert_string_equal(err.msg, "extends: more than 64 files");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_told),
        cmocka_unit_test(effects_elsewhere),
        cmocka_unit_test(settings_of_a_command),
        cmocka_unit_test(variants_of_extended_files),
        cmocka_unit_test(unknown_variants),
        cmocka_unit_test(no_file),
        cmocka_unit_test(many_files),
    };
    return cmocka_run_group_tests(tests, make_files, remove_folder);
}
