"""Generated parallel languages with gold (docs/worlds.md)."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any

from . import _library as lib


class World:
    """Languages generated from one abstract grammar: World("demo", languages="eng; x:SOV", sentences=100, seed=0). The same
    seed gives the same sentences. more: other options of `isoglot corpus world`, as lexicon=500.

    Beside them there is "fake", a copy of the first language in which every word is another, "::" before it (Dufter &
    Schütze 2020, §2.1): word i is the translation of word i."""

    def __init__(self, preset: str = "demo", languages: str = "eng; jap", sentences: int = 1000, seed: int = 0,
                 **more: Any) -> None:
        if not isinstance(preset, str) or not isinstance(languages, str):
            raise TypeError("preset, languages: expected texts")
        self.path = Path(tempfile.mkdtemp(prefix="isoglot-world-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
        arguments = ["corpus", "world", "--quiet", "--out", str(self.path), "--preset", preset, "--languages", languages,
                     "--sentences", str(sentences), "--seed", str(seed)]
        lib.call(arguments + lib.options(more))
        self._n = sentences
        self.languages = [s.split(":")[0].strip() for s in languages.split(";")]
        self._copies = not {"fake"} & {*self.languages}

    def __repr__(self) -> str:
        return f"World({'; '.join(self.languages)}: {self._n} sentences)"

    def _read(self, name: str) -> list[str]:
        path = self.path / name
        if not path.exists():
            raise KeyError(f"{name}: the world has the languages {', '.join(self.languages)}")
        return path.read_text(encoding="utf-8").splitlines()

    def _is_copy(self, language: str) -> bool:
        return language == "fake" and self._copies

    def _source(self, language: str) -> str:
        return self.languages[0] if self._is_copy(language) else language

    def sentences(self, language: str) -> list[str]:
        """The language's sentences, tokens with a space between; those of one number are translations of each other."""
        if self._is_copy(language):
            return [" ".join("::" + w for w in s.split()) for s in self.sentences(self.languages[0])]
        return self._read(f"{language}.txt")

    def tags(self, language: str) -> list[list[str]]:
        """The part of speech of every word."""
        return [s.split() for s in self._read(f"{self._source(language)}.tags")]

    def alignment(self, a: str, b: str) -> list[list[tuple[int, int]]]:
        """Gold links of each pair of sentences: (word of a, word of b), from 0."""
        a, b = self._source(a), self._source(b)
        if a == b:
            return [[(i, i) for i in range(len(s.split()))] for s in self.sentences(a)]
        turned = not (self.path / f"{a}-{b}.align").exists()
        links = [[tuple(map(int, x.split("-"))) for x in s.split()]
                 for s in self._read(f"{b}-{a}.align" if turned else f"{a}-{b}.align")]
        return [sorted((j, i) if turned else (i, j) for i, j in s) for s in links]

    def dictionary(self, a: str, b: str) -> list[tuple[str, str]]:
        """Gold pairs of words."""
        mark = ["::" if self._is_copy(name) else "" for name in (a, b)]
        a, b = self._source(a), self._source(b)
        turned = not (self.path / f"{a}-{b}.dict").exists()
        if a == b:
            pairs = [[w, w] for w in sorted({w for s in self.sentences(a) for w in s.split()})]
        else:
            pairs = [s.split("\t")[:2] for s in self._read(f"{b}-{a}.dict" if turned else f"{a}-{b}.dict")]
        return [(mark[0] + (y if turned and a != b else x), mark[1] + (x if turned and a != b else y)) for x, y in pairs]
