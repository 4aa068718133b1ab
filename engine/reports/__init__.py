"""What a check found, written down for people and programs: one model, one writer a format.

Writers know the analysis and its words; no model runtime and no user interface may come in.
"""
