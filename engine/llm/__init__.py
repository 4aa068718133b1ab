"""Text generation: one protocol, a lazy table of backends, and the prompts.

What may come in: `errors`, `scheme`, `resources` and model manifests; each runtime in the one
module that wraps it. Nothing here knows tagger, rewriter or reports.
"""

from engine.llm.protocol import GeneratesText, Generation, GenerationRequest, Message

__all__ = ["GeneratesText", "Generation", "GenerationRequest", "Message"]
