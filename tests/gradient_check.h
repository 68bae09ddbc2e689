/* SPDX-License-Identifier: Apache-2.0
 *
 * The engine's losses and every element of its gradient against the model in double
 * (bert_in_double.h) and its central differences, with edits of hidden states or without.
 */
#pragma once

#include "bert_in_double.h"

#include "base/assert.h"
#include "isoglot/batch.h"

/* Differences are of every weight; sanitizers, which have seen the engine's pass by then, look at
 * some of the second implementation's. */
enum { CHECKED_EVERY = SANITIZED ? 16 : 1 };

/* Central differences in double with step 1e-4 are good to about 1e-8 of the loss; what remains is
 * the engine's float32: a gradient goes through some 30 products of length ≤ 16, each rounded to
 * 2^-24, and terms that cancel weigh in with their tensor's largest gradient. 2e-5 of that is 330
 * roundings; a wrong sign, factor or mask is off by 1e-2 and more. */
enum { largest_over = 50000 };

static inline void compare_gradient(const char *name, const double *want, const float *got,
                                    int64_t n)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(want[i]));
    assert_true(largest > 1e-6); /* the fixture leaves no tensor without a gradient */
    for (int64_t i = 0; i < n; i++)
        if (!(fabs((double)got[i] - want[i]) <= largest / largest_over)) {
            print_error("%s[%lld]: got %.9g, want %.9g, largest %.3g\n", name, (long long)i,
                        (double)got[i], want[i], largest);
            fail();
        }
}

/* Whether a tensor is above all that heads read: it has no gradient. */
static inline bool above(const ig_bert_config *c, const char *name)
{
    int top = 0, layer = 0;
    for (int h = 0; h < IG_N_HEAD; h++)
        if (ig_bert_config_n_label(c, (ig_head_kind)h) > 0) {
            const int l =
                c->head[h].reads == IG_READ_LAYER ? c->head[h].layer : c->num_hidden_layers;
            top = l > top ? l : top;
        }
    if (strcmp(name, "bert.encoder.ln.weight") == 0 || strcmp(name, "bert.encoder.ln.bias") == 0)
        return top < c->num_hidden_layers;
    return sscanf(name, "bert.encoder.layer.%d.", &layer) == 1 && layer >= top;
}

/* Whether a tensor says how a block attends whose attention is patched: it has no gradient. */
static inline bool patched(const ig_edit *edits, int n_edit, const char *name)
{
    int layer = 0;
    if (sscanf(name, "bert.encoder.layer.%d.", &layer) != 1)
        return false;
    for (int k = 0; k < n_edit; k++)
        if (edits[k].kind == IG_EDIT_ATTENTION && edits[k].layer == layer + 1 &&
            (strstr(name, ".query.") != NULL || strstr(name, ".key.") != NULL ||
             strstr(name, ".distance_embedding.") != NULL))
            return true;
    return false;
}

/* Room for the states of the model in double. */
static inline double *make_states(const ig_bert_config *c, const ig_batch *b)
{
    double *x = calloc((size_t)((c->num_hidden_layers + 1) * b->n_tok * c->hidden_size), sizeof *x);
    assert_non_null(x);
    return x;
}

static inline void check_model(const ig_bert_config *c, const int *length, int n_seq, bool dropout,
                               const ig_ops *ops, const ig_edit *edits, int n_edit)
{
    ig_bert *m = make_model(c, 1);
    stir(m, 0.4, 2);
    test_batch t = make_batch(c, length, n_seq, 0.4, 3);
    ig_engine *e = make_engine(m, NULL, ops);
    ig_err err;
    assert_ok(ig_engine_set_edits(e, edits, n_edit, &err), &err);
    ig_pass pass = make_pass(dropout);
    static const int32_t next[] = {1, 0, -1, 0, 1, 1};
    IG_ASSERT(n_seq <= 6);
    int32_t room[12];
    set_next(&t.b, next, room);
    pass.scale[IG_HEAD_NEXT] = 0.7f;
    static const int32_t first[] = {0, 4, 6, 11}, of_sequence[] = {2, 0, 1, 1};
    static const int32_t token[] = {1, 2, 7, 11, 14}, of_token[] = {3, 1, 0, 2, 3};
    t.b.target[IG_HEAD_SEQUENCE] = (ig_targets){4, first, of_sequence, NULL};
    t.b.target[IG_HEAD_TOKEN] = (ig_targets){5, token, of_token, NULL};
    static const int32_t word[] = {1, 2, 3, 5, 6, 7, 8, 9, 10, 12, 14}, /* none of sequence 3 */
        of_word[] = {3, 1, 1, 0, 2, 3, 0, 0, 1, 2, 3};
    t.b.target[IG_HEAD_CRF] = (ig_targets){11, word, of_word, NULL};
    pass.scale[IG_HEAD_CRF] = 0.5f;
    static const int32_t node[] = {0, 1, 2, 3, 4, 6, 7, 8, 10, 12, 14}, /* none of sequence 3 */
        of_node[] = {-1, 1, 0, 2, -1, -1, 0, 2, 1, -1, 2},
                         head[] = {-1, 2, 0, 2, -1, -1, 3, 1, 1, -1, 0};
    t.b.target[IG_HEAD_PARSER] = (ig_targets){11, node, of_node, head};
    pass.scale[IG_HEAD_PARSER] = 0.8f;
    pass.scale[IG_HEAD_SEQUENCE] = 0.4f;
    pass.scale[IG_HEAD_TOKEN] = 0.6f;
    double loss = run_train(e, &t.b, &pass);
    const ig_head_result pairs = ig_engine_result(e, IG_HEAD_NEXT);
    assert_int_equal(pairs.n, ig_bert_config_n_label(c, IG_HEAD_NEXT) > 0 ? n_seq - 1 : 0);
    loss += pairs.loss * (double)pass.scale[IG_HEAD_NEXT] / (double)pass.scale[IG_HEAD_MASKED];
    for (int h = IG_HEAD_SEQUENCE; h < IG_N_HEAD; h++)
        loss += ig_engine_result(e, (ig_head_kind)h).loss * (double)pass.scale[h] /
                (double)pass.scale[IG_HEAD_MASKED];
    const int64_t n = ig_bert_n_weight(m);
    double *w = calloc((size_t)n, sizeof *w), *pad = calloc((size_t)c->hidden_size, sizeof *pad),
           *want = calloc((size_t)n, sizeof *want);
    assert_non_null(w);
    for (int64_t i = 0; i < n; i++)
        w[i] = (double)ig_bert_weights(m)[i];
    for (int i = 0; i < c->hidden_size && c->pad_token_id >= 0; i++)
        pad[i] = w[(int64_t)c->pad_token_id * c->hidden_size + i];
    twin d = {.model = m, .w = w, .pad_in = pad, .pass = &pass, .edit = edits, .n_edit = n_edit};
    twin_patch(&d, &t.b);
    d.states = make_states(c, &t.b);
    const double reference = twin_loss(&d, &t.b);
    assert_true(fabs(loss - reference) <= 2e-6 * reference);
    const double h = 1e-4;
    for (int k = 0; k < ig_bert_n_param(m); k++) {
        const ig_bert_param *p = &ig_bert_params(m)[k];
        const int64_t size = (int64_t)p->rows * p->cols;
        if (p->frozen || above(c, p->name) || patched(edits, n_edit, p->name)) {
            for (int64_t i = p->offset; i < p->offset + size; i++)
                assert_true(ig_engine_gradient(e)[i] == 0);
            continue;
        }
        d.same = 0;
        twin_renew(&d, &t.b);
        d.same = twin_same(c, p->name);
        for (int64_t i = p->offset; i < p->offset + size; i++) {
            const double keep = w[i];
            want[i] = (double)ig_engine_gradient(e)[i];
            if (i % CHECKED_EVERY != 0)
                continue;
            w[i] = keep + h;
            const double up = twin_loss(&d, &t.b);
            w[i] = keep - h;
            const double down = twin_loss(&d, &t.b);
            w[i] = keep;
            want[i] = (double)pass.scale[IG_HEAD_MASKED] * (up - down) / (2 * h);
        }
        /* The key's bias shifts all scores of a query alike, unless keys meet distances: its
         * gradient is 0. */
        const bool alike =
            c->position != IG_POSITION_RELATIVE_KEY_QUERY && c->position != IG_POSITION_ROTARY;
        if (strstr(p->name, "key.bias") != NULL && alike)
            for (int64_t i = p->offset; i < p->offset + size; i++) {
                assert_true(fabs(want[i]) < 1e-6);
                assert_true(fabs((double)ig_engine_gradient(e)[i]) < 1e-6);
            }
        else
            compare_gradient(p->name, want + p->offset, ig_engine_gradient(e) + p->offset, size);
    }
    for (size_t l = 0; l < sizeof d.pattern / sizeof *d.pattern; l++)
        free(d.pattern[l]);
    free(d.states);
    free(w);
    free(pad);
    free(want);
    ig_engine_free(e);
    ig_bert_free(m);
    free_batch(&t);
}

/* Where every element would take too long: the gradient of one head along a random direction of
 * each of its tensors (names that begin with `prefix`) and of one of the encoder, and the loss,
 * against the model in double; and the same bits from one thread and from three. Every token but
 * each third and the first of a sequence is a target. row, label, head (or NULL): room for them. */
static inline void check_slopes(const ig_bert_config *c, ig_head_kind kind, const char *prefix,
                                const int *length, int n_seq, int32_t *row, int32_t *label,
                                int32_t *head)
{
    ig_bert *m = make_model(c, 1);
    stir(m, 0.3, 2);
    test_batch t = make_batch(c, length, n_seq, 0, 3);
    ig_rng r = ig_rng_make(9, IG_STREAM_TEST, 3, 0);
    int n = 0;
    for (int s = 0; s < n_seq; s++) {
        const int before = n;
        for (int i = t.b.seq_start[s]; i < t.b.seq_start[s + 1]; i++) {
            const bool root = head != NULL && i == t.b.seq_start[s];
            if (!root && (i % 3 == 0 || i == t.b.seq_start[s]))
                continue;
            row[n] = i;
            label[n++] = root ? -1 : (int32_t)ig_rng_below(&r, (uint32_t)c->head[kind].n_label);
        }
        for (int i = before; i < n && head != NULL; i++)
            head[i] = i == before ? -1 : (int32_t)ig_rng_below(&r, (uint32_t)(n - before));
    }
    t.b.target[kind] = (ig_targets){n, row, label, head};
    ig_pass pass = make_pass(true);
    pass.scale[kind] = pass.scale[IG_HEAD_MASKED];
    ig_team *team = make_team(3);
    ig_engine *e = make_engine(m, team, NULL), *alone = make_engine(m, NULL, NULL);
    run_train(e, &t.b, &pass);
    run_train(alone, &t.b, &pass);
    const int64_t n_weight = ig_bert_n_weight(m);
    assert_memory_equal(ig_engine_gradient(e), ig_engine_gradient(alone),
                        (size_t)n_weight * sizeof(float));
    double *w = calloc((size_t)n_weight, sizeof *w),
           *pad = calloc((size_t)c->hidden_size, sizeof *pad);
    assert_true(w != NULL && pad != NULL);
    for (int64_t i = 0; i < n_weight; i++)
        w[i] = (double)ig_bert_weights(m)[i];
    for (int i = 0; i < c->hidden_size && c->pad_token_id >= 0; i++)
        pad[i] = w[(int64_t)c->pad_token_id * c->hidden_size + i];
    twin d = {.model = m, .w = w, .pad_in = pad, .pass = &pass, .states = make_states(c, &t.b)};
    const double reference = twin_loss(&d, &t.b), h = 1e-4;
    assert_true(fabs(ig_engine_result(e, kind).loss - reference) <= 4e-6 * reference);
    for (int k = 0; k < ig_bert_n_param(m); k++) {
        const ig_bert_param *p = &ig_bert_params(m)[k];
        if (p->frozen || (strncmp(p->name, prefix, strlen(prefix)) != 0 &&
                          strstr(p->name, "layer.1.output.dense.bias") == NULL))
            continue;
        const int64_t size = (int64_t)p->rows * p->cols;
        double got = 0, total = 0, value[2];
        d.same = 0;
        twin_renew(&d, &t.b);
        d.same = twin_same(c, p->name);
        for (int pass_no = 0; pass_no < 3; pass_no++) { /* up, down, back */
            ig_rng way = ig_rng_make(13, IG_STREAM_TEST, 4, 0);
            for (int64_t i = p->offset; i < p->offset + size; i++) {
                const double by = ig_rng_normal(&way) / sqrt((double)size);
                w[i] += by * h * (pass_no == 1 ? -2 : 1);
                got += pass_no == 0 ? by * (double)ig_engine_gradient(e)[i] : 0;
                total += pass_no == 0
                             ? (double)(ig_engine_gradient(e)[i] * ig_engine_gradient(e)[i])
                             : 0;
            }
            if (pass_no < 2)
                value[pass_no] = twin_loss(&d, &t.b);
        }
        const double want = (double)pass.scale[kind] * (value[0] - value[1]) / (2 * h);
        /* The slope is of the order of the gradient's length over the root of its elements. */
        if (!(total > 0 && fabs(got - want) <= 1e-4 * sqrt(total / (double)size) + 1e-7)) {
            print_error("%s: slope %.9g, want %.9g\n", p->name, got, want);
            fail();
        }
    }
    free(d.states);
    free(w);
    free(pad);
    ig_engine_free(e);
    ig_engine_free(alone);
    ig_team_free(team);
    ig_bert_free(m);
    free_batch(&t);
}

static inline ig_bert_config tiny(void)
{
    return (ig_bert_config){.vocab_size = 13,
                            .hidden_size = 6,
                            .num_hidden_layers = 2,
                            .num_attention_heads = 2,
                            .intermediate_size = 7,
                            .max_position_embeddings = 5,
                            .type_vocab_size = 2,
                            .pad_token_id = 0,
                            .hidden_dropout_prob = 0.2f,
                            .attention_probs_dropout_prob = 0.3f,
                            .layer_norm_eps = 1e-5f,
                            .initializer_range = 0.02f};
}

static const int lengths[] = {4, 2, 5, 1, 3};
