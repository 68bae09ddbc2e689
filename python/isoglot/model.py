"""Models, tokenizers, measures."""

from __future__ import annotations

import ctypes as c
import importlib
import json
import operator
import os
import warnings
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence, SupportsIndex, Union, overload

from . import _library as lib

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PathLike = Union[str, "os.PathLike[str]"]
POOLS = {"mean": 0, "cls": 1, "last": 2, "weighted": 3}
PRECISIONS = ("float32", "bfloat16")


def renamed(old: str, given: Any, new: str, value: Any) -> Any:
    """The value of an argument that had another name in the version before: the old one's, if it is given, with a notice."""
    if given is None:
        return value
    warnings.warn(f"{old}= is called {new}= now", FutureWarning, stacklevel=3)
    return given


def version() -> str:
    """The version of the library."""
    return str(lib.library().ig_version().decode())


class Tokenizer:
    """A vocab.txt, or a tokenizer.json as Hugging Face writes it (docs/tokenizer.md says of which kinds); or a model's folder,
    whose tokenizer is made as AutoTokenizer makes it."""

    def __init__(self, path: PathLike, lowercase: bool = False) -> None:
        self._free = lib.library().ig_tokenizer_free
        self._path = os.fspath(path)
        self._t = c.c_void_p()
        err = lib.Err()
        options = lib.TokenizerOptions(lowercase, False, False, 0)
        load = lib.library().ig_tokenizer_open if os.path.isdir(path) else lib.library().ig_tokenizer_load
        lib.check(load(c.byref(self._t), lib.path("path", path), c.byref(options), c.byref(err)), err)

    def __del__(self) -> None:
        if getattr(self, "_t", None):
            self._free(self._t)
            self._t = c.c_void_p()

    def __len__(self) -> int:
        return int(lib.library().ig_tokenizer_size(self._t))

    def __repr__(self) -> str:
        return f"Tokenizer({self._path!r}, {len(self)} pieces)"

    def piece(self, id: int) -> str:
        """The piece of an id; IndexError when there is none."""
        id = operator.index(id)
        piece = lib.library().ig_tokenizer_piece(self._t, id) if 0 <= id < len(self) else None
        if piece is None:
            raise IndexError(f"found {id}, expected an id below {len(self)}")
        return str(piece.decode())

    def id(self, piece: str) -> int | None:
        """The id of a piece; None when there is none."""
        if not isinstance(piece, str):
            raise TypeError(f"piece: found {type(piece).__name__}, expected str")
        found = int(lib.library().ig_tokenizer_id(self._t, piece.encode())) if "\0" not in piece else -1
        return found if found >= 0 else None

    def encode(self, text: str) -> list[int]:
        """The ids of a text's pieces, without [CLS] and [SEP]."""
        if not isinstance(text, str):
            raise TypeError(f"text: found {type(text).__name__}, expected str")
        f, data = lib.library(), text.encode()
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
    of none. threads 0: all processors; the numbers are the same for any. precision: "float32", or "bfloat16" of the matrix
    products, where the CPU has them. device: "cpu", "cuda" or "cuda:1", of this model and those opened after it; None: as before.
    Threads of Python's may share a model, which works for one after the other; in a child
    of fork it works, too."""

    def __init__(self, path: PathLike, lowercase: bool = False, threads: int = 0, precision: str = "float32",
                 device: str | None = None) -> None:
        if precision not in PRECISIONS:
            raise ValueError(f"precision: found {precision!r}, expected 'float32' or 'bfloat16'")
        f = lib.library()
        self.path, self.lowercase, self.threads, self.device = Path(path), lowercase, threads, device
        self._close = f.ig_model_close
        self._lock = lib.Lock()
        self._m = c.c_void_p()
        self._stop = c.c_int(0)
        err = lib.Err()
        options = lib.ModelOptions(lowercase, lib.whole("threads", threads), c.pointer(self._stop), precision == "bfloat16",
                                   lib.text("device", device) if device is not None else None)
        lib.check(f.ig_model_open(c.byref(self._m), lib.path("path", path), c.byref(options), c.byref(err)), err)
        self.size = int(f.ig_model_size(self._m))
        self.depth = int(f.ig_model_depth(self._m))
        self.languages = [f.ig_model_language_name(self._m, i).decode() for i in range(f.ig_model_n_language(self._m))]

    def __del__(self) -> None:
        if getattr(self, "_m", None):
            self._close(self._m)
            self._m = c.c_void_p()

    def __repr__(self) -> str:
        named = ", ".join(filter(None, self.languages))
        return f"Model({str(self.path)!r}, {self.depth} layers of {self.size}{', languages ' + named if named else ''})"

    def _layer(self, k: SupportsIndex) -> int:
        """A layer counted from the last one backwards, if it is negative: −1 is the last."""
        number = lib.whole("layer", k)
        return number + self.depth + 1 if -self.depth - 1 <= number < 0 else number

    @overload
    def encode(self, sentences: Iterable[str], layer: SupportsIndex | None = None, pooling: str = "mean",
               language: str | None = None, *, normalize: bool = False, output: str = "numpy",
               pool: str | None = None) -> NDArray[np.float32]: ...
    @overload
    def encode(self, sentences: Iterable[str], layer: Sequence[int], pooling: str = "mean",
               language: str | None = None, *, normalize: bool = False, output: str = "numpy",
               pool: str | None = None) -> dict[int, NDArray[np.float32]]: ...
    def encode(self, sentences: Iterable[str], layer: Any = None, pooling: str = "mean", language: str | None = None, *,
               normalize: bool = False, output: str = "numpy", pool: str | None = None) -> Any:
        """One vector for each sentence: float32 [n, D]; layer=[0, 8]: {0: [n, D], 8: [n, D]}, views of one array.

        layer: None is two thirds of the depth, rounded up, as in the measures; −1 the last, −2 the one before. pooling: "mean"
        of the states of a sentence's pieces, "weighted" by their position, the "last" piece's, "cls"; or "tokens": all of
        them, a list of [pieces, D], without [CLS] and [SEP]. normalize: vectors of length 1. output: "numpy", or "torch"
        tensors. language: which of the model's languages they are; None: the first. Sentences with more pieces than the model
        has positions are cut. (pool is the old name of pooling, for this version.)"""
        import numpy as np

        pooling = renamed("pool", pool, "pooling", pooling)
        if isinstance(sentences, str):
            raise TypeError("found one str, expected a list of sentences")
        if pooling not in POOLS and pooling != "tokens":
            raise ValueError(f"pooling: found {pooling!r}, expected one of {', '.join(POOLS)}, tokens")
        if output not in ("numpy", "torch"):
            raise ValueError(f"output: found {output!r}, expected numpy or torch")
        sentences = list(sentences)
        one = layer is None or hasattr(layer, "__index__")
        if not one and (isinstance(layer, str) or not hasattr(layer, "__iter__")):
            raise TypeError(f"layer: found {layer!r}, expected an integer, a list of them, or None")
        asked = [(2 * self.depth + 2) // 3] if layer is None else [layer] if one else list(layer)
        at = [self._layer(k) for k in asked]
        layers = sorted({*at})
        text = (c.c_char_p * len(sentences))(*[lib.text("sentences", s) for s in sentences])
        options = lib.EncodeOptions(None if language is None else lib.text("language", language), (c.c_int * len(layers))(*layers),
                                    len(layers), POOLS.get(pooling, 0))

        def finish(x: NDArray[np.float32]) -> Any:
            if normalize:
                x = x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), np.float32(1e-30))
            if output == "numpy":
                return x
            return importlib.import_module("torch").from_numpy(np.array(x))

        if pooling == "tokens":
            rows, first = self._tokens(text, options)
            found = [[finish(rows[first[i]:first[i + 1], k]) for i in range(len(text))] for k in range(len(layers))]
        else:
            found = [finish(x) for x in self._pooled(text, options)]
        if one:
            return found[0]
        return {k: found[layers.index(i)] for k, i in zip(asked, at)}

    def _pooled(self, text: Any, options: lib.EncodeOptions) -> NDArray[np.float32]:
        """[layers, n, D]."""
        import numpy as np

        out = np.empty((options.n_layer, len(text), self.size), dtype=np.float32)
        err = lib.Err()
        with self._lock:
            code = lib.interruptible(
                lambda: int(lib.library().ig_model_encode(self._m, out.ctypes.data, text, len(text), c.byref(options),
                                                          None, c.byref(err))), self._stop)
        lib.check(code, err)
        return out

    def _tokens(self, text: Any, options: lib.EncodeOptions) -> tuple[NDArray[np.float32], list[int]]:
        """[pieces of all, layers, D], and where those of each sentence begin."""
        import numpy as np

        f, out, err = lib.library(), c.c_void_p(), lib.Err()
        first = (c.c_int64 * (len(text) + 1))()
        with self._lock:
            code = lib.interruptible(
                lambda: int(f.ig_model_encode_tokens(c.byref(out), first, self._m, text, len(text), c.byref(options),
                                                     c.byref(err))), self._stop)
        lib.check(code, err)
        n = first[len(text)] * options.n_layer * self.size
        if n == 0:
            f.ig_free(out)
            return np.empty((0, options.n_layer, self.size), dtype=np.float32), list(first)
        held = (c.c_float * n).from_address(out.value or 0)
        weakref.finalize(held, f.ig_free, c.c_void_p(out.value))
        return np.ctypeslib.as_array(held).reshape(-1, options.n_layer, self.size), list(first)

    def encode_pairs(self, layers: Sequence[int], pooling: str = "mean", languages: tuple[str, str] | None = None,
                     most: int = 0, *, pool: str | None = None) -> dict[int, tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """The parallel sentences of a run's own development text: for each layer float32 [n, D] of either language, row i of
        one the translation of row i of the other; views of one array. languages: None is the first two. most: the first so
        many pairs; 0: all."""
        import numpy as np

        pooling = renamed("pool", pool, "pooling", pooling)
        if pooling not in POOLS:
            raise ValueError(f"pooling: found {pooling!r}, expected one of {', '.join(POOLS)}")
        if isinstance(languages, str):
            raise TypeError("languages: found one str, expected two names")
        f, out, n, err = lib.library(), c.c_void_p(), c.c_int64(), lib.Err()
        asked = [self._layer(k) for k in layers]
        at, pairs = sorted({*asked}), lib.whole("most", most, 0, 2**63 - 1)
        options = lib.EncodeOptions(lib.text("languages", ",".join(languages)) if languages else None,
                                    (c.c_int * len(at))(*at), len(at), POOLS[pooling])
        with self._lock:
            code = lib.interruptible(
                lambda: int(f.ig_model_encode_pairs(c.byref(out), c.byref(n), self._m, c.byref(options), pairs,
                                                    c.byref(err))), self._stop)
        lib.check(code, err)
        held = (c.c_float * (len(at) * 2 * n.value * self.size)).from_address(out.value or 0)
        weakref.finalize(held, f.ig_free, c.c_void_p(out.value))
        h = np.ctypeslib.as_array(held).reshape(len(at), 2, n.value, self.size)
        return {k: (h[at.index(i), 0], h[at.index(i), 1]) for k, i in sorted(zip(layers, asked), key=lambda x: x[1])}


def _yaml(settings: Mapping[str, Any]) -> str:
    return json.dumps({k.replace("_", "-"): v for k, v in settings.items()}, default=os.fspath)


def train(out: PathLike, settings: Mapping[str, Any] | PathLike = {}, **more: Any) -> Path:
    """Trains a run in the folder `out`, or goes on with it, and returns the folder: `isoglot train`. settings: a YAML or JSON
    file, whose paths are relative to it, or keys (train("runs/x", updates=500, text="en.txt")), whose paths are relative to
    the working folder. Ctrl-C saves and stops."""
    stop, err, f = c.c_int(0), lib.Err(), lib.library()
    folder = lib.path("out", out)
    if isinstance(settings, Mapping):
        run, given = f.ig_model_train_text, lib.text("settings", _yaml({**settings, **more}))
    elif more:
        raise TypeError("found a file and keys, expected one of them")
    else:
        run, given = f.ig_model_train, lib.path("settings", settings)
    lib.check(lib.interruptible(lambda: int(run(given, folder, c.pointer(stop), c.byref(err))), stop), err)
    return Path(out)


def _text_file(text: Sequence[str] | PathLike, folder: str, name: str) -> str:
    """A file with a sentence a line of a list of sentences; a path is one already."""
    if isinstance(text, (str, os.PathLike)):
        return os.fspath(text)
    path = Path(folder) / f"{name}.txt"
    for s in (sentences := list(text)):
        lib.text("sentences", s)
    path.write_text("".join(" ".join(s.split()) + "\n" for s in sentences), encoding="utf-8")
    return str(path)


def measure(model: Model | PathLike, layers: Sequence[int] | None = None, dictionary: PathLike | None = None,
            allow_unknown: bool = False, **texts: Sequence[str] | PathLike) -> dict[str, Any]:
    """What `isoglot eval MODEL --json` prints (docs/measures.md has the names).

    measure(run): of the run's own texts.
    measure(model, en="en.txt", de="de.txt"): of any model and a text for each language, a file with a sentence a line or a
    list of sentences; texts with as many lines are translations of each other. dictionary: a file with a pair of words of the
    first two texts a line, for τ. A model that tells languages apart wants a text for each of them, by its names.
    allow_unknown: also where more than half of a text's pieces are unknown to the vocabulary (docs/tokenizer.md).
    layers: None is 0 and two thirds of the depth, rounded up. Numbers are rows (pandas.DataFrame(measure(run)["rows"])); one
    that cannot be computed has none, and "missing" says what it needs. Formulas: docs/measures.md (Dufter & Schütze 2020, §2.2)."""
    path = model.path if isinstance(model, Model) else model
    arguments = ["eval", os.fspath(path), "--json", "--quiet"]
    if isinstance(model, Model):
        arguments += ["--threads", str(model.threads)] + (["--lowercase"] if model.lowercase and texts else [])
        arguments += ["--device", model.device] if model.device is not None else []
    if allow_unknown:
        arguments.append("--allow-unknown")
    if layers is not None:
        arguments += ["--layers", ",".join(map(str, layers))]
    if dictionary is not None:
        arguments += ["--dictionary", os.fspath(dictionary)]
    with lib.scratch() as folder:
        for name, text in texts.items():
            arguments += ["--text", f"{name}={_text_file(text, folder, name)}"]
        return dict(json.loads(lib.call(arguments)))
