"""Readers of the published corpora, tolerant of their quirks and strict about damage.

A reader takes a path and gives `engine.research.data`; nothing here looks at a model.
"""

from engine.research.readers.cohesentia import read_cohesentia
from engine.research.readers.decor import read_decor
from engine.research.readers.synth import read_synth

__all__ = ["read_cohesentia", "read_decor", "read_synth"]
