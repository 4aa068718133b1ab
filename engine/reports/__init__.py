"""What was found, written down for people and programs: one model, one writer a format.

Writers know the analysis and its words; no model runtime and no user interface may come in.
`check` reports (html.py, text.py, model.py) are the command line's, the others a teacher's.
"""

from engine.reports.writing import formats, render, write

__all__ = ["formats", "render", "write"]
