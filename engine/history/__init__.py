"""The record of past checks: one SQLite file on the user's machine.

What may come in: the schema and its migrations, queries, and what to do with a database that
cannot be used. It knows `engine.analysis` and no model runtime. `History` is loaded when it is
first used, because its database library is slow to import and the window opens before it.
"""

from typing import TYPE_CHECKING, Any

from engine.history.records import RunKind, RunRecord, RunRow, RunStatus

if TYPE_CHECKING:
    from engine.history.store import History

__all__ = ["History", "RunKind", "RunRecord", "RunRow", "RunStatus"]


def __getattr__(name: str) -> Any:
    """Load `History` from its module."""
    if name != "History":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from engine.history.store import History

    return History
