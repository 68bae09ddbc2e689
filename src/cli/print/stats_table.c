/* SPDX-License-Identifier: Apache-2.0
 *
 * Statistics of texts as a table for people and as JSON for programs, from one list of rows.
 */
#include "cli/print/stats_table.h"

#include "cli/print/table_print.h"

#define ROWS(X)                                                                                    \
    X("sentences", "sentences", (double)s->n_sentence, 0)                                          \
    X("tokens", "tokens", (double)s->n_token, 0)                                                   \
    X("types", "types", (double)s->n_type, 0)                                                      \
    X("mean_length", "tokens a sentence, mean", s->mean_length, 1)                                 \
    X("median_length", "tokens a sentence, median", s->median_length, 1)                           \
    X("longest", "tokens a sentence, longest", (double)s->longest, 0)                              \
    X("zipf", "Zipf exponent", s->zipf, 3)                                                         \
    X("unigram_entropy", "unigram entropy, bits", s->unigram_entropy, 2)                           \
    X("bigram_entropy", "bigram entropy, bits", s->bigram_entropy, 2)                              \
    X("type_token", "types / tokens", s->type_token, 4)                                            \
    X("hapax_share", "types seen once / types", s->hapax_share, 3)

typedef struct {
    const char *key, *label;
    int digits;
} row;

#define ROW_HEAD(key, label, value, digits) {key, label, digits},
static const row rows[] = {ROWS(ROW_HEAD)};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static void values_get(const ig_text_stats *s, double out[N_ROWS])
{
    int n = 0;
#define ROW_VALUE(key, label, value, digits) out[n++] = value;
    ROWS(ROW_VALUE)
#undef ROW_VALUE
}

ig_code ig_stats_print(const char *const *name, const ig_text_stats *s, int n, ig_err *err)
{
    ig_table *t;
    IG_TRY(ig_table_new(&t, "statistics", NULL, NULL, err));
    ig_table_add_row_head(t, "statistic", "");
    for (int i = 0; i < n; i++)
        ig_table_add_column(t, name[i], name[i], NULL, IG_TABLE_NUMBER);
    for (int r = 0; r < N_ROWS; r++) {
        int64_t line = ig_table_add_row(t, IG_ROW_BODY, NULL);
        ig_table_text(t, line, 0, rows[r].label);
        for (int i = 0; i < n; i++) {
            double v[N_ROWS];
            values_get(&s[i], v);
            ig_table_number(t, line, i + 1, v[r], rows[r].digits);
        }
    }
    return ig_table_print(t, err);
}

json_t *ig_stats_json(const char *const *name, const ig_text_stats *s, int n)
{
    json_t *all = json_object();
    for (int i = 0; i < n; i++) {
        double v[N_ROWS];
        values_get(&s[i], v);
        json_t *one = json_object();
        for (int r = 0; r < N_ROWS; r++)
            json_object_set_new(one, rows[r].key,
                                rows[r].digits == 0 ? json_integer((json_int_t)v[r])
                                                    : json_real(v[r]));
        json_object_set_new(all, name[i], one);
    }
    return all;
}
