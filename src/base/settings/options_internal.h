/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions shared by the readers of options: the command line, YAML files and JSON records find
 * an option and set its field with these.
 */
#pragma once

#include "base/settings/options.h"
#include "base/settings/yaml_tree.h"

/* The source of a value, for messages: `file` NULL means the command line ("--key"). */
typedef struct {
    const char *file;
    uint64_t line;
    const char *dir; /* base of relative paths; NULL: they stay unchanged */
} ig_option_source;

/* A field of any kind, for values that are only checked. */
typedef union {
    bool flag;
    int choice;
    int64_t integer;
    double real;
    char *text;
    ig_int_list list;
    ig_text_list texts;
} ig_option_value;

/* Returns the index of the option of that name ("_" and "-" are the same), or −1. */
int ig_option_find(const ig_option_table *t, const char *name);
/* Likewise also by its name in the version before, which is said, as found at `at` (NULL: in a
 * record: without a notice). */
int ig_option_find_any(const ig_option_table *t, const char *name, const ig_option_source *at);
/* Returns the row that a value given for row i belongs to: i, or that of its `words`. */
int ig_option_meant(const ig_option_table *t, int i, const char *value);
void *ig_option_field(const ig_option *o, void *config);

ig_code ig_option_unknown(const ig_option_table *t, const char *key, const ig_option_source *at,
                          ig_err *err);
ig_code ig_option_twice(const ig_option *o, const ig_option_source *at, uint64_t first_line,
                        ig_err *err);
/* Fails with "found …, expected an integer from 1 to 64": the text found is given, the expectation
 * follows from the option. */
ig_code ig_option_wrong(const ig_option *o, const ig_option_source *at, const char *found,
                        ig_err *err);

/* Parses text and writes the field; a string's old value is freed. */
ig_code ig_option_put(const ig_option *o, void *field, const char *text, const ig_option_source *at,
                      ig_err *err);
ig_code ig_option_put_int(const ig_option *o, void *field, int64_t v, const ig_option_source *at,
                          ig_err *err);
ig_code ig_option_put_real(const ig_option *o, void *field, double v, const ig_option_source *at,
                           ig_err *err);
/* Returns the value of an INT field. */
static inline int64_t ig_option_int(const ig_option *o, const void *field)
{
    return o->bytes == sizeof(int32_t) ? *(const int32_t *)field : *(const int64_t *)field;
}
/* Appends an element to an INTS field. */
ig_code ig_option_append(const ig_option *o, void *field, int64_t v, const ig_option_source *at,
                         ig_err *err);
/* Parses 12, −3, 10k, 2M, 1G; false for any other text or if it does not fit. */
bool ig_option_parse_int(const char *text, int64_t *v);
/* Sets a field from a node of a YAML file. null clears a text and is a mistake for other kinds. */
ig_code ig_option_put_yaml(const ig_option *o, void *field, const ig_yaml *v, const char *dir,
                           ig_err *err);
/* Sets the default. */
ig_code ig_option_reset(const ig_option *o, void *field, ig_err *err);
/* Returns whether two fields of the option are equal. */
bool ig_option_same(const ig_option *o, const void *a, const void *b);
void ig_option_clear(const ig_option *o, void *field);
