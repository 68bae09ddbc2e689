"""Word vectors and maps between them (docs/embeddings.md, docs/mapping.md)."""

from __future__ import annotations

import ctypes as c
import json
import os
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator

from . import _library as lib
from .model import PathLike

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Vectors:
    """The vectors of a file: word2vec's, fastText's or GloVe's, told from its first bytes, compressed or not.

    words: in the file's order; x: numpy float32 [n, D], the library's own memory, which lives as long as x. most: the first
    so many words; 0: all. v["word"] is a row of x, KeyError when there is none."""

    words: list[str]
    x: NDArray[np.float32]

    def __init__(self, path: PathLike, most: int = 0) -> None:
        import numpy as np

        self._path = os.fspath(path)
        f, v, err = lib.library(), c.c_void_p(), lib.Err()
        file, first = lib.path("path", path), lib.whole("most", most, 0, 2**63 - 1)
        code = lib.interruptible(
            lambda: int(f.ig_word_vectors_open(c.byref(v), file, first, c.byref(err))), c.c_int(0))
        lib.check(code, err)
        n, d = f.ig_word_vectors_n_word(v), f.ig_word_vectors_size(v)
        self.words = [f.ig_word_vectors_word(v, i).decode() for i in range(n)]
        self._unit: NDArray[np.float32] | None = None
        self._number = {w: i for i, w in enumerate(self.words)}
        if n == 0:
            f.ig_word_vectors_close(v)
            self.x = np.empty((0, d), dtype=np.float32)
            return
        held = (c.c_float * (n * d)).from_address(f.ig_word_vectors_rows(v))
        weakref.finalize(held, f.ig_word_vectors_close, v)
        self.x = np.ctypeslib.as_array(held).reshape(n, d)

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"Vectors({self._path!r}, {len(self)} words of {self.x.shape[1]})"

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._number

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        row: NDArray[np.float32] = self.x[self._number[word]]
        return row

    def neighbours(self, of: str | NDArray[np.floating[Any]], k: int = 10) -> list[tuple[str, float]]:
        """The k words whose vectors have the largest cosine with a word's, itself left out, or with a vector [D]."""
        import numpy as np

        if self._unit is None:
            self._unit = self.x / np.maximum(np.linalg.norm(self.x, axis=1, keepdims=True), np.float32(1e-30))
        y = np.asarray(self[of] if isinstance(of, str) else of, dtype=np.float32)
        if y.shape != self.x.shape[1:]:
            raise ValueError(f"of: found an array of shape {y.shape}, expected a word or a vector of {self.x.shape[1]}")
        cosine = self._unit @ (y / max(float(np.linalg.norm(y)), 1e-30))
        if isinstance(of, str):
            cosine[self._number[of]] = -np.inf
        most = np.argsort(-cosine, kind="stable")[:min(lib.whole("k", k, 0), len(self) - isinstance(of, str))]
        return [(self.words[i], float(cosine[i])) for i in most]


class Map:
    """What `isoglot map --save-map` wrote: how the vectors of either side come into the common space."""

    def __init__(self, path: PathLike) -> None:
        self._path = os.fspath(path)
        self._sides = json.loads(Path(path).read_text(encoding="utf-8"))

    def __repr__(self) -> str:
        return f"Map({self._path!r})"

    def apply(self, x: NDArray[np.float32], side: str = "source") -> NDArray[np.float64]:
        """Vectors [n, D] of one side ("source", "target") in the common space [n, D']: through its steps, then times its
        matrix (docs/mapping.md, "Files"), in double precision."""
        import numpy as np

        of = self._sides[side]
        y = np.array(x, dtype=np.float64)
        for step in of["steps"]:
            kind = step["step"]
            if kind == "unit":
                y /= np.maximum(np.linalg.norm(y, axis=1, keepdims=True), 1e-30)
            elif kind == "center":
                y -= step["mean"]
            elif kind == "unit-dimensions":
                y *= step["factor"]
            elif kind == "center-dimensions":
                y -= y.mean(axis=1, keepdims=True)
            else:
                raise ValueError(f"found the step {kind!r}, expected those of docs/mapping.md")
        return y @ np.array(of["matrix"], dtype=np.float64)
