/* SPDX-License-Identifier: Apache-2.0
 *
 * Text in HTML that is well-formed XML as well: any text is shown and never read as markup or
 * script.
 */
#pragma once

#include <stdio.h>

/* Writes s as text or inside an attribute's quotes. Characters that XML does not allow (controls,
 * broken bytes) become U+FFFD. NULL is nothing. */
void ig_html_text(FILE *fp, const char *s);
/* HTML with texts in it: each %s of fmt is one of them, as by ig_html_text; %% is a '%'. No other
 * conversion. */
void ig_html_put(FILE *fp, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A fragment's name: prefix, then s with everything but letters, digits, "-" and "." written as _
 * and its code in hexadecimal digits; so different names stay different. */
void ig_html_id(FILE *fp, const char *prefix, const char *s);
