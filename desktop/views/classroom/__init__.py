"""The classroom: a class of essays in, a teacher's review, reports out.

What may come in: widgets that show classes and reviews and say what the teacher wants. The work
is done by the services; no database and no engine here.
"""
