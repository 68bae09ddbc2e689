/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot-bench train: tokens per second of training and their share of the machine's rate.
 */
#include "bench/bench_train.h"
#include "bench/commands.h"
#include "cli/print/print.h"
#include "model/separate.h"

#include <stdio.h>

typedef struct {
    int preset, head, layers, batch, length, vocab_size;
    ig_bench_train_options o;
    ig_bench_text text;
    bool json;
    char *write, *separate;
} bench_config;

enum { SMALL, BASE, GPT2 };
static const char *const presets[] = {"bert-small", "bert-base", "gpt2", NULL};

/* As bench/heads_peers.py compares them: K et al. 2020's tagger, crosslingual-nlp's parser, whose
 * encoder is frozen; pairs: fine-tuning for XNLI, as bench/peers.py --pairs; next-words: a causal
 * model, as bench/peers.py --causal. */
enum { NEXT_WORDS = 1 };
static const struct {
    ig_head_kind kind;
    ig_head_config config;
} heads[] = {
    {.kind = IG_HEAD_MASKED},
    [NEXT_WORDS] = {.kind = IG_HEAD_MASKED},
    {IG_HEAD_TOKEN, {.n_label = 17, .frozen = true}},
    {IG_HEAD_CRF,
     {.n_label = 17, .frozen = true, .dropout = .5f, .inner_dropout = .5f, .lstm_layers = 2}},
    {IG_HEAD_PARSER, {.n_label = 38, .frozen = true, .dropout = .2f, .inner_dropout = .33f}},
    {IG_HEAD_SEQUENCE, {.n_label = 3, .dropout = .1f}}};
static const char *const head_names[] = {"masked-words", "next-words", "tokens", "bilstm-crf",
                                         "parser",       "pairs",      NULL};

static const ig_option options[] = {
    {IG_ENUM(bench_config, "preset", preset, "bert-small", presets,
             "model to train; gpt2: the blocks of GPT-2 without dropout, in the size of bert-base, "
             "causal")},
    {IG_ENUM(bench_config, "head", head, "masked-words", head_names,
             "what is trained; next-words: a causal model; tokens, bilstm-crf, parser: on a frozen "
             "encoder, all tokens being "
             "targets; pairs: fine-tuning of all for three labels of sequences")},
    {IG_INT(bench_config, "layers", layers, "0", 0, 48, "layers of the encoder; 0: 12")},
    {IG_INT(bench_config, "vocab-size", vocab_size, "4096", 100, 1000000,
            "rows of the word embeddings")},
    {IG_PATH(
        bench_config, "text", text.text, "FILE",
        "batches of this text and its shifted copy; default: generated, with a Bible's lengths")},
    {IG_TEXT(bench_config, "ids", text.ids, NULL, "RANGE",
             "verses of the text, as for train: NT, OT, books")},
    {IG_INT(bench_config, "threads", o.n_thread, "0", 0, 1024, "threads; 0: all processors")},
    {IG_INT(bench_config, "batch", batch, "0", 0, 100000,
            "sequences of a batch; 0: 256, or 16 for bert-base, 32 pairs")},
    {IG_INT(bench_config, "length", length, "0", 0, 512,
            "tokens of a generated sequence; 0: a Bible's lengths, or 128 for bert-base; pairs: "
            "MultiNLI's lengths")},
    {IG_INT(bench_config, "updates", o.n_update, "0", 0, 1000000,
            "updates that are timed; 0: 60, or 3 for bert-base")},
    {IG_ENUM(bench_config, "precision", o.precision, "float32", ig_precision_names,
             "of the matrix products: float32 or bfloat16")},
    {IG_TEXT(bench_config, "separate", separate, NULL, "PARTS",
             "what each of the two languages has of its own, as for train")},
    {IG_INT(bench_config, "freeze", o.freeze, "0", 0, 12,
            "the embeddings and the N lowest layers are not trained; 0: all is")},
    {IG_FLAG(bench_config, "busy-time", o.busy_time, NULL,
             "count CPU time, not wall-clock time: for a machine with other load")},
    {IG_FLAG(bench_config, "profile", o.profile, NULL, "share of the time of each op")},
    {IG_PATH(bench_config, "write-batches", write, "FILE",
             "write the batches as JSON lines, for other programs to run")},
    {IG_FLAG(bench_config, "json", json, NULL, "print the result as JSON")},
};

static void set(json_t *o, const char *key, double value)
{
    json_object_set_new(o, key, json_real(value));
}

static json_t *to_json(const bench_config *c, const ig_bench_train_result *r)
{
    json_t *o = json_object();
    json_object_set_new(o, "preset", json_string(presets[c->preset]));
    json_object_set_new(o, "head", json_string(head_names[c->head]));
    json_object_set_new(o, "precision", json_string(ig_precision_names[c->o.precision]));
    json_object_set_new(o, "separate", json_string(c->separate != NULL ? c->separate : ""));
    json_object_set_new(o, "freeze", json_integer(c->o.freeze));
    json_object_set_new(o, "kernels", json_string(r->ops));
    json_object_set_new(o, "threads", json_integer(r->n_thread));
    set(o, "tokens_per_second", r->tokens_per_second);
    set(o, "model_gflops", r->model_gflops);
    set(o, "gemm_gflops", r->gemm_gflops);
    json_object_set_new(o, "gemm_kernel", json_string(r->gemm_kernel));
    set(o, "efficiency", r->efficiency);
    set(o, "seconds_per_update", r->seconds_per_update);
    set(o, "optimizer_share", r->optimizer_share);
    set(o, "loss", r->loss);
    json_object_set_new(o, "peak_memory", json_integer(r->peak_memory));
    json_object_set_new(o, "mode", json_string(r->team ? "team" : "lanes"));
    json_object_set_new(o, "shard_tokens", json_integer(r->shard_tokens));
    json_object_set_new(o, "shards", json_integer(r->n_shard));
    json_object_set_new(o, "lanes", json_integer(r->n_lane));
    json_object_set_new(o, "clock", json_string(c->o.busy_time ? "processor" : "wall"));
    if (r->n_op > 0) {
        json_t *p = json_object();
        double all = 0;
        for (int i = 0; i < r->n_op; i++)
            all += r->op[i].seconds;
        for (int i = 0; i < r->n_op; i++)
            set(p, r->op[i].name, all > 0 ? r->op[i].seconds / all : 0);
        json_object_set_new(o, "profile", p);
        p = json_object();
        set(p, "products", r->bound.products);
        set(p, "small", r->bound.small);
        set(p, "epilogues", r->bound.epilogues);
        set(p, "packing", r->bound.packing);
        set(p, "other", r->bound.other);
        set(p, "efficiency", r->bound.efficiency);
        json_object_set_new(o, "bound", p);
    }
    return o;
}

static void print_text(const bench_config *c, const ig_bench_train_result *r)
{
    printf("%s, %s, %d thread%s, kernels %s\n", presets[c->preset],
           ig_precision_names[c->o.precision], r->n_thread, r->n_thread == 1 ? "" : "s", r->ops);
    printf("%10.0f  real tokens/s (%.1f ms an update, optimizer %.1f %%)\n", r->tokens_per_second,
           r->seconds_per_update * 1e3, r->optimizer_share * 100);
    printf("%10.1f  GFLOP/s of the model\n", r->model_gflops);
    printf("%10.1f  GFLOP/s of large %s matrix products, by %s\n", r->gemm_gflops,
           ig_precision_names[c->o.precision], r->gemm_kernel);
    printf("%10.3f  efficiency\n", r->efficiency);
    printf("%10.1f  MB at most\n", (double)r->peak_memory * 1e-6);
    printf("%10d  shard%s of about %d tokens in %d lane%s%s\n", r->n_shard,
           r->n_shard == 1 ? "" : "s", r->shard_tokens, r->n_lane, r->n_lane == 1 ? "" : "s",
           r->team ? ", ops over the team" : "");
    double all = 0;
    for (int i = 0; i < r->n_op; i++)
        all += r->op[i].seconds;
    for (int i = 0; i < r->n_op; i++)
        if (r->op[i].n_call > 0)
            printf("%9.1f %%  %s (%lld calls, %.2f µs each)\n", r->op[i].seconds / all * 100,
                   r->op[i].name, (long long)r->op[i].n_call,
                   r->op[i].seconds / (double)r->op[i].n_call * 1e6);
    const ig_bench_bound *b = &r->bound;
    if (b->efficiency > 0)
        printf("%9.1f %%  products at the rate of large ones; %.1f %% more for small K and copies, "
               "%.1f %% for epilogues; %.1f %% packing, %.1f %% other ops\n"
               "%10.3f  efficiency at most, were every product as fast as large ones\n",
               b->products * 100, b->small * 100, b->epilogues * 100, b->packing * 100,
               b->other * 100, b->efficiency);
}

/* GPT-2 as the programs train it that bench/gpt2_peer.py compares. */
static ig_bert_config config_gpt2(int32_t vocab_size)
{
    ig_bert_config c = ig_bert_config_base(vocab_size);
    c.block = IG_BLOCK_PRE_NORM;
    c.gelu_tanh = c.no_transform = true;
    c.type_vocab_size = 1;
    c.max_position_embeddings = 1024;
    c.hidden_dropout_prob = c.attention_probs_dropout_prob = 0;
    c.layer_norm_eps = 1e-5f;
    return c;
}

static ig_code run_bench_train(void *config, int n_arg, char *const *arg, ig_err *err)
{
    (void)n_arg;
    (void)arg;
    bench_config *c = config;
    const bool base = c->preset != SMALL;
    if (c->preset == GPT2 && c->head == 0)
        c->head = NEXT_WORDS;
    const ig_head_kind kind = heads[c->head].kind;
    if (c->preset == GPT2 && c->head != NEXT_WORDS)
        return ig_fail(err, IG_ERR_USAGE, "--head", 0, "found %s, expected next-words with gpt2",
                       head_names[c->head]);
    const bool pairs = kind == IG_HEAD_SEQUENCE;
    const int batch = c->batch > 0 ? c->batch : pairs ? 32 : base ? 16 : 256;
    const int length = c->length > 0 ? c->length : pairs ? IG_BENCH_PAIRS : base ? 128 : 0;
    int32_t v = c->vocab_size;
    ig_bench_batches batches;
    ig_bert_separate separate;
    IG_TRY(ig_bert_separate_parse(&separate, c->separate, 12, "separate", err));
    ig_bench_text text = c->text;
    text.grouped = c->separate != NULL;
    if (text.text != NULL)
        IG_TRY(ig_bench_batches_text(&batches, &text, batch, &v, err));
    else
        IG_TRY(ig_bench_batches_generate(&batches, batch, length, v, err));
    ig_bert_config model = c->preset == GPT2 ? config_gpt2(v)
                           : base            ? ig_bert_config_base(v)
                                             : ig_bert_config_small(v);
    if (c->layers > 0)
        model.num_hidden_layers = c->layers;
    ig_code code = IG_ERR_OK;
    if (c->head == NEXT_WORDS) {
        model.causal = true;
        code = ig_bench_batches_next(&batches, err);
    } else if (kind != IG_HEAD_MASKED) {
        model.head[IG_HEAD_MASKED].n_label = -1;
        model.head[kind] = heads[c->head].config;
        code = ig_bench_batches_ask(&batches, kind, model.head[kind].n_label, err);
    }
    model.separate = separate;
    model.n_language = 2;
    ig_bench_train_options o = c->o;
    o.model = model;
    o.head = kind;
    if (o.n_update == 0)
        o.n_update = base ? 3 : 60;
    o.n_round = 3;
    o.program = "/proc/self/exe";
    ig_bench_train_result r;
    if (code == IG_ERR_OK && c->write != NULL)
        code = ig_bench_batches_write(&batches, c->write, err);
    IG_THEN(code, ig_bench_train(&r, &o, &batches, err));
    ig_bench_batches_free(&batches);
    if (code != IG_ERR_OK)
        return code;
    if (c->json)
        return ig_json_print(to_json(c, &r), err);
    print_text(c, &r);
    return IG_ERR_OK;
}

const ig_command ig_cmd_bench_train = {
    .name = "train",
    .summary = "speed of training, as a share of the machine's matrix products",
    IG_COMMAND_OPTIONS(options, bench_config),
    .run = run_bench_train,
};
