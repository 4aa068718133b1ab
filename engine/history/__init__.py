"""The record of past checks: one SQLite file on the user's machine.

What may come in: the schema and its migrations, queries, and what to do with a database that
cannot be used. It knows `engine.analysis` and no model runtime.
"""

from engine.history.records import RunRecord, RunRow, RunStatus
from engine.history.store import History

__all__ = ["History", "RunRecord", "RunRow", "RunStatus"]
