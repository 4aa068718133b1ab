"""Training of the shipped tagger: teacher, encoder, heads, export and model card.

What may come in: anything; nothing outside engine.research imports it except its command.
"""
