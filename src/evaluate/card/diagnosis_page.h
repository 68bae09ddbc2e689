/* SPDX-License-Identifier: Apache-2.0
 *
 * The report card as a page: figures, findings, tables, in one HTML file that needs no network and
 * no script.
 */
#pragma once

#include "evaluate/card/diagnose.h"

/* Writes dir/index.html; makes the folder where it is not there. */
ig_code ig_diagnosis_page(const ig_diagnosis *d, const char *model, const char *dir, ig_err *err);
