/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a task as files: tables, CoNLL or CoNLL-U, and TASK.yaml.
 */
#include "task/task_write.h"

#include "base/file.h"

#include <stdio.h>

static const char *suffix_of(const ig_task *t)
{
    return t->kind == IG_TASK_PARSING ? "conllu" : t->kind == IG_TASK_TAGGING ? "conll" : "tsv";
}

static void file_name(char out[128], const ig_task *t, const ig_task_set *s)
{
    snprintf(out, 128, "%s.%s.%s", s->language, ig_split_names[s->split], suffix_of(t));
}

static void write_text(FILE *f, const char *text, char last)
{
    for (const char *p = text; *p != '\0'; p++)
        fputc(*p == '\t' || *p == '\n' || *p == '\r' ? ' ' : *p, f);
    fputc(last, f);
}

/* An unknown label is written as a name that no training file has. */
static const char *label_name(const ig_task *t, int32_t label)
{
    const char *name = ig_task_label_name(t, label);
    return name != NULL ? name : label == IG_LABEL_NONE ? "_" : "unknown-label";
}

static void sentence_put(FILE *f, const ig_task *t, const ig_task_set *s, int64_t i)
{
    const int64_t a = s->first[i];
    for (int64_t k = a; k < s->first[i + 1]; k++) {
        const char *const label = label_name(t, s->label[k]);
        if (t->kind == IG_TASK_TAGGING)
            fprintf(f, "%s\t%s\n", s->word[k], label);
        else
            fprintf(f, "%d\t%s\t_\t%s\t_\t_\t%d\t%s\t_\t_\n", (int)(k - a + 1), s->word[k],
                    s->pos[k], (int)s->head[k], label);
    }
    fputc('\n', f);
}

static ig_code set_write(const ig_task *t, const ig_task_set *s, const char *dir, ig_err *err)
{
    const int n_text = ig_task_n_text(t->kind);
    char name[128];
    ig_out out = {0};
    for (const char *p = s->language; *p != '\0'; p++)
        if (*p == '/' || *p == '"' || *p == '\\' || (unsigned char)*p < ' ' || p - s->language > 80)
            return ig_fail(err, IG_ERR_USAGE, t->path, 0,
                           "the name of language '%.40s' cannot be a file's", s->language);
    file_name(name, t, s);
    IG_TRY(ig_out_open_in(&out, dir, name, err));
    for (int64_t i = 0; i < s->n && !ferror(out.fp); i++) {
        if (s->first != NULL) {
            sentence_put(out.fp, t, s, i);
            continue;
        }
        for (int k = 0; k < n_text; k++)
            write_text(out.fp, s->text[i * n_text + k], '\t');
        write_text(out.fp, label_name(t, s->label[i]), '\n');
    }
    return ig_out_close(&out, IG_ERR_OK, err);
}

/* Writes a text between double quotes, in which YAML reads two characters otherwise. */
static void quoted_put(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text != '\0'; fputc(*text++, f))
        if (*text == '"' || *text == '\\')
            fputc('\\', f);
    fputc('"', f);
}

static ig_code yaml_write(const ig_task *t, const char *dir, ig_err *err)
{
    ig_out out = {0};
    IG_TRY(ig_out_open_in(&out, dir, "TASK.yaml", err));
    fprintf(out.fp, "kind: %s\n", ig_task_kind_names[t->kind]);
    if (t->kind == IG_TASK_TAGGING)
        fprintf(out.fp, "columns: [word, tag]\nscheme: %s\n",
                t->scheme == IG_SCHEME_PLAIN ? "plain" : "iob2");
    if (t->whole_words)
        fputs("masking: word\n", out.fp);
    if (t->kind == IG_TASK_PARSING)
        fprintf(out.fp, "subtypes: %s\n", t->subtypes ? "true" : "false");
    for (int32_t i = 0; i < t->labels.n && t->labels_given; i++) {
        fputs(i == 0 ? "labels: [" : ", ", out.fp);
        quoted_put(out.fp, t->labels.name[i]);
        fputs(i + 1 == t->labels.n ? "]\n" : "", out.fp);
    }
    for (int split = 0; split < IG_N_SPLIT; split++) {
        bool any = false;
        for (int i = 0; i < t->n_set; i++) {
            char name[128];
            if ((int)t->set[i].split != split || t->set[i].second != NULL)
                continue;
            file_name(name, t, &t->set[i]);
            if (!any)
                fprintf(out.fp, "%s:\n", ig_split_names[split]);
            fprintf(out.fp, "  \"%s\": \"%s\"\n", t->set[i].language, name);
            any = true;
        }
    }
    for (int i = 0, n = 0; i < t->n_crossed; i++)
        if (ig_task_can_cross(t, t->crossed[i])) {
            fputs(n++ == 0 ? "crossed:\n- " : "\n- ", out.fp);
            quoted_put(out.fp, t->crossed[i]);
        }
    fputc('\n', out.fp);
    return ig_out_close(&out, IG_ERR_OK, err);
}

ig_code ig_task_write(const ig_task *t, const char *dir, ig_err *err)
{
    IG_TRY(ig_dir_make(dir, err));
    for (int i = 0; i < t->n_set; i++)
        if (t->set[i].second == NULL)
            IG_TRY(set_write(t, &t->set[i], dir, err));
    return yaml_write(t, dir, err);
}
