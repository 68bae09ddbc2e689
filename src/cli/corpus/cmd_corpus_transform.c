/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot corpus transform: what transforms of words make of a text, with its gold, to look at or
 * as files (named as corpus world names its own); and the list of all transforms.
 */
#include "base/file.h"

#include "base/memory.h"
#include "base/strings/lexicon.h"
#include "cli/commands.h"
#include "cli/print/print.h"
#include "corpus/language/transform.h"
#include "run/data/language_text.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    char *words, *files, *name, *ids, *out;
    int64_t transform_seed, from, count;
    bool sentences, json;
} config;

static const ig_option options[] = {
    {IG_TEXT(config, "words", words, NULL, "PIPELINE",
             "transforms of words, e.g. 'codepoints | split:0.3'")},
    {.name = "files",
     .kind = IG_OPT_FILES,
     .offset = offsetof(config, files),
     .value = "NAME=FILE; …",
     .help = "dictionaries and treebanks that transforms refer to"},
    {IG_TEXT(config, "name", name, "fake", "NAME",
             "name of the language, on which its random draws depend")},
    {IG_INT(config, "transform-seed", transform_seed, "0", 0, 1e15,
            "seed of the random transforms")},
    {IG_TEXT(config, "ids", ids, NULL, "IDS",
             "verses to take: NT, OT, book numbers or ranges of ids")},
    {IG_FLAG(config, "sentences", sentences, "true", "break lines into sentences")},
    {.old = "from", IG_INT(config, "start", from, "1", 1, 9e15, "first sentence to take")},
    {.old = "count",
     IG_INT(config, "take", count, "-1", -1, 9e15,
            "sentences to take; 0: all; -1: 5, with --out all")},
    {IG_PATH(config, "out", out, "DIR",
             "write text.txt, NAME.txt, text-NAME.align and text-NAME.dict there instead")},
    {IG_FLAG(config, "json", json, NULL,
             "each sentence as a JSON object; or the list, or what --out wrote, as one")},
};

/* The files of --out, line by line beside each other. */
typedef struct {
    ig_out text, fake, align;
    ig_lexicon word; /* of the text */
    int64_t *count, have_count;
    int64_t n_sentence, n_entry; /* written */
} files;

static void list(void)
{
    char args[96], name[160];
    printf("transforms of words, before tokenize\n\n");
    for (int i = 0; ig_word_transform_at(i) != NULL; i++) {
        const ig_word_transform *t = ig_word_transform_at(i);
        const char *only = t->arg[0].only;
        ig_step_args_form(args, sizeof args, t->arg);
        snprintf(name, sizeof name, "%s%s%s%s%s", t->name, args[0] != '\0' ? ":" : "", args,
                 only != NULL ? "|" : "", only != NULL ? only : "");
        printf("  %-26s %s\n", name, t->summary);
    }
    printf("\ntransforms of pieces, after tokenize or without it\n\n");
    for (int i = 0; ig_transform_at(i) != NULL; i++) {
        const ig_transform *t = ig_transform_at(i);
        ig_step_args_form(args, sizeof args, t->arg);
        snprintf(name, sizeof name, "%s%s%s", t->name, args[0] != '\0' ? ":" : "", args);
        printf("  %-26s %s\n", name, t->summary);
    }
}

static ig_code list_json(ig_err *err)
{
    json_t *words = json_array(), *pieces = json_array();
    for (int i = 0; ig_word_transform_at(i) != NULL; i++) {
        const ig_word_transform *t = ig_word_transform_at(i);
        char args[96];
        ig_step_args_form(args, sizeof args, t->arg);
        json_array_append_new(words,
                              json_pack("{s:s, s:s, s:s?, s:s}", "name", t->name, "arguments", args,
                                        "instead", t->arg[0].only, "summary", t->summary));
    }
    for (int i = 0; ig_transform_at(i) != NULL; i++) {
        const ig_transform *t = ig_transform_at(i);
        char args[96];
        ig_step_args_form(args, sizeof args, t->arg);
        json_array_append_new(pieces, json_pack("{s:s, s:s, s:s}", "name", t->name, "arguments",
                                                args, "summary", t->summary));
    }
    return ig_json_print(json_pack("{s:o, s:o}", "words", words, "pieces", pieces), err);
}

static bool meet(const ig_phrase *a, int32_t i, const ig_phrase *b, int32_t k)
{
    for (int32_t x = a->first[i]; x < a->first[i + 1]; x++)
        for (int32_t y = b->first[k]; y < b->first[k + 1]; y++)
            if (a->stretch[x].from < b->stretch[y].to && b->stretch[y].from < a->stretch[x].to)
                return true;
    return false;
}

static void put_words(FILE *fp, const ig_phrase *p)
{
    for (int32_t i = 0; i < p->n; i++)
        fprintf(fp, "%s%s", i > 0 ? " " : "", ig_phrase_word(p, i));
    putc('\n', fp);
}

static void put_gold(FILE *fp, const ig_phrase *source, const ig_phrase *out)
{
    const char *space = "";
    for (int32_t i = 0; i < source->n; i++)
        for (int32_t k = 0; k < out->n; k++)
            if (meet(source, i, out, k)) {
                fprintf(fp, "%s%d-%d", space, i, k);
                space = " ";
            }
    putc('\n', fp);
}

static void print_pair(const char *name, const ig_phrase *source, const ig_phrase *out)
{
    printf("%-8s ", "text");
    put_words(stdout, source);
    printf("%-8s ", name);
    put_words(stdout, out);
    printf("%-8s ", "gold");
    put_gold(stdout, source, out);
    putchar('\n');
}

static json_t *words_json(const ig_phrase *p)
{
    json_t *words = json_array();
    for (int32_t i = 0; i < p->n; i++)
        json_array_append_new(words, json_string(ig_phrase_word(p, i)));
    return words;
}

static ig_code print_json(const char *name, const ig_phrase *source, const ig_phrase *out,
                          ig_err *err)
{
    json_t *gold = json_array();
    for (int32_t i = 0; i < source->n; i++)
        for (int32_t k = 0; k < out->n; k++)
            if (meet(source, i, out, k))
                json_array_append_new(gold, json_pack("[i, i]", i, k));
    return ig_json_line(json_pack("{s:s, s:o, s:o, s:o}", "name", name, "text", words_json(source),
                                  "transformed", words_json(out), "gold", gold),
                        stdout, "standard output", err);
}

static ig_code write_pair(files *f, const ig_phrase *source, const ig_phrase *out, ig_err *err)
{
    put_words(f->text.fp, source);
    put_words(f->fake.fp, out);
    put_gold(f->align.fp, source, out);
    f->n_sentence++;
    for (int32_t i = 0; i < source->n; i++) {
        int32_t id;
        IG_TRY(ig_lexicon_add(&f->word, ig_phrase_word(source, i), ig_phrase_length(source, i), &id,
                              err));
        IG_TRY(ig_grow(&f->count, &f->have_count, id + 1, sizeof *f->count, "words", err));
        f->count[id]++;
    }
    return IG_ERR_OK;
}

static ig_code each_pair(const config *c, const ig_language_texts *t, ig_word_pipeline *p, files *f,
                         ig_err *err)
{
    const int64_t count = c->count >= 0 ? c->count : f != NULL ? 0 : 5;
    ig_language_text *text;
    const ig_phrase *out, *source;
    int64_t number, i = 0;
    IG_TRY(ig_language_text_open(&text, t, 0, false, p, err));
    ig_code code;
    while ((code = ig_language_text_next(text, &out, &source, &number, err)) == IG_ERR_OK &&
           out != NULL && (count == 0 || i < c->from - 1 + count)) {
        if (++i < c->from)
            continue;
        if (f != NULL)
            code = write_pair(f, source, out, err);
        else if (c->json)
            code = print_json(c->name, source, out, err);
        else
            print_pair(c->name, source, out);
        if (code != IG_ERR_OK)
            break;
    }
    ig_language_text_close(text);
    return code;
}

/* The gold dictionary: what a word becomes, in the order of first occurrences, with their count.
 */
static ig_code write_dictionary(const config *c, files *f, const ig_word_pipeline *p,
                                const char *name, ig_err *err)
{
    ig_out out = {0};
    char to[IG_WORD_BYTES];
    IG_TRY(ig_out_new_in(&out, c->out, name, err));
    for (int32_t i = 0; i < f->word.n; i++)
        if (ig_word_pipeline_map(p, ig_lexicon_get(&f->word, i), false, to)) {
            f->n_entry++;
            fprintf(out.fp, "%s\t%s\t%lld\n", ig_lexicon_get(&f->word, i), to,
                    (long long)f->count[i]);
        }
    return ig_out_close(&out, IG_ERR_OK, err);
}

static ig_code write_files(const config *c, const ig_language_texts *t, ig_word_pipeline *p,
                           ig_err *err)
{
    files f = {0};
    char name[160];
    if (strcmp(c->name, "text") == 0 || strchr(c->name, '/') != NULL)
        return ig_fail(err, IG_ERR_USAGE, "--name", 0,
                       "found '%.64s', expected another name than that of the text's file, without "
                       "'/'",
                       c->name);
    IG_TRY(ig_dir_make(c->out, err));
    ig_code code = ig_out_new_in(&f.text, c->out, "text.txt", err);
    snprintf(name, sizeof name, "%.64s.txt", c->name);
    IG_THEN(code, ig_out_new_in(&f.fake, c->out, name, err));
    snprintf(name, sizeof name, "text-%.64s.align", c->name);
    IG_THEN(code, ig_out_new_in(&f.align, c->out, name, err));
    IG_THEN(code, each_pair(c, t, p, &f, err));
    snprintf(name, sizeof name, "text-%.64s.dict", c->name);
    IG_THEN(code, write_dictionary(c, &f, p, name, err));
    code = ig_out_close(&f.text, code, err);
    code = ig_out_close(&f.fake, code, err);
    code = ig_out_close(&f.align, code, err);
    if (code == IG_ERR_OK && c->json)
        code = ig_json_print(json_pack("{s:s, s:s, s:I, s:I}", "out", c->out, "name", c->name,
                                       "sentences", (json_int_t)f.n_sentence, "dictionary",
                                       (json_int_t)f.n_entry),
                             err);
    ig_lexicon_free(&f.word);
    ig_free(f.count);
    return code;
}

static ig_code run_corpus_transform(void *settings, int n_arg, char *const *arg, ig_err *err)
{
    const config *c = settings;
    ig_language_texts *texts = NULL;
    ig_language_words language[2];
    ig_word_pipeline p = {0};
    ig_run_config r = {0};
    char *spec;
    int n = 0;
    if (n_arg == 0 && c->words == NULL && c->out == NULL) {
        if (c->json)
            return list_json(err);
        list();
        return IG_ERR_OK;
    }
    const char *words = c->words != NULL ? c->words : "";
    /* By itself first: places of mistakes are counted in what was written. */
    ig_code mistake = ig_word_pipeline_parse(&p, words, "--words", 1, err);
    ig_word_pipeline_free(&p);
    IG_TRY(mistake);
    const size_t size = strlen(c->name) + strlen(words) + 32;
    IG_TRY(ig_alloc(&spec, (int64_t)size, 1, "transforms", err));
    snprintf(spec, size, "%s = %s%stokenize", c->name, words, words[0] != '\0' ? " | " : "");
    ig_code code = ig_language_spec_parse(language, &n, 1, spec, err);
    ig_free(spec);
    IG_THEN(code, ig_options_default(&ig_run_options, &r, err));
    if (code == IG_ERR_OK && n_arg > 0)
        code = ig_options_set(&ig_run_options, &r, &(ig_setting){"text", arg[0], NULL, 0}, err);
    IG_THEN(code, ig_named_files_parse(&r.data.named, c->files, "files", err));
    IG_THEN(code, ig_verse_set_parse(&r.data.verses, c->ids, "ids", err));
    r.data.sentences = c->sentences;
    const ig_run_languages one = {
        .transform_seed = c->transform_seed, .n = n, .language = language};
    ig_data_settings data = ig_run_config_data(&r);
    data.languages = &one;
    IG_THEN(code, ig_language_texts_new(&texts, &data, err));
    IG_THEN(code, ig_language_texts_fit(&p, texts, 0, err));
    IG_THEN(code,
            c->out != NULL ? write_files(c, texts, &p, err) : each_pair(c, texts, &p, NULL, err));
    ig_word_pipeline_free(&p);
    ig_language_texts_free(texts);
    ig_run_config_free(&r);
    return code;
}

const ig_command ig_cmd_corpus_transform = {
    .name = "corpus transform",
    .summary =
        "print a text after transforms of words, with its gold alignment; or list all transforms",
    .args = "[FILE]",
    .details =
        "Prints each sentence's words, what they become, and which word became which, as pairs "
        "of places from 0. With --out the same as files: tokens with a space between, Pharaoh "
        "alignments, and the gold dictionary (word, tab, word, tab, count in the text). With "
        "--json a line for each sentence, an object with name, text and transformed (arrays of "
        "words), and gold (array of pairs); with --out one object: sentences and entries of the "
        "dictionary, counted; the list as arrays of words and pieces. Without a text a generated "
        "world is taken; without --words, too, the transforms are listed.\n"
        "  isoglot corpus transform\n"
        "  isoglot corpus transform --words 'head-final | split:0.3'\n"
        "  isoglot corpus transform bible.tsv.zst --words 'switch:dict,0.2' --files "
        "dict=en-de.txt\n"
        "  isoglot corpus transform bible.tsv.zst --ids NT --words codepoints --out fake-english",
    IG_COMMAND_OPTIONS(options, config),
    .run = run_corpus_transform,
};
