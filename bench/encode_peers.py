#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Vectors of sentences from Python: isoglot.Model.encode beside transformers, and beside ONNX Runtime, CTranslate2 and
sentence-transformers where they are installed.

    python bench/encode_peers.py --model FOLDER --text FILE [--sentences 1000] [--slices 10] [--isa avx2]

One thread each, processor time, float32. Batches of 32 sorted by length are dealt to slices, and on each slice the programs take
turns, so that other load on the machine hits all of them; a ratio is the median over the slices. All go from text to one
vector a sentence, the mean of the last layer's states of its pieces (in sentence-transformers [CLS] and [SEP] are among
them, so its vectors are others). transformers is timed with batches as they come, too. ONNX Runtime has the graph that
torch.onnx.export (onnx, onnxscript) writes of the model; CTranslate2 has its own format, written here by its specification, as
its converter does not run with today's transformers. --isa avx2 keeps each program from AVX-512 by its own means; ONNX Runtime
has none and runs as it is. That the vectors agree is checked. The last line has the ceiling: large products by torch and
numpy in the same turns, the faster of both; a program whose encoder's products all ran at it and that did nothing else could
be that many times as fast as the fastest peer. $ISOGLOT_LIBRARY names the library.
"""
import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

os.environ.update(TOKENIZERS_PARALLELISM="false", RAYON_NUM_THREADS="1", OMP_NUM_THREADS="1")
if "avx2" in sys.argv or "--isa=avx2" in sys.argv:  # before the libraries are loaded
    os.environ.update(ISOGLOT_CPU="avx2", ONEDNN_MAX_CPU_ISA="AVX2", ATEN_CPU_CAPABILITY="avx2", CT2_FORCE_CPU_ISA="AVX2",
                      MKL_ENABLE_INSTRUCTIONS="AVX2", OPENBLAS_CORETYPE="Haswell")
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


def of_ctranslate2(model, tokenizer, folder):
    """A BERT, by the specification of CTranslate2's BertLoader."""
    import ctranslate2
    from ctranslate2.specs import common_spec, transformer_spec

    config = model.config
    if config.model_type != "bert" or config.hidden_act != "gelu":
        raise ImportError(f"a {config.model_type} with {config.hidden_act} is not written here")
    encoder = transformer_spec.TransformerEncoderSpec(
        config.num_hidden_layers, config.num_attention_heads, pre_norm=False, activation=common_spec.Activation.GELU,
        layernorm_embedding=True, num_source_embeddings=2, embeddings_merge=common_spec.EmbeddingsMerge.ADD)
    encoder.scale_embeddings = False

    def put(spec, *modules):
        spec.weight = np.concatenate([m.weight.detach().numpy() for m in modules])
        spec.bias = np.concatenate([m.bias.detach().numpy() for m in modules])

    def put_norm(spec, norm):
        spec.gamma, spec.beta = norm.weight.detach().numpy(), norm.bias.detach().numpy()

    table = model.embeddings
    encoder.embeddings[0].weight = table.word_embeddings.weight.detach().numpy()
    encoder.embeddings[1].weight = table.token_type_embeddings.weight.detach().numpy()
    encoder.position_encodings.encodings = table.position_embeddings.weight.detach().numpy()
    put_norm(encoder.layernorm_embedding, table.LayerNorm)
    for spec, layer in zip(encoder.layer, model.encoder.layer):
        mine = layer.attention.self
        put(spec.self_attention.linear[0], mine.query, mine.key, mine.value)
        put(spec.self_attention.linear[1], layer.attention.output.dense)
        put_norm(spec.self_attention.layer_norm, layer.attention.output.LayerNorm)
        put(spec.ffn.linear_0, layer.intermediate.dense)
        put(spec.ffn.linear_1, layer.output.dense)
        put_norm(spec.ffn.layer_norm, layer.output.LayerNorm)
    spec = transformer_spec.TransformerEncoderModelSpec(encoder)
    spec.register_vocabulary(tokenizer.convert_ids_to_tokens(list(range(config.vocab_size))))
    spec.config.layer_norm_epsilon = config.layer_norm_eps
    spec.config.unk_token = tokenizer.unk_token
    spec.validate()
    path = Path(folder) / "ct2"
    path.mkdir()
    spec.save(str(path))
    run = ctranslate2.Encoder(str(path), device="cpu", intra_threads=1, compute_type="float32")
    return lambda ids, mask: np.array(
        run.forward_batch([row[:n].tolist() for row, n in zip(ids, mask.sum(1))]).last_hidden_state)


def slices_of(sentences, n):
    """Lists of sentences of about the same lengths: batches of 32 in order of length, dealt out."""
    order = sorted(sentences, key=len)
    batches = [order[i : i + 32] for i in range(0, len(order), 32)]
    return [[s for batch in batches[k::n] for s in batch] for k in range(min(n, len(batches)))]


def flop(model, tokenizer, sentences):
    """FLOP of the encoder's products over real tokens, a multiply-add being two; attention over whole sentences."""
    weights = sum(module.weight.numel() for name, module in model.named_modules()
                  if isinstance(module, torch.nn.Linear) and not name.startswith("pooler"))
    heads = 2 * model.config.hidden_size * model.config.num_hidden_layers  # queries by keys, weights by values
    lengths = [len(ids) for ids in tokenizer(sentences)["input_ids"]]
    return sum(2 * length * (weights + heads * length) for length in lengths)


def ceiling():
    """FLOP/s of large products, a function for torch and one for numpy."""
    a = torch.rand(768, 768)
    b = a.numpy()

    def rate(product):
        begin = time.process_time()
        for _ in range(10):
            product()
        return 10 * 2 * 768**3 / (time.process_time() - begin)

    return [lambda: rate(lambda: a @ a), lambda: rate(lambda: b @ b)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--text", required=True)
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--slices", type=int, default=10)
    parser.add_argument("--isa", choices=["best", "avx2"], default="best")
    given = parser.parse_args()
    torch.set_num_threads(1)
    lines = [s for s in Path(given.text).read_text(encoding="utf-8").splitlines() if s.strip()]
    sentences = lines[:: max(1, len(lines) // given.sentences)][: given.sentences]
    ours = isoglot.Model(given.model, threads=1)
    tokenizer = transformers.AutoTokenizer.from_pretrained(given.model)
    model = transformers.AutoModel.from_pretrained(given.model, dtype=torch.float32).eval()
    longest = model.config.max_position_embeddings

    def peer(states, sort=True):
        return lambda part: encode(states, tokenizer, part, ours.size, longest, sort)

    folder = tempfile.TemporaryDirectory()
    rough = isoglot.Model(given.model, threads=1, precision="bfloat16")
    run = {"isoglot": lambda part: ours.encode(part, layer=ours.depth),
           "isoglot, bfloat16": lambda part: rough.encode(part, layer=ours.depth),
           "transformers, batches as they come": lambda part: peer(of_transformers(model), sort=False)(
               random.Random(0).sample(part, len(part))),
           "transformers": peer(of_transformers(model))}
    for name, make in {"ONNX Runtime": lambda: of_onnx(model, folder.name),
                       "CTranslate2": lambda: of_ctranslate2(model, tokenizer, folder.name)}.items():
        try:
            run[name] = peer(make())
        except ImportError as missing:
            print(f"{name} is left out: {missing}")
    try:
        import sentence_transformers
        whole = sentence_transformers.SentenceTransformer(given.model, device="cpu")
        run["sentence-transformers"] = lambda part: whole.encode(part, batch_size=32)
    except ImportError as missing:
        print(f"sentence-transformers is left out: {missing}")
    spent, apart = {name: [] for name in run}, {}
    other = ("sentence-transformers", "isoglot, bfloat16", "transformers, batches as they come")
    for work in run.values():  # once to warm up
        work(sentences[:64])
    rates = {measure: [] for measure in ceiling()}
    for turn, part in enumerate(slices_of(sentences, given.slices)):
        for measure in rates:
            rates[measure].append(measure())
        names, vectors = list(run), {}
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            begin = time.process_time()
            vectors[name] = run[name](part)
            spent[name].append(time.process_time() - begin)
        theirs = vectors["transformers"]
        for name in set(names) - set(other):
            apart[name] = max(apart.get(name, 0), np.abs(vectors[name] - theirs).max() / np.abs(theirs).max())
    print(f"{len(sentences)} sentences in {len(spent['isoglot'])} slices; vectors apart from transformers' by at most"
          f" {max(apart.values()):.1e} of the largest value")
    for name, seconds in spent.items():
        ratio = statistics.median(s / own for s, own in zip(seconds, spent["isoglot"]))
        print(f"{name:34} {sum(seconds):7.2f} s {len(sentences) / sum(seconds):8.0f} sentences/s {ratio:6.2f}")
    best = max(statistics.median(values) for values in rates.values())
    least = flop(model, tokenizer, sentences) / best
    peers = min(sum(seconds) for name, seconds in spent.items() if not name.startswith("isoglot"))
    print(f"ceiling {best / 1e9:.0f} GFLOP/s: the products alone take {least:.2f} s, {least / sum(spent['isoglot']):.2f} of isoglot's"
          f" time; at most {peers / least:.2f} times the fastest peer")
    if max(apart.values()) > 1e-3:
        sys.exit(f"other vectors: {max(apart, key=apart.get)}")


if __name__ == "__main__":
    main()
