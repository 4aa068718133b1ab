"""Segue's window, in PySide6.

What may come in: views, their models and the services behind them. What may not: any ML
runtime (torch, transformers, onnxruntime, llama_cpp); those live in the engine's child process.
"""
