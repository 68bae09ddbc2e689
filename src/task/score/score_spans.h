/* SPDX-License-Identifier: Apache-2.0
 *
 * F1 of spans under four definitions of a span. They differ only if tags are not well formed, so a
 * score names its definition. On tags that name no spans (parts of speech), IG_SPANS_CONLLEVAL is
 * what XTREME prints as F1 (seqeval 0.0.12): the first letter is the mark, the name the type, and
 * equal neighbours are one span.
 */
#pragma once

#include "task/score/score.h"

typedef enum {
    IG_SPANS_CONLLEVAL, /* conlleval, seqeval's default: I-X begins a span if none of type X is open
                         */
    IG_SPANS_STRICT, /* seqeval, mode strict: a span must begin with B (U), and with BIOUL end with
                        L */
    IG_SPANS_REPAIR_FIRST, /* a run of B and the I after it is one span of its first type; an I
                              after O begins one */
    IG_SPANS_REPAIR_LAST,  /* likewise, but of its last type (Conneau et al. 2020) */
    IG_N_SPANS
} ig_span_rule;
/* conlleval strict repair_first repair_last, NULL */
extern const char *const ig_span_rule_names[];

/* Tags of n sentences; gold and predicted [first[n]] are indices into `labels`, IOB2 or BIOUL, or
 * IG_LABEL_OTHER − k for number k of `other`. A word with another negative label is in no span:
 * nothing is predicted for it. */
typedef struct {
    const ig_labels *labels, *other; /* NULL: there are no others */
    const int64_t *first;
    int64_t n;
    const int32_t *gold, *predicted;
} ig_score_tags;

typedef struct {
    ig_score_f1 all; /* over all spans (micro) */
    int32_t n_type;
    const char **
        type; /* [n_type] in the order of the labels, then of the others, whose memory they share */
    ig_score_f1 *by_type; /* [n_type] */
} ig_span_score;

/* Freed with ig_span_score_free. */
ig_code ig_score_spans(ig_span_score *out, const ig_score_tags *t, ig_span_rule rule, ig_err *err);
void ig_span_score_free(ig_span_score *s);
