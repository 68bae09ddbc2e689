"""A laboratory for multilingual masked language models: models, measures, experiments and generated worlds.

    m = isoglot.Model("runs/id0")
    h = m.encode(["a sentence", "another"], layer=8)      # numpy float32 [2, D]
"""

from ._library import Error
from .card import diagnose, write_states
from .experiment import Experiment
from .model import Model, Tokenizer, measure, train, version
from .own import own_measure
from .vectors import Map, Vectors
from .world import World

__all__ = ["Error", "Experiment", "Map", "Model", "Tokenizer", "Vectors", "World", "diagnose", "measure", "own_measure", "train",
           "version", "write_states"]
