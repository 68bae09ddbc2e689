#!/usr/bin/env python3
"""Times other programs on what tools/gpu_check times: whole updates (forward, backward, clipping, AdamW) of masked language
models on sequences of one length, 15 % of their tokens predicted and only those rows decoded. transformers' BERT by
torch.compile with scaled dot-product attention, one replica; the same network in JAX by vmap over replicas, scanned over
updates. Usage: tools/gpu_peers.py TABLE.tsv (appended: name, real tokens a second, GB of memory). EMULATED=1: a few updates
of tiny models on the CPU, to see that all of it runs."""
import functools
import math
import os
import sys
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # PyTorch is in this process, too
SMALL = dict(layers=12, d=64, heads=1, ffn=256, vocab=4096, length=28, batch=256)
BASE = dict(layers=12, d=768, heads=12, ffn=3072, vocab=4096, length=128, batch=64)
TINY = bool(os.environ.get("EMULATED"))
DEVICE = "cpu" if TINY else "cuda"
if TINY:
    SMALL = BASE = dict(layers=2, d=16, heads=2, ffn=32, vocab=100, length=12, batch=4)


def add_row(name, tokens, seconds, memory):
    with open(sys.argv[1], "a", encoding="utf-8") as table:
        table.write(f"{name}\t{tokens / seconds:.0f}\t{memory / 1e9:.1f}\n")
    print(f"{name}: {tokens / seconds:.0f} tokens/s", flush=True)


def time_torch(name, s, bf16, updates):
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    config = BertConfig(vocab_size=s["vocab"], hidden_size=s["d"], num_hidden_layers=s["layers"], intermediate_size=s["ffn"],
                        num_attention_heads=s["heads"], max_position_embeddings=512, attn_implementation="sdpa")
    net = BertModel(config, add_pooling_layer=False).to(DEVICE).train()
    dense, norm = torch.nn.Linear(s["d"], s["d"]).to(DEVICE), torch.nn.LayerNorm(s["d"]).to(DEVICE)
    bias = torch.nn.Parameter(torch.zeros(s["vocab"], device=DEVICE))
    parameters = [*net.parameters(), *dense.parameters(), *norm.parameters(), bias]
    adam = torch.optim.AdamW(parameters, lr=1e-4, fused=True)
    n = s["batch"] * s["length"]
    masked = n * 15 // 100

    @functools.partial(torch.compile, backend="eager" if TINY else "inductor")
    def loss_of(ids, rows, labels):
        with torch.autocast(DEVICE, torch.bfloat16, enabled=bf16):
            states = net(input_ids=ids).last_hidden_state.reshape(n, -1)[rows]
            states = norm(torch.nn.functional.gelu(dense(states)))
            return torch.nn.functional.cross_entropy(
                (states @ net.embeddings.word_embeddings.weight.T + bias).float(), labels)

    def update():
        ids = torch.randint(0, s["vocab"], (s["batch"], s["length"]), device=DEVICE)
        rows = torch.randperm(n, device=DEVICE)[:masked]
        loss_of(ids, rows, ids.reshape(n)[rows]).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        adam.step()
        adam.zero_grad(set_to_none=True)

    for _ in range(10):
        update()
    if not TINY:
        torch.cuda.synchronize()
    start = time.time()
    for _ in range(updates):
        update()
    if not TINY:
        torch.cuda.synchronize()
    add_row(name, n * updates, time.time() - start, 0 if TINY else torch.cuda.max_memory_allocated())


def time_jax(name, s, replicas, updates):
    import jax
    import jax.numpy as jnp
    import optax

    n = s["batch"] * s["length"]
    masked = n * 15 // 100
    d, ffn = s["d"], s["ffn"]

    def init(key):
        k = jax.random.split(key, 8)

        def normal(key, *shape):
            return 0.02 * jax.random.normal(key, shape)
        layers = dict(qkv=normal(k[0], s["layers"], d, 3 * d), out=normal(k[1], s["layers"], d, d),
                      up=normal(k[2], s["layers"], d, ffn), down=normal(k[3], s["layers"], ffn, d),
                      b_qkv=jnp.zeros((s["layers"], 3 * d)), b_out=jnp.zeros((s["layers"], d)),
                      b_up=jnp.zeros((s["layers"], ffn)), b_down=jnp.zeros((s["layers"], d)),
                      g1=jnp.ones((s["layers"], d)), g2=jnp.ones((s["layers"], d)),
                      h1=jnp.zeros((s["layers"], d)), h2=jnp.zeros((s["layers"], d)))
        return dict(layers=layers, word=normal(k[4], s["vocab"], d), position=normal(k[5], 512, d),
                    dense=normal(k[6], d, d), g=jnp.ones(d), h=jnp.zeros(d), bias=jnp.zeros(s["vocab"]))

    def norm(x, g, h):
        mean = x.mean(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-12) * g + h

    def drop(key, x):
        return jnp.where(jax.random.bernoulli(key, 0.9, x.shape), x / 0.9, 0)

    def loss_of(p, key):
        keys = jax.random.split(key, 3)
        ids = jax.random.randint(keys[0], (s["batch"], s["length"]), 0, s["vocab"])
        rows = jax.random.permutation(keys[1], n)[:masked]
        x = norm(p["word"][ids] + p["position"][:s["length"]], 1, 0)

        def layer(carry, w):
            x, key = carry
            key, *k = jax.random.split(key, 4)
            q, kk, v = jnp.split(x @ w["qkv"] + w["b_qkv"], 3, -1)

            def heads(y):
                return y.reshape(s["batch"], s["length"], s["heads"], d // s["heads"])
            scores = jnp.einsum("bihc,bjhc->bhij", heads(q), heads(kk)) / math.sqrt(d // s["heads"])
            ctx = jnp.einsum("bhij,bjhc->bihc", drop(k[0], jax.nn.softmax(scores)), heads(v)).reshape(x.shape)
            x = norm(x + drop(k[1], ctx @ w["out"] + w["b_out"]), w["g1"], w["h1"])
            inner = jax.nn.gelu(x @ w["up"] + w["b_up"], approximate=False)
            return (norm(x + drop(k[2], inner @ w["down"] + w["b_down"]), w["g2"], w["h2"]), key), None

        (x, _), _ = jax.lax.scan(layer, (x, keys[2]), p["layers"], unroll=s["layers"])
        x = norm(jax.nn.gelu(x.reshape(n, d)[rows] @ p["dense"], approximate=False), p["g"], p["h"])
        logits = x @ p["word"].T + p["bias"]
        return optax.softmax_cross_entropy_with_integer_labels(logits, ids.reshape(n)[rows]).mean()

    adam = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-4))

    def update(state, key):
        p, moments = state
        change, moments = adam.update(jax.grad(loss_of)(p, key), moments, p)
        return (optax.apply_updates(p, change), moments), None

    @functools.partial(jax.jit, static_argnums=2, donate_argnums=0)
    def train(state, keys, updates):
        return jax.vmap(lambda st, key: jax.lax.scan(update, st, jax.random.split(key, updates))[0])(state, keys)

    p = jax.vmap(init)(jax.random.split(jax.random.key(0, impl="rbg"), replicas))
    state = (p, jax.vmap(adam.init)(p))
    keys = jax.random.split(jax.random.key(1, impl="rbg"), replicas)
    state = jax.block_until_ready(train(state, keys, updates))
    start = time.time()
    jax.block_until_ready(train(state, keys, updates))
    seconds = time.time() - start
    memory = (jax.devices()[0].memory_stats() or {}).get("peak_bytes_in_use", 0)
    add_row(name, n * updates * replicas, seconds, memory)


def main():
    for what in (lambda: time_torch("torch.compile BERT-small, float32, 1 replica", SMALL, False, 100),
                 lambda: time_jax("JAX vmap BERT-small, 8 replicas", SMALL, 8, 20),
                 lambda: time_jax("JAX vmap BERT-small, 55 replicas", SMALL, 55, 10),
                 lambda: time_torch("torch.compile BERT-base, bfloat16", BASE, True, 60)):
        try:
            what()
        except Exception as why:  # another peer may be there
            print(f"{type(why).__name__}: {why}", file=sys.stderr)


if __name__ == "__main__":
    main()
