"""The settings page: look, strictness, device, privacy, and which model is at work.

It writes to the settings service, which stores and announces every change.
"""
