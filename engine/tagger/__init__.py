"""Detection and reasons: one multi-task encoder that reads the whole essay once.

What may come in: `analysis`, `scheme`, `errors` and model manifests; never the rewriter.
"""

from engine.tagger.tagger import Tagger, load

__all__ = ["Tagger", "load"]
