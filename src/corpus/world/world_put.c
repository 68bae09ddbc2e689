/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a sentence of a world as lines of a file: its text, its tags, its tree in CoNLL-U.
 */
#include "corpus/world/world_put.h"

#include "corpus/world/world_language.h"

void ig_world_text_put(FILE *f, const ig_world_words *s, char end)
{
    for (int i = 0; i < s->n; i++) {
        if (i > 0)
            fputc(' ', f);
        fputs(s->text[i], f);
    }
    fputc(end, f);
}

void ig_world_tags_put(FILE *f, const ig_world_tree *t, const ig_world_words *s)
{
    for (int i = 0; i < s->n; i++) {
        if (i > 0)
            fputc(' ', f);
        fputs(ig_upos_name((ig_upos)t->node[s->node[i]].upos), f);
    }
    fputc('\n', f);
}

/* Writes the features of the form in the alphabetical order that CoNLL-U requires. */
static void features_put(FILE *f, uint32_t form)
{
    static const char *const cases[IG_N_CASE] = {"",    "Acc", "Dat", "Gen",
                                                 "Ine", "All", "Abl", "Com"};
    static const char *const person[6] = {"", "1", "2", "1", "2", "3"};
    const char *between = "";
#define FEATURE(condition, ...)                                                                    \
    do {                                                                                           \
        if (condition) {                                                                           \
            fputs(between, f);                                                                     \
            fprintf(f, __VA_ARGS__);                                                               \
            between = "|";                                                                         \
        }                                                                                          \
    } while (0)
    const unsigned c = IG_FORM_GET_CASE(form), a = IG_FORM_GET_AGREE(form),
                   t = IG_FORM_GET_TENSE(form);
    FEATURE(c != 0, "Case=%s", cases[c]);
    FEATURE(form & IG_FORM_DEFINITE, "Definite=Def");
    FEATURE((form & IG_FORM_PLURAL) || a >= 3, "Number=Plur");
    FEATURE(a == 1 || a == 2, "Number=Sing");
    FEATURE(a != 0, "Person=%s", person[a]);
    FEATURE(form & IG_FORM_NEGATIVE, "Polarity=Neg");
    FEATURE(t != 0, "Tense=%s", t == 1 ? "Past" : "Fut");
#undef FEATURE
    if (between[0] == '\0')
        fputc('_', f);
}

void ig_world_conllu_put(FILE *f, const ig_world *w, int language, const ig_world_tree *t,
                         const ig_world_words *s)
{
    fprintf(f, "# sent_id = %lld\n# topic = %d\n# text = ", (long long)t->index + 1, t->topic);
    ig_world_text_put(f, s, '\n');
    for (int i = 0; i < s->n; i++) {
        const ig_world_node *n = &t->node[s->node[i]];
        fprintf(f, "%d\t%s\t%s\t%s\t_\t", i + 1, s->text[i], ig_world_stem(w, language, n->lemma),
                ig_upos_name((ig_upos)n->upos));
        features_put(f, s->form[i]);
        fprintf(f, "\t%d\t%s\t_\t", s->head[i] + 1,
                s->head[i] < 0 ? "root" : ig_deprel_name((ig_deprel)n->rel));
        const int c = ig_world_lemma_class(w, n->lemma);
        if (c >= 0)
            fprintf(f, "Class=%d|", c);
        if (n->entity != 0)
            fprintf(f, "Entity=%s|", ig_world_entity_name(n->entity));
        fprintf(f, "Lemma=%d|Node=%d\n", n->lemma, s->node[i]);
    }
    fputc('\n', f);
}
