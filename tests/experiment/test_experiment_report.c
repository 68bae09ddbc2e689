/* SPDX-License-Identifier: Apache-2.0
 *
 * Experiment files with a mistake in `measure:`, `report:` or a reference file, each told in one
 * line; and reports that are right, read whole.
 */
#include "experiment_fixture.h"

#include "report/table/reference.h"

/* Languages with texts of their own. */
#define DE "base: {text: a.txt, files: 'd=a.txt', languages: 'en; de(text=d)'}\n"

static const mistake rows[] = {
    {"extends: good.yaml\nreport: {tables: [{name: t, columns: [mu], rows: [c]}]}\n", "e.yaml", 2,
     "rows: 'c' fits no cell", "cells are a, b"},
    {"measure: {what: [retrieval, x]}\n", "e.yaml", 1,
     "what: found 'x', expected alignment, retrieval, translation, perplexity, words, spaces, "
     "distinct, similarity, language, neighbours, shift, positions, maps, mapped, lexicon, away, "
     "mexa, anc, xsim, lape, lens or gradients",
     ""},
    {"measure: {what: []}\n", "e.yaml", 1, "what: found nothing, expected what to measure", ""},
    {"measure: {what: [retrieval, retrieval]}\n", "e.yaml", 1, "what: retrieval is there twice",
     ""},
    {"measure: {wat: [retrieval]}\n", "e.yaml", 1, "measure: unknown key 'wat'",
     "did you mean 'what'?"},
    {"measure: {layers: [0, 13]}\n", "e.yaml", 1,
     "layers: no layer 13 in cell 'base': it has 0 (embeddings) to 12",
     "low and high are the layers of μ at any depth"},
    {"measure: {layers: [8, 0]}\n", "e.yaml", 1, "layers: 0 after 8, expected ascending", ""},
    {"measure: {layers: some}\n", "e.yaml", 1,
     "layers: found 'some', expected mu, all or a list of layers", ""},
    {"measure: {layers: []}\n", "e.yaml", 1, "layers: found 0, expected 1 to 256 of them", ""},
    {"measure: {checkpoints: [1, 5, 5]}\n", "e.yaml", 1,
     "checkpoints: 5 after 5, expected ascending", ""},
    {"measure: {checkpoints: sometimes}\n", "e.yaml", 1,
     "checkpoints: found 'sometimes', expected end, log, a list of updates or {every: N}", ""},
    {"measure: {checkpoints: {every: 0}}\n", "e.yaml", 1,
     "every: found '0', expected an integer from 1 to 1000000000000", ""},
    {"measure: {checkpoints: {}}\n", "e.yaml", 1,
     "checkpoints: found a mapping, expected end, log, a list of updates or {every: N}", ""},
    {"measure: {checkpoints: {evry: 3}}\n", "e.yaml", 1, "checkpoints: unknown key 'evry'",
     "did you mean 'every'?"},
    {"base: {updates: 10}\nmeasure: {checkpoints: [1, 5, 50]}\n", "e.yaml", 2,
     "checkpoints: no run comes to update 50, the longest has 10", ""},
    {"measure: {text: a.txt}\n", "e.yaml", 1,
     "text: found 'a.txt', expected texts by name, as in {kjv: FILE}", ""},
    {"measure: {text: {a b: a.txt}}\n", "e.yaml", 1,
     "text: found 'a b', expected a name of at most 31 of a-z A-Z 0-9 . _ -", ""},
    {"measure: {text: {dev: a.txt}}\n", "e.yaml", 1,
     "text: 'dev' is the run's own, expected another name", ""},
    {"measure: {text: {a: '-'}}\n", "e.yaml", 1,
     "text: standard input, expected a file: every run reads it", ""},
    {"measure: {text: {a: {ids: NT}}}\n", "e.yaml", 1,
     "text: 'a' is verses of the development text, and cell 'base' has none (dev_text)", ""},
    {"base: {text: a.txt, files: 'd=a.txt', languages: 'en; de(text=d)'}\n"
     "measure: {text: {a: a.txt}}\n",
     "e.yaml", 2,
     "text: the languages of cell 'base' have texts of their own; one further text cannot be all "
     "of theirs",
     "{ids: …} without text: other verses of their development texts; {pairs: {fr-en: FILE}}: "
     "parallel files"},
    {"measure: {text: {a: {ids: NT, format: plain}}}\n", "e.yaml", 1,
     "format: 'a' has no file of its own", ""},
    {"measure: {text: {a: {learn: dev}}}\n", "e.yaml", 1,
     "text: no file for 'a', expected {text: FILE, …}, {pairs: …}, {ids: …}: other verses of the "
     "development texts, or {take: …}: further sentences of a generated world",
     ""},
    {"base: {text: a.txt, files: 'd=a.txt', languages: 'en; de(text=d)'}\n"
     "measure: {text: {a: {take: 9}}}\n",
     "e.yaml", 2, "text: 'a' is further sentences of a generated world, and cell 'base' has texts",
     ""},
    {"measure: {text: {a: {take: 0}}}\n", "e.yaml", 1,
     "text: take 0 of 'a', a world's sentences have no end", ""},
    /* Parallel files. */
    {"measure: {text: {a: {pairs: x.tsv}}}\n", "e.yaml", 1,
     "pairs: found 'x.tsv', expected parallel files by the languages of their columns, as in "
     "{fr-en: FILE}",
     ""},
    {"measure: {text: {a: {pairs: {}}}}\n", "e.yaml", 1,
     "pairs: found nothing, expected parallel files", ""},
    {DE "measure: {text: {a: {pairs: {fr-en: x.tsv}}}}\n", "e.yaml", 2,
     "pairs: found 'fr-en', expected two languages of a cell, as in fr-en",
     "those of cell 'base' are: en; de(text=d)"},
    {DE "measure: {text: {a: {pairs: {en-de: x.tsv, de-en: y.tsv}}}}\n", "e.yaml", 2,
     "pairs: en-de and de-en are the same two languages", ""},
    {DE "measure: {text: {a: {pairs: {en-de: '-'}}}}\n", "e.yaml", 2,
     "pairs: standard input, expected a file: every run reads it", ""},
    {DE "measure: {text: {a: {pairs: {en-de: x.tsv}, ids: NT}}}\n", "e.yaml", 2,
     "ids: beside pairs, which has files of its own", ""},
    {"measure: {text: {a: {pairs: {en-fake: x.tsv}}}}\n", "e.yaml", 1,
     "pairs: cell 'base' takes no parallel text of 'en-fake': its languages share a text", ""},
    {"base: {languages: 'en; fr(world)'}\nmeasure: {text: {a: {pairs: {fr-en: x.tsv}}}}\n",
     "e.yaml", 2,
     "pairs: cell 'base' takes no parallel text of 'fr-en': its sentences are those of a "
     "generated world",
     ""},
    {DE "measure: {text: {a: {pairs: {de-en: x.tsv}, learn: b}}}\n", "e.yaml", 2,
     "text: 'a' learns on 'b', expected another text, or dev", ""},
    {DE "measure: {text: {a: {pairs: {de-en: x.tsv}, learn: a}}}\n", "e.yaml", 2,
     "text: 'a' learns on 'a', expected another text, or dev", ""},
    {DE "measure: {text: {a: {ids: NT, learn: b}, b: {pairs: {de-en: x.tsv}}}}\n", "e.yaml", 2,
     "text: 'a' is of all languages, 'b' of pairs", ""},
    {DE "measure: {text: {a: {edit: [{layer: 1, kind: centre}], learn: dev}}}\n", "e.yaml", 2,
     "learn: beside edit, which is of the development text", ""},
    {"measure: {text: {a: {text: a.txt, what: [shift]}}}\n", "e.yaml", 1,
     "what: shift of text 'a' is not in what: of measure", ""},
    {"measure: {text: {a: {text: a.txt, what: []}}}\n", "e.yaml", 1,
     "what: found nothing, expected what to measure", ""},
    {"measure: {text: {a: {text: a.txt, what: [perplexity]}}}\nreport: {tables: [{name: t, "
     "columns: "
     "['mu[text=a]']}]}\n",
     "e.yaml", 2, "columns: mu is not measured on text 'a'", ""},
    {"measure: {text: {a: {txt: a.txt}}}\n", "e.yaml", 1, "text: unknown key 'txt'",
     "did you mean 'text'?"},
    {"measure: {text: {a: {text: a.txt, format: verse}}}\n", "e.yaml", 1,
     "format: found 'verse', expected auto, plain, verses or mediawiki", "did you mean 'verses'?"},
    {"measure: {text: {a: {text: a.txt, take: -1}}}\n", "e.yaml", 1,
     "take: found '-1', expected an integer from 0 to 1000000000000", ""},
    {"measure: {text: {a: {text: a.txt, ids: XT}}}\n", "e.yaml", 1, "ids: *", ""},
    {"measure: {text: {aa: x, ab: x, ac: x, ad: x, ae: x, af: x, ag: x, ah: x, ai: x, aj: x, ak: "
     "x, al: x, am: x, an: x, ao: x, ap: x, aq: x, ar: x, as: x, at: x, au: x, av: x, aw: x, ax: "
     "x, ay: x, az: x, ba: x, bb: x, bc: x, bd: x, be: x, bf: x, bg: x}}\n",
     "e.yaml", 1, "text: more than 32 of them", ""},
    {"measure: {text: {kjv: a.txt}}\nreport: {tables: [{name: t, columns: ['mu[text=kj]']}]}\n",
     "e.yaml", 2, "columns: no text 'kj' is measured", "did you mean 'kjv'?"},
    {"report: {tables: [{name: t, columns: ['mu[text=kjv]']}]}\n", "e.yaml", 1,
     "columns: no text 'kjv' is measured", "measure: {text: {kjv: FILE}} measures on it"},
    {"measure: {text: {kjv: a.txt}}\nreport: {tables: [{name: t, columns: ['mu[kjv]']}]}\n",
     "e.yaml", 2, "columns: cell 'base' has no pair of languages 'kjv'",
     "the text is written mu[text=kjv]"},
    {"measure: {take: -1}\n", "e.yaml", 1,
     "take: found '-1', expected an integer from 0 to 1000000000000", ""},
    {"base: {layers: 70}\nmeasure: {layers: all}\n", "e.yaml", 2,
     "layers: cell 'base' has 71 layers, at most 64 are measured at once", ""},
    {"report: {tabels: []}\n", "e.yaml", 1, "report: unknown key 'tabels'",
     "did you mean 'tables'?"},
    {"report: []\n", "e.yaml", 1, "report: found a list, expected a mapping", ""},
    {"report: {tables: {}}\n", "e.yaml", 1, "tables: found a mapping, expected a list", ""},
    {"report: {tables: [{columns: [mu]}]}\n", "e.yaml", 1, "the table has no name, expected one",
     "{name: NAME, …}"},
    {"report: {tables: [{name: 'a/b', columns: [mu]}]}\n", "e.yaml", 1,
     "name: found 'a/b', expected at most 40 of a-z A-Z 0-9 . _ -", ""},
    {"report: {tables: [{name: a}]}\n", "e.yaml", 1,
     "table 'a' has no columns, expected a list of them",
     "columns: [mu, \"rho[low]\", \"perplexity[dev]\"]"},
    {"report: {tables: [{name: a, columns: []}]}\n", "e.yaml", 1,
     "table 'a' has no columns, expected a list of them",
     "columns: [mu, \"rho[low]\", \"perplexity[dev]\"]"},
    {"report: {tables: [{name: a, columns: [muu]}]}\n", "e.yaml", 1, "unknown quantity 'muu'",
     "did you mean 'mu'?"},
    {"report: {tables: [{name: a, columns: [zzz]}]}\n", "e.yaml", 1, "unknown quantity 'zzz'",
     "quantities are mu, f1[low], rho[8], tau[high], perplexity[dev], … (docs/results.md)"},
    {"report: {tables: [{name: a, columns: [f1]}]}\n", "e.yaml", 1,
     "columns: 'f1' has no layer, expected one in brackets",
     "f1[low] and f1[high] are the layers of μ, f1[8] is the eighth"},
    {"report: {tables: [{name: a, columns: [\"f1[13]\"]}]}\n", "e.yaml", 1,
     "columns: no layer 13 in cell 'base': it has 0 (embeddings) to 12",
     "low and high are the layers of μ at any depth"},
    {"report: {tables: [{name: a, columns: [\"mu[3]\"]}]}\n", "e.yaml", 1,
     "quantity 'mu[3]': has no layers", ""},
    {"report: {tables: [{name: a, columns: [\"f1[low\"]}]}\n", "e.yaml", 1,
     "quantity 'f1[low': expected ] at its end", ""},
    {"report: {tables: [{name: a, columns: [\"perplexity[dev,train]\"]}]}\n", "e.yaml", 1,
     "quantity 'perplexity[dev,train]': two splits", ""},
    {"report: {tables: [{name: a, columns: [\"perplexity[fr]\"]}]}\n", "e.yaml", 1,
     "columns: cell 'base' has no language 'fr'", "its languages are: en; fake = shift"},
    {"report: {tables: [{name: a, columns: [\"rho[low,en-fr]\"]}]}\n", "e.yaml", 1,
     "columns: cell 'base' has no pair of languages 'en-fr'",
     "its languages are: en; fake = shift"},
    {"report: {tables: [{name: a, columns: [\"seconds[dev]\"]}]}\n", "e.yaml", 1,
     "quantity 'seconds[dev]': is of the training, expected no brackets", ""},
    {"report: {tables: [{name: a, columns: [\"rho[low,train]\"]}]}\n", "e.yaml", 1,
     "quantity 'rho[low,train]': is taken on the development text only", ""},
    {"measure: {what: perplexity}\nreport: {tables: [{name: a, columns: [mu]}]}\n", "e.yaml", 2,
     "columns: 'mu' is not measured", "measure: {what: …} leaves it out"},
    {"report: {tables: [{name: a, columns: [{title: x}]}]}\n", "e.yaml", 1,
     "columns: no value, expected {value: QUANTITY, …}", ""},
    {"report: {tables: [{name: a, columns: [{value: mu, better: big}]}]}\n", "e.yaml", 1,
     "better: found 'big', expected higher, lower or none", ""},
    {"report: {tables: [{name: a, columns: [{value: mu, digits: 20}]}]}\n", "e.yaml", 1,
     "digits: found '20', expected an integer from 0 to 9", ""},
    {"cells: {a: {}, b: {batch: 2}}\nreport: {tables: [{name: a, columns: [mu], rows: [c*]}]}\n",
     "e.yaml", 2, "rows: 'c*' fits no cell", "cells are a, b"},
    {"cells: {a: {}, b: {batch: 2}}\nreport: {tables: [{name: a, columns: [mu], rows: []}]}\n",
     "e.yaml", 2,
     "rows: found a list, expected patterns of cells; without the key it is all of them", ""},
    {"cells: {orig: {}, b: {batch: 2}}\nreport: {tables: [{name: a, columns: [mu], base: orgi}]}\n",
     "e.yaml", 2, "base: unknown cell 'orgi'", "did you mean 'orig'?"},
    {"report:\n  tables:\n  - {name: a, columns: [mu, 'perplexity[dev]',\n      {value: "
     "perplexity}]}\n",
     "e.yaml", 4, "columns: 'perplexity[dev]' is there twice",
     "a table has each quantity once; leave one of them out"},
    {"report: {tables: [{name: a, columns: [mu]}, {name: a, columns: [mu]}]}\n", "e.yaml", 1,
     "two tables are named 'a', expected different names", ""},
    {"extends: good.yaml\nreport: {tables: [{name: t, columns: [mu], reference: none.yaml}]}\n",
     "e.yaml", 2, "reference: none.yaml: cannot open: No such file or directory",
     "the path is relative to the file that names it"},
    {"extends: good.yaml\nreport: {tables: [{name: t, columns: [mu], reference: ref.yaml}]}\n",
     "ref.yaml", 4, "unknown cell 'bb': e has none of that name", "cells are a, b"},
    {"extends: good.yaml\nreport: {tables: [{name: t, columns: [mu], reference: ref2.yaml}]}\n",
     "ref2.yaml", 3, "unknown quantity 'muu'", "did you mean 'mu'?"},
    {"extends: good.yaml\nreport: {tables: [{name: t, columns: [mu], reference: ref3.yaml}]}\n",
     "ref3.yaml", 1, "no source, expected whose numbers these are", ""},
    {"extends: good.yaml\nreport: {tables: [{name: t, columns: [mu], reference: ref4.yaml}]}\n",
     "ref4.yaml", 3, "mu: found '-2', expected a standard deviation of at least 0", ""},
    {"extends: good.yaml\nreport: {tables: [{name: t, columns: [mu], reference: ref5.yaml}]}\n",
     "ref5.yaml", 3, "mu: found a list, expected a number or [mean, sd]", ""},
    {"extends: good.yaml\nreport: {tables: [{name: t, columns: [mu], reference: ref6.yaml}]}\n",
     "ref6.yaml", 3, "row 'a': 'perplexity[dev]' is there twice", ""},
    {"extends: good.yaml\nreport: {tables: [{name: t, columns: [mu], reference: ref7.yaml}]}\n",
     "ref7.yaml", 4, "unknown cell 'bb': e has none of that name", "cells are a, b"},
    {"extends: good.yaml\nreport: {tables: [{name: t, columns: [mu], reference: ref8.yaml}]}\n",
     "ref8.yaml", 2, "better: found 'more', expected higher or lower", ""},
    {"extends: good.yaml\nreport: {tables: [{name: t, columns: [mu], reference: ref10.yaml}]}\n",
     "ref10.yaml", 3, "proxies: 'mu' is a quantity that isoglot measures, expected another name",
     "its numbers are in rows without a proxy"},
    {"extends: good.yaml\nreport: {tables: [{name: t, columns: [mu], reference: ref9.yaml}]}\n",
     "ref9.yaml", 2, "unknown quantity 'rha'", "did you mean 'rho'?"},
    {"extends: good.yaml\nreport: {tables: [{name: t, columns: [mu], reference: ref11.yaml}]}\n",
     "ref11.yaml", 2, "also: found 'rho', expected a list", ""},
    {"report: {figures: [{name: a}]}\n", "e.yaml", 1,
     "figure 'a' has no kind, expected one of curves, layers, positions, tokens, states, bars", ""},
    {"report: {figures: [{name: a, kind: curve, values: [mu]}]}\n", "e.yaml", 1,
     "kind: found 'curve', expected one of curves, layers, positions, tokens, states, bars",
     "did you mean 'curves'?"},
    {"report: {figures: [{name: a, kind: curves}]}\n", "e.yaml", 1,
     "figure 'a' of kind curves has no values, expected quantities", "values: [mu, \"rho[low]\"]"},
    {"report: {figures: [{name: a, kind: curves, values: [mu]}]}\n", "e.yaml", 1,
     "figure 'a': curves, but only the finished models are measured",
     "measure: {checkpoints: log}"},
    {"report: {figures: [{name: a, kind: tokens, values: [mu]}]}\n", "e.yaml", 1,
     "values: a figure of kind tokens shows one model, expected none", ""},
    {"report: {figures: [{name: a, kind: layers, values: [mu]}]}\n", "e.yaml", 1,
     "values: 'mu', expected a measure with layers and none of them named",
     "a figure of layers shows them all: f1, rho, tau, …"},
    {"report: {figures: [{name: a, kind: layers, values: [\"rho[8]\"]}]}\n", "e.yaml", 1,
     "values: 'rho[8]', expected a measure with layers and none of them named",
     "a figure of layers shows them all: f1, rho, tau, …"},
    {"measure: {layers: mu}\nreport: {figures: [{name: a, kind: layers, values: [rho]}]}\n",
     "e.yaml", 2, "figure 'a' shows layers, but only those of μ are measured",
     "measure: {layers: all}"},
    {"report: {figures: [{name: a, kind: positions, layer: 3}]}\n", "e.yaml", 1,
     "layer: a figure of kind positions has none", ""},
    {"report: {figures: [{name: a, kind: states, layer: 30}]}\n", "e.yaml", 1,
     "layer: no layer 30 in cell 'base': it has 0 (embeddings) to 12",
     "low and high are the layers of μ at any depth"},
    {"report: {figures: [{name: a, kind: states, layer: x}]}\n", "e.yaml", 1,
     "layer: found 'x', expected a layer, low or high", ""},
    {"report: {figures: [{name: a, kind: bars, values: [mu], onset: true}]}\n", "e.yaml", 1,
     "onset: a figure of kind bars has none, expected curves", ""},
    {"report: {figures: [{name: a, kind: states, seed: 9}]}\n", "e.yaml", 1,
     "seed: cell 'base' has no seed 9", ""},
    {"base: {updates: 9}\nmeasure: {checkpoints: log}\n"
     "report: {figures: [{name: a, kind: states, step: 5}]}\n",
     "e.yaml", 3, "step: the model of update 5 of cell 'base' is not kept",
     "tasks: {NAME: {checkpoints: [5]}} keeps it"},
    {"report: {figures: [{name: a, kind: bars, values: [mu], seed: 0}]}\n", "e.yaml", 1,
     "seed: a figure of kind bars shows no single model, expected none", ""},
    {"report: {figures: [{name: a, kind: states, take: 0}]}\n", "e.yaml", 1,
     "take: found '0', expected an integer from 1 to 100000", ""},
    {"report: {figures: [{name: a, kind: bars, values: [mu], cells: [x]}]}\n", "e.yaml", 1,
     "cells: 'x' fits no cell", "cells are base"},
    {"cells: {a: {batch: 2}}\nreport: {figures: [{name: a, kind: tokens}]}\n", "e.yaml", 2,
     "figure 'a' shows one model, but no cell is the base", "name it: cells: [NAME]"},
    {"report: {figures: [{name: a, kind: bars, values: [mu]}, {name: a, kind: bars, values: "
     "[mu]}]}\n",
     "e.yaml", 1, "two figures are named 'a', expected different names", ""},
    {"report: {figures: [{name: a, kind: bars, value: [mu]}]}\n", "e.yaml", 1,
     "figure: unknown key 'value'", "did you mean 'values'?"},
    {"axes: {batch: [2, 4]}\nreport: {tables: [{name: a, columns: [mu], pivot: bach}]}\n", "e.yaml",
     2, "pivot: cell 'batch=2' has no axis 'bach'",
     "axes: {bach: [A, B]}; rows: says which cells are shown"},
};

static void each_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        is_told(&rows[i]);
}

/* Files that the rows extend and refer to. */
static int make_files(void **state)
{
    make_folder(state);
    write_file("good.yaml", "base: {updates: 9}\ncells: {a: {}, b: {lang_pos: true}}\n"
                            "report: {tables: [{name: t, columns: [mu]}]}\n");
    write_file("ref.yaml", "source: x\nrows:\n  a: {mu: 1}\n  bb: {mu: 1}\n");
    write_file("ref2.yaml", "source: x\nrows:\n  a: {muu: 1}\n");
    write_file("ref3.yaml", "rows:\n  a: {mu: 1}\n");
    write_file("ref4.yaml", "source: x\nrows:\n  a: {mu: [1, -2]}\n");
    write_file("ref5.yaml", "source: x\nrows:\n  a: {mu: [1, 2, 3]}\n");
    write_file("ref7.yaml", "source: x\nproxies: {XNLI: {what: w}}\nrows:\n  bb: {XNLI: 1}\n");
    write_file("ref8.yaml", "source: x\nproxies: {XNLI: {what: w, better: more}}\nrows: {}\n");
    write_file("ref10.yaml", "source: x\nproxies:\n  mu: {what: w}\nrows:\n  base: {mu: 0.5}\n");
    write_file("ref9.yaml", "source: x\nproxies: {XNLI: {what: w, of: [rha]}}\nrows: {}\n");
    write_file("ref11.yaml", "source: x\nproxies: {XNLI: {what: w, also: rho}}\nrows: {}\n");
    write_file("ref6.yaml", "source: x\nrows:\n  a: {\"perplexity\": 1, \"perplexity[dev]\": 1}\n");
    return 0;
}

static void measures(void **state)
{
    (void)state;
    ig_experiment e = read_good("base: {updates: 50, layers: 6}\n");
    assert_int_equal(e.measure.what, IG_MEASURE_BIT(alignment) | IG_MEASURE_BIT(retrieval) |
                                         IG_MEASURE_BIT(translation) | IG_MEASURE_BIT(perplexity));
    assert_int_equal(e.measure.at.kind, IG_CHECKPOINTS_END);
    assert_int_equal(e.measure.layers.n, 0);
    assert_false(e.measure.all_layers);
    ig_experiment_free(&e);
    e = read_good(
        "base: {updates: 50, layers: 6}\n"
        "measure: {what: [retrieval, translation], layers: [2, 5], checkpoints: [5, 50],\n"
        "          take: 2k, curve_take: 500}\n"
        "report: {tables: [{name: t, columns: [mu, \"rho[3]\", \"tau[high]\"]}]}\n");
    assert_int_equal(e.measure.what, IG_MEASURE_BIT(retrieval) | IG_MEASURE_BIT(translation));
    assert_int_equal(e.measure.layers.n, 3); /* the report's layer is measured too */
    assert_int_equal(e.measure.layers.v[1], 3);
    assert_int_equal(e.measure.at.kind, IG_CHECKPOINTS_LIST);
    assert_int_equal(e.measure.at.step.v[1], 50);
    assert_int_equal(e.measure.max_sentences, 2000);
    assert_int_equal(e.measure.curve_max_sentences, 500);
    ig_experiment_free(&e);
    e = read_good("measure: {checkpoints: {every: 10}}\n"
                  "report: {figures: [{name: f, kind: layers, values: [rho, tau]}]}\n");
    assert_int_equal(e.measure.at.kind, IG_CHECKPOINTS_EVERY);
    assert_int_equal(e.measure.at.every, 10);
    assert_true(e.measure.all_layers); /* a figure of layers needs them */
    ig_experiment_free(&e);
}

static void tables_and_figures(void **state)
{
    (void)state;
    write_file("r.yaml", "source: Somebody 2020, Table 1\nverified: true\nproxies:\n"
                         "  all: {what: w}\n"
                         "  two: {what: w, of: [\"rho[high]\"], also: [\"accuracy[task=nli,x]\"]}\n"
                         "  one: {what: w, of: [\"accuracy[task=nli,x]\"]}\nrows:\n"
                         "  a: {mu: 0.70, \"f1[low]\": [1.00, 0.01], \"perplexity[dev]\": [217]}\n"
                         "  b: {mu: 0.30, \"f1[low]\": null}\n");
    ig_experiment e = read_good(
        "extends: good.yaml\nmeasure: {checkpoints: log}\n"
        "tasks: {tags: {world: tags, checkpoints: [5]}}\nreport:\n  tables:\n"
        "  - name: t\n    title: T\n    caption: C\n    rows: [\"[ab]\"]\n    base: a\n"
        "    reference: r.yaml\n"
        "    columns: [mu, {value: \"perplexity[dev]\", title: p, digits: 0,\n"
        "      better: lower}, \"perplexity[train, fake]\", seconds]\n"
        "  figures:\n"
        "  - {name: f1, kind: curves, values: [mu, \"tau[low]\"], onset: true, log_x: false}\n"
        "  - {name: f4, kind: states, cells: a, seed: 0, layer: 8, take: 30, step: 5}\n"
        "  - {name: f5, kind: positions, cells: [a, b]}\n");
    const ig_table_spec *t = &e.report.table[0];
    assert_int_equal(e.report.n_table, 1);
    assert_string_equal(t->title, "T");
    assert_string_equal(t->caption, "C");
    assert_string_equal(t->row[0], "[ab]");
    assert_string_equal(t->base, "a");
    assert_int_equal(t->n_column, 4);
    assert_string_equal(t->column[1].title, "p");
    assert_int_equal(t->column[0].digits, -1);
    assert_int_equal(t->column[1].digits, 0);
    assert_true(t->column[1].lower_is_better && !t->column[1].higher_is_better);
    assert_string_equal(t->column[2].q.split, "train");
    assert_string_equal(t->column[2].q.languages, "fake");
    const ig_figure_spec *f = e.report.figure;
    assert_int_equal(e.report.n_figure, 3);
    assert_true(f[0].kind == IG_FIG_CURVES && f[0].onset && !f[0].log_x && f[0].n_cell == 0);
    assert_int_equal(f[0].quantity[1].layer, IG_LAYER_LOW);
    assert_true(f[1].kind == IG_FIG_STATES && f[1].layer == 8 && f[1].count == 30 &&
                f[1].step == 5 && f[1].seed == 0);
    assert_true(f[2].kind == IG_FIG_POSITIONS && f[2].n_cell == 2 && f[2].seed == -1 &&
                f[2].step == -1 && f[2].layer == IG_LAYER_NONE);

    ig_reference r;
    ig_quantity q;
    assert_ok(ig_reference_read(&r, t->reference, &err), &err);
    assert_string_equal(r.source, "Somebody 2020, Table 1");
    assert_true(r.verified);
    assert_int_equal(r.n_value, 4);
    assert_ok(ig_quantity_parse(&q, "perplexity", "", 0, &err), &err);
    assert_true(ig_reference_find(&r, "a", &q)->mean == 217);
    assert_true(isnan(ig_reference_find(&r, "a", &q)->sd));
    assert_ok(ig_quantity_parse(&q, "f1[low]", "", 0, &err), &err);
    assert_true(ig_reference_find(&r, "a", &q)->sd == 0.01);
    static const struct {
        const char *quantity;
        bool stands[3];
    } columns[] = {{"rho[high]", {true, true, false}},
                   {"mu", {true, false, false}},
                   {"accuracy[task=nli,x]", {false, true, true}}};
    for (size_t i = 0; i < 3; i++) {
        assert_ok(ig_quantity_parse(&q, columns[i].quantity, "", 0, &err), &err);
        for (int k = 0; k < 3; k++)
            assert_int_equal(ig_reference_stands_for(&r.proxy[k], &q), columns[i].stands[k]);
    }
    assert_null(ig_reference_find(&r, "b", &q));
    assert_null(ig_reference_find(&r, "c", &q));
    ig_reference_free(&r);
    ig_experiment_free(&e);
}

/* A reference file may know of rows that this file has taken out or multiplied. */
static void rows_taken_out(void **state)
{
    (void)state;
    write_file("ab.yaml", "source: x\nrows: {a: {mu: 1}, b: {mu: 1}}\n");
    write_file("full.yaml", "extends: good.yaml\nreport: {tables: [{name: t, columns: [mu], "
                            "reference: ab.yaml}]}\n");
    ig_experiment e = read_good("extends: full.yaml\ncells: {b: null}\n");
    assert_int_equal(e.n_cell, 1);
    ig_experiment_free(&e);
    e = read_good("extends: full.yaml\naxes: {batch: [1, 2]}\n");
    assert_int_equal(e.n_cell, 4);
    ig_experiment_free(&e);
}

/* One quantity, one text. */
static void quantities(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        {"mu", "mu"},
        {"mu[dev]", "mu"},
        {"rho[8]", "rho[8]"},
        {"f1[ low ]", "f1[low]"},
        {"tau[en-fake,high,dev]", "tau[high,en-fake]"},
        {"perplexity[dev]", "perplexity[dev]"},
        {"perplexity", "perplexity[dev]"},
        {"perplexity[en]", "perplexity[dev,en]"},
        {"perplexity[en,train]", "perplexity[train,en]"},
        {"mu[text=kjv]", "mu[text=kjv]"},
        {"perplexity[en, text=w.1]", "perplexity[text=w.1,en]"},
        {"rho[text=kjv,low]", "rho[low,text=kjv]"},
        {"seconds", "seconds"},
        {"accuracy[en,task=nli]", "accuracy[task=nli,en]"},
        {"las[best=2,select=target-dev,task=t,en]", "las[task=t,select=target-dev,best=2,en]"},
        {"accuracy[task=nli/lr=1e-5/batch=16,en]", "accuracy[task=nli/lr=1e-5/batch=16,en]"},
        {"label_f1[label=B-LOC,en,task=t]", "label_f1[task=t,label=B-LOC,en]"},
        {"accuracy[length=more,task=t,en]", "accuracy[task=t,length=more,en]"},
        {"tuning_sd[task=t,of=uas,en]", "tuning_sd[task=t,of=uas,en]"},
        {"own[name=my.own,low]", "own[low,name=my.own]"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        ig_quantity q;
        char text[160];
        assert_ok(ig_quantity_parse(&q, same[i][0], "t", 1, &err), &err);
        ig_quantity_format(text, sizeof text, &q);
        assert_string_equal(text, same[i][1]);
        assert_ok(ig_quantity_parse(&q, text, "t", 1, &err), &err);
    }
    static const char *const bad[] = {"",
                                      "[low]",
                                      "rho[]",
                                      "rho[low,]",
                                      "rho[low]x",
                                      "rho[9999]",
                                      "rho[1,2]",
                                      "mu[a,b]",
                                      "rho[lo w]",
                                      "rho[low",
                                      "own[name=a/b]",
                                      "own[text=a]",
                                      "mu[name=a]",
                                      "mu[text=]",
                                      "mu[text=dev]",
                                      "mu[text=a,dev]",
                                      "loss[text=a]",
                                      "mu[text=a b]",
                                      "seconds[text=a]",
                                      "mu[task=t]",
                                      "mu[text=a,select=last]",
                                      "las[task=t,select=best]",
                                      "las[task=t,select=last,select=last]",
                                      "las[task=t,best=3]",
                                      "las[select=last]",
                                      "las[task=t,length=10]",
                                      "las[task=t,label=a]",
                                      "las[task=t,of=uas]",
                                      "las[task=t@best=2]",
                                      "label_f1[task=t]",
                                      "label_f1[task=t,label=a,best=2]",
                                      "accuracy[task=t,length=15]",
                                      "mu[text=a-name-of-more-than-31-letters-it-is]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ig_quantity q;
        if (ig_quantity_parse(&q, bad[i], "t", 7, &err) != IG_ERR_USAGE || err.line != 7)
            fail_msg("%s", bad[i]);
    }
}

static void patterns(void **state)
{
    (void)state;
    char one[] = "1?", two[] = "x/*", *const p[] = {one, two};
    assert_true(ig_cell_matches("12", p, 2) && ig_cell_matches("x/batch=1", p, 2));
    assert_false(ig_cell_matches("1", p, 2) || ig_cell_matches("123", p, 2));
    assert_true(ig_cell_matches("anything", NULL, 0));
    /* A figure over an axis reads its values from a cell's name. */
    assert_true(ig_cell_axis("bert/take=2k/window=16", "take") == 2000);
    assert_true(ig_cell_axis("window=1.5e2", "window") == 150);
    assert_true(isnan(ig_cell_axis("bert/take=2k", "window")));
    assert_true(isnan(ig_cell_axis("bert/mistake=2", "take")));
    assert_true(isnan(ig_cell_axis("size=long", "size")) && isnan(ig_cell_axis("size=", "size")));
    assert_true(ig_cell_has_axis("bert/size=long", "size"));
    assert_false(ig_cell_has_axis("bert/mistake=2", "take"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_told),       cmocka_unit_test(measures),
        cmocka_unit_test(tables_and_figures), cmocka_unit_test(rows_taken_out),
        cmocka_unit_test(quantities),         cmocka_unit_test(patterns),
    };
    return cmocka_run_group_tests(tests, make_files, remove_folder);
}
