#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Vectors of sentences from Python: isoglot.Model.encode beside transformers, and sentence-transformers where it is installed.

    python bench/encode_peers.py --model FOLDER --text FILE [--sentences 1000] [--rounds 3] [--layer L]

One thread each, processor time, float32; the programs take turns and each keeps its best round. Both go from text to one
vector a sentence, the mean of a layer's states of its pieces (in sentence-transformers of the last layer's, [CLS] and [SEP]
among them, so its vectors are others). transformers is timed twice: with batches of 32 as they come, and sorted by length, which is how
isoglot packs them. That the vectors agree is checked. $ISOGLOT_LIBRARY names the library.
"""
import argparse
import os
import sys
import time
from pathlib import Path

os.environ.update(TOKENIZERS_PARALLELISM="false", RAYON_NUM_THREADS="1", OMP_NUM_THREADS="1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

import numpy as np
import torch
import transformers

import isoglot


def of_transformers(model, tokenizer, sentences, layer, sort):
    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]) if sort else 0)
    out = np.empty((len(sentences), model.config.hidden_size), dtype=np.float32)
    for i in range(0, len(order), 32):
        rows = order[i : i + 32]
        batch = tokenizer([sentences[k] for k in rows], padding=True, truncation=True, return_tensors="pt",
                          max_length=model.config.max_position_embeddings, return_special_tokens_mask=True)
        special = batch.pop("special_tokens_mask")
        with torch.inference_mode():
            h = model(**batch, output_hidden_states=True).hidden_states[layer]
        keep = (1 - special).unsqueeze(-1).float()
        out[rows] = ((h * keep).sum(1) / keep.sum(1).clamp(min=1)).numpy()
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--text", required=True)
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--layer", type=int)
    given = parser.parse_args()
    torch.set_num_threads(1)
    lines = [s for s in Path(given.text).read_text(encoding="utf-8").splitlines() if s.strip()]
    sentences = lines[:: max(1, len(lines) // given.sentences)][: given.sentences]
    ours = isoglot.Model(given.model, threads=1)
    layer = ours.depth if given.layer is None else given.layer
    tokenizer = transformers.AutoTokenizer.from_pretrained(given.model)
    model = transformers.AutoModel.from_pretrained(given.model, dtype=torch.float32).eval()
    run = {"isoglot": lambda: ours.encode(sentences, layer=layer),
           "transformers, batches of 32": lambda: of_transformers(model, tokenizer, sentences, layer, False),
           "transformers, sorted by length": lambda: of_transformers(model, tokenizer, sentences, layer, True)}
    try:
        import sentence_transformers
        parts = [sentence_transformers.models.Transformer(given.model)]
        parts.append(sentence_transformers.models.Pooling(parts[0].get_word_embedding_dimension()))
        whole = sentence_transformers.SentenceTransformer(modules=parts, device="cpu")
        run["sentence-transformers"] = lambda: whole.encode(sentences, batch_size=32)
    except ImportError:
        print("sentence-transformers is not installed")
    best, vectors = {}, {}
    for _ in range(given.rounds):
        for name, work in run.items():
            begin = time.process_time()
            vectors[name] = work()
            best[name] = min(best.get(name, float("inf")), time.process_time() - begin)
    theirs = vectors["transformers, sorted by length"]
    apart = np.abs(vectors["isoglot"] - theirs).max() / np.abs(theirs).max()
    print(f"{len(sentences)} sentences, layer {layer}; vectors apart by at most {apart:.1e} of the largest value")
    for name, seconds in best.items():
        print(f"{name:32} {seconds:7.2f} s {len(sentences) / seconds:8.0f} sentences/s {seconds / best['isoglot']:6.2f}")
    if apart > 1e-3:
        sys.exit("other vectors")


if __name__ == "__main__":
    main()
