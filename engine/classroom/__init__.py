"""Checking a whole class: where essays come from, the queue that checks them, the review.

What may come in: reading a class's files, running them through an engine that is handed in, and
the teacher's changes as data. No user interface, no report format and no model runtime.
"""
