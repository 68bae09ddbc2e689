/* SPDX-License-Identifier: Apache-2.0
 *
 * The table that train and demo print at the end: a line per layer, then μ and the perplexities,
 * with the numbers of candidates that a precision needs to mean anything.
 */
#include "cli/measure_table.h"

#include <math.h>

static void number(FILE *fp, double x, int width, int digits)
{
    if (isnan(x))
        fprintf(fp, "%*s", width, "-");
    else
        fprintf(fp, "%*.*f", width, digits, x);
}

static void table_of_layers(FILE *fp, const ig_measure_result *r)
{
    fprintf(fp, "%s", r->language[r->options.a].name);
    if (r->n_language > 1)
        fprintf(fp, " - %s", r->language[r->options.b].name);
    fprintf(fp, ", %lld sentences, %lld words\n\n", (long long)r->n_sentence, (long long)r->n_word);
    fprintf(fp, "layer    F1 alignment    \317\201 sentences    \317\204 words\n");
    for (int i = 0; i < r->n_layer; i++) {
        const ig_measure_layer *l = &r->layer[i];
        fprintf(fp, "%5d", l->layer);
        number(fp, l->alignment.f1, 16, 3);
        number(fp, l->sentence.mean, 15, 3);
        number(fp, l->word.mean, 11, 3);
        fputc('\n', fp);
    }
    fprintf(fp, "\n\316\274");
    number(fp, r->mu, 8, 3);
    fprintf(fp, "   (mean of \317\201 and \317\204 at layers %d and %d)\n\n", r->mu_layer[0],
            r->mu_layer[1]);
}

void ig_measure_table(FILE *fp, const ig_measure_result *r)
{
    if (r->n_language > 1)
        table_of_layers(fp, r);
    fprintf(fp, "perplexity: training");
    number(fp, r->perplexity_train, 8, 1);
    fprintf(fp, ", development");
    number(fp, r->perplexity_dev, 8, 1);
    fputc('\n', fp);
}
