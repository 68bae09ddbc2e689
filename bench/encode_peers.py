#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Vectors of sentences from Python: isoglot.Model.encode beside transformers, and beside ONNX Runtime, CTranslate2 and
sentence-transformers where they are installed.

    python bench/encode_peers.py --model FOLDER --text FILE [--sentences 1000] [--rounds 3]

One thread each, processor time, float32; the programs take turns and each keeps its best round. All go from text to one
vector a sentence, the mean of the last layer's states of its pieces (in sentence-transformers [CLS] and [SEP] are among
them, so its vectors are others). Each peer gets its batches of 32 sorted by length, which is how isoglot packs them;
transformers is timed with batches as they come, too. ONNX Runtime has the graph that torch.onnx.export (onnx, onnxscript) writes of
the model. That the vectors agree is checked. $ISOGLOT_LIBRARY names the library.
"""
import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.update(TOKENIZERS_PARALLELISM="false", RAYON_NUM_THREADS="1", OMP_NUM_THREADS="1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

import numpy as np
import torch
import transformers

import isoglot


def encode(states, tokenizer, sentences, size, longest, sort=True):
    """float32 [n, size]: means of states(ids, mask) [batch, length, size] over the pieces that are not special, batches of 32."""
    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]) if sort else 0)
    out = np.empty((len(sentences), size), dtype=np.float32)
    for i in range(0, len(order), 32):
        rows = order[i : i + 32]
        batch = tokenizer([sentences[k] for k in rows], padding=True, truncation=True, return_tensors="np", max_length=longest,
                          return_special_tokens_mask=True)
        keep = (1 - batch["special_tokens_mask"])[..., None].astype(np.float32)
        h = states(batch["input_ids"], batch["attention_mask"])
        out[rows] = (h * keep).sum(1) / np.maximum(keep.sum(1), 1)
    return out


def of_transformers(model):
    def states(ids, mask):
        with torch.inference_mode():
            return model(input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask)).last_hidden_state.numpy()

    return states


class LastStates(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask):
        return self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state


def of_onnx(model, folder):
    import onnxruntime

    ids = torch.ones((2, 7), dtype=torch.int64)
    mask = ids.clone()
    mask[1, 4:] = 0  # where all is attended to, the export leaves the mask out
    shape = {0: torch.export.Dim("n", min=1), 1: torch.export.Dim("length", min=2, max=model.config.max_position_embeddings)}
    torch.onnx.export(LastStates(model), (ids, mask), f"{folder}/model.onnx", input_names=["ids", "mask"],
                      dynamic_shapes={"input_ids": shape, "attention_mask": shape}, dynamo=True, verbose=False)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(f"{folder}/model.onnx", options, providers=["CPUExecutionProvider"])
    return lambda ids, mask: session.run(None, {"ids": ids, "mask": mask})[0]


def of_ctranslate2(source, folder):
    import ctranslate2

    ctranslate2.converters.TransformersConverter(source).convert(f"{folder}/ct2")
    encoder = ctranslate2.Encoder(f"{folder}/ct2", device="cpu", intra_threads=1, compute_type="float32")
    return lambda ids, mask: np.array(
        encoder.forward_batch([row[:n].tolist() for row, n in zip(ids, mask.sum(1))]).last_hidden_state)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--text", required=True)
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    torch.set_num_threads(1)
    lines = [s for s in Path(given.text).read_text(encoding="utf-8").splitlines() if s.strip()]
    sentences = lines[:: max(1, len(lines) // given.sentences)][: given.sentences]
    ours = isoglot.Model(given.model, threads=1)
    tokenizer = transformers.AutoTokenizer.from_pretrained(given.model)
    model = transformers.AutoModel.from_pretrained(given.model, dtype=torch.float32).eval()
    longest = model.config.max_position_embeddings

    def peer(states, sort=True):
        return lambda: encode(states, tokenizer, sentences, ours.size, longest, sort)

    folder = tempfile.TemporaryDirectory()
    rough = isoglot.Model(given.model, threads=1, precision="bfloat16")
    run = {"isoglot": lambda: ours.encode(sentences, layer=ours.depth),
           "isoglot, bfloat16": lambda: rough.encode(sentences, layer=ours.depth),
           "transformers, batches as they come": peer(of_transformers(model), sort=False),
           "transformers": peer(of_transformers(model))}
    for name, make in {"ONNX Runtime": lambda: of_onnx(model, folder.name),
                       "CTranslate2": lambda: of_ctranslate2(given.model, folder.name)}.items():
        try:
            run[name] = peer(make())
        except ImportError as missing:
            print(f"{name} is left out: {missing}")
    try:
        import sentence_transformers
        whole = sentence_transformers.SentenceTransformer(given.model, device="cpu")
        run["sentence-transformers"] = lambda: whole.encode(sentences, batch_size=32)
    except ImportError as missing:
        print(f"sentence-transformers is left out: {missing}")
    best, vectors = {}, {}
    for _ in range(given.rounds):
        for name, work in run.items():
            begin = time.process_time()
            vectors[name] = work()
            best[name] = min(best.get(name, float("inf")), time.process_time() - begin)
    theirs = vectors["transformers"]
    other = ("sentence-transformers", "isoglot, bfloat16")
    apart = {name: np.abs(v - theirs).max() / np.abs(theirs).max() for name, v in vectors.items() if name not in other}
    print(f"{len(sentences)} sentences; vectors apart from transformers' by at most {max(apart.values()):.1e} of the largest value")
    for name, seconds in best.items():
        print(f"{name:34} {seconds:7.2f} s {len(sentences) / seconds:8.0f} sentences/s {seconds / best['isoglot']:6.2f}")
    if max(apart.values()) > 1e-3:
        sys.exit(f"other vectors: {max(apart, key=apart.get)}")


if __name__ == "__main__":
    main()
