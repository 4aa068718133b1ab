"""The command line's commands, one module each: arguments in, an exit code out.

A command builds what it needs, calls the engine and writes to the console it is given. No logic
about coherence may come in, and no command imports a heavy library before it runs.
"""
