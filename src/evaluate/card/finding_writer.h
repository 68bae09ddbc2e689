/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of findings: how a finding is written, and what earlier ones rule out.
 */
#pragma once

#include "evaluate/card/findings.h"

#include <stdio.h>

typedef struct {
    ig_findings *f;
    const ig_diagnosis *d;
    const char *model;
    double level;                       /* of an interval that decides one of all tests */
    bool faulty[IG_DIAGNOSE_LANGUAGES]; /* a text or its pieces have a finding: what its vectors
                                         * show may follow from that */
    char *command;                      /* that is written */
    size_t n_command;
    bool lost;        /* the tokenizer makes pieces that the vocabulary lacks: said once */
    int n_vocabulary; /* languages that it has not */
} ig_finding_writer;

/* Begins a finding. */
ig_code ig_finding_add(ig_finding_writer *w, ig_err *err, const char *kind, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* The latest finding gets a command: what is written to *fp. */
ig_code ig_finding_command(FILE **fp, ig_finding_writer *w, ig_err *err);
ig_code ig_finding_command_end(FILE *fp, ig_finding_writer *w, ig_err *err);

/* Write words of a shell: a file, which no program takes for an option; the name of a file to write
 * for language k, LANGUAGE.suffix, or textN.suffix where its name is none for a file. */
void ig_finding_path(FILE *fp, const char *path);
void ig_finding_file(FILE *fp, const ig_finding_writer *w, int k, const char *suffix);
/* Write " --text LANGUAGE=FILE" for each language, FILE being its own or, with a suffix,
 * LANGUAGE.suffix; and "isoglot diagnose MODEL" with these. */
void ig_finding_texts(FILE *fp, const ig_finding_writer *w, const char *suffix);
void ig_finding_again(FILE *fp, const ig_finding_writer *w, const char *suffix);

/* Commands of the latest finding; none where there is nothing to give. Lines of the texts and the
 * model, to look at; */
ig_code ig_finding_lines(ig_finding_writer *w, ig_err *err);
/* the vectors of each text at a row of the card, in LANGUAGE.npy, then a script of Python (NULL:
 * none), whose arguments are LANGUAGE; */
ig_code ig_finding_vectors(ig_finding_writer *w, int row, const char *script, ig_err *err);
/* a rotation between a pair's languages that is learned from one half and tested on the other. */
ig_code ig_finding_rotation(ig_finding_writer *w, int pair, ig_err *err);

/* Texts, pieces, files; then what states show. */
ig_code ig_findings_of_texts(ig_finding_writer *w, ig_err *err);
ig_code ig_findings_of_states(ig_finding_writer *w, ig_err *err);
