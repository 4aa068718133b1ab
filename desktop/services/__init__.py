"""What the views work through: the engine child, the history thread, settings, files, drafts.

Services own threads, processes and state and speak in signals. They know no widget, and they
never make the GUI thread wait (the one bounded exception is shutting down).
"""
