"""The pages of the window, one folder each, and the widgets that they share.

Views show what services and models hold and pass the user's wishes on; they start no work.
"""
