/* SPDX-License-Identifier: Apache-2.0
 *
 * One table describes the settings of a command: it parses the command line and the YAML (or JSON)
 * configuration file, fills a plain struct, prints the resolved configuration, and is the source
 * of help, man page and shell completions. Setting a key twice in one source, an unknown key, a
 * wrong type or a value out of range is an error that names file and line (or the option) and the
 * nearest known key. The command line overrides the file, the file the defaults.
 */
#pragma once

#include "isoglot/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    IG_OPT_FLAG,   /* bool; --name, --no-name; true/false in files */
    IG_OPT_INT,    /* int64_t, or int (`bytes`); 10000, 10k, 2M */
    IG_OPT_REAL,   /* double */
    IG_OPT_TIME,   /* double, seconds; 90, 90s, 30m, 1h30m */
    IG_OPT_STRING, /* char *, also const, owned by the struct (NULL: not given, no default) */
    IG_OPT_PATH,   /* as STRING; completes file names; in a file relative to that file's folder */
    IG_OPT_FILES, /* as STRING: "NAME=FILE; …", each FILE as a PATH (base/settings/named_files.h) */
    IG_OPT_ENUM, /* int or an enum, index into `names` */
    IG_OPT_INTS, /* ig_int_list; 0,8 or a YAML list */
    IG_OPT_TEXTS /* ig_text_list; may be given several times on the command line; not in files */
} ig_opt_kind;

enum { IG_INT_LIST_MAX = 256 };
typedef struct {
    int n;
    int64_t v[IG_INT_LIST_MAX];
} ig_int_list;

enum { IG_TEXT_LIST_MAX = 64 };
typedef struct {
    int n;
    char *text[IG_TEXT_LIST_MAX]; /* owned */
} ig_text_list;

/* Returns why an option has no effect with the others in the struct; NULL: it has one. */
typedef const char *ig_no_effect_fn(const void *config);

typedef struct {
    const char *name; /* "pad-attend"; files may write pad_attend */
    ig_opt_kind kind;
    size_t offset;              /* of the field in the command's struct */
    const char *def;            /* default as text; NULL: false, 0, none */
    const char *value;          /* placeholder in the help: N, FILE; NULL for flags and enums */
    const char *help;           /* one line, no full stop */
    double min, max;            /* INT, REAL, INTS; both 0: unlimited */
    const char *const *names;   /* ENUM: NULL-terminated */
    const char *old;            /* its names in the version before, divided by blanks; NULL */
    const char *words;          /* INT: the option that a value which is a word belongs to; NULL */
    const char *group;          /* heading in the help; NULL: as the option before */
    int part;                   /* for the command's use: the part that the option belongs to */
    bool flow;                  /* TEXT: a file may have a list or mapping, kept in flow style */
    size_t bytes;               /* INT: of the field, 4 with a range that fits; 0: 8 */
    ig_no_effect_fn *no_effect; /* NULL: it always has one */
} ig_option;

typedef struct {
    const ig_option *row;
    int n;
} ig_option_table;
/* A table of all the rows of an array. */
#define IG_OPTION_TABLE(rows)                                                                      \
    {                                                                                              \
        (rows), (int)(sizeof(rows) / sizeof *(rows))                                               \
    }
enum { IG_OPTION_MAX = 160 }; /* maximum of rows of a table, for arrays with an element for each */

/* Fields of a row for the member f of a struct; more can follow (.group, .part). _AS: with a
 * placeholder. */
#define IG_FLAG(type, n, f, d, h)                                                                  \
    .name = n, .kind = IG_OPT_FLAG, .offset = offsetof(type, f), .def = d, .help = h
#define IG_INT_AS(type, n, f, d, v, lo, hi, h)                                                     \
    .name = n, .kind = IG_OPT_INT, .offset = offsetof(type, f), .def = d, .value = v, .help = h,   \
    .min = lo, .max = hi, .bytes = sizeof(((type *)NULL)->f)
#define IG_INT(type, n, f, d, lo, hi, h) IG_INT_AS(type, n, f, d, "N", lo, hi, h)
#define IG_REAL_AS(type, n, f, d, v, lo, hi, h)                                                    \
    .name = n, .kind = IG_OPT_REAL, .offset = offsetof(type, f), .def = d, .value = v, .help = h,  \
    .min = lo, .max = hi
#define IG_REAL(type, n, f, d, lo, hi, h) IG_REAL_AS(type, n, f, d, "X", lo, hi, h)
#define IG_TIME(type, n, f, d, h)                                                                  \
    .name = n, .kind = IG_OPT_TIME, .offset = offsetof(type, f), .def = d, .value = "T", .help = h
#define IG_TEXT(type, n, f, d, v, h)                                                               \
    .name = n, .kind = IG_OPT_STRING, .offset = offsetof(type, f), .def = d, .value = v, .help = h
#define IG_INTS(type, n, f, v, lo, hi, h)                                                          \
    .name = n, .kind = IG_OPT_INTS, .offset = offsetof(type, f), .value = v, .help = h, .min = lo, \
    .max = hi
#define IG_TEXTS(type, n, f, v, h)                                                                 \
    .name = n, .kind = IG_OPT_TEXTS, .offset = offsetof(type, f), .value = v, .help = h
#define IG_PATH(type, n, f, v, h)                                                                  \
    .name = n, .kind = IG_OPT_PATH, .offset = offsetof(type, f), .value = v, .help = h
#define IG_ENUM(type, n, f, d, l, h)                                                               \
    .name = n, .kind = IG_OPT_ENUM, .offset = offsetof(type, f), .def = d, .help = h, .names = l

struct ig_command;
typedef ig_code ig_command_fn(void *config, int n_arg, char *const *arg, ig_err *err);

/* Where an option was set. */
enum { IG_GIVEN_NOT, IG_GIVEN_FILE, IG_GIVEN_LINE };

typedef struct ig_command {
    const char *name;    /* "corpus world" for a command of two words */
    const char *summary; /* one line for the list of commands */
    /* Positional arguments as in the usage line, which says their number: one for each word,
     * "[DIR]" may be left out, "DIR…" is any number. Without any "[FILE…]" it is "-", standard
     * input. */
    const char *args;
    int min_arg, max_arg; /* of positional arguments where max is not 0; −1: any number */
    const char *details;  /* paragraphs below the usage line; examples; may be NULL */
    const ig_option_table *options; /* NULL: none */
    const char *const *usual; /* those that its help shows unless all are requested; NULL: all */
    size_t config_size;       /* bytes of the struct that the options fill */
    ig_command_fn *run;       /* prints its result on stdout; base/log.h for the rest */
    /* Finds options that were given and have no effect: `given` as ig_options_parse sets it; NULL:
     * no check. */
    ig_code (*check)(void *config, const unsigned char *given, ig_err *err);
    bool ranks; /* a launcher of MPI may start it as several processes (base/ranks/ranks.h) */
    void (*free)(
        void *config); /* of members that check and run set beside the options; NULL: none */
} ig_command;

/* Fields of a command: the rows of its options, which fill a struct of that type. */
#define IG_COMMAND_OPTIONS(rows, type)                                                             \
    .options = &(const ig_option_table)IG_OPTION_TABLE(rows), .config_size = sizeof(type)

/* Command lines: --name VALUE, --name=VALUE; a flag --name, --no-name; "--" ends the options; "-"
 * is an argument (standard input). Some names have a short form (ig_option_letter), in every table
 * that has them: -j 4, -j4.
 * Sets every field to its default. *config must be zeroed memory of the command's config_size. */
ig_code ig_options_default(const ig_option_table *t, void *config, ig_err *err);
/* Sets one key from text; `where`/`line` go into the message (NULL: the command line). */
typedef struct {
    const char *key, *text, *where;
    uint64_t line;
} ig_setting;
ig_code ig_options_set(const ig_option_table *t, void *config, const ig_setting *s, ig_err *err);
/* Reads a YAML or JSON file of keys ("_" and "-" are the same in a key). `seen` [t->n] (may be
 * NULL) marks keys that were set; a key already marked by the command line is checked and
 * ignored. */
ig_code ig_options_file(const ig_option_table *t, void *config, const char *path, bool *seen,
                        ig_err *err);
/* Reads such a text in memory, whose relative paths stay unchanged; `where` replaces the path. */
ig_code ig_options_text(const ig_option_table *t, void *config, const char *text, const char *where,
                        bool *seen, ig_err *err);
/* Arguments without the program's and command's names, and results of parsing them. */
typedef struct {
    int argc;
    char **argv;
    char **arg; /* positional ones (pointers into argv), *n_arg of them */
    int *n_arg;
    unsigned char *given; /* [rows] where each option was set; may be NULL */
} ig_arguments;
/* Parses arguments into config. Applies --config FILE if the table has a PATH option of that
 * name. */
ig_code ig_options_parse(const ig_option_table *t, void *config, const ig_arguments *from,
                         ig_err *err);
/* Says that an option or key has another name now: in a file at that line (0: the file alone), or
 * on the command line (file NULL). */
void ig_option_say_old(const char *old, const char *now, const char *file, uint64_t line);
/* Writes the key of an option in files: its name with "_" for "-", truncated to size. */
void ig_option_key(char *key, size_t size, const char *name);
/* Returns the short form of an option of that name, or 0. */
char ig_option_letter(const char *name);
/* Returns the resolved values as a JSON object in table order, keys with "_", without `config` (its
 * effect is in the others): such an object is a valid configuration file. Owned by the caller.
 * NULL: no memory. */
json_t *ig_options_json(const ig_option_table *t, const void *config);
/* Returns an option's value in such an object, also of the version before; NULL: none. */
json_t *ig_options_json_get(const json_t *j, const ig_option *o);
/* Sets fields from such an object (as read back from a run's own record); as strict as for a
 * file. */
ig_code ig_options_from_json(const ig_option_table *t, void *config, const json_t *j,
                             const char *where, ig_err *err);
static inline bool ig_option_is_text(const ig_option *o)
{
    return o->kind == IG_OPT_STRING || o->kind == IG_OPT_PATH || o->kind == IG_OPT_FILES;
}
/* Fails with IG_ERR_USAGE for the first option that was given (`given` as ig_options_parse sets it)
 * and for which `why` has a reason. A file with every key is a record of settings, and passes. */
ig_code ig_options_check_effects(const ig_option_table *t, const void *config,
                                 const char *(*why)(const ig_option *o, const void *config),
                                 const unsigned char *given, ig_err *err);
/* Frees the strings in config. */
void ig_options_free(const ig_option_table *t, void *config);

/* Returns the candidate nearest to `word` (Damerau–Levenshtein, at most a third of its letters
 * different), or NULL. */
const char *ig_nearest(const char *word, const char *const *candidates, int n);
/* With a limit for the distance as of words with `more` letters more. */
const char *ig_nearest_within(const char *word, const char *const *candidates, int n, int more);
/* Adds "did you mean '…?'" as the hint of an error about `word`, if there is such a candidate.
 * Returns IG_ERR_USAGE. */
ig_code ig_hint_nearest(ig_err *err, const char *word, const char *const *candidates, int n);
/* Fails with IG_ERR_USAGE and that hint: "unknown <what> '<word>', expected one of …". */
ig_code ig_unknown_name(ig_err *err, const char *where, const char *what, const char *word,
                        const char *const *names, int n);
