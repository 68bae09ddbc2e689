"""Experiments: `isoglot run`, `export`, `report` of an experiment file (docs/experiments.md)."""

from __future__ import annotations

import csv
import io
import json
import os
import re
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


_TUNED = re.compile(r"(accuracy|f1\.\w+|[ul]as\w*|majority|random|label_\w+|tuning_sd)$")


def _pairs(text: str, between: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in text.split(between) if "=" in part)


def _tidy(rows: list[dict[str, str]]) -> tuple[list[str], list[str], list[dict[str, str]]]:
    """The names of axes and of tags, in their order, and the rows with a column for each. A name that is a column's already has
    an underscore after it."""
    taken = {*(rows[0] if rows else ()), "task"}
    axes: dict[str, None] = {}
    tags: dict[str, None] = {}
    out = []
    for row in rows:
        more = {}
        for text, between, names in ((row["cell"], "/", axes), (row["tags"], ";", tags)):
            for key, value in _pairs(text, between).items():
                key = key + "_" if key in taken or (names is tags and key in axes) else key
                names[key] = None
                more[key] = value
        tuned = _TUNED.match(row["measure"]) and row["split"] not in ("train", "dev")
        out.append({**row, **more, "task": row["split"] if tuned else ""})
    return list(axes), list(tags), out


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
        if not isinstance(set, Mapping):
            raise TypeError(f"set: found {type(set).__name__}, expected a dict of settings")
        for key, value in set.items():
            text = json.dumps(value) if value is None or isinstance(value, bool) else str(value)
            self._options += ["--set", f"{key.replace('_', '-')}={text}"]
        for option, path in (("--store", store), ("--data", data)):
            if path is not None:
                self._options += [option, os.fspath(path)]

    def __repr__(self) -> str:
        return f"Experiment({', '.join([repr(self.file), *self._options, f'store {str(self._store)!r}'])})"

    def _call(self, command: str, *arguments: str, progress: bool = False) -> str:
        return lib.call([command, self.file, *self._options, *arguments], progress)

    def run(self, jobs: int = 0, only: str | None = None, progress: bool | None = None) -> None:
        """Trains and measures what is missing, `jobs` runs at once (0: as many as fit). Ctrl-C saves and stops; the same call
        goes on. progress: a bar of tqdm where it is installed, else what the program says, on standard error; None: in a
        notebook, and where standard error is a terminal."""
        progress = lib.shows(progress)
        more = ["--only", only] if only else []
        self._call("run", "--jobs", str(jobs), *more, *([] if progress else ["--quiet"]), progress=progress)

    def _rows(self, curves: bool) -> list[dict[str, str]]:
        text = self._call("export", "--all", "--as", "csv", *(["--curves"] if curves else []))
        # Claims over the training have rows of earlier checkpoints: no values of the finished models.
        rows = [row for row in csv.DictReader(io.StringIO(text)) if curves or row["last"] == "1"]
        if own.any_registered():
            for run, values in own.rows(self._call("export", "--all"), self._store):
                rows += [{**dict.fromkeys(rows[0], ""), "experiment": Path(self.file).stem, "cell": run["cell"],
                          "label": run["label"], "seed": str(run["seed"]), "address": run["run"], "last": "1",
                          **{k: str(v) for k, v in row.items()}} for row in values]
        return rows

    def _report(self, *arguments: str) -> str:
        """`isoglot report`; with measures of one's own, where there are any, over the results as a file."""
        if not own.any_registered():
            return self._call("report", "--done", *arguments)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "results.jsonl"
            path.write_text(own.merged(self._call("export", "--all", "--curves"), self._store), encoding="utf-8")
            return self._call("report", "--done", "--results", str(path), *arguments)

    def rows(self, curves: bool = False) -> list[dict[str, str]]:
        """What `isoglot export --all --as csv` writes: a dict for each value of finished models, all of it text; curves: at
        every checkpoint, too. Measures of one's own
        (own_measure) are taken of what is finished and not yet measured so; their `version` is the SHA-256 of their source."""
        return self._rows(curves)

    def results(self, curves: bool = False) -> Any:
        """A tidy pandas.DataFrame: a row for each value. Columns are those of rows(), with one for each axis of the cells'
        names (lr=1e-3 is 1e-3 in a column lr) and one for each tag (select, best, label, the settings of a grid) in place of
        `tags`; `task` is the text or task of a score after fine-tuning. Needs pandas; rows() does not. curves: at every
        checkpoint, too."""
        import pandas as pd

        raw = self._rows(curves)
        axes, tags, rows = _tidy(raw)
        text = io.StringIO()
        names = list(raw[0]) if raw else []
        head = [*names[:names.index("label")], *axes, *names[names.index("label"):]] if rows else []
        at = head.index("tags") if rows else 0
        fields = csv.DictWriter(text, [*head[:at], "task", *tags, *head[at + 1:]], "", "ignore")
        fields.writeheader()
        fields.writerows(rows)
        texts = ("experiment", "cell", "label", "address", "measure", "split", "languages", "task", "program", "commit")
        return pd.read_csv(io.StringIO(text.getvalue()), dtype=dict.fromkeys(texts, str), keep_default_na=False, na_values=[""])

    def table(self, name: str | None = None, format: str = "markdown") -> Shown:
        """The experiment's tables as text; a notebook shows Markdown as a table. format: text, markdown, latex, csv, json."""
        more = ["--table", name] if name else []
        text = self._report("--as", format, *more)
        if not text:
            raise lib.error(4, self.file, 0, "no run is finished yet", "run() trains and measures what is missing")
        return _shown(text, format)

    def figure(self, name: str) -> Shown:
        """A figure of the experiment as SVG, which a notebook shows."""
        with tempfile.TemporaryDirectory() as folder:
            self._report("--figures", folder)
            path = Path(folder) / f"{name}.svg"
            if not path.exists():
                there = sorted(p.stem for p in Path(folder).glob("*.svg"))
                raise KeyError(f"{name}: the figures are {', '.join(there) or 'none'}")
            return _shown(path.read_text(encoding="utf-8"), "svg")
