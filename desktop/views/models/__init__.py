"""The Models page: what is installed, what can be, and what is being fetched.

Views of models only: the work itself belongs to `desktop.services.model_service`.
"""
