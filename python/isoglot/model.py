"""Models, tokenizers, measures."""

from __future__ import annotations

import ctypes as c
import json
import os
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Sequence, Union, overload

from . import _library as lib

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PathLike = Union[str, "os.PathLike[str]"]
POOLS = {"mean": 0, "cls": 1}


def version() -> str:
    """The version of the library."""
    return str(lib.library().ig_version().decode())


class Tokenizer:
    """A vocab.txt, or a tokenizer.json as Hugging Face writes it (docs/tokenizer.md says of which kinds)."""

    def __init__(self, path: PathLike, lowercase: bool = False) -> None:
        self._free = lib.library().ig_tokenizer_free
        self._t = c.c_void_p()
        err = lib.Err()
        options = lib.TokenizerOptions(lowercase, False)
        lib.check(lib.library().ig_tokenizer_load(c.byref(self._t), os.fsencode(path), c.byref(options), c.byref(err)), err)

    def __del__(self) -> None:
        if getattr(self, "_t", None):
            self._free(self._t)
            self._t = c.c_void_p()

    def __len__(self) -> int:
        return int(lib.library().ig_tokenizer_size(self._t))

    def piece(self, id: int) -> str:
        """The piece of an id; IndexError when there is none."""
        piece = lib.library().ig_tokenizer_piece(self._t, id)
        if piece is None:
            raise IndexError(f"found {id}, expected an id below {len(self)}")
        return str(piece.decode())

    def id(self, piece: str) -> int | None:
        """The id of a piece; None when there is none."""
        found = int(lib.library().ig_tokenizer_id(self._t, piece.encode()))
        return found if found >= 0 else None

    def encode(self, text: str) -> list[int]:
        """The ids of a text's pieces, without [CLS] and [SEP]."""
        f = lib.library()
        data = text.encode("utf-8", errors="replace")
        ids, n, have, err = c.c_void_p(), c.c_int64(), c.c_int64(), lib.Err()
        try:
            lib.check(f.ig_tokenizer_encode(self._t, data, len(data), c.byref(ids), c.byref(n), c.byref(have), c.byref(err)),
                      err)
            return list((c.c_int32 * n.value).from_address(ids.value)) if ids.value else []
        finally:
            f.ig_free(ids)

    def pieces(self, text: str) -> list[str]:
        """The text's pieces themselves."""
        return [self.piece(i) for i in self.encode(text)]


class Model:
    """A run's folder (its newest checkpoint), one of its checkpoints, or a BERT's folder as Hugging Face writes it.

    size: D; depth: L, layers are 0 (embeddings) to L; languages: names of the model's languages, [""] where its folder tells
    of none. threads 0: all processors; the numbers are the same for any. One thread of Python's at a time."""

    def __init__(self, path: PathLike, lowercase: bool = False, threads: int = 0) -> None:
        f = lib.library()
        self.path = Path(path)
        self._close = f.ig_model_close
        self._m = c.c_void_p()
        self._stop = c.c_int(0)
        err = lib.Err()
        options = lib.ModelOptions(lowercase, threads, c.pointer(self._stop))
        lib.check(f.ig_model_open(c.byref(self._m), os.fsencode(path), c.byref(options), c.byref(err)), err)
        self.size = int(f.ig_model_size(self._m))
        self.depth = int(f.ig_model_depth(self._m))
        self.languages = [f.ig_model_language_name(self._m, i).decode() for i in range(f.ig_model_n_language(self._m))]

    def __del__(self) -> None:
        if getattr(self, "_m", None):
            self._close(self._m)
            self._m = c.c_void_p()

    @overload
    def encode(self, sentences: Sequence[str], layer: int | None = None, pool: str = "mean",
               language: str | None = None) -> NDArray[np.float32]: ...
    @overload
    def encode(self, sentences: Sequence[str], layer: Sequence[int], pool: str = "mean",
               language: str | None = None) -> dict[int, NDArray[np.float32]]: ...
    def encode(self, sentences: Sequence[str], layer: Any = None, pool: str = "mean", language: str | None = None) -> Any:
        """One vector for each sentence: float32 [n, D]; layer=[0, 8]: {0: [n, D], 8: [n, D]}, views of one array.

        layer: None is two thirds of the depth, rounded up, as in the measures. pool: "mean" of the states of a sentence's pieces, or
        "cls". language: which of the model's languages they are; None: the first. Sentences with more pieces than the model
        has positions are cut."""
        import numpy as np

        if isinstance(sentences, str):
            raise TypeError("found one str, expected a list of sentences")
        if pool not in POOLS:
            raise ValueError(f"pool: found {pool!r}, expected 'mean' or 'cls'")
        asked = [(2 * self.depth + 2) // 3] if layer is None else [layer] if isinstance(layer, int) else list(layer)
        layers = sorted(set(asked))
        out = np.empty((len(layers), len(sentences), self.size), dtype=np.float32)
        text = (c.c_char_p * max(len(sentences), 1))(*[s.replace("\0", " ").encode("utf-8", "replace") for s in sentences])
        options = lib.EncodeOptions(None if language is None else language.encode(), (c.c_int * len(layers))(*layers),
                                    len(layers), POOLS[pool])
        err = lib.Err()
        code = lib.interruptible(
            lambda: int(lib.library().ig_model_encode(self._m, out.ctypes.data, text, len(sentences), c.byref(options), None,
                                                      c.byref(err))), self._stop)
        lib.check(code, err)
        if layer is None or isinstance(layer, int):
            return out[0]
        return {k: out[layers.index(k)] for k in asked}

    def encode_pairs(self, layers: Sequence[int], pool: str = "mean", languages: tuple[str, str] | None = None,
                     most: int = 0) -> dict[int, tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """The parallel sentences of a run's own development text: for each layer float32 [n, D] of either language, row i of
        one the translation of row i of the other; views of one array. languages: None is the first two. most: the first so
        many pairs; 0: all."""
        import numpy as np

        f, out, n, err, at = lib.library(), c.c_void_p(), c.c_int64(), lib.Err(), sorted(set(layers))
        options = lib.EncodeOptions(",".join(languages).encode() if languages else None, (c.c_int * len(at))(*at), len(at),
                                    POOLS[pool])
        code = lib.interruptible(
            lambda: int(f.ig_model_encode_pairs(c.byref(out), c.byref(n), self._m, c.byref(options), most, c.byref(err))),
            self._stop)
        lib.check(code, err)
        held = (c.c_float * (len(at) * 2 * n.value * self.size)).from_address(out.value or 0)
        weakref.finalize(held, f.ig_free, c.c_void_p(out.value))
        h = np.frombuffer(held, dtype=np.float32).reshape(len(at), 2, n.value, self.size)
        return {k: (h[i, 0], h[i, 1]) for i, k in enumerate(at)}


def _yaml(settings: Mapping[str, Any]) -> str:
    return json.dumps({k.replace("_", "-"): v for k, v in settings.items()})


def train(out: PathLike, settings: Mapping[str, Any] | PathLike = {}, **more: Any) -> Path:
    """Trains a run in the folder `out`, or goes on with it, and returns the folder: `isoglot train`. settings: a YAML or JSON
    file, or keys (train("runs/x", updates=500, world_sentences=2000)). Ctrl-C saves and stops."""
    stop, err = c.c_int(0), lib.Err()
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(settings, Mapping):
            path = Path(folder) / "settings.json"
            path.write_text(_yaml({**settings, **more}), encoding="utf-8")
        else:
            path = Path(settings)
            if more:
                raise TypeError("found a file and keys, expected one of them")
        code = lib.interruptible(
            lambda: int(lib.library().ig_model_train(os.fsencode(path), os.fsencode(out), c.pointer(stop), c.byref(err))), stop)
    lib.check(code, err)
    return Path(out)


def _lines(texts: Any) -> list[str]:
    if isinstance(texts, (str, os.PathLike)):
        return [s for s in Path(texts).read_text(encoding="utf-8").splitlines() if s.strip()]
    return list(texts)


def measure(model: Model | PathLike, layers: Sequence[int] | None = None, **texts: Any) -> dict[str, Any]:
    """What is measured of a model.

    measure(run): the numbers of `isoglot eval RUN --json`, of the run's own texts.
    measure(model, en="en.txt", de="de.txt"): sentence retrieval of parallel texts (a file with a sentence a line, or a list of
    them) in any model: {"n_sentences": n, "rho": {layer: ρ}, "p@1": {layer: [en → de, de → en]}}. ρ is the mean of both ways'
    P@1 by the cosine of mean states (Dufter & Schütze 2020, §2.2); of equally similar sentences the first is taken.
    layers: None is 0 and two thirds of the depth. Texts are the model's language of that name where it has one, else its
    first."""
    if not texts:
        path = model.path if isinstance(model, Model) else model
        f, text, err = lib.library(), c.c_void_p(), lib.Err()
        code = lib.interruptible(lambda: int(f.ig_model_measure(c.byref(text), os.fsencode(path), c.byref(err))), c.c_int(0))
        try:
            lib.check(code, err)
            return dict(json.loads(c.string_at(text.value or 0).decode()))
        finally:
            f.ig_free(text)
    import numpy as np

    m = model if isinstance(model, Model) else Model(model)
    if len(texts) != 2:
        raise TypeError(f"found {len(texts)} texts, expected two")
    at = sorted(set(layers)) if layers is not None else sorted({0, (2 * m.depth + 2) // 3})
    sides = []
    for name, text in texts.items():
        h = m.encode(_lines(text), layer=at, language=name if name in m.languages else None)
        sides.append({k: v / np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-30) for k, v in h.items()})
    n = [len(s[at[0]]) for s in sides]
    if n[0] != n[1] or n[0] == 0:
        raise lib.Error(3, "", 0, f"found {n[0]} and {n[1]} sentences, expected as many of each, translations of each other")
    p: dict[int, list[float]] = {}
    for k in at:
        s = sides[0][k] @ sides[1][k].T
        p[k] = [float(np.mean(np.argmax(x, axis=1) == np.arange(n[0]))) for x in (s, s.T)]
    return {"n_sentences": n[0], "rho": {k: sum(v) / 2 for k, v in p.items()}, "p@1": p}
