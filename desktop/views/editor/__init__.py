"""The editor page: the essay with its findings marked, the list of findings, the card.

Widgets here know the session and the theme that they are given; offsets are Qt's UTF-16 units
only inside `essay_edit` and `gutter`, code points everywhere else.
"""
