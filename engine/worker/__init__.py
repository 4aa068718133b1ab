"""The child process that holds the model: a job loop that speaks JSON lines over its pipes.

What may come in: the protocol, the loop and the entry point. No Qt, and no knowledge of views.
"""

from engine.worker.loop import serve

__all__ = ["serve"]
