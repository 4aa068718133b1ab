"""Segue's window: PySide6 only.

Views show, services start work, models hold rows; `app.py` builds them and passes them down.
No model runtime may come in: checks run in the engine's own process.
"""
