"""Qt item models: the rows that list views show, as plain data in and roles out.

Models read records of the engine and the session; they start no work and know no view.
"""
