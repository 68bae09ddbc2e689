/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot corpus transform: what transforms of words make of a text, with its gold; and the list of
 * all transforms.
 */
#include "base/memory.h"
#include "cli/commands.h"
#include "corpus/transform.h"
#include "lab/language_text.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    char *words, *files, *name;
    int64_t transform_seed, from, count;
} config;

static const ig_option options[] = {
    {.name = "words",
     .kind = IG_OPT_STRING,
     .offset = offsetof(config, words),
     .value = "PIPELINE",
     .help = "transforms of words, e.g. 'codepoints | split:0.3'"},
    {.name = "files",
     .kind = IG_OPT_FILES,
     .offset = offsetof(config, files),
     .value = "NAME=FILE; …",
     .help = "dictionaries and treebanks that transforms refer to"},
    {.name = "name",
     .kind = IG_OPT_STRING,
     .offset = offsetof(config, name),
     .def = "fake",
     .value = "NAME",
     .help = "name of the language, on which its random draws depend"},
    {.name = "transform-seed",
     .kind = IG_OPT_INT,
     .offset = offsetof(config, transform_seed),
     .def = "0",
     .value = "N",
     .max = 1e15,
     .help = "seed of the random transforms"},
    {.name = "from",
     .kind = IG_OPT_INT,
     .offset = offsetof(config, from),
     .def = "1",
     .value = "N",
     .min = 1,
     .max = 9e15,
     .help = "first sentence to print"},
    {.name = "count",
     .kind = IG_OPT_INT,
     .offset = offsetof(config, count),
     .def = "5",
     .value = "N",
     .max = 9e15,
     .help = "sentences to print"},
};

static void list(void)
{
    char args[96], name[160];
    printf("transforms of words, before tokenize\n\n");
    for (int i = 0; ig_word_transform_at(i) != NULL; i++) {
        const ig_word_transform *t = ig_word_transform_at(i);
        ig_word_transform_args(t, args, sizeof args);
        snprintf(name, sizeof name, "%s%s%s%s%s", t->name, args[0] != '\0' ? ":" : "", args,
                 t->only != NULL ? "|" : "", t->only != NULL ? t->only : "");
        printf("  %-26s %s\n", name, t->summary);
    }
    printf("\ntransforms of pieces, behind tokenize or without it\n\n");
    for (int i = 0; ig_transform_at(i) != NULL; i++) {
        const ig_transform *t = ig_transform_at(i);
        snprintf(name, sizeof name, "%s%s%s", t->name, t->args[0] != '\0' ? ":" : "", t->args);
        printf("  %-26s %s\n", name, t->summary);
    }
}

static bool meet(const ig_phrase *a, int32_t i, const ig_phrase *b, int32_t k)
{
    for (int32_t x = a->first[i]; x < a->first[i + 1]; x++)
        for (int32_t y = b->first[k]; y < b->first[k + 1]; y++)
            if (a->stretch[x].from < b->stretch[y].to && b->stretch[y].from < a->stretch[x].to)
                return true;
    return false;
}

static void print_words(const char *name, const ig_phrase *p)
{
    printf("%-8s", name);
    for (int32_t i = 0; i < p->n; i++)
        printf(" %s", ig_phrase_word(p, i));
    putchar('\n');
}

static void print_pair(const char *name, const ig_phrase *source, const ig_phrase *out)
{
    print_words("text", source);
    print_words(name, out);
    printf("%-8s", "gold");
    for (int32_t i = 0; i < source->n; i++)
        for (int32_t k = 0; k < out->n; k++)
            if (meet(source, i, out, k))
                printf(" %d-%d", i, k);
    printf("\n\n");
}

static ig_code print_text(const config *c, const ig_language_texts *t, ig_word_pipeline *p,
                          ig_err *err)
{
    ig_language_text *text;
    const ig_phrase *out, *source;
    int64_t number, i = 0;
    IG_TRY(ig_language_text_open(&text, t, 0, false, p, err));
    ig_code code;
    while ((code = ig_language_text_next(text, &out, &source, &number, err)) == IG_ERR_OK &&
           out != NULL && i < c->from - 1 + c->count)
        if (++i >= c->from)
            print_pair(c->name, source, out);
    ig_language_text_close(text);
    return code;
}

static ig_code run(const ig_command *self, void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    ig_language_texts *texts = NULL;
    ig_language_words language[2];
    ig_word_pipeline p = {0};
    ig_run_config r = {0};
    char spec[1024];
    int n;
    (void)self;
    if (n_arg == 0 && c->words == NULL) {
        list();
        return IG_ERR_OK;
    }
    snprintf(spec, sizeof spec, "%.64s = %.900s%stokenize", c->name,
             c->words != NULL ? c->words : "", c->words != NULL ? " | " : "");
    ig_code code = ig_language_spec_parse(language, &n, 1, spec, err);
    if (code == IG_ERR_OK)
        code = ig_options_default(ig_run_options, IG_RUN_N_OPTION, &r, err);
    if (code == IG_ERR_OK && n_arg > 0)
        code = ig_options_set(ig_run_options, IG_RUN_N_OPTION, &r, "text", arg[0], NULL, 0, err);
    if (code == IG_ERR_OK && c->files != NULL)
        code = ig_options_set(ig_run_options, IG_RUN_N_OPTION, &r, "files", c->files, NULL, 0, err);
    r.transform_seed = c->transform_seed;
    if (code == IG_ERR_OK)
        code = ig_language_texts_new(&texts, &r, language, n, err);
    if (code == IG_ERR_OK)
        code = ig_language_texts_fit(&p, texts, 0, err);
    if (code == IG_ERR_OK)
        code = print_text(c, texts, &p, err);
    ig_word_pipeline_free(&p);
    ig_language_texts_free(texts);
    ig_run_config_free(&r);
    return code;
}

const ig_command ig_cmd_corpus_transform = {
    .name = "corpus transform",
    .summary =
        "show what transforms of words make of a text, with its gold; or list all transforms",
    .args = "[FILE]",
    .min_arg = 0,
    .max_arg = 1,
    .details =
        "Prints each sentence's words, what they become, and which word comes of which, as "
        "pairs of places from 0.\n"
        "Without a text a generated world is taken; without --words, too, the transforms are "
        "listed.\n"
        "  isoglot corpus transform\n"
        "  isoglot corpus transform --words 'head-final | split:0.3'\n"
        "  isoglot corpus transform bible.tsv.zst --words 'switch:dict,0.2' --files "
        "dict=en-de.txt",
    .options = options,
    .n_option = sizeof options / sizeof *options,
    .config_size = sizeof(config),
    .run = run,
};
