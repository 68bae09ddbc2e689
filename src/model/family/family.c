/* SPDX-License-Identifier: Apache-2.0
 *
 * The families in a list, with those that have BERT's keys and names; lookups in their rows.
 */
#include "model/family/family.h"

#include "base/settings/json_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char states_hint[] =
    "diagnose, similarity and eval read the states of any model from a file: --states FILE";

const ig_family ig_family_bert = {.type = "bert", .prefix = "Bert", .usual = "ForMaskedLM"};
const ig_family ig_family_megatron = {.type = "megatron-bert",
                                      .prefix = "MegatronBert",
                                      .usual = "ForMaskedLM",
                                      .block = IG_BLOCK_PRE_NORM};
const ig_family ig_family_roformer = {.type = "roformer",
                                      .prefix = "RoFormer",
                                      .usual = "ForMaskedLM",
                                      .position = IG_POSITION_ROTARY};
const ig_family ig_family_own = {.type = "isoglot", .prefix = "Isoglot", .usual = "ForMaskedLM"};

/* RoBERTa and its kin: a BERT with other names, whose first token has position pad_token_id + 1
 * (Liu et al. 2019, in transformers' arrangement). */
const ig_family ig_family_roberta = {
    .type = "roberta", .prefix = "Roberta", .usual = "ForMaskedLM", .roberta = true};
const ig_family ig_family_xlm_roberta = {
    .type = "xlm-roberta", .prefix = "XLMRoberta", .usual = "ForMaskedLM", .roberta = true};
const ig_family ig_family_camembert = {
    .type = "camembert", .prefix = "Camembert", .usual = "ForMaskedLM", .roberta = true};

#define IG_FAMILY_ROW(id, table) &ig_family_##table,
const ig_family *const ig_families[IG_N_FAMILY] = {IG_FAMILY_LIST(IG_FAMILY_ROW)};
#undef IG_FAMILY_ROW

/* The list of types that are read, as text. */
static void list_types(char *out, size_t room)
{
    size_t at = 0;
    for (int f = 0; f < IG_N_FAMILY && at < room; f++)
        if (f != IG_FAMILY_OWN)
            at += (size_t)snprintf(out + at, room - at, "%s%s", f == 0 ? "" : ", ",
                                   ig_families[f]->type);
}

ig_code ig_family_of_json(ig_bert_family *f, const json_t *j, const char *where, ig_err *err)
{
    const json_t *v = json_object_get(j, "model_type");
    const char *type = json_string_value(v),
               *name = json_string_value(json_array_get(json_object_get(j, "architectures"), 0));
    char types[256];
    *f = IG_FAMILY_BERT;
    if (v != NULL && type == NULL)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "\"model_type\" is not a string");
    if (type == NULL && name != NULL && strncmp(name, "Bert", 4) != 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "\"model_type\" is missing, expected that of \"%.60s\"", name);
    for (int i = 0; i < IG_N_FAMILY && type != NULL; i++)
        if (strcmp(type, ig_families[i]->type) == 0) {
            *f = (ig_bert_family)i;
            return IG_ERR_OK;
        }
    if (type == NULL)
        return IG_ERR_OK;
    list_types(types, sizeof types);
    ig_fail(err, IG_ERR_INPUT, where, 0, "\"model_type\" is \"%.60s\", expected one of %s", type,
            types);
    return ig_hint(err, states_hint);
}

const char *ig_family_key_of(const ig_family *f, const char *ours, double *usual)
{
    for (const ig_family_key *k = f->key; k != NULL && k->ours != NULL; k++)
        if (strcmp(k->ours, ours) == 0) {
            *usual = k->usual;
            return k->theirs;
        }
    return ours;
}

ig_code ig_family_check(const ig_family *f, const json_t *j, const char *where, ig_err *err)
{
    for (const ig_family_must *m = f->must; m != NULL && m->key != NULL; m++) {
        const json_t *found = json_object_get(j, m->key);
        json_t *want = json_loads(m->json, JSON_DECODE_ANY, NULL);
        const bool same = found == NULL || json_is_null(found) || json_equal(found, want) ||
                          (json_is_number(found) && json_is_number(want) &&
                           json_number_value(found) == json_number_value(want));
        json_decref(want);
        if (same)
            continue;
        char *text = ig_json_text(found, JSON_ENCODE_ANY | JSON_COMPACT);
        ig_fail(err, IG_ERR_INPUT, where, 0,
                "\"%s\" is %.60s, expected %s: nothing else is computed here", m->key,
                text != NULL ? text : "?", m->json);
        free(text);
        return ig_hint(err, states_hint);
    }
    return IG_ERR_OK;
}

int ig_family_rename(json_t *j, const ig_family *f)
{
    int bad = 0;
    for (const ig_family_key *k = f->key; k != NULL && k->ours != NULL; k++) {
        json_t *v = json_incref(json_object_get(j, k->ours));
        if (v == NULL || (k->theirs != NULL && strcmp(k->theirs, k->ours) == 0)) {
            json_decref(v);
            continue;
        }
        bad |= json_object_del(j, k->ours);
        if (k->theirs != NULL)
            bad |= json_object_set(j, k->theirs, v);
        json_decref(v);
    }
    return bad;
}

/* Returns whether `name` begins as the pattern does; *end gets what follows, *layer a layer's
 * digits. */
static bool begins(const char *pattern, const char *name, const char **end, int *layer)
{
    for (; *pattern != '\0'; pattern++) {
        if (*pattern == '#') {
            char *after;
            if (!isdigit((unsigned char)*name))
                return false;
            *layer = (int)strtol(name, &after, 10);
            name = after;
        } else if (*pattern != *name++)
            return false;
    }
    *end = name;
    return true;
}

/* The pattern with the number, then the end of a name. */
static void fill(char *out, size_t room, const char *pattern, int layer, const char *end)
{
    const char *at = strchr(pattern, '#');
    if (at == NULL)
        snprintf(out, room, "%s%s", pattern, end);
    else
        snprintf(out, room, "%.*s%d%s%s", (int)(at - pattern), pattern, layer, at + 1, end);
}

bool ig_family_our_name(const ig_family *f, const char *theirs, char *out, size_t room,
                        const ig_family_name **row)
{
    const size_t n = strlen(f->inside);
    const char *end;
    int layer = 0;
    if (strncmp(theirs, f->inside, n) == 0)
        theirs += n;
    for (*row = f->name; (*row)->theirs != NULL; ++*row)
        if (begins((*row)->theirs, theirs, &end, &layer)) {
            fill(out, room, (*row)->ours, layer, end);
            return true;
        }
    return false;
}

bool ig_family_their_name(const ig_family *f, const char *ours, char *out, size_t room)
{
    const char *end;
    int layer = 0;
    for (const ig_family_name *row = f->name; row->theirs != NULL; row++)
        if (begins(row->ours, ours, &end, &layer)) {
            char rest[160];
            fill(rest, sizeof rest, row->theirs, layer, end);
            snprintf(out, room, "%s%s", strncmp(row->ours, "bert.", 5) == 0 ? f->inside : "", rest);
            return true;
        }
    return false;
}
