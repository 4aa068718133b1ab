"""Where a class's essays come from: a folder, a zip file, a Moodle download, with a roster.

What may come in: listing files, telling whose they are, and reading a submission as an essay.
Nothing here checks an essay or writes into the source.
"""

from engine.classroom.sources.essays import SubmissionReader
from engine.classroom.sources.gathering import gather

__all__ = ["SubmissionReader", "gather"]
