"""Measures of one's own: functions over the states of two languages, which experiment files name own[name=NAME]."""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import os
import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterator, NamedTuple

from .model import POOLS, Model, renamed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Function = Callable[[NDArray[np.float32], NDArray[np.float32]], float]


class Own(NamedTuple):
    function: Function
    pool: str
    version: str


_measures: dict[str, Own] = {}


def own_measure(name: str, pooling: str = "mean", *, pool: str | None = None) -> Callable[[Function], Function]:
    """Registers a function by the name that experiment files know it by, own[name=NAME,low].

        @isoglot.own_measure("distance")
        def distance(a, b):
            return float(np.linalg.norm(a - b, axis=1).mean())

    The function is given the states of the parallel development sentences of a run's first two languages at a layer, float32
    [n, D] each, and returns a number; None and NaN: there is none. pooling: as in Model.encode_pairs. Its version is the SHA-256 of its
    source, in which functions that it calls are not seen. A name that is registered again is the newer function's."""
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,31}", name) or name in ("train", "dev"):
        raise ValueError(f"found {name!r}, expected a name of at most 31 of a-z A-Z 0-9 . _ -, neither train nor dev")
    pooling = renamed("pool", pool, "pooling", pooling)
    if pooling not in POOLS:
        raise ValueError(f"pooling: found {pooling!r}, expected one of {', '.join(POOLS)}")

    def register(function: Function) -> Function:
        try:
            source = textwrap.dedent(inspect.getsource(function))
        except (OSError, TypeError) as e:
            raise ValueError(f"{name}: found a function without source, expected one of a file or a notebook") from e
        _measures[name] = Own(function, pooling, hashlib.sha256(f"{pooling}\n{source}".encode()).hexdigest())
        return function

    return register


def any_registered() -> bool:
    return bool(_measures)


def _values(run: dict[str, Any], layers: list[int], store: Path) -> dict[str, dict[str, Any]]:
    """Of each measure its version and its value at each layer. What is known of the run is kept in STORE/own, a file for each
    run, with the version that it was taken by."""
    path = store / "own" / f"{run['run']}.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    missing = {name: m for name, m in _measures.items()
               if known.get(name, {}).get("version") != m.version or {*map(str, layers)} - {*known[name]["layers"]}}
    model = Model(store / "runs" / run["run"]) if missing else None
    for pool in sorted({m.pool for m in missing.values()}):
        states = model.encode_pairs(layers, pool, most=run["measure"]["max_sentences"]) if model else {}
        for name, m in missing.items():
            if m.pool == pool:
                known[name] = {"version": m.version, "n": len(states[layers[0]][0]),
                               "layers": {str(k): _number(m.function(*states[k])) for k in layers}}
    if missing:
        path.parent.mkdir(exist_ok=True)
        whole = path.with_suffix(f".{os.getpid()}")
        whole.write_text(json.dumps(known), encoding="utf-8")
        whole.replace(path)
    return {name: known[name] for name in _measures}


def _number(value: Any) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _runs(exported: str) -> Iterator[tuple[list[str], dict[str, Any], list[int]]]:
    """What `isoglot export` wrote, run for run: its lines, what the first of them says, and the layers that were measured: none
    of a run whose model has no layers, as static vectors."""
    block: list[str] = []
    for line in [*exported.splitlines(), '{"cell": null}']:
        if "cell" in json.loads(line) and block:
            run, rows = json.loads(block[0]), [json.loads(row) for row in block[1:]]
            mu = {int(r["value"]) for r in rows if r.get("measure") in ("mu_low", "mu_high")}
            layers = run.get("measure", {}).get("layers", []) if "settings" in run else []
            yield block, run, sorted({*layers, *mu}) if layers else []
            block = []
        block.append(line)


def rows(exported: str, store: Path) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """What `isoglot export` wrote, run for run, with the rows of measures of one's own and their versions."""
    for block, run, layers in _runs(exported):
        yield {**run, "lines": block}, [{"measure": "own", "split": name, "languages": "", "layer": int(layer), "step": run["updates"],
                            "n": of["n"], "value": value, "version": of["version"]}
                           for name, of in (_values(run, layers, store) if layers else {}).items()
                           for layer, value in of["layers"].items() if value is not None]


def merged(exported: str, store: Path) -> str:
    """What `isoglot export` wrote, with the values of one's own as rows of their run."""
    out = []
    for run, own in rows(exported, store):
        first, *others = run["lines"]
        if own: # the run's line says how many rows follow
            first = first.replace(f'"rows":{run["rows"]}}}', f'"rows":{run["rows"] + len(own)}}}')
        out += [first, *others, *(json.dumps({k: v for k, v in row.items() if k != "version"}) for row in own)]
    return "\n".join(out) + "\n"
