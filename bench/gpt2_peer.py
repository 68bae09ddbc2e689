#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training of GPT-2's shape by isoglot and by llm.c's reference program for processors, in one run, as a ratio.

    python bench/gpt2_peer.py --llmc train_gpt2 [--program build/isoglot-bench] [--threads 1] [--updates 4] [--batch 4] [--length 64]

llm.c (github.com/karpathy/llm.c) is not part of this repository: build its train_gpt2 with its own Makefile (`make train_gpt2`).
Batch and length are what its source says (B, T in main); another number here is refused. It reads a model and tokens of the
names that are in its source: both are written here, the weights random. Each program does whole updates in float32: forward,
backward, AdamW; isoglot clips gradients, too, and predicts the next token of all tokens but a sequence's last, llm.c of all.
Processor time of `threads` cores; llm.c is measured between the ends of two of its steps, isoglot before and after it.
"""
import argparse
import array
import json
import os
import random
import subprocess
import tempfile

MODEL, TOKENS = "gpt2_124M.bin", "dev/data/tinyshakespeare/tiny_shakespeare_%s.bin"
MAX_LENGTH, N_TOKEN = 1024, 1 << 16


def write_ints(f, *first):
    array.array("i", list(first) + [0] * (256 - len(first))).tofile(f)


def write_inputs(folder, args):
    """What llm.c reads: weights in its order, norms 1, the rest random; tokens."""
    v, width, layers = args.vocab_size, 768, args.layers
    padded = (v + 127) // 128 * 128
    sizes = [padded * width, MAX_LENGTH * width, layers * width, layers * width, layers * 3 * width * width, layers * 3 * width,
             layers * width * width, layers * width, layers * width, layers * width, layers * 4 * width * width,
             layers * 4 * width, layers * 4 * width * width, layers * width, width, width]
    norms = {2, 8, 14}
    rng = random.Random(0)
    noise = array.array("f", [rng.gauss(0, 0.02) for _ in range(1 << 16)])
    with open(os.path.join(folder, MODEL), "wb") as f:
        write_ints(f, 20240326, 3, MAX_LENGTH, v, layers, 12, width, padded)
        for k, n in enumerate(sizes):
            part = array.array("f", [1.0]) * (1 << 16) if k in norms else noise
            for _ in range(n >> 16):
                part.tofile(f)
            part[: n & 0xFFFF].tofile(f)
    os.makedirs(os.path.join(folder, os.path.dirname(TOKENS)))
    for split in ("train", "val"):
        with open(os.path.join(folder, TOKENS % split), "wb") as f:
            write_ints(f, 20240520, 1, N_TOKEN)
            array.array("H", [rng.randrange(v) for _ in range(N_TOKEN)]).tofile(f)


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
        fields = f.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rate_of_llmc(args, folder):
    """Tokens a second of `updates` steps behind the first two, which allocate."""
    env = dict(os.environ, OMP_NUM_THREADS=str(args.threads))
    with subprocess.Popen(["stdbuf", "-oL", os.path.abspath(args.llmc)], cwd=folder, env=env, stdout=subprocess.PIPE,
                          text=True) as p:
        try:
            begin = None
            for line in p.stdout:
                if line.startswith("train dataset num_batches: ") and int(line.split()[-1]) != N_TOKEN // (args.batch * args.length):
                    raise SystemExit(f"{args.llmc}: its batches are not {args.batch} x {args.length}: --batch, --length")
                if line.startswith("step 1:"):
                    begin = processor_seconds(p.pid)
                if line.startswith(f"step {1 + args.updates}:"):
                    spent = processor_seconds(p.pid) - begin
                    return args.updates * args.batch * args.length / (spent / args.threads)
        finally:
            p.kill()
    raise SystemExit(f"{args.llmc}: ended before its step {1 + args.updates}")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--llmc", required=True, metavar="PATH", help="llm.c's train_gpt2")
    p.add_argument("--program", default="build/isoglot-bench")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--updates", type=int, default=4, choices=range(1, 9), help="before it generates text")
    p.add_argument("--layers", type=int, default=12)
    p.add_argument("--vocab-size", type=int, default=50257)
    p.add_argument("--batch", type=int, default=4)
    p.add_argument("--length", type=int, default=64)
    args = p.parse_args()
    command = [args.program, "train", "--preset", "gpt2", "--json", "--busy-time", "--threads", str(args.threads)]
    for key in ("updates", "layers", "vocab_size", "batch", "length"):
        command += ["--" + key.replace("_", "-"), str(getattr(args, key))]
    with tempfile.TemporaryDirectory() as folder:
        write_inputs(folder, args)
        ours, theirs = [], []
        for turn in range(3):
            if turn % 2 == 0:
                ours.append(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))
            else:
                theirs.append(rate_of_llmc(args, folder))
    mine = sum(r["tokens_per_second"] for r in ours) / len(ours)
    print(json.dumps({"threads": args.threads, "isoglot, tokens/s": mine, "efficiency": [r["efficiency"] for r in ours],
                      "llm.c, tokens/s": theirs[0], "isoglot is faster by": mine / theirs[0]}, indent=2))


if __name__ == "__main__":
    main()
