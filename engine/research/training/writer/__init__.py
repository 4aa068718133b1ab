"""Training the writer: a small instruction model that learns to edit one sentence, minimally.

What may come in: anything from `engine.research.training`, the writer's prompt from
`engine.llm.prompts`, torch, peft, accelerate and gguf. The product needs none of it.
"""
