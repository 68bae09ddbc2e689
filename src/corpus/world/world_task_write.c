/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a world's task as files in the usual formats of tasks: pairs in three columns, tags and
 * names a word a line, trees in CoNLL-U; and the TASK.yaml that names them.
 */
#include "base/file.h"

#include "base/memory.h"
#include "corpus/world/world_minimal.h"
#include "corpus/world/world_put.h"
#include "corpus/world/world_task.h"

static const char *suffix_of(ig_world_task_kind k)
{
    return k == IG_WORLD_ENTAILMENT || k == IG_WORLD_MINIMAL ? "tsv"
           : k == IG_WORLD_TREES                             ? "conllu"
                                                             : "conll";
}

static void tag_name(char out[8], int tag)
{
    snprintf(out, 8,
             tag == 0       ? "O"
             : tag % 2 == 1 ? "B-%s"
                            : "I-%s",
             tag == 0 ? "" : ig_world_entity_name((tag + 1) / 2));
}

static void tagged_put(FILE *f, ig_world_task_kind kind, const ig_world_tree *t,
                       const ig_world_words *s)
{
    uint8_t tag[IG_WORLD_NODES];
    ig_world_entity_tags(t, s, tag);
    for (int i = 0; i < s->n; i++) {
        char name[8];
        tag_name(name, tag[i]);
        fprintf(f, "%s\t%s\n", s->text[i],
                kind == IG_WORLD_ENTITIES ? name : ig_upos_name((ig_upos)t->node[s->node[i]].upos));
    }
    fputc('\n', f);
}

/* A row for each mistake that the sentence can have in the language. s[2]: good, bad. */
static void pairs_put(FILE *f, const ig_world *w, int language, const ig_world_tree *t,
                      ig_world_words *s)
{
    for (int m = 0; m < IG_N_WORLD_MISTAKE; m++) {
        if (!ig_world_mistaken(&s[1], w, language, t, &s[0], (ig_world_mistake)m))
            continue;
        ig_world_text_put(f, &s[0], '\t');
        ig_world_text_put(f, &s[1], '\t');
        fprintf(f, "%s\n", ig_world_mistake_names[m]);
    }
}

static void example_put(FILE *f, const ig_world *w, int language, ig_world_task_kind kind,
                        const ig_world_example *e, ig_world_words *s)
{
    ig_world_linearise(w, language, &e->tree[0], s);
    if (kind == IG_WORLD_MINIMAL)
        pairs_put(f, w, language, &e->tree[0], s);
    else if (kind == IG_WORLD_TREES)
        ig_world_conllu_put(f, w, language, &e->tree[0], s);
    else if (kind != IG_WORLD_ENTAILMENT)
        tagged_put(f, kind, &e->tree[0], s);
    else {
        ig_world_text_put(f, s, '\t');
        ig_world_linearise(w, language, &e->tree[1], s);
        ig_world_text_put(f, s, '\t');
        fprintf(f, "%s\n", ig_world_relation_names[e->relation]);
    }
}

/* Writes one split in all languages at once. */
static ig_code split_write(const ig_world *w, const char *dir, const ig_world_task_options *o,
                           int split, ig_world_words *s, ig_err *err)
{
    const int n = ig_world_n_language(w);
    ig_out out[IG_WORLD_LANGUAGES] = {0};
    ig_world_examples *x = NULL;
    int opened = 0;
    bool full = false;
    ig_code code = ig_world_examples_new(&x, w, o->kind, split, o->seed, err);
    for (; opened < n && code == IG_ERR_OK; opened++) {
        char name[64];
        snprintf(name, sizeof name, "%s.%s.%s", ig_world_get_language(w, opened)->name,
                 ig_world_split_names[split], suffix_of(o->kind));
        code = ig_out_open_in(&out[opened], dir, name, err);
        if (code != IG_ERR_OK)
            break;
    }
    for (int64_t i = 0; i < o->n[split] && code == IG_ERR_OK && !full; i++) {
        const ig_world_example *e;
        code = ig_world_examples_next(x, &e, err);
        for (int k = 0; k < n && code == IG_ERR_OK; k++) {
            example_put(out[k].fp, w, k, o->kind, e, s);
            full = full || ferror(out[k].fp); /* closing reports the error */
        }
    }
    for (int k = 0; k < opened; k++)
        code = ig_out_close(&out[k], code, err);
    ig_world_examples_free(x);
    return code;
}

/* Minimal pairs train nothing. */
static bool has_split(const ig_world_task_options *o, int split)
{
    return o->n[split] > 0 && (split > 0 || o->kind != IG_WORLD_MINIMAL);
}

static void labels_put(FILE *f, ig_world_task_kind kind)
{
    if (kind == IG_WORLD_TREES)
        return; /* those of the training file */
    fputs("labels: [", f);
    if (kind == IG_WORLD_ENTAILMENT)
        fputs("entailment, neutral, contradiction", f);
    for (int i = 0; i < IG_N_WORLD_MISTAKE && kind == IG_WORLD_MINIMAL; i++)
        fprintf(f, "%s%s", i > 0 ? ", " : "", ig_world_mistake_names[i]);
    for (int i = 0; i < IG_N_UPOS && kind == IG_WORLD_TAGS; i++)
        fprintf(f, "%s%s", i > 0 ? ", " : "", ig_upos_name((ig_upos)i));
    for (int i = 0; i < 7 && kind == IG_WORLD_ENTITIES; i++) {
        char name[8];
        tag_name(name, i);
        fprintf(f, "%s%s", i > 0 ? ", " : "", name);
    }
    fputs("]\n", f);
}

static ig_code yaml_write(const ig_world *w, const char *dir, const ig_world_task_options *o,
                          ig_err *err)
{
    static const char *const kinds[] = {"tagging\nscheme: plain", "tagging\nscheme: iob2",
                                        "parsing", "pair", "minimal_pairs"};
    ig_out out = {0};
    IG_TRY(ig_out_open_in(&out, dir, "TASK.yaml", err));
    fprintf(out.fp,
            "# %s of a generated world, task seed %lld: the same examples in every language\n"
            "kind: %s\n",
            ig_world_task_names[o->kind], (long long)o->seed, kinds[o->kind]);
    labels_put(out.fp, o->kind);
    for (int split = 0; split < IG_WORLD_SPLITS; split++) {
        const char *const name = ig_world_split_names[split];
        if (!has_split(o, split))
            continue;
        fprintf(out.fp, "%s:\n", name);
        for (int k = 0; k < (split == 0 ? 1 : ig_world_n_language(w)); k++) {
            const char *const language = ig_world_get_language(w, k)->name;
            fprintf(out.fp, "  \"%s\": %s.%s.%s\n", language, language, name, suffix_of(o->kind));
        }
    }
    return ig_out_close(&out, IG_ERR_OK, err);
}

ig_code ig_world_task_write(const ig_world *w, const char *dir, const ig_world_task_options *o,
                            ig_err *err)
{
    IG_OWNED ig_world_words *s = NULL;
    IG_TRY(ig_dir_make(dir, err));
    IG_TRY(ig_alloc(&s, 2, sizeof *s, "sentence", err));
    ig_code code = IG_ERR_OK;
    for (int split = 0; split < IG_WORLD_SPLITS && code == IG_ERR_OK; split++)
        if (has_split(o, split))
            code = split_write(w, dir, o, split, s, err);
    return code == IG_ERR_OK ? yaml_write(w, dir, o, err) : code;
}
