#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same batches through isoglot and through PyTorch + transformers, in one run, as ratios.

    python bench/peers.py --program build/isoglot-bench [--preset bert-small] [--threads 2] [--updates 8]
    python bench/peers.py --pairs --preset bert-base --vocab-size 30522 --updates 3

With --causal each token predicts the next: BertLMHeadModel as users run it, sorted by length (SDPA with its own causal mask
and no other, since what is padded comes last), and packed: isoglot's very batches in rows of 128 tokens that sentences fill,
with a mask by sentence. isoglot's masked model is then measured in turns with its causal one. With --pairs it is fine-tuning
for three labels of 32 pairs as long as those of MultiNLI: BertForSequenceClassification
with all padded to 128 tokens, as run_xnli.py has it, and sorted by length. Else pre-training. Batches come from `isoglot-bench train --write-batches`. Two programs are compared with: BertForMaskedLM
as users run it (a batch padded to its longest sentence, attention mask, logits at every position), and the
best that PyTorch does without kernels of its own (sentences sorted by length over all batches before they
are cut, so that little padding is left, SDPA attention, output layer on the masked rows alone). Each does whole updates: forward, backward,
clipping, AdamW. Only real tokens are counted. Like is compared with like: isoglot in float32 with PyTorch in float32, isoglot with
products in bfloat16 with PyTorch under autocast to bfloat16. Efficiency is the share of large matrix products of the same
precision on the same machine. isoglot is measured before and after PyTorch. Needs torch and transformers.
"""
import argparse
import json
import os
import subprocess
import tempfile
import time


PACKED = "packed in rows of 128 tokens, masked by sentence"


def sentences(batches):
    """(input, labels) of every sentence; label -100 where nothing is predicted."""
    for b in batches:
        labels = [-100] * len(b["input"])
        for row, label in zip(b["row"], b["label"]):
            labels[row] = label
        for i, j in zip(b["start"], b["start"][1:]):
            yield b["input"][i:j], labels[i:j]


def padded(rows, torch, width=0):
    width = max([width] + [len(ids) for ids, _ in rows])
    ids = torch.zeros(len(rows), width, dtype=torch.long)
    mask = torch.zeros(len(rows), width, dtype=torch.long)
    labels = torch.full((len(rows), width), -100)
    for i, (row, label) in enumerate(rows):
        ids[i, : len(row)] = torch.tensor(row)
        mask[i, : len(row)] = 1
        labels[i, : len(row)] = torch.tensor(label)
    return ids, mask, labels, sum(len(r) for r, _ in rows)


def packed(rows, torch, width=128):
    """Rows of `width` tokens, each filled with sentences, the longest first; the mask lets a token see those of its own sentence
    before it. (ids, mask and positions, labels, tokens)"""
    room, where = [], []
    for ids, _ in sorted(rows, key=lambda r: -len(r[0])):
        k = next((k for k, n in enumerate(room) if n >= len(ids)), len(room))
        room += [width] if k == len(room) else []
        where.append((k, width - room[k]))
        room[k] -= len(ids)
    ids, position, sentence = (torch.full((len(room), width), x) for x in (0, 0, -1))
    labels = torch.full((len(room), width), -100)
    for i, ((row, label), (k, at)) in enumerate(zip(sorted(rows, key=lambda r: -len(r[0])), where)):
        here = slice(at, at + len(row))
        ids[k, here], labels[k, here] = torch.tensor(row), torch.tensor(label)
        position[k, here], sentence[k, here] = torch.arange(len(row)), i
    mask = (sentence[:, :, None] == sentence[:, None]).tril()[:, None]
    return ids, (mask, position), labels, sum(len(r) for r, _ in rows)


def loss_of(model, batch, sparse, torch):
    ids, mask, labels, _ = batch
    if isinstance(mask, tuple):
        hidden = model.bert(input_ids=ids, attention_mask=mask[0], position_ids=mask[1], use_cache=False).last_hidden_state
        chosen = labels >= 0
        return torch.nn.functional.cross_entropy(model.cls(hidden[chosen]), labels[chosen])
    if model.config.architectures == ["pairs"]:
        return model(input_ids=ids, attention_mask=mask, labels=labels[:, 0]).loss
    if model.config.is_decoder:
        if not sparse:
            return model(input_ids=ids, attention_mask=mask, labels=ids.masked_fill(mask == 0, -100)).loss
        hidden = model.bert(input_ids=ids, use_cache=False).last_hidden_state
        chosen = labels >= 0
        return torch.nn.functional.cross_entropy(model.cls(hidden[chosen]), labels[chosen])
    if not sparse:
        return model(input_ids=ids, attention_mask=mask, labels=labels).loss
    hidden = model.bert(input_ids=ids, attention_mask=mask).last_hidden_state
    chosen = labels >= 0
    return torch.nn.functional.cross_entropy(model.cls(hidden[chosen]), labels[chosen])


def rate(args, rows, size, how, half, torch, transformers):
    """Real tokens per second of processor time of `threads` cores, or of wall time; `half`: under autocast to bfloat16."""
    sort = how.startswith("sorted")
    torch.manual_seed(0)
    config = transformers.BertConfig(vocab_size=args.vocab_size)
    if args.preset == "bert-small":
        config = transformers.BertConfig(
            vocab_size=args.vocab_size, hidden_size=64, num_hidden_layers=12,
            num_attention_heads=1, intermediate_size=256, max_position_embeddings=512)
    config.num_labels = 3
    config.is_decoder = args.causal
    if args.pairs:
        config.architectures = ["pairs"]
    model = (transformers.BertForSequenceClassification if args.pairs else transformers.BertLMHeadModel if args.causal
             else transformers.BertForMaskedLM)(config).train()
    adam = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.01, eps=1e-6)
    if sort:
        rows = sorted(rows, key=lambda r: len(r[0]))
    width = 128 if args.pairs and not sort else 0
    batches = [packed(rows[i : i + size], torch) if how == PACKED else padded(rows[i : i + size], torch, width)
               for i in range(0, len(rows), size)]
    # An even sample of the lengths, whatever the number of updates.
    chosen = [batches[(i * len(batches)) // args.updates % len(batches)] for i in range(args.updates)]
    clock = time.process_time if args.busy_time else time.perf_counter
    tokens, begin = 0, 0.0
    for i, batch in enumerate(chosen[:1] + chosen):
        if i == 1:
            tokens, begin = 0, clock()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
            loss = loss_of(model, batch, sort, torch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
        adam.zero_grad()
        tokens += batch[3]
    spent = clock() - begin
    return tokens / (spent / args.threads if args.busy_time else spent)


def ours(command, precisions):
    """Reports of isoglot by precision."""
    return {precision: json.loads(subprocess.run(command + ["--precision", precision], check=True,
                                                 capture_output=True).stdout)
            for precision in precisions}


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--program", default="build/isoglot-bench")
    p.add_argument("--preset", choices=["bert-small", "bert-base"], default="bert-small")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--updates", type=int, default=8)
    p.add_argument("--updates-of-isoglot", type=int, default=0, help="0: as isoglot-bench train has it")
    p.add_argument("--vocab-size", type=int, default=4096)
    p.add_argument("--busy-time", action="store_true", help="processor time instead of wall time")
    p.add_argument("--pairs", action="store_true", help="fine-tuning for labels of pairs, not pre-training")
    p.add_argument("--causal", action="store_true", help="each token predicts the next")
    p.add_argument("--best", action="store_true", help="without the program as users run it, which takes longest")
    p.add_argument("--precision", nargs="+", choices=["float32", "bfloat16"], default=["float32", "bfloat16"],
                   help="bfloat16 is worth its time where the CPU has products in it")
    p.add_argument("--text", help="batches of this text, not generated ones")
    p.add_argument("--ids", help="its verses, such as NT")
    args = p.parse_args()
    import torch
    import transformers

    torch.set_num_threads(args.threads)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "batches.jsonl")
        command = [args.program, "train", "--preset", args.preset, "--json", "--threads",
                   str(args.threads), "--write-batches", path]
        command += ["--vocab-size", str(args.vocab_size)]
        command += ["--head", "pairs"] if args.pairs else ["--head", "next-words"] if args.causal else []
        if args.updates_of_isoglot:
            command += ["--updates", str(args.updates_of_isoglot)]
        if args.busy_time:
            command.append("--busy-time")
        for key in ("text", "ids"):
            if getattr(args, key):
                command += ["--" + key, getattr(args, key)]
        as_masked = [x for x in command if x not in ("--head", "next-words", "--write-batches", path)]
        masked = [ours(as_masked, args.precision)] if args.causal else []
        first = ours(command, args.precision)
        with open(path, encoding="utf-8") as f:
            batches = [json.loads(line) for line in f]
        rows = list(sentences(batches))
        size = len(rows) // len(batches)
        best = ["sorted"] if args.pairs else ["sorted", PACKED] if args.causal else ["sorted, masked rows only"]
        peer = {precision: {how: rate(args, rows, size, how, precision == "bfloat16", torch, transformers)
                            for how in ([] if args.best else ["as users run it"]) + best}
                for precision in first}
        second = ours(command, args.precision)
        masked += [ours(as_masked, args.precision)] if args.causal else []
    report = {
        "preset": args.preset, "threads": args.threads,
        "clock": "processor" if args.busy_time else "wall",
        "torch": torch.__version__, "transformers": transformers.__version__}
    for precision in first:
        mine = [r[precision] for r in (first, second)]
        ours_rate = sum(r["tokens_per_second"] for r in mine) / 2
        report[precision] = {
            "isoglot, tokens/s": ours_rate,
            "efficiency": sum(r["efficiency"] for r in mine) / 2, "peak memory, GB": mine[0]["peak_memory"] * 1e-9,
            "products, GFLOP/s": sum(r["gemm_gflops"] for r in mine) / 2, "products by": mine[0]["gemm_kernel"],
            "transformers, tokens/s": peer[precision],
            "isoglot is faster by": {how: ours_rate / x for how, x in peer[precision].items()}}
        if masked:
            shares = [r[precision]["efficiency"] for r in masked]
            report[precision]["efficiency, masked"] = sum(shares) / 2
            report[precision]["of masked efficiency"] = 2 * report[precision]["efficiency"] / sum(shares)
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
