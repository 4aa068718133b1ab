"""The published work around Segue: reading its corpora, scoring as its papers do, training.

It may import any part of the engine; nothing imports it but the command that needs it, lazily.
"""
