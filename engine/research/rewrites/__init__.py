"""Measuring rewrites against the experts': edits, items, the systems that are compared, scores.

Nothing here prints or parses a command line; model runtimes come in as objects that are handed in.
"""
