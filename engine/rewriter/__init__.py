"""Minimal rewrites: candidates, then the guard, then ranking by the tagger's second reading.

What may come in: one module for each kind of edit, word lists, and nothing that loads a model.
"""

from engine.rewriter.rewriting import Rewriter

__all__ = ["Rewriter"]
