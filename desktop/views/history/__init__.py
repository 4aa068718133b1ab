"""The history page: past checks, listed, searched, reopened and deleted.

It talks to the history service through signals and holds no rows of its own.
"""
