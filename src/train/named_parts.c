/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses lists of named parts of a model, and finds their parameters.
 */
#include "train/named_parts.h"

#include "base/memory.h"
#include "base/number_text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_end(const char *text, const char *at, size_t n)
{
    return at == text + n;
}

/* "layers" or "layers 1-6". */
static bool parse_layers(ig_parts *p, const char *text, size_t n, double value, int n_layer)
{
    static const char word[] = "layers";
    long from = 1, to = n_layer;
    if (n < sizeof word - 1 || memcmp(text, word, sizeof word - 1) != 0)
        return false;
    const char *at = text + sizeof word - 1;
    if (!is_end(text, at, n)) {
        char *end;
        if (*at != ' ' || !isdigit((unsigned char)at[1]))
            return false;
        from = to = strtol(at + 1, &end, 10);
        if (*end == '-' && isdigit((unsigned char)end[1]))
            to = strtol(end + 1, &end, 10);
        if (!is_end(text, end, n))
            return false;
    }
    if (from < 1 || to < from || to > n_layer)
        return false;
    for (long l = from; l <= to; l++)
        p->layer[l - 1] = value;
    return true;
}

static bool parse_part(ig_parts *p, const char *text, size_t n, double value, int n_layer)
{
    const struct {
        const char *name;
        double *value;
    } parts[] = {{"embeddings", &p->embeddings},
                 {"words", &p->words},
                 {"separate", &p->separate},
                 {"head", &p->head},
                 {"all", &p->all}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strlen(parts[i].name) == n && memcmp(parts[i].name, text, n) == 0) {
            *parts[i].value = value;
            return true;
        }
    return parse_layers(p, text, n, value, n_layer);
}

ig_code ig_parts_parse(ig_parts *out, const char *text, bool factors, int n_layer,
                       const char *where, ig_err *err)
{
    out->words = out->embeddings = out->separate = out->head = out->all = (double)NAN;
    for (int l = 0; l < IG_BERT_MAX_LAYER; l++)
        out->layer[l] = (double)NAN;
    for (const char *at = text; at != NULL && *at != '\0';) {
        at += strspn(at, " ");
        size_t whole = strcspn(at, ",;"), n = strcspn(at, ",;=");
        double value = 1;
        const char *end;
        bool right = factors == (n < whole);
        if (right && factors) {
            const char *from = at + n + 1;
            right = ig_number_parse(&value, from + strspn(from, " "), &end) &&
                    is_end(at, end + strspn(end, " "), whole) && value >= 0 && value <= 1e6;
        }
        while (n > 0 && at[n - 1] == ' ')
            n--;
        if (!right || !parse_part(out, at, n, value, n_layer))
            return ig_fail(
                err, IG_ERR_USAGE, where, 0,
                "found '%.*s', expected words, embeddings, layers, layers A-B (1 to %d), "
                "separate, head or all%s",
                (int)(whole < 60 ? whole : 60), at, n_layer, factors ? ", each with =FACTOR" : "");
        at += whole;
        at += *at != '\0';
    }
    return IG_ERR_OK;
}

ig_code ig_parts_parse_new(ig_parts *out, bool *permute, const char *text, int n_layer,
                           const char *where, ig_err *err)
{
    static const char word[] = "permute";
    char *parts, *end;
    *permute = false;
    IG_TRY(ig_alloc(&parts, text != NULL ? (int64_t)strlen(text) + 2 : 1, 1, where, err));
    end = parts;
    for (const char *at = text; at != NULL && *at != '\0'; at += *at != '\0') {
        at += strspn(at, " ");
        const size_t n = strcspn(at, ",;");
        if (strncmp(at, word, strlen(word)) == 0 &&
            strlen(word) + strspn(at + strlen(word), " ") == n)
            *permute = true;
        else
            end += sprintf(end, "%s%.*s", end > parts ? "," : "", (int)n, at);
        at += n;
    }
    const ig_code code = ig_parts_parse(out, parts, false, n_layer, where, err);
    ig_free(parts);
    if (code == IG_ERR_USAGE)
        return ig_hint(err, "permute: the pieces get each other's rows");
    if (code == IG_ERR_OK && *permute && !(isnan(out->words) && isnan(out->embeddings)))
        return ig_fail(err, IG_ERR_USAGE, where, 0,
                       "found permute beside new words, expected one of them");
    return code;
}

double ig_parts_value(const ig_parts *p, const ig_bert_param *param)
{
    static const char language[] = "language.", layer[] = "bert.encoder.layer.";
    const char *name = param->name;
    if (strncmp(name, language, sizeof language - 1) == 0) {
        name = strchr(name + sizeof language - 1, '.');
        name = name != NULL ? name + 1 : param->name;
    }
    if (strncmp(name, "bert.", 5) != 0 || strncmp(name, "bert.pooler.", 12) == 0)
        return p->head;
    double own = (double)NAN;
    if (strncmp(name, "bert.embeddings.", 16) == 0)
        own = strcmp(name, "bert.embeddings.word_embeddings.weight") == 0 && !isnan(p->words)
                  ? p->words
                  : p->embeddings;
    else if (strncmp(name, layer, sizeof layer - 1) == 0) {
        const long l = strtol(name + sizeof layer - 1, NULL, 10);
        own = l >= 0 && l < IG_BERT_MAX_LAYER ? p->layer[l] : own;
    }
    if (isnan(own) && param->language >= 0)
        own = p->separate;
    return isnan(own) ? p->all : own;
}

bool ig_parts_encoder_frozen(const ig_parts *freeze, int n_layer)
{
    bool layers = true;
    for (int l = 0; l < n_layer; l++)
        layers = layers && !isnan(freeze->layer[l]);
    return !isnan(freeze->all) || (layers && !isnan(freeze->embeddings));
}
