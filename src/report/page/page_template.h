/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages filled from data. page.html holds their parts: a line "@@ NAME" begins one. In a part
 *     {{key}}              is a text of the data, never markup or script
 *     {{@key}}             the same as a part of a name (ig_html_id)
 *     {{&key}}             markup, as it is
 *     {{#key}} … {{/}}     once for each entry of a list; for anything else that is there, once
 *     {{?key}} … {{/}}     once where there is such a thing, or such a list that is not empty
 *     {{^key}} … {{/}}     once where there is not
 *     {{>NAME}}            another part
 * Within {{#key}} keys are of the entry, then of what is around it; {{.}} is the entry itself, and
 * {{?+}} the text between two entries. null, false, "" and an empty list are not there. Blanks
 * that begin a line are left out, and so is a line of such marks alone. Text in the data need not
 * be valid UTF-8 (ig_page_text).
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

void ig_template_put(FILE *fp, const char *part, const json_t *data);

/* The text as JSON, with invalid bytes replaced; null for NULL. */
json_t *ig_page_text(const char *s);
/* An object of such texts: key, text, key, text, …, NULL. */
json_t *ig_page_texts(const char *key, ...) __attribute__((sentinel));
/* Makes it longer. */
void ig_page_append(json_t *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A setting as text; of a list its words or numbers. */
json_t *ig_page_value(const json_t *x);
/* {"facts": [{"key", "value"}, …]} grows by one; takes the value. */
void ig_page_fact(json_t *to, const char *key, json_t *value);
