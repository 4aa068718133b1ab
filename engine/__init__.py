"""Segue's engine: detecting, explaining and mending incoherence, without any user interface."""
