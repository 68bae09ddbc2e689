"""The report card of a model, or of whatever gives states."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence, Union

from . import _library as lib
from .model import Model, PathLike, _text_file

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Encode = Callable[["list[str]"], Any]


def write_states(path: PathLike, states: NDArray[np.floating[Any]], ids: Sequence[int] | None = None, model: str = "") -> None:
    """Writes states [texts, layers, hidden] as the file of float32 that `isoglot diagnose --states` reads (docs/formats.md)."""
    import numpy as np

    file = os.fspath(path) # a number is no descriptor
    if np.ndim(states) != 3:
        raise lib.error(2, "states", 0, f"found {np.ndim(states)} dimensions, expected texts × layers × hidden")
    parts = {"states": np.ascontiguousarray(states, dtype="<f4")}
    if ids is not None:
        parts["ids"] = np.ascontiguousarray(ids, dtype="<i8")
    header: dict[str, Any] = {"__metadata__": {"format": "pt", "model": model}}
    at = 0
    for name, x in parts.items():
        header[name] = {"dtype": "F32" if name == "states" else "I64", "shape": x.shape, "data_offsets": [at, at + x.nbytes]}
        at += x.nbytes
    head = json.dumps(header).encode()
    with open(file, "wb") as f:
        f.write(struct.pack("<Q", len(head)) + head)
        for x in parts.values():
            f.write(x.tobytes())


def _states_of(encode: Encode, language: str, sentences: list[str]) -> NDArray[np.float32]:
    """What the callable gives, as [texts, layers, hidden]. A tensor of torch may be on any device."""
    import numpy as np

    h = encode(sentences)
    if hasattr(h, "detach"):
        h = h.detach().cpu().float().numpy()
    h = np.asarray(h, dtype=np.float32)
    if h.ndim != 3 or h.shape[1] != len(sentences):
        raise lib.error(3, language, 0, f"found states of shape {h.shape}, expected layers × {len(sentences)} sentences × hidden")
    if not (fine := np.isfinite(h).all(axis=2)).all():
        layer, sentence = np.argwhere(~fine)[0]
        raise lib.error(6, language, 0, f"the state of {sentences[sentence][:60]!r} in layer {layer} is not finite")
    return h.transpose(1, 0, 2)


def _lines(text: Sequence[str] | PathLike) -> list[str]:
    if isinstance(text, (str, os.PathLike)):
        lines = Path(text).read_bytes().decode().split("\n")
        return [s.rstrip("\r") for s in (lines if lines[-1] else lines[:-1])]
    for s in (sentences := list(text)):
        lib.text("sentences", s)
    return [" ".join(s.split()) for s in sentences]


def _of_callable(encode: Encode, texts: Mapping[str, Sequence[str] | PathLike], folder: str, take: int,
                 untrained: Encode | None) -> list[str]:
    """Options of the program: states and texts, as files. Sentences that are blank are no texts, as in files."""
    lists = {name: _lines(text) for name, text in texts.items()}
    parallel = len({len(s) for s in lists.values()}) == 1
    blank = {i for s in lists.values() for i, x in enumerate(s) if not x.strip()} if parallel else set()
    name_of = getattr(encode, "__name__", type(encode).__name__)
    options = []
    for number, (name, sentences) in enumerate(lists.items()):
        kept = [i for i, x in enumerate(sentences) if x.strip() and i not in blank]
        kept = kept[:take] if take > 0 else kept
        chosen = [sentences[i] for i in kept]
        file = Path(folder) / f"{number}-{name}.safetensors"
        write_states(file, _states_of(encode, name, chosen), kept if parallel else None, name_of)
        options += ["--states", f"{name}={file}", "--text", f"{name}={_text_file(chosen, folder, f'{number}-{name}')}"]
        if untrained is not None:
            fresh = Path(folder) / f"{number}-fresh-{name}.safetensors"
            write_states(fresh, _states_of(untrained, name, chosen), kept if parallel else None)
            options += ["--untrained", f"{name}={fresh}"]
    return options


def diagnose(model: Union[Model, PathLike, Encode], texts: Mapping[str, Sequence[str] | PathLike], *, take: int = 2000,
             unrelated: bool = False, dictionary: PathLike | None = None, gold: PathLike | None = None,
             html: PathLike | None = None, threads: int = 0, allow_unknown: bool = False,
             untrained: Encode | None = None) -> dict[str, Any]:
    """What `isoglot diagnose --json` prints (docs/diagnose.md has the names).

    model: a Model, a run's or a published encoder's folder, or a callable that takes a list of sentences and returns the
    vector of each at each layer, [layers, n, hidden] (numpy or torch, on any device): the mean of the states of its tokens,
    layer 0 the embeddings; `untrained` a second one, of an untrained model of its shape. texts: for each language a file
    with a sentence a line, or a list of sentences; as many in each are translations, unless `unrelated`. A finding has a
    command only where model and texts are files. dictionary, gold: files of the first two languages, which need a model. html: a
    folder for the page."""
    lib.mapping("texts", texts)
    arguments = ["diagnose", "--json", "--quiet", "--take", str(take)]
    for name, value in {"--dictionary": dictionary, "--gold": gold, "--html": html}.items():
        arguments += [name, os.fspath(value)] if value is not None else []
    arguments += ["--unrelated"] if unrelated else []
    arguments += ["--allow-unknown"] if allow_unknown else []
    if isinstance(model, Model):
        threads = threads or model.threads
        arguments += ["--lowercase"] if model.lowercase else []
        arguments += ["--device", model.device] if model.device is not None else []
    arguments += ["--threads", str(threads)]
    with lib.scratch() as folder:
        if untrained is not None and (isinstance(model, (Model, str, os.PathLike)) or not callable(model)):
            raise TypeError("untrained: goes with a callable; of a model it is drawn")
        if isinstance(model, (Model, str, os.PathLike)):
            arguments += ["--model", os.fspath(model.path if isinstance(model, Model) else model)]
            for number, (name, text) in enumerate(texts.items()):
                arguments += ["--text", f"{name}={_text_file(text, folder, f'{number}-{name}')}"]
        elif callable(model):
            arguments += _of_callable(model, texts, folder, take, untrained)
        else:
            raise TypeError(f"model: found {type(model).__name__}, expected a Model, a folder or a callable")
        card = dict(json.loads(lib.call(arguments)))
        for f in card["findings"]:
            if f["command"] and folder in f["command"]:
                f["command"] = None
        return card
