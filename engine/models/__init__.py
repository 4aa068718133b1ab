"""Model folders: what their manifests say, whether their files are whole, where they lie.

Also which runtime and device judge an essay, and why. No ML runtime is imported here: the
modules that wrap one live in `engine.tagger`.
"""
