"""A laboratory for multilingual language models: models, measures, experiments and generated worlds.

    m = isoglot.Model("runs/id0")
    h = m.encode(["a sentence", "another"], layer=8)      # numpy float32 [2, D]
"""

from ._library import Error
from .card import diagnose, write_states
from .experiment import Experiment
from .model import Model, Tokenizer, measure, train, version
from .own import own_measure
from .tasks import align, finetune, predict, similarity
from .vectors import Map, Vectors
from .world import World

__all__ = ["Error", "Experiment", "Map", "Model", "Tokenizer", "Vectors", "World", "align", "diagnose", "finetune", "measure",
           "own_measure", "predict", "similarity", "train", "version", "write_states"]


def __getattr__(name: str) -> str:
    """__version__: that of the library."""
    if name == "__version__":
        return version()
    raise AttributeError(f"module 'isoglot' has no attribute {name!r}")
