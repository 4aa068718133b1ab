"""Reading essays from files and writing them back.

One module per format turns bytes into blocks of text with their places in the file, and changes
only what changed. What comes in: readers and writers of one format each, and what they share.
"""

from engine.documents.formats import FORMATS, WRITABLE
from engine.documents.loading import load
from engine.documents.saving import save

__all__ = ["FORMATS", "WRITABLE", "load", "save"]
