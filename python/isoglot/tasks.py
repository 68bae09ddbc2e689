"""Fine-tuning, its predictions, similarity of models, word alignment: the commands of these names."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Mapping, Sequence, Union

from . import _library as lib
from .model import Model, PathLike, _text_file

Text = Union[str, "tuple[str, str]", "Sequence[str]"]


def _folder(model: Model | PathLike) -> str:
    return os.fspath(model.path if isinstance(model, Model) else model)


def _options(model: Model | PathLike, allow_unknown: bool) -> list[str]:
    lowercase = isinstance(model, Model) and model.lowercase
    threads = model.threads if isinstance(model, Model) else 0
    device = ["--device", model.device] if isinstance(model, Model) and model.device is not None else []
    return ["--threads", str(threads)] + device + ["--lowercase"] * lowercase + ["--allow-unknown"] * allow_unknown


def finetune(model: Model | PathLike, task: PathLike, out: PathLike, progress: bool | None = None, **settings: Any) -> dict[str, Any]:
    """Fine-tunes a model for a task (docs/tasks.md) in the folder `out`, or goes on with it, and returns what `isoglot finetune
    --json` prints: scores, what was selected, the settings. settings: other options of that command (lr=3e-5, epochs=3,
    recipe="xtreme"). Ctrl-C saves and stops. progress: as in Experiment.run."""
    arguments = ["finetune", "--json", "--model", _folder(model), "--task", os.fspath(task), "--out", os.fspath(out)]
    return dict(json.loads(lib.call(arguments + lib.options(settings), lib.shows(progress))))


def _rows(texts: Sequence[Text]) -> tuple[str, str]:
    """The kind of the texts, and a file of them. JSON and a line of names keep any text what it is."""
    if isinstance(texts, (str, bytes)):
        raise TypeError("texts: found one str, expected a list")
    kinds = {str: "single", tuple: "pair", list: "tagging"}
    kind = {kinds.get(type(t), "") for t in texts} or {"single"}
    if len(kind) > 1 or "" in kind:
        raise TypeError("texts: expected texts, or tuples of two, or lists of words, all of one kind")
    if kind == {"tagging"}:
        if any(not w.strip() for t in texts for w in t):
            raise ValueError("texts: found a blank word, expected words")
        words = ["".join(f"{' '.join(w.split())}\t_\n" for w in t) for t in texts]
        return "tagging", "word\ttag\n" + "\n".join(words)
    names = ("text",) if kind == {"single"} else ("sentence1", "sentence2")
    rows = [(t,) if isinstance(t, str) else t for t in texts]
    if any(len(r) != len(names) for r in rows):
        raise TypeError("texts: expected tuples of two texts")
    return kind.pop(), "".join(json.dumps(dict(zip(names, r))) + "\n" for r in rows)


def _scores(fields: Sequence[str]) -> dict[str, float]:
    return {k: float(v) for k, v in (f.rsplit("=", 1) for f in fields)}


def predict(model: Model | PathLike, texts: Sequence[Text], scores: bool = False, language: str | None = None,
            allow_unknown: bool = False) -> Any:
    """The label of each text by a fine-tuned model: what finetune wrote, or a classifier's folder that transformers wrote.

    texts: a list of texts, of pairs of texts (tuples), or of sentences (lists of words), each of which has a list of labels; a
    word that the model did not read has None. scores: also, as a second list, the logit of each label, {"yes": 1.3, "no":
    -1.2}. language: which of the model's languages they are; None: the first."""
    kind, content = _rows(texts)
    if not texts:
        return ([], []) if scores else []
    arguments = ["predict", "--quiet", "--model", _folder(model), *_options(model, allow_unknown)]
    arguments = [a for a in arguments if a != "--lowercase"]
    arguments += ["--kind", kind] if kind != "tagging" else []
    arguments += ["--language", language] if language else []
    with lib.scratch() as folder:
        file = Path(folder) / "texts"
        file.write_text(content, encoding="utf-8")
        said = lib.call([*arguments, *["--scores"] * scores, str(file)]).split("\n")[:-1]
    labels: list[Any] = []
    values: list[Any] = []
    if kind != "tagging":
        labels = [line.split("\t")[0] for line in said]
        values = [_scores(line.split("\t")[1:]) for line in said]
    else:
        lines = iter(said[1:])
        for sentence in texts:
            of = [next(lines).split("\t") for _ in sentence]
            next(lines, None)
            labels.append([None if f[1] == "_" else f[1] for f in of])
            values.append([_scores(f[2:]) for f in of])
    return (labels, values) if scores else labels


def similarity(model: Model | PathLike, texts: Mapping[str, Sequence[str] | PathLike], other: Model | PathLike | None = None, *,
               take: int = 2000, all_pairs: bool = False, random: bool = False, seed: int = 0,
               learn: Mapping[str, Sequence[str] | PathLike] = {}, allow_unknown: bool = False) -> dict[str, Any]:
    """What `isoglot similarity --json` prints (docs/similarity.md): CKA, SVCCA, PWCCA and single neurons of the states of two
    models, or of two languages in one. texts: for each language a file with a sentence a line, or a list; the first is the
    model's, the others are the other's and parallel to it."""
    arguments = ["similarity", "--json", "--quiet", "--take", str(take), "--seed", str(seed), *_options(model, allow_unknown)]
    arguments += ["--all-pairs"] * all_pairs + ["--random"] * random
    lib.mapping("texts", texts)
    with lib.scratch() as folder:
        for option, of in (("--text", texts), ("--learn", learn)):
            for name, text in of.items():
                arguments += [option, f"{name}={_text_file(text, folder, f'{len(arguments)}-{name}')}"]
        return dict(json.loads(lib.call([*arguments, _folder(model), *([_folder(other)] if other is not None else [])])))


def align(model: Model | PathLike, a: Sequence[str] | PathLike, b: Sequence[str] | PathLike, *, layer: int | None = None,
          method: str = "argmax", unit: str = "word", take: int = 0, allow_unknown: bool = False) -> list[list[tuple[int, int]]]:
    """Links of the words of parallel sentences by the model's states: for each pair [(word of a, word of b), …], from 0
    (`isoglot align words`). a, b: lists of as many sentences, or files. method: "argmax", "match" or "itermax"; unit: "word", "token" or
    "piece"; layer None: two thirds of the depth, -1 the last."""
    if isinstance(layer, int) and layer < 0:
        layer += (model if isinstance(model, Model) else Model(model)).depth + 1
    arguments = ["align", "words", "--json", "--quiet", "--model", _folder(model), "--method", method, "--unit", unit, "--take",
                 str(take), *_options(model, allow_unknown), *([] if layer is None else ["--layer", str(layer)])]
    if not isinstance(a, (str, os.PathLike)) and not isinstance(b, (str, os.PathLike)):
        a, b = list(a), list(b)
        if len(a) != len(b):
            raise ValueError(f"b: found {len(b)} sentences, expected {len(a)}, as many as in a")
        if not a:
            return []
    with lib.scratch() as folder:
        said = lib.call([*arguments, _text_file(a, folder, "a"), _text_file(b, folder, "b")])
    return [[(i, j) for i, j in json.loads(line)["links"]] for line in said.splitlines()]
