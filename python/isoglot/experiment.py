"""Experiments: `isoglot run`, `export`, `report` of an experiment file (docs/experiments.md)."""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Mapping, Sequence

from . import _library as lib
from . import own


class Shown(str):
    """Text that a notebook shows as what it is."""

    kind = ""

    def _repr_html_(self) -> str | None:
        return str(self) if self.kind == "html" else None

    def _repr_svg_(self) -> str | None:
        return str(self) if self.kind == "svg" else None

    def _repr_markdown_(self) -> str | None:
        return str(self) if self.kind == "markdown" else None


def _shown(text: str, kind: str) -> Shown:
    s = Shown(text)
    s.kind = kind
    return s


class Experiment:
    """An experiment file with its variants, settings that differ, and the store of its results."""

    def __init__(self, file: str | os.PathLike[str], variant: str | Sequence[str] = (), set: Mapping[str, Any] = {},
                 store: str | os.PathLike[str] | None = None, data: str | os.PathLike[str] | None = None) -> None:
        self.file = os.fspath(file)
        self._options: list[str] = []
        self._store = Path(store if store is not None else os.environ.get("ISOGLOT_STORE", "isoglot-store"))
        names = [variant] if isinstance(variant, str) else list(variant)
        if names:
            self._options += ["--variant", ",".join(names)]
        for key, value in set.items():
            text = json.dumps(value) if isinstance(value, bool) else str(value)
            self._options += ["--set", f"{key.replace('_', '-')}={text}"]
        for option, path in (("--store", store), ("--data", data)):
            if path is not None:
                self._options += [option, os.fspath(path)]

    def _call(self, command: str, *arguments: str, progress: bool = False) -> str:
        return lib.call([command, self.file, *self._options, *arguments], progress)

    def run(self, jobs: int = 0, only: str | None = None, progress: bool = False) -> None:
        """Trains and measures what is missing, `jobs` runs at once (0: as many as fit). Ctrl-C saves and stops; the same call
        goes on. progress: a bar of tqdm where it is installed, else what the program says, on standard error."""
        more = ["--only", only] if only else []
        self._call("run", "--jobs", str(jobs), *more, *([] if progress else ["--quiet"]), progress=progress)

    def _csv(self, curves: bool) -> str:
        out = self._call("export", "--all", "--format", "csv", *(["--curves"] if curves else []))
        head, rest = out.split("\n", 1)
        text = io.StringIO()
        if own.any_registered():
            fields = csv.DictWriter(text, head.split(","), extrasaction="ignore", lineterminator="\n")
            for run, value, version in own.lines(self._call("export", "--all"), self._store):
                fields.writerow({**run, **value, "experiment": Path(self.file).stem, "address": run["run"], "last": 1,
                                 "version": version})
        return head.replace("quantity", "measure") + "\n" + rest + text.getvalue()

    def _report(self, *arguments: str) -> str:
        """`isoglot report`; with measures of one's own, where there are any, over the results as a file."""
        if not own.any_registered():
            return self._call("report", "--done", *arguments)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "results.jsonl"
            path.write_text(own.merged(self._call("export", "--all", "--curves"), self._store), encoding="utf-8")
            return self._call("report", "--done", "--results", str(path), *arguments)

    def rows(self, curves: bool = False) -> list[dict[str, str]]:
        """What `isoglot export --all --format csv` writes: a dict for each value, all of it text."""
        return list(csv.DictReader(io.StringIO(self._csv(curves))))

    def results(self, curves: bool = False) -> Any:
        """A tidy pandas.DataFrame: a row for each value with its cell, seed, measure, layer, step. Needs pandas; rows() does
        not. curves: at every checkpoint, too. Measures of one's own (own_measure) are taken of what is finished and not yet
        measured so; their `version` is the SHA-256 of their source."""
        import pandas as pd

        return pd.read_csv(io.StringIO(self._csv(curves)))

    def table(self, name: str | None = None, format: str = "markdown") -> Shown:
        """The experiment's tables as text; a notebook shows Markdown as a table. format: text, markdown, latex, csv, json."""
        more = ["--table", name] if name else []
        return _shown(self._report("--format", format, *more), format)

    def figure(self, name: str) -> Shown:
        """A figure of the experiment as SVG, which a notebook shows."""
        with tempfile.TemporaryDirectory() as folder:
            self._report("--figures", folder)
            path = Path(folder) / f"{name}.svg"
            if not path.exists():
                there = sorted(p.stem for p in Path(folder).glob("*.svg"))
                raise KeyError(f"{name}: the figures are {', '.join(there) or 'none'}")
            return _shown(path.read_text(encoding="utf-8"), "svg")
